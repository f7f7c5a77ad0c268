"""The stores an extraction reads: all of a folder, or those of a list of accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.conversation.formats import posts, stores
from duologue.core.errors import StorageError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.formats.posts import Store
    from duologue.store.posts import PostBase


def read(path: Path, accounts: Sequence[str] | None = None) -> Iterator[Store]:
    """Yield the stores of a folder, database or account file in the order of their files' names, one at a time.

    `accounts` names those that are wanted; an account counts once. Raises `UsageError` with all names that have no
    store, before the first is yielded (the official tool ends at the first), and what `stores.stores_in` raises.
    """
    if accounts is None:
        yield from stores.stores_in(path)
        return
    if not path.is_dir():
        raise UsageError(f"{path} is no folder; a list of accounts chooses among the stores of a folder")
    if not stores.has_base(path):
        yield from _chosen(path, accounts, None)
        return
    with stores.open_base(path, writable=False) as base:
        yield from _chosen(path, accounts, base)


def _chosen(folder: Path, accounts: Sequence[str], base: PostBase | None) -> Iterator[Store]:
    kept = {} if base is None else {name.lower(): name for name in base.accounts()}
    wanted = sorted(set(accounts), key=lambda name: f"{name}.json")
    missing = [name for name in wanted if name.lower() not in kept and not stores.account_file(folder, name).is_file()]
    if missing:
        raise _missing(folder, missing, sorted(kept.values()))
    for name in wanted:
        if base is None or name.lower() not in kept:
            yield posts.read_store(stores.account_file(folder, name))
            continue
        dialogues = base.dialogues(kept[name.lower()])
        yield posts.Store(
            account=name, dialogues={str(key): tuple(map(posts.post_of, rows)) for key, rows in dialogues}
        )


def _missing(folder: Path, names: Sequence[str], known: Sequence[str]) -> UsageError | StorageError:
    if not folder.exists():
        return StorageError(f"there is no folder {folder}")
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10:,} more" if len(names) > 10 else "")
    hint = did_you_mean(names[0], known or [file.stem for file in folder.glob("*.json")][:2_000])
    hint = hint if "mean" in hint else ""
    return UsageError(f"{folder} has no store of {len(names):,} of the accounts: {shown}{hint}")
