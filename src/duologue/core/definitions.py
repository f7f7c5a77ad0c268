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
    module, _, name = target.partition(":")
    try:
        spec = find_spec(module)
        body = ast.parse(decode_source(Path(spec.origin).read_bytes())).body if spec and spec.origin else []
    except (ImportError, OSError, SyntaxError, ValueError):
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
