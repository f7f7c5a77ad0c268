"""Folder of a pre-trained model: a local one as it is, or one of the hub that is fetched because the user named it.

A stranger's model is data: its weights are safetensors, and none of its files may bring code, name another model or
another file.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.disk import decode_text, lacks_space, read_bytes, resolved
from duologue.core.errors import FormatError, NoSpaceError, StorageError, UsageError
from duologue.core.extras import need
from duologue.core.identity import hash_of_model
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = "config.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?")
_FETCHED = ("*.json", "*.safetensors", "*.txt", "*.model", "*.jinja")
_NOT_FETCHED = ("*/*", "*.bin", "*.pt", "*.pkl", "*.msgpack", "*.h5", "*.py")
_HASH_SHOWN = 12
_INDEX = ".index.json"


class ModelSource(NamedTuple):
    """A pre-trained model in a folder of this machine."""

    folder: Path
    name: str
    """Name of the hub, or the name of the local folder without the path to it."""
    mark: str
    """Name, and the beginning of the hash of all files: what decides its answers."""


def find_model(model: str, revision: str = "") -> ModelSource:
    """Return the model that a user names: the path of a folder, or `owner/name` of the hub.

    A folder is never looked for elsewhere. A name of the hub is fetched with `revision` unless it is in the cache of
    the hub's library; with HF_HUB_OFFLINE=1 it has to be. Raises `UsageError` for neither, `FormatError` for a folder
    with code, without safetensors or with names of other files.
    """
    path = Path(model).expanduser()
    if not model or not path.is_dir():
        if not _NAME.fullmatch(model):
            raise UsageError(
                f"--set model={model}: there is no such folder, and it is no name of the hub (owner/name); give the "
                f"folder of a model in Hugging Face's form, or its name"
            )
        path = _fetched(model, revision)
        demand_harmless(path)
        return ModelSource(path, model, f"{model} {hash_of_model(path)[:_HASH_SHOWN]}")
    if revision:
        raise UsageError(f"--set revision={revision}: {path} is a folder, and folders have no revisions; leave it out")
    demand_harmless(path)
    name = resolved(path).name
    return ModelSource(path, name, f"{name} {hash_of_model(path)[:_HASH_SHOWN]}")


def shown_name(model: str) -> str:
    """Return how a model is called beside a score: a name of the hub as it is, a folder without the path to it.

    >>> shown_name("owner/name"), shown_name("/home/me/my-model/")
    ('owner/name', 'my-model')
    """
    path = Path(model).expanduser()
    if model and path.is_dir():  # as `find_model` takes it, though it may look like a name of the hub
        return resolved(path).name
    return model if _NAME.fullmatch(model) else path.name


def demand_harmless(folder: Path) -> None:
    """Raise `FormatError` where the files of a model would do more than describe it; all problems are told."""
    problems = list(_problems(folder))
    if problems:
        raise FormatError(folder, problems)


def _problems(folder: Path) -> Iterator[Problem]:
    if not (folder / CONFIG).is_file():
        yield Problem(rule="no-config", message=f"there is no {CONFIG}: expected a model in Hugging Face's form")
        return
    if not any(path.is_file() for path in folder.glob("*.safetensors")):
        pickled = any(folder.glob("*.bin"))
        yield Problem(
            rule="no-safetensors",
            message="there are no weights as safetensors"
            + (", only *.bin: unpickling such files may run any code" if pickled else ""),
            advice="load it where you trust it and save it anew: AutoModel...from_pretrained(x).save_pretrained(y)",
        )
    if (folder / "adapter_config.json").exists():
        yield Problem(
            rule="adapter",
            message="adapter_config.json names another model, which would be loaded instead",
            advice="merge the adapter into its model (PeftModel.merge_and_unload) and save that",
        )
    for path in sorted(folder.glob("*.json")):
        if path.name in {CONFIG, "tokenizer_config.json", "generation_config.json"}:
            yield from _forbidden_keys(path)
        elif path.name.endswith(_INDEX):
            yield from _foreign_parts(path)


def _forbidden_keys(path: Path) -> Iterator[Problem]:
    table = _table(path)
    for key, why in (
        ("auto_map", "code of the model's own, which is never run"),
        ("transformers_weights", "a file of weights by name"),
        ("custom_generate", "code of the model's own, which is never run"),
        ("vocab", "a file of tokens"),
        ("merges", "a file of tokens"),
    ):
        if table.get(key):
            yield Problem(
                rule="code-or-file",
                message=f"'{key}' names {why}",
                place=path.name,
                advice="take a model whose architecture is part of transformers, or remove the key if it is one",
            )


def _foreign_parts(path: Path) -> Iterator[Problem]:
    """Yield a problem where an index of weights in parts names anything but safetensors of its own folder."""
    named = _table(path).get("weight_map")
    for name in dict.fromkeys(map(str, named.values())) if isinstance(named, dict) else ():
        if Path(name).name != name or not name.endswith(".safetensors"):
            yield Problem(
                rule="foreign-part",
                message=f"'{name[:80]}' is no file of safetensors of this folder",
                place=path.name,
                advice="load it where you trust it and save it anew: AutoModel...from_pretrained(x).save_pretrained(y)",
            )
            return


def _table(path: Path) -> dict[str, Any]:
    text, _ = decode_text(read_bytes(path), path)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(path, [Problem(rule="not-json", message=f"not valid JSON: {error}")]) from error
    return found if isinstance(found, dict) else {}


def _fetched(model: str, revision: str) -> Path:
    """Return the folder of the cache with a model of the hub, fetched where it is not there."""
    library = need("huggingface_hub", "hub")
    try:
        return Path(
            library.snapshot_download(
                model, revision=revision or None, allow_patterns=list(_FETCHED), ignore_patterns=list(_NOT_FETCHED)
            )
        )
    except ValueError as error:
        raise UsageError(f"--set model={model}: {error}") from error
    except Exception as error:  # the library has many errors of the network, and they change with its versions
        if lacks_space(error):
            told = (
                f"cannot fetch '{model}' from the hub: no space left on the disk of its library's cache; free some, or"
            )
            raise NoSpaceError(f"{told} set HF_HOME to a folder on another one, and run the command again") from error
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise StorageError(
            f"'{model}' is no folder here, and it cannot be fetched from the hub ({first}); give the path of a folder, "
            f"or a name that the hub has, with the network at hand"
        ) from error
