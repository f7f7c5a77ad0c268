from __future__ import annotations

from duologue.challenges.mobilecs.schema.spoken_numbers import spoken


def test_numbers_are_read_with_their_gaps() -> None:
    assert [spoken(one) for one in (11, 20, 101, 110, 1001, 20_050)] == [
        *("十一", "二十", "一百零一", "一百一十", "一千零一", "二万零五十"),
    ]
