"""The forms in which `duologue export` writes, in one table: a row and a module for each."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from duologue.core.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable


class ExportFormat(NamedTuple):
    """A form that results or data can be written in."""

    name: str
    about: str
    """What it is, for `--help` and the guide."""
    writer: str
    """`module:function` below this package; imported when it is used."""
    of: Literal["results", "corpus", "data", "judged"] = "results"
    """What the function gets, beside details: saved reports; a task and a corpus of its simulator; a task, a data
    file and truth files; or a note of `duologue judge`. That of data gives a folder of files, that of judged pairs a
    text with counts, the others one text."""

    takes: tuple[str, ...] = ("name", "licence", "date")
    """Of `--name`, `--by`, `--licence` and `--date` those that it has a place for."""
    file_name: str = ""
    """The function that names its file in a folder, where its tool goes by names; gets what the writer does."""

    def load(self) -> Callable[..., Any]:
        """Return the function that makes it."""
        return _function(self.writer)

    def load_file_name(self) -> Callable[..., str]:
        """Return the function that names its file in a folder."""
        return _function(self.file_name)


def _function(path: str) -> Callable[..., Any]:
    module, _, name = path.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(f"duologue.exports.{module}"), name)
    return found


FORMATS = (
    ExportFormat(
        "inspect",
        "a log that `inspect view` lists (--out: a folder of logs that is there)",
        "inspect_log:to_inspect_log",
        takes=("name", "date"),
        file_name="inspect_log:log_file_name",
    ),
    ExportFormat(
        "every-eval-ever",
        "the JSON of Every Eval Ever",
        "every_eval_ever:to_every_eval_ever",
        takes=("name", "by", "date"),
    ),
    ExportFormat(
        "hugging-face",
        "the results in a model card's head, as YAML",
        "hugging_face:to_hugging_face",
        takes=("name", "licence"),
    ),
    ExportFormat(
        "eval-results",
        "a file for `.eval_results/` of a model on the Hub, YAML (--name: the benchmark's data set there)",
        "eval_results:to_eval_results",
        takes=("name", "date"),
    ),
    ExportFormat("model-card", "a model card, as Markdown", "model_card:to_model_card"),
    ExportFormat(
        "croissant",
        "generated data as Croissant, JSON-LD",
        "croissant:to_croissant",
        of="corpus",
        takes=("name", "by", "licence", "date"),
    ),
    ExportFormat("lm-eval", "a task of lm-eval, a folder", "lm_eval_task:to_lm_eval", of="data", takes=("name",)),
    ExportFormat("dpo", "judged pairs for DPO in TRL's form, JSON lines", "dpo:to_dpo", of="judged", takes=()),
    ExportFormat("data-card", "a card of generated data, as Markdown", "data_card:to_data_card", of="corpus"),
)
"""All forms, those of results before those of data."""


def export_format(name: str) -> ExportFormat:
    """Return the form of that name. Raises `UsageError` for an unknown one."""
    found = next((one for one in FORMATS if one.name == name), None)
    if found is None:
        raise UsageError(f"there is no form '{name}'{did_you_mean(name, [one.name for one in FORMATS])}")
    return found
