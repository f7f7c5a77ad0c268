"""A task of lm-evaluation-harness: YAML, the data, and a few lines that hand the scoring to duologue.

Candidates are choices, ranked by their likelihood; texts are generated. The figures are those of `duologue score`; it
must be installed beside lm-eval.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from duologue.core.disk import read_bytes
from duologue.core.errors import UsageError
from duologue.core.records import Answer
from duologue.core.version import __version__
from duologue.exports.harness import documents, load_examples, score_answers
from duologue.exports.yaml_text import YamlFunction, to_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.records import Example, Score
    from duologue.exports.hub import ExportDetails

_NO_NAME = re.compile(r"[^A-Za-z0-9]+")
_MODULE = "scores"
_TOKENS = 128
"""Longest reply that is asked for."""
_CODE = '''"""Documents and scores of this task, by duologue {version} (pip install duologue)."""

from pathlib import Path

from duologue.exports.harness import LmEvalHarness

harness = LmEvalHarness({task!r}, Path(__file__).parent, {data!r}, {golds!r}, {scores!r})
dataset = harness.dataset
process_results = harness.process_results
{functions}
'''


def to_lm_eval(name: str, path: Path, golds: Sequence[Path], details: ExportDetails) -> dict[str, bytes]:
    """Return the files of the exported task of a data file, by their names below its folder.

    Raises `UsageError` for a task whose answers a language model cannot give, and where a truth is missing.
    """
    task, examples = load_examples(name, (path, *golds))
    rows = documents(task, examples)
    scores = [one for one in _scores_of(name, path, golds, examples) if math.isfinite(one.value)]
    called = details.name.rpartition("/")[2] or f"duologue_{_NO_NAME.sub('_', name)}"
    functions = {one.name: f"score_{place}" for place, one in enumerate(scores)}
    choices = bool(rows) and "choices" in rows[0]
    files = {"data": f"data/{path.name}", "golds": tuple(f"gold/{one.name}" for one in golds)}
    if len(set(files["golds"])) < len(golds):
        raise UsageError("two truth files have one name; rename one")
    config: dict[str, Any] = {
        "task": called,
        "tag": ["duologue", "dialogue"],
        "custom_dataset": YamlFunction(f"{_MODULE}.dataset"),
        "test_split": "test",
        "output_type": "multiple_choice" if choices else "generate_until",
        "doc_to_text": "prompt",
        "doc_to_target": "target",
        **({"doc_to_choice": "choices"} if choices else {"generation_kwargs": _generation()}),
        "target_delimiter": "" if task.info.language == "zh" else " ",
        "process_results": YamlFunction(f"{_MODULE}.process_results"),
        "metric_list": [
            {
                "metric": one.name,
                "aggregation": YamlFunction(f"{_MODULE}.{functions[one.name]}"),
                "higher_is_better": one.higher_is_better,
            }
            for one in scores
        ],
        "metadata": {"version": f"{task.info.version}.0", "variant": task.info.variants[0], "duologue": __version__},
    }
    lines = [f"{function} = harness.aggregation({score!r})" for score, function in functions.items()]
    written = _CODE.format(version=__version__, task=name, scores=tuple(functions), functions="\n".join(lines), **files)
    return {
        f"{called}.yaml": to_yaml(config).encode(),
        f"{_MODULE}.py": written.encode(),
        f"data/{path.name}": read_bytes(path),
        **{f"gold/{one.name}": read_bytes(one) for one in golds},
    }


def _generation() -> dict[str, Any]:
    return {"until": ["\n"], "do_sample": False, "max_gen_toks": _TOKENS}


def _scores_of(name: str, path: Path, golds: Sequence[Path], examples: Sequence[Example]) -> Sequence[Score]:
    """Return the scores that answers of this kind have: what the references get, said as a model would say them."""
    task, _ = load_examples(name, (path, *golds))
    answers = {one.sample.id: _of_reference(one) for one in examples}
    return score_answers(task, examples, answers).scores


def _of_reference(example: Example) -> Answer:
    """Return the text of the truth alone, or all candidates with that of the truth first."""
    if not example.sample.candidates:
        return Answer(text=example.references[0].text or "")
    best = (example.references[0].ranking or ())[:1]
    return Answer(ranking=(*best, *(one.id for one in example.sample.candidates if one.id not in best)))
