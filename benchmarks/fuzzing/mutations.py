"""Mutation of files as they lie on the disk: told by their form, changed within it, or broken in their bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import sqlite3
import struct
import tarfile
import tomllib
import zipfile
import zlib
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any

import tomli_w

from fuzzing import structure

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_OWN_DAMAGE = (
    RecursionError, OSError, ValueError, EOFError, LookupError, zlib.error, zipfile.BadZipFile, tarfile.TarError,
    sqlite3.Error, NotImplementedError,
)  # fmt: skip
_UNPACKED = 8 << 20
"""Bytes that a packed file may unpack to, to be changed within."""
_BOMBS = (2 << 20, 160 << 20)
"""Bytes to which bombs unpack: the small one is read like any file, the large one is more than a reader should take."""


def mutate_path(path: Path, rng: Random, *, modest: bool = False, within: bool = False) -> None:
    """Change a file where it lies, or one file of a folder; `within` says that it is one."""
    if path.is_dir():
        files = sorted(one for one in path.rglob("*") if one.is_file())
        if files and rng.random() < 0.9:
            mutate_path(rng.choice(files), rng, modest=modest, within=True)
        else:
            _spoil_folder(path, rng)
        return
    if rng.random() < 0.03:
        _spoil_place(path, rng, within=within)
        return
    data = path.read_bytes()
    try:
        new = mutate_bytes(data, rng, name=path.name, modest=modest)
    except _OWN_DAMAGE:  # an earlier change has left nothing that can be changed within its form
        new = broken(data, rng)
    path.write_bytes(new)


def _spoil_folder(path: Path, rng: Random) -> None:
    """Put something into a folder that does not belong there, unless its name is taken."""
    kind = rng.randrange(4)
    if os.path.lexists(path / ("fifo.json", "more.json", "x.json", "x.json")[kind]):
        return
    if kind == 0:
        os.mkfifo(path / "fifo.json")
    elif kind == 1:
        (path / "more.json").symlink_to("more.json")
    elif kind == 2:
        (path / "x.json").mkdir()
    else:
        (path / "x.json").write_bytes(rng.randbytes(100))


def _spoil_place(path: Path, rng: Random, *, within: bool) -> None:
    """Put something else where a file was; a FIFO only in a folder: who names one wants to wait for its writer."""
    kind = rng.randrange(5 if within else 4)
    path.unlink()
    if kind == 0:
        path.mkdir()
    elif kind == 1:
        path.symlink_to(path.name)
    elif kind == 2:
        path.write_bytes(b"")
    elif kind == 4:
        os.mkfifo(path)


def mutate_bytes(data: bytes, rng: Random, *, name: str = "", modest: bool = False) -> bytes:
    """Return the content of a file changed, mostly within its form."""
    chance = rng.random()
    if chance < 0.10:
        return broken(data, rng)
    if chance < 0.15:
        return packed(data, rng)
    if data.startswith(b"\x1f\x8b"):
        return _gzipped(data, rng, name=name, modest=modest)
    if data.startswith(b"BZh"):
        return bz2.compress(mutate_bytes(bz2.decompress(data), rng, modest=modest))
    if data.startswith(b"PK\x03\x04"):
        return _zipped(data, rng)
    if data.startswith(b"SQLite format 3"):
        return _database(data, rng)
    if name.endswith(".safetensors"):
        return _tensors(data, rng)
    if len(data) > 262 and data[257:262] == b"ustar":
        return _tarred(data, rng)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return broken(data, rng)
    return _text(text, rng, name=name, modest=modest)


def _text(text: str, rng: Random, *, name: str, modest: bool) -> bytes:
    if name.endswith(".toml"):
        return _toml(text, rng)
    if rng.random() < 0.8:
        try:
            tree = structure.parsed(text)
        except (ValueError, RecursionError):
            lines = text.splitlines(keepends=True)
            at = rng.randrange(len(lines)) if lines else 0
            try:
                tree = structure.parsed(lines[at]) if lines else None
            except (ValueError, RecursionError):
                tree = None
            if isinstance(tree, list):
                for _ in range(rng.choice((1, 1, 2))):
                    tree = structure.mutate(tree, rng, modest=modest)
                lines[at] = structure.written(tree, rng).replace("\n", "") + "\n"
                return _encoded("".join(lines), rng)
        else:
            for _ in range(rng.choice((1, 1, 1, 2, 4))):
                tree = structure.mutate(tree, rng, modest=modest)
            return _encoded(structure.written(tree, rng), rng)
    return _encoded(_lines(text, rng), rng)


def _encoded(text: str, rng: Random) -> bytes:
    """Return the bytes of a text, now and then in another encoding than UTF-8."""
    if rng.random() < 0.04:
        return text.encode(rng.choice(("utf-16", "utf-8-sig", "gb18030", "latin-1", "utf-32")), "replace")
    return text.encode("utf-8", "surrogatepass")


def _lines(text: str, rng: Random) -> str:  # noqa: C901  # one branch for each kind of change
    """Change lines and fields of a text."""
    lines = text.splitlines(keepends=True) or [""]
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(lines))
        kind = rng.randrange(12)
        if kind == 0 and len(lines) > 1:
            del lines[at]
        elif kind == 1:
            lines[at:at] = [lines[at]] * rng.choice((1, 2, 50))
        elif kind == 2:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 3:
            lines[at] = lines[at].rstrip("\r\n")
        elif kind == 4:
            lines[at] = rng.choice(("\r\n", "\n", "\n\n", "\r", "\x0b\n", "\x85", "\u2028"))
        elif kind == 5:
            lines[at] = lines[at].replace(
                *rng.choice((("\t", " "), (" ", "\t"), (" ", ""), (":", ""), (",", ";"), ("\n", "\r\n")))
            )
        elif kind == 6:
            fields = lines[at].split(mark := rng.choice(("\t", " ", ",", ":")))
            fields.insert(rng.randrange(len(fields) + 1), rng.choice((*fields, *structure.ODD_TEXTS)))
            lines[at] = mark.join(fields)
        elif kind == 7:
            fields = lines[at].split(mark := rng.choice(("\t", " ", ",", ":")))
            del fields[rng.randrange(len(fields))]
            lines[at] = mark.join(fields)
        elif kind == 8:
            lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
        else:
            end = len(lines[at].rstrip("\r\n"))
            lines[at] = structure.odd_text(lines[at][:end], rng) + lines[at][end:]
        lines = lines or [""]
    return "".join(lines)


def _toml(text: str, rng: Random) -> bytes:
    """Change a TOML file as a tree where that works, as lines elsewhere."""
    try:
        tree = structure.parsed(json.dumps(tomllib.loads(text), default=str))
        tree = structure.mutate(tree, rng, modest=True)
        return tomli_w.dumps(_plain(tree)).encode("utf-8", "surrogatepass")
    except (ValueError, TypeError, AttributeError, RecursionError):
        return _lines(text, rng).encode("utf-8", "surrogatepass")


def _plain(tree: Any) -> Any:
    if isinstance(tree, structure.Members):
        return {name: _plain(value) for name, value in tree}
    return [_plain(value) for value in tree] if isinstance(tree, list) else tree


def broken(data: bytes, rng: Random) -> bytes:
    """Return bytes with damage that no writer makes on purpose."""
    held = bytearray(data)
    at = rng.randrange(len(held) + 1)
    length = rng.choice((1, 1, 4, 100))
    kind = rng.randrange(7)
    if kind == 0:
        del held[at:]
    elif kind == 1:
        del held[at : at + length]
    elif kind == 2:
        held[at:at] = rng.randbytes(length)
    elif kind == 3 and held:
        for _ in range(length):
            held[rng.randrange(len(held))] ^= 1 << rng.randrange(8)
    elif kind == 4:
        held[at : at + length] = bytes(length)
    elif kind == 5:
        held[at:at] = held[max(0, at - 200) : at]
    else:
        held[at:at] = rng.choice((b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\x00", b"\x1b]0;x\x07", b"\xef\xbb\xbf"))
    return bytes(held)


def packed(data: bytes, rng: Random) -> bytes:
    """Return data as gzip of some kind: whole, doubled, cut, with more behind it, or a bomb."""
    kind = rng.randrange(7)
    if kind == 0:
        return gzip.compress(gzip.compress(data, mtime=0), mtime=0)
    if kind == 1:
        whole = gzip.compress(data, mtime=0)
        return whole[: rng.randrange(len(whole))]
    if kind == 2:
        return gzip.compress(data, mtime=0) + rng.randbytes(20)
    if kind == 3:
        return gzip.compress(data[: len(data) // 2], mtime=0) + gzip.compress(data[len(data) // 2 :], mtime=0)
    if kind == 4:
        return gzip.compress(data, mtime=0) + _bomb(
            rng.choice((b"\0", b" ", b"[", b"\n", b"a", b'{"a":')), rng.choice(_BOMBS)
        )
    if kind == 5:
        return bz2.compress(data)
    return gzip.compress(data, mtime=0)


@cache
def _bomb(filler: bytes, size: int) -> bytes:
    """Return a member of a gzip file that unpacks to so many bytes."""
    return gzip.compress(filler * (size // len(filler)), 1, mtime=0)


def _gzipped(data: bytes, rng: Random, *, name: str, modest: bool) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        inner = unpacker.decompress(data, _UNPACKED)
    except zlib.error:
        return broken(data, rng)
    if not unpacker.eof or unpacker.unused_data:  # cut off, in several members, or an earlier change's bomb
        return broken(data, rng)
    return gzip.compress(mutate_bytes(inner, rng, name=name.removesuffix(".gz"), modest=modest), mtime=0)


_MEMBER_NAMES = (
    "../x.xml",
    "/x.xml.gz",
    "a/../../b.xml",
    "",
    "x" * 300 + ".xml",
    "\x1b[2J.xml",
    "en/1/2/é.xml",
    "a//b.xml.gz",
)


def _zipped(data: bytes, rng: Random) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        members = old.namelist()
        chosen = rng.choice(members) if members else ""
        for member in members:
            content, name = old.read(member), member
            if member == chosen:
                if rng.random() < 0.6:
                    content = mutate_bytes(content, rng, name=member)
                else:
                    name = rng.choice((*_MEMBER_NAMES, rng.choice(members)))
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, content)
    return out.getvalue()


def _tarred(data: bytes, rng: Random) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as old, tarfile.open(fileobj=out, mode="w") as new:
        members = old.getmembers()
        chosen = rng.randrange(len(members)) if members else -1
        for at, member in enumerate(members):
            held = old.extractfile(member) if member.isfile() else None
            content = held.read() if held is not None else b""
            if at == chosen:
                kind = rng.randrange(4)
                if kind == 0:
                    member.name = rng.choice((*_MEMBER_NAMES, rng.choice(members).name))
                elif kind == 1:
                    member.type = rng.choice((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE))
                    member.linkname = rng.choice(("/etc/hostname", "../x", member.name))
                    content = b""
                else:
                    content = mutate_bytes(content, rng, name=member.name)
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return out.getvalue()


def _tensors(data: bytes, rng: Random) -> bytes:
    """Change the header of a safetensors file and keep its length right."""
    try:
        (length,) = struct.unpack("<Q", data[:8])
        header = data[8 : 8 + length].decode("utf-8")
    except (struct.error, UnicodeDecodeError):
        return broken(data, rng)
    new = _text(header, rng, name="", modest=False)
    return struct.pack("<Q", len(new)) + new + data[8 + length :]


def _database(data: bytes, rng: Random) -> bytes:
    """Change a row, a table or a column of an SQLite file."""
    with closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(data[:18] + b"\1\1" + data[20:])  # as if it had no log beside it
        tables = [row[0] for row in base.execute("select name from sqlite_master where type='table' order by name")]
        if not tables:
            return broken(data, rng)
        table = rng.choice(tables)
        columns = [row[1] for row in base.execute(f'pragma table_info("{table}")')]
        column = rng.choice(columns)
        odd: Any = rng.choice(
            (*structure.ODD_VALUES[:3], *structure.ODD_NUMBERS[:16], *structure.ODD_TEXTS, b"\xff\x00")
        )
        if isinstance(odd, str):
            odd = odd.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        statements = (
            (f'update "{table}" set "{column}" = ?', (odd,)),  # noqa: S608  # a scratch copy of our own
            (f'update "{table}" set "{column}" = ? where rowid = (select min(rowid) from "{table}")', (odd,)),  # noqa: S608  # names of the test's own tables
            (f'delete from "{table}"', ()),  # noqa: S608  # names of the test's own tables
            (f'drop table "{table}"', ()),
            (f'alter table "{table}" drop column "{column}"', ()),
            (f'alter table "{table}" rename column "{column}" to "x"', ()),
            ("pragma user_version = 99", ()),
        )
        statement, values = rng.choices(statements, (6, 6, 1, 1, 1, 1, 1))[0]
        try:
            base.execute(statement, values)
            base.commit()
        except (sqlite3.Error, OverflowError):
            return broken(data, rng)
        return base.serialize()
