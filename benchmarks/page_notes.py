"""What a person wrote on a page that a command makes: it stands behind a mark and outlives the next making."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BY_HAND = "<!-- by hand -->"


def by_hand(path: Path) -> str:
    """Return what a person wrote in a page, with the mark before it; nothing where there is no page or no mark."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return f"\n{BY_HAND}{text.partition(BY_HAND)[2]}" if BY_HAND in text else ""
