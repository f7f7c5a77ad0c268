"""Measure the noise simulator of `spoken`, and the repair: `python benchmarks/spoken_noise.py --data DIR`.

DIR holds the data as the project's data folder `spoken` has it. The simulator runs on the clean turns of KdConv's
development dialogues: those without knowledge, and for information those of the user. Exits with 1 when a must fails:

* each recipe has its share of the specification, within 2 points;
* the character error rate is within 1 point of 13.7 % (10.9 % without punctuation), its split into substitutions,
  insertions and deletions within 5 points of 23, 57 and 20 % (without punctuation; of several cheapest alignments that
  with the fewest substitutions);
* a logistic regression that is to tell real from simulated noise has an area under the curve below 0.65. Its features
  are character 1- to 3-grams of the edits; each of the ways to write edits down in `VIEWS` is tried. Both classes are
  noise on the same clean utterances (the visible pairs), and the five folds keep an utterance on one side;
* the repair lowers the error rate of the visible pairs by at least 35 %, leaves more than 99 % of clean utterances as
  they are, and takes at most 5 ms of processor time for one. It learns from KdConv's development dialogues and the
  visible dialogues of the challenge without those that the pairs come from, of which the clean sides are also the clean
  utterances. Names are those of the rebuilt graph.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from duologue.challenges.spoken.formats.files import read_dialogues
from duologue.challenges.spoken.noise.noise_table import SHARES
from duologue.challenges.spoken.noise.simulator import NoiseSimulator
from duologue.challenges.spoken.systems.pipeline.asr_correction.clean_texts import clean_texts
from duologue.challenges.spoken.systems.pipeline.asr_correction.trainer import train_corrector
from duologue.core.disk import read_json
from duologue.metrics.edits import Edits, edits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.challenges.spoken.systems.pipeline.asr_correction.corrector import AsrCorrector

Pair = tuple[str, str]
"""A clean utterance and the same with noise."""

RATES = {"with punctuation": 0.137, "without": 0.109}
SPLIT = (0.23, 0.57, 0.20)
FOLDS = 5
RIDGE = 1.0


def pairs_in(data: Path) -> list[Pair]:
    """Return the visible pairs."""
    rows, _, _ = read_json(data / "noise_pairs_visible.json.gz")
    return [(row["clean"], row["noisy"]) for row in rows]


def clean_turns(data: Path, regime: str) -> list[str]:
    """Return the turns of KdConv's development dialogues that a regime makes noisy."""
    return [
        turn.text
        for domain in ("film", "music", "travel")
        for dialogue in read_dialogues(data / f"kdconv_{domain}_dev.json.gz")
        for at, turn in enumerate(dialogue.turns)
        if (at % 2 == 0 if regime == "test" else turn.annotation is None or not turn.annotation.facts)
    ]


def with_marks(text: str) -> str:
    """Return a text without blanks."""
    return "".join(text.split())


