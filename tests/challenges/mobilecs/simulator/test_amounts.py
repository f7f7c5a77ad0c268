from __future__ import annotations

import re

from duologue.challenges.mobilecs.simulator import amounts
from duologue.core.rng import Rng

RNG = Rng("amounts")
NUMBER = "[零一二两三四五六七八九十百千万]+"


def forms(make: object, *values: int) -> set[str]:
    assert callable(make)
    return {re.sub(NUMBER, "N", make(value, RNG)) for value in values for _ in range(300)}


def test_numbers_are_read_as_in_speech() -> None:
    assert {amounts.counted(270, RNG) for _ in range(200)} == {"二百七十", "两百七十", "二百七", "两百七"}
    assert amounts.counted(2, RNG) == "两"


def test_fees_have_the_forms_of_the_specification() -> None:
    assert {"N块钱", "N元", "N", "N块", "N元钱", "每月N块钱"} <= forms(amounts.fee, 18)
    assert forms(amounts.fee, 0) == {"免费", "不收费"}


def test_volumes_minutes_rates_and_durations_have_their_units() -> None:
    assert forms(amounts.volume, 300) <= {"N兆", "N"}
    assert forms(amounts.volume, 2 * amounts.GIGABYTE) == {"N个G", "N个g", "Ng", "NG"}
    assert forms(amounts.minutes, 150) == {"N分钟", "N"}
    assert forms(amounts.rate, 19) == {"N毛N", "N分钟N毛N", "N毛N分钟", "每分钟N毛N", "N毛N钱"}
    assert "N毛" in forms(amounts.rate, 20)
    assert forms(amounts.data_rate, 29) <= {"N兆N毛N", "N毛N一兆", "N毛N兆", "每兆N毛N", "N块钱N兆"}
    assert forms(amounts.duration, 6, 12, 5, -1, -7) == {"半年", "N个月", "N年", "N天", "N小时", "N个小时"}
    assert forms(amounts.money, 235, 7, 40) >= {"N块N", "N毛", "N块钱"}


def test_digits_are_read_one_by_one() -> None:
    assert re.fullmatch("[零幺二三四五六七八九]{11}", amounts.digits(11, RNG))
