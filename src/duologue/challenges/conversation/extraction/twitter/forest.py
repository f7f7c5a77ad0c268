"""Reply trees: stored chains become groups of posts, trees and root-to-leaf dialogues (specification, 2.1, 2.2)."""

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
"""Required language of the first post of a dialogue."""
TOGETHER = 600
"""Maximum seconds between posts of one group, which have the same author and parent."""
_MONTHS = {name: number for number, name in enumerate(MONTHS, start=1)}


class PostGroup:
    """A node of the reply tree: posts written together, and the groups that answer them."""

    __slots__ = ("_by_author", "children", "posts")

    def __init__(self, post: Post) -> None:
        self.posts = {post.id: post}
        self.children: list[PostGroup] = []
        self._by_author: dict[tuple[int | None, int], list[PostGroup]] = {}
        """The children by what their posts share: the post that they answer, and who wrote them."""

    def child(self, post: Post) -> PostGroup:
        """Add a post below the group; return the child group that holds it. Raises as `takes` does."""
        alike = self._by_author.setdefault((post.reply_to, post.author), [])
        for child in alike if post.reply_to is not None else ():
            if child.takes(post):
                child.posts.setdefault(post.id, post)
                return child
        made = PostGroup(post)
        alike.append(made)
        self.children.append(made)
        return made

    def takes(self, post: Post) -> bool:
        """Tell whether a post belongs to the group: same author and parent, less than 600 s apart.

        Raises `FormatError` for a time that cannot be read.
        """
        return any(
            one.reply_to == post.reply_to
            and one.author == post.author
            and (one.id == post.id or abs(seconds(one.created_at) - seconds(post.created_at)) < TOGETHER)
            for one in self.posts.values()
        )


def cut_to(dialogues: Mapping[str, Sequence[Post]], limits: Mapping[int, int]) -> dict[str, Sequence[Post]]:
    """Truncate dialogues to their begin and end posts; `limits`: end -> begin.

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
    """Build the reply trees of English dialogues, by the id of the root post.

    Keys are ordered as texts. A first post is a group of its own. Raises as `PostGroup.takes` does.
    """
    roots: dict[int, PostGroup] = {}
    for key in sorted(dialogues):
        first, *rest = dialogues[key]
        if first.lang != LANGUAGE:
            continue
        group = roots.setdefault(first.id, PostGroup(first))
        for post in rest:
            group = group.child(post)
    return roots


def paths(roots: Mapping[int, PostGroup]) -> Iterator[list[PostGroup]]:
    """Yield root-to-leaf paths: largest root first, last child first."""
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
    """Tell whether a path is a dialogue: at most `max_turns` groups, no truncated post, exactly two authors."""
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
    """Yield the posts of a path, ordered by id within a group."""
    for group in path:
        yield from (group.posts[number] for number in sorted(group.posts))


def seconds(created_at: str) -> float:
    """Parse a Twitter timestamp to seconds since 1970. Raises `FormatError` for any other format.

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
