"""`duologue data chats`: dialogues in the chat files of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.exports.chats.forms import FORMS, convert_chats
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

_TABLE = "; ".join(f"{one.name}: {one.about}" for one in FORMS)


@click.command()
@click.argument("path", type=options.PATH, metavar="FILE")
@click.option("--from", "source", required=True, metavar="FORM", help="The form of FILE, or the task whose data it is.")
@click.option("--to", "target", required=True, metavar="FORM", help=f"The form to be written. {_TABLE}.")
@click.option("--out", type=options.OUT_FILE, required=True, help="The file to write.")
@options.force_option
@options.json_option
def chats(*, path: Path, source: str, target: str, out: Path, as_json: bool) -> None:
    """Turn a FILE of dialogues from the chat form of one tool into that of another, or a task's data into any.

    Forms are openai (JSON lines), sharegpt (a JSON list), convlab (dialogues.json, its folder or data.zip; written as
    data.zip where --out ends in .zip) and, to be written alone, lines. All problems of FILE are told at once. Only what
    is said goes along: knowledge, goals and candidates stay; an instruction before the first turn goes from openai to
    sharegpt and back, and annotations of convlab files to convlab.

    Texts stay as they are: `duologue data import dialogues` replaces personal data, and reads these
    forms too.

    \b
    Examples:
      duologue data chats train.txt --from proactive --to openai --out train.jsonl
      duologue data chats chats.jsonl --from openai --to lines --out dialogues.txt
      duologue data chats multiwoz/data.zip --from convlab --to sharegpt --out multiwoz.json
    """
    done = convert_chats(source, target, path, out)
    if as_json:
        console.as_json({"out": str(out), **done._asdict()})
        return
    console.line(f"{out}: {amount(done.dialogues, 'dialogue')}, {amount(done.turns, 'turn')}")
    if done.left_out:
        console.line(f"  left out: {amount(done.left_out, 'turn')} that {target} has no place for")
