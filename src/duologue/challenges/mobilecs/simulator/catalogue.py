"""Catalogue of an operator: products of the ten types with fees, volumes, rates, channels and relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.mobilecs.simulator.amounts import GIGABYTE
from duologue.challenges.mobilecs.simulator.phrases import raw_phrases
from duologue.core.records import Record
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TYPE_COUNTS = {
    "流量包": 120,
    "业务": 150,
    "套餐": 60,
    "主套餐": 50,
    "4G套餐": 20,
    "数据业务": 14,
    "附加套餐": 24,
    "国际漫游业务": 10,
    "长途业务": 6,
    "5G套餐": 4,
}
"""Products of each type."""

_PLAN_TYPES = ("套餐", "主套餐", "4G套餐", "5G套餐")
_PACKS = ((10, 100), (5, 30), (20, 300), (30, 500), (50, GIGABYTE), (70, 2 * GIGABYTE), (3, 10), (15, 150), (25, 400))
_SIZES = (10, 30, 50, 60, 70, 100, 100, 150, 200, 300, 400, 500, 500, 600, 700, 800)
_PLAN_FEES = (8, 9, 10, 11, 13, 16, 18, 18, 19, 23, 28, 28, 29, 30, 33, 36, 38, 38, 39, 40, 46, 48, 50, 55, 58, 58, 59)
_MORE_FEES = (60, 66, 68, 69, 78, 79, 80, 88, 90, 98, 99, 108, 118, 128, 138, 158, 168, 188, 199, 238, 268, 288, 388)
_SMALL_FEES = (0, 1, 1, 2, 2, 3, 3, 3, 4, 5, 5, 5, 5, 6, 6, 7, 8, 8, 9, 10, 10, 10, 12, 15, 18, 20, 25, 30)


class Product(Record, frozen=True):
    """One product. Amounts are typical: what is said in a call may be another campaign's."""

    id: str
    type: str
    name: str
    short: str
    """The name in short, as it is said the second time."""
    fee: int
    """Yuan in a month."""
    volume: int
    """Megabytes, 0 for none."""
    area: str
    minutes: int
    call_area: str
    call_rate: int
    """Hundredths of a yuan per minute."""
    data_rate: int
    """Hundredths of a yuan per megabyte beyond the volume."""
    duration: int
    """Months, or days as a negative number."""
    channel: str
    parent: str
    """Name of the product that it belongs to, or empty."""
    excludes: str
    """Name of a product that it cannot be had with, or empty."""
    labelled: bool
    """Whether annotated dialogues may speak of it; bare ones speak of all products."""


def make_catalogue(seed: int, unseen_share: float) -> list[Product]:
    """Return the catalogue of a seed; `unseen_share` of the products of each type occur in bare dialogues alone.

    One product of each type at the least occurs in annotated dialogues: their calls speak of all types.
    """
    rng = Rng(seed, "catalogue")
    words = {key: value.split() for key, value in raw_phrases("products").items()}
    made: list[Product] = []
    taken: set[str] = set()
    for kind, count in TYPE_COUNTS.items():
        of_kind = [_product(kind, number, words, taken, rng) for number in range(count)]
        seen = set(rng.sample(range(count), max(1, count - round(count * unseen_share))))
        for number, product in enumerate(of_kind):
            made.append(_replaced(product, labelled=number in seen, others=of_kind, rng=rng))
    return made


def split_by_type(products: Iterable[Product]) -> dict[str, list[Product]]:
    """Return the products of each type, in their order."""
    found: dict[str, list[Product]] = {}
    for product in products:
        found.setdefault(product.type, []).append(product)
    return found


def _replaced(product: Product, *, labelled: bool, others: Sequence[Product], rng: Rng) -> Product:
    related = rng.choice(others).name
    return msgspec.structs.replace(product, labelled=labelled, excludes=related if related != product.name else "")


def _product(kind: str, number: int, words: dict[str, list[str]], taken: set[str], rng: Rng) -> Product:
    name, short = _names(kind, words, rng)
    for _ in range(50):  # a type may have fewer names than products
        if name not in taken:
            break
        name, short = _names(kind, words, rng)
    taken.add(name)
    fee, volume = _amounts(kind, rng)
    province = rng.choice(words["provinces"])
    return Product(
        id=f"{kind}-{number:03d}",
        type=kind,
        name=name,
        short=short,
        fee=fee,
        volume=volume,
        area=rng.weighted_choice(
            ("省内", "国内", "全国", "本地", f"{province}省内", rng.choice(words["cities"]), "夜间", "全省"),
            (55, 19, 6, 5, 3, 4, 2, 2),
        ),
        minutes=rng.choice((30, 50, 60, 80, 100, 100, 120, 150, 200, 220, 300, 400, 500, 600, 1000, 1500)),
        call_area=rng.weighted_choice(("国内", "本地", "省内", "全国", "市内", province), (28, 23, 14, 9, 5, 4)),
        call_rate=rng.choice((10, 15, 19, 19, 19, 19, 20, 25, 29, 39, 60)),
        data_rate=rng.choice((10, 20, 29, 29, 29, 30, 50)),
        duration=rng.weighted_choice(
            (1, 2, 3, 4, 6, 10, 12, 24, 36, -1, -2, -3, -5, -7, -10, -15, -30),
            (4, 2, 9, 2, 10, 2, 12, 3, 1, 12, 3, 6, 3, 10, 2, 2, 3),
        ),
        channel=rng.choice(words["places"]),
        parent=_parent(kind, words, rng),
        excludes="",
        labelled=True,
    )


