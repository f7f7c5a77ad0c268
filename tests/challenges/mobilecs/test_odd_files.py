"""Readers, checkers and scorers meet files of any kind: only errors of the house may escape."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import json_values

from duologue.challenges.mobilecs.formats import conversions
from duologue.challenges.mobilecs.task import DialogueTask, ExtractionTask
from duologue.core.errors import DuologueError, FormatError
from duologue.core.records import Scoring

if TYPE_CHECKING:
    from duologue.core.protocols import Task

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "mobilecs"
Kind = type[ExtractionTask | DialogueTask]
KINDS: dict[str, tuple[Kind, str]] = {
    "raw": (ExtractionTask, "extraction/contract/raw.json"),
    "track2": (DialogueTask, "dialogue/contract/dialogues.json"),
}

oddities = json_values | st.sampled_from([10**30, -1, True, "\ud800", "ent-", "(((,", "\ufeff", "１２", "\r\n", {}, []])


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values inside a decoded file."""
    inner = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    return [(*path, key) for key, _ in inner] + [
        found for key, part in inner for found in places_in(part, (*path, key))
    ]


def mutated(value: Any, data: st.DataObject) -> Any:
    """Return the file with one to three of its values put, taken away or doubled."""
    value = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(1, 3))):
        places = places_in(value)
        if not places:
            return value
        *path, last = places[data.draw(st.integers(0, len(places) - 1))]
        inner = value
        for key in path:
            inner = inner[key]
        action = data.draw(st.sampled_from(["put", "put", "take", "double"]))
        if action == "take":
            del inner[last]
        elif action == "double" and isinstance(inner, list):
            inner.append(copy.deepcopy(inner[last]))
        else:
            inner[last] = data.draw(oddities)
    return value


def use(task: Task, gold: Path, pred: Path) -> None:
    """Do with two files all that a user can; errors of the house are answers."""
    submission = task.read(pred)
    examples = None
    with suppress(DuologueError):
        examples = list(task.load(gold))
    for variant in task.info.variants:
        task.check(submission, examples, variant)
        task.check(submission, None, variant)
        for partial in (False, True):
            with suppress(DuologueError):
                task.score(examples or [], submission, Scoring(variant=variant, partial=partial))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a perfect result file of each kind."""
    made = tmp_path_factory.mktemp("odd")
    for name, (kind, data) in KINDS.items():
        task = kind()
        examples = list(task.load(GOLDEN / data))
        task.write(examples, [(one.sample.id, one.references[0]) for one in examples], made / f"{name}.good.json")
    return made


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
@settings(max_examples=40)
def test_mutated_result_files_raise_errors_of_the_house_alone(name: str, folder: Path, data: st.DataObject) -> None:
    kind, gold = KINDS[name]
    rows = mutated(json.loads((folder / f"{name}.good.json").read_bytes()), data)
    (folder / "pred.json").write_bytes(json.dumps(rows).encode())
    use(kind(), GOLDEN / gold, folder / "pred.json")


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
@settings(max_examples=40)
def test_mutated_data_files_raise_errors_of_the_house_alone(name: str, folder: Path, data: st.DataObject) -> None:
    kind, gold = KINDS[name]
    rows = mutated(json.loads((GOLDEN / gold).read_bytes()), data)
    (folder / "gold.json").write_bytes(json.dumps(rows).encode())
    use(kind(), folder / "gold.json", folder / f"{name}.good.json")
    use(kind(), GOLDEN / gold, folder / "gold.json")
    with suppress(DuologueError):
        conversions.convert("raw", "track2", folder / "gold.json", folder / "converted.json")


@pytest.mark.parametrize("name", KINDS)
@given(data=st.binary(max_size=40), at=st.integers(0, 3000))
@settings(max_examples=25)
def test_any_bytes_in_a_file_raise_errors_of_the_house_alone(name: str, folder: Path, data: bytes, at: int) -> None:
    kind, gold = KINDS[name]
    good = (folder / f"{name}.good.json").read_bytes()
    (folder / "pred.json").write_bytes(good[:at] + data + good[at + len(data) :])
    use(kind(), folder / "pred.json", folder / "pred.json")
    use(kind(), GOLDEN / gold, folder / "pred.json")


@pytest.mark.parametrize("name", KINDS)
def test_deep_nesting_and_huge_texts_are_no_trouble(name: str, tmp_path: Path) -> None:
    kind, gold = KINDS[name]
    huge = json.dumps([{"id": "x" * 3_000_000, "content": [], "KB": {}, "entities": [], "triples": []}])
    for text in ("[" * 100_000, '{"a":' * 100_000, huge, "[" + "9" * 10_000 + "]", "[NaN, -Infinity]", "", "null"):
        (tmp_path / "x.json").write_text(text, encoding="utf-8")
        use(kind(), GOLDEN / gold, tmp_path / "x.json")
        use(kind(), tmp_path / "x.json", tmp_path / "x.json")


def test_of_duplicate_keys_the_last_counts_and_line_ends_do_not(tmp_path: Path) -> None:
    text = (GOLDEN / "extraction/contract/raw.json").read_text(encoding="utf-8").replace("\n", "\r\n")
    (tmp_path / "x.json").write_text(text.replace('"id": "ent-1"', '"id": "ent-7", "id": "ent-1"'), encoding="utf-8")
    ours, theirs = (
        list(ExtractionTask().load(path)) for path in (tmp_path / "x.json", GOLDEN / "extraction/contract/raw.json")
    )
    assert ours == theirs


def test_a_byte_order_mark_before_data_is_read_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name, (kind, gold) in KINDS.items():
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + (GOLDEN / gold).read_bytes())
        assert list(kind().load(tmp_path / name)) == list(kind().load(GOLDEN / gold))
    assert caplog.text.count("byte order mark") == 2


def test_half_surrogates_in_data_are_named(tmp_path: Path) -> None:
    data = json.dumps(json.loads((GOLDEN / "dialogue/contract/dialogues.json").read_bytes()))
    (tmp_path / "x.json").write_text(data.replace('"\\u54e6"', '"\\ud800"'), encoding="utf-8")
    with pytest.raises(FormatError, match=r"/1/content/2/用户: '用户' is '\\ud800', expected a text"):
        list(DialogueTask().load(tmp_path / "x.json"))
