from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from duologue.cli.several import SeveralFiles


@click.command(cls=SeveralFiles)
@click.argument("task")
@click.option("--input", "--train", "data", multiple=True)
@click.option("--held-out", multiple=True)
@click.option("--seed", type=int, default=1)
@click.option("--quiet", is_flag=True)
def listing(*, task: str, data: tuple[str, ...], held_out: tuple[str, ...], seed: int, quiet: bool) -> None:
    click.echo(f"{task}|{' '.join(data)}|{' '.join(held_out)}|{seed}|{quiet}")


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("t --train a b c", "t|a b c||1|False"),
        ("t --train a --train b", "t|a b||1|False"),
        ("t --train a b --seed 3 --input c", "t|a b c||3|False"),
        ("t --train=a b --held-out x y --quiet", "t|a b|x y|1|True"),
        ("t --quiet --train a -", "t|a -||1|True"),
        ("--train a t", "t|a||1|False"),
        ("t", "t|||1|False"),
    ],
)
def test_a_repeatable_option_takes_all_words_up_to_the_next_option(line: str, read: str) -> None:
    assert CliRunner().invoke(listing, line.split()).output.strip() == read


def test_a_word_that_belongs_to_no_option_is_refused() -> None:
    assert CliRunner().invoke(listing, ["t", "--seed", "1", "stray"]).exit_code == 2
