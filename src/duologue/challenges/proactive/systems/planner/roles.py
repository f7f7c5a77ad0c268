"""Roles: what the star of a pair is to its film by the facts, and the replies that make a lead of a director.

Templates know slots, not roles: of a star whose best-known work the film is, people say that he plays the lead or that
he directed it, and the template fits both. A generated one may put the director's name where the lead's belongs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.knowledge import domains_of, facts_of, without_spaces
from duologue.challenges.proactive.schema import FILM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.challenges.proactive.systems.planner.slots import Filling, SlotValue
    from duologue.core.records import Sample

_LEAD, _DIRECTOR = "主演", "导演"
"""Predicates of a film whose objects are people; the second is a profession, too."""
_JOB, _ACTOR = "职业", "演员"
_SAYS_LEAD = re.compile("主演|出演|饰演|参演")
_SAYS_DIRECTOR = re.compile("导演|执导")
_IS = {_LEAD: "(?:主演|主角|演员)(?:就?是|为|叫|有)", _DIRECTOR: "导演(?:就?是|为|叫|有)"}
"""How a name is introduced as that of somebody with the role."""


class FilmRoles(NamedTuple):
    """Which of the two roles the facts give the star of a pair of a star and a film, and whom they name besides."""

    acts: bool = False
    """Whether the star plays a lead or is an actor."""
    directs: bool = False
    """Whether the star directed the film or is a director."""
    leads: tuple[str, ...] = ()
    """Other leads of the film, without white space."""
    directors: tuple[str, ...] = ()
    """Other directors of the film, without white space."""

    def are_denied_by(self, filling: Filling) -> bool:
        """Whether a reply speaks of a role that the star has not, and names nobody who has it.

        What it quotes of the facts says nothing of the star. Nothing is denied of a star of whom the facts tell neither
        role, or both.

        >>> from duologue.challenges.proactive.systems.planner.slots import Filling
        >>> director = FilmRoles(directs=True, leads=("成龙",))
        >>> director.are_denied_by(Filling(("他", "还", "主演", "过", "一部", "电影"), ()))
        True
        >>> director.are_denied_by(Filling(("天将雄师", "，", "主演", "是", "成龙"), ()))
        False
        """
        if self.acts == self.directs:
            return False
        role, others = (_SAYS_DIRECTOR, self.directors) if self.acts else (_SAYS_LEAD, self.leads)
        text = "".join(filling.words)
        if role.search(text) is None or any(other in text for other in others):
            return False
        for value in filling.used:
            text = text.replace("".join(value.words), "\n", 1)
        return role.search(text) is not None


def swap_roles(filling: Filling, values: Iterable[SlotValue]) -> bool:
    """Whether a reply says "the lead is" of a film's director, or "the director is" of a lead.

    Nothing is said of who is both by the values of the state.

    >>> from duologue.challenges.proactive.systems.planner.slots import Filling, SlotValue
    >>> director = SlotValue("{a.导演}", ("李", "安"))
    >>> swap_roles(Filling(("主演", "是", "李", "安"), (director,)), [director])
    True
    >>> swap_roles(Filling(("导演", "是", "李", "安"), (director,)), [director])
    False
    """
    named = [one for one in filling.used if _role_of(one) in _IS]
    if not named:
        return False
    text, known = "".join(filling.words), list(values)
    for one in named:
        role, name = _role_of(one), "".join(one.words)
        both = any(other.words == one.words and _role_of(other) in _IS and _role_of(other) != role for other in known)
        if not both and any(role != other and re.search(says + re.escape(name), text) for other, says in _IS.items()):
            return True
    return False


def _role_of(value: SlotValue) -> str:
    return value.slot[1:-1].partition(".")[2]


UNKNOWN = FilmRoles()
"""Those of a star of whom the facts tell neither role."""


def roles_of(sample: Sample) -> FilmRoles:
    """Return the roles of a sample's star in its film; unknown where its topics are not a star and a film."""
    if sample.goal is None:
        return UNKNOWN
    facts, kinds = facts_of(sample.goal, sample.knowledge), domains_of(sample.knowledge)
    films = [topic for topic in sample.goal.topics if kinds.get(topic) == FILM]
    stars = [topic for topic in sample.goal.topics if kinds.get(topic, FILM) != FILM]
    if len(films) != 1 or len(stars) != 1:
        return UNKNOWN
    people = {
        role: dict.fromkeys(str(one.object) for one in facts if one.subject == films[0] and one.relation == role)
        for role in (_LEAD, _DIRECTOR)
    }
    jobs = {one.object for one in facts if one.subject == stars[0] and one.relation == _JOB}
    leads, directors = (
        tuple(without_spaces(name) for name in people[role] if name != stars[0]) for role in (_LEAD, _DIRECTOR)
    )
    return FilmRoles(
        acts=stars[0] in people[_LEAD] or _ACTOR in jobs,
        directs=stars[0] in people[_DIRECTOR] or _DIRECTOR in jobs,
        leads=leads,
        directors=directors,
    )
