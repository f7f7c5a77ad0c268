"""The body of a pre-trained network, which reads tokens, without the head of a task; with its tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import transformers

from duologue.core.errors import StorageError
from duologue.models.pretrained.language_model import TRUSTED, demand_no_more, demand_size, loading
from duologue.models.pretrained.source import demand_harmless

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def load_body(folder: Path, **options: Any) -> tuple[Any, Any]:
    """Read body and tokenizer from a folder in Hugging Face's form; its code is never run.

    `options` are further ones of transformers. Raises `FormatError` for a folder that is more than data, and
    `StorageError` for one that is no encoder.
    """
    demand_harmless(folder)
    with loading(folder, "encoder"):
        config = transformers.AutoConfig.from_pretrained(folder, **TRUSTED)
        demand_size(folder, config, transformers.AutoModel)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **TRUSTED)
        model, found = transformers.AutoModel.from_pretrained(
            folder,
            use_safetensors=True,
            attn_implementation="eager",
            output_loading_info=True,
            **options,
            **TRUSTED,
        )
    missing = sorted(name for name in found["missing_keys"] if "pooler" not in name)  # which is not used
    if missing:
        raise StorageError(f"{folder}: {len(missing)} weights are missing ({missing[0]}, ...): this is no encoder")
    demand_no_more(folder, _of_the_body(model, found["unexpected_keys"]))
    return model, tokenizer


def _of_the_body(model: Any, names: Iterable[str]) -> list[str]:
    """Return the names of weights that lie in the body; others are of a task that it was trained for."""
    parts = {name for name, _ in model.named_children()}
    return [name for name in names if name.removeprefix(f"{model.base_model_prefix}.").split(".")[0] in parts]
