"""Official conversions: session -> samples -> model text and topics; generated text -> replies with topic names.

Specification, sections 2.1 to 2.3; output is byte-identical to that of the organisers' converters.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.schema import DOMAIN, FILM
from duologue.core import disk
from duologue.core.decoded import shown
from duologue.core.disk import Source
from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.lines import Lines
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    Row = dict[str, Any]

FORMS = ("session", "sample", "model-text", "topics")
"""Forms in the order of conversion; the last two are made from samples and cannot be converted back."""

NO_RESPONSE = "null"
"""Placeholder in model text for an unknown reply."""
TRIPLE_END = "\x01"
"""Separates the triples in the third field of model text."""


class ModelText(NamedTuple):
    """One sample as input of the generation baseline."""

    line: str
    """`source TAB reply TAB triples`."""
    topics: dict[str, str]
    """Slot -> topic, topic A first; empty if topics are not generalised."""


def convert(source: str, target: str, path_in: Path, path_out: Path, *, generalise: bool = True) -> list[Path]:
    """Turn a file of form `source` into form `target` and return the files written.

    `generalise` puts slots in the place of topic names in model text, as the baseline does by default. Raises
    `UsageError` for a way that there is none, `FormatError` with all problems of the file.
    """
    for form in (source, target):
        if form not in FORMS:
            raise UsageError(f"proactive has no form '{form}'{did_you_mean(form, FORMS)}")
    if source in FORMS[2:] or FORMS.index(source) >= FORMS.index(target):
        ways = "session to sample, model-text or topics, and sample to model-text or topics"
        raise UsageError(f"{source} cannot be turned into {target}; the official tools turn {ways}")
    rows = files.read_rows(path_in, source)
    samples = rows if source == "sample" else (sample for row in rows for sample in samples_of(row))
    if target == "sample":
        files.write_lines(map(files.row_line, samples), path_out)
    else:
        texts = _model_texts(samples, path_in, generalise=generalise)
        lines = (_line(text) if target == "model-text" else files.row_line(text.topics) for text in texts)
        files.write_lines(lines, path_out)
    return [path_out]


def samples_of(session: Row) -> Iterator[Row]:
    """Yield the samples of a session: one per agent turn, without the turns after it."""
    said = session["conversation"]
    for at in range(0, len(said), 2):
        yield {
            "goal": session["goal"],
            "knowledge": session["knowledge"],
            "history": said[:at],
            "response": said[at],
        }


def model_text(sample: Row, *, generalise: bool = True) -> ModelText:
    """Return a sample as model text. Raises `KeyError` with a topic whose domain is not in the knowledge."""
    topics = topics_of(sample)
    line = plain_line(sample)
    return ModelText(generalised(line, topics) if generalise else line, topics)


def plain_line(sample: Row) -> str:
    """Return the model text line of a sample without generalising topics."""
    goal = " ".join(" ".join(triple) for triple in sample["goal"])
    triples = [" ".join(triple) for triple in sample["knowledge"]]
    source = f"{goal} {' '.join(triples)} : {' '.join(sample['history'])}"
    return "\t".join([source, sample.get("response", NO_RESPONSE), TRIPLE_END.join(triples)])


def topics_of(sample: Row) -> dict[str, str]:
    """Return slot -> topic of a sample. Raises `KeyError` with a topic whose domain is not in the knowledge.

    If a topic has several domains, the last one counts. If both topics are equal, the second has no domain, as in the
    original.
    """
    first, second = sample["goal"][0][1:]
    domains: dict[str, str] = {}
    for subject, predicate, value in sample["knowledge"]:
        if predicate == DOMAIN:
            if subject == first:
                domains["a"] = value
            elif subject == second:
                domains["b"] = value
    topics = {}
    for letter, topic in (("a", first), ("b", second)):
        if letter not in domains:
            raise KeyError(topic)
        topics[f"{'video' if domains[letter] == FILM else 'person'}_topic_{letter}"] = topic
    return topics


def generalised(text: str, topics: Mapping[str, str]) -> str:
    """Replace topics by their slots (delexicalise), the longest topic first, inside longer words too."""
    for slot, topic in _longest_first(topics):
        text = text.replace(topic, slot)
    return text


def materialised(text: str, topics: Mapping[str, str]) -> str:
    """Replace slots by their topics (lexicalise); other slots stay.

    >>> materialised("person_topic_b video_topic_b", {"person_topic_a": "A", "video_topic_b": "B"})
    'person_topic_b B'
    """
    for slot, topic in _longest_first(topics):
        text = text.replace(slot, topic)
    return text


def _longest_first(topics: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted(topics.items(), key=lambda item: -len(item[1]))  # stable: topic A first among equal lengths


def materialise(replies: Path, topics: Path, out: Path) -> list[Path]:
    """Write generated replies with slots replaced by topics; both files have one line per sample.

    Raises `FormatError` if the files differ in length or a line of topics is not an object of strings.
    """
    files.write_lines(_materialised_lines(replies, topics), out)
    return [out]


def _materialised_lines(replies: Path, topics: Path) -> Iterator[str]:
    """Yield the replies line by line; problems of the topics or of the number of lines are raised at the end."""
    problems: list[Problem] = []
    said = wanted = 0
    for line, row in zip_longest(lines_of(replies), lines_of(topics)):
        said += line is not None
        wanted += row is not None
        names = None if row is None else _names_in(row, wanted, topics, problems)
        if line is not None and names is not None:
            yield materialised(line.strip(), names) + "\n"
    if problems:
        raise FormatError(topics, problems)
    if said != wanted:
        message = f"the file has {said} lines, {topics} has {wanted}; one reply per sample is expected"
        raise FormatError(replies, [Problem(rule="line-count", message=message)])


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a text file. Raises `FormatError` if it is not UTF-8."""
    yield from Lines(Source(path), unmarked=True)


def _names_in(line: str, number: int, path: Path, problems: list[Problem]) -> dict[str, str] | None:
    try:
        row = disk.decode_json(line.strip(), path)
    except FormatError as error:
        message = error.problems[0].message
        problems.append(Problem(rule="not-json", place=f"line {number}", message=message))
        return None
    if isinstance(row, dict) and all(isinstance(value, str) for value in row.values()):
        return row
    message = f"found {shown(row)}, expected an object from slot to topic"
    problems.append(Problem(rule="topics-type", place=f"line {number}", message=message))
    return None


def _line(text: ModelText) -> str:
    return text.line + "\n"


def _model_texts(samples: Iterable[Row], path: Path, *, generalise: bool) -> Iterator[ModelText]:
    """Yield all model texts, then raise `FormatError` with every sample whose domains are unknown."""
    problems = []
    for number, sample in enumerate(samples):
        try:
            yield model_text(sample, generalise=generalise)
        except KeyError as error:
            problems.append(domain_missing(error, number))
    if problems:
        raise FormatError(path, problems)


def domain_missing(error: KeyError, number: int) -> Problem:
    """Return the problem that the domain of a topic is missing in the sample with index `number`."""
    return Problem(
        rule="domain-missing",
        place=f"sample {number} (from 0)",
        message=f"the knowledge does not say the {DOMAIN} of topic {shown(error.args[0])}",
        advice="the official converter ends with an error there; add the triple",
    )
