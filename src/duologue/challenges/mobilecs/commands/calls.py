"""`duologue data import calls`: a team's own transcripts as bare MobileCS dialogues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

REPORT = ".personal-data.toml"
"""End of the name of the report beside the dialogues."""


@click.command()
@click.argument("files", type=options.PATH, nargs=-1, required=True)
@click.option("--out", type=options.OUT_FILE, required=True, help="The file of dialogues to write.")
@options.force_option
@click.option(
    "--staff", multiple=True, metavar="NAME", help="What FILES call the staff; may be repeated; default: 客服, agent..."
)
@click.option(
    "--encoding", default="utf-8", metavar="NAME", help="Encoding of FILES that are not UTF-8, such as gb18030."
)
@click.option(
    "--keep-personal-data", is_flag=True, help="Keep names, numbers and addresses as they stand in the files."
)
@options.quiet_option
@options.json_option
def calls(
    *,
    files: tuple[Path, ...],
    out: Path,
    staff: tuple[str, ...],
    encoding: str,
    keep_personal_data: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Import FILES of transcripts of calls, staff and customer, as bare MobileCS dialogues in one file.

    Of a folder, or an archive (.zip, .tar, .tar.gz), all that lies in it and ends as transcripts do is read.

    Text has `speaker: utterance` lines and an empty line between calls, or lines with a speaker and a time above what
    is said; tables (.csv, .tsv) have columns such as call, speaker and text, or call, agent and customer, parted by
    commas, semicolons, tabs or bars; JSON (.json, .jsonl) has calls with turns `[speaker, text]` or objects with both,
    or rows as in tables; subtitles (.srt, .vtt) are a call each, with `<v Agent>` or `Agent:` in the cues. Personal
    data become placeholders first. The file is for its owner alone; `duologue run mobilecs/extraction` takes it.

    \b
    Examples:
      duologue data import calls calls.txt --out calls.json
      duologue data import calls crm-export.csv --encoding gb18030 --out calls.json --json
      duologue data import calls march.csv april.csv --staff Anna --staff Ben --out calls.json
      duologue data import calls subtitles --out calls.json
      duologue data import calls march.zip --out calls.json
    """
    import tomli_w

    from duologue.challenges.mobilecs.formats.files import dump
    from duologue.challenges.mobilecs.formats.imported_calls import import_calls
    from duologue.challenges.mobilecs.formats.transcript_files import transcript_files
    from duologue.core import disk

    report = out.with_name(out.name.removesuffix(".gz").removesuffix(".json") + REPORT)
    if not keep_personal_data:
        options.demand_absent(report)
    transcripts = transcript_files(files, out)
    with options.progress_bar(quiet=quiet) as progress:
        found = import_calls(
            transcripts, staff, keep_personal_data=keep_personal_data, encoding=encoding, progress=progress
        )
    disk.write_bytes(out, dump(found.rows), private=True)
    turns = sum(len(row["content"]) for row in found.rows)
    if found.replaced is not None:
        named = {"files": [path.name for path in files], **found.replaced.as_dict()}
        disk.write_text(disk.regular(report), tomli_w.dumps(named), private=True)
    if as_json:
        replaced = None if found.replaced is None else found.replaced.as_dict()
        console.as_json({"file": str(out), "calls": len(found.rows), "turns": turns, "personal_data": replaced})
        return
    console.line(f"{amount(len(found.rows), 'call')} with {amount(turns, 'turn')} in {out}")
    if found.replaced is None:
        console.line("personal data was kept, as --keep-personal-data says: the file is for its owner alone")
        return
    console.text(found.replaced.told())
    console.line(f"  told in {report}")
