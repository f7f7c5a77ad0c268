from __future__ import annotations

import msgspec
import pytest
from tests.challenges.mobilecs.systems.calls import generated

from duologue.challenges.mobilecs.systems.training_calls import generated_calls, training_calls
from duologue.core.errors import UsageError


def test_a_share_of_the_calls_is_held_out_where_none_are_given() -> None:
    found = training_calls(generated(20), [], 0.2, 1)
    assert (len(found.examples), len(found.held_out)) == (16, 4)
    assert found.seen == "16 annotated calls"
    assert training_calls(generated(20), [], 0.2, 1) == found
    assert training_calls(generated(20), [], 0.2, 2).held_out != found.held_out


def test_given_calls_are_held_out_and_bare_ones_teach_nothing() -> None:
    calls = generated(20)
    bare = msgspec.structs.replace(calls[0], references=())
    assert training_calls([bare, *calls[1:4]], calls[5:7], 0.5, 1) == (calls[1:4], calls[5:7])
    with pytest.raises(UsageError, match="found 0 annotated calls to learn from"):
        training_calls([bare], calls, 0.5, 1)
    with pytest.raises(UsageError, match="no held-out call is annotated"):
        training_calls(calls, [bare], 0.5, 1)


def test_calls_to_practise_on_are_generated_by_the_seed() -> None:
    told: list[tuple[int, int, str]] = []
    found = generated_calls(6, 1, lambda *one: told.append(one))
    assert (len(found.examples), len(found.held_out)) == (6, 2)
    assert all(one.references for one in (*found.examples, *found.held_out))
    assert found == generated_calls(6, 1, None)
    assert [what for _, _, what in told] == ["generating train", "generating dev"]
