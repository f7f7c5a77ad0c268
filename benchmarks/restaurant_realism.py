"""Measure the restaurant simulator against the real files: `python benchmarks/restaurant_realism.py --data DIR`.

DIR holds `release_a`, `release_b` (tst1 and tst2) and `train_part` as in the project's data folder. Prints one
table per question and exits with 1 when a must fails. The musts: no utterance outside the inventory on either side
and no pattern that never occurs; mean context lengths within 2 % of the training statistics; shares of answer
types within 1.5 points of the real ones; other listed restaurants among the candidates of every option of
release A; a perfect agent at exactly 1.

Shares are compared for each task and each rule of cutting: the training files and release B are cut uniformly
(specification, section 9.4), so their rows are one sample; release A is the other. Our side has no sampling of cuts:
each simulated dialogue counts with the probability of each of its cuts. The single files (1,000 or 2,000 rows) are
printed below with the share of draws of their size in which a perfect copy of the real simulator would pass.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.challenges.restaurant.formats.file_names import SUBTASKS, FileName
from duologue.challenges.restaurant.formats.files import example_of
from duologue.challenges.restaurant.knowledge.facts import read_facts
from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.ontology import PART_SHAPES, kb_values, schema_of_part
from duologue.challenges.restaurant.simulator.dialogue_generator import DialogueGenerator
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.row_generator import RowGenerator
from duologue.challenges.restaurant.systems.solver.solver import Solver
from duologue.core.disk import read_json
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duologue.challenges.restaurant.simulator.dialogue_generator import SimulatedDialogue

RankerRow = dict[str, Any]

TRAINING_LENGTHS = {1: 9.909, 2: 11.594, 3: 41.817, 4: 13.264, 5: 41.210}
"""Mean utterances per dialogue of the official training files (specification, section 7)."""
PARTS = ("tst1", "tst2")
POINTS = 0.015
LENGTHS = 0.02


class Verdicts:
    """Collects what failed."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def must(self, holds: bool, what: str) -> str:  # noqa: FBT001  # reads like an assertion
        """Note a failure; return a mark for the table."""
        if not holds:
            self.failed.append(what)
        return "ok" if holds else "FAILS"


# -- data ------------------------------------------------------------------------------------------


def real_rows(data: Path, release: str, part: str, subtask: int) -> list[RankerRow]:
    """Return the rows of a real test file, each with its answer."""
    kb, extra = PART_SHAPES[part]
    name = str(FileName(subtask=subtask, kb=kb, restrictions=extra, split="tst", n=1000))
    rows, _, _ = read_json(data / f"release_{release}" / part / f"{name}.gz")
    truth, _, _ = read_json(data / f"release_{release}" / part / f"{name.replace('.json', '.answers.json')}.gz")
    best = {row["dialog_id"]: row["lst_candidate_id"][0]["candidate_id"] for row in truth}
    for row in rows:
        row["answer"] = next(one for one in row["candidates"] if one["candidate_id"] == best[row["dialog_id"]])
    return list(rows)


def training_rows(data: Path, subtask: int) -> list[RankerRow]:
    """Return the real training rows that are left: tasks 1 and 2 only."""
    name = f"dialog-task{subtask}{SUBTASKS[subtask]}-kb1_atmosphere-distr0.5-trn10000.part9000-9999.json.gz"
    path = data / "train_part" / name
    return list(read_json(path)[0]) if path.exists() else []


