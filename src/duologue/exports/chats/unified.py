"""ConvLab-3's unified data format: `dialogues.json`, by itself, in a folder or in `data.zip`; written as both.

Read are speaker and utterance of each turn, domains, split and goal description; acts, states and database results
stay in the dialogue's `source` and are written back with it. What is written without a source has the keys that
ConvLab-3 asks of every dialogue and turn, with nothing annotated. Source: README of `data/unified_datasets` there.
"""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

from duologue.core.convlab import dialogues_file
from duologue.core.disk import replacing, write_bytes
from duologue.core.records import Dialogue
from duologue.exports.chats.rows import messages_of, own_id, read_dialogues, turn_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from duologue.core.problems import ProblemCollector

_SPEAKERS = {"user": "user", "system": "system"}
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_KEPT = ("data_split", "dataset")
_ONTOLOGY: dict[str, Any] = {
    "domains": {},
    "intents": {},
    "state": {},
    "dialogue_acts": {"categorical": [], "non-categorical": [], "binary": []},
}


def read_unified(path: Path) -> list[Dialogue]:
    """Return the dialogues of a `dialogues.json`, or of the folder or zip that holds it. Raises `FormatError`."""
    with dialogues_file(path) as file:
        return read_dialogues(file, _dialogue)


def _dialogue(row: dict[str, Any], place: str, name: str, findings: ProblemCollector) -> Dialogue | None:
    found = messages_of(row, ("turns",), place, findings)
    if found is None:
        return None
    turns = [turn_of(one, "speaker", "utterance", _SPEAKERS, at, findings) for at, one in found]
    meta = {key: row[key] for key in _KEPT if isinstance(row.get(key), str)}
    said = tuple(turn for turn in turns if turn is not None)
    return Dialogue(id=own_id(row, ("dialogue_id", "original_id"), name), turns=said, meta=meta, source=row)


def write_unified(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write `dialogues.json`; under a name that ends in `.zip`, the `data.zip` that ConvLab-3 loads, ontology included.

    Turns of `api` (what a database returned) have no place among the two speakers and are left out.
    """
    text = json.dumps([unified_row(one) for one in dialogues], ensure_ascii=False, indent=2) + "\n"
    if path.suffix != ".zip":
        write_bytes(path, text.encode())
        return
    with replacing(path) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in (("dialogues", text), ("ontology", json.dumps(_ONTOLOGY, indent=2) + "\n")):
            packed.writestr(zipfile.ZipInfo(f"data/{name}.json", _LONG_AGO), content.encode(), zipfile.ZIP_DEFLATED)


def unified_row(dialogue: Dialogue) -> dict[str, Any]:
    """Return the object of a dialogue: what it was read from where that is of this form, else a new one."""
    source = dialogue.source
    if isinstance(source, dict) and isinstance(source.get("turns"), list) and "dialogue_id" in source:
        return source
    dataset = str(dialogue.meta.get("dataset", "duologue"))
    turns = [one for one in dialogue.turns if one.speaker in _SPEAKERS]
    return {
        "dataset": dataset,
        "data_split": str(dialogue.meta.get("data_split", "train")),
        "dialogue_id": dialogue.id,
        "original_id": dialogue.id,
        "domains": [],
        "turns": [
            {"speaker": one.speaker, "utterance": one.text, "utt_idx": at, "dialogue_acts": _no_acts()}
            for at, one in enumerate(turns)
        ],
    }


def _no_acts() -> dict[str, list[Any]]:
    return {"categorical": [], "non-categorical": [], "binary": []}
