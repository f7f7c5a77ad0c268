from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.collector.privacy import REPORT, Pseudonyms, write_report
from duologue.core.errors import FormatError, StorageError
from duologue.store.posts import NAME, PostBase

if TYPE_CHECKING:
    from pathlib import Path


def test_a_damaged_key_of_the_pseudonyms_is_told_and_not_replaced(tmp_path: Path) -> None:
    """With another key the same person would get another name."""
    with PostBase(tmp_path / NAME) as base:
        base.setting("pseudonyms", "no key")
    with pytest.raises(FormatError, match="'pseudonyms' is 'no key'; expected hexadecimal digits"):
        Pseudonyms.exported(tmp_path)


@pytest.mark.parametrize(
    "damage", ["imports = [[1]]", "imports = 3", "imports = [", "[imports]", "imports = " + "9" * 5000]
)
def test_a_damaged_report_of_replaced_data_is_set_aside_and_a_new_one_begun(tmp_path: Path, damage: str) -> None:
    path = tmp_path / REPORT
    path.write_text(damage, "utf-8")
    assert write_report(tmp_path, "calls.json", None) == path
    assert tomllib.loads(path.read_text("utf-8")) == {"imports": [{"file": "calls.json", "kept": True}]}
    assert path.with_suffix(".damaged").read_text("utf-8") == damage


def test_a_pipe_in_place_of_the_report_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / REPORT)
    with pytest.raises(StorageError, match="it is a pipe"):
        write_report(tmp_path, "a.json", None)
