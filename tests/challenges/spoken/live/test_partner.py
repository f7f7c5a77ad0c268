from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.challenges.spoken.noise import simulator as noise
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import MissingExtraError, UsageError
from duologue.core.optional_protocols import Conversable
from duologue.core.records import Dialogue

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def partner(golden: Path, reader: Any) -> Any:
    return SpokenTask().partner(reader, golden / "tiny-kg.json", seed=1, lang="en", name="chat")


def said(partner: Any, text: str) -> list[str]:
    return [line for turn in partner.reply(text) for line in partner.shown(turn)]


def test_entity_query_triples_and_reply_are_shown(partner: Any) -> None:
    assert isinstance(SpokenTask(), Conversable)
    assert "tiny-kg.json holds 97 facts of 20 entities" in partner.welcome
    assert partner.opening() == []
    assert said(partner, "青石岛的门票多少钱") == [
        "30元",
        "entity: 青石岛",
        "query: 青石岛 → 门票",
        "triple: 青石岛 | 门票 | 30元",
    ]
    assert said(partner, "周边景点呢")[:3] == [
        "白沙湾，灯塔公园，盐田博物馆",
        "entity: 青石岛",
        "query: 青石岛 → 周边景点",
    ]
    assert said(partner, "谢谢") == ["嗯。", "no knowledge wanted"]


def test_a_goodbye_ends_the_talk_and_an_empty_line_is_passed_over(partner: Any) -> None:
    assert said(partner, "  ") == []
    assert not partner.finished
    assert said(partner, "再见。") == []
    assert partner.finished
    assert partner.dialogue().turns == ()


class Loud(noise.NoiseSimulator):
    def turn(self, text: str, spans: Any = (), *, rng: Any) -> noise.NoisyUtterance:
        return noise.NoisyUtterance(f"额{text}{'呀' if rng.random() < 2 else ''}", tuple(spans), "loud")


def test_the_switch_makes_words_noisy_and_leaves_them_again(partner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "NoiseSimulator", Loud)
    assert said(partner, "/noise on") == ["Your words are now heard as a recogniser writes them."]
    lines = said(partner, "青石岛的电话")
    assert lines[:2] == ["0999-5550123", "heard: 额青石岛的电话呀"]
    assert said(partner, "/noise off") == ["Your words are now heard as you write them."]
    assert said(partner, "地址") == [
        "云间城东湾区码头路8号",
        "entity: 青石岛",
        "query: 青石岛 → 地址",
        "triple: 青石岛 | 地址 | 云间城东湾区码头路8号",
    ]
    assert said(partner, "/noise loud") == ["Say /noise on or /noise off."]
    user, first, *_ = partner.dialogue().turns
    assert (user.text, user.meta) == ("额青石岛的电话呀", {"typed": "青石岛的电话"})
    assert first.annotation is not None
    assert [fact.relation for fact in first.annotation.facts] == ["电话"]
    assert len(partner.dialogue().turns) == 4, "switches are no part of the talk"


def test_noise_that_cannot_be_had_says_why(partner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(self: object, text: str, spans: Any = (), *, rng: Any) -> noise.NoisyUtterance:
        raise MissingExtraError("this needs pypinyin")

    monkeypatch.setattr(noise.NoiseSimulator, "turn", lacking)
    assert said(partner, "/noise on") == ["this needs pypinyin"]
    assert said(partner, "青石岛的门票")[0] == "30元"


def test_the_transcript_can_be_kept_and_the_talk_had_again(partner: Any, golden: Path, reader: Any) -> None:
    other = SpokenTask().partner(reader, golden / "tiny-kg.json", seed=1, lang="zh", name="chat")
    assert "20 个实体" in other.welcome
    for text in ("阿勒的种族", "等级是多少"):
        assert said(partner, text)[0] == said(other, text)[0]
    kept = msgspec.json.decode(msgspec.json.encode(partner.dialogue()), type=Dialogue)
    assert [turn.text for turn in kept.turns] == ["阿勒的种族", "岩民", "等级是多少", "12"]
    assert kept.meta == {"system": "Reader", "seed": 1, "lang": "en", "world": "tiny-kg.json"}


def test_what_a_talk_needs_is_said(golden: Path, reader: Any) -> None:
    with pytest.raises(UsageError, match="with --kg"):
        SpokenTask().partner(reader, None, seed=1, lang="en", name="chat")
    with pytest.raises(UsageError, match="no remarks in language 'fr'"):
        SpokenTask().partner(reader, golden / "tiny-kg.json", seed=1, lang="fr", name="chat")
