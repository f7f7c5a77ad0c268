from __future__ import annotations

from pathlib import Path

import pytest

from duologue.challenges.mobilecs.schema.english import (
    INTENT_NAMES,
    SLOT_NAMES,
    TYPE_NAMES,
    bilingual,
    bilingual_acts,
    bilingual_argument,
    owner_of,
)
from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS, acts_of
from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS, USER_SLOTS


@pytest.mark.parametrize(
    ("names", "literals"),
    [
        (TYPE_NAMES, {*ENTITY_TYPES}),
        (SLOT_NAMES, {*SERVICE_SLOTS, *USER_SLOTS}),
        (INTENT_NAMES, {*USER_LABELS, *STAFF_LABELS}),
    ],
)
def test_every_literal_has_an_english_name_of_its_own(names: dict[str, str], literals: set[str]) -> None:
    assert set(names) == literals
    assert len(set(names.values())) == len(names)
    assert all(name.isascii() and name for name in names.values())


def test_the_page_lists_every_name() -> None:
    page = (Path(__file__).resolve().parents[4] / "docs/challenges/mobilecs.md").read_text(encoding="utf-8")
    for literals in (ENTITY_TYPES, SERVICE_SLOTS, USER_SLOTS, USER_LABELS, STAFF_LABELS):
        assert f"| {', '.join(map(bilingual, literals))} |" in page


def test_what_has_no_english_name_stays_as_it_is() -> None:
    assert bilingual("新业务") == "新业务"
    assert bilingual_argument("新业务-") == "新业务 "
    assert bilingual_argument("-短信") == "-短信"
    assert (owner_of(None), owner_of("NA"), owner_of("ent-2")) == ("user", "user", "ent-2")


def test_acts_are_told_with_the_slots_of_their_arguments() -> None:
    acts = acts_of("求助-查询(ent-12-业务费用)(账户余额（欠费）),询问(4G套餐),客套", "user")
    assert bilingual_acts(acts) == (
        "求助-查询 (seek help: query): ent-12 业务费用 (fee), 账户余额（欠费） (account balance (arrears)); "
        "询问 (ask): 4G套餐 (4G plan); 客套 (courtesy)"
    )
    assert bilingual_acts(()) == ""
