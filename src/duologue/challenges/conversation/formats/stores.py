"""Store folders: the database of collected posts, and the challenge's account files beside it.

The database counts. Account files (`<screen name>.json`, specification 1.2) are written from it for the official
programs; those of accounts that it does not know are read like it, and taken over when their account is collected.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from duologue.challenges.conversation.formats import posts
from duologue.core import disk
from duologue.core.errors import StorageError, UsageError
from duologue.core.own_files import own_files
from duologue.store.database import is_database
from duologue.store.posts import NAME, PostBase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from duologue.challenges.conversation.formats.posts import Post, Store

_ENDINGS = (".json", ".json.gz")
_LONGEST_NAME = 200  # bytes; with an ending and what a temporary file adds it still names a file
_FILE_NAME = re.compile(r"[\w@-][\w.@ -]*")


def open_base(folder: Path, *, writable: bool = True, durable: bool = True, read: int | None = None) -> PostBase:
    """Open or create the database of a store folder; `durable` and `read` are those of `PostBase`.

    Account files that a killed run left behind the database are brought up to date. Raises `UsageError` where the
    folder is a file, and what `PostBase` raises.
    """
    if folder.is_file():
        raise UsageError(f"{folder} is a file; a store is a folder")
    base = PostBase(folder / NAME, writable=writable, durable=durable, read=read)
    if writable:
        try:
            refresh(base, folder)
        except BaseException:
            base.close()
            raise
    return base


def lock_of(folder: Path, name: str) -> Path:
    """Return the file that is locked while an account, or the posts of an id list, are read into a store.

    The store is safe without it: it keeps two collectors from reading, and paying for, the same.
    """
    return folder / ".locks" / name.lower()


def has_base(folder: Path) -> bool:
    """Tell whether a folder has a database."""
    return is_database(folder / NAME)


def account_file(folder: Path, account: str) -> Path:
    """Return the path of an account's file. Raises `UsageError` for a name that cannot be a file name."""
    if not _FILE_NAME.fullmatch(account) or len(account.encode()) > _LONGEST_NAME:
        raise UsageError(
            f"account '{account}' cannot name a file; a screen name has letters, digits and _ ({_LONGEST_NAME} bytes)"
        )
    paths = [folder / f"{account}{ending}" for ending in _ENDINGS]
    return next((path for path in paths if path.is_file()), paths[0])


def adopt(base: PostBase, folder: Path, account: str) -> None:
    """Import an account's file into the database if the account is new to it.

    Raises `FormatError` for a file that is no account store.
    """
    path = account_file(folder, account)
    if base.revision(account)[0] or not path.is_file():
        return
    store = posts.read_store(path)
    base.add(post.source for dialogue in store.dialogues.values() for post in dialogue)
    base.add_dialogues((account, int(key), [post.id for post in dialogue]) for key, dialogue in store.dialogues.items())
    base.note_exported(account, base.revision(account)[0])


def tidy(folder: Path, account: str) -> None:
    """Remove partial account files of killed runs; the caller must hold the account's lock."""
    for path in folder.glob(f".{account_file(folder, account).name}.*.part"):
        with suppress(OSError):
            path.unlink()


def export_account(base: PostBase, folder: Path, account: str) -> Path | None:
    """Write an account's file as the official collector does if its dialogues changed; return its path if written."""
    path = account_file(folder, account)
    revision, exported = base.revision(account)
    if revision == 0 or (revision == exported and path.is_file()):
        return None
    rows = {str(key): found for key, found in base.dialogues(account)}
    disk.write_text(disk.regular(path), json.dumps(rows, indent=2), private=True)
    base.note_exported(account, revision)
    return path


def refresh(base: PostBase, folder: Path) -> list[Path]:
    """Rewrite stale account files; return their paths.

    So what was deleted goes from them too, also when the run that deleted it was killed before it came to this.
    """
    stale = [account for account in base.known() if 0 < base.revision(account)[1] < base.revision(account)[0]]
    written = (export_account(base, folder, account) for account in stale if account_file(folder, account).is_file())
    return [path for path in written if path is not None]


def export(
    source: Path, folder: Path, change: Callable[[Store], Store] = lambda store: store, *, private: bool = False
) -> list[Path]:
    """Export the account files of a store, transformed by `change`; return their paths.

    `private` files are readable by their owner alone. The file that an account has there from another
    time is written empty where no dialogue is left. Raises `UsageError`, before anything is written, where another
    file has such a name, and `StorageError` and `FormatError` as `stores_in` does.
    """
    paths, emptied = [], [account_file(folder, account) for account in _emptied(source)]
    planned = [account_file(folder, account) for account in _exported(source)]
    with own_files(folder, [*planned, *emptied]):
        for store in stores_in(source):
            path = account_file(folder, store.account)
            posts.write_store(change(store), path, private=private)
            paths.append(path)
        for path in emptied:
            if path.is_file():
                disk.write_text(path, "{}")
    return paths


