"""Talks: rooms with systems, pairs of people, and what is said in them."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from duologue.arena.people.links import is_local
from duologue.arena.talks import pairs, rooms, sessions
from duologue.core.errors import UsageError
from duologue.site.area import Area, route
from duologue.site.messages import in_language
from duologue.site.navigation import NavigationEntry
from duologue.site.page_error import PageError, not_found
from duologue.site.pages.talk_events import pair_events, talk_events
from duologue.site.pages.talk_view import TalkView
from duologue.site.talk_engine import engine_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from sqlalchemy import Connection
    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.site.visit import Visit


class TalkPages:
    """The handlers."""

    async def view(self, visit: Visit, *, after: int = -1) -> TalkView:
        """Return the talk of a path. Raises `PageError` for one that is not there for this reader."""

        def read(connection: Connection) -> TalkView | None:
            talk = sessions.find_talk(connection, visit.at("id"))
            if talk is None:
                return None
            turns = sessions.turns_of(connection, talk.id)
            pairing = pairs.find_pairing(connection, talk.pairing_id) if talk.pairing_id else None
            return TalkView(talk, turns, pairing, visit)

        found = await visit.read(read)
        if found is None or not (found.mine or found.staff):
            raise not_found()
        if found.late:  # somebody was silent for too long: whoever looks next sees that it is over
            pairing, now = found.pairing, visit.now
            await visit.site.write(lambda connection: pairing and pairs.sweep(connection, pairing, now=now))
            found = visit.found(await visit.read(read))
        found.turns = [one for one in found.turns if one.position > after]
        return found

    async def index(self, visit: Visit) -> Response:
        """Show the rooms, the campaigns of pairs, and one's own talks."""

        def read(connection: Connection) -> dict[str, Any]:
            mine = sessions.list_talks(connection, person=visit.me.id, limit=50)
            counts = sessions.count_turns(connection, [one.id for one in mine])
            open_pairs = [one for one in pairs.list_pairings(connection) if one.state == "open"]
            return {
                "rooms": rooms.list_rooms(connection, closed=False),
                "pairings": open_pairs,
                "mine": mine,
                "counts": counts,
            }

        return visit.page("talks/index.html", title=visit.t("talks.title"), **await visit.read(read))

    async def room(self, visit: Visit) -> Response:
        """Show a room, to which a volunteer's link leads."""
        room = visit.found(await visit.read(rooms.find_room, visit.at("id")))
        return visit.page("talks/room.html", title=room.title, room=room)

    async def enter(self, visit: Visit) -> Response:
        """Begin a talk in a room, or go on with the one there."""
        form = await visit.form()
        room, me, lang, now = visit.at("id"), visit.me.id, visit.language, visit.now
        talk = await visit.submit(form, lambda connection: rooms.enter_room(connection, room, me, lang=lang, now=now))
        return visit.redirect(f"/talks/{talk}")

    async def show(self, visit: Visit) -> Response:
        """Show a talk: to talk on, or to be read."""
        view = await self.view(visit)
        scene = None
        if view.talk.kind == "people":
            scene = await visit.read(pairs.scene_of, view.talk)
        card: Sequence[str] = ()
        how = ""
        if scene is not None:
            task, sides = pairs.paired_task(view.talk.task), [view.side] if view.mine else ["system", "user"]
            card = [line for side in sides for line in task.pair_card(scene, visit.language, side)]
            how = task.pair_how(view.side, visit.language) if view.mine else ""
        elif view.talk.setting is not None and view.goal:
            card = view.talk.setting.card
        facts = _facts(view, scene)
        following = visit.asked("next")
        room = await visit.read(rooms.find_room, view.talk.room_id) if view.talk.room_id else None
        titled = view.pairing or room
        return visit.page(
            "talks/talk.html",
            title=titled.title if titled else visit.t("talks.talk"),
            view=view,
            talk=view.talk,
            card=card,
            how=how,
            facts=facts,
            next=following if following and is_local(following) else "",
        )

    async def say(self, visit: Visit) -> Response:
        """Say something, to a system or to the other."""
        form = await visit.form()
        view = await self.view(visit)
        text = form.text("text", limit=sessions.LONGEST, needed=view.talk.kind == "people")
        say = sessions.say if view.talk.kind == "system" else pairs.say_to_partner
        await self._do(visit, form, lambda c, now: say(c, view.talk.id, visit.me.id, text, now=now))
        return self._back(visit)

    async def finish(self, visit: Visit) -> Response:
        """End a talk."""
        form = await visit.form()
        view = await self.view(visit)
        action = sessions.finish if view.talk.kind == "system" else pairs.complete
        await self._do(visit, form, lambda connection, now: action(connection, view.talk.id, visit.me.id, now=now))
        return self._back(visit)

    async def give_up(self, visit: Visit) -> Response:
        """Leave a dialogue with another person before its end."""
        form = await visit.form()
        view = await self.view(visit)
        if view.talk.kind != "people":
            raise not_found()
        await self._do(visit, form, lambda c, now: pairs.give_up(c, view.talk.id, visit.me.id, now=now))
        return visit.redirect(f"/pairs/{view.talk.pairing_id}", said="talks.given_up")

    async def ask_again(self, visit: Visit) -> Response:
        """Ask a system again that has failed."""
        await visit.form()
        view = await self.view(visit)
        if view.mine:
            engine_of(visit.site).answer(view.talk.id)
        return self._back(visit)

    async def events(self, visit: Visit) -> Response:
        """Stream what happens in a talk."""
        view = await self.view(visit)
        return talk_events(visit, lambda after: self.view(visit, after=after), engine_of(visit.site), view)

    async def hall(self, visit: Visit) -> Response:
        """Show where somebody stands in a campaign of pairs."""
        pairing_id, me = visit.at("id"), visit.me.id
        pairing = visit.found(await visit.read(pairs.find_pairing, pairing_id))
        place = await visit.read(pairs.place_of, pairing_id, me)
        if place.state in {"waiting", "done"} and pairing.state == "open":
            place = await self._wait(visit)
        if place.talk_id is not None:
            return visit.redirect(f"/talks/{place.talk_id}")
        return visit.page("talks/wait.html", title=pairing.title, pairing=pairing, place=place)

    async def wait(self, visit: Visit) -> Response:
        """Wait for a partner."""
        await visit.form()
        place = await self._wait(visit)
        return visit.redirect(f"/talks/{place.talk_id}" if place.talk_id else f"/pairs/{visit.at('id')}")

    async def leave(self, visit: Visit) -> Response:
        """Wait no longer."""
        form = await visit.form()
        pairing_id, me, now = visit.at("id"), visit.me.id, visit.now
        await visit.submit(form, lambda connection: pairs.leave(connection, pairing_id, me, now=now))
        return visit.redirect(f"/pairs/{pairing_id}")

    async def hall_events(self, visit: Visit) -> Response:
        """Stream whether a partner has come; whoever listens is seen."""
        visit.found(await visit.read(pairs.find_pairing, visit.at("id")))
        return pair_events(lambda: self._wait(visit))

    async def _wait(self, visit: Visit) -> pairs.PairPlace:
        pairing_id, me = visit.at("id"), visit.me.id
        return await _place(visit, lambda connection, now: pairs.wait(connection, pairing_id, me, now=now))

    async def _do(self, visit: Visit, form: Any, action: Callable[[Connection, int], Any]) -> None:
        """Do what a form asks for. Raises `PageError` for what a talk refuses."""
        now = visit.now
        try:
            await visit.submit(form, lambda connection: action(connection, now))
        except UsageError as error:
            problem = in_language(visit.language, str(error))
            raise PageError(HTTPStatus.CONFLICT, "talks.refused", problem=problem) from error

    def _back(self, visit: Visit) -> Response:
        following = visit.asked("next")
        query = f"?{urlencode({'next': following})}" if following and is_local(following) else ""
        return visit.redirect(f"/talks/{visit.at('id')}{query}")


