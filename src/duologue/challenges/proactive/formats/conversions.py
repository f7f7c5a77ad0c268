"""Conversions between the data forms, with the options of each (specification, sections 2.1 to 2.3 and 5.2).

session -> sample -> model-text, topics, matcher-text        matcher-text -> dictionary
generated (one reply per line, with slots) and topics -> replies
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.proactive.formats import files, matcher_text, model_text
from duologue.core.decoded import is_whole, shown
from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

FORMS = (*model_text.FORMS, "matcher-text", "dictionary", "generated", "replies")
"""All forms of data that can be converted from or to."""

CHOICES: dict[str, tuple[str, ...]] = {
    "generalise": ("yes", "no"),
    "knowledge": ("yes", "no"),
    "predict": ("no", "yes"),
    "topics": (),
}
"""Options of the conversions with their values, the default first.

`generalise`: replace topic names by slots. `knowledge`: goal and triples in matcher text. `predict`: matcher text
of the candidates only, without the reference. `topics`: the topics file of the generated replies.
"""

_BEFORE: dict[str, tuple[str, ...]] = {
    "sample": ("session",),
    "model-text": ("session", "sample"),
    "topics": ("session", "sample"),
    "matcher-text": ("sample",),
    "dictionary": ("matcher-text",),
    "replies": ("generated",),
}
"""Form -> forms that it is made from."""

_CHOICES_OF = {
    "model-text": ("generalise",),
    "matcher-text": ("generalise", "knowledge", "predict"),
    "replies": ("topics",),
}
"""Form -> options of making it."""


def turn(source: str, target: str, path: Path, out: Path, chosen: Mapping[str, str]) -> list[Path]:
    """Convert a file of form `source` to form `target` with options of `CHOICES`, and return the files written.

    Raises `UsageError` for a conversion that does not exist, and for an option that it does not have or lacks;
    `FormatError` with all problems of the file.
    """
    _expect_way(source, target)
    own = _CHOICES_OF.get(target, ())
    for name in chosen:
        if name not in own:
            has = f"its choices are {', '.join(own)}" if own else "there is nothing to choose"
            raise UsageError(f"making {target} has no choice '{name}'; {has}")
    if target == "replies":
        if "topics" not in chosen:
            raise UsageError(
                "replies get their names from the topics of their samples; give the file of topics with "
                "--option topics=FILE (made by --to topics)"
            )
        return model_text.materialise(path, type(path)(chosen["topics"]), out)
    yes = {name: chosen.get(name, CHOICES[name][0]) == "yes" for name in own}
    if target == "matcher-text":
        files.write_lines(_matcher_lines(path, **yes), out)
        return [out]
    if target == "dictionary":
        tokens = matcher_text.dictionary(model_text.lines_of(path))
        files.write_lines((f"{token}\n" for token in tokens), out)
        return [out]
    return model_text.convert(source, target, path, out, generalise=yes.get("generalise", True))


def _expect_way(source: str, target: str) -> None:
    for form in (source, target):
        if form not in FORMS:
            raise UsageError(f"proactive has no form '{form}'{did_you_mean(form, FORMS)}")
    before = _BEFORE.get(target, ())
    if source not in before:
        made = f"{target} is made from {' or '.join(before)}" if before else f"{target} is made from nothing else"
        raise UsageError(f"{source} cannot be turned into {target}; {made}")


def _matcher_lines(path: Path, *, generalise: bool, knowledge: bool, predict: bool) -> Iterator[str]:
    """Yield the matcher text of samples with candidates, then raise `FormatError` with the problems of all of them."""
    problems: list[Problem] = []
    for number, row in enumerate(files.read_rows(path, "sample")):
        wrong = list(_candidate_problems(row, number, predict=predict))
        if not wrong:
            try:
                yield from matcher_text.match_lines(row, knowledge=knowledge, generalise=generalise, predict=predict)
            except KeyError as error:
                wrong = [model_text.domain_missing(error, number)]
        problems += wrong
    if problems:
        raise FormatError(path, problems)


def _candidate_problems(row: dict[str, Any], number: int, *, predict: bool) -> Iterable[Problem]:
    place = f"sample {number} (from 0)"
    found = row.get("candidate")
    if not isinstance(found, list) or not all(isinstance(text, str) and is_whole(text) for text in found):
        message = f"'candidate' is {shown(found) if 'candidate' in row else 'missing'}, expected a list of texts"
        yield Problem(rule="candidate-type", place=place, message=message, advice="matcher text is made of candidates")
    if not predict and "response" not in row:
        advice = "give --option predict=yes to write the candidates alone"
        yield Problem(rule="response-missing", place=place, message="there is no 'response'", advice=advice)
