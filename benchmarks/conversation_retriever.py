"""Measure the parts of the retriever's memory on held-out replies, and write `benchmarks/CONVERSATION_RETRIEVER.md`.

    python benchmarks/conversation_retriever.py --data FOLDER [--work workspace/conversation] [--sets twitter]

FOLDER and the texts are those of `conversation_systems.py`. All rows learn from the same dialogues in one process, so
that they differ in their settings alone; replies stay in the work folder, and a second run makes what is not there.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from conversation_floors import FLOORS
from conversation_page import Result, comparison
from conversation_texts import SETS, make_texts
from duologue.challenges.conversation.formats.training_pairs import require_dialogues
from duologue.challenges.conversation.systems.retriever.channel_memory import ChannelMemory
from duologue.challenges.conversation.systems.retriever.recipe import RetrieverRecipe
from duologue.challenges.conversation.systems.training_mix import files_of
from duologue.challenges.conversation.task import ConversationTask
from duologue.core.disk import write_text
from duologue.core.records import Answer, Scoring
from duologue.models.sentence_encoders.encoder import EncoderChoice
from duologue.run import evaluate
from duologue.run.saved import read_report, save_report
from duologue.run.systems import recipe_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversation_texts import Texts
    from duologue.models.sentence_encoders.encoder import SentenceEncoder

PAGE = Path(__file__).with_name("CONVERSATION_RETRIEVER.md")


_TASKS = ("tweets", "A", "B")
PAIRS = (
    ("retriever, no consensus", "retriever"),
    ("retriever, words alone", "retriever"),
    ("retriever", "retriever, one memory"),
    ("retriever, care without encoder", "retriever"),
    ("retriever, care", "retriever"),
    ("retriever, care", "retriever, care without encoder"),
)
"""Rows that are tested: the first differs from the second in one part."""


class Row(NamedTuple):
    """One line of the table."""

    name: str
    recipe: RetrieverRecipe | None
    """`None`: one of `FLOORS`."""
    task: str = ""


def rows() -> list[Row]:
    """Return the rows; the recipe for care was chosen in five folds of the training tweets."""
    care = recipe_of("retriever", Path("retriever-care"), ())
    assert isinstance(care, RetrieverRecipe)
    words = RetrieverRecipe(candidates=care.candidates, temperature=care.temperature)
    alone = RetrieverRecipe(candidates=1)
    plain = RetrieverRecipe(kind=0.0, likeness=0.0, meaning=0.0)
    return [
        *(Row(name, None) for name in FLOORS),
        Row("retriever", RetrieverRecipe(), "tweets"),
        Row("retriever, no consensus", alone, "tweets"),
        Row("retriever, words alone", plain, "tweets"),
        Row("retriever, care without encoder", words, "tweets"),
        Row("retriever, care", care, "tweets"),
        Row("retriever, one memory", RetrieverRecipe(channels=False), "A"),
        Row("retriever", RetrieverRecipe(), "A"),
        Row("retriever, no consensus", alone, "A"),
        Row("retriever, words alone", plain, "A"),
        Row("retriever, care without encoder", words, "A"),
        Row("retriever, care", care, "A"),
        Row("retriever, one memory", RetrieverRecipe(channels=False), "B"),
        Row("retriever", RetrieverRecipe(), "B"),
        Row("retriever, care", care, "B"),
    ]


class Bench:
    """Indexes each text once, answers and scores."""

    def __init__(self, texts: Texts, work: Path, seed: int, sets: Sequence[str]) -> None:
        self._texts, self._work, self._seed, self.sets = texts, work, seed, sets
        self._examples = {name: list(ConversationTask().load(texts.evaluation[name])) for name in sets}
        self._memories: dict[tuple[str, bool], ChannelMemory] = {}
        self._encoder: SentenceEncoder | None = None

    def results(self, row: Row) -> list[Result]:
        """Return what a row came to on each set."""
        sets = [name for name in self.sets if row.task != "tweets" or name == "twitter"]
        paths = {name: self._work / f"{_key(row, self._seed)}-{name}.txt" for name in sets}
        missing = [name for name, path in paths.items() if not path.is_file()]
        for name in missing:
            print(f"{row.name} {row.task}: answering {name}", flush=True)
            examples = self._examples[name]
            if row.recipe is None:
                replies = FLOORS[row.name](examples, self._texts.sources[name])
            else:
                memory, encoder = self._learned(row.task, row.recipe)
                replies = [memory.reply(one.sample.history, row.recipe, encoder) for one in examples]
            answers = [(one.sample.id, Answer(text=said)) for one, said in zip(examples, replies, strict=True)]
            ConversationTask().write(examples, answers, paths[name])
        return [self._scored(row, name, path) for name, path in paths.items()]

    def _files(self, task: str) -> tuple[Path, ...]:
        return (self._texts.sources["twitter"],) if task == "tweets" else self._texts.train[task]

    def _learned(self, task: str, recipe: RetrieverRecipe) -> tuple[ChannelMemory, SentenceEncoder | None]:
        """Return the memory of a task and, where the recipe asks for it, its encoder; indexed once for all rows."""
        if (task, recipe.channels) not in self._memories:
            talks = require_dialogues(ConversationTask().load_training(self._files(task)))
            places = files_of(talks) if recipe.channels else [range(len(talks))]
            channels = [[talks[place].turns for place in several] for several in places]
            self._memories[task, recipe.channels] = ChannelMemory.of(channels)
        memory = self._memories[task, recipe.channels]
        if not recipe.memory:
            return memory, None
        self._encoder = self._encoder or EncoderChoice(recipe.encoder).load()
        if not any(index.sentences is not None for index in memory.indexes):
            memory = memory.encoded(self._encoder, recipe.encoded)
            self._memories[task, recipe.channels] = memory
        return memory, self._encoder

    def _scored(self, row: Row, name: str, path: Path) -> Result:
        kept = path.with_suffix(".report")
        if not kept.is_file():
            options = {"vectors": str(self._texts.vectors), "relevance": str(self._texts.judge), "meteor": ""}
            how = Scoring(variant="strict", options=options)
            save_report(evaluate.score(ConversationTask(), [self._texts.evaluation[name]], path, how), kept)
        replies = path.read_text("utf-8").split("\n")[: len(self._examples[name])]
        kind = "system" if row.recipe else "floor"
        return Result(row.name, kind, row.task, name, read_report(kept), replies, {}, "", ())


def _key(row: Row, seed: int) -> str:
    made = repr((row.name if row.recipe is None else row.recipe, row.task, seed))
    return hashlib.sha256(made.encode()).hexdigest()[:12]


def main() -> None:
    """Read the arguments, make what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the visible conversation data")
    parser.add_argument("--work", type=Path, default=Path("workspace/conversation"))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--tasks", nargs="+", choices=_TASKS, default=_TASKS)
    parser.add_argument("--samples", type=int, default=400, help="evaluation samples of sgd")
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args()
    texts = make_texts(options.data, options.work, options.samples)
    work = options.work / "retriever"
    work.mkdir(parents=True, exist_ok=True)
    bench = Bench(texts, work, 1, options.sets)
    found = [one for row in rows() if row.task in ("", *options.tasks) for one in bench.results(row)]
    write_text(options.out, comparison(texts, found, _head(options.sets, options.tasks), PAIRS))
    print(f"{options.out} is written")


