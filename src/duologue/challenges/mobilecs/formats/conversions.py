"""Conversion of raw dialogues into track 2 data, as the official preprocessing does it or with odd records repaired."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.mobilecs.formats import preprocessor, raw, repairs
from duologue.challenges.mobilecs.formats.files import decode, dump, raise_or_log
from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.schema.ontology import STAFF_INTENT, USER_INTENT
from duologue.core import disk
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.gc_pause import gc_paused

if TYPE_CHECKING:
    from pathlib import Path

_LOG = logging.getLogger(__name__)

FORMS = ("raw", "track2")
"""Forms of the data that the official tools make from one another, in this order."""
VARIANTS = ("official", "strict")
"""Conversion of raw dialogues: as by the official program (the default), or with odd records repaired."""


def convert(source: str, target: str, path: Path, out: Path, variant: str = VARIANTS[0]) -> list[Path]:
    """Turn raw dialogues into track 2 data; return the file written.

    Variant `official` keeps odd records as the official preprocessing does, `strict` repairs or drops them; both log
    where they are. Dialogues that the official tools discard are logged and left out. Raises `UsageError` for another
    conversion, and `FormatError` for a file that is not raw or not annotated.
    """
    for form in (source, target):
        if form not in FORMS:
            raise UsageError(f"MobileCS data has no form '{form}'{did_you_mean(form, FORMS)}")
    if (source, target) != FORMS:
        raise UsageError(f"there is no way from {source} to {target}: what is said comes from raw to track2 only")
    if variant not in VARIANTS:
        raise UsageError(f"MobileCS data has no variant '{variant}'{did_you_mean(variant, VARIANTS)}")
    issues = Issues()
    rows = decode(path, issues)
    reported = issues if variant == "strict" else Issues()  # the official program survives most odd records
    reported.whole = issues.whole
    with gc_paused():
        dialogues = raw.read_dialogues(rows, reported)
    if variant == "strict":
        converted_from = [repairs.repaired_row(dialogue, number, issues) for number, dialogue in enumerate(dialogues)]
    else:
        converted_from = raw.official_rows(rows)
        issues.take(msgspec.structs.replace(one, severity="warning") for one in reported.problems)
    raise_or_log(path, issues)
    made = _processed(path, converted_from, shared=variant == "official")
    disk.write_bytes(out, dump(made))
    return [out]


def _processed(path: Path, rows: list[dict[str, Any]], *, shared: bool) -> list[dict[str, Any]]:
    """Return the track 2 dialogues of raw rows. Raises `FormatError` with all rows on which the preprocessing fails."""
    made: dict[str, list[dict[str, Any]]] = {name: [] for name in preprocessor.Buckets._fields}
    discarded, bare = [], 0
    issues = Issues()
    for number, row in enumerate(rows):
        issues.enter(number, row["id"])
        try:
            bucket = preprocessor.bucket_of(row["content"])
            made[bucket] += preprocessor.process([row], shared=shared)
        except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
            message = f"the preprocessing cannot go on here: {type(error).__name__}: {error}"
            issues.add("not-convertible", "", message)
            continue
        if bucket == "others":
            discarded.append(str(row["id"]))
            turns = [turn for turn in row["content"] if isinstance(turn, dict)]
            bare += not any(key in turn for turn in turns for key in (STAFF_INTENT, USER_INTENT))
    raise_or_log(path, issues)
    _log_discarded(path, discarded, len(rows), bare)
    return made["service_first"] + made["user_first"]


def _log_discarded(path: Path, names: list[str], total: int, bare: int) -> None:
    """Tell which dialogues are discarded; `bare` of them have no intents, for which there is another way."""
    if names:
        some = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        if bare:
            way = "`duologue run mobilecs/extraction` and `duologue data local-kb` make track 2 data of such"
            some += f"; {bare} of them have no intents: {way}"
        _LOG.warning("%s: %d of %d dialogues are discarded: %s", path, len(names), total, some)
