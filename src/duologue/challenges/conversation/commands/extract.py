"""`duologue data extract`: dialogue text from what was collected or downloaded; one subcommand for each source."""

from __future__ import annotations

import click

from duologue.challenges.conversation.commands.subtitles import add_subtitles
from duologue.challenges.conversation.commands.twitter import add_twitter
from duologue.terminal import options


@click.group(cls=options.CommandGroup)
def extract() -> None:
    """Make dialogue text from collected or downloaded data.

    \b
    Examples:
      duologue data extract twitter store --profile trial --out dialogues.txt
      duologue data extract subtitles en.tar.gz --profile official --ratios 0.9,0.1 --out subtitles
    """


add_twitter(extract)
add_subtitles(extract)
