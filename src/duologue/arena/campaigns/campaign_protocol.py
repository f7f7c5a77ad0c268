"""Campaign protocols as data: what is rated, who rates it, what raters are told, and known items to learn from.

Criteria, scales and the rule that ranks are those of a rating protocol (`duologue.ratings.protocol`). A challenge's own
lie beside the module of its task, in `campaigns.toml`; those for every task lie here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from duologue.core.definitions import package_folder
from duologue.core.errors import PlugInError, UsageError, did_you_mean
from duologue.core.plugins import entries
from duologue.core.recipe import from_table, read_toml
from duologue.core.records import Record
from duologue.core.typed import decode_toml

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


class CampaignProtocol(Record, frozen=True, kw_only=True):
    """How a campaign goes."""

    name: str
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


def campaign_protocols() -> dict[str, CampaignProtocol]:
    """Return all campaign protocols by name; no challenge is imported.

    Raises `PlugInError` for a file that cannot be read and for a name that two have.
    """
    found: dict[str, CampaignProtocol] = {}
    folders = dict.fromkeys(package_folder(entry.target) for entry in entries("tasks"))
    for place in [_SHARED, *(folder / FILE for folder in folders if folder is not None)]:
        if not place.is_file():
            continue
        try:
            listed = decode_toml(place.read_bytes(), _ListedCampaigns).campaign
        except msgspec.DecodeError as error:
            raise PlugInError(f"{place} cannot be read: {error}") from error
        for one in listed:
            if one.name in found:
                raise PlugInError(f"{place}: there is another campaign protocol called '{one.name}'")
            found[one.name] = one
    return dict(sorted(found.items()))


def find_campaign_protocol(word: str) -> CampaignProtocol:
    """Return the campaign protocol of that name, or that of the TOML file at that path.

    Raises `UsageError` for neither, and for a file that holds none or several; `FormatError` for no TOML.
    """
    known = campaign_protocols()
    if word in known:
        return known[word]
    path = Path(word)
    if path.suffix != ".toml":
        near = did_you_mean(word, known)
        raise UsageError(f"there is no campaign protocol '{word}'{near}; your own is a file PROTOCOL.toml")
    listed = from_table(_ListedCampaigns, read_toml(path), str(path)).campaign
    if len(listed) != 1:
        raise UsageError(f"{path} holds {len(listed)} campaign protocols; expected one table [[campaign]]")
    return listed[0]
