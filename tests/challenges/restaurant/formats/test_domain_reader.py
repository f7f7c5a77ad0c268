from __future__ import annotations

import copy
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.restaurant.formats.domain_file import open_domain, read_domain, shipped_path
from duologue.challenges.restaurant.formats.domain_reader import RULES, DomainReader
from duologue.challenges.restaurant.formats.domain_words import misread
from duologue.challenges.restaurant.schema.drafts import ANSWERS, HEDGES
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LEAST: dict[str, Any] = {
    "name": "museum",
    "slots": [
        {"name": "era", "values": ["ancient", "modern", "baroque"]},
        {"name": "art", "values": ["glass", "stone", "paper"]},
        {"name": "day", "values": ["monday", "tuesday"]},
    ],
}
"""The least that a domain needs: all wording are drafts."""
KB = "".join(
    f"1 m{number} R_{field}\t{value}\n"
    for number, (era, art, day) in enumerate(
        [("ancient", "glass", "monday"), ("modern", "stone", "tuesday"), ("baroque", "paper", "monday")]
    )
    for field, value in {
        "era": era,
        "art": art,
        "day": day,
        "rating": str(number),
        "phone": f"m{number}_phone",
        "address": f"m{number}_address",
    }.items()
)


def problems_of(table: dict[str, Any], folder: Path) -> list[tuple[str, str]]:
    reader = DomainReader(table, folder)
    reader.read()
    return [(problem.rule, problem.place) for problem in reader.problems]


