"""Reader of a domain's TOML table: every rule that a domain keeps, all problems of a file at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.restaurant.formats.domain_facts import kb_problems
from duologue.challenges.restaurant.formats.domain_slots import MAX_TEXTS, SlotReader, bad_text
from duologue.challenges.restaurant.formats.domain_words import misread
from duologue.challenges.restaurant.knowledge.facts import read_facts
from duologue.challenges.restaurant.schema.domain import Domain, UserPolicy
from duologue.challenges.restaurant.schema.user_sentences import STANDARD, UserSentences
from duologue.core.errors import DuologueError, FormatError, did_you_mean
from duologue.core.records import Problem
from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from duologue.core.records import Fact

RULES = {
    "domain-key": "only the keys that a domain, its wording, policy and slots have",
    "domain-type": f"texts, lists of 1 to {MAX_TEXTS} texts and numbers where they are expected, none empty",
    "domain-name": "a name of small letters, digits and hyphens, other than `restaurant`",
    "domain-slots": "3 to 8 slots beside the unseen one",
    "domain-unseen": "the unseen slot is one of the slots",
    "domain-entities": "10 to 20,000 entities",
    "domain-policy": "chances from 0 to 1 and counts in their ranges",
    "domain-kb": "a bare file name in the domain's folder, of a knowledge base with all fields and numeric ratings",
    "slot-name": "a name of small letters, once, and none of the fields rating, phone, address, name",
    "slot-values": "at least 2 values, 3 with hedges, each once, of small letters, digits and hyphens, of one slot",
    "slot-wording": "placeholders as their place has them, a comma or blank around each, plain small letters",
    "wording-ambiguous": "each wording is read as what it is meant as, and each question is the bot's once",
}
"""Ids of the rules and what each demands."""
_KEYS = (
    "name", "thing", "keywords", "unseen", "entities", "name_words", "kb", "other_kb", "wording", "policy", "slots",
)  # fmt: skip
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_WORD = re.compile(r"[a-z]{1,40}")
_MAX_SLOTS, _MIN_SLOTS = 8, 3
_MAX_ENTITIES, _MIN_ENTITIES = 20_000, 10


class DomainReader:
    """Reads one table; `problems` has what is wrong with it."""

    def __init__(self, table: Mapping[str, Any], folder: Path) -> None:
        self._table, self._folder = table, folder
        self.problems: list[Problem] = []

    def read(self) -> Domain | None:
        """Return the domain, or `None` where there is too little to make one."""
        self._expect_keys(self._table, _KEYS, "the file")
        name = self._table.get("name", "")
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name == "restaurant":
            self._add("domain-name", "name", f"found {name!r}", "give one such as `cinema`")
        slots = self._slots()
        facts, other = self._facts("kb", slots), self._facts("other_kb", slots)
        wording, policy = self._wording(), self._policy()
        thing = self._table.get("thing", "place")
        if not isinstance(thing, str) or not _WORD.fullmatch(thing):
            self._add("domain-type", "thing", f"found {thing!r}", "expected one word of small letters")
        words = {key: self._words(key) for key in ("keywords", "name_words")}
        entities = self._table.get("entities", 400)
        if type(entities) is not int or not _MIN_ENTITIES <= entities <= _MAX_ENTITIES:
            self._add("domain-entities", "entities", f"found {entities!r}", "give a whole number from 10 to 20,000")
        unseen = self._unseen(slots)
        if self.problems or wording is None or policy is None:
            return None
        first = {one.slot.name: _values_in(facts, one.slot.name) or one.values for one in slots}
        second = {one.slot.name: _values_in(other, one.slot.name) or one.other_values for one in slots}
        domain = Domain(
            name=name,
            thing=thing,
            slots=tuple(one.slot for one in slots if one.slot.name != unseen),
            unseen=next((one.slot for one in slots if one.slot.name == unseen), None),
            values=first,
            other_values=second if other else {key: second[key] or first[key] for key in first},
            wording=wording,
            policy=policy,
            entities=entities,
            facts=facts,
            other_facts=other,
            **words,
        )
        self.problems += [
            Problem(rule="wording-ambiguous", place=place, message=message, advice="word it in another way")
            for place, message in misread(domain)
        ]
        return domain

    def _add(self, rule: str, place: str, message: str, advice: str) -> None:
        self.problems.append(Problem(rule=rule, place=place, message=message, advice=advice))

    def _expect_keys(self, table: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
        for key in table:
            if key not in known:
                self._add("domain-key", place, f"unknown key '{key}'{did_you_mean(key, known)}", "leave it out")

    def _slots(self) -> list[SlotReader]:
        tables = self._table.get("slots", [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            self._add("domain-type", "slots", f"found {type(tables).__name__}", "write each slot below [[slots]]")
            return []
        found = [SlotReader(table, number, from_base="kb" in self._table) for number, table in enumerate(tables, 1)]
        for one in found:
            self.problems += one.problems
        beside = len(found) - ("unseen" in self._table)
        if not _MIN_SLOTS <= beside <= _MAX_SLOTS:
            self._add("domain-slots", "slots", f"found {beside} beside the unseen one", "give 3 to 8")
        names: set[str] = set()
        owner: dict[str, str] = {}
        for one in found:
            if one.slot.name in names:
                self._add("slot-name", f"slot '{one.slot.name}'", "the name is given twice", "rename one of them")
            names.add(one.slot.name)
            for value in dict.fromkeys((*one.values, *one.other_values)):
                if owner.setdefault(value, one.slot.name) != one.slot.name:
                    self._add(
                        "slot-values",
                        f"slot '{one.slot.name}'",
                        f"'{value}' is a value of '{owner[value]}' too",
                        "a value tells its slot; spell one of them otherwise",
                    )
        return found

    def _unseen(self, slots: list[SlotReader]) -> str | None:
        unseen = self._table.get("unseen")
        names = [one.slot.name for one in slots]
        if unseen is not None and unseen not in names:
            self._add("domain-unseen", "unseen", f"found {unseen!r}", f"expected one of {', '.join(names) or 'slots'}")
        return unseen if isinstance(unseen, str) else None

    def _words(self, key: str) -> tuple[str, ...]:
        words = self._table.get(key, [])
        if not isinstance(words, list) or not all(isinstance(one, str) and _WORD.fullmatch(one) for one in words):
            self._add("domain-type", key, f"found {words!r}"[:80], "expected a list of words of small letters")
            return ()
        return tuple(words)

    def _wording(self) -> UserSentences | None:
        table = self._table.get("wording", {})
        if not isinstance(table, dict):
            self._add("domain-type", "wording", "expected a table", "write its keys below [wording]")
            return None
        keys = tuple(field.name for field in msgspec.structs.fields(UserSentences))
        self._expect_keys(table, keys, "wording")
        texts: dict[str, tuple[str, ...]] = {}
        for key in keys:
            found = table.get(key, list(getattr(STANDARD, key)))
            if not isinstance(found, list) or not found or not all(isinstance(one, str) for one in found):
                self._add("domain-type", f"wording.{key}", f"found {found!r}"[:80], "expected a list of texts")
                continue
            if len(found) > MAX_TEXTS:
                self._add("domain-type", f"wording.{key}", f"found {len(found):,} texts", f"give at most {MAX_TEXTS}")
                continue
            for text in found:
                wrong = bad_text(text, needed=(), allowed=("wait",) if key.startswith("ask_") else ())
                if wrong:
                    self._add("slot-wording", f"wording.{key}", f"'{text}' {wrong}"[:160], "change the text")
            texts[key] = tuple(found)
        return UserSentences(**texts) if len(texts) == len(keys) else None

    def _policy(self) -> UserPolicy | None:
        table = self._table.get("policy", {})
        if not isinstance(table, dict):
            self._add("domain-type", "policy", "expected a table", "write its keys below [policy]")
            return None
        known = tuple(field.name for field in msgspec.structs.fields(UserPolicy))
        self._expect_keys(table, known, "policy")
        fit: dict[str, Any] = {}
        for key in [one for one in table if one in known]:
            try:
                convert({key: table[key]}, UserPolicy)
                fit[key] = table[key]
            except msgspec.ValidationError as error:
                self._add(
                    "domain-policy", f"policy.{key}", str(error).split(" - at")[0], "see `Generation` in the docs"
                )
        weights = [fit.get(key, 1.0) for key in ("take_repeated", "take_newest", "reject_again")]
        if not any(weights):
            self._add("domain-policy", "policy", "take_repeated, take_newest and reject_again are all 0", "raise one")
        return convert(fit, UserPolicy)

    def _facts(self, key: str, slots: list[SlotReader]) -> tuple[Fact, ...]:
        """Return the facts of a knowledge base that stands in the domain's own folder, under a bare name."""
        name = self._table.get(key)
        if name is None:
            return ()
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", name):
            self._add("domain-kb", key, f"found {name!r}"[:120], "give the name of a file in the folder of the domain")
            return ()
        path = self._folder / name
        if path.is_symlink() or not path.is_file():
            self._add("domain-kb", key, f"'{name}' is no file in the folder of the domain", "put it there")
            return ()
        try:
            facts = read_facts(path)
        except FormatError as error:
            self.problems += [msgspec.structs.replace(one, place=f"{name}, {one.place}") for one in error.problems]
            return ()
        except DuologueError as error:
            self._add("domain-kb", key, str(error), "can the file be read?")
            return ()
        self.problems += kb_problems(name, facts, [one.slot for one in slots])
        return tuple(facts)


def _values_in(facts: tuple[Fact, ...], slot: str) -> tuple[str, ...]:
    return tuple(sorted({str(fact.object) for fact in facts if fact.relation == slot}))
