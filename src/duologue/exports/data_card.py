"""A data card of a generated corpus (Markdown with the metadata of Hugging Face)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import tomli_w

from duologue.core.errors import DuologueError
from duologue.core.optional_protocols import Inspectable
from duologue.core.typed import parse_toml
from duologue.core.version import __version__
from duologue.exports.generated_corpus import read_corpus
from duologue.exports.markdown import code, table, words
from duologue.exports.portable import names_for_folders
from duologue.exports.yaml_text import to_yaml
from duologue.report.numbers import NOTHING

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.exports.generated_corpus import CorpusFile, GeneratedCorpus
    from duologue.exports.hub import ExportDetails

_ABOUT = (
    "Simulated dialogues of the task **{task}**, made by the simulator of duologue {version}. Their files have the "
    "layout of the challenge's own."
)
_USE = (
    "For training and testing systems of this task before, or beside, the challenge's own data. Figures on simulated "
    "data say nothing of figures on the official test sets: measure those by themselves."
)
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def to_data_card(name: str, path: Path, details: ExportDetails) -> str:
    """Return the card of the corpus in the folder `path`. Raises as `read_corpus` does."""
    corpus = read_corpus(name, path)
    rows = sum(file.rows or 0 for file in corpus.files)
    title = details.name.rpartition("/")[2] or f"{name}, simulated"
    head = {
        "language": [corpus.task.info.language],
        **({"license": details.licence.lower()} if details.licence else {}),
        "pretty_name": title,
        "size_categories": [next((size for limit, size in _SIZES if rows < limit), "1M<n<10M")],
        "tags": ["dialogue", "simulated", "duologue", name.partition("/")[0]],
    }
    parts = [
        f"---\n{to_yaml(head)}---",
        f"# {words(title)}",
        _ABOUT.format(task=words(name), version=__version__),
        "## How it was made",
        f"Seed: {corpus.seed or 'not known'}. The same seed and recipe give the same bytes.",
        _recipe(corpus),
        "## Files",
        table(("file", "rows", "bytes", "SHA-256"), [_row(one) for one in corpus.files]),
        *_statistics(corpus, path),
        "## Use",
        _USE,
        f"Made on {details.date} (`duologue export`).",
    ]
    return "\n\n".join(parts) + "\n"


def _row(file: CorpusFile) -> tuple[str, str, str, str]:
    return file.name, NOTHING if file.rows is None else f"{file.rows:,}", f"{file.size:,}", file.sha256


def _recipe(corpus: GeneratedCorpus) -> str:
    try:
        values = parse_toml(corpus.recipe)
    except msgspec.DecodeError:
        return "The recipe cannot be read."
    return code(tomli_w.dumps(names_for_folders(values)), "toml") if values else "The recipe is not there."


def _statistics(corpus: GeneratedCorpus, path: Path) -> list[str]:
    """Return the statistics of the data files that the task's walker reads; lists, such as words, are left out."""
    parts = []
    for file in corpus.files:
        if file.rows is None or not isinstance(corpus.task, Inspectable):
            continue
        try:
            told = corpus.task.statistics(path / file.name)
        except DuologueError:  # a catalogue, or the truth by itself
            continue
        rows = [(key, _number(value)) for key, value in told.items() if isinstance(value, int | float)]
        if rows:
            parts.append(f"### {words(file.name)}\n\n{table(('what', 'number'), rows)}")
    return ["## Statistics", *parts] if parts else []


def _number(value: float) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
