"""Conversation modelling (DSTC6 track 2): dialogue text, evaluation samples and system output."""

from __future__ import annotations

from duologue.core.records import Answer, Dialogue, Example, Sample, Turn

SPEAKERS = {"U": "user", "S": "system"}
MARKS = {role: mark for mark, role in SPEAKERS.items()}
UNKNOWN = "__UNDISCLOSED__"


def _blocks(data: bytes) -> list[list[str]]:
    return [block.split("\n") for block in data.decode().removesuffix("\n\n").split("\n\n")]


def _turn(line: str) -> Turn:
    mark, _, text = line.partition(": ")
    return Turn(speaker=SPEAKERS[mark], text=text)


def _line(turn: Turn) -> str:
    return f"{MARKS[turn.speaker]}: {turn.text}"


def _join(blocks: list[list[str]]) -> bytes:
    return "".join("\n".join(block) + "\n\n" for block in blocks).encode()


def read_dialogues(data: bytes) -> list[Dialogue]:
    return [
        Dialogue(id=f"dialogue-{number}", turns=tuple(map(_turn, block))) for number, block in enumerate(_blocks(data))
    ]


def write_dialogues(dialogues: list[Dialogue]) -> bytes:
    return _join([[_line(turn) for turn in dialogue.turns] for dialogue in dialogues])


def read_samples(data: bytes) -> list[Example]:
    """Return the dialogues of an evaluation file: the last line is the reference, unless it is undisclosed."""
    examples = []
    for number, block in enumerate(_blocks(data)):
        *history, last = map(_turn, block)
        name = f"sample-{number}"
        references = () if last.text == UNKNOWN else (Answer(text=last.text),)
        sample = Sample(id=name, dialogue_id=name, history=tuple(history))
        examples.append(Example(sample=sample, references=references))
    return examples


def write_samples(examples: list[Example]) -> bytes:
    return _join(
        [
            [*map(_line, example.sample.history), f"S: {example.references[0].text if example.references else UNKNOWN}"]
            for example in examples
        ]
    )


def read_output(data: bytes) -> list[tuple[Example, Answer]]:
    """Return what a system said, each beside its example; a missing hypothesis is not given, an empty one is said."""
    pairs = []
    for number, block in enumerate(_blocks(data)):
        history = tuple(_turn(line) for line in block if line[:2] in ("U:", "S:"))
        marked = {line.partition(":")[0]: line.partition(":")[2].removeprefix(" ") for line in block}
        references = (Answer(text=marked["S_REF"]),) if "S_REF" in marked else ()
        name = f"sample-{number}"
        sample = Sample(id=name, dialogue_id=name, history=history)
        pairs.append((Example(sample=sample, references=references), Answer(text=marked.get("S_HYP"))))
    return pairs


def write_output(pairs: list[tuple[Example, Answer]]) -> bytes:
    blocks = []
    for example, answer in pairs:
        block = [_line(turn) for turn in example.sample.history]
        block += [f"S_REF: {reference.text}" for reference in example.references]
        block += [] if answer.text is None else [f"S_HYP: {answer.text}"]
        blocks.append(block)
    return _join(blocks)
