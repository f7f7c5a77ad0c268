"""Reports and comparisons in the terminal, compared as text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import msgspec
import pytest
from rich.console import Console, RenderableType

from duologue.core.records import Exposure, Problem
from duologue.metrics.rank import PrecisionAt
from duologue.report import (
    compare,
    compare_all,
    rank_all,
    render,
    render_comparisons,
    render_external,
    render_gaps,
    render_leaderboard,
    render_test_sets,
    render_whole,
)
from duologue.report.comparison import Gap, WinLoss, widest_gaps

if TYPE_CHECKING:
    from duologue.core.records import Report, Score
    from tests.report.conftest import MakeReport

PAIR = """\
A = a, B = b; tst1, 100 items
score    A %    B %  A - B    95 % interval       p  p adj. better
──────────────────────────────────────────────────────────────────
p@1    98.00  40.00 +58.00 +47.44 to +68.56 <0.0001 <0.0001 A
p@2    98.00  40.00 +58.00 +47.44 to +68.56 <0.0001 <0.0001 A
p@5   100.00 100.00   0.00     0.00 to 0.00       1       1 tie
mrr    98.67  60.00 +38.67 +31.63 to +45.71 <0.0001 <0.0001 A
Items on which A is better/worse/equal: p@1 58/0/42, p@2 58/0/42, p@5 0/0/100,
mrr 58/0/42.
True differences that are found here with a chance of 80 %: p@1 14.73, p@2
14.73, mrr 9.82.
Family: one pair of systems on p@1, which ranks; 10,000 random swaps of whole
dialogues.
Family: one pair of systems on 3 scores beside that which ranks; 10,000 random
swaps of whole dialogues.
p: paired approximate randomisation. p adj.: corrected over its family
(step-down maximum statistic). Better: p adj. below 0.05. A tie means that no
difference is shown, not that there is none.
"""
PAIRS = """\
one, 100 items
 A   B   score    A - B      95 % interval         p    p adj.   better
────────────────────────────────────────────────────────────────────────
 a   b   p@1     +30.00   +20.69 to +39.31   <0.0001   <0.0001   A
 a   c   p@1     +31.00   +21.61 to +40.39   <0.0001   <0.0001   A
 b   c   p@1      +1.00     -0.97 to +2.97         1         1   tie
two, 100 items
 A   B   score    A - B      95 % interval         p    p adj.   better
────────────────────────────────────────────────────────────────────────
 a   b   p@1     +30.00   +20.69 to +39.31   <0.0001   <0.0001   A
 a   c   p@1     +31.00   +21.61 to +40.39   <0.0001   <0.0001   A
 b   c   p@1      +1.00     -0.97 to +2.97         1         1   tie
Family: all 3 pairs of systems on p@1, which ranks; 10,000 random swaps of whole dialogues.
"""
WHOLE = """\
toy (strict), a: 3 files
external data: wiki (open)
 test set     n    p@1 %     95 % interval    p@2 %    p@5 %    mrr %
──────────────────────────────────────────────────────────────────────
 t1          50    80.00    67.19 to 88.99    80.00   100.00    86.67
 t1          40    50.00    35.08 to 64.92    50.00   100.00    66.67
 t2          30   100.00   90.34 to 100.00   100.00   100.00   100.00
 t1          90    66.67    56.47 to 75.65    66.67   100.00    77.78
 t2          30   100.00   90.34 to 100.00   100.00   100.00   100.00
 all        120    75.00    66.64 to 81.99    75.00   100.00    83.33
error: row 0: odd [r0]
warning: odd [r1]
"""
BOARD = """\
toy (strict), tst1, 100 items
 tier    ranks   system   p@1 %    95 % interval   external data   p@2 %    p@5 %   mrr %
──────────────────────────────────────────────────────────────────────────────────────────
    1   1 to 2   a        90.00   82.78 to 94.61   not declared    90.00   100.00   93.33
    1   1 to 2   b        88.00   80.38 to 93.14   not declared    88.00   100.00   92.00
    2        3   c        20.00   13.21 to 28.76   not declared    20.00   100.00   46.67
