"""Writes `docs/mission.md`, every requirement of the challenges with what shows it, and runs its commands.

    python docs/mission.py [--check] [--run FOLDER [--only CHALLENGE]]

What it says is in `docs/mission/*.toml`. `--check` compares the page only; `--run` carries all commands out in one
shell in an empty folder, one challenge after the other, and names the requirement whose command fails.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "mission.md"
CHALLENGES = ("restaurant", "conversation", "proactive", "spoken", "mobilecs")
KEYS = {"id", "what", "run", "tests", "see", "partly", "next"}
SHOWS_NOTHING = re.compile(r"\s(--help|-h|--dry-run)\b|^duologue list\b")
"""A command that tells what there is, and does nothing of it."""
HEAD = """# What the challenges ask for, and what shows it

Every requirement of the five challenge documents, in their order. *whole*: the commands show it, on small data of our
own making; tests and pages named tell how well. *partly*: what is missing, and the next step, stand beside it. No
requirement stands on help, a list or a dry run alone. `make mission` runs all commands below as they
stand, one after the other, in an empty folder (`golden` and `examples` are `tests/golden` and
`docs/examples` of a clone). This page is written by
`docs/mission.py` from `docs/mission/*.toml`.
"""


def requirements(challenge: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the title of a challenge and its requirements. Raises `ValueError` for one that no command shows."""
    data = tomllib.loads((ROOT / "docs" / "mission" / f"{challenge}.toml").read_text(encoding="utf-8"))
    for one in data["requirement"]:
        if not set(one) <= KEYS or not {"id", "what", "run"} <= set(one):
            raise ValueError(f"{challenge}.toml, {one.get('id')}: keys are {sorted(KEYS)}")
        if all(SHOWS_NOTHING.search(line) for line in one["run"]):
            raise ValueError(
                f"{challenge}.toml, {one['id']}: found run = {one['run']}, expected a command that does it; help, "
                "lists and dry runs show nothing. Add one that works on small data."
            )
        if ("partly" in one) != ("next" in one):
            raise ValueError(f"{challenge}.toml, {one['id']}: `partly` (what is missing) and `next` go together")
        for path in [*one.get("tests", []), *([one["see"]] if "see" in one else [])]:
            if not (ROOT / path).exists():
                raise ValueError(f"{challenge}.toml, {one['id']}: there is no {path}")
    return data["title"], data["requirement"]


def page() -> str:
    """Return the page."""
    parts = [HEAD]
    for challenge in CHALLENGES:
        title, found = requirements(challenge)
        parts.append(f"## {title}\n")
        for one in found:
            parts.append(f"**{one['id']}** {one['what']}: *{'partly' if 'partly' in one else 'whole'}*\n")
            if "partly" in one:
                parts.append(f"{one['partly']} Next: {one['next']}\n")
            places = [f"`{path}`" for path in one.get("tests", [])]
            if "see" in one:
                link = os.path.relpath(ROOT / one["see"], PAGE.parent)
                places.append(f"[{Path(one['see']).name}]({link})")
            if places:
                parts.append(f"Shown by {' and '.join(places)}.\n")
            parts.append("```console\n" + "".join(f"$ {line}\n" for line in one["run"]) + "```\n")
    return "\n".join(parts)


def run(folder: Path, challenges: Sequence[str]) -> int:
    """Carry all commands of challenges out in a new folder; return 1, with the requirement named, when one fails."""
    folder.mkdir(parents=True)
    (folder / "golden").symlink_to(ROOT / "tests" / "golden")
    (folder / "examples").symlink_to(ROOT / "docs" / "examples")
    lines = ["set -eo pipefail"]
    for challenge in challenges:
        for one in requirements(challenge)[1]:
            lines += [f"echo '== {one['id']}'", *one["run"]]
    done = subprocess.run(  # noqa: S603  # our own commands
        [shutil.which("bash") or "bash", "-c", "\n".join(lines)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "100"},
    )
    sys.stdout.write(done.stdout)
    if done.returncode:
        last = [line for line in done.stdout.splitlines() if line.startswith("== ")][-1]
        sys.stderr.write(f"{last}: a command failed (exit code {done.returncode})\n{done.stderr}")
        return 1
    return 0


def main() -> int:
    """Write or check the page, or run its commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say whether the page is up to date; write nothing")
    parser.add_argument("--run", type=Path, help="a folder that is not there yet, to run the commands in")
    parser.add_argument("--only", choices=CHALLENGES, action="append", help="commands of this challenge alone")
    given = parser.parse_args()
    if given.run:
        return run(given.run, given.only or CHALLENGES)
    text = page()
    if given.check:
        if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
            sys.stderr.write("docs/mission.md is out of date: python docs/mission.py\n")
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
