"""Prompt of a simulated user: what the user wants and has heard as chat messages, and what a model says as its turn.

A model is told what the user's side of a scene holds (`core.scenes.UserView`: a goal card, or nothing) and what was
said; never the system's goal or knowledge. It answers with its words and whether it hangs up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.errors import UsageError, did_you_mean
from duologue.core.plugins import load_user_prompt_class, names
from duologue.core.records import Act, Annotation, Answer
from duologue.core.scenes import HANGS_UP, TYPED
from duologue.core.thoughts import without_thoughts
from duologue.prompts.json_answer import found_json
from duologue.prompts.prompt import TEXT, Prompt, Reading, object_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Fact, Sample, Turn
    from duologue.prompts.prompt import Asked

_ROLES = {"user": "user", "assistant": "system"}
"""What models call the sides beside the names that they were told, and whom they mean."""
_MARKS = ".,!?~。，！？…～ "
"""What may stand around a farewell."""
_EMPHASIS = "*_ \t"
"""What may stand around the name of a speaker."""


class UserPrompt(Prompt):
    """The prompt of a task's simulated user, in `user.toml` beside the class.

    Its `words` are `silence` (what a user without readable words says), `farewells` (whole utterances that hang up,
    with `|` between them) and `end` (the mark by which a model hangs up that writes no JSON).
    """

    texts = "user.toml"
    last_act = HANGS_UP
    """Act of the words with which the user hangs up."""

    def __init__(self, info: TaskInfo, language: str = "", *, turns: int = 0, facts: int = 60) -> None:
        """Read the wording, as `Prompt` does; whatever the task's systems answer with, a user answers with text."""
        super().__init__(msgspec.structs.replace(info, answers=TEXT), language, turns=turns, facts=facts)

    def settled(self, sample: Sample) -> Answer | None:
        """Return what the user does without a thought: a user who has hung up is gone. `None`: a model is asked."""
        return Answer() if any(self.last_act in _acts(turn) for turn in sample.history) else None

    def known_facts(self, sample: Sample) -> list[Fact]:  # noqa: ARG002  # whatever the sample holds
        """Return nothing: users have no facts."""
        return []

    def utterance(self, turn: Turn) -> str:
        """Return the words of a turn in one line; of the user's own what it said itself."""
        return super().utterance(msgspec.structs.replace(turn, text=typed_words(turn)))

    def schema(self, sample: Sample, asked: Asked = "answer") -> dict[str, Any]:  # noqa: ARG002  # all are asked alike
        """Return the schema of words and whether they are the last."""
        return object_schema(say={"type": "string"}, hang_up={"type": "boolean"})

    def read(self, text: str, sample: Sample) -> Reading:
        """Return the user's turn.

        The user hangs up when it says so (`hang_up` is true), when its words end with the mark, or when a farewell is
        all that it says. Lines that a model writes for the other side are dropped, and so is a `hang_up` that is
        neither true nor false. JSON without words that can be read, and no words at all, are no answer.
        """
        told = found_json(text)
        if told is None and "{" in text:
            return Reading(None)
        if told is not None and not isinstance(told.get("say"), str):
            return Reading(None)
        lines = (without_thoughts(text) if told is None else told["say"]).splitlines()
        own, dropped = self._own(lines)
        dropped += told is not None and not isinstance(told.get("hang_up", False), bool)
        words, mark = " ".join(" ".join(own).split()), self.wording.words["end"]
        hangs_up = (told is not None and told.get("hang_up") is True) or words.endswith(mark)
        words = words.removesuffix(mark).strip()
        if not words and not hangs_up:
            return Reading(None, dropped)
        farewells = self.wording.words["farewells"].split("|")
        hangs_up = hangs_up or words.strip(_MARKS).lower() in farewells
        return Reading(self.turn(words or farewells[0], sample, hangs_up=hangs_up), dropped)

    def turn(self, words: str, sample: Sample, *, hangs_up: bool) -> Answer:  # noqa: ARG002  # for classes made from this
        """Return words as the user's turn of a dialogue."""
        acts = (Act(speaker="user", name=self.last_act),) if hangs_up else ()
        return Answer(text=words, annotation=Annotation(acts=acts))

    def empty(self, sample: Sample) -> Answer:  # noqa: ARG002  # always the same
        """Return a user's silence."""
        return Answer(text=self.wording.words["silence"])

    def _own(self, lines: Sequence[str]) -> tuple[list[str], int]:
        """Return the lines before those of another speaker, without the user's own name, and how many are left out."""
        called = [(name, speaker) for speaker, name in self.wording.speakers.items()] + [*_ROLES.items()]
        own = [name for name, speaker in called if speaker == "user"]
        others = [name for name, speaker in called if speaker != "user"]
        found: list[str] = []
        for number, line in enumerate(lines):
            if _said_by(line, others) is not None:
                return found, len(lines) - number
            said = _said_by(line, own)
            found.append(line if said is None else said)
        return found, 0


def typed_words(turn: Turn) -> str:
    """Return what a user said itself, where the text of its turn is what the task made of that."""
    return next((act.args[0] for act in _acts(turn).values() if act.name == TYPED and act.args), turn.text)


def _acts(turn: Turn) -> dict[str, Act]:
    """Return the acts of a user's turn by their names."""
    if turn.speaker != "user" or turn.annotation is None:
        return {}
    return {act.name: act for act in turn.annotation.acts}


def _said_by(line: str, called: Sequence[str]) -> str | None:
    """Return what a line says after the name of one of some speakers; `None` where it has none of the names."""
    start = line.strip(_EMPHASIS)
    for name in called:
        after = start[len(name) :].lstrip(_EMPHASIS)
        if start.lower().startswith(name.lower()) and after.startswith((":", "：")):
            return after[1:].strip(_EMPHASIS)
    return None


def user_prompt_of(info: TaskInfo, language: str = "", *, turns: int = 0) -> UserPrompt:
    """Return the prompt of a task's simulated user.

    Raises `UsageError` for a task that brings none, and as `load_wording` does.
    """
    known = names("user_prompts")
    if info.name not in known:
        raise UsageError(
            f"task '{info.name}' has no prompt for a simulated user{did_you_mean(info.name, known)}; tasks that have: "
            f"{', '.join(known)}"
        )
    cls: type[UserPrompt] = load_user_prompt_class(info.name)
    return cls(info, language, turns=turns)
