"""Write docs/reference from the code: the commands' help and every recipe's entries.

`python docs/build.py` writes the pages; `python docs/build.py --check` exits 1 when one is out of date.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from pathlib import Path
from typing import Any

import click
import msgspec

from duologue.cli.main import cli
from duologue.core.optional_protocols import Simulated
from duologue.core.plugins import load_system_class, load_task, names
from duologue.core.records import Record
from duologue.judges.recipe import JudgeRecipe

PAGES = Path(__file__).parent / "reference"
_WIDTH = 78
"""Columns of the help texts, however wide the terminal is in which the page is made."""


def commands() -> str:
    """Return the page of commands: the help text of each verb."""
    parent = click.Context(cli, info_name="duologue", terminal_width=_WIDTH)
    sections = ["# Commands\n\nMade by `docs/build.py` from the commands' own help.\n"]
    with parent:
        overall = "\n".join(line.rstrip() for line in cli.get_help(parent).splitlines())
    sections.append(f"## duologue\n\n```text\n{overall}\n```\n")
    for verb in cli.list_commands(parent):
        command = cli.get_command(parent, verb)
        assert command is not None
        sections += _help(command, verb, parent)
    return "\n".join(sections)


def _help(command: click.Command, name: str, parent: click.Context, level: int = 2) -> list[str]:
    """Return the sections of a command and of its subcommands."""
    with click.Context(command, info_name=name, parent=parent) as context:
        text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
        sections = [f"{'#' * level} {context.command_path}\n\n```text\n{text}\n```\n"]
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                found = command.get_command(context, below)
                assert found is not None
                sections += _help(found, below, context, level + 1)
    return sections


def recipes() -> str:
    """Return the page of recipes: every entry of every registered recipe with its default and meaning."""
    intro = "Made by `docs/build.py` from the records. Set an entry in a TOML file (`--recipe FILE`) or with `--set`."
    sections = [f"# Recipes\n\n{intro}\n"]
    for name in names("tasks"):
        task = load_task(name)
        if isinstance(task, Simulated):
            sections.append(_recipe(f"duologue generate {name}", task.Generation))
    for name in names("systems"):
        recipe = load_system_class(name).Recipe
        if msgspec.structs.fields(recipe):
            sections.append(_recipe(f"system {name}", recipe))
    sections.append(_recipe("duologue judge", JudgeRecipe))
    return "\n".join(sections)


def _recipe(title: str, recipe: type[Record], level: int = 2) -> str:
    meanings = _meanings(recipe)
    lines = [f"{'#' * level} {title}", "", "| entry | default | meaning |", "|---|---|---|"]
    nested = []
    inherited = {one.name for one in msgspec.structs.fields(recipe.__mro__[1])}
    for field in sorted(msgspec.structs.fields(recipe), key=lambda one: one.name in inherited):  # its own first
        default = _default(field)
        if isinstance(default, msgspec.Struct):
            nested.append((field.name, type(default)))
            shown = "see below"
        else:
            shown = "required" if default is msgspec.NODEFAULT else f"`{default!r}`"
        lines.append(f"| `{field.name}` | {shown} | {meanings.get(field.name, '')} |")
    lines.append("")
    lines += [_recipe(f"{title}, `{name}.`", kind, level + 1) for name, kind in nested if issubclass(kind, Record)]
    return "\n".join(lines)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def _meanings(recipe: type[Record]) -> dict[str, str]:
    """Return the docstring under each field; one that a record only sets another default for keeps its meaning."""
    parent = recipe.__mro__[1]
    found = _meanings(parent) if parent is not Record and issubclass(parent, Record) else {}
    body = ast.parse(textwrap.dedent(inspect.getsource(recipe))).body[0]
    assert isinstance(body, ast.ClassDef)
    for field, note in zip(body.body, body.body[1:], strict=False):
        is_note = isinstance(note, ast.Expr) and isinstance(note.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_note:
            text = " ".join(str(note.value.value).split())  # type: ignore[attr-defined]  # is_note says so
            found[field.target.id] = text.replace("|", "\\|")
    return found


def main() -> int:
    """Write or check the pages; return the exit code."""
    stale = []
    for name, text in (("commands.md", commands()), ("recipes.md", recipes())):
        path = PAGES / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            PAGES.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.stderr.write(f"out of date: {', '.join(stale)}; run `python docs/build.py`\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
