"""Recipe of a simulated corpus: sizes, probabilities and weights of the simulator.

Sources of the numbers: specification, sections 3 to 9; those marked there as fitted or guessed say so here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from duologue.challenges.restaurant.schema.ontology import MAX_LISTED
from duologue.challenges.restaurant.schema.templates import ANSWER_TYPES
from duologue.core.bounds import Count, Positive, PositiveRows, Probability, ProperFraction, Rows, Weight
from duologue.core.errors import did_you_mean
from duologue.core.records import Record

if TYPE_CHECKING:
    from duologue.challenges.restaurant.schema.domain import Domain

STYLES = ("training", "a", "b")
"""How candidates are chosen: as in the training files, release A, release B."""
GENERATED = "generated"


# Fitted by iterative scaling to the 10,000 answers of release A, tst1 and tst2.
_CUT_WEIGHTS_A = {
    "hello": 0.27,
    "on-it": 0.26,
    "look": 0.22,
    "ready": 0.24,
    "another": 0.31,
    "1/api_call": 1.06,
    "2/api_call": 1.08,
    "2/update-ack": 0.97,
    "3/look": 0.29,
    "4/reserve": 1.06,
    "5/look": 0.31,
    "5/ready": 0.34,
    "5/anything": 0.77,
    "5/sorry": 0.82,
}
_QUESTION = "ask-"
_KINDS = (*ANSWER_TYPES, "api_call", "option", "repeat", "phone", "address")


def with_policy(recipe: Generation, domain: Domain) -> Generation:
    """Return the recipe with the users of a domain; what the recipe changes from its default stays."""
    plain, told = Generation(), msgspec.structs.asdict(domain.policy)
    changes = {
        key: value for key, value in told.items() if value is not None and getattr(recipe, key) == getattr(plain, key)
    }
    return msgspec.structs.replace(recipe, **changes)


class Generation(Record, frozen=True):
    """The recipe of a simulated corpus. The defaults are the specification's figures."""

    part: Literal["all", "train", "tst1", "tst2", "tst3", "tst4"] = "all"
    """One part only, or `all`."""
    subtask: Annotated[int, msgspec.Meta(ge=0, le=5)] = 0
    """One subtask only (1 to 5), or 0 for all."""
    n: Rows = 0
    """Dialogues per file; 0 means `train_dialogs` and `test_dialogs`."""
    train_dialogs: PositiveRows = 10_000
    """Dialogues per training file (section 2.2)."""
    test_dialogs: PositiveRows = 1_000
    """Dialogues per test file (section 2.2)."""
    release: Literal["a", "b", "training"] = "a"
    """Candidates and cuts of the test files: `a` as the participants got them, `b` as published later, or like
    `training` (section 9)."""
    cuts: Literal["a", "b"] | None = None
    """Where the test dialogues are cut, whichever candidates they get: as in release A, which favours hard turns, or
    uniformly as in release B; without it as `release` says (section 9.4)."""
    train_style: Literal["training", "a", "b"] = "training"
    """The same for the training files."""
    kb1: str = GENERATED
    """`generated` for new names in the structure of section 3, or the path of a KB text file (gz too)."""
    kb2: str = GENERATED
    """The same for the second knowledge base, with other cuisines and locations."""
    domain: str | None = None
    """The name of a shipped domain (`cinema`, `hotel`) or the path of a domain file; without it the challenge's own."""
    train_share: ProperFraction = 0.5
    """Share of all requests with which only training dialogs begin; test dialogs begin with the others (section 7).
    Updates lead to requests of either side."""

    given_most: Count = 4
    """Tasks 1 and 5: the request gives 0 to this many slots, equally likely (section 5.1)."""
    hedge_answer: Probability = 0.5
    """How often a slot question is answered with a hedge first [fitted] (section 5.2)."""
    hedge_update: Probability = 0.5
    """How often an update after the first is preceded by a hedge; the first never is. Counted in the test files:
    0 of 3,698 first updates, about half of the later ones; section 5.4 has the average of both, a third."""
    update_most: Count = 0
    """Updates are 1 to this many, equally likely; 0 means the number of required slots (section 5.4)."""
    question_chance: Probability = 0.42
    """How often a question that the bot cannot answer follows a proposal [fitted] (section 7)."""
    accept_chance: Probability = 0.25
    """How often a proposal is accepted; the last one always is (section 7)."""
    repeat_chance: Probability = 0.5
    """How often an earlier option is asked for, from the second proposal on [fitted] (section 7)."""
    take_repeated: Weight = 1.0
    """After a repeat: weight of taking the repeated option [fitted: a third each]."""
    take_newest: Weight = 1.0
    """After a repeat: weight of taking the newest option."""
    reject_again: Weight = 1.0
    """After a repeat: weight of rejecting both."""
    listed_most: Positive = MAX_LISTED
    """At most this many restaurants are listed (section 7)."""
    matches_options: Positive = 3
    """Task 3: a request must have at least so many matches (section 7)."""
    matches_full: Positive = 1
    """Task 5: the final request must have at least so many matches (section 7)."""
    hedge_info: Probability = 0.5
    """How often the wish for phone or address starts with a hedge [fitted] (section 5.6)."""
    info_weights: tuple[Weight, Weight, Weight, Weight] = (1.0, 1.0, 1.0, 1.0)
    """Phone only, address only, phone then address, address then phone (section 5.6)."""

    cut_weights: dict[str, Weight] = msgspec.field(default_factory=lambda: dict(_CUT_WEIGHTS_A))
    """Style `a`: how likely a dialog is cut before a bot turn of a kind, relative to the others (1 where not
    named); `5/look` holds for one subtask [fitted] (section 9.4). The other styles cut uniformly."""
    unknown_names: Probability = 0.085
    """Styles `a` and `b`: how often a neighbour's name that holds a slot value gets another value instead,
    so that no such restaurant exists [fitted to 54 cases] (section 9.3)."""
    answer_twice: Probability = 0.0075
    """Style `training`: how often the answer's text occurs a second time under another id (section 9.1)."""
    listed_options: Probability = 1.0
    """Style `a`: how often all other listed restaurants are among the candidates of an option or a repeat, so
    that ratings must be compared (section 9.2; counted again: in every such set)."""
    listed_options_training: Probability = 0.5
    """Style `training`: the same [guess; no training file of these tasks is left]."""
    one_slot_off: Probability = 0.65
    """Style `a`: share of the neighbouring api_calls that differ in one slot, the others in two [fitted]."""
    one_slot_off_b: Probability = 0.8
    """Style `b`: the same [fitted]."""
    one_slot_off_training: Probability = 0.9
    """Style `training`: the same (section 9.1: 4.2 and 4.9 of 5)."""

    def __post_init__(self) -> None:
        """Raise `ValueError` with everything that no recipe can mean."""
        problems = []
        for key in self.cut_weights:
            subtask, _, kind = key.rpartition("/")
            if not kind.startswith(_QUESTION) and kind not in _KINDS:
                problems.append(f"cut_weights: '{kind}' is no kind of bot turn{did_you_mean(kind, _KINDS)}")
            if subtask not in {"", *"12345"}:
                problems.append(f"cut_weights: '{key}' names no subtask; expected 1 to 5 before the slash")
        if not any((self.take_repeated, self.take_newest, self.reject_again)):
            problems.append("take_repeated, take_newest and reject_again must not all be 0")
        if not any(self.info_weights):
            problems.append("info_weights must not all be 0")
        if problems:
            raise ValueError("; ".join(problems))
