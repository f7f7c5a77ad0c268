"""`duologue ratings`: what people and judges said of systems, and how many of them it takes."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from duologue.cli.lazy_group import LazyGroup
from duologue.core.amounts import amount
from duologue.core.disk import write_text
from duologue.core.errors import UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

_COMMANDS = {
    "Commands": {
        "score": ("duologue.cli.ratings:score", "Rank systems by ratings, with agreement, intervals and tests."),
        "plan": ("duologue.cli.ratings:plan", "Tell how many raters and items a difference takes."),
        "protocols": ("duologue.cli.ratings:list_protocols", "Show the challenges' criteria, scales and rules."),
    }
}

_LIMIT = 1_000.0
"""Points, at most, of differences and spreads."""
_REST = 1.0
"""Spread of one rater on one item, where none is given."""


@click.group(cls=LazyGroup, sections=_COMMANDS, prefix="ratings.")
def ratings() -> None:
    """Score systems by what people, or a judge beside people, said of them; plan how many it takes.

    \b
    Examples:
      duologue ratings protocols
      duologue ratings score people.csv --protocol proactive
      duologue ratings score people.csv --protocol spoken --judge judge.csv --out ratings.html
      duologue ratings plan --raters 10 --items 60 --pilot people.csv --protocol proactive
    """


_protocol_option = click.option(
    "--protocol", "word", required=True, help="A protocol's name (`duologue ratings protocols`), or your own FILE.toml."
)


@click.command()
@click.argument("file", type=options.PATH, metavar="RATINGS")
@_protocol_option
@click.option("--judge", type=options.PATH, default=None, help="A judge's scores of the same and more answers.")
@click.option("--automatic", type=options.PATH, default=None, help="A table system,score for the final rank.")
@click.option("--out", type=options.OUT_PAGE, default=None, help="Write this HTML page, in English and Chinese.")
@click.option("--title", default="Duologue", show_default=True, help="Heading of the page.")
@options.json_option
def score(
    *, file: Path, word: str, judge: Path | None, automatic: Path | None, out: Path | None, title: str, as_json: bool
) -> None:
    """Rank systems by a file of RATINGS: agreement by criterion, means with intervals, tests of all pairs, tiers.

    The file is CSV, TSV or JSON lines: item,system,rater,criterion,value; or item,system,rater and a column for each
    criterion; or, for pairwise judgements, item,system_a,system_b,rater,winner. Systems that answered the same item
    share its name. Intervals take both items and raters for samples. With --judge, PPI++ joins a judge's scores of
    many answers with people's of some, which must be drawn at random.

    \b
    Examples:
      duologue ratings score people.csv --protocol proactive
      duologue ratings score people.csv --protocol mobilecs --automatic scores.csv --json
      duologue ratings score people.csv --protocol spoken --judge judge.jsonl --out ratings.html
    """
    from duologue.ratings.files import read_ratings, read_system_scores
    from duologue.ratings.protocol import find_protocol
    from duologue.ratings.summary import summarise
    from duologue.report.ratings import ratings_page, ratings_to_json, render_ratings

    if out is None:
        options.refuse("without --out no page is written", "title")
    protocol = find_protocol(word)
    people = read_ratings(file, protocol)
    machine = read_ratings(judge, protocol, judge=True) if judge is not None else None
    if people.preferences and (machine is not None or automatic is not None):
        raise UsageError("the file holds pairwise judgements; --judge and --automatic go with ratings on a scale")
    if machine is not None and machine.preferences:
        raise UsageError(f"{judge} holds pairwise judgements; --judge takes scores on the protocol's scale")
    scores = read_system_scores(automatic) if automatic is not None else None
    found = summarise(people, protocol, judge=machine, automatic=scores)
    if out is not None:
        write_text(out, ratings_page(found, title=title, commands=[shlex.join(["duologue", *sys.argv[1:]])]))
    if as_json:
        console.as_json(ratings_to_json(found))
    else:
        console.show(render_ratings(found))


@click.command()
@options.count_option("--raters", "Raters in all.", required=True)
@options.count_option("--items", "Items; left out: as many as the difference takes.")
@options.count_option("--per-item", "Raters of each item.  [default: all]")
@options.count_option("--systems", "Systems; each rater of an item rates all of them.", default=2, least=2)
@options.amount_option(
    "--difference", "Smallest true difference to be found, in points; left out: it is told.", limit=_LIMIT
)
@click.option("--pilot", type=options.PATH, default=None, help="Ratings that tell the spreads (with --protocol).")
@click.option("--protocol", "word", default=None, help="The protocol of the pilot.")
@options.amount_option(
    "--item-spread", "Standard deviation of the difference between items.", default=0.6, limit=_LIMIT
)
@options.amount_option("--rater-spread", "The same between raters: their tastes.", default=0.3, limit=_LIMIT)
@options.amount_option(
    "--rest-spread",
    "The same of one rater on one item, beside these.  [default: 1; pairs: that of chance]",
    limit=_LIMIT,
)
@click.option("--pairs", is_flag=True, help="Votes on pairs (arena): spreads are in logits then.")
@click.option(
    "--win-share", type=options.FiniteRange(0.5, 0.99), default=None, help="Pairs: the least share of wins to be found."
)
@click.option(
    "--ties", type=options.FiniteRange(0, 0.95), default=None, help="Pairs: the share of ties.  [default: 0.15]"
)
@options.seed_option
@options.json_option
def plan(
    *,
    raters: int,
    items: int | None,
    per_item: int | None,
    systems: int,
    difference: float | None,
    pilot: Path | None,
    word: str | None,
    item_spread: float,
    rater_spread: float,
    rest_spread: float | None,
    pairs: bool,
    win_share: float | None,
    ties: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Tell how many raters and items a difference takes, or what a plan finds: the power of the very test of `score`.

    Differences and spreads are of the total of two systems, rated by the same person on the same item. Without
    a pilot the spreads are assumptions. Power is simulated. With --pairs raters say which of two is better: what is
    found is a share of wins of one system against another, ties counted half.

    \b
    Examples:
      duologue ratings plan --raters 10 --items 60 --per-item 3
      duologue ratings plan --raters 10 --per-item 3 --difference 0.4
      duologue campaign plan --raters 10 --per-item 3 --difference 0.4
      duologue campaign plan --pairs --raters 10 --per-item 1 --systems 4 --win-share 0.6
      duologue ratings plan --raters 20 --items 100 --per-item 2 --difference 0.3 --pilot pilot.csv --protocol spoken
    """
    from duologue.ratings.files import read_ratings
    from duologue.ratings.plan import (
        Design,
        Spread,
        expect_design,
        items_for,
        least_difference,
        max_items,
        pilot_spread,
        power,
    )
    from duologue.ratings.protocol import find_protocol
    from duologue.ratings.sample_size import POWER
    from duologue.ratings.table import RatingTable

    _expect_kind(pairs=pairs, of_pairs=(win_share, ties), of_points=(difference, pilot, word, rest_spread))
    if pairs:
        from duologue.cli.pair_plan import plan_pairs

        shares = (win_share, 0.15 if ties is None else ties)
        spreads = (item_spread, rater_spread)
        plan_pairs(raters, items, per_item or raters, systems, shares, spreads, seed=seed, as_json=as_json)
        return
    if items is None and difference is None:
        raise UsageError("give --items, or the --difference that is to be found")
    if (pilot is None) != (word is None):
        raise UsageError("--pilot and --protocol go together")
    spread = Spread(item_spread, rater_spread, _REST if rest_spread is None else rest_spread)
    if pilot is not None and word is not None:
        options.refuse("the pilot tells the spreads", "item_spread", "rater_spread", "rest_spread")
        protocol = find_protocol(word)
        read = read_ratings(pilot, protocol)
        spread = pilot_spread(RatingTable.of(read.ratings, [one.name for one in protocol.criterion]))
    if not any(spread):
        raise UsageError("all spreads are 0: any difference would be found at once")
    design = Design(raters, items or 5, per_item or raters, systems)
    expect_design(design)
    told: dict[str, object] = {"spread": spread._asdict(), "measured": pilot is not None}
    if items is None and difference is not None:
        needed = items_for(design, spread, difference, seed=seed)
        told |= {"items": needed, "difference": difference, "wanted_power": POWER}
        design = design._replace(items=needed) if needed else design
        said = (
            f"{amount(needed, 'item finds', 'items find')} a difference of {difference:g} with a chance of {POWER:.0%}."
            if needed
            else f"No number of items up to {max_items(design):,} finds a difference of {difference:g}: it is small "
            f"for what items and the tastes of {raters} raters differ."
        )
    elif difference is not None:
        found = power(design, spread, difference, seed=seed)
        told |= {"items": items, "difference": difference, "power": found}
        said = f"A difference of {difference:g} is found with a chance of {found:.0%}."
    else:
        least = least_difference(design, spread, seed=seed)
        told |= {"items": items, "difference": least, "wanted_power": POWER}
        said = f"A difference of {least:.3f} is found with a chance of {POWER:.0%}."
    told |= {"raters": raters, "per_item": design.per_item, "systems": systems, "judgements": design.judgements}
    if as_json:
        console.as_json(told)
        return
    if told.get("items") is not None:
        console.line(
            f"{amount(design.items, 'item')}, each rated by {design.per_item} of {amount(raters, 'rater')}, "
            f"{amount(systems, 'system')}: {amount(design.judgements, 'rating')} of answers."
        )
    console.line(said, bold=True)
    whence = "measured in the pilot" if pilot is not None else "assumed; a --pilot would tell"
    console.line(
        f"Spreads of the difference of two systems ({whence}): items {spread.item:.3f}, raters {spread.rater:.3f}, "
        f"rest {spread.rest:.3f}. Tests of all pairs, corrected."
    )


