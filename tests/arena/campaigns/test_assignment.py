from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from duologue.arena.campaigns.assignment import Lease, NothingLeft, release_expired, skip, take
from duologue.arena.campaigns.ballots import BETTER
from duologue.arena.campaigns.campaign import close_campaign, find_campaign, status_of
from duologue.arena.campaigns.tables import campaign_assignments, campaign_items, campaign_units
from duologue.arena.campaigns.volunteer_view import progress_of, volunteer_view
from duologue.arena.storage import open_database
from duologue.core.errors import UsageError
from duologue.core.rng import digest
from tests.arena.campaigns.made import SYSTEMS, Volunteer, by_length, made_campaign, made_material
from tests.arena.conftest import Clock

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.volunteer_view import ShownItem
    from duologue.arena.database.database import Database

PEOPLE = ("ann", "ben", "cy", "dora")


def take_one(database: Database, campaign_id: str, person: str) -> Lease | NothingLeft:
    return database.write(lambda c: take(c, find_campaign(c, campaign_id), person, database.now()))


def give_back(database: Database, campaign_id: str, person: str, lease: Lease) -> None:
    database.write(lambda c: skip(c, find_campaign(c, campaign_id), person, lease.assignment))


def rate(database: Database, campaign_id: str, person: str, lease: Lease) -> None:
    volunteer = Volunteer(database, campaign_id, person)
    volunteer.join()
    volunteer.say(lease.assignment, {"informativeness": 1, "coherence": 1, "factual-accuracy": 1})


def loads(database: Database) -> list[tuple[str, int, int]]:
    """Return of each unit its load as it is kept and as it is counted from the assignments."""
    held = (campaign_assignments.c.unit_id == campaign_units.c.id) & campaign_assignments.c.state.in_(
        ["leased", "rated"]
    )
    with database.reading() as connection:
        rows = connection.execute(
            select(campaign_units.c.id, campaign_units.c.load, func.count(campaign_assignments.c.id))
            .select_from(campaign_units.outerjoin(campaign_assignments, held))
            .group_by(campaign_units.c.id, campaign_units.c.load)
        ).all()
    return [(row[0], row[1], row[2]) for row in rows]


def starters_are_true(database: Database) -> bool:
    given = campaign_assignments.c
    with database.reading() as connection:
        kept = {row.id: row.starters for row in connection.execute(select(campaign_items))}
        rows = connection.execute(
            select(given.item_id, func.count(given.person_id.distinct()))
            .where(given.state.in_(["leased", "rated"]))
            .group_by(given.item_id)
        ).all()
    counted = {row[0]: row[1] for row in rows}
    return all(counted.get(item, 0) == starters for item, starters in kept.items())


steps = st.lists(
    st.tuples(st.sampled_from(PEOPLE), st.sampled_from(["take", "take", "rate", "rate", "rate", "skip", "wait"])),
    max_size=30,
)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=steps, per_item=st.integers(1, 3), paired=st.booleans())
def test_leases_hold_whatever_people_do(*, steps: list[tuple[str, str]], per_item: int, paired: bool) -> None:
    clock = Clock()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_database(Path(folder), clock=clock, durable=False) as database,
    ):
        made = made_campaign(database, material=made_material(items=3), per_item=per_item, onboarding=(), paired=paired)
        leases: dict[str, Lease] = {}
        given_to: Counter[tuple[str, str]] = Counter()
        for person, step in steps:
            lease = leases.get(person)
            if step == "wait":
                clock.pass_by(seconds=61 * 60)
                database.write(lambda c: release_expired(c, find_campaign(c, made), clock.now))
                leases.clear()
            elif step == "take":
                found = take_one(database, made, person)
                if lease is not None:
                    assert isinstance(found, Lease)
                    assert found.assignment == lease.assignment, "a reload changes nothing"
                if isinstance(found, Lease):
                    leases[person] = found
            elif lease is not None and step == "rate":
                rate(database, made, person, lease)
                given_to[person, lease.unit] += 1
                del leases[person]
            elif lease is not None:
                give_back(database, made, person, lease)
                del leases[person]
            held = [lease.unit for lease in leases.values()]
            for unit, kept, counted in loads(database):
                assert kept == counted <= per_item, "no unit is with more people than planned"
                assert held.count(unit) <= kept
        assert max(given_to.values(), default=0) <= 1, "nobody rates a unit twice"
        assert starters_are_true(database)


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    order=st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=12),
    per_item=st.integers(1, 3),
    seed=st.integers(0, 99),
    paired=st.booleans(),
)
def test_everything_is_rated_as_often_as_planned(*, order: list[str], per_item: int, seed: int, paired: bool) -> None:
    clock = Clock()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_database(Path(folder), clock=clock, durable=False) as database,
    ):
        made = made_campaign(
            database, material=made_material(items=3), per_item=per_item, seed=seed, onboarding=(), paired=paired
        )
        per_person: dict[str, Counter[str]] = {person: Counter() for person in PEOPLE}
        with database.reading() as connection:
            system_of = {row.id: row.system_a for row in connection.execute(select(campaign_units))}
        for person in [*order, *PEOPLE * 12]:
            found = take_one(database, made, person)
            if isinstance(found, Lease):
                rate(database, made, person, found)
                per_person[person][system_of[found.unit]] += 1
                counts = [per_person[person][system] for system in SYSTEMS]
                if paired:
                    assert max(counts) - min(counts) <= 1, "a person rates all systems about equally often"
        assert {kept for _, kept, _ in loads(database)} == {per_item}
        with database.reading() as connection:
            status = status_of(connection, find_campaign(connection, made))
        assert status.rated == status.wanted
        assert len(set(status.by_system.values())) == 1


