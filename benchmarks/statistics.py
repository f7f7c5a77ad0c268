"""Whether intervals, tests and detectable differences hold where the truth is known: see `simulations`.

python benchmarks/statistics.py [--runs 1000] [--only WORD] [--out benchmarks/STATISTICS.md]
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from simulations import main

    sys.exit(main())

# Scripts beside this file find it where they, or a library of theirs, ask for the standard library's `statistics`.
import importlib.util
import sysconfig
from pathlib import Path

_spec = importlib.util.spec_from_file_location("statistics", Path(sysconfig.get_path("stdlib"), "statistics.py"))
if _spec is not None and _spec.loader is not None:
    sys.modules["statistics"] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules["statistics"])
