"""Slots of a domain file: names, values and wording, with drafts for what is left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from duologue.challenges.restaurant.schema import drafts
from duologue.challenges.restaurant.schema.domain import ITEM_FIELDS
from duologue.challenges.restaurant.schema.templates import RequestSlot, UtteranceTemplate
from duologue.core.errors import did_you_mean
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DRAWS = {"o": 1, "oo": 2, "new": 1, "half": 1, "check": 2, "any": 1, "anyany": 2}
"""How a hedge draws its values, and how many it names: `{a}`, or `{a}` and `{b}`."""
_KEYS = ("name", "noun", "question", "phrases", "answers", "hedges", "values", "other_values")
_NAME = re.compile(r"[a-z]{1,40}")
_NOUN = re.compile(r"[a-z]{1,40}(?: [a-z]{1,40}){0,3}")
VALUE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_PLACE = re.compile(r"\{([^{}]*)\}")
_PLAIN = re.compile(r"[a-z0-9{}' ,.:;?!-]+")
_LONGEST = 200
MAX_TEXTS = 50
"""Wordings for one thing; each of a slot is tried with each opening, in an expression of all of them."""
_MAX_VALUES = 20_000
"""Values of a slot: no more than there may be entities."""
_RESERVED = frozenset((*ITEM_FIELDS, "name", "silence"))


def bad_text(text: str, *, needed: Sequence[str], allowed: Sequence[str]) -> str:
    """Return what is wrong with a wording: its letters, its blanks, its placeholders; nothing when it is fine."""
    places = _PLACE.findall(text)
    if not text or len(text) > _LONGEST or not _PLAIN.fullmatch(text) or text != " ".join(text.split()):
        return f"is not a text of 1 to {_LONGEST} small letters, digits, blanks and , . : ; ? ! ' -, once blank each"
    if text.count("{") != len(places) or text.count("}") != len(places):
        return "has a brace without its partner"
    missing = [place for place in needed if place not in places]
    foreign = [place for place in places if place not in (*needed, *allowed)]
    if missing or foreign:
        return f"needs {_shown(needed)} and may have {_shown(allowed)}, found {_shown(places)}"
    if len(set(places)) != len(places):
        return "has a placeholder twice"
    if "{wait}" in text and not text.startswith("{wait} "):
        return "has {wait} elsewhere than at its beginning"
    if re.search(r"[^\s]\{|\}[^\s,.;:?!]", text):
        return "has a placeholder that is a part of a word"
    if re.search(r"\}[.;:?!]", text):
        return "has a mark other than a comma right behind a placeholder"
    return ""


def _is_draw(value: object) -> bool:
    return isinstance(value, str) and value in DRAWS


def _shown(places: Sequence[str]) -> str:
    return ", ".join(f"{{{place}}}" for place in places) or "no placeholder"


class SlotReader:
    """Reads one slot; `problems` has what is wrong with it."""

    def __init__(self, table: Mapping[str, Any], number: int, *, from_base: bool) -> None:
        self._table = table
        self.problems: list[Problem] = []
        name = table.get("name")
        self._place = f"slot '{name}'" if isinstance(name, str) else f"slot {number}"
        for key in table:
            if key not in _KEYS:
                self._add("domain-key", f"unknown key '{key}'{did_you_mean(key, _KEYS)}", "leave it out")
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in _RESERVED:
            self._add("slot-name", f"found {name!r}", "give a word of small letters, no field that all have")
            name = f"slot{number}"
        noun = table.get("noun", name)
        if "noun" in table and not (isinstance(noun, str) and _NOUN.fullmatch(noun)):
            self._add("domain-type", f"noun: found {noun!r}", "give one to four words of small letters")
            noun = name
        self.values = self._values("values")
        self.other_values = self._values("other_values")
        hedges = self._hedges()
        self.slot = RequestSlot(
            name=name,
            phrases=self._texts("phrases", drafts.draft_phrases(noun), needed=("new",), allowed=()),
            question=self._question(noun),
            answers=self._answers(),
            hedges=drafts.draft_hedges(len(self.values) or len(drafts.HEDGES)) if hedges is None else hedges,
        )
        least = 3 if self.slot.hedges else 2
        for key, values in (("values", self.values), ("other_values", self.other_values)):
            wanted = key == "values" and not from_base
            if len(values) < least and (values or wanted or key in table):
                self._add("slot-values", f"{key}: {len(values)} are too few", f"give at least {least}")

    def _add(self, rule: str, message: str, advice: str) -> None:
        self.problems.append(Problem(rule=rule, place=self._place, message=message[:240], advice=advice))

    def _too_many(self, key: str, found: Sequence[object]) -> bool:
        if len(found) > MAX_TEXTS:
            self._add("domain-type", f"{key}: found {len(found):,} texts", f"give at most {MAX_TEXTS}")
        return len(found) > MAX_TEXTS

    def _values(self, key: str) -> tuple[str, ...]:
        found = self._table.get(key, [])
        if not isinstance(found, list):
            self._add("domain-type", f"{key}: found {type(found).__name__}", "expected a list of texts")
            return ()
        bad = [one for one in found if not isinstance(one, str) or not VALUE.fullmatch(one)]
        if bad:
            self._add("slot-values", f"{key}: found {bad[0]!r}", "values are single words of a-z, 0-9 and hyphens")
        if len(found) > _MAX_VALUES:
            self._add("slot-values", f"{key}: {len(found):,} are too many", f"give at most {_MAX_VALUES:,}")
            return ()
        fit = [one for one in found if isinstance(one, str) and VALUE.fullmatch(one)]
        if len(set(fit)) != len(fit):
            self._add("slot-values", f"{key}: a value stands there twice", "give each once")
        return tuple(dict.fromkeys(fit))

    def _question(self, noun: str) -> str:
        text = self._table.get("question", drafts.draft_question(noun))
        wrong = bad_text(text, needed=(), allowed=()) if isinstance(text, str) else "is no text"
        if wrong:
            self._add("slot-wording", f"question: {text!r} {wrong}", "change the text")
            return ""
        return str(text)

    def _texts(
        self, key: str, draft: tuple[str, ...], *, needed: tuple[str, ...], allowed: tuple[str, ...]
    ) -> tuple[str, ...]:
        found = self._table.get(key)
        if found is None:
            return draft
        if not isinstance(found, list) or not found or not all(isinstance(one, str) for one in found):
            self._add("domain-type", f"{key}: found {found!r}", "expected a list of texts, or leave it out for drafts")
            return draft
        if self._too_many(key, found):
            return draft
        for text in found:
            wrong = bad_text(text, needed=needed, allowed=allowed)
            if wrong:
                self._add("slot-wording", f"{key}: '{text}' {wrong}", "change the text")
        return tuple(found)

    def _answers(self) -> tuple[UtteranceTemplate, ...]:
        draft = tuple(one.text for one in drafts.draft_answers())
        texts = self._texts("answers", draft, needed=("new",), allowed=("o", "wait"))
        return tuple(UtteranceTemplate(text=text) for text in texts)

    def _hedges(self) -> tuple[UtteranceTemplate, ...] | None:
        """Return the hedges; `None` where they are left out, so that drafts serve."""
        found = self._table.get("hedges")
        if found is None:
            return None
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            self._add("domain-type", f"hedges: found {found!r}", 'expected [{ text = "...", draw = "o" }]')
            return None
        if self._too_many("hedges", found):
            return None
        hedges = []
        for one in found:
            text, draw, weight = one.get("text", ""), one.get("draw", "o"), one.get("weight", 1)
            odd = one.keys() - {"text", "draw", "weight"}
            if (
                odd
                or not isinstance(text, str)
                or not _is_draw(draw)
                or type(weight) is not int
                or not 0 < weight < 100
            ):
                self._add("domain-type", f"hedge {one!r}", f"text, draw ({', '.join(DRAWS)}), weight from 1 to 99")
                continue
            wrong = bad_text(text, needed=("a", "b")[: DRAWS[draw]], allowed=("wait",))
            if wrong:
                self._add("slot-wording", f"hedge: '{text}' {wrong}", "change the text")
            hedges.append(UtteranceTemplate(text=text, draw=draw, weight=weight))
        return tuple(hedges)
