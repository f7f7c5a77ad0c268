"""`duologue chat`: a system as a live partner in the terminal."""

from __future__ import annotations

import io
import secrets
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
import msgspec

from duologue.core.decoded import is_whole
from duologue.core.disk import is_stream, temporary_folder, write_bytes
from duologue.core.errors import BotError, UsageError
from duologue.core.extras import need
from duologue.run.partners import conversable, open_partner
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.optional_protocols import Partner
    from duologue.core.protocols import World
    from duologue.core.records import Turn

_WORDS = {
    "en": {
        "you": "you",
        "bot": "bot",
        "call": "call",
        "facts": "facts from the knowledge base",
        "saved": "Transcript",
        "again": "(say it again, or /quit)",
        "encoding": "(this line is not UTF-8 and was not read; set the terminal to UTF-8)",
    },
    "zh": {
        "you": "你",
        "bot": "机器人",
        "call": "查询",
        "facts": "条知识库事实",
        "saved": "对话记录",
        "again": "（可以再说一遍，或输入 /quit 离开）",
        "encoding": "（这一行不是 UTF-8 编码，未被读取；请将终端设为 UTF-8）",
    },
}

_QUIT = "/quit"
"""The input that leaves at once, in every task."""


@click.command()
@options.optional_task_argument
@click.option("--url", default=None, help="Talk to a chat endpoint instead, such as http://127.0.0.1:8200/v1.")
@click.option("--model", default=None, help="With --url: the model to ask for (default: the first that it lists).")
@click.option(
    "--system",
    "name",
    default=None,
    help="A system's name or a model's folder (restaurant, mobilecs/dialogue: the rules).",
    shell_complete=options.complete_system,
)
@options.kb_option("conversation, mobilecs/dialogue, restaurant, spoken")
@click.option(
    "--goals",
    type=options.PATH,
    default=None,
    help="mobilecs/dialogue, proactive: goals with their knowledge that the talk is set in (default: built-in ones).",
)
@click.option("--lang", type=click.Choice(sorted(_WORDS)), default="en", show_default=True, help="Language of remarks.")
@click.option("--trace", is_flag=True, help="proactive: also show goal, facts used and plan, which are the agent's.")
@click.option(
    "--save", type=options.OUT_FILE, default=None, help="Where the transcript goes (default: workspace/chats)."
)
@options.force_option
@options.seed_option
@options.recipe_option
@options.set_option
def chat(
    *,
    task: str | None,
    url: str | None,
    model: str | None,
    name: str | None,
    kb: Path | None,
    goals: Path | None,
    lang: str,
    trace: bool,
    save: Path | None,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
) -> None:
    """Talk with a system of TASK: it shows the calls it makes and the facts it uses.

    Without --kb or --goals the talk is set in what is built in. In restaurant an empty line hands the turn back to
    the bot, in conversation it begins a new dialogue, and passages of --kb that were looked up stand below a reply; in
    proactive the system leads from one topic to another, and --trace shows its goal and plan; in mobilecs/dialogue you
    are the customer with a goal card, and intents, queries, their results and what --kb told are shown; in spoken
    entity, query and triples are, and `/noise on` makes your words noisy.
    `/quit`, `bye` or the end of input (Ctrl-D) leaves. The transcript is saved as a Dialogue.

    With --url, and without TASK, you talk to whatever speaks the OpenAI API, such as `duologue serve`; its key, if it
    wants one, stands in the environment variable DUOLOGUE_ENDPOINT_KEY.

    \b
    Examples:
      duologue chat restaurant
      duologue chat restaurant --system model --kb extendedkb1.txt --lang zh
      duologue chat proactive --system model --goals sessions.jsonl --seed 3 --trace
      duologue chat conversation --system model
      duologue chat mobilecs/dialogue --system model --kb documents.md
      duologue chat mobilecs/dialogue --goals track2/test.json --seed 7
      duologue chat spoken --system model --kg kg.json.gz --lang zh
      duologue chat --url http://127.0.0.1:8200/v1
    """
    now = f"{datetime.now(tz=UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"  # others may begin to talk in this second
    if url is not None:
        options.refuse("--url says whom to talk to", *("task", "name", "kb", "goals", "seed", "recipe", "overrides"))
        need("httpx", "web")
        from duologue.endpoints.chat_endpoint import ChatEndpoint

        called = f"endpoint-{now}"
        there = ChatEndpoint(url, model, lang=lang, name=called)
        partner: Partner = click.get_current_context().with_resource(there)
    else:
        if task is None:
            raise UsageError("say what to talk in: TASK (duologue list), or --url ADDRESS")
        if model is not None:
            raise UsageError("--model is the model of an endpoint: give its address with --url")
        called = f"{task}-{now}"
        place = _place(task, kb, goals)
        partner = open_partner(task, name, place, recipe, overrides, seed=seed, lang=lang, called=called)
    bare = getattr(partner, "secretive", False) and not trace
    if trace and not getattr(partner, "secretive", False):
        raise UsageError("--trace shows what the agent of proactive keeps to itself; all else is shown without it")
    path = save or options.WORKSPACE / "chats" / f"{called}.json"
    if not is_stream(path):
        with temporary_folder(beside=path):  # a talk whose transcript has no place is better not begun
            pass
    console.block(partner.how_to_talk if bare else partner.welcome, indent="")
    try:
        _talk(partner, _WORDS[lang], bare=bare)
    finally:
        if partner.dialogue().turns:
            write_bytes(path, msgspec.json.format(msgspec.json.encode(partner.dialogue()), indent=1))
            console.line(f"{_WORDS[lang]['saved']}: {path}")


