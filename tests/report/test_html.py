"""The page: self-contained, well-formed, escaped, in two languages, the same bytes for the same reports."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.core.errors import StorageError
from duologue.core.records import Exposure, Problem
from duologue.report import leaderboard_page, page, rank_all, write_page
from duologue.report.error_examples import ErrorExample, ErrorExamples
from duologue.report.html import Display, template
from tests.report.lower_is_better import Errors, with_lower_better

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Report
    from tests.report.conftest import MakeReport

VOID = {"meta", "input", "br", "link", "img"}


class Reader(HTMLParser):
    """Checks that elements are closed in order, and collects what a test looks at."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name in {"href", "src", "action"} and value]
        if tag == "th":
            self.headers.append(found.get("scope") or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "script"}:
            self.words.append(data)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture
def reports(make_report: MakeReport) -> list[Report]:
    return [
        make_report(system, wrong=wrong, n=200, test_set=name, slices=True, seen=seen, commands=[f"run {system}"])
        for name in ("tst1", "tst2")
        for system, wrong, seen in (("good", 0, "a lot"), ("fair", 1, ""), ("poor", 150, "nothing"))
    ]


def test_the_page_is_well_formed_and_needs_no_network(reports: list[Report]) -> None:
    text = page(reports)
    found = read(text)
    assert len(found.ids) == len(set(found.ids))
    assert all(link.startswith("#") and link[1:] in found.ids for link in found.links)
    assert not re.search(r"https?:|//[a-z]|@import|url\(", text)
    assert "default-src 'none'" in text


def test_every_header_cell_says_what_it_heads(reports: list[Report]) -> None:
    assert set(read(page(reports)).headers) <= {"col", "row"}


def test_both_languages_are_embedded_and_english_needs_no_script(reports: list[Report]) -> None:
    text = page(reports)
    assert "Scores by test set" in text
    assert "各测试集得分" in text
    assert '<input type="radio" name="language" id="en" checked' in text
    assert ":root:not(:has(#zh:checked)) .zh" in text


def test_scores_intervals_ties_and_signatures_are_shown(reports: list[Report]) -> None:
    text = page(reports)
    shown = " ".join(read(text).words)
    assert "99.50" in shown
    assert "25.00" in shown
    assert "Mean reciprocal rank (MRR)" in shown
    assert "50.00" in shown  # MRR of the poor system
    assert "one family" in shown
    assert "rank 1, tied" in shown
    assert "rank 3" in shown
    assert str(reports[0].signature) in shown
    assert "run good" in shown
    assert "a lot" in shown
    assert "not stated" in shown
    assert text.count('class="tie"') == 2
    assert "It is stretched towards 100." in shown


def test_a_heat_cell_is_shaded_by_its_errors_and_says_its_number(reports: list[Report]) -> None:
    text = page(reports)
    assert '<td class="e40">0.0</td>' in text
    assert '<td class="e0">100.0</td>' in text
    assert ".e40{--e:1}" in text


def test_the_same_reports_give_the_same_bytes(reports: list[Report]) -> None:
    assert page(reports, seed=3) == page(list(reports), seed=3)


def test_names_and_messages_from_files_are_escaped(make_report: MakeReport) -> None:
    evil = "<script>alert(1)</script>"
    problem = Problem(rule="odd", message=evil, place=evil, advice=evil)
    text = page([make_report(evil, test_set=evil, seen=evil, problems=(problem,), commands=[evil])], title=evil)
    assert evil not in text
    assert "&lt;script&gt;" in text
    read(text)


def test_one_report_has_no_rank_and_no_comparison(make_report: MakeReport) -> None:
    text = page([make_report("only", wrong=5)])
    read(text)
    assert 'class="badge' not in text
    assert "Are the differences real?" not in text
    assert "None: every result file passed the check." in text


def test_a_system_that_skipped_a_set_is_shown_without_a_mean(make_report: MakeReport) -> None:
    text = page([make_report("a"), make_report("a", test_set="two"), make_report("b", wrong=3)])
    assert "scored on 1 of 2 test sets, so no mean" in text


def test_several_tasks_and_variants_have_their_own_parts(make_report: MakeReport) -> None:
    text = page([make_report("a"), make_report("a", variant="official")])
    assert 'href="#board2"' in text
    assert "scored by the “official” rules" in text


def test_commands_given_come_first_and_once(make_report: MakeReport) -> None:
    text = page([make_report("a", commands=["second", "first"])], commands=["first"])
    assert "first\nsecond</pre>" in text


