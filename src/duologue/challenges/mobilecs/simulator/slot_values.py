"""Values of slots as they are said of a product, as weighted in the specification, section 13.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema import ontology
from duologue.challenges.mobilecs.schema.spoken_numbers import spoken
from duologue.challenges.mobilecs.simulator import amounts
from duologue.challenges.mobilecs.simulator.phrases import phrases
from duologue.challenges.mobilecs.simulator.utterance import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.challenges.mobilecs.simulator.catalogue import Product
    from duologue.challenges.mobilecs.simulator.phrases import Template
    from duologue.core.rng import Rng

VALUE_COUNTS = {1: 0.822, 2: 0.139, 3: 0.031, 4: 0.008}
"""Shares of the number of values that a slot has."""


def surfaces(slot: str, product: Product, rng: Rng) -> list[str]:
    """Return the values of a slot of an entity as they will be said, all different."""
    count = rng.weighted_key(VALUE_COUNTS)
    found: dict[str, None] = {}
    for _ in range(3 * count):
        found[surface(slot, product, rng)] = None
        if len(found) == count:
            break
    return list(found)


def surface(slot: str, product: Product, rng: Rng) -> str:
    """Return a way to say the value of a slot; a campaign may differ from the catalogue."""
    make = _SURFACES.get(slot)
    return make(product, rng) if make is not None else _phrase(slot, rng)


def _phrase(slot: str, rng: Rng) -> str:
    template = rng.choice(phrases("rules")[slot])
    text: str = template.fill(rng.unit, fills_of(template, rng)).text
    return text


def _fee(product: Product, rng: Rng) -> str:
    return amounts.fee(product.fee if rng.happens(0.8) else 1 + rng.below(90), rng)


def _volume(product: Product, rng: Rng) -> str:
    text = amounts.volume(product.volume or some_volume(rng), rng)
    point = rng.unit()
    return f"{text}{product.area}流量" if point < 0.05 else f"{product.area}流量{text}" if point < 0.08 else text


def _data_area(product: Product, rng: Rng) -> str:
    return product.area if rng.happens(0.8) else rng.choice(("省内", "国内", "全国"))


def _call_area(product: Product, rng: Rng) -> str:
    return product.call_area if rng.happens(0.8) else rng.choice(("国内", "本地", "省内", "全国", "全国范围内"))


def _called(_: Product, rng: Rng) -> str:
    return "免费" if rng.happens(0.82) else rng.choice(("不收费", "不要钱", "全国免费", "不扣钱"))


def _channel(product: Product, rng: Rng) -> str:
    usual = ("营业厅", "营业厅", "短信", "短信", "手机营业厅", "发短信")
    return product.channel if rng.happens(0.5) else rng.choice(usual)


def _rule(_: Product, rng: Rng) -> str:
    text = _phrase(ontology.RULE, rng)
    return f"{text}，{_phrase(ontology.RULE, rng)}" if rng.happens(0.5) else text


_SURFACES: Mapping[str, Callable[[Product, Rng], str]] = {
    ontology.FEE: _fee,
    ontology.VOLUME: _volume,
    ontology.MINUTES: lambda product, rng: amounts.minutes(product.minutes, rng),
    ontology.DATA_AREA: _data_area,
    ontology.CALL_AREA: _call_area,
    ontology.DURATION: lambda product, rng: amounts.duration(product.duration, rng),
    ontology.RULE: _rule,
    "国内主叫": lambda product, rng: amounts.rate(product.call_rate, rng),
    "套餐外通话计费": lambda product, rng: amounts.rate(product.call_rate, rng),
    "国内被叫": _called,
    "套餐外流量计费": lambda product, rng: amounts.data_rate(product.data_rate, rng),
    "办理渠道": _channel,
    "隶属业务": lambda product, _: product.parent,
    "互斥业务": lambda product, _: product.excludes or product.parent,
}


def some_volume(rng: Rng) -> int:
    """Return a usual volume in megabytes."""
    return rng.choice((50, 100, 200, 300, 500, 700)) if rng.happens(0.5) else amounts.GIGABYTE * (1 + rng.below(12))


def fills_of(template: Template, rng: Rng, names: Sequence[Text] = ()) -> dict[str, Text]:
    """Return what fills the places of a phrase: numbers, amounts, one of the names."""
    fills: dict[str, Text] = {}
    for place in template.places:
        if place == "name":
            fills[place] = rng.choice(names)
        elif place == "n":
            fills[place] = Text(amounts.counted(1 + rng.below(12), rng))
        elif place == "m":
            fills[place] = Text(amounts.counted(rng.choice((50, 100, 100, 120, 200, 200, 300, 500, 600, 1000)), rng))
        elif place in {"k", "f"}:
            jiao = 10 * rng.choice((5, 10, 15, 20, 30, 50, 60, 100)) if place == "k" else 5 + rng.below(1200)
            fills[place] = Text(amounts.money(jiao, rng))
        elif place == "v":
            fills[place] = Text(_left_over(rng))
        elif place == "d":
            fills[place] = Text(spoken(1 + rng.below(28)))
        else:
            fills[place] = Text(spoken(1 + rng.below(12)))
    return fills


def _left_over(rng: Rng) -> str:
    megabytes = some_volume(rng) if rng.happens(0.4) else 1 + rng.below(999)
    text = amounts.volume(megabytes, rng)
    return text if rng.happens(0.8) else f"{text}多"