def test_who_rates_one_system_on_an_item_goes_on_with_the_others(database: Database) -> None:
    made = made_campaign(database, per_item=1, onboarding=())
    items = []
    for _ in range(9):
        lease = take_one(database, made, "ann")
        assert isinstance(lease, Lease)
        rate(database, made, "ann", lease)
        items.append(lease.item)
    assert [items[place] for place in (0, 3, 6)] == [items[place] for place in (2, 5, 8)]
    assert len(set(items)) == 3


def test_the_order_is_each_persons_own_and_told_by_the_seed(database: Database) -> None:
    def order(campaign_id: str, person: str) -> list[str]:
        found = []
        for _ in range(6):
            lease = take_one(database, campaign_id, person)
            assert isinstance(lease, Lease)
            rate(database, campaign_id, person, lease)
            with database.reading() as connection:
                query = (
                    select(campaign_items.c.item_key, campaign_units.c.system_a)
                    .join(campaign_units, campaign_units.c.item_id == campaign_items.c.id)
                    .where(campaign_units.c.id == lease.unit)
                )
                key, system = connection.execute(query).one()
            found.append(f"{key} {system}")
        return found

    one, same, other = (made_campaign(database, per_item=4, onboarding=(), seed=seed) for seed in (1, 1, 2))
    ann = order(one, "ann")
    assert ann == order(same, "ann")
    assert ann != order(other, "ann")
    assert ann != order(one, "ben")


def test_a_lease_that_ran_out_goes_to_another_and_the_late_rating_is_kept(database: Database, clock: Clock) -> None:
    made = made_campaign(database, material=made_material(SYSTEMS[:1], 1), per_item=1, onboarding=())
    ann = take_one(database, made, "ann")
    assert isinstance(ann, Lease)
    assert take_one(database, made, "ben") == NothingLeft(wait=True)
    clock.pass_by(seconds=61 * 60)
    ben = take_one(database, made, "ben")
    assert isinstance(ben, Lease)
    assert ben.unit == ann.unit
    rate(database, made, "ann", ann)
    rate(database, made, "ben", ben)
    with database.reading() as connection:
        assert status_of(connection, find_campaign(connection, made)).rated == 2
    assert take_one(database, made, "cy") == NothingLeft(wait=False)


def test_a_lease_is_prolonged_in_time_and_not_with_every_look(database: Database, clock: Clock) -> None:
    campaign = made_campaign(database)
    first = take_one(database, campaign, "ann")
    assert isinstance(first, Lease)
    whole = first.expires_at - database.now()
    clock.now += whole // 20
    assert take_one(database, campaign, "ann") == first
    clock.now += whole // 10
    assert take_one(database, campaign, "ann") == first._replace(expires_at=database.now() + whole)


def test_attention_checks_come_at_their_intervals(database: Database) -> None:
    made = made_campaign(database, check_every=4)
    volunteer = Volunteer(database, made, "ann")
    with database.reading() as connection:
        opinion = by_length(find_campaign(connection, made))
    seen = []

    def told(item: ShownItem) -> dict[str, Any]:
        seen.append("check" if "attention check" in item.first[-1][1] else "learn" if item.onboarding else "item")
        return opinion(item)

    volunteer.rate_all(told)
    assert seen[:2] == ["learn", "learn"]
    assert [place for place, what in enumerate(seen[2:]) if what == "check"] == [4, 9, 14, 19]


