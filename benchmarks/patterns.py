"""How the time of every regular expression of the package grows with texts made to make it slow.

    python benchmarks/patterns.py [--only WORD] [--all]

Finds all patterns: those that modules hold, and those written in functions. From the parsed structure of each it makes
texts that repeat what the pattern repeats and then fail, and searches texts of growing size. Prints those whose time
grows faster than the text (with `--all`, every pattern), and exits with 1 when there are any.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import math
import pkgutil
import re
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]  # there is no public way to the structure
from typing import TYPE_CHECKING, Any, NamedTuple

import duologue
from duologue.core.errors import DuologueError

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (1 << 9, 1 << 11, 1 << 13)
"""Characters of the texts."""
LINEAR = 1.5
"""A greater growth is no longer about linear: 1 is linear, 2 quadratic."""
MIN_SECONDS = 0.02
"""What takes less at the largest size is not told from nothing."""
_FEW = 8
"""What is repeated no more often takes no time."""
_PATIENCE_SECONDS = 1.0
_ENDS = ("", "!", "\x00", "\n", "a", "字")
"""What may make a pattern fail behind what it repeats."""
_EXAMPLES = "a1 \n字\t-_.,:;'\"<>&/=@#()[]{}|\\+*?!$%^~`Zé\x00"
_FUNCTIONS = {"compile", "search", "match", "fullmatch", "sub", "subn", "findall", "finditer", "split"}


class Found(NamedTuple):
    """A pattern and where it stands."""

    place: str
    pattern: re.Pattern[Any]
    anchored: bool
    """Whether it is only used at one place of a text (`match`, `fullmatch`), never to search it."""


class Growth(NamedTuple):
    """The worst that was found for a pattern."""

    exponent: float
    """Time grows as the size of the text to this power; 0 where it is too little to tell."""
    seconds: float
    text: str
    """How the text begins."""


def main() -> int:
    """Attack all patterns and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only patterns of modules that hold this word")
    parser.add_argument("--all", action="store_true", help="print every pattern")
    options = parser.parse_args()
    slow = total = 0
    print("| module | pattern | growth | s at 8,192 | text |\n|---|---|---|---|---|")
    for found in patterns():
        if options.only not in found.place:
            continue
        growth = attack(found)
        total += 1
        slow += growth.exponent > LINEAR
        if options.all or growth.exponent > LINEAR:
            shown = repr(found.pattern.pattern)[:60].replace("|", "\\|")
            text = repr(growth.text)[:40].replace("|", "\\|")
            print(
                f"| {found.place} | `{shown}` | {growth.exponent:.1f} | {growth.seconds:.3f} | `{text}` |", flush=True
            )
    print(f"\n{total} patterns, {slow} worse than about linear")
    return int(slow > 0)


def patterns() -> list[Found]:
    """Return every pattern of the package once, by the modules that can be imported here and by their source."""
    found: dict[tuple[Any, int], Found] = {}
    for info in pkgutil.walk_packages(duologue.__path__, "duologue."):
        if info.name.endswith(".migrations.env"):  # Alembic runs it; it is nothing to import
            continue
        source = _source(info)
        for pattern, anchored in (*_held(info.name, source), *_written(source)):
            key = (pattern.pattern, pattern.flags)
            here = Found(info.name.removeprefix("duologue."), pattern, anchored)
            if key not in found or (found[key].anchored and not anchored):
                found[key] = here
    return list(found.values())


def _source(info: pkgutil.ModuleInfo) -> str:
    base = Path(duologue.__path__[0], *info.name.split(".")[1:])
    path = base / "__init__.py" if info.ispkg else base.with_suffix(".py")
    return path.read_text(encoding="utf-8")


def _held(module: str, source: str) -> Iterator[tuple[re.Pattern[Any], bool]]:
    """Yield the patterns that a module holds; what it imported from another one counts there."""
    try:
        names = vars(importlib.import_module(module))
    except (ImportError, DuologueError):  # an extra is missing
        return
    for name, value in list(names.items()):
        if re.search(rf"^{name}\b", source, re.MULTILINE):
            uses = set(re.findall(rf"\b{name}\b(?:\.(\w+))?", source)) - {""}
            anchored = isinstance(value, re.Pattern) and bool(uses) and uses <= {"match", "fullmatch", "pattern"}
            for pattern in _inside(value, 0):
                yield pattern, anchored


