"""A track 1 result laid over its data: what it found, missed and made up, utterance by utterance.

Right is what the strict variant counts as right, so that the figures of a page are those of a report.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats.answers import named_rows
from duologue.challenges.mobilecs.formats.overlay import Mark, Meaning, joined, marked_utterance, meaning_of, place_in
from duologue.challenges.mobilecs.formats.walker import SPEAKERS, place_of
from duologue.challenges.mobilecs.schema.english import told_label, told_owner
from duologue.challenges.mobilecs.scoring import results
from duologue.challenges.mobilecs.scoring.extraction import checker, scorer, strict
from duologue.core.annotation import Bilingual
from duologue.core.decoded import shown
from duologue.core.dialogue_view import DialogueView, TableView
from duologue.core.errors import TruthError
from duologue.core.laid_over import demand_answers
from duologue.core.records import Annotation, Scoring

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.challenges.mobilecs.formats.overlay import Found
    from duologue.challenges.mobilecs.scoring.extraction.checker import DialogueExtraction
    from duologue.challenges.mobilecs.scoring.extraction.strict import Matches
    from duologue.core.dialogue_view import Said
    from duologue.core.records import Example, Mention, Submission, Value

    Row = dict[str, Any]

_KINDS = {"entity": Bilingual(en="mentions", zh="实体提及"), "triple": Bilingual(en="values", zh="属性值")}


def laid_over(examples: Sequence[Example], submission: Submission) -> Iterator[DialogueView]:
    """Yield the dialogues of the truth, in its order, with what the result has of each, and what of it is right.

    Parts that a checker refuses count as false, as in a partial score. Raises `TruthError` for examples that cannot
    serve as truth, and `FormatError` for a file without answers.
    """
    truth = scorer.truth_problems(examples)
    if truth:
        raise TruthError(truth)
    checked = checker.examine(submission, examples)
    results.expect_usable(submission, checked.problems, Scoring(variant="strict", partial=True))
    known = any(example.sample.id in checked.documents for example in examples)
    demand_answers(submission, checked.problems, answered=known)
    rows = dict(named_rows(submission.rows))
    for example in examples:
        name = example.sample.id
        predicted = checked.documents.get(name)
        yield _laid(example, rows[name] if predicted is not None else {}, predicted)


def _laid(example: Example, row: Row, predicted: DialogueExtraction | None) -> DialogueView:
    annotation = (example.references[0].annotation if example.references else None) or Annotation()
    said = checker.DialogueExtraction() if predicted is None else predicted
    gold = checker.of_annotation(annotation)
    matches = strict.match(said, gold)
    marks: dict[int, list[Mark]] = defaultdict(list)
    texts = [turn.text for turn in example.sample.history]
    for at, mark in _of_truth(annotation, said, gold, matches, texts):
        marks[at].append(mark)
    unplaced: list[tuple[Said, ...]] = []
    for place, mark, record in _made_up(row, said, matches, texts):
        if place is None:
            unplaced += ((place_of(record), mark.words, one.owner, told_label(one.label)) for one in mark.meanings)
        else:
            marks[place].append(mark)
    name = example.sample.id
    return DialogueView(
        Bilingual(en=name, zh=name)
        if predicted is not None
        else Bilingual(en=f"{name} (no answer)", zh=f"{name}（没有答案）"),
        [
            marked_utterance(SPEAKERS[turn.speaker], turn.text, joined(marks[at]))
            for at, turn in enumerate(example.sample.history)
        ],
        [_counted(strict.count(said, gold).columns), _entities(said, matches)],
        [
            TableView(
                "false, and in no utterance", ("place", "words", "entity", "label"), [*unplaced, *_refused(row, said)]
            )
        ],
    )


def _of_truth(
    annotation: Annotation, said: DialogueExtraction, gold: DialogueExtraction, matches: Matches, texts: Sequence[str]
) -> Iterator[tuple[int, Mark]]:
    """Yield the marks of the truth, hit or missed, with their utterances."""
    counted_to = {
        right: matches.entities.get(one.entity)
        for one, right in zip(said.mentions, matches.mentions, strict=True)
        if right is not None
    }
    for place, number in enumerate(gold.mention_rows):
        one = annotation.mentions[number]
        other = counted_to.get(place, one.entity)
        remark = None if other == one.entity else _counted_to(other)
        yield _true(one, "hit" if place in counted_to else "missed", texts, meaning_of(one, remark=remark))
    hit = set(matches.triples)
    for place, number in enumerate(gold.triple_rows):
        value = annotation.values[number]
        yield _true(value, "hit" if place in hit else "missed", texts, meaning_of(value))


def _true(one: Mention | Value, found: Found, texts: Sequence[str], meaning: Meaning) -> tuple[int, Mark]:
    assert one.span is not None  # what has none is not compared
    at = one.span.turn
    return at, Mark(*place_in(texts[at], one), one.text, (meaning,), found)


def _counted_to(entity: str | None) -> Bilingual:
    if entity is None:
        return Bilingual(en=", counted to an entity of the result alone", zh="，被归入仅结果中有的实体")
    return Bilingual(en=f", counted to {entity} by the result", zh=f"，结果将其归入 {entity}")


def _made_up(
    row: Row, said: DialogueExtraction, matches: Matches, texts: Sequence[str]
) -> Iterator[tuple[int | None, Mark, Row]]:
    """Yield the mark of each thing that the result has and the truth has not, its utterance, if any, and its record."""
    for mention, number, right in zip(said.mentions, said.mention_rows, matches.mentions, strict=True):
        if right is None:
            meaning = Meaning(_owner(mention.entity, matches), mention.label, is_value=False)
            record = row["entities"][number]
            mark = Mark(mention.start, mention.end, record["name"], (meaning,), "false")
            yield 2 * mention.turn + (mention.side or 0), mark, record
    for triple, number, right in zip(said.triples, said.triple_rows, matches.triples, strict=True):
        if right is None:
            record = row["triples"][number]
            meaning = Meaning(_owner(triple.entity, matches), triple.slot, is_value=True)
            places = checker.places_of(record, triple, list(texts)) or _where(record["value"], triple.turn, texts)
            side, start, end = next(iter(places), (None, 0, 0))
            at = None if side is None else 2 * triple.turn + side
            yield at, Mark(start, end, record["value"], (meaning,), "false"), record


def _where(words: str, turn: int, texts: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    for side, text in enumerate(texts[2 * turn : 2 * turn + 2]):
        start = text.find(words)
        if start >= 0 and words:
            yield side, start, start + len(words)


def _owner(entity: str | None, matches: Matches) -> Bilingual:
    """Return an entity of the result by the true one that it is assigned to."""
    if entity is None or entity in matches.entities:
        return told_owner(None if entity is None else matches.entities[entity])
    return Bilingual(en=f"{entity} (in the result alone)", zh=f"{entity}（仅结果中有）")


def _counted(counts: Mapping[str, float]) -> TableView:
    rows: list[tuple[Said, ...]] = [
        (
            name,
            *(f"{number:.0f}" for number in (right, counts[f"{what} wanted"] - right, counts[f"{what} said"] - right)),
        )
        for what, name in _KINDS.items()
        for right in (counts[f"{what} right"],)
    ]
    return TableView("right and wrong", ("", "hit", "missed", "false"), rows)


def _entities(said: DialogueExtraction, matches: Matches) -> TableView:
    """Return which entity of the result is which of the truth, where they are called differently."""
    owners = chain((one.entity for one in said.mentions), (one.entity for one in said.triples))
    ids = dict.fromkeys(one for one in owners if one is not None)
    rows = [(matches.entities.get(one, "-"), one) for one in ids]
    return TableView("entities", ("in the truth", "in the result"), [] if all(a == b for a, b in rows) else rows)


def _refused(row: Row, said: DialogueExtraction) -> Iterator[tuple[Said, ...]]:
    """Yield what a checker refuses of a row."""
    for key, used, keys in (
        ("entities", said.mention_rows, ("name", "id", "type")),
        ("triples", said.triple_rows, ("value", "ent-id", "prop")),
    ):
        records, usable = row.get(key), set(used)
        for number, one in enumerate(records if isinstance(records, list) else ()):
            if number not in usable:
                told = [one.get(key, "-") for key in keys] if isinstance(one, dict) else [one, "-", "-"]
                yield (
                    place_of(one) if isinstance(one, dict) else "",
                    *(part if isinstance(part, str) else shown(part) for part in told),
                )
