"""Surface realiser of the agenda-based user: the phrases, lengths and speech noise of generated calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.intents import CONFIRM
from duologue.challenges.mobilecs.schema.ontology import CONSULT, REQUESTED, USER
from duologue.challenges.mobilecs.simulator import acts, amounts
from duologue.challenges.mobilecs.simulator.agenda import CANCEL
from duologue.challenges.mobilecs.simulator.phrases import phrases, raw_phrases
from duologue.challenges.mobilecs.simulator.scenario import draw_scenario
from duologue.challenges.mobilecs.simulator.speech_noise import SpeechNoise
from duologue.challenges.mobilecs.simulator.surface_realiser import SurfaceRealiser
from duologue.challenges.mobilecs.simulator.user_move import BYE, UserMove
from duologue.challenges.mobilecs.simulator.utterance import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.simulator.agenda import Agenda, KnownValue
    from duologue.challenges.mobilecs.simulator.phrases import Template
    from duologue.challenges.mobilecs.simulator.requests import Request
    from duologue.core.rng import Rng

_QUESTIONS = (
    ("where", re.compile(r"哪里|哪儿|哪个(?:地方|城市|省)|什么地方")),
    ("number", re.compile(r"号码|尾号|身份证|密码")),
    ("when", re.compile(r"什么时候|几号|多久|哪天")),
    ("who", re.compile(r"本人|谁|贵姓|称呼")),
    ("device", re.compile(r"手机是|什么手机|哪种手机")),
    ("tried", re.compile(r"重启|试过")),
    ("convenient", re.compile(r"方便")),
    ("which", re.compile(r"哪[一个种]|还是")),
    ("yesno", re.compile(r"吗[?？]?$|有没有|是不是")),
)
"""What the staff ask for, by their words."""
_HANGS_UP = 0.85
"""Share of last turns with something else to say in which the goodbye is not said: few calls are recorded so far."""
_SURNAMES = "王李张刘陈杨赵黄周吴徐孙马朱胡林郭何高罗"


class AgendaRealiser:
    """Words the moves of a user as the user of a generated call would say them."""

    def __init__(self) -> None:
        self._user: dict[str, Any] = phrases("user")
        self._own: dict[str, Any] = phrases("agenda")
        self._words: dict[str, Any] = raw_phrases("products")
        self._noise = SpeechNoise()

    def reset(self, agenda: Agenda, rng: Rng) -> None:
        """Begin a dialogue: draw what its stories are about, and how it is transcribed."""
        self._agenda, self._rng, self._unit = agenda, rng, rng.unit
        owners = [agenda.kb.get(one.owner, {}) for one in agenda.open if one.owner != USER]
        slots = [one.slot for one in agenda.open if one.owner == USER] + [one.slot for one in agenda.untold]
        scenario = draw_scenario(rng, slots, [one.get("type", "") for one in owners])
        if any(one.labels == (CANCEL,) for one in agenda.open):
            scenario = "cancel"
        self._surface = SurfaceRealiser(
            rng, about=phrases("stories")["user"][scenario], fillers=self._user["story"], lengths=acts.USER_LENGTHS
        )
        self._style = self._noise.style(rng)

    def words(self, moves: Sequence[UserMove], heard: str) -> str:
        """Return the utterance of a turn; `heard` is what the staff said before."""
        said = [text for move in moves for text in self._texts(move, heard)]
        if moves[-1].label == BYE and len(moves) > 1 and self._unit() < _HANGS_UP:
            said.pop()
        text = self._surface.join([one for one in said if one.text])
        if not any(move.label == BYE for move in moves):
            text = self._surface.lengthen(text, moves[-1].label)
        self._noise.apply(text, self._style, self._rng, staff=False)
        return text.text

    def _texts(self, move: UserMove, heard: str) -> list[Text]:
        if move.kind == "question":
            return self._questions(move)
        if move.kind == "tell":
            return self._telling(move)
        if move.kind == "answer":
            return [self._answer(move, heard)]
        options = self._own[move.kind] if move.kind in self._own else self._user[move.kind]
        if move.kind in {"ack", "other"} and self._unit() < 0.15:
            options = options[:12]
        return [self._surface.phrase(options)]

    def _telling(self, move: UserMove) -> list[Text]:
        texts = [self._named("name_lead", move.owner)] if move.owner not in {"", USER} else []
        return texts + [self._told(one) for one in move.told]

    def _told(self, known: KnownValue) -> Text:
        options = self._user["inform_user" if known.owner == USER else "inform"].get(known.slot, self._own["tell"])
        return self._surface.filled(options, value=Text(known.value))

    def _answer(self, move: UserMove, heard: str) -> Text:
        """Return the answer to a question: to what is asked, else which service is meant, something else, not known."""
        kind = next((kind for kind, cue in _QUESTIONS if cue.search(heard)), "")
        if not kind:
            if move.owner not in {"", USER, CONSULT} and self._unit() < 0.7:
                return self._named("name_lead", move.owner)
            return self._surface.phrase(self._own["unknown"] if self._unit() < 0.3 else self._user["plain_inform"])
        rng = self._rng
        return self._surface.filled(
            self._user["answers"][kind],
            place=Text(rng.choice(self._words["provinces" if self._unit() < 0.4 else "cities"].split())),
            digits=Text(amounts.digits(4 + rng.below(8), rng) if self._unit() < 0.5 else "0" * (4 + rng.below(8))),
            surname=Text(rng.choice(_SURNAMES)),
        )

    def _questions(self, move: UserMove) -> list[Text]:
        texts = [self._question(one, move.label) for one in move.asked]
        if len(texts) > 1:
            texts[1] = self._prefixed("also", texts[1])
        if move.is_again and self._unit() < 0.5:
            texts[0] = self._prefixed("again", texts[0])
        return texts

    def _prefixed(self, key: str, text: Text) -> Text:
        lead = self._surface.phrase(self._own[key])
        lead.add(text)
        return lead

    def _question(self, request: Request, label: str) -> Text:
        owner, slot = request.owner, request.slot
        if label == CANCEL:
            return self._named("cancel", owner)
        if label == CONFIRM:
            known = [one for one in self._agenda.goal[owner].get(slot, "").split(",") if one and one != REQUESTED]
            if known:
                return self._surface.filled(self._user["confirm_value"], value=Text(self._rng.choice(known)))
        if owner == CONSULT:
            return self._of_slot(self._user["ask_type"], slot, "ask_kind")
        if owner == USER:
            known_slots = self._user["ask_user"] if slot in self._user["ask_user"] else self._own["ask_user"]
            return self._of_slot(known_slots, slot, "ask_own_slot")
        options = self._user["ask"].get(slot) or self._own["ask_slot"]
        return self._surface.filled(options, name=Text(self._repeated_name(owner)), slot=Text(slot))

    def _of_slot(self, options: dict[str, list[Template]], slot: str, otherwise: str) -> Text:
        if slot in options:
            return self._surface.phrase(options[slot])
        return self._surface.filled(self._own[otherwise], slot=Text(slot))

    def _named(self, key: str, owner: str) -> Text:
        return self._surface.filled(self._user[key], name=Text(self._rng.choice(self._agenda.spoken_names(owner))))

    def _repeated_name(self, owner: str) -> str:
        """Return a name of a service that was spoken of, mostly the last one, sometimes none."""
        names = self._agenda.spoken_names(owner)
        if self._unit() < 0.6:
            return names[-1]
        return names[0] if self._unit() < 0.4 else ""
