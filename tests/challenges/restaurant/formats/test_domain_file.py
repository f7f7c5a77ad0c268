from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.restaurant.formats.domain_file import SHIPPED, open_domain, read_domain, write_domain
from duologue.challenges.restaurant.knowledge.facts import kb_lines
from duologue.challenges.restaurant.simulator.domain_kb import domain_facts
from duologue.core.errors import FormatError, StorageError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_domain_is_asked_for_by_name_or_path(tmp_path: Path) -> None:
    assert open_domain("cinema").thing == "cinema"
    with pytest.raises(UsageError, match="did you mean 'cinema'"):
        open_domain("cinma")
    with pytest.raises(StorageError):
        open_domain(str(tmp_path / "none.toml"))


def test_what_is_no_toml_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("name = ")
    with pytest.raises(FormatError, match="not valid TOML"):
        read_domain(tmp_path / "x.toml")


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("kb", [1, 2])
def test_a_domain_is_written_with_one_of_its_bases_and_read_again(name: str, kb: int, tmp_path: Path) -> None:
    domain = open_domain(name)
    facts = domain_facts(domain, kb, 7)
    (tmp_path / "kb.txt").write_text(kb_lines(facts))
    write_domain(domain, tmp_path / "domain.toml", kb, "kb.txt")
    again = read_domain(tmp_path / "domain.toml")
    values = domain.values if kb == 1 else domain.other_values
    assert list(again.facts) == facts
    assert {slot: set(words) for slot, words in again.values.items()} == {
        slot: set(words) for slot, words in values.items()
    }
    plain = {"facts": (), "values": {}, "other_values": {}, "entities": 1, "name_words": ()}
    assert msgspec.structs.replace(again, **plain) == msgspec.structs.replace(domain, **plain)
