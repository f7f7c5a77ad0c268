from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.errors import FormatError, MissingExtraError, NoSpaceError, StorageError, UsageError
from duologue.models.pretrained.source import find_model, shown_name

if TYPE_CHECKING:
    from pathlib import Path


def make_folder(folder: Path, weights: str = "model.safetensors", **config: Any) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"model_type": "gpt2", **config}))
    (folder / weights).write_bytes(b"")
    return folder


def test_a_folder_is_taken_as_it_is_and_told_by_its_name_and_files(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "mine")
    found = find_model(str(folder))
    assert (found.folder, found.name) == (folder, "mine")
    (folder / "model.safetensors").write_bytes(b"other")
    assert find_model(str(folder)).mark != found.mark
    assert str(tmp_path) not in found.mark


def test_a_folder_is_no_name_of_the_hub_though_it_looks_like_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").mkdir()
    make_folder(tmp_path / "models/mine")
    monkeypatch.chdir(tmp_path)
    assert shown_name("models/mine") == find_model("models/mine").name == "mine"
    assert shown_name("models/other") == "models/other"


def test_what_is_neither_folder_nor_name_is_refused() -> None:
    for name in ("", "./nowhere", "a/b/c", "../x", "/no/such/folder", "owner/"):
        with pytest.raises(UsageError, match="no such folder"):
            find_model(name)


def test_folders_have_no_revisions(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="folders have no revisions"):
        find_model(str(make_folder(tmp_path / "mine")), "main")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("auto_map", {"AutoModelForCausalLM": "code.Model"}),
        ("transformers_weights", "other.bin"),
        ("custom_generate", "generate.py"),
        ("vocab", "/etc/hostname"),
    ],
)
@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json", "generation_config.json"])
def test_code_and_names_of_files_are_refused(tmp_path: Path, file: str, key: str, value: object) -> None:
    folder = make_folder(tmp_path / "odd")
    (folder / file).write_text(json.dumps({"model_type": "gpt2", key: value}))
    with pytest.raises(FormatError, match=key):
        find_model(str(folder))


@pytest.mark.parametrize("part", ["../model.safetensors", "/model.safetensors", "part.bin", "sub\\..\\x", 3])
def test_weights_in_parts_lie_in_the_folder_as_safetensors(tmp_path: Path, part: object) -> None:
    folder = make_folder(tmp_path / "parts")
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "model.safetensors", "b": "model.safetensors"}}))
    assert find_model(str(folder)).name == "parts"
    index.write_text(json.dumps({"weight_map": {"a": "model.safetensors", "b": part}}))
    with pytest.raises(FormatError, match="is no file of safetensors of this folder"):
        find_model(str(folder))


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="unpickling such files may run any code"):
        find_model(str(make_folder(tmp_path / "old", "pytorch_model.bin")))


def test_an_adapter_that_names_its_model_is_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "adapter")
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "/etc"}')
    with pytest.raises(FormatError, match="names another model"):
        find_model(str(folder))


def test_a_damaged_configuration_is_told_with_its_place(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "torn")
    (folder / "config.json").write_text("{")
    with pytest.raises(FormatError, match="not valid JSON"):
        find_model(str(folder))
    (folder / "config.json").unlink()
    with pytest.raises(FormatError, match=r"there is no config\.json"):
        find_model(str(folder))


def test_a_name_of_the_hub_is_fetched_by_the_hubs_library_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    folder, asked = make_folder(tmp_path / "cache"), []

    def snapshot_download(name: str, **options: Any) -> str:
        asked.append((name, options["revision"]))
        assert not any(pattern.endswith(".bin") for pattern in options["allow_patterns"])
        return str(folder)

    monkeypatch.setattr(hub, "snapshot_download", snapshot_download)
    found = find_model("owner/model-1.0", "v2")
    assert found.mark.startswith("owner/model-1.0 ")
    assert asked == [("owner/model-1.0", "v2")]


def test_offline_a_name_that_was_never_fetched_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub")
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(StorageError, match="cannot be fetched from the hub"):
        find_model("owner/never-fetched")


def test_a_full_disk_of_the_hubs_cache_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """The advice was to look after the name and the network."""
    hub = pytest.importorskip("huggingface_hub")

    def snapshot_download(*_: Any, **__: Any) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(hub, "snapshot_download", snapshot_download)
    with pytest.raises(NoSpaceError, match=r"cannot fetch 'owner/large' from the hub: no space left .*HF_HOME"):
        find_model("owner/large")


def test_without_the_hubs_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"duologue\[hub\]"):
        find_model("owner/model")
