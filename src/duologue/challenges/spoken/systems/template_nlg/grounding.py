"""Knowledge in a reply: the numbers, foreign words, titles and names that it says, and which of them nobody gave it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from duologue.challenges.spoken.systems.template_nlg.surface_forms import fact_text, surface_forms_of
from duologue.knowledge.normalization import without_suffix

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Fact, Turn

_LONGEST, _SHORTEST = 12, 2
"""Characters of a name that is looked for; a longer one is found by what it begins with or goes unseen."""
_WORDS = 6  # characters of the longest run that may be a plain word
_DIALOGUES = 3  # in so many dialogues a run of characters must be plain wording
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
    """The names and short values of a knowledge graph, to be found in text."""

    def __init__(self, facts: Iterable[Fact], words: Iterable[str] = ()) -> None:
        """Take the facts; `words` are runs of characters that people use as plain words, whatever else they name."""
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
    """Return what a text claims to know: numbers, foreign words, titles, and names of the lexicon, each once."""
    return tuple(dict.fromkeys([*_MARKED.findall(text), *lexicon.names_in(text)]))


def supported_text(facts: Sequence[Fact], history: Sequence[Turn]) -> str:
    """Return all that a reply may say: the facts in all forms, their subjects, and what was said."""
    lines = [turn.text for turn in history]
    for fact in facts:
        lines += [fact.subject, fact_text(fact), *surface_forms_of(fact_text(fact)).values()]
    return "\n".join(_BLANK.sub("", line) for line in lines).lower()


def unsupported(text: str, known: str, lexicon: EntityLexicon) -> tuple[str, ...]:
    """Return the claims of a text that `known` (of `supported_text`) does not hold."""
    return tuple(one for one in claims_in(text, lexicon) if not _stands(one, known))


def _stands(claim: str, known: str) -> bool:
    """Tell whether a claim is known; a number only as a whole, so that 3 is not known from 30."""
    said = _BLANK.sub("", claim).lower()
    if said[0].isdigit():
        return re.search(rf"(?<!\d){re.escape(said)}(?!\d)", known) is not None
    return said in known or said.strip("《》.'’-") in known


def plain_words(wordings: Sequence[tuple[str, Sequence[str]]], named: Counter[str]) -> list[str]:
    """Return the runs of 2 to 6 characters that are words, not knowledge, in alphabetical order.

    `wordings` are dialogues with the wording of a reply beside its slots. A run is a word if it is said in three
    dialogues, and more often so than it is `named` by a fact.
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
        run = match[0]
        for size in range(_SHORTEST, _WORDS + 1):
            for place in range(len(run) - size + 1):
                yield run[place : place + size]
