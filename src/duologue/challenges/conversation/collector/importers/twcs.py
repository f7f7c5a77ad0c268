"""Importer of the "Customer Support on Twitter" table: 2.8 million rows in bounded memory (specification, section 4.2).

Its ids are anonymous and not in time order, while stores and extraction sort by id. A post's new id is its second since
1970 in the upper 31 bits and its old id in the lower 32: in time order, unique, the same for every part of the table.
Posts that are referred to and not in the file keep their old ids, which are smaller than all new ones.

The table has no display names, languages or marks of truncation: names are empty, the language is the one given, and
nothing counts as truncated. Handles are companies' names or anonymous numbers; a number is also its author's id.
"""

from __future__ import annotations

import csv
import hashlib
from array import array
from calendar import timegm
from codecs import getincrementaldecoder
from collections.abc import Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from duologue.challenges.conversation.collector.importers.insertion import ImportResult
from duologue.challenges.conversation.collector.privacy import ThreadAnonymisers
from duologue.challenges.conversation.formats.posts import MONTHS
from duologue.core import disk
from duologue.core.disk import Source
from duologue.core.errors import FormatError
from duologue.core.problems import ProblemCollector
from duologue.core.records import Problem
from duologue.store.threads import rebuild
from duologue.text.anonymiser import Anonymiser

if TYPE_CHECKING:
    from _csv import Reader as _Reader
    from collections.abc import Iterator
    from pathlib import Path

    from duologue.core.protocols import Progress
    from duologue.store.posts import PostBase

COLUMNS = ["tweet_id", "author_id", "inbound", "created_at", "text", "response_tweet_id", "in_response_to_tweet_id"]
_LONGEST_LINE = 1 << 20
"""Characters; the cells of a row have at most 131,072 each."""
_SHIFT = 32
_BOUND = 1 << _SHIFT
_LATEST = 1 << 31
_PORTION = 50_000
_DENSE = 1 << 26
_NONE = -1
_TIME = "Tue Sep 12 08:01:00 +0000 2017"
"""A time as Twitter writes it."""


class _Index:
    """Columns kept by the first pass: 20 bytes per row, and 4 per possible id."""

    def __init__(self) -> None:
        self.news = array("q")
        """New ids, by row."""
        self.answers = array("q")
        """Old ids of the posts answered, by row; -1 for none."""
        self.above = array("i")
        """Rows of the posts answered, by row; -1 for none, and for those that are not in the file."""
        self.roots = array("i")
        """Roots of the rows gone through so far, by row; -1 for the others."""
        self.near = array("i", [_NONE]) * (1 << 12)
        """Rows by old id while ids are about as large as the table, as the real ones are; -1 for none."""
        self.far: dict[int, int] = {}
        """Rows of the ids beyond."""
        self.replies: dict[str, array[int]] = {}
        """Company -> rows of its replies."""
        self.companies: set[str] = set()
        """Names of all authors who have one."""

    def put(self, old: int, row: int) -> bool:
        """Register the row of an old id; return whether it is new."""
        if old >= _DENSE:
            return self.far.setdefault(old, row) == row
        if old >= len(self.near):
            self.near.extend(array("i", [_NONE]) * (min(_DENSE, 2 * old) - len(self.near)))
        if self.near[old] != _NONE:
            return False
        self.near[old] = row
        return True

    def link(self) -> None:
        """Resolve the parent rows, once all rows are known."""
        near, far, size = self.near, self.far, len(self.near)
        self.roots = array("i", [_NONE]) * len(self.answers)
        self.above = array(
            "i", (_NONE if old < 0 else near[old] if old < size else far.get(old, _NONE) for old in self.answers)
        )

    def root(self, row: int) -> int:
        """Return the root row of a thread, as far as it is in the file; of a ring, any row, always the same."""
        seen = {row}
        while (above := self.above[row]) != _NONE and above not in seen:
            if self.roots[above] != _NONE:
                row = self.roots[above]
                break
            seen.add(above)
            row = above
        for one in seen:
            self.roots[one] = row
        return row


class _Links(Mapping[int, int | None]):
    """Mapping view of rows to parent rows, without per-row objects."""

    def __init__(self, index: _Index) -> None:
        self._above = index.above

    def __getitem__(self, row: int) -> int | None:
        at = self._above[row]
        return None if at == _NONE else at

    def __contains__(self, row: object) -> bool:
        return True  # it is only asked about rows that it named itself

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._above)))

    def __len__(self) -> int:
        return len(self._above)


def import_twcs(
    base: PostBase,
    path: Path,
    *,
    language: str = "en",
    progress: Progress | None = None,
    keep_personal_data: bool = False,
) -> ImportResult:
    """Import the table, plain or gzip, with one dialogue per final reply of a company.

    Doing it again changes nothing; an import that was killed is taken up by doing it again. Texts are made anonymous
    unless `keep_personal_data`; people have numbers for names in the table already. Raises `FormatError` with
    all rows that are none of the table, and `StorageError` for what the disk refuses.
    """
    source = Source(path)
    index = _indexed(source, path)
    total = len(index.news)
    anonymiser = None if keep_personal_data else Anonymiser(keep=index.companies)
    values = _values(source, index, language, anonymiser)
    for start in range(0, total, _PORTION):
        base.add_plain(islice(values, _PORTION))
        if progress is not None:
            progress(min(total, start + _PORTION), total, "posts")
    dialogues = _thread(base, index, progress)
    replaced = None if anonymiser is None else anonymiser.replaced()
    return ImportResult(posts=total, dialogues=dialogues, accounts=len(index.replies), replaced=replaced)


