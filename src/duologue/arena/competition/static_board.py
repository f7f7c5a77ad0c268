"""A track's board as a folder of pages that open from the disk: one of all phases, and the full board of each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlalchemy import select

from duologue.arena.competition.entry_view import board_to_json
from duologue.arena.competition.tables import phase_boards
from duologue.arena.competition.track_board import board_for
from duologue.core.disk import write_bytes, write_text
from duologue.core.own_files import own_files
from duologue.core.version import __version__
from duologue.report.html import template

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.competition.track_board import TrackBoard, Viewer
    from duologue.arena.competition.track_file import TrackDefinition
    from duologue.arena.database.blobs import Blobs
    from duologue.arena.database.database import Database


def export_board(database: Database, blobs: Blobs, track: TrackDefinition, viewer: Viewer, out: Path) -> list[Path]:
    """Write the board as a viewer may see it into a folder, and return the files: pages, and the same as JSON.

    Raises `UsageError` where one of these names is a file that was not exported so.
    """
    with database.reading() as connection:
        board = board_for(connection, track, viewer, database.now())
        kept = {
            row.phase: row.page_sha256
            for row in connection.execute(select(phase_boards).where(phase_boards.c.track == track.name))
        }
    pages = {column.phase.name: kept[column.phase.name] for column in board.columns if column.board is not None}
    links = {phase: f"{phase}.html" for phase in pages}
    index, as_json = out / "index.html", out / "board.json"
    written = [*(out / name for name in links.values()), index, as_json]
    with own_files(out, written):
        for phase, sha256 in pages.items():
            write_bytes(out / links[phase], blobs.read(sha256))
        write_text(index, board_page(track, board, links))
        write_text(as_json, json.dumps(board_to_json(board), ensure_ascii=False, indent=1) + "\n")
    return written


def board_page(track: TrackDefinition, board: TrackBoard, links: dict[str, str]) -> str:
    """Return the page of all phases; `links` leads from phases to their own pages."""
    return template("track.html.j2").render(
        title=" · ".join(filter(None, (track.title, track.title_zh))),
        track=track,
        board=board,
        links=links,
        version=__version__,
        seed=1,
    )
