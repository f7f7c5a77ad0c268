from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.proactive.formats import conversions, matcher_text
from duologue.core.errors import FormatError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE: dict[str, Any] = {
    "goal": [["START", "云海", "林 小舟"]],
    "knowledge": [["云海", "领域", "电影"], ["林 小舟", "领域", "明星"]],
    "history": [],
    "response": "看 云海 吗",
    "candidate": ["你 好"],
}


def put(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("case", ["plain", "blanks", "blanks-asked", "split", "split-asked", "history"])
def test_the_matcher_text_of_our_own_dialogues_is_the_official_one(golden: Path, tmp_path: Path, case: str) -> None:
    (made,) = (golden / "matching" / case).glob("match.*.txt")
    out, flags = tmp_path / "out.gz", made.name.split(".")[1:4]
    knowledge, generalise, predict = ("no" if part[1] == "0" else "yes" for part in flags)
    chosen = {"knowledge": knowledge, "generalise": generalise, "predict": predict}
    assert conversions.convert("sample", "matcher-text", made.parent / "candidates.jsonl", out, chosen) == [out]
    assert gzip.decompress(out.read_bytes()) == made.read_bytes()
    conversions.convert("matcher-text", "dictionary", out, tmp_path / "dictionary", {})
    words = matcher_text.dictionary(made.read_text("utf-8").splitlines(keepends=True))
    assert (tmp_path / "dictionary").read_text("utf-8") == "".join(f"{word}\n" for word in words)


@pytest.mark.real_data(twin="test_the_matcher_text_of_our_own_dialogues_is_the_official_one")
@pytest.mark.parametrize("name", ["k0.g0.p0", "k0.g0.p1", "k1.g0.p0", "k1.g0.p1", "k1.g1.p0", "k1.g1.p1"])
def test_the_golden_matcher_text_and_its_dictionary_are_equal(real_data: Path, tmp_path: Path, name: str) -> None:
    folder, out = real_data / "proactive" / "golden" / "conversion", tmp_path / "out.gz"
    knowledge, generalise, predict = ("no" if part[1] == "0" else "yes" for part in name.split("."))
    chosen = {"knowledge": knowledge, "generalise": generalise, "predict": predict}
    assert conversions.convert("sample", "matcher-text", folder / "candidates.jsonl", out, chosen) == [out]
    assert gzip.decompress(out.read_bytes()) == (folder / f"match.{name}.txt").read_bytes()
    if name == "k1.g1.p0":
        conversions.convert("matcher-text", "dictionary", out, tmp_path / "dictionary", {})
        assert (tmp_path / "dictionary").read_bytes() == (folder / "gene.dict").read_bytes()


def test_choices_of_model_text_and_replies_are_made(tmp_path: Path) -> None:
    samples, text, topics = put(tmp_path / "s", SAMPLE), tmp_path / "m", tmp_path / "t"
    conversions.convert("sample", "model-text", samples, text, {"generalise": "no"})
    assert "云海" in text.read_text("utf-8")
    conversions.convert("sample", "model-text", samples, text, {})
    assert "云海" not in text.read_text("utf-8")
    conversions.convert("sample", "topics", samples, topics, {})
    (tmp_path / "g").write_text("看 video_topic_a 吗\n", "utf-8")
    conversions.convert("generated", "replies", tmp_path / "g", tmp_path / "r", {"topics": str(topics)})
    assert (tmp_path / "r").read_text("utf-8") == "看 云海 吗\n"


@pytest.mark.parametrize(
    ("source", "target", "chosen", "match"),
    [
        ("sample", "session", {}, "session is made from duconv"),
        ("session", "duconv", {}, "duconv is made from nothing else"),
        ("session", "matcher-text", {}, "matcher-text is made from sample"),
        ("generated", "replies", {}, "--option topics=FILE"),
        ("session", "sample", {"generalise": "no"}, "there is nothing to choose"),
        ("sample", "model-text", {"predict": "yes"}, "its choices are generalise"),
        ("sampel", "topics", {}, "did you mean 'sample'"),
    ],
)
def test_a_way_or_a_choice_that_there_is_none_is_refused(
    tmp_path: Path, source: str, target: str, chosen: dict[str, str], match: str
) -> None:
    with pytest.raises(UsageError, match=match):
        conversions.convert(source, target, tmp_path / "in", tmp_path / "out", chosen)


def test_samples_that_give_no_matcher_text_are_all_told_and_nothing_is_written(tmp_path: Path) -> None:
    bare = {key: value for key, value in SAMPLE.items() if key != "candidate"}
    silent = {key: value for key, value in SAMPLE.items() if key != "response"}
    path = put(tmp_path / "s", SAMPLE, bare, silent, {**SAMPLE, "candidate": [1]}, {**SAMPLE, "knowledge": []})
    with pytest.raises(FormatError) as caught:
        conversions.convert("sample", "matcher-text", path, tmp_path / "out", {})
    found = [(problem.rule, problem.place) for problem in caught.value.problems]
    assert found == [
        ("candidate-type", "sample 1 (from 0)"),
        ("response-missing", "sample 2 (from 0)"),
        ("candidate-type", "sample 3 (from 0)"),
        ("domain-missing", "sample 4 (from 0)"),
    ]
    assert not (tmp_path / "out").exists()
