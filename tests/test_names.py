"""Names in `src`: each public class has one of its own, and modules are called by nouns."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

SRC = Path(__file__).resolve().parents[1] / "src" / "duologue"
TERMS = {"grounding", "resampling", "testing"}
"""Terms of the field, and the public module of contract suites."""


def classes() -> dict[str, list[str]]:
    """Return where each public class is defined, nested ones too."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SRC.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(f"{path.relative_to(SRC)}:{node.lineno}")
    return found


def test_no_public_class_name_is_used_twice() -> None:
    found = classes()
    assert len(found) > 500
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_no_module_is_named_by_a_gerund() -> None:
    gerunds = {path.stem for path in SRC.rglob("*ing.py")}
    assert gerunds == TERMS
