"""Suggestions before a person begins: what a system found, a result file says, or an annotated file holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select, update

from duologue.arena.annotation.items import items_of, items_of_annotation, pack
from duologue.arena.annotation.projects import annotatable, read_dialogue
from duologue.arena.annotation.sheets import bare
from duologue.arena.annotation.tables import annotation_dialogues
from duologue.core.errors import FormatError, UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Example, Sample
from duologue.run.predict import answer_all
from duologue.run.systems import open_system

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sqlalchemy import Connection

    from duologue.arena.annotation.items import AnnotationItem
    from duologue.arena.annotation.projects import AnnotationProject
    from duologue.arena.database.database import Database
    from duologue.core.protocols import Progress
    from duologue.core.records import Answer, Dialogue


class Suggested(NamedTuple):
    """What came of suggesting."""

    dialogues: int
    items: int
    lacking: int
    """Dialogues of the project that nothing is suggested for, as the source does not have them."""


def dialogues_of(connection: Connection, project: AnnotationProject) -> list[Dialogue]:
    """Return the dialogues of a project without annotation, in their order."""
    at = annotation_dialogues.c
    query = select(at.content).where(at.project_id == project.id).order_by(at.position)
    return [bare(read_dialogue(content)) for content in connection.execute(query).scalars()]


def suggest_by_system(
    database: Database,
    project: AnnotationProject,
    name: str,
    recipe: Path | None = None,
    overrides: Sequence[str] = (),
    *,
    seed: int = 1,
    progress: Progress | None = None,
) -> Suggested:
    """Let a registered system, or the model in a folder, annotate all dialogues; it sees the bare words alone.

    Raises as `open_system` does.
    """
    task = load_task(project.task)
    system = open_system(task, name, recipe, overrides)
    system.prepare(task.info, seed, {})
    with database.reading() as connection:
        dialogues = dialogues_of(connection, project)
    examples = [Example(sample=Sample(id=one.id, dialogue_id=one.id, history=one.turns)) for one in dialogues]
    answers = dict(answer_all(task, system, examples, progress=progress))
    return _suggest_answers(database, project, dialogues, answers, name)


def suggest_by_result(database: Database, project: AnnotationProject, path: Path) -> Suggested:
    """Take suggestions from a result file. Raises `FormatError` with what the task's check finds in it."""
    task = load_task(project.task)
    with database.reading() as connection:
        dialogues = dialogues_of(connection, project)
    examples = [
        Example(sample=Sample(id=one.id, dialogue_id=one.id, history=one.turns), source=one.source) for one in dialogues
    ]
    submission = task.read(path)
    problems = task.check(submission, None, task.info.variants[0])
    if any(one.severity == "error" for one in problems):
        raise FormatError(path, problems)
    answers = dict(task.answers(submission, examples))
    if not any(one.id in answers for one in dialogues):
        raise UsageError(f"{path} has none of the dialogues of '{project.name}'; run the system on these dialogues")
    return _suggest_answers(database, project, dialogues, answers, path.name)


def suggest_by_annotation(database: Database, project: AnnotationProject, path: Path) -> Suggested:
    """Take the annotation of an official file, intents included, as suggestions."""
    found = {one.id: one for one in annotatable(project.task).read_annotated(path)}
    with database.reading() as connection:
        dialogues = dialogues_of(connection, project)
    made = {}
    for one in dialogues:
        other = found.get(one.id)
        if other is not None and [turn.text for turn in other.turns] == [turn.text for turn in one.turns]:
            made[one.id] = items_of(other, "s", confirmed=False)
    if not made:
        raise UsageError(f"{path} has none of the dialogues of '{project.name}' in the same words")
    return _store(database, project, made, path.name)


def _suggest_answers(
    database: Database, project: AnnotationProject, dialogues: Sequence[Dialogue], answers: Mapping[str, Answer],
    source: str,
) -> Suggested:  # fmt: skip
    made = {}
    for one in dialogues:
        answer = answers.get(one.id)
        if answer is not None and answer.annotation is not None:
            made[one.id] = items_of_annotation(answer.annotation, one, "s")
    return _store(database, project, made, source)


def _store(
    database: Database, project: AnnotationProject, made: Mapping[str, Sequence[AnnotationItem]], source: str
) -> Suggested:
    def action(connection: Connection) -> int:
        at = annotation_dialogues.c
        for name, items in made.items():
            there = (at.project_id == project.id) & (at.name == name)
            values = {"suggested": pack(items), "suggested_by": source}
            connection.execute(update(annotation_dialogues).where(there).values(values))
        return len(connection.execute(select(at.id).where(at.project_id == project.id)).all())

    total = database.write(action)
    return Suggested(len(made), sum(map(len, made.values())), total - len(made))
