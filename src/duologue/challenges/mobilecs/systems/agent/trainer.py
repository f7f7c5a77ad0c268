"""Training of the agent: turns with their truth, the networks, the templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats.track2 import place_of
from duologue.challenges.mobilecs.schema.intents import ASK, QUERY, STAFF_LABELS, USER_LABELS
from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.features import PIECE_FEATURES, TURN_FEATURES
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME, base_with_names
from duologue.challenges.mobilecs.systems.agent.other_replies import with_other_replies
from duologue.challenges.mobilecs.systems.agent.outside_knowledge import OutsideKnowledge
from duologue.challenges.mobilecs.systems.agent.product_index import IndexedProduct, ProductIndex, products_of
from duologue.challenges.mobilecs.systems.agent.slot_cues import CUE_FEATURES, SlotCues
from duologue.challenges.mobilecs.systems.agent.staff_templates import AnsweredTurn
from duologue.challenges.mobilecs.systems.agent.turn_encoder import (
    TOLD_SUMMARY,
    UNSEEN,
    TurnEncoder,
    TurnTruth,
    ordered,
    vocabulary_of,
)
from duologue.core.errors import UsageError
from duologue.core.held_out import draw_order, split_by_group
from duologue.core.progress import tracked
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from duologue.challenges.mobilecs.systems.agent.kb_pieces import Base
    from duologue.challenges.mobilecs.systems.agent.network import TurnNetwork, TurnSize
    from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
    from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnRow, TurnVocabulary
    from duologue.core.protocols import Run, World
    from duologue.core.records import Act, Answer, Example

    Lookup = ProductIndex | OutsideKnowledge
    """What is looked up in the place of a call's own base, or beside it."""

_WITH_PRODUCTS = {"global", "joined"}
"""Ways of reading knowledge that look products of other calls up."""


def answered_turns(examples: Sequence[Example], index: Lookup | None = None) -> list[AnsweredTurn]:
    """Return the turns whose reply and intents are known; the staff's earlier replies are part of their views.

    With an index, its products stand in the place of each call's own base, or beside it.
    """
    turns = list(_turns(examples, index))
    following = [*turns[1:], None][: len(turns)]
    return [
        AnsweredTurn(name, view, truth_of(view, reference.annotation.acts, reply, _awaited(name, later)), reply)
        for (name, view, reference, reply), later in zip(turns, following, strict=True)
        if reference is not None and reference.annotation is not None
    ]


def _awaited(dialogue: str, later: tuple[str, CallView, Answer | None, str] | None) -> str:
    """Return the staff's next reply, where it is in the same dialogue and the user asks nothing before it."""
    if later is None or later[0] != dialogue or later[2] is None or later[2].annotation is None:
        return ""
    asks = any(act.speaker == "user" and act.name in {ASK, QUERY} for act in later[2].annotation.acts)
    return "" if asks else later[3]


def bare_turns(examples: Sequence[Example], index: Lookup | None = None) -> list[AnsweredTurn]:
    """Return the turns whose reply is known, whatever else is; their truth has nothing but what the reply tells."""
    return [
        AnsweredTurn(name, view, truth_of(view, (), reply), reply)
        for name, view, reference, reply in _turns(examples, index)
        if reference is not None and reply
    ]


def _turns(examples: Sequence[Example], index: Lookup | None) -> Iterator[tuple[str, CallView, Answer | None, str]]:
    """Yield the dialogue, the view, the reference and the reply of each turn."""
    dialogues: dict[str, list[Example]] = {}
    for one in examples:
        dialogues.setdefault(one.sample.dialogue_id, []).append(one)
    for name, turns in dialogues.items():
        said: list[tuple[str, str]] = []
        base = base_with_names(turns[0].sample.knowledge)
        for one in sorted(turns, key=lambda one: (place_of(one.sample.id) or ("", 0))[1]):
            reference = one.references[0] if one.references else None
            reply = reference.text or "" if reference is not None else ""
            last = one.sample.history[-1].text if one.sample.history else ""
            view = CallView(said, last, known_in([user for user, _ in said], last, base, index, name))
            yield name, view, reference, reply
            said.append((view.last, reply))


