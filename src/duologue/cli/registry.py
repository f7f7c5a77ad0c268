"""`duologue list`: what is installed."""

from __future__ import annotations

import json

import click

from duologue.core.errors import DuologueError
from duologue.core.plugins import Entry, entries, load_system_class, load_task


@click.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def list_registered(*, as_json: bool) -> None:
    """Show the tasks and systems that are installed, ours and other packages'.

    \b
    Example:
      duologue list
    """
    rows = {kind: [_row(entry) for entry in entries(kind)] for kind in ("tasks", "systems")}
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    for kind, found in rows.items():
        click.echo(f"{kind}:")
        width = max((len(row["name"]) for row in found), default=0)
        for row in found:
            origin = "" if row["package"] == "duologue" else f" (from {row['package']})"
            click.echo(f"  {row['name']:<{width}}  {row['about']}{origin}")


def _row(entry: Entry) -> dict[str, str]:
    """Return name, package and first docstring line; a broken plug-in says so in its row and hides no other."""
    try:
        loaded = type(load_task(entry.name)) if entry.kind == "tasks" else load_system_class(entry.name)
        about = (loaded.__doc__ or "").strip().partition("\n")[0]
    except DuologueError as error:
        about = f"cannot be loaded: {error}"
    return {"name": entry.name, "package": entry.distribution, "about": about}
