"""Whatever a chat endpoint does, each verb that asks one says so, keeps the key to itself and asks nothing twice."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests import endpoint_stub as stub
from tests.endpoint_stub import Stub
from tests.judges.judge_stub import by_length

if TYPE_CHECKING:
    from collections.abc import Callable

    Words = list[object]

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CONTEXTS = GOLDEN / "conversation/contract/evaluation.txt"
KEY = "sk-never-shown-123"
BOT = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "text": "你 看 过 电影 吗 ?"}), flush=True)
"""


def settings(url: str, folder: Path, option: str) -> Words:
    given = (f"url={url}", "model=m", f"cache={folder / 'calls'}", "wait=0.01", "timeout=0.5", "tries=3", "workers=2")
    return [word for one in given for word in (option, one)]


def simulated(task: str, url: str, folder: Path, *more: object) -> Words:
    asked = ["--user", "endpoint", *settings(url, folder, "--user-set"), "--n", 2, "--max-turns", 6]
    return [
        "simulate",
        task,
        *more,
        *asked,
        "--out",
        folder / "talks.json",
        "--force",
        "--report",
        folder / "report.json",
    ]


def bot(folder: Path) -> list[object]:
    program = folder / "bot.py"
    program.write_text(BOT, encoding="utf-8")
    return ["--system", "process", "--set", f"command={sys.executable} {program}"]


def replies(folder: Path) -> Path:
    file = folder / "replies.txt"
    file.write_text("thank you\n" * 12, encoding="utf-8")
    return file


VERBS: dict[str, Callable[[str, Path], Words]] = {
    "run": lambda url, folder: [
        *("run", "conversation", CONTEXTS, "--system", "endpoint", *settings(url, folder, "--set")),
        *("--out", folder / "out.txt"),
    ],
    "judge": lambda url, folder: [
        *("judge", "conversation", replies(folder), "--gold", CONTEXTS, "--n", 4, *settings(url, folder, "--set")),
        *("--out", folder / "judge.csv"),
    ],
    "restaurant": lambda url, folder: simulated("restaurant", url, folder, "--system", "solver"),
    "mobilecs": lambda url, folder: simulated(
        *("mobilecs/dialogue", url, folder, "--system", "rule-agent"),
        *("--goals", GOLDEN / "mobilecs/dialogue/contract/dialogues.json"),
    ),
    "proactive": lambda url, folder: simulated(
        "proactive", url, folder, *bot(folder), "--goals", GOLDEN / "proactive/contract/sessions.txt"
    ),
}
ANSWERED: dict[str, list[stub.Step]] = {
    "refusal": [stub.refuses],
    "no words": [stub.says("")],
    "another language": [stub.says("Je voudrais une table, s'il vous plaît. 🙂")],
    "thoughts": [stub.says("<think>hm</think> ```json\n{}\n```")],
    "unended thoughts": [stub.says("<think>hm")],
    "other form": [stub.says('[{"say": {"text": "hi"}}]')],
    "the other side": [stub.says('{"say": "hi\\nBot: hello\\n客服：您好\\n对方：好", "hang_up": "no"}')],
    "control characters": [stub.says('{"say": "a\\u0000b\\u001b[31m\\u2028\\ud800", "hang_up": false}')],
    "tool calls": [stub.says(None, tool_calls=[{"id": "1", "function": {"name": "x", "arguments": "{}"}}])],
    "thoughts apart": [stub.says(None, reasoning_content=f"the key is {KEY}")],
    "the key": [stub.echoes_key()],
    "the past": [stub.busy("Wed, 21 Oct 2015 07:28:00 GMT"), stub.busy("-5"), stub.answers],
    "500 once": [stub.broken, stub.answers],
    "a cut answer": [stub.cut, stub.answers],
    "a long prompt": [stub.sends(b'{"error": {"code": "context_length_exceeded"}}', 400), stub.answers],
    "a filtered prompt": [stub.sends(b'{"error": {"code": "content_filter"}}', 400), stub.answers],
    "another type": [stub.as_html],
    "old HTTP": [stub.without_length],
    "closed connections": [stub.closes],
}
REFUSED: dict[str, tuple[stub.Step, str]] = {
    "the key in a 401": (stub.echoes_key(401), "refuses with status 401: bad key [key] [key]; its key is taken from"),
    "the key in a head": (stub.echoes_key_in_head, "speaks no HTTP"),
    "far future": (stub.busy("Wed, 21 Oct 2999 07:28:00 GMT"), "asks to come back in"),
    "huge wait": (stub.busy("9" * 400), "answers with status 429: slow down (3 tries)"),
    "a page": (stub.not_json, "what is no chat completion: <html>gateway</html> (3 tries)"),
    "no choices": (stub.no_choices, "what is no chat completion"),
    "an error": (stub.sends(b'{"error": {"message": "no quota"}}'), "fails in its answer: no quota (3 tries)"),
    "no UTF-8": (stub.sends(b'{"choices": [{"message": {"content": "\xff"}}]}'), "what is no chat completion"),
    "packed": (stub.sends(b"", Content_Encoding="gzip"), "packs its answer (gzip)"),
    "elsewhere": (stub.sends(b"", 307, Location=f"http://x/{KEY}"), "sends elsewhere (307, to http://x/[key])"),
    "too long": (stub.sends(b" " * (5 << 20)), "sends more than 4 MB"),
    "slow": (stub.drip, "gave no answer in 0.5 s"),
}


def brain(asked: dict[str, Any]) -> str:
    return by_length(asked) if "[said " in asked["messages"][-1]["content"] else stub.plain_brain(asked)


def demand_counted(duologue: Any, verb: str, odd: str, folder: Path) -> None:
    """All is answered, what could not be read is counted, the key is nowhere, and a second run asks nothing."""
    with Stub(*ANSWERED[odd], brain=brain) as server:
        asked = VERBS[verb](server.url, folder)
        done = duologue(*asked, DUOLOGUE_ENDPOINT_KEY=KEY)
        assert (done.code, "not as asked: " in done.out) == (0, True), done.err
        calls = len(server.asked)
        again = duologue(*asked, DUOLOGUE_ENDPOINT_KEY=KEY)
        assert (again.code, len(server.asked)) == (0, calls), again.err
    demand_hidden(folder, done, again)


def demand_told(duologue: Any, verb: str, odd: str, folder: Path) -> None:
    """The run ends with a message and no result, and the same command goes on when the server is well again."""
    step, told = REFUSED[odd]
    with Stub(step, brain=brain) as server:
        asked = VERBS[verb](server.url, folder)
        stopped = duologue(*asked, DUOLOGUE_ENDPOINT_KEY=KEY)
        assert (stopped.code, told in stopped.err, "Traceback" in stopped.err) == (1, True, False), stopped.err
        server.script = [stub.answers]
        assert not [name for name in ("out.txt", "judge.csv", "talks.json", "report.json") if (folder / name).exists()]
        done = duologue(*asked, DUOLOGUE_ENDPOINT_KEY=KEY)
        assert done.code == 0, done.err
    demand_hidden(folder, stopped, done)


def demand_hidden(folder: Path, *outcomes: Any) -> None:
    assert not any(KEY in outcome.out + outcome.err for outcome in outcomes)
    assert not [path for path in folder.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_beside_each_server(duologue: Any, verb: str, tmp_path: Path) -> None:
    for demand, odds in ((demand_counted, ANSWERED), (demand_told, REFUSED)):
        for number, odd in enumerate(odds):
            folder = tmp_path / f"{demand.__name__}{number}"
            folder.mkdir()
            demand(duologue, verb, odd, folder)
