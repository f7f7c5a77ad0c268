"""A note of judged pairs, made without a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.judges.conftest import GOLD, written

from duologue.core.plugins import load_task
from duologue.endpoints.account import Account
from duologue.judges.calls import JudgeWords
from duologue.judges.note import calls_path, note_path, write_note
from duologue.judges.pairs import pairs_of
from duologue.judges.recipe import JudgeRecipe
from duologue.judges.results import JudgedFiles
from duologue.judges.session import Judged, JudgeSession
from duologue.ratings.rows import ratings_text

if TYPE_CHECKING:
    from pathlib import Path

CHOICES = ('{"better": "A"}', '{"better": "B"}', '{"better": "tie"}')


def note_of_pairs(folder: Path, said: str = "") -> Path:
    """Write a note of twelve pairs with its files: won by the first system, by the second, and ties, in turn.

    With `said`, that is what the judge says to all of them.
    """
    gold = folder / "gold.txt"
    gold.write_bytes(GOLD.read_bytes())
    short = written(folder, "short", ["sorry", "ok", "why ?"])
    long = written(folder, "long", ["sorry about that", "ok then", "ok"])
    files = JudgedFiles((short, long), golds=(gold,))
    out = folder / "pairs.csv"
    calls_path(out).write_bytes(b"")
    recipe = JudgeRecipe(url="http://127.0.0.1:9/v1", model="m", replay=str(calls_path(out)), repeats=0.0, injections=0)
    session = JudgeSession(load_task("conversation"), files, recipe, kind="pairs")
    texts = []
    for place, call in enumerate(session.calls):
        wanted = CHOICES[place // 2 % 3]
        texts.append({CHOICES[0]: CHOICES[1], CHOICES[1]: CHOICES[0]}.get(wanted, wanted) if call.swapped else wanted)
    words = JudgeWords(tuple(said or text for text in texts), Account())
    one, other = session.systems.values()
    made = pairs_of(session.prompt, session.calls, words.texts, recipe, ("short", "long"), (one, other))
    out.write_text(ratings_text(made.preferences, out), encoding="utf-8")
    judged = Judged((), made.preferences, made.report, {})
    write_note(
        out, session, judged, task=load_task("conversation").info, files=files, kb=None, n=0, calls=calls_path(out)
    )
    return note_path(out)
