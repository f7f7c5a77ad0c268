from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.formats.files import load_extraction
from duologue.challenges.mobilecs.formats.imported_calls import ImportedCalls, import_calls
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def imported(
    tmp_path: Path, *calls: list[tuple[str, str]], staff: tuple[str, ...] = (), **options: Any
) -> ImportedCalls:
    path = tmp_path / "calls.jsonl"
    lines = (json.dumps({"turns": turns}, ensure_ascii=False) for turns in calls)
    path.write_text("\n".join(lines), encoding="utf-8")
    return import_calls([path], staff, **options)


def test_calls_become_bare_dialogues_whose_speakers_have_their_roles(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        [("客服", "您好"), ("用户", "喂"), ("客服", "请讲")],
        [("Customer", "hello"), ("AGENT", "hi")],
    )
    first, second = found.rows
    assert first["content"] == [
        {"[SPEAKER 1]": "您好", "[SPEAKER 2]": "喂"},
        {"[SPEAKER 1]": "请讲", "[SPEAKER 2]": ""},
    ]
    assert list(second["content"][0].items()) == [("[SPEAKER 2]", "hello"), ("[SPEAKER 1]", "hi")]
    assert all(len(row["id"]) == 32 and int(row["id"], 16) for row in found.rows)
    (tmp_path / "out.json").write_text(json.dumps(found.rows), encoding="utf-8")
    examples = load_extraction(tmp_path / "out.json")
    assert [[turn.speaker for turn in one.sample.history] for one in examples] == [
        ["system", "user", "system", "user"],
        ["user", "system"],
    ]
    assert all(one.references == () for one in examples)


def test_ids_are_those_of_the_words_and_never_equal(tmp_path: Path) -> None:
    call = [("客服", "您好"), ("用户", "喂")]
    found = imported(tmp_path, call, call, call)
    assert len({row["id"] for row in found.rows}) == 3
    assert imported(tmp_path, call, call, call) == found
    assert found.rows[0]["id"] == imported(tmp_path, call).rows[0]["id"]


def test_personal_data_go_before_anything_else_and_names_of_speakers_with_them(tmp_path: Path) -> None:
    call = [("王小明", "我的电话是13812345678"), ("客服", "王小明您好，13812345678对吗")]
    found = imported(tmp_path, call)
    (turn,) = found.rows[0]["content"]
    assert turn == {"[SPEAKER 2]": "我的电话是<PHONE_1>", "[SPEAKER 1]": "<NAME_1>您好，<PHONE_1>对吗"}
    assert found.replaced is not None
    assert found.replaced.counts == {"PHONE": 2, "NAME": 1}
    kept = imported(tmp_path, call, keep_personal_data=True)
    assert kept.replaced is None
    assert "13812345678" in kept.rows[0]["content"][0]["[SPEAKER 2]"]


@pytest.mark.parametrize(
    ("staff", "customer"),
    [
        ("客服001", "客户001"),
        ("坐席-张三", "机主（本人）"),
        ("Agent 7", "Customer 3"),
        ("坐席（工号8027）", "王小明"),
        ("客户经理", "用户1"),
    ],
)
def test_roles_may_have_numbers_and_names_behind_them(staff: str, customer: str, tmp_path: Path) -> None:
    found = imported(tmp_path, [(staff, "您好"), (customer, "喂")])
    assert found.rows[0]["content"] == [{"[SPEAKER 1]": "您好", "[SPEAKER 2]": "喂"}]


def test_names_behind_a_role_go_and_other_words_there_stay(tmp_path: Path) -> None:
    call = [("坐席-张三丰（工号8027）", "您好，工号和张三丰都记下了"), ("机主（本人）", "机主是本人")]
    (turn,) = imported(tmp_path, call).rows[0]["content"]
    assert turn == {"[SPEAKER 1]": "您好，工号和<NAME_1>都记下了", "[SPEAKER 2]": "机主是本人"}


