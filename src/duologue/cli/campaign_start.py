"""`duologue campaign start` and `link`: items, systems, and links for volunteers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.database.database import Database

_days_option = options.days_option(60, "a link")


@click.command()
@click.argument("word", metavar="PROTOCOL")
@click.option(
    "--systems",
    multiple=True,
    required=True,
    metavar="NAME=SOURCE",
    help="A result file, or a system to talk with; once for each, or with commas.",
)
@click.option("--n", type=options.WholeNumber(1, 100_000), required=True, help="Items (or scenes), drawn by the seed.")
@click.option("--task", default=None, help="The task, for protocols of any task (arena).")
@click.option("--gold", type=options.PATH, multiple=True, help="A truth file with the contexts; may be repeated.")
@click.option("--input", "data", type=options.PATH, default=None, help="The data file that was answered.")
@options.kb_option("spoken")
@click.option("--whole", is_flag=True, help="Each file holds whole dialogues (`duologue simulate --out`).")
@click.option(
    "--goals",
    "place",
    type=options.PATH,
    default=None,
    help="conversation, mobilecs/dialogue, proactive, restaurant, spoken: where people talk, the file that scenes are "
    "drawn from (default: built-in ones).",
)
@click.option(
    "--automatic", type=options.PATH, default=None, help="A table system,score: of too many systems the best enter."
)
@options.count_option("--per-item", "Raters of each item.  [default: the protocol's]")
@click.option(
    "--overlap",
    type=options.FiniteRange(min=0, max=1),
    default=1.0,
    show_default=True,
    help="Share of the items that --per-item people rate, drawn by the seed; the others have one rater.",
)
@options.count_option("--lease", "Minutes that an item waits for the volunteer who has it.", default=60)
@click.option(
    "--checks",
    type=options.CountNumber(min=0),
    default=None,
    help="Ratings from one attention check to the next; 0: none.  [default: the protocol's]",
)
@click.option("--title", default="", help="What volunteers and organisers read.")
@click.option("--title-zh", default="", help="The same on Chinese pages.  [default: the title]")
@click.option(
    "--volunteers", type=options.WholeNumber(0, 1000), default=0, help="Invite so many at once: a link for each."
)
@options.site_url_option
@_days_option
@options.seed_option
@options.workspace_option
@options.database_option
@options.json_option
def start(
    *,
    word: str,
    systems: tuple[str, ...],
    n: int,
    task: str | None,
    gold: tuple[Path, ...],
    data: Path | None,
    kb: Path | None,
    whole: bool,
    place: Path | None,
    automatic: Path | None,
    per_item: int | None,
    overlap: float,
    lease: int,
    checks: int | None,
    title: str,
    title_zh: str,
    volunteers: int,
    url: str,
    days: float,
    seed: int,
    workspace: Path,
    address: str | None,
    as_json: bool,
) -> None:
    """Start a campaign of PROTOCOL (campaign protocols; or your own FILE.toml) over some systems.

    Systems are result files of the same data, or, where the protocol has people talk, systems by name, model folders
    and chat endpoints. Volunteers never see their names. Several --volunteers get a link each; people rate on the site
    (`duologue site`).

    \b
    Examples:
      duologue campaign start spoken --systems a=A.json,b=B.json --input T.json --kb G.json --n 50 --volunteers 3
      duologue campaign start conversation --systems a=A.txt --systems b=B.txt --gold T.txt --n 30
      duologue campaign start restaurant --systems solver,tfidf --n 20
      duologue campaign start arena --task proactive --systems a=A.jsonl,b=B.jsonl --whole --n 40
    """
    import msgspec

    from duologue.arena.campaigns.campaign import CampaignSettings, find_campaign, status_of
    from duologue.arena.campaigns.campaign_protocol import find_campaign_protocol
    from duologue.arena.campaigns.proposal import propose
    from duologue.arena.storage import open_database
    from duologue.core.plugins import load_task
    from duologue.ratings.files import read_system_scores

    protocol = find_campaign_protocol(word)
    if checks is not None:
        protocol = msgspec.structs.replace(protocol, check_every=checks)
    settings = CampaignSettings(
        per_item=per_item or protocol.per_item, lease_minutes=lease, check_every=protocol.check_every, seed=seed,
        title_zh=title_zh, overlap=overlap,
    )  # fmt: skip
    name = protocol.task or task
    proposal = propose(
        protocol,
        [one.strip() for words in systems for one in words.split(",") if one.strip()],
        n=n, task=task, golds=gold, data=data, whole=whole, place=place, settings=settings, title=title,
        world=options.world_of(load_task(name), kb) if name and kb else None,
        automatic=read_system_scores(automatic) if automatic else None,
    )  # fmt: skip
    with open_database(workspace, address) as database:
        campaign_id = proposal.start(database)
        with database.reading() as connection:
            made = find_campaign(connection, campaign_id)
            found = status_of(connection, made)
        links = invitations(database, made, volunteers, url, days)
    if as_json:
        console.as_json({"id": campaign_id, "title": made.title, **found._asdict(), "links": links})
        return
    console.line(f"Campaign {campaign_id} is open: {made.title}", bold=True)
    console.line(
        f"{amount(len(proposal.material.items), 'item')} of {amount(len(made.systems), 'system')}, {_raters(made)}: "
        f"{amount(found.wanted, 'rating')}."
    )
    if links:
        show_links(links)
    else:
        console.line(f"Next: duologue campaign link {campaign_id} --n 3")


def _raters(campaign: Campaign) -> str:
    settings = campaign.settings
    if settings.overlap >= 1:
        return f"{amount(settings.per_item, 'rater')} each"
    return f"{amount(settings.per_item, 'rater')} for {settings.several:,} of them, one for the others"


@click.command()
@click.argument("word", metavar="CAMPAIGN")
@click.option("--n", type=options.WholeNumber(1, 1000), default=1, show_default=True, help="Volunteers to invite.")
@click.option("--person", default=None, help="Invite this person of the site instead, such as a judge, by id.")
@options.site_url_option
@_days_option
@options.workspace_option
@options.database_option
@options.json_option
def link(
    *, word: str, n: int, person: str | None, url: str, days: float, workspace: Path, address: str | None, as_json: bool
) -> None:
    """Invite volunteers to CAMPAIGN: each link is one person, and leads back to where that person stopped.

    Nobody is told a link a second time; whoever loses one gets a new one from the site's page of people.

    \b
    Examples:
      duologue campaign link 3f2a --n 5
      duologue campaign link 3f2a --n 5 --site https://ratings.example.org
      duologue campaign link 3f2a --person 0123456789abcdef
    """
    from duologue.arena.campaigns.campaign import find_campaign
    from duologue.arena.storage import open_database

    if person is not None:
        options.refuse("--person is invited alone", "n")
    with open_database(workspace, address) as database:
        with database.reading() as connection:
            found = find_campaign(connection, word)
        if person is not None:
            from duologue.arena.campaigns.invitation import invite_person

            one = invite_person(database, found, person, days=days, by=None)
            links = [{"code": one.code, "link": url.rstrip("/") + one.path}]
        else:
            links = invitations(database, found, n, url, days)
    if as_json:
        console.as_json(links)
        return
    show_links(links)


def invitations(database: Database, found: Campaign, n: int, url: str, days: float) -> list[dict[str, str]]:
    """Return codes and links of so many new volunteers."""
    from duologue.arena.campaigns.invitation import invite

    return [
        {"code": one.code, "link": url.rstrip("/") + one.path} for one in invite(database, found, n, days=days, by=None)
    ]


def show_links(links: list[dict[str, str]]) -> None:
    """Print links, which nobody is told again."""
    console.line("One link for each volunteer (nobody is told them again):")
    for one in links:
        console.line(f"  {one['code']}  {one['link']}")
    console.line("People rate on the site: duologue site")