def without_marks(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(sign for sign in text if sign.isalnum())


def total(pairs: Sequence[Pair], fold: Callable[[str], str]) -> tuple[float, tuple[float, float, float]]:
    """Return the character error rate over all pairs, and its split."""
    found = [edits(fold(clean), fold(noisy)) for clean, noisy in pairs]
    summed = Edits(*(sum(column) for column in zip(*found, strict=True)))
    cost = max(summed.cost, 1)
    length = sum(len(fold(clean)) for clean, _ in pairs)
    return cost / length, (summed.substituted / cost, summed.inserted / cost, summed.deleted / cost)


def hunks(pair: Pair, around: int) -> str:
    """Return the changed stretches as text: what went, what came, with some characters of their surroundings."""
    clean, noisy = pair
    found = []
    for what, i, j, k, end in SequenceMatcher(None, clean, noisy, autojunk=False).get_opcodes():
        if what != "equal":
            found.append(f"{clean[max(0, i - around) : i]}[{clean[i:j]}>{noisy[k:end]}]{clean[j : j + around]}")
    return "\n".join(found)


def grams(text: str) -> Counter[str]:
    """Return the character 1- to 3-grams."""
    return Counter(text[at : at + n] for n in (1, 2, 3) for at in range(len(text) - n + 1))


def gained(pair: Pair) -> Counter[str]:
    """Return the n-grams that the noise brought (`+`) and took (`-`)."""
    clean, noisy = (grams(f"^{text}$") for text in pair)
    return Counter({f"+{key}": n for key, n in (noisy - clean).items()}) + Counter(
        {f"-{key}": n for key, n in (clean - noisy).items()}
    )


VIEWS: dict[str, Callable[[Pair], Counter[str]]] = {
    "changed stretches alone": lambda pair: grams(hunks(pair, 0)),
    "with two characters around": lambda pair: grams(hunks(pair, 2)),
    "n-grams gained and lost": gained,
}


class Judge(NamedTuple):
    """A logistic regression."""

    weights: np.ndarray
    bias: float

    @classmethod
    def learn(cls, rows: csr_matrix, wanted: np.ndarray) -> Judge:
        """Fit with a quadratic penalty."""
        signs = 2 * wanted - 1

        def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
            margins = signs * (rows @ parameters[:-1] + parameters[-1])
            pull = -signs / (1 + np.exp(np.clip(margins, -500, 500)))
            slope = np.append(rows.T @ pull + RIDGE * parameters[:-1], pull.sum())
            return float(np.logaddexp(0, -margins).sum() + RIDGE / 2 * (parameters[:-1] ** 2).sum()), slope

        found = minimize(loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B").x
        return cls(found[:-1], found[-1])


def area(scores: np.ndarray, wanted: np.ndarray) -> float:
    """Return the area under the curve: how often a true one scores above a false one, ties counting half."""
    right, wrong = scores[wanted == 1], scores[wanted == 0]
    higher = (right[:, None] > wrong[None, :]).mean()
    return float(higher + (right[:, None] == wrong[None, :]).mean() / 2)


def told_apart(real: Sequence[Pair], made: Sequence[Pair], view: Callable[[Pair], Counter[str]]) -> float:
    """Return how well a regression tells real from made noise, by five folds of utterances.

    Pairs that the noise left as they were are no edits: they count as they are, on both sides.
    """
    bags = [view(pair) for pair in (*real, *made)]
    wanted = np.array([1] * len(real) + [0] * len(made))
    columns = {gram: number for number, gram in enumerate(sorted(set().union(*bags)))}
    entries = [(row, columns[gram]) for row, bag in enumerate(bags) for gram in bag]
    places = tuple(np.array(axis) for axis in zip(*entries, strict=True))
    rows = csr_matrix((np.ones(len(entries)), places), shape=(len(bags), len(columns)))
    names = {clean: number for number, clean in enumerate(sorted({clean for clean, _ in real}, key=_shuffled))}
    fold = np.array([names[clean] % FOLDS for clean, _ in (*real, *made)])
    areas = []
    for number in range(FOLDS):
        train, test = fold != number, fold == number
        judge = Judge.learn(rows[train], wanted[train])
        areas.append(area(rows[test] @ judge.weights + judge.bias, wanted[test]))
    return float(np.mean(areas))


def _shuffled(text: str) -> str:
    """Order utterances by chance, the same in every run."""
    return Random(text).random().hex()


def check_statistics(pairs: Sequence[Pair], recipes: Counter[str]) -> bool:
    """Print recipes and error rates of simulated noise; return whether they are near enough."""
    fine = True
    count = sum(recipes.values())
    print(f"{'recipe':<22}{'wanted':>9}{'made':>9}")
    for name, share in SHARES.items():
        fine &= abs(recipes[name] / count - share) <= 0.02
        print(f"{name:<22}{share:>9.1%}{recipes[name] / count:>9.1%}")
    for (name, wanted), fold in zip(RATES.items(), (with_marks, without_marks), strict=True):
        rate, split = total(pairs, fold)
        fine &= abs(rate - wanted) <= 0.01
        print(f"error rate {name:<17} {wanted:>6.1%} {rate:>8.1%}   split " + " / ".join(f"{x:.1%}" for x in split))
        if fold is without_marks:
            fine &= all(abs(one - other) <= 0.05 for one, other in zip(split, SPLIT, strict=True))
    return fine


def check_likeness(real: Sequence[Pair], seeds: int) -> bool:
    """Print how well real and simulated noise are told apart; return whether badly enough."""
    fine = True
    for name, view in VIEWS.items():
        areas = []
        for seed in range(1, seeds + 1):
            simulator = NoiseSimulator("validation", seed)
            made = [
                (clean, simulator.turn(clean, rng=Random(f"{seed} {number}")).text)
                for number, (clean, _) in enumerate(real)
            ]
            areas.append(told_apart(real, made, view))
        fine &= float(np.mean(areas)) < 0.65
        print(f"told apart by {name:<28} area {np.mean(areas):.3f} (mean of {seeds} draws, most {max(areas):.3f})")
    return fine


def learned(data: Path) -> tuple[AsrCorrector, list[str]]:
    """Return a corrector that saw nothing of the pairs' dialogues, and the clean turns of those dialogues."""
    index, _, _ = read_json(data / "challenge_valid_visible_index.json.gz")
    twins = {(one["domain"], one["index"]) for row in index for one in row["kdconv_twin"]}
    challenge = read_dialogues(data / "challenge_valid_visible.json.gz")
    known = [one for one, row in zip(challenge, index, strict=True) if not row["kdconv_twin"]]
    clean = []
    for domain in ("film", "music", "travel"):
        for at, one in enumerate(read_dialogues(data / f"kdconv_{domain}_dev.json.gz")):
            if (domain, at) in twins:
                clean += [turn.text for turn in one.turns]
            else:
                known.append(one)
    # As training sees it: of the user's turns nobody says whether they use knowledge.
    turns = [
        [(turn.text, at % 2 == 1 and turn.annotation is not None) for at, turn in enumerate(one.turns)] for one in known
    ]
    graph, _, _ = read_json(data / "kg_rebuilt_visible.json.gz")
    return train_corrector(clean_texts(turns), graph, seed=1), clean


def check_repair(data: Path) -> bool:
    """Print what the repair does to noisy and to clean utterances; return whether it does enough."""
    start = time.process_time()
    corrector, clean = learned(data)
    print(f"repair: learned in {time.process_time() - start:.0f} s of processor time")
    pairs = pairs_in(data)
    corrector.correct(pairs[0][1])
    start = time.process_time()
    corrected = [corrector.correct(noisy) for _, noisy in pairs]
    taken = (time.process_time() - start) / len(pairs) * 1000
    fine = taken <= 5
    for name, fold in (("with punctuation", with_marks), ("without", without_marks)):
        before, _ = total(pairs, fold)
        after, split = total([(one, text) for (one, _), text in zip(pairs, corrected, strict=True)], fold)
        fine &= after <= 0.65 * before
        lowered = f"{before:.1%} to {after:.1%}, lowered by {1 - after / before:.1%}"
        print(f"error rate {name:<17} {lowered}; split " + " / ".join(f"{one:.1%}" for one in split))
    untouched = sum(corrector.correct(text) == text for text in clean) / len(clean)
    fine &= untouched > 0.99
    print(f"clean utterances left as they are: {untouched:.2%} of {len(clean)}; {taken:.1f} ms for a noisy one")
    return fine


def noisy_turns(data: Path, regime: str) -> tuple[list[Pair], Counter[str]]:
    """Return turns with the noise of a regime, and how often each recipe was taken."""
    simulator = NoiseSimulator(regime, 1)
    recipes: Counter[str] = Counter()
    pairs = []
    for number, text in enumerate(clean_turns(data, regime)):
        noisy = simulator.turn(text, rng=Random(f"1 {number}"))
        recipes[noisy.recipe] += 1
        pairs.append((text, noisy.text))
    return pairs, recipes


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3, help="how often the noise is drawn anew")
    parser.add_argument("--only", choices=("noise", "repair"), help="measure one of the two")
    chosen = parser.parse_args()
    fine = True
    if chosen.only != "repair":
        fine &= check_noise(chosen.data, chosen.seeds)
    if chosen.only != "noise":
        fine &= check_repair(chosen.data)
    sys.exit(0 if fine else 1)


def check_noise(data: Path, seeds: int) -> bool:
    """Print what the simulator does; return whether it is near enough to the real noise."""
    print("regime test, for information: the wanted figures are of turns without knowledge, which are a third shorter")
    check_statistics(*noisy_turns(data, "test"))
    print("regime validation")
    fine = check_statistics(*noisy_turns(data, "validation"))
    real = pairs_in(data)
    rate, split = total(real, without_marks)
    print(f"real visible pairs, without punctuation: {rate:.1%}, split " + " / ".join(f"{one:.1%}" for one in split))
    return fine & check_likeness(real, seeds)


if __name__ == "__main__":
    main()
