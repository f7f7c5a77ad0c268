from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.formats import conversions, model_text
from duologue.core.errors import FormatError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE: dict[str, Any] = {
    "goal": [["START", "云海", "林 小舟"], ["云海", "导演", "林 小舟"]],
    "knowledge": [["云海", "领域", "电影"], ["林 小舟", "领域", "明星"], ["云海", "评论", "云海 很 美"]],
    "history": [],
    "response": "看 过 云海 吗 ？",
}


def folder_of(real_data: Path) -> Path:
    return real_data / "proactive" / "golden" / "conversion"


@pytest.mark.parametrize("part", ["train", "dev"])
@pytest.mark.parametrize(
    ("source", "target", "given", "expected"),
    [
        ("session", "sample", "dialogues.jsonl", "samples.jsonl"),
        ("session", "model-text", "dialogues.jsonl", "model_text.txt"),
        ("sample", "model-text", "samples.jsonl", "model_text.txt"),
        ("session", "topics", "dialogues.jsonl", "topics.jsonl"),
        ("sample", "topics", "samples.jsonl", "topics.jsonl"),
    ],
)
def test_our_own_dialogues_convert_as_with_the_official_program(
    golden: Path, tmp_path: Path, part: str, source: str, target: str, given: str, expected: str
) -> None:
    folder, out = golden / "corpus", tmp_path / "out"
    assert conversions.convert(source, target, folder / f"{part}.{given}", out, {}) == [out]
    assert out.read_bytes() == (folder / f"{part}.{expected}").read_bytes()


def test_materialised_model_text_of_our_own_dialogues_is_the_plain_one(golden: Path, tmp_path: Path) -> None:
    folder, out, plain = golden / "corpus", tmp_path / "out", tmp_path / "plain"
    conversions.convert("sample", "model-text", folder / "train.samples.jsonl", plain, {"generalise": "no"})
    slotted = (folder / "train.model_text.txt").read_text("utf-8").splitlines()
    topics = [json.loads(line) for line in (folder / "train.topics.jsonl").read_text("utf-8").splitlines()]
    assert [model_text.materialised(*pair) for pair in zip(slotted, topics, strict=True)] == (
        plain.read_text("utf-8").splitlines()
    )
    replies = [line.split("\t")[1] for line in slotted]
    (tmp_path / "replies").write_text("".join(f"{reply}\n" for reply in replies), encoding="utf-8")
    assert conversions.convert(
        "generated", "replies", tmp_path / "replies", out, {"topics": str(folder / "train.topics.jsonl")}
    ) == [out]
    said = [json.loads(line)["response"] for line in (folder / "train.samples.jsonl").read_text("utf-8").splitlines()]
    assert out.read_text("utf-8").splitlines() == said


@pytest.mark.real_data(twin="test_our_own_dialogues_convert_as_with_the_official_program")
@pytest.mark.parametrize(
    ("source", "target", "given", "expected"),
    [
        ("session", "sample", "sessions.jsonl", "samples.jsonl"),
        ("session", "model-text", "sessions.jsonl", "model_text.generalised.txt"),
        ("sample", "model-text", "samples.jsonl", "model_text.generalised.txt"),
        ("session", "topics", "sessions.jsonl", "topics.jsonl"),
        ("sample", "topics", "samples.jsonl", "topics.jsonl"),
    ],
)
def test_the_golden_conversions_are_equal(
    real_data: Path, tmp_path: Path, source: str, target: str, given: str, expected: str
) -> None:
    folder, out = folder_of(real_data), tmp_path / "out"
    assert conversions.convert(source, target, folder / given, out, {}) == [out]
    assert out.read_bytes() == (folder / expected).read_bytes()


@pytest.mark.real_data(twin="test_materialised_model_text_of_our_own_dialogues_is_the_plain_one")
def test_plain_model_text_and_materialised_replies_are_equal(real_data: Path, tmp_path: Path) -> None:
    folder, out = folder_of(real_data), tmp_path / "out"
    conversions.convert("sample", "model-text", folder / "samples.jsonl", out, {"generalise": "no"})
    assert out.read_bytes() == (folder / "model_text.plain.txt").read_bytes()
    assert conversions.convert(
        "generated", "replies", folder / "generated.txt", out, {"topics": str(folder / "topics.jsonl")}
    ) == [out]
    assert out.read_bytes() == (folder / "generated.final.txt").read_bytes()


