"""Makes bare MobileCS dialogues of plain transcripts: roles, personal data out, turns of two utterances.

Personal data become placeholders before anything else is done, so that all offsets of later annotation are those of the
anonymous text.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from duologue.challenges.mobilecs.formats.transcript_roles import names_of, role_of
from duologue.challenges.mobilecs.formats.transcripts import BREAK, PackedTranscript, read_transcripts
from duologue.challenges.mobilecs.schema.ontology import SPEAKERS
from duologue.core.amounts import amount
from duologue.core.errors import FormatError
from duologue.core.problems import ProblemCollector
from duologue.core.records import Problem
from duologue.core.rng import digest
from duologue.text.anonymiser import Anonymiser

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from duologue.challenges.mobilecs.formats.transcripts import Transcript
    from duologue.core.protocols import Progress
    from duologue.text.anonymiser import Replaced

_RULE = "transcript-roles"
_ID_LENGTH = 32


class ImportedCalls(NamedTuple):
    """What came of transcripts."""

    rows: list[dict[str, Any]]
    """Dialogues in the official form, without annotation."""
    replaced: Replaced | None
    """What personal data were replaced; `None` where they were kept."""


def import_calls(
    files: Sequence[Path | PackedTranscript],
    staff: Collection[str] = (),
    *,
    keep_personal_data: bool = False,
    encoding: str = "utf-8",
    progress: Progress | None = None,
) -> ImportedCalls:
    """Return the calls of transcript files as dialogues; `staff` is what the files call the staff, beside usual words.

    `encoding` is that of files which are not UTF-8.

    Ids are hashes of the anonymous words, so importing a file again gives the same dialogues. Raises `FormatError` with
    all problems of all files, such as calls with several customers, or whose speakers have no known roles.
    """
    calls = _read(files, {name.strip().lower() for name in staff}, encoding, progress)
    anonymiser = None if keep_personal_data else Anonymiser()
    rows: list[dict[str, Any]] = []
    times: dict[str, int] = {}
    calls.reverse()
    total = len(calls)
    while calls:
        call, is_staff = calls.pop()  # what is done is not held any more
        turns = [(is_staff[speaker], text) for speaker, text in _anonymous(call, anonymiser)]
        name = digest("call", *(f"{role} {text}" for role, text in turns)).hex()[:_ID_LENGTH]
        times[name] = times.get(name, 0) + 1
        if times[name] > 1:
            name = digest("call", name, times[name]).hex()[:_ID_LENGTH]
        rows.append({"id": name, "content": _paired(turns)})
        if progress is not None:
            progress(len(rows), total, "calls")
    return ImportedCalls(rows, None if anonymiser is None else anonymiser.replaced())


def _read(
    files: Sequence[Path | PackedTranscript], own: Collection[str], encoding: str, progress: Progress | None
) -> list[tuple[Transcript, dict[str, bool]]]:
    """Return the calls of files, each with the roles of its speakers. Raises `FormatError` with all that is wrong."""
    calls: list[tuple[Transcript, dict[str, bool]]] = []
    refused: list[FormatError] = []
    for number, file in enumerate(files, start=1):
        try:
            calls += _with_roles(file, own, encoding)
        except FormatError as error:
            refused.append(error)
        if progress is not None:
            progress(number, len(files), "files")
    if len(refused) == 1:
        raise refused[0]
    problems = ProblemCollector(
        replace(one, place=f"{error.path}{', ' * bool(one.place)}{one.place}")
        for error in refused
        for one in error.problems
    )
    if refused:
        raise FormatError(f"the import of {amount(len(files), 'file')}", problems.problems())
    return calls


def _with_roles(
    file: Path | PackedTranscript, own: Collection[str], encoding: str
) -> Iterator[tuple[Transcript, dict[str, bool]]]:
    calls = read_transcripts(file, encoding)
    roles = [_roles(call, own) for call in calls]
    problems = ProblemCollector(_told([one for one in roles if isinstance(one, Problem)])).problems()
    if problems:
        raise FormatError(file.path if isinstance(file, PackedTranscript) else file, problems)
    return ((call, found) for call, found in zip(calls, roles, strict=True) if isinstance(found, dict))


def _told(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Yield one problem for all calls whose speakers are the same: a file of thousands has the same names."""
    places: dict[str, list[str]] = {}
    for problem in problems:
        places.setdefault(problem.message, []).append(problem.place)
    first = {problem.message: problem for problem in reversed(problems)}
    for message, found in places.items():
        more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        yield replace(first[message], place=found[0] + more, stands_for=len(found))


def _roles(call: Transcript, own: Collection[str]) -> dict[str, bool] | Problem:
    """Return by speaker whether it is the staff; a problem where that cannot be told."""
    speakers = list(dict.fromkeys(speaker for speaker, _ in call.turns))
    known = {
        speaker: speaker.lower() in own or bool(role_of(speaker)) if own else role_of(speaker) for speaker in speakers
    }
    unknown = [speaker for speaker in speakers if known[speaker] is None]
    if len(unknown) == 1 and len(speakers) == 2:
        (other,) = (speaker for speaker in speakers if speaker != unknown[0])
        known[unknown[0]] = not known[other]
    customers = [speaker for speaker in speakers if known[speaker] is False]
    if None in known.values() or len(customers) > 1 or (not customers and len(speakers) > 1):
        return Problem(
            rule=_RULE,
            place=call.place,
            message=f"the speakers are {', '.join(sorted(speakers)[:5])}; expected the staff and one customer",
            advice="say who the staff is: --staff NAME, once for each name",
        )
    return {speaker: bool(role) for speaker, role in known.items()}


def _anonymous(call: Transcript, anonymiser: Anonymiser | None) -> list[tuple[str, str]]:
    """Return the turns without personal data; names of speakers that are no roles are replaced wherever they stand."""
    if anonymiser is None:
        return call.turns
    names = [name for speaker in dict.fromkeys(speaker for speaker, _ in call.turns) for name in names_of(speaker)]
    said = anonymiser.dialogue().utterances([text for _, text in call.turns], names)
    return [(speaker, text) for (speaker, _), text in zip(call.turns, said, strict=True)]


def _paired(turns: Sequence[tuple[bool, str]]) -> list[dict[str, str]]:
    """Return official turns of two utterances, whoever speaks first before the other; a missing one is empty.

    The staff is speaker 1, as in the public dialogues.
    """
    staff_first = turns[0][0]
    keys = SPEAKERS if staff_first else SPEAKERS[::-1]
    said = [(role, BREAK.join(text for _, text in group)) for role, group in groupby(turns, key=itemgetter(0))]
    texts = [text for _, text in said] + [""] * (len(said) % 2)
    return [{keys[0]: first, keys[1]: second} for first, second in zip(texts[::2], texts[1::2], strict=True)]
