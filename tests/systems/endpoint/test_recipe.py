from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.core.recipe import resolve
from duologue.run.systems import recipe_of
from duologue.systems.endpoint.recipe import EndpointRecipe

GIVEN = ("url=http://x/v1", "model=m")


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("max_cost=3", "without price_in"),
        ("shots=3", "go together"),
        ("examples=train.txt", "go together"),
        ("extra.stream=true", "'stream' is not theirs"),
        ('omit=["messages"]', "'messages' is not theirs"),
        ("ranking=best", "'listwise' or 'pairwise' or 'sampled' or 'logprobs'"),
        ("temperature=3", "<= 2"),
    ],
)
def test_entries_that_do_not_go_together_are_refused(override: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        resolve(EndpointRecipe, overrides=[*GIVEN, override])


@pytest.mark.parametrize("entry", ["url", "examples", "cache"])
def test_no_file_says_where_things_are_sent_or_read_or_written(tmp_path: object, entry: str) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "recipe.toml"
    file.write_text(f'{entry} = "x"\n', encoding="utf-8")
    with pytest.raises(UsageError, match=f"'{entry}' of system 'endpoint' is not taken from a file"):
        recipe_of("endpoint", file, GIVEN)


@pytest.mark.parametrize("override", ['omit=["seed"]', "extra.temperature=0.3"])
def test_draws_need_seed_and_temperature(override: str) -> None:
    with pytest.raises(UsageError, match="leave both out of omit and extra"):
        resolve(EndpointRecipe, overrides=[*GIVEN, "ranking=sampled", override])
    assert resolve(EndpointRecipe, overrides=[*GIVEN, override]).orders == 2


def test_drawn_answers_are_spread_over_more_orders() -> None:
    orders = [resolve(EndpointRecipe, overrides=[*GIVEN, *more]).orders for more in ([], ["ranking=sampled"])]
    assert orders == [2, 16]
    assert resolve(EndpointRecipe, overrides=[*GIVEN, "ranking=sampled", "permutations=3"]).orders == 3