@pytest.mark.real_data(twin="test_our_own_dialogues_convert_as_with_the_official_program")
@pytest.mark.parametrize(
    ("target", "digest"),
    [
        ("sample", "774e8dc61b8d0bd9dfcdca064d81fe36e6a85a29147812851bc950071e0a309a"),
        ("model-text", "92d2b161b1eafd37e29c63e28ea1b5d2d720ff91f1f822cdaf6882a7ded12c32"),
        ("topics", "0c2020a678d025854cb821a5b6aeeb4007d72e73af12478c03b9914b820f43c9"),
    ],
)
def test_all_visible_sessions_convert_to_the_published_hashes(
    real_data: Path, tmp_path: Path, target: str, digest: str
) -> None:
    conversions.convert(
        "session", target, real_data / "proactive" / "duconv_dev_visible.jsonl.gz", tmp_path / "out", {}
    )
    assert hashlib.sha256((tmp_path / "out").read_bytes()).hexdigest() == digest


def test_model_text_has_three_fields_and_names_replaced_everywhere() -> None:
    text = model_text.model_text(SAMPLE)
    assert text.topics == {"video_topic_a": "云海", "person_topic_b": "林 小舟"}
    source, reply, triples = text.line.split("\t")
    assert source.endswith("video_topic_a 评论 video_topic_a 很 美 : ")
    assert reply == "看 过 video_topic_a 吗 ？"
    assert triples.split("\x01")[1] == "person_topic_b 领域 明星"
    bare = {key: value for key, value in SAMPLE.items() if key != "response"}
    assert model_text.model_text(bare).line.split("\t")[1] == "null"


def test_the_longest_topic_is_replaced_first_and_slots_can_be_hit_again() -> None:
    assert model_text.generalised("云海 云", {"a": "云", "b": "云海"}) == "b a"
    assert (
        model_text.generalised("云", {"video_topic_a": "云", "person_topic_b": "o"})
        == "videperson_topic_b_tperson_topic_bpic_a"
    )
    assert model_text.generalised("甲", {"first": "甲", "second": "甲"}) == "first"


def test_the_last_domain_of_a_topic_counts() -> None:
    again = {**SAMPLE, "knowledge": [*SAMPLE["knowledge"], ["云海", "领域", "明星"]]}
    assert list(model_text.topics_of(again)) == ["person_topic_a", "person_topic_b"]


@given(st.text(alphabet="云海林a_ ", max_size=12))
def test_slots_come_back_as_the_topics_they_stand_for(reply: str) -> None:
    topics = {"video_topic_a": "云海", "person_topic_b": "林"}
    assert model_text.materialised(model_text.generalised(reply, topics), topics) == reply


def test_a_missing_domain_is_told_for_every_sample(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    row = {**SAMPLE, "knowledge": [["云海", "领域", "电影"]]}
    path.write_text("".join(json.dumps(one) + "\n" for one in (row, SAMPLE, row)))
    with pytest.raises(FormatError) as caught:
        conversions.convert("sample", "model-text", path, tmp_path / "out", {})
    assert [problem.rule for problem in caught.value.problems] == ["domain-missing"] * 2
    assert "林 小舟" in caught.value.problems[0].message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("source", "target", "match"),
    [("sample", "session", "cannot be turned"), ("topics", "sample", "cannot"), ("x", "sample", "no form 'x'")],
)
def test_a_way_that_there_is_none_is_refused(tmp_path: Path, source: str, target: str, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        conversions.convert(source, target, tmp_path / "in", tmp_path / "out", {})


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(SAMPLE))
    with pytest.raises(FormatError, match="this is a sample in a file of sessions"):
        conversions.convert("session", "sample", path, tmp_path / "out", {})


def test_replies_and_topics_of_different_length_or_kind_are_refused(tmp_path: Path) -> None:
    replies, topics = tmp_path / "r", tmp_path / "t"
    replies.write_text("a\nb\n")
    topics.write_text('{"x": "y"}\n')
    with pytest.raises(FormatError, match="2 lines"):
        conversions.convert("generated", "replies", replies, tmp_path / "out", {"topics": str(topics)})
    topics.write_text('{"x": 1}\n[\n')
    with pytest.raises(FormatError) as caught:
        conversions.convert("generated", "replies", replies, tmp_path / "out", {"topics": str(topics)})
    assert [problem.rule for problem in caught.value.problems] == ["topics-type", "not-json"]
