from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.spoken.formats.files import read_result
from duologue.challenges.spoken.scoring.checker import RULES, UNREADABLE, VARIANTS, check, examine
from duologue.challenges.spoken.scoring.scorer import score
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Answer, Example, Fact, Sample, Scoring, Submission
from duologue.knowledge.base import KnowledgeBase

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Problem

DATA = [
    Example(sample=Sample(id=name, dialogue_id=name), references=(Answer(text="好的。"),), source={"message": "好的。"})
    for name in ("1", "2")
]
GRAPH = KnowledgeBase(
    "kg.json",
    [
        Fact(subject="园", relation="门票", object="十元"),
        Fact(subject="园", relation="等级", object=70),
        Fact(subject="园", relation="别名", object=("小园", "大园")),
    ],
)


def attr(name: Any = "园", attribute: Any = "门票", value: Any = "十元") -> dict[str, Any]:
    return {"name": name, "attrname": attribute, "attrvalue": value}


FINE: dict[str, Any] = {"1": {"message": "十元。", "attrs": [attr()]}, "2": {"message": "好的。"}}


def packed(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def reply(**parts: Any) -> bytes:
    return packed({**FINE, "2": parts})


def with_attrs(*attrs: Any) -> bytes:
    return reply(message="好的。", attrs=list(attrs))


BROKEN: dict[str, bytes] = {
    "gzip-damaged": gzip.compress(packed(FINE))[:-9],
    "not-utf8": packed(FINE).replace("元".encode(), b"\xff"),
    "byte-order-mark": b"\xef\xbb\xbf" + packed(FINE),
    "not-json": packed(FINE)[:-1],
    "not-an-object": packed([FINE]),
    "key-repeated": packed(FINE)[:-1] + b', "1": {"message": "again"}}',
    "id-empty": packed({**FINE, "": {"message": "好的。"}}),
    "id-missing": packed({"1": FINE["1"]}),
    "id-unknown": packed({**FINE, "3": FINE["2"]}),
    "no-replies": packed({}),
    "item-not-object": packed({**FINE, "2": "好的。"}),
    "message-missing": reply(Message="好的。"),
    "message-type": reply(message=7),
    "message-empty": reply(message=" "),
    "half-character": packed(FINE).replace("好".encode(), b"\\ud800"),
    "key-unknown": reply(message="好的。", score=1),
    "attrs-type": reply(message="好的。", attrs={"name": "园"}),
    "attrs-empty": with_attrs(),
    "attr-not-object": with_attrs(["园", "门票", "十元"]),
    "attr-key-missing": with_attrs({"name": "园", "attrname": "门票"}),
    "attr-key-unknown": with_attrs({**attr(), "source": "kg"}),
    "name-type": with_attrs(attr(name=["园"])),
    "attrname-type": with_attrs(attr(attribute=None)),
    "attrvalue-type": with_attrs(attr(value={"text": "十元"})),
    "value-placeholder": with_attrs(attr(value="None")),
    "triple-repeated": with_attrs(attr(), attr()),
    "triple-unknown": with_attrs(attr(value="百元")),
}
"""One file per rule that breaks only that rule; the rule on the name of the file has a test of its own."""
ALSO = {"no-replies": {"id-missing"}, "id-empty": {"id-unknown"}, "value-placeholder": {"triple-unknown"}}
"""What else a file cannot but break."""


def submission_of(content: bytes, folder: Path, name: str = "result.json") -> Submission:
    path = folder / name
    path.write_bytes(content)
    return read_result(path)


def rules(problems: tuple[Problem, ...]) -> set[str]:
    return {problem.rule for problem in problems}


def test_every_rule_has_a_broken_file() -> None:
    assert set(BROKEN) == set(RULES) - {"file-name", "unpacked-size", "too-many-problems"}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_file_that_breaks_one_rule_breaks_only_that_rule(rule: str, tmp_path: Path) -> None:
    submission = submission_of(BROKEN[rule], tmp_path)
    found = check(submission, DATA, "strict", GRAPH)
    assert rules(found) - ALSO.get(rule, set()) == {rule}
    own = next(problem for problem in found if problem.rule == rule)
    assert own.severity == RULES[rule].strict
    assert own.message


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("rule", BROKEN)
def test_what_the_check_passes_is_scored_and_what_it_refuses_is_not(rule: str, variant: str, tmp_path: Path) -> None:
    submission = submission_of(BROKEN[rule], tmp_path)
    errors = {one.rule for one in check(submission, DATA, variant) if one.severity == "error"}
    how = Scoring(variant=variant, by=("triples",))
    if errors - {"id-missing"}:  # what a missing sample scores is defined
        with pytest.raises(FormatError) as caught:
            score(DATA, submission, how)
        assert errors <= rules(caught.value.problems)
        if not errors & UNREADABLE:
            assert score(DATA, submission, Scoring(variant=variant, by=("triples",), partial=True)).n == 2
    else:
        assert score(DATA, submission, how).n == 2


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_file_in_order_has_no_problems(variant: str, tmp_path: Path) -> None:
    assert check(submission_of(packed(FINE), tmp_path), DATA, variant, GRAPH) == ()


@pytest.mark.parametrize("name", ["mine.json", "results.json", "zz.json", "Result.json"])
def test_the_official_variant_demands_the_name_of_the_document(tmp_path: Path, name: str) -> None:
    submission = submission_of(packed(FINE), tmp_path, name)
    (problem,) = check(submission, DATA, "official")
    assert (problem.rule, problem.severity) == ("file-name", "warning")
    assert problem.message == f"the file is called '{name}'; the challenge demands result.json"
    assert check(submission, DATA, "strict") == ()


def test_problems_say_place_and_advice(tmp_path: Path) -> None:
    (problem,) = check(submission_of(BROKEN["message-missing"], tmp_path), DATA, "strict")
    assert problem.place == "/2"
    assert problem.advice == "rename 'Message' to 'message'"
    (problem,) = check(submission_of(BROKEN["attrname-type"], tmp_path), DATA, "strict")
    assert problem.place == "/2/attrs/0/attrname"
    assert "null" in problem.message


@pytest.mark.parametrize(
    ("triple", "says"),
    [
        (attr(name="山"), "no entity '山'"),
        (attr(attribute="地址"), "no attribute '地址'"),
        (attr(value="百元"), "another value"),
    ],
)
def test_a_triple_that_is_not_in_the_graph_is_named(triple: dict[str, Any], says: str, tmp_path: Path) -> None:
    submission = submission_of(with_attrs(triple), tmp_path)
    (problem,) = check(submission, DATA, "strict", GRAPH)
    assert says in problem.message
    assert check(submission, DATA, "strict") == ()


@pytest.mark.parametrize("value", ["70", 70])
def test_numbers_and_lists_are_found_in_the_graph_as_text(value: Any, tmp_path: Path) -> None:
    submission = submission_of(with_attrs(attr(attribute="等级", value=value)), tmp_path)
    assert check(submission, DATA, "strict", GRAPH) == ()
    submission = submission_of(with_attrs(attr(attribute="别名", value=["大园", "小园"])), tmp_path)
    assert check(submission, DATA, "strict", GRAPH) == ()


def test_very_many_problems_are_counted_and_refuse_nothing_by_their_number(tmp_path: Path) -> None:
    rows = {str(number): {"message": "好", "attrs": []} for number in range(1_050)}
    found = check(submission_of(packed(rows), tmp_path), None, "strict")
    assert len(found) == 1_001
    assert found[-1].message == "and 50 more problems, all warnings; 1,050 in all"
    assert {problem.severity for problem in found} == {"warning"}


def test_replies_without_an_error_can_be_used(tmp_path: Path) -> None:
    findings = examine(submission_of(BROKEN["attrs-type"], tmp_path), DATA, "strict")
    assert list(findings.replies) == ["1"]
    assert [problem.rule for problem in findings.errors] == ["attrs-type"]


def test_rows_made_in_memory_are_checked_too() -> None:
    assert check(Submission(rows=FINE, layout="x"), DATA, "strict") == ()
    assert rules(check(Submission(rows=7, layout="x"), DATA, "strict")) == {"not-an-object"}


def test_an_unknown_variant_is_named() -> None:
    with pytest.raises(UsageError, match="did you mean 'strict'"):
        check(Submission(rows={}, layout="x"), None, "strikt")
