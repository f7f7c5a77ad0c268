"""Grounding check: entities, numbers and titles that a reply states, and those that its knowledge does not support."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from duologue.challenges.spoken.systems.template_nlg.surface_forms import fact_text, surface_forms_of
from duologue.knowledge.normalization import without_suffix
from duologue.metrics.ngrams import char_ngrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Fact, Turn

_LONGEST, _SHORTEST = 12, 2
"""Most and fewest characters of a name that is looked up; a longer one is found by a prefix, if at all."""
_WORDS = 6  # most characters of a common word
_DIALOGUES = 3  # dialogues in whose wording a common word must occur
_NUMERALS = "[二两三四五六七八九十百千万亿〇零]"
_MARKED = re.compile(
    r"\d+(?:\.\d+)?"
    r"|[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'’.\-]*"
    r"|《[^《》\n]+》"
    rf"|(?<!{_NUMERALS}){_NUMERALS}++(?=[届次首部张岁年月日位名座条口分集章本枚块元度米代星级期])"
)
_CHINESE = re.compile(r"[一-鿿·]+")
_BLANK = re.compile(r"\s+")


class EntityLexicon:
    """Names and short values of a knowledge graph, found in text by longest match."""

    def __init__(self, facts: Iterable[Fact], words: Iterable[str] = ()) -> None:
        """Index the names in facts, except those that are common words (`words`)."""
        plain = frozenset(words)
        names: set[str] = set()
        for fact in facts:
            for name in (fact.subject, without_suffix(fact.subject), fact.object):
                if isinstance(name, str) and _SHORTEST <= len(name) <= _LONGEST and name not in plain:
                    names.add(name)
        self._names = frozenset(name for name in names if _CHINESE.fullmatch(name))

    def names_in(self, text: str) -> list[str]:
        """Return the names in a text, the longest at each place, in their order."""
        found = []
        for run in _CHINESE.finditer(text):
            place, end = run.start(), run.end()
            while place < end:
                for size in range(min(_LONGEST, end - place), _SHORTEST - 1, -1):
                    name = text[place : place + size]
                    if name in self._names:
                        found.append(name)
                        place += size
                        break
                else:
                    place += 1
        return found


def claims_in(text: str, lexicon: EntityLexicon) -> tuple[str, ...]:
    """Return the claims of a text: numbers, foreign words, titles and names of the lexicon, each once."""
    return tuple(dict.fromkeys([*_MARKED.findall(text), *lexicon.names_in(text)]))


def supported_text(facts: Sequence[Fact], history: Sequence[Turn]) -> str:
    """Return the text that supports a reply: facts in all surface forms, their subjects, the history."""
    lines = [turn.text for turn in history]
    for fact in facts:
        lines += [fact.subject, fact_text(fact), *surface_forms_of(fact_text(fact)).values()]
    return "\n".join(_BLANK.sub("", line) for line in lines).lower()


def unsupported(text: str, known: str, lexicon: EntityLexicon) -> tuple[str, ...]:
    """Return the claims of a text that are not in `known` (made by `supported_text`)."""
    return tuple(one for one in claims_in(text, lexicon) if not _stands(one, known))


def _stands(claim: str, known: str) -> bool:
    """Return whether a claim is supported; a number only as a whole, so that 30 does not support 3."""
    said = _BLANK.sub("", claim).lower()
    if said[0].isdigit():
        return re.search(rf"(?<!\d){re.escape(said)}(?!\d)", known) is not None
    return said in known or said.strip("《》.'’-") in known


def plain_words(wordings: Sequence[tuple[str, Sequence[str]]], named: Counter[str]) -> list[str]:
    """Return the character n-grams (2 to 6) that are common words rather than knowledge, in alphabetical order.

    `wordings` are pairs of a dialogue and the wording of a reply outside its slots. An n-gram is a common word if the
    wording of three dialogues has it, and has it more often than facts name it (`named`).
    """
    counts: Counter[str] = Counter()
    where: dict[str, set[str]] = {}
    for dialogue, pieces in wordings:
        runs = {run for piece in pieces for run in _runs(piece)}
        for run in runs:
            counts[run] += 1
            places = where.setdefault(run, set())
            if len(places) < _DIALOGUES:
                places.add(dialogue)
    return sorted(run for run, times in counts.items() if len(where[run]) >= _DIALOGUES and times > named[run])


def _runs(text: str) -> Iterable[str]:
    for match in _CHINESE.finditer(text):
        yield from char_ngrams(match[0], _SHORTEST, _WORDS)
