"""Input and output text of the generation baseline: samples to token ids, token ids to replies (section 2.2 to 2.4).

Where the official converter fails or drops a sample, which would misalign replies and samples, the sample is read as
well as possible: a topic of unknown domain counts as a person, a source that is too long is cut from the left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.proactive.formats import model_text
from duologue.challenges.proactive.formats.files import sample_row
from duologue.challenges.proactive.formats.model_text import ModelText
from duologue.challenges.proactive.schema import DOMAIN, FILM
from duologue.challenges.proactive.systems.postks.network.batch import PostksRow
from duologue.challenges.proactive.systems.postks.vocabulary import LONGEST, fields_of, vocabulary
from duologue.core.records import Example
from duologue.models.vocabulary import END, SPECIAL, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Sample

_MARKS = str.maketrans(dict.fromkeys(f"\t\n\r{model_text.TRIPLE_END}", " "))
"""Removes the separators of model text from cells."""


def text_of(example: Example, *, generalise: bool) -> ModelText:
    """Return an example as model text. Raises `UsageError` for one without a goal of two topics."""
    row = _clean(sample_row(Example(sample=example.sample, references=example.references)))
    topics = _topics_of(row)
    line = model_text.plain_line(row)
    return ModelText(model_text.generalised(line, topics), topics) if generalise else ModelText(line, {})


def _topics_of(row: dict[str, Any]) -> dict[str, str]:
    """Return slot -> topic of a sample; a topic without a domain counts as a person."""
    try:
        return model_text.topics_of(row)
    except KeyError:
        domains = {one: value for one, relation, value in row["knowledge"] if relation == DOMAIN}
        slots = {}
        for letter, topic in zip("ab", row["goal"][0][1:], strict=True):
            slots[f"{'video' if domains.get(topic) == FILM else 'person'}_topic_{letter}"] = topic
        return {slot: topic for slot, topic in slots.items() if topic}  # an empty name would match everywhere


def _clean(value: Any) -> Any:
    """Return a row without separators of model text in its cells."""
    if isinstance(value, str):
        return value.translate(_MARKS)
    if isinstance(value, dict):
        return {key: _clean(one) for key, one in value.items()}
    return [_clean(one) for one in value] if isinstance(value, list) else value


class PostksVocabulary:
    """The vocabulary of a trained baseline."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self._numbers = {word: number for number, word in enumerate(self.words)}

    @classmethod
    def of(cls, lines: Iterable[str]) -> PostksVocabulary:
        """Return the vocabulary of model text."""
        return cls(vocabulary(lines))

    def __len__(self) -> int:
        return len(self.words)

    def training_row(self, line: str) -> PostksRow | None:
        """Return token ids of a line with its reply; `None` for a line that the official program drops as too long."""
        fields = fields_of(line)
        if fields is None:
            return None
        source, reply, triples = fields
        return PostksRow(self._numbers_of(source), self._numbers_of(reply), tuple(map(self._numbers_of, triples)))

    def input_row(self, line: str) -> PostksRow:
        """Return token ids of a line without its reply; a source that is too long is cut from the left."""
        source, _, triples = line.split("\t")
        source = " ".join(source.split(" ")[-LONGEST:])
        fields = fields_of(f"{source}\t\t{triples}")
        assert fields is not None, "the source fits by now"
        return PostksRow(self._numbers_of(fields[0]), (), tuple(map(self._numbers_of, fields[2])))

    def _numbers_of(self, tokens: Sequence[str]) -> tuple[int, ...]:
        return tuple(self._numbers.get(token, UNKNOWN) for token in tokens)

    def write(self, numbers: Iterable[int]) -> str:
        """Return the text of token ids up to the end token; `<unk>`, `<num>` and lower case stay.

        >>> PostksVocabulary([*SPECIAL, "hello", "there"]).write([4, 5, 3])
        'hello there'
        """
        said = []
        for number in numbers:
            if number == END:
                break
            said.append(self.words[number])
        return " ".join(said)


def reply_of(text: str, topics: dict[str, str], sample: Sample) -> str:
    """Return a generated text with slots replaced by topics; slots that the sample does not have stay.

    A blank reply would not be scored and is replaced by topic A.
    """
    reply = model_text.materialised(text.strip(), topics)
    if reply.strip():
        return reply
    assert sample.goal is not None, "text_of has seen to it"
    return sample.goal.topics[0].strip() or SPECIAL[UNKNOWN]
