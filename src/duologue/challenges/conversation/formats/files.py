"""Readers and writers of the challenge's text files (specification, section 7).

* dialogue text: `U: ` or `S: ` and the words, one utterance per line, an empty line after each dialogue;
* evaluation text: the same, the last line of each dialogue is the reference, or hidden (`S:`, `__UNDISCLOSED__`);
* system output: the context, then `S_REF: ` lines (none, one or more) and one `S_HYP: ` line;
* replies and references: one per line, nothing else, as in the organisers' evaluation package.

Samples are called by their place in the file, from 1: `"17"` is the 17th dialogue or line. What was read keeps
its lines in `source`, so that writing gives a file in the official layout back byte for byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.conversation.formats.dialogue_lines import (
    HIDDEN,
    HYPOTHESIS,
    MARKS,
    OUTPUT,
    REFERENCE,
    REPLIES,
    SPEAKERS,
    DialogueLine,
    blocks_of,
    foreign,
    layout_of,
    parse_line,
    shown,
    speaker_unknown,
)
from duologue.core import disk
from duologue.core.data_rows import block_rows, line_rows
from duologue.core.disk import Source
from duologue.core.errors import FormatError, UsageError
from duologue.core.examples import renamed
from duologue.core.lines import Lines, cut, sha256
from duologue.core.long_dialogues import long_dialogue
from duologue.core.problems import capped
from duologue.core.records import Answer, Dialogue, Example, Problem, Sample, Submission, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from duologue.core.data_rows import DataRows


def load(path: Path) -> list[Example]:
    """Return the examples of a reference file, evaluation file or system output, plain or gzip.

    A reference file gives one example per line without history; system output gives its `S_REF:` lines as
    references, several where a dialogue has several. Raises `FormatError` with all problems (up to about 1,000)
    and `StorageError` when the file cannot be read.
    """
    lines = _read(path)
    layout = layout_of(lines)
    if layout == REPLIES:
        return [_reference_example(line, number) for number, line in enumerate(lines, start=1)]
    _refuse(path, _speaker_problems(lines, ends=layout != OUTPUT))
    example = output_example if layout == OUTPUT else _evaluation_example
    return [example(block, number) for number, block in enumerate(blocks_of(lines), start=1)]


def load_training(path: Path, name: str = "") -> list[Example]:
    """Read a training file as `load` does, but allow dialogues that end with the user.

    Of such a dialogue the last reply is the reference, and what the user says after it is left out; one without any
    reply of the system has no reference. `name` is put before the ids. Raises as `load` does.
    """
    lines = _read(path)
    if layout_of(lines) == "dialogues":
        _refuse(path, _speaker_problems(lines))
        blocks = enumerate(blocks_of(lines), start=1)
        found = [_evaluation_example(_up_to_reply(block), number) for number, block in blocks]
    else:
        found = load(path)
    return [renamed(one, name) for one in found] if name else found


def data_rows(path: Path) -> DataRows:
    """Return the dialogues of a text file, those with the same first line as one: they are paths through one thread.

    A file of one reply per line gives its lines. Raises as `load` does; a dialogue may end with the user.
    """
    lines = _read(path)
    if layout_of(lines) == REPLIES:
        return line_rows(path)
    _refuse(path, _speaker_problems(lines))
    return block_rows(path, lambda block, _: block[0])


def _up_to_reply(block: list[DialogueLine]) -> list[DialogueLine]:
    """Truncate a dialogue to its last reply; without one, append a hidden reply."""
    last = max((place for place, line in enumerate(block, start=1) if line.mark == "S:"), default=0)
    return block[:last] or [*block, parse_line(f"S: {HIDDEN[1]}", 0)]


def _refuse(path: Path, problems: Iterable[Problem]) -> None:
    found = capped(problems)
    if found:
        raise FormatError(path, found)


def _read(path: Path) -> Lines:
    lines = Lines(Source(path), unmarked=True)
    strange = foreign(lines) or (None if any(map(str.strip, lines)) else _empty())
    if strange is not None:
        raise FormatError(path, [strange])
    return lines


def _empty() -> Problem:
    return Problem(rule="file-empty", message="the file has no line with words", advice="was it written to the end?")


def _speaker_problems(lines: Iterable[str], *, ends: bool = False, output: bool = True) -> Iterator[Problem]:
    """Yield lines without a speaker; with `ends` dialogues that end with the user, without `output` output lines."""
    for number, block in enumerate(blocks_of(lines), start=1):
        said = sum(bool(line.mark) for line in block)
        yield from long_dialogue(said, f"dialogue {number}, line {block[0].number}")
        for line in block:
            if not line.mark:
                yield speaker_unknown(line)
            elif not output and line.mark in (REFERENCE, HYPOTHESIS):
                message = f"found {shown(line.raw)}: this is system output, expected only 'U:' and 'S:'"
                yield Problem(rule="speaker-unknown", place=f"line {line.number}", message=message)
        if ends and block[-1].mark == "U:":
            message = "the dialogue ends with the user; its last line is what the system should say"
            place = f"dialogue {number}, line {block[-1].number}"
            yield Problem(rule="last-not-system", place=place, message=message, advice="end it with 'S:'")


def _turn(line: DialogueLine) -> Turn:
    return Turn(speaker=SPEAKERS[line.mark], text=line.text)


def _history(block: Sequence[DialogueLine]) -> tuple[Turn, ...]:
    return tuple(_turn(line) for line in block if line.mark in SPEAKERS)


def _raw(block: Sequence[DialogueLine]) -> tuple[str, ...]:
    return tuple(line.raw for line in block)


def _reference_example(line: str, number: int) -> Example:
    name = str(number)
    return Example(sample=Sample(id=name, dialogue_id=name), references=(Answer(text=line),), source=line)


def _evaluation_example(block: Sequence[DialogueLine], number: int) -> Example:
    *history, last = block
    name = str(number)
    references = () if last.text.strip() in HIDDEN else (Answer(text=last.text),)
    sample = Sample(id=name, dialogue_id=name, history=_history(history))
    return Example(sample=sample, references=references, source=_raw(block))


def output_example(block: Sequence[DialogueLine], number: int) -> Example:
    """Return the example in a dialogue of system output: its context and its references."""
    name = str(number)
    references = tuple(Answer(text=line.text) for line in block if line.mark == REFERENCE)
    sample = Sample(id=name, dialogue_id=name, history=_history(block))
    return Example(sample=sample, references=references, source=_raw(block))


def output_answer(block: Sequence[DialogueLine]) -> Answer:
    """Return the first hypothesis of a dialogue; its text is `None` where there is none."""
    return Answer(text=next((line.text for line in block if line.mark == HYPOTHESIS), None))


def read_dialogues(path: Path) -> list[Dialogue]:
    """Return the dialogues of a dialogue text file. Raises `FormatError` and `StorageError` as `load` does."""
    lines = _read(path)
    _refuse(path, _speaker_problems(lines, output=False))
    return [
        Dialogue(id=str(number), turns=_history(block), source=_raw(block))
        for number, block in enumerate(blocks_of(lines), start=1)
    ]


def write_dialogues(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write dialogue text; source lines are written unchanged."""
    _write((one.source if one.source is not None else [_line(turn) for turn in one.turns] for one in dialogues), path)


