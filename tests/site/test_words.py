from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path
from string import Formatter

import pytest

import duologue.site
from duologue.site.words import FOLDER, LANGUAGES, language_of, text, words

SOURCE = Path(duologue.site.__path__[0])
SAID = re.compile(r"""["'](\w+\.\w+)["']""")
BUILT = (
    *("advice.", "annotate.adjudication_", "annotate.layer_", "annotate.part_", "annotate.sheet_"),
    *(
        "campaigns.norm_",
        "campaigns.unit_",
        "messages.",
        "messages.place_",
        "messages.value_",
        "people.role_",
        "rules.",
        "rate.choose_",
        "rate.norm_",
        "site.error_",
    ),
    *("talks.by_", "talks.ended_", "talks.kind_", "talks.set_", "talks.show_", "talks.state_", "talks.verdict_"),
    "talks.with_",
    *(
        "tracks.better_",
        "tracks.ended_",
        "tracks.seen_",
        "tracks.standing_",
        "tracks.state_",
        "tracks.team_",
        "tracks.time_",
    ),
)
"""Beginnings of keys that are put together."""


def fields(told: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(told) if name is not None)


def test_every_text_is_there_in_both_languages_with_the_same_braces() -> None:
    for key, entry in words().items():
        assert set(entry) == set(LANGUAGES), key
        assert fields(entry["en"]) == fields(entry["zh"]), key
        assert all(told.strip() for told in entry.values()), key


def test_no_word_of_an_area_stands_in_two_files() -> None:
    assert len(words()) == sum(len(tomllib.loads(path.read_text("utf-8"))) for path in FOLDER.rglob("*.toml"))


def test_pages_say_only_what_the_tables_have_and_the_tables_only_what_pages_say() -> None:
    areas = {key.partition(".")[0] for key in words()}
    told = "".join(path.read_text(encoding="utf-8") for path in [*SOURCE.rglob("*.html"), *SOURCE.rglob("*.py")])
    used = {key for key in SAID.findall(told) if key.partition(".")[0] in areas}
    used = {key for key in used if key.rpartition(".")[2] not in ("html", "py", "js", "css", "toml")}
    assert used - set(words()) - set(BUILT) == set()
    idle = {key for key in set(words()) - used if not key.startswith(BUILT)}
    assert {key for key in idle if key.removesuffix("_about") not in used} == set()


def test_every_rule_of_a_submission_says_in_both_languages_what_is_wrong_and_what_to_do() -> None:
    names = ("conversation", "proactive", "restaurant", "spoken")
    rooms = [f"{name}.scoring" for name in names] + [f"mobilecs.scoring.{name}" for name in ("dialogue", "extraction")]
    checkers = [import_module(f"duologue.challenges.{room}.checker") for room in rooms]
    rules = {"file-missing", "file-unknown", "no-rank-value", "not-an-archive", "not-scored"}.union(
        *(checker.RULES for checker in checkers)
    )
    told = {key.partition(".")[2] for key in words() if key.startswith("rules.")}
    assert rules - told == set()
    assert told == {key.partition(".")[2] for key in words() if key.startswith("advice.")}


def test_values_are_escaped() -> None:
    assert text("en", "site.hello", name="<script>") == "Hello, &lt;script&gt;"


@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("zh", "en", "zh"),
        ("xx", "de;q=1, fr, en-GB", "en"),
        ("", "," * 100_000, "en"),
    ],
)
def test_the_language_is_the_chosen_one_else_what_the_browser_asks_for(
    chosen: str, accepted: str, language: str
) -> None:
    assert language_of(chosen, accepted) == language
