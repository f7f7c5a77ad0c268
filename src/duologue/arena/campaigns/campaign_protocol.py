"""Campaign protocols as data: what is rated, who rates it, what raters are told, and known items to learn from.

Criteria, scales and the rule that ranks are those of a rating protocol (`duologue.ratings.protocol`). A challenge's own
lie beside the module of its task, in `campaigns.toml`; those for every task lie here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from duologue.core.records import Record
from duologue.core.task_listings import NamedDefinition, TaskListing

FILE = "campaigns.toml"
"""The file beside the module of a task's class that lists its campaigns."""
_SHARED = Path(__file__).with_name("shared.toml")

Unit = Literal["reply", "dialogue", "pair"]


class KnownItem(Record, frozen=True, kw_only=True):
    """An item whose points are known: new raters learn from it."""

    turns: tuple[tuple[str, str], ...]
    """Speaker and words of each turn; of a pair the first dialogue."""
    other: tuple[tuple[str, str], ...] = ()
    """Of a pair the second dialogue."""
    knowledge: tuple[tuple[str, str, str], ...] = ()
    goal: tuple[str, ...] = ()
    right: dict[str, tuple[int, ...]] = {}
    """By criterion the points that are right."""
    better: Literal["", "a", "b", "tie"] = ""
    """Of a pair what is right."""
    why: str
    why_zh: str


class Reason(Record, frozen=True, kw_only=True):
    """Why one of two is better: a rater of pairs has to give one."""

    name: str
    about: str
    zh: str


class CampaignProtocol(NamedDefinition, frozen=True, kw_only=True):
    """How a campaign goes."""

    task: str = ""
    """The task whose systems are rated; empty: any, named when a campaign starts."""
    ratings: str = ""
    """The rating protocol with criteria, scales, anchors and the rule that ranks; empty: that of the task."""
    unit: Unit
    """What is rated: a reply in its context, a whole dialogue, or which of two dialogues or replies is better."""
    live: bool = False
    """Whether raters talk with the systems themselves, unless a campaign is given result files."""
    talker_sees: tuple[str, ...] = ()
    """What who talks sees beside the words: `goal`, or nothing."""
    goal_when_rating: bool = True
    knowledge_when_rating: bool = True
    paired: bool = True
    """Whether who rates one system on an item goes on with the others on it, which makes comparisons sharp."""
    per_item: int = 1
    """Raters of each item, unless the campaign says otherwise."""
    check_every: int = 10
    """Ratings from one attention check to the next; 0: none."""
    enter: int = 0
    """Most systems that enter, the best by their automatic scores; 0: any number."""
    select: int = 0
    """How many systems the campaign selects; 0: it ranks only."""
    instructions: str
    instructions_zh: str
    source: str
    """What of it is published."""
    reason: tuple[Reason, ...] = ()
    onboarding: tuple[KnownItem, ...] = ()

    def __post_init__(self) -> None:
        if self.unit == "pair" and not self.reason:
            raise ValueError(f"the campaign protocol '{self.name}' compares pairs and lists no [[campaign.reason]]")
        if self.per_item < 1 or self.check_every < 0:
            raise ValueError(f"the campaign protocol '{self.name}' needs per_item from 1 and check_every from 0")


class _ListedCampaigns(Record, frozen=True, kw_only=True):
    """What a file of campaign protocols holds."""

    campaign: tuple[CampaignProtocol, ...]


_LISTING = TaskListing(
    file=FILE,
    table="campaign",
    called="campaign protocol",
    listing=_ListedCampaigns,
    rows=lambda listed: listed.campaign,
    shared=(_SHARED,),
)


def campaign_protocols() -> dict[str, CampaignProtocol]:
    """Return all campaign protocols by name. Raises as `TaskListing.all`."""
    return _LISTING.all()


def find_campaign_protocol(word: str) -> CampaignProtocol:
    """Return the campaign protocol of that name, or that of the TOML file at that path.

    Raises as `TaskListing.find`.
    """
    return _LISTING.find(word)
