from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from duologue.core.interrupts import ctrl_c_waits

STOPS = {signal.SIGINT, signal.SIGHUP}

WORKER = """
import os, signal
from duologue.core.interrupts import leave_stops_to_the_parent
leave_stops_to_the_parent()
os.kill(os.getpid(), signal.SIGINT)
os.kill(os.getpid(), signal.SIGHUP)
print("at work", flush=True)
os.kill(os.getpid(), signal.SIGTERM)
print("never", flush=True)
"""


STARTER = """
import os, signal, subprocess, sys, threading, time
from duologue.core.interrupts import ctrl_c_waits
def stop(number, frame):
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs in the background ignores it
signal.signal(signal.SIGHUP, stop)
if sys.argv[1] == "another":  # as that of a progress bar: it holds nothing back
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
asked = "import signal; print({1, 2} <= signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
try:
    with ctrl_c_waits():
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
        print("held", flush=True)
        subprocess.run([sys.executable, "-c", asked])
    print("never", flush=True)
except KeyboardInterrupt:
    print("heard", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())), flush=True)
"""
"""A program of one thread or two: the tests' own process has others, which a signal may reach."""


def blocked() -> set[int]:
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


@pytest.mark.parametrize("threads", ["alone", "another"])
@pytest.mark.parametrize("stop", ["SIGINT", "SIGHUP"])
def test_a_stop_waits_until_the_block_ends_and_no_longer(threads: str, stop: str) -> None:
    words = [sys.executable, "-c", STARTER, threads, stop]
    made = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (made.stdout, made.stderr) == ("held\nTrue\nheard []\n", "")


def test_handlers_are_as_before_and_a_stop_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        hears = signal.getsignal(signal.SIGINT)
        with ctrl_c_waits():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGHUP)) == (hears, signal.SIG_IGN)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_after_an_error_stops_are_heard_again() -> None:
    with pytest.raises(ValueError, match="odd"), ctrl_c_waits():
        raise ValueError("odd")
    assert not blocked() & STOPS


def test_where_signals_cannot_be_held_back_the_block_runs_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    hears, ran = signal.getsignal(signal.SIGINT), []
    with monkeypatch.context() as elsewhere:
        elsewhere.delattr(signal, "pthread_sigmask")
        with ctrl_c_waits():
            ran.append(signal.getsignal(signal.SIGINT))
    assert ran == [hears]
    assert not blocked() & STOPS


def test_a_worker_hears_no_stop_but_the_one_from_its_parent() -> None:
    made = subprocess.run([sys.executable, "-c", WORKER], capture_output=True, text=True, timeout=60, check=False)
    assert (made.stdout, made.returncode) == ("at work\n", -signal.SIGTERM)
