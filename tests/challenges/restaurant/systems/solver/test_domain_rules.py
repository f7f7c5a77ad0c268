from __future__ import annotations

import pytest

from duologue.challenges.restaurant.formats.domain_file import SHIPPED, open_domain
from duologue.challenges.restaurant.formats.files import example_of
from duologue.challenges.restaurant.knowledge.domain_base import DomainBase, domain_of
from duologue.challenges.restaurant.schema.domain import RESTAURANT
from duologue.challenges.restaurant.schema.task_info import INFO
from duologue.challenges.restaurant.simulator.domain_kb import domain_facts
from duologue.challenges.restaurant.simulator.recipe import Generation, with_policy
from duologue.challenges.restaurant.simulator.row_generator import simulate
from duologue.challenges.restaurant.systems.solver.domain_rules import RESTAURANT_RULES, DomainRules
from duologue.challenges.restaurant.systems.solver.solver import Solver
from duologue.core.records import Record


def test_the_challenges_rules_are_those_of_its_domain() -> None:
    assert RESTAURANT_RULES.order == ("cuisine", "location", "number", "price", "atmosphere")
    assert RESTAURANT_RULES.extra == "restrictions"
    assert domain_of(None) == RESTAURANT


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("style", ["training", "a", "b"])
def test_the_rule_bot_is_perfect_in_every_domain(name: str, style: str) -> None:
    domain = open_domain(name)
    for kb, extra in ((1, False), (2, True)):
        schema, facts = domain.schema(kb, extra=extra), domain_facts(domain, kb, 11)
        recipe = with_policy(Generation(answer_twice=0), domain)
        solver = Solver(Record())
        solver.prepare(INFO, 0, {"base": DomainBase("base", facts, domain)})
        for subtask in range(1, 6):
            rows = list(simulate(schema, facts, recipe, subtask=subtask, part="tst1", style=style, n=12, seed=5))
            examples = [example_of(row, world="base") for row in rows]
            answers = solver.answer([one.sample for one in examples])
            for row, answer in zip(rows, answers, strict=True):
                assert answer.text == row["answer"]["utterance"]
                assert answer.ranking is not None
                assert answer.ranking[0] == row["answer"]["candidate_id"]


def test_wording_of_a_domain_is_read_and_that_of_another_is_not() -> None:
    rules = DomainRules(open_domain("hotel"))
    read = rules.parse("i need a hotel room in oslo for five nights with bed size king")
    assert read.values == {"town": "oslo", "nights": "five", "bed": "king"}
    assert RESTAURANT_RULES.parse("i need a hotel room in oslo").kind == "unknown"
    assert rules.parse("may i have a table").kind == "unknown"
