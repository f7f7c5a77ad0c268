"""One system of each task behind `duologue serve`, as the official client of the OpenAI API finds it."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import openai
import pytest

from duologue.core.records import Answer
from duologue.web.access import AccessTokens
from duologue.web.application import application
from duologue.web.served import prepared
from duologue.web.server import Server
from tests.contract.test_systems import _trained, some_samples, task_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.records import Sample
    from tests.contract.conftest import Tiny

TOKEN = "0123456789abcdef"
PARALLEL = 64
SYSTEMS = ("solver", "rule-agent", "retriever", "matcher", "grounded", "extractor-pipeline")
"""A system of each task."""
QUICK = ("solver", "rule-agent")
"""Those that learn nothing."""


class Endpoint(NamedTuple):
    """A served system."""

    base_url: str
    model: str
    samples: list[Sample]
    answers: list[Answer]
    """What the system answers to the samples when it is asked directly."""
    language: str

    def client(self, key: str = TOKEN) -> openai.OpenAI:
        return openai.OpenAI(base_url=self.base_url, api_key=key, max_retries=0, timeout=60)

    def waiting_client(self) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(base_url=self.base_url, api_key=TOKEN, max_retries=0, timeout=60)

    def exact(self, number: int) -> dict[str, Any]:
        """The request for a sample as it stands."""
        about = msgspec.to_builtins(self.samples[number % len(self.samples)])
        return {"model": self.model, "messages": [{"role": "system", "content": json.dumps(about)}]}

    def typed(self) -> dict[str, Any]:
        """The request for a sample as people see it: the dialogue in messages."""
        sample = max(self.samples, key=lambda one: sum(turn.speaker == "user" for turn in one.history))
        about = {
            name: value
            for name, value in msgspec.to_builtins(sample).items()
            if value and name in {"goal", "knowledge", "candidates"}
        }
        roles = {"user": "user", "system": "assistant", "api": "tool"}
        messages = [{"role": roles[turn.speaker], "content": turn.text} for turn in sample.history]
        return {"model": self.model, "messages": messages, "extra_body": {"metadata": about}}


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in SYSTEMS],
)
def endpoint(
    request: pytest.FixtureRequest, tiny: Tiny, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Endpoint]:
    name = request.param
    data = tiny(task_of(name))
    system = _trained(name, data, tmp_path_factory.mktemp(name))
    samples = some_samples(data)
    world = next(iter(data.worlds.values()), None)
    system.prepare(data.task.info, 1, data.worlds)
    answers = system.answer(samples)
    served = prepared(f"{data.task.info.name}/{name}", data.task, system, world, seed=1)
    server = Server(application([served], tokens=AccessTokens([TOKEN])))
    thread = threading.Thread(target=server.run)
    thread.start()
    yield Endpoint(f"{server.address}/v1", served.name, samples, answers, data.task.info.language)
    server.shutdown()
    thread.join(20)
    assert not thread.is_alive()


def answer_in(completion: Any) -> Answer:
    return msgspec.convert(completion.model_extra["duologue"]["answer"], Answer)


def test_the_system_is_listed(endpoint: Endpoint) -> None:
    with endpoint.client() as client:
        assert [one.id for one in client.models.list()] == [endpoint.model]
        assert client.models.retrieve(endpoint.model).owned_by == "duologue"


def test_64_at_once_get_what_the_system_answers_directly(endpoint: Endpoint) -> None:
    async def ask() -> list[Answer]:
        async with endpoint.waiting_client() as client:
            asked = [client.chat.completions.create(**endpoint.exact(number)) for number in range(PARALLEL)]
            return [answer_in(one) for one in await asyncio.gather(*asked)]

    expected = [endpoint.answers[number % len(endpoint.answers)] for number in range(PARALLEL)]
    assert asyncio.run(ask()) == expected


def test_a_typed_dialogue_is_answered_with_a_message_and_its_usage(endpoint: Endpoint) -> None:
    with endpoint.client() as client:
        found = client.chat.completions.create(**endpoint.typed())
        again = client.chat.completions.create(**endpoint.typed())
    (choice,) = found.choices
    assert (choice.finish_reason, choice.message.role) == ("stop", "assistant")
    assert choice.message.content
    assert choice.message.content == again.choices[0].message.content
    pieces = choice.message.content if endpoint.language == "zh" else choice.message.content.split()
    assert found.usage.completion_tokens == sum(not piece.isspace() for piece in pieces)
    assert found.usage.total_tokens == found.usage.prompt_tokens + found.usage.completion_tokens
    assert found.usage.prompt_tokens > 0


def test_a_stream_is_the_same_message_in_pieces(endpoint: Endpoint) -> None:
    with endpoint.client() as client:
        whole = client.chat.completions.create(**endpoint.typed())
        with client.chat.completions.create(
            **endpoint.typed(), stream=True, stream_options={"include_usage": True}
        ) as stream:
            chunks = list(stream)
        bare = list(client.chat.completions.create(**endpoint.typed(), stream=True))
    assert chunks[-1].usage == whole.usage
    assert all(chunk.usage is None for chunk in [*chunks[:-1], *bare])
    for found in (chunks[:-1], bare):
        text = "".join(chunk.choices[0].delta.content or "" for chunk in found)
        assert text == whole.choices[0].message.content
        assert [chunk.choices[0].finish_reason for chunk in found if chunk.choices[0].finish_reason] == ["stop"]
    assert len({chunk.id for chunk in chunks}) == 1


def test_a_text_is_cut_where_it_is_asked(endpoint: Endpoint) -> None:
    with endpoint.client() as client:
        short = client.chat.completions.create(**endpoint.typed(), max_tokens=1)
        whole = client.chat.completions.create(**endpoint.typed()).choices[0].message.content
        stopped = client.chat.completions.create(**endpoint.typed(), stop=[whole[1]])
    assert (short.choices[0].finish_reason, short.usage.completion_tokens) == ("length", 1)
    assert whole.startswith(short.choices[0].message.content)
    assert stopped.choices[0].message.content == whole[: whole.index(whole[1])]


def test_errors_are_those_of_the_api(endpoint: Endpoint) -> None:
    with endpoint.client() as client:
        with pytest.raises(openai.NotFoundError) as missing:
            client.chat.completions.create(**{**endpoint.typed(), "model": "gpt"})
        assert missing.value.code == "model_not_found"
        with pytest.raises(openai.BadRequestError) as bad:
            client.chat.completions.create(**endpoint.typed(), n=101)
        assert bad.value.param == "n"
        with pytest.raises(openai.BadRequestError):
            client.chat.completions.create(model=endpoint.model, messages=[{"role": "nobody", "content": "x"}])
    with endpoint.client("wrong") as client, pytest.raises(openai.AuthenticationError) as refused:
        client.models.list()
    assert refused.value.code == "invalid_api_key"


def test_whoever_leaves_in_the_middle_harms_nobody(endpoint: Endpoint) -> None:
    async def leave() -> None:
        async with endpoint.waiting_client() as client:
            asked = [asyncio.ensure_future(client.chat.completions.create(**endpoint.exact(n))) for n in range(16)]
            await asyncio.sleep(0.01)
            for one in asked:
                one.cancel()
            await asyncio.gather(*asked, return_exceptions=True)

    with endpoint.client() as client:
        with client.chat.completions.create(**endpoint.typed(), stream=True) as stream:
            next(iter(stream))
        asyncio.run(leave())
        assert answer_in(client.chat.completions.create(**endpoint.exact(0))) == endpoint.answers[0]
