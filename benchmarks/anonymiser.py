"""How much personal data the anonymiser finds, and what it takes for personal: writes `ANONYMISER.md`.

`python benchmarks/anonymiser.py [--seed 1] [--texts 400] [--show]` makes texts in English and Chinese, half of them
without anything personal. A piece counts as found when nothing of it is left. Leaves with exit code 1 when the pattern
kinds have a recall below .95 or more than 2 % of the texts without anything personal are changed by them.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from anonymiser_texts import PERSONAL, SOFT, clean, personal
from duologue.text.personal.finder import find
from duologue.text.personal.spans import PATTERN_KINDS, SOFT_KINDS

PAGE = Path(__file__).with_name("ANONYMISER.md")
MIN_RECALL, MAX_FALSE = 0.95, 0.02
_SPEED = 2_000


def main() -> int:
    """Measure, print and write the page; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--show", action="store_true", help="print what is missed and what is replaced wrongly")
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    chance = Random(given.seed)
    half = given.texts // 2
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for text in (*personal(chance, half, PERSONAL), *personal(chance, half, SOFT)):
        at = text.text.index(text.secret)
        covered = {place for span in find(text.text) for place in range(span.start, span.end)}
        whole = all(place + at in covered or not sign.isalnum() for place, sign in enumerate(text.secret))
        total[text.kind] += 1
        found[text.kind] += whole
        if given.show and not whole:
            print("missed", text.kind, repr(text.text), find(text.text))
    wrong: Counter[str] = Counter()
    nothing = clean(chance, half)
    for text in nothing:
        kinds = {span.kind for span in find(text.text)}
        wrong["pattern"] += not kinds.isdisjoint(PATTERN_KINDS)
        for kind in SOFT_KINDS:
            wrong[kind] += kind in kinds
        if given.show and kinds:
            print("wrong", repr(text.text), find(text.text))
    recall = sum(found[kind] for kind in PATTERN_KINDS) / sum(total[kind] for kind in PATTERN_KINDS)
    false = wrong["pattern"] / len(nothing)
    rows = [f"| {kind} | {found[kind]} of {total[kind]} | {found[kind] / total[kind]:.3f} |" for kind in total]
    speed = _microseconds([text.text for text in nothing])
    page = f"""# The anonymiser, measured

Made by `python benchmarks/anonymiser.py --seed {given.seed} --texts {given.texts}`
with Python {platform.python_version()}.
{half} made-up texts in English and Chinese with a piece of personal data of the pattern kinds, {half} with a name
or an address, {len(nothing)} with prices, dates, versions, plans, hotlines and the like. A piece counts as found when
no letter or digit of it is left. The texts come from the same hands as the rules (`anonymiser_texts.py`): real
texts have forms that neither knows, so expect less there.

| promise | measured | must |
|---|---|---|
| recall, pattern kinds | {recall:.3f} | >= {MIN_RECALL} |
| texts without anything personal that pattern kinds change | {100 * false:.1f} % | <= {100 * MAX_FALSE:.0f} % |
| such texts changed by names | {100 * wrong["NAME"] / len(nothing):.1f} % | |
| such texts changed by addresses | {100 * wrong["ADDRESS"] / len(nothing):.1f} % | |

| kind | found | recall |
|---|---|---|
{chr(10).join(rows)}

A short text without anything personal takes {speed:.0f} microseconds of processor time.
"""
    print(page)
    given.page.write_text(page, encoding="utf-8")
    return int(recall < MIN_RECALL or false > MAX_FALSE)


def _microseconds(texts: list[str]) -> float:
    """Return the processor time per text."""
    many = (texts * (_SPEED // len(texts) + 1))[:_SPEED]
    began = time.process_time()
    for text in many:
        find(text)
    return (time.process_time() - began) / len(many) * 1e6


if __name__ == "__main__":
    sys.exit(main())