class Ours:
    """What the simulator makes, on the real knowledge bases."""

    def __init__(self, data: Path, seed: int) -> None:
        self.seed = seed
        self.recipe = Generation()
        bases = {part: read_facts(data / "kb" / f"extendedkb{PART_SHAPES[part][0]}.txt.gz") for part in PARTS}
        self._directories = {part: RestaurantIndex(schema_of_part(part), facts) for part, facts in bases.items()}
        self._directories["train"] = self._directories["tst1"]

    def rows(self, part: str, subtask: int, style: str, n: int) -> Iterator[RankerRow]:
        """Yield simulated rows."""
        schema, restaurants = schema_of_part(part), self._directories[part]
        maker = RowGenerator(schema, restaurants, self.recipe, subtask=subtask, part=part, style=style, seed=self.seed)
        return maker(0, n)

    def histories(self, part: str, subtask: int, n: int) -> Iterator[list[str]]:
        """Yield the longer of two cuts of simulated dialogues, one cut as in A and one as in B."""
        generator = DialogueGenerator(schema_of_part(part), self._directories[part], self.recipe, subtask, train=False)
        first = 2 if subtask in {1, 2, 5} else 0
        weights = self.recipe.cut_weights
        for index in range(n):
            rng = Rng(self.seed, "history", part, subtask, index)
            dialogue: SimulatedDialogue = generator.generate(rng)
            turns = dialogue.bot[first:]
            hard = [weights.get(f"{subtask}/{kind}", weights.get(kind, 1.0)) for _, kind in turns]
            yield dialogue.lines[: max(rng.choice(turns)[0], rng.weighted_choice(turns, hard)[0])]

    def shares(self, part: str, subtask: int, style: str, n: int) -> dict[str, float]:
        """Return the expected share of each answer type, over all cuts of n simulated dialogues."""
        train = part == "train"
        generator = DialogueGenerator(schema_of_part(part), self._directories[part], self.recipe, subtask, train=train)
        first = 2 if subtask in {1, 2, 5} else 0
        weights = self.recipe.cut_weights if style == "a" else {}
        total: dict[str, float] = {}
        for index in range(n):
            dialogue = generator.generate(Rng(self.seed, "shares", part, subtask, index))
            kinds = [templates.answer_type(dialogue.lines[place]) for place, _ in dialogue.bot[first:]]
            hard = [weights.get(f"{subtask}/{kind}", weights.get(kind, 1.0)) for kind in kinds]
            for kind, weight in zip(kinds, hard, strict=True):
                total[kind] = total.get(kind, 0.0) + weight / sum(hard) / n
        return total


def real_histories(data: Path, part: str, subtask: int) -> list[list[str]]:
    """Return for each real dialogue the longer of its two cuts."""
    both = zip(real_rows(data, "a", part, subtask), real_rows(data, "b", part, subtask), strict=True)
    return [max(a["utterances"], b["utterances"], key=len) for a, b in both]


def _mean(shares: Iterable[dict[str, float]]) -> dict[str, float]:
    every = list(shares)
    kinds = sorted({kind for one in every for kind in one})
    return {kind: sum(one.get(kind, 0.0) for one in every) / len(every) for kind in kinds}


def is_fact(line: str) -> bool:
    """Return whether a line states a fact of the knowledge base."""
    return " r_" in line


# -- inventory -------------------------------------------------------------------------------------


class Named(NamedTuple):
    """A pattern of the inventory: its group, its text, and how it is recognised."""

    group: str
    text: str
    fits: re.Pattern[str]


def _pattern(group: str, text: str, values: Sequence[str]) -> Named:
    words = f"(?:{'|'.join(values)})"
    wait = f"(?:{'|'.join(map(re.escape, templates.WAITS))})"
    name = "[a-z_]+"
    parts = re.split(r"(\{\w+\})", text)
    kinds = {"{wait}": wait, "{name}": name, "{value}": f"{name}_(?:phone|address)"}
    return Named(group, text, re.compile("".join(kinds.get(x, words) if x[:1] == "{" else re.escape(x) for x in parts)))


