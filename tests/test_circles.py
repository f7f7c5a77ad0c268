from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import pytest

grimp = pytest.importorskip("grimp")


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Not within functions, and not for the type checker alone either: what needs each other is one module."""
    graph = grimp.build_graph("duologue", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 400
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))
