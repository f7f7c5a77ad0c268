from __future__ import annotations

import gc

import pytest

from duologue.core.gc_pause import gc_paused


def test_the_collector_runs_again_after_the_block_and_after_an_error() -> None:
    assert gc.isenabled()
    with gc_paused():
        assert not gc.isenabled()
        with gc_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="x"), gc_paused():
        raise ValueError("x")
    assert gc.isenabled()
