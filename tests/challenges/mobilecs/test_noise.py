from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from duologue.challenges.mobilecs.formats import files
from duologue.challenges.mobilecs.noise import REGIMES, distort_calls, distort_turns, noisy_call
from duologue.text.noise.chinese import SpokenChinese
from duologue.text.noise.speech_channel import KINDS, SpeechChannel

CALLS = Path(__file__).resolve().parents[2] / "golden" / "mobilecs" / "small-dialogues.json"
TURNS = CALLS.with_name("small-dialogue.json")


def channel(seed: int) -> SpeechChannel:
    return SpeechChannel(SpokenChinese(), seed, dict.fromkeys(KINDS, 4.0))


def marked(path: Path) -> list[tuple[str, str]]:
    """Return each name and value of a raw file with the text at its place."""
    found = []
    for dialogue in json.loads(path.read_text(encoding="utf-8")):
        for turn in dialogue["content"]:
            texts = [text for key, text in turn.items() if key.startswith("[SPEAKER")]
            labels = [(one, "name") for one in turn["info"]["ents"]]
            for one, name in labels + [(one, "value") for one in turn["info"]["triples"]]:
                places: Any = one["pos"] if isinstance(one["pos"][0], list) else [one["pos"]]
                found += [(one[name], texts[side - 1][start:end]) for side, start, end in places]
    return found


@pytest.mark.parametrize("regime", REGIMES)
@pytest.mark.parametrize("seed", range(8))
def test_labels_stand_where_their_words_are(seed: int, regime: str, tmp_path: Path) -> None:
    before, out = marked(CALLS), tmp_path / "noisy.json"
    assert distort_calls(CALLS, out, regime, channel(seed)) > 0
    after = marked(out)
    assert len(after) == len(before)
    assert all(words for _, words in after)
    assert [name == words for name, words in after].count(False) <= [n == w for n, w in before].count(False)
    clean = files.load_extraction(CALLS)
    if regime == "user":
        noisy = [noisy_call(one, channel(seed)) for one in clean]
        for one, read in zip(noisy, files.load_extraction(out), strict=True):
            assert _told(one.references) == _told(read.references)


def _told(references: Any) -> Any:
    found = [one.annotation for one in references]
    return [(sorted(map(repr, one.mentions)), sorted(map(repr, one.values))) for one in found]


def test_bare_calls_stay_bare(tmp_path: Path) -> None:
    rows = json.loads(CALLS.read_text(encoding="utf-8"))
    for dialogue in rows:
        dialogue["content"] = [{k: v for k, v in t.items() if k.startswith("[")} for t in dialogue["content"]]
    bare, out = tmp_path / "bare.json", tmp_path / "noisy.json"
    bare.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    assert distort_calls(bare, out, "user", channel(1)) > 0
    for before, after in zip(rows, json.loads(out.read_text(encoding="utf-8")), strict=True):
        assert [list(turn) for turn in before["content"]] == [list(turn) for turn in after["content"]]


def test_only_the_users_words_of_a_track_2_file_change(tmp_path: Path) -> None:
    out = tmp_path / "noisy.json"
    assert distort_turns(TURNS, out, channel(1)) == 3
    clean, noisy = (json.loads(path.read_text(encoding="utf-8")) for path in (TURNS, out))
    for before, after in zip(clean, noisy, strict=True):
        for one, other in zip(before["content"], after["content"], strict=True):
            assert one.pop("用户") != other.pop("用户")
        assert before == after
