"""`duologue simulate`: whole conversations of a system with a simulated user."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from duologue.core.amounts import amount
from duologue.core.capabilities import lacking_capability
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Playable
from duologue.core.plugins import load_task, read_card
from duologue.report import to_json
from duologue.run.contamination import declared, with_knowledge
from duologue.run.conversation_forecast import conversation_lines, forecast_conversations
from duologue.run.predict import demand_unread
from duologue.run.prompt_marks import SYSTEM, USER
from duologue.run.resumed import kept_answers, resumed
from duologue.run.saved import save_report
from duologue.run.simulate import simulate as play_all
from duologue.run.simulate import staged_with
from duologue.run.systems import is_model, open_system, open_user
from duologue.run.usage import USAGE, usage_lines
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.optional_protocols import Stage
    from duologue.core.protocols import System, Task, World
    from duologue.run.conversation_forecast import ConversationForecast
    from duologue.run.simulate import Simulation


@click.command()
@options.task_argument
@options.system_option
@click.option(
    "--goals",
    type=options.PATH,
    default=None,
    help="mobilecs/dialogue, proactive, restaurant: whose goals are played: track 2 dialogues; sessions or samples; a "
    "knowledge base to book in (default: a built-in one).",
)
@options.kb_option("mobilecs/dialogue, restaurant")
@click.option("--n", type=options.CountNumber(min=1), default=500, show_default=True, help="How many conversations.")
@click.option(
    "--users",
    type=options.PATH,
    multiple=True,
    help="mobilecs/dialogue, proactive: whom the simulated user speaks like: the users of annotated track 2 dialogues "
    "(default: nobody, it has phrases); of sessions (default: others of --goals); may be repeated.",
)
@click.option(
    "--user",
    "player",
    default=None,
    metavar="NAME",
    help="Another simulated user than the task's own: endpoint, a chat model that speaks freely.",
)
@click.option(
    "--user-set",
    "user_overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a recipe entry of --user (repeatable).",
)
@click.option("--max-turns", type=options.CountNumber(min=1), default=None, help="Cut after so many utterances.")
@click.option("--out", type=options.OUT_OWN_FILE, default=None, help="Write the dialogues in their official form.")
@options.force_option
@click.option(
    "--report", "saved", type=options.OUT_REPORT, default=None, help="Save the report as JSON, counts included."
)
@click.option(
    "--dry-run", is_flag=True, help="Say what partners that are paid by the call would ask, and ask and write nothing."
)
@options.seed_option
@options.recipe_option
@options.set_option
@options.json_option
@options.quiet_option
def simulate(
    *,
    task: str,
    name: str,
    goals: Path | None,
    kb: Path | None,
    n: int,
    users: tuple[Path, ...],
    player: str | None,
    user_overrides: tuple[str, ...],
    max_turns: int | None,
    out: Path | None,
    saved: Path | None,
    dry_run: bool,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Let a system of TASK talk with a simulated user, and judge the whole conversations.

    A user of proactive never sees goal or knowledge; one of mobilecs/dialogue works the official goal off; one of
    restaurant books a table as in the full dialogues of the challenge, and a bot may say what it likes or rank what it
    is offered. Of more goals than --n some are drawn by the seed; the same seed gives the same dialogues. With --out or
    --report a stopped run goes on where it was; a file that is there at --out is left alone. Beside the figures stand
    those of people, where the file holds their dialogues, and how long the system took for a reply.

    --dry-run tells what partners that are paid by the call take at least, likely and at most: likely as in a few
    conversations of our own partners, or in dialogues of people.

    With --user endpoint a chat model plays the user, told what the user may know and nothing else: the goal card of
    mobilecs/dialogue and restaurant, nothing in proactive. What it says that only the system can know is counted.

    \b
    Examples:
      duologue simulate proactive --system model --goals sessions.jsonl --n 500 --seed 1 --json
      duologue simulate proactive --system model --goals samples.jsonl --users sessions.jsonl --out dialogues.jsonl
      duologue simulate mobilecs/dialogue --system rule-agent --goals track2/test.json --n 500 --seed 1
      duologue simulate mobilecs/dialogue --system model --goals track2/test.json --kb catalogue.json --n 100
      duologue simulate restaurant --system solver --n 500 --seed 1
      duologue simulate restaurant --system process --set command='python bot.py' --kb kb.txt
      duologue simulate restaurant --system solver --user endpoint --user-set url=http://127.0.0.1:8080/v1
        --user-set model=m --n 20
    """
    loaded = load_task(task)
    if not isinstance(loaded, Playable):
        raise lacking_capability(task, "Playable")
    system = open_system(loaded, name, recipe, overrides)
    world = options.world_of(loaded, kb) if loaded.info.kb_beside else None
    goals, kb = (goals, kb) if loaded.info.kb_beside else (_one_of(goals, kb), None)
    if goals is not None:
        demand_unread(system, goals)
    user = _other_user(loaded, player, user_overrides, users)
    stage = _with_world(loaded.stage(goals, users, n=n, seed=seed, max_turns=max_turns), world)
    label = Path(name).name or name
    target = out or saved
    journal = None if target is None else target.with_name(f".{target.name}.journal")
    apart = journal and journal.with_name(f"{journal.name}.user")
    if dry_run:
        asked = stage if user is None else staged_with(stage, user, loaded)
        kept = {
            part: len(kept_answers(loaded, called, partner, seed, path, kb=place))
            for part, called, partner, path, place in (
                (SYSTEM, name, system, journal, kb),
                (USER, str(player), user, apart, None),
            )
            if partner is not None and path is not None
        }
        planned = forecast_conversations(loaded, system, asked, stage, name=name, seed=seed, left=kept)
        _tell_forecast(planned, as_json=as_json)
        return
    if out is not None and journal is not None and not journal.exists():  # a stopped run was let through before
        options.demand_absent(out)
    external = with_knowledge(read_card(Path(name)).external if is_model(name) else None, loaded, world, kb)
    with ExitStack() as opened:
        played = opened.enter_context(resumed(loaded, name, system, seed, journal, kb=kb, say=console.remark))
        if user is not None:
            other = opened.enter_context(resumed(loaded, str(player), user, seed, apart, say=console.remark))
            stage = _with_world(staged_with(stage, other, loaded), world)
        with options.progress_bar(quiet=quiet) as progress:
            played_by = "" if user is None else f"{player}: {', '.join(declared(user) or ['not declared'])}"
            found = play_all(
                loaded, played, stage, name=label, seed=seed, user=played_by, external=external, progress=progress
            )
        if out is not None:
            loaded.write_dialogues(found.dialogues, out)
        if saved is not None:
            save_report(found.report, saved)
    if as_json:
        console.as_json(_jsonable(found, seed))
    else:
        _print(found, (*usage_lines(played), *(f"user: {line}" for line in usage_lines(stage.user))))


