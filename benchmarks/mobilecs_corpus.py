"""Acceptance checks of generated operator calls (specification of MobileCS, section 13): a section of MOBILECS.md.

    python benchmarks/mobilecs_corpus.py [--seed 1] [--n 9000] [--write]

Targets are the specification's aggregate figures; a distribution is off by its total variation distance, a mean by its
ratio. `--write` puts the table into benchmarks/MOBILECS.md.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from bisect import bisect_left
from collections import Counter
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS, acts_of
from duologue.challenges.mobilecs.simulator.corpus import generate
from duologue.challenges.mobilecs.simulator.plan_shares import ENTITY_COUNTS, NAME_COUNTS, USER_SHARES
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Row = Mapping[str, Any]

PAGE = Path(__file__).with_name("MOBILECS.md")
BEGIN, END = "<!-- corpus: made by benchmarks/mobilecs_corpus.py -->", "<!-- corpus: end -->"

TYPES = {
    "流量包": 30.7,
    "业务": 28.2,
    "套餐": 17.7,
    "主套餐": 14.3,
    "4G套餐": 3.3,
    "数据业务": 2.3,
    "附加套餐": 2.1,
    "none": 1.2,
    "国际漫游业务": 0.2,
    "长途业务": 0.1,
    "5G套餐": 0.04,
}
ENTITIES = {str(count): share for count, share in ENTITY_COUNTS.items() if count < 9} | {"9+": 0.024}
NAMES = {str(count): share for count, share in NAME_COUNTS.items() if count < 6} | {"6+": 0.014}
SLOTS = {"0": 18.8, "1": 36.9, "2": 20.7, "3": 11.9, "4": 5.7, "5": 3.1, "6": 1.5, "7+": 1.3}
VALUES = {"1": 82.2, "2": 13.9, "3": 3.1, "4+": 0.8}
CELLS = {
    "业务费用": 1742,
    "流量总量": 857,
    "业务规则": 622,
    "流量范围": 260,
    "通话时长": 226,
    "业务时长": 137,
    "国内被叫": 110,
    "国内主叫": 103,
    "通话范围": 92,
    "隶属业务": 86,
    "办理渠道": 77,
    "套餐外通话计费": 40,
    "套餐外流量计费": 32,
    "计费方式": 16,
    "扣费日期": 13,
    "互斥业务": 7,
    "流量封顶": 2,
}
USER_SLOT_COUNTS = {"0": 21.7, "1": 43.7, "2": 28.4, "3": 5.4, "4": 0.8}
USER_LABEL_COUNTS = {
    "提供信息": 41,
    "询问": 36,
    "被动确认": 31,
    "其他": 28,
    "主动确认": 25,
    "客套": 16,
    "问候": 15,
    "求助-查询": 12,
    "取消": 7,
    "再见": 5,
    "求助-故障": 4,
    "投诉反馈": 1.5,
    "请求重复": 1.5,
    "否认": 1.5,
}
STAFF_LABEL_COUNTS = {
    "通知": 103,
    "询问": 33,
    "问候": 26,
    "主动确认": 25,
    "被动确认": 20,
    "客套": 15,
    "引导": 7,
    "建议": 6,
    "再见": 3,
    "其他": 2,
    "请求重复": 1,
    "抱歉": 1,
    "否认": 1,
}
NEXT_STAFF = {
    "询问": {"通知": 32},
    "提供信息": {"通知": 20, "询问": 10, "主动确认": 9, "建议": 4},
    "主动确认": {"被动确认": 17, "通知": 16, "询问": 2, "否认": 1},
    "被动确认": {"通知": 14, "询问": 8, "主动确认": 8, "客套": 3},
    "其他": {"通知": 11, "主动确认": 7, "问候": 3},
    "问候": {"通知": 10, "主动确认": 3, "问候": 2},
    "求助-查询": {"通知": 9, "主动确认": 3},
    "取消": {"通知": 5, "主动确认": 2, "询问": 2},
    "求助-故障": {"询问": 2, "主动确认": 1, "通知": 1},
    "客套": {"客套": 9, "询问": 7},
}
SAME_TURN = {
    "通知": {
        "询问": 29,
        "主动确认": 22,
        "被动确认": 16,
        "提供信息": 14,
        "其他": 12,
        "客套": 10,
        "求助-查询": 4,
        "取消": 3,
    },
    "主动确认": {"被动确认": 18, "提供信息": 6, "其他": 4},
    "询问": {"提供信息": 16, "其他": 7, "被动确认": 3},
    "问候": {"问候": 15, "求助-查询": 7, "其他": 4, "询问": 3, "取消": 3},
    "客套": {"其他": 6},
    "被动确认": {"主动确认": 4, "提供信息": 4, "其他": 4, "询问": 3, "客套": 3},
}
TURN_QUANTILES = ((0.05, 5), (0.25, 8), (0.5, 10), (0.75, 12), (0.95, 16), (0.99, 22))
USER_LENGTHS = ((0.05, 1), (0.25, 4), (0.5, 10), (0.75, 20), (0.9, 32), (0.95, 43), (0.99, 68))
NAME_LENGTHS = ((0.05, 2), (0.25, 3), (0.5, 5), (0.75, 7), (0.95, 11))


class Check(NamedTuple):
    """One line of the table."""

    name: str
    target: str
    found: str
    distance: str
    passed: bool


def shares(counts: Mapping[str, float]) -> dict[str, float]:
    """Return counts as shares of their sum."""
    total = sum(counts.values()) or 1.0
    return {key: count / total for key, count in counts.items()}


def variation(found: Mapping[str, float], target: Mapping[str, float]) -> float:
    """Return the total variation distance of two distributions given by counts."""
    one, other = shares(found), shares(target)
    return sum(abs(one.get(key, 0.0) - other.get(key, 0.0)) for key in {*one, *other}) / 2


def distribution(name: str, found: Mapping[str, float], target: Mapping[str, float]) -> Check:
    """Return the check of a distribution: at most .05 total variation."""
    distance = variation(found, target)
    worst = sorted({*found, *target}, key=lambda key: -abs(shares(found).get(key, 0) - shares(target).get(key, 0)))[:2]
    shown = [", ".join(f"{key} {100 * shares(table).get(key, 0):.1f}" for key in worst) for table in (target, found)]
    return Check(name, shown[0], shown[1], f"TV {distance:.3f}", distance <= 0.05)


def mean(name: str, found: float, target: float, tolerance: float = 0.1) -> Check:
    """Return the check of a mean or share: within a tenth of the target."""
    off = found / target - 1
    return Check(name, f"{target:g}", f"{found:.4g}", f"{100 * off:+.1f} %", abs(off) <= tolerance)


def between(name: str, found: float, low: float, high: float) -> Check:
    """Return the check of a bound."""
    return Check(name, f"{low:g} to {high:g}", f"{found:.4g}", "", low <= found <= high)


def quantiles(name: str, values: Iterable[int], table: Sequence[tuple[float, int]]) -> Check:
    """Return the check of a distribution known by quantiles.

    A quantile q at value v says that up to v there is at least the share q, and below v at most q. The distance is half
    of the sum of what the shares between neighbouring quantiles differ by, at the least.
    """
    ordered = sorted(values)
    at_most = [bisect_left(ordered, limit + 1) / len(ordered) for _, limit in table]
    below = [bisect_left(ordered, limit) / len(ordered) for _, limit in table]
    misses = [
        0.0 if low <= level <= high else level - high if high < level else level - low
        for (level, _), low, high in zip(table, below, at_most, strict=True)
    ]
    distance = sum(abs(one - other) for one, other in pairwise([0.0, *misses, 0.0])) / 2
    found = [ordered[min(len(ordered) - 1, int(level * len(ordered)))] for level, _ in table]
    return Check(
        name,
        " ".join(str(limit) for _, limit in table),
        " ".join(map(str, found)),
        f"TV {distance:.3f}",
        distance <= 0.05,
    )


def capped(count: int, most: int) -> str:
    """Return a count as the key of a table that ends with `most` or more."""
    return f"{most}+" if count >= most else str(count)


def texts_of(turn: Row) -> tuple[str, str]:
    """Return the texts of user and staff in a raw turn."""
    keys = list(turn)
    staff_first = keys.index("客服意图") < keys.index("用户意图")
    first, second = turn[keys[0]], turn[keys[1]]
    return (second, first) if staff_first else (first, second)


def joint(pairs: Mapping[tuple[str, str], float], target: Mapping[str, Mapping[str, float]]) -> Check:
    """Return the check of transitions: of the cells that the specification lists, each as its share of them."""
    wanted = {f"{one}→{other}": count for one, row in target.items() for other, count in row.items()}
    found = {f"{one}→{other}": count for (one, other), count in pairs.items() if f"{one}→{other}" in wanted}
    return distribution("", found, wanted)


def checks(raw: Sequence[Row], track2: Sequence[Row]) -> list[Check]:
    """Return the checks of 13.1, 13.2 and 13.5."""
    return [*_lengths(raw, track2), *_bases(track2), *_intents(raw)]


def _lengths(raw: Sequence[Row], track2: Sequence[Row]) -> list[Check]:
    users = [len(turn["用户"]) for row in track2 for turn in row["content"]]
    staff = [len(turn["客服"]) for row in track2 for turn in row["content"]]
    per_turn = [sum(map(len, texts_of(turn))) for row in raw for turn in row["content"]]
    turns = [len(row["content"]) for row in track2]
    opened = [list(row["content"][0])[2] == "客服意图" for row in raw]
    return [
        mean("turns per dialogue, raw", sum(len(row["content"]) for row in raw) / len(raw), 11.16),
        mean("turns per dialogue, re-paired", sum(turns) / len(turns), 10.37),
        quantiles("turns, re-paired: 5/25/50/75/95/99 %", turns, TURN_QUANTILES),
        between("longest dialogue, turns", max(turns), 22, 36),
        mean("characters per turn, both sides", sum(per_turn) / len(per_turn), 39.86),
        mean("user characters per turn", sum(users) / len(users), 14.65),
        quantiles("user characters: 5/25/50/75/90/95/99 %", users, USER_LENGTHS),
        mean("user turns of at most two characters", sum(one <= 2 for one in users) / len(users), 0.14),
        mean("staff characters per turn", sum(staff) / len(staff), 25.2),
        mean("staff characters, median", sorted(staff)[len(staff) // 2], 17),
        mean("dialogues that the staff opens", sum(opened) / len(opened), 0.95),
    ]


def _bases(track2: Sequence[Row]) -> list[Check]:
    entities, types, names, slots, values, cells, own = (Counter[str]() for _ in range(7))
    user_slots, lengths, said, total, long_ids, empty = Counter[str](), list[int](), 0, 0, 0, 0
    for row in track2:
        base = row["KB"]
        found = {name: entry for name, entry in base.items() if name != "NA"}
        empty += not base
        entities[capped(len(found), 9)] += 1
        long_ids += any(len(name) > 5 for name in found)
        own[str(min(4, len(base.get("NA", {}))))] += 1
        user_slots.update(base.get("NA", {}).keys())
        text = "\n".join(turn["用户"] for turn in row["content"])
        for entry in base.values():
            told = [one.split(",") for slot, one in entry.items() if slot not in {"name", "type"}]
            total += sum(map(len, told))
            said += sum(one in text for one in chain.from_iterable(told))
        for entry in found.values():
            types[entry.get("type", "none").replace("g套餐", "G套餐")] += 1
            called = entry["name"].split(",")
            names[capped(len(called), 6)] += 1
            lengths += map(len, called)
            filled = [slot for slot in entry if slot not in {"name", "type"}]
            slots[capped(len(filled), 7)] += 1
            cells.update(filled)
            values.update(capped(len(entry[slot].split(",")), 4) for slot in filled)
    n = len(track2)
    return [
        distribution("entities per dialogue", entities, ENTITIES),
        mean("entities per dialogue, mean", sum(len(row["KB"]) - ("NA" in row["KB"]) for row in track2) / n, 2.7),
        distribution("types of entities", types, TYPES),
        distribution("names per entity", names, NAMES),
        mean("name length", sum(lengths) / len(lengths), 5.3),
        quantiles("name length: 5/25/50/75/95 %", lengths, NAME_LENGTHS),
        distribution("slots per entity", slots, SLOTS),
        distribution("values per slot", values, VALUES),
        distribution("slots of entities", cells, CELLS),
        distribution("user slots per dialogue", own, USER_SLOT_COUNTS),
        distribution("user slots", user_slots, USER_SHARES),
        mean("user entry present", 1 - own["0"] / n, 0.783),
        Check("empty knowledge base", "0.064", f"{empty / n:.3f}", "", abs(empty / n - 0.064) <= 0.02),
        mean("values in the user's own words", said / total, 0.36),
        Check("ids of two digits", "0.013", f"{long_ids / n:.3f}", "", abs(long_ids / n - 0.013) <= 0.01),
    ]


def _intents(raw: Sequence[Row]) -> list[Check]:
    users, staff, per_user, per_staff = (Counter[str]() for _ in range(4))
    next_staff, same_turn = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row in raw:
        before: list[str] = []
        if list(row["content"][0])[2] != "客服意图":
            continue
        for turn in row["content"]:
            said = [act.name for act in acts_of(turn["用户意图"], "user")]
            told = [act.name for act in acts_of(turn["客服意图"], "system")]
            if "意图混乱" in said:
                break
            users.update(said)
            staff.update(told)
            per_user[capped(len(said), 3)] += 1
            per_staff[capped(len(told), 3)] += 1
            next_staff.update((one, other) for one in before for other in told)
            same_turn.update((one, other) for one in told for other in said)
            before = said
    return [
        distribution("user intents", users, USER_LABEL_COUNTS),
        distribution("user intents per turn", per_user, {"1": 86, "2": 13.5, "3+": 0.5}),
        distribution("staff intents", staff, STAFF_LABEL_COUNTS),
        distribution("staff intents per turn", per_staff, {"1": 77, "2": 21, "3+": 2.6}),
        joint(next_staff, NEXT_STAFF)._replace(name="user → next staff"),
        joint(same_turn, SAME_TURN)._replace(name="staff → user of the turn"),
        between("labels outside the inventories", _strangers(users, staff), 0, 0.001),
    ]


def _strangers(users: Mapping[str, int], staff: Mapping[str, int]) -> float:
    """Return the share of labels that are not of the side's inventory."""
    strange = sum(count for label, count in users.items() if label not in USER_LABELS)
    strange += sum(count for label, count in staff.items() if label not in STAFF_LABELS)
    return strange / (sum(users.values()) + sum(staff.values()))


