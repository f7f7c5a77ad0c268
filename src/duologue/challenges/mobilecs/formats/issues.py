"""Collects the problems of a decoded file, each with its dialogue id and JSON pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.ontology import SPEAKERS, USER_TEXT
from duologue.core.decoded import is_text, shown
from duologue.core.problems import ProblemCollector
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

_KEYS_TOLD = 5
COUNT_LIMIT = 10**9
"""Exclusive upper bound of offsets and turn numbers."""

_PRODUCT = {"type", "name", "fee", "volume", "labelled"}
"""Keys that tell a product of a generated corpus's catalogue from a dialogue."""


def expected_text(value: Any, *, empty: bool = True) -> str:
    r"""Return a description of the expected text, for a value that is no text or not encodable as UTF-8.

    >>> expected_text(1), expected_text("", empty=False), expected_text("x\ud800")
    ('a text', 'a text that is not empty', 'a text without half surrogate pairs')
    """
    if isinstance(value, str) and value:
        return "a text without half surrogate pairs"
    return "a text" if empty else "a text that is not empty"


def odd_field(row: dict[str, Any], name: str, expected: str) -> str:
    """Return what is wrong with a field that is not as expected, or not there.

    >>> odd_field({"id": 1}, "content", "a list"), odd_field({"content": None}, "content", "a list")
    ("there is no 'content', expected a list; found 'id'", "'content' is null, expected a list")
    """
    if name in row:
        return f"'{name}' is {shown(row[name])}, expected {expected}"
    found = f"; found {', '.join(map(shown, list(row)[:_KEYS_TOLD]))}" if row else ""
    return f"there is no '{name}', expected {expected}{found}"


def is_count(value: Any) -> bool:
    """Tell whether a decoded value is a valid offset: an integer from 0, not `true`."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < COUNT_LIMIT


class Issues:
    """Problems of a file with their places; those beyond 1,000 are only counted (`core.findings`)."""

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self._found = ProblemCollector()
        self.place = ""
        """Place of the next problems: dialogue and pointer."""
        self.errors = 0
        """Number of errors among the problems."""
        self.whole = False
        """Whether the file is known to have no lone surrogates, which only an escape can produce."""
        self.take(problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems so far."""
        return self._found.problems()

    def take(self, problems: Iterable[Problem]) -> None:
        """Add problems."""
        for problem in problems:
            self.errors += problem.severity == "error"
            self._found.add(problem)

    def is_text(self, value: Any) -> bool:
        """Tell whether a decoded value is a text without lone surrogates."""
        return isinstance(value, str) and (self.whole or is_text(value))

    def are_texts(self, values: list[Any]) -> bool:
        """Tell whether all decoded values are texts without lone surrogates."""
        return {str}.issuperset(map(type, values)) if self.whole else all(map(is_text, values))

    def enter(self, number: int, name: Any) -> None:
        """Set the place to the dialogue at index `number` of the file."""
        self.place = f"dialogue {shown(name)}, /{number}" if isinstance(name, str) and name else f"/{number}"

    def add(self, rule: str, pointer: str, message: str, advice: str = "", *, severity: str = "error") -> None:
        """Add a problem at `pointer` within the dialogue."""
        problem = Problem(rule=rule, place=self.place + pointer, message=message, advice=advice, severity=severity)
        self.take([problem])

    def warn(self, rule: str, pointer: str, message: str, advice: str = "") -> None:
        """Add a warning."""
        self.add(rule, pointer, message, advice, severity="warning")

    def expect_text(self, row: dict[str, Any], key: str, rule: str, pointer: str, *, empty: bool = False) -> bool:
        """Add a problem if `row[key]` is missing or no text, and tell whether it is a text."""
        value = row.get(key)
        if self.is_text(value) and (empty or value):
            return True
        expected = expected_text(value, empty=empty)
        found = f"is {shown(value)}" if key in row else "is missing"
        self.add(rule, pointer, f"'{key}' {found}, expected {expected}")
        return False

    def expect_texts(
        self, row: dict[str, Any], keys: tuple[str, ...], rule: str, pointer: str, *, empty: bool = False
    ) -> bool:
        """Add a problem for each key that is missing or no text, and tell whether all are texts."""
        if self.whole:  # nearly every file: a quick pass over valid rows
            for key in keys:
                value = row.get(key)
                if value.__class__ is not str or not (value or empty):
                    break
            else:
                return True
        found = [self.expect_text(row, key, rule, pointer, empty=empty) for key in keys]
        return all(found)


def open_rows(rows: Any, issues: Issues) -> list[Any]:
    """Return the rows of a file; none, with a problem, if it is no list, or a catalogue beside generated dialogues."""
    if isinstance(rows, list):
        if not (rows and isinstance(rows[0], dict) and rows[0].keys() >= _PRODUCT):
            return rows
        advice = "give a file of dialogues, as `generate` writes them below labelled/ and track2/"
        issues.add("item-not-object", "", "the file is a catalogue of products and has no dialogues", advice)
        return []
    issues.add("not-a-list", "", f"the file holds {shown(rows)}, expected a list of dialogues")
    return []


def is_raw(row: dict[str, Any]) -> bool:
    """Tell whether a dialogue has turns of raw data, which say who speaks as no other form does.

    >>> is_raw({"content": [{"[SPEAKER 1]": "您好", "[SPEAKER 2]": "喂"}]}), is_raw({"content": [{"用户": "喂"}]})
    (True, False)
    """
    content = row.get("content")
    first = content[0] if isinstance(content, list) and content else None
    return isinstance(first, dict) and USER_TEXT not in first and any(key in first for key in SPEAKERS)


def row_id(row: dict[str, Any], issues: Issues) -> str | None:
    """Return the `id` of a row, or `None`, with a problem, if it is missing or no text."""
    name = row.get("id")
    if name is None:
        issues.add("dialog-id-missing", "", "there is no 'id'")
        return None
    if not is_text(name) or not name:
        issues.add("dialog-id-type", "/id", f"'id' is {shown(name)}, expected {expected_text(name, empty=False)}")
        return None
    assert isinstance(name, str)
    return name


def unique_id(name: str, taken: dict[str, int], issues: Issues) -> str:
    """Return a unique id for a data row: a repeated one gets the suffix `~2`, `~3`, ... and a warning.

    `taken` has the ids so far, each with the last suffix that it was given.
    """
    times = taken.get(name, 1)
    found = name
    while found in taken:
        times += 1
        found = f"{name}~{times}"
    if found != name:
        taken[name] = times
        issues.warn("dialog-id-repeated", "/id", f"an earlier dialogue has the same id; this one is called {found!r}")
    taken[found] = 1
    return found
