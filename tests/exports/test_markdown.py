from __future__ import annotations

from duologue.exports.markdown import code, table, words


def test_words_of_strangers_are_no_markup() -> None:
    assert words("a\n# b <img src=x>|[c](d)") == r"a\\n\# b \<img src=x\>\|\[c\](d)"
    assert table(("a", "b"), [("|", "*")]) == "| a | b |\n|---|---:|\n| \\| | \\* |"


def test_nothing_ends_a_block_of_code_but_its_end() -> None:
    assert code("a\n```\nb\n", "toml") == "````toml\na\n```\nb\n````"
    assert code("a") == "```\na\n```"