def dictionary_tagger_f1(train: Sequence[Row], test: Sequence[Row]) -> float:
    """Return the mention F1 of a tagger that marks the longest names seen in training with their usual type."""
    seen: dict[str, Counter[str]] = {}
    for row in train:
        for turn in row["content"]:
            for entity in turn["info"]["ents"]:
                seen.setdefault(entity["name"], Counter())[entity["type"]] += 1
    known = {name: types.most_common(1)[0] for name, types in seen.items()}
    text = "\n".join(text for row in train for turn in row["content"] for text in list(turn.values())[:2])
    usual = {name: kind for name, (kind, times) in known.items() if times >= 0.5 * text.count(name)}
    pattern = re.compile("|".join(map(re.escape, sorted(usual, key=lambda name: (-len(name), name)))))
    right = said = wanted = 0
    for row in test:
        for turn in row["content"]:
            gold = {(*place, one["type"]) for one in turn["info"]["ents"] for place in map(tuple, one["pos"])}
            found = {
                (side, match.start(), match.end(), usual[match[0]])
                for side, text in enumerate(list(turn.values())[:2], 1)
                for match in pattern.finditer(text)
            }
            right, said, wanted = right + len(gold & found), said + len(found), wanted + len(gold)
    return 2 * right / (said + wanted)


