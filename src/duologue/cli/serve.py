"""`duologue serve`: systems behind HTTP."""

from __future__ import annotations

import os
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from duologue.core.disk import resolved
from duologue.core.errors import UsageError
from duologue.core.extras import need
from duologue.core.plugins import demand_fit, load_task
from duologue.run.systems import is_model, open_system, recipe_of
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.protocols import System
    from duologue.web.access import AccessTokens
    from duologue.web.server import Server

TOKEN = "DUOLOGUE_SERVE_TOKEN"  # noqa: S105  # the name of a variable
"""Environment variable that a token may stand in."""


@click.command()
@options.task_argument
@options.system_option
@options.kb_option("conversation, mobilecs/dialogue, restaurant, spoken")
@click.option(
    "--also",
    multiple=True,
    metavar="TASK=SYSTEM",
    help="Serve one more system, of the same task or another; may be repeated.",
)
@click.option(
    "--also-kb",
    "other_kbs",
    multiple=True,
    type=options.ASSIGNMENT,
    metavar="TASK=FILE",
    help="The knowledge base of another task; may be repeated.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where to listen; by default for this machine only."
)
@click.option(
    "--port", type=options.WholeNumber(0, 65535), default=8200, show_default=True, help="0 takes any free port."
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name under which clients reach the server, beside localhost and addresses; may be repeated.",
)
@click.option(
    "--token-file",
    type=options.PATH,
    default=None,
    help=f"File with the tokens that may ask, one on each line; one may stand in {TOKEN} instead.",
)
@click.option(
    "--rate",
    type=options.WholeNumber(0, 1_000_000),
    default=6000,
    show_default=True,
    help="Requests a minute of one client; 0: any number.",
)
@click.option(
    "--deadline",
    type=options.FiniteRange(min=0.1, max=86_400),
    default=120.0,
    show_default=True,
    help="Seconds for a whole request, from being there to the last byte of its answer.",
)
@click.option(
    "--processes",
    type=options.WholeNumber(1, 64),
    default=1,
    show_default=True,
    help="Processes that answer, each with all systems: one for each core that requests may take.",
)
@options.seed_option
@options.recipe_option
@options.set_option
def serve(
    *,
    task: str,
    name: str,
    kb: Path | None,
    also: tuple[str, ...],
    other_kbs: tuple[str, ...],
    host: str,
    port: int,
    hosts: tuple[str, ...],
    token_file: Path | None,
    rate: int,
    deadline: float,
    processes: int,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
) -> None:
    """Answer requests over HTTP with a system of TASK until Ctrl-C, as a standard chat endpoint.

    Clients of the OpenAI API find it at /v1 (chat/completions, models); the models are called TASK/SYSTEM. Goal,
    knowledge and candidates come in `metadata` or in a system message that is a JSON object. See
    docs/guide/serve-a-system.md.

    spoken: POST {"history": ["utterance 1", ..., "utterance n"]} at /, the last one the user's, gives
    {"code": 0, "message": "...", "attrs": [...]}, as the published baseline's demo does; code 105 stands for a request
    that is not understood. Without a token whoever reaches the port may ask.

    \b
    Examples:
      duologue serve spoken --system model --kg kg.json.gz
      curl -d '{"history": ["你好"]}' http://127.0.0.1:8200/
      duologue serve restaurant --system solver --also conversation=my-retriever
    """
    need("starlette", "web")
    need("uvicorn", "web")
    from duologue.web.server import address_of, shared_port
    from duologue.web.server_processes import ServerProcesses

    wanted = [(task, name), *(_pair(one, "--also", "TASK=SYSTEM") for one in also)]
    places = {task: kb}
    for one in other_kbs:
        other, place = _pair(one, "--also-kb", "TASK=FILE")
        if other in places or other not in {found for found, _ in wanted}:
            raise UsageError(f"--also-kb {one}: '{other}' is no other task that is served")
        places[other] = Path(place)
    plan = ServePlan(tuple(wanted), places, seed, recipe, overrides, host, port, hosts, token_file, rate, deadline)
    with_token = bool(_tokens(plan))
    notices = _notices([_called(*one) for one in wanted], host, with_token=with_token)

    def run(server: Server | ServerProcesses, address: str) -> None:
        console.line(f"serving {', '.join(dict(wanted))} at {address} (Ctrl-C stops)")
        for line in notices:
            console.line(line)
        server.run()
        console.line("stopped")

    if processes == 1:
        server = make_server(plan)
        run(server, server.address)
        return
    with shared_port(host, port) as kept:
        shared = plan._replace(port=kept.getsockname()[1], shared=True)
        run(ServerProcesses(partial(make_server, shared), processes), address_of(kept))


