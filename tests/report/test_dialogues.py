from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import DialogueView, TableView, UtteranceView
from duologue.core.errors import StorageError
from duologue.core.marked_text import MarkedText, Stretch
from duologue.report.dialogues import MAX_ROWS, MAX_UTTERANCES, write_dialogues_page
from tests.full_disk import files_up_to
from tests.growth import LINEAR, growth

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from duologue.core.dialogue_view import Said

HOSTILE = "<script>alert(1)</script>\"'&\x1b[2J\u202eevil\ud800"


def page(path: Path, dialogues: Iterable[DialogueView], n: int = 200) -> str:
    write_dialogues_page(path, dialogues, {"turns": 12345, "speakers": [HOSTILE] * 25}, title=HOSTILE, n=n)
    return path.read_text(encoding="utf-8")


def test_marks_carry_the_numbers_of_the_lines_that_say_what_they_are(tmp_path: Path) -> None:
    marked = MarkedText("十八块的套餐", (Stretch(0, 6, "a plan"), Stretch(0, 3, "a fee")), numbered=True)
    said = UtteranceView("user", marked, ["the plan", "the fee"], ["intents: ask"])
    shown = page(tmp_path / "a.html", [DialogueView("one", [said])])
    assert (
        '<mark title="a plan; a fee">十八块<sup>2</sup></mark><mark title="a plan">的套餐<sup>1</sup></mark>' in shown
    )
    assert '<ol class="legend"><li>the plan</li><li>the fee</li></ol>' in shown
    assert '<p class="soft">intents: ask</p>' in shown
    assert '<span class="zh" lang="zh-Hans">用户</span>' in shown


def test_nothing_of_the_data_is_obeyed_and_all_of_it_is_seen(tmp_path: Path) -> None:
    marked = MarkedText(HOSTILE, (Stretch(0, 9, HOSTILE),), numbered=True)
    table = TableView(HOSTILE, [HOSTILE], [[HOSTILE]])
    said = [UtteranceView(HOSTILE, marked, [HOSTILE], [HOSTILE]), UtteranceView("", HOSTILE)]
    shown = page(tmp_path / "a.html", [DialogueView(HOSTILE, said, [table])])
    assert shown.count("<script>") == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", shown)
    assert shown.count(r"\u202eevil\ud800") >= 10
    assert "default-src 'none'" in shown
    assert not re.search(r"\b(src|href|style)=", shown)


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    long = DialogueView(
        "long",
        [UtteranceView("user", f"said {at}.") for at in range(MAX_UTTERANCES + 3)],
        [TableView("goal", ["value"], [[f"row {at}."] for at in range(MAX_ROWS + 5)]), TableView("empty", ["x"], [])],
    )
    shown = page(tmp_path / "a.html", (long._replace(title=f"title {at}.") for at in range(1234)), n=2)
    assert "title 1." in shown
    assert "title 2." not in shown
    assert "Shown: 2" in shown
    assert shown.count("1,232") == 4  # above and below, in two languages
    assert f"said {MAX_UTTERANCES - 1}." in shown
    assert f"said {MAX_UTTERANCES}." not in shown
    assert "Utterances of this dialogue that are not shown: 3" in shown
    assert f"row {MAX_ROWS}." not in shown
    assert "Rows that are not shown: 5" in shown
    assert "empty" not in re.sub("<style>.*?</style>|<script>.*?</script>", "", shown, flags=re.DOTALL)
    assert "12,345" in shown
    assert "(25)" in shown
    assert "There is nothing in it." in page(tmp_path / "b.html", [DialogueView("bare")])


def test_a_role_has_one_colour_in_every_dialogue(tmp_path: Path) -> None:
    said = [UtteranceView("user", "hi"), UtteranceView("staff", "hello"), UtteranceView("Ann", "dear me")]
    said += [UtteranceView("Bob", "well"), UtteranceView("", "a line"), UtteranceView("@care", "sorry", played="agent")]
    shown = page(tmp_path / "a.html", [DialogueView("one", said), DialogueView("two", said[::-1])])
    colours = re.findall('<li class="(c.)">', shown)
    assert colours == ["c0", "c1", "c3", "c4", "c5", "c1", "c1", "c5", "c4", "c3", "c1", "c0"]


def test_a_name_in_the_data_is_no_key_of_the_words_of_the_page(tmp_path: Path) -> None:
    said = [UtteranceView(name, "hi") for name in ("title", "dialogues_more", "user")]
    shown = page(tmp_path / "a.html", [DialogueView("one", said, [TableView("language", ["says_nothing"], [["x"]])])])
    assert re.findall("<b>(.*?)</b>", shown) == [
        "title",
        "dialogues_more",
        '<span class="en" lang="en">user</span><span class="zh" lang="zh-Hans">用户</span>',
    ]
    assert "<summary>language <small>" in shown
    assert '<th scope="col">says_nothing</th>' in shown


def test_words_of_ours_are_there_in_both_languages(tmp_path: Path) -> None:
    both = Bilingual(en="not <b>", zh="不 <b>")
    said = UtteranceView("user", both, [both], [both])
    shown = page(tmp_path / "a.html", [DialogueView(both, [said], [TableView("goal", ["value"], [[both]])])])
    spans = '<span class="en" lang="en">not &lt;b&gt;</span><span class="zh" lang="zh-Hans">不 &lt;b&gt;</span>'
    assert shown.count(spans) == 5


def test_lists_of_statistics_are_told_in_both_languages(tmp_path: Path) -> None:
    slots: list[Said] = [Bilingual(en="费用 (fee) 5", zh="费用 5"), "a<b 2"]
    write_dialogues_page(tmp_path / "a.html", [], {"slots": slots, "form": ["raw"]}, title="x", n=1)
    shown = (tmp_path / "a.html").read_text(encoding="utf-8")
    en, zh = "费用 (fee) 5, a&lt;b 2", "费用 5、a&lt;b 2"
    assert f'<td><span class="en" lang="en">{en}</span><span class="zh" lang="zh-Hans">{zh}</span></td>' in shown


def test_what_comes_after_the_dialogue_stands_below_it(tmp_path: Path) -> None:
    base, candidates = (TableView(name, ["text"], [[f"{name} row"]] * 20) for name in ("base", "candidates"))
    shown = page(tmp_path / "a.html", [DialogueView("one", [UtteranceView("user", "hello")], [base], [candidates])])
    assert shown.index("base row") < shown.index("hello") < shown.index("candidates row")
    assert shown.count("<details open>") == 1  # a long table above the words is shut, what they lead to is not


def test_a_full_disk_leaves_the_page_that_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    before = page(path, [DialogueView("one")])
    with files_up_to(1000), pytest.raises(StorageError):
        page(path, [DialogueView("two")])
    assert path.read_text(encoding="utf-8") == before


def test_a_page_takes_the_time_of_one_pass(tmp_path: Path) -> None:
    def made(n: int) -> list[DialogueView]:
        return [DialogueView(str(at), [UtteranceView("user", "hi")] * 9) for at in range(n)]

    assert growth(made, lambda views: page(tmp_path / "a.html", views, 10**6), 40) < LINEAR