def inventory() -> list[Named]:
    """Return every pattern of the specification without the sixth slot, grouped as its tables are."""
    named: list[Named] = []
    for slot in templates.SLOTS:
        values = [*kb_values(1)[slot.name], *kb_values(2)[slot.name]]
        named += [_pattern(f"answer {slot.name}", one.text, values) for one in slot.answers]
        named += [_pattern(f"hedge {slot.name}", one.text, values) for one in slot.hedges]
        named += [
            _pattern(f"update {slot.name}", prefix.text + phrase, values)
            for prefix in templates.UPDATE_PREFIXES
            for phrase in slot.phrases
        ]
        named.append(_pattern("bot", slot.question, values))
    groups = {
        "greeting": templates.GREETINGS,
        "no more updates": (templates.NO_MORE_UPDATES,),
        "accept": templates.ACCEPTS,
        "reject": templates.REJECTS,
        "question": templates.UNANSWERABLE,
        "ask first": templates.ASK_FIRST,
        "ask previous": templates.ASK_PREVIOUS,
        "take repeated": templates.TAKE_REPEATED,
        "take newest": templates.TAKE_NEWEST,
        "reject after repeat": templates.REJECTS_AFTER_REPEAT,
        "ask address": templates.ASK_ADDRESS,
        "ask phone": templates.ASK_PHONE,
        "hedge info": (templates.HEDGE_ADDRESS, templates.HEDGE_PHONE),
        "needed": (templates.NEEDED_AFTER_ALL,),
        "thanks": templates.THANKS,
        "farewell": templates.FAREWELLS,
        "silence": (templates.SILENCE,),
        "request at": tuple(text + templates.AT_NAME for text in templates.OPENINGS),
        "bot": (*templates.ANSWER_TYPES.values(), templates.BOT_OPTION, templates.BOT_REPEAT, templates.BOT_ITEM),
    }
    named += [_pattern(group, text, ()) for group, texts in groups.items() for text in dict.fromkeys(texts)]
    return named


class Recogniser:
    """Tells which pattern an utterance follows."""

    def __init__(self) -> None:
        self.templates = inventory()
        opening = "|".join(map(re.escape, templates.OPENINGS))
        phrases = [_phrase(slot.name, phrase) for slot in templates.SLOTS for phrase in slot.phrases]
        self.phrases = dict(phrases)
        any_phrase = "|".join(pattern for pattern, _ in phrases)
        self.request = re.compile(f"({opening})((?: (?:{any_phrase}))*)")
        words = [f"(?:{'|'.join([*kb_values(1)[slot.name], *kb_values(2)[slot.name]])})" for slot in templates.SLOTS]
        self.call = re.compile(f"{templates.API_CALL} {' '.join(words)}")
        self._known: dict[str, tuple[str, str]] = {}

    def __call__(self, line: str) -> tuple[str, str] | None:
        """Return group and pattern of an utterance; `None` when there is none."""
        if line not in self._known:
            found = self._find(line)
            if found is None:
                return None
            self._known[line] = found
        return self._known[line]

    def _find(self, line: str) -> tuple[str, str] | None:
        for one in self.templates:
            if one.fits.fullmatch(line):
                return one.group, one.text
        if self.call.fullmatch(line):
            return "api_call", templates.API_CALL
        found = self.request.fullmatch(line)
        return None if found is None else ("opening", found[1])

    def slots(self, line: str) -> list[str]:
        """Return `slot:variant` for each phrase of a request, in its order."""
        found = self.request.fullmatch(line)
        rest = found[2] if found else ""
        order = []
        while rest:
            for pattern, name in self.phrases.items():
                match = re.match(f" {pattern}(?= |$)", rest)
                if match:
                    order.append(name)
                    rest = rest[match.end() :]
                    break
        return order


def _phrase(slot: str, phrase: str) -> tuple[str, str]:
    values = "|".join([*kb_values(1)[slot], *kb_values(2)[slot]])
    # the longer variant first: "for two people" is no "for two"
    tail = "(?! people)" if phrase == "for {new}" else ""
    return phrase.replace("{new}", f"(?:{values})") + tail, f"{slot}: {phrase}"


