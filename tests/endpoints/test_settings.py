from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.core.recipe import resolve
from duologue.endpoints.settings import BY_HAND, PATIENCE, EndpointSettings


def test_patience_and_what_is_given_by_hand_are_entries_that_are_there() -> None:
    assert {*PATIENCE, *BY_HAND} <= set(EndpointSettings.__struct_fields__)


def test_entries_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(UsageError, match="without price_in"):
        EndpointSettings(url="http://x/v1", model="m", max_cost=3)
    with pytest.raises(UsageError, match="'stream' is not theirs"):
        EndpointSettings(url="http://x/v1", model="m", extra={"stream": True})
    with pytest.raises(UsageError, match="record and replay"):
        EndpointSettings(url="http://x/v1", model="m", record="a", replay="b")


@pytest.mark.parametrize("entry", ["timeout", "wait", "longest_wait"])
def test_a_time_that_no_clock_waits_for_is_refused(entry: str) -> None:
    with pytest.raises(UsageError, match=f"{entry}: expected float <= 100000"):
        resolve(EndpointSettings, overrides=["url=http://x/v1", "model=m", f"{entry}=1e300"])
