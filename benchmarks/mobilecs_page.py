"""The overview that `mobilecs.py` writes: figures taken from the pages of the parts, so that both say the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.intents import intent_of
from duologue.challenges.mobilecs.schema.ontology import STAFF_TEXT, USER_TEXT
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.records import Record
from mobilecs_figures import FIGURES, figure_of, judged

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from duologue.core.records import Example

BEGIN, END = "<!-- overview: made by benchmarks/mobilecs.py -->", "<!-- overview: end -->"
SHOWN, LONGEST = 10, 9
"""Dialogues that are shown, and turns of the longest of them."""
PAGES = {
    "corpus": "MOBILECS.md",
    "extraction": "MOBILECS_EXTRACTION.md",
    "dialogue": "MOBILECS_DIALOGUE.md",
    "policy": "MOBILECS_POLICY.md",
    "semi": "MOBILECS_SEMI.md",
}


class Made(Record, frozen=True, kw_only=True):
    """What is kept of a part that has ended."""

    command: list[str]
    exit_code: int
    seconds: float
    """Of CPU time."""
    printed: str


def overview(
    folder: Path, commands: Mapping[str, list[str]], made: Mapping[str, Made], dialogues: tuple[Path, Path]
) -> str:
    """Return the overview of the pages in a folder, and dialogues of test calls and the agent's replies to them."""
    pages = {
        part: (folder / name).read_text(encoding="utf-8") for part, name in PAGES.items() if (folder / name).is_file()
    }
    figures = [
        [one.what, found, one.must, judged(one, found), f"[{one.part}]({PAGES[one.part]})"]
        for one in FIGURES
        for found in [figure_of(one, pages.get(one.part, ""))]
    ]
    return "\n".join(
        [
            _HEAD,
            table(["part", "command", "CPU time", "page"], [_part(*one, made) for one in commands.items()]),
            _FIGURES,
            table(["figure", "found", "must", "holds", "page"], [*_checks(pages.get("corpus", "")), *figures]),
            *_printed(made),
            _REAL,
            *(_dialogues(*dialogues) if all(path.is_file() for path in dialogues) else ()),
        ]
    )


def with_overview(page: str, text: str) -> str:
    """Return the page with this overview in the place of its last one, or below the title.

    The dialogues of the last one stay where this one has none: they need the replies of an agent, figures do not.
    """
    before, found, rest = page.partition(BEGIN)
    if not found:
        title, _, after = page.partition("\n")
        return f"{title}\n\n{BEGIN}\n{text}{END}\n\n{after.lstrip()}"
    last, _, after = rest.partition(END)
    _, had, dialogues = last.partition(_DIALOGUES)
    kept = f"\n{had}{dialogues}" if had and _DIALOGUES not in text else ""
    return f"{before}{BEGIN}\n{text}{kept}{END}{after}"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table."""
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows]) + "\n"


def _part(name: str, command: list[str], made: Mapping[str, Made]) -> list[str]:
    page = f"[{PAGES[name]}]({PAGES[name]})" if name in PAGES else "below" if name in made else ""
    time = f"{made[name].seconds / 60:.1f} min" if name in made else ""
    return [name, f"`python {' '.join(command)}`", time, page]


def _checks(page: str) -> list[list[str]]:
    """Return the figures of the corpus, which are sections of this page."""
    found = re.findall(r"^### Profile `(\w+)`: (\d+ of \d+) hold", page, re.MULTILINE)
    return [
        [name, held, "all", "yes" if len({*held.split(" of ")}) == 1 else "**no**", "[corpus](#the-generated-corpus)"]
        for name, held in ((f"acceptance checks of generated calls, `{one}`", held) for one, held in found)
    ]


def _printed(made: Mapping[str, Made]) -> list[str]:
    """Return what parts without a page printed."""
    shown = [f"```\n{made[name].printed.rstrip()}\n```\n" for name in ("user", "realism") if name in made]
    return [_USERS, *shown] if shown else []


def _dialogues(truth: Path, replies: Path) -> list[str]:
    """Return short test calls with a request, as the agent answered them."""
    task = DialogueTask()
    examples = list(task.load(truth))
    answers = task.answers(task.read(replies), examples)
    calls: dict[str, list[Example]] = {}
    for one in examples:
        calls.setdefault(one.sample.dialogue_id, []).append(one)
    parts = [_DIALOGUES]
    for turns in calls.values():
        goal, source = turns[0].user_goal, turns[0].source
        if len(parts) > SHOWN or goal is None or len(turns) > LONGEST or not any(one.asked for one in goal.items):
            continue
        base = "; ".join(
            f"{key}: {', '.join(f'{slot} {value}' for slot, value in slots.items())}"
            for key, slots in source["KB"].items()
        )
        rows = []
        for one, turn in zip(turns, source["content"], strict=True):
            said = answers[one.sample.id]
            acts = said.annotation.acts if said.annotation is not None else ()
            understood, does = (intent_of(act for act in acts if act.speaker == who) for who in ("user", "system"))
            rows.append([turn[USER_TEXT], understood, said.text or "", does, turn[STAFF_TEXT]])
        head = ["user (generated)", "`agent` understands", "`agent` says", "`agent` does", "staff (generated)"]
        parts.append(f"{len(parts)}. Knowledge base: {base}\n\n" + table(head, rows))
    return parts


_HEAD = """
All figures of MobileCS, written by `python benchmarks/mobilecs.py`, which runs the programs below one after another and
goes on where it was stopped (`--quick`: everything in small, to see that it runs). The figures stand in the pages of
the parts, with intervals, tests, ablations and errors by kind; they are repeated here, not measured again. A part
without a time was made by its own command. Everything is generated; only `extraction`, `user` and `realism` look at the
20 public dialogues too, with `--data`.
"""
_FIGURES = """## Figures

Corpora of training and test are of different seeds throughout; brackets are 95 % intervals. All times
are CPU time on a busy two-core machine.
"""
_USERS = """## Simulated users

What `user` and `realism` printed:
"""
_REAL = """## What the real corpus would change

It is given out under an agreement; who has it puts the files where `duologue data mobilecs` says, and every
command here takes them with `--train` and `--gold` in the place of the generated ones. To be expected then:

* **Lower figures.** Generated calls of different seeds share one simulator: its phrases, its ways to ask for a
  slot, its noise. The published pipeline has an entity F1 of 33.5 on the real test set; on the 20 public
  dialogues, systems that learned from generated calls stay near 16, with wide intervals.
* **Less success to measure.** Ten per cent of the questions have arguments there, not forty: fewer dialogues
  count.
* **Longer training.** 8,975 annotated dialogues, ten to twelve times those here; vocabularies grow with them.
* **More from unlabelled calls.** 87,933 of them, in words that the annotated ones do not have; here both parts
  come from the same few thousand phrases.
* **Coherence matters.** Generated turns often do not answer each other (see below), so what to ask back and
  when to confirm is arbitrary here, and the staff's intents cannot be predicted much better than they are.
* **Policies** were learned and measured with simulated users. Only people can say what the reward is worth.
"""
_DIALOGUES = """## Ten dialogues

The first short test calls with a request. User and staff are generated, the user's turns are fixed and answer the
generated staff; `agent` answers each from the user's words, the knowledge base and its own earlier replies.
"""
