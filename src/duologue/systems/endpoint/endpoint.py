"""System `endpoint`: a chat model behind any OpenAI-compatible server, asked with the prompts of the task.

The same model may play the user of a conversation; calls, caps and accounts are those of the system then, too.

What a sample does not hold, a model is not told. What it says is read as the task's answer; what cannot be read is
counted and becomes the task's empty answer.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from duologue.core.disk import Source
from duologue.core.errors import BotError, UsageError
from duologue.core.lines import sha256
from duologue.core.records import Answer, Record
from duologue.core.rng import Rng
from duologue.core.scope import Scope
from duologue.endpoints.account import Account, summary_lines
from duologue.endpoints.caller import ChatCaller, CompletionRequest
from duologue.endpoints.settings import BY_HAND, PATIENCE
from duologue.endpoints.workers import as_made
from duologue.prompts.prompt import RANKING, prompt_of
from duologue.prompts.user_prompt import UserPrompt, user_prompt_of
from duologue.systems.endpoint import rankings
from duologue.systems.endpoint.recipe import EndpointRecipe
from duologue.systems.endpoint.shots import ShotPool

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duologue.core.protocols import System, TaskInfo, World
    from duologue.core.records import Sample
    from duologue.endpoints.completion import ChatCompletion
    from duologue.prompts.prompt import Asked, Prompt

_HASH_SHOWN = 8
_SEEDS = 1 << 31
"""Servers take seeds of 32 bits with a sign."""


class EndpointSystem:
    """Ask a chat model behind an OpenAI-compatible server (--set url=... --set model=...)."""

    Recipe: type[Record] = EndpointRecipe
    scope = Scope()
    extras = ("endpoint",)
    by_hand = (*BY_HAND, "examples")
    patience = PATIENCE

    def __init__(self, recipe: EndpointRecipe) -> None:
        """Read the key from the environment. Raises `UsageError` for an address or a key that can be none."""
        self.recipe = recipe
        shown = f"; {recipe.shots} examples of {Path(recipe.examples).name} in each prompt" if recipe.shots else ""
        self.seen = recipe.seen + shown
        self.external = (f"{recipe.model} (a model trained elsewhere)",)
        self.chunk = recipe.workers
        """Where answers are kept in batches: no more are lost than calls are made at the same time."""
        self.reads = (Path(recipe.examples),) if recipe.examples else ()
        """Files that it learns from; none may be the one that is answered."""
        self.prompt_mark = ""
        """Task, language, version and hash of the prompt, and the hash of the examples' file; after `prepare`."""
        self.accounts: list[dict[str, Any]] = []
        """An account of each answer so far that `answer` gave."""
        self._caller = ChatCaller(recipe)
        self._prompt: Prompt | None = None
        self._shots: ShotPool | None = None
        self._seed = 0

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Take prompt and examples; nothing is asked yet. Raises as `prompt_of` and the task's reader do."""
        recipe = self.recipe
        self._seed = seed
        self._prompt = self._prompt_for(info)
        self._prompt.prepare(worlds)
        self.prompt_mark = self._prompt.mark
        if recipe.examples:
            from duologue.core.plugins import load_task

            path = Path(recipe.examples)
            known = load_task(info.name).load_training([path])
            if len(worlds) == 1:
                (world,) = worlds
                known = [
                    msgspec.structs.replace(one, sample=msgspec.structs.replace(one.sample, world=world))
                    for one in known
                ]
            self._shots = ShotPool(known, self._prompt, size=recipe.pool, seed=seed)
            self.prompt_mark += f", examples {sha256(Source(path))[:_HASH_SHOWN]}"

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return an answer to each sample.

        Raises `BotError` for an endpoint that is down, refuses, or has come to a cap.
        """
        found: dict[int, Answer] = {}
        for place, answer, account in self.answer_each(samples):
            found[place] = answer
            self.accounts.append(account)
        return [found[place] for place in range(len(samples))]

    def answer_each(self, samples: Sequence[Sample]) -> Iterator[tuple[int, Answer, dict[str, Any]]]:
        """Yield the place of each sample, its answer and what that took, as soon as it is there; raises as `answer`."""
        prompt = self._ready()
        self._caller.reopen()
        for place, (answer, account) in as_made(
            samples, lambda sample: self._answered(prompt, sample), self.recipe.workers, self._caller.stop
        ):
            yield place, answer, account.table()

    def usage(self, accounts: Iterable[dict[str, Any]]) -> dict[str, Any]:
        """Return what answers took in all, from their accounts, as a TOML table."""
        return Account.total(accounts).summary(self._caller.caps)

    def usage_lines(self, usage: dict[str, Any], answers: int) -> list[str]:
        """Return the same in words."""
        return summary_lines(usage, answers)

    def forecast(self, samples: Sequence[Sample]) -> dict[str, float]:
        """Return what answering would take: calls, those kept from before, tokens of prompts, of answers at most, cost.

        Nothing is asked. Of a tournament only the first round is known, so none of its calls counts as kept.
        """
        prompt, found, asked = self._ready(), Counter(self._caller.forecast([])), set[str]()
        for sample in samples:
            requests, times = self._planned(prompt, sample)
            found.update(self._caller.forecast(requests, times=times, asked=asked))
        return dict(found)

    def as_user(self) -> System:
        """Return the same model as a simulated user. Raises `UsageError` for a recipe that a user cannot have."""
        return EndpointUser(self.recipe)

    def _prompt_for(self, info: TaskInfo) -> Prompt:
        return prompt_of(info, self.recipe.language, turns=self.recipe.turns, facts=self.recipe.facts)

    def _ready(self) -> Prompt:
        if self._prompt is None:
            raise UsageError("the endpoint does not know its task yet; call prepare first")
        return self._prompt

    def _answered(self, prompt: Prompt, sample: Sample) -> tuple[Answer, Account]:
        account = Account()
        if RANKING in prompt.info.answers.split("+"):
            return Answer(ranking=self._ranking(prompt, sample, account)), account
        completion = self._ask(prompt, sample, "answer", account)
        reading = None if completion.refusal else prompt.read(completion.text, sample)
        if reading is None or reading.answer is None:
            account.note(unparsable=1)
            return prompt.empty(sample), account
        account.note(dropped=reading.dropped)
        return reading.answer, account

    def _ranking(self, prompt: Prompt, sample: Sample, account: Account) -> tuple[str, ...]:
        if len(sample.candidates) < 2:
            return tuple(one.id for one in sample.candidates)

        def ask(shown: Sample, asked: str, account: Account) -> ChatCompletion:
            return self._ask(prompt, shown, cast("Asked", asked), account)

        def draw(shown: Sample, number: int, account: Account) -> ChatCompletion:
            return self._caller.ask(self._request(prompt, shown, "best", draw=number), account)

        recipe, seed = self.recipe, self._seed
        if recipe.ranking == "sampled":
            return rankings.by_samples(draw, prompt, sample, recipe.orders, recipe.draws, seed, account)
        if recipe.ranking == "pairwise":
            return rankings.pairwise(ask, prompt, sample, seed, account)
        if recipe.ranking == "logprobs":
            return rankings.by_logprobs(ask, sample, recipe.orders, seed, account)
        return rankings.listwise(ask, prompt, sample, recipe.orders, seed, account)

    def _ask(self, prompt: Prompt, sample: Sample, asked: Asked, account: Account) -> ChatCompletion:
        return self._caller.ask(self._request(prompt, sample, asked), account)

    def _planned(self, prompt: Prompt, sample: Sample) -> tuple[list[CompletionRequest], int]:
        """Return the requests for a sample that are known beforehand, and how many calls each of them stands for."""
        if RANKING not in prompt.info.answers.split("+"):
            return [self._request(prompt, sample, "answer")], 1
        size = len(sample.candidates)
        if size < 2:
            return [], 1
        if self.recipe.ranking == "pairwise":
            pair = msgspec.structs.replace(sample, candidates=sample.candidates[:2])
            return [self._request(prompt, pair, "best")], 2 * (size - 1)
        found = []
        found_orders = rankings.orders(sample, self.recipe.orders, self._seed)
        for places, numbers in zip(found_orders, rankings.draws_of(found_orders, self.recipe.draws), strict=True):
            shown = msgspec.structs.replace(sample, candidates=tuple(sample.candidates[place] for place in places))
            if self.recipe.ranking == "sampled":
                found += [self._request(prompt, shown, "best", draw=number) for number in numbers]
            else:
                found.append(self._request(prompt, shown, "best" if self.recipe.ranking == "logprobs" else "rank"))
        return found, 1

    def _request(self, prompt: Prompt, sample: Sample, asked: Asked, *, draw: int | None = None) -> CompletionRequest:
        recipe = self.recipe
        shots = []
        if self._shots is not None:
            pair = recipe.ranking == "pairwise" and asked == "best"
            shots = self._shots.choose(sample, recipe.shots, recipe.choose, asked, pair=pair)
        one_token = asked == "best" and recipe.ranking == "logprobs" and prompt.info.answers == RANKING
        messages = prompt.messages(sample, asked, shots)
        schema = prompt.schema(sample, asked)
        if draw is None:
            return CompletionRequest(messages, self._seed, schema, one_token)
        return CompletionRequest(messages, Rng(self._seed, "draw", draw).below(_SEEDS), schema, temperature=1.0)


class EndpointUser(EndpointSystem):
    """Play the user of a conversation: a model is told its goal card, where the task has one, and what was said."""

    def __init__(self, recipe: EndpointRecipe) -> None:
        """Take a recipe. Raises `UsageError` for one with examples: these are of the system's side."""
        if recipe.shots:
            raise UsageError("shots: examples are those of the system's side, and a user takes none; leave them out")
        super().__init__(recipe)

    def answer_each(self, samples: Sequence[Sample]) -> Iterator[tuple[int, Answer, dict[str, Any]]]:
        """Do what the system does; what its errors say to set is set with `--user-set` here."""
        try:
            yield from super().answer_each(samples)
        except BotError as error:
            raise type(error)(str(error).replace("--set ", "--user-set ")) from error

    def _prompt_for(self, info: TaskInfo) -> Prompt:
        return user_prompt_of(info, self.recipe.language, turns=self.recipe.turns)

    def _answered(self, prompt: Prompt, sample: Sample) -> tuple[Answer, Account]:
        settled = prompt.settled(sample) if isinstance(prompt, UserPrompt) else None
        return super()._answered(prompt, sample) if settled is None else (settled, Account())

    def _planned(self, prompt: Prompt, sample: Sample) -> tuple[list[CompletionRequest], int]:
        if isinstance(prompt, UserPrompt) and prompt.settled(sample) is not None:
            return [], 1
        return super()._planned(prompt, sample)
