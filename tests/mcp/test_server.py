"""The server over real standard input and output, asked by the official client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command import DUOLOGUE

mcp = pytest.importorskip("mcp", reason="the protocol's library is optional")

GOLDEN = Path(__file__).resolve().parents[1] / "golden/restaurant"


async def asked(folder: Path) -> dict[str, Any]:
    """Return what a client is told: the tools, and what comes of some calls."""
    started = mcp.StdioServerParameters(command=str(DUOLOGUE), args=["mcp"], cwd=folder)
    async with mcp.Client(started, read_timeout_seconds=60) as client:
        tools = await client.list_tools()
        calls = {
            "files": ("list_files", {"pattern": "*.json"}),
            "shown": ("show", {"task": "restaurant", "file": "data.json", "lines": 5}),
            "outside": ("show", {"task": "restaurant", "file": "../data.json"}),
            "unknown": ("score", {"task": "restaurnt", "result": "data.json", "gold": ["data.json"]}),
            "refused": ("check", {"task": "restaurant", "result": "data.json"}),
            "misspelled": ("check", {"task": "restaurant", "result": "data.json", "input": "data.json"}),
        }
        found = {name: await client.call_tool(tool, given) for name, (tool, given) in calls.items()}
    return {"tools": tools.tools, **found}


def test_the_official_client_lists_and_calls_the_tools(tmp_path: Path) -> None:
    import anyio

    folder = tmp_path / "folder"
    folder.mkdir()
    for place in (folder / "data.json", tmp_path / "data.json"):
        place.write_bytes((GOLDEN / "small-data.json").read_bytes())
    found = anyio.run(asked, folder)
    assert [tool.name for tool in found["tools"]] == [
        "list_tasks", "list_files", "check", "score", "compare", "show",
    ]  # fmt: skip
    assert all(tool.annotations.read_only_hint and tool.description for tool in found["tools"])
    assert found["files"].structured_content == {"files": ["data.json"], "total": 1}
    assert found["shown"].structured_content["text"].count("\n") == 5
    assert all(tool.input_schema["additionalProperties"] is False for tool in found["tools"])
    for name, told in (("outside", "lies outside"), ("unknown", "did you mean 'restaurant'"), ("misspelled", "input")):
        assert found[name].is_error
        text = json.dumps([one.model_dump() for one in found[name].content])
        assert told in text
        assert str(tmp_path) not in text
    assert found["refused"].structured_content["accepted"] is False