def check_inventory(real: Counter[str], ours: Counter[str], recogniser: Recogniser, verdicts: Verdicts) -> None:
    """Print how many utterances each side has outside the inventory, and which patterns never occur."""
    texts = {one.text for one in recogniser.templates} | {templates.API_CALL, *templates.OPENINGS}
    print("\nInventory: distinct utterances outside it, and patterns of it that never occur")
    for side, lines in (("real", real), ("simulated", ours)):
        found = {line: recogniser(line) for line in lines}
        outside = [line for line, kind in found.items() if kind is None]
        absent = sorted(texts - {kind[1] for kind in found.values() if kind is not None})
        mark = verdicts.must(not outside and not absent, f"inventory, {side}: {outside[:3]} {absent[:3]}")
        print(
            f"  {side:10} {len(lines):7} distinct, {len(outside)} outside, {len(absent)} absent of {len(texts)}  {mark}"
        )


# -- shares and lengths ----------------------------------------------------------------------------


def check_lengths(ours: Ours, n: int, verdicts: Verdicts) -> None:
    """Print mean context lengths beside the training statistics."""
    print(f"\nMean utterances per context, {n:,} simulated training dialogues per task against the 10,000 real ones")
    for subtask, real in TRAINING_LENGTHS.items():
        lengths = [len(row["utterances"]) for row in ours.rows("train", subtask, "training", n)]
        mean = sum(lengths) / n
        spread = math.sqrt(sum((length - mean) ** 2 for length in lengths) / n)
        mark = verdicts.must(abs(mean / real - 1) <= LENGTHS, f"length of task {subtask}")
        errors = f"standard errors {spread / math.sqrt(n):.2f} and {spread / 100:.2f}"
        print(f"  task {subtask}: {mean:7.3f} against {real:7.3f} ({mean / real - 1:+.2%}; {errors})  {mark}")


def kinds_of(rows: Iterable[RankerRow]) -> Counter[str]:
    """Count the answer types of rows."""
    return Counter(templates.answer_type(row["answer"]["utterance"]) for row in rows)


def check_shares(title: str, real: Counter[str], ours: dict[str, float], verdicts: Verdicts | None) -> None:
    """Print the largest difference of answer-type shares; without verdicts it is no must."""
    n = real.total()
    kinds = sorted(real.keys() | ours.keys())
    gaps = {kind: abs(ours.get(kind, 0.0) - real[kind] / n) for kind in kinds}
    worst = max(kinds, key=gaps.__getitem__)
    beyond = [kind for kind in kinds if gaps[kind] > POINTS]
    mark = "" if verdicts is None else verdicts.must(not beyond, f"answer types, {title}: {beyond}")
    here = ours.get(worst, 0.0)
    error = math.sqrt(here * (1 - here) / n)
    print(
        f"  {title:25} n {n:5}: {len(kinds):2} kinds, {len(beyond)} beyond 1.5 points; largest {gaps[worst]:.2%} "
        f"({worst}: {here:.2%} against {real[worst] / n:.2%} +- {error:.2%}); "
        f"a perfect copy passes {_passes(ours, n):.0%}  {mark}"
    )


def _passes(shares: dict[str, float], n: int, draws: int = 10_000) -> float:
    """Return how often n rows drawn with these very shares have all shares within 1.5 points of them."""
    truth = np.array([shares[kind] for kind in sorted(shares)])
    drawn = np.random.default_rng(0).multinomial(n, truth / truth.sum(), size=draws) / n
    return float((np.abs(drawn - truth) <= POINTS).all(axis=1).mean())


# -- chi-square ------------------------------------------------------------------------------------


def chi_square(real: Counter[str], ours: Counter[str]) -> tuple[float, int, float]:
    """Return the statistic of two samples, its degrees of freedom and the p value (Wilson and Hilferty)."""
    n, m = real.total(), ours.total()
    if not n or not m:
        return 0.0, 0, 1.0
    kinds = [kind for kind in real | ours if (real[kind] + ours[kind]) * n / (n + m) >= 5]
    # rare kinds are taken together
    pooled = [(real[kind], ours[kind]) for kind in kinds]
    pooled.append((n - sum(a for a, _ in pooled), m - sum(b for _, b in pooled)))
    statistic, cells = 0.0, 0
    for a, b in pooled:
        both = a + b
        if both * n / (n + m) < 1:
            continue
        cells += 1
        for seen, size in ((a, n), (b, m)):
            expected = both * size / (n + m)
            statistic += (seen - expected) ** 2 / expected
    freedom = max(cells - 1, 1)
    z = ((statistic / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))
    return statistic, freedom, 0.5 * math.erfc(z / math.sqrt(2))


