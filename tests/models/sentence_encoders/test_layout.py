from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import FormatError
from duologue.models.sentence_encoders.layout import layout_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

TYPES = "sentence_transformers.models."
STEPS = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense"), ("3_Normalize", "Normalize")]


def made(folder: Path, files: Mapping[str, object] | None = None, steps: Sequence[tuple[str, str]] = STEPS) -> Path:
    """Make the files of an embedding model, without any weights in them."""
    listed = [{"idx": n, "path": path, "type": TYPES + kind} for n, (path, kind) in enumerate(steps)]
    own: dict[str, object] = {
        "modules.json": listed,
        "config.json": {"model_type": "bert", "hidden_size": 32},
        "1_Pooling/config.json": {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False},
        "2_Dense/config.json": {"out_features": 8, "activation_function": "torch.nn.modules.activation.Tanh"},
        **(files or {}),
    }
    for name, content in own.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(json.dumps(content))
    (folder / "model.safetensors").write_bytes(b"")
    return folder


def test_the_steps_of_a_folder_are_read(tmp_path: Path) -> None:
    found = layout_of(made(tmp_path / "mine"))
    assert (found.pooling, found.dimensions, found.longest, found.lower, found.prompt) == ("mean", 8, None, False, "")
    dense, length = found.steps
    assert dense is not None
    assert (dense.wide, dense.bias, dense.tanh, length) == (8, True, True, None)
    assert {path.relative_to(tmp_path / "mine").as_posix() for path in found.files} >= {
        "modules.json", "model.safetensors", "1_Pooling/config.json", "2_Dense/config.json",
    }  # fmt: skip


def test_the_types_of_newer_versions_are_the_same_steps(tmp_path: Path) -> None:
    types = {"": "base.modules.transformer.Transformer", "1_Pooling": "sentence_transformer.modules.pooling.Pooling"}
    listed = [{"path": path, "type": f"sentence_transformers.{kind}"} for path, kind in types.items()]
    pooling = {"pooling_mode": "lasttoken", "embedding_dimension": 32}
    found = layout_of(made(tmp_path, {"modules.json": listed, "1_Pooling/config.json": pooling}))
    assert (found.pooling, found.dimensions) == ("lasttoken", 32)


@pytest.mark.parametrize("path", ["../other", "/etc", "..", ".", "a/b", "..\\other"])
def test_no_step_lies_outside_of_the_folder(tmp_path: Path, path: str) -> None:
    for place in range(len(STEPS)):
        steps = [(path if at == place else own, kind) for at, (own, kind) in enumerate(STEPS)]
        with pytest.raises(FormatError, match="is no folder in this one"):
            layout_of(made(tmp_path / "mine", steps=steps))


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("modules.json", [{"path": "", "type": "custom_st.Model"}], "step 'custom_st.Model' is none of"),
        ("modules.json", [{"path": "", "type": TYPES + "CLIPModel"}], "is none of"),
        ("modules.json", {"a": 1}, "is none of"),
        ("modules.json", [{"path": "", "type": TYPES + "Pooling"}], "expected Transformer, Pooling"),
        ("1_Pooling/config.json", {"pooling_mode": "max"}, "pooling by"),
        ("1_Pooling/config.json", {"pooling_mode": ["mean", "cls"]}, "pooling by"),
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "pooling by"),
        ("2_Dense/config.json", {"out_features": 8, "activation_function": "os.system"}, "activation 'os.system'"),
        ("2_Dense/config.json", {"activation_function": "torch.nn.modules.activation.Tanh"}, "is no number"),
        ("config.json", {"model_type": "bert", "hidden_size": 10**9}, "is no number from 1"),
        ("config.json", {"model_type": "bert", "hidden_size": 8, "auto_map": {"AutoModel": "code.Model"}}, "auto_map"),
    ],
)  # fmt: skip
def test_what_is_more_than_data_or_not_known_is_refused(tmp_path: Path, file: str, content: object, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        layout_of(made(tmp_path, {file: content}))


def test_a_body_in_a_folder_of_its_own_is_looked_at_too(tmp_path: Path) -> None:
    steps = [("0_Transformer", "Transformer"), *STEPS[1:]]
    with pytest.raises(FormatError, match="expected a model in Hugging Face's form"):
        layout_of(made(tmp_path, steps=steps))
    config = {"model_type": "bert", "hidden_size": 16}
    (tmp_path / "0_Transformer").mkdir()
    (tmp_path / "0_Transformer/config.json").write_text(json.dumps(config))
    (tmp_path / "0_Transformer/model.safetensors").write_bytes(b"")
    assert layout_of(tmp_path).body == tmp_path / "0_Transformer"


def test_prompts_that_are_not_pooled_are_refused(tmp_path: Path) -> None:
    prompts = {"prompts": {"query": "find: "}, "default_prompt_name": "query"}
    pooling = {"pooling_mode": "mean", "include_prompt": False}
    files: dict[str, object] = {"config_sentence_transformers.json": prompts}
    assert layout_of(made(tmp_path, files)).prompt == "find: "
    with pytest.raises(FormatError, match="prompts that are not pooled"):
        layout_of(made(tmp_path, files | {"1_Pooling/config.json": pooling}))