def _inside(value: object, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 3 and isinstance(value, dict):
        for one in value.values():
            yield from _inside(one, depth + 1)
    elif depth < 3 and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _inside(one, depth + 1)


def _written(source: str) -> Iterator[tuple[re.Pattern[Any], bool]]:
    """Yield the patterns that stand in calls of `re` within functions as they are."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef | ast.Lambda):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FUNCTIONS:
                owner, first = node.func.value, node.args[0] if node.args else None
                if isinstance(owner, ast.Name) and owner.id == "re" and isinstance(first, ast.Constant):
                    yield re.compile(first.value), node.func.attr in {"match", "fullmatch"}


def attack(found: Found, sizes: tuple[int, ...] = SIZES, least: float = MIN_SECONDS) -> Growth:
    """Return how the time of the worst text grows."""
    worst = Growth(0.0, 0.0, "")
    for prefix, pump in dict.fromkeys(_pumps(found.pattern)):
        for end in _ENDS:
            for unit, before in ((pump, prefix), (prefix + pump, "")):
                texts = [before + unit * (size // len(unit)) + end for size in sizes]
                grown = _growth(found, texts, least)
                worst = max(worst, grown)
                if worst.exponent > LINEAR + 0.3:
                    return worst
    return worst


def _growth(found: Found, made: list[str], least: float) -> Growth:
    """Time a search and a full match in texts of growing size."""
    is_bytes = isinstance(found.pattern.pattern, bytes)
    inputs: list[Any] = [one.encode("utf-8", "replace") if is_bytes else one for one in made]
    if _seconds(found, inputs[-1]) < least:
        return Growth(0.0, 0.0, made[0][:40])
    spent = [min(_seconds(found, one) for _ in range(2)) for one in inputs]
    if spent[-2] > _PATIENCE_SECONDS / 2:  # it was stopped, or would be
        return Growth(math.inf, spent[-1], made[0][:40])
    if spent[-1] < least:
        return Growth(0.0, spent[-1], made[0][:40])
    exponent = math.log(spent[-1] / max(spent[-2], 1e-5)) / math.log(len(inputs[-1]) / len(inputs[-2]))
    return Growth(exponent, spent[-1], made[0][:40])


def _seconds(found: Found, text: Any) -> float:
    start = time.process_time()
    with _limited():
        found.pattern.match(text)
        found.pattern.fullmatch(text)
        for _ in () if found.anchored else found.pattern.finditer(text):
            pass
    return time.process_time() - start


@contextmanager
def _limited() -> Iterator[None]:
    """Stop what takes longer than anybody waits: the time until then tells enough."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE_SECONDS)
    try:
        yield
    except TimeoutError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _pumps(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """Yield, for each repeated part, an example of what stands before it and one of what it repeats."""
    parsed = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    yield from _within(list(parsed), "")


def _within(items: list[Any], before: str) -> Iterator[tuple[str, str]]:
    text = before
    for op, value in items:
        if str(op).endswith("REPEAT") and value[1] > _FEW:
            yield from ((text[-40:], example) for example in _examples(list(value[2])) if example)
        for part in _parts(str(op), value):
            yield from _within(part, text)
        text += _example([(op, value)])


def _parts(name: str, value: Any) -> list[list[Any]]:
    """Return the sequences that a parsed item holds."""
    if name.endswith("REPEAT"):
        return [list(value[2])]
    if name == "BRANCH":
        return [list(branch) for branch in value[1]]
    if name in {"SUBPATTERN", "ASSERT", "ASSERT_NOT"}:
        return [list(value[-1])]
    return [list(value)] if name == "ATOMIC_GROUP" else []


def _examples(items: list[Any]) -> list[str]:
    """Return texts that a sequence matches: one, and the alternatives of its first set or branch."""
    found = [_example(items)]
    if len(items) == 1:
        op, value = items[0]
        if str(op) == "IN":
            found += [one for one in _EXAMPLES if _is_in(one, value)][:6]
        elif str(op) == "BRANCH":
            found += [_example(list(branch)) for branch in value[1]]
        elif str(op) == "SUBPATTERN":
            found += _examples(list(value[-1]))
        elif str(op) in {"ANY", "NOT_LITERAL"}:
            found += list(_EXAMPLES[:6])
    return list(dict.fromkeys(found))


def _example(items: list[Any]) -> str:
    """Return a text that a sequence of parsed items matches, look-arounds and references apart."""
    text = ""
    for op, value in items:
        name = str(op)
        if name == "LITERAL":
            text += chr(value)
        elif name == "NOT_LITERAL":
            text += "b" if value == ord("a") else "a"
        elif name == "ANY":
            text += "a"
        elif name == "IN":
            text += next((one for one in _EXAMPLES if _is_in(one, value)), _first(value))
        elif name.endswith("REPEAT"):
            least, most, body = value
            text += _example(list(body)) * max(least, min(1, most))
        elif name == "SUBPATTERN":
            text += _example(list(value[-1]))
        elif name == "BRANCH":
            text += _example(list(value[1][0]))
        elif name == "ATOMIC_GROUP":
            text += _example(list(value))
    return text


def _first(ranges: list[Any]) -> str:
    for op, value in ranges:
        if str(op) == "LITERAL":
            return chr(value)
        if str(op) == "RANGE":
            return chr(value[0])
    return "a"


def _is_in(character: str, ranges: list[Any]) -> bool:
    code = ord(character)
    within = negated = False
    for op, value in ranges:
        name = str(op)
        if name == "NEGATE":
            negated = True
        elif name == "LITERAL":
            within |= code == value
        elif name == "RANGE":
            within |= value[0] <= code <= value[1]
        elif name == "CATEGORY":
            within |= re.fullmatch(_CATEGORIES[value], character) is not None
    return within != negated


_CATEGORIES = {
    _constants.CATEGORY_DIGIT: r"\d",
    _constants.CATEGORY_NOT_DIGIT: r"\D",
    _constants.CATEGORY_SPACE: r"\s",
    _constants.CATEGORY_NOT_SPACE: r"\S",
    _constants.CATEGORY_WORD: r"\w",
    _constants.CATEGORY_NOT_WORD: r"\W",
}


if __name__ == "__main__":
    sys.exit(main())
