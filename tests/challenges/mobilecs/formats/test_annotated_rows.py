from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from duologue.challenges.mobilecs.formats.annotated_rows import annotated_row
from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.formats.raw import read_dialogues
from duologue.challenges.mobilecs.schema.ontology import STAFF_INTENT, USER_INTENT
from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.core.records import Dialogue

CLEAN = CallGenerator(CallCorpusRecipe(argument_rate=0.5, user_first=0.5), 7)
CROWD = CallGenerator(CallCorpusRecipe(profile="crowd", argument_rate=0.5), 7)


def rows(generator: CallGenerator = CLEAN, n: int = 12) -> list[dict[str, Any]]:
    return [generator.call("train", number).row for number in range(n)]


def bytes_of(row: Any) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode()


@pytest.mark.parametrize("generator", [CLEAN, CROWD], ids=["clean", "crowd"])
def test_official_bytes_come_back_byte_for_byte(generator: CallGenerator) -> None:
    given = rows(generator)
    for dialogue, row in zip(read_dialogues(given, Issues()), given, strict=True):
        assert bytes_of(annotated_row(dialogue)) == bytes_of(row)


def test_annotation_of_bare_calls_is_written_in_the_official_order_of_keys() -> None:
    orders: set[tuple[str, ...]] = set()
    for row in rows():
        dropped = (STAFF_INTENT, USER_INTENT, "info")
        content = [{key: turn[key] for key in turn if key not in dropped} for turn in row["content"]]
        (annotated,) = read_dialogues([row], Issues())
        made = annotated_row(msgspec.structs.replace(annotated, source={"id": row["id"], "content": content}))
        assert [list(turn) for turn in made["content"]] == [list(turn) for turn in row["content"]]
        (again,) = read_dialogues([made], Issues())
        assert [turn.annotation for turn in again.turns] == [turn.annotation for turn in annotated.turns]
        orders.update(tuple(turn) for turn in made["content"])
    assert len(orders) == 2, "calls that the staff opens, and calls that the user opens"


def test_only_the_turn_that_was_changed_is_written_anew_and_its_odd_keys_stay() -> None:
    row = rows(n=1)[0]
    row["content"][1]["remark"] = "kept"
    row["content"][0]["info"]["ents"].append({"name": "", "id": "ent-9", "type": "套餐", "pos": []})
    (dialogue,) = read_dialogues([row], Issues())
    turns = list(dialogue.turns)
    assert turns[2].annotation is not None
    turns[2] = msgspec.structs.replace(turns[2], annotation=msgspec.structs.replace(turns[2].annotation, acts=()))
    made = annotated_row(msgspec.structs.replace(dialogue, turns=tuple(turns)))
    assert made["content"][0] == row["content"][0]
    assert made["content"][1] != row["content"][1]
    assert list(made["content"][1])[-1] == "remark"
    assert made["content"][1][STAFF_INTENT if turns[2].speaker == "system" else USER_INTENT] == ""
    assert made["content"][2:] == row["content"][2:]


def test_a_dialogue_of_the_first_version_stays_a_list_and_one_without_source_gets_its_id() -> None:
    row = rows(n=1)[0]
    (first,) = read_dialogues([row["content"]], Issues())
    assert annotated_row(first) == row["content"]
    (dialogue,) = read_dialogues([row], Issues())
    made = annotated_row(Dialogue(id="x", turns=dialogue.turns))
    assert made["id"] == "x"
    assert len(made["content"]) == len(row["content"])
