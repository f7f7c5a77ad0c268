"""What the generation baseline reads and writes: samples as token numbers, replies as text (section 2.2 to 2.4).

Where the official converter ends with an error or drops a sample, so that replies would no longer stand beside their
samples, a sample is read as well as it can be: a topic of unknown domain is taken for a person, of a source that is too
long the end is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.proactive.formats import model_text
from duologue.challenges.proactive.formats.files import sample_row
from duologue.challenges.proactive.schema import DOMAIN, FILM
from duologue.challenges.proactive.systems.postks.network.batch import END, UNKNOWN, Row
from duologue.challenges.proactive.systems.postks.vocabulary import LONGEST, SPECIAL, fields_of, vocabulary
from duologue.core.records import Example

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Sample

_MARKS = str.maketrans(dict.fromkeys(f"\t\n\r{model_text.TRIPLE_END}", " "))
"""What would cut a line of model text at another place."""


class Text(NamedTuple):
    """A sample as a line of model text."""

    line: str
    topics: dict[str, str]
    """Slot to topic; empty where topics are not generalised."""


def text_of(example: Example, *, generalise: bool) -> Text:
    """Return an example as model text. Raises `UsageError` for one without a goal of two topics."""
    row = _clean(sample_row(Example(sample=example.sample, references=example.references)))
    topics = _topics_of(row)
    line = model_text.plain_line(row)
    return Text(model_text.generalised(line, topics), topics) if generalise else Text(line, {})


def _topics_of(row: dict[str, Any]) -> dict[str, str]:
    """Return the slots of a sample's topics; where a domain is not told that of a person, which is what is no film."""
    try:
        return model_text.topics_of(row)
    except KeyError:
        told = {one: value for one, relation, value in row["knowledge"] if relation == DOMAIN}
        slots = {}
        for letter, topic in zip("ab", row["goal"][0][1:], strict=True):
            slots[f"{'video' if told.get(topic) == FILM else 'person'}_topic_{letter}"] = topic
        return {slot: topic for slot, topic in slots.items() if topic}  # an empty name would be everywhere


def _clean(value: Any) -> Any:
    """Return rows of texts without the marks that separate them in a line."""
    if isinstance(value, str):
        return value.translate(_MARKS)
    if isinstance(value, dict):
        return {key: _clean(one) for key, one in value.items()}
    return [_clean(one) for one in value] if isinstance(value, list) else value


class Words:
    """The vocabulary of a trained baseline."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self._numbers = {word: number for number, word in enumerate(self.words)}

    @classmethod
    def of(cls, lines: Iterable[str]) -> Words:
        """Return the vocabulary of model text."""
        return cls(vocabulary(lines))

    def __len__(self) -> int:
        return len(self.words)

    def lesson(self, line: str) -> Row | None:
        """Return a line with its reply as numbers; `None` for one that the official program drops as too long."""
        fields = fields_of(line)
        if fields is None:
            return None
        source, reply, triples = fields
        return Row(self._read(source), self._read(reply), tuple(map(self._read, triples)))

    def question(self, line: str) -> Row:
        """Return a line as numbers, without its reply; of a source that is too long the end is kept."""
        source, _, triples = line.split("\t")
        source = " ".join(source.split(" ")[-LONGEST:])
        fields = fields_of(f"{source}\t\t{triples}")
        assert fields is not None, "the source fits by now"
        return Row(self._read(fields[0]), (), tuple(map(self._read, fields[2])))

    def _read(self, tokens: Sequence[str]) -> tuple[int, ...]:
        return tuple(self._numbers.get(token, UNKNOWN) for token in tokens)

    def write(self, numbers: Iterable[int]) -> str:
        """Return a reply as text, cut at its end; `<unk>`, `<num>` and lower case stay as they are.

        >>> Words([*SPECIAL, "hello", "there"]).write([4, 5, 3])
        'hello there'
        """
        said = []
        for number in numbers:
            if number == END:
                break
            said.append(self.words[number])
        return " ".join(said)


def reply_of(text: str, topics: dict[str, str], sample: Sample) -> str:
    """Return a generated text with the names of the sample's topics; slots that it does not have stay.

    A reply of nothing but spaces would not be scored, so that topic A is named instead.
    """
    reply = model_text.materialised(text.strip(), topics)
    if reply.strip():
        return reply
    assert sample.goal is not None, "text_of has seen to it"
    return sample.goal.topics[0].strip() or SPECIAL[UNKNOWN]