def broken(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    table = copy.deepcopy(LEAST)
    change(table)
    return table


BROKEN: dict[str, list[Callable[[dict[str, Any]], object]]] = {
    "domain-key": [
        lambda t: t.update(program="rm"),
        lambda t: t.update(wording={"class": ["x"]}),
        lambda t: t.update(policy={"hedge_anser": 0.1}),
        lambda t: t["slots"][0].update(path="/etc/passwd"),
    ],
    "domain-type": [
        lambda t: t.update(slots="x"),
        lambda t: t.update(wording=3),
        lambda t: t.update(policy=[]),
        lambda t: t.update(thing="a house"),
        lambda t: t.update(keywords=["A"]),
        lambda t: t.update(wording={"openings": []}),
        lambda t: t["slots"][0].update(noun="../x"),
        lambda t: t["slots"][0].update(values="abc"),
        lambda t: t["slots"][0].update(phrases="with {new}"),
        lambda t: t["slots"][0].update(hedges=["{a} perhaps"]),
        lambda t: t["slots"][0].update(hedges=[{"text": "{a} perhaps", "draw": "maybe"}]),
        lambda t: t["slots"][0].update(hedges=[{"text": "{a} perhaps", "draw": ["o"]}]),
        lambda t: t["slots"][0].update(phrases=[f"in era {number} of {{new}}" for number in range(51)]),
        lambda t: t["slots"][0].update(hedges=[{"text": f"{{a}} or {number}"} for number in range(51)]),
        lambda t: t.update(wording={"openings": [f"show me {number} places" for number in range(51)]}),
    ],
    "domain-name": [lambda t: t.update(name="restaurant"), lambda t: t.update(name="../up"), lambda t: t.pop("name")],
    "domain-slots": [lambda t: t["slots"].pop(), lambda t: t.update(unseen="day")],
    "domain-unseen": [lambda t: t.update(unseen="moon")],
    "domain-entities": [lambda t: t.update(entities=5), lambda t: t.update(entities=1e3)],
    "domain-policy": [
        lambda t: t.update(policy={"hedge_answer": 1.5}),
        lambda t: t.update(policy={"take_repeated": float("inf")}),
        lambda t: t.update(policy={"take_repeated": 1e308, "take_newest": 1e308}),
        lambda t: t.update(policy={"take_repeated": 0, "take_newest": 0, "reject_again": 0}),
    ],
    "domain-kb": [
        lambda t: t.update(kb="../kb.txt"),
        lambda t: t.update(kb="/etc/passwd"),
        lambda t: t.update(kb="none.txt"),
        lambda t: t.update(kb="link.txt"),
        lambda t: t.update(kb="poor.txt"),
        lambda t: t.update(kb="empty.txt"),
    ],
    "slot-name": [
        lambda t: t["slots"][0].update(name="rating"),
        lambda t: t["slots"][0].update(name="a b"),
        lambda t: t["slots"][0].update(name="art"),
    ],
    "slot-values": [
        lambda t: t["slots"][0].update(values=["one"]),
        lambda t: t["slots"][0].update(values=[f"v{number}" for number in range(20_001)]),
        lambda t: t["slots"][0].update(values=["two words", "b", "c", "d"]),
        lambda t: t["slots"][0].update(values=["a", "a", "b", "c"]),
        lambda t: t["slots"][0].update(values=["glass", "b", "c"]),
        lambda t: t["slots"][0].update(other_values=["x", "y"]),
    ],
    "slot-wording": [
        lambda t: t["slots"][0].update(phrases=["of an era"]),
        lambda t: t["slots"][0].update(phrases=["of {new} {new}"]),
        lambda t: t["slots"][0].update(phrases=["of the{new}"]),
        lambda t: t["slots"][0].update(phrases=["of {new"]),
        lambda t: t["slots"][0].update(answers=["{new} {wait}"]),
        lambda t: t["slots"][0].update(answers=["{new} {secret}"]),
        lambda t: t["slots"][0].update(answers=["THE {new}"]),
        lambda t: t["slots"][0].update(answers=["{new} " * 80]),
        lambda t: t["slots"][0].update(hedges=[{"text": "{a} perhaps", "draw": "oo"}]),
        lambda t: t["slots"][0].update(question="which {new}"),
        lambda t: t.update(wording={"openings": ["take {me}"]}),
    ],
    "wording-ambiguous": [
        lambda t: [one.update(phrases=["with {new}"]) for one in t["slots"]],
        lambda t: t["slots"][0].update(hedges=[{"text": "{a} please", "draw": "o"}]),
        lambda t: t["slots"][0].update(question="whenever you're ready"),
        lambda t: t["slots"][0].update(question="which art would you like"),
        lambda t: t.update(wording={"unanswerable": ["no"]}),
        lambda t: t.update(wording={"openings": ["hello"]}),
        lambda t: t.update(wording={"ask_phone": ["what is it"], "ask_address": ["what is it"]}),
    ],
}


@pytest.mark.parametrize(("rule", "change"), [(rule, change) for rule, changes in BROKEN.items() for change in changes])
def test_each_rule_is_told_by_its_name(rule: str, change: Callable[[dict[str, Any]], object], tmp_path: Path) -> None:
    (tmp_path / "kb.txt").write_text(KB)
    (tmp_path / "link.txt").symlink_to(tmp_path / "kb.txt")
    (tmp_path / "poor.txt").write_text(KB.replace("R_art", "R_arts").replace("\t1\n", "\tmany\n"))
    (tmp_path / "empty.txt").write_text("\n")
    assert rule in {found for found, _ in problems_of(broken(change), tmp_path)}


def test_every_rule_has_a_broken_file_and_the_least_domain_has_none(tmp_path: Path) -> None:
    assert BROKEN.keys() == RULES.keys()
    assert problems_of(LEAST, tmp_path) == []


def test_all_problems_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(
        'name = "Bad"\nunseen = "x"\nkb = "../a"\n[policy]\nhedge_info = 7\n[[slots]]\nname = "rating"\nvalues = [1]\n'
    )
    with pytest.raises(FormatError) as caught:
        read_domain(path)
    assert {
        "domain-name",
        "domain-unseen",
        "domain-kb",
        "domain-policy",
        "slot-name",
        "slot-values",
        "domain-slots",
    } == {problem.rule for problem in caught.value.problems}
    assert all(problem.advice and problem.place for problem in caught.value.problems)


def test_problems_are_told_in_the_order_of_the_file(tmp_path: Path) -> None:
    table = copy.deepcopy(LEAST)
    doubled = ["zinc", "amber", "mud", "cork", "kelp", "yarn"]
    table["slots"][0]["values"] += doubled
    table["slots"][1]["other_values"] = doubled
    table["policy"] = dict.fromkeys(["update_most", "hedge_info", "take_newest", "hedge_answer"], "x")
    reader = DomainReader(table, tmp_path)
    reader.read()
    told = [one.message.split("'")[1] for one in reader.problems if one.rule == "slot-values"]
    assert told == doubled
    policy = [one.place for one in reader.problems if one.rule == "domain-policy"]
    assert policy == [f"policy.{key}" for key in table["policy"]]


def test_what_is_left_out_is_drafted(tmp_path: Path) -> None:
    domain = DomainReader(LEAST, tmp_path).read()
    assert domain is not None
    era, _, day = domain.slots
    assert era.question == "which era would you like"
    assert [one.text for one in era.answers] == list(ANSWERS)
    assert era.hedges == HEDGES
    assert day.hedges == ()  # two values leave nothing to hesitate between
    assert domain.other_values == domain.values


def test_a_knowledge_base_beside_the_file_gives_the_values(tmp_path: Path) -> None:
    (tmp_path / "kb.txt").write_text(KB)
    table = broken(lambda t: [one.pop("values") for one in t["slots"]]) | {"kb": "kb.txt"}
    table["slots"][2]["hedges"] = []
    domain = DomainReader(table, tmp_path).read()
    assert domain is not None
    assert domain.values == {
        "era": ("ancient", "baroque", "modern"),
        "art": ("glass", "paper", "stone"),
        "day": ("monday", "tuesday"),
    }
    assert len(domain.facts) == 18


@pytest.mark.parametrize("name", ["cinema", "hotel"])
def test_the_shipped_domains_keep_all_rules(name: str) -> None:
    domain = open_domain(name)
    assert list(misread(domain)) == []
    assert domain.name == name
    assert domain.unseen is not None
    words = {word for slot in domain.slots for word in domain.values[slot.name]}
    assert not words & {word for slot in domain.slots for word in (slot.name, *slot.question.split())}
    assert tomllib.loads(shipped_path(name).read_text(encoding="utf-8"))["name"] == name