def _expect_kind(*, pairs: bool, of_pairs: tuple[object, ...], of_points: tuple[object, ...]) -> None:
    """Raise `UsageError` for options of the other kind of ratings."""
    if pairs and any(one is not None for one in of_points):
        raise UsageError("with --pairs, leave --difference, --pilot, --protocol and --rest-spread out")
    if not pairs and any(one is not None for one in of_pairs):
        raise UsageError("--win-share and --ties go with --pairs")


@click.command(name="protocols")
@options.json_option
def list_protocols(*, as_json: bool) -> None:
    """Show the rating protocols of the challenges: criteria with their scales and anchors, and the rule that ranks.

    \b
    Examples:
      duologue ratings protocols
      duologue ratings protocols --json
    """
    import msgspec

    from duologue.ratings.protocol import protocols

    known = protocols()
    if as_json:
        console.as_json([msgspec.to_builtins(one) for one in known.values()])
        return
    for one in known.values():
        console.line(f"{one.name}: {one.about}", bold=True)
        for scale in one.criterion:
            console.line(f"  {scale.name}, {scale.low} to {scale.high}")
            for point, anchor in enumerate(scale.anchors, start=scale.low):
                console.line(f"    {point}: {anchor}")
        console.line(f"  rank: {one.rule}")
        console.line(f"  source: {one.source}", dim=True)