def _exported(source: Path) -> list[str]:
    """Return the accounts that `stores_in` would yield, without reading their posts where that can be spared."""
    if source.is_file() and not is_database(source):
        return [posts.read_store(source).account]
    files = _account_files(source) if source.is_dir() else {}
    database = source / NAME if source.is_dir() else source
    if not database.is_file():
        return sorted(files)
    with PostBase(database, writable=False) as base:
        return sorted({*base.accounts(), *files})


def _emptied(source: Path) -> list[str]:
    """Return the accounts of a store without any dialogue left."""
    database = source / NAME if source.is_dir() else source
    if not is_database(database):
        return []
    with PostBase(database, writable=False) as base:
        return sorted(set(base.known()) - set(base.accounts()))


def stores_in(path: Path) -> Iterator[Store]:
    """Yield the account stores of a folder, database or account file, in the order of their files' names.

    One account is held at a time. Raises `StorageError` where there is none, and `FormatError` for damaged ones.
    """
    if path.is_file() and not is_database(path):
        yield posts.read_store(path)
        return
    folder, database = (path, path / NAME) if path.is_dir() else (path.parent, path)
    files = _account_files(folder) if path.is_dir() else {}
    if not database.is_file():
        if not files:
            raise StorageError(f"there is no store at {path}: neither {NAME} nor account files (<screen name>.json)")
        for name in sorted(files, key=_by_file):
            yield posts.read_store(files[name])
        return
    with PostBase(database, writable=False) as base:
        lower = {name.lower() for name in base.known()}
        others = {name: file for name, file in files.items() if name.lower() not in lower}
        deleted = base.deleted().keys()
        for name in sorted([*base.accounts(), *others], key=_by_file):
            yield _without(posts.read_store(others[name]), deleted) if name in others else _store_of(base, name)


def posts_in(path: Path, wanted: set[int] | None = None) -> Iterator[Post]:
    """Yield posts of a folder, database or account file, also those outside dialogues; `wanted` names ids.

    First those of account files that stand alone, in the order of their names, then the database's: of two with one id
    the last is what the official programs take. Raises what `stores_in` raises.
    """
    database = path / NAME if path.is_dir() else path
    if not is_database(database):
        for store in stores_in(path):
            for dialogue in store.dialogues.values():
                yield from (post for post in dialogue if wanted is None or post.id in wanted)
        return
    with PostBase(database, writable=False) as base:
        lower = {name.lower() for name in base.known()}
        deleted = base.deleted().keys()
        for name, file in sorted(
            _account_files(path).items() if path.is_dir() else (), key=lambda pair: _by_file(pair[0])
        ):
            if name.lower() not in lower:
                yield from (post for post in posts_in(file, wanted) if post.id not in deleted)
        if wanted is None:
            for row in base.posts():
                yield posts.kept_post(row, base.path)
        else:
            for number in sorted(wanted):
                found = base.post(number)
                if found is not None:
                    yield posts.kept_post(found, base.path)


def _without(store: Store, deleted: AbstractSet[int]) -> Store:
    """Drop the dialogues with posts that were deleted at their source."""
    if deleted.isdisjoint(post.id for dialogue in store.dialogues.values() for post in dialogue):
        return store
    left = {
        key: dialogue for key, dialogue in store.dialogues.items() if deleted.isdisjoint(post.id for post in dialogue)
    }
    return posts.Store(account=store.account, dialogues=left, layout=store.layout)


def _account_files(folder: Path) -> dict[str, Path]:
    found = sorted(disk.regular(file) for ending in _ENDINGS for file in folder.glob(f"*{ending}"))
    return {file.name.removesuffix(".gz").removesuffix(".json"): file for file in found}


def _by_file(account: str) -> str:
    return f"{account}.json"


def _store_of(base: PostBase, account: str) -> Store:
    """Return an account's dialogues; posts in several dialogues share one record."""
    made: dict[int, Post] = {}
    dialogues = {
        str(key): tuple(made.setdefault(row["id"], posts.kept_post(row, base.path)) for row in rows)
        for key, rows in base.dialogues(account)
    }
    return posts.Store(account=account, dialogues=dialogues)
