from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats import preprocessor, raw, repairs
from duologue.challenges.mobilecs.formats.issues import Issues

if TYPE_CHECKING:
    from collections.abc import Sequence


def told(
    *changes: dict[str, Any], triples: Sequence[dict[str, Any]] = ()
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return a dialogue of usual turns with changes, mended, and what mending said of it beside the reader."""
    usual = {
        "[SPEAKER 1]": "您好，三块",
        "[SPEAKER 2]": "三块吗",
        "客服意图": "问候",
        "用户意图": "询问(NA)",
        "info": {
            "ents": [{"name": "三块", "id": "ent-1", "type": "套餐", "pos": [[2, 0, 2]]}],
            "triples": list(triples),
        },
    }
    content = [{**usual, **change} for change in changes]
    issues = Issues()
    (dialogue,) = raw.read_dialogues([{"id": "d", "content": content}], Issues())
    before = copy.deepcopy(dialogue.source)
    repaired = repairs.repaired_row(dialogue, 0, issues)
    assert dialogue.source == before
    return repaired, [(one.rule, one.place) for one in issues.problems]


def triple(**parts: Any) -> dict[str, Any]:
    return {"ent-id": "ent-1", "ent-name": "三块", "prop": "业务费用", "value": "三块", "pos": [2, 0, 2], **parts}


def test_a_usual_dialogue_stays_as_it_is() -> None:
    repaired, problems = told({}, {}, triples=[triple()])
    assert problems == []
    assert repaired["content"][0]["info"]["triples"] == [triple()]


def test_speakers_have_the_keys_of_the_first_turn() -> None:
    later = {"[SPEAKER 2]": "您好", "[SPEAKER 1]": "好"}
    turn = {**later, "客服意图": "问候", "用户意图": "客套", "info": {"ents": [], "triples": []}}
    issues = Issues()
    first = {"[SPEAKER 1]": "喂", "[SPEAKER 2]": "诶", **{key: turn[key] for key in list(turn)[2:]}}
    (dialogue,) = raw.read_dialogues([{"id": "d", "content": [first, turn]}], Issues())
    repaired = repairs.repaired_row(dialogue, 0, issues)
    assert list(repaired["content"][1].items())[:2] == [("[SPEAKER 1]", "您好"), ("[SPEAKER 2]", "好")]
    assert [(one.rule, one.place) for one in issues.problems] == [("speakers-renamed", "dialogue 'd', /0/content/1")]


def test_a_doubled_bracket_becomes_one() -> None:
    repaired, problems = told({"用户意图": "询问（（ent-1-业务费用，业务规则）"}, {"客服意图": "通知((业务费用)"})
    assert repaired["content"][0]["用户意图"] == "询问（ent-1-业务费用，业务规则）"
    assert repaired["content"][1]["客服意图"] == "通知(业务费用)"
    assert problems == [
        ("intent-brackets", "dialogue 'd', /0/content/0/用户意图"),
        ("intent-brackets", "dialogue 'd', /0/content/1/客服意图"),
    ]


def test_slots_are_lower_case_so_that_no_value_is_lost() -> None:
    repaired, problems = told({}, {}, triples=[triple(prop="APP费"), triple(prop="app费", value="您好", pos=[1, 0, 2])])
    (made,) = preprocessor.process([repaired], shared=False)
    assert made["KB"]["ent-1"]["app费"] == "三块,您好"
    assert {rule for rule, _ in problems} == {"slot-capitals"}


def test_what_belongs_to_nobody_is_left_out_and_na_is_the_user() -> None:
    repaired, problems = told({}, triples=[triple(**{"ent-id": "client"}), triple(**{"ent-id": "na"})])
    assert [one["ent-id"] for one in repaired["content"][0]["info"]["triples"]] == ["NA"]
    assert [rule for rule, _ in problems] == ["owner-unknown"]


def test_records_that_the_reader_leaves_out_are_gone_and_exchanged_keys_are_usual() -> None:
    lacking = {"ent-id": "ent-1", "value": "三块"}
    exchanged = {"id": "ent-1", "name": "三块", "prop": "业务费用", "value": "三块"}
    repaired, problems = told({}, {"info": None}, triples=[lacking, exchanged])
    assert repaired["content"][0]["info"]["triples"] == [
        {"ent-id": "ent-1", "ent-name": "三块", "prop": "业务费用", "value": "三块"}
    ]
    assert repaired["content"][1]["info"] == {"ents": [], "triples": []}
    assert problems == []  # the reader has told
