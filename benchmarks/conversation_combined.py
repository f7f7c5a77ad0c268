"""Combine `copy` and `retriever` by minimum Bayes risk, and write `benchmarks/CONVERSATION_COMBINED.md`.

    python benchmarks/conversation_combined.py --data FOLDER [--work workspace/conversation]

FOLDER and the texts are those of `conversation_systems.py`. Models, result files and combinations stay in the work
folder; a second run makes only what is not there, and a stopped training or run goes on.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from conversation_floors import FLOORS
from conversation_page import Result, comparison
from conversation_texts import SETS, make_texts
from duologue.challenges.conversation.task import ConversationTask
from duologue.core.disk import write_text
from duologue.core.records import Scoring
from duologue.run import evaluate
from duologue.run.combine import combine
from duologue.run.saved import read_report, save_report

if TYPE_CHECKING:
    from conversation_texts import Texts

PAGE = Path(__file__).with_name("CONVERSATION_COMBINED.md")
_SAMPLES = 400  # evaluation samples of sgd


class Member(NamedTuple):
    """One result file that is combined: a system with its recipe, and the seed that its answers are drawn by."""

    model: str
    seed: int
    settings: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What its files are called."""
        return f"{self.model}-{self.seed}"


SYSTEMS = {
    "retriever": ("retriever",),
    "retriever-30": ("retriever", "candidates=30", "temperature=0.4"),
    "copy": ("copy", "max_dialogues=3500"),
}
"""Models by name: the system, and what `--set` gets in training."""
RETRIEVED = (Member("retriever", 1), Member("retriever-30", 1))
DRAWN = (Member("copy", 1), Member("copy", 2))
ROWS: dict[str, tuple[Member, ...]] = {
    "copy": DRAWN[:1],
    "retriever": RETRIEVED[:1],
    "combined": (*RETRIEVED, *DRAWN),
}
"""Rows of the table with the result files that they are made of; ties go to the first."""


class Bench:
    """Trains, answers, combines and scores what is not there yet."""

    def __init__(self, texts: Texts, work: Path) -> None:
        self._texts, self._work, self._task = texts, work, ConversationTask()

    def result(self, row: str, name: str) -> Result:
        """Return what a row came to on an evaluation set."""
        data = self._texts.evaluation[name]
        members = [self._answered(one, name) for one in ROWS.get(row, ())]
        path = members[0] if len(members) == 1 else self._work / f"{row}-{name}.txt"
        if not path.is_file() and members:
            combine(self._task, members, data, path, utility="f1")
        elif not path.is_file():
            replies = FLOORS[row](list(self._task.load(data)), self._texts.sources[name])
            write_text(path, "".join(f"{reply}\n" for reply in replies))
        kept = path.with_suffix(".report")
        if not kept.is_file():
            options = {"vectors": str(self._texts.vectors), "relevance": str(self._texts.judge), "meteor": ""}
            save_report(evaluate.score(self._task, [data], path, Scoring(variant="strict", options=options)), kept)
        replies = path.read_text("utf-8").splitlines()
        kind = "system" if members else "floor"
        return Result(row, kind, "A" if members else "", name, read_report(kept), replies, {}, "", ())

    def _answered(self, member: Member, name: str) -> Path:
        path = self._work / f"{member.key}-{name}.txt"
        if not path.is_file():
            model = self._work / member.model
            system, *settings = SYSTEMS[member.model]
            if not (model / "system.toml").is_file():
                given = [word for one in settings for word in ("--set", one)]
                files = ("--train", *self._texts.train["A"], "--external", "none", "--quiet")
                _duologue("train", "conversation", "--system", system, "--seed", 1, *given, *files, "--out", model)
            data = self._texts.evaluation[name]
            _duologue("run", "conversation", data, "--system", model, "--seed", member.seed, "--quiet", "--out", path)
        return path


def _duologue(*words: object) -> None:
    program = Path(sys.executable).with_name("duologue")
    subprocess.run([program, *map(str, words)], check=True)


def main() -> None:
    """Read the arguments, make what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the visible conversation data")
    parser.add_argument("--work", type=Path, default=Path("workspace/conversation"))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args()
    texts = make_texts(options.data, options.work, _SAMPLES)
    work = options.work / "combined"
    work.mkdir(parents=True, exist_ok=True)
    bench = Bench(texts, work)
    rows = ("constant", "central", *ROWS)
    found = [bench.result(row, name) for name in options.sets for row in rows]
    chosen = "" if (*options.sets,) == SETS else f" --sets {' '.join(options.sets)}"
    write_text(options.out, comparison(texts, found, _HEAD.replace("FOLDER", f"FOLDER{chosen}", 1)))
    print(f"{options.out} is written")


_HEAD = """# `copy` and `retriever` combined

Made by `python benchmarks/conversation_combined.py --data FOLDER`: the texts, floors and scores of
[CONVERSATION.md](CONVERSATION.md), where they are explained; all systems are trained on the given dialogues (task A).

`combined` is `duologue combine` of four result files with its default utility (`f1`), of which nothing was chosen on
any data: `retriever`, the same with 30 candidates and temperature .4, and `copy` with the seeds 1 and 2. `copy` has
learned from 3,500 dialogues (`--set max_dialogues=3500`), for two epochs.
"""


if __name__ == "__main__":
    main()
