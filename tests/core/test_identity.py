from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.identity import CHECKPOINT, LOG, Identity, differences, hash_of_knowledge, hash_of_model, packages

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("field", [field.name for field in msgspec.structs.fields(Identity)])
def test_every_field_makes_another_identity(field: str) -> None:
    plain = Identity()
    value = {"seed": 3, "recipe": {"width": 8}}.get(field, "x")
    other = msgspec.structs.replace(plain, **{field: value})
    assert other.key() != plain.key()
    assert any(field in words for words in differences(plain.table(), other.table()))


def test_equal_identities_differ_in_nothing() -> None:
    one = Identity(recipe={"b": 1, "a": {"c": [1, 2]}})
    other = Identity(recipe={"a": {"c": [1, 2]}, "b": 1})
    assert one.key() == other.key()
    assert differences(one.table(), other.table()) == []


def test_what_bears_no_identity_is_another_one() -> None:
    assert differences("3 120 40 Plan()", Identity().table()) == ["it is of another version of duologue"]


def test_the_package_of_a_strangers_system_is_named() -> None:
    assert packages("duologue", "9", duologue="1") == "duologue 1"
    assert packages("stranger", "9", duologue="1") == "duologue 1, stranger 9"


def test_any_change_to_a_models_files_is_another_hash(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "weights").write_bytes(b"ab")
    (tmp_path / "words").write_bytes(b"c")
    hashes = [hash_of_model(tmp_path)]
    for name in (CHECKPOINT, LOG, f"part/{CHECKPOINT}", ".words.part"):
        (tmp_path / name).write_bytes(b"how long it took")
    assert hash_of_model(tmp_path) == hashes[0]
    (tmp_path / "part" / "weights").write_bytes(b"a")
    hashes.append(hash_of_model(tmp_path))
    (tmp_path / "part" / "weights").rename(tmp_path / "weights")
    hashes.append(hash_of_model(tmp_path))
    assert len(set(hashes)) == 3


@pytest.mark.parametrize(
    ("there", "here", "words"),
    [
        ({"data": "a" * 64}, {"data": "b" * 64}, ["other data"]),
        ({"data": "a" * 64}, {"data": ""}, ["other data"]),
        ({"data": "a" * 63}, {"data": "b" * 65}, [f"data {'a' * 63}, now {'b' * 65}"]),
        ({"system": "random"}, {"system": "tfidf"}, ["system random, now tfidf"]),
        ({"seed": 0}, {"seed": 2}, ["seed 0, now 2"]),
        ({"world": ""}, {"world": "kb"}, ["world none, now kb"]),
        ({"recipe": {"a": {"b": 1}}}, {"recipe": {"a": {"b": 2}}}, ["recipe.a.b 1, now 2"]),
        ({"old": 1, "seed": 1}, {"seed": 1, "new": 2}, ["new none, now 2", "old 1, now none"]),
        ({"recipe": {"a": 1}}, {"recipe": 3}, ["recipe {'a': 1}, now 3"]),
    ],
)
def test_what_differs_is_said_to_the_word(there: dict[str, Any], here: dict[str, Any], words: list[str]) -> None:
    assert differences(there, here) == words
    assert differences(there, there) == []


def test_knowledge_is_a_file_or_a_folder_of_files(tmp_path: Path) -> None:
    for name, text in (("a.md", "one"), ("b.md", "two")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert hash_of_knowledge(tmp_path / "a.md") == hashlib.sha256(b"one").hexdigest()
    before = hash_of_knowledge(tmp_path)
    assert before == hash_of_model(tmp_path)
    (tmp_path / "b.md").write_text("three", encoding="utf-8")
    assert hash_of_knowledge(tmp_path) != before
