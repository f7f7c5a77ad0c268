from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.formats.transcript_rows import columns_of
from duologue.challenges.mobilecs.formats.transcript_words import CUSTOMER_SIDES, STAFF_SIDES


@pytest.mark.parametrize(
    ("names", "sides", "unread"),
    [
        (("Agent", "note", "Customer"), ((0, "agent"), (2, "customer")), ["note"]),
        (("客户话术", "坐席_文本"), ((0, "客户"), (1, "坐席")), []),
        (("channel", "caller said", "operator said"), ((1, "caller"), (2, "operator")), ["channel"]),
        (("agent", "speaker", "customer", "text"), (), ["agent", "customer"]),
        (("agent", "mood"), (), ["agent", "mood"]),
    ],
)
def test_sides_are_known_by_their_names_where_no_column_is_the_text(
    names: tuple[str, ...], sides: tuple[tuple[int, str], ...], unread: list[str]
) -> None:
    columns = columns_of(names)
    assert (columns.sides, columns.unread) == (sides, unread)
    assert columns.are_enough == (bool(sides) or "text" in names)


def test_every_side_is_one_of_two() -> None:
    assert not set(STAFF_SIDES) & set(CUSTOMER_SIDES)
    for name in (*STAFF_SIDES, *CUSTOMER_SIDES):
        other = CUSTOMER_SIDES[0] if name in STAFF_SIDES else STAFF_SIDES[0]
        assert [who for _, who in columns_of((name, other)).sides] == [name, other]
