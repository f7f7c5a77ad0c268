"""Names of earlier versions: they work until the next one, with a line on standard error that tells the new name."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

from duologue.cli import plugin_commands
from duologue.terminal import console

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COMMANDS = {
    "collect": "data collect",
    "convert": "data convert",
    "extract": "data extract",
    "import": "data import",
    "noise": "data noise",
    "report": "board",
}
"""Old command -> what it is now."""
_IN_OUT = {"convert": "duologue.cli.convert:convert", "noise": "duologue.cli.noise:noise"}
"""Commands that once took the file to be written as their last word."""


def command(name: str) -> click.Command | None:
    """Import and return the command of an old name, which takes what it once took; `None` where there is none."""
    if name in _IN_OUT:
        module, _, new = _IN_OUT[name].partition(":")
        return _with_out_last(getattr(importlib.import_module(module), new))
    if name == "report":
        from duologue.cli.board import report

        return report
    return plugin_commands.load(f"data.{name}") if name in COMMANDS else None


def tell_command(name: str) -> None:
    """Tell the new name of an old command."""
    if name in COMMANDS:
        console.remark(f"'duologue {name}' is an old name and goes with the next version; it is now: {_now(name)}")


def _now(name: str) -> str:
    return f"duologue {COMMANDS[name]}" + (" ... FILE --out OUT" if name in _IN_OUT else "")


def _with_out_last(new: click.Command) -> click.Command:
    """Return a command that takes its `--out` as its last word."""
    from duologue.terminal import options  # `duologue --help` stays quick

    last = click.Argument(["out"], type=options.OUT_FILE, metavar="OUT")
    params = [*(one for one in new.params if one.name != "out"), last]
    return click.Command(new.name, callback=new.callback, params=params, help=new.help, hidden=True)


class RenamedOptions(click.Command):
    """A command that takes old spellings of its options.

    `renamed` is old option -> the new one, or the metavar of the argument that has its place.
    """

    def __init__(self, *args: Any, renamed: Mapping[str, str], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.renamed = renamed

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Spell the words as they are spelled now, then read them as always."""
        return super().parse_args(ctx, self._respelled(ctx, args))

    def _respelled(self, ctx: click.Context, args: list[str]) -> list[str]:
        ending = args.index("--") if "--" in args else len(args)
        words, moved, told = list[str](), list[str](), set[str]()
        takes = {name for one in self.params if _takes_a_word(one) for name in one.opts}
        rest = iter(args[:ending])
        for word in rest:
            name, equals, value = word.partition("=")
            if name not in self.renamed:
                words += [word, *_next(rest, wanted=word in takes)]
                continue
            told.add(name)
            new = self.renamed[name]
            given = [value] if equals else _next(rest, wanted=True)
            if new.startswith("-"):
                words += [new, *given]
            else:
                moved += given
        if not ctx.resilient_parsing:
            for name in sorted(told):
                self._tell(name)
        if any(word.startswith("-") for word in moved):
            return [*words, "--", *args[ending + 1 :], *moved]
        return [*words, *args[ending:], *moved]

    def _tell(self, name: str) -> None:
        new = self.renamed[name]
        how = f"it is now {new}" if new.startswith("-") else f"{new} now stands without it, behind TASK"
        console.remark(f"'{name}' of 'duologue {self.name}' is an old name and goes with the next version; {how}")


def _takes_a_word(one: click.Parameter) -> bool:
    return isinstance(one, click.Option) and not one.is_flag


def _next(rest: Iterator[str], *, wanted: bool) -> list[str]:
    """Return the next word, if it is wanted and there is one."""
    return [word for word in [next(rest, None) if wanted else None] if word is not None]
