"""Make the screens of the guides with Debian's Chromium, on example data: `make screens`, or `python docs/screens.py`.

Each page is taken in both languages, in a wide window and on a phone, as a small WebP in `docs/pictures/site`. The data
are those of the tests: a track of customer service with a final, a campaign, a talk, an annotated call.
"""

from __future__ import annotations

import base64
import re
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser
    from sqlalchemy import Connection
    from tests.site.world import World

ROOT = Path(__file__).parents[1]
SCREENS = Path(__file__).parent / "pictures" / "site"
LANGUAGES = ("en", "zh")
SIZES = {1280: 900, 375: 760}
"""Width and height of the windows, in pixels; a page is cut at that height."""
QUALITY = 62


SAID = (
    ("my parcel 4711 is late", "Sorry! Which number can we call you at?", "Sorry! Which number does it have?",
     "Please send us a message.", "ok"),
    ("thanks for the quick help", "Glad to help, have a nice day!", "Glad to help!", "Please see our page.", "bye"),
    ("the app logs me out all the time", "Please update it to 5.2, that should help.",
     "Please update the app, that should help.", "Sorry to hear that.", "the the app"),
    ("do you open on sunday", "On Sunday we open at ten and close at four.", "We open at ten on Sunday.",
     "Please see our page.", "sunday"),
    ("i was charged twice this month", "Sorry! We send the second amount back today.",
     "Sorry! We send it back today.", "Sorry to hear that.", "twice"),
    ("is the blue one in stock again", "It is, from Monday on, in all sizes.", "Yes, it is, in all sizes.",
     "Please see our page.", "blue blue"),
    ("nobody answers the phone", "Sorry, we are back at nine. Can we call you?", "Sorry, can we call you back?",
     "Please send us a message.", "phone"),
    ("how do i return a gift", "Print the label from your account, the rest is free.",
     "Print the label from your account.", "Please see our page.", "gift"),
)  # fmt: skip
"""What a customer writes, what the staff replied, and a good, a fair and a poor reply; made up."""


class Screen(NamedTuple):
    """A page to be taken."""

    name: str
    path: str
    role: str
    at: str = ""
    """What it is scrolled to, as a CSS selector; empty: its beginning."""
    path_zh: str = ""
    """Where the page in Chinese is another one."""


def talks(mark: str, number: int) -> bytes:
    """Return all dialogues with a system's replies, the `number`-th of each."""
    return "\n".join(f"U: {one[0]}\n{mark}: {one[number]}\n" for one in SAID).encode()


def screens(world: World) -> Iterator[Screen]:
    """Make the example data, and yield what is to be seen."""
    from tests.arena.competition.booking import Contest
    from tests.arena.finals.service import TRACK, archive

    from duologue.arena.competition.phases import advance
    from duologue.arena.competition.track_archive import read_archive
    from duologue.arena.competition.tracks import save_track
    from duologue.arena.storage import open_blobs

    blobs, source = open_blobs(world.workspace), read_archive(archive(TRACK, talks("S", 1)))
    world.write(lambda connection: save_track(connection, blobs, source, world.database.now()))
    contest = Contest(world.database, blobs, source.definition)
    me = world.ids["participant"]
    teams = {name: contest.team(name, owner=owner) for name, owner in (("Lotus", me), ("Maple", None), ("Cedar", None))}
    good, fair, poor = (talks("S_HYP", number) for number in (2, 3, 4))
    refused = contest.submit(teams["Lotus"], good.replace(b"S_HYP: Glad", b"X: Glad"), name="replies-1.txt")
    mixed = b"\n\n".join((good if number % 3 else fair).split(b"\n\n")[number].strip() for number in range(len(SAID)))
    handed = (("Lotus", poor), ("Lotus", fair), ("Lotus", good), ("Maple", mixed), ("Cedar", poor))
    for number, (name, file) in enumerate(handed, start=2):
        contest.submit(teams[name], file, name=f"replies-{number}.txt")
    _work(world)
    world.write(lambda connection: advance(connection, contest.track, world.database.now(), early="final"))
    campaign = _campaign(world)
    yield Screen("entry", f"/entries/{refused.id}", "participant")
    yield Screen("history", "/tracks/service/entries", "participant", "figure")
    yield Screen("board", "/tracks/service/board", "organiser")
    yield Screen("rating", f"/rate/{campaign}", "volunteer", ".rated")
    yield Screen("campaign", f"/campaigns/{campaign}", "organiser")
    yield Screen("results", f"/campaigns/{campaign}/results", "organiser")
    from tests.site.annotated import annotation_project

    _, sheet = annotation_project(world)
    yield Screen("sheet", f"/sheets/{sheet}", "annotator")
    yield Screen("talk", _talk(world, "en"), "volunteer", path_zh=_talk(world, "zh"))


def _work(world: World) -> None:
    from tests.arena.competition.booking import drain_here

    from duologue.arena.storage import open_blobs

    drain_here(world.database, open_blobs(world.workspace))


