"""Whom one may talk to, and how it is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duologue.core.errors import UsageError
from duologue.core.plugins import save_card
from duologue.core.records import Record
from duologue.endpoints.secret import VARIABLE
from duologue.run.partners import conversable, is_address, kept_system, open_live_system, open_partner
from duologue.systems.process import ProcessBot


@pytest.mark.parametrize(
    ("name", "address"),
    [("http://a/v1", True), ("https://a", True), ("http", False), ("solver", False), ("ftp://a", False), ("", False)],
)
def test_an_address_begins_with_how_it_is_reached(name: str, *, address: bool) -> None:
    assert is_address(name) is address


def test_only_systems_that_can_be_talked_to_are_talked_to() -> None:
    assert conversable("restaurant").info.name == "restaurant"
    with pytest.raises(UsageError, match="task 'mobilecs/extraction' has no"):
        conversable("mobilecs/extraction")
    assert type(open_live_system(conversable("restaurant"), None)).__name__ == "Solver"
    with pytest.raises(UsageError, match="say whom to talk to in task 'proactive': --system NAME"):
        open_live_system(conversable("proactive"), None)


def test_an_address_is_asked_as_the_system_endpoint_where_systems_lead() -> None:
    address = "http://127.0.0.1:9/v1#true"
    made: Any = open_live_system(conversable("proactive"), address)
    assert (made.recipe.url, made.recipe.model, made.recipe.cache, made.recipe.tries) == (*address.split("#"), "", 1)
    with pytest.raises(UsageError, match="is asked as it stands; leave --recipe and --set out"):
        open_live_system(conversable("proactive"), address, None, ("turns=1",))
    with pytest.raises(UsageError, match="http://127"):
        open_live_system(conversable("restaurant"), address)


def test_a_system_is_kept_with_its_settings_and_a_model_by_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    task = conversable("restaurant")
    recipe = Path("recipe.toml")
    recipe.write_text("timeout = 5.0\n", "utf-8")
    found = kept_system(task, "process", recipe, ("command=cat",))
    assert found == ("process", ("timeout=5.0", "command=cat"))
    save_card(tmp_path / "model", name="random", recipe=Record(), task="restaurant", seed=1, data="x", data_hash="")
    monkeypatch.setattr("duologue.run.partners.open_system", lambda *_: object())  # it would have to be trained
    assert kept_system(task, "model") == (str(tmp_path / "model"), ())
    assert kept_system(task, "http://localhost:9/v1#m") == ("http://localhost:9/v1#m", ())


@pytest.mark.parametrize(
    ("name", "overrides", "by_hand", "told"),
    [
        ("http://localhost:9/v1#m", ("model=x",), True, "is asked as it stands; leave --recipe and --set out"),
        ("http://me:password@localhost:9/v1", (), True, "password"),
        ("process", ("command=cat 0123456789",), True, r"--set command: the key of .* would be kept"),
        ("process", ("command=cat",), False, "'command' of system 'process' is taken from a command line alone"),
        ("ranker", (), True, "'ranker' has to learn first"),
    ],
)
def test_what_would_fail_the_first_who_talks_is_told_before(
    monkeypatch: pytest.MonkeyPatch, name: str, overrides: tuple[str, ...], told: str, *, by_hand: bool
) -> None:
    monkeypatch.setenv(VARIABLE, "0123456789")
    with pytest.raises(UsageError, match=told):
        kept_system(conversable("restaurant"), name, None, overrides, by_hand=by_hand)


def test_a_partner_is_made_by_the_task_from_the_system_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def partner(self: object, system: object, place: object, *, seed: int, lang: str, name: str) -> str:
        asked.extend((type(system), place, seed, lang, name))
        return "partner"

    monkeypatch.setattr(type(conversable("restaurant")), "partner", partner)
    made: object = open_partner("restaurant", "process", None, None, ("command=cat",), seed=7, lang="zh", called="it")
    assert (made, asked) == ("partner", [ProcessBot, None, 7, "zh", "it"])
