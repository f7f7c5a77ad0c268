"""Cut data files into parts by dialogue: seeded, the rows of a dialogue never in two parts, all files or none."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from contextlib import ExitStack, suppress
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.disk import replacing
from duologue.core.errors import FormatError, UsageError
from duologue.core.problems import capped
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import IO

    from duologue.core.data_rows import DataRows
    from duologue.core.protocols import Task

Sizes = dict[str, int | Fraction | None]
"""Part -> so many dialogues, that share of all (below 1 or 1), or all that is left (`None`)."""

_NAME = re.compile(r"[\w][\w.-]*")
_REST = "rest"


class WrittenPart(NamedTuple):
    """A part of a file as it was written."""

    path: Path
    dialogues: int
    rows: int


class Split(NamedTuple):
    """What came of a split."""

    parts: tuple[WrittenPart, ...]
    """Part by part, the first file of each before the others."""
    left_out: int
    """Dialogues that are in no part."""


def parse_sizes(words: Sequence[str]) -> Sizes:
    """Return the parts that words such as `train=0.8`, `dev=10%`, `test=500` and `more=rest` ask for.

    Raises `UsageError` for a word that is none, a name that is no plain file name, and names that repeat.
    """
    found: Sizes = {}
    for word in words:
        name, _, size = word.partition("=")
        if not _NAME.fullmatch(name):
            raise UsageError(f"--part {word}: expected NAME=SIZE, such as train=0.8, with a name for a folder")
        if name in found:
            raise UsageError(f"--part {word}: there is a part '{name}' already; give each a name of its own")
        found[name] = _size(word, size.strip())
    if list(found.values()).count(None) > 1:
        raise UsageError(f"only one part can have all that is left ({_REST})")
    return found


def _size(word: str, size: str) -> int | Fraction | None:
    if size == _REST:
        return None
    whole = re.fullmatch(r"[0-9]{1,15}", size)
    share = re.fullmatch(r"([0-9]{0,15}\.[0-9]{1,15}|[0-9]{1,3})(%?)", size)
    found = int(size) if whole else Fraction(share[1]) / (100 if share[2] else 1) if share else 0
    if not found or (not whole and found > 1):
        raise UsageError(
            f"--part {word}: expected a number of dialogues (500), a share of all (0.8 or 80%), or {_REST}"
        )
    return found


def counts_of(sizes: Sizes, total: int) -> dict[str, int]:
    """Return how many of `total` dialogues each part gets; shares that make up the whole leave none out.

    Raises `UsageError` where parts want more than there is, or one would be empty.

    >>> counts_of({"train": Fraction(2, 3), "dev": Fraction(1, 3)}, 10)
    {'train': 7, 'dev': 3}
    """
    found: dict[str, int] = {}
    shares = Fraction(0)
    for name, size in sizes.items():
        if isinstance(size, Fraction):
            before = shares
            shares += size
            found[name] = _rounded(shares * total) - _rounded(before * total)
        else:
            found[name] = size or 0
    taken = sum(found.values())
    if shares > 1 or taken > total:
        raise UsageError(f"the parts want more than there is: {_told(found)} of {total:,} dialogues")
    for name, size in sizes.items():
        if size is None:
            found[name] = total - taken
    empty = [name for name, count in found.items() if not count]
    if empty:
        raise UsageError(f"part '{empty[0]}' would be empty: there are {total:,} dialogues; change the sizes")
    return found


def _rounded(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def split(task: Task, path: Path, also: Sequence[Path], out: Path, sizes: Sizes, *, seed: int) -> Split:
    """Write the parts of a file as `out/PART/NAME-OF-THE-FILE`, and those of the files `also` along the same lines.

    Which dialogues a part gets depends on their ids (or numbers in the file), the seed and the sizes alone; rows keep
    their order. Raises `FormatError` for files that are damaged or do not hold the same rows, `UsageError` for sizes
    that cannot be had and for files that are there already; then no part is written.
    """
    files = [path, *also]
    twice = [name for name, count in Counter(one.name for one in files).items() if count > 1]
    if twice:
        raise UsageError(f"two files are called {twice[0]}, and so would be their parts; rename one")
    cut = {one: task.rows(one) for one in files}
    part_of, counts, total = _assigned(cut[path], sizes, seed)
    for one in also:
        _expect_same_rows(path, part_of, one, cut[one])
    targets = {(name, one): out / name / one.name for name in counts for one in files}
    for target in targets.values():
        if target.exists():
            raise UsageError(f"{target} is there already; remove it, or give another folder with --out")
    parts = _written(cut, part_of, targets)
    written = tuple(WrittenPart(targets[name, one], counts[name], parts[name, one]) for name in counts for one in files)
    return Split(written, total - sum(counts.values()))


def _assigned(cut: DataRows, sizes: Sizes, seed: int) -> tuple[dict[str, str], dict[str, int], int]:
    """Return the part of each row by its name (empty: of none), the dialogues of each part, and of all."""
    dialogue_of: dict[str, str] = {}
    dialogues: dict[str, None] = {}
    for row in cut.rows():
        dialogue = dialogue_of.setdefault(row.name, row.dialogue)
        dialogues[dialogue] = None
    counts = counts_of(sizes, len(dialogues))
    drawn = sorted(dialogues, key=lambda one: _drawn(seed, one))
    names = iter([name for name, count in counts.items() for _ in range(count)])
    part = {dialogue: next(names, "") for dialogue in drawn}
    return {name: part[dialogue] for name, dialogue in dialogue_of.items()}, counts, len(dialogues)


def _drawn(seed: int, dialogue: str) -> str:
    """Return the place of a dialogue in the order of a seed."""
    return hashlib.sha256(f"split\n{seed}\n{dialogue}".encode("utf-8", "surrogatepass")).hexdigest()


def _expect_same_rows(path: Path, part_of: Mapping[str, str], other: Path, cut: DataRows) -> None:
    """Raise `FormatError` where a file does not hold the rows of the first one."""
    seen = {row.name for row in cut.rows()}

    def problems() -> Iterator[Problem]:
        for name in part_of:
            if name not in seen:
                message = f"there is no row '{name}', which {path} has"
                yield Problem(rule="split-row-missing", message=message, advice="files that are cut together hold the "
                              "same dialogues, by id or by their order")  # fmt: skip
        for name in sorted(seen - part_of.keys()):
            yield Problem(rule="split-row-unknown", message=f"row '{name}' is none of {path}")

    found = capped(problems())
    if found:
        raise FormatError(other, found)


def _written(
    cut: Mapping[Path, DataRows], part_of: Mapping[str, str], targets: Mapping[tuple[str, Path], Path]
) -> Counter[tuple[str, Path]]:
    """Write all parts of all files, or none; return how many rows each got."""
    rows: Counter[tuple[str, Path]] = Counter()
    try:
        with ExitStack() as stack:
            outs = {key: stack.enter_context(replacing(target)) for key, target in targets.items()}
            for path, one in cut.items():
                mine = {name: out for (name, source), out in outs.items() if source == path}
                for name, count in _sorted_into(one, part_of, mine).items():
                    rows[name, path] = count
    except BaseException:
        for target in targets.values():
            with suppress(OSError):
                target.unlink(missing_ok=True)
                target.parent.rmdir()
        raise
    return rows


def _sorted_into(cut: DataRows, part_of: Mapping[str, str], outs: Mapping[str, IO[bytes]]) -> Counter[str]:
    """Write each row of a file into its part; return how many rows each got."""
    found: Counter[str] = Counter()
    for out in outs.values():
        out.write(cut.start.encode())
    for name, text in _rows_of_parts(cut, part_of):
        if found[name]:
            outs[name].write(cut.between.encode())
        outs[name].write(text.encode())
        found[name] += 1
    for out in outs.values():
        out.write(cut.end.encode())
    return found


def _rows_of_parts(cut: DataRows, part_of: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    return ((part_of[row.name], row.text) for row in cut.rows() if part_of[row.name])
