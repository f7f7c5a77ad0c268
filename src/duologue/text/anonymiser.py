"""The anonymiser: replaces personal data by placeholders and counts the replacements.

One `Anonymiser` serves a job, such as an import; each dialogue has an `Anonymised` of its own, in which the same
number, address or name is always the same placeholder, such as `<PHONE_1>`. Originals are held while a dialogue
is worked on and nowhere else: the report has kinds, counts and masked forms.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from duologue.core.amounts import amount
from duologue.core.records import Record
from duologue.text.personal.characters import digits_said, plain
from duologue.text.personal.dictated import dictated
from duologue.text.personal.finder import find
from duologue.text.personal.spans import KINDS, SOFT_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from duologue.text.personal.spans import PersonalSpan

_SAMPLES = 5
PLACEHOLDER = re.compile(r"<(?:[A-Z]{2,8})_[0-9]{1,6}>")
"""What stands in the place of a piece of personal data."""
_SIGNS = re.compile(r"[^0-9a-z\u00c0-\uffff]+")
_DIGIT, _LETTER, _HAN = re.compile(r"[0-9]"), re.compile(r"[^\W\d_\u3400-\u9fff]"), re.compile(r"[\u3400-\u9fff]")


class Replaced(Record, frozen=True, kw_only=True):
    """What an anonymiser replaced."""

    texts: int
    """Texts that it saw."""
    changed: int
    """Those in which something was replaced."""
    counts: dict[str, int]
    """Kind -> replacements, in the order of `KINDS`; kinds without any are left out."""
    samples: dict[str, list[str]]
    """Kind -> forms of up to five of them: every digit is 9, every letter x, every Chinese sign 某."""

    def told(self) -> str:
        """Return it in words, one line per kind."""
        total = sum(self.counts.values())
        head = f"personal data: {total:,} replaced in {self.changed:,} of {amount(self.texts, 'text')}\n"
        lines = [
            f"  {kind:8} {number:9,}   such as {' , '.join(self.samples.get(kind, [])[:3])}\n"
            for kind, number in self.counts.items()
        ]
        unsure = any(kind in self.counts for kind in SOFT_KINDS)
        tail = (
            "  names and addresses are told by rules and lists: some stay, and some words that are none are replaced\n"
        )
        return head + "".join(lines) + (tail if unsure else "")

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for a file."""
        return {"texts": self.texts, "changed": self.changed, "counts": self.counts, "samples": self.samples}


class Anonymiser:
    """Replaces personal data in the texts of many dialogues.

    >>> anonymiser = Anonymiser()
    >>> one = anonymiser.dialogue()
    >>> one.text("call 138 1234 5678, not 139 1234 5678")
    'call <PHONE_1>, not <PHONE_2>'
    >>> one.text("是13812345678吗")
    '是<PHONE_1>吗'
    >>> anonymiser.replaced().counts
    {'PHONE': 3}
    """

    def __init__(
        self,
        *,
        keep: Collection[str] = (),
        handle: Callable[[str], str] | None = None,
        kinds: Collection[str] = KINDS,
    ) -> None:
        """`keep` are handles that stay, such as a company's, without `@`, whatever their case.

        `handle` returns what stands for the person behind a handle, given without `@` and in small letters; without
        it handles are placeholders like the rest. `kinds` are those to replace.
        """
        self._keep = {name.lower() for name in keep}
        self._handle = handle
        self._kinds = frozenset(kinds)
        self._texts = self._changed = 0
        self._counts: dict[str, int] = {}
        self._samples: dict[str, list[str]] = {}

    def keep(self, handles: Iterable[str]) -> None:
        """Let more handles stay."""
        self._keep.update(name.lower() for name in handles)

    def dialogue(self, about: Iterable[str] = ()) -> Anonymised:
        """Return what works on the texts of one dialogue.

        `about` are texts that its speakers were given, such as knowledge: what stands in one of them stays.
        """
        return Anonymised(self, about)

    def text(
        self,
        text: str,
        dialogue: Callable[[], Anonymised],
        names: Collection[str] = (),
        also: Sequence[PersonalSpan] = (),
    ) -> str:
        """Return a text without personal data; `dialogue` is asked for its dialogue where there is any.

        `names` are names of those who take part in the dialogue, `also` is what other texts tell to be personal.
        Placeholders that stand in it already are left alone, so that doing it twice changes nothing.
        """
        self._texts += 1
        spans = find(text, names)
        if also:
            ends = [span.end for span in spans]
            near = (bisect_right(ends, one.start) for one in also)  # the first span that ends behind where one begins
            free = (one for one, at in zip(also, near, strict=True) if at == len(spans) or one.end <= spans[at].start)
            spans = sorted([*spans, *free])
        return dialogue()._replace(text, spans) if spans else text

    def replaced(self) -> Replaced:
        """Return what was replaced so far."""
        counts = {kind: self._counts[kind] for kind in KINDS if kind in self._counts}
        samples = {kind: list(self._samples[kind]) for kind in counts}
        return Replaced(texts=self._texts, changed=self._changed, counts=counts, samples=samples)

    def _count(self, kind: str, original: str) -> None:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        samples = self._samples.setdefault(kind, [])
        if len(samples) < _SAMPLES:
            shape = masked(original)
            if shape not in samples:
                samples.append(shape)


