"""Annotation: projects, their progress and figures, and what waits for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from duologue.arena.annotation.adjudication import adjudicate, disputed
from duologue.arena.annotation.agreement import annotator_agreement
from duologue.arena.annotation.leases import next_sheet
from duologue.arena.annotation.measures import measure
from duologue.arena.annotation.progress import progress_of
from duologue.arena.annotation.projects import find_project, list_projects, members, projects_of
from duologue.arena.annotation.sheets import all_work
from duologue.arena.people.people import list_people
from duologue.site.area import Area, route
from duologue.site.navigation import NavigationEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection
    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.arena.annotation.projects import AnnotationProject
    from duologue.site.visit import Visit

WORKERS = ("annotator", "organiser")


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/annotate", show_projects, *WORKERS),
        route("/annotate/{project}", show_project, *WORKERS),
        route("/annotate/{project}/next", give_next, *WORKERS, methods=("POST",)),
        route("/annotate/{project}/adjudicate", begin_adjudication, *WORKERS, methods=("POST",)),
        route("/annotate/{project}/results", show_results, "organiser"),
    ]


async def show_projects(visit: Visit) -> Response:
    """Show the projects that somebody has a part in; organisers see all."""
    organiser = visit.me.may("organiser")
    found = await visit.read(list_projects) if organiser else await visit.read(projects_of, visit.me.id)
    return visit.page("annotate/projects.html", title=visit.t("annotate.title"), projects=found)


async def show_project(visit: Visit) -> Response:
    """Show what waits for a person, what they have done, and to organisers who has done what."""

    def read(connection: Connection) -> dict[str, Any]:
        project = find_project(connection, visit.at("project"))
        parts, work = members(connection, project), all_work(connection, project)
        return {
            "project": project,
            "part": parts.get(visit.me.id),
            "progress": progress_of(work, parts),
            "mine": [(one, s) for one in work for s in one.sheets if s.person_id == visit.me.id],
            "disputed": disputed(work) if parts.get(visit.me.id) == "adjudicator" or visit.me.may("organiser") else [],
            "names": {one.id: one.name for one in list_people(connection)},
            "everything": work if visit.me.may("organiser") else [],
        }

    found = await visit.read(read)
    if found["part"] is None and not visit.me.may("organiser"):
        return visit.redirect("/annotate", said="annotate.no_part")
    return visit.page("annotate/project.html", title=found["project"].name, **found)


async def give_next(visit: Visit) -> Response:
    """Lead to the dialogue that somebody goes on with, or gets now."""
    await visit.form()
    project = await visit.read(find_project, visit.at("project"))
    sheet = await run_in_threadpool(next_sheet, visit.database, project, visit.me.id)
    if sheet is None:
        return visit.redirect(f"/annotate/{project.name}", said="annotate.nothing_left")
    return visit.redirect(f"/sheets/{sheet}")


async def begin_adjudication(visit: Visit) -> Response:
    """Lead to the sheet on which somebody decides."""
    form = await visit.form()
    name = form.text("dialogue", limit=500)
    project = await visit.read(find_project, visit.at("project"))
    sheet = await run_in_threadpool(adjudicate, visit.database, project, name, visit.me.id)
    return visit.redirect(f"/sheets/{sheet}")


async def show_results(visit: Visit) -> Response:
    """Show what suggestions do to annotators, and how well these agree."""

    def read(connection: Connection) -> dict[str, Any]:
        project: AnnotationProject = find_project(connection, visit.at("project"))
        work = all_work(connection, project)
        return {"project": project, "measures": measure(work), "agreement": annotator_agreement(work)}

    found = await visit.read(read)
    return visit.page("annotate/results.html", title=visit.t("annotate.results"), **found)


AREA = Area("annotate", routes, (NavigationEntry("/annotate", "annotate.title", WORKERS),))
