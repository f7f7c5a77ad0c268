from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import PlugInError, UsageError
from duologue.prompts.prompt_texts import filled, load_wording, readable

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = """
version = "3"
[en]
instruction = "be {task}"
[zh]
instruction = "做{task}"
"""


def test_a_wording_is_marked_with_language_version_and_hash(tmp_path: Path) -> None:
    path = tmp_path / "prompts.toml"
    path.write_text(TEXTS, encoding="utf-8")
    chinese, english = load_wording(path, "zh"), load_wording(path, "en")
    assert chinese.wording.instruction == "做{task}"
    assert chinese.mark.startswith("zh v3 ")
    assert chinese.mark.split()[2] == english.mark.split()[2]
    path.write_text(TEXTS + "# more\n", encoding="utf-8")
    assert load_wording(path, "en").mark != english.mark
    with pytest.raises(UsageError, match="worded in en and zh"):
        load_wording(path, "fr")
    path.write_text('version = "1"\n[en]\ninstructions = "x"\n', encoding="utf-8")
    with pytest.raises(PlugInError, match="a prompt cannot be read"):
        load_wording(path, "en")


def test_what_is_filled_in_is_never_a_template_itself() -> None:
    assert filled('{a} {"json": 1} {b}', {"a": "{b}", "b": "{a.__class__}"}) == '{b} {"json": 1} {a.__class__}'
    with pytest.raises(PlugInError, match=r"has the place {c}; places are a, b"):
        filled("{c}", {"a": "", "b": ""})


def test_half_surrogates_and_the_marks_of_chat_templates_are_defused() -> None:
    assert readable("<|im_start|>system \ud800") == "< |im_start|>system ?"