def _values(source: Source, index: _Index, language: str, anonymiser: Anonymiser | None) -> Iterator[tuple[Any, ...]]:
    """Second pass: yield rows for `PostBase.add_plain`."""
    threads = None if anonymiser is None else ThreadAnonymisers(anonymiser, index.root)
    companies: dict[str, int] = {}
    news, answers, above = index.news, index.answers, index.above
    with _table(source) as table:
        for row, (_, author, _, created, text, _, _) in enumerate(table):
            number = int(author) if author.isdecimal() else companies.get(author)
            if number is None:
                number = companies[author] = _company_number(author)
            at = above[row]
            parent = news[at] if at != _NONE else None if answers[row] == _NONE else answers[row]
            said = text if anonymiser is None or threads is None else anonymiser.text(text, partial(threads.of, row))
            yield news[row], parent, created, said, language, number, author


def _thread(base: PostBase, index: _Index, progress: Progress | None) -> int:
    links, news = _Links(index), index.news
    dialogues = 0
    for done, account in enumerate(sorted(index.replies)):
        timeline = sorted(index.replies[account], key=news.__getitem__, reverse=True)
        made = rebuild({}, timeline, links)
        fresh = {news[last]: tuple(news[one] for one in rows) for last, rows in made.added.items()}
        base.add_dialogues((account, key, ids) for key, ids in fresh.items())
        dialogues += len(fresh)
        if progress is not None:
            progress(done + 1, len(index.replies), "accounts")
    return dialogues


def _indexed(source: Source, path: Path) -> _Index:
    """First pass: new ids, parents and companies. Raises `FormatError`."""
    index = _Index()
    findings = ProblemCollector()
    minutes: dict[str, int] = {}
    put, news, answered_by = index.put, index.news, index.answers
    with _table(source) as table:
        for cells in table:
            try:
                old, author, _, created, _, _, answers = cells
                number = int(old)
                minute = created[4:16] + created[19:]
                start = minutes.get(minute)
                if start is None:
                    start = minutes[minute] = _minute(created)
                seconds = start + int(created[17:19])
                answered = int(answers) if answers else _NONE
            except ValueError:
                findings.add(_problem(table, cells))
                continue
            if (
                not 0 <= number < _BOUND
                or not 0 <= seconds < _LATEST
                or not _NONE <= answered < _BOUND
                or not 0 < len(author) < 19
            ):
                findings.add(_problem(table, cells))
                continue
            row = len(news)
            if not put(number, row):
                message = f"tweet_id {number} is given twice"
                findings.add(Problem(rule="twcs-id", place=_place(table, cells), message=message))
                continue
            news.append(seconds << _SHIFT | number)
            answered_by.append(answered)
            if not author.isdecimal():
                index.companies.add(author)
                if answers:
                    index.replies.setdefault(author, array("i")).append(row)
    if problems := findings.problems():
        raise FormatError(path, problems)
    index.link()
    return index


@contextmanager
def _table(source: Source) -> Iterator[_Reader]:
    """Open the rows after the header. Raises `FormatError` for another header or invalid CSV."""
    reader = csv.reader(_lines(source), strict=True)
    try:
        header = next(reader, [])
        if header != COLUMNS:
            message = f"found the columns {', '.join(header)[:120] or 'none'}; expected {', '.join(COLUMNS)}"
            raise FormatError(source.path, [Problem(rule="twcs-columns", place="line 1", message=message)])
        yield reader
    except csv.Error as error:
        problem = Problem(rule="twcs-csv", place=f"line {reader.line_num}", message=f"not a CSV table: {error}")
        raise FormatError(source.path, [problem]) from error


def _lines(source: Source) -> Iterator[str]:
    """Yield the file's lines with their ends, without a byte order mark."""
    decoder = getincrementaldecoder("utf-8-sig")()
    rest = ""
    for piece in chain(source.pieces(), [b""]):
        try:
            text = rest + decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            disk.refuse_bytes(source.path, error)
        *lines, rest = text.split("\n")
        for line in lines:
            yield line + "\n"
        if len(rest) > _LONGEST_LINE:
            raise csv.Error(f"a line has more than {_LONGEST_LINE:,} characters")
    if rest:
        yield rest


def _minute(created: str) -> int:
    """Parse the minute of `Tue Sep 12 08:01:00 +0000 2017` to seconds since 1970.

    Raises `ValueError` for another form.
    """
    if len(created) != len(_TIME) or created[19:26] != " +0000 ":
        raise ValueError(created)
    month = 1 + MONTHS.index(created[4:7])
    return timegm((int(created[26:]), month, int(created[8:10]), int(created[11:13]), int(created[14:16]), 0))


def _company_number(name: str) -> int:
    """Return a company's author id: above all anonymous ids, and the same in every part of the table."""
    return (1 << 40) + int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")


def _place(table: _Reader, cells: list[str]) -> str:
    """Return where the row begins that was read last."""
    within = sum(cell.count("\n") for cell in cells)
    return f"line {table.line_num - within}"


def _problem(table: _Reader, cells: list[str]) -> Problem:
    if len(cells) != len(COLUMNS):
        message = f"found {len(cells)} cells, expected {len(COLUMNS)}"
    else:
        shown = ", ".join(repr(cells[at])[:40] for at in (0, 1, 3, 6))
        message = f"found {shown}; expected an id, an author, a time such as {_TIME}, and an id or nothing"
    return Problem(rule="twcs-row", place=_place(table, cells), message=message)
