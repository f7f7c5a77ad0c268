from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.proactive.formats import matcher_text

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE: dict[str, Any] = {
    "goal": [["START", "云海", "林 小舟"]],
    "knowledge": [["云海", "领域", "电影"], ["林 小舟", "领域", "明星"]],
    "history": [],
    "response": "看 云海 ok",
    "candidate": ["你 好"],
}


def lines_of(folder: Path, *, knowledge: bool, generalise: bool, predict: bool) -> list[str]:
    rows = [json.loads(line) for line in (folder / "candidates.jsonl").read_text(encoding="utf-8").split("\n") if line]
    made = (matcher_text.match_lines(row, knowledge=knowledge, generalise=generalise, predict=predict) for row in rows)
    return [line for lines in made for line in lines]


@pytest.mark.parametrize("case", ["plain", "blanks", "blanks-asked", "split", "split-asked", "history"])
def test_the_matcher_text_of_our_own_dialogues_is_the_official_one(golden: Path, case: str) -> None:
    (made,) = (golden / "matching" / case).glob("match.*.txt")
    knowledge, generalise, predict = (part[1] == "1" for part in made.name.split(".")[1:4])
    lines = lines_of(made.parent, knowledge=knowledge, generalise=generalise, predict=predict)
    assert "".join(lines) == made.read_text(encoding="utf-8")


@pytest.mark.real_data(twin="test_the_matcher_text_of_our_own_dialogues_is_the_official_one")
@pytest.mark.parametrize("name", ["k0.g0.p0", "k0.g0.p1", "k1.g0.p0", "k1.g0.p1", "k1.g1.p0", "k1.g1.p1"])
def test_the_golden_matcher_text_is_equal(real_data: Path, name: str) -> None:
    folder = real_data / "proactive" / "golden" / "conversion"
    knowledge, generalise, predict = (part[1] == "1" for part in name.split("."))
    lines = lines_of(folder, knowledge=knowledge, generalise=generalise, predict=predict)
    assert "".join(lines) == (folder / f"match.{name}.txt").read_text(encoding="utf-8")


@pytest.mark.real_data(twin="test_the_dictionary_counts_a_field_once_per_line_and_keeps_special_tokens_on_top")
def test_the_golden_dictionary_is_equal(real_data: Path) -> None:
    folder = real_data / "proactive" / "golden" / "conversion"
    tokens = matcher_text.dictionary(lines_of(folder, knowledge=True, generalise=True, predict=False))
    assert "".join(f"{token}\n" for token in tokens) == (folder / "gene.dict").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", ["plain", "blanks", "split", "history"])
def test_the_dictionary_of_texts_is_that_of_their_lines(golden: Path, case: str) -> None:
    folder = golden / "matching" / case
    rows = [json.loads(line) for line in (folder / "candidates.jsonl").read_text(encoding="utf-8").split("\n") if line]
    texts = [matcher_text.match_text(row, [*row["candidate"], row["response"]], generalise=True) for row in rows]
    for knowledge in (True, False):
        lines = lines_of(folder, knowledge=knowledge, generalise=True, predict=False)
        assert matcher_text.dictionary_of(texts, knowledge=knowledge) == matcher_text.dictionary(lines)


def test_the_dictionary_counts_a_field_once_per_line_and_keeps_special_tokens_on_top() -> None:
    text = matcher_text.MatchText("b [SEP]", ("a x", "a y y"), "c", "d d")
    assert matcher_text.dictionary_of([text], knowledge=True)[4:] == ["d", "b", "a", "c", "y", "x"]
    assert matcher_text.dictionary_of([text], knowledge=False) == [*matcher_text.SPECIAL, "b", "a", "y", "x"]


def test_words_with_a_chinese_character_are_split_and_the_reply_comes_last_with_label_one() -> None:
    lines = list(matcher_text.match_lines(SAMPLE, knowledge=False, generalise=False, predict=False))
    assert lines == ["0\t[START]\t你 好\n", "1\t[START]\t看 云 海 ok\n"]
    (line,) = matcher_text.match_lines(SAMPLE, knowledge=True, generalise=True, predict=True)
    assert line.split("\t")[3] == "START video_topic_a person_topic_b"


def test_blanks_of_any_kind_are_one_blank_and_none_at_the_ends_of_a_column() -> None:
    odd = {**SAMPLE, "history": ["\u3000看\t 过 ", "\u2003好\xa0ok\x1f"], "candidate": [" 云\u3000\u3000海\n"]}
    (line,) = matcher_text.match_lines(odd, knowledge=False, generalise=False, predict=True)
    assert line == "0\t看 过 [INNER_SEP] 好 ok\t云 海\n"


def test_topics_are_replaced_in_each_part_of_a_triple_by_itself() -> None:
    goal, knowledge = [["START", "林 小舟", "云海"]], [["林", "小舟", "云海"], *SAMPLE["knowledge"]]
    text = matcher_text.match_text({**SAMPLE, "goal": goal, "knowledge": knowledge}, ["林 小舟"], generalise=True)
    assert text.goal == "START person_topic_a video_topic_b"
    assert text.knowledge.split(" [KN_SEP] ")[0] == "林 小 舟 video_topic_b"  # the name only stands across two parts
    assert text.replies == ("person_topic_a",)


def test_a_missing_domain_is_told() -> None:
    with pytest.raises(KeyError, match="云海"):
        list(matcher_text.match_lines({**SAMPLE, "knowledge": []}, knowledge=False, generalise=False, predict=True))
