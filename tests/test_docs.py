"""What the documentation says is what the code does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(path for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def test_the_reference_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "build.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_shown_is_a_verb_with_options_that_exist(page: Path) -> None:
    import click

    from duologue.cli.main import VERBS, cli

    context = click.Context(cli)
    for line in re.findall(r"^\s*\$ duologue ([^\n|>]*)", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        verb, *words = line.split()
        assert verb in VERBS, line
        command = cli.get_command(context, verb)
        while isinstance(command, click.Group) and words and words[0] in command.commands:
            command = command.commands[words.pop(0)]
        assert command is not None
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        assert not [word for word in words if word.startswith("--") and word not in known], line
