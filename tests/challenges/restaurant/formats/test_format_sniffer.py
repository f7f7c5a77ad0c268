from __future__ import annotations

import pytest

from duologue.challenges.restaurant.formats import format_sniffer as peek


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peek, "LARGE", 10)


@pytest.mark.usefixtures("small")
def test_a_long_list_of_something_else_is_foreign() -> None:
    found = peek.sniff("[" + ", ".join(["0"] * 5000) + "]")
    assert found is not None
    assert found.rule == "foreign-file"
    assert "first 1000 items" in found.message


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "text",
    [
        '[0, 1, {"dialog_id": "x"}, 2, 3]',
        "this is no json at all",
        "[[[[[[[[[[[[[[[[",
        "{}            ",
        "[          ]",
    ],
)
def test_what_may_be_ours_or_is_no_list_is_left_to_the_decoder(text: str) -> None:
    assert peek.sniff(text) is None


def test_files_of_usual_size_are_not_looked_at() -> None:
    assert peek.sniff("[0, 1, 2]") is None
