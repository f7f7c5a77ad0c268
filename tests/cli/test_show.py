"""`show --out`: data files of all challenges as pages."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from duologue.core.plugins import load_task

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
HOSTILE = "<script>x</script>\x1b[2J\u202e"


FILES: list[tuple[str, str, list[str]]] = [
    ("restaurant", "restaurant/small-data.json", ["d-1", "hello what can i help you with today", "c-2", "✓"]),
    ("spoken", "spoken/small-valid.json", ["他还叫老赵吧？", "守门人 | 生命值 | 4200"]),
    ("spoken", "spoken/small-kg.json", ["青石岛", "周边景点", "白沙湾"]),
    ("proactive", "proactive/small-samples.txt", ["START → 云 海 之 旅 → 山 路", "周 一 鸣", "回复"]),
    ("conversation", "conversation/small-dialogues.txt", ["<b>U</b>", "S: is not an answer"]),
    (
        "mobilecs/extraction",
        "mobilecs/extraction/contract/raw.json",
        [
            '<mark title="ent-1 · 业务费用 (fee)">四十六元<sup>2</sup></mark>',
            ">四十六元: ent-1 has 业务费用 (fee)<",
            ">四十六元：ent-1 的业务费用<",
            "intents: 求助-查询 (seek help: query): ent-1 业务费用 (fee)",
            "意图：求助-查询：ent-1 业务费用<",
            "客服",
        ],
    ),
    (
        "mobilecs/dialogue",
        "mobilecs/dialogue/contract/dialogues.json",
        [">账户余额 (account balance)<", ">账户余额</span></td><td>二十三块六</td>", ">asked<", "said by the user"],
    ),
    ("mobilecs/extraction", "mobilecs/small-extraction.answers.json", ["<th scope=", "mentions"]),
]
"""Task, file, and what its page says."""


def test_labels_of_statistics_have_their_english_names_everywhere_but_on_chinese_pages(
    duologue: Any, tmp_path: Path
) -> None:
    page, words = (
        tmp_path / "page.html",
        ("show", "mobilecs/extraction", GOLDEN / "mobilecs/extraction/contract/raw.json"),
    )
    assert duologue(*words, "--out", page).code == 0
    rows = re.findall(r'<th scope="row">.*?</th><td>(.*?)</td>', page.read_text(encoding="utf-8"))
    (slots,) = (row for row in rows if row.startswith('<span class="en" lang="en">业务费用 (fee) '))
    assert "(" not in slots.partition('<span class="zh"')[2]
    told = json.loads(duologue(*words, "--json").out)["slots"]
    assert told[0].startswith("业务费用 (fee) ")
    assert f"slots: {', '.join(told)}\n" in duologue(*words, "--only", "statistics").out


@pytest.mark.parametrize(("task", "file", "wanted"), FILES)
def test_a_file_of_each_task_is_a_page(duologue: Any, tmp_path: Path, task: str, file: str, wanted: list[str]) -> None:
    page = tmp_path / "page.html"
    done = duologue("show", task, GOLDEN / file, "--out", page)
    assert (done.code, done.out) == (0, ""), done.err
    shown = unescape(page.read_text(encoding="utf-8"))
    assert [one for one in wanted if one not in shown] == []
    assert f"{task}: {Path(file).name}" in shown
    assert "://" not in shown


def test_posts_are_a_page_too(duologue: Any, tmp_path: Path) -> None:
    post = {"created_at": "Mon Jan 02 10:00:00 +0000 2017", "truncated": False, "lang": "en"}
    ann, care = ({"id": 7, "screen_name": name.lower(), "name": name} for name in ("Ann", "Care"))
    posts = [
        {**post, "id": 1, "text": "no <b>signal</b>", "in_reply_to_status_id": None, "user": ann},
        {**post, "id": 2, "text": "sorry!", "in_reply_to_status_id": 1, "user": care},
    ]
    (tmp_path / "care.json").write_text(json.dumps({"2": posts}), encoding="utf-8")
    page = tmp_path / "page.html"
    done = duologue("show", "conversation", tmp_path / "care.json", "--out", page)
    assert done.code == 0, done.err
    shown = page.read_text(encoding="utf-8")
    assert "no &lt;b&gt;signal&lt;/b&gt;" in shown
    assert "Care (@care)" in shown
    assert "ID:2" in shown

    said = re.findall('<li class="(c.)">.*?<b>(.*?)</b>', shown, re.DOTALL)
    assert said == [("c0", "Ann (@ann)"), ("c1", "Care (@care)")]


@pytest.mark.parametrize("file", [one[1] for one in FILES])
def test_every_statistic_has_its_name_in_both_languages(duologue: Any, tmp_path: Path, file: str) -> None:
    page = tmp_path / "page.html"
    task = next(task for task, other, _ in FILES if other == file)
    assert duologue("show", task, GOLDEN / file, "--out", page).code == 0
    table = page.read_text(encoding="utf-8").partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall('<th scope="row">(.*?)</th>', table)
    assert rows
    assert [one for one in rows if "zh-Hans" not in one] == []
    form = re.findall(r'lang="en">form</span>.*?<td>(.*?)</td>', table)
    assert all("zh-Hans" in one for one in form)
    assert len(form) == (not file.startswith(("restaurant", "conversation")))


def test_a_result_is_laid_over_its_truth(duologue: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    files = (GOLDEN / "mobilecs/small-extraction.answers.json", "--gold", GOLDEN / "mobilecs/small-dialogues.json")
    assert duologue("show", "mobilecs/extraction", *files, "--out", page).code == 0
    shown = page.read_text(encoding="utf-8")
    assert '<mark class="hit" title="ent-1 · 业务费用 (fee)">每月三十八元<sup>2</sup></mark>' in shown
    assert '<mark class="missed" title="ent-1 · 流量总量 (data volume)">五个G<sup>4</sup></mark>' in shown
    assert ">遗漏：五个G：ent-1 的流量总量<" in shown
    done = duologue("show", "mobilecs/extraction", *files)
    assert "⁴ missed: 五个G: ent-1 has 流量总量 (data volume)" in done.out


@pytest.mark.parametrize(
    ("name", "gold", "wanted"),
    [
        ("restaurant", "restaurant/small-data.json", ["✓       1", "candidates:"]),
        ("spoken", "spoken/small-valid.json", ["wanted: ", "answered: "]),
        ("proactive", "proactive/small-samples.txt", ["wanted: ", "answered: ", "knowledge:"]),
        ("conversation", "conversation/small-evaluation.txt", ["wanted: ", "answered: "]),
        ("mobilecs/dialogue", "mobilecs/dialogue/contract/dialogues.json", ["wanted: ", "answered: "]),
    ],
)
def test_results_of_all_tasks_stand_on_their_truth(
    duologue: Any, tmp_path: Path, name: str, gold: str, wanted: list[str]
) -> None:
    task = load_task(name)
    examples = task.load_files([GOLDEN / gold])
    result = tmp_path / "result.json"
    task.write(examples, [(one.sample.id, one.references[0]) for one in examples if one.references], result)
    files = (result, "--gold", GOLDEN / gold)
    done = duologue("show", name, *files)
    assert done.code == 0, done.err
    assert [one for one in wanted if one not in done.out] == []
    page, text = tmp_path / "page.html", tmp_path / "text.txt"
    assert duologue("show", name, *files, "--out", page).code == 0
    assert "Statistics" not in page.read_text(encoding="utf-8")
    assert duologue("show", name, *files, "--plain", text).code == 0
    assert text.read_text(encoding="utf-8") == done.out


def test_the_data_stand_beside_a_truth_without_dialogues(duologue: Any, tmp_path: Path) -> None:
    data, truth = GOLDEN / "restaurant/small-data.json", tmp_path / "truth.json"
    task = load_task("restaurant")
    answers = [(one.sample.id, one.references[0]) for one in task.load(data) if one.references]
    task.write(list(task.load(data)), answers, tmp_path / "result.json")
    truth.write_bytes((tmp_path / "result.json").read_bytes())
    done = duologue("show", "restaurant", tmp_path / "result.json", "--gold", truth)
    assert "(the truth file does not have the dialogue" in done.out
    done = duologue("show", "restaurant", tmp_path / "result.json", "--gold", truth, "--input", data)
    assert "what can i help you with today" in done.out
    done = duologue("show", "restaurant", data, "--input", data)
    assert (done.code, "leave --input out" in done.err) == (2, True)


def test_a_result_of_another_file_is_told(duologue: Any, tmp_path: Path) -> None:
    folder = GOLDEN / "restaurant"
    done = duologue("show", "restaurant", folder / "small-odd.answers.json", "--gold", folder / "small-data.json")
    assert done.code == 2
    assert "answers no sample of the truth" in done.err
    (tmp_path / "broken.json").write_text('[{"dialog_id":', encoding="utf-8")
    done = duologue("show", "restaurant", tmp_path / "broken.json", "--gold", folder / "small-data.json")
    assert done.code == 1
    assert "[not-json]" in done.err


def test_dialogues_beyond_the_number_are_counted(duologue: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert duologue("show", "restaurant", GOLDEN / "restaurant/small-data.json", "--out", page, "--n", 1).code == 0
    shown = page.read_text(encoding="utf-8")
    assert "d-2" not in shown
    assert "left out: 1" in shown


def test_hostile_texts_are_spelled_out(duologue: Any, tmp_path: Path) -> None:
    rows = json.loads((GOLDEN / "mobilecs/extraction/contract/raw.json").read_text(encoding="utf-8"))[:1]
    first = rows[0]["content"][0]
    first["[SPEAKER 1]"] = HOSTILE
    (tmp_path / "raw.json").write_text(json.dumps(rows), encoding="utf-8")
    page = tmp_path / "page.html"
    done = duologue("show", "mobilecs/extraction", tmp_path / "raw.json", "--out", page)
    assert done.code == 0, done.err
    assert r"&lt;script&gt;x&lt;/script&gt;\x1b[2J\u202e" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--n", 3), "the screen shows all dialogues; leave --n out"),
        (("--out", "page.html", "--plain", "x"), "leave --plain out"),
        (("--out", "page.html", "--only", "dump"), "leave --only out"),
        (("--out", "page.html", "--json"), "leave --out out"),
        (("--gold", "page.html", "--json"), "leave --json out"),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    duologue: Any, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    placed = [tmp_path / word if str(word).endswith("html") else word for word in words]
    done = duologue("show", "restaurant", GOLDEN / "restaurant/small-data.json", *placed)
    assert done.code == 2
    assert told in done.err
    assert not (tmp_path / "page.html").exists()
