"""What the documentation says is what the code does."""

from __future__ import annotations

import os
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

    from duologue.cli.main import cli

    context = click.Context(cli)
    for line in re.findall(r"^\s*\$ duologue ([^\n|>]*)", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        verb, *words = line.split()
        assert verb in cli.list_commands(context), line
        command = cli.get_command(context, verb)
        while isinstance(command, click.Group) and words and words[0] in command.commands:
            command = command.commands[words.pop(0)]
        assert command is not None
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        assert not [word for word in words if word.startswith("--") and word not in known], line


def test_every_page_of_results_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "benchmarks").glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"(benchmarks/{name})" not in readme} == set()


def commands_in(page: str) -> list[str]:
    """Return the lines of a page that a reader types."""
    return re.findall(r"^\s*\$ (.*)$", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)


def in_a_shell(lines: list[str], folder: Path, said: str = "") -> str:
    """Run lines as a reader would, in a folder; return what they print."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "\n".join(["set -e", *lines])],
        input=said,
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@pytest.mark.slow
def test_the_first_steps_run_as_they_stand(tmp_path: Path) -> None:
    lines = commands_in("docs/guide/first-steps.md")
    assert len(lines) == 13
    printed = in_a_shell(lines, tmp_path, "/quit\n/quit\n")
    assert "A = ranker, B = tfidf" in printed
    assert (tmp_path / "report.html").is_file()


def test_the_first_steps_without_training_run_as_they_stand(tmp_path: Path) -> None:
    learned = ("ranker", "model", "compare", "report ")
    lines = [line for line in commands_in("docs/guide/first-steps.md") if not any(word in line for word in learned)]
    assert [line.split()[1] if line.startswith("duologue") else "FILE" for line in lines] == [
        "generate", "FILE", "show", "run", "score", "chat",
    ]  # fmt: skip
    small = [line.replace("--n 200", "--n 20 --part tst1 --subtask 1").replace("tst200", "tst20") for line in lines]
    assert "p@1" in in_a_shell(small, tmp_path, "/quit\n")


def test_the_commands_of_the_bot_page_run_as_they_stand(tmp_path: Path) -> None:
    page = (ROOT / "docs/guide/your-own-bot.md").read_text(encoding="utf-8")
    bot = re.search(r"```python\n# bot.py\n(.*?)```", page, flags=re.DOTALL)
    assert bot is not None
    (tmp_path / "bot.py").write_text(bot[1], encoding="utf-8")
    assert "system process" in in_a_shell(commands_in("docs/guide/your-own-bot.md"), tmp_path, "/quit\n")