def _head(sets: Sequence[str], tasks: Sequence[str]) -> str:
    chosen = "" if (*sets, *tasks) == (*SETS, *_TASKS) else f" --sets {' '.join(sets)} --tasks {' '.join(tasks)}"
    return _HEAD.replace("FOLDER", f"FOLDER{chosen}", 1)


_HEAD = """# The retriever's memory

Made by `python benchmarks/conversation_retriever.py --data FOLDER`: the texts, floors and scores of
[CONVERSATION.md](CONVERSATION.md), where they are explained. `tweets`
is training on the 521 company tweets alone, the memory of the channel in which a tweet is looked up; task A is training
on the given dialogues, task B with external ones as well.

* `retriever`: each training file is a channel; a history is answered from the channel that it is most like. With
  `one memory` (`channels=false`) all training replies are in one index.
* `retriever, care` (`--recipe retriever-care`): the universal sentence encoder has read each channel of
  up to 5,000 replies; all its contexts are compared, and more candidates agree on the reply. `without encoder` has the
  number of candidates and their temperature alone.
* `no consensus` (`candidates=1`) says the reply of the best talk; `words alone` (`kind=0`, `likeness=0`, `meaning=0`)
  has neither marks of the kind of talk nor word vectors.

The settings of `retriever-care` were chosen in five folds of the 521 training tweets (dialogues whole) before any reply
of this page was made. The others are older: see the notes there.
"""


if __name__ == "__main__":
    main()
