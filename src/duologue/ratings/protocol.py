"""Rating protocols as data: criteria with their scales and anchors, and the rule that ranks systems by them.

Each challenge's own lie beside the module of its task, in `ratings.toml`; a file of a user's own has the same form.
"""

from __future__ import annotations

from duologue.core.records import Record
from duologue.core.task_listings import NamedDefinition, TaskListing

FILE = "ratings.toml"
"""The file beside the module of a task's class that lists its protocols."""
_MAX_POINTS = 101
"""Points of a scale, at most."""
_LARGEST = 1e9
"""Points and automatic scores lie within this, and the greatest automatic score above its reciprocal: their quotients
are numbers.
"""


class Criterion(Record, frozen=True, kw_only=True):
    """One thing that is rated, on a scale of whole points."""

    name: str
    zh: str = ""
    """The name in Chinese."""
    low: int = 0
    high: int
    anchors: tuple[str, ...] = ()
    """What each point means, from the lowest; empty where the source does not say it."""
    anchors_zh: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.low < self.high < self.low + _MAX_POINTS:
            raise ValueError(f"the scale of '{self.name}' is {self.low} to {self.high}; expected 2 to 101 points")
        if not -_LARGEST <= self.low <= _LARGEST:
            raise ValueError(f"the scale of '{self.name}' begins at {self.low}; expected {-_LARGEST:g} to {_LARGEST:g}")
        for one in (self.anchors, self.anchors_zh):
            if one and len(one) != self.points:
                raise ValueError(f"'{self.name}' has {len(one)} anchors for {self.points} points")

    @property
    def points(self) -> int:
        """How many values the scale has."""
        return self.high - self.low + 1

    @property
    def span(self) -> int:
        """The distance from the lowest to the highest value."""
        return self.high - self.low


class RatingProtocol(NamedDefinition, frozen=True, kw_only=True):
    """How people rate systems, and how their ratings rank them: by the sum of all criteria."""

    about: str
    zh: str = ""
    """`about` in Chinese."""
    source: str
    """Where the criteria come from, and what of the rule is published."""
    rule: str
    """The rule that ranks, in words."""
    rule_zh: str = ""
    criterion: tuple[Criterion, ...]
    automatic_share: float = 0.0
    """Weight of the automatic score in the final one; where it is 0, the automatic score parts equals alone."""
    automatic_most: float = 1.0
    """The greatest automatic score there is: both parts of the final score are put onto 0 to 1."""
    reference: str = ""
    """Name of the hidden system that is a person's own answer: rated with the others, and not ranked."""

    def __post_init__(self) -> None:
        names = [one.name for one in self.criterion]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"the protocol '{self.name}' has the criteria {names}; expected one or more, none twice")
        if not 0 <= self.automatic_share < 1 or not 1 / _LARGEST <= self.automatic_most <= _LARGEST:
            raise ValueError(
                f"the protocol '{self.name}' needs automatic_share from 0 to below 1 and automatic_most from "
                f"{1 / _LARGEST:g} to {_LARGEST:g}"
            )

    def named(self, name: str) -> Criterion | None:
        """Return a criterion by its name, or `None`."""
        return next((one for one in self.criterion if one.name == name), None)

    @property
    def lowest(self) -> int:
        """The least sum of all criteria."""
        return sum(one.low for one in self.criterion)

    @property
    def highest(self) -> int:
        """The greatest sum of all criteria."""
        return sum(one.high for one in self.criterion)


class _Listed(Record, frozen=True, kw_only=True):
    """What a file of protocols holds."""

    protocol: tuple[RatingProtocol, ...]


_LISTING = TaskListing(
    file=FILE, table="protocol", called="protocol", listing=_Listed, rows=lambda listed: listed.protocol
)


def protocols() -> dict[str, RatingProtocol]:
    """Return all protocols of the installed challenges by name. Raises as `TaskListing.all`."""
    return _LISTING.all()


def find_protocol(word: str) -> RatingProtocol:
    """Return the protocol of that name, or that of the TOML file at that path. Raises as `TaskListing.find`."""
    return _LISTING.find(word)
