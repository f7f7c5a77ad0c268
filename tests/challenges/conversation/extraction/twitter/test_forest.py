from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.growth import LINEAR, growth

from duologue.challenges.conversation.extraction.twitter import forest
from duologue.challenges.conversation.extraction.twitter.forest import cut_to, grow, in_order, is_dialogue, paths
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.challenges.conversation.formats.posts import Post

    Make = Callable[..., Post]

SHOP = (1, "Shop", "The Shop")
ANNA = (7, "anna_b", "Anna Brown")


def ids(dialogues: dict[str, Sequence[Post]]) -> list[list[list[int]]]:
    """Paths as groups of ids."""
    return [[sorted(group.posts) for group in path] for path in paths(grow(dialogues))]


@pytest.mark.parametrize(("seconds", "together"), [(599, True), (600, False), (-599, True)])
def test_answers_of_one_author_to_one_post_are_one_group_within_ten_minutes(
    post: Make, seconds: int, *, together: bool
) -> None:
    first = post(100, ANNA, "a")
    one, two = post(5_000, SHOP, "b", 100), post(5_001, SHOP, "c", 100, at=5_000 + seconds)
    found = ids({"5000": [first, one], "5001": [first, two]})
    assert found == ([[[100], [5000, 5001]]] if together else [[[100], [5001]], [[100], [5000]]])


def test_another_author_or_another_parent_makes_another_group(post: Make) -> None:
    first = post(100, ANNA, "a")
    one, two, three = post(200, SHOP, "b", 100), post(201, ANNA, "c", 100), post(202, SHOP, "d", 99)
    found = ids({"200": [first, one], "201": [first, two], "202": [first, three]})
    assert found == [[[100], [202]], [[100], [201]], [[100], [200]]]


def test_posts_that_answer_nothing_are_never_put_together(post: Make) -> None:
    first = post(100, ANNA, "a")
    one, two = post(200, SHOP, "b"), post(201, SHOP, "c")
    assert ids({"200": [first, one], "201": [first, two]}) == [[[100], [201]], [[100], [200]]]


def test_a_post_met_again_falls_into_its_own_group(post: Make) -> None:
    first, one = post(100, ANNA, "a"), post(200, SHOP, "b", 100)
    two, three = post(300, ANNA, "c", 200), post(301, ANNA, "d", 200, at=9_000)
    found = ids({"300": [first, one, two], "301": [first, one, three]})
    assert found == [[[100], [200], [301]], [[100], [200], [300]]]


def test_paths_come_from_the_largest_root_and_the_last_child(post: Make) -> None:
    roots = [(post(number, ANNA, "a"), post(number + 1, SHOP, "b", number)) for number in (9, 100, 20)]
    assert [path[0] for path in ids({str(two.id): [one, two] for one, two in roots})] == [[100], [20], [9]]


def test_the_first_post_alone_must_be_english(post: Make) -> None:
    german, english = post(1, ANNA, "a", lang="de"), post(11, ANNA, "a")
    found = ids({"2": [german, post(2, SHOP, "b", 1)], "12": [english, post(12, SHOP, "b", 11, lang="de")]})
    assert found == [[[11], [12]]]


def test_a_dialogue_has_two_authors_nothing_cut_off_and_not_too_many_groups(post: Make) -> None:
    def kept(*posts: Post, most: int = 20) -> bool:
        (path,) = paths(grow({"x": posts}))
        return is_dialogue(path, most)

    first, reply = post(1, ANNA, "a"), post(2, SHOP, "b", 1)
    assert kept(first, reply)
    assert kept(first, reply, most=2)
    assert not kept(first, reply, most=1)
    assert not kept(first)
    assert not kept(first, post(2, SHOP, "b", 1, truncated=True))
    assert not kept(first, reply, post(3, (8, "cee", "Cee"), "c", 2))


def test_posts_of_a_group_are_ordered_by_their_ids(post: Make) -> None:
    first, one, two = post(1, ANNA, "a"), post(50, SHOP, "b", 1), post(40, SHOP, "c", 1)
    (path,) = paths(grow({"40": [first, one], "50": [first, two]}))
    assert [one.id for one in in_order(path)] == [1, 40, 50]


def test_limits_cut_a_dialogue_at_both_ends(post: Make) -> None:
    talk = [post(number, SHOP if number % 2 else ANNA, "x", number - 1) for number in range(10, 16)]

    def cut(limits: dict[int, int]) -> list[tuple[str, list[int]]]:
        return [(key, [one.id for one in posts]) for key, posts in cut_to({"15": talk}, limits).items()]

    assert cut({14: 11}) == [("14", [11, 12, 13, 14])]
    assert cut({12: 10, 14: 13}) == [("14", [13, 14])]
    assert cut({14: 99}) == [("14", [10, 11, 12, 13, 14])]
    assert cut({99: 10}) == []


def test_of_dialogues_cut_to_the_same_end_the_last_stays(post: Make) -> None:
    one, two = post(1, ANNA, "a"), post(2, SHOP, "b", 1)
    other = post(3, ANNA, "c")
    assert cut_to({"9": [one, two], "8": [other, two]}, {2: 1}) == {"2": [other, two]}


@pytest.mark.parametrize("wrong", ["yesterday", "Tue Sep 12 08:01 +0000 2017", "Tue Sept 12 08:01:00 +0000 2017"])
def test_a_time_of_another_spelling_is_refused(wrong: str) -> None:
    with pytest.raises(FormatError, match="expected one such as"):
        forest.seconds(wrong)


def test_a_time_zone_counts() -> None:
    assert forest.seconds("Thu Jan 01 02:00:00 +0130 1970") == 1_800


def test_very_many_answers_to_one_post_grow_in_one_pass(post: Make) -> None:
    first = post(1, SHOP, "a")
    many = [post(number, (number, f"u{number}", "U"), "b", 1) for number in range(2, 8_002)]

    def work(size: int) -> None:
        (root,) = grow({str(one.id): [first, one] for one in many[:size]}).values()
        assert len(root.children) == size

    assert growth(lambda size: size, work, 1_000) < LINEAR
