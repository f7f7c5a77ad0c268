"""Options that take one word or several: `--train A B C` is `--train A --train B --train C`."""

from __future__ import annotations

import click


class SeveralFiles(click.Command):
    """A command whose repeatable options take all words that follow them, up to the next option.

    Only where the command's argument (TASK) stands first, as it usually does: a word that follows an option could
    otherwise be the argument.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Write the option again before each further word, then read the arguments as always."""
        if args and not args[0].startswith("-"):
            options = (option for option in self.params if isinstance(option, click.Option) and option.multiple)
            args = spelled_out(args, {name for option in options for name in option.opts})
        return super().parse_args(ctx, args)


def spelled_out(args: list[str], repeatable: set[str]) -> list[str]:
    """Return the arguments with each further word of a repeatable option behind that option.

    >>> spelled_out(["task", "--train", "a", "b", "--seed", "1"], {"--train"})
    ['task', '--train', 'a', '--train', 'b', '--seed', '1']
    """
    spelled: list[str] = []
    current = ""
    for before, word in zip(["", *args], args, strict=False):
        if word.startswith("-") and word != "-":
            name = word.partition("=")[0]
            current = name if name in repeatable else ""
        elif current and before != current:  # the first word stands behind the option already
            spelled.append(current)
        spelled.append(word)
    return spelled