def read(path: Path) -> list[Row]:
    """Return the rows of a file."""
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def product_names(path: Path) -> tuple[set[str], set[str]]:
    """Return the names of products, and of those that annotated dialogues speak of."""
    products = read(path)
    return {one["name"] for one in products}, {one["name"] for one in products if one["labelled"]}


def measured(seed: int, n: int, profile: str) -> list[Check]:
    """Return all checks of one corpus."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        recipe = msgspec.structs.replace(CallCorpusRecipe(n=n, unlabelled_ratio=0.0), profile=profile)
        generate(recipe, seed, out, workers=2, progress=None)
        parts = [read(out / "labelled" / f"{part}.json") for part in ("train", "dev", "test")]
        raw = list(chain.from_iterable(parts))
        track2 = list(chain.from_iterable(read(out / "track2" / f"{part}.json") for part in ("train", "dev", "test")))
        names, labelled = product_names(out / "catalogue.json")
        asked_out = out / "asked"
        generate(
            CallCorpusRecipe(n=500, unlabelled_ratio=0.0, argument_rate=0.5), seed, asked_out, workers=2, progress=None
        )
        asked = read(asked_out / "track2" / "train.json")
        values = {one["value"] for row in raw for turn in row["content"] for one in turn["info"]["triples"]}
    requests = sum("?" in json.dumps(row["goal"], ensure_ascii=False) for row in asked) / len(asked)
    made = [
        *checks(raw, track2),
        between("kept by the official preprocessing", len(track2) / len(raw), 0.95, 1),
        between("product names unseen in annotated dialogues", 1 - len(labelled) / len(names), 0.3, 1),
        between("dialogues with requests, argument_rate .5", requests, 0.3, 1),
        between("dictionary tagger, mention F1", dictionary_tagger_f1(parts[0], parts[2]), 0, 0.8),
    ]
    if n >= 8_000:
        made.append(mean("distinct values", len(values) * 8_975 / n, 14_623))
    return made


def section(seed: int, n: int) -> str:
    """Return the section of the page."""
    lines = ["## The generated corpus", ""]
    command = f"`python benchmarks/mobilecs_corpus.py --seed {seed} --n {n} --write`"
    lines += [
        f"{command}: {n:,} annotated dialogues, seed {seed}.",
        "Targets are those of the specification, 13.1, 13.2, 13.5 and 13.10; of a distribution, the two cells that are",
        "off most (as per cent) and the total variation distance, which may be .05. Means and shares may be off by a",
        "tenth. The dictionary tagger marks the longest names of the training part that are mentions there more often",
        "than not.",
        "",
    ]
    for profile in ("clean", "crowd"):
        made = measured(seed, n, profile)
        lines += [f"### Profile `{profile}`: {sum(one.passed for one in made)} of {len(made)} hold", ""]
        lines += ["| what | target | found | distance | holds |", "|---|---|---|---|---|"]
        lines += [
            f"| {one.name} | {one.target} | {one.found} | {one.distance} | {'yes' if one.passed else '**no**'} |"
            for one in made
        ]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Print the checks, or write them into the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n", type=int, default=9_000)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--profile", choices=("clean", "exact", "crowd"), default=None)
    words = parser.parse_args()
    if words.profile:
        for one in measured(words.seed, words.n, words.profile):
            print(f"{'ok ' if one.passed else 'NO '} {one.name}: {one.target} | {one.found} | {one.distance}")
        return
    text = section(words.seed, words.n)
    if not words.write:
        print(text)
        return
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else "# MobileCS: figures\n"
    before, found, rest = page.partition(BEGIN)
    after = rest.partition(END)[2] if found else ""
    PAGE.write_text(f"{before.rstrip()}\n\n{BEGIN}\n{text}{END}\n{after.lstrip()}", encoding="utf-8")
    print(f"wrote {PAGE}", file=sys.stderr)


if __name__ == "__main__":
    main()