def choices(history: Sequence[str], subtask: int, recogniser: Recogniser) -> Iterator[tuple[str, str]]:
    """Yield (what was chosen, how) for the choices that a history shows."""
    lines = [line for line in history if not is_fact(line)]
    made = [*_request_choices(history, lines, subtask, recogniser), *_turn_choices(lines, recogniser)]
    yield from ((f"task {subtask}: {what}", how) for what, how in made)


def _request_choices(
    history: Sequence[str], lines: Sequence[str], subtask: int, recogniser: Recogniser
) -> Iterator[tuple[str, str]]:
    facts = {line.split()[0] for line in history if is_fact(line)}
    if facts:
        yield "restaurants listed", str(len(facts))
    if len(lines) > 2:
        slots = recogniser.slots(lines[2])
        if subtask in {1, 5}:
            yield "slots given", str(len(slots))
        yield from (("phrases given", slot) for slot in slots)
        if len(slots) == len(templates.SLOTS):
            yield "orders of five slots", " ".join(slot.partition(":")[0] for slot in slots)
    if templates.NO_MORE_UPDATES in lines:
        yield "updates made", str(lines.count(templates.BOT_UPDATE))


def _turn_choices(lines: Sequence[str], recogniser: Recogniser) -> Iterator[tuple[str, str]]:
    proposals = 0
    for first, second in pairwise(lines):
        group, text = recogniser(second) or ("outside", "")
        if group not in {"bot", "silence", "api_call", "needed", "no more updates"}:
            yield group, text
        if first in _ASKED:
            yield f"hedged {_ASKED[first]}", str("hedge" in group)
        elif first == templates.BOT_UPDATE:
            yield "hedge, update or end", group.split()[0]
        elif first.startswith(templates.API_CALL) and group.split()[0] in {"hedge", "update"}:
            yield "first after a call", group.split()[0]
        elif first.startswith(_OPTION):
            proposals += 1
            yield "after a proposal", group
            yield "place of proposals", str(proposals)
        elif first.startswith(_REPEAT):
            yield "after a repeat", group


_OPTION, _REPEAT = (text.removesuffix("{name}") for text in (templates.BOT_OPTION, templates.BOT_REPEAT))
_ASKED = {slot.question: slot.name for slot in templates.SLOTS if slot.hedges}


def check_choices(real: dict[str, Counter[str]], ours: dict[str, Counter[str]], verdicts: Verdicts) -> None:
    """Print the chi-square table."""
    print("\nChoices, two-sample chi-square (real: the longer of the two cuts of each dialogue, tst1 and tst2)")
    names = sorted(real.keys() | ours.keys())
    low = 0
    for name in names:
        statistic, freedom, chance = chi_square(real.get(name, Counter()), ours.get(name, Counter()))
        bad = chance * len(names) < 0.001
        low += chance < 0.05
        mark = verdicts.must(not bad, f"chi-square, {name}: p {chance:.1e}") if bad else ""
        n = real.get(name, Counter()).total()
        print(f"  {name:38} n {n:6}  chi2 {statistic:8.1f}  df {freedom:3}  p {chance:.3f} {mark}")
    print(f"  {low} of {len(names)} below 0.05; {len(names) * 0.05:.0f} expected by chance")


# -- candidates ------------------------------------------------------------------------------------


