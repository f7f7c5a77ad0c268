from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.arena.annotation.alignment import align, highest, renamed
from duologue.arena.annotation.items import AnnotationItem
from tests.growth import LINEAR, growth


def mention(start: int, entity: str) -> AnnotationItem:
    return AnnotationItem(
        id=f"{start}{entity}", layer="mention", turn=0, start=start, end=start + 1, label="x", entity=entity
    )


def test_entities_that_share_most_mentions_are_the_same() -> None:
    ours = [mention(0, "ent-1"), mention(1, "ent-1"), mention(2, "ent-2")]
    theirs = [mention(0, "ent-2"), mention(1, "ent-2"), mention(2, "ent-1"), mention(5, "ent-3")]
    assert align(theirs, ours) == {"ent-2": "ent-1", "ent-1": "ent-2"}
    made = renamed(theirs, align(theirs, ours), "ent-", taken=highest(ours, "ent-"))
    assert [one.entity for one in made] == ["ent-1", "ent-1", "ent-2", "ent-3"]


def test_arguments_follow_their_entity() -> None:
    asked = AnnotationItem(
        id="i", layer="intent", turn=0, label="询问", args=("ent-1-费用", "ent-12-规则", "余额", "ent-7-规则")
    )
    found = renamed([mention(0, "ent-1"), mention(1, "ent-12"), asked], {"ent-1": "ent-3", "ent-12": "ent-1"}, "ent-")
    assert found[-1].args == ("ent-3-费用", "ent-1-规则", "余额", "ent-7-规则")


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), unique=True), st.permutations([1, 2, 3, 4]))
def test_other_numbers_for_the_same_entities_are_undone(places: list[tuple[int, int]], order: list[int]) -> None:
    ours = [mention(start, f"ent-{number}") for start, number in dict(places).items()]
    theirs = [mention(int(one.start), f"ent-{order[int(str(one.entity)[4:]) - 1]}") for one in ours]
    found = renamed(theirs, align(theirs, ours), "ent-")
    assert [one.entity for one in found] == [one.entity for one in ours]


def test_many_marks_of_a_strange_annotator_are_aligned_in_one_pass() -> None:
    def made(count: int) -> tuple[list[AnnotationItem], list[AnnotationItem]]:
        asked = [
            AnnotationItem(id=f"i{n}", layer="intent", turn=0, label="x", args=tuple(f"zz{n}-{k}" for k in range(9)))
            for n in range(count)
        ]
        theirs = [*(mention(at, f"ent-{at + 1}") for at in range(count)), *asked]
        return theirs, [mention(at, f"ent-{2 * count - at}") for at in range(count)]

    def work(given: tuple[list[AnnotationItem], list[AnnotationItem]]) -> None:
        theirs, ours = given
        found = align(theirs, ours)
        assert found == {f"ent-{at + 1}": f"ent-{2 * len(ours) - at}" for at in range(len(ours))}
        assert renamed(theirs, found, "ent-")[-1].args == theirs[-1].args

    assert growth(made, work, 250) < LINEAR
