"""What the replier learns from: the replies of the training dialogues, and which dialogues are copies of others."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.spoken.systems.template_nlg.context import situation_of, terms_of
from duologue.challenges.spoken.systems.template_nlg.grounding import Lexicon, claims_in, plain_words
from duologue.challenges.spoken.systems.template_nlg.surface_forms import text_of
from duologue.challenges.spoken.systems.template_nlg.template_index import Entry
from duologue.challenges.spoken.systems.template_nlg.templates import bare, template_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from duologue.challenges.spoken.systems.template_nlg.context import Situation
    from duologue.core.records import Example, Fact

_TELLING = 12  # characters of a reply that two dialogues do not share by accident
_SHARED = 3  # such replies make two dialogues copies


class Lesson(NamedTuple):
    """A reply of a person and what it answered."""

    example: Example
    facts: tuple[Fact, ...]
    now: Situation
    entry: Entry

    @property
    def reply(self) -> str:
        """What the person said."""
        return self.example.references[0].text or ""


def lessons_of(
    examples: Sequence[Example], graph: Iterable[Fact], mend: Callable[[str], str] | None = None
) -> tuple[list[Lesson], list[str]]:
    """Return a lesson for each example with a reply, and the runs of characters that are plain words.

    `mend` takes the recogniser's noise out of replies without facts, the only ones that bear it.
    """
    taught = [one for one in examples if one.references and one.references[0].text]
    kin = kin_of(taught)
    facts = [_facts(one) for one in taught]
    nows = [situation_of(one.sample.history, known) for one, known in zip(taught, facts, strict=True)]
    templates = [
        template_of(_wording(one, mend if mend is not None and not known else str), now.groups)
        for one, known, now in zip(taught, facts, nows, strict=True)
    ]
    named = Counter(name for known in facts for name in {text for fact in known for text in _names(fact)})
    wordings = [[piece for piece in pieces if isinstance(piece, str)] for pieces in templates]
    dialogues = [kin[one.sample.dialogue_id] for one in taught]
    words = plain_words(list(zip(dialogues, wordings, strict=True)), named)
    lexicon = Lexicon([*graph, *(fact for known in facts for fact in known)], words)
    lessons = []
    for one, known, now, pieces, wording, dialogue in zip(
        taught, facts, nows, templates, wordings, dialogues, strict=True
    ):
        entry = Entry(
            pieces=pieces,
            relations=now.relations,
            dialogue=dialogue,
            turn=now.turn,
            groups=tuple((weight, tuple(terms)) for weight, terms in terms_of(now)),
            needs=tuple(claim.lower() for claim in claims_in("\n".join(wording), lexicon)),
        )
        lessons.append(Lesson(one, known, now, entry))
    return lessons, words


def _wording(example: Example, mend: Callable[[str], str]) -> str:
    """Return a reply mended; noise may have left a mark at its start."""
    reply = example.references[0].text or ""
    return mend(reply).lstrip("，。、 ") or reply


def _facts(example: Example) -> tuple[Fact, ...]:
    annotation = example.references[0].annotation
    return annotation.facts if annotation is not None else ()


def _names(fact: Fact) -> tuple[str, str]:
    return bare(fact.subject), text_of(fact)


def kin_of(examples: Sequence[Example]) -> dict[str, str]:
    """Return for each dialogue the first of those that it is a copy of, by id; most are copies of none but themselves.

    Two dialogues that share three replies of twelve characters or more are copies: the challenge took dialogues over
    from others and made noise in some turns.
    """
    where: dict[str, list[str]] = {}
    for one in examples:
        reply = "".join(sign for sign in one.references[0].text or "" if sign.isalnum())
        if len(reply) >= _TELLING:
            where.setdefault(reply, []).append(one.sample.dialogue_id)
    shared = Counter(pair for ids in where.values() for pair in _pairs(list(dict.fromkeys(ids))))
    kin = {one.sample.dialogue_id: one.sample.dialogue_id for one in examples}
    for (first, second), times in shared.items():
        if times >= _SHARED:
            head, other = kin[first], kin[second]
            kin = {name: head if of_name == other else of_name for name, of_name in kin.items()}
    return kin


def _pairs(ids: Sequence[str]) -> Iterable[tuple[str, str]]:
    return [(ids[0], other) for other in ids[1:]]


def apart_from(examples: Sequence[Example], judged: Sequence[Lesson]) -> list[Lesson]:
    """Return lessons that are judged, each under the first dialogue of `examples` that it is a copy of, if any."""
    kin = kin_of([*examples, *(one.example for one in judged)])
    return [
        one._replace(entry=msgspec.structs.replace(one.entry, dialogue=kin[one.example.sample.dialogue_id]))
        for one in judged
    ]


def held_out(lessons: Sequence[Lesson], share: float, seed: int) -> tuple[list[Lesson], list[Lesson]]:
    """Return the lessons parted by dialogue, copies together: those to learn from, and about this share of them."""
    draws = {one.entry.dialogue: _draw(one.entry.dialogue, seed) for one in lessons}
    edge = sorted(draws.values())[max(1, round(share * len(draws))) - 1] if draws else 0
    held = [one for one in lessons if draws[one.entry.dialogue] <= edge]
    return [one for one in lessons if draws[one.entry.dialogue] > edge], held


def _draw(dialogue: str, seed: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} {dialogue}".encode()).digest()[:8], "big")
