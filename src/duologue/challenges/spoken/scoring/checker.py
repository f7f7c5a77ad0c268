"""Checker of result files: all problems at once (specification, section 2.4).

Variant `strict` has all rules. Variant `official` refuses what the challenge document forbids and what the
published baseline's code could not read; the rest is a warning there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.challenges.spoken.formats.files import FileRows
from duologue.challenges.spoken.formats.message_rules import half_character, message_problems
from duologue.challenges.spoken.schema.triples import NAME, key_of, plain
from duologue.core import disk, problems
from duologue.core.decoded import is_whole, pointer, shown
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.json_objects import Decoded
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.core.protocols import World
    from duologue.core.records import Example, Submission


class ResultRule(NamedTuple):
    """A rule for result files, its severity in each variant, and the advice for a violation."""

    demand: str
    strict: str = "error"
    official: str = "error"
    advice: str = ""


RULES = {
    **{rule: ResultRule(says) for rule, says in disk.TEXT_RULES.items()},
    "byte-order-mark": ResultRule("there is no byte order mark", advice="save the file as UTF-8 without BOM"),
    "not-json": ResultRule("the text is JSON"),
    "not-an-object": ResultRule(
        "the file holds one object: sample id to reply", advice='write {"1": {"message": ...}, ...}'
    ),
    "file-name": ResultRule("the file is called result.json when it is handed in", "", "warning", "rename it"),
    "key-repeated": ResultRule("no object names a key twice", official="warning", advice="keep one of them"),
    "id-empty": ResultRule("an id is not empty", official="warning"),
    "id-missing": ResultRule(
        "each sample of the data has a reply", official="warning", advice="a missing reply scores 0"
    ),
    "id-unknown": ResultRule(
        "each id is that of a sample", "warning", "warning", "is this the result of another file?"
    ),
    "no-replies": ResultRule("the file holds replies", "warning", "warning"),
    "item-not-object": ResultRule("each reply is an object", advice='write {"message": "...", "attrs": [...]}'),
    "message-missing": ResultRule("each reply has a `message`", advice='a reply that says nothing is ""'),
    "message-type": ResultRule("a `message` is a text"),
    "message-empty": ResultRule("a `message` is not empty", "warning", "warning", "an empty reply scores 0"),
    "half-character": ResultRule("a text has no half of a surrogate pair", official="warning"),
    "key-unknown": ResultRule("a reply has no keys but `message` and `attrs`", "warning", "warning"),
    "attrs-type": ResultRule("`attrs` is a list", advice="leave 'attrs' out where no knowledge is used"),
    "attrs-empty": ResultRule("`attrs` is left out where it is empty", "warning", "warning"),
    "attr-not-object": ResultRule("each triple is an object"),
    "attr-key-missing": ResultRule("each triple has `name`, `attrname` and `attrvalue`"),
    "attr-key-unknown": ResultRule("a triple has no other keys", "warning", "warning"),
    "name-type": ResultRule("a `name` is a text or a number"),
    "attrname-type": ResultRule("an `attrname` is a text or a number"),
    "attrvalue-type": ResultRule("an `attrvalue` is a text, a number or a list of them"),
    "value-placeholder": ResultRule(
        "no part of a triple is empty or stands for nothing", "warning", "warning", "leave the triple out"
    ),
    "triple-repeated": ResultRule("no triple occurs twice in a reply", "warning", "warning", "keep one of them"),
    "triple-unknown": ResultRule("each triple is in the knowledge graph", "warning", "warning"),
    problems.RULE: ResultRule(problems.RULE_SAYS),
}
"""Rules for result files by id."""

UNREADABLE = frozenset({*disk.TEXT_RULES, "not-json", "not-an-object"})
"""Rules whose violation leaves nothing to check."""

VARIANTS = ("strict", "official")

RESULT_NAME = "result.json"
"""File name that the challenge document demands."""


@dataclass(frozen=True, slots=True)
class CheckedResult:
    """A checked result file: its problems and usable replies."""

    problems: tuple[Problem, ...]
    replies: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """Id to reply; replies with an error of their own are left out."""

    @property
    def errors(self) -> list[Problem]:
        """The problems for which the file is refused."""
        return [problem for problem in self.problems if problem.severity == "error"]


def check(
    submission: Submission, examples: Sequence[Example] | None, variant: str, world: World | None = None
) -> tuple[Problem, ...]:
    """Return all problems of a result file, warnings included; beyond 1,000 they are only counted.

    `examples` adds the rules on ids, `world` (the knowledge graph) the one on triples. Raises `UsageError` for an
    unknown variant.
    """
    return examine(submission, examples, variant, world).problems


def examine(
    submission: Submission, examples: Sequence[Example] | None, variant: str, world: World | None = None
) -> CheckedResult:
    """Return all problems under the rules of a variant, and the replies without an error of their own."""
    if variant not in VARIANTS:
        raise UsageError(f"spoken has no variant '{variant}'{did_you_mean(variant, VARIANTS)}")
    found = [*submission.problems, *_name_problems(submission)]
    if any(problem.rule in UNREADABLE for problem in found):
        return CheckedResult(tuple(_judge(found, variant)))
    rows = submission.rows
    if not isinstance(rows, dict):
        message = f"the file holds {shown(rows)}, expected an object from sample id to reply"
        return CheckedResult(tuple(_judge([*found, Problem(rule="not-an-object", message=message)], variant)))
    decoded = rows.decoded if isinstance(rows, FileRows) else Decoded(rows, {})
    for key in decoded.keys_repeated(decoded.value):
        message = f"sample {shown(key)} is answered more than once; only the last answer is read"
        found.append(Problem(rule="key-repeated", place=pointer(key), message=message))
    if not rows:
        found.append(Problem(rule="no-replies", message="the file holds no replies"))
    replies: dict[str, dict[str, Any]] = {}
    for name, row in rows.items():
        own = _judge(_reply_problems(name, row, decoded), variant)
        found += own
        if not any(problem.severity == "error" for problem in own):
            replies[name] = row
            if world is not None:
                found += _graph_problems(name, row, world)
    if examples is not None:
        found += _id_problems(rows, [example.sample.id for example in examples])
    return CheckedResult(problems.capped(_judge(found, variant)), replies)


def _judge(problems: Sequence[Problem] | Iterator[Problem], variant: str) -> list[Problem]:
    """Return problems with the severity that their rules have in a variant, and the advice of the rule."""
    judged = []
    for problem in problems:
        rule = RULES[problem.rule]
        severity = rule.official if variant == "official" else rule.strict
        if severity:
            advice = problem.advice or rule.advice
            judged.append(msgspec.structs.replace(problem, severity=severity, advice=advice))
    return judged


def _name_problems(submission: Submission) -> Iterator[Problem]:
    name = PurePath(submission.path).name
    if name and name != RESULT_NAME:
        message = f"the file is called {shown(name)}; the challenge demands {RESULT_NAME}"
        yield Problem(rule="file-name", message=message)


def _reply_problems(name: str, row: Any, decoded: Decoded) -> Iterator[Problem]:
    if not name:
        yield Problem(rule="id-empty", place=pointer(name), message="an id is empty")
    if not is_whole(name):
        yield half_character(name, (name,))
    if not isinstance(row, dict):
        message = f"found {shown(row)}, expected an object with message and attrs"
        yield Problem(rule="item-not-object", place=pointer(name), message=message)
        return
    yield from message_problems(row, (name,), decoded)
    said = row.get("message")
    if isinstance(said, str) and not said.strip():
        yield Problem(rule="message-empty", place=pointer(name, "message"), message="the reply says nothing")


def _graph_problems(name: str, row: dict[str, Any], world: World) -> Iterator[Problem]:
    for number, attr in enumerate(row.get("attrs", ())):
        entity, relation, value = key_of(attr)
        facts = world.about(str(entity))
        if any(fact.relation == relation and plain(fact.object) == value for fact in facts):
            continue
        if not facts:
            message = f"the knowledge graph has no entity {shown(entity)}"
        elif not any(fact.relation == relation for fact in facts):
            message = f"entity {shown(attr[NAME])} has no attribute {shown(relation)} in the knowledge graph"
        else:
            message = f"attribute {shown(relation)} of {shown(attr[NAME])} has another value in the knowledge graph"
        yield Problem(rule="triple-unknown", place=pointer(name, "attrs", number), message=message)


def _id_problems(rows: Mapping[str, Any], known: Sequence[str]) -> Iterator[Problem]:
    samples = set(known)
    for name in rows:
        if name not in samples:
            message = f"the data has no sample {shown(name)}; this reply is not looked at"
            yield Problem(rule="id-unknown", place=pointer(name), message=message)
    for name in dict.fromkeys(known):
        if name not in rows:
            yield Problem(rule="id-missing", place=pointer(name), message=f"sample {shown(name)} has no reply")
