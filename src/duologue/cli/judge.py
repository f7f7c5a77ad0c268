"""`duologue judge`: a chat model rates what systems answered, and is tested itself."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from duologue.cli.forecast import tell_forecast
from duologue.core.disk import read_bytes, write_text
from duologue.core.errors import UsageError
from duologue.core.locks import writing_file
from duologue.core.plugins import load_task
from duologue.endpoints.account import summary_lines
from duologue.endpoints.settings import BY_HAND
from duologue.judges.against_people import demand_alike, summary_of
from duologue.judges.judge_texts import load_texts
from duologue.judges.note import calls_path, note_path, write_note, wrote
from duologue.judges.recipe import JudgeRecipe
from duologue.judges.report_lines import report_lines
from duologue.judges.results import JudgedFiles
from duologue.judges.session import JudgeSession
from duologue.judges.sheet import sheet_text
from duologue.ratings.files import read_ratings
from duologue.ratings.protocol import find_protocol
from duologue.ratings.rows import ratings_text
from duologue.report.ratings import ratings_to_json, render_ratings
from duologue.run.forecast import RunForecast
from duologue.run.systems import recipe_with
from duologue.terminal import console, options

_LABELS = 60
_UNREAD = "of the judge of which something could not be read; that is left out"


@click.command(cls=options.ResumableCommand)
@options.task_argument
@click.argument("results", type=options.PATH, nargs=-1, required=True, metavar="RESULT...")
@click.option("--gold", type=options.PATH, multiple=True, help="A truth file with the contexts; may be repeated.")
@click.option("--input", "data", type=options.PATH, default=None, help="The data file that was answered.")
@options.kb_option("spoken")
@click.option("--pairs", is_flag=True, help="Which of two RESULTs is better, in both orders, instead of points.")
@click.option("--whole", is_flag=True, help="Each RESULT holds whole dialogues (`duologue simulate --out`).")
@click.option("--name", "names", multiple=True, help="What a RESULT's system is called; once for each, in their order.")
@click.option("--protocol", "word", default=None, help="Criteria: a protocol's name, or FILE.toml (ratings protocols).")
@click.option("--people", type=options.PATH, default=None, help="Human ratings of some: kappa, and PPI++ beside both.")
@click.option("--n", type=options.CountNumber(min=1), default=None, help="Judge so many items, drawn by the seed.")
@click.option("--out", type=options.OUT_OWN_FILE, required=True, help="The ratings: .csv, .tsv or .jsonl.")
@click.option(
    "--sheet", type=options.OUT_OWN_FILE, default=None, help="Write a CSV that people fill in: answers by lot."
)
@options.force_option
@click.option(
    "--labels", type=options.CountNumber(min=1), default=None, help=f"Answers on the --sheet.  [default: {_LABELS}]"
)
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and ask and write nothing.")
@options.seed_option
@options.recipe_file_option
@options.set_option
@options.json_option
@options.quiet_option
def judge(
    *,
    task: str,
    results: tuple[Path, ...],
    gold: tuple[Path, ...],
    data: Path | None,
    kb: Path | None,
    pairs: bool,
    whole: bool,
    names: tuple[str, ...],
    word: str | None,
    people: Path | None,
    n: int | None,
    out: Path,
    sheet: Path | None,
    labels: int | None,
    dry_run: bool,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Let a chat model rate the replies of RESULT files of TASK by the challenge's own criteria, and test the judge.

    The model is any behind an OpenAI-compatible server (--set url=... --set model=...). Its ratings are a file that
    `duologue ratings score` reads. Beside it stand a recording of all calls (FILE.calls.jsonl: a stopped run goes on
    from there) and a note (FILE.judge.json) that `duologue verify` proves without the endpoint. Points that cannot be
    read are left out and counted. Some items are judged again, and some with a request for points in the reply.

    \b
    Examples:
      duologue judge spoken P.json --gold T.json --set url=http://127.0.0.1:8080/v1 --set model=M --out J.csv
      duologue judge spoken P.json --gold T.json --people H.csv --recipe judge.toml --set url=URL --out J.csv
      duologue judge conversation A.txt B.txt --gold T.txt --pairs --recipe judge.toml --set url=URL --out J.csv
      duologue judge proactive DIALOGUES.jsonl --whole --recipe judge.toml --set url=URL --out J.jsonl
    """
    if labels is not None and sheet is None:
        raise UsageError(f"--labels {labels} says how many answers stand on a sheet; name its file: --sheet FILE.csv")
    loaded = load_task(task)
    given = recipe_with(JudgeRecipe, BY_HAND, "of a judge", recipe, overrides)
    if not given.replay and not given.record:
        given = msgspec.structs.replace(given, record=str(calls_path(out)))
    rated = read_ratings(people, find_protocol(word or load_texts(loaded).texts.protocol)) if people else None
    if rated is not None:
        demand_alike(rated, pairs=pairs)
    files = JudgedFiles(results, names, gold, data, whole)
    session = JudgeSession(
        loaded, files, given, find_protocol(word) if word else None,
        kind="pairs" if pairs else "points", n=n or 0, world=options.world_of(loaded, kb), seed=seed,
    )  # fmt: skip
    filled = sheet_text(session, labels or _LABELS) if sheet is not None else ""
    ratings_text([], out)  # a name of another form is refused before anything is asked
    if dry_run:
        _tell_forecast(session, as_json=as_json)
        return
    _keep_files(out)
    if sheet is not None:
        _write_sheet(sheet, filled)
    with writing_file(out), options.progress_bar(quiet=quiet) as progress:
        judged = session.run(progress)
        write_text(out, ratings_text([*judged.ratings, *judged.preferences], out))
        calls = Path(given.replay or given.record)
        note = write_note(out, session, judged, task=loaded.info, files=files, kb=kb, n=n or 0, calls=calls)
    summary = summary_of(judged, session.protocol, rated)
    if as_json:
        told = {"judge": msgspec.to_builtins(note), "summary": ratings_to_json(summary) if summary else None}
        console.as_json(told)
        return
    if summary is not None:
        console.show(render_ratings(summary))
    for line in report_lines(judged.report, session, people=people is not None):
        console.line(line)
    for line in summary_lines(judged.usage, len(session.calls), unread=_UNREAD):
        console.line(line)
    console.line(f"ratings in {out}, recording in {calls}, note in {note_path(out)}")


def _keep_files(out: Path) -> None:
    """Raise `UsageError` where no session of a judge wrote the ratings that are there, or the note."""
    if not wrote(out):
        options.demand_absent(out)
        options.demand_absent(note_path(out))


def _write_sheet(sheet: Path, filled: str) -> None:
    """Write a sheet; one that is there already, and that people may have filled in, stays."""
    if not (sheet.is_file() and read_bytes(sheet) == filled.encode()):
        options.demand_absent(sheet, "--sheet")
        write_text(sheet, filled)


def _tell_forecast(session: JudgeSession, *, as_json: bool) -> None:
    items = sum(len(one) for one in session.systems.values()) // (2 if session.kind == "pairs" else 1)
    tell_forecast(RunForecast(items, session.forecast(), 1), as_json=as_json)
