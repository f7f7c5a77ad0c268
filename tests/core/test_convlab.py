from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from duologue.core import disk
from duologue.core.convlab import dialogues_file
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def packed(path: Path, **files: str | bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/") + ".json", content)
    return path


def test_the_file_is_found_by_itself_in_a_folder_and_in_an_archive(tmp_path: Path) -> None:
    archive = packed(tmp_path / "data.zip", data__ontology="{}", data__dialogues="[1]", dialogues="[2]")
    bare = packed(tmp_path / "bare.zip", dialogues="[2]")
    folder = tmp_path / "set"
    (folder / "data").mkdir(parents=True)
    for path, expected in ((archive, "[1]"), (bare, "[2]"), (tmp_path, "[1]")):
        with dialogues_file(path) as file:
            assert file.read_text() == expected
        assert not file.exists()
    for place in (folder / "data" / "dialogues.json", folder / "dialogues.json"):  # the later goes before
        place.write_text(place.parent.name)
        for path in (place, folder):
            with dialogues_file(path) as file:
                assert file == place


def test_what_holds_none_is_told(tmp_path: Path) -> None:
    archive = packed(tmp_path / "other.zip", data__ontology="{}")
    for path, match in (
        (tmp_path, "neither dialogues.json nor data.zip"),
        (archive, r"other.zip.*\n?.*no data/dialogues.json.*ConvLab-3"),
    ):
        with pytest.raises(FormatError, match=match), dialogues_file(path):
            pass


def test_a_bomb_and_a_damaged_archive_are_refused(tmp_path: Path) -> None:
    bomb = packed(tmp_path / "bomb.zip", data__dialogues=b" " * (64 << 20))
    with pytest.raises(FormatError, match="--max-unpacked"), dialogues_file(bomb):
        pass
    whole = packed(tmp_path / "whole.zip", data__dialogues="[1]").read_bytes()
    for at, data in enumerate((whole[:-9], whole[:40] + b"\0\0" + whole[42:])):
        (tmp_path / f"{at}.zip").write_bytes(data)
        with (
            pytest.raises(FormatError, match=rf"{at}.zip.*\n?.*archive cannot be read"),
            dialogues_file(tmp_path / f"{at}.zip"),
        ):
            pass


def test_what_is_wrong_inside_names_the_archive(tmp_path: Path) -> None:
    archive = packed(tmp_path / "data.zip", data__dialogues="{oh")
    with pytest.raises(FormatError) as caught, dialogues_file(archive) as file:
        disk.read_json(file)
    assert caught.value.path == str(archive / "data" / "dialogues.json")
