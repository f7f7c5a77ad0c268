"""What the folder of an embedding model says of itself, in the form of sentence-transformers.

`modules.json` names the steps from a text to its vector: a body in Hugging Face's form, pooling, dense layers. A folder
without it is a body whose vectors are averaged. The folder may be a stranger's: it is data, its steps are of the kinds
known here, and each lies in this folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from duologue.core.disk import read_json
from duologue.core.errors import FormatError
from duologue.core.records import Problem
from duologue.models.pretrained.source import CONFIG, demand_harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

Pooling = Literal["cls", "mean", "lasttoken"]

MODULES = "modules.json"
_BODY_SETTINGS, _PROMPTS = "sentence_bert_config.json", "config_sentence_transformers.json"
_OLD_POOLING: dict[str, str] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
"""Entries of older versions, one for each way of pooling."""
_ACTIVATIONS = ("torch.nn.modules.activation.Tanh", "torch.nn.modules.linear.Identity")
"""Of dense layers: such an entry names a class, and only these are made."""
_KINDS = ("Transformer", "Pooling", "Dense", "Normalize")
_PARTS = ("*.json", "*.safetensors", "*.txt", "*.model")
WIDEST = 65_536
"""Numbers of a vector at most."""


class Dense(NamedTuple):
    """A dense layer after the pooling."""

    folder: Path
    wide: int
    """Numbers that it gives."""
    bias: bool
    tanh: bool


class EncoderLayout(NamedTuple):
    """The parts of an embedding model."""

    body: Path
    """Folder of the network that reads tokens."""
    pooling: Pooling
    steps: tuple[Dense | None, ...]
    """What follows the pooling: dense layers, and `None` where a vector gets the length 1."""
    dimensions: int
    longest: int | None
    """Tokens of a text that are read, where the folder says it."""
    lower: bool
    """Whether texts are read in lower case."""
    prompt: str
    """What stands before every text."""
    files: tuple[Path, ...]
    """All files that decide vectors."""


def layout_of(folder: Path) -> EncoderLayout:
    """Return the parts of the embedding model in a folder.

    Raises `FormatError` for a step that is not known, for one outside of the folder, and for a body that is more than
    data; `StorageError` for a file that cannot be read.
    """
    listed = _listed(folder)
    kinds = [kind for kind, _ in listed]
    if kinds[:1] != ["Transformer"] or kinds[1:2] not in ([], ["Pooling"]) or {*kinds[2:]} & {*_KINDS[:2]}:
        raise _refusal(folder / MODULES, f"expected Transformer, Pooling, then Dense or Normalize; found {kinds}")
    body = listed[0][1]
    demand_harmless(body)
    settings = _table(body / _BODY_SETTINGS)
    prompts = _table(folder / _PROMPTS)
    pooling: Pooling = "mean"
    if len(listed) > 1:
        pooling = _pooling(listed[1][1] / CONFIG, prompts=any((prompts.get("prompts") or {}).values()))
    wide = _number(body / CONFIG, _table(body / CONFIG), ("hidden_size", "dim", "n_embd", "d_model"))
    steps = []
    for kind, place in listed[2:]:
        dense = None if kind == "Normalize" else _dense(place)
        steps.append(dense)
        wide = wide if dense is None else dense.wide
    longest = settings.get("max_seq_length")
    return EncoderLayout(
        body=body,
        pooling=pooling,
        steps=tuple(steps),
        dimensions=wide,
        longest=longest if isinstance(longest, int) and longest > 0 else None,
        lower=settings.get("do_lower_case") is True,
        prompt=_prompt(prompts),
        files=tuple(dict.fromkeys(_files(folder, [place for _, place in listed]))),
    )


def _listed(folder: Path) -> list[tuple[str, Path]]:
    """Return kind and folder of each step."""
    path = folder / MODULES
    if not path.is_file():
        return [("Transformer", folder)]
    told, _, _ = read_json(path)
    found = []
    for one in told if isinstance(told, list) else [None]:
        names = one if isinstance(one, dict) else {}
        kind, name = str(names.get("type", "")).rpartition(".")[2], str(names.get("path", ""))
        if kind not in _KINDS:
            raise _refusal(path, f"step '{str(names.get('type'))[:80]}' is none of {', '.join(_KINDS)}")
        if name in {".", ".."} or name != Path(name).name or "\\" in name:
            raise _refusal(path, f"'{name[:80]}' is no folder in this one")
        found.append((kind, folder / name))
    return found


def _pooling(path: Path, *, prompts: bool) -> Pooling:
    table = _table(path)
    modes = table.get("pooling_mode")
    if modes is None:
        modes = [mode for key, mode in _OLD_POOLING.items() if table.get(key) is True] or ["mean"]
    several = modes if isinstance(modes, list) else [modes]
    if len(several) != 1 or several[0] not in {"cls", "mean", "lasttoken"}:
        raise _refusal(
            path, f"pooling by {str(several)[:80]} is not known; known are cls, mean and lasttoken, one alone"
        )
    if prompts and table.get("include_prompt") is False:
        raise _refusal(path, "prompts that are not pooled are not known")
    return cast("Pooling", several[0])


def _dense(folder: Path) -> Dense:
    path = folder / CONFIG
    table = _table(path)
    activation = table.get("activation_function")
    if activation not in _ACTIVATIONS:
        raise _refusal(path, f"activation '{str(activation)[:80]}' is none of {', '.join(_ACTIVATIONS)}")
    if {table.get(f"module_{end}put_name", "sentence_embedding") for end in ("in", "out")} != {"sentence_embedding"}:
        raise _refusal(path, "a dense layer of tokens is not known, only one of whole texts")
    wide = _number(path, table, ("out_features",))
    return Dense(folder, wide, table.get("bias") is not False, activation == _ACTIVATIONS[0])


def _prompt(table: dict[str, Any]) -> str:
    prompts, name = table.get("prompts"), table.get("default_prompt_name")
    return str(prompts.get(name) or "") if isinstance(prompts, dict) and isinstance(name, str) else ""


def _number(path: Path, table: dict[str, Any], names: tuple[str, ...]) -> int:
    for name in names:
        if isinstance(found := table.get(name), int) and 0 < found <= WIDEST:
            return found
    raise _refusal(path, f"'{names[0]}' is no number from 1 to {WIDEST:,}")


def _files(folder: Path, places: list[Path]) -> Iterator[Path]:
    for place in (folder, *places):
        for pattern in _PARTS:
            yield from sorted(path for path in place.glob(pattern) if path.is_file())


def _table(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    found, _, _ = read_json(path)
    return found if isinstance(found, dict) else {}


def _refusal(path: Path, message: str) -> FormatError:
    return FormatError(path, [Problem(rule="unknown-step", message=message)])
