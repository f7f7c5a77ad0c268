"""What the documentation says is what the code does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.challenges.proactive.live.test_goals import graph

ROOT = Path(__file__).resolve().parents[1]
PROJECT_PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "llms.txt")]
PAGES = sorted([*PROJECT_PAGES, *(ROOT / "docs").rglob("*.md")])


def test_the_reference_pages_are_up_to_date_however_wide_the_terminal_is() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "build.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "100"},
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
        while isinstance(command, click.Group) and words and words[0] in command.list_commands(context):
            command = command.get_command(context, words.pop(0))
        assert command is not None
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        assert not [word for word in words if word.startswith("--") and word not in known], line


def test_every_page_of_results_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "benchmarks").glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"(benchmarks/{name})" not in readme} == set()


def test_no_line_of_prose_begins_with_a_mark() -> None:
    texts = [*PAGES, *(ROOT / "benchmarks").glob("*_page.py")]  # a page of results is what its program wrote last
    found = {path.name: re.findall(r"^[,;:.)!?] ?[^\W\d].*", path.read_text("utf-8"), re.MULTILINE) for path in texts}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.slow
def test_the_pictures_show_what_the_commands_print() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "pictures.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    board, talk = ((ROOT / "docs" / "pictures" / f"{name}.svg").read_text("utf-8") for name in ("board", "talk"))
    assert "solver" in board
    assert "api_call" in talk
    assert "url(http" not in board + talk  # no font of another host


def test_the_readme_is_short_and_starts_with_two_commands() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 150
    assert [line.split("#")[0].strip() for line in lines if line.startswith("$ ")][:2] == ["$ make demo", "$ make test"]


@pytest.mark.slow
def test_the_python_on_pages_is_right_by_its_types(tmp_path: Path) -> None:
    """Classes of a reader may leave out annotations, as short examples do; what is in them is looked at."""
    pytest.importorskip("mypy", reason="types are checked where they are in `make types`")
    blocks = {
        page: re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL) for page in PAGES
    }
    written = []
    for page, parts in blocks.items():
        if parts:
            written.append(tmp_path / f"{page.stem.replace('-', '_')}_page.py")
            written[-1].write_text("\n".join(parts), encoding="utf-8")
    assert len(written) > 5
    words = ("--allow-untyped-defs", "--allow-untyped-calls", "--allow-incomplete-defs", "--check-untyped-defs")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, *written],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


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


class Step(NamedTuple):
    """A command as a page shows it, with what is typed while it runs and what it prints."""

    command: str
    typed: list[str]
    shown: list[str]


def steps_in(text: str) -> list[Step]:
    """Return the commands of the console blocks of a text."""
    steps: list[Step] = []
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append(Step(line[2:], [], []))
            elif line.startswith("you> "):
                steps[-1].typed.append(line.removeprefix("you> "))
            else:
                steps[-1].shown.append(line)
    return steps


def printed_by(steps: list[Step], folder: Path) -> list[list[str]]:
    """Run steps one after the other in one shell; return the lines that each prints."""
    lines = ["export COLUMNS=100"]
    for step in steps:
        lines += [f"{step.command} <<'TYPED'", *step.typed, "TYPED"] if step.typed else [step.command]
        lines.append("echo; echo NEXT STEP")
    printed = in_a_shell(lines, folder).split("\nNEXT STEP\n")[:-1]
    return [[line.rstrip().removeprefix("you> ") for line in one.splitlines()] for one in printed]


def expect_shown(step: Step, printed: list[str]) -> None:
    """Demand that what a page shows was printed, in its order; dots at the end stand for the rest of a line."""
    at = 0
    for line in step.shown:
        start = line.removesuffix("...")
        found = [
            place
            for place, one in enumerate(printed[at:], start=at)
            if one == line or (start != line and one.startswith(start))
        ]
        assert found, f"{step.command}\nnever printed after line {at}: {line!r}\n" + "\n".join(printed)
        at = found[0] + 1


def five_minutes() -> list[Step]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return steps_in(text.partition("## Five minutes\n")[2].partition("\n## ")[0])


@pytest.mark.slow
def test_five_minutes_without_training_print_what_the_readme_shows(tmp_path: Path) -> None:
    steps = [step for step in five_minutes() if "ranker" not in step.command and "model" not in step.command]
    assert len(steps) == 8
    for step, printed in zip(steps, printed_by(steps, tmp_path), strict=True):
        expect_shown(step, printed)
        if step.command.startswith("duologue score"):
            assert printed[: len(step.shown)] == step.shown


@pytest.mark.slow
def test_five_minutes_run_as_they_stand_and_what_is_learned_is_better_than_chance(tmp_path: Path) -> None:
    steps = five_minutes()
    assert len(steps) == 10
    score = "duologue score restaurant model.pred.json --gold $FILE.answers.json --out model.report.json"
    more = [Step(score, [], []), Step("duologue compare model.report.json random.report.json", [], [])]
    *printed, _, compared = printed_by(steps + more, tmp_path)
    for step, lines in zip(steps, printed, strict=True):
        expect_shown(step, lines)
    (first,) = [line for line in compared if line.startswith("p@1")]
    assert first.split()[-1] == "A"


@pytest.mark.slow
def test_the_commands_of_the_endpoint_page_run_as_they_stand(tmp_path: Path) -> None:
    pytest.importorskip("httpx", reason="the client of endpoints is optional")
    from tests.endpoint_stub import Stub

    lines = commands_in("docs/guide/your-endpoint.md")
    assert sum("--system endpoint" in line for line in lines) == 6
    with Stub() as server:
        told = in_a_shell([line.replace("http://127.0.0.1:8000/v1", server.url) for line in lines], tmp_path)
    assert "20 answers take 40 calls, 0 of them kept from before" in told
    assert "not as asked: 0 of 20" in told
    assert "p@1" in told
    assert "user-leaks" in told
    guests = sum("Your card:" in one["messages"][-1]["content"] for one in server.asked)
    assert (len(server.asked) - guests, guests > 2) == (40 + 20, True)


@pytest.mark.slow
def test_the_commands_of_the_judge_page_run_as_they_stand(tmp_path: Path) -> None:
    pytest.importorskip("httpx", reason="the client of endpoints is optional")
    from tests.endpoint_stub import Stub
    from tests.judges.judge_stub import answers_and_judges

    data = ROOT / "tests/golden/conversation/contract/evaluation.txt"
    (tmp_path / "evaluation.txt").write_bytes(data.read_bytes())
    fill_in = (
        f"{sys.executable} -c \"import csv; rows = list(csv.reader(open('sheet.csv'))); "
        "[row.__setitem__(slice(2, 4), [str(1 + n % 5), 'ann']) for n, row in enumerate(rows) if n]; "
        "csv.writer(open('people.csv', 'w')).writerows(rows)\""
    )
    lines = commands_in("docs/guide/judge.md")
    assert sum(line.startswith("duologue judge") for line in lines) == 3
    with Stub(brain=answers_and_judges) as server:
        typed = [line.replace("http://127.0.0.1:8000/v1", server.url) for line in lines]
        told = in_a_shell([fill_in if line.startswith("cp ") else line for line in typed], tmp_path)
    assert "UNCALIBRATED: no human labels" in told
    assert "kappa with people" in told
    assert "UNCALIBRATED" in told.partition("kappa with people")[2]  # 24 labels
    assert told.count("equal, ") == 2
    assert (tmp_path / "dpo.jsonl").read_text(encoding="utf-8").count('"chosen"') == 12


@pytest.mark.slow
def test_the_commands_of_the_page_on_campaigns_run_as_they_stand(tmp_path: Path) -> None:
    told = in_a_shell(commands_in("docs/guide/campaigns.md"), tmp_path)
    assert "2 items of 3 systems, 2 raters each: 12 ratings." in told
    assert told.count("http://127.0.0.1:8000/enter/") == 2
    assert "0 of 12 ratings" in told
    assert "items find a difference of 0.5" in told


@pytest.mark.slow
def test_the_commands_of_the_page_on_pre_trained_models_run_as_they_stand(tmp_path: Path) -> None:
    from tests.tiny_models import save_tiny

    save_tiny(tmp_path / "my-model", "gpt2", ["hello", "api_call", "您好，请问有什么可以帮您"])
    lines = commands_in("docs/guide/hub-models.md")
    assert sum("my-model" in line for line in lines) == 3
    told = in_a_shell(lines, tmp_path)
    assert told.count("p@1") > 2
    assert "model saved in gpt2" in told


@pytest.mark.slow
def test_the_commands_of_the_annotation_page_run_as_they_stand(tmp_path: Path) -> None:
    lines = commands_in("docs/guide/annotation.md")
    assert {line.split()[2] for line in lines if line.startswith("duologue annotate")} == {
        "new", "import", "suggest", "assign", "status", "agreement", "adjudicate", "export",
    }  # fmt: skip
    told = in_a_shell(lines, tmp_path)
    assert told.count("link: /enter/") == 3
    assert "mentions: F1 1.000" in told
    assert "intents, alpha (nominal): 1.000" in told
    assert "10 dialogues in annotated.json" in told


@pytest.mark.slow
def test_the_commands_of_the_page_of_talks_run_as_they_stand(tmp_path: Path) -> None:
    rows = [f"{fact.subject}\t{fact.relation}\t{fact.object}\n" for fact in graph(20)]
    (tmp_path / "graph.tsv").write_text("".join(rows), encoding="utf-8")
    told = in_a_shell(commands_in("docs/guide/talk.md"), tmp_path)
    assert "20 goals with their knowledge in goals.jsonl" in told
    assert "Call the operator: mobilecs/dialogue with rule-agent, open" in told
    assert "Films and people: proactive in pairs, open" in told


@pytest.mark.slow
def test_the_commands_of_the_bot_page_run_as_they_stand(tmp_path: Path) -> None:
    page = (ROOT / "docs/guide/your-own-bot.md").read_text(encoding="utf-8")
    bot = re.search(r"```python\n# bot.py\n(.*?)```", page, flags=re.DOTALL)
    assert bot is not None
    (tmp_path / "bot.py").write_text(bot[1], encoding="utf-8")
    assert "system process" in in_a_shell(commands_in("docs/guide/your-own-bot.md"), tmp_path, "/quit\n")
