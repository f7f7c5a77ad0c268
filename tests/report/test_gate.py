from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.report import compare
from duologue.report.gate import gate

if TYPE_CHECKING:
    from tests.report.conftest import MakeReport


def test_a_gate_is_closed_for_what_is_shown_to_be_worse_alone(make_report: MakeReport) -> None:
    best, good, bad = (make_report(str(wrong), wrong=wrong) for wrong in (0, 1, 40))
    closed = gate(compare(good, bad), "p@1")
    assert not closed.passed
    assert closed.reason.startswith("B (40) is worse than A (1); B - A in p@1: -39.00 points, p adj. ")
    assert gate(compare(bad, good), "p@1").reason.startswith("B (1) is better than A (40); B - A in p@1: +39.00 points")
    same = gate(compare(best, good), "p@1")
    assert same.passed
    assert "is not shown to be worse" in same.reason


def test_what_could_not_be_tested_passes_no_gate(make_report: MakeReport) -> None:
    found = compare(make_report("a"), make_report("b"))
    assert not gate(found, "bleu").passed
    assert "could not be tested" in gate([], "p@1").reason


def test_nor_does_a_score_without_a_value(make_report: MakeReport) -> None:
    (one, *_) = compare(make_report("a"), make_report("b"))
    broken = one._replace(tested=one.tested._replace(p=float("nan")))
    assert not gate([broken], one.tested.name).passed


def test_a_gate_tells_the_figures_of_the_score_that_ranks_wherever_it_stands(make_report: MakeReport) -> None:
    found = compare(make_report("good", wrong=1), make_report("bad", wrong=40))
    assert "; B - A in p@5: 0.00 points, p adj. 1, n 100" in gate(found, "p@5").reason
    assert "; B - A in mrr: -26.00 points, p adj. <0.0001, n 100" in gate(found, "mrr").reason
    plain = [one._replace(percent=False) for one in found]
    assert "; B - A in mrr: -0.2600, p adj. <0.0001, n 100" in gate(plain, "mrr").reason
