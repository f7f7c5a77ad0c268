"""Problems of decoded files, gathered with their places; a place is a JSON pointer with the dialogue's id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.decoded import is_text, shown
from duologue.core.findings import Findings
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

COUNT_LIMIT = 10**9
"""No offset and no number of a turn reaches it."""


def text_wanted(value: Any, *, empty: bool = True) -> str:
    r"""Return in words what is expected of a value that is no text, or one that UTF-8 cannot say.

    >>> text_wanted(1), text_wanted("", empty=False), text_wanted("x\ud800")
    ('a text', 'a text that is not empty', 'a text without half surrogate pairs')
    """
    if isinstance(value, str) and value:
        return "a text without half surrogate pairs"
    return "a text" if empty else "a text that is not empty"


def is_count(value: Any) -> bool:
    """Tell whether a decoded value is an integer of 0 or more that can be an offset; `true` is none."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < COUNT_LIMIT


class Faults:
    """Gathers the problems of a file; of more than 1,000 the others are counted (`core.findings`)."""

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self._found = Findings()
        self.place = ""
        """Where in the file the next problems are: pointer and dialogue."""
        self.errors = 0
        """How many of the problems are errors."""
        self.whole = False
        """Whether the file is known to hold no half surrogate pair, which only an escape can bring in."""
        self.take(problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems so far."""
        return self._found.problems()

    def take(self, problems: Iterable[Problem]) -> None:
        """Note problems that are known already."""
        for problem in problems:
            self.errors += problem.severity == "error"
            self._found.add(problem)

    def is_text(self, value: Any) -> bool:
        """Tell whether a decoded value is a text of whole characters."""
        return isinstance(value, str) and (self.whole or is_text(value))

    def are_texts(self, values: list[Any]) -> bool:
        """Tell whether all of some decoded values are texts of whole characters."""
        return {str}.issuperset(map(type, values)) if self.whole else all(map(is_text, values))

    def enter(self, number: int, name: Any) -> None:
        """Go to the dialogue at index `number` of the file."""
        self.place = f"dialogue {shown(name)}, /{number}" if isinstance(name, str) and name else f"/{number}"

    def add(self, rule: str, pointer: str, message: str, advice: str = "", *, severity: str = "error") -> None:
        """Note a problem at `pointer` within the dialogue."""
        problem = Problem(rule=rule, place=self.place + pointer, message=message, advice=advice, severity=severity)
        self.take([problem])

    def warn(self, rule: str, pointer: str, message: str, advice: str = "") -> None:
        """Note a problem that refuses nothing."""
        self.add(rule, pointer, message, advice, severity="warning")

    def expect_text(self, row: dict[str, Any], key: str, rule: str, pointer: str, *, empty: bool = False) -> bool:
        """Note where `row[key]` is missing or no text, and tell whether it is one."""
        value = row.get(key)
        if self.is_text(value) and (empty or value):
            return True
        expected = text_wanted(value, empty=empty)
        found = f"is {shown(value)}" if key in row else "is missing"
        self.add(rule, pointer, f"'{key}' {found}, expected {expected}")
        return False

    def expect_texts(
        self, row: dict[str, Any], keys: tuple[str, ...], rule: str, pointer: str, *, empty: bool = False
    ) -> bool:
        """Note each of the keys that is missing or holds no text, and tell whether all are texts."""
        if self.whole:  # nearly every file: one look at a row in which all is well
            for key in keys:
                value = row.get(key)
                if value.__class__ is not str or not (value or empty):
                    break
            else:
                return True
        found = [self.expect_text(row, key, rule, pointer, empty=empty) for key in keys]
        return all(found)


def open_rows(rows: Any, faults: Faults) -> list[Any]:
    """Return the rows of a file, none when it holds no list."""
    if isinstance(rows, list):
        return rows
    faults.add("not-a-list", "", f"the file holds {shown(rows)}, expected a list of dialogues")
    return []


def row_id(row: dict[str, Any], faults: Faults) -> str | None:
    """Return a row's `id` and note where it is missing or no text."""
    name = row.get("id")
    if name is None:
        faults.add("dialog-id-missing", "", "there is no 'id'")
        return None
    if not is_text(name) or not name:
        faults.add("dialog-id-type", "/id", f"'id' is {shown(name)}, expected {text_wanted(name, empty=False)}")
        return None
    assert isinstance(name, str)
    return name


def fresh_id(name: str, taken: set[str], faults: Faults) -> str:
    """Return the name for a data row, told apart with `~2`, `~3`, ... where the file has it before, with a warning."""
    found, times = name, 1
    while found in taken:
        times += 1
        found = f"{name}~{times}"
    if times > 1:
        faults.warn("dialog-id-repeated", "/id", f"an earlier dialogue has the same id; this one is called {found!r}")
    taken.add(found)
    return found