class ServePlan(NamedTuple):
    """What is served, where and to whom: what each process needs to know."""

    systems: tuple[tuple[str, str], ...]
    """Tasks and systems; the options of a recipe are those of the first."""
    kbs: dict[str, Path | None]
    seed: int
    recipe: Path | None
    overrides: tuple[str, ...]
    host: str
    port: int
    hosts: tuple[str, ...]
    token_file: Path | None
    rate: int
    deadline: float
    shared: bool = False
    """Whether other processes serve at the same port."""


def make_server(plan: ServePlan) -> Server:
    """Return a server that is ready."""
    from duologue.web.application import application
    from duologue.web.served import by_name, prepared
    from duologue.web.server import Server

    (task, name), *others = plan.systems
    tokens = _tokens(plan)
    opened = [(_called(task, name), load_task(task), open_system(load_task(task), name, plan.recipe, plan.overrides))]
    opened += [(_called(which, one), load_task(which), _opened_beside(which, one)) for which, one in others]
    worlds = {which: options.world_of(load_task(which), place) for which, place in plan.kbs.items()}
    served = [
        prepared(called, one, system, worlds.get(one.info.name), seed=plan.seed) for called, one, system in opened
    ]
    by_name(served)
    app = application(served, tokens=tokens, per_minute=plan.rate, seconds=plan.deadline)
    return Server(app, plan.host, plan.port, hosts=plan.hosts, shared=plan.shared)


def _opened_beside(task: str, name: str) -> System:
    """Return a system of `--also`, which has no recipe of its own. Raises `UsageError` where it cannot do without."""
    loaded = load_task(task)
    if not is_model(name):
        demand_fit(name, loaded.info)
        try:
            recipe_of(name, None, ())
        except UsageError as error:
            advice = "--recipe and --set are those of --system: serve it by that, or in a process of its own"
            raise UsageError(f"--also {task}={name}: {error}\n  {advice}") from error
    return open_system(loaded, name)


def _tokens(plan: ServePlan) -> AccessTokens:
    from duologue.web.access import AccessTokens, read_tokens

    told = read_tokens(plan.token_file) if plan.token_file else []
    return AccessTokens([*told, *filter(None, [os.environ.get(TOKEN)])])


def _pair(text: str, option: str, form: str) -> tuple[str, str]:
    left, equals, right = text.partition("=")
    if not (left and equals and right):
        raise UsageError(f"{option} {text}: expected {form}")
    return left, right


def _called(task: str, name: str) -> str:
    """Return what requests call a system as `model`."""
    return f"{task}/{resolved(Path(name)).name if is_model(name) else name}"


def _notices(names: Sequence[str], host: str, *, with_token: bool) -> list[str]:
    """Return what whoever starts a server should know."""
    found = [f"model{'s' * (len(names) > 1)} at /v1: {', '.join(names)}"]
    try:
        here = ip_address(host).is_loopback
    except ValueError:
        here = host == "localhost"
    if not here and not with_token:
        found.append(f"whoever reaches {host} may ask: no token is wanted (--token-file, {TOKEN})")
    return found
