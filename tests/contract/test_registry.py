from __future__ import annotations

import tomllib
from pathlib import Path

from duologue.core.plugins import KINDS, entries

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "registry.toml"


def test_nothing_that_is_registered_vanishes_unseen() -> None:
    golden = tomllib.loads(GOLDEN.read_text(encoding="utf-8"))
    ours = {
        kind: {entry.name: entry.target for entry in entries(kind) if entry.distribution == "duologue"}
        for kind in KINDS
    }
    assert ours == golden, f"if this is meant, change {GOLDEN.name} with it"
