"""Volunteers of a campaign who read pages and send forms like a browser without JavaScript, also after faults."""

from __future__ import annotations

import asyncio
import random
import time
from html.parser import HTMLParser
from typing import TYPE_CHECKING, NamedTuple

import httpx

if TYPE_CHECKING:
    from collections.abc import Callable

TRIES_SECONDS = 900.0


class PageForm(NamedTuple):
    """A form of a page."""

    action: str
    hidden: dict[str, str]
    choices: dict[str, list[str]]
    """Radio buttons: their values by name."""
    texts: list[str]
    """Names of text areas."""


class Forms(HTMLParser):
    """Collects the forms of a page that are sent by POST."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[PageForm] = []
        self._open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a form or one of its fields."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = given.get("method", "").lower() == "post"
            if self._open:
                self.found.append(PageForm(given["action"], {}, {}, []))
        elif self._open and tag == "textarea":
            self.found[-1].texts.append(given["name"])
        elif self._open and tag == "input":
            if given.get("type") == "hidden":
                self.found[-1].hidden[given["name"]] = given.get("value", "")
            elif given.get("type") == "radio":
                self.found[-1].choices.setdefault(given["name"], []).append(given["value"])

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a form."""
        if tag == "form":
            self._open = False


class Seen(NamedTuple):
    """What all volunteers saw together."""

    seconds: list[float]
    """Of every answered request."""
    acknowledged: list[str]
    """Items given to volunteers whose rating was answered, for each rating."""
    sent: list[str]
    """The same of all ratings that were sent, answered or not."""
    refused: list[str]
    """Answers that no volunteer should get."""
    lost_connections: list[float]
    """When the site did not answer."""
    entered: list[str]
    """Names of the volunteers who are in."""


async def volunteer(name: str, link: str, seen: Seen, *, until: Callable[[], bool], pause: float) -> None:
    """Come in by a link, and rate one item after the other until there is none, or it is time.

    With a `pause` (seconds) volunteers come in within five of them, and take about one for each form.
    """
    rng = random.Random(name)
    await asyncio.sleep(5 * pause * rng.random())
    async with httpx.AsyncClient(timeout=20) as client:
        form = _one(Forms((await _ask(client, "GET", link, None, seen)).text).found, "/enter/")
        page = await _ask(client, "POST", str(httpx.URL(link).join(form.action)), form.hidden, seen)
        place = str(page.url)
        seen.entered.append(name)
        rated = 0
        while not until():
            found = [one for one in Forms(page.text).found if one.choices]
            if not found:
                return
            form = found[0]
            item = form.action.rpartition("/")[2]
            seen.sent.append(item)
            sent = form.hidden | {name: rng.choice(values) for name, values in form.choices.items()}
            sent |= dict.fromkeys(form.texts, f"remark {rated}")
            if pause:
                await asyncio.sleep(pause * (0.5 + rng.random()))
            page = await _ask(client, "POST", str(httpx.URL(place).join(form.action)), sent, seen)
            if page.status_code == 200:
                rated += 1
                seen.acknowledged.append(item)
            if not any(one.choices for one in Forms(page.text).found):
                page = await _ask(client, "GET", place, None, seen)


def _one(forms: list[PageForm], begins: str) -> PageForm:
    return next(one for one in forms if one.action.startswith(begins))


async def _ask(
    client: httpx.AsyncClient, method: str, url: str, form: dict[str, str] | None, seen: Seen
) -> httpx.Response:
    """Return an answer; where there is none, ask again with the very same form, as somebody who presses the button."""
    ends = time.monotonic() + TRIES_SECONDS
    while True:
        began = time.perf_counter()
        try:
            answer = await client.request(method, url, data=form)
        except httpx.TransportError:
            seen.lost_connections.append(time.monotonic())
            if time.monotonic() > ends:
                raise
            await asyncio.sleep(0.1 + 0.2 * random.random())  # when, not what
            continue
        seen.seconds.append(time.perf_counter() - began)
        if answer.is_redirect:  # the form is done; the page after it is asked for by itself
            method, url, form = "GET", str(httpx.URL(url).join(answer.headers["location"])), None
            continue
        if answer.status_code != 200:
            seen.refused.append(f"{method} {httpx.URL(url).path.split('/')[1]}: {answer.status_code}")
        return answer
