"""A pre-trained causal or encoder-decoder language model with its tokenizer: it writes texts and scores them.

Attention is always computed in the plain form ("eager"): fused kernels differ in their last bits between machines, and
some of them cannot be trained with the same result twice.

Shapes: b texts, t tokens, v vocabulary.
"""

from __future__ import annotations

import math
import os
import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
import transformers
from torch.nn import functional

from duologue.core.errors import StorageError, UsageError
from duologue.core.extras import need
from duologue.models.devices import device_at_hand
from duologue.models.inference import inference
from duologue.models.pretrained.source import CONFIG, demand_harmless
from duologue.models.weights import first_weights, saving, shapes_in, torch_seed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from torch import Tensor

    from duologue.models.pretrained.options import TextDecoding

IGNORED = -100
"""Label of tokens that are not learned, as transformers has it."""
TRUSTED = {"local_files_only": True, "trust_remote_code": False}
"""How everything is read: from the folder alone, and none of its code is run."""
_ONE_AT_A_TIME = threading.Lock()
"""Texts are written one after the other: the chance of torch is that of all threads (`serve` has several)."""
LAYERS = ("num_hidden_layers", "num_layers", "num_decoder_layers", "encoder_layers", "decoder_layers")
"""Entries of a configuration that count layers, each of which has weights."""
_NO_WEIGHTS = re.compile(r"(^|\.)(masked_bias|position_ids|inv_freq)$")
"""Constants that older versions of transformers kept beside the weights, and that newer ones make themselves."""
_MUCH = 4
"""How many times as large a model may be as its weights: which of them are missing is told when it is loaded."""
_BLANK = ("\u2581", "\u0120")
"""Signs for the blank before a word, of sentencepiece and of tokenizers by bytes."""
_OWN = ("decoder_start_token_id", "bos_token_id", "forced_bos_token_id", "forced_eos_token_id")
"""Of a model's own settings of generation those that are kept: how its decoder begins and ends."""
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_GAP = re.compile(f"(?<=[{_WIDE}]) | (?=[{_WIDE}])")
"""Blanks beside a Chinese sign, which tokenizers by signs leave between tokens."""


