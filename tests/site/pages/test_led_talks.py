"""A campaign of proactive on the site: a volunteer talks with a local system and with a chat endpoint; both lead."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")
pytest.importorskip("rjieba", reason="what a chat model says is cut into words")

from tests import endpoint_stub
from tests.challenges.proactive.conftest import session
from tests.endpoint_stub import Stub
from tests.endpoints.servers import stub
from tests.site.world import send

from duologue.arena.campaigns.campaign import CampaignSettings, find_campaign, status_of
from duologue.arena.campaigns.campaign_protocol import find_campaign_protocol
from duologue.arena.campaigns.proposal import propose
from duologue.arena.campaigns.volunteers import enrol
from duologue.arena.talks import sessions
from duologue.core.errors import DuologueError
from duologue.site.pages import talk_events

if TYPE_CHECKING:
    from starlette.testclient import TestClient
    from tests.site.world import World

    from duologue.arena.talks.sessions import Talk, TalkTurn

PLUGIN = Path(__file__).resolve().parents[2] / "golden" / "proactive" / "plugin"
KEY = "a-key-of-nobody"
OPENS = "《海的一0》你看过吗？"
GOAL = "海 的 一0 → 云 小0"
"""As raters see it, in the words of the data."""
POINTS = {"points-coherence": "3", "points-goal-completion": "1"}
TALK, ITEM = re.compile(r'href="(/talks/\w+)\?'), re.compile(r'action="(/rate/\w+/items/\w+)"')


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for endpoints, a local system that leads, and streams that a client in this process reads whole."""
    monkeypatch.setenv("DUOLOGUE_ENDPOINT_KEY", KEY)
    monkeypatch.syspath_prepend(str(PLUGIN))
    monkeypatch.setattr(talk_events, "STREAM_SECONDS", 0.2)