Within a tier no system is shown to be worse than its first (5 % over the family: all 3 pairs of
systems on p@1, which ranks). Ranks: what the tests leave open.
A true difference of 8.42 points from the first in p@1 is found with a chance of 80 %.
warning: all of it
d: scored on other items, not compared
x.json: refused (3 problems): line 1
"""


def shown(renderable: RenderableType, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_names_of_scores_are_not_cut_where_the_last_column_can_be_wrapped(make_report: MakeReport) -> None:
    report = make_report(wrong=20)
    name = "words-per-agent-utterance"
    first = msgspec.structs.replace(report.scores[0], name=name, value=96.4, low=66.7, high=126.1, percent=False)
    named = msgspec.structs.replace(report, rank_by=name, scores=(first, *report.scores[1:]))
    assert f"│ {name} │" in shown(render(named), width=80)


def test_a_report_says_scores_intervals_and_signature_without_colour(make_report: MakeReport) -> None:
    text = shown(render(make_report("parrot", wrong=20, seen="its cage")))
    assert "toy (strict), 100 items, system parrot" in text
    assert "data seen in training: its cage" in text
    row = next(line for line in text.splitlines() if "│ p@1" in line)
    assert row.split() == ["│", "p@1", "│", "80.00", "│", "71.24", "to", "86.79", "│", "ranks", "systems", "│"]
    assert "p@1 = hit@1 / items, p@2" in text
    perfect = next(line for line in text.splitlines() if "│ p@5" in line)
    assert "96.91 to 100.00" in perfect
    assert "n 100 | 100 dialogues | jackknife 2" in " ".join(text.split())


def test_what_was_seen_of_the_truth_is_told_where_it_is_known(make_report: MakeReport) -> None:
    unknown = make_report("parrot")
    assert "seen in training" not in shown(render(unknown))
    seen = msgspec.structs.replace(unknown, exposure=Exposure(samples=80, samples_seen=20))
    assert "\ntruth seen in training: 25.00 % of 80 samples (context and reply; 0.00 % to be expected)\n" in shown(
        render(seen)
    )


def test_slices_have_their_own_table(make_report: MakeReport) -> None:
    text = shown(render(make_report(wrong=20, slices=True)))
    assert "by answer-type" in text
    lines = [line for line in text.splitlines() if "api_call" in line]
    assert len(lines) == 1
    assert "50" in lines[0]
    assert "60.00" in lines[0]


def test_a_cut_begins_with_the_score_that_ranks_and_its_interval(make_report: MakeReport) -> None:
    text = shown(render(make_report(wrong=20, slices=True)), width=60)
    heading = next(line for line in text.splitlines() if "by answer-type" in line)
    assert heading.index("p@1 %") < heading.index("95 % interval")
    assert "No room for" in text


def test_problems_are_listed_and_the_rest_is_counted(make_report: MakeReport) -> None:
    problems = tuple(Problem(rule=f"rule-{number}", place=f"row {number}", message="odd") for number in range(25))
    text = shown(render(make_report(problems=problems)))
    assert "error: row 0: odd [rule-0]" in text
    assert "rule-20" not in text
    assert "... and 5 more problems" in text


def test_scores_that_were_not_computed_are_named(make_report: MakeReport) -> None:
    report = make_report("a")
    assert "not computed" not in shown(render(report))
    left_out = msgspec.structs.replace(report, meta={**report.meta, "not computed": "METEOR (install [it])"})
    assert "not computed: METEOR (install [it])" in shown(render(left_out))


def test_markup_in_names_is_text(make_report: MakeReport) -> None:
    text = shown(render_comparisons(compare(make_report("[red]a[/red]"), make_report("b", wrong=30))))
    assert "A = [red]a[/red], B = b; tst1, 100 items" in text


def test_one_pair_is_named_once_with_both_p_values(make_report: MakeReport) -> None:
    text = shown(render_comparisons(compare(make_report("a"), make_report("b", wrong=30))))
    row = next(line for line in text.splitlines() if line.strip().startswith("p@1"))
    assert row.split()[:4] == ["p@1", "100.00", "70.00", "+30.00"]
    assert row.split()[-1] == "A"
    assert next(line for line in text.splitlines() if line.strip().startswith("p@5")).split()[-1] == "tie"
    told = " ".join(text.split())
    assert "Family: one pair of systems on p@1, which ranks; 10,000 random swaps" in told
    assert "Family: one pair of systems on 3 scores beside that which ranks" in told
    assert "True differences that are found here with a chance of 80 %: p@1" in told
    assert "Items on which A is better/worse/equal: p@1 30/0/70, " in told


def test_what_has_no_value_is_not_tested(make_report: MakeReport) -> None:
    empty = make_report("b")
    nothing = tuple((name, (0.0,) * len(counts)) for name, counts in empty.items)
    text = shown(render_comparisons(compare(make_report("a"), msgspec.structs.replace(empty, items=nothing))))
    row = next(line for line in text.splitlines() if line.strip().startswith("p@1"))
    assert row.split()[-2:] == ["not", "tested"]
    assert "nan" not in text


def test_only_fractions_stand_under_a_sign_of_percent(make_report: MakeReport) -> None:
    found = compare(make_report("a"), make_report("b", wrong=30))
    others = [one._replace(percent=False) for one in found]
    mixed = [others[0], *found[1:]]
    headings = [shown(render_comparisons(one)).splitlines()[1].split() for one in (found, others, mixed)]
    assert [one[:5] for one in headings] == [
        ["score", "A", "%", "B", "%"], ["score", "A", "B", "A", "-"], ["score", "A", "B", "A", "-"],
    ]  # fmt: skip
    rows = [line.split()[:3] for line in shown(render_comparisons(mixed)).splitlines()[3:5]]
    assert rows == [["p@1", "1.0000", "0.7000"], ["p@2", "%", "100.00"]]
    report = make_report()
    points = msgspec.structs.replace(
        report, scores=tuple(msgspec.structs.replace(one, percent=False) for one in report.scores)
    )
    of_scores = [next(line for line in shown(render(one)).splitlines() if "score" in line) for one in (report, points)]
    assert [one.split("┃")[2].strip() for one in of_scores] == ["%", "value"]


def test_several_pairs_are_named_in_their_rows(make_report: MakeReport) -> None:
    found = compare_all({"one": [make_report("a"), make_report("b", wrong=30), make_report("c", wrong=31)]})
    text = shown(render_comparisons(found))
    assert "one, 100 items" in text
    lines = [line.split() for line in text.splitlines() if " p@1 " in line]
    assert [line[:2] + line[-1:] for line in lines] == [["a", "b", "A"], ["a", "c", "A"], ["b", "c", "tie"]]
    counted = [one._replace(win_loss=WinLoss(30, 0, 70)) for one in found]
    assert shown(render_comparisons(counted)) == text  # A and B are one pair there, and none here


def test_no_comparisons_are_an_empty_table() -> None:
    assert "Family" not in " ".join(shown(render_comparisons(())).split())


def test_one_pair_fits_80_columns_uncut(make_report: MakeReport) -> None:
    found = render_comparisons(compare(make_report("a", wrong=2), make_report("b", wrong=60)))
    assert "…" not in shown(found, width=80)


def test_of_a_whole_submission_the_score_that_ranks_stands_first_and_once(make_report: MakeReport) -> None:
    files = [make_report("a", test_set=name) for name in ("t1", "t2")]
    text = shown(render_whole(files, files, files[0]))
    head = next(line for line in text.splitlines() if files[0].rank_by in line)
    columns = head.split()
    assert columns.count(files[0].rank_by) == 1
    assert [name for name in columns if name in {score.name for score in files[0].scores}] == [
        files[0].rank_by,
        *(score.name for score in files[0].scores if score.name != files[0].rank_by),
    ]


def lines(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_a_pair_is_printed_with_heads_figures_and_what_they_mean(make_report: MakeReport) -> None:
    found = compare(make_report("a", wrong=2), make_report("b", wrong=60))
    assert lines(shown(render_comparisons(found), width=80)) == PAIR


def test_what_is_swapped_is_said_as_it_is_where_dialogues_are_not_known(make_report: MakeReport) -> None:
    found = compare(make_report("a", wrong=2, dialogues=False), make_report("b", wrong=60, dialogues=False))
    said = " ".join(shown(render_comparisons(found)).split())
    assert "random swaps of single items." in said
    assert "whole dialogues" not in said


def test_several_pairs_are_printed_by_test_set(make_report: MakeReport) -> None:
    systems = (("a", 0), ("b", 30), ("c", 31))
    sets = {name: [make_report(one, wrong=wrong, test_set=name) for one, wrong in systems] for name in ("one", "two")}
    assert lines(shown(render_comparisons(compare_all(sets)))).startswith(PAIRS)
    apart = [one._replace(test_set="".join(list(one.test_set))) for one in compare_all(sets)]  # as from files
    assert lines(shown(render_comparisons(apart))).startswith(PAIRS)
    unnamed = compare_all({"": [make_report("a", test_set=None), make_report("b", wrong=30, test_set=None)]})
    assert "A = a, B = b; same items, 100 items" in shown(render_comparisons(unnamed))


def test_what_is_no_fraction_is_compared_as_it_is(make_report: MakeReport) -> None:
    found = compare(make_report("a", wrong=2), make_report("b", wrong=60))[:1]
    small = [one._replace(percent=False, tested=one.tested._replace(detectable=0.5)) for one in found]
    text = lines(shown(render_comparisons(small), width=80))
    assert "p@1   0.9800 0.4000 +0.5800 +0.4744 to +0.6856 <0.0001 <0.0001 A\n" in text
    assert "with a chance of 80 %: p@1 0.5000.\n" in text


def test_a_difference_that_no_test_could_find_is_not_told(make_report: MakeReport) -> None:
    found = compare(make_report("a", wrong=2), make_report("b", wrong=60))
    for least in (0.0, float("inf"), float("nan")):
        tested = [one._replace(tested=one.tested._replace(detectable=least)) for one in found]
        assert "True differences" not in shown(render_comparisons(tested))


def test_long_names_are_folded_and_the_figures_stand_whole(make_report: MakeReport) -> None:
    reports = [make_report(letter * 30, wrong=wrong) for letter, wrong in (("a", 0), ("b", 30), ("c", 31))]
    text = shown(render_comparisons(compare_all({"one": reports})), width=80)
    assert "…" not in text
    assert "A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; B: bbbb" in shown(
        render_comparisons(compare_all({"one": reports})), width=74
    )
    assert sum("p@1     +30.00   +20.69 to +39.31   <0.0001   <0.0001   A" in line for line in text.splitlines()) == 1


LONG = [f"answers-that-name-the-values-{end}" for end in ("one", "two", "six")]
"""Names of scores that differ in what is folded away first."""


@pytest.mark.parametrize("width", [60, 80])
def test_names_of_scores_are_folded_and_never_cut_or_alike(make_report: MakeReport, width: int) -> None:
    """At 60 columns the table of scores lost its edge and its intervals were broken; a comparison lost its table."""

    def named(report: Report) -> Report:
        names = dict(zip((score.name for score in report.scores), LONG, strict=False))

        def renamed(scores: tuple[Score, ...]) -> tuple[Score, ...]:
            return tuple(msgspec.structs.replace(one, name=names.get(one.name, one.name)) for one in scores)

        cuts = tuple(msgspec.structs.replace(cut, scores=renamed(cut.scores)) for cut in report.slices)
        return msgspec.structs.replace(report, scores=renamed(report.scores), rank_by=LONG[0], slices=cuts)

    report = named(make_report("a", wrong=20, slices=True))
    text = shown(render(report), width)
    table = [line for line in text.splitlines() if line[:1] in "┏┃┡│└"]
    assert {len(line) for line in table if line[:1] in "┏┡└"} <= set(range(width + 1))
    assert all(line[-1] in "┓┃┩│┘" for line in table)
    squeezed = "".join(cell.strip() for line in table for cell in line.split("│")[1:2])
    assert all(name in squeezed for name in LONG)
    assert "93.99 to 100.00" in text
    tested = [
        one._replace(tested=one.tested._replace(name=name))
        for one, name in zip(compare(make_report("a"), make_report("b", wrong=30)), LONG, strict=False)
    ]
    lines = shown(render_comparisons(tested), width).splitlines()
    heads = [line for line in lines if line.startswith("score")]
    assert heads[0].split()[:3] == ["score", "A", "%"] if width == 80 else heads[0].startswith(f"score: {LONG[0]}; A %")


def test_a_board_folds_no_word_into_shreds(make_report: MakeReport) -> None:
    text = shown(render_leaderboard(rank_all([make_report("alpha"), make_report("beta", wrong=30)])), width=60)
    assert "system: alpha; " in text
    assert "external data: not declared" in " ".join(text.split())


def test_a_whole_submission_has_a_row_for_each_file_test_set_and_the_total(make_report: MakeReport) -> None:
    parts = (("t1", 10, 50), ("t1", 20, 40), ("t2", 0, 30))
    files = [make_report("a", wrong=wrong, test_set=name, n=n) for name, wrong, n in parts]
    sets = [make_report("a", wrong=30, test_set="t1", n=90), files[2]]
    problems = tuple(
        Problem(
            rule=f"r{number}",
            severity="warning" if number % 2 else "error",
            place="" if number == 1 else f"row {number}",
            message="odd",
        )
        for number in range(22)
    )
    total = msgspec.structs.replace(
        make_report("a", wrong=30, n=120),
        external=("wiki",),
        meta={"test_set": "all", "track": "open"},
        problems=problems,
    )
    text = lines(shown(render_whole(files, sets, total), width=80))
    assert text.startswith(WHOLE)
    assert "[r19]\n... and 2 more problems\np@1 = hit@1" in text
    twenty = msgspec.structs.replace(total, problems=problems[:20])
    assert "more problems" not in shown(render_whole(files, sets, twenty))


def test_of_one_file_there_is_one_row(make_report: MakeReport) -> None:
    one = make_report("a", wrong=10, n=50, test_set="t1")
    text = shown(render_whole([one], [one], one))
    assert [line.split()[:3] for line in text.splitlines() if " t1 " in line] == [["t1", "50", "80.00"]]
    assert "more problem" not in text
    two = [one, make_report("a", n=30, test_set="t2")]
    names = [line.split()[0] for line in shown(render_whole(two, two, one)).splitlines() if " to " in line]
    assert names == ["t1", "t2", "t1"]  # files that are test sets of their own stand once, then the total


def test_systems_stand_by_test_set_in_the_order_asked_for(make_report: MakeReport) -> None:
    first = [make_report("a", wrong=10), make_report("b", wrong=30)]
    second = [make_report("b", wrong=1, test_set="tst2"), make_report("a", test_set="tst2")]
    text = lines(shown(render_test_sets([first, second], ["b", "a"])))
    assert text.splitlines() == [
        " system   tst1 p@1 %   tst2 p@1 %",
        "─" * 34,
        " b             70.00        99.00",
        " a             90.00       100.00",
    ]


def test_external_data_are_told_by_system(make_report: MakeReport) -> None:
    reports = [
        make_report("a"),
        msgspec.structs.replace(make_report("a"), external=("wiki",), meta={"track": "open"}),
        msgspec.structs.replace(make_report("b"), external=()),
    ]
    assert shown(render_external(reports)) == "External data: a: not declared; a (2): wiki (open); b: none.\n"


def test_items_that_differ_most_are_printed_with_both_scores(make_report: MakeReport) -> None:
    gaps = widest_gaps(make_report("a", wrong=1), make_report("b", wrong=2), PrecisionAt(1))
    assert lines(shown(render_gaps("p@1", gaps))).splitlines() == [
        "Items that differ most in p@1, in %",
        " item             A      B     A - B",
        "─" * 37,
        " tst1/0001   100.00   0.00   +100.00",
    ]
    assert lines(shown(render_gaps("p@1", gaps), width=34)).splitlines()[4:] == [
        " tst1/0   100.00   0.00   +100.00",
        " 001",
    ]


def test_items_that_differ_in_a_score_that_is_no_fraction_are_not_in_percent() -> None:
    """A total of 3 was printed as 300.00, in %."""
    assert lines(shown(render_gaps("total", [Gap("1", 2.5, 0.25)], of_one=False))).splitlines() == [
        "Items that differ most in total",
        " item        A        B     A - B",
        "─" * 34,
        " 1      2.5000   0.2500   +2.2500",
    ]


def test_a_leaderboard_is_printed_with_tiers_ranks_and_warnings(make_report: MakeReport) -> None:
    warned = make_report(
        "c", wrong=80, problems=(Problem(rule="seen-in-training", severity="warning", message="all of it"),)
    )
    other = Problem(rule="another", severity="warning", message="never told here")
    reports = [make_report("a", wrong=10, problems=(other,)), make_report("b", wrong=12), warned]
    found = rank_all([*reports, make_report("d", ids="xyz")], refused=[("x.json", 3, "line 1")])
    assert lines(shown(render_leaderboard(found))) == BOARD
    alone = shown(render_leaderboard(rank_all([make_report("a", wrong=10)])))
    assert "(5 % over the family: no pair)" in alone
    assert "A true difference" not in alone


def test_names_and_external_data_stand_at_the_left_of_their_columns(make_report: MakeReport) -> None:
    reports = [
        msgspec.structs.replace(make_report("a", wrong=10), external=("sgd", "words")),
        msgspec.structs.replace(make_report("longer", wrong=12), external=()),
    ]
    board = lines(shown(render_leaderboard(rank_all(reports)))).splitlines()
    for words in (("system", "a", "longer"), ("external data", "sgd, words", "none")):
        rows = [next(line for line in board if f" {word} " in line) for word in words]
        assert len({line.index(f" {word} ") for word, line in zip(words, rows, strict=True)}) == 1
    assert lines(shown(render_test_sets([reports], ["longer", "a"]))).splitlines()[2:] == [
        " longer        88.00",
        " a             90.00",
    ]


def test_a_score_that_is_no_fraction_has_no_sign_of_percent(make_report: MakeReport) -> None:
    report = make_report("a", wrong=20, slices=True)
    mrr = msgspec.structs.replace(report.scores[-1], percent=False)
    cuts = tuple(msgspec.structs.replace(one, scores=(*one.scores[:-1], mrr)) for one in report.slices)
    text = shown(render(msgspec.structs.replace(report, scores=(*report.scores[:-1], mrr), slices=cuts)))
    row = next(line for line in text.splitlines() if "│ mrr" in line)
    assert [cell.strip() for cell in row.split("│")[1:-1]] == ["mrr", "0.8667", "0.8031 to 0.9120", "not in %"]
    heading = next(line for line in text.splitlines() if "by answer-type" in line)
    assert [cell.strip() for cell in heading.split("┃")[-3:-1]] == ["p@5 %", "mrr"]


def test_a_part_that_lacks_a_score_has_a_dash(make_report: MakeReport) -> None:
    report = make_report("a", wrong=20, slices=True)
    first, second = report.slices
    first = msgspec.structs.replace(first, scores=first.scores[1:3])
    second = msgspec.structs.replace(second, scores=second.scores[:3])
    text = shown(render(msgspec.structs.replace(report, slices=(first, second))))
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if "│ 50 │" in line]
    assert cells == [
        ["api_call", "50", "–", "", "60.00", "100.00"],
        ["question", "50", "100.00", "93.99 to 100.00", "100.00", "100.00"],
    ]
    assert "mrr" not in next(line for line in text.splitlines() if "by answer-type" in line)


def test_every_cut_has_its_own_parts(make_report: MakeReport) -> None:
    report = make_report("a", wrong=20, slices=True)
    first, second = report.slices
    more = [
        msgspec.structs.replace(part, by=by, value=value)
        for by, value in (("mood", "sad"), ("age", "old"))
        for part in (first, second)
    ]
    text = shown(render(msgspec.structs.replace(report, slices=(first, second, *more))))
    values = [line.split("│")[1].strip() for line in text.splitlines() if "│ 50 │" in line]
    assert values == ["api_call", "question", "sad", "sad", "old", "old"]
    assert [text.count(f"by {by} ") for by in ("answer-type", "mood", "age")] == [1, 1, 1]


def test_twenty_problems_are_told_and_no_more_is_counted(make_report: MakeReport) -> None:
    problems = tuple(Problem(rule=f"rule-{number}", message="odd") for number in range(20))
    text = shown(render(make_report(problems=problems)))
    assert "error: odd [rule-19]" in text
    assert "more problems" not in text


@pytest.mark.parametrize("rank_by", ["p@1", "p@2", "mrr"])
def test_one_score_alone_is_said_to_rank(make_report: MakeReport, rank_by: str) -> None:
    report = msgspec.structs.replace(make_report("a", wrong=20, slices=True), rank_by=rank_by)
    text = shown(render(report))
    assert [line.split()[1] for line in text.splitlines() if "ranks systems" in line] == [rank_by]
    heading = next(line for line in text.splitlines() if "by answer-type" in line)
    heads = [cell.strip() for cell in heading.split("┃")[3:-1]]
    assert heads[:2] == [f"{rank_by} %", "95 % interval"]
    assert sorted(heads[2:]) == sorted(f"{one.name} %" for one in report.scores if one.name != rank_by)
    alone = [msgspec.structs.replace(one, rank_by=rank_by) for one in (make_report("a"), make_report("b", wrong=3))]
    others = [f"{one.name} %" for one in report.scores if one.name != rank_by]
    for table in (shown(render_whole(alone[:1], alone[:1], alone[0])), shown(render_leaderboard(rank_all(alone)))):
        head = " ".join(next(line for line in table.splitlines() if "95 % interval" in line).split())
        assert f" {rank_by} % 95 % interval " in head
        assert head.endswith(" ".join(others))
    sets = shown(render_test_sets([alone], ["a", "b"]))
    score = next(one for one in alone[1].scores if one.name == rank_by)
    assert f" {100 * score.value:.2f}" in sets.splitlines()[-1]


@pytest.mark.parametrize("rank_by", ["p@1", "p@5"])
def test_the_row_of_the_score_that_ranks_alone_is_bold(make_report: MakeReport, rank_by: str) -> None:
    console = Console(file=io.StringIO(), width=100, force_terminal=True, color_system="standard")
    console.print(render(msgspec.structs.replace(make_report("a", wrong=20), rank_by=rank_by)))
    assert isinstance(console.file, io.StringIO)
    rows = [line for line in console.file.getvalue().splitlines() if "│" in line]
    assert [name for row in rows for name in ("p@1", "p@2", "p@5", "mrr") if f"\x1b[1m{name}" in row] == [rank_by]


def test_names_of_parts_stand_at_the_left(make_report: MakeReport) -> None:
    report = make_report("a", wrong=20, slices=True)
    first, second = report.slices
    text = shown(render(msgspec.structs.replace(report, slices=(msgspec.structs.replace(first, value="no"), second))))
    assert [line[:18] for line in text.splitlines() if "│ 50 │" in line] == ["│ no             │", "│ question       │"]


def test_names_of_scores_are_never_parted_in_a_comparison(make_report: MakeReport) -> None:
    found = compare(make_report("a", wrong=2), make_report("b", wrong=60))[:1]
    name = "turns per call"
    named = [one._replace(tested=one.tested._replace(name=name)) for one in found]
    wide, narrow = (shown(render_comparisons(named), width=width).splitlines() for width in (80, 70))
    assert wide[3].rstrip() == f"{name} 98.00 40.00 +58.00 +47.44 to +68.56 <0.0001 <0.0001 A"
    assert narrow[1].startswith(f"score: {name}; A %: 98.00; B %: 40.00; A - B: +58.00; ")


def test_a_long_name_stands_whole_up_to_what_is_promised(make_report: MakeReport) -> None:
    report, name = make_report(wrong=20), "n" * 32
    first = msgspec.structs.replace(report.scores[0], name=name, percent=False)
    named = msgspec.structs.replace(report, rank_by=name, scores=(first, *report.scores[1:]))
    assert f"│ {name} │ 0.8000 │" in shown(render(named), 74)
