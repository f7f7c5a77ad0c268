"""Streams of events (SSE): turns of a talk as they come, pieces of an answer, and a partner who has come."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.responses import Response

    from duologue.arena.talks.engine import TalkEngine
    from duologue.arena.talks.pairs import PairPlace
    from duologue.site.pages.talk_view import TalkView
    from duologue.site.visit import Visit

STREAM_SECONDS = 20.0
"""A stream ends after so long, and the browser opens the next: none outlives the site for long."""
LOOK_SECONDS = 0.5
"""How often the rows are looked at."""
PIECE_SECONDS = 0.1
"""How often an answer under way is looked at."""


def stream(events: AsyncIterator[bytes]) -> Response:
    """Return a stream of events."""
    return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def event(name: str, **data: Any) -> bytes:
    """Return one event with its data as JSON."""
    return f"event: {name}\ndata: ".encode() + msgspec.json.encode(data) + b"\n\n"


def talk_events(
    visit: Visit, look: Callable[[int], Awaitable[TalkView]], engine: TalkEngine, view: TalkView
) -> Response:
    """Return the events of a talk after the turn that the reader has seen last; `look` gives what came after a turn."""
    after = visit.asked("after", "-1")
    seen = int(after) if after.removeprefix("-").isdigit() and after.isascii() else -1
    return stream(_talk_events(visit, look, engine, view, seen))


async def _talk_events(
    visit: Visit, look: Callable[[int], Awaitable[TalkView]], engine: TalkEngine, view: TalkView, seen: int
) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    end, told, said = loop.time() + STREAM_SECONDS, "", ""
    asked = -2
    yield b"retry: 500\n\n"
    while loop.time() < end:
        view = await look(seen)
        if view.turns:
            html = visit.site.renderer.render("talks/turns.html", {"view": view, "t": visit.t})
            yield event("turns", html=html, last=view.last)
        seen, said = max(seen, view.last), ""
        state = f"{view.status}|{view.due}|{view.can_complete}|{view.talk.open}|{view.talk.setting is None}"
        if state != told:
            told = state
            yield event(
                "state",
                status=view.status,
                due=view.due,
                open=view.talk.open,
                complete=view.can_complete,
                trouble=bool(view.talk.trouble),
                ready=view.talk.kind == "people" or view.talk.setting is not None,
            )
        if not view.talk.open:
            return
        if view.mine and view.answer_due and asked != view.last and not view.talk.trouble:
            asked = view.last
            await run_in_threadpool(engine.answer, view.talk.id)
        until = loop.time() + LOOK_SECONDS
        while loop.time() < until:
            await asyncio.sleep(PIECE_SECONDS)
            pieces = engine.pieces(view.talk.id)
            if pieces is None:
                continue
            until = min(end, loop.time() + PIECE_SECONDS + 0.01)  # look again as soon as the answer is whole
            if pieces != said:
                said = pieces
                yield event("piece", text=pieces)


def pair_events(wait: Callable[[], Awaitable[PairPlace]]) -> Response:
    """Return the events of a waiting room: one, when there is somebody to talk with or nothing to talk about."""
    return stream(_pair_events(wait))


async def _pair_events(wait: Callable[[], Awaitable[PairPlace]]) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    end = loop.time() + STREAM_SECONDS
    yield b"retry: 500\n\n"
    while loop.time() < end:
        place = await wait()
        if place.talk_id is not None:
            yield event("talk", path=f"/talks/{place.talk_id}")
            return
        if place.state == "done":
            yield event("done")
            return
        await asyncio.sleep(1)
