"""A store folder: the database with all that was collected, and the challenge's account files beside it.

The database counts. Account files (`<screen name>.json`, specification 1.2) are written from it for the official
programs; those of accounts that it does not know are read like it, and taken over when their account is collected.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from duologue.challenges.conversation import posts
from duologue.core import disk
from duologue.core.errors import StorageError, UsageError
from duologue.store.database import is_database
from duologue.store.posts import NAME, PostBase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from duologue.challenges.conversation.posts import Post, Store

_ENDINGS = (".json", ".json.gz")
_FILE_NAME = re.compile(r"[\w@-][\w.@ -]*")


def open_base(folder: Path, *, writable: bool = True, durable: bool = True) -> PostBase:
    """Open the database of a store folder, made where there is none; `durable` as `Database` says.

    Raises `UsageError` where the folder is a file, and what `PostBase` raises.
    """
    if folder.is_file():
        raise UsageError(f"{folder} is a file; a store is a folder")
    return PostBase(folder / NAME, writable=writable, durable=durable)


def has_base(folder: Path) -> bool:
    """Tell whether a folder has a database."""
    return is_database(folder / NAME)


def account_file(folder: Path, account: str) -> Path:
    """Return where an account's file stands or would stand. Raises `UsageError` for a name that cannot name a file."""
    if not _FILE_NAME.fullmatch(account):
        raise UsageError(f"account '{account}' cannot name a file; a screen name has letters, digits and _")
    paths = [folder / f"{account}{ending}" for ending in _ENDINGS]
    return next((path for path in paths if path.is_file()), paths[0])


def adopt(base: PostBase, folder: Path, account: str) -> None:
    """Take an account's file over into the database, where that does not know the account yet.

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
    """Remove what killed runs left of an account's file; only whoever holds the account may do this."""
    for path in folder.glob(f".{account_file(folder, account).name}.*.part"):
        with suppress(OSError):
            path.unlink()


def export_account(base: PostBase, folder: Path, account: str) -> Path | None:
    """Write an account's file as the official collector does, where its dialogues changed; return it if written."""
    path = account_file(folder, account)
    revision, exported = base.revision(account)
    if revision == 0 or (revision == exported and path.is_file()):
        return None
    rows = {str(key): found for key, found in base.dialogues(account)}
    disk.write_text(path, json.dumps(rows, indent=2))
    base.note_exported(account, revision)
    return path


def export(source: Path, folder: Path) -> list[Path]:
    """Write the account files of a store into a folder, one account at a time; return them.

    Raises `StorageError` and `FormatError` as `stores_in` does.
    """
    paths = []
    for store in stores_in(source):
        path = account_file(folder, store.account)
        posts.write_store(store, path)
        paths.append(path)
    return paths


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
        known = base.accounts()
        lower = {name.lower() for name in known}
        others = {name: file for name, file in files.items() if name.lower() not in lower}
        for name in sorted([*known, *others], key=_by_file):
            yield posts.read_store(others[name]) if name in others else _store_of(base, name)


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
        lower = {name.lower() for name in base.accounts()}
        for name, file in sorted(
            _account_files(path).items() if path.is_dir() else (), key=lambda pair: _by_file(pair[0])
        ):
            if name.lower() not in lower:
                yield from posts_in(file, wanted)
        if wanted is None:
            yield from map(posts.post_of, base.posts())
        else:
            for number in sorted(wanted):
                row = base.post(number)
                if row is not None:
                    yield posts.post_of(row)


def _account_files(folder: Path) -> dict[str, Path]:
    found = sorted(file for ending in _ENDINGS for file in folder.glob(f"*{ending}"))
    return {file.name.removesuffix(".gz").removesuffix(".json"): file for file in found}


def _by_file(account: str) -> str:
    return f"{account}.json"


def _store_of(base: PostBase, account: str) -> Store:
    """Return an account's dialogues; a post that stands in several is one record."""
    made: dict[int, Post] = {}
    dialogues = {
        str(key): tuple(made.setdefault(row["id"], posts.post_of(row)) for row in rows)
        for key, rows in base.dialogues(account)
    }
    return posts.Store(account=account, dialogues=dialogues)