class LanguageModel:
    """The model and its tokenizer, in memory."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.seq2seq = bool(model.config.is_encoder_decoder)
        ends = [one for one in (tokenizer.eos_token_id, tokenizer.sep_token_id) if one is not None]
        if not ends:
            raise UsageError("the model's tokenizer has no token that ends a text (eos_token or sep_token)")
        self.end = int(ends[0])
        pad, rows = tokenizer.pad_token_id, model.get_input_embeddings().weight.shape[0]
        self.pad = self.end if pad is None or pad >= rows else int(pad)  # many were added without a vector
        tokenizer.truncation_side = "left"
        begin, first = tokenizer.bos_token_id, tokenizer("a")["input_ids"][:1]
        self.begin = [] if self.seq2seq or begin is None or first != [begin] else first
        """What every text of a causal model begins with, where its tokenizer says so."""

    @classmethod
    def load(cls, folder: Path, *, dtype: str = "float32") -> LanguageModel:
        """Read a model from a folder; nothing is looked for elsewhere and no code of the folder is run.

        Raises `FormatError` for a folder that is more than data, `StorageError` for one that is no whole model, and
        `MissingExtraError` for a tokenizer that takes a further library.
        """
        demand_harmless(folder)
        if not (folder / "tokenizer.json").is_file() and any(folder.glob("*.model")):
            for library in ("sentencepiece", "google.protobuf"):
                need(library, "sentencepiece")
        with loading(folder, "language model"):
            config = transformers.AutoConfig.from_pretrained(folder, **TRUSTED)
            seq2seq = bool(getattr(config, "is_encoder_decoder", False))
            kind = transformers.AutoModelForSeq2SeqLM if seq2seq else transformers.AutoModelForCausalLM
            demand_size(folder, config, kind)
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **TRUSTED)
            model, found = kind.from_pretrained(
                folder,
                config=config,
                dtype=getattr(torch, dtype),
                use_safetensors=True,
                attn_implementation="eager",
                output_loading_info=True,
                **TRUSTED,
            )
        missing = sorted(found["missing_keys"])
        if missing:
            raise StorageError(
                f"{folder}: {len(missing)} weights are missing ({missing[0]}, ...): this is no language model for "
                f"{'texts to texts' if seq2seq else 'texts that go on'}"
            )
        demand_no_more(folder, found["unexpected_keys"])
        if not set(tokenizer.get_vocab()) - set(tokenizer.all_special_tokens):
            raise StorageError(
                f"{folder}: the tokenizer knows no tokens but marks; its files are missing: copy them too"
            )
        own = model.generation_config
        kept = {name: getattr(own, name, None) for name in (*_OWN, "eos_token_id", "pad_token_id")}
        model.generation_config = transformers.GenerationConfig(**kept)  # others would fill what a search leaves open
        made = cls(model.eval(), tokenizer)
        if seq2seq and model.config.pad_token_id is None:  # what is written begins with padding while it is learned
            model.config.pad_token_id = made.pad
        return made

    def save(self, folder: Path) -> None:
        """Write weights (safetensors), configuration and tokenizer; nothing of this machine is in them."""
        self.model.config.name_or_path = ""
        self.tokenizer.name_or_path = ""
        self.tokenizer.init_kwargs.pop("name_or_path", None)
        with quiet(), saving(folder) as made:
            self.model.save_pretrained(made)
            self.tokenizer.save_pretrained(made)

    def learn_marks(self, marks: Sequence[str], seed: int) -> None:
        """Make each mark a token of its own; new ones get the first weights of a seed."""
        added = [transformers.AddedToken(mark, special=True, normalized=False) for mark in marks]
        self.tokenizer.add_tokens(added, special_tokens=True)
        if len(self.tokenizer) > self.model.get_input_embeddings().weight.shape[0]:
            with first_weights(seed), quiet():
                self.model.resize_token_embeddings(len(self.tokenizer), mean_resizing=False)

    def place(self, device: str) -> None:
        """Move the model to a device, or to the CPU where that is a GPU and there is none."""
        self.model.to(device_at_hand(device))

    def plain(self, text: str, marks: Collection[str] = ()) -> str:
        """Return words in which none is read as a mark of the tokenizer, but for `marks`: a blank parts those that are.

        Marks are its special tokens and whatever else of its added ones the chat form writes.
        """
        form = str(self.tokenizer.chat_template or "")
        added = self.tokenizer.added_tokens_decoder.values()
        known = tuple(
            token.content
            for token in added
            if (token.special or token.content in form) and token.content.strip() and token.content not in marks
        )
        if not any(token in text for token in known):
            return text
        signs = [
            sign if not text.startswith(known, place) else " " if sign in known else f"{sign} "
            for place, sign in enumerate(text)
        ]
        return "".join(signs)

    @property
    def chat_form(self) -> bool:
        """Whether the tokenizer says how a chat is written."""
        return bool(self.tokenizer.chat_template)

    def chat(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Return messages (`role` and `content`) in the chat form of the model, up to where it answers.

        What they say never reads as a mark of the form. Where the form has no place for a system message, that stands
        before the first question. Raises `UsageError` for a form that cannot write the messages even so.
        """
        told = [dict(one) | {"content": self.plain(one["content"])} for one in messages]
        try:
            return self._in_chat_form(told)
        except Exception as error:  # the form is a program of the model's own: it raises anything
            if len(told) > 1 and told[0]["role"] == "system" and told[1]["role"] == "user":
                first = told[1] | {"content": f"{told[0]['content']}\n\n{told[1]['content']}"}
                return self.chat([first, *told[2:]])
            why = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise UsageError(
                f"the model's chat form cannot write the question ({why}); give --set linearization=plain"
            ) from error

    def _in_chat_form(self, messages: list[dict[str, str]]) -> str:
        found: str = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return found

    def source_tokens(self, text: str, longest: int, *, room: int) -> list[int]:
        """Return the last `longest` tokens of a text to go on with, and no more than leave `room` for the answer."""
        places = self._places()
        if places is not None:
            longest = min(longest, places if self.seq2seq else places - self.room(room))
        longest = max(1, longest - len(self.begin))
        tokens: list[int] = self.tokenizer(text, add_special_tokens=self.seq2seq, truncation=True, max_length=longest)[
            "input_ids"
        ]
        if self.begin and tokens[:1] != self.begin:  # a chat form may have written it
            tokens = [*self.begin, *tokens]
        return tokens or [self.end]

    def is_cut(self, text: str, tokens: Sequence[int]) -> bool:
        """Tell whether a text has more tokens than those to go on with."""
        more: list[int] = self.tokenizer(
            text, add_special_tokens=self.seq2seq, truncation=True, max_length=len(tokens) + 1
        )["input_ids"]
        return len(more) > len(tokens) - (0 if more[:1] == self.begin else len(self.begin))

    def target_tokens(self, text: str, longest: int, *, apart: bool = False) -> list[int]:
        """Return the tokens of an answer with the one that ends it, the first `longest`.

        `apart`: it goes on after a word with a blank between them, as English does; most tokenizers make the blank a
        part of the word behind it, and others put it there themselves.
        """
        if apart and not self.seq2seq and text[:1].isascii():
            first = self.tokenizer.tokenize(text)[:1]
            text = text if first and first[0].startswith(_BLANK) else f" {text}"
        tokens: list[int] = self.tokenizer(text, add_special_tokens=self.seq2seq)["input_ids"]
        if not tokens or tokens[-1] != self.end:
            tokens = [*tokens, self.end]
        return tokens[: self.room(longest)]

    def room(self, longest: int) -> int:
        """Return how many tokens an answer may have: `longest`, and in a causal model no more than half its places."""
        places = self._places()
        return longest if places is None else min(longest, places if self.seq2seq else places // 2)

    def write(
        self,
        sources: Sequence[Sequence[int]],
        how: TextDecoding,
        *,
        end: str = "",
        seed: int = 0,
    ) -> list[str]:
        """Return what follows each source, up to the mark `end` or the end of the text, without marks."""
        if not sources:
            return []
        ends = [self.end]
        if end:
            ends.append(self.tokenizer.convert_tokens_to_ids(end))
        tokens, seen = self._padded_left(sources)
        with _ONE_AT_A_TIME, inference(self.model), torch.random.fork_rng(devices=self._cuda()), quiet():
            torch.manual_seed(torch_seed(seed))
            made = self.model.generate(
                input_ids=tokens, attention_mask=seen, generation_config=self._decoding(how, ends)
            )
        first = 0 if self.seq2seq else tokens.shape[1]
        return [self.text(row) for row in made[:, first:].tolist()]

    def text(self, tokens: Sequence[int]) -> str:
        """Return tokens as text, without special ones and without blanks beside Chinese signs."""
        found = self.tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return _GAP.sub("", found).strip()

    def log_likelihoods(self, source: Sequence[int], targets: Sequence[Sequence[int]]) -> list[float]:
        """Return the log-likelihood of each target after the source, summed over its tokens."""
        batch = self.batch([(list(source), list(target)) for target in targets], learn_source=False)
        with inference(self.model):
            found: list[float] = (-_token_losses(self.model, batch).double().sum(1)).tolist()
        return found

    def batch(self, rows: Sequence[tuple[list[int], list[int]]], *, learn_source: bool) -> dict[str, Tensor]:
        """Return pairs of source and target tokens as a batch for the model, with labels."""
        if self.seq2seq:
            tokens, seen = _padded([source for source, _ in rows], self.pad)
            labels, _ = _padded([target for _, target in rows], IGNORED)
            named = {"input_ids": tokens, "attention_mask": seen, "labels": labels}
            named["decoder_input_ids"] = self.model.prepare_decoder_input_ids_from_labels(labels.clone())
        else:
            tokens, seen = _padded([[*source, *target] for source, target in rows], self.pad)
            known = [[*(source if learn_source else [IGNORED] * len(source)), *target] for source, target in rows]
            named = {"input_ids": tokens, "attention_mask": seen, "labels": _padded(known, IGNORED)[0]}
        return {name: one.to(self.model.device) for name, one in named.items()}

    def _decoding(self, how: TextDecoding, ends: Sequence[int]) -> Any:
        """Return the settings of a search: nothing of the model's own settings but how its decoder begins."""
        own = self.model.generation_config
        begin = {name: getattr(own, name, None) or getattr(self.model.config, name, None) for name in _OWN}
        if begin["decoder_start_token_id"] is None:
            begin["decoder_start_token_id"] = getattr(self.model.config, "decoder_start_token_id", None)
        sampled = how.search == "sample"
        chosen = {"top_k": how.top_k, "top_p": how.top_p, "temperature": how.temperature} if sampled else {}
        return transformers.GenerationConfig(
            **begin,
            **chosen,
            eos_token_id=list(ends),
            pad_token_id=self.pad,
            do_sample=sampled,
            num_beams=how.beam if how.search == "beam" else 1,
            **({"length_penalty": how.length_penalty} if how.search == "beam" and how.beam > 1 else {}),
            max_new_tokens=self.room(how.longest),
        )

    def _padded_left(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        longest = max(map(len, rows))
        side = [[self.pad] * (longest - len(row)) for row in rows]
        tokens = torch.tensor([[*more, *row] for more, row in zip(side, rows, strict=True)])
        seen = torch.tensor([[0] * len(more) + [1] * len(row) for more, row in zip(side, rows, strict=True)])
        return tokens.to(self.model.device), seen.to(self.model.device)

    def _places(self) -> int | None:
        """Return how many tokens the model has places for; `None` where it counts distances."""
        found = getattr(self.model.config, "max_position_embeddings", None)
        return int(found) if isinstance(found, int) and found > 0 else None

    def _cuda(self) -> list[int]:
        device = self.model.device
        return [device.index or 0] if device.type == "cuda" else []


def demand_size(folder: Path, config: Any, kind: Any) -> None:
    """Raise `StorageError` where a configuration tells of a much larger model than the weights of its folder are.

    It may be a stranger's, and transformers takes memory and time for all that it tells of before it compares. So the
    model is built without memory first (`kind.from_config`), and not at all where it has more layers than weights.
    """
    numbers = weights = 0
    for path in sorted(folder.glob("*.safetensors")):
        shapes = shapes_in(path)
        weights += len(shapes)
        numbers += sum(map(math.prod, shapes.values()))
    for name in LAYERS:
        layers = getattr(config, name, None)
        if isinstance(layers, int) and layers > weights:
            raise StorageError(f"{folder / CONFIG}: '{name}' is {layers:,}, and the folder has {weights:,} weights")
    with torch.device("meta"):
        built = kind.from_config(config, trust_remote_code=False)
    wanted = sum(one.numel() for name, one in built.named_parameters() if "pooler" not in name)  # which is not used
    if wanted > _MUCH * numbers:
        raise StorageError(
            f"{folder / CONFIG} tells of a model of {wanted:,} numbers, and the weights beside it have {numbers:,}"
        )


def demand_no_more(folder: Path, unexpected: Iterable[str]) -> None:
    """Raise `StorageError` where a folder has weights that its model has no place for, by transformers' own account."""
    left = sorted(name for name in unexpected if not _NO_WEIGHTS.search(name))
    if left:
        raise StorageError(
            f"{folder}: {len(left)} weights have no place in the model that {CONFIG} tells of ({left[0]}, ...): it "
            f"would answer without them; take configuration and weights of the same model"
        )


def _padded(rows: Sequence[Sequence[int]], fill: int) -> tuple[Tensor, Tensor]:
    """Return rows of tokens padded at the end, and a mask with 1 for those that are real, both (b, t)."""
    longest = max(map(len, rows))
    tokens = torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows])
    seen = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    return tokens, seen


