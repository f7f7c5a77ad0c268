"""Posts and stores made for the tests of extraction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.conversation.formats import posts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Row = dict[str, Any]

SHOP = (1, "Shop", "The Shop")
ANNA = (7, "anna_b", "Anna Brown")


def row(number: int, who: tuple[int, str, str], text: str, answers: int | None = None, **more: Any) -> Row:
    """A post at the second of the day that is its id."""
    at = more.pop("at", number)
    clock = f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}"
    return {
        "id": number, "id_str": str(number), "created_at": f"Tue Sep 12 {clock} +0000 2017", "text": text,
        "truncated": False, "lang": "en", "in_reply_to_status_id": answers,
        "user": {"id": who[0], "screen_name": who[1], "name": who[2]}, **more,
    }  # fmt: skip


@pytest.fixture
def post() -> Callable[..., posts.Post]:
    """Make a post."""
    return lambda *args, **more: posts.post_of(row(*args, **more))


@pytest.fixture
def talk() -> list[Row]:
    """A question, an answer in two posts, thanks, and a last word."""
    return [
        row(100, ANNA, "@Shop Where is my order?"),
        row(160, SHOP, "@anna_b Hi Anna, please DM us (1/2)", 100),
        row(200, SHOP, "@anna_b your order number (2/2) ^TH", 100),
        row(900, ANNA, "@Shop It's 112-3456789", 200),
        row(950, SHOP, "@anna_b Thanks Anna!", 900),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Write account stores: account -> dialogues."""

    def write(**accounts: list[list[Row]]) -> Path:
        made = tmp_path / "stores"
        made.mkdir(exist_ok=True)
        for name, dialogues in accounts.items():
            rows = {str(dialogue[-1]["id"]): dialogue for dialogue in dialogues}
            (made / f"{name}.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
        return made

    return write
