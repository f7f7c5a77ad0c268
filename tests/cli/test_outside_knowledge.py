"""`--kb` of mobilecs/dialogue: an agent tells what stands in documents or a catalogue alone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from duologue.core.plugins import read_card

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command import Command

ASKED = ("云帆流量包一个月多少钱", "那云帆流量包多少钱啊", "云帆流量包的费用是多少", "请问云帆流量包收费多少")
DOCUMENT = "# 云帆流量包\n\n月费：四十七块六\n"
CATALOGUE = [{"name": "云帆流量包", "type": "流量包", "业务费用": "四十七块六"}]


class Agent(NamedTuple):
    """A small agent, and a call that asks for a product which its own base has not."""

    model: Path
    call: Path
    catalogue: Path
    """Of the calls that it was trained on."""


@pytest.fixture(scope="module")
def agent(duologue: Command, tmp_path_factory: pytest.TempPathFactory) -> Agent:
    folder = tmp_path_factory.mktemp("agent")
    calls, call = folder / "calls", folder / "call.json"
    size = ("--n", 60, "--set", "unlabelled_ratio=0", "--set", "argument_rate=0.5")
    assert duologue("generate", "mobilecs", "--seed", 1, *size, "--out", calls, "--quiet").code == 0
    out = folder / "model"
    train(duologue, calls, out, "epochs=3", "--external", "none")
    turns = [{"用户": said} for said in ASKED]
    call.write_text(json.dumps([{"id": "a", "KB": {"NA": {}}, "content": turns}]), encoding="utf-8")
    return Agent(out, call, calls / "catalogue.json")


def train(duologue: Command, calls: Path, out: Path, epochs: str, *words: object) -> None:
    small = (epochs, "members=1", "width=16", "hidden=16", "knowledge=joined", "tell=0", "max_told=1")
    settings = [word for one in small for word in ("--set", one)]
    data = ("--train", calls / "track2/train.json", "--seed", 1, "--out", out, "--quiet")
    made = duologue("train", "mobilecs/dialogue", "--system", "agent", *data, *settings, *words)
    assert made.code == 0, made.err


def replies(duologue: Command, agent: Agent, out: Path, *words: object) -> list[str]:
    ran = duologue("run", "mobilecs/dialogue", agent.call, "--system", agent.model, *words, "--out", out, "--quiet")
    assert ran.code == 0, ran.err
    (row,) = json.loads(out.read_text(encoding="utf-8"))
    return [turn["客服-生成"] for turn in row["content"]]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), [("docs.md", DOCUMENT), ("catalogue.json", json.dumps(CATALOGUE))])
def test_a_value_that_stands_in_a_file_alone_is_told(
    duologue: Command, agent: Agent, tmp_path: Path, name: str, text: str
) -> None:
    kb = tmp_path / "kb" / name
    kb.parent.mkdir()
    kb.write_text(text, encoding="utf-8")
    told = replies(duologue, agent, tmp_path / "with.json", "--kb", kb)
    assert any("四十七块六" in one for one in told), told
    note = (tmp_path / "with.run.toml").read_text(encoding="utf-8")
    assert f"{name} (looked up while answering, " in note
    assert replies(duologue, agent, tmp_path / "folder.json", "--kb", kb.parent) == told
    assert not any("四十七" in one for one in replies(duologue, agent, tmp_path / "without.json"))


@pytest.mark.slow
def test_what_was_at_hand_in_training_is_declared(duologue: Command, agent: Agent, tmp_path: Path) -> None:
    out, kb, few = tmp_path / "model", agent.catalogue, "epochs=1"
    train(duologue, kb.parent, out, few, "--kb", kb)
    assert read_card(out).external is None
    train(duologue, kb.parent, out, few, "--kb", kb, "--external", "none")
    (told,) = read_card(out).external or [""]
    assert re.fullmatch(r"catalogue\.json \(at hand in training, [\d,]+ facts, [0-9a-f]{12}\)", told)
    train(duologue, kb.parent, out, few, "--kb", kb)
    assert read_card(out).external == [told]
    named = tmp_path / "named"
    train(duologue, kb.parent, named, few, "--kb", kb, "--external", "web")
    assert read_card(named).external == [told, "web"]
    replies(duologue, agent._replace(model=out), tmp_path / "out.json")
    note = (tmp_path / "out.run.toml").read_text(encoding="utf-8")
    assert told in note
    assert "looked up while answering" not in note


def test_of_a_product_without_a_document_nothing_is_told(duologue: Command, agent: Agent, tmp_path: Path) -> None:
    kb = tmp_path / "docs.md"
    kb.write_text(DOCUMENT.replace("云帆流量包", "海风套餐"), encoding="utf-8")
    assert not any("四十七" in one for one in replies(duologue, agent, tmp_path / "out.json", "--kb", kb))


@pytest.mark.slow
def test_chat_shows_the_passage_by_the_installed_command(installed: Command, agent: Agent, tmp_path: Path) -> None:
    kb = tmp_path / "docs.md"
    kb.write_text(DOCUMENT, encoding="utf-8")
    said = "\n".join((*(6 * ASKED), "再见\n"))  # its own base is told first, twice
    words = ("chat", "mobilecs/dialogue", "--system", agent.model, "--save", tmp_path / "talk.json")
    talked = installed(*words, "--kb", kb, said=said)
    assert talked.code == 0, talked.err
    assert "from outside the call: 月费：四十七块六" in talked.out
    both = installed(*words, "--force", "--kb", kb, "--goals", agent.call, said=said)
    assert (both.code, "leave one out" in both.err) == (2, True)


def test_simulated_users_talk_with_an_agent_that_has_a_catalogue(
    duologue: Command, agent: Agent, tmp_path: Path
) -> None:
    goals = agent.catalogue.with_name("track2") / "test.json"
    words = ("simulate", "mobilecs/dialogue", "--system", agent.model, "--goals", goals, "--n", 2, "--json", "--quiet")
    played = duologue(*words, "--kb", agent.catalogue, "--report", tmp_path / "r.json")
    assert played.code == 0, played.err
    assert json.loads(played.out)["external"][0].startswith("catalogue.json (looked up while answering")


def test_who_has_no_use_for_it_and_what_is_no_knowledge_are_told(
    duologue: Command, agent: Agent, tmp_path: Path
) -> None:
    out = ("--out", tmp_path / "out.json")
    kb = tmp_path / "docs.md"
    kb.write_text(DOCUMENT, encoding="utf-8")
    refused = duologue("run", "mobilecs/dialogue", agent.call, "--system", "rule-agent", "--kb", kb, *out)
    assert (refused.code, "'rule-agent' reads the call's own base alone" in refused.err) == (2, True)
    wrong = duologue("run", "mobilecs/dialogue", agent.call, "--system", agent.model, "--kb", agent.call, *out)
    assert (wrong.code, "product 1: there is no field 'name'; found 'id', 'KB'" in wrong.err) == (1, True)
    packed = duologue(
        "pack", "mobilecs/dialogue", "--system", agent.model, "--kb", tmp_path, "--out", tmp_path / "entry"
    )
    assert (packed.code, "is a folder, and a package holds one file" in packed.err) == (2, True)