def _parent(kind: str, words: dict[str, list[str]], rng: Rng) -> str:
    if kind in _PLAN_TYPES:
        return rng.choice((*words["old_plans"], "主套餐", "主资费", "四G套餐"))
    return rng.choice((*words["services"][:30], *words["old_plans"], "增值业务", "套餐", "数据业务", "主套餐"))


def _names(kind: str, words: dict[str, list[str]], rng: Rng) -> tuple[str, str]:
    """Return a name and its short form."""
    brand = rng.choice(words["brands"])
    if kind in _PLAN_TYPES:
        return _plan_names(brand, words, rng)
    return _NAMERS[kind](brand, words, rng)


def _plan_names(brand: str, words: dict[str, list[str]], rng: Rng) -> tuple[str, str]:
    if rng.happens(0.25):
        old = rng.choice(words["old_plans"])
        return (old, old) if rng.happens(0.5) else (old + rng.choice(("畅聊", "上网", "商务", "优惠", brand)), old)
    return brand + rng.choice(words["plan_kinds"]), brand


def _pack_names(brand: str, words: dict[str, list[str]], rng: Rng) -> tuple[str, str]:
    word = rng.choice(words["pack_words"])
    last = rng.choice(words["pack_kinds"])
    if rng.happens(0.25):
        word = brand + word
    return word + last, word if rng.happens(0.5) else "流量包"


def _service_names(brand: str, words: dict[str, list[str]], rng: Rng) -> tuple[str, str]:
    point = rng.unit()
    if point < 0.62:
        name = rng.choice(words["services"])
        return name, name
    if point < 0.85:
        return brand + rng.choice(words["service_heads"]), brand
    name = rng.choice(words["services"])
    return brand + name, name


def _data_service_names(brand: str, words: dict[str, list[str]], rng: Rng) -> tuple[str, str]:
    name = rng.choice(words["data_services"])
    if name == "手机报" and rng.happens(0.6):
        return rng.choice(words["data_service_heads"]) + name, name
    return (brand + name, name) if rng.happens(0.35) else (name, name)


def _addon_names(brand: str, words: dict[str, list[str]], rng: Rng) -> tuple[str, str]:
    last = rng.choice(words["addon_kinds"])
    return (brand if rng.happens(0.6) else rng.choice(("国内", "本地", "省内", "亲情"))) + last, last


def _roaming_names(_: str, words: dict[str, list[str]], rng: Rng) -> tuple[str, str]:
    return rng.choice(words["roaming"]) + rng.choice(words["roaming_kinds"]), "漫游"


def _distance_names(brand: str, words: dict[str, list[str]], rng: Rng) -> tuple[str, str]:
    name = rng.choice(words["distance"])
    return (brand + name if rng.happens(0.5) else name), "长途"


_NAMERS = {
    "流量包": _pack_names,
    "业务": _service_names,
    "数据业务": _data_service_names,
    "附加套餐": _addon_names,
    "国际漫游业务": _roaming_names,
    "长途业务": _distance_names,
}


def _amounts(kind: str, rng: Rng) -> tuple[int, int]:
    """Return fee and volume."""
    if kind in _PLAN_TYPES:
        fee = rng.choice(_PLAN_FEES) if rng.happens(0.75) else rng.choice(_MORE_FEES)
        size = rng.choice(_SIZES) if rng.happens(0.55) else GIGABYTE * (1 + rng.below(6 if fee < 60 else 30))
        return fee, size
    if kind == "流量包":
        if rng.happens(0.35):
            return rng.choice(_PACKS)
        size = (
            rng.choice(_SIZES) if rng.happens(0.45) else GIGABYTE * rng.choice((1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 20, 30))
        )
        return rng.choice((3, 5, 6, 8, 9, 10, 10, 12, 15, 18, 20, 20, 28, 30, 30, 38, 40, 48, 50, 60, 70)), size
    fee = rng.choice(_SMALL_FEES)
    return fee, 0 if kind != "国际漫游业务" else rng.choice((50, 100, 300, GIGABYTE))