def write_evaluation(examples: Iterable[Example], path: Path) -> None:
    """Write evaluation text; an example without reference ends with `S: __UNDISCLOSED__`."""
    _write(map(_evaluation_lines, examples), path)


def _evaluation_lines(example: Example) -> Sequence[str]:
    if isinstance(example.source, (list, tuple)):
        return example.source
    last = example.references[0].text if example.references else HIDDEN[1]
    return [*map(_line, example.sample.history), f"S: {one_line(last or '')}"]


def write_output(pairs: Iterable[tuple[Example, Answer]], path: Path) -> None:
    """Write system output: each example's context and references, then the answer; a `None` text has no line."""
    _write((_output_lines(example, answer) for example, answer in pairs), path)


def _output_lines(example: Example, answer: Answer) -> list[str]:
    lines = [_line(turn) for turn in example.sample.history]
    lines += [f"{REFERENCE} {one_line(one.text or '')}" for one in example.references]
    return lines if answer.text is None else [*lines, f"{HYPOTHESIS} {one_line(answer.text)}"]


def _line(turn: Turn) -> str:
    mark = MARKS.get(turn.speaker)
    if mark is None:
        raise UsageError(f"a dialogue file has no mark for speaker '{turn.speaker}'; it knows user and system")
    return f"{mark} {one_line(turn.text)}"


def one_line(text: str) -> str:
    """Replace line breaks by spaces."""
    return " ".join(cut(text)) if "\n" in text or "\r" in text else text


def _encoded(text: str) -> bytes:
    """Encode as UTF-8, lone surrogates as question marks."""
    return text.encode("utf-8", "replace")


def _write(blocks: Iterable[Sequence[str]], path: Path) -> None:
    with disk.replacing(path) as out:
        for block in blocks:
            out.write(_encoded("\n".join(block) + "\n\n"))


def read_submission(path: Path) -> Submission:
    """Read a result file with its layout and encoding problems; lines are read lazily.

    Raises `StorageError` when the file cannot be read.
    """
    digest = ""
    try:
        source = Source(path)
        digest = sha256(source)
        lines = Lines(source, unmarked=True)
        layout = layout_of(lines)
        len(lines)  # so that all bytes are known to be text
    except FormatError as error:
        return Submission(rows=None, layout=REPLIES, problems=error.problems, hash=digest, path=str(path))
    return Submission(
        rows=lines,
        layout=OUTPUT if layout == OUTPUT else REPLIES,
        problems=(disk.BOM_FOUND,) if lines.marked else (),
        hash=digest,
        path=str(path),
    )


def write_replies(answers: Iterable[tuple[str, Answer]], path: Path) -> None:
    """Write one reply per line, at the line that the sample's id names; line breaks inside become spaces.

    Lines of samples that are not answered are left empty, and a text of `None` too: the format has no other way
    to say so. Raises `UsageError` for an id that is no line number, given twice, or far beyond the others.
    """
    texts: dict[int, str] = {}
    for name, answer in answers:
        if not name.isascii() or not name.isdecimal() or name.startswith("0"):
            raise UsageError(f"sample '{name}' has no place in a file of one reply per line; ids are 1, 2, 3, ...")
        if int(name) in texts:
            raise UsageError(f"sample '{name}' is answered twice")
        texts[int(name)] = one_line(answer.text or "")
    last = max(texts, default=0)
    if last > 1000 * (len(texts) + 1):
        raise UsageError(f"sample '{last}' would leave {last - len(texts)} lines empty; answer the samples before it")
    with disk.replacing(path) as out:
        for number in range(1, last + 1):
            out.write(_encoded(texts.get(number, "") + "\n"))


def numbered(examples: Sequence[Any]) -> bool:
    """Tell whether all ids are numbers, the positions in a file."""
    return all(one.sample.id.isascii() and one.sample.id.isdecimal() for one in examples)
