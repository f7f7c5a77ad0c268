from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import LINEAR, growth

from duologue.knowledge.size import FREE, Size, measure


@pytest.mark.parametrize(
    ("larger", "smaller"),
    [
        ("1.2亿", "9000万"),
        ("1993年4月5日", "1993年4月4日"),
        ("1993-10", "1993.9.30"),
        ("1993年", "公元前221年"),
        ("２00米", "0.1公里"),
        ("-1度", "-2度"),
        ("1天", "12小时"),
        ("3天", "1小时 - 2天"),
        ("2小时 - 4小时", "1-3小时"),
        ("1小时30分", "89分钟"),
        ("4分56秒", "295秒"),
        ("1.5万元", "800块"),
        ("¥30", "20人民币"),
        ("1元", "免费开放。"),
        ("120.5元", "119元"),
        ("旺季60元，淡季40元。另一展馆10元。", "40元"),
        ("成人30元（1.2米以下儿童免费）", "无需门票"),
        ("1.8米", "175 CM"),
        ("2公斤", "3斤"),
        ("1平方公里", "90公顷"),
        (30, "29级"),
        ("9:30", "8:15"),
    ],
)
def test_sizes_are_read_as_people_read_them(larger: Any, smaller: Any) -> None:
    one, other = measure(larger), measure(smaller)
    assert one is not None
    assert other is not None
    assert one.beyond(other)
    assert not other.beyond(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2小时", "5公里"),
        ("20元", "20美元"),
        ("1小时 - 5小时", "2小时"),
        ("1993年", "1993年4月5日"),
        ("成人20元，学生5元", "10元"),
        ("60公里", "120公里/小时"),
        ("40", "50元"),
    ],
)
def test_what_is_not_surely_larger_is_not_beyond(one: str, other: str) -> None:
    first, second = measure(one), measure(other)
    assert first is not None
    assert second is not None
    assert not first.beyond(second)
    assert not second.beyond(first)


@pytest.mark.parametrize(
    "value",
    ["很高", "三天", "", "12月25日", "中国12亿元/全球20亿美元", "无需门票。包含于大园门票内", "无需预约", "免费讲解"],
)
def test_a_value_that_is_not_one_size_has_none(value: str) -> None:
    assert measure(value) is None


def test_members_of_a_value_are_read_together() -> None:
    assert measure(("三", "7")) == Size("", 7.0, 7.0)
    assert measure(("免费",)) == Size(FREE, 0.0, 0.0)


made = st.builds(
    lambda dimension, low, more: Size(dimension, float(low), float(low + more)),
    st.sampled_from(["元", FREE, "day", ""]),
    st.integers(0, 3),
    st.integers(0, 3),
)


@given(one=made, other=made, third=made)
def test_beyond_is_an_order(one: Size, other: Size, third: Size) -> None:
    assert not (one.beyond(other) and other.beyond(one))
    assert not (one.same(other) and one.beyond(other))
    if one.dimension == other.dimension == third.dimension and one.beyond(other) and other.beyond(third):
        assert one.beyond(third)


@given(st.text(max_size=40))
def test_any_text_is_measured_or_not(text: str) -> None:
    size = measure(text)
    assert size is None or size.low <= size.high


def test_a_number_beyond_all_floats_has_no_size() -> None:
    assert measure("9" * 400 + "元") is None


@pytest.mark.slow
def test_a_value_of_many_dates_is_measured_in_linear_time() -> None:
    assert growth(lambda size: "1999年3月 " * size, measure, 8_000) < LINEAR
