from __future__ import annotations

from duologue.challenges.mobilecs.formats import transcript_words as words


def test_names_stand_as_they_are_compared_each_in_one_role() -> None:
    names = [*words.CALLS, *words.SPEAKERS, *words.TEXTS]
    assert [name for name in names if name != "".join(name.lower().replace("_", "").replace("-", "").split())] == []
    assert len(set(names)) == len(names)
    assert not words.STAFF & words.CUSTOMER
    assert not set(words.TURNS) & set(words.WRAPPERS)
