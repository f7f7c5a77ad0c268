from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_packed_is_told(duologue: Any, tmp_path: Path) -> None:
    words = ("pack", "mobilecs/dialogue", "--system", "rule-agent")
    made = duologue(*words, "--external", "none", "--out", tmp_path / "entry")
    assert (made.code, made.err) == (0, "")
    assert made.out == (
        f"rule-agent packed in {tmp_path / 'entry'}; external data: none\n"
        f"python {tmp_path / 'entry' / 'run.py'} makes the result file of each data file in "
        f"{tmp_path / 'entry' / 'input'}\n"
    )
    named = duologue("pack", "conversation", "--system", "retriever", "--external", "b", "--external", "a")
    assert (named.code, "--out" in named.err) == (2, True)
    named = duologue(*words, "--external", "b", "--external", "a", "--out", tmp_path / "named")
    assert "external data: a, b\n" in named.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--external", "none", "--external", "a", "--out", "{}/new"), "leave the other ones out"),
        (("--out", "{}"), "is there already and is not empty"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(duologue: Any, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    given = [word.format(tmp_path) for word in words]
    outcome = duologue("pack", "mobilecs/dialogue", "--system", "rule-agent", *given)
    assert (outcome.code, said in outcome.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
