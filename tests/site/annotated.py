"""An annotation project on a site: suggestions in sight, two opinions of one dialogue, a version saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from tests.arena.annotation.calls import bare_rows, read, rows, write

from duologue.arena.annotation.items import items_of, pack
from duologue.arena.annotation.leases import next_sheet
from duologue.arena.annotation.projects import add_members, import_dialogues, new_project
from duologue.arena.annotation.sheets import find_sheet, record_sheet, save_sheet
from duologue.arena.annotation.suggestions import suggest_by_annotation

if TYPE_CHECKING:
    from typing import Any

    from tests.site.world import World


def annotation_project(world: World, given: list[dict[str, Any]] | None = None) -> tuple[str, str]:
    """Return the name of a project and the sheet of the site's annotator, with suggestions that wait."""
    given = given or rows(3)
    folder = world.workspace
    made = new_project(world.database, "calls", "mobilecs/extraction", unassisted=0, overlap=0)
    import_dialogues(world.database, made, read(write(bare_rows(given), folder / "bare.json")))
    annotated = write(given, folder / "annotated.json")
    suggest_by_annotation(world.database, made, annotated)
    people = [world.ids["annotator"], world.add("Ben", "annotator"), world.add("Cleo", "annotator")]
    add_members(world.database, made, people, "annotator")
    for one in read(annotated)[2:]:
        items = items_of(one, "i", confirmed=True)
        record_sheet(world.database, made, people[1], one, items)
        other = next(item for item in items if item.layer == "intent")
        differing = [msgspec.structs.replace(item, label="其他") if item is other else item for item in items]
        record_sheet(world.database, made, people[2], one, differing)
    sheet = next_sheet(world.database, made, people[0])
    assert sheet is not None
    with world.database.reading() as connection:
        shown = find_sheet(connection, sheet).sheet.items
    decided = [msgspec.structs.replace(one, confirmed=number % 2 == 0) for number, one in enumerate(shown)]
    save_sheet(world.database, sheet, people[0], 0, pack(decided))
    return made.name, sheet
