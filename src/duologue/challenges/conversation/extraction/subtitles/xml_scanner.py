"""Reading of a subtitle XML file: a strict parser, and an equivalent scanner that is ten times faster.

OPUS files have one layout: `document`, perhaps `meta`, then `s` elements with `time` and `w` children. The scan
finds all tags of a file at once with numpy and accepts the file only where every tag, every attribute and every
character is what a strict parser would accept too; anything else is left to the strict parser.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET
from xml.parsers import expat

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

W_OPEN, S_OPEN, TIME, W_CLOSE, S_CLOSE, END, OTHER = range(7)
_MAY_FOLLOW = np.zeros((7, 7), dtype=bool)
"""Allowed tag sequences: no tag nested in a `w`, nothing between sentences."""
_MAY_FOLLOW[W_OPEN, W_CLOSE] = True
_MAY_FOLLOW[S_CLOSE, [S_OPEN, END]] = True
for _before in (S_OPEN, TIME, W_CLOSE):
    _MAY_FOLLOW[_before, [W_OPEN, TIME, S_CLOSE]] = True
_FOLLOWS = _MAY_FOLLOW.ravel()
_KINDS = np.full(1 << 16, OTHER, np.uint8)
for _letters, _kind in ((b"w ", W_OPEN), (b"s ", S_OPEN), (b"ti", TIME), (b"/w", W_CLOSE), (b"/s", S_CLOSE)):
    _KINDS[int.from_bytes(_letters, "little")] = _kind

_SMALL = 4 << 20
"""Maximum bytes parsed in one go, which is twice as fast."""
_ENTITIES = ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&quot;", b'"'), (b"&apos;", b"'"), (b"&amp;", b"&"))
"""The five XML entities, in replacement order: the ampersand last."""
_DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?<\?xml [^?]*\bencoding=[\"']([\w-]+)[\"']")
_TAG = re.compile(rb"<[sw]")
_ATTRIBUTE = re.compile(rb'\s+([a-zA-Z_][\w-]*)="[^"<&]*"')
_LONGEST_TAG = 1 << 12
"""Maximum tag length of the scanner; longer tags are left to the strict parser."""


def parse(data: bytes) -> list[str]:
    """Return the raw text of each child of the root, by a strict parser (specification, section 6.1).

    The text is a space and the words for each *direct* child `w`, whatever the child of the root is called; an
    empty `w` is an empty text. Raises `ValueError` for what is not well-formed XML, and for a file that declares
    entities: no subtitle file does, and they can make a small file swell to gigabytes.
    """
    _refuse_entities(data)
    children = _children(data) if len(data) <= _SMALL else _children_of_large(data)
    try:
        return ["".join(" " + (word.text or "") for word in child if word.tag == "w") for child in children]
    except (ET.ParseError, LookupError) as error:  # LookupError: an encoding that Python does not know
        raise ValueError(f"not well-formed XML ({error})") from error


class _RootReachedError(Exception):
    """The root element begins: what follows declares nothing."""


def _refuse_entities(data: bytes) -> None:
    """Raise `ValueError` for a file that declares entities."""

    def declared(name: str, *_: object) -> None:
        raise ValueError(f"it declares entities of its own ('{name[:20]}')")

    def root(*_: object) -> None:
        raise _RootReachedError

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = declared
    parser.StartElementHandler = root
    try:
        parser.Parse(data, True)  # noqa: FBT003  # the library's own form
    except _RootReachedError:
        return
    except (expat.ExpatError, LookupError) as error:
        raise ValueError(f"not well-formed XML ({error})") from error


def _children(data: bytes) -> Iterator[ET.Element]:
    yield from ET.fromstring(data)  # noqa: S314  # entities are refused before, and nothing is ever fetched


def _children_of_large(data: bytes) -> Iterator[ET.Element]:
    """Yield the children of the root, freeing each: together they take ten times the size of the file."""
    depth = 0
    root = ET.Element("")
    parsed = ET.iterparse(io.BytesIO(data), events=("start", "end"))  # noqa: S314  # as in `_children`
    for event, element in parsed:
        depth += 1 if event == "start" else -1
        if event == "start" and depth == 1:
            root = element
        elif event == "end" and depth == 1:
            yield element
            root.clear()


def scan(data: bytes) -> str | None:
    r"""Return the raw texts of a regular file, each with a line feed after it; `None` for any other file.

    What it returns is `"".join(text + "\n" for text in parse(data))` without the children of the root that
    have no words before the first `s`.
    """
    first = data.find(b"<s ")
    if first < 0 or not _plain_head(data[:first]):
        return None
    return _Tags(data[first:]).text()


def _plain_head(head: bytes) -> bool:
    """Tell whether the prolog is well-formed, in UTF-8 and without words."""
    declared = _DECLARATION.match(head)
    if declared and declared[1].lower() != b"utf-8":
        return False
    try:
        return not any(parse(head + b"</document>"))
    except ValueError:
        return False


class _Tags:
    """All tags of a file from the first `s` on, as arrays."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.bytes = np.frombuffer(body, np.uint8)
        brackets = np.flatnonzero(self.bytes & 0xFD == ord("<"))  # `<` and `>` differ in one bit
        self.starts, self.ends = brackets[0::2], brackets[1::2]  # (tags,) each, if they alternate
        self._eight = np.ndarray((len(body) + 1,), "<u8", body + bytes(8), strides=(1,))
        """Eight bytes from each position as one integer, zero-padded."""

    def text(self) -> str | None:
        """Return the words, or `None` for any irregularity."""
        if len(self.starts) != len(self.ends) or not self._alternate():
            return None  # a bracket is in a word or a value
        if np.count_nonzero(self.bytes < 32) != self._count(b"\n"):
            return None  # XML forbids most control characters, and turns the carriage return into a line feed
        kinds = self._kinds()
        if kinds[-1] != END or self.body[self.ends[-1] + 1 :].strip():
            return None
        closing = (kinds == W_CLOSE) | (kinds == S_CLOSE)
        if not _FOLLOWS[kinds[:-1] * 7 + kinds[1:]].all() or (self.ends - self.starts)[closing].max(initial=3) > 3:
            return None
        text = self._cut(kinds)
        if text.count(b"\n") != np.count_nonzero(kinds == S_CLOSE):
            return None
        quotes = self._count(b'"') - text.count(b'"')
        return self._decoded(text) if self._well_formed(kinds, quotes) else None

    def _count(self, character: bytes) -> int:
        return int(np.count_nonzero(self.bytes == ord(character)))  # several times as fast as `bytes.count`

    def _alternate(self) -> bool:
        return bool((self.bytes[self.starts] == ord("<")).all() and (self.bytes[self.ends] == ord(">")).all())

    def _kinds(self) -> NDArray[np.uint8]:
        """Return the kind of each tag, from its first two letters."""
        kinds: NDArray[np.uint8] = _KINDS[self._eight[self.starts + 1] & np.uint64(0xFFFF)]
        if self.body[self.starts[-1] : self.ends[-1] + 1] == b"</document>":
            kinds[-1] = END
        return kinds

    def _cut(self, kinds: NDArray[np.uint8]) -> bytes:
        """Return the text: a space before each word, a line feed after each sentence."""
        kept = np.flatnonzero((kinds == W_OPEN) | (kinds == S_CLOSE))
        is_word = kinds[kept] == W_OPEN
        begin = self.ends[kept]  # the closing bracket of the tag gives its place to the space or line feed
        length = np.where(is_word, self.starts[np.minimum(kept + 1, len(kinds) - 1)] - begin, 1)
        written = self.bytes.copy()
        written[begin] = np.where(is_word, ord(" "), ord("\n"))
        target = np.cumsum(length) - length  # (kept,) where each piece begins in the result
        source = np.repeat(begin - target, length) + np.arange(int(length.sum()))
        return written[source].tobytes()

    def _well_formed(self, kinds: NDArray[np.uint8], quotes: int) -> bool:
        """Whether all attributes are; `quotes` is how many double quotes stand outside words.

        A usual tag has its quotes at known places. That it has no others is seen from their number.
        """
        opening = np.flatnonzero((kinds == W_OPEN) | (kinds == S_OPEN))
        starts, ends = self.starts[opening], self.ends[opening]
        named = self._eight[starts + 2] & np.uint64(0xFFFFFFFFFF) == _number(b' id="')
        usual = named & (self.bytes[ends - 1] == ord('"')) & (ends > starts + 7)
        times = np.flatnonzero(kinds == TIME)
        if not self._usual_times(times):
            return False
        if usual.all() and quotes == 2 * len(opening) + 4 * len(times):
            return True
        places = np.flatnonzero(self.bytes == ord('"'))
        within = np.searchsorted(places, ends) - np.searchsorted(places, starts)
        usual &= within == 2
        unusual = zip(starts[~usual].tolist(), ends[~usual].tolist(), strict=True)
        return quotes == int(within.sum()) + 4 * len(times) and all(
            _is_opening(self.body[start : end + 1]) for start, end in unusual
        )

    def _usual_times(self, times: NDArray[Any]) -> bool:
        """Whether each is like `<time id="T1S" value="00:00:03,000" />`, but for further quotes."""
        starts, ends = self.starts[times], self.ends[times]
        if not (ends > starts + 32).all():
            return False
        named = self._eight[starts + 1] == _number(b"time id=")
        id_opens = self.bytes[starts + 9] == ord('"')
        value_follows = self._eight[ends - 24] == _number(b'" value=')
        value_opens = self.bytes[ends - 16] == ord('"')
        closes = self._eight[ends - 3] & np.uint64(0xFFFFFFFF) == _number(b'" />')
        return bool((named & id_opens & value_follows & value_opens & closes).all())

    def _decoded(self, text: bytes) -> str | None:
        """Return the text with its entities put in; `None` where the file holds what XML or UTF-8 forbids."""
        if not self.body.isascii() and _high(self.bytes) != _high(np.frombuffer(text, np.uint8)):
            return None
        ampersands = self._count(b"&")
        if ampersands:
            if sum(text.count(name) for name, _ in _ENTITIES) != ampersands:
                return None
            for name, character in _ENTITIES:
                text = text.replace(name, character)
        try:
            decoded = text.decode("utf-8")
        except UnicodeDecodeError:
            return None
        return None if "\ufffe" in decoded or "\uffff" in decoded else decoded  # these two XML forbids


def _is_opening(tag: bytes) -> bool:
    """Whether a tag `s` or `w` with any attributes is well-formed; each byte is looked at once."""
    if len(tag) > _LONGEST_TAG or _TAG.match(tag) is None:
        return False
    place, names = 2, set()
    while found := _ATTRIBUTE.match(tag, place):
        if found[1] in names:
            return False
        names.add(found[1])
        place = found.end()
    return not tag[place:-1].strip() and tag.endswith(b">")


def _number(letters: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(letters, "little"))


def _high(data: NDArray[np.uint8]) -> int:
    """Return how many bytes are no ASCII."""
    return int(np.count_nonzero(data >= 128))
