from __future__ import annotations

import gc
import os
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import BotError, UsageError
from duologue.core.protocols import TaskInfo
from duologue.core.records import Candidate, Sample, Turn
from duologue.systems.process import ProcessBot, ProcessRecipe
from duologue.testing import check_system

if TYPE_CHECKING:
    from collections.abc import Callable

    Bot = Callable[..., ProcessBot]

TALK = TaskInfo(name="talk", version="1", language="en", answers="text")
HEAD = "import json, os, sys, time\nfor number, line in enumerate(sys.stdin):\n    asked = json.loads(line)\n"


def say(text: str) -> str:
    return f"    print(json.dumps({{'id': asked['id'], 'text': {text}}}), flush=True)\n"


def sample(name: str, said: str = "hello") -> Sample:
    return Sample(id=name, dialogue_id="d", history=(Turn(speaker="user", text=said),))


@pytest.fixture
def bot(tmp_path: Path) -> Bot:
    """Return a prepared bot whose program is written in the test."""

    def make(text: str, timeout: float = 20.0) -> ProcessBot:
        path = tmp_path / "a bot.py"
        path.write_text(text, encoding="utf-8")
        made = ProcessBot(ProcessRecipe(command=shlex.join([sys.executable, str(path)]), timeout=timeout))
        made.prepare(TALK, 1, {})
        return made

    return make


def ended(pid: int) -> bool:
    """Whether a process is gone, or soon is."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").exists() and ") Z " in Path(f"/proc/{pid}/stat").read_text():
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_a_program_is_started_once_and_asked_in_order(bot: Bot) -> None:
    made = bot(HEAD + say("f'{number} {os.getpid()} ' + asked['history'][0]['text']"))
    first = [one.text or "" for one in made.answer([sample("a", "一"), sample("b", "二")])]
    (last,) = made.answer([sample("c", "三")])
    told = [text.split() for text in (*first, last.text or "")]
    assert [(one[0], one[2]) for one in told] == [("0", "一"), ("1", "二"), ("2", "三")]
    assert len({one[1] for one in told}) == 1


def test_the_bot_of_the_tests_keeps_the_contract_of_a_system() -> None:
    ranking = TaskInfo(name="rank", version="1", language="en", answers="ranking")
    choice = tuple(Candidate(id=name, text=name) for name in "cab")
    samples = [Sample(id=str(n), dialogue_id="d", candidates=choice) for n in range(5)]
    check_system(ProcessBot(ProcessRecipe.tiny()), samples, ranking)


def test_a_request_and_an_answer_may_be_larger_than_a_pipe_holds(bot: Bot) -> None:
    made = bot(HEAD + "    sys.stderr.write('x' * 300_000)\n" + say("asked['history'][0]['text']"))
    text = "字" * 200_000
    assert [one.text for one in made.answer([sample("a", text), sample("b", text)])] == [text, text]


def test_a_bot_that_ends_says_how_and_what_it_said_last(bot: Bot) -> None:
    made = bot(HEAD + "    sys.stderr.write('no model\\x1b[31m\\n')\n    sys.exit(3)\n")
    with pytest.raises(BotError, match=r"ended \(exit status 3\) instead of answering") as told:
        made.answer([sample("a")])
    assert r"no model\x1b[31m" in str(told.value)


def test_a_bot_that_is_killed_says_by_what(bot: Bot) -> None:
    for number, name in ((15, "SIGTERM"), (40, "signal 40")):  # the second is one of real time, which has no name
        made = bot(HEAD + f"    import os\n    os.kill(os.getpid(), {number})\n    time.sleep(20)\n")
        with pytest.raises(BotError, match=rf"ended \(killed by {name}\) instead of answering"):
            made.answer([sample("a")])


def test_an_answer_that_is_cut_off_is_shown(bot: Bot) -> None:
    made = bot(HEAD + "    sys.stdout.write('{\"id\": ')\n    sys.exit(0)\n")
    with pytest.raises(BotError, match=r"it had written '\{\"id\":' without a line end"):
        made.answer([sample("a")])


def test_a_bot_that_is_too_slow_is_ended_with_what_it_started(bot: Bot, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    text = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "time.sleep(60)\n"
    )
    made = bot(text, timeout=0.15)  # ten times as long for the first answer
    with pytest.raises(BotError, match=r"gave no answer in 1.5 s \(--set timeout="):
        made.answer([sample("a")])
    assert all(ended(int(pid)) for pid in pids.read_text().split())


def test_a_bot_is_ended_when_it_is_no_longer_wanted(bot: Bot) -> None:
    made = bot(HEAD + say("str(os.getpid())"))
    pid = int(made.answer([sample("a")])[0].text or "")
    del made
    gc.collect()
    assert ended(pid)


def test_after_a_failure_the_program_is_started_anew(bot: Bot) -> None:
    made = bot(HEAD + "    if asked['id'] == 'bad':\n        print('{}', flush=True)\n" + say("'fine'"))
    with pytest.raises(BotError, match="missing required field 'id'"):
        made.answer([sample("bad")])
    assert made.answer([sample("good")])[0].text == "fine"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (HEAD + "    print('Loading ...', flush=True)\n", "it said:  Loading ..."),
        (HEAD + "    print(flush=True)\n", "it said:  nothing"),
        (HEAD + say("'x'").replace("asked['id']", "'other'"), "the response is to 'other'"),
        ("import sys\nfor line in sys.stdin:\n    print('x' * (5 << 20), flush=True)\n", "more than 4 MB: x+"),
        ("import sys\nfor line in sys.stdin:\n    sys.stdout.write('x' * (5 << 20))\n", "more than 4 MB: x+"),
        ("import sys\nfor line in sys.stdin:\n    print(f'{{}}\\n{{}}', flush=True)\n", "missing required field"),
    ],
)
def test_what_is_no_answer_is_a_clear_message(bot: Bot, text: str, wrong: str) -> None:
    with pytest.raises(BotError, match=wrong):
        bot(text).answer([sample("a")])


def test_what_nobody_asked_for_is_not_taken_for_an_answer(bot: Bot) -> None:
    made = bot(HEAD + say("'x'").replace("})", "}) + '\\nbye'"))
    with pytest.raises(BotError, match="wrote what nobody asked for: bye; standard output is for answers"):
        made.answer([sample("a"), sample("b")])


@pytest.mark.parametrize(
    ("command", "wrong"),
    [
        ("", "the command is empty"),
        ("'open", "No closing quotation"),
        ("nosuchprogram --x", "cannot start the bot"),
        ("python\0 --x", "cannot start the bot .* null byte"),
    ],
)
def test_a_command_that_is_none_is_a_usage_error(command: str, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        ProcessBot(ProcessRecipe(command=command)).prepare(TALK, 1, {})


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    target = tmp_path / "owned"
    made = ProcessBot(ProcessRecipe(command=f"echo x; touch {target}"))
    made.prepare(TALK, 1, {})
    with pytest.raises(BotError):
        made.answer([sample("a")])
    assert not target.exists()
