from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.formats.conversions import convert
from duologue.challenges.mobilecs.formats.files import load_raw
from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS, acts_of
from duologue.challenges.mobilecs.schema.ontology import CONFUSED, ENTITY_TYPES, SERVICE_SLOTS, USER, USER_SLOTS
from duologue.challenges.mobilecs.simulator import corpus as corpora
from duologue.challenges.mobilecs.simulator.corpus import generate
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe, sizes
from duologue.challenges.mobilecs.task import DialogueTask, ExtractionTask
from duologue.core.errors import UsageError
from duologue.core.recipe import resolve
from duologue.core.records import Record

if TYPE_CHECKING:
    from pathlib import Path

SMALL = CallCorpusRecipe(n=200, unlabelled_ratio=0.5, argument_rate=0.4)


def hashes(out: Path) -> dict[str, str]:
    files = sorted(path for path in out.rglob("*") if path.is_file())
    return {path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module", params=["clean", "crowd"])
def corpus(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    out = tmp_path_factory.mktemp(request.param)
    generate(
        resolve(CallCorpusRecipe, base=SMALL, overrides=[f"profile={request.param}"]), 1, out, workers=1, progress=None
    )
    return out


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_a_corpus_has_all_its_files_with_as_many_dialogues_as_asked_for(corpus: Path) -> None:
    names = {path.relative_to(corpus).as_posix() for path in corpus.rglob("*.json")} - {".generated.json"}
    parts = {f"{folder}/{part}.json" for folder in ("labelled", "track2") for part in ("train", "dev", "test")}
    assert names == parts | {"unlabelled.json", "unlabelled.gold.json", "catalogue.json"}
    for part, n in sizes(SMALL).items():
        assert len(rows(corpus / ("unlabelled.json" if part == "unlabelled" else f"labelled/{part}.json"))) == n
    ids = [row["id"] for path in corpus.glob("labelled/*.json") for row in rows(path)]
    ids += [row["id"] for row in rows(corpus / "unlabelled.json")]
    assert len(set(ids)) == 300
    assert all(len(name) == 32 and int(name, 16) >= 0 for name in ids)


def test_every_name_and_value_is_what_stands_at_its_place(corpus: Path) -> None:
    for path in (*corpus.glob("labelled/*.json"), corpus / "unlabelled.gold.json"):
        for row in rows(path):
            types = set()
            for turn in row["content"]:
                texts = list(turn.values())[:2]
                for entity in turn["info"]["ents"]:
                    types.add(entity["type"])
                    for side, start, end in entity["pos"]:
                        assert texts[side - 1][start:end] == entity["name"] != ""
                for triple in turn["info"]["triples"]:
                    side, start, end = triple["pos"]
                    assert texts[side - 1][start:end] == triple["value"] != ""
                    assert triple["prop"] in (USER_SLOTS if triple["ent-id"] == USER else SERVICE_SLOTS)
            assert types <= set(ENTITY_TYPES)


def test_intents_are_of_the_inventories(corpus: Path) -> None:
    swapped = 0
    for row in rows(corpus / "labelled" / "train.json"):
        for turn in row["content"]:
            said = {act.name for act in acts_of(turn["用户意图"], "user")}
            told = {act.name for act in acts_of(turn["客服意图"], "system")}
            assert said, "every utterance has an intent"
            assert told, "every utterance has an intent"
            assert said | told <= {*USER_LABELS, *STAFF_LABELS, CONFUSED}
            swapped += not (said <= {*USER_LABELS, CONFUSED} and told <= {*STAFF_LABELS})
    assert swapped <= (2 if "crowd" in corpus.name else 0)  # a crowd puts labels under the wrong key now and then


def test_bare_dialogues_are_the_gold_ones_without_annotation(corpus: Path) -> None:
    for bare, gold in zip(rows(corpus / "unlabelled.json"), rows(corpus / "unlabelled.gold.json"), strict=True):
        assert bare["id"] == gold["id"]
        for turn, annotated in zip(bare["content"], gold["content"], strict=True):
            assert list(turn.items()) == list(annotated.items())[:2]


def test_track2_data_is_what_the_official_preprocessing_makes(corpus: Path, tmp_path: Path) -> None:
    (made,) = convert("raw", "track2", corpus / "labelled" / "dev.json", tmp_path / "dev.json")
    assert rows(made) == rows(corpus / "track2" / "dev.json")


def test_our_readers_take_every_file_without_a_problem(corpus: Path, caplog: pytest.LogCaptureFixture) -> None:
    profile = corpus.name.rstrip("0123456789")
    for part in ("train", "dev", "test"):
        assert list(ExtractionTask().load(corpus / "labelled" / f"{part}.json"))
        assert list(DialogueTask().load(corpus / "track2" / f"{part}.json"))
    assert load_raw(corpus / "unlabelled.json")
    if profile == "clean":
        assert not caplog.records


@pytest.mark.slow
def test_bytes_depend_on_recipe_and_seed_alone(tmp_path: Path) -> None:
    recipe = CallCorpusRecipe(n=150, unlabelled_ratio=2)
    for name, workers in (("one", 1), ("three", 3)):
        generate(recipe, 7, tmp_path / name, workers=workers, progress=None)
    assert hashes(tmp_path / "one") == hashes(tmp_path / "three")
    generate(recipe, 8, tmp_path / "other", workers=1, progress=None)
    assert hashes(tmp_path / "other")["labelled/train.json"] != hashes(tmp_path / "one")["labelled/train.json"]


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("clean", "1ec129cb2d4a601126b642b6e7f0e9ea69cea379ec04f6a1b2cbd4a3d25e0f27"),
        ("exact", "04d6975997ab5af86e326405564c5d251230e2d13152b91ca4466ada6a38eb77"),
        ("crowd", "25cc1740b0242016146988f3afb99076aec53f4614361d6b6fd46f94629de1b2"),
    ],
)
def test_bytes_are_those_of_the_version(profile: str, expected: str, tmp_path: Path) -> None:
    """Where this fails on purpose, raise `_VERSION` of the corpus: else a resumed run mixes old parts with new ones."""
    recipe = resolve(CallCorpusRecipe, base=SMALL, overrides=["n=60", f"profile={profile}"])
    paths = generate(recipe, 3, tmp_path, workers=1, progress=None)
    whole = hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
    assert (corpora._VERSION, whole) == (3, expected)


def test_complete_parts_are_kept_and_damaged_ones_made_again(tmp_path: Path) -> None:
    recipe = CallCorpusRecipe(n=20, unlabelled_ratio=1)
    paths = generate(recipe, 1, tmp_path, workers=1, progress=None)
    before, kept = hashes(tmp_path), paths[0].stat().st_mtime_ns
    (tmp_path / "labelled" / "dev.json").write_text("[]")
    rest = tmp_path / "labelled" / ".dev.json.xyz.part"
    rest.write_text("what a kill left")
    generate(recipe, 1, tmp_path, workers=1, progress=None)
    assert hashes(tmp_path) == before
    assert paths[0].stat().st_mtime_ns == kept
    assert not rest.exists()
    with pytest.raises(UsageError, match="another recipe, seed or version of duologue"):
        generate(recipe, 2, tmp_path, workers=1, progress=None)
    assert hashes(tmp_path) == before


def test_a_recipe_of_another_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a CallCorpusRecipe"):
        generate(Record(), 1, tmp_path, workers=1, progress=None)
