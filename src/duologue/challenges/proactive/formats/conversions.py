"""Conversions between the data forms, with the options of each (specification, sections 2.1 to 2.3 and 5.2).

duconv (its folder) -> session or sample
session -> sample -> model-text, topics, matcher-text        matcher-text -> dictionary
generated (one reply per line, with slots) and topics -> replies
"""

from __future__ import annotations

from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from duologue.challenges.proactive.formats import duconv, files, matcher_text, model_text
from duologue.challenges.proactive.schema import DOMAIN
from duologue.core import disk
from duologue.core.decoded import is_whole, shown
from duologue.core.disk import Source
from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.lines import Lines
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    Row = dict[str, Any]

FORMS = ("session", "sample", "model-text", "topics", "matcher-text", "dictionary", "generated", "replies", "duconv")
"""All forms of data that can be converted from or to."""

CHOICES: dict[str, tuple[str, ...]] = {
    "generalise": ("yes", "no"),
    "knowledge": ("yes", "no"),
    "predict": ("no", "yes"),
    "topics": (),
    "split": duconv.SPLITS,
}
"""Options of the conversions with their values, the default first.

`generalise`: replace topic names by slots. `knowledge`: goal and triples in matcher text. `predict`: matcher text
of the candidates only, without the reference. `topics`: the topics file of the generated replies.
`split`: the file of DuConv's folder.
"""

_DEFAULTS = {name: values[0] for name, values in CHOICES.items() if values}

_BEFORE: dict[str, tuple[str, ...]] = {
    "session": ("duconv",),
    "sample": ("session", "duconv"),
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


def convert(source: str, target: str, path: Path, out: Path, chosen: Mapping[str, str]) -> list[Path]:
    """Convert a file of form `source` to form `target` with options of `CHOICES`, and return the files written.

    Raises `UsageError` for a conversion that does not exist, and for an option that it does not have or lacks;
    `FormatError` with all problems of the file.
    """
    _expect_conversion(source, target)
    own = ("split",) if source == "duconv" else _CHOICES_OF.get(target, ())
    for name in chosen:
        if name not in own:
            has = f"its choices are {', '.join(own)}" if own else "there is nothing to choose"
            raise UsageError(f"making {target} has no choice '{name}'; {has}")
    if target == "replies" and "topics" not in chosen:
        raise UsageError(
            "replies get their names from the topics of their samples; give the file of topics with "
            "--option topics=FILE (made by --to topics)"
        )
    files.write_lines(_lines(source, target, path, {**_DEFAULTS, **chosen}), out)
    return [out]


def _lines(source: str, target: str, path: Path, chosen: Mapping[str, str]) -> Iterator[str]:
    """Return the lines of the target file, made lazily."""
    if source == "duconv":
        split = chosen["split"]
        found, form = duconv.find_split(path, split), duconv.form_of(split)
        if form == target:
            return map(files.row_line, files.read_rows(found, form))
        if target == "session":
            raise UsageError(f"{split} of DuConv holds samples, no sessions; make samples of it with --to sample")
        return _lines(form, target, found, chosen)
    if target == "replies":
        return _reply_lines(path, type(path)(chosen["topics"]))
    if target == "dictionary":
        return (f"{token}\n" for token in matcher_text.dictionary(_text_lines(path)))
    rows = files.read_rows(path, source)
    samples = rows if source == "sample" else (sample for row in rows for sample in model_text.samples_of(row))
    generalise, knowledge, predict = (chosen[name] == "yes" for name in ("generalise", "knowledge", "predict"))
    if target == "sample":
        return map(files.row_line, samples)
    if target == "topics":
        return _sample_lines(samples, path, lambda row: [files.row_line(model_text.topics_of(row))])
    if target == "model-text":
        return _sample_lines(samples, path, lambda row: [model_text.model_text(row, generalise=generalise).line + "\n"])
    return _sample_lines(
        samples,
        path,
        partial(matcher_text.match_lines, knowledge=knowledge, generalise=generalise, predict=predict),
        partial(_candidate_problems, predict=predict),
    )


def _sample_lines(
    samples: Iterable[Row],
    path: Path,
    lines_of: Callable[[Row], Iterable[str]],
    problems_of: Callable[[Row, int], Iterable[Problem]] = lambda *_: (),
) -> Iterator[str]:
    """Yield the lines of all samples, then raise `FormatError` with the problems of any of them."""
    problems: list[Problem] = []
    for number, row in enumerate(samples):
        wrong = list(problems_of(row, number))
        if not wrong:
            try:
                yield from lines_of(row)
            except KeyError as error:
                wrong = [_domain_missing(error, number)]
        problems += wrong
    if problems:
        raise FormatError(path, problems)


def _expect_conversion(source: str, target: str) -> None:
    for form in (source, target):
        if form not in FORMS:
            raise UsageError(f"proactive has no form '{form}'{did_you_mean(form, FORMS)}")
    before = _BEFORE.get(target, ())
    if source not in before:
        made = f"{target} is made from {' or '.join(before)}" if before else f"{target} is made from nothing else"
        raise UsageError(f"{source} cannot be turned into {target}; {made}")


def _candidate_problems(row: Row, number: int, *, predict: bool) -> Iterable[Problem]:
    place = f"sample {number} (from 0)"
    found = row.get("candidate")
    if not isinstance(found, list) or not all(isinstance(text, str) and is_whole(text) for text in found):
        message = f"'candidate' is {shown(found) if 'candidate' in row else 'missing'}, expected a list of texts"
        yield Problem(rule="candidate-type", place=place, message=message, advice="matcher text is made of candidates")
    if not predict and "response" not in row:
        advice = "give --option predict=yes to write the candidates alone"
        yield Problem(rule="response-missing", place=place, message="there is no 'response'", advice=advice)


def _domain_missing(error: KeyError, number: int) -> Problem:
    """Return the problem that the domain of a topic is missing in the sample with index `number`."""
    return Problem(
        rule="domain-missing",
        place=f"sample {number} (from 0)",
        message=f"the knowledge does not say the {DOMAIN} of topic {shown(error.args[0])}",
        advice="the official converter ends with an error there; add the triple",
    )


def _reply_lines(replies: Path, topics: Path) -> Iterator[str]:
    """Yield the replies line by line; problems of the topics or of the number of lines are raised at the end."""
    problems: list[Problem] = []
    said = wanted = 0
    for line, row in zip_longest(_text_lines(replies), _text_lines(topics)):
        said += line is not None
        wanted += row is not None
        names = None if row is None else _names_in(row, wanted, topics, problems)
        if line is not None and names is not None:
            yield model_text.materialised(line.strip(), names) + "\n"
    if problems:
        raise FormatError(topics, problems)
    if said != wanted:
        message = f"the file has {said} lines, {topics} has {wanted}; one reply per sample is expected"
        raise FormatError(replies, [Problem(rule="line-count", message=message)])


def _text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text file. Raises `FormatError` if it is not UTF-8."""
    yield from Lines(Source(path), unmarked=True)


def _names_in(line: str, number: int, path: Path, problems: list[Problem]) -> dict[str, str] | None:
    try:
        row = disk.decode_json(line.strip(), path, number)
    except FormatError as error:
        problems.extend(error.problems)
        return None
    if isinstance(row, dict) and all(isinstance(value, str) for value in row.values()):
        return row
    message = f"found {shown(row)}, expected an object from slot to topic"
    problems.append(Problem(rule="topics-type", place=f"line {number}", message=message))
    return None
