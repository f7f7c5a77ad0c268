from __future__ import annotations

import ast
import sys

import pytest

from duologue.core.definitions import defined_in, definition, summary


def test_a_definition_is_read_without_importing_its_module() -> None:
    sys.modules.pop("duologue.core.locks", None)
    node = definition("duologue.core.locks:held")
    assert isinstance(node, ast.FunctionDef)
    assert summary(node).endswith(".")
    assert "duologue.core.locks" not in sys.modules


@pytest.mark.parametrize(
    "target", ["duologue.core.locks:nothing", "duologue.no_module:x", "no_package:x", "sys:path", ""]
)
def test_what_has_no_source_has_no_definition(target: str) -> None:
    assert definition(target) is None


@pytest.mark.parametrize("source", ["class Bot(:", "class Bot:\n  pass\n pass", "class Bot: ...\0"])
def test_a_damaged_module_has_no_definition(source: str) -> None:
    assert defined_in("class Bot: ...", "Bot") is not None
    assert defined_in(source, "Bot") is None
