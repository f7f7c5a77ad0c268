"""What packages register is read once for a search path, and again for another."""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING

from duologue.core.entry_points import Registration, registered

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def package(folder: Path, name: str, points: str) -> None:
    """Make a folder look like one with an installed package."""
    info = folder / f"{name}-2.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.5\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[duologue.loggers]\n{points}\n", encoding="utf-8")


def told(found: Registration) -> tuple[str, str, str]:
    """Return name, package and version."""
    return found.point.name, found.distribution, found.version


def test_a_package_is_found_once_its_folder_is_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path, "zoo", "b_of_zoo = zoo:B\na_of_zoo = zoo:A")
    package(tmp_path, "aviary", "b_of_zoo = aviary:B")
    before = registered("duologue.loggers")
    monkeypatch.syspath_prepend(tmp_path)
    new = [told(one) for one in registered("duologue.loggers") if one not in before]
    assert new == [("a_of_zoo", "zoo", "2.5"), ("b_of_zoo", "aviary", "2.5"), ("b_of_zoo", "zoo", "2.5")]


def test_metadata_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    real = importlib.metadata.entry_points

    def counted(*, group: str) -> importlib.metadata.EntryPoints:
        looked.append(group)
        return real(group=group)

    monkeypatch.setattr(importlib.metadata, "entry_points", counted)
    monkeypatch.syspath_prepend(tmp_path)
    assert registered("duologue.systems") == registered("duologue.systems")
    assert looked == ["duologue.systems"]