def test_calls_with_the_same_unknown_speakers_are_one_problem(tmp_path: Path) -> None:
    calls = [[("A", "x"), ("B", "y")], [("B", "x"), ("A", "y")]] * 600
    with pytest.raises(FormatError) as found:
        imported(tmp_path, *calls, [("A", "x")])
    assert [(one.place, one.stands_for) for one in found.value.problems] == [
        ("line 1 and 1,199 more", 1_200),
        ("line 1201", 1),
    ]
    assert found.value.problems[0].message == "the speakers are A, B; expected the staff and one customer"


def test_numbers_that_are_dictated_with_the_staff_saying_that_it_hears_go(tmp_path: Path) -> None:
    call = [("用户", "号码是幺三八"), ("客服", "嗯"), ("用户", "零零一三"), ("客服", "零零一三"), ("用户", "八零零零")]
    found = imported(tmp_path, call)
    said = [text for turn in found.rows[0]["content"] for text in turn.values()]
    assert said == ["号码是<NUMBER_1>", "嗯", "<NUMBER_2>", "<NUMBER_2>", "<NUMBER_3>", ""]


def test_the_staff_may_have_names_of_their_own(tmp_path: Path) -> None:
    call = [("Anna", "hello"), ("Ben", "hi"), ("Kim", "help"), ("Ben", "sure")]
    found = imported(tmp_path, call, staff=("anna", "BEN"))
    assert found.rows[0]["content"] == [
        {"[SPEAKER 1]": "hello_hi", "[SPEAKER 2]": "help"},
        {"[SPEAKER 1]": "sure", "[SPEAKER 2]": ""},
    ]


@pytest.mark.parametrize(
    ("call", "staff"),
    [
        ([("A", "x"), ("B", "y")], ()),
        ([("A", "x")], ()),
        ([("客服", "x"), ("agent", "y")], ()),
        ([("客服", "x"), ("A", "y"), ("B", "z")], ()),
        ([("客服", "x"), ("A", "y"), ("B", "z")], ("客服",)),
        ([("用户", "x"), ("客户", "y")], ()),
    ],
)
def test_calls_whose_parties_cannot_be_told_are_refused_with_all_of_them(
    call: list[tuple[str, str]], staff: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(FormatError) as found:
        imported(tmp_path, call, [("客服", "x"), ("用户", "y")], call, staff=staff)
    bad = [one for one in found.value.problems if one.rule == "transcript-roles"]
    assert [one.place for one in bad] == ["line 1 and 1 more"]
    assert "--staff" in bad[0].advice


def test_usual_words_for_the_staff_hold_beside_names(tmp_path: Path) -> None:
    found = imported(tmp_path, [("Anna", "hello"), ("Kim", "hi")], [("客服", "您好"), ("Kim", "喂")], staff=("anna",))
    assert [[*row["content"][0].values()] for row in found.rows] == [["hello", "hi"], ["您好", "喂"]]
    assert all(next(iter(row["content"][0])) == "[SPEAKER 1]" for row in found.rows)


def test_the_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    texts = {
        "a.txt": "客服 您好\n",
        "b.txt": "客服: 您好\n用户: 喂\n",
        "c.txt": "A: x\nB: y\n",
        "d.srt": "客服: 您好\n",
    }
    paths = [tmp_path / name for name in texts]
    for path in paths:
        path.write_text(texts[path.name], encoding="utf-8")
    with pytest.raises(FormatError, match=r"the import of 4 files has 3 problems:") as found:
        import_calls(paths)
    assert [(one.place, one.rule) for one in found.value.problems] == [
        (f"{paths[0]}, line 1", "transcript-speaker"),
        (f"{paths[2]}, call at line 1", "transcript-roles"),
        (f"{paths[3]}, line 1", "transcript-cue"),
    ]
    with pytest.raises(FormatError, match=r"c\.txt has 1 problem:"):
        import_calls(paths[1:3])


def test_progress_is_told_by_file_and_by_call(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    imported(
        tmp_path,
        *[[("客服", "您好"), ("用户", "喂")]] * 2,
        progress=lambda done, total, what: told.append((done, total, what)),
    )
    assert told == [(1, 1, "files"), (1, 2, "calls"), (2, 2, "calls")]
