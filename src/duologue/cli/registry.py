"""`duologue list`: what is installed."""

from __future__ import annotations

import json

import click

from duologue.core.errors import PlugInError
from duologue.core.plugins import entries, load_system_class, load_task


@click.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def list_registered(*, as_json: bool) -> None:
    r"""Show the tasks and systems that are installed, ours and other packages'.

    \b
    Example:
      duologue list
    """
    rows = {
        "tasks": [_row(entry.name, entry.distribution, _describe(entry.name, "task")) for entry in entries("tasks")],
        "systems": [_row(entry.name, entry.distribution, _describe(entry.name, "system")) for entry in entries("systems")],
    }
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    for kind, found in rows.items():
        click.echo(f"{kind}:")
        width = max((len(row["name"]) for row in found), default=0)
        for row in found:
            origin = "" if row["package"] == "duologue" else f" (from {row['package']})"
            click.echo(f"  {row['name']:<{width}}  {row['about']}{origin}")


def _row(name: str, package: str, about: str) -> dict[str, str]:
    return {"name": name, "package": package, "about": about}


def _describe(name: str, kind: str) -> str:
    """Return the first line of the docstring; a broken plug-in says so in its row and hides no other."""
    try:
        loaded = type(load_task(name)) if kind == "task" else load_system_class(name)
    except PlugInError as error:
        return f"cannot be loaded: {error}"
    return (loaded.__doc__ or "").strip().partition("\n")[0]
