from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.records_in import demand_strict, only_by_place, records_in

if TYPE_CHECKING:
    from duologue.core.records import Record


@pytest.mark.parametrize("kind", records_in("duologue.run"), ids=lambda kind: kind.__name__)
def test_what_is_written_down_of_a_run_is_frozen_and_keyword_only(kind: type[Record]) -> None:
    demand_strict(kind)


def test_every_argument_of_a_run_may_be_given_by_its_name() -> None:
    assert only_by_place("duologue.run") == []
