"""`duologue campaign rate`: somebody rates in the terminal, blind, what the site would show next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import click

from duologue.core.errors import UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.norm_view import NormItem, NormView
    from duologue.arena.campaigns.volunteer_view import ShownItem
    from duologue.arena.database.database import Database

SKIP = "skip"
"""Typed in the place of points: the item is left out."""


if TYPE_CHECKING:
    _Kind = click.ParamType[Any]
else:  # it takes no type before click 8.4
    _Kind = click.ParamType


class LeftOutError(Exception):
    """Somebody would rather not rate an item."""


@click.command(cls=options.ResumableCommand)
@click.argument("word", metavar="CAMPAIGN")
@click.option("--person", required=True, help="Who rates, by the id that `duologue site people list` shows.")
@options.count_option("--n", "Stop after so many.  [default: when nothing is left]")
@options.workspace_option
@options.database_option
def rate(*, word: str, person: str, n: int | None, workspace: Path, address: str | None) -> None:
    """Rate in CAMPAIGN as a person: one item at a time, systems without names, items to learn from first.

    Where a norming round is open, its votes come first, and while it is discussed what others voted and said. Type
    `skip` to leave an item out. Ctrl-C stops; the item waits, on the site too. Dialogues that people hold themselves
    are held on the site.

    \b
    Examples:
      duologue campaign rate 3f2a --person 0123456789abcdef
    """
    from duologue.arena.campaigns.campaign import find_campaign
    from duologue.arena.campaigns.volunteer_view import volunteer_view
    from duologue.arena.campaigns.volunteers import enrol
    from duologue.arena.people.people import find_person
    from duologue.arena.storage import open_database

    with open_database(workspace, address) as database:
        with database.reading() as connection:
            found = find_campaign(connection, word)
            find_person(connection, person)
        if found.protocol.live:
            raise UsageError("people talk with these systems themselves; they do it on the site: duologue site")
        database.write(lambda connection: enrol(connection, found, person, database.now()))
        console.line(found.protocol.instructions)
        _norm(database, found, person)
        done = 0
        while n is None or done < n:
            view = database.write(lambda connection: volunteer_view(connection, found, person, database.now()))
            if view.item is None:
                told = {"wait": "others have the items that are left; come back later", "closed": "it is closed"}
                console.line(told.get(view.stage, f"nothing is left; you have rated {view.rated}"))
                return
            console.line(f"{view.rated} rated, {view.left} left", bold=True)
            if view.item.onboarding:
                console.line("to learn from: what is right is told afterwards, and it does not count")
            _show(view.item)
            try:
                _ask(database, found, person, view.item)
            except LeftOutError:
                _leave_out(database, found, person, view.item)
            else:
                done += 1


def _show(item: ShownItem) -> None:
    for line in item.goal:
        console.line(f"goal: {line}")
    for fact in item.knowledge:
        console.line(f"fact: {' | '.join(fact)}")
    _turns(item.history)
    for name, turns, facts in (("first", item.first, item.first_facts), ("second", item.second, item.second_facts)):
        if turns:
            console.line(f"-- {name if item.second else 'to be rated'}", bold=True)
            _turns(turns)
            for fact in facts:
                console.line(f"names: {' | '.join(fact)}")


def _turns(turns: Sequence[tuple[str, str]]) -> None:
    for speaker, text in turns:
        console.line(f"{speaker}: {text}")


class _OrSkip(_Kind):
    """What a question takes, or the word that leaves the item out."""

    def __init__(self, kind: _Kind) -> None:
        self._kind = kind
        self.name = kind.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value. Raises `LeftOutError` for the word."""
        if str(value).strip() == SKIP:
            raise LeftOutError
        return self._kind.convert(value, param, ctx)


def _typed(question: str, kind: _Kind) -> Any:
    """Return what somebody types. Raises `UsageError` for bytes that are no text, and `LeftOutError`."""
    choices = f" ({', '.join(map(str, kind.choices))})" if isinstance(kind, click.Choice) else ""
    try:
        return click.prompt(question + choices, type=_OrSkip(kind))
    except UnicodeDecodeError as error:
        _refuse(error)


def _refuse(error: UnicodeDecodeError) -> NoReturn:
    raise UsageError(f"what was typed cannot be read: {error}") from error


def _points(campaign: Campaign) -> dict[str, Any]:
    """Ask for the points of an item, or which of a pair is better."""
    from duologue.arena.campaigns.ballots import BETTER

    if campaign.pairs:
        words = {"first": "a", "second": "b", "tie": "tie"}
        return {BETTER: words[_typed("which is better", click.Choice(list(words)))]}
    said: dict[str, Any] = {}
    for one in campaign.rating.criterion:
        for points, anchor in enumerate(one.anchors, start=one.low):
            console.line(f"  {points}: {anchor}")
        said[one.name] = _typed(one.name, options.WholeNumber(one.low, one.high))
    return said


def _ask(database: Database, campaign: Campaign, person: str, item: ShownItem) -> None:
    """Ask for a ballot and keep it; of an item to learn from say what is right."""
    from duologue.arena.campaigns.ballots import cast

    said = _points(campaign)
    asks_why = campaign.pairs and not item.onboarding
    reason = _typed("why", click.Choice([one.name for one in campaign.protocol.reason])) if asks_why else ""
    outcome = database.write(
        lambda connection: cast(
            connection, campaign, person, item.assignment, said, now=database.now(), reason=reason
        )._asdict()
    )
    if outcome["right"] is not None:
        console.line(f"{'right' if outcome['right'] else 'not right, it comes again'}: {outcome['why']}")


def _leave_out(database: Database, campaign: Campaign, person: str, item: ShownItem) -> None:
    """Give an item back for good; items to learn from and checks cannot be."""
    from duologue.arena.campaigns.assignment import skip

    try:
        database.write(lambda connection: skip(connection, campaign, person, item.assignment))
    except UsageError as error:
        console.line(f"{error}")


def _norm(database: Database, campaign: Campaign, person: str) -> None:
    """Ask for the votes of the norming round that is open, or show and take what is said of it."""
    from duologue.arena.campaigns.norm_view import norm_view

    with database.reading() as connection:
        view = norm_view(connection, campaign, person)
    if view is None:
        return
    left = [one for one in view.items if not (view.votes_now and one.points)]
    console.line(f"norming round {view.number}: {view.state}, {len(left)} items", bold=True)
    for one in left:
        _show(one.item)
        for vote in one.votes:
            console.line(f"{vote.code} voted {', '.join(f'{name} {points}' for name, points in vote.points.items())}")
        for remark in one.remarks:
            console.line(f"{remark.code} said: {remark.text}")
        try:
            _take_part(database, campaign, person, view, one)
        except LeftOutError:
            continue


def _take_part(database: Database, campaign: Campaign, person: str, view: NormView, item: NormItem) -> None:
    """Keep a vote, or a remark while the votes are discussed."""
    from duologue.arena.campaigns.norm_round import open_round_of, remark, vote

    if view.votes_now:
        points = _points(campaign)
        database.write(
            lambda connection: vote(
                connection, campaign, open_round_of(connection, campaign), person, item.unit, points, database.now()
            )
        )
        return
    said = _typed(f"what do you say of it ({SKIP}: nothing)", click.STRING)
    database.write(
        lambda connection: remark(
            connection, open_round_of(connection, campaign), person, item.unit, said, database.now()
        )
    )