class Crowds:
    """What stands beside the answers, counted by kind of answer."""

    def __init__(self) -> None:
        self.rows: Counter[str] = Counter()
        self.kinds: dict[str, Counter[str]] = {}
        self.notes: Counter[str] = Counter()
        self.places: Counter[float] = Counter()
        self.sets: dict[str, set[frozenset[str]]] = {}

    def add(self, row: RankerRow) -> None:
        """Count one row."""
        answer = row["answer"]["utterance"]
        kind = templates.answer_type(answer)
        group = kind if kind in {"api_call", "option", "repeat", "phone", "address"} else "sentence"
        lines = set(row["utterances"])
        wrong = [one["utterance"] for one in row["candidates"] if one["candidate_id"] != row["answer"]["candidate_id"]]
        self.rows[group] += 1
        count = self.kinds.setdefault(group, Counter())
        for text in wrong:
            count[_kind_of_candidate(text)] += 1
            count["(in the dialogue)"] += text in lines
        self.notes["size"] += len(wrong) + 1
        self.notes["double texts"] += len(set(wrong)) < len(wrong)
        self.notes["answer twice"] += answer in wrong
        self.places[round(row["candidates"].index(row["answer"]) / (len(row["candidates"]) - 1), 1)] += 1
        if group == "sentence":
            self.sets.setdefault(answer, set()).add(frozenset(wrong))
        if group == "option":
            listed = {line.split()[0] for line in lines if is_fact(line)} - {answer.rsplit(maxsplit=1)[-1]}
            self.notes["options"] += 1
            self.notes["options with listed ones"] += any(text.rsplit(maxsplit=1)[-1] in listed for text in wrong)
        if group == "api_call":
            calls = [text.split() for text in wrong if text.startswith(templates.API_CALL)]
            far = [sum(a != b for a, b in zip(call, answer.split(), strict=False)) for call in calls]
            self.notes["calls"] += len(calls)
            self.notes["calls one slot off"] += far.count(1)

    def lines(self) -> Iterator[str]:
        """Yield the counts as text."""
        for group in sorted(self.rows):
            n = self.rows[group]
            parts = ", ".join(f"{kind} {count / n:.2f}" for kind, count in sorted(self.kinds[group].items()))
            yield f"{group}: {parts}"
        n = self.rows.total()
        yield f"size {self.notes['size'] / n:.2f}, rows with double texts {self.notes['double texts'] / n:.3f}"
        if self.notes["calls"]:
            yield f"api_calls one slot off {self.notes['calls one slot off'] / self.notes['calls']:.2f}"
        if self.notes["options"]:
            share = self.notes["options with listed ones"] / self.notes["options"]
            yield f"option sets with other listed restaurants {share:.3f}"


def _kind_of_candidate(text: str) -> str:
    kind = templates.answer_type(text)
    if kind == "other":
        return "fact" if is_fact(text) else "user line"
    return kind if kind in {"api_call", "option", "repeat", "phone", "address"} else "sentence"


def check_candidates(title: str, real: Iterable[RankerRow], ours: Iterable[RankerRow]) -> Crowds:
    """Print counts of candidates side by side; return ours."""
    sides = []
    for rows in (real, ours):
        crowds = Crowds()
        for row in rows:
            crowds.add(row)
        sides.append(crowds)
    print(f"  {title}")
    for side, crowds in zip(("real", "ours"), sides, strict=True):
        for line in crowds.lines():
            print(f"    {side}  {line}")
    return sides[1]


def check_perfect(ours: Ours, n: int, verdicts: Verdicts) -> None:
    """Print the score of the rule bot on what the simulator makes."""
    total = right = 0
    for part in ("train", *PARTS):
        for subtask in SUBTASKS:
            for style in ("training", "a", "b"):
                rows = list(ours.rows(part, subtask, style, n))
                answers = Solver().answer([example_of(row).sample for row in rows])
                for row, answer in zip(rows, answers, strict=True):
                    texts = {one["candidate_id"]: one["utterance"] for one in row["candidates"]}
                    best = (answer.ranking or ("",))[0]
                    total += 1
                    right += texts.get(best) == row["answer"]["utterance"]  # by text: it may stand there twice
    mark = verdicts.must(right == total, f"perfect agent: {total - right} of {total} wrong")
    print(f"\nA perfect agent (the rule bot): {right} of {total} simulated rows right  {mark}")