def mean_loss(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """Return the mean negative log-likelihood of the tokens to learn of a batch."""
    labels = batch["labels"] if model.config.is_encoder_decoder else batch["labels"][:, 1:]
    return _token_losses(model, batch).sum() / (labels != IGNORED).sum()


def _token_losses(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """Return the negative log-likelihood of each token to learn (b, t), 0 for the others."""
    given = {name: one for name, one in batch.items() if name != "labels"}
    logits, labels = model(**given).logits.float(), batch["labels"]  # (b, t, v), (b, t)
    if not model.config.is_encoder_decoder:  # each place tells of the next one
        logits, labels = logits[:, :-1], labels[:, 1:]
    losses = functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="none")
    return losses.reshape(labels.shape)


@contextmanager
def loading(folder: Path, what: str) -> Iterator[None]:
    """Load a model in the block, `quiet`; what transformers cannot load is a `StorageError` that names the folder."""
    with quiet():
        try:
            yield
        except StorageError:
            raise
        except Exception as error:  # transformers raises what its parts raise: OSError, ValueError, KeyError, ...
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise StorageError(f"{folder} holds no {what} that can be loaded: {first}") from error


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers from writing to the terminal in the block: what matters is raised or told by us."""
    logs = transformers.utils.logging
    level, bars = logs.get_verbosity(), logs.is_progress_bar_enabled()
    before = os.environ.get("TOKENIZERS_PARALLELISM")
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # else it warns of every process that is started later
    logs.set_verbosity_error()
    logs.disable_progress_bar()
    try:
        yield
    finally:
        logs.set_verbosity(level)
        if bars:
            logs.enable_progress_bar()
        if before is None:
            os.environ.pop("TOKENIZERS_PARALLELISM", None)
        else:
            os.environ["TOKENIZERS_PARALLELISM"] = before
