from __future__ import annotations

from duologue.challenges.spoken.knowledge.scales import is_plain, scale_of


def test_values_of_several_kinds_have_no_scale() -> None:
    assert scale_of("生日", ["1951年3月2日", "1951"]) is None
    assert scale_of("身高", ["181厘米", "1.7米"]) == "height"
    assert scale_of("等级", [3, "4级"]) == "level"


def test_a_telephone_is_no_number() -> None:
    assert not is_plain("15712942010")
    assert is_plain(15712942010)


def test_what_is_free_and_ranges_are_sizes_of_their_scale_alone() -> None:
    assert scale_of("门票", ["60元", "免费开放。", "旺季60元，淡季40元"]) == "price"
    assert scale_of("建议游玩时间", ["2小时", "1小时 - 3天"]) == "duration"
    assert scale_of("身高", ["免费"]) is None
    assert scale_of("等级", ["3级 - 4级"]) is None
