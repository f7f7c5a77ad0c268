"""Progress reports of loops over a known number of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.protocols import Progress

T = TypeVar("T")


def tracked(items: Sequence[T], progress: Progress | None, what: str, *, every: int = 1000) -> Iterator[T]:
    """Yield the items, reporting to `progress` after the first and then after each `every` of them."""
    for done, item in enumerate(items):
        yield item
        if progress is not None and done % every == 0:
            progress(done, len(items), what)
