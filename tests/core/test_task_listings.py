from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core import task_listings
from duologue.core.errors import PlugInError, UsageError
from duologue.core.records import Record
from duologue.core.task_listings import NamedDefinition, TaskListing

if TYPE_CHECKING:
    from pathlib import Path


class Dish(NamedDefinition, frozen=True, kw_only=True):
    price: int


class Menu(Record, frozen=True, kw_only=True):
    dish: tuple[Dish, ...]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(task_listings, "package_folder", lambda target: tmp_path)
    return tmp_path


def menus(*shared: Path) -> TaskListing[Menu, Dish]:
    return TaskListing(
        file="menu.toml", table="dish", called="course", listing=Menu, rows=lambda menu: menu.dish, shared=shared
    )


def menu(path: Path, *names: str) -> Path:
    path.write_text("".join(f"[[dish]]\nname = '{name}'\nprice = 3\n" for name in names), encoding="utf-8")
    return path


def test_definitions_of_tasks_and_shared_ones_are_found_by_name(folder: Path) -> None:
    menu(folder / "menu.toml", "soup", "rice")
    listing = menus(menu(folder / "shared.toml", "tea"))
    assert list(listing.all()) == ["rice", "soup", "tea"]
    assert listing.find("tea").price == 3


def test_a_name_that_two_have_is_refused_with_its_file(folder: Path) -> None:
    menu(folder / "menu.toml", "soup")
    with pytest.raises(PlugInError, match=r"menu\.toml: there is another course called 'soup'"):
        menus(menu(folder / "shared.toml", "soup")).all()


def test_a_damaged_listing_is_named(folder: Path) -> None:
    (folder / "menu.toml").write_text("dish = 3", encoding="utf-8")
    with pytest.raises(PlugInError, match=r"menu\.toml cannot be read"):
        menus().all()


def test_a_file_of_ones_own_holds_one_definition(folder: Path) -> None:
    own = menu(folder / "own.toml", "cake")
    assert menus().find(str(own)).name == "cake"
    menu(own, "cake", "pie")
    with pytest.raises(UsageError, match=r"holds 2 courses; expected one table \[\[dish\]\]"):
        menus().find(str(own))


def test_an_unknown_name_is_told_with_a_near_one(folder: Path) -> None:
    menu(folder / "menu.toml", "soup")
    with pytest.raises(UsageError, match="there is no course 'sop'; did you mean 'soup'"):
        menus().find("sop")


def test_a_file_that_is_not_there_is_passed_over(folder: Path) -> None:
    menu(folder / "menu.toml", "soup")
    listing = menus(folder / "gone.toml", menu(folder / "shared.toml", "tea"))
    assert list(listing.all()) == ["soup", "tea"]


@pytest.mark.parametrize("name", ["soup.json", "soup.xml", "soup.", "toml"])
def test_a_file_of_another_kind_is_no_file_of_definitions(folder: Path, name: str) -> None:
    with pytest.raises(UsageError, match=rf"there is no course '{name}'; your own is a file PROTOCOL\.toml"):
        menus().find(name)


def test_a_file_of_ones_own_without_a_definition_is_refused(folder: Path) -> None:
    (folder / "own.toml").write_text("dish = []", encoding="utf-8")
    with pytest.raises(UsageError, match="holds 0 courses; expected one table"):
        menus().find(str(folder / "own.toml"))
