from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.arena.campaigns.campaign_protocol import campaign_protocols, find_campaign_protocol
from duologue.arena.campaigns.known_items import check_items, is_right
from duologue.core.errors import UsageError
from duologue.core.plugins import names
from duologue.ratings.protocol import find_protocol
from duologue.run.partners import conversable, open_live_system

if TYPE_CHECKING:
    from pathlib import Path


def test_the_five_protocols_and_the_arena_are_there() -> None:
    known = campaign_protocols()
    assert sorted(known) == ["arena", "conversation", "mobilecs", "mobilecs-0-2", "proactive", "restaurant", "spoken"]
    assert (known["spoken"].enter, known["spoken"].select) == (15, 7)
    assert known["conversation"].per_item == 10
    assert find_protocol(known["conversation"].ratings).reference == "reference"
    assert {one.task for one in known.values()} - {""} <= set(names("tasks"))


@pytest.mark.parametrize("name", [name for name, one in campaign_protocols().items() if "goal" in one.talker_sees])
def test_whoever_is_to_see_a_goal_card_gets_one(name: str) -> None:
    task = conversable(find_campaign_protocol(name).task)
    partner = task.partner(open_live_system(task, None), None, seed=1, lang="zh", name="talk")
    assert partner.goal_card()


@pytest.mark.parametrize("name", sorted(campaign_protocols()))
def test_onboarding_items_can_be_answered_right_and_wrong(name: str) -> None:
    protocol = find_campaign_protocol(name)
    assert protocol.onboarding
    for known in protocol.onboarding:
        if protocol.unit == "pair":
            assert is_right(known, {"better": known.better})
            assert not is_right(known, {"better": known.better}, swapped=True)
            continue
        rating = find_protocol(protocol.ratings)
        assert set(known.right) == {one.name for one in rating.criterion}
        for criterion in rating.criterion:
            assert all(criterion.low <= point <= criterion.high for point in known.right[criterion.name])
        assert is_right(known, {criterion: right[0] for criterion, right in known.right.items()})
        assert any(len(right) < rating.criterion[0].points for right in known.right.values())


@pytest.mark.parametrize("name", sorted(campaign_protocols()))
def test_attention_checks_say_what_to_choose(name: str) -> None:
    protocol = find_campaign_protocol(name)
    rating = find_protocol(protocol.ratings or "proactive")
    checks = check_items(protocol, rating, 1)
    assert checks == check_items(protocol, rating, 1)
    for one in checks:
        if protocol.unit == "pair":
            right = one.turns if one.better == "a" else one.other
            assert "choose this one" in right[0][1]
        else:
            high = "highest" in one.turns[0][1]
            assert is_right(one, {scale.name: scale.high if high else scale.low for scale in rating.criterion})
            assert not is_right(one, {scale.name: scale.low if high else scale.high for scale in rating.criterion})
    assert len({one.better or str(one.right) for one in checks}) == 2


def test_a_protocol_of_ones_own_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[[campaign]]\nname = "own"\nunit = "reply"\ninstructions = "a"\ninstructions_zh = "b"\nsource = "ours"\n',
        encoding="utf-8",
    )
    assert find_campaign_protocol(str(path)).name == "own"
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(UsageError, match="holds 2 campaign protocols"):
        find_campaign_protocol(str(path))


def test_an_unknown_protocol_is_told_with_a_near_one() -> None:
    with pytest.raises(UsageError, match="did you mean 'proactive'"):
        find_campaign_protocol("proactiv")


def test_pairs_without_reasons_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[[campaign]]\nname = "own"\nunit = "pair"\ninstructions = "a"\ninstructions_zh = "b"\nsource = "ours"\n',
        encoding="utf-8",
    )
    with pytest.raises(UsageError, match="reason"):
        find_campaign_protocol(str(path))