def known_in(
    said: Sequence[str], last: str, own: Base, index: Lookup | None, dialogue: str | None = None
) -> Mapping[str, Mapping[str, str]]:
    """Return what is known at a turn: the call's own base, or what is looked up in its place or beside it.

    A turn of a training `dialogue` finds none of the products that are known from it.
    """
    if index is None:
        return own
    return index.base(said, last, own, dialogue) if isinstance(index, ProductIndex) else index.base(said, last, own)


def outside_knowledge(worlds: Mapping[str, World], recipe: AgentRecipe) -> OutsideKnowledge | None:
    """Return what stands in the files of `--kb`; `None` without any. Raises `UsageError` for a recipe without use."""
    if not worlds:
        return None
    if recipe.knowledge not in _WITH_PRODUCTS:
        raise UsageError(
            f"an agent with knowledge={recipe.knowledge} reads the call's own base alone, and found --kb "
            f"{', '.join(sorted(worlds))}; leave --kb out, or train one with --set knowledge=joined or global"
        )
    facts = [fact for world in worlds.values() for fact in world]
    return OutsideKnowledge(facts, limit=recipe.products, beside=recipe.knowledge == "joined")


def training_rows(examples: Sequence[Example]) -> list[Mapping[str, Any]]:
    """Return the decoded dialogues of examples, with the goals that the training data give."""
    return list({one.sample.dialogue_id: one.source for one in examples}.values())


def product_index(examples: Sequence[Example], recipe: AgentRecipe) -> ProductIndex | None:
    """Return the products of the training calls, where the recipe wants a global base."""
    if recipe.knowledge not in _WITH_PRODUCTS:
        return None
    bases = {one.sample.dialogue_id: one.sample.knowledge for one in examples}
    products = products_of((name, base_with_names(facts)) for name, facts in bases.items())
    return index_of(list(products), recipe)


def index_of(products: Sequence[IndexedProduct], recipe: AgentRecipe) -> ProductIndex | None:
    """Return the index of products that a recipe wants: in the place of a call's own base, beside it, or none."""
    if recipe.knowledge not in _WITH_PRODUCTS:
        return None
    return ProductIndex(products, limit=recipe.products, beside=recipe.knowledge == "joined")


def truth_of(view: CallView, acts: Sequence[Act], reply: str, awaited: str = "") -> TurnTruth:
    """Return what a turn teaches. Unknown labels, and arguments that the base has nothing of, are left out.

    `awaited` is a later reply that may tell what this one does not: staff often look something up first.
    """
    user = [act for act in acts if act.speaker == "user"]
    arguments = {argument for act in user for argument in act.args}
    pairs = {(name, slot) for name, dash, slot in (one.rpartition("-") for one in arguments) if dash}
    asked = {
        number
        for number, piece in enumerate(view.pieces)
        if (any((name, piece.slot) in pairs for name in piece.names) if piece.is_entity else piece.slot in arguments)
    }
    labels = frozenset(act.name for act in user if act.name in USER_LABELS)
    told = frozenset(view.told_in(reply))
    return TurnTruth(
        user_labels=labels,
        asked=frozenset(asked),
        wanted=frozenset(_wanted(view, labels, asked, told or view.told_in(awaited))),
        staff_labels=ordered(act.name for act in acts if act.speaker == "system" and act.name in STAFF_LABELS),
        told=told,
    )


def _wanted(view: CallView, labels: frozenset[str], asked: set[int], told: AbstractSet[int]) -> set[int]:
    """Return what the user asks for and has not given: by the arguments; where a question has none, by the answer.

    Annotators seldom give arguments, and the staff say soon, or not at all, what they are asked for.
    """
    if asked:
        return asked - view.given_now
    if not labels & {ASK, QUERY}:
        return set()
    known = view.said_now.union(*view.told_before)
    return {number for number in told - known if view.pieces[number].slot != NAME}


def new_encoder(vocabulary: TurnVocabulary, cues: SlotCues, recipe: AgentRecipe) -> TurnEncoder:
    """Return the encoder of a recipe."""
    return TurnEncoder(vocabulary, cues, coreference=recipe.coreference, text=recipe.knowledge == "text")


