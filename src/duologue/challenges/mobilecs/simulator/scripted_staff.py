"""The staff of a generated call, who have a plan: answer what is asked for, say their agenda, close the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.intents import CONFIRM, QUERY
from duologue.challenges.mobilecs.simulator import acts
from duologue.challenges.mobilecs.simulator.call_plan import HELD
from duologue.challenges.mobilecs.simulator.line import IntentLabel
from duologue.challenges.mobilecs.simulator.phrases import phrases
from duologue.challenges.mobilecs.simulator.surface_realiser import SurfaceRealiser, concatenated
from duologue.challenges.mobilecs.simulator.utterance import SpanMark

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.simulator.call_state import CallState
    from duologue.challenges.mobilecs.simulator.fact_bundle import FactBundle
    from duologue.challenges.mobilecs.simulator.utterance import Text
    from duologue.core.rng import Rng

_INFORMATIVE = {"通知", "建议"}
"""Staff intents that can say facts of the plan."""
_QUESTIONS = (
    "where",
    "number",
    "number",
    "when",
    "when",
    "who",
    "who",
    "device",
    "how",
    "tried",
    "which",
    "convenient",
    "yesno",
)
"""Kinds of questions, each as often as it is likely."""
_PLAIN_PHRASES = {
    "引导": "guide",
    "请求重复": "repeat",
    "被动确认": "ack",
    "否认": "deny",
    "问候": "greet_again",
    "抱歉": "sorry",
    "再见": "bye",
    "客套": "thanks_wait",
    "其他": "other",
}
"""Phrases of the intents that say no facts."""


class ScriptedStaff:
    """Adds the staff's utterances to a call."""

    def __init__(self, state: CallState, rng: Rng) -> None:
        self.state, self.rng, self.unit = state, rng, rng.unit
        self.phrases: dict[str, Any] = phrases("staff")
        self.realiser = SurfaceRealiser(
            rng,
            about=phrases("stories")["staff"][state.scenario],
            fillers=self.phrases["explain"],
            lengths=acts.STAFF_LENGTHS,
            subject=state.subject,
        )
        self._waiting = False  # whether the user was asked to wait for what is requested

    def greet(self) -> None:
        """Say the first utterance of the call."""
        self.state.add([IntentLabel("问候")], self.realiser.phrase(self.phrases["greet"]))

    def invite(self) -> None:
        """Answer a user who has not yet said why they call."""
        unit = self.unit
        self._say(["问候" if unit() < 0.55 else "引导" if unit() < 0.75 else "其他"], [])

    def respond(self, left: int) -> None:
        """Answer the user's last utterance; `left` turns are left to say the agenda in."""
        state, unit = self.state, self.unit
        state.question = ""
        if state.requested:
            self._answer(left)
            return
        labels = self.rng.weighted_key(acts.AFTER_USER.get(state.last_intent, acts.AFTER_USER["其他"])).split("+")
        bundles = []
        if state.staff_queue:
            if left <= 2 and not _INFORMATIVE & set(labels):
                labels = [*labels[:1], "通知"] if labels[0] in {"被动确认", "客套", "抱歉"} else ["通知"]
            if _INFORMATIVE & set(labels):
                share = len(state.staff_queue) / max(1.0, 0.62 * (left - 1))
                count = int(share) + (unit() < share - int(share))
                bundles = state.take_all() if left <= 1 else state.take_next(state.staff_queue, count)
            elif labels == ["主动确认"] and unit() < 0.25:
                named = [one for one in state.ready(state.staff_queue) if one.names and not one.values]
                bundles = [state.take(state.staff_queue, one) for one in named[:1]]
        self._say(labels, bundles)

    def offer_more(self) -> None:
        """In the middle of a call, say one more bundle or ask for another wish."""
        if self.state.staff_queue and self.unit() < 0.5:
            self._say(["通知"], self.state.take_next(self.state.staff_queue, 1))
            return
        label = IntentLabel("询问" if self.unit() < 0.6 else "引导")
        self.state.add([label], self.realiser.phrase(self.phrases["more"]))

    def offer_help(self, *, thanked: bool) -> None:
        """Begin to close the call: ask for another wish, mostly after a word for a user who thanked."""
        phrase, unit = self.realiser.phrase, self.unit
        offer = IntentLabel("询问" if unit() < 0.8 else "引导")
        if unit() < (0.85 if thanked else 0.5):
            text = self.realiser.join([phrase(self.phrases["welcome"]), phrase(self.phrases["more"])])
            self.state.add([IntentLabel("客套"), offer], text)
        else:
            self.state.add([offer], phrase(self.phrases["more"]))

    def say_goodbye(self) -> None:
        """Close the call."""
        phrase, staff, unit = self.realiser.phrase, self.phrases, self.unit
        point = unit()
        if point < 0.4:
            self.state.add([IntentLabel("再见")], phrase(staff["bye"]))
        elif point < 0.7:
            text = self.realiser.join([phrase(staff["welcome"]), phrase(staff["bye"])])
            self.state.add([IntentLabel("客套"), IntentLabel("再见")], text)
        else:
            label = IntentLabel("建议" if unit() < 0.7 else "主动确认")
            self.state.add([label], phrase(staff["more_thanks"]))

    def _answer(self, left: int) -> None:
        """Say what is requested, at once or after a turn of waiting."""
        state, unit = self.state, self.unit
        waited = self._waiting
        self._waiting = not waited and left > 2 and unit() < 0.24
        if self._waiting:
            if unit() < 0.62:
                state.add([IntentLabel("通知")], self.realiser.phrase(self.phrases["wait"]))
            else:
                state.add([IntentLabel(CONFIRM)], self._check_request())
            return
        bundles, state.requested = state.requested, []
        labels = ["通知"]
        if waited and state.lines[-2].main != CONFIRM and unit() < 0.6:
            labels = ["客套", "通知"]
        elif unit() < 0.12:
            labels = ["通知", "主动确认"] if unit() < 0.5 else ["通知", "询问"]
        if left <= 1:
            bundles += state.take_all()
        self._say(labels, bundles)
        state.listing = False

    def _check_request(self) -> Text:
        """Return a question whether the request was understood."""
        requested = self.state.requested
        asked = requested[0].entity
        if asked is not None and asked in self.state.introduced and len(requested) == 1 and self.unit() < 0.6:
            name = self.realiser.repeated_name(asked)
            if name.text:
                return self.realiser.filled(self.phrases["confirm_name"], name=name)
        return self.realiser.phrase(self.phrases["confirm"])

    def _say(self, labels: list[str], bundles: list[FactBundle]) -> None:
        """Say a turn of the intents given, sometimes with another one, and the bundles."""
        staff, realiser = self.phrases, self.realiser
        texts: list[Text] = []
        if "通知" in labels and labels[-1] != CONFIRM:
            point = self.unit()
            labels = [*labels, *(("主动确认",) if point < 0.06 else ("询问",) if point < 0.09 else ())]
        for label in labels:
            if label == "通知":
                told = [text for bundle in bundles for text in self._facts(bundle)]
                texts.append(realiser.join(told, staff["join"]) if told else self._plain_notice())
            elif label == "主动确认":
                texts.append(self._confirm(bundles if len(labels) == 1 else []))
            elif label == "询问":
                self.state.question = self.rng.choice(_QUESTIONS)
                texts.append(realiser.phrase(staff["ask"][self.state.question]))
            elif label == "建议":
                texts += self._suggest([] if "通知" in labels else bundles)
            else:
                texts.append(realiser.phrase(staff[_PLAIN_PHRASES[label]]))
        text = realiser.join(texts)
        if _INFORMATIVE & set(labels):
            text = realiser.lengthen(text, labels[-1])
        self.state.add([IntentLabel(one) for one in labels], text)

    def _plain_notice(self) -> Text:
        """Return a notice that says no facts."""
        answered = self.state.last_intent
        done = answered in {"取消", "被动确认", "提供信息"} and self.unit() < 0.3
        if answered in {QUERY, "取消"} and self.unit() < 0.5:
            return self.realiser.phrase(self.phrases["wait"])
        return self.realiser.phrase(self.phrases["done" if done else "answer"])

    def _suggest(self, bundles: list[FactBundle]) -> list[Text]:
        """Return a suggestion of what the bundles name, or a general one where there are none."""
        if not bundles:
            return [self.realiser.phrase(self.phrases["suggest"])]
        return [text for one in bundles for text in self._facts(one, suggest=bool(one.names))]

    def _confirm(self, bundles: list[FactBundle]) -> Text:
        """Return a request to confirm: names of bundles, what was said last, a name, or nothing specific."""
        staff, realiser, state = self.phrases, self.realiser, self.state
        if bundles:
            names = [name for one in bundles for name in self._told_names(one)]
            return realiser.join([realiser.filled(staff["confirm_name"], name=name) for name in names])
        if state.told and self.unit() < 0.15 and state.subject.is_clear(state.told[-1][0]):
            return realiser.filled(staff["confirm_value"], value=state.told[-1][1].text)
        if state.introduced and self.unit() < 0.25:
            name = realiser.repeated_name(self.rng.choice(state.introduced))
            return realiser.filled(staff["confirm_name"], name=name)
        return realiser.phrase(staff["confirm"])

    def _told_names(self, bundle: FactBundle) -> list[Text]:
        """Return the names of a bundle, after the fullest of its entity where that must be named."""
        if bundle.entity is not None and self.state.subject.needs_name(bundle.entity, bundle.names):
            return [bundle.entity.names[0], *bundle.names]
        return bundle.names

    def _facts(self, bundle: FactBundle, *, suggest: bool = False) -> list[Text]:
        """Return the staff's sentences for a bundle; its values count as told."""
        staff, realiser = self.phrases, self.realiser
        texts: list[Text] = []
        entity = bundle.entity
        self.state.told += [(entity, value) for value in bundle.values]
        if entity is None:
            return [realiser.filled(staff["tell_user"][value.slot], value=value.text) for value in bundle.values]
        if self.state.subject.needs_name(entity, bundle.names):
            texts.append(realiser.filled(staff["name_lead"], name=entity.names[0]))
        for number, name in enumerate(bundle.names):
            if bundle.held and number == 0:
                held = name.marked(SpanMark(None, HELD, is_mention=False))
                texts.append(realiser.filled(staff["tell_user"][HELD], value=held))
            elif suggest and number == 0:
                texts.append(realiser.filled(staff["suggest_name"], name=name))
            else:
                kind = "offer" if self.state.listing else "name_lead" if bundle.values else "name_only"
                texts.append(realiser.filled(staff[kind], name=name))
        if not bundle.names and not texts and self.unit() < 0.2:
            texts.append(realiser.filled(staff["name_lead"], name=realiser.repeated_name(entity)))
        for number, value in enumerate(bundle.values):
            text = realiser.filled(staff["tell"][value.slot], value=value.text)
            if number == 0 and texts and self.unit() < 0.7:
                texts[-1] = concatenated(texts[-1], text)
            else:
                texts.append(text)
        return texts
