from __future__ import annotations

import click
import pytest

from duologue.terminal.options import SeedNumber


def test_a_seed_can_be_counted_on_from_and_printed() -> None:
    kind = SeedNumber(min=0)
    assert str(kind.convert("9" * 1000, None, None) + 1) == "1" + "0" * 1000
    for wrong, told in (("9" * 4300, "more than 1,000 digits"), ("-1", "not in the range"), ("x", "not a valid")):
        with pytest.raises(click.BadParameter, match=told):
            kind.convert(wrong, None, None)
