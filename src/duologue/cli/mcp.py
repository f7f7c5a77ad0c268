"""`duologue mcp`: an assistant checks and scores over standard input and output."""

from __future__ import annotations

import click


@click.command()
def mcp() -> None:
    """Serve list, check, score, compare and show to an assistant over stdio (Model Context Protocol), until it ends.

    The assistant starts the command itself, in the folder whose files it may name; nothing outside of it is read,
    nothing is written, and no network is asked. It needs the extra mcp.

    \b
    Examples:
      duologue mcp
    """
    from duologue.mcp.open_folder import here
    from duologue.mcp.server import make_server
    from duologue.mcp.wire import spelled_messages

    server = make_server(here())
    with spelled_messages():
        server.run("stdio")