# -- all together ----------------------------------------------------------------------------------


def compare_histories(data: Path, ours: Ours, n: int, recogniser: Recogniser, verdicts: Verdicts) -> None:
    """Compare what is said: the inventory and the choices."""
    lines: list[Counter[str]] = [Counter(), Counter()]
    made: list[dict[str, Counter[str]]] = [{}, {}]
    for subtask in SUBTASKS:
        for part in PARTS:
            sides = (real_histories(data, part, subtask), ours.histories(part, subtask, n // 2))
            for side, histories in enumerate(sides):
                for history in histories:
                    lines[side].update(line for line in history if not is_fact(line))
                    for what, how in choices(history, subtask, recogniser):
                        made[side].setdefault(what, Counter())[how] += 1
    for part, subtask in ((part, subtask) for part in PARTS for subtask in SUBTASKS):
        for release in "ab":  # the answers are utterances, too
            lines[0].update(row["answer"]["utterance"] for row in real_rows(data, release, part, subtask))
        lines[1].update(row["answer"]["utterance"] for row in ours.rows(part, subtask, "b", n // 10))
    check_inventory(lines[0], lines[1], recogniser, verdicts)
    check_choices(made[0], made[1], verdicts)


def compare_rows(data: Path, ours: Ours, n: int, verdicts: Verdicts) -> None:
    """Compare answers and candidates."""
    print(f"\nShares of answer types, {n:,} simulated dialogues per task (+- sampling error of the real share)")
    files: list[tuple[str, Counter[str], dict[str, float]]] = []
    for subtask in SUBTASKS:
        uniform, hard = (_mean(ours.shares(part, subtask, style, n // 2) for part in PARTS) for style in "ba")
        release_b, release_a = (
            sum((kinds_of(real_rows(data, release, part, subtask)) for part in PARTS), Counter[str]())
            for release in "ba"
        )
        training = kinds_of(training_rows(data, subtask))
        check_shares(f"cut uniformly, task {subtask}", release_b + training, uniform, verdicts)
        check_shares(f"cut as in A, task {subtask}", release_a, hard, verdicts)
        files.append((f"release b, task {subtask}", release_b, uniform))
        if training:
            files.append((f"training, task {subtask}", training, ours.shares("train", subtask, "training", n)))
    print("  the single files, no must:")
    for title, real, made in files:
        check_shares(title, real, made, None)
    print("\nCandidates beside the answer, mean numbers by kind of answer")
    for release in "ab":
        for subtask in SUBTASKS:
            rows = [row for part in PARTS for row in real_rows(data, release, part, subtask)]
            crowds = check_candidates(
                f"release {release}, task {subtask}", rows, ours.rows("tst1", subtask, release, 2_000)
            )
            if release == "a" and crowds.notes["options"]:
                share = crowds.notes["options with listed ones"] / crowds.notes["options"]
                print(f"    must: >= 0.98  {verdicts.must(share >= 0.98, f'listed options, task {subtask}')}")
    for subtask in (1, 2):
        check_candidates(
            f"training, task {subtask}", training_rows(data, subtask), ours.rows("train", subtask, "training", 2_000)
        )


def main() -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with release_a, release_b and train_part")
    parser.add_argument("--n", type=int, default=20_000, help="simulated dialogues per task")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    verdicts, ours, recogniser = Verdicts(), Ours(options.data, options.seed), Recogniser()
    compare_histories(options.data, ours, options.n, recogniser, verdicts)
    check_lengths(ours, options.n, verdicts)
    compare_rows(options.data, ours, options.n, verdicts)
    check_perfect(ours, max(options.n // 40, 1), verdicts)
    if verdicts.failed:
        print("\nFAILED:\n  " + "\n  ".join(verdicts.failed))
        sys.exit(1)
    print("\nAll musts hold.")


if __name__ == "__main__":
    main()
