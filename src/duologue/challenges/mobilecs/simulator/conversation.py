"""A call as it is spoken: the intents go their way, and what the plan has to say is said where it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.schema.intents import CONFIRM, QUERY
from duologue.challenges.mobilecs.schema.ontology import COVERED_TYPES
from duologue.challenges.mobilecs.simulator import acts, amounts
from duologue.challenges.mobilecs.simulator.call_plan import HELD
from duologue.challenges.mobilecs.simulator.phrases import phrases, raw_phrases
from duologue.challenges.mobilecs.simulator.utterance import Mark, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.simulator.call_plan import CallPlan, PlannedEntity, Value
    from duologue.challenges.mobilecs.simulator.phrases import Template
    from duologue.core.rng import Rng


class IntentLabel(NamedTuple):
    """A label of an intent and what it asks for: an entity's slot, the user's slot, or a type."""

    name: str
    entity: int | None = None
    slot: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it has no argument."""
        return not self.slot


class Line:
    """One utterance: its labels in order and its text."""

    __slots__ = ("labels", "text")

    def __init__(self, labels: list[IntentLabel], text: Text) -> None:
        self.labels, self.text = labels, text

    @property
    def main(self) -> str:
        """The last label, which the other side answers."""
        return self.labels[-1].name


class Bundle:
    """What is said together: mentions and values of one entity, or values of the user's own (`entity` is `None`)."""

    __slots__ = ("entity", "held", "names", "values")

    def __init__(self, entity: PlannedEntity | None, names: list[Text], values: list[Value]) -> None:
        self.entity, self.names, self.values, self.held = entity, names, values, False


_USER_SAYS = {"业务费用": 0.19, "流量总量": 0.17, "业务规则": 0.08, "流量范围": 0.1, "业务时长": 0.2, "办理渠道": 0.2}
"""How often a value is said by the user rather than by the staff."""
_STAFF_SAYS_OWN = {"流量余额": 0.62, "账户余额": 0.7, "账户余额（欠费）": 0.5, "流量总量": 0.5, "用户状态": 0.25}
"""How often a value of the user's own is said by the staff."""
_BEARING = ("询问", "提供信息", "主动确认", "求助-查询", "取消")
"""User intents that can say something of the plan."""


