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
import os, signal
from duologue.core.interrupts import ctrl_c_waits
signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs in the background ignores it
try:
    with ctrl_c_waits():
        os.kill(os.getpid(), signal.SIGINT)
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        print("held", {signal.SIGINT, signal.SIGHUP} <= blocked, flush=True)
    print("never", flush=True)
except KeyboardInterrupt:
    print("heard", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())), flush=True)
"""
"""A program of one thread: the tests' own process has others, which a signal may reach."""


def blocked() -> set[int]:
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


def test_a_stop_waits_until_the_block_ends_and_no_longer() -> None:
    made = subprocess.run([sys.executable, "-c", STARTER], capture_output=True, text=True, timeout=60, check=False)
    assert (made.stdout, made.stderr) == ("held True\nheard []\n", "")


def test_after_an_error_stops_are_heard_again() -> None:
    with pytest.raises(ValueError, match="odd"), ctrl_c_waits():
        raise ValueError("odd")
    assert not blocked() & STOPS


def test_where_signals_cannot_be_held_back_the_block_runs_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "pthread_sigmask")
    with ctrl_c_waits():
        pass


def test_a_worker_hears_no_stop_but_the_one_from_its_parent() -> None:
    made = subprocess.run([sys.executable, "-c", WORKER], capture_output=True, text=True, timeout=60, check=False)
    assert (made.stdout, made.returncode) == ("at work\n", -signal.SIGTERM)
