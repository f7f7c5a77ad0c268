"""`duologue submit`: hand a result in for a track, here or on a site."""

from __future__ import annotations

import io
import time
import zipfile
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import click
import msgspec

from duologue.cli.track import describe_entry, opened
from duologue.core.concealment import Concealment
from duologue.core.decoded import is_whole
from duologue.core.disk import opened as opened_file
from duologue.core.disk import resolved
from duologue.core.errors import DuologueError, UsageError
from duologue.core.extras import need
from duologue.core.typed import convert, decode_json
from duologue.endpoints.plain_body import UNPACKED
from duologue.run.whole import files_below
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_TIME = (1980, 1, 1, 0, 0, 0)
"""Of files in an archive: the same files give the same bytes."""
_OPEN = ("queued", "running")
_MAX_BYTES = 64 << 20
"""Bytes of an answer of a site that are read."""


@click.command()
@click.argument("files", type=options.PATH, nargs=-1, metavar="FILE...")
@click.option("--track", "name", required=True, help="The track's name.")
@click.option("--team", default=None, help="The team; on a site the one that the token belongs to.")
@click.option("--phase", default=None, help="The phase.  [default: the one that is open]")
@click.option("--note", default="", help="A word for yourself, shown beside the entry.")
@click.option("--status", is_flag=True, help="Show your entries and hand nothing in.")
@click.option(
    "--cancel", default=None, metavar="ENTRY", help="Take an entry back that has not ended; it costs nothing."
)
@click.option(
    "--choose", default=None, metavar="ENTRY", help="Let this scored entry count, where the track lets teams choose."
)
@click.option("--wait", is_flag=True, help="Wait until it is scored, and say what came of it.")
@click.option("--site", "url", default=None, metavar="URL", help="A site, in place of the workspace's own database.")
@click.option("--token", default=None, envvar="DUOLOGUE_TOKEN", show_envvar=True, help="Your token on that site.")
@options.workspace_option
@options.database_option
@options.json_option
def submit(
    *, files: tuple[Path, ...], name: str, team: str | None, phase: str | None, note: str, status: bool,
    cancel: str | None, choose: str | None, wait: bool, url: str | None, token: str | None, workspace: Path,
    address: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Hand in FILE for a track: one result file, an archive (.zip, .tgz), or a folder, which is packed.

    It is checked by what `duologue check` does and scored by what `duologue score` does. What is refused, fails or is
    taken back costs no quota. Exit code 1, with --wait: it has no score.

    \b
    Examples:
      duologue submit result.json --track booking --team "Team A"
      duologue submit result.json --track booking --site https://dialogue.example.org --wait
      duologue submit --track booking --team "Team A" --status
    """
    if bool(files) + status + (cancel is not None) + (choose is not None) != 1:
        raise UsageError("give a FILE to hand in, or --status, --cancel ENTRY or --choose ENTRY")
    _refuse_unused(url, handed_in=bool(files))
    door: _Remote | _Local
    if url is not None:
        door = _Remote(url, token, name)
    elif team is None:
        raise UsageError("say which team hands in with --team")
    else:
        door = _Local(workspace, address, name, team)
    if files:
        made = door.submit(*_packed(files), phase, note)
        while wait and made["state"] in _OPEN:
            time.sleep(0.5)
            made = door.entry(made["id"])
        found = [made]
    else:
        found = [door.cancel(cancel)] if cancel is not None else [door.choose(choose)] if choose else door.entries()
    if as_json:
        console.as_json({"entries": found})
    else:
        _print(door, found)
    if wait and files and found[0]["state"] != "scored":
        raise click.exceptions.Exit(1)


def _refuse_unused(url: str | None, *, handed_in: bool) -> None:
    """Raise `UsageError` for options that have no part in what is asked."""
    if not handed_in:
        options.refuse("they go with a FILE to hand in", "phase", "note", "wait")
    if url is None:
        options.refuse("a token is for a site, which --site names", "token")
    else:
        options.refuse("a site knows the team by the token", "team")


def _packed(files: Sequence[Path]) -> tuple[str, bytes]:
    """Return name and bytes of what is handed in: a file as it is, else all of them in an archive."""
    if len(files) == 1 and not files[0].is_dir():
        with opened_file(files[0]) as raw:
            return files[0].name, raw.read()
    names: dict[str, Path] = {}
    for given in files:
        inside = files_below(given) if given.is_dir() else [given]
        for path in inside:
            name = path.relative_to(given).as_posix() if given.is_dir() else path.name
            if not is_whole(name):
                raise UsageError(f"{name!a} is no UTF-8, which names in an archive are; call the file otherwise")
            if name in names:
                raise UsageError(f"two files are called {name}; give them in folders of their own")
            names[name] = path
    if not names:
        raise UsageError(f"{files[0]} holds no result files")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(names.items()):
            with opened_file(path) as raw:
                archive.writestr(zipfile.ZipInfo(name, _TIME), raw.read(), zipfile.ZIP_DEFLATED)
    return f"{resolved(files[0]).name}.zip", out.getvalue()


def _print(door: _Remote | _Local, found: Sequence[dict[str, Any]]) -> None:
    for entry, told in zip(found, door.describe(found), strict=True):
        console.line(told)
        for problem in entry["problems"][:20]:
            place = f"{problem['place']}: " if problem["place"] else ""
            advice = f"; {problem['advice']}" if problem["advice"] else ""
            console.line(f"  {place}{problem['message']}{advice} [{problem['rule']}]")
        for one in (entry["summary"] or {}).get("difference", []):
            better = {"a": "better than", "b": "worse than"}.get(one["better"], "not shown to differ from")
            console.line(f"  {one['score']}: {better} your former entry")
        if entry["state"] in _OPEN:
            console.line("  it waits to be scored: by the site, or by duologue track work")
    if not found:
        console.line("there are no entries yet")


class _Local:
    """The workspace's own database."""

    def __init__(self, workspace: Path, address: str | None, track: str, team: str) -> None:
        self._place, self._track, self._team = (workspace, address), track, team

    def submit(self, name: str, data: bytes, phase: str | None, note: str) -> dict[str, Any]:
        with opened(*self._place) as (found, blobs):
            from duologue.arena.competition.entries import submit as hand_in
            from duologue.arena.competition.teams import find_team
            from duologue.arena.competition.tracks import find_track

            with found.reading() as connection:
                track, team = find_track(connection, self._track), find_team(connection, self._track, self._team)
            made = found.write(
                lambda connection: hand_in(
                    connection, blobs, track, team, name, data, found.now(), phase=phase, note=note
                )
            )
        return made._asdict()

    def entries(self) -> list[dict[str, Any]]:
        with opened(*self._place) as (found, _):
            from duologue.arena.competition.entries import entries_of
            from duologue.arena.competition.teams import find_team
            from duologue.arena.competition.tracks import find_track

            with found.reading() as connection:
                find_track(connection, self._track)
                team = find_team(connection, self._track, self._team)
                return [one._asdict() for one in entries_of(connection, self._track, team=team.id)]

    def entry(self, entry: str) -> dict[str, Any]:
        return next(one for one in self.entries() if one["id"] == entry)

    def cancel(self, entry: str) -> dict[str, Any]:
        if not any(one["id"] == entry for one in self.entries()):
            raise UsageError(f"the team '{self._team}' has no entry '{entry}'; see --status")
        with opened(*self._place) as (found, _):
            from duologue.arena.competition.entries import cancel

            if not found.write(lambda connection: cancel(connection, entry, found.now())):
                raise DuologueError(f"the entry '{entry}' has ended already; it cannot be taken back")
        return self.entry(entry)

    def choose(self, entry: str) -> dict[str, Any]:
        if not any(one["id"] == entry for one in self.entries()):
            raise UsageError(f"the team '{self._team}' has no entry '{entry}'; see --status")
        with opened(*self._place) as (found, _):
            from duologue.arena.competition.entries import choose, find_entry
            from duologue.arena.competition.tracks import find_track

            with found.reading() as connection:
                track, chosen = find_track(connection, self._track), find_entry(connection, entry)
            found.write(lambda connection: choose(connection, track, chosen, found.now()))
        return self.entry(entry)

    def describe(self, entries: Sequence[dict[str, Any]]) -> list[str]:
        with opened(*self._place) as (found, _):
            from duologue.arena.competition.entries import TrackEntry
            from duologue.arena.competition.tracks import find_track

            with found.reading() as connection:
                track = find_track(connection, self._track)
        return [describe_entry(track, TrackEntry(**one)) for one in entries]


class _Remote:
    """A site, over its API."""

    def __init__(self, url: str, token: str | None, track: str) -> None:
        need("httpx", "web")
        if not token:
            raise UsageError("a site wants your token: make one on your account's page, and give it with --token")
        if not (token.isascii() and token.isprintable()) or " " in token:
            raise UsageError("--token: a token is made of printable ASCII signs without blanks; copy it anew")
        self._url, self._track = f"{url.rstrip('/')}/api/v1", track
        self._head = {"Authorization": f"Bearer {token}"}
        self._concealment = Concealment(token, instead="[token]")

    def submit(self, name: str, data: bytes, phase: str | None, note: str) -> dict[str, Any]:
        asked = {"name": name, "note": note, **({"phase": phase} if phase else {})}
        return self._ask(_ToldEntry, "POST", f"/tracks/{self._track}/upload", params=asked, content=data)

    def entries(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask(_ToldEntries, "GET", f"/tracks/{self._track}/entries")["entries"]
        return found

    def entry(self, entry: str) -> dict[str, Any]:
        return self._ask(_ToldEntry, "GET", f"/entries/{entry}")

    def cancel(self, entry: str) -> dict[str, Any]:
        return self._ask(_ToldEntry, "POST", f"/entries/{entry}/cancel")

    def choose(self, entry: str) -> dict[str, Any]:
        return self._ask(_ToldEntry, "POST", f"/entries/{entry}/choose")

    def describe(self, entries: Sequence[dict[str, Any]]) -> list[str]:
        return [self._line(one) for one in entries]

    def _line(self, entry: dict[str, Any]) -> str:
        told = entry["summary"] if entry["value"] is not None else None
        value = f", {told['rank_by']} {entry['value']:.4f}" if told else ""
        reason = f": {entry['reason']}" if entry["reason"] else ""
        chosen = ", chosen" if entry["chosen"] else ""
        return f"{entry['id']} {entry['phase']} {entry['name']}, {entry['state']}{value}{chosen}{reason}"

    def _ask(self, kind: Any, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Return the object of a type that the site answers with. Raises `DuologueError` for anything else."""
        told = self._answer(method, path, **options)
        try:
            convert(told, kind)
        except msgspec.ValidationError as error:
            why = str(error).replace("`", "'")
            raise DuologueError(f"the site at {self._url} does not answer as it should: {why}") from error
        found: dict[str, Any] = told
        return found

    def _answer(self, method: str, path: str, **options: Any) -> Any:
        """Return decoded JSON of the site. Raises `DuologueError` where it refuses, or sends none."""
        import httpx

        body = bytearray()
        try:
            with httpx.stream(
                method, self._url + path, headers=self._head | UNPACKED, timeout=120, **options
            ) as answer:
                for piece in answer.iter_raw():
                    body += piece
                    if len(body) > _MAX_BYTES:
                        raise DuologueError(f"the site at {self._url} sends more than {_MAX_BYTES >> 20} MB")
                failed = f"{answer.status_code}" if not answer.is_success else ""
            told: Any = decode_json(bytes(body), Any)
        except httpx.InvalidURL as error:
            raise UsageError(f"--site {self._url}: {error}; give an address such as https://host") from error
        except (httpx.HTTPError, msgspec.DecodeError, ValueError) as error:
            why = self._concealment.hidden(str(error))
            raise DuologueError(f"the site at {self._url} does not answer as it should: {why}") from error
        if failed:
            said = told.get("error") if isinstance(told, dict) else None
            message = said.get("message") if isinstance(said, dict) else said
            why = self._concealment.hidden(message) if message and isinstance(message, str) else failed
            raise DuologueError(f"the site refuses: {why}")
        return told


class _ToldProblem(TypedDict):
    rule: str
    message: str
    place: str
    advice: str


class _ToldDifference(TypedDict):
    score: str
    better: str | None


class _ToldSummary(TypedDict):
    rank_by: str
    difference: NotRequired[list[_ToldDifference]]


class _ToldEntry(TypedDict):
    """What is shown of an entry; a site tells more."""

    id: str
    phase: str
    name: str
    state: str
    reason: str
    chosen: bool
    value: float | None
    summary: _ToldSummary | None
    problems: list[_ToldProblem]


class _ToldEntries(TypedDict):
    entries: list[_ToldEntry]
