from __future__ import annotations

import gc

import pytest

from duologue.challenges.mobilecs.formats.gc_pause import paused


def test_the_collector_runs_again_after_the_block_and_after_an_error() -> None:
    assert gc.isenabled()
    with paused():
        assert not gc.isenabled()
        with paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="x"), paused():
        raise ValueError("x")
    assert gc.isenabled()