def _campaign(world: World) -> str:
    """Return the campaign of the final, rated by three people, and by the volunteer in part."""
    from tests.arena.campaigns.made import PEOPLE, Volunteer, add_people

    from duologue.arena.competition.tracks import find_track
    from duologue.arena.finals.final_campaign import campaigns_of, propose_final
    from duologue.arena.finals.final_results import take_results
    from duologue.arena.storage import open_blobs

    blobs = open_blobs(world.workspace)
    with tempfile.TemporaryDirectory() as folder, world.database.reading() as connection:
        track = find_track(connection, "service")
        final = track.phase("final")
        proposal = propose_final(connection, blobs, track, final, Path(folder), n=8, per_item=4)
    proposal.start(world.database)
    with world.database.reading() as connection:
        (campaign,) = campaigns_of(connection, track.name, final.name)
    add_people(world.database)
    for number, person in enumerate(PEOPLE[:3]):
        Volunteer(world.database, campaign.id, person).rate_all(_opinion(campaign, number))
    Volunteer(world.database, campaign.id, world.ids["volunteer"]).rate_all(_opinion(campaign, 3), limit=7)
    take_results(world.database, blobs, campaign, by=None)
    return campaign.id


def _talk(world: World, language: str) -> str:
    """Return the path of a talk with a system, on a goal that its card tells in a language."""
    from duologue.arena.talks import rooms, sessions
    from duologue.arena.talks.engine import TalkEngine

    me, now, engine = world.ids["volunteer"], world.database.now(), TalkEngine(world.database)
    title = {"en": "Call the operator", "zh": "给运营商打电话"}[language]
    shows = ("goal", "knowledge", "trace")

    def begin(connection: Connection) -> str:
        room = rooms.open_room(
            connection, title=title, task="mobilecs/dialogue", system="rule-agent", shows=shows, now=now
        )
        return rooms.enter_room(connection, room, me, lang=language, now=now)

    talk = str(world.write(begin))
    for text in (None, "晴空套餐多少钱", "星夜流量包有多少流量"):
        if text is not None:
            world.write(lambda connection, text=text: sessions.say(connection, talk, me, text, now=now))
        engine.answer(talk)
        if not engine.wait(talk, 60):
            raise SystemExit("the system does not answer")
    return f"/talks/{talk}"


def _opinion(campaign: Any, taste: int) -> Any:
    """Return the opinion of somebody who likes what people like, and differs from the others here and there."""
    liked = {text: points for one in SAID for text, points in zip(one[1:], (5, 4, 3, 1), strict=True)}

    def mine(item: Any) -> dict[str, Any]:
        words = item.first[-1][1]
        known = next((one for one in campaign.protocol.onboarding if one.turns == item.first), None)
        if known is not None:
            return {name: right[0] for name, right in known.right.items()}
        if "attention check" in words:
            return {one.name: one.high if "highest" in words else one.low for one in campaign.rating.criterion}
        points = liked[words] - ((sum(map(ord, words)) + taste) % 3 == 0)
        return {one.name: max(one.low, points) for one in campaign.rating.criterion}

    return mine


def take(browser: Browser, world: World, address: str, screen: Screen, language: str, width: int) -> bytes:
    """Return a page as a WebP."""
    size: Any = {"width": width, "height": SIZES[width]}
    context = browser.new_context(base_url=address, locale=language, viewport=size, timezone_id="Asia/Shanghai")
    try:
        context.add_cookies([{"name": "duologue-session", "value": world.cookie(screen.role), "url": address}])
        page = context.new_page()
        path = screen.path_zh if language == "zh" and screen.path_zh else screen.path
        answer = page.goto(path)
        if answer is None or answer.status != 200:
            raise SystemExit(f"{path} cannot be shown")
        if screen.at:
            page.locator(screen.at).first.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        asked = {"format": "webp", "quality": QUALITY}
        return base64.b64decode(context.new_cdp_session(page).send("Page.captureScreenshot", asked)["data"])
    finally:
        context.close()


def main() -> int:
    """Take all screens; return the exit code."""
    sys.path.insert(0, str(ROOT))
    from playwright.sync_api import sync_playwright
    from tests.site.world import World

    from duologue.arena.storage import open_database
    from duologue.web.server import Server

    chromium = shutil.which("chromium")
    if chromium is None:
        sys.stderr.write("Debian's Chromium is needed: apt-get install chromium\n")
        return 2
    SCREENS.mkdir(parents=True, exist_ok=True)
    wanted = re.compile("|".join(sys.argv[1:]) or ".*")
    with tempfile.TemporaryDirectory() as folder, open_database(Path(folder), durable=False) as database:
        world = World(database, Path(folder))
        server = Server(world.application(per_minute=0))
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                for screen in [one for one in screens(world) if wanted.fullmatch(one.name)]:
                    for language in LANGUAGES:
                        for width in SIZES:
                            path = SCREENS / f"{screen.name}-{language}-{width}.webp"
                            path.write_bytes(take(browser, world, server.address, screen, language, width))
                            sys.stdout.write(f"{path.name}: {path.stat().st_size // 1024} KB\n")
                browser.close()
        finally:
            server.shutdown()
            thread.join(10)
    return 0


if __name__ == "__main__":
    sys.exit(main())
