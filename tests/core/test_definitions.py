from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from duologue.core import definitions
from duologue.core.definitions import defined_in, definition, package_folder, summary


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


def test_the_folder_of_a_package_is_found_by_what_lies_in_it() -> None:
    here = Path(definitions.__file__).parent
    assert package_folder("duologue.core.locks:held") == package_folder("duologue.core.nothing:x") == here
    for target in ("json:loads", "no_package.module:x", "duologue.core.locks.deeper:x", ":x", "..odd:x"):
        assert package_folder(target) is None


def test_a_definition_without_a_docstring_says_nothing() -> None:
    node = defined_in('def other():\n    """No."""\n\ndef f():\n    pass\n\nclass C:\n    """Says\n\n    more."""', "f")
    assert isinstance(node, ast.FunctionDef)
    assert (node.name, summary(node)) == ("f", "")
    last = defined_in('class A: ...\nclass C:\n    """Says\n\n    more."""\nclass Z: ...', "C")
    assert isinstance(last, ast.ClassDef)
    assert (last.name, summary(last)) == ("C", "Says")
