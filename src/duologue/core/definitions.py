"""Definitions that entry points name, read from the source of their modules: nothing of them is imported."""

from __future__ import annotations

import ast
from importlib.util import decode_source, find_spec
from pathlib import Path


def definition(target: str) -> ast.ClassDef | ast.FunctionDef | None:
    """Return the class or function `package.module:name` as its module's source has it; `None` where it has none.

    >>> definition("duologue.core.definitions:definition").name
    'definition'
    """
    text = source_of(target)
    return None if text is None else defined_in(text, target.partition(":")[2])


def source_of(target: str) -> str | None:
    """Return the source of the module of `package.module:name`; `None` where there is none that can be read."""
    try:
        spec = find_spec(target.partition(":")[0])
        return decode_source(Path(spec.origin).read_bytes()) if spec and spec.origin else None
    except (ImportError, OSError, SyntaxError, ValueError):
        return None


def defined_in(source: str, name: str) -> ast.ClassDef | ast.FunctionDef | None:
    """Return the class or function of a name in the source of a module; `None` where it has none or is damaged."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return None
    return next((node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name), None)


def summary(node: ast.ClassDef | ast.FunctionDef) -> str:
    """Return the first line of a definition's docstring; empty where it has none."""
    return (ast.get_docstring(node) or "").partition("\n")[0]


def package_folder(target: str) -> Path | None:
    """Return the folder of the package that the module of `package.module:name` lies in; `None` where there is none."""
    package = target.partition(":")[0].rpartition(".")[0]
    try:
        spec = find_spec(package) if package else None
    except (ImportError, ValueError):
        return None
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None
