"""Export of finished annotation in the official form of the task."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.arena.annotation.adjudication import merge
from duologue.arena.annotation.items import annotated
from duologue.arena.annotation.projects import annotatable
from duologue.arena.annotation.sheets import all_work, check_items
from duologue.core.errors import FormatError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.annotation.projects import AnnotationProject
    from duologue.arena.annotation.sheets import DialogueWork, Sheet
    from duologue.arena.database.database import Database
    from duologue.core.records import Dialogue


class Exported(NamedTuple):
    """What was written, by how it was decided, and what was not."""

    adjudicated: int
    agreed: int
    """Several people annotated it, and marked the same."""
    single: int
    disputed: tuple[str, ...]
    """Left out: several people differ and nobody has decided."""
    unfinished: tuple[str, ...]
    """Left out: nobody has finished."""

    @property
    def written(self) -> int:
        """How many dialogues the file has."""
        return self.adjudicated + self.agreed + self.single


def export(database: Database, project: AnnotationProject, path: Path, *, person: str | None = None) -> Exported:
    """Write finished dialogues: as adjudicated, as all annotators agree, or as the only one says; or one person's.

    Raises `UsageError` where nothing is finished, and `FormatError` with what the task's check finds.
    """
    with database.reading() as connection:
        work = all_work(connection, project)
    made: list[Dialogue] = []
    ways = {"adjudicated": 0, "agreed": 0, "single": 0}
    left: dict[str, list[str]] = {"disputed": [], "unfinished": []}
    for one in work:
        sheet, way = _decided(one, person, project.scheme.entity_prefix)
        if sheet is None:
            left[way].append(one.name)
            continue
        ways[way] += 1
        wrong = [p.problem for p in check_items(project, one.dialogue, sheet.items) if p.problem.severity == "error"]
        if wrong:
            raise FormatError(f"dialogue '{one.name}'", wrong)
        made.append(annotated(one.dialogue, sheet.items))
    if not made:
        raise UsageError(f"nothing of '{project.name}' is finished; `duologue annotate status {project.name}`")
    annotatable(project.task).write_annotated(made, path)
    return Exported(**ways, disputed=tuple(left["disputed"]), unfinished=tuple(left["unfinished"]))


def _decided(one: DialogueWork, person: str | None, prefix: str) -> tuple[Sheet | None, str]:
    """Return the sheet that holds and by which way, or none and why not."""
    if person is not None:
        own = [sheet for sheet in one.sheets if sheet.person_id == person and sheet.status == "done"]
        return (own[0], "single") if own else (None, "unfinished")
    final, several = one.done("adjudicator"), one.done()
    if final:
        return final[0], "adjudicated"
    if not several:
        return None, "unfinished"
    if len(several) == 1:
        return several[0], "single"
    same = all(item.confirmed for item in merge([sheet.items for sheet in several], prefix))
    return (several[0], "agreed") if same else (None, "disputed")
