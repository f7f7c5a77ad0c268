from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from duologue.terminal.texts import demand_utf8


@click.group()
def group() -> None:
    """Hold a command."""


@group.command()
@click.option("--title", default="none")
@click.option("--file", type=click.Path(path_type=Path), default=Path("x"))
@click.option("--names", nargs=2, default=("a", "b"))
def told(title: str, file: Path, names: tuple[str, str]) -> None:
    click.echo(f"{title} {names[0]} {len(str(file))}")


@pytest.mark.parametrize("words", [("--title", "a\udcff"), ("--names", "a", "\udcff")])
def test_text_that_is_no_utf8_is_refused_by_the_name_of_its_option(words: tuple[str, ...]) -> None:
    outcome = CliRunner().invoke(demand_utf8(group), ["told", *words])
    assert outcome.exit_code == 2
    assert words[0] in outcome.output
    assert "\\udcff' holds bytes that are no UTF-8" in outcome.output


def test_paths_may_have_any_name_and_texts_any_character() -> None:
    outcome = CliRunner().invoke(demand_utf8(group), ["told", "--title", "中 é", "--file", "\udcff"])
    assert outcome.exit_code == 0, outcome.output
    assert outcome.output == "中 é a 1\n"
