from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.spoken.systems.grounded.entity_linker import EDITED, EXACT, PHONETIC, REORDERED, EntityLinker

NAMES = ["青石岛", "卡尔·莫林", "雾港（2011年小说）", "雾港（2015年电影）", "云间城灯塔公园", "灯塔公园", "苏雁"]


@pytest.fixture
def linker() -> EntityLinker:
    return EntityLinker(NAMES)


def found(linker: EntityLinker, text: str) -> list[tuple[str, int]]:
    return [(one.names[0], one.kind) for one in linker.mentions(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("你知道卡尔·莫林吗？", EXACT),
        ("你知道卡尔莫。林吗", EXACT),
        ("你知道卡尔末林吗？", PHONETIC),
        ("你知道莫林卡尔吗？", REORDERED),
        ("你知道卡尔莫莫林吗？", EDITED),
        ("你知道卡尔呀莫林吗？", EDITED),
        ("你知道卡尔林吗？", EDITED),
        ("你知道卡尔大林吗？", EDITED),
    ],
)
def test_a_name_is_found_as_written_as_heard_and_with_one_error(linker: EntityLinker, text: str, kind: int) -> None:
    assert found(linker, text) == [("卡尔·莫林", kind)]


def test_exact_linking_finds_no_misheard_name() -> None:
    linker = EntityLinker(NAMES, fuzzy=False)
    assert found(linker, "你知道卡尔·莫林吗？") == [("卡尔·莫林", EXACT)]
    assert found(linker, "你知道卡尔末林吗？") == []


def test_entities_of_one_name_are_all_found(linker: EntityLinker) -> None:
    (mention,) = linker.mentions("你看过雾港吗？")
    assert mention.names == ("雾港（2011年小说）", "雾港（2015年电影）")


def test_the_longest_name_is_taken(linker: EntityLinker) -> None:
    assert found(linker, "云间城灯塔公园在哪？") == [("云间城灯塔公园", EXACT)]


def test_a_short_word_is_not_a_name_because_it_sounds_a_little_like_one(linker: EntityLinker) -> None:
    assert found(linker, "诉盐") == []


def test_mentions_stand_in_the_order_of_the_text(linker: EntityLinker) -> None:
    mentions = linker.mentions("苏雁去过青石岛吗？")
    assert [one.names[0] for one in mentions] == ["苏雁", "青石岛"]
    assert mentions[0].end <= mentions[1].start


class Thorough(EntityLinker):
    """Looks every piece up, also where no half of a name stands in it."""

    def _half_known(self, phonetic: str) -> bool:  # what is tested is that it need not be asked
        return True


@given(
    st.lists(st.text("青石岛莫林卡尔", min_size=2, max_size=7), min_size=1, max_size=6),
    st.text("青石岛莫林卡尔", max_size=12),
)
def test_pieces_without_half_a_name_are_passed_over_at_no_loss(names: list[str], text: str) -> None:
    assert EntityLinker(names).mentions(text) == Thorough(names).mentions(text)


@pytest.mark.slow
def test_forty_thousand_names_cost_little_per_turn() -> None:
    rng = Random(1)
    signs = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]
    names = ["".join(rng.choices(signs, k=rng.randint(2, 9))) for _ in range(38_000)]
    linker = EntityLinker(names)
    for name in names[::1000]:
        assert any(name in mention.names for mention in linker.mentions(f"你知道{name}吗？"))
