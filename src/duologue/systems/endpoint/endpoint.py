"""System `endpoint`: a chat model behind any OpenAI-compatible server, asked with the prompts of the task.

What a sample does not hold, a model is not told. What it says is read as the task's answer; what cannot be read is
counted and becomes the task's empty answer.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from duologue.core.disk import Source
from duologue.core.errors import UsageError
from duologue.core.lines import sha256
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope
from duologue.prompts.prompt import RANKING, prompt_of
from duologue.systems.endpoint import rankings
from duologue.systems.endpoint.account import Account, summary_lines
from duologue.systems.endpoint.caps import SpendingCaps
from duologue.systems.endpoint.client import EndpointClient, FormRefusedError
from duologue.systems.endpoint.recipe import PATIENCE, EndpointRecipe
from duologue.systems.endpoint.secret import Secret
from duologue.systems.endpoint.shots import ShotPool
from duologue.systems.endpoint.store import CallStore
from duologue.systems.endpoint.workers import as_made

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Sample
    from duologue.prompts.prompt import Asked, Prompt
    from duologue.systems.endpoint.completion import ChatCompletion

_TOP_LOGPROBS = 20
"""As many as the interface allows."""
_HASH_SHOWN = 8


class EndpointSystem:
    """Ask a chat model behind an OpenAI-compatible server (--set url=... --set model=...)."""

    Recipe: type[Record] = EndpointRecipe
    scope = Scope()
    extras = ("endpoint",)
    by_hand = ("url", "examples", "cache")
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
        self._caps = SpendingCaps(recipe)
        self._client = EndpointClient(recipe, Secret.of_environment(), self._caps)
        self._store = CallStore(recipe.cache)
        self._forms: tuple[str, ...] = ("schema", "none") if recipe.structure == "auto" else (recipe.structure,)
        self._prompt: Prompt | None = None
        self._shots: ShotPool | None = None
        self._seed = 0

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Take prompt and examples; nothing is asked yet. Raises as `prompt_of` and the task's reader do."""
        recipe = self.recipe
        self._seed = seed
        self._prompt = prompt_of(info, recipe.language, turns=recipe.turns, facts=recipe.facts)
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
        self._client.reopen()
        for place, (answer, account) in as_made(
            samples, lambda sample: self._answered(prompt, sample), self.recipe.workers, self._client.stop
        ):
            yield place, answer, account.table()

    def usage(self, accounts: Iterable[dict[str, Any]]) -> dict[str, Any]:
        """Return what answers took in all, from their accounts, as a TOML table."""
        return Account.total(accounts).summary(self._caps)

    def usage_lines(self, usage: dict[str, Any], answers: int) -> list[str]:
        """Return the same in words."""
        return summary_lines(usage, answers)

    def forecast(self, samples: Sequence[Sample]) -> dict[str, float]:
        """Return what answering would take: calls, those kept from before, tokens of prompts, of answers at most, cost.

        Nothing is asked. Of a tournament only the first round is known, so none of its calls counts as kept.
        """
        prompt, found = self._ready(), dict.fromkeys(("calls", "kept", "prompt_tokens", "most_completion_tokens"), 0.0)
        for sample in samples:
            bodies, times = self._planned(prompt, sample)
            for body in bodies:
                kept = times == 1 and self._kept(body) is not None
                found["calls"] += times
                found["kept"] += kept
                if not kept:
                    found["prompt_tokens"] += times * self._caps.estimated(len(body[0]))
                    found["most_completion_tokens"] += times * self._limit("best" if self._one_token() else "answer")
        found["cost"] = self._caps.cost(found["prompt_tokens"], found["most_completion_tokens"])
        return found

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

        recipe, seed = self.recipe, self._seed
        if recipe.ranking == "pairwise":
            return rankings.pairwise(ask, prompt, sample, seed, account)
        if recipe.ranking == "logprobs":
            return rankings.by_logprobs(ask, sample, recipe.permutations, seed, account)
        return rankings.listwise(ask, prompt, sample, recipe.permutations, seed, account)

    def _ask(self, prompt: Prompt, sample: Sample, asked: Asked, account: Account) -> ChatCompletion:
        """Return what the model says, from before where it was asked the same; the call is put on the account."""
        bodies, one_token = self._bodies(prompt, sample, asked), asked == "best" and self._one_token()
        completion = self._kept(bodies)
        if completion is not None:
            account.called(completion, kept=True, one_token=one_token)
            return completion
        last = len(bodies) - 1
        for number, body in enumerate(bodies):
            try:
                completion = self._client.complete(body)
            except FormRefusedError:
                if number == last:
                    raise
                self._forms = self._forms[1:] or self._forms  # the server said so: no other call need try
                continue
            self._store.keep(self._client.url, body, completion)
            account.called(completion, kept=False, one_token=one_token)
            return completion
        raise AssertionError("the last form ends the loop")

    def _kept(self, bodies: Sequence[bytes]) -> ChatCompletion | None:
        return next(filter(None, (self._store.find(self._client.url, body) for body in bodies)), None)

    def _planned(self, prompt: Prompt, sample: Sample) -> tuple[list[list[bytes]], int]:
        """Return the requests for a sample that are known beforehand, and how many calls each of them stands for."""
        if RANKING not in prompt.info.answers.split("+"):
            return [self._bodies(prompt, sample, "answer")], 1
        size = len(sample.candidates)
        if size < 2:
            return [], 1
        if self.recipe.ranking == "pairwise":
            pair = msgspec.structs.replace(sample, candidates=sample.candidates[:2])
            return [self._bodies(prompt, pair, "best")], 2 * (size - 1)
        asked: Asked = "best" if self.recipe.ranking == "logprobs" else "rank"
        found = []
        for places in rankings.orders(sample, self.recipe.permutations, self._seed):
            shown = tuple(sample.candidates[place] for place in places)
            found.append(self._bodies(prompt, msgspec.structs.replace(sample, candidates=shown), asked))
        return found, 1

    def _bodies(self, prompt: Prompt, sample: Sample, asked: Asked) -> list[bytes]:
        """Return the request for a sample in each form that may be tried, the best first."""
        recipe = self.recipe
        shots = []
        if self._shots is not None:
            pair = recipe.ranking == "pairwise" and asked == "best"
            shots = self._shots.choose(sample, recipe.shots, recipe.choose, asked, pair=pair)
        request: dict[str, Any] = {
            "model": recipe.model,
            "messages": [one._asdict() for one in prompt.messages(sample, asked, shots)],
            "max_tokens": self._limit(asked),
            "temperature": recipe.temperature,
            "seed": self._seed,
        }
        if asked == "best" and self._one_token():
            request |= {"logprobs": True, "top_logprobs": _TOP_LOGPROBS}
        request = {key: value for key, value in {**request, **recipe.extra}.items() if key not in recipe.omit}
        schema = prompt.schema(sample, asked)
        forms = [_form(form, schema) for form in (self._forms if schema is not None else ("none",))]
        return [msgspec.json.encode({**request, **form}) for form in forms]

    def _one_token(self) -> bool:
        return self.recipe.ranking == "logprobs" and self._ready().info.answers == RANKING

    def _limit(self, asked: Asked) -> int:
        return 1 if asked == "best" and self._one_token() else self.recipe.reply_tokens


def _form(form: str, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    if form == "schema":
        named = {"name": "answer", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    return {"response_format": {"type": "json_object"}} if form == "object" else {}
