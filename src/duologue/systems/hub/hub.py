"""System `hub`: a pre-trained language model of the Hugging Face hub or of a folder, as it is or fine-tuned.

A sample becomes one text (a linearization); the model goes on with it, or scores the candidates by their likelihood.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.disk import copy_file, guarded
from duologue.core.errors import StorageError, UsageError
from duologue.core.held_out import draw_order, split_by_group
from duologue.core.plugins import CARD, load_fitting_system, load_system, load_task, scope_of
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope
from duologue.models.pretrained.source import find_model, shown_name
from duologue.models.trained_system import TrainedSystem, read_json, write_json
from duologue.prompts.linearization import linearization_of
from duologue.prompts.prompt import RANKING
from duologue.systems.hub.recipe import PATIENCE, HubRecipe
from duologue.systems.hub.writer import PartWriter, source_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.core.protocols import Run, System, TaskInfo, World
    from duologue.core.records import Example, Sample
    from duologue.models.pretrained.language_model import LanguageModel
    from duologue.prompts.linearization import Linearization

WEIGHTS, ADAPTER, FACTS, CARD_FILE = "weights", "adapter", "facts", "hub.json"
"""Folders and file of a fine-tuned model: weights with tokenizer, adapters, the system that chooses facts, the card."""


class HubCard(Record, frozen=True, kw_only=True):
    """What is kept beside the weights of a fine-tuned model."""

    base: str
    """Name of the model that was fine-tuned, and the beginning of the hash of its files."""
    seen: str


class HubModel(NamedTuple):
    """A model at hand, and the system that chooses the facts where one does."""

    model: LanguageModel
    base: str
    facts: System | None = None
    adapter: Any = None


class HubSystem(TrainedSystem[HubRecipe, HubModel]):
    """Answer with a pre-trained language model (--set model=FOLDER or a name of the hub), as it is or fine-tuned."""

    Recipe: type[Record] = HubRecipe
    scope = Scope()
    extras: tuple[str, ...] = ("hub",)
    by_hand = carried = ("model", "revision", "facts_from")
    patience = PATIENCE
    name, training_files = "hub", "FILE"
    Card, card_file = HubCard, CARD_FILE

    def __init__(self, recipe: HubRecipe) -> None:
        super().__init__(recipe)
        self.seen = recipe.seen
        self.external = _external(shown_name(recipe.model))
        self.chunk = recipe.answer_batch
        self.prompt_mark = ""
        """What decides the texts and who goes on with them; after `prepare`."""
        self._form: Linearization | None = None
        self._at_hand: HubModel | None = None

    def demand_learned(self) -> None:
        """Do nothing: a model answers as it is, too."""

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Load the model, unless it was trained or loaded before.

        Raises as `find_model` and `LanguageModel.load`, and `UsageError` where the recipe asks for a GPU that is not
        there; what was trained on one answers on the CPU then.
        """
        from duologue.models.devices import demand_devices  # needs torch

        super().prepare(info, seed, worlds)
        form = self._linearization(info)
        if self._learned is None:
            demand_devices(self.recipe.device, 1)
        if self._learned is None and form.marks:
            raise UsageError(
                f"linearization={self.recipe.linearization}: its marks are unknown to a model that was not trained "
                f"with them; train it (duologue train {info.name} --system hub ...)"
            )
        if self._at_hand is None or self._learned is not None:
            self._at_hand = self._learned or self._untrained(info)
        if self._at_hand.facts is not None:
            _demand_chooser(self._at_hand.facts, info)
            self._at_hand.facts.prepare(info, seed, worlds)
        form.prepare(worlds, _chat_of(self._at_hand.model))
        self._at_hand.model.place(self.recipe.device)
        self._form = form
        self.prompt_mark = f"{form.mark}; {self._at_hand.base}"

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return an answer to each sample. Raises `UsageError` before `prepare`."""
        found = {place: answer for place, answer, _ in self.answer_each(samples)}
        return [found[place] for place in range(len(samples))]

    def answer_each(self, samples: Sequence[Sample]) -> Iterator[tuple[int, Answer, dict[str, Any]]]:
        """Yield the place of each sample, its answer, and what of the model's text could not be read."""
        form, at_hand = self._form, self._at_hand
        if form is None or at_hand is None:
            raise UsageError("the model does not know its task yet; call prepare first")
        writer = PartWriter(at_hand.model, form, self.recipe, self._seed, trained=self._learned is not None)
        if RANKING in form.info.answers.split("+"):
            for place, sample in enumerate(samples):
                ranking = writer.ranking(sample)
                yield place, Answer(ranking=ranking), {"cut": len(writer.cut)}
            return
        size = 1 if self.recipe.search == "sample" else self.recipe.answer_batch
        for start in range(0, len(samples), size):
            some = samples[start : start + size]
            chosen = [None] * len(some) if at_hand.facts is None else at_hand.facts.answer(some)
            for at, reading in enumerate(writer.readings(some, chosen)):
                unread, cut = int(reading.answer is None), int(at in writer.cut)
                account = {"unparsable": unread, "dropped": reading.dropped, "cut": cut}
                yield start + at, reading.answer or form.prompt.empty(some[at]), account

    def usage(self, accounts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return what of all questions and answers could not be read, from their accounts, as a TOML table."""
        return {name: sum(one.get(name, 0) for one in accounts) for name in ("unparsable", "dropped", "cut")}

    def usage_lines(self, usage: dict[str, Any], answers: int) -> list[str]:
        """Return the same in words."""
        dropped = f"{usage['dropped']:,} parts left out that name nothing which was offered"
        found = [f"not as asked: {usage['unparsable']:,} of {answers:,} answers count as empty, {dropped}"]
        if cut := usage.get("cut", 0):
            bounds = f"source_tokens={self.recipe.source_tokens}, or the places of the model"
            found.append(f"too long: {cut:,} of {answers:,} questions, whose beginning was not read ({bounds})")
        return found

    def save(self, folder: Path) -> None:
        """Write weights and tokenizer, adapters, the system that chooses facts, and the card; all of it or nothing."""
        learned = self._trained()
        _remove_parts(folder)  # of a save that was stopped
        try:
            learned.model.save(folder / WEIGHTS)
            if learned.adapter is not None:
                learned.adapter.save(folder / ADAPTER)
            if learned.facts is not None:
                left = shutil.ignore_patterns("checkpoint.pt", "training.*", ".*")
                with guarded("write", folder / FACTS):
                    shutil.copytree(self.recipe.facts_from, folder / FACTS, ignore=left, copy_function=copy_file)
            write_json(HubCard(base=learned.base, seen=self.seen), folder / CARD_FILE)
        except BaseException:
            _remove_parts(folder)
            raise

    def load(self, folder: Path) -> None:
        """Load what `save` wrote; the model that was fine-tuned is not needed any more.

        Raises `StorageError` when a file is missing or damaged.
        """
        from duologue.models.pretrained.language_model import LanguageModel  # needs transformers

        card = read_json(folder / CARD_FILE, HubCard)
        if not (folder / WEIGHTS).is_dir():
            raise StorageError(f"{folder}: the weights are missing; copy it again, or train it again")
        chooser = load_system(folder / FACTS) if (folder / FACTS / CARD).is_file() else None
        dtype = self.recipe.dtype if self.recipe.tuning == "lora" else "float32"
        self._learned = HubModel(LanguageModel.load(folder / WEIGHTS, dtype=dtype), card.base, chooser)
        self.seen, self.external = card.seen, _external(card.base.rpartition(" ")[0])
        self.extras = tuple(dict.fromkeys((*self.extras, *getattr(chooser, "extras", ()))))

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[HubModel, str]:
        from duologue.models.pretrained.fine_tuner import fine_tune  # these need torch and transformers
        from duologue.models.pretrained.options import LoraOptions
        from duologue.models.train import TrainConfig

        recipe = self.recipe
        if recipe.tuning == "none":
            raise UsageError("with tuning=none nothing is trained; give --set tuning=lora or --set tuning=full")
        if not run.identity.task:
            raise UsageError("the task is not known: a run of 'hub' needs it in its identity")
        info = load_task(run.identity.task).info
        form = self._linearization(info)
        if form.marks and recipe.tuning == "lora":
            raise UsageError(
                f"linearization={recipe.linearization} has marks, whose vectors adapters do not train; give "
                f"--set tuning=full"
            )
        at_hand = self._untrained(info)
        model = at_hand.model
        model.learn_marks(form.marks, run.seed)
        form.prepare(run.worlds, _chat_of(model))
        if not held_out:
            names = draw_order((one.sample.dialogue_id for one in examples), run.seed)
            apart = set(names[: max(1, round(recipe.held_out * len(names)))])
            examples, held_out = split_by_group(examples, lambda one: one.sample.dialogue_id, apart)
        rows, tests = (_tokens(model, form, recipe, part) for part in (examples, held_out))
        if not rows or not tests:
            raise UsageError(
                f"fine-tuning needs examples with answers, of two dialogues at least; found {len(rows)} to learn from "
                f"and {len(tests)} to choose by"
            )
        identity = msgspec.structs.replace(run.identity, weights=at_hand.base)
        adapter = fine_tune(
            model,
            rows,
            tests,
            TrainConfig.of(recipe, choose="loss"),
            msgspec.structs.replace(run, identity=identity),
            learn_source=recipe.learn_source,
            lora=LoraOptions.of(recipe) if recipe.tuning == "lora" else None,
        )
        dialogues = len({one.sample.dialogue_id for one in examples})
        seen = f"{recipe.seen}; then {len(rows):,} replies of {dialogues:,} training dialogues ({recipe.tuning})"
        return at_hand._replace(adapter=adapter), seen

    def _linearization(self, info: TaskInfo) -> Linearization:
        """Return the form of the texts. Raises `UsageError` where it and `facts_from` do not fit."""
        recipe = self.recipe
        form = linearization_of(recipe.linearization, info, turns=recipe.turns, facts=recipe.facts)
        if form.given_facts and not recipe.facts_from:
            raise UsageError(
                f"linearization={recipe.linearization}: the model writes the text alone, and another system chooses "
                f"the facts; name the folder of a trained one: --set facts_from=FOLDER"
            )
        if recipe.facts_from and not form.given_facts:
            raise UsageError(
                f"--set facts_from={recipe.facts_from}: with linearization={recipe.linearization} the model chooses "
                f"the facts itself; leave it out"
            )
        return form

    def _untrained(self, info: TaskInfo) -> HubModel:
        """Return the model as it is, and the system that chooses facts from the user's own folder."""
        from duologue.models.pretrained.language_model import LanguageModel  # these need transformers

        recipe = self.recipe
        source = find_model(recipe.model, recipe.revision)
        chooser = load_fitting_system(Path(recipe.facts_from), info) if recipe.facts_from else None
        return HubModel(LanguageModel.load(source.folder, dtype=recipe.dtype), source.mark, chooser)


def _external(name: str) -> tuple[str, ...]:
    return (f"{name} (a model trained elsewhere)",)


def _remove_parts(folder: Path) -> None:
    for part in (WEIGHTS, ADAPTER, FACTS):
        shutil.rmtree(folder / part, ignore_errors=True)


def _demand_chooser(chooser: System, info: TaskInfo) -> None:
    """Raise `UsageError` where the system in a model's folder cannot choose the facts of a task: it may be foreign."""
    why = scope_of(chooser).refusal(info)
    if why:
        raise UsageError(
            f"the system in the model's folder '{FACTS}', which chooses the facts, does not serve task "
            f"'{info.name}': {why}; train the model again with --set facts_from=FOLDER of one that does"
        )


def _chat_of(model: LanguageModel) -> Any:
    """Return how the model wants a chat to be written; `None` where it does not say."""
    return (lambda messages: model.chat([one._asdict() for one in messages])) if model.chat_form else None


def _tokens(
    model: LanguageModel, form: Linearization, recipe: HubRecipe, examples: Sequence[Example]
) -> list[tuple[list[int], list[int]]]:
    """Return the tokens of source and target of each example that has an answer."""
    found = []
    for pair in form.pairs(examples):
        target = model.target_tokens(model.plain(pair.target, form.marks), recipe.target_tokens)
        source = source_words(model, form, pair.source)
        found.append((model.source_tokens(source, recipe.source_tokens, room=len(target)), target))
    return found
