"""Delexicalisation: words of the knowledge base become markers, so that a model learns templates, not names.

Every token that is a value in the knowledge base becomes `<value>`, every restaurant `<name>`, and a value
that is its restaurant's own (`x_phone` of `x`) becomes `<item>` followed by its field. What was replaced
stays beside the tokens: which field, which value, which restaurant. No field is hard-coded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.restaurant.schema.templates import API_CALL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.core.records import Fact

VALUE, NAME, ITEM, FIELD = "<value>", "<name>", "<item>", "<field>"
"""The markers that stand for words of the knowledge base."""
PUNCTUATION = ".,:;?!"
"""Split off the end of a word, so that `paris,` is still Paris."""
FIELD_PREFIX = "r_"
"""How a fact line in a dialogue spells a field."""

_CACHE_LIMIT = 200_000


class ValueMention(NamedTuple):
    """Mention of a knowledge base value in an utterance."""

    position: int
    """Index of its token."""
    field: int
    """Index into `KbLexicon.fields`."""
    pair: int
    """Number of the (field, value) pair, distinct within a lexicon."""


class DelexUtterance(NamedTuple):
    """A delexicalised utterance, with what its markers stand for."""

    tokens: tuple[str, ...]
    values: tuple[ValueMention, ...] = ()
    subject: str | None = None
    """The restaurant named last, known to the knowledge base or not."""
    item: str | None = None
    """The field of the restaurant's own value that is named, such as `phone`."""
    fields: tuple[int, ...] = ()
    """Numbers of the fields whose names are among the tokens, ascending."""
    items: tuple[str, ...] = ()
    """The tokens that name a field of a restaurant's own, such as `phone`, in their order."""


class _DelexWord(NamedTuple):
    """A word as it is written, punctuation included, with what it says."""

    tokens: tuple[str, ...]
    value: tuple[int, int] | None = None
    """Field and pair, where it is a value."""
    subject: str | None = None
    item: str | None = None


class KbLexicon:
    """Lexicon of one knowledge base for delexicalisation: restaurants, values and fields by word.

    Where a word is a value of several fields, the alphabetically first field counts.
    """

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._items: dict[str, tuple[str, str]] = {}
        self._suffixes: dict[str, str] = {}
        self._subjects: set[str] = set()
        values: dict[str, dict[str, None]] = {}
        for fact in facts:
            subject, relation, word = fact.subject, fact.relation, str(fact.object)
            self._subjects.add(subject)
            of_field = values.get(relation)
            if of_field is None:
                of_field = values[relation] = {}
            if word.startswith(subject) and word != subject:
                self._items[word] = (subject, relation)
                self._suffixes[word[len(subject) :]] = relation
            else:
                of_field[word] = None
        self.fields: tuple[str, ...] = tuple(sorted(values))
        """Names of the fields in alphabetical order."""
        self.item_fields: frozenset[str] = frozenset(self._suffixes.values())
        """Fields whose values belong to one restaurant each, such as `phone`."""
        self._values: dict[str, tuple[int, int]] = {}
        count = 0
        for index, field in enumerate(self.fields):
            for word in values[field]:
                self._values.setdefault(word, (index, count))
                count += 1
        self._field_numbers = {field: number for number, field in enumerate(self.fields)}
        self._known: dict[str, DelexUtterance] = {}
        self._words: dict[str, _DelexWord] = {}

    def delexicalise(self, text: str) -> DelexUtterance:
        """Return the utterance with its knowledge-base words replaced; equal texts give the same object."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= _CACHE_LIMIT:  # a server must not grow without limit
                self._known.clear()
                self._words.clear()
            known = self._known[text] = self._read(text)
        return known

    def field_of(self, word: str) -> str | None:
        """Return the field that a word is a value of, `None` for restaurants and for words of no knowledge base."""
        value = self._values.get(word)
        if value is not None:
            return self.fields[value[0]]
        return self._items[word][1] if word in self._items else None

    def spoken(self) -> set[str]:
        """Return the words of all utterances read so far and the names of the fields whose values they hold.

        Fact lines do not count: they name every field there is.
        """
        words: set[str] = set()
        for utterance in self._known.values():
            if FIELD not in utterance.tokens:
                words.update(utterance.tokens)
                words.update(self.fields[value.field] for value in utterance.values)
        return words

    def _read(self, text: str) -> DelexUtterance:
        tokens: list[str] = []
        values: list[ValueMention] = []
        subject = item = None
        for written in text.split():
            word = self._words.get(written)
            if word is None:
                word = self._words[written] = self._read_word(written)
            if word.value is not None:
                values.append(ValueMention(len(tokens), *word.value))
            elif word.subject is not None:
                subject, item = word.subject, word.item or item
            tokens += word.tokens
        numbers = self._field_numbers
        fields = tuple(sorted({numbers[token] for token in tokens if token in numbers}))
        items = tuple(token for token in tokens if token in self.item_fields)
        return DelexUtterance(tuple(tokens), tuple(values), subject, item, fields, items)

    def _read_word(self, written: str) -> _DelexWord:
        word = written.rstrip(PUNCTUATION) or written
        after = tuple(written[len(word) :])
        value = self._values.get(word)
        if value is not None:
            return _DelexWord((VALUE, *after), value)
        if word in self._subjects:
            return _DelexWord((NAME, *after), subject=word)
        if "_" in word and word != API_CALL:
            named, field = self._unusual(word)
            if named is None:
                return _DelexWord((FIELD, *after))
            return _DelexWord((ITEM, field, *after) if field else (NAME, *after), subject=named, item=field)
        return _DelexWord((word, *after))

    def _unusual(self, word: str) -> tuple[str | None, str | None]:
        """Return subject and field of a word with an underscore; both `None` when it is a field marker.

        A name that is in no knowledge base (candidates have some) is a restaurant nobody knows.
        """
        if word in self._items:
            return self._items[word]
        if word.startswith(FIELD_PREFIX) and word[len(FIELD_PREFIX) :] in self.fields:
            return None, None
        for suffix, field in self._suffixes.items():
            if word.endswith(suffix) and word != suffix:
                return word[: -len(suffix)], field
        return word, None
