"""Mutation of decoded JSON: values, members, shapes, and the odd text that a strict reader must survive."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

ODD_TEXTS = (
    "", " ", "\t", "\n", "\r\n", "\x00", "\x1b[31mred\x1b[0m", "\x07\x08\x7f", "\x85", "\x1d", "\u2028", "\u3000",
    "\ufeff", "\ud800", "\udfffx", "a\udc80b", "\u202eabc", "e\u0301", "\U0001f468\u200d\U0001f469", "\U00020000",
    "１２", "²", "٣", "NA", "null", "none", "nan", "inf", "-1", "0", "1e999", "True", "__class__",
    "../canary/secret.json", "/", "\\", "a/b", "~", ".", "..", "<b>&amp;</b>", "</script><script>1</script>", "%s%n",
    "{0}", "{{x}}", "$(x)", "`x`", "'\"", "S: ", "U:", "S_REF: x", "[bold]", "[/]", "#", ";", ",", "\\ud800", "=1+1",
    "x" * 300, "字" * 5000, "a b " * 30000, "(" * 3000, "<w " * 4000,
)  # fmt: skip
"""Texts that break what was written for tidy ones."""
ODD_NUMBERS = (
    0, -1, 1, 2, -0.0, 0.5, 1e308, -1e308, 1e-320, float("nan"), float("inf"), float("-inf"),
    2**31, 2**53 + 1, -(2**63), 2**63, 2**64, 10**30, 10**400,
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (None, True, False, [], [[]], [None], ["x"], {"": ""})
MODEST_NUMBERS = (0, -1, 1, 2, 3, -0.0, 0.5, 1.5, float("nan"), float("inf"), -(2**63), -(10**30))
"""Numbers that do not ask for much work."""


class Members(list[tuple[str, Any]]):
    """An object of JSON: its members in order, names may stand twice."""


def parsed(text: str) -> Any:
    """Return decoded JSON with objects as `Members`. Raises `ValueError`."""
    return json.loads(text, object_pairs_hook=Members)


def written(value: Any, rng: Random) -> str:
    """Return JSON text of a tree, in one of the styles that writers have."""
    ascii_only = rng.random() < 0.5
    gap = rng.choice(("", " ", " ", "\n "))

    def render(one: Any) -> Iterator[str]:
        if isinstance(one, Members):
            yield "{"
            for place, (name, inner) in enumerate(one):
                yield ("," + gap if place else "") + json.dumps(name, ensure_ascii=ascii_only) + ":" + gap.strip("\n")
                yield from render(inner)
            yield "}"
        elif isinstance(one, list):
            yield "["
            for place, inner in enumerate(one):
                yield "," + gap if place else ""
                yield from render(inner)
            yield "]"
        elif isinstance(one, Deep):
            yield one.opening * one.depth + "0" + one.closing * one.depth
        elif isinstance(one, int) and not isinstance(one, bool) and abs(one) > 10**300:
            yield ("-" if one < 0 else "") + "1" + "0" * 400
        else:
            yield json.dumps(one, ensure_ascii=ascii_only)

    return "".join(render(value))


class Deep:
    """Brackets within brackets, too many for a reader that calls itself."""

    def __init__(self, opening: str, closing: str, depth: int) -> None:
        self.opening = opening
        self.closing = closing
        self.depth = depth


class Place:
    """Where a value stands in a tree: it can be read, replaced, removed and doubled there."""

    def __init__(self, holder: list[Any], index: int) -> None:
        self.holder = holder
        self.index = index

    @property
    def value(self) -> Any:
        """The value itself, without its name."""
        found = self.holder[self.index]
        return found[1] if isinstance(self.holder, Members) else found

    @value.setter
    def value(self, new: Any) -> None:
        if isinstance(self.holder, Members):
            self.holder[self.index] = (self.holder[self.index][0], new)
        else:
            self.holder[self.index] = new


def places(tree: list[Any]) -> list[Place]:
    """Return all places below a tree; the tree is a list or `Members`."""
    found: list[Place] = []
    waiting: list[list[Any]] = [tree]
    while waiting:
        holder = waiting.pop()
        for index in range(len(holder)):
            place = Place(holder, index)
            found.append(place)
            if isinstance(place.value, list):
                waiting.append(place.value)
    return found


def mutate(tree: Any, rng: Random, *, modest: bool = False) -> Any:
    """Return the tree with one place changed; `modest` leaves out numbers that honestly ask for much work."""
    root: list[Any] = [tree]
    found = places(root)
    leaves = [place for place in found if not isinstance(place.value, list)]
    place = rng.choice(leaves) if leaves and rng.random() < 0.6 else rng.choice(found)
    _CHANGES[rng.choices(range(len(_CHANGES)), _WEIGHTS)[0]](place, found, rng, modest)
    return root[0] if root else None


def odd_text(text: str, rng: Random) -> str:
    """Return a text with something odd in it, or in its place."""
    odd = rng.choice(ODD_TEXTS)
    at = rng.randrange(len(text) + 1)
    return rng.choice((odd, text[:at] + odd + text[at:], text + odd, odd + text, text[:at], text * 2, text.upper()))


_LARGEST = 10**300
"""An integer beyond this may have no float."""


def _replace(place: Place, _: list[Place], rng: Random, modest: bool) -> None:  # noqa: FBT001  # one shape for all changes
    numbers = MODEST_NUMBERS if modest else ODD_NUMBERS
    place.value = deepcopy(rng.choice((rng.choice(ODD_TEXTS), rng.choice(numbers), rng.choice(ODD_VALUES))))


def _text(place: Place, _: list[Place], rng: Random, modest: bool) -> None:  # noqa: FBT001  # one signature for all edits
    value = place.value
    if isinstance(value, str):
        place.value = odd_text(value, rng)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        numbers = MODEST_NUMBERS if modest else ODD_NUMBERS
        real = float(value) if abs(value) < _LARGEST else 0.5
        place.value = rng.choice((value + 1, value - 1, -value, str(value), real, rng.choice(numbers)))
    else:
        place.value = rng.choice((None, "", [value], []))


def _delete(place: Place, _: list[Place], __: Random, ___: bool) -> None:  # noqa: FBT001  # one signature for all edits
    del place.holder[place.index]


def _double(place: Place, _: list[Place], rng: Random, ___: bool) -> None:  # noqa: FBT001  # one signature for all edits
    times = rng.choice((1, 1, 1, 2, 40))
    place.holder[place.index : place.index] = [place.holder[place.index]] * times


def _retype(place: Place, _: list[Place], rng: Random, ___: bool) -> None:  # noqa: FBT001  # one signature for all edits
    value = place.value
    new: list[Any] = [[value], Members([("x", value)]), str(value)[:500]]
    if isinstance(value, Members):
        new += [[inner for _, inner in value], [[name, inner] for name, inner in value]]
    elif isinstance(value, list) and value:
        new += [value[0], Members((str(place), inner) for place, inner in enumerate(value))]
    elif isinstance(value, str):
        new += [list(value[:50]), len(value)]
        new += [float(value)] if value.strip().isdecimal() and value.isascii() else []
    place.value = rng.choice(new)


def _nest(place: Place, _: list[Place], rng: Random, ___: bool) -> None:  # noqa: FBT001  # one signature for all edits
    opening, closing = rng.choice((("[", "]"), ('{"x":', "}")))
    place.value = Deep(opening, closing, rng.choice((5, 60, 300, 1100, 5000, 60000)))


def _from_elsewhere(place: Place, found: list[Place], rng: Random, _: bool) -> None:  # noqa: FBT001  # one signature for all edits
    other = rng.choice(found)
    mine, theirs = place.value, other.value
    if not _holds(theirs, place.holder):
        place.value = theirs
    if rng.random() < 0.5 and not _holds(mine, other.holder):
        other.value = mine


def _holds(value: Any, holder: list[Any]) -> bool:
    """Whether a value holds the list in which it would be put: such a tree has no end."""
    if value is holder:
        return True
    return isinstance(value, list) and any(place.value is holder for place in places(value))


def _rename(_: Place, found: list[Place], rng: Random, __: bool) -> None:  # noqa: FBT001  # one signature for all edits
    named = [one for one in found if isinstance(one.holder, Members)]
    if not named:
        return
    one = rng.choice(named)
    name, value = one.holder[one.index]
    others = [other.holder[other.index][0] for other in named]
    one.holder[one.index] = (rng.choice((rng.choice(others), odd_text(name, rng), rng.choice(ODD_TEXTS))), value)


def _add(place: Place, _: list[Place], rng: Random, __: bool) -> None:  # noqa: FBT001  # one signature for all edits
    name = rng.choice(("x", "id", "", "dialog_id", "attrs", "__class__"))
    value: Any = rng.choice((None, 1, "x", [], {}))
    place.holder.insert(place.index, (name, value) if isinstance(place.holder, Members) else value)


def _reorder(place: Place, _: list[Place], rng: Random, ___: bool) -> None:  # noqa: FBT001  # one signature for all edits
    order = sorted(range(len(place.holder)), key=lambda _: rng.random())
    place.holder[:] = [place.holder[at] for at in order]


_CHANGES = (_replace, _text, _delete, _double, _retype, _nest, _from_elsewhere, _rename, _add, _reorder)
_WEIGHTS = (5, 6, 4, 3, 3, 1, 4, 3, 1, 1)
