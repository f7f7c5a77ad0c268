"""Bots of one's own through the command line: the bots of the guide, word by word, and bots that fail."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.plugins import load_task
from duologue.core.records import Record

if TYPE_CHECKING:
    from tests.cli.conftest import Corpus

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
GUIDE = (ROOT / "docs" / "guide" / "your-own-bot.md").read_text(encoding="utf-8")
PARTS = {"acts", "facts", "mentions", "ranking", "text", "values"}
"""What the bot of the guide can answer with."""
DATA = {
    "conversation": GOLDEN / "conversation/contract/evaluation.txt",
    "mobilecs/dialogue": GOLDEN / "mobilecs/dialogue/contract/dialogues.json",
    "mobilecs/extraction": GOLDEN / "mobilecs/extraction/contract/raw.json",
    "proactive": GOLDEN / "proactive/small-samples.txt",
    "restaurant": GOLDEN / "restaurant/small-data.json",
    "spoken": GOLDEN / "spoken/small-test.json",
}


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the guide."""
    folder = tmp_path_factory.mktemp("bots")
    for name, text in re.findall(r"```(?:python|sh)\n# ([\w.]+)\n(.*?)```", GUIDE, flags=re.DOTALL):
        (folder / name).write_text(text, encoding="utf-8")
    assert {path.name for path in folder.iterdir()} == {"bot.py", "bot.sh", "server.py"}
    return folder


def command(*words: object) -> str:
    return "command=" + shlex.join(map(str, words))


@pytest.mark.parametrize("task", DATA)
def test_the_bot_of_the_guide_answers_every_task(duologue: Any, bots: Path, task: str, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    words = ("run", task, "--system", "process", "--set", command(sys.executable, bots / "bot.py"))
    done = duologue(*words, DATA[task], "--out", out)
    assert done.code == 0, done.err
    assert 'system = "process"' in out.with_name("result.run.toml").read_text(encoding="utf-8")
    loaded = load_task(task)
    examples = list(loaded.load(DATA[task]))
    assert not loaded.check(loaded.read(out), examples, loaded.info.variants[0])


def test_the_shell_bot_of_the_guide_answers_with_text(duologue: Any, bots: Path, tmp_path: Path) -> None:
    out = tmp_path / "result.txt"
    words = ("run", "conversation", "--system", "process", "--set", command("sh", bots / "bot.sh"))
    done = duologue(*words, DATA["conversation"], "--out", out)
    assert done.code == 0, done.err
    assert "we are sorry to hear that" in out.read_text(encoding="utf-8")


def test_the_server_of_the_guide_answers_over_http(duologue: Any, bots: Path, corpus: Corpus, tmp_path: Path) -> None:
    import socket
    import subprocess
    import time

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = (bots / "server.py").read_text(encoding="utf-8").replace("8080", str(port))
    server = subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as knock:
                if not knock.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.05)
        out = tmp_path / "out.json"
        url = f"url=http://127.0.0.1:{port}/"
        done = duologue("run", "restaurant", "--system", "http", "--set", url, corpus.data, "--out", out)
        assert (done.code, done.out) == (0, f"40 answers in {out}\n"), done.err
        talked = duologue("chat", "restaurant", "--system", "http", "--set", url, "--save", tmp_path / "t", said="hi\n")
        assert talked.code == 0, talked.err
        assert "bot: " in talked.out
    finally:
        server.kill()
        server.wait()


def test_a_bot_that_fails_keeps_what_it_answered_and_the_same_command_goes_on(
    duologue: Any, corpus: Corpus, bots: Path, tmp_path: Path
) -> None:
    out, marks = tmp_path / "out.json", tmp_path / "asked.txt"
    text = (bots / "bot.py").read_text(encoding="utf-8")
    counted = text.replace(
        "    asked = json.loads(line)\n",
        "    asked = json.loads(line)\n"
        f"    open({str(marks)!r}, 'a').write(asked['id'] + '\\n')\n"
        f"    if len(open({str(marks)!r}).readlines()) == 8:\n        sys.exit('out of memory')\n",
    )
    bot = tmp_path / "bot.py"
    bot.write_text(counted, encoding="utf-8")
    words = ("run", "restaurant", "--system", "process", "--set", command(sys.executable, bot))
    call = (*words, corpus.data, "--out", out)
    failed = duologue(*call)
    assert failed.code == 1
    assert "ended (exit status 1) instead of answering" in failed.err
    assert "out of memory" in failed.err
    assert "7 answers are kept; the same command goes on from there." in failed.err
    assert not out.exists()
    assert duologue(*call, "--set", "timeout=30").code == 0  # more patience is no other run
    asked = marks.read_text(encoding="utf-8").split()
    assert len(asked) == 41  # one twice: the one that failed
    whole = tmp_path / "whole.json"
    at_once = command(sys.executable, bots / "bot.py")
    assert duologue(*words[:-1], at_once, corpus.data, "--out", whole).code == 0
    assert whole.read_bytes() == out.read_bytes()