class Anonymised:
    """The texts of one dialogue, made by `Anonymiser.dialogue`."""

    def __init__(self, anonymiser: Anonymiser, about: Iterable[str] = ()) -> None:
        self._owner = anonymiser
        self._about = "\n".join(map(_squeezed, about))
        self._known: dict[tuple[str, str], str] = {}
        self._numbers: dict[str, int] = {}

    def text(self, text: str, names: Collection[str] = ()) -> str:
        """Return a text of the dialogue without personal data, as `Anonymiser.text` does."""
        return self._owner.text(text, lambda: self, names)

    def utterances(self, texts: Sequence[str], names: Collection[str] = ()) -> list[str]:
        """Return what is said in the dialogue, in its order, without personal data, as `text` gives each.

        Numbers dictated over several utterances are found, too.

        >>> Anonymiser().dialogue().utterances(["我的号码是幺三八", "嗯", "零零一三", "八零零零", "好的"])
        ['我的号码是<NUMBER_1>', '嗯', '<NUMBER_2>', '<NUMBER_3>', '好的']
        """
        return [
            self._owner.text(text, lambda: self, names, also) for text, also in zip(texts, dictated(texts), strict=True)
        ]

    def value(self, value: Any, names: Collection[str] = ()) -> Any:
        """Return a text, or what JSON holds, with every text in it as `text` gives it; keys stay."""
        if isinstance(value, str):
            return self.text(value, names)
        if isinstance(value, list):
            return [self.value(one, names) for one in value]
        if isinstance(value, dict):
            return {key: self.value(one, names) for key, one in value.items()}
        return value

    def _replace(self, text: str, spans: Iterable[PersonalSpan]) -> str:
        owner = self._owner
        there = [match.span() for match in PLACEHOLDER.finditer(text)] if "<" in text else []
        ends = [end for _, end in there]
        pieces: list[str] = []
        at = 0
        for span in spans:
            near = bisect_right(ends, span.start)  # the first placeholder that ends behind where the span begins
            if span.kind not in owner._kinds or (near < len(there) and there[near][0] < span.end):
                continue
            original = text[span.start : span.end]
            if self._about and _squeezed(original) in self._about:
                continue
            placeholder = self._placeholder(span.kind, original)
            if placeholder == original:
                continue
            pieces += [text[at : span.start], placeholder]
            at = span.end
            owner._count(span.kind, original)
        if not pieces:
            return text
        owner._changed += 1
        pieces.append(text[at:])
        return "".join(pieces)

    def _placeholder(self, kind: str, original: str) -> str:
        owner = self._owner
        if kind == "HANDLE" and original[0] in "@＠﹫":
            name = plain(original)[1:].lower()
            if name in owner._keep:
                return original
            if owner._handle is not None:
                return "@" + owner._handle(name)
        key = kind, _key(kind, original)
        found = self._known.get(key)
        if found is None:
            number = self._numbers[kind] = self._numbers.get(kind, 0) + 1
            found = self._known[key] = f"<{kind}_{number}>"
        return found


def masked(original: str) -> str:
    """Return the form of a piece of text: digits are 9, letters x, Chinese signs 某; the rest, and its length, stays.

    >>> masked("jo_99@mail.com, 张三")
    'xx_99@xxxx.xxx, 某某'
    """
    shape = _HAN.sub("某", _LETTER.sub("x", _DIGIT.sub("9", plain(original))))
    shape = " ".join(shape.split())
    return shape if len(shape) <= 60 else shape[:57] + "..."


def _squeezed(text: str) -> str:
    """Return a text without spaces, which segmentation puts in and takes out."""
    return "".join(text.split())


def _key(kind: str, original: str) -> str:
    """Return what two spellings of the same thing have in common: digits and small letters."""
    key = _SIGNS.sub("", digits_said(plain(original)).lower())
    if kind == "PHONE":  # with or without a country's prefix
        digits = re.sub(r"[^0-9]", "", key)
        return digits[-10:] if len(digits) >= 10 else digits or key
    return key
