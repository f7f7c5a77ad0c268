"""UI text of the live bot, outside the challenge's inventory, in English and Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema.domain import RESTAURANT
from duologue.challenges.restaurant.schema.templates import LOCATION, NUMBER, answer_type
from duologue.core.live_text import texts_in
from duologue.core.records import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.challenges.restaurant.schema.domain import Domain
    from duologue.challenges.restaurant.schema.templates import RequestSlot
    from duologue.challenges.restaurant.systems.solver.solver import BookingState
    from duologue.core.records import Item
    from duologue.knowledge.base import KnowledgeBase

ENGLISH = {
    "welcome": "Say hello and {ask}, for example: {opening} {examples}. An empty line hands the turn"
    " back, 'bye' ends the conversation.",
    "not-understood": "I am afraid I did not understand that. {hint}",
    "your-turn": "It is your turn. {hint}",
    "nothing-proposed": "I have not proposed a {thing} yet. {hint}",
    "nothing-chosen": "We have not settled on a {thing} yet. {hint}",
    "hint-start": "You could say: {opening} {examples}.",
    "hint-asking": "My question was: {said}? I know {known}.",
    "hint-option": "You could say: it's perfect, or: do you have something else, or: what was the first option again.",
    "hint-update": "You could change something, for example: instead could it be {examples}; or say: no.",
    "hint-booked": "You could say: do you have its phone number, or: can you provide the address, or: thank you.",
    "hint-any": "An empty line lets me go on.",
    "what-change": "What would you like to change? For example: instead could it be {examples}.",
    "unknown-value": "I am sorry, I know no {slot} '{value}'. I know {known}.",
    "several-values": "You named more than one {slot}: {values}. Which one shall it be?",
    "unknown-restaurant": "I am sorry, I know no {thing} '{name}'.",
    "no-match": "I am sorry, I found nothing for: {values}. You could change something: {changes}.",
    "no-more-options": "I am sorry, that was the last option. You could take one of them after all (what was the first"
    " option again) or change something, for example: instead could it be {examples}.",
    "goodbye": "Goodbye!",
    "card": "You want: {values}.",
    "card-asks": "Find out: {values}.",
    "list": ", ",
}
CHINESE = {
    "welcome": "请先问好，再{ask}，例如：{opening} {examples}。空行表示让我继续，输入 bye 结束对话。",
    "not-understood": "抱歉，我没有听懂。{hint}",
    "your-turn": "请您说话。{hint}",
    "nothing-proposed": "我还没有推荐过{thing}。{hint}",
    "nothing-chosen": "我们还没有选定{thing}。{hint}",
    "hint-start": "您可以说：{opening} {examples}。",
    "hint-asking": "我刚才问的是：{said}？可选：{known}。",
    "hint-option": "您可以说：it's perfect，或者 do you have something else，或者 what was the first option again。",
    "hint-update": "您可以修改要求，例如：instead could it be {examples}；或者说：no。",
    "hint-booked": "您可以说：do you have its phone number，或者 can you provide the address，或者 thank you。",
    "hint-any": "输入空行，我就继续。",
    "what-change": "您想修改什么？例如：instead could it be {examples}。",
    "unknown-value": "抱歉，“{value}”不是我知道的 {slot}。可选：{known}。",
    "several-values": "您提到了不止一个 {slot}：{values}。请选一个。",
    "unknown-restaurant": "抱歉，我不知道{thing}“{name}”。",
    "no-match": "抱歉，没有符合这些要求的结果：{values}。您可以修改要求：{changes}。",
    "no-more-options": "抱歉，这是最后一个了。您可以从中选一个（what was the first option again），"
    "或者修改要求，例如：instead could it be {examples}。",
    "goodbye": "再见！",
    "card": "您要的是：{values}。",
    "card-asks": "请问到：{values}。",
    "list": "、",
}
_NAMED = {"en": ("restaurant", "ask for a table"), "zh": ("餐厅", "订餐桌")}
_ASKS = {"en": "say what you need", "zh": "说明需求"}
"""In other domains."""
UI_TEXTS = {"en": ENGLISH, "zh": CHINESE}
"""UI text by language and key."""


_OFFERS = 4
"""Maximum number of changes that are offered when nothing matches."""


class UiText:
    """Fills the UI text of one language with values of the knowledge base.

    Raises `UsageError` for a language without UI text.
    """

    def __init__(
        self, lang: str, base: KnowledgeBase, slots: Sequence[RequestSlot], domain: Domain = RESTAURANT
    ) -> None:
        self._texts = texts_in(lang, UI_TEXTS)
        self._base = base
        self._slots = {slot.name: slot for slot in slots}
        own = domain == RESTAURANT
        thing, ask = _NAMED[lang] if own else (domain.thing, _ASKS[lang])
        self._named = {"thing": thing, "ask": ask, "opening": domain.wording.openings[0]}
        self._shown_slots = (NUMBER, LOCATION) if own else domain.slots[:2]

    def turn(self, key: str, state: BookingState, details: Mapping[str, str]) -> Turn:
        """Return the text as a system turn, marked in `meta` as outside the challenge."""
        return Turn(speaker="system", text=self.text(key, state, details), meta={"remark": key})

    def text(self, key: str, state: BookingState, details: Mapping[str, str]) -> str:
        """Return the text, with a hint at what can be said in the current dialogue state.

        `details`: `slot` and `value` or `values` (blank-separated) that were named, `name` of a restaurant,
        `call` without matches.
        """
        filled = dict(details)
        if "slot" in filled:
            filled["known"] = self._known(filled["slot"])
        if "values" in filled:
            filled["values"] = self._list(filled["values"].split())
        if "call" in filled:
            values = filled["call"].split()[1:]
            filled["values"] = self._list(values)
            filled["changes"] = self._list(self._changes(dict(zip(state.required, values, strict=False))))
        return self._texts[key].format(**self._named, **filled, examples=self._example(key), hint=self._hint(state))

    def card(self, item: Item) -> list[str]:
        """Return what is to be booked, and what is to be asked of it, a line each."""
        wants = self._list(f"{slot} = {value}" for slot, value in item.known.items())
        lines = [self._texts["card"].format(values=wants)]
        return [*lines, self._texts["card-asks"].format(values=self._list(item.asked))] if item.asked else lines

    def _hint(self, state: BookingState) -> str:
        key = _hint_key(state)
        slot = self._slots.get(state.asked or "")
        said, known = (slot.question, self._known(slot.name)) if slot is not None else ("", "")
        return self._texts[key].format(**self._named, examples=self._example(key), said=said, known=known)

    def _example(self, key: str) -> str:
        """Return slot phrases with values that exist."""
        phrases = [slot.phrases[0].format(new=self._base.values(slot.name)[-1]) for slot in self._shown_slots]
        return " ".join(phrases if key in {"welcome", "hint-start"} else phrases[1:])

    def _known(self, slot: str) -> str:
        return self._list(map(str, self._base.values(slot)))

    def _list(self, values: Iterable[str]) -> str:
        return self._texts["list"].join(values)

    def _changes(self, conditions: Mapping[str, str]) -> list[str]:
        """Return phrases that change one slot so that something is found, each slot once before any twice."""
        found: list[tuple[int, str]] = []
        for slot in self._slots.values():
            others = [str(value) for value in self._base.values(slot.name) if value != conditions.get(slot.name)]
            fitting = [value for value in others if self._base.find({**conditions, slot.name: value})]
            found += [(turn, slot.phrases[0].format(new=value)) for turn, value in enumerate(fitting)]
        phrases = [phrase for _, phrase in sorted(found, key=lambda entry: entry[0])]
        return phrases[:_OFFERS] or [self._example("")]


def _hint_key(state: BookingState) -> str:
    last = answer_type(state.last_bot, state.rules.slots)
    if last.startswith("ask-") or (last == "ready" and not state.called):
        return "hint-asking"
    if last in {"option", "repeat"} or (last == "sorry" and state.proposed and not state.chosen):
        return "hint-option"
    if state.chosen:
        return "hint-booked"
    if state.called:
        return "hint-update"
    return "hint-any" if state.requested else "hint-start"
