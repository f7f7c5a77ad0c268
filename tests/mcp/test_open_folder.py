from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import UsageError
from duologue.mcp.open_folder import OpenFolder

if TYPE_CHECKING:
    from pathlib import Path


def test_files_below_the_folder_are_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.json").write_text("{}", encoding="utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / "a/b.json")
    folder = OpenFolder(tmp_path)
    wanted = (tmp_path / "a/b.json").resolve()
    assert folder.files(["a/b.json", "./a/../a/b.json", "link.json", str(wanted)]) == [wanted] * 4
    assert folder.told(f"{folder.root}/a/b.json is damaged") == "a/b.json is damaged"


@pytest.mark.parametrize("name", ["../x.json", "/etc/passwd", "out.json", "outside/x.json"])
def test_what_leads_out_of_it_is_refused(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    (root / "out.json").symlink_to(tmp_path / "x.json")
    (root / "outside").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="lies outside"):
        OpenFolder(root).file(name)


@pytest.mark.parametrize("name", ["none.json", ".", "a\0b", "x" * 5000])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is no file"):
        OpenFolder(tmp_path).file(name)
