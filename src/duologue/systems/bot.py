"""The JSON protocol for external bots, independent of how it is transported.

`docs/guide/your-own-bot.md` says it for the bot's side. A request is the sample as the records have it, with the
name, language and kind of answer of the task; a response is the parts of an answer that the task wants, checked here
against the sample, so that a bot that answers nonsense is told so at its first answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.decoded import is_whole
from duologue.core.errors import BotError
from duologue.core.escapes import excerpt
from duologue.core.records import Act, Annotation, Answer, Fact, Mention, Record, Value
from duologue.core.typed import decode_json

if TYPE_CHECKING:
    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Sample

PROTOCOL = 1
"""Version of the protocol, sent with every request."""
MAX_BYTES = 4 << 20
"""Bytes of a response that are read; more are refused."""
NOT_DECLARED = "not declared: a bot of one's own (--set seen=... says what it learned from)"

_LONGEST_SHOWN = 200
_KINDS = ("facts", "acts", "mentions", "values")
"""Parts of an answer that an annotation holds."""
_SPEAKERS = ("user", "system")


class Response(Record, frozen=True, kw_only=True):
    """What a bot sends back; of the parts it gives those that the task wants."""

    id: str
    """That of the request."""
    text: str | None = None
    ranking: tuple[str, ...] | None = None
    facts: tuple[Fact, ...] | None = None
    acts: tuple[Act, ...] | None = None
    mentions: tuple[Mention, ...] | None = None
    values: tuple[Value, ...] | None = None


def request_of(sample: Sample, info: TaskInfo, seed: int) -> bytes:
    """Return the request for a sample: one JSON object on one line, in UTF-8, without the line end."""
    head = {
        "protocol": PROTOCOL,
        "task": info.name,
        "language": info.language,
        "answer": info.answers.split("+"),
        "seed": seed,
    }
    return msgspec.json.encode({**head, **msgspec.structs.asdict(sample)})


def answer_of(body: bytes, sample: Sample, info: TaskInfo, who: str) -> Answer:
    """Return the answer that a response holds; `who` is the bot in words. Raises `BotError` for what is none."""
    try:
        response = decode_json(body, Response)
    except msgspec.DecodeError as error:
        raise _nonsense(who, sample, info, str(error).replace("`", "'"), body) from error
    wrong = _wrong(response, sample, info)
    if wrong:
        raise _nonsense(who, sample, info, wrong, body)
    parts = {kind: getattr(response, kind) for kind in _KINDS}
    given = {kind: part for kind, part in parts.items() if part is not None}
    annotation = Annotation(**given) if given else None
    return Answer(text=response.text, annotation=annotation, ranking=response.ranking)


def example_of(info: TaskInfo) -> str:
    """Return a response in the form that a task wants, for messages."""
    parts = {"text": '"..."', "ranking": '["best id", "next id", ...]'}
    return "{" + ", ".join(f'"{part}": {parts.get(part, "[...]")}' for part in ("id", *info.answers.split("+"))) + "}"


def _wrong(response: Response, sample: Sample, info: TaskInfo) -> str:
    """Return what is wrong with a response in words; empty where nothing is."""
    if response.id != sample.id:
        return f"the response is to '{response.id[:_LONGEST_SHOWN]}'"
    wanted = info.answers.split("+")
    missing = [part for part in wanted if getattr(response, part, ()) is None]
    if missing:
        return f"it has no {' and no '.join(missing)}"
    if response.text is not None and (not is_whole(response.text) or set("\n\r\t") & set(response.text)):
        return "its text holds a line end or a TAB; a reply is one line"
    return _wrong_ranking(response, sample) or _wrong_parts(response)


def _wrong_ranking(response: Response, sample: Sample) -> str:
    if response.ranking is None:
        return ""
    offered = {candidate.id for candidate in sample.candidates}
    unknown = [one for one in response.ranking if one not in offered]
    if unknown:
        return f"it ranks '{unknown[0]}', which is no candidate of the sample"
    if len(set(response.ranking)) < len(response.ranking):
        return "it ranks a candidate twice"
    lacking = len(offered) - len(response.ranking)
    return f"it leaves out {lacking} of {len(offered)} candidates; rank all of them, best first" if lacking else ""


def _wrong_parts(response: Response) -> str:
    odd = next((act.speaker for act in response.acts or () if act.speaker not in _SPEAKERS), None)
    if odd is not None:
        return f"an act is of speaker '{odd}', expected 'user' or 'system'"
    for mention in response.mentions or ():
        if mention.entity is None or mention.span is None:
            return f"the mention '{mention.text}' needs an entity and a span"
    for value in response.values or ():
        if value.span is None:
            return f"the value '{value.text}' needs a span"
    return ""


def _nonsense(who: str, sample: Sample, info: TaskInfo, wrong: str, body: bytes) -> BotError:
    said = excerpt(body)
    return BotError(
        f"{who} gave no answer to sample '{sample.id}' of {info.name}: {wrong}.\n"
        f"  expected: {example_of(info)}, with the id of the request\n"
        f"  it said:  {said or 'nothing'}"
    )