def _place(task: str, kb: Path | None, goals: Path | None) -> Path | World | None:
    """Return what the talk is set in. Raises `UsageError` for two files, and as the task's reader does."""
    if kb is not None and goals is not None:
        raise UsageError(f"a talk is set in one file, and found --kb {kb} and --goals {goals}; leave one out")
    if kb is None:
        return goals
    loaded = conversable(task)
    return options.world_of(loaded, kb) if loaded.info.kb_beside else kb


def _talk(partner: Partner, words: dict[str, str], *, bare: bool) -> None:
    """Read lines and show replies until the user leaves.

    A line that is not UTF-8 is asked for again, and so is on a terminal one that a patient partner had no answer to.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # else one wrong byte ends the talk
    _show(partner, partner.opening(), words, bare=bare)
    while not partner.finished:
        console.line(f"{words['you']}> ", bold=True, nl=False)
        line = sys.stdin.readline()
        if not line:
            console.line()
            return
        if not is_whole(line):
            console.line(words["encoding"])
            continue
        if line.strip() == _QUIT:
            return
        try:
            turns = partner.reply(line.rstrip("\n"))
        except BotError as error:
            if not (partner.patient and sys.stdin.isatty()):  # a program that talks is told by the exit code
                raise
            console.line(f"{error} {words['again']}")
            continue
        _show(partner, turns, words, bare=bare)


def _show(partner: Partner, turns: Sequence[Turn], words: dict[str, str], *, bare: bool) -> None:
    """Print what the bot did and said, with its remarks unless `bare`; facts of a call by subject, a line each."""
    facts: dict[str, list[str]] = {}
    for turn in (*turns, None):
        if turn is not None and turn.speaker == "api":
            subject, field, value = turn.text.split(" ", 2)
            facts.setdefault(subject, []).append(f"{field.removeprefix('r_')} {value}")
            continue
        for subject, known in facts.items():
            console.line(f"    {subject}: " + ", ".join(known), dim=True)
        if facts:
            console.line(f"    {sum(map(len, facts.values()))} {words['facts']}", dim=True)
            facts = {}
        if turn is not None:
            who = words["call"] if turn.text.startswith("api_call") else words["bot"]
            said, *remarks = partner.shown(turn)
            console.block(f"{who}: {said}", indent="    ")
            for remark in () if bare else remarks:
                console.line(f"    {remark}", dim=True)
