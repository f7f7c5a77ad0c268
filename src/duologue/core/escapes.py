r"""Text of strangers made safe to print: what a terminal would obey, or nobody would see, is spelled out.

Spelled out are control characters (C0, DEL, C1: escape sequences begin with one), marks that turn the direction of
what follows, line separators of Unicode, and half surrogate pairs, which no terminal can be sent.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_LONGEST_NAME = 200
"""Bytes of a file's name that are kept; file systems take 255."""
_UNSAFE = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff"
_IN_TEXT = re.compile(f"[{_UNSAFE}]")
_IN_LINE = re.compile(f"[\n{_UNSAFE}]")
_SHORT = {"\n": "\\n", "\r": "\\r"}
_LONGEST_SHOWN = 200


def printable(text: str) -> str:
    r"""Return text of several lines with everything spelled out that a terminal would obey; `\n` and tab stay.

    >>> print(printable("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return _IN_TEXT.sub(_spelled, text)


def one_line(text: str) -> str:
    r"""Return text as one line: `printable`, and line ends are spelled out too.

    >>> print(one_line("name\nExit code 0"))
    name\nExit code 0
    """
    return _IN_LINE.sub(_spelled, text)


def last_part(name: str) -> str:
    r"""Return the last part of what a stranger calls a file, on one line and no longer than file systems take.

    Of a long name the end is kept, which says what the file is. It may be empty, or begin with dots.

    >>> last_part("C:\\results\\team.json")
    'team.json'
    """
    plain = one_line(PurePosixPath(name.replace("\\", "/")).name)
    return plain.encode()[-_LONGEST_NAME:].decode(errors="ignore")


def in_json(text: str) -> str:
    r"""Return JSON text of the same meaning in which nothing is left that a terminal would obey.

    >>> print(in_json('"a\u202eb"'))
    "a\u202eb"
    """
    return _IN_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def excerpt(data: bytes) -> str:
    """Return the beginning of what a program or server said, for a message: what is no plain text is escaped."""
    text = data[: 4 * (_LONGEST_SHOWN + 1)].decode("utf-8", "backslashreplace").strip()
    return repr(text[:_LONGEST_SHOWN])[1:-1] + ("..." if len(text) > _LONGEST_SHOWN else "")


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _SHORT.get(found[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
