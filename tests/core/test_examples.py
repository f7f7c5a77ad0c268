from __future__ import annotations

from duologue.core.examples import merge_references, merge_with_new_ids, with_new_ids
from duologue.core.records import Answer, Example, Sample


def example(name: str, reply: str = "", dialogue: str = "") -> Example:
    sample = Sample(id=name, dialogue_id=dialogue or name, history=())
    return Example(sample=sample, references=(Answer(text=reply),) if reply else ())


def ids(examples: list[Example]) -> list[tuple[str, str]]:
    return [(one.sample.id, one.sample.dialogue_id) for one in examples]


def test_examples_of_one_id_get_the_references_of_all_files() -> None:
    found = merge_references([[example("1", "a"), example("2", "b")], [example("2", "c"), example("3", "d")]])
    assert [[one.text for one in each.references] for each in found] == [["a"], ["b", "c"], ["d"]]


def test_what_one_file_holds_twice_stays_twice_and_no_file_is_no_example() -> None:
    assert len(merge_references([[example("1", "a"), example("1", "b")]])) == 2
    assert merge_references([]) == []


def test_files_whose_ids_clash_keep_apart_by_their_prefix() -> None:
    files = [("a:", [example("1", "x")]), ("b:", [example("1", "y")]), ("c:", [example("7")])]
    assert ids(merge_with_new_ids(files)) == [("1", "1"), ("b:1", "b:1"), ("7", "7")]


def test_a_shared_dialogue_alone_is_a_clash_and_all_of_the_file_is_renamed() -> None:
    known = [example("1#1", dialogue="1")]
    assert ids(with_new_ids([example("1#2", dialogue="1"), example("9")], known, "held-out:")) == [
        ("held-out:1#2", "held-out:1"),
        ("held-out:9", "held-out:9"),
    ]
    assert ids(with_new_ids([example("2")], known, "held-out:")) == [("2", "2")]
