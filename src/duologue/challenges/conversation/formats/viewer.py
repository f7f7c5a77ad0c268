"""Plain-text view of a store as the official viewer prints it (specification, section 1.5), and statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.conversation.formats import stores
from duologue.core.dialogue_view import DialogueView, UtteranceView
from duologue.core.escapes import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.formats.posts import Post, Store

LANGUAGE = "en"
"""The official viewer prints dialogues whose first post is in this language."""


def _lines(store: Store) -> Iterator[str]:
    """Yield the lines of an account, dialogues ordered by key."""
    for key, dialogue in _english(store):
        yield f"--- ID:{key} (length={len(dialogue)}) ---"
        for post in dialogue:
            yield f"{post.created_at} ({post.id})"
            yield f"{post.name} (@{post.screen_name}) : {post.text}"
        yield ""


def _english(store: Store) -> Iterator[tuple[str, Sequence[Post]]]:
    for key in sorted(store.dialogues, key=int):
        if store.dialogues[key][0].lang == LANGUAGE:
            yield key, store.dialogues[key]


def dump(path: Path, write: Callable[[str], object]) -> None:
    """Write the English dialogues of a store folder, database or account file. Raises as `stores.stores_in` does."""
    for store in stores.stores_in(path):
        for line in _lines(store):
            write(f"{line}\n")


def views(path: Path) -> Iterator[DialogueView]:
    """Yield the dialogues that `dump` writes as a page shows them. Raises as `stores.stores_in` does."""
    for store in stores.stores_in(path):
        for key, posts in _english(store):
            yield DialogueView(f"ID:{key}", [_said(post, store.account) for post in posts])


def _said(post: Post, account: str) -> UtteranceView:
    return UtteranceView(
        f"{post.name} (@{post.screen_name})",
        post.text,
        (),
        [f"{post.created_at} ({post.id})"],
        "agent" if _is_own(post, account) else "user",
    )


def _is_own(post: Post, account: str) -> bool:
    return post.screen_name.lower() == account.lower()


def statistics(path: Path) -> dict[str, int | float | list[str]]:
    """Return the statistics of a store. Raises as `stores.stores_in` does."""
    accounts = dialogues = english = turns = longest = own = 0
    posts: set[int] = set()
    languages: set[str] = set()
    for store in stores.stores_in(path):
        accounts += 1
        dialogues += len(store.dialogues)
        for dialogue in store.dialogues.values():
            english += dialogue[0].lang == LANGUAGE
            turns += len(dialogue)
            longest = max(longest, len(dialogue))
            own += sum(_is_own(post, store.account) for post in dialogue)
            posts.update(post.id for post in dialogue)
            languages.add(dialogue[0].lang)
    return {
        "accounts": accounts,
        "dialogues": dialogues,
        "dialogues_in_english": english,
        "posts": len(posts),
        "posts_per_dialogue": turns / dialogues if dialogues else 0.0,
        "longest": longest,
        "share_of_the_account": own / turns if turns else 0.0,
        "languages": sorted(languages),
    }


def statistics_text(statistics: dict[str, int | float | list[str]]) -> str:
    """Format statistics as lines of text."""
    lines = [f"{name.replace('_', ' ')}: {_spelled(value)}" for name, value in statistics.items()]
    return "\n".join(lines) + "\n"


def _spelled(value: float | list[str]) -> str:
    if isinstance(value, list):
        return one_line(" ".join(value))
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}"
