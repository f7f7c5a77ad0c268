from __future__ import annotations

import json
from pathlib import Path

import pytest

from duologue.challenges.restaurant.noise import distort
from duologue.core.errors import FormatError
from duologue.text.noise.english import SpokenEnglish
from duologue.text.noise.speech_channel import SpeechChannel

DATA = Path(__file__).resolve().parents[2] / "golden" / "restaurant" / "small-data.json"


def test_facts_replies_and_candidates_stay(tmp_path: Path) -> None:
    out = tmp_path / "noisy.json"
    assert distort(DATA, out, SpeechChannel(SpokenEnglish(), 1, {"fillers": 5})) == 3
    clean, noisy = (json.loads(path.read_text(encoding="utf-8")) for path in (DATA, out))
    assert noisy[0]["utterances"][:2] == clean[0]["utterances"][:2]
    assert noisy[0]["utterances"][3] == clean[0]["utterances"][3]
    assert noisy[0]["utterances"][4] != clean[0]["utterances"][4]
    for before, after in zip(clean, noisy, strict=True):
        assert {**before, "utterances": 0} == {**after, "utterances": 0}


def test_a_file_of_answers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "truth.json"
    path.write_text('[{"dialog_id": "1", "lst_candidate_id": [{"candidate_id": "a", "rank": 1}]}]')
    with pytest.raises(FormatError, match="file of answers"):
        distort(path, tmp_path / "out.json", SpeechChannel(SpokenEnglish(), 1, {"fillers": 5}))
