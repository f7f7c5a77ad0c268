from __future__ import annotations

from pathlib import Path

import pytest

from duologue.arena.talks.scenes import TalkScene, read_scene
from duologue.core.errors import UsageError


@pytest.mark.parametrize("scene", [TalkScene(0), TalkScene(7, Path("a b@c.jsonl"))])
def test_a_scene_is_read_as_it_was_written(scene: TalkScene) -> None:
    assert read_scene(str(scene)) == scene


@pytest.mark.parametrize("text", ["", "x", "-1", "3@", "@a", "٣"])
def test_what_is_no_scene_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no scene"):
        read_scene(text)