def test_the_page_is_written_whole_or_not_at_all(make_report: MakeReport, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "report.html"
    write_page(target, [make_report("a")], title="Ours")
    assert "<h1>Ours</h1>" in target.read_text(encoding="utf-8")
    with pytest.raises(StorageError, match="it is a folder"):
        write_page(tmp_path, [make_report("a")])


def test_only_fractions_are_said_to_be_in_percent(make_report: MakeReport) -> None:
    report = make_report("a", wrong=20, slices=True)
    assert ", in percent, with the 95 %" in page([report])
    plain = msgspec.structs.replace(
        report, scores=tuple(msgspec.structs.replace(one, percent=False) for one in report.scores)
    )
    text = page([plain])
    assert ", as it is, with the 95 %" in text
    assert "The axis runs from 0.0000 to 1.0000." in text


def test_a_board_says_how_its_axis_runs_and_sets_names_apart(make_report: MakeReport) -> None:
    reports = [make_report("good", seen="a lot"), make_report("poor", wrong=90)]
    text = leaderboard_page(rank_all(reports, resamples=100), title="x")
    read(text)
    assert '<th scope="row">good <small><span class="en" lang="en">Saw in training:</span>' in text
    assert "The axis runs from 0 to 100 %." in text
    assert "Equal lengths are not equal differences" in text
    assert "等长并不代表等差" in text


def test_parts_with_few_items_are_folded(make_report: MakeReport) -> None:
    large, small = page([make_report("a", n=100, slices=True)]), page([make_report("a", n=30, slices=True)])
    assert "Parts with fewer than 20 items" not in large
    assert "<details open>\n        <summary>" in small  # nothing else is there to be seen
    report = make_report("a", n=100, slices=True)
    first, second = report.slices
    mixed = page([msgspec.structs.replace(report, slices=(first, msgspec.structs.replace(second, n=19)))])
    folded = mixed.partition("Parts with fewer than 20 items")[2].partition("</details>")[0]
    assert (first.value in folded, second.value in folded) == (False, True)


def test_good_and_bad_dialogues_stand_in_the_open(make_report: MakeReport) -> None:
    def example(name: str, value: float) -> ErrorExample:
        return ErrorExample(
            id=name,
            value=value,
            history=(("user", "hi"), ("<b>", "x")),
            knowledge=(),
            more_knowledge=0,
            references=("a",),
            answer=("b",),
        )

    shown = ErrorExamples(
        tuple(example(f"good{number}", 1.0) for number in range(4)),
        tuple(example(f"bad{number}", 0.0) for number in range(4)),
    )
    text = page([make_report("a", wrong=3)], showcases={0: shown})
    read(text)
    opened = re.findall(r'<details class="example" open>\s*<summary><code>(\w+)</code>', text)
    assert opened == ["good0", "good1", "bad0", "bad1"]
    assert text.count('<details class="example">') == 4
    assert '<span class="zh" lang="zh-Hans">用户</span>' in text
    assert "<b>&lt;b&gt;</b> x" in text
    assert text.index("Good and bad dialogues") < text.index("Behind the scores")


def test_a_table_that_goes_on_beyond_the_screen_says_so(reports: list[Report]) -> None:
    text = page(reports)
    assert '<template id="more">' in text
    assert "表格未完" in text
    assert "frame.scrollWidth > frame.clientWidth" in text
    assert "linear-gradient" in text


def test_a_figure_behind_the_scores_is_in_percent_where_the_score_is(make_report: MakeReport) -> None:
    report = make_report("a", wrong=20)
    plain = msgspec.structs.replace(
        report, scores=tuple(msgspec.structs.replace(one, percent=False) for one in report.scores)
    )
    lost = msgspec.structs.replace(report, rank_by="charm")
    assert [Display("x", one, (), None).percent for one in (report, plain, lost)] == [True, False, True]


def test_a_board_shows_its_examples_in_its_order_and_its_axis_by_its_scores(make_report: MakeReport) -> None:
    reports = [make_report("fair", wrong=3), make_report("good"), make_report("poor", wrong=30)]

    def shown(name: str) -> ErrorExamples:
        one = ErrorExample(name, 1.0, (), (), 0, (), (f"said by {name}",))
        return ErrorExamples((one,), (one._replace(value=0.0),))

    showcases = {"fair": shown("fair"), "good": shown("good")}
    text = leaderboard_page(rank_all(reports, resamples=100), title="x", showcases=showcases)
    assert re.findall(r"<summary><code>(\w+)</code>", text) == ["good", "good", "fair", "fair"]
    assert "The axis runs from 60 to 100 %." in text
    alike = {name: one._replace(worst=one.best) for name, one in showcases.items()}
    text = leaderboard_page(rank_all(reports, resamples=100), title="x", showcases=alike)
    assert re.findall(r"<summary><code>(\w+)</code>", text) == ["good", "fair"]  # none is the worst where all are alike
    assert "Worst items" not in text
    assert "All items have the same " in text
    plain = [
        msgspec.structs.replace(one, scores=tuple(msgspec.structs.replace(s, percent=False) for s in one.scores))
        for one in reports
    ]
    text = leaderboard_page(rank_all(plain, resamples=100), title="x")
    assert "The axis runs from 0.0000 to 1.0000." in text


def test_the_score_that_ranks_is_the_first_of_a_board(reports: list[Report]) -> None:
    """Where it was the last of eleven, a phone showed a board without its reason."""
    board = rank_all(reports, resamples=100)
    last = board._replace(score_names=(*board.score_names[1:], board.score_names[0]))
    head, body = (leaderboard_page(last, title="x").partition("<thead>")[2].split("<tbody>"))[:2]
    assert board.rank_by == "p@1"
    assert head.index("(P@1)") < head.index("(P@2)") < head.index("(MRR)")
    first = {score.name: score.value for score in board.places[0].report.scores}["p@1"]
    assert re.findall(r"<td>\s*<b>([\d.]+)|<td>([\d.]+)", body)[0] in {
        (f"{first:.2%}"[:-1], ""),
        ("", f"{first:.2%}"[:-1]),
    }


def test_numbers_of_a_page_count_systems_test_sets_and_answers(reports: list[Report]) -> None:
    words = " ".join(" ".join(read(page(reports)).words).split())
    assert "Systems: 3. Test sets: 2. Scored answers: 1,200." in words


def test_a_difference_has_a_true_minus_sign(make_report: MakeReport) -> None:
    report = make_report("a", wrong=20)
    other = make_report("b", wrong=60)
    words = " ".join(read(page([report, other])).words)
    assert "+40.00" in words
    assert not re.search("\N{MINUS SIGN}[0-9]", words)
    turned = [with_lower_better(one) for one in (report, other)]
    formulas = [Errors()]
    words = " ".join(read(page(turned, formulas=lambda _: formulas)).words)
    assert "\N{MINUS SIGN}40.00" in words


def test_pages_say_which_external_data_were_seen_and_who_knew_the_truth(make_report: MakeReport) -> None:
    knew = Exposure(samples=100, samples_seen=90, files=("t.json",), examples=("1",))
    reports = [
        msgspec.structs.replace(
            make_report("open"), external=("films <b>",), meta={"test_set": "one", "track": "task B"}
        ),
        msgspec.structs.replace(make_report("closed", wrong=3), external=(), exposure=knew),
        make_report("mute", wrong=9),
    ]
    for text in (page(reports), leaderboard_page(rank_all(reports, resamples=100), title="x")):
        read(text)
        shown = " ".join(" ".join(read(text).words).split())
        assert "films <b> (task B)" in shown
        assert "外部数据" in text
        for told in ("not declared", "未声明", "none", "无"):
            assert told in shown
        assert shown.count("90.00 % of its samples were in the training data.") == 1
        assert "其 90.00 % 的样本训练时已见过" in shown


@pytest.mark.parametrize(("rank_by", "values"), [("p@5", ["100.00"] * 3), ("mrr", ["100.00", "98.00", "40.00"])])
def test_a_board_tells_its_tiers_and_the_score_that_ranks(
    make_report: MakeReport, rank_by: str, values: list[str]
) -> None:
    reports = [
        msgspec.structs.replace(make_report(name, wrong=wrong), rank_by=rank_by)
        for name, wrong in (("good", 0), ("fair", 3), ("poor", 90))
    ]
    text = leaderboard_page(rank_all(reports, resamples=500), title="x")
    assert re.findall(r'<span class="value">([^<]*)</span>', text) == values
    tiers = 1 if rank_by == "p@5" else 2
    assert f"Systems: 3, in {tiers} tiers by " in text


def test_what_stands_behind_the_scores_is_called_by_system_and_test_set(make_report: MakeReport) -> None:
    reports = [make_report("a", wrong=3), make_report("a", wrong=4), make_report("b", test_set=None)]
    names = re.findall(r"<details>\s*<summary>([^<]*)</summary>\s*<div class=.panels", page(reports))
    assert names == ["a, tst1", "a (2), tst1", "b"]


def test_a_template_is_compiled_once() -> None:
    """Each page compiled its own, which took ten times as long as to fill it."""
    assert template("curves.html.j2") is template("curves.html.j2")
