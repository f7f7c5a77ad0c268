"""Both languages say the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

import duologue.challenges
import duologue.report
from duologue.core.plugins import load_task
from duologue.report.words import FOLDER, NAMES, Term, both, names, words

CHALLENGES = Path(duologue.challenges.__file__).parent
CORE = CHALLENGES.parent / "core"
TEMPLATES = Path(duologue.report.__file__).parent / "templates"

OURS = ("restaurant", "conversation", "proactive", "spoken", "mobilecs/extraction", "mobilecs/dialogue")
CUTS = {cut for name in OURS for cut in load_task(name).info.slices}


def braces(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_every_entry_has_both_languages_with_the_same_braces() -> None:
    assert words()
    for key, entry in words().items():
        assert set(entry) == {"en", "zh"}, key
        assert braces(entry["en"]) == braces(entry["zh"]), key
        assert re.search(r"[\u4e00-\u9fff]", entry["zh"]), key


def test_no_word_stands_in_two_files() -> None:
    assert len(words()) == sum(len(tomllib.loads(path.read_text("utf-8"))) for path in FOLDER.glob("*.toml"))


def test_the_templates_use_only_words_that_exist() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.j2"))
    used = set(re.findall(r'\bt\("([a-z_0-9]+)"\s*[,)]', source))
    assert used
    assert used <= set(words())


def test_every_word_is_used() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.j2"))
    known = {"p@1", "p@2", "p@5", "mrr", "pairs_caption_all", "pairs_caption_neighbours", *CUTS}
    assert {key for key in words() if f'"{key}"' not in source} <= known


def test_every_cut_of_our_tasks_has_its_words() -> None:
    assert set(words()) >= CUTS


def test_every_name_has_both_languages() -> None:
    tables = [path.stem for path in NAMES.glob("*.toml")]
    assert sorted(tables) == ["forms", "statistics", "views"]
    for table in tables:
        for name, entry in names(table).items():
            assert set(entry) == {"en", "zh"}, name
            assert all(text.strip() for text in entry.values()), name


def test_every_name_of_a_table_is_one_that_our_tasks_give() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in [*CHALLENGES.rglob("*.py"), *CORE.glob("*.py")])
    assert [
        name for table in ("forms", "views", "statistics") for name in names(table) if f'"{name}"' not in source
    ] == []


def test_a_text_is_given_in_both_languages_with_values_escaped() -> None:
    assert both("single", score="<b>", name="x") == (
        '<span class="en" lang="en">&lt;b&gt; on x</span><span class="zh" lang="zh-Hans">&lt;b&gt;，测试集：x</span>'
    )


def test_a_term_is_translated_inside_another_text() -> None:
    text = both("slices", by=Term("answer-type"))
    assert "By answer type" in text
    assert "按回答类型细分" in text


def test_a_key_without_an_entry_is_shown_as_it_is() -> None:
    assert both("joint <goal> accuracy") == "joint &lt;goal&gt; accuracy"
    assert "By mood" in both("slices", by=Term("mood"))


def test_a_missing_value_is_our_own_mistake() -> None:
    with pytest.raises(KeyError):
        both("single", score="p@1")


def test_the_tables_are_read_once() -> None:
    assert words() is words()
