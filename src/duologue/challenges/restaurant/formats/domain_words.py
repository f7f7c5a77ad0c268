"""Check of a domain's wording: every sentence that its users can say is read as what they mean by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.utterance_parser import UtteranceParser, fixed_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.challenges.restaurant.schema.domain import Domain

_FILLED = {"new": "valuenew", "o": "valueother", "a": "valueone", "b": "valuetwo", "wait": templates.WAITS[0]}


def misread(domain: Domain) -> Iterator[tuple[str, str]]:
    """Yield place and message of each wording that is read otherwise, and of each question that is not alone."""
    parser = UtteranceParser(domain.all_slots, domain.wording)
    for kind, texts in fixed_texts(domain.wording).items():
        for text in texts:
            read = parser.parse(text.format(**_FILLED))
            if read.kind != kind:
                yield "wording", f"'{text}' is read as {read.kind}, meant as {kind}"
    for opening in domain.wording.openings:
        for tail, kind in (("", "request"), (templates.AT_NAME.format(name="some_name"), "request-at")):
            read = parser.parse(opening + tail)
            if read.kind != kind:
                yield "wording.openings", f"'{opening}{tail}' is read as {read.kind}, meant as {kind}"
    for slot in domain.all_slots:
        yield from _misread_slot(domain, parser, slot)
    yield from _questions(domain)


def _questions(domain: Domain) -> Iterator[tuple[str, str]]:
    said = {**dict.fromkeys(templates.ANSWER_TYPES.values(), "the bot's")}
    for slot in domain.all_slots:
        if slot.question in said:
            yield f"slot '{slot.name}'", f"the question '{slot.question}' is {said[slot.question]} already"
        if templates.answer_type(slot.question, ()) != "other":
            yield f"slot '{slot.name}'", f"the question '{slot.question}' is a sentence of the bot's"
        said[slot.question] = f"that of slot '{slot.name}'"


def _misread_slot(domain: Domain, parser: UtteranceParser, slot: templates.RequestSlot) -> Iterator[tuple[str, str]]:
    place = f"slot '{slot.name}'"
    for kind, group, names in (("answer", slot.answers, ("new", "o")), ("hedge", slot.hedges, ("a", "b"))):
        for one in group:
            read = parser.parse(one.text.format(**_FILLED))
            wanted = {name: _FILLED[name] for name in names if f"{{{name}}}" in one.text}
            if read.kind != kind or slot.name not in read.slots or read.values != wanted:
                yield place, f"'{one.text}' is read as {_told(read.kind, read.slots)}, meant as {kind}"
    for phrase in slot.phrases:
        said = phrase.format(**_FILLED)
        for prefix in templates.UPDATE_PREFIXES:
            read = parser.parse(prefix.text.format(**_FILLED) + said)
            if (read.kind, read.slots, read.values) != ("update", (slot.name,), {"new": _FILLED["new"]}):
                yield place, f"'{phrase}' in an update is read as {_told(read.kind, read.slots)}"
                break
        for opening in domain.wording.openings:
            others = " ".join(other.phrases[0].format(**_FILLED) for other in domain.all_slots if other != slot)
            read = parser.parse(f"{opening} {said} {others}")
            if read.kind != "request" or set(read.slots) != {one.name for one in domain.all_slots}:
                yield place, f"'{phrase}' in a request is read as {_told(read.kind, read.slots)}"
                break


def _told(kind: str, slots: tuple[str, ...]) -> str:
    return f"{kind} of {', '.join(slots)}" if slots else kind
