"""What the help of a command says of options is right: they are its own, or those of the command named before them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from duologue.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def commands(command: click.Command, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield a command and all below it, with the words that call them."""
    yield names, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None, name
            yield from commands(below, (*names, name))


KNOWN = dict(commands(cli))


def options(words: Sequence[str]) -> set[str]:
    """Return the options of the command that words begin with."""
    length = next(length for length in range(len(words), -1, -1) if tuple(words[:length]) in KNOWN)
    return {option for parameter in KNOWN[tuple(words[:length])].params for option in parameter.opts} | {"--help"}


def test_the_options_of_the_examples_exist() -> None:
    wrong = []
    for names, command in KNOWN.items():
        _, _, examples = (command.help or "").replace("\\\n", " ").partition("\b")
        for line in re.findall(r"^\s+duologue (.*)$", examples, re.MULTILINE):
            words = re.split("[|>]", line)[0].split()
            wrong += [(names, line, word) for word in words if word.startswith("--") and word not in options(words)]
    assert not wrong


def test_options_told_in_backticks_are_those_of_the_command_or_of_the_one_that_is_named() -> None:
    wrong = []
    for names, command in KNOWN.items():
        helps = [one.help or "" for one in command.params if isinstance(one, click.Option)]
        for told in re.findall("`([^`]*)`", " ".join([command.help or "", *helps])):
            words = told.removeprefix("duologue ").split()
            named = [(*names[:level], *words) for level in range(len(names), -1, -1)]
            mine = set().union(*(options(one) for one in named))
            wrong += [(names, told, option) for option in _OPTION.findall(told) if option not in mine]
    assert not wrong
