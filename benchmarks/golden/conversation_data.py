"""Golden cases of how conversation data is made: preprocessing, extraction of tweets and subtitles.

Cases are found by what their files hold; only folders of stores (`stored_data`) and of subtitles (`xml`) and the
expected texts beside them go by their names.
"""

from __future__ import annotations

import contextlib
import gzip
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from duologue.challenges.conversation.extraction import sizes
from duologue.challenges.conversation.extraction.twitter import extractor
from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.extraction.twitter.rules import Speech, preprocess
from duologue.challenges.conversation.extraction.twitter.tokenizer import CHALLENGE, CURRENT
from duologue.challenges.conversation.formats import posts
from duologue.core.errors import MissingExtraError
from golden.cases import Case, NotHereError, files_below, read, read_lines, same

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golden.cases import Differences, Run

GENERATIONS = {CHALLENGE: "expected", CURRENT: "expected_nltk_3.10"}
SUBTITLE_RATIOS = (0.5, 0.25)
"""Of train and dev in the end-to-end case."""


def find(golden: Path) -> Iterator[Case]:
    """Yield the cases below a folder, and those of real stores with expected texts beside that folder."""
    for path in files_below(golden, "*.jsonl"):
        rows = read_lines(path)
        keys = rows[0].keys() if rows and isinstance(rows[0], dict) else set[str]()
        if {"user_screen_name", "expected"} <= keys:
            for row in rows:
                yield Case("twitter preprocessing", str(row.get("id")), partial(_preprocessing, row))
        elif {"xml", "expected"} <= keys:
            for row in rows:
                yield Case("subtitle parsing", str(row.get("id")), _optional(partial(_parsing, row)))
    for stores in sorted(path for path in golden.parent.rglob("stored_data") if path.is_dir()):
        yield from _extractions(stores)
    for subtitles in sorted(path for path in golden.rglob("xml") if path.is_dir()):
        yield Case("subtitle extraction", subtitles.parent.name, _optional(partial(_subtitles, subtitles)))


def _optional(run: Run) -> Run:
    """Count a case as not run where an optional library is missing."""

    def run_if_here(scratch: Path) -> Differences:
        try:
            return run(scratch)
        except MissingExtraError as error:
            raise NotHereError(str(error)) from error

    return run_if_here


def _preprocessing(row: dict[str, Any], _: Path) -> Differences:
    speech = Speech(row["speaker"], row["user_screen_name"] or "", row["user_first_name"] or "")
    differences = []
    for generation, name in GENERATIONS.items():
        wanted = row.get(name, row["expected"])
        differences += same(f"{generation}, by rules", preprocess(row["text"], speech, generation), wanted)
        differences += same(f"{generation}, fast", Cleaner(generation).clean(row["text"], speech), wanted)
    return differences


def _extractions(stores: Path) -> Iterator[Case]:
    """Yield a case for each expected text beside a folder of stores: its name tells profile and tokenizer."""
    for path in sorted(stores.parent.glob("expected*.txt*")):
        if "stdout" not in path.name:
            yield Case("twitter extraction", f"{path.parent.name}, {path.name}", partial(_extraction, stores, path))


def _extraction(stores: Path, expected: Path, scratch: Path) -> Differences:
    beside = [read(path) for path in sorted(stores.parent.glob("*.json"))]
    settings = extractor.Settings(tokenizer=CURRENT if "nltk_3.10" in expected.name else CHALLENGE)
    out = scratch / "out.txt"
    differences: Differences = []
    if "testset" in expected.name:
        listed = next(path for path in sorted(stores.parent.glob("*.json")) if isinstance(read(path), list))
        restored = extractor.from_ids(stores, posts.read_ids(listed), out, settings)
        printed = expected.with_name(f"{expected.stem}_stdout.txt")
        if printed.is_file():
            differences += same("printed lines", restored.printed(), printed.read_text(encoding="utf-8"))
    else:
        limits = next((one for one in beside if isinstance(one, dict)), {}) if "official" in expected.name else None
        numbers = limits and {name: {int(end): begin for end, begin in one.items()} for name, one in limits.items()}
        extractor.from_accounts(stores, out, settings, limits=numbers)
    return differences + same("text", out.read_text(encoding="utf-8"), _text(expected))


def _text(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def _parsing(row: dict[str, Any], _: Path) -> Differences:
    """Compare the sentences of a document, read both ways; where the official tool crashed, only these two."""
    from duologue.challenges.conversation.extraction.subtitles import cleaner, xml_scanner

    data = row["xml"].encode()
    plain = [[sentence, len(sentence.split())] for sentence in cleaner.sentences(xml_scanner.parse(data))]
    differences = same("by rules", [*plain, ["", 0]], row["expected"]) if isinstance(row["expected"], list) else []
    raw = xml_scanner.scan(data)
    if raw is not None:  # of a layout that the fast reader leaves to the strict one
        cleaned = cleaner.clean_lines(raw)
        ends = cleaned.lengths.cumsum().tolist()
        starts = [0, *ends[:-1]]
        texts = [cleaned.text[start:end].decode() for start, end in zip(starts, ends, strict=False)]
        fast = [list(pair) for pair in zip(texts, cleaned.tokens.tolist(), strict=True)]
        differences += same("fast", fast, plain)
    return differences


def _subtitles(folder: Path, scratch: Path) -> Differences:
    """Compare train, dev and eval texts, the lines that were printed, and the check of sizes."""
    from duologue.challenges.conversation.extraction.subtitles.extractor import OFFICIAL, SubtitleProfile
    from duologue.challenges.conversation.extraction.subtitles.extractor import extract as extract_subtitles

    expected = {path.stem.removeprefix("expected_"): _text(path) for path in folder.parent.glob("expected_*.txt")}
    samples = len(re.findall(r"\n\n", expected.get("eval", "")))
    profile = SubtitleProfile(name=OFFICIAL, ratios=SUBTITLE_RATIOS, duplicates="keep", leaks=True, samples=samples)
    said: list[str] = []
    with contextlib.chdir(folder):  # the tool printed the folder as it was given
        extract_subtitles(type(folder)(), scratch, profile, say=said.append)
    differences = []
    for part in ("train", "dev", "eval"):
        if part in expected:
            differences += same(part, (scratch / f"{part}.txt").read_text(encoding="utf-8"), expected[part])
    if "stdout" in expected:
        lines = "".join(f"{line}\n" for line in said).replace(f"{scratch}/", "")
        differences += same("printed lines", lines, expected["stdout"])
    if "check" in expected:
        counts = [sizes.count(scratch / f"{part}.txt") for part in ("train", "dev")]
        differences += same("check of sizes", sizes.printed(*counts), expected["check"])
    return differences
