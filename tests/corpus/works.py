"""Work for the tests of the engine, in a module that worker processes can import."""

from __future__ import annotations

import os
import signal
import time

from duologue.core.errors import UsageError


def double(number: int) -> bytes:
    return f"{number * 2}".encode()


def fail_at_three(number: int) -> bytes:
    if number == 3:
        raise UsageError("three is no number")
    return double(number)


def break_at_three(number: int) -> bytes:
    return double(number if number != 3 else [][number])


def die_at_three(number: int) -> bytes:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return double(number)


def first_last(number: int) -> bytes:
    """The first shard takes the longest."""
    time.sleep(0.3 if number == 0 else 0)
    return double(number)