def _one_of(goals: Path | None, kb: Path | None) -> Path | None:
    """Return the file that the conversations of a task are set in. Raises `UsageError` for two."""
    if goals is not None and kb is not None:
        raise UsageError(f"conversations are set in one file, and found --goals {goals} and --kb {kb}; leave one out")
    return kb if goals is None else goals


def _with_world(stage: Stage, world: World | None) -> Stage:
    """Return a stage with one more knowledge base, if there is one."""
    return stage if world is None else stage._replace(worlds={**stage.worlds, world.name: world})


def _tell_forecast(planned: Sequence[ConversationForecast], *, as_json: bool) -> None:
    if as_json:
        console.as_json({"forecast": [one._asdict() for one in planned]})
        return
    for line in conversation_lines(planned):
        console.line(line)


def _other_user(task: Task, player: str | None, overrides: Sequence[str], users: Sequence[Path]) -> System | None:
    """Return the user that is named in place of the task's own; `None` where none is."""
    if player is None:
        if overrides:
            raise UsageError("--user-set is for another user than the task's own; say which with --user")
        return None
    if users:
        raise UsageError("--users is for the task's own user; leave out --users or --user")
    return open_user(task, player, overrides)


def _jsonable(found: Simulation, seed: int) -> dict[str, Any]:
    """Return the report's JSON object, and in it people, endings, latency (milliseconds), problems and notes."""
    latency = found.latency
    timed = latency and {"replies": latency.replies, "p50": latency.p50, "p95": latency.p95, "max": latency.longest}
    return {
        **to_json(found.report),
        "seed": seed,
        "people": None if found.people is None else to_json(found.people)["scores"],
        "ended_by": found.ended_by,
        "latency_ms": timed,
        **({USAGE: found.report.meta[USAGE]} if USAGE in found.report.meta else {}),
        "problems": msgspec.to_builtins(found.report.problems),
        "notes": list(found.notes),
    }


def _print(found: Simulation, usage: Sequence[str]) -> None:
    from duologue.report import render

    for report in (found.report, found.people):
        if report is not None:
            console.show(render(report))
    endings = ", ".join(f"{how} {count}" for how, count in found.ended_by.items())
    console.line(f"ended by: {endings}")
    latency = found.latency
    if latency is not None:
        replies = f"{amount(latency.replies, 'reply')}, each in {latency.p50:.0f} ms (median)"
        console.line(f"{replies}, {latency.p95:.0f} ms (95 %)")
    for note in found.notes:
        console.line(f"note: {note}")
    for line in usage:
        console.line(line)
