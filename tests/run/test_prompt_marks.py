from __future__ import annotations

from tests.run.test_usage import Metered, Silent

from duologue.core.records import Report, Score, Signature, Slice
from duologue.run.prompt_marks import marks_of, one_line, with_prompts


def test_marks_are_those_of_partners_that_ask_with_a_prompt() -> None:
    assert marks_of(system=Metered(), user=Silent()) == {"system": "toy en v1 0a1b2c3d"}
    assert marks_of(system=Silent(), user=None) == {}


def test_a_mark_is_one_part_of_a_signature_whoever_wrote_it() -> None:
    assert one_line(" toy |\n en ") == "toy en"
    assert len(one_line("x" * 1000)) == 200
    assert one_line(["toy"]) == ""


def test_all_signatures_of_a_report_have_the_marks() -> None:
    signature = Signature(task="toy", variant="strict", n=2, hashes={"gold": "0123456789"})
    score = Score(name="p", value=0.5, signature=signature)
    report = Report(
        task="toy", variant="strict", n=2, scores=(score,), rank_by="p", signature=signature,
        slices=(Slice(by="domain", value="a", n=1, scores=(score,)),),
    )  # fmt: skip
    marked = with_prompts(report, {"user": "u v1", "system": "s v2"})
    told = "toy | strict | n 2 | system prompt s v2 | user prompt u v1 | gold 01234567"
    signatures = [marked.signature, marked.scores[0].signature, marked.slices[0].scores[0].signature]
    assert [str(one) for one in signatures] == [told] * 3
    assert with_prompts(marked, {}) == report
