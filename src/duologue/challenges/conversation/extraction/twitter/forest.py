"""Which dialogues the stored chains of posts make: limits, groups of posts and paths (specification, 2.1 and 2.2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from duologue.challenges.conversation.formats.posts import MONTHS
from duologue.core.errors import FormatError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duologue.challenges.conversation.formats.posts import Post

LANGUAGE = "en"
"""Language of the first post of a dialogue; later ones may be in any."""
TOGETHER = 600
"""Seconds between two posts below which they are one group, if their author and what they answer are the same."""
_MONTHS = {name: number for number, name in enumerate(MONTHS, start=1)}


class PostGroup:
    """Posts that were written together, and the groups that answer them."""

    __slots__ = ("children", "posts")

    def __init__(self, post: Post) -> None:
        self.posts = {post.id: post}
        self.children: list[PostGroup] = []

    def takes(self, post: Post) -> bool:
        """Tell whether a post belongs here: one of the same author to the same post stands here, less than 600 s away.

        Raises `FormatError` for a time that cannot be read.
        """
        return any(
            one.reply_to == post.reply_to
            and one.author == post.author
            and (one.id == post.id or abs(seconds(one.created_at) - seconds(post.created_at)) < TOGETHER)
            for one in self.posts.values()
        )


def cut_to(dialogues: Mapping[str, Sequence[Post]], limits: Mapping[int, int]) -> dict[str, Sequence[Post]]:
    """Return dialogues shortened to what stands between their begin and end posts; `limits`: end -> begin.

    The last post that is an end counts. A dialogue whose begin post is missing keeps its start; one without an end
    post is dropped. Of several that end with the same post the last stays.
    """
    made: dict[str, Sequence[Post]] = {}
    for dialogue in dialogues.values():
        end = next((place for place in reversed(range(len(dialogue))) if dialogue[place].id in limits), None)
        if end is None:
            continue
        begin = limits[dialogue[end].id]
        start = next((place for place in range(end, -1, -1) if dialogue[place].id == begin), 0)
        made[str(dialogue[end].id)] = dialogue[start : end + 1]
    return made


def grow(dialogues: Mapping[str, Sequence[Post]]) -> dict[int, PostGroup]:
    """Return trees of groups by the id of their first post, made of the English dialogues in the order of their keys.

    Keys are ordered as texts. A first post is a group of its own. Raises as `PostGroup.takes` does.
    """
    roots: dict[int, PostGroup] = {}
    for key in sorted(dialogues):
        first, *rest = dialogues[key]
        if first.lang != LANGUAGE:
            continue
        group = roots.setdefault(first.id, PostGroup(first))
        for post in rest:
            group = _child(group, post)
    return roots


def _child(group: PostGroup, post: Post) -> PostGroup:
    """Return the group below this one in which a post is now."""
    if post.reply_to is not None:
        for child in group.children:
            if child.takes(post):
                child.posts.setdefault(post.id, post)
                return child
    group.children.append(PostGroup(post))
    return group.children[-1]


def paths(roots: Mapping[int, PostGroup]) -> Iterator[list[PostGroup]]:
    """Yield the ways from roots to leaves: largest root first, of the answers to one group the last first."""
    stack = [(roots[number], 0) for number in sorted(roots)]
    path: list[PostGroup] = []
    while stack:
        group, depth = stack.pop()
        del path[depth:]
        path.append(group)
        if not group.children:
            yield list(path)
        stack += ((child, depth + 1) for child in group.children)


def is_dialogue(path: Sequence[PostGroup], max_turns: int) -> bool:
    """Tell whether a path is kept: not too many groups, no post cut off, exactly two authors."""
    if len(path) > max_turns:
        return False
    authors: set[int] = set()
    for group in path:
        for post in group.posts.values():
            if post.truncated:
                return False
            authors.add(post.author)
    return len(authors) == 2


def in_order(path: Iterable[PostGroup]) -> Iterator[Post]:
    """Yield the posts of a path, those of a group by their ids."""
    for group in path:
        yield from (group.posts[number] for number in sorted(group.posts))


def seconds(created_at: str) -> float:
    """Return a time as Twitter spells it in seconds since 1970. Raises `FormatError` for any other spelling.

    >>> seconds("Thu Jan 01 00:10:00 +0000 1970")
    600.0
    """
    try:
        _, month, day, clock, zone, year = created_at.split()
        hour, minute, second = clock.split(":")
        sign = {"+": 1, "-": -1}[zone[0]]
        shift = sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[3:5]))
        when = datetime(
            int(year), _MONTHS[month], int(day), int(hour), int(minute), int(second),
            tzinfo=timezone(shift) if shift else UTC,
        )  # fmt: skip
    except (ValueError, KeyError, IndexError) as error:
        message = f"found the time {created_at[:60]!r}, expected one such as 'Tue Sep 12 08:01:00 +0000 2017'"
        raise FormatError("store", [Problem(rule="post-time", message=message)]) from error
    return when.timestamp()
