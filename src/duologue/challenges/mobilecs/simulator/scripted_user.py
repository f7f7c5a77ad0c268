"""The user of a generated call, who has a plan: opens it, states its purpose, answers the staff, closes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.intents import CONFIRM, QUERY
from duologue.challenges.mobilecs.simulator import acts, amounts
from duologue.challenges.mobilecs.simulator.call_plan import HELD
from duologue.challenges.mobilecs.simulator.line import IntentLabel
from duologue.challenges.mobilecs.simulator.phrases import phrases, raw_phrases
from duologue.challenges.mobilecs.simulator.surface_realiser import SurfaceRealiser, concatenated
from duologue.challenges.mobilecs.simulator.user_query import UserQuery, is_readable
from duologue.challenges.mobilecs.simulator.utterance import SpanMark, Text

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.simulator.call_state import CallState
    from duologue.challenges.mobilecs.simulator.fact_bundle import FactBundle
    from duologue.core.rng import Rng

    LabelledText = tuple[IntentLabel, Text]

_INFORMATIVE = ("询问", "提供信息", "主动确认", "求助-查询", "取消")
"""User intents that can say facts of the plan."""
_TROUBLE = {"故障问题", "用户状态"}
"""Slots of the user whose values are said in a request for help with a fault."""
_PLAIN_PHRASES = {
    "被动确认": "ack",
    "其他": "other",
    "客套": "thanks",
    "问候": "greet_again",
    "再见": "bye",
    "否认": "deny",
    "请求重复": "repeat",
    "投诉反馈": "complain",
}
"""Phrases of the intents that say no facts."""
_SURNAMES = "王李张刘陈杨赵黄周吴徐孙马朱胡林郭何高罗"


class ScriptedUser:
    """Adds the user's utterances to a call."""

    def __init__(self, state: CallState, rng: Rng, *, argument_rate: float) -> None:
        self.state, self.rng, self.unit, self.argument_rate = state, rng, rng.unit, argument_rate
        self.phrases: dict[str, Any] = phrases("user")
        self.words: dict[str, Any] = raw_phrases("products")
        self.realiser = SurfaceRealiser(
            rng,
            about=phrases("stories")["user"][state.scenario],
            fillers=self.phrases["story"],
            lengths=acts.USER_LENGTHS,
            subject=state.subject,
        )
        self._query = UserQuery(state, self.realiser, self.phrases, argument_rate=argument_rate)

    def open(self) -> bool:
        """Say the first turn; return whether it stated the purpose."""
        phrase = self.realiser.phrase
        form = self.rng.weighted_key(acts.OPENING)
        if form == "bare":
            self.state.add([IntentLabel("问候")], phrase(self.phrases["greet"]))
            return False
        if form == "other":
            self.state.add([IntentLabel("其他")], phrase(self.phrases["other"][:10]))
            return False
        greeting = [(IntentLabel("问候"), phrase(self.phrases["greet_lead"]))] if form == "greeted" else []
        self.state_purpose(greeting)
        return True

    def state_purpose(self, greeting: list[LabelledText]) -> None:
        """Say why the user calls, after a greeting (or none)."""
        label = self.rng.weighted_key(acts.PURPOSES[self.state.scenario])
        self._say(label, greeting, count=1 + int(self.unit() * 2))

    def respond(self, left: int) -> None:
        """Answer the staff's last utterance; `left` turns are left to say the agenda in."""
        state, unit = self.state, self.unit
        label = self.rng.weighted_key(acts.AFTER_STAFF.get(state.last_intent, acts.AFTER_STAFF["通知"]))
        waiting = bool(state.requested)
        if waiting:
            label = "被动确认" if unit() < (0.85 if state.last_intent == CONFIRM else 0.6) else "其他"
        count = 0
        if state.user_queue and not waiting:
            if left <= 2 and label not in _INFORMATIVE:
                label = "提供信息" if unit() < 0.6 else "主动确认"
            if label in _INFORMATIVE:
                expected = max(1.0, 0.45 * (left - 1))
                share = len(state.user_queue) / expected
                count = int(share) + (unit() < share - int(share))
                if left <= 2:
                    count = len(state.user_queue)
        self._say(label, [], count=count)

    def thank(self, label: str) -> None:
        """Say the turn, of an intent, after which the staff begin to close the call."""
        self._say(label, [], count=0, lengthen=False)

    def decline(self) -> None:
        """Say that nothing more is wanted, thanks or goodbye."""
        phrase, user = self.realiser.phrase, self.phrases
        point = self.unit()
        if point < 0.46:
            self.state.add([IntentLabel("其他")], phrase(user["none_more"]))
        elif point < 0.7:
            text = self.realiser.join([phrase(user["none_more"]), phrase(user["thanks"][:10])])
            self.state.add([IntentLabel("客套")], text)
        elif point < 0.92:
            self.state.add([IntentLabel("再见")], phrase(user["bye"]))
        else:
            self.state.add([IntentLabel("客套")], phrase(user["thanks"]))

    def say_last(self, *, closed: bool) -> None:
        """Say the last word of a call that the staff have closed, or of one that is cut off."""
        if closed:
            point = self.unit()
            label, key = ("再见", "bye") if point < 0.45 else ("被动确认", "ack") if point < 0.75 else ("其他", "other")
            options = self.phrases[key][:10]
        else:
            label, key = ("其他", "other") if self.unit() < 0.5 else ("被动确认", "ack")
            options = self.phrases[key][:16]
        self.state.add([IntentLabel(label)], self.realiser.phrase(options))

    def _say(self, label: str, greeting: list[LabelledText], *, count: int, lengthen: bool = True) -> None:
        """Say a turn of an intent, sometimes with another one, and `count` bundles of the agenda."""
        unit = self.unit
        parts = list(greeting)
        if label == "被动确认" and not greeting and unit() < 0.22 and not self.state.requested:
            parts.append((IntentLabel("被动确认"), self.realiser.phrase(self.phrases["ack"][:24])))
            label = "提供信息" if unit() < 0.85 else "询问"
        elif label == "提供信息" and not greeting and unit() < 0.22:
            parts += self._part("提供信息", count)
            count, label = 0, "询问"
        elif label == "客套" and not greeting and unit() < 0.08:
            parts.append((IntentLabel("其他"), self.realiser.phrase(self.phrases["none_more"])))
        parts += self._part(label, count)
        labels: list[IntentLabel] = []
        for part, _ in parts:
            if part.name not in [one.name for one in labels]:
                labels.append(part)
        text = self.realiser.join([text for _, text in parts])
        self.state.add(labels, self.realiser.lengthen(text, label) if lengthen else text)

    def _part(self, label: str, count: int) -> list[LabelledText]:
        """Return the labels and texts of one intent with `count` bundles of the agenda."""
        if label in {"询问", QUERY}:
            stated = [text for bundle in self._take(count) for text in self._facts(bundle)]
            asked, question = self._query.ask(label)
            return [(asked, text) for text in (*stated, question)]
        if label == CONFIRM:
            return [self._confirm(count)]
        if label == "取消":
            texts = self._cancel(count)
        elif label == "提供信息":
            texts = self._inform(count)
        elif label == "求助-故障":
            texts = [self._report_fault()]
        else:
            options = self.phrases[_PLAIN_PHRASES[label]]
            if label in {"被动确认", "其他"} and self.unit() < 0.15:
                options = options[:12]
            texts = [self.realiser.phrase(options)]
        return [(IntentLabel(label), text) for text in texts]

    def _take(self, count: int) -> list[FactBundle]:
        return self.state.take_next(self.state.user_queue, count)

    def _report_fault(self) -> Text:
        queue = self.state.user_queue
        ready = [one for one in queue if one.entity is None and one.values[0].slot in _TROUBLE]
        if ready:
            bundle = self.state.take(queue, ready[0])
            return self.realiser.filled(self.phrases["fault"], value=bundle.values[0].text)
        return self.realiser.phrase(self.phrases["fault_plain"])

    def _cancel(self, count: int) -> list[Text]:
        realiser, introduced = self.realiser, self.state.introduced
        texts: list[Text] = []
        for bundle in self._take(max(count, 1)):
            if bundle.names and not bundle.values and not self._must_name(bundle):
                texts.append(realiser.filled(self.phrases["cancel"], name=bundle.names.pop(0)))
            texts += self._facts(bundle)
        if not texts and introduced and self.unit() < 0.5:
            name = realiser.repeated_name(self.rng.choice(introduced))
            texts.append(realiser.filled(self.phrases["cancel"], name=name))
        return texts or [realiser.phrase(self.phrases["cancel_plain"])]

    def _inform(self, count: int) -> list[Text]:
        texts = [self._answer()] if self.state.question else []
        texts += [text for bundle in self._take(count) for text in self._facts(bundle)]
        return texts or [self.realiser.phrase(self.phrases["plain_inform" if self.unit() < 0.5 else "story"])]

    def _answer(self) -> Text:
        """Return the answer to the staff's open question, which is then closed."""
        kind, self.state.question = self.state.question, ""
        rng = self.rng
        fills = {
            "place": Text(rng.choice(self.words["provinces" if self.unit() < 0.4 else "cities"].split())),
            "digits": Text(amounts.digits(4 + rng.below(8), rng) if self.unit() < 0.5 else "0" * (4 + rng.below(8))),
            "surname": Text(rng.choice(_SURNAMES)),
        }
        return self.realiser.filled(self.phrases["answers"][kind], **fills)

    def _confirm(self, count: int) -> tuple[IntentLabel, Text]:
        """Return a request to confirm: facts of the agenda, what the staff said last, a name, or nothing specific."""
        realiser, state, unit = self.realiser, self.state, self.unit
        label = IntentLabel(CONFIRM)
        texts: list[Text] = []
        for bundle in self._take(count):
            if bundle.names and not bundle.values and not bundle.held and not self._must_name(bundle):
                texts.append(realiser.filled(self.phrases["confirm_name"], name=bundle.names.pop(0)))
            texts += self._facts(bundle)
        if texts:
            return label, realiser.join(texts)
        if state.told and unit() < 0.35 and state.subject.is_clear(state.told[-1][0]):
            owner, value = state.told[-1]
            text = realiser.filled(self.phrases["confirm_value"], value=value.text)
            wanted = IntentLabel(CONFIRM, owner.number if owner is not None else None, value.slot)
            is_said = unit() < self.argument_rate and is_readable(wanted, state.introduced)
            return wanted if is_said else label, text
        if state.introduced and unit() < 0.3:
            name = realiser.repeated_name(self.rng.choice(state.introduced))
            return label, realiser.filled(self.phrases["confirm_name"], name=name)
        return label, realiser.phrase(self.phrases["confirm"])

    def _must_name(self, bundle: FactBundle) -> bool:
        return bundle.entity is not None and self.state.subject.needs_name(bundle.entity, bundle.names)

    def _facts(self, bundle: FactBundle) -> list[Text]:
        """Return the user's sentences for a bundle."""
        user, realiser = self.phrases, self.realiser
        if bundle.entity is None:
            return [realiser.filled(user["inform_user"][value.slot], value=value.text) for value in bundle.values]
        texts: list[Text] = []
        if self._must_name(bundle):
            texts.append(realiser.filled(user["name_lead"], name=bundle.entity.names[0]))
        for name in bundle.names:
            if bundle.held:
                held = name.marked(SpanMark(None, HELD, is_mention=False))
                texts.append(realiser.filled(user["inform_user"][HELD], value=held))
                continue
            text = realiser.filled(user["name_lead"], name=name)
            if not bundle.values and self.unit() < 0.55:
                with_comma = self.unit() < 0.3
                tail = realiser.phrase(user["name_tail"])
                text = realiser.join([text, tail]) if with_comma else concatenated(text, tail)
            texts.append(text)
        return texts + [realiser.filled(user["inform"][value.slot], value=value.text) for value in bundle.values]
