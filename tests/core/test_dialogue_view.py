from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.dialogue_view import views_of_lines
from duologue.core.optional_protocols import Inspectable
from tests.growth import LINEAR, growth

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class _Stranger(Inspectable):
    def dump(self, path: Path, write: Callable[[str], object]) -> None:
        for line in ("first", "U: hi", "S: hello", "", "", "second", "U: bye"):
            write(f"{line} {path.name}\n" if line else "\n")

    def statistics(self, path: Path) -> dict[str, int | float | list[str]]:
        return {}


def test_a_task_that_knows_of_no_page_has_the_blocks_of_its_dump(tmp_path: Path) -> None:
    first, second = _Stranger().views(tmp_path / "x")
    assert (first.title, [(one.speaker, one.text) for one in first.utterances]) == (
        "first x",
        [("", "U: hi x"), ("", "S: hello x")],
    )
    assert (second.title, len(second.utterances)) == ("second x", 1)


def test_blocks_are_cut_in_one_pass() -> None:
    assert growth(lambda n: ["title", *["line"] * 20, ""] * n, lambda lines: list(views_of_lines(lines)), 200) < LINEAR
