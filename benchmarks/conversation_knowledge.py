"""Measure knowledge that is looked up while replies are made, and write `benchmarks/CONVERSATION_KNOWLEDGE.md`.

    python benchmarks/conversation_knowledge.py --data FOLDER [--work workspace/conversation]

FOLDER and the texts are those of `conversation_systems.py`; the files of knowledge are made from training text and stay
in the work folder with the replies, so that a second run makes only what is not there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from conversation_floors import FLOORS
from conversation_page import Result, comparison
from conversation_texts import make_texts
from duologue.challenges.conversation.formats.training_pairs import context_replies, require_dialogues
from duologue.challenges.conversation.systems.retriever.retriever import Retriever
from duologue.challenges.conversation.task import ConversationTask
from duologue.core.disk import write_text
from duologue.core.protocols import Run
from duologue.core.records import Scoring
from duologue.run import evaluate
from duologue.run.saved import read_report, save_report
from duologue.run.systems import recipe_of

if TYPE_CHECKING:
    from conversation_texts import Texts
    from duologue.challenges.conversation.formats.training_pairs import ContextReply

PAGE = Path(__file__).with_name("CONVERSATION_KNOWLEDGE.md")
_SET = "twitter"
_SAMPLES = 400  # evaluation samples of sgd, which name the folder of the texts
_UNRELATED = 521  # replies of sgd, as many as there are company tweets
TRAINED = {"others": ("sgd", "twcs"), "tweets": ("twitter",)}
"""Training text by what tables call it."""


class Row(NamedTuple):
    """One line of the table."""

    name: str
    trained: str = ""
    """Of `TRAINED`; empty: one of `FLOORS`."""
    recipe: str = ""
    """A named recipe; empty: the default."""
    knowledge: str = ""
    """A file of knowledge; empty: none."""


ROWS = (
    Row("constant"),
    Row("central"),
    Row("no knowledge", "others"),
    Row("unrelated statements", "others", "retriever-lookup", "unrelated.txt"),
    Row("statements", "others", "retriever-lookup", "statements.txt"),
    Row("questions and answers", "others", "retriever-lookup", "answers.jsonl"),
    Row("questions and answers, weight 1", "others", "", "answers.jsonl"),
    Row("no knowledge", "tweets"),
    Row("answers of other companies, weight 1", "tweets", "", "others.jsonl"),
    Row("answers of other companies", "tweets", "retriever-lookup", "others.jsonl"),
)


def make_knowledge(texts: Texts, work: Path) -> None:
    """Write the files of knowledge: replies of training text, never of the evaluation."""
    train = {path.stem.removeprefix("train-"): path for path in texts.train["B"]}
    company, others = _replies(train["twitter"]), _replies(train["twcs"])
    unrelated = sorted({one.reply for one in _replies(train["sgd"])}, key=_hash)[:_UNRELATED]
    write_text(work / "statements.txt", "".join(f"{one.reply}\n\n" for one in company))
    write_text(work / "unrelated.txt", "".join(f"{text}\n\n" for text in unrelated))
    for name, replies in (("answers", company), ("others", others)):
        rows = ({"about": one.history[-1].text, "text": one.reply} for one in replies)
        write_text(work / f"{name}.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))


def _replies(path: Path) -> list[ContextReply]:
    return context_replies(require_dialogues(ConversationTask().load_training([path])))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Bench:
    """Trains on each text once, answers and scores."""

    def __init__(self, texts: Texts, work: Path) -> None:
        self._texts, self._work, self._task = texts, work, ConversationTask()
        self._evaluation = texts.evaluation[_SET]
        self._examples = list(self._task.load(self._evaluation))
        self._systems: dict[str, Retriever] = {}

    def result(self, row: Row) -> Result:
        """Return what a row came to."""
        path = self._work / f"replies-{_hash(repr(row))[:12]}.txt"
        if not path.is_file():
            print(f"{row.name} {row.trained}: answering", flush=True)
            samples = [one.sample for one in self._examples]
            if row.trained:
                answers = self._system(row).answer(samples)
                replies = [one.text or "" for one in answers]
            else:
                replies = FLOORS[row.name](self._examples, self._texts.sources[_SET])
            write_text(path, "".join(f"{reply}\n" for reply in replies))
        kept = path.with_suffix(".report")
        if not kept.is_file():
            options = {"vectors": str(self._texts.vectors), "relevance": str(self._texts.judge), "meteor": ""}
            how = Scoring(variant="strict", options=options)
            save_report(evaluate.score(self._task, [self._evaluation], path, how), kept)
        replies = path.read_text("utf-8").split("\n")[: len(self._examples)]
        kind = "system" if row.trained else "floor"
        return Result(row.name, kind, row.trained, _SET, read_report(kept), replies, {}, "", ())

    def _system(self, row: Row) -> Retriever:
        """Return the retriever of a row's training, with its recipe and prepared with its knowledge."""
        if row.trained not in self._systems:
            folder = self._texts.judge.parent
            files = [folder / f"train-{name}.txt" for name in TRAINED[row.trained]]
            fresh = Retriever()
            fresh.fit(self._task.load_training(files), [], [], Run(folder=self._work, seed=1))
            self._systems[row.trained] = fresh
        system = self._systems[row.trained]
        found = recipe_of("retriever", Path(row.recipe) if row.recipe else None, ())
        assert isinstance(found, type(system.recipe))
        system.recipe = found
        worlds = [self._task.world(self._work / row.knowledge)] if row.knowledge else []
        system.prepare(self._task.info, 1, {world.name: world for world in worlds})
        return system


def main() -> None:
    """Read the arguments, make what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the visible conversation data")
    parser.add_argument("--work", type=Path, default=Path("workspace/conversation"))
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args()
    texts = make_texts(options.data, options.work, _SAMPLES)
    work = options.work / "knowledge"
    work.mkdir(parents=True, exist_ok=True)
    make_knowledge(texts, work)
    bench = Bench(texts, work)
    write_text(options.out, comparison(texts, [bench.result(row) for row in ROWS], _HEAD))
    print(f"{options.out} is written")


_HEAD = """# Knowledge that is looked up while replies are made

Made by `python benchmarks/conversation_knowledge.py --data FOLDER`: the texts, floors and scores of
[CONVERSATION.md](CONVERSATION.md), where they are explained. The retriever answers held-out company tweets with and
without a file of knowledge (`--kb`): the 10 passages that fit a dialogue best are candidates and evidence of the
minimum Bayes risk choice, beside 20 replies that it remembers.

It learned from `others` (service dialogues and tweets of other companies, `sgd` and `twcs`: these companies are new to
it) or from `tweets` (521 tweets of these companies). Knowledge:

* `statements`: the 521 training tweets of these companies as paragraphs, without what they answered;
* `questions and answers`: the same with what the customer had said (`about`);
* `unrelated statements`: as many replies of `sgd`, a control;
* `answers of other companies`: 2,518 replies of `twcs` with what they answered, for a system that knows its companies.

A weight is that of knowledge against memory (`--set knowledge=`): 1, the default, or 10 (`--recipe retriever-lookup`)
where none is named. Both were chosen in five folds of the 521 training tweets (dialogues whole), before any reply of
this page was made; so was the number of passages. No knowledge holds an evaluation dialogue; 46 of the 229 replies were
said word for word in another dialogue of the same companies, and looking up finds such set phrases.
"""


if __name__ == "__main__":
    main()
