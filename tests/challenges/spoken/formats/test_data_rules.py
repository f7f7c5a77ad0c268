from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.spoken.formats import data_rules as data
from duologue.challenges.spoken.formats.data_rules import KINDS, data_problems, kind_of
from duologue.core.json_objects import Decoded, decode

TURN: dict[str, Any] = {"message": "好的。"}


def problems_of(text: str, kind: str) -> list[tuple[str, str]]:
    return [(one.rule, one.place) for one in data_problems(decode(text, Path("x.json")), kind)]


def dialogue(*messages: Any) -> str:
    return json.dumps([{"name": "园", "messages": list(messages)}])


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("dialogues", "{}", [("not-data", "")]),
        ("dialogues", "[7]", [("dialogue-not-object", "/0")]),
        ("dialogues", '[{"name": {}, "messages": [{"message": ""}]}]', [("start-type", "/0/name")]),
        ("dialogues", '[{"name": "x"}]', [("messages-missing", "/0")]),
        ("dialogues", '[{"messages": []}]', [("turns-type", "/0/messages")]),
        ("dialogues", dialogue(*[{"message": "x"}] * 5_001), [("dialogue-long", "/0/messages")]),
        ("dialogues", dialogue("x"), [("turn-not-object", "/0/messages/0")]),
        ("dialogues", dialogue({}), [("message-missing", "/0/messages/0")]),
        ("dialogues", dialogue({"message": 7}), [("message-type", "/0/messages/0/message")]),
        ("dialogues", dialogue({"message": "\ud800"}), [("half-character", "/0/messages/0/message")]),
        ("dialogues", dialogue({**TURN, "attrs": 7}), [("attrs-type", "/0/messages/0/attrs")]),
        ("dialogues", dialogue({**TURN, "attrs": [{}]}), [("attr-key-missing", "/0/messages/0/attrs/0")] * 3),
        ("dialogues", '[{"name": "x", "name": "y", "messages": [{"message": ""}]}]', [("key-repeated", "/0")]),
        ("dialogues", dialogue({**TURN, "attrs": []}, TURN), []),
        ("samples", '{"1": 7}', [("turns-type", "/1")]),
        ("samples", '{"": [{"message": "x"}]}', [("id-empty", "/")]),
        ("samples", '{"1": [{"message": "x"}], "1": [{"message": "y"}]}', [("key-repeated", "")]),
        ("gold", '{"1": 7}', [("item-not-object", "/1")]),
        ("gold", '{"1": {"message": "x", "more": 1}}', []),
        ("gold", '{"\\ud800": {"message": "x"}}', [("half-character", "/\\ud800")]),
        ("graph", '{"x": 7}', [("graph-rows-type", "/x")]),
        ("graph", '{"x": [["x", "y"]]}', [("graph-row-type", "/x/0")]),
        ("graph", '{"x": [["x", ["y"], 7]]}', [("graph-value-type", "/x/0/1")]),
        ("graph", '{"x": [["x", "y", NaN]]}', [("graph-value-type", "/x/0/2")]),
        ("graph", '{"x": [["x", "y", ["a", null]]]}', [("graph-value-type", "/x/0/2")]),
        ("graph", '{"x": [["z", "y", 7]]}', [("graph-entity-differs", "/x/0")]),
        ("graph", '{"7": [[7, "y", ["a", 1]]], "x": []}', []),
    ],
)
def test_every_fault_of_a_data_file_is_told_with_its_place(kind: str, text: str, found: list[tuple[str, str]]) -> None:
    assert problems_of(text, kind) == found


def test_all_faults_of_a_file_are_told_at_once() -> None:
    text = json.dumps([{"messages": [{"message": 1}, 7]}, {"name": "x"}])
    assert [rule for rule, _ in problems_of(text, "dialogues")] == [
        "message-type",
        "turn-not-object",
        "messages-missing",
    ]


@pytest.mark.parametrize(
    ("value", "kinds", "kind"),
    [
        ([], tuple(KINDS), "dialogues"),
        ({"1": {}}, ("samples", "gold"), "gold"),
        ({"1": [{}]}, ("samples", "gold"), "samples"),
        ({"x": [[]]}, ("samples", "gold"), "graph"),
        ({"x": []}, ("graph",), "graph"),
        ({"x": []}, ("samples",), "samples"),
        ({}, ("dialogues", "gold"), "gold"),
        (7, ("dialogues", "gold"), "dialogues"),
    ],
)
def test_the_kind_of_a_file_is_told_by_what_it_holds(value: Any, kinds: tuple[str, ...], kind: str) -> None:
    assert kind_of(value, kinds) == kind


cells = st.one_of(
    st.sampled_from(["x", "y", "\ud800", "7"]), st.integers(0, 7), st.booleans(), st.none(), st.just(["a"]), st.floats()
)


@given(rows=st.lists(st.one_of(st.lists(cells, min_size=2, max_size=4), cells), max_size=3))
def test_the_quick_look_at_a_graph_overlooks_nothing(rows: list[Any]) -> None:
    decoded = Decoded({"x": rows}, {})
    quick = data_problems(decoded, "graph")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "_is_plain", lambda entity, rows: False)
        assert data_problems(decoded, "graph") == quick
