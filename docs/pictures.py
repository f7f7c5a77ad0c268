"""Make the pictures of the README, as SVG, from what the commands print: `make pictures`, or `python docs/pictures.py`.

A board of four systems on simulated bookings, and a talk with the rule bot; no browser, font or network is needed.
With `--check` nothing is written; the exit code is 1 where a picture does not show what the commands print today.
"""

from __future__ import annotations

import html
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

PICTURES = Path(__file__).parent / "pictures"
WIDTH = 100
DATA = "data/tst1/dialog-task1API-kb1_atmosphere-distr0.5-tst200"
SYSTEMS = ("random", "tfidf", "medoid", "solver")
TYPED = (
    "i would like a table for two in paris",
    "something cheap and italian, casual",
    "it's perfect",
)
SVG = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""Rich's own form without its fonts, which come from another host."""


def printed(command: str, folder: Path, typed: str = "") -> str:
    """Return what a command prints, with its colours."""
    words = [sys.executable, "-c", "from duologue.cli.main import main; main()", *shlex.split(command)[1:]]
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    done = subprocess.run(  # noqa: S603  # our own command
        words,
        cwd=folder,
        input=typed,
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={**environment, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color"},
    )
    return done.stdout


def board(folder: Path) -> str:
    """Return a board as a reader sees it."""
    printed("duologue generate restaurant --part tst1 --subtask 1 --seed 1 --n 200 --out data --quiet", folder)
    (folder / "results").mkdir()
    for system in SYSTEMS:
        kb = " --kb data/extendedkb1.txt" if system == "solver" else ""
        printed(f"duologue run restaurant {DATA}.json{kb} --system {system} --out results/{system}.json", folder)
    command = "duologue board restaurant results --gold TRUTH.json"
    return f"$ {command}\n" + printed(command.replace("TRUTH.json", f"{DATA}.answers.json"), folder)


def talk(folder: Path) -> str:
    """Return a talk as a reader sees it: what is typed stands where it was typed."""
    command = "duologue chat restaurant"
    shown = printed(command, folder, "\n".join(TYPED) + "\n").partition("\nTranscript:")[0]
    parts = shown.split("you> ")
    typed = "".join(f"\x1b[1;36myou> {said}\x1b[0m\n{after}" for said, after in zip(TYPED, parts[1:], strict=False))
    lines = f"$ {command}\n{parts[0]}{typed}".rstrip().splitlines()
    return "\n".join(line if len(line) <= WIDTH else line[: WIDTH - 3] + "..." for line in lines)


def picture(text: str, name: str) -> str:
    """Return what a terminal shows as an SVG."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text), crop=False, soft_wrap=False)
    svg = console.export_svg(title=f"duologue {name}", theme=DIMMED_MONOKAI, code_format=SVG, unique_id=name)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def words_in(svg: str) -> str:
    """Return the texts of a picture, whatever version of rich drew it."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    return " ".join(html.unescape(" ".join(texts)).split())


def main() -> int:
    """Write or check the pictures; return the exit code."""
    stale = []
    for name, made in (("board", board), ("talk", talk)):
        with tempfile.TemporaryDirectory() as folder:
            svg = picture(made(Path(folder)), name)
        path = PICTURES / f"{name}.svg"
        if path.is_file() and words_in(path.read_text(encoding="utf-8")) == words_in(svg):
            continue
        stale.append(path.name)
        if "--check" not in sys.argv:
            PICTURES.mkdir(exist_ok=True)
            path.write_text(svg, encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.stderr.write(f"out of date: {', '.join(stale)}; run `make pictures`\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
