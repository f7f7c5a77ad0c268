from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.growth import LINEAR, growth

from duologue.text.anonymiser import Anonymiser, masked

SECRETS = ["13812345678", "jo_99@mail.com", "4111 1111 1111 1111", "John Smith", "京A·12345", "203.0.113.45"]


def test_the_same_thing_in_another_spelling_is_the_same_placeholder_within_a_dialogue() -> None:
    one = Anonymiser().dialogue()
    assert one.text("手机13812345678谢谢") == "手机<PHONE_1>谢谢"
    assert one.text("not +86 139 1234 5678") == "not <PHONE_2>"
    assert (
        one.text("+86 138-1234-5678, １３８ １２３４ ５６７８, 幺三八一二三四五六七八")
        == "<PHONE_1>, <PHONE_1>, <PHONE_1>"
    )
    assert one.text("Jo@Mail.com jo@mail.com") == "<EMAIL_1> <EMAIL_1>"


def test_another_dialogue_counts_anew() -> None:
    anonymiser = Anonymiser()
    assert anonymiser.dialogue().text("13912345678") == "<PHONE_1>"
    assert anonymiser.dialogue().text("13812345678") == "<PHONE_1>"


def test_a_second_time_changes_nothing() -> None:
    text = "手机13812345678, jo@mail.com, My name is John Smith, @jo_doe, order #A1234567, 12 Baker Street"
    once = Anonymiser().dialogue().text(text)
    assert Anonymiser().dialogue().text(once) == once
    assert "<ORDER_1>" in once


def test_handles_of_companies_stay_and_people_get_what_stands_for_them() -> None:
    anonymiser = Anonymiser(keep=["AirCare"], handle=lambda name: f"user_{len(name)}")
    assert anonymiser.dialogue().text("@aircare ＠ＡｉｒＣａｒｅ @Jo_Doe hi") == "@aircare ＠ＡｉｒＣａｒｅ @user_6 hi"
    anonymiser.keep(["Jo_doe"])
    assert anonymiser.dialogue().text("@jo_doe") == "@jo_doe"
    assert anonymiser.replaced().counts == {"HANDLE": 1}


def test_the_report_has_counts_and_forms_and_no_originals() -> None:
    anonymiser = Anonymiser()
    one = anonymiser.dialogue()
    for text in ["手机{}", "mail {}", "card {}", "My name is {}", "车牌{}", "ip {}"]:
        for secret in SECRETS:
            one.text(text.format(secret))
    replaced = anonymiser.replaced()
    assert (replaced.texts, replaced.changed) == (36, 36)
    assert (replaced.counts["EMAIL"], replaced.counts["IP"]) == (6, 6)
    told = replaced.told() + json.dumps(replaced.as_dict(), ensure_ascii=False)
    for secret in SECRETS:
        assert secret not in told
        assert secret.split()[0][:4] not in told
    assert "99999999999" in told
    assert "some stay" in told


def test_kinds_can_be_chosen() -> None:
    one = Anonymiser(kinds=("EMAIL",)).dialogue()
    assert one.text("13812345678 jo@mail.com") == "13812345678 <EMAIL_1>"


def test_a_text_without_anything_is_the_same_object() -> None:
    text = "套餐98元 and nothing else"
    anonymiser = Anonymiser()
    assert anonymiser.dialogue().text(text) is text
    assert anonymiser.replaced().told() == "personal data: 0 replaced in 0 of 1 text\n"


@pytest.mark.parametrize(("original", "form"), [("x" * 80, "x" * 57 + "..."), ("ab\n1 \ud83d张", "xx 9 \ud83d某")])
def test_forms_are_short_and_on_one_line(original: str, form: str) -> None:
    assert masked(original) == form


def test_half_a_surrogate_pair_is_carried_through() -> None:
    assert Anonymiser().dialogue().text("\ud83d 13812345678 \ude00") == "\ud83d <PHONE_1> \ude00"


@pytest.mark.slow
def test_a_line_of_very_many_placeholders_and_numbers_is_gone_through_once() -> None:
    """Each number once was held against all placeholders."""
    anonymiser = Anonymiser()
    assert anonymiser.dialogue().text("<PHONE_7>13812345678<PHONE_8>") == "<PHONE_7><PHONE_1><PHONE_8>"
    assert growth("<PHONE_1> or 13812345678 and ".__mul__, anonymiser.dialogue().text, 1_000) < LINEAR


def test_what_a_dialogue_is_about_stays_however_it_is_spaced() -> None:
    one = Anonymiser().dialogue(["hotline 020 7946 0958", "王小明"])
    assert one.text("call 0207 946 0958, not 020 7946 0959") == "call 0207 946 0958, not <PHONE_1>"
    assert one.text("我叫王小明") == "我叫王小明"


def test_texts_in_what_json_holds_are_those_of_one_dialogue() -> None:
    one = Anonymiser().dialogue()
    found = one.value({"jo@mail.com": ["jo@mail.com", 3, None, {"to": "jo@mail.com, al@mail.com"}]})
    assert found == {"jo@mail.com": ["<EMAIL_1>", 3, None, {"to": "<EMAIL_1>, <EMAIL_2>"}]}


def test_it_finds_what_its_page_says_and_as_much_as_it_must(tmp_path: Path) -> None:
    benchmarks = Path(__file__).resolve().parents[2] / "benchmarks"
    page = tmp_path / "page.md"
    words = ["--seed", "1", "--texts", "400", "--page", str(page)]
    done = subprocess.run([sys.executable, benchmarks / "anonymiser.py", *words], capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    made, kept = ([line for line in path.read_text("utf-8").splitlines() if line.startswith("|")] for path in (
        page, benchmarks / "ANONYMISER.md"
    ))  # fmt: skip
    assert made == kept
    assert len(made) > 12


def test_numbers_dictated_over_utterances_go_beside_what_each_has() -> None:
    said = ["我的号码是幺三八", "嗯", "零零一三", "八零零零，邮箱a@b.com"]
    assert Anonymiser().dialogue().utterances(said) == [
        "我的号码是<NUMBER_1>",
        "嗯",
        "<NUMBER_2>",
        "<NUMBER_3>，邮箱<EMAIL_1>",
    ]
    whole = ["幺三八零零一三八零零零", "幺三八"]  # the surer kind counts where one utterance has it all
    assert Anonymiser().dialogue().utterances(whole) == ["<PHONE_1>", "<NUMBER_1>"]