@pytest.fixture
def goals(tmp_path: Path) -> Path:
    path = tmp_path / "goals.jsonl"
    path.write_text(json.dumps(session(0), ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def started(world: World, goals: Path, *systems: str) -> str:
    """Start a campaign without onboarding, in which the volunteer takes part."""
    protocol = find_campaign_protocol("proactive")
    proposal = propose(protocol, systems, n=1, place=goals, settings=CampaignSettings(check_every=0))
    bare = msgspec.structs.replace(proposal.protocol, onboarding=())
    made = proposal._replace(protocol=bare).start(world.database)
    me = world.ids["volunteer"]
    world.write(lambda c: enrol(c, find_campaign(c, made), me, world.database.now()))
    return made


def due_talk(client: TestClient, made: str) -> str:
    found = TALK.search(client.get(f"/rate/{made}").text)
    assert found
    return found[1]


def answered(world: World, client: TestClient, talk: str) -> tuple[Talk, list[TalkTurn]]:
    """Return a talk and its words when nothing is due any more, or when its system has failed."""
    for _ in range(100):
        client.get(f"{talk}/events?after=-1")
        with world.database.reading() as connection:
            kept = sessions.find_talk(connection, talk.rpartition("/")[2])
            assert kept is not None
            turns = sessions.turns_of(connection, kept.id)
        if kept.trouble or not sessions.answer_due(kept, turns[-1] if turns else None):
            return kept, [one for one in turns if one.kind == "words"]
    raise AssertionError("the system does not answer")


def test_a_remote_model_leads_as_a_local_system_does(world: World, goals: Path) -> None:
    with Stub(brain=lambda _: OPENS) as server:
        made = started(world, goals, "here=leader", f"there={server.url}#bot")
        assert not server.asked, "a campaign starts without a call"
        openings = {}
        for _ in range(2):
            client = world.client("volunteer")
            talk = due_talk(client, made)
            kept, turns = answered(world, client, talk)
            assert (kept.trouble, [one.speaker for one in turns]) == ("", ["system"])
            openings[kept.system] = turns[0].text
            shown = client.get(talk).text
            assert server.url not in shown
            assert GOAL not in shown, "the goal is told when the talk is over"
            calls = len(server.asked)
            later = world.client("volunteer")  # the site was started anew
            assert send(later, talk, f"{talk}/say", text="没看过，好看吗？").status_code == 303
            kept, turns = answered(world, later, talk)
            assert [one.speaker for one in turns] == ["system", "user", "system"]
            assert len(server.asked) == calls + (kept.system != "leader"), "nothing is asked twice"
            send(later, talk, f"{talk}/finish?next=%2Frate%2F{made}")
            page = later.get(f"/rate/{made}").text
            assert GOAL in page
            assert "双鱼座" in page
            item = ITEM.search(page)
            assert item
            assert send(later, f"/rate/{made}", item[1], **POINTS).status_code == 303
    assert openings[f"{server.url}#bot"] == OPENS
    first, second = server.asked
    assert first["model"] == "bot"
    assert first.keys() == {"model", "messages"}, "how it writes is the server's to say"
    told = first["messages"][-1]["content"]
    assert "海的一0 → 云小0" in told
    assert "云小0 | 星座 | 双鱼座" in told
    assert "没看过，好看吗？" in second["messages"][-1]["content"]
    assert OPENS in second["messages"][-1]["content"]
    assert [one["Authorization"] for one in server.headers] == [f"Bearer {KEY}"] * 2
    with world.database.reading() as connection:
        assert status_of(connection, find_campaign(connection, made)).rated == 2


def test_two_people_who_hear_the_same_are_two_calls(world: World, goals: Path) -> None:
    with Stub(brain=lambda _: OPENS) as server:
        for _ in range(2):
            made = started(world, goals, f"there={server.url}#bot")
            client = world.client("volunteer")
            answered(world, client, due_talk(client, made))
    first, second = server.asked
    assert first == second


def test_a_server_that_fails_is_told_and_can_be_asked_again(world: World, goals: Path) -> None:
    with Stub(endpoint_stub.echoes_key(500), endpoint_stub.answers, brain=lambda _: OPENS) as server:
        made = started(world, goals, f"there={server.url}#bot")
        client = world.client("volunteer")
        talk = due_talk(client, made)
        kept, turns = answered(world, client, talk)
        assert not turns
        assert kept.trouble.startswith(f"failed: the endpoint at {server.url} answers with status 500")
        assert KEY not in kept.trouble
        assert len(server.asked) == 1, "told at once"
        shown = client.get(talk).text
        assert "failed" in shown
        assert not [one for one in (server.url, KEY, "Traceback") if one in shown]
        assert send(client, talk, f"{talk}/again").status_code == 303
        kept, turns = answered(world, client, talk)
    assert (kept.trouble, [one.text for one in turns]) == ("", [OPENS])


def test_thoughts_are_not_heard_and_an_answer_without_words_is_a_full_stop(world: World, goals: Path) -> None:
    with Stub(endpoint_stub.says("<think>我想想</think>你好"), endpoint_stub.says("")) as server:
        made = started(world, goals, f"there={server.url}#bot")
        client = world.client("volunteer")
        talk = due_talk(client, made)
        answered(world, client, talk)
        assert send(client, talk, f"{talk}/say", text="你好").status_code == 303
        _, turns = answered(world, client, talk)
    assert [one.text for one in turns] == ["你好", "你好", "。"]


def test_a_model_that_nobody_names_is_the_first_that_the_server_lists(world: World, goals: Path) -> None:
    with stub(json.dumps(endpoint_stub.completion(OPENS, {"model": "m", "messages": []})).encode()) as address:
        made = started(world, goals, f"there={address}")
        client = world.client("volunteer")
        _, turns = answered(world, client, due_talk(client, made))
    assert [one.text for one in turns] == [OPENS]


def test_goals_that_no_talk_can_be_set_in_are_told_before_anybody_is_invited(world: World, tmp_path: Path) -> None:
    with pytest.raises(DuologueError, match=r"none\.jsonl"):
        started(world, tmp_path / "none.jsonl", "there=http://127.0.0.1:9/v1#bot")