def test_pairs_are_shown_in_both_orders_and_balanced(database: Database) -> None:
    sides: Counter[bool] = Counter()
    for _ in range(8):  # nine pairs lie the same way by chance, once in 256 campaigns
        made = made_campaign(database, "arena", onboarding=())
        pairs: Counter[tuple[str, str]] = Counter()
        for number in range(9):
            person = PEOPLE[number % 4]
            lease = take_one(database, made, person)
            assert isinstance(lease, Lease)
            volunteer = Volunteer(database, made, person)
            volunteer.join()
            volunteer.say(lease.assignment, {"better": "tie"}, reason="facts")
            with database.reading() as connection:
                row = connection.execute(select(campaign_units).where(campaign_units.c.id == lease.unit)).one()
            sides[lease.swapped] += 1
            pairs[row.system_a, row.system_b] += 1
        assert set(pairs.values()) == {3}
        if len(sides) == 2:
            break
    assert set(sides) == {True, False}


def test_a_closed_campaign_gives_nothing_out(database: Database) -> None:
    made = made_campaign(database)
    database.write(lambda c: close_campaign(c, find_campaign(c, made), database.now()))
    with pytest.raises(UsageError, match="closed"):
        take_one(database, made, "ann")


def test_what_is_not_leased_cannot_be_skipped(database: Database) -> None:
    made = made_campaign(database)
    lease = take_one(database, made, "ann")
    assert isinstance(lease, Lease)
    assert lease.role == "onboarding"
    with pytest.raises(UsageError, match="cannot be skipped"):
        database.write(lambda c: skip(c, find_campaign(c, made), "ann", lease.assignment))


@pytest.mark.slow
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("overlap", "several"), [(0.0, 0), (0.3, 3), (1.0, 10)])
def test_only_the_share_that_overlaps_has_several_raters(
    either_database: Database, overlap: float, several: int, *, paired: bool
) -> None:
    database, material = either_database, made_material(items=10)
    made = made_campaign(database, material=material, per_item=3, overlap=overlap, onboarding=(), paired=paired, seed=4)
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
        assert status_of(connection, campaign).wanted == 3 * (3 * several + 10 - several)
    for person in PEOPLE:
        Volunteer(database, made, person).rate_all(by_length(campaign))
    with database.reading() as connection:
        found = status_of(connection, campaign)
        assert found.rated == found.wanted
        raters = Counter(row.load for row in connection.execute(select(campaign_units)))
        keys = [row.item_key for row in connection.execute(select(campaign_items).order_by(campaign_items.c.position))]
    assert raters == Counter({3: 3 * several, 1: 3 * (10 - several)}) - Counter()
    assert starters_are_true(database)
    if overlap == 0.3:
        assert keys[:3] == sorted(keys[:3])
        assert keys[:3] != ["item-000", "item-001", "item-002"], "they are drawn"


def due(connection: Connection, campaign: Campaign, person: str, now: int) -> tuple[str | None, int]:
    """Return the unit that a person gets by the rules, of all rows read at once, and how many are left for them."""
    items = {row.id: row for row in connection.execute(select(campaign_items))}
    units = {row.id: row for row in connection.execute(select(campaign_units)) if items[row.item_id].role == "main"}
    given = [row for row in connection.execute(select(campaign_assignments)) if row.unit_id in units]
    own = [row for row in given if row.person_id == person]
    wanted = {
        item: campaign.settings.per_item if row.position < campaign.raters["several"] else 1
        for item, row in items.items()
    }
    held = [row.unit_id for row in own if row.state == "leased"]
    done = {row.unit_id for row in own if row.state in {"rated", "skipped"}}
    left = sum(key not in done and (row.load < wanted[row.item_id] or key in held) for key, row in units.items())
    if held:
        return held[0], left
    mine = {row.unit_id for row in own if row.state != "expired"}
    begun = {row.item_id for row in own if row.state in {"leased", "rated"}}
    free = [row for row in units.values() if row.load < wanted[row.item_id] and row.id not in mine]

    def label(row: Any) -> str:
        return row.system_a if row.system_b is None else f"{row.system_a}\n{row.system_b}"

    def lot(row: Any) -> bytes:
        return digest(campaign.settings.seed, "order", person, f"{items[row.item_id].item_key}\n{label(row)}")

    def rarity(row: Any) -> tuple[int, int]:
        same = [
            one.person_id
            for one in given
            if one.state in {"leased", "rated"} and label(units[one.unit_id]) == label(row)
        ]
        return len(same), same.count(person)

    if campaign.protocol.paired:
        block = [row for row in free if row.item_id in begun]
        new = [
            (one.starters, digest(campaign.settings.seed, "order", person, one.item_key), one.id)
            for one in items.values()
            if one.role == "main" and one.starters < wanted[one.id] and one.id not in begun
        ]
        firsts = [[row for row in free if row.item_id == item] for _, _, item in sorted(new)]
        for some in (block, *firsts):
            if some:
                return min(some, key=lot).id, left
        lately = now - campaign.settings.lease_minutes * 60_000
        busy = {
            one.item_id for one in given if one.state == "leased" or (one.state == "rated" and one.rated_at > lately)
        }
        free = [row for row in free if row.item_id not in busy]
    known = {row.item_id for row in own}
    return min(((row.item_id in known, row.load, *rarity(row), lot(row), row.id) for row in free), default=(None,))[
        -1
    ], left


