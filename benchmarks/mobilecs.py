"""Make every figure of MobileCS, one benchmark after another, and the overview in `benchmarks/MOBILECS.md`.

    python benchmarks/mobilecs.py [--work workspace] [--data FOLDER] [--only dialogue policy] [--quick] [--page]

Each part is a program of its own with a page of its own and keeps what it makes in `WORK/mobilecs_PART`, so that a run
that was stopped goes on. A part that has ended is not made again: its CPU time, exit code and output are in
`WORK/mobilecs_PART.json`; delete that file to make it anew. `--data` is a folder with the public example dialogues.
`--quick` makes all parts at sizes that show that they run, below `WORK/quick`, and writes no page. `--page` makes
nothing and writes the overview from the pages of the parts. Leaves with exit code 1 where a part did.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec

from duologue.core.disk import write_text
from mobilecs_page import Made, overview, with_overview

HERE = Path(__file__).parent
PAGE = HERE / "MOBILECS.md"
TEST_DATA, MODEL_REPLIES = "calls-2001-4000/track2/test.json", "agent/test.pred.json"
"""Where the part `dialogue` keeps its test calls and the replies of the agent."""


class Part(NamedTuple):
    """A benchmark of its own."""

    name: str
    program: str
    full: tuple[str, ...]
    """Arguments at full size; `WORK` stands for the folder of the part."""
    quick: tuple[str, ...]
    """Arguments at a size that shows that it runs."""
    takes_data: bool = False
    """Whether it takes public dialogues with `--data`."""


PARTS = (
    Part("corpus", "mobilecs_corpus.py", ("--write",), ("--n", "300")),
    Part("user", "mobilecs_user.py", (), ("--n", "50", "--calls", "60"), takes_data=True),
    Part("realism", "mobilecs_realism.py", (), ("--n", "60"), takes_data=True),
    Part(
        "extraction",
        "mobilecs_extraction.py",
        ("--work", "WORK", "--models", "pipeline", "pipeline-all", "extractor", "--write"),
        ("--work", "WORK", "--n", "60", "--models", "pipeline", "extractor", "--profiles", "crowd"),
        takes_data=True,
    ),
    Part(
        "dialogue",
        "mobilecs_dialogue.py",
        ("--work", "WORK"),
        ("--work", "WORK", "--calls", "60", "--tests", "60", "--played", "3", "--out", "WORK/page.md"),
    ),
    Part(
        "policy",
        "mobilecs_policy.py",
        ("--work", "WORK", "--write"),
        ("--work", "WORK", "--n", "40", "--goals", "10", "--ablate"),
    ),
    Part(
        "semi",
        "mobilecs_semi.py",
        ("--work", "WORK"),
        ("--work", "WORK", "--shares", "1", "--seeds", "1", "--out", "WORK/page.md"),
    ),
)


def command(part: Part, work: Path, data: Path | None, *, quick: bool) -> list[str]:
    """Return the command of a part, without the interpreter."""
    folder = str(work / f"mobilecs_{part.name}")
    arguments = [one.replace("WORK", folder) for one in (part.quick if quick else part.full)]
    public = ["--data", str(data)] if data is not None and part.takes_data and not quick else []
    return [f"benchmarks/{part.program}", *arguments, *public]


def make(part: Part, work: Path, data: Path | None, *, quick: bool) -> Made:
    """Run a part, show what it prints, and keep that with its exit code and CPU time."""
    words = command(part, work, data, quick=quick)
    (work / f"mobilecs_{part.name}").mkdir(parents=True, exist_ok=True)
    print(f"{part.name}: python {' '.join(words)}", flush=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *words], cwd=HERE.parent, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    shown = command(part, Path("workspace"), None, quick=quick)
    made = Made(command=shown, exit_code=done.returncode, seconds=round(seconds, 1), printed=done.stdout)
    print(done.stdout.rstrip(), f"{part.name}: exit code {done.returncode}, {seconds:.0f} s of CPU time", sep="\n")
    if done.returncode in {0, 1}:  # 1: a figure that must hold does not
        write_text(kept(part, work), msgspec.json.encode(made).decode())
    return made


def kept(part: Part, work: Path) -> Path:
    """Return the file of what is kept of a part that has ended."""
    return work / f"mobilecs_{part.name}.json"


def main(words: list[str] | None = None) -> int:
    """Make what is missing, one part after another; write the overview."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("workspace"), help="folder of what is made")
    parser.add_argument("--data", type=Path, help="folder of the public data")
    parser.add_argument("--only", nargs="+", choices=[part.name for part in PARTS], help="parts that are made")
    parser.add_argument("--quick", action="store_true", help="small sizes, no page")
    parser.add_argument("--page", action="store_true", help="make nothing, write the overview")
    chosen = parser.parse_args(words)
    work = (chosen.work / "quick" if chosen.quick else chosen.work).resolve()
    data = chosen.data.resolve() if chosen.data is not None else None
    made: dict[str, Made] = {}
    for part in PARTS:
        path = kept(part, work)
        if path.is_file():
            made[part.name] = msgspec.json.decode(path.read_bytes(), type=Made)
        elif not chosen.page and (chosen.only is None or part.name in chosen.only):
            made[part.name] = make(part, work, data, quick=chosen.quick)
    if not chosen.quick:
        commands = {part.name: command(part, Path("workspace"), None, quick=False) for part in PARTS}
        folder = work / "mobilecs_dialogue"
        text = overview(HERE, commands, made, (folder / TEST_DATA, folder / MODEL_REPLIES))
        write_text(PAGE, with_overview(PAGE.read_text(encoding="utf-8"), text))
    return int(any(one.exit_code for one in made.values()))


if __name__ == "__main__":
    raise SystemExit(main())
