"""Small local chat models as judges, where the truth is known: the section of judges in `benchmarks/ENDPOINTS.md`.

    python benchmarks/judge.py --weights FILE.gguf ... --dialogues FILE.jsonl [--n 12] [--out benchmarks/ENDPOINTS.md]

Real replies of a customer service stand beside the same replies given to other customers. A judge that reads what it
judges gives the first more points and chooses them in pairs. The models run on the loopback (extra `llm`); nothing is
downloaded. `--dialogues` are JSON lines of `turns` with `role` (customer, agent) and `text`; taken are the first
customer turn and the reply to it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.core.disk import write_text
from duologue.core.plugins import load_task
from duologue.core.records import Answer
from duologue.judges.pairs import PairsReport
from duologue.judges.recipe import JudgeRecipe
from duologue.judges.report_lines import report_lines
from duologue.judges.results import JudgedFiles
from duologue.judges.session import JudgeSession
from duologue.judges.trials import mean_of
from local_engine import serving

if TYPE_CHECKING:
    from duologue.judges.session import Judged, Kind

REAL, OTHER = "real", "other"
KINDS: tuple[tuple[Kind, str], ...] = (("points", "points, five levels"), ("pairs", "pairs, both orders"))
SECTION = re.compile("(<!-- judges: begin -->\n).*?(<!-- judges: end -->)", re.DOTALL)
INTRO = """{count} first messages of customers with the service's real reply (`real`) and with the real reply to another
customer (`other`): a judge that reads what it judges prefers the first. Each figure with its 95 % interval, where the
judgements differ at all. The conversations stay outside this repository. No people rated these, so the judges are
uncalibrated: what is known is the truth by construction alone. The models are the smallest there are; a judge for real
work is measured by the same command, `duologue judge`."""


def questions(path: Path, count: int) -> list[tuple[str, str]]:
    """Return so many first messages with their replies, in the order of the file."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        turns = json.loads(line)["turns"]
        if len(turns) > 1 and (turns[0]["role"], turns[1]["role"]) == ("customer", "agent"):
            pair = tuple(Cleaner().clean(one["text"]) for one in turns[:2])
            if all(pair) and len(found) < count:
                found.append((pair[0], pair[1]))
    return found


def files(found: list[tuple[str, str]], folder: Path) -> JudgedFiles:
    """Write the data and the results of both systems."""
    task, gold = load_task("conversation"), folder / "gold.txt"
    gold.write_text("\n\n".join(f"U: {asked}\nS: {reply}" for asked, reply in found) + "\n", encoding="utf-8")
    examples, results = list(task.load(gold)), []
    for name, shift in ((REAL, 0), (OTHER, 1)):
        replies = [found[(place + shift) % len(found)][1] for place in range(len(found))]
        path = folder / f"{name}.txt"
        answers = [(one.sample.id, Answer(text=reply)) for one, reply in zip(examples, replies, strict=True)]
        task.write(examples, answers, path)
        results.append(path)
    return JudgedFiles(tuple(results), golds=(gold,))


def told(judged: Judged, session: JudgeSession, seconds: float) -> list[str]:
    """Return the lines of one session."""
    if isinstance(judged.report, PairsReport):
        wins = [{"a": 1.0, "tie": 0.5, "b": 0.0}[one.outcome] for one in judged.preferences]
        figure, what = mean_of(wins, 0.0, 1.0), "win share of `real` (chance: .5)"
    else:
        points = {(one.system, one.item): one.value for one in judged.ratings}
        rated = [item for system, item in points if system == REAL and (OTHER, item) in points]
        both = [points[REAL, item] - points[OTHER, item] for item in rated]
        figure, what = mean_of(both, -4.0, 4.0), "points of `real` above `other` on the same message (chance: 0)"
    ends = "" if figure.low is None else f" ({figure.low:.2f} to {figure.high:.2f})"
    lines = [f"**{what}: {figure.value:.2f}{ends}**, n {figure.n}" if figure.n else f"**{what}: nothing readable**"]
    lines += report_lines(judged.report, session, people=True)[1:]
    calls, tokens = judged.usage["calls"], judged.usage["prompt_tokens"]
    return [*lines, f"{calls} calls, {tokens:,} tokens in, {seconds:.0f} s in all"]


def main() -> int:
    """Judge, print, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, nargs="+", required=True)
    parser.add_argument("--dialogues", type=Path, required=True)
    parser.add_argument("--n", type=int, default=12)
    parser.add_argument("--out", type=Path, default=None, help="Page whose section of judges is written.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = questions(given.dialogues, given.n)
        judged_files = files(found, Path(folder))
        parts = [INTRO.format(count=len(found))]
        for weights in given.weights:
            with serving(weights) as url:
                for kind, title in KINDS:
                    recipe = JudgeRecipe(
                        url=url, model=weights.stem, reply_tokens=24, workers=1, timeout=600.0, cache="", injections=5
                    )
                    session = JudgeSession(load_task("conversation"), judged_files, recipe, kind=kind)
                    begun = time.monotonic()
                    judged = session.run()
                    lines = told(judged, session, time.monotonic() - begun)
                    parts.append(f"### {weights.stem}: {title}\n\n" + "\n".join(f"* {line}" for line in lines))
                    print(parts[-1], flush=True)
    if given.out is not None:
        text = "\n\n".join(parts) + "\n"
        page = given.out.read_text(encoding="utf-8")
        write_text(given.out, SECTION.sub(lambda marks: marks[1] + text + marks[2], page))
    return 0


if __name__ == "__main__":
    sys.exit(main())
