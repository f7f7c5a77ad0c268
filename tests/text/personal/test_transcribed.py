from __future__ import annotations

import pytest

from duologue.text.personal.transcribed import transcribed, transcribed_size


@pytest.mark.parametrize(
    ("name", "sure", "size"),
    [
        ("阿依古丽", False, 4),
        ("买买提江的", False, 4),
        ("古丽", False, 2),
        ("尼玛", False, 0),  # also an insult
        ("尼玛", True, 0),
        ("尼玛次仁", False, 4),
        ("帕孜娜", True, 3),  # no known part, but all signs transcribe
        ("帕孜娜", False, 0),
        ("阿娜", True, 0),
        ("江先生", True, 0),
        ("王小明", True, 0),
    ],
)
def test_a_name_behind_a_label_is_as_long_as_its_parts(name: str, *, sure: bool, size: int) -> None:
    assert transcribed_size(f"我叫{name}", 2, sure=sure) == size


def test_before_a_title_and_of_two_parts_anywhere() -> None:
    text = "买买提先生和扎西多吉都不在乌兰察布，古丽在"
    assert [text[span.start : span.end] for span in transcribed(text, ("先生",))] == ["买买提", "扎西多吉"]