async def _place(visit: Visit, action: Callable[[Connection, int], pairs.PairPlace]) -> pairs.PairPlace:
    now = visit.now
    found = await visit.site.write(visit.by_me(lambda connection: tuple(action(connection, now))))
    return pairs.PairPlace(*found)


def _facts(view: TalkView, scene: Any) -> list[tuple[str, str, str]]:
    """Return the knowledge that a reader sees."""
    if scene is not None:
        dialogue = scene if view.side == "system" or not view.mine else None
    else:
        dialogue = view.talk.dialogue if view.knowledge else None
    if dialogue is None:
        return []
    return [(one.subject, one.relation, str(one.object)) for one in dialogue.knowledge]


def routes() -> Sequence[Route]:
    """Return the routes."""
    pages = TalkPages()
    return [
        route("/talks", pages.index),
        route("/talks/rooms/{id}", pages.room),
        route("/talks/rooms/{id}/enter", pages.enter, methods=("POST",)),
        route("/talks/{id}", pages.show),
        route("/talks/{id}/say", pages.say, methods=("POST",)),
        route("/talks/{id}/finish", pages.finish, methods=("POST",)),
        route("/talks/{id}/give-up", pages.give_up, methods=("POST",)),
        route("/talks/{id}/again", pages.ask_again, methods=("POST",)),
        route("/talks/{id}/events", pages.events),
        route("/pairs/{id}", pages.hall),
        route("/pairs/{id}/wait", pages.wait, methods=("POST",)),
        route("/pairs/{id}/leave", pages.leave, methods=("POST",)),
        route("/pairs/{id}/events", pages.hall_events),
    ]


AREA = Area("talks", routes, (NavigationEntry("/talks", "talks.title"),))
