from __future__ import annotations

import json
from pathlib import Path

from duologue.challenges.proactive.noise import distort
from duologue.text.noise.chinese import SpokenChinese
from duologue.text.noise.speech_channel import SpeechChannel

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "proactive"


def test_the_users_turns_of_sessions_and_samples_change_alone(tmp_path: Path) -> None:
    channel = SpeechChannel(SpokenChinese(spaced=True), 1, {"fillers": 4, "repairs": 4})
    for name, key in (("small-sessions.txt", "conversation"), ("small-samples.txt", "history")):
        changed = distort(GOLDEN / name, tmp_path / name, channel)
        rows = [
            [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            for path in (GOLDEN / name, tmp_path / name)
        ]
        differing = 0
        for before, after in zip(*rows, strict=True):
            said, heard = before.pop(key), after.pop(key)
            assert before == after
            assert said[::2] == heard[::2]
            differing += sum(one != other for one, other in zip(said, heard, strict=True))
        assert differing == changed > 0
