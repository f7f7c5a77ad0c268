"""Time and memory of importing a customer-support table as large as the real one.

`python benchmarks/twcs.py [--rows 2811774]` writes a table of that many rows (about 0.5 GB, made for this: threads of
customers and companies, ids not in time order, line breaks in texts, replies to posts that are not there), imports it
with `duologue data import twcs`, once as it is and once anonymous, and prints wall time, processor time and memory.
Leaves with exit code 1 above 60 seconds of processor time, 180 with the anonymiser, or 1 GB: on a quiet machine
processor time is wall time, for it works in one process.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from duologue.challenges.conversation.collector.importers.twcs import COLUMNS

ROWS = 2_811_774
"""Rows of the real table."""
MAX_SECONDS = {"--keep-personal-data": 60.0, "": 180.0}
"""By option: the anonymiser looks at every text."""
MAX_BYTES = 1_000_000_000
_COMPANIES = [f"Company{number:02}Help" for number in range(108)]
_TEXT = (
    "thanks for reaching out please send us a direct message with your account number so that we can look into it "
    "my order has not arrived since last week and nobody answers the phone can anyone help me with this"
)
_DAYS = 60
_START = 1_506_816_000
"""First of October 2017, UTC."""


def write_table(path: Path, rows: int) -> None:
    """Write a table with ids shuffled within runs of 4,096, and runs that jump about in time, as in the real one."""
    chance = Random(1)
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        made = 0
        while made < rows:
            size = min(4_096, rows - made)
            ids = list(range(made + 1, made + size + 1))
            chance.shuffle(ids)
            writer.writerows(_run(chance, ids, _START + chance.randrange(_DAYS * 86_400)))
            made += size


def _run(chance: Random, ids: list[int], start: int) -> list[list[str]]:
    table: list[list[str]] = []
    words = _TEXT.split()
    while len(table) < len(ids):
        company = chance.choice(_COMPANIES)
        customer = str(115_712 + chance.randrange(700_000))
        parent = str(ids[0] + 3_000_000) if chance.random() < 0.1 else ""
        for turn in range(chance.choice((2, 2, 2, 3, 4, 6))):
            at = len(table)
            if at == len(ids):
                break
            own = turn % 2 == 1
            moment = time.gmtime(start + at)
            said = " ".join(chance.choices(words, k=chance.randrange(8, 30)))
            text = f"@{customer if own else company} {said}" + ("\nthank you, all" if chance.random() < 0.1 else "")
            created = time.strftime("%a %b %d %H:%M:%S +0000 %Y", moment)
            table.append([str(ids[at]), company if own else customer, str(not own), created, text, "", parent])
            parent = str(ids[at])
    return table


def main() -> int:
    """Print the table of figures; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument(
        "--folder", type=Path, default=None, help="where the files go; they are kept (default: a temporary one)"
    )
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp())
    table = folder / f"twcs-{given.rows}.csv"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not table.is_file():
            write_table(table, given.rows)
        print(f"rows {given.rows:,}, table {table.stat().st_size / 1e6:,.0f} MB")
        return max([_imported(table, folder / "store", option) for option in MAX_SECONDS])
    finally:
        if given.folder is None:
            shutil.rmtree(folder)


def _imported(table: Path, store: Path, option: str) -> int:
    """Import the table, print a line of figures, and return 1 where one must not be."""
    shutil.rmtree(store, ignore_errors=True)
    start = time.perf_counter()
    arguments = ["data", "import", "twcs", str(table), "--store", str(store), *([option] if option else [])]
    code = "from duologue.cli.main import main; main()"
    process = subprocess.Popen([sys.executable, "-c", code, *arguments])
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    processor = usage.ru_utime + usage.ru_stime
    memory = usage.ru_maxrss * 1024
    print(option or "anonymous")
    print(f"  store {sum(file.stat().st_size for file in store.iterdir() if file.is_file()) / 1e6:,.0f} MB")
    print(f"  wall {wall:.1f} s, processor {processor:.1f} s (must: {MAX_SECONDS[option]:.0f})")
    print(f"  memory {memory / 1e6:,.0f} MB (must: {MAX_BYTES / 1e6:,.0f})")
    return int(status != 0 or processor > MAX_SECONDS[option] or memory > MAX_BYTES)


if __name__ == "__main__":
    sys.exit(main())