FRAIL = """
import hashlib, json, sys
marks = sys.argv[1]
for line in sys.stdin:
    asked = json.loads(line)
    with open(marks, "a") as file:
        print(hashlib.sha256(line.encode()).hexdigest(), file=file)
    if len(open(marks).readlines()) == 5:
        sys.exit("gone")
    answer = {"id": asked["id"], "text": "我们聊聊吧 " + str(len(asked["history"])), "facts": []}
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.parametrize("verb", ["simulate", "robustness"])
def test_conversations_and_noise_go_on_after_a_failure(duologue: Any, verb: str, tmp_path: Path) -> None:
    bot, marks = tmp_path / "frail.py", tmp_path / "asked.txt"
    bot.write_text(FRAIL, encoding="utf-8")

    def run(out: str, asked: Path) -> Any:
        own = ("--system", "process", "--set", command(sys.executable, bot, asked), "--out", tmp_path / out)
        if verb == "simulate":
            goals = GOLDEN / "proactive/small-sessions.txt"
            return duologue("simulate", "proactive", "--goals", goals, "--n", 2, "--max-turns", 8, *own)
        spoken = GOLDEN / "spoken"
        gold, graph = spoken / "small-valid.json", spoken / "small-kg.json"
        return duologue("robustness", "spoken", "--gold", gold, "--kg", graph, "--strengths", "0,2", *own)

    failed = run("out", marks)
    assert failed.code == 1
    assert "4 answers are kept; the same command goes on from there." in failed.err
    again = run("out", marks)
    assert again.code == 0, again.err
    asked = marks.read_text(encoding="utf-8").split()
    assert len(asked) - len(set(asked)) == 1  # the question that it failed at
    assert not list(tmp_path.rglob("*.journal"))
    calm = tmp_path / "calm.txt"
    calm.write_text("x\n" * 10, encoding="utf-8")  # it never comes to its fifth question
    whole = run("whole", calm)
    assert whole.code == 0, whole.err
    if verb == "simulate":
        assert (tmp_path / "whole").read_bytes() == (tmp_path / "out").read_bytes()
    else:
        for one in sorted((tmp_path / "whole.reports").rglob("result.json")):
            other = tmp_path / "out.reports" / one.relative_to(tmp_path / "whole.reports")
            assert one.read_bytes() == other.read_bytes()


def test_a_talk_with_a_bot_that_fails_keeps_the_transcript(duologue: Any, tmp_path: Path) -> None:
    bot = tmp_path / "bot.sh"
    bot.write_text("read -r line; exit 1\n", encoding="utf-8")
    saved = tmp_path / "talk.json"
    words = ("chat", "restaurant", "--system", "process", "--set", command("sh", bot), "--save", saved)
    failed = duologue(*words, said="i want a table\n")
    assert failed.code == 1
    assert "ended (exit status 1) instead of answering" in failed.err
    assert json.loads(saved.read_text(encoding="utf-8"))["turns"]


def test_no_file_names_a_program_to_start(duologue: Any, corpus: Corpus, tmp_path: Path) -> None:
    owned = tmp_path / "owned"
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(f"command = 'touch {owned}'\n", encoding="utf-8")
    words = ("run", "restaurant", corpus.data, "--out", tmp_path / "out.json", "--system")
    refused = duologue(*words, "process", "--recipe", recipe)
    assert refused.code == 2
    assert "'command' of system 'process' is not taken from a file" in refused.err
    model = tmp_path / "model"
    model.mkdir()
    card = {"system": "process", "distribution": "duologue", "version": "1", "task": "restaurant", "seed": 1}
    lines = [
        f"{key} = {json.dumps(value)}"
        for key, value in {**card, "data": "", "data_hash": "", "recipe_hash": ""}.items()
    ]
    (model / "system.toml").write_text("\n".join([*lines, "[recipe]", f"command = 'touch {owned}'", ""]), "utf-8")
    refused = duologue(*words, model)
    assert refused.code == 2
    assert "learns nothing, so no folder can hold it" in refused.err
    assert not owned.exists()


def test_a_bot_without_its_command_or_address_says_what_to_set(duologue: Any, tmp_path: Path) -> None:
    for name, key in (("process", "command"), ("http", "url")):
        refused = duologue("run", "restaurant", "--system", name, "x", "--out", tmp_path / "out")
        assert refused.code == 2
        assert f"set it, for example with --set {key}=" in refused.err


def test_the_guide_names_every_entry_of_the_request_and_every_part_of_an_answer() -> None:
    from duologue.core.records import Sample
    from duologue.systems.bot import Response

    assert issubclass(Response, Record)
    assert set(Response.__struct_fields__) - {"id"} == PARTS
    for field in (*Sample.__struct_fields__, *PARTS):
        assert f"`{field}`" in GUIDE