class Conversation:
    """Speaks one call; `lines` are its utterances, the staff's greeting first."""

    def __init__(self, plan: CallPlan, rng: Rng, *, turns: int, argument_rate: float) -> None:
        self.plan, self.rng, self.unit, self.argument_rate = plan, rng, rng.unit, argument_rate
        self.turns = turns
        self.user, self.staff = phrases("user"), phrases("staff")
        self.stories = phrases("stories")
        self.words: dict[str, Any] = raw_phrases("products")
        self.lines: list[Line] = []
        self.introduced: list[PlannedEntity] = []
        self.user_queue: list[Bundle] = []
        self.staff_queue: list[Bundle] = []
        self.answer: list[Bundle] = []
        """What the staff must say next: it has been asked for."""
        self.listing = False
        """Whether it is a list of what there is."""
        self.waiting = False
        """Whether the staff has asked to wait for it."""
        self.question = ""
        """The kind of the staff's open question."""
        self.told: list[tuple[PlannedEntity | None, Value]] = []
        """What was said last, for confirmations."""
        self.used: set[Template] = set()
        self._share_out()

    # ------------------------------------------------------------------------------------------------ the content

    def _share_out(self) -> None:
        """Decide who says what, in which portions and in which order."""
        unit = self.unit
        for entity in self.plan.entities:
            told = [value for value in entity.values if unit() >= _USER_SAYS.get(value.slot, 0.15)]
            said = [value for value in entity.values if value not in told]
            by_user = unit() < (0.5 if entity.number == 0 else 0.3)
            first = Bundle(entity, [entity.names[0]], [])
            if by_user:
                first.values = said[:2]
                said = said[2:]
                self.user_queue.append(first)
            else:
                first.values = told[:2]
                told = told[2:]
                self.staff_queue.append(first)
            if entity.held and not by_user:
                first.held = True
            rest: list[tuple[bool, Bundle]] = []
            while told:
                size = 1 + int(unit() * 3)
                rest.append((False, Bundle(entity, [], told[:size])))
                told = told[size:]
            rest += [(True, Bundle(entity, [], [value])) for value in said]
            for name in entity.names[1:]:
                free = [bundle for _, bundle in rest if not bundle.names]
                if free and unit() < 0.75:
                    free[int(unit() * len(free))].names.append(name)
                else:
                    rest.append((unit() < 0.42, Bundle(entity, [name], [])))
            if entity.held and by_user:
                rest.append((False, self._held(entity)))
            for own, bundle in rest:
                (self.user_queue if own else self.staff_queue).append(bundle)
        for value in self.plan.user_values:
            by_staff = unit() < _STAFF_SAYS_OWN.get(value.slot, 0.06)
            queue = self.staff_queue if by_staff else self.user_queue
            place = 0 if not by_staff and unit() < 0.6 else int(unit() * (len(queue) + 1))
            queue.insert(place, Bundle(None, [], [value]))

    def _held(self, entity: PlannedEntity) -> Bundle:
        bundle = Bundle(entity, [entity.names[-1] if self.unit() < 0.5 else entity.names[0]], [])
        bundle.held = True
        return bundle

    def _ready(self, queue: list[Bundle]) -> list[Bundle]:
        """Return the portions that can be said now: of the user's own, first ones, and of entities spoken of."""
        found = []
        seen: set[int] = set()
        for bundle in queue:
            entity = bundle.entity
            if entity is None or entity in self.introduced:
                found.append(bundle)
            elif bundle.names and bundle.names[0] is entity.names[0] and entity.number not in seen:
                found.append(bundle)
                seen.add(entity.number)
        return found

    def _take(self, queue: list[Bundle], bundle: Bundle) -> Bundle:
        queue.remove(bundle)
        entity = bundle.entity
        if entity is not None and entity not in self.introduced:
            self.introduced.append(entity)
        return bundle

    # --------------------------------------------------------------------------------------------------- the course

    def speak(self) -> list[Line]:
        """Return the lines: the greeting, then user and staff in turn, the user last."""
        unit = self.unit
        self._add([IntentLabel("问候")], self._phrase(self.staff["greet"]))
        closing = 0 if unit() < acts.CUT_OFF or self.turns < 4 else 2 if unit() < 0.3 else 1
        body = self.turns - closing
        second = unit() < acts.SECOND_TOPIC and body > 6
        purpose_open = True
        for number in range(body):
            left = body - number
            if number == 0:
                purpose_open = not self._open()
            elif purpose_open:
                self._say_purpose([])
                purpose_open = False
            elif second and number == body // 2 + 1:
                self._say_purpose([])
            else:
                self._user_turn(left)
            if second and number == body // 2 and left > 2 and not self.answer:
                self._more()
            else:
                self._staff_turn(left, opening=purpose_open)
        self._close(closing)
        return self.lines

    def _add(self, labels: list[IntentLabel], text: Text) -> None:
        self.lines.append(Line(labels, text))

    def _open(self) -> bool:
        """Say the first user turn; return whether the purpose was said."""
        form = self.rng.weighted_choice(tuple(acts.OPENING), tuple(acts.OPENING.values()))
        if form == "bare":
            self._add([IntentLabel("问候")], self._phrase(self.user["greet"]))
            return False
        if form == "other":
            self._add([IntentLabel("其他")], self._phrase(self.user["other"][:10]))
            return False
        lead = []
        if form == "greeted":
            lead = [(IntentLabel("问候"), self._phrase(self.user["greet_lead"]))]
        self._say_purpose(lead)
        return True

    def _say_purpose(self, lead: list[tuple[IntentLabel, Text]]) -> None:
        weights = acts.PURPOSES[self.plan.scenario]
        label = self.rng.weighted_choice(tuple(weights), tuple(weights.values()))
        self._user_says(label, lead, attach=1 + int(self.unit() * 2), grow=True)

    def _user_turn(self, left: int) -> None:
        weights = acts.AFTER_STAFF.get(self.lines[-1].main, acts.AFTER_STAFF["通知"])
        label = self.rng.weighted_choice(tuple(weights), tuple(weights.values()))
        waiting = bool(self.answer)
        if waiting:
            label = "被动确认" if self.unit() < (0.85 if self.lines[-1].main == CONFIRM else 0.6) else "其他"
        attach = 0
        if self.user_queue and not waiting:
            if left <= 2 and label not in _BEARING:
                label = "提供信息" if self.unit() < 0.6 else "主动确认"
            if label in _BEARING:
                expected = max(1.0, 0.45 * (left - 1))
                share = len(self.user_queue) / expected
                attach = int(share) + (self.unit() < share - int(share))
                if left <= 2:
                    attach = len(self.user_queue)
        self._user_says(label, [], attach=attach, grow=True)

    def _user_says(self, label: str, lead: list[tuple[IntentLabel, Text]], *, attach: int, grow: bool) -> None:
        unit = self.unit
        parts = list(lead)
        if label == "被动确认" and not lead and unit() < 0.22 and not self.answer:
            parts.append((IntentLabel("被动确认"), self._phrase(self.user["ack"][:24])))
            label = "提供信息" if unit() < 0.85 else "询问"
        elif label == "提供信息" and not lead and unit() < 0.22:
            parts += self._user_part("提供信息", attach)
            attach, label = 0, "询问"
        elif label == "客套" and not lead and unit() < 0.08:
            parts.append((IntentLabel("其他"), self._phrase(self.user["none_more"])))
        parts += self._user_part(label, attach)
        labels: list[IntentLabel] = []
        for part, _ in parts:
            if part.name not in [one.name for one in labels]:
                labels.append(part)
        text = self._joined([text for _, text in parts], self.user["story"], acts.USER_LENGTHS if grow else None, label)
        self._add(labels, text)

    def _user_part(self, label: str, attach: int) -> list[tuple[IntentLabel, Text]]:
        """Return the labels and texts of one user intent with `attach` portions of the plan."""
        user, unit = self.user, self.unit
        if label in {"询问", QUERY}:
            return self._asks(label, attach)
        if label == "取消":
            return [(IntentLabel(label), text) for text in self._cancels(attach)]
        if label == "提供信息":
            return [(IntentLabel(label), text) for text in self._informs(attach)]
        if label == CONFIRM:
            return [self._confirms(attach)]
        if label == "求助-故障":
            ready = [one for one in self.user_queue if one.entity is None and one.values[0].slot in _TROUBLE]
            if ready:
                bundle = self._take(self.user_queue, ready[0])
                return [(IntentLabel(label), self._filled(user["fault"], value=bundle.values[0].text))]
            return [(IntentLabel(label), self._phrase(user["fault_plain"]))]
        simple = {
            "被动确认": "ack",
            "其他": "other",
            "客套": "thanks",
            "问候": "greet_again",
            "再见": "bye",
            "否认": "deny",
            "请求重复": "repeat",
            "投诉反馈": "complain",
        }[label]
        phrase = user[simple]
        if simple in {"ack", "other"} and unit() < 0.15:
            phrase = phrase[:12]
        return [(IntentLabel(label), self._phrase(phrase))]

    def _asks(self, label: str, attach: int) -> list[tuple[IntentLabel, Text]]:
        """Ask for something that the staff has to say; with nothing left, ask something general."""
        unit, rng = self.unit, self.rng
        texts: list[Text] = []
        for _ in range(attach):
            ready = self._ready(self.user_queue)
            if ready:
                texts += self._say_bundle(self._take(self.user_queue, ready[0]))
        ready = self._ready(self.staff_queue)
        own = [one for one in ready if one.entity is None and one.values[0].slot in self.user["ask_user"]]
        own += [one for one in ready if one.held and not one.values]
        slots = [one for one in ready if one.entity is not None and one.values and one.entity in self.introduced]
        kinds = [one for one in ready if one.entity is not None and one.entity not in self.introduced]
        point = unit()
        if own and (point < 0.5 or not (slots or kinds)):
            bundle = rng.choice(own)
            slot = HELD if bundle.held else bundle.values[0].slot
            self.answer = [self._take(self.staff_queue, bundle)]
            asked = IntentLabel(label, None, slot)
            texts.append(self._phrase(self.user["ask_user"][slot]))
        elif slots and (point < 0.75 or not kinds):
            bundle = slots[0]
            entity, slot = bundle.entity, bundle.values[0].slot
            assert entity is not None
            self.answer = [self._take(self.staff_queue, bundle)]
            asked = IntentLabel(label, entity.number, slot)
            texts.append(self._filled(self.user["ask"][slot], name=self._name_again(entity)))
        elif kinds:
            bundle = kinds[0]
            assert bundle.entity is not None
            kind = bundle.entity.product.type
            group = [one for one in kinds if one.entity is not None and one.entity.product.type == kind][:4]
            self.answer = [self._take(self.staff_queue, one) for one in group]
            self.listing = True
            asked = IntentLabel(label, None, self._asked_type(kind, group))
            texts.append(self._phrase(self.user["ask_type"][kind]))
        else:
            asked = IntentLabel(label)
            texts.append(self._phrase(self.user["plain_ask"]))
        if asked.slot and (unit() >= self.argument_rate or not self._is_fair(asked)):
            asked = IntentLabel(label)
        return [(asked, text) for text in texts]

    def _is_fair(self, asked: IntentLabel) -> bool:
        """Whether the official programs can read the request: they cut ids of two digits and inner brackets."""
        if "（" in asked.slot:
            return False
        return asked.entity is None or len(self.introduced) < 9 or self.introduced.index(self._entity(asked.entity)) < 9

    def _entity(self, number: int) -> PlannedEntity:
        return self.plan.entities[number]

    def _asked_type(self, kind: str, group: Sequence[Bundle]) -> str:
        """Return the type asked for, or nothing where the official scorer, in lower case, would not find the answer."""
        if any(one.names[0].text == one.names[0].text.lower() for one in group):
            if kind in {"4G套餐", "5G套餐"} and self.unit() < 0.5:
                return "主套餐"
            return kind if kind.lower() in COVERED_TYPES else ""
        return ""

    def _cancels(self, attach: int) -> list[Text]:
        texts: list[Text] = []
        for _ in range(max(attach, 1)):
            ready = self._ready(self.user_queue)
            if not ready:
                break
            bundle = self._take(self.user_queue, ready[0])
            if bundle.names and not bundle.values:
                texts.append(self._filled(self.user["cancel"], name=bundle.names.pop(0)))
            texts += self._say_bundle(bundle)
        if not texts and self.introduced and self.unit() < 0.5:
            texts.append(self._filled(self.user["cancel"], name=self._name_again(self.rng.choice(self.introduced))))
        return texts or [self._phrase(self.user["cancel_plain"])]

    def _informs(self, attach: int) -> list[Text]:
        texts: list[Text] = []
        if self.question:
            texts.append(self._answer_question())
        for _ in range(attach):
            ready = self._ready(self.user_queue)
            if ready:
                texts += self._say_bundle(self._take(self.user_queue, ready[0]))
        return texts or [self._phrase(self.user["plain_inform" if self.unit() < 0.5 else "story"])]

    def _answer_question(self) -> Text:
        kind, self.question = self.question, ""
        rng = self.rng
        fills = {
            "place": Text(rng.choice(self.words["provinces" if self.unit() < 0.4 else "cities"].split())),
            "digits": Text(amounts.digits(4 + rng.below(8), rng) if self.unit() < 0.5 else "0" * (4 + rng.below(8))),
            "surname": Text(rng.choice("王李张刘陈杨赵黄周吴徐孙马朱胡林郭何高罗")),
        }
        return self._filled(self.user["answers"][kind], **fills)

    def _confirms(self, attach: int) -> tuple[IntentLabel, Text]:
        label = IntentLabel(CONFIRM)
        if attach:
            texts: list[Text] = []
            for _ in range(attach):
                ready = self._ready(self.user_queue)
                if not ready:
                    break
                bundle = self._take(self.user_queue, ready[0])
                if bundle.names and not bundle.values and not bundle.held:
                    name = bundle.names.pop(0)
                    texts.append(self._filled(self.user["confirm_name"], name=name))
                texts += self._say_bundle(bundle)
            if texts:
                return label, self._join(texts)
        if self.told and self.unit() < 0.35:
            owner, value = self.told[-1]
            text = self._filled(self.user["confirm_value"], value=value.text)
            number = owner.number if owner is not None else None
            wanted = IntentLabel(CONFIRM, number, value.slot)
            if self.unit() < self.argument_rate and self._is_fair(wanted):
                label = wanted
            return label, text
        if self.introduced and self.unit() < 0.3:
            return label, self._filled(
                self.user["confirm_name"], name=self._name_again(self.rng.choice(self.introduced))
            )
        return label, self._phrase(self.user["confirm"])

    def _say_bundle(self, bundle: Bundle) -> list[Text]:
        """Return the user's sentences for a portion."""
        user, texts = self.user, []
        if bundle.entity is None:
            return [self._filled(user["inform_user"][value.slot], value=value.text) for value in bundle.values]
        for name in bundle.names:
            if bundle.held:
                value = name.marked(Mark(None, HELD, is_mention=False))
                texts.append(self._filled(user["inform_user"][HELD], value=value))
                continue
            text = self._filled(user["name_lead"], name=name)
            if not bundle.values and self.unit() < 0.55:
                text = (
                    self._join([text, self._phrase(user["name_tail"])])
                    if self.unit() < 0.3
                    else self._glued(text, self._phrase(user["name_tail"]))
                )
            texts.append(text)
        texts += [self._filled(user["inform"][value.slot], value=value.text) for value in bundle.values]
        return texts

    # ---------------------------------------------------------------------------------------------------- the staff

    def _staff_turn(self, left: int, *, opening: bool) -> None:
        unit, rng = self.unit, self.rng
        main = self.lines[-1].main
        if opening:
            form = "问候" if unit() < 0.55 else "引导" if unit() < 0.75 else "其他"
            self._staff_says([form], [])
            return
        self.question = ""
        if self.answer:
            self._staff_answers(left)
            return
        weights = acts.AFTER_USER.get(main, acts.AFTER_USER["其他"])
        labels = rng.weighted_choice(tuple(weights), tuple(weights.values())).split("+")
        bundles = []
        if self.staff_queue:
            if left <= 2 and not {"通知", "建议"} & set(labels):
                labels = [*labels[:1], "通知"] if labels[0] in {"被动确认", "客套", "抱歉"} else ["通知"]
            if {"通知", "建议"} & set(labels):
                share = len(self.staff_queue) / max(1.0, 0.62 * (left - 1))
                count = int(share) + (unit() < share - int(share))
                bundles = self._rest() if left <= 1 else self._next(count)
            elif labels == ["主动确认"] and unit() < 0.25:
                bundles = [one for one in self._ready(self.staff_queue) if one.names and not one.values][:1]
                bundles = [self._take(self.staff_queue, one) for one in bundles]
        self._staff_says(labels, bundles)

    def _staff_answers(self, left: int) -> None:
        """Say what was asked for, at once or after a turn of waiting."""
        unit = self.unit
        waited = self.waiting
        self.waiting = not waited and left > 2 and unit() < 0.24
        if self.waiting:
            if unit() < 0.62:
                self._add([IntentLabel("通知")], self._phrase(self.staff["wait"]))
            else:
                self._add([IntentLabel(CONFIRM)], self._staff_asks_back())
            return
        bundles, self.answer = self.answer, []
        labels = ["通知"]
        if waited and self.lines[-2].main != CONFIRM and unit() < 0.6:
            labels = ["客套", "通知"]
        elif unit() < 0.12:
            labels = ["通知", "主动确认"] if unit() < 0.5 else ["通知", "询问"]
        if left <= 1:
            bundles += self._rest()
        self._staff_says(labels, bundles)
        self.listing = False

    def _staff_asks_back(self) -> Text:
        """Make sure what was asked for."""
        asked = self.answer[0].entity
        if asked is not None and asked in self.introduced and len(self.answer) == 1 and self.unit() < 0.6:
            name = self._name_again(asked)
            if name.text:
                return self._filled(self.staff["confirm_name"], name=name)
        return self._phrase(self.staff["confirm"])

    def _next(self, count: int) -> list[Bundle]:
        taken = []
        for _ in range(count):
            ready = self._ready(self.staff_queue)
            if ready:
                taken.append(self._take(self.staff_queue, ready[0]))
        return taken

    def _rest(self) -> list[Bundle]:
        """Return all that is left to say, the user's portions too, in an order in which it can be said."""
        left = sorted(
            (*self.staff_queue, *self.user_queue),
            key=lambda one: (
                one.entity is not None
                and not (one.names and one.names[0] is one.entity.names[0])
                and one.entity not in self.introduced
            ),
        )
        self.staff_queue, self.user_queue = [], []
        for bundle in left:
            if bundle.entity is not None and bundle.entity not in self.introduced:
                self.introduced.append(bundle.entity)
        return left

    def _staff_says(self, labels: list[str], bundles: list[Bundle]) -> None:
        staff = self.staff
        texts: list[Text] = []
        if "通知" in labels and labels[-1] != CONFIRM:
            point = self.unit()
            labels = [*labels, *(("主动确认",) if point < 0.06 else ("询问",) if point < 0.09 else ())]
        found = [IntentLabel(one) for one in labels]
        for label in labels:
            if label == "通知":
                told = [text for bundle in bundles for text in self._tell(bundle)]
                texts.append(self._join(told, staff["join"]) if told else self._plain_notice())
            elif label == "主动确认":
                texts.append(self._staff_confirms(bundles if len(labels) == 1 else []))
            elif label == "询问":
                self.question = self.rng.choice(_QUESTIONS)
                texts.append(self._phrase(staff["ask"][self.question]))
            elif label == "建议":
                named = [one for one in bundles if one.names] if "通知" not in labels else []
                if bundles and "通知" not in labels:
                    texts += [text for bundle in bundles for text in self._tell(bundle, suggest=bundle in named)]
                if not bundles or "通知" in labels:
                    texts.append(self._phrase(staff["suggest"]))
            else:
                texts.append(self._phrase(staff[_STAFF_PHRASES[label]]))
        grow = acts.STAFF_LENGTHS if {"通知", "建议"} & set(labels) else None
        self._add(found, self._joined(texts, staff["explain"], grow, labels[-1]))

    def _plain_notice(self) -> Text:
        done = self.lines[-1].main in {"取消", "被动确认", "提供信息"} and self.unit() < 0.3
        if self.lines[-1].main in {QUERY, "取消"} and self.unit() < 0.5:
            return self._phrase(self.staff["wait"])
        return self._phrase(self.staff["done" if done else "answer"])

    def _staff_confirms(self, bundles: list[Bundle]) -> Text:
        staff = self.staff
        if bundles:
            return self._join([self._filled(staff["confirm_name"], name=name) for one in bundles for name in one.names])
        if self.told and self.unit() < 0.15:
            return self._filled(staff["confirm_value"], value=self.told[-1][1].text)
        if self.introduced and self.unit() < 0.25:
            return self._filled(staff["confirm_name"], name=self._name_again(self.rng.choice(self.introduced)))
        return self._phrase(staff["confirm"])

    def _tell(self, bundle: Bundle, *, suggest: bool = False) -> list[Text]:
        """Return the staff's sentences for a portion."""
        staff, texts = self.staff, []
        entity = bundle.entity
        if entity is None:
            for value in bundle.values:
                self.told.append((None, value))
                texts.append(self._filled(staff["tell_user"][value.slot], value=value.text))
            return texts
        for number, name in enumerate(bundle.names):
            if bundle.held and number == 0:
                value_text = name.marked(Mark(None, HELD, is_mention=False))
                texts.append(self._filled(staff["tell_user"][HELD], value=value_text))
            elif suggest and number == 0:
                texts.append(self._filled(staff["suggest_name"], name=name))
            else:
                kind = "offer" if self.listing else "name_lead" if bundle.values else "name_only"
                texts.append(self._filled(staff[kind], name=name))
        if not bundle.names and self.unit() < 0.2:
            texts.append(self._filled(staff["name_lead"], name=self._name_again(entity)))
        for number, value in enumerate(bundle.values):
            self.told.append((entity, value))
            text = self._filled(staff["tell"][value.slot], value=value.text)
            if number == 0 and texts and self.unit() < 0.7:
                texts[-1] = self._glued(texts[-1], text)
            else:
                texts.append(text)
        return texts

    def _more(self) -> None:
        if self.staff_queue and self.unit() < 0.5:
            self._staff_says(["通知"], self._next(1))
            return
        self._add([IntentLabel("询问" if self.unit() < 0.6 else "引导")], self._phrase(self.staff["more"]))

    def _close(self, closing: int) -> None:
        """End the call: thanks, an offer of more help, no, goodbye."""
        unit, staff, user = self.unit, self.staff, self.user
        for number in range(closing):
            if number == 0:
                thanks = unit() < 0.55
                label = "客套" if thanks else "被动确认" if unit() < 0.6 else "其他"
                self._user_says(label, [], attach=0, grow=False)
                offer = "询问" if unit() < 0.8 else "引导"
                if unit() < (0.85 if thanks else 0.5):
                    text = self._join([self._phrase(staff["welcome"]), self._phrase(staff["more"])])
                    self._add([IntentLabel("客套"), IntentLabel(offer)], text)
                else:
                    self._add([IntentLabel(offer)], self._phrase(staff["more"]))
            else:
                self._end_user()
                point = unit()
                if point < 0.4:
                    self._add([IntentLabel("再见")], self._phrase(staff["bye"]))
                elif point < 0.7:
                    text = self._join([self._phrase(staff["welcome"]), self._phrase(staff["bye"])])
                    self._add([IntentLabel("客套"), IntentLabel("再见")], text)
                else:
                    self._add([IntentLabel("建议" if unit() < 0.7 else "主动确认")], self._phrase(staff["more_thanks"]))
        if closing == 2:
            point = unit()
            label, phrase = (
                ("再见", "bye") if point < 0.45 else ("被动确认", "ack") if point < 0.75 else ("其他", "other")
            )
            self._add([IntentLabel(label)], self._phrase(user[phrase][:10]))
        elif closing:
            self._end_user()
        else:
            label, phrase = ("其他", "other") if unit() < 0.5 else ("被动确认", "ack")
            self._add([IntentLabel(label)], self._phrase(user[phrase][:16]))

    def _end_user(self) -> None:
        point = self.unit()
        if point < 0.46:
            self._add([IntentLabel("其他")], self._phrase(self.user["none_more"]))
        elif point < 0.7:
            text = self._join([self._phrase(self.user["none_more"]), self._phrase(self.user["thanks"][:10])])
            self._add([IntentLabel("客套")], text)
        elif point < 0.92:
            self._add([IntentLabel("再见")], self._phrase(self.user["bye"]))
        else:
            self._add([IntentLabel("客套")], self._phrase(self.user["thanks"]))

    # -------------------------------------------------------------------------------------------------- the wording

    def _template(self, options: Sequence[Template]) -> Template | None:
        """Return one of the phrases that this call has not had; `None` if it is not found soon."""
        for _ in range(5):
            template = options[int(self.unit() * len(options))]
            if template not in self.used:
                self.used.add(template)
                return template
        return None

    def _phrase(self, options: Sequence[Template]) -> Text:
        template = self._template(options) or options[int(self.unit() * len(options))]
        return template.fill(self.unit)

    def _filled(self, options: Sequence[Template], **fills: Text) -> Text:
        template = options[int(self.unit() * len(options))]
        return template.fill(self.unit, fills)

    def _name_again(self, entity: PlannedEntity) -> Text:
        """Return a name of an entity that was said before, mostly a short one, or nothing."""
        return entity.names[-1] if self.unit() < 0.6 else entity.names[0] if self.unit() < 0.4 else Text()

    @staticmethod
    def _glued(first: Text, second: Text) -> Text:
        text = Text()
        text.add(first)
        text.add(second)
        return text

    def _join(self, texts: Sequence[Text], joints: Sequence[Template] = ()) -> Text:
        text = Text()
        for number, one in enumerate(texts):
            if number:
                text.add(self.rng.choice(joints).fill(self.unit) if joints else Text("，"))
            text.add(one)
        return text

    def _joined(
        self, texts: list[Text], more: Sequence[Template], lengths: tuple[tuple[float, float], ...] | None, label: str
    ) -> Text:
        """Join sentences and, for labels that have something to say, let the turn grow to a drawn length."""
        text = self._join(texts)
        if lengths is None or label in _SHORT:
            return text
        wanted = acts.quantile(self.unit(), lengths) - 5
        front = self.unit() < 0.35
        side = "user" if lengths is acts.USER_LENGTHS else "staff"
        while len(text.text) < wanted:
            options = self.stories[side][self.plan.scenario] if wanted - len(text.text) > _LONG_STORY else more
            template = self._template(options)
            if template is None:
                template = self._template(more)
            if template is None:
                break
            added = template.fill(self.unit)
            text = self._join([added, text] if front else [text, added])
            front = False
        return text


_LONG_STORY = 22
"""From so many missing characters on, a turn grows by a sentence about its subject."""
_TROUBLE = {"故障问题", "用户状态"}
_SHORT = {"被动确认", "其他", "客套", "问候", "再见", "否认", "请求重复"}
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
_STAFF_PHRASES = {
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
