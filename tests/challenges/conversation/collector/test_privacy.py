from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.collector.privacy import Pseudonyms
from duologue.core.errors import FormatError
from duologue.store.posts import NAME, PostBase

if TYPE_CHECKING:
    from pathlib import Path


def test_a_damaged_key_of_the_pseudonyms_is_told_and_not_replaced(tmp_path: Path) -> None:
    """With another key the same person would get another name."""
    with PostBase(tmp_path / NAME) as base:
        base.setting("pseudonyms", "no key")
    with pytest.raises(FormatError, match="'pseudonyms' is 'no key'; expected hexadecimal digits"):
        Pseudonyms.exported(tmp_path)
