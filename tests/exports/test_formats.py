from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.exports.formats import FORMATS, export_format


def test_every_form_has_a_name_of_its_own_and_a_function() -> None:
    assert len({one.name for one in FORMATS}) == len(FORMATS)
    assert all(callable(one.load()) for one in FORMATS)


def test_an_unknown_form_is_told() -> None:
    with pytest.raises(UsageError, match="did you mean 'inspect'"):
        export_format("inspct")
