from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import msgspec
import pytest
from click.testing import CliRunner
from tests.verbs import working_commands

from duologue.core.bounds import MAX_PROCESSES
from duologue.core.typed import convert
from duologue.endpoints.settings import EndpointSettings
from duologue.models.training_recipe import ParallelTrainingRecipe
from duologue.terminal.options import CountNumber, SeedNumber, workers_option

if TYPE_CHECKING:
    from pathlib import Path


def test_a_seed_can_be_counted_on_from_and_printed() -> None:
    kind = SeedNumber(min=0)
    assert str(kind.convert("9" * 1000, None, None) + 1) == "1" + "0" * 1000
    for wrong, told in (
        ("9" * 4300, "more than 1,000 digits"),
        ("-1", "not in the range"),
        ("x", "'x' is no whole number; expected one such as 1"),
    ):
        with pytest.raises(click.BadParameter, match=told):
            kind.convert(wrong, None, None)


def test_more_processes_than_any_machine_bears_are_refused() -> None:
    @click.command()
    @workers_option
    def work(*, workers: int) -> None:
        click.echo(workers)

    def told(*words: str) -> str:
        return CliRunner().invoke(work, words).output

    assert 1 <= int(told()) <= MAX_PROCESSES
    assert told("--workers", str(MAX_PROCESSES)) == f"{MAX_PROCESSES}\n"
    assert "100000 is not in the range 1<=x<=256" in told("--workers", "100000")


@pytest.mark.parametrize(
    ("kind", "name"),
    [(EndpointSettings, "workers"), (ParallelTrainingRecipe, "devices"), (ParallelTrainingRecipe, "threads")],
)
def test_recipes_refuse_them_too(kind: type[Any], name: str) -> None:
    given = {"url": "http://x", "model": "m"} if kind is EndpointSettings else {}
    with pytest.raises(msgspec.ValidationError, match=rf"Expected `int` <= [0-9]+ - at `\$.{name}`"):
        convert({**given, name: 100_000}, kind)


def test_every_whole_number_that_is_asked_for_has_an_upper_bound() -> None:
    """A larger one has no float: a message that tells of it, or a share of it, would be a fault."""
    unbounded = [
        (words, one.name)
        for words, command in working_commands()
        for one in command.params
        if isinstance(one.type, click.types.IntParamType)
        and not isinstance(one.type, CountNumber | SeedNumber)
        and getattr(one.type, "max", None) is None
    ]
    assert unbounded == []


def test_a_count_that_has_no_float_is_refused(duologue: Any, tmp_path: Path) -> None:
    words = ("annotate", "new", "mobilecs/extraction", "calls", "--workspace", tmp_path, "--lease")
    for number, told in (("9" * 400, "it is more than 1,000,000,000,000,000"), (10**15, "it is at most 527,040")):
        done = duologue(*words, number)
        assert done.code == 2
        assert told in " ".join(done.err.split())


def test_every_option_says_what_it_is_for() -> None:
    silent = [
        (words, one.name)
        for words, command in working_commands()
        for one in command.params
        if isinstance(one, click.Option) and not one.hidden and not one.help
    ]
    assert silent == []


def test_whatever_asks_a_system_takes_its_options() -> None:
    without = {
        words
        for words, command in working_commands()
        if {"--system", "--set"} & {name for one in command.params for name in one.opts} == {"--system"}
    }
    assert without == set()
