"""Campaigns in every state, for the pages that show them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from tests.arena.campaigns.made import Volunteer, by_length, made_campaign, made_material
from tests.site.world import Example

from duologue.arena.campaigns.campaign import CampaignSettings, find_campaign
from duologue.arena.campaigns.campaign_protocol import find_campaign_protocol
from duologue.arena.campaigns.kept_judge import keep_judge
from duologue.arena.campaigns.norm_round import advance, open_round, remark, vote
from duologue.arena.campaigns.proposal import propose
from duologue.arena.people.open_links import open_path
from duologue.arena.people.secret import new_secret
from duologue.arena.registration.open_registration import open_for_many
from duologue.arena.storage import open_blobs

if TYPE_CHECKING:
    from tests.site.world import World

RATE, ONE = "/rate/{id}", "/campaigns/{id}"


def campaigns(world: World) -> list[Example]:
    database, me = world.database, world.ids["volunteer"]
    points = made_campaign(database, "spoken", material=made_material(items=6), per_item=3, check_every=0)
    pairs = made_campaign(database, "arena", material=made_material(items=6), per_item=3, check_every=0)
    empty = made_campaign(database, "mobilecs")
    norm = database.write(lambda c: open_round(c, find_campaign(c, points), 2, database.now()))
    for campaign_id in (points, pairs):
        with database.reading() as connection:
            opinion = by_length(find_campaign(connection, campaign_id))
        for person in ("ann", "ben"):
            Volunteer(database, campaign_id, person).rate_all(opinion)
        Volunteer(database, campaign_id, me).rate_all(opinion, limit=5)
    with database.reading() as connection:
        campaign = find_campaign(connection, points)
    for person in ("ann", me):
        said = {one.name: 1 for one in campaign.rating.criterion}
        database.write(partial(vote, campaign=campaign, norm=norm, person=person, unit=norm.units[0], said=said, now=1))
    shown = database.write(lambda c: advance(c, norm, 1))
    database.write(lambda c: remark(c, shown, "ann", norm.units[0], "It is off the topic.", 2))
    database.write(lambda c: advance(c, shown, 1))
    blobs = open_blobs(world.workspace)
    rows = ["item,system," + ",".join(one.name for one in campaign.rating.criterion)]
    rows += [f"item-{n:03},{name},1,0.5,{n % 2}" for n in range(6) for name in campaign.systems]
    text = "\n".join(rows).encode()
    keep_judge(database, blobs, campaign, "judge.csv", text)
    secret, now = new_secret(), database.now()
    database.write(lambda c: open_for_many(c, secret, "campaign", points, limit=9, days=3, now=now, by=None))
    newcomer = Volunteer(database, empty, me)
    newcomer.join()
    arena = msgspec.structs.replace(find_campaign_protocol("arena"), onboarding=())
    bots, settings = ["one=solver", "two=solver"], CampaignSettings(check_every=0)
    live = propose(arena, bots, n=1, task="restaurant", settings=settings).start(database)
    Volunteer(database, live, me).join()
    view = Volunteer(database, pairs, me).look()
    assert view.item is not None
    return [
        Example("/rate", "/rate", "volunteer"),
        Example("/rate", "/rate", "judge"),
        Example(RATE, f"/rate/{points}", "volunteer"),
        Example(RATE, f"/rate/{pairs}", "volunteer"),
        Example(RATE, f"/rate/{empty}", "volunteer"),
        Example(RATE, f"/rate/{live}", "volunteer"),
        Example("/rate/{id}/mine", f"/rate/{pairs}/mine", "volunteer"),
        Example("/rate/{id}/norm", f"/rate/{points}/norm", "volunteer"),
        Example("/rate/{id}/norm", f"/rate/{pairs}/norm", "volunteer"),
        Example("/rate/{id}/items/{item}", f"/rate/{pairs}/items/{view.item.assignment}", "volunteer"),
        Example("/open-links/{kind}/{subject}", f"/open-links/campaign/{points}", "organiser"),
        Example("/join/{secret}", open_path(secret)),
        Example("/campaigns", "/campaigns", "organiser"),
        Example("/campaigns/new", "/campaigns/new", "organiser"),
        Example(ONE, f"/campaigns/{points}", "organiser"),
        Example(ONE, f"/campaigns/{pairs}", "organiser"),
        Example(f"{ONE}/results", f"/campaigns/{points}/results", "organiser"),
        Example(f"{ONE}/results", f"/campaigns/{pairs}/results", "organiser"),
        Example(f"{ONE}/results", f"/campaigns/{empty}/results", "organiser"),
    ]
