"""`duologue serve`: a system behind HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.capabilities import lacking_capability
from duologue.core.plugins import load_task
from duologue.core.protocols import Servable
from duologue.run.systems import open_system
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@options.system_option
@options.kb_option("spoken")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where to listen; by default for this machine only."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8200, show_default=True, help="0 takes any free port.")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name under which clients reach the server, beside localhost and addresses; may be repeated.",
)
@options.seed_option
@options.recipe_option
@options.set_option
def serve(
    *,
    task: str,
    name: str,
    kb: Path | None,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
) -> None:
    """Answer requests over HTTP with a system of TASK until Ctrl-C.

    spoken: POST {"history": ["utterance 1", ..., "utterance n"]}, the last one the user's, gives
    {"code": 0, "message": "...", "attrs": [...]}, as the published baseline's demo does; code 105 stands for a request
    that is not understood. There is no password: whoever reaches the port may ask.

    \b
    Examples:
      duologue serve spoken --system model --kg kg.json.gz
      curl -d '{"history": ["你好"]}' http://127.0.0.1:8200/
    """
    loaded = load_task(task)
    if not isinstance(loaded, Servable):
        raise lacking_capability(task, "Servable")
    system = open_system(loaded, name, recipe, overrides)
    world = options.world_of(loaded, kb)
    from duologue.web.http_server import Server  # only those who serve need it

    server = Server(loaded.service(system, world, seed=seed), host, port, hosts=hosts)
    console.line(f"serving {task} at {server.address} (Ctrl-C stops)")
    server.run()
    console.line("stopped")