def size_of(vocabulary: TurnVocabulary, recipe: AgentRecipe) -> TurnSize:
    """Return the sizes of the network."""
    from duologue.challenges.mobilecs.systems.agent.network import TurnSize  # needs torch

    return TurnSize.of(
        recipe,
        grams=len(vocabulary.grams) + UNSEEN + 1,
        text_grams=len(vocabulary.grams) + UNSEEN + 1 if recipe.knowledge == "text" else 1,
        slots=len(vocabulary.slots) + UNSEEN + 1,
        turn_features=len(TURN_FEATURES),
        piece_features=len(PIECE_FEATURES) + len(CUE_FEATURES),
        summary=len(TOLD_SUMMARY),
        user_labels=len(USER_LABELS),
        label_sets=len(vocabulary.label_sets),
    )


def parted_turns(
    turns: Sequence[AnsweredTurn], held_out: Sequence[AnsweredTurn], share: float, seed: int
) -> tuple[list[AnsweredTurn], list[AnsweredTurn]]:
    """Return turns to learn from and turns to choose by; where none are held out, a share of the dialogues is.

    Raises `UsageError` where there is too little to learn from.
    """
    learned, validation = list(turns), list(held_out)
    if not validation:
        names = draw_order((one.dialogue for one in turns), seed)
        apart = names[: max(1, round(share * len(names)))]
        learned, validation = split_by_group(turns, lambda one: one.dialogue, set(apart))
    if not learned or not validation:
        raise UsageError(
            f"the agent learns from dialogues with replies and intents, at least two; found {len(learned)} turns to "
            f"learn from and {len(validation)} to choose by"
        )
    return learned, validation


def turn_vocabulary(turns: Sequence[AnsweredTurn], recipe: AgentRecipe) -> TurnVocabulary:
    """Return the vocabulary of turns. Raises `UsageError` where none has a staff label."""
    vocabulary = vocabulary_of(
        [(one.dialogue, one.view, one.truth) for one in turns], rare=recipe.rare, label_sets=recipe.label_sets
    )
    if not vocabulary.label_sets:
        raise UsageError("no turn of the training data has a staff intent that the challenge knows")
    return vocabulary


def train_networks(
    turns: Sequence[AnsweredTurn], held_out: Sequence[AnsweredTurn], recipe: AgentRecipe, run: Run
) -> tuple[TurnEncoder, list[TurnNetwork]]:
    """Return the encoder and the networks of the ensemble, each with checkpoints in a folder of its own.

    Without held-out turns some dialogues are held out. Raises `UsageError` where there is too little to learn from.
    """
    learned, validation = parted_turns(turns, held_out, recipe.held_out, run.seed)
    vocabulary = turn_vocabulary(learned, recipe)
    encoder = new_encoder(vocabulary, SlotCues.of((one.view, one.truth.wanted) for one in learned), recipe)
    rows, tests = (
        [
            encoder.row(_served_otherwise(one, recipe, run.seed), one.truth, counted=part is learned)
            for one in tracked(part, run.progress, "reading turns", every=100)
        ]
        for part in (learned, validation)
    )
    return encoder, train_members(encoder, rows, tests, recipe, run)


def _served_otherwise(turn: AnsweredTurn, recipe: AgentRecipe, seed: int) -> CallView:
    """Return the view of a turn as if some of the earlier replies had been others."""
    rng = Rng("other replies", seed, turn.dialogue, turn.view.turn)
    return with_other_replies(turn.view, recipe.other_replies, rng)


def train_members(
    encoder: TurnEncoder, rows: Sequence[TurnRow], tests: Sequence[TurnRow], recipe: AgentRecipe, run: Run
) -> list[TurnNetwork]:
    """Return the networks of the ensemble, trained on rows; the tests choose their weights."""
    from duologue.challenges.mobilecs.systems.agent.network import learner, new_network  # these need torch
    from duologue.models.train import TrainConfig, train

    networks = []
    for member in range(recipe.members):
        seed = run.seed * 1000 + member
        network = new_network(size_of(encoder.vocabulary, recipe), seed)
        train(learner(network), rows, tests, TrainConfig.of(recipe, choose="loss"), run.part(f"turns-{member}", seed))
        networks.append(network.eval())
    return networks
