"""Campaigns of files that came over the network."""

from __future__ import annotations

from typing import Any

import pytest

from duologue.arena.campaigns.given_files import GivenCampaign, GivenFile, propose_given
from duologue.arena.campaigns.proposal import GivenSystem
from duologue.core.errors import UsageError

TRUTH = "".join(f"U: my parcel {n} is late\nS: sorry, it comes {n}\n\n" for n in range(6)).encode()
ONE, TWO = (TRUTH.replace(b"S: sorry", word) for word in (b"S_HYP: well", b"S_HYP: oh"))


def asked(**more: Any) -> GivenCampaign:
    results = (GivenFile("../../one.v2.txt", ONE), GivenFile("C:\\my files\\two.txt", TWO))
    return GivenCampaign("conversation", 3, results=results, gold=(GivenFile("truth.txt", TRUTH),))._replace(**more)


def test_systems_are_called_as_their_files_and_no_name_leads_out_of_the_folder() -> None:
    found = propose_given(asked(title="A try", per_item=2, seed=7))
    assert set(found.material.systems) == {"one", "two", "reference"}
    assert (found.title, found.settings.per_item, found.settings.seed) == ("A try", 2, 7)


def test_a_long_name_in_chinese_is_a_file_too() -> None:
    results = (GivenFile("话" * 100 + ".txt", ONE), GivenFile("two.txt", TWO))
    assert len(propose_given(asked(results=results)).material.systems) == 3


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({"protocol": "conversatio"}, "no campaign protocol 'conversatio'.*conversation"),
        ({"results": ()}, "give result files, or systems"),
        ({"live": (GivenSystem("x", "echo"),)}, "and not both"),
        ({"results": (GivenFile("a/x.txt", ONE), GivenFile("b/x.txt", TWO))}, "two files are called x.txt"),
        ({"results": (GivenFile("x.txt", ONE[:90]),)}, "results/x.txt"),
        ({"kb": (GivenFile("kb.json", b"{}"),)}, "kb.json has 1 problem(.|\\n)*no field 'text'"),
        ({"protocol": "arena", "kb": (GivenFile("kb.json", b"{}"),)}, "say which task"),
    ],
)
def test_what_is_wrong_is_told_without_folders_of_this_machine(more: dict[str, Any], wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong) as told:
        propose_given(asked(**more))
    assert "/tmp" not in str(told.value)
