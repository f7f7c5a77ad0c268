from __future__ import annotations

from itertools import product
from random import Random
from time import process_time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.spoken.noise.simulator import NoiseSimulator
from duologue.challenges.spoken.systems.pipeline.asr_correction.corrector import AsrCorrector, folded
from duologue.challenges.spoken.systems.pipeline.asr_correction.trainer import train_corrector
from duologue.core.errors import FormatError, StorageError
from duologue.metrics.edits import error_rate

if TYPE_CHECKING:
    from pathlib import Path

THINGS = ("这部电影", "这个景点", "这张专辑", "这首歌", "那部影片", "那个地方", "他的作品", "她的专辑", "这家公司")
ASKED = ("的导演是谁", "的地址在哪里", "是哪年发行的", "的门票多少钱", "有什么特别的地方", "是什么类型的", "好不好看")
HEADS = ("", "你知道", "那", "好的，", "对了，", "请问")
TAILS = ("吗？", "呢？", "？", "啊？")
NAMES = ("雨夜花与猫", "蓝色灯塔")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    named = [f"你听说过{name}吗？" for name in NAMES] * 2
    return [*("".join(parts) for parts in product(HEADS, THINGS, ASKED, TAILS)), *named]


@pytest.fixture(scope="module")
def corrector(texts: list[str]) -> AsrCorrector:
    return train_corrector(texts, NAMES, seed=1)


@pytest.mark.parametrize(
    ("noisy", "mended"),
    [
        ("你知道这部电影影的导演是谁吗？", "你知道这部电影的导演是谁吗？"),
        ("那这个景点的地址。在哪里呢？", "那这个景点的地址在哪里呢？"),
        ("这张专辑是哪年发行的吗呀？", "这张专辑是哪年发行的吗？"),
        ("那这个竟颠的地址在哪里呢？", "那这个景点的地址在哪里呢？"),
        ("这个你知道景点的门票多少钱呢？", "你知道这个景点的门票多少钱呢？"),
    ],
)
def test_what_the_noise_did_is_undone(corrector: AsrCorrector, noisy: str, mended: str) -> None:
    assert corrector.correct(noisy) == mended


def test_clean_utterances_stay_as_they_are(corrector: AsrCorrector, texts: list[str]) -> None:
    touched = [text for text in texts if corrector.correct(text) != text]
    assert len(touched) <= 0.01 * len(texts)


def test_brackets_and_dots_say_that_nothing_is_wrong(corrector: AsrCorrector) -> None:
    assert corrector.correct("这部电影影的导演是《雨夜花》吗？") == "这部电影影的导演是《雨夜花》吗？"


def test_a_huge_text_stays_as_it_is_and_takes_no_time(corrector: AsrCorrector) -> None:
    text = "今天天气很好呀我想出去玩" * 1_000
    began = process_time()
    assert corrector.correct(text) == text
    assert process_time() - began < 1, "each place was compared with all others"


def test_names_of_the_graph_are_not_touched(corrector: AsrCorrector) -> None:
    text = "你知道这部电影影的导演是谁吗？"
    assert corrector.with_names(["电影影（2003年电影）"]).correct(text) == text
    assert corrector.with_names([]).correct(text) == "你知道这部电影的导演是谁吗？"


def test_what_was_learned_is_saved_and_read(corrector: AsrCorrector, tmp_path: Path) -> None:
    corrector.save(tmp_path / "repair.bin.gz")
    again = AsrCorrector.load(tmp_path / "repair.bin.gz", NAMES)
    assert again.knowledge == corrector.knowledge
    assert again.correct("这张专辑是哪年发行的吗呀？") == "这张专辑是哪年发行的吗？"


def test_learning_again_gives_the_same_bytes(texts: list[str], tmp_path: Path) -> None:
    for name in ("a", "b"):
        train_corrector(texts[::6], NAMES, seed=2).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"\x93\x01\x02\x03")
    with pytest.raises(FormatError, match="no saved corrector"):
        AsrCorrector.load(tmp_path / "other")
    with pytest.raises(StorageError):
        AsrCorrector.load(tmp_path / "nothing")


def test_with_nothing_to_learn_from_nothing_is_mended() -> None:
    empty = train_corrector([])
    assert empty.correct("好好的的。。") == "好好的的。。"
    assert train_corrector(["你好。", "再见。"]).correct("你好好。") == "你好好。"


def test_folding_keeps_the_length_and_makes_letters_and_digits_alike() -> None:
    assert folded("Ab 12?好") == "aa 00？好"


@settings(max_examples=60)
@given(text=st.text("你知道这部电影影的吗？。，呀a1壹 ", max_size=14))
def test_any_text_is_mended_without_an_error_and_once_is_enough(corrector: AsrCorrector, text: str) -> None:
    assert isinstance(corrector.correct(text), str)
    for one in corrector.scored_edits(text, ()):
        assert 0 <= one.edit.start <= one.edit.end <= len(text)
        assert one.edit.apply(text) != text


def test_on_made_pairs_the_error_rate_falls_by_a_third(corrector: AsrCorrector, texts: list[str]) -> None:
    simulator = NoiseSimulator("test", 5)
    pairs = [(text, simulator.turn(text, rng=Random(at)).text) for at, text in enumerate(texts[::5])]
    before = error_rate(pairs)
    after = error_rate((clean, corrector.correct(noisy)) for clean, noisy in pairs)
    assert before > 0.05
    assert after < before * 2 / 3


@pytest.mark.real_data(twin="test_on_made_pairs_the_error_rate_falls_by_a_third")
@pytest.mark.slow
def test_on_real_pairs_the_error_rate_falls_by_a_third(real_data: Path) -> None:
    """A quick look; the figures that count are those of the benchmark."""
    from duologue.challenges.spoken.formats.files import read_dialogues
    from duologue.core.disk import read_json

    folder = real_data / "spoken"
    rows, _, _ = read_json(folder / "noise_pairs_visible.json.gz")
    index, _, _ = read_json(folder / "challenge_valid_visible_index.json.gz")
    twins = {twin["index"] for row in index for twin in row["kdconv_twin"] if twin["domain"] == "travel"}
    dialogues = read_dialogues(folder / "kdconv_travel_dev.json.gz")
    clean = [turn.text for at, one in enumerate(dialogues) if at not in twins for turn in one.turns]
    corrector = train_corrector(clean, seed=1)
    about = [row for row in rows if "景点" in row["clean"] or "门票" in row["clean"]]
    before = error_rate((row["clean"], row["noisy"]) for row in about)
    after = error_rate((row["clean"], corrector.correct(row["noisy"])) for row in about)
    assert after < before * 2 / 3