def due_and_taken(
    database: Database, made: str, person: str
) -> tuple[tuple[str | None, int], Lease | NothingLeft, tuple[int, int]]:
    """Return what a person is due, what the person is given, and the progress that is told, at one time."""
    now = database.now()

    def action(
        connection: Connection,
    ) -> tuple[tuple[str | None, int], Lease | NothingLeft, tuple[int, int]]:
        campaign = find_campaign(connection, made)
        release_expired(connection, campaign, now)
        wanted = due(connection, campaign, person, now)
        counted = progress_of(connection, campaign, person)
        return wanted, take(connection, campaign, person, now), counted

    return database.write(action)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(PEOPLE[:3]), st.sampled_from(["rate", "rate", "skip", "look", "late"])), max_size=40
    ),
    overlap=st.sampled_from([0.0, 0.5, 1.0]),
    paired=st.booleans(),
    protocol=st.sampled_from(["spoken", "arena"]),
    seed=st.integers(0, 99),
)
def test_queries_find_what_the_rules_say_of_all_rows(
    *, steps: list[tuple[str, str]], overlap: float, paired: bool, protocol: str, seed: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        with open_database(Path(folder), clock=clock, durable=False) as database:
            material = made_material(items=4)
            made = made_campaign(
                database,
                protocol,
                material=material,
                per_item=2,
                overlap=overlap,
                onboarding=(),
                paired=paired,
                seed=seed,
            )
            with database.reading() as connection:
                opinion = by_length(find_campaign(connection, made))
            for person in PEOPLE[:3]:
                Volunteer(database, made, person).join()
            for person, what in steps:
                if what == "late":
                    clock.pass_by(seconds=61 * 60)
                (unit, left), lease, counted = due_and_taken(database, made, person)
                assert counted[1] == left
                assert (lease.unit if isinstance(lease, Lease) else None) == unit
                if isinstance(lease, Lease) and what == "skip":
                    give_back(database, made, person, lease)
                if isinstance(lease, Lease) and what == "rate":
                    view = Volunteer(database, made, person).look()
                    assert view.item is not None
                    points = opinion(view.item)
                    Volunteer(database, made, person).say(
                        lease.assignment, points, reason="facts" if BETTER in points else ""
                    )


def steps_of_a_look(folder: Path, items: int) -> int:
    """Return the steps that SQLite takes for a look at what somebody has leased, in hundreds."""
    folder.mkdir()
    with open_database(folder, clock=Clock(), durable=False) as database:
        made = made_campaign(database, material=made_material(items=items), onboarding=(), per_item=3)
        ann = Volunteer(database, made, "ann")
        ann.look()
        steps = 0

        def count() -> int:
            nonlocal steps
            steps += 1
            return 0

        def look(connection: Connection) -> None:
            driver: Any = connection.connection.driver_connection
            driver.set_progress_handler(count, 100)
            volunteer_view(connection, ann.campaign(connection), "ann", database.now())
            driver.set_progress_handler(None, 100)

        database.write(look)
        return steps


def test_a_look_goes_through_no_item_of_the_campaign(tmp_path: Path) -> None:
    few, many = (steps_of_a_look(tmp_path / str(items), items) for items in (50, 850))
    assert 100 * (many - few) / (3 * 800) < 15, "steps for each unit more: they are counted in an index"
