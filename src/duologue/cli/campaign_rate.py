"""`duologue campaign rate`: somebody rates in the terminal, blind, what the site would show next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from duologue.core.errors import UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.volunteer_view import ShownItem
    from duologue.arena.database.database import Database


@click.command()
@click.argument("word", metavar="CAMPAIGN")
@click.option("--person", required=True, help="Who rates, by the id that `duologue site people list` shows.")
@options.count_option("--n", "Stop after so many.  [default: when nothing is left]")
@options.workspace_option
@options.database_option
def rate(*, word: str, person: str, n: int | None, workspace: Path, address: str | None) -> None:
    """Rate in CAMPAIGN as a person: one item at a time, systems without names, items to learn from first.

    Ctrl-C stops; the item waits, on the site too. Dialogues that people hold themselves are held on the site.

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
        done = 0
        while n is None or done < n:
            view = database.write(lambda connection: volunteer_view(connection, found, person, database.now()))
            if view.item is None:
                told = {"wait": "others have the items that are left; come back later", "closed": "it is closed"}
                console.line(told.get(view.stage, f"nothing is left; you have rated {view.rated}"))
                return
            console.line(f"{view.rated} rated, {view.left} left", bold=True)
            _show(view.item)
            _ask(database, found, person, view.item)
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


def _typed(question: str, kind: click.ParamType[Any]) -> Any:
    """Return what somebody types. Raises `UsageError` for bytes that are no text."""
    try:
        return click.prompt(question, type=kind)
    except UnicodeDecodeError as error:
        raise UsageError(f"what was typed cannot be read: {error}") from error


def _ask(database: Database, campaign: Campaign, person: str, item: ShownItem) -> None:
    """Ask for a ballot and keep it; of an item to learn from say what is right."""
    from duologue.arena.campaigns.ballots import BETTER, cast

    said: dict[str, Any] = {}
    reason = ""
    if campaign.pairs:
        words = {"first": "a", "second": "b", "tie": "tie"}
        said[BETTER] = words[_typed("which is better", click.Choice(list(words)))]
        if not item.onboarding:
            reason = _typed("why", click.Choice([one.name for one in campaign.protocol.reason]))
    for one in () if campaign.pairs else campaign.rating.criterion:
        for points, anchor in enumerate(one.anchors, start=one.low):
            console.line(f"  {points}: {anchor}")
        said[one.name] = _typed(one.name, click.IntRange(one.low, one.high))
    outcome = database.write(
        lambda connection: cast(
            connection, campaign, person, item.assignment, said, now=database.now(), reason=reason
        )._asdict()
    )
    if outcome["right"] is not None:
        console.line(f"{'right' if outcome['right'] else 'not right, it comes again'}: {outcome['why']}")
