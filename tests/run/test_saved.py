from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.errors import FormatError
from duologue.core.plugins import load_task
from duologue.core.records import Report, Score, Scoring, Slice
from duologue.run import evaluate
from duologue.run.saved import formulas_of, how_of, how_to_save, read_report, save_report

if TYPE_CHECKING:
    from pathlib import Path

STRICT = Scoring(variant="strict")


def test_a_saved_report_comes_back_as_it_was(contest: Any, tmp_path: Path) -> None:
    report = evaluate.score(contest.task, [contest.gold], contest.results / "fair.answers.json", STRICT)
    save_report(report, tmp_path / "x.report.json")
    again = read_report(tmp_path / "x.report.json")
    assert again == report
    assert how_of(again) == STRICT
    assert [one.name for one in formulas_of(again)] == ["p@1", "p@2", "p@5", "mrr"]


def test_a_file_name_that_is_no_utf8_can_stand_in_a_report(tmp_path: Path) -> None:
    report = Report(task="t", variant="v", n=1, scores=(), rank_by="", meta={"files": {"pred": ["\udcff"]}})
    save_report(report, tmp_path / "x.report.json")
    assert json.loads((tmp_path / "x.report.json").read_bytes())["meta"] == {"files": {"pred": ["\\udcff"]}}


def test_a_file_that_is_no_report_says_how_one_is_made(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(FormatError, match="duologue score"):
        read_report(tmp_path / "x.json")


def test_a_report_of_a_task_that_is_not_installed_keeps_the_ranking_formulas() -> None:
    scores = (Score(name="p@3", value=0.5), Score(name="joy", value=0.5))
    report = Report(task="gone", variant="v", n=1, scores=scores, rank_by="p@3")
    assert [one.name for one in formulas_of(report)] == ["p@3"]
    assert how_of(report) == Scoring(variant="v")


def test_a_report_that_says_nonsense_about_its_scoring_is_refused() -> None:
    report = Report(task="t", variant="v", n=1, scores=(), rank_by="", meta={"how": {"variant": 3}})
    with pytest.raises(FormatError, match="does not say how to score"):
        how_of(report)
    assert how_of(msgspec.structs.replace(report, meta={"how": "strict"})) == Scoring(variant="v")


figures = st.floats(width=64) | st.sampled_from([math.nan, math.inf, -math.inf, 0.5])
not_numbers = st.sampled_from([math.nan, math.inf, -math.inf])
made_scores = st.lists(
    st.builds(Score, name=st.sampled_from("xyz"), value=figures)
    | st.builds(Score, name=st.sampled_from("xyz"), value=not_numbers, low=figures, high=st.none() | figures),
    max_size=3,
    unique_by=lambda score: score.name,
).map(tuple)


@given(
    found=made_scores.filter(bool),
    part=made_scores,
    items=st.lists(
        st.tuples(st.sampled_from(["NaN", "x"]), st.tuples(figures, figures)),
        max_size=2,
        unique_by=lambda item: item[0],
    ).map(tuple),
)
def test_figures_that_json_has_no_number_for_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory,
    found: tuple[Score, ...],
    part: tuple[Score, ...],
    items: tuple[tuple[str, tuple[float, ...]], ...],
) -> None:
    path = tmp_path_factory.mktemp("saved") / "x.report.json"
    slices = (Slice(by="turn", value="NaN", n=1, scores=part),)
    report = Report(task="t", variant="NaN", n=1, scores=found, rank_by=found[0].name, slices=slices)
    report = msgspec.structs.replace(report, columns=("a", "b"), items=items)
    save_report(report, path)
    assert repr(read_report(path)) == repr(report)  # NaN is not equal to itself
    json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)


def test_a_report_of_an_older_version_with_null_for_nan_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.report.json"
    path.write_bytes(b'{"task":"t","variant":"v","n":0,"scores":[{"name":"x","value":null}],"rank_by":"x"}')
    assert math.isnan(read_report(path).scores[0].value)
    data = path.read_bytes()
    for broken in (b'"many"', b"[]", b'"nan"'):
        path.write_bytes(data.replace(b"null", broken))
        with pytest.raises(FormatError, match="not a saved report"):
            read_report(path)


def report_with(**changed: Any) -> Report:
    plain = Report(
        task="t",
        variant="v",
        n=2,
        scores=(Score(name="x", value=0.5), Score(name="y", value=0.5)),
        rank_by="x",
        columns=("one", "two"),
        items=(("a", (1.0, 2.0)), ("b", (1.0, 0.0))),
        groups=("g", "g"),
        meta={"commands": ["make x"]},
    )
    return msgspec.structs.replace(plain, **changed)


@pytest.mark.parametrize(
    ("changed", "place", "message"),
    [
        ({"items": (("a", (1.0,)), ("b", (1.0, 0.0)))}, "/items", "1 items have not 2 counts, .* columns: 'a'"),
        ({"items": (("a", (1.0, 2.0)), ("a", (1.0, 0.0)))}, "/items", "1 items stand there more than once: 'a'"),
        ({"items": (("a", (1.0,)), ("b", ()))}, "/items", "2 items have not 2 counts, as there are columns: 'a'"),
        (
            {"n": 4, "groups": ("g",) * 4, "items": tuple((name, (1.0, 2.0)) for name in "baab")},
            "/items",
            "2 items stand there more than once: 'b'",
        ),
        ({"rank_by": "elsewhere"}, "/rank_by", "no score 'elsewhere', by which systems are ranked"),
        ({"columns": ("one", "one")}, "/columns", "a column stands there twice"),
        ({"groups": ("g",)}, "/groups", "1 groups are given for 2 items"),
        ({"groups": ("g",) * 3}, "/groups", "3 groups are given for 2 items"),
        ({"scores": (Score(name="x", value=0.5),) * 2}, "/scores", "a score stands there twice"),
        ({"n": -1}, "/n", "-1 items cannot be"),
        *[
            ({"scores": (Score(name="x", value=0.5, low=low, high=high),)}, "/scores/0", "'x' is from .* two numbers")
            for low, high in ((math.nan, 1.0), (0.0, math.nan), (-math.inf, 1.0), (None, 1.0), (0.0, None), (0.6, 0.4))
        ],
        (
            {"slices": (Slice(by="b", value="v", n=1, scores=(Score(name="x", value=0.5, low=math.nan, high=1.0),)),)},
            "/slices/0/scores/0",
            "'x' is from nan to 1.0; expected two numbers",
        ),
        ({"meta": {"commands": "make x"}}, "/meta/commands", "expected a list of texts"),
        ({"meta": {"commands": ["make x", 3]}}, "/meta/commands", "expected a list of texts"),
    ],
)
def test_what_does_not_fit_together_in_a_report_is_told_with_its_place(
    tmp_path: Path, changed: dict[str, Any], place: str, message: str
) -> None:
    save_report(report_with(**changed), tmp_path / "x.json")
    with pytest.raises(FormatError, match=message) as refused:
        read_report(tmp_path / "x.json")
    assert [(one.rule, one.place) for one in refused.value.problems] == [("report-damaged", place)]
    assert "score the files again with --out" in str(refused.value)


@pytest.mark.parametrize(
    ("exposure", "message"),
    [
        ({"samples": 1, "samples_seen": 10**400}, r"samples_seen"),
        ({"samples": 2, "samples_seen": 3}, "samples_seen is 3, more than samples, 2"),
        ({"replies_seen": 1}, "replies_seen is 1, more than replies, 0"),
        ({"samples": 2, "samples_seen": 1, "held_out": 2}, "held_out is 2, more than samples_seen, 1"),
        ({"samples": -1}, r"samples"),
        ({"by_chance": 1e300}, r"by_chance"),
    ],
)
def test_an_exposure_that_cannot_be_is_refused(tmp_path: Path, exposure: dict[str, Any], message: str) -> None:
    report = msgspec.to_builtins(report_with())
    (tmp_path / "x.json").write_text(json.dumps(report | {"exposure": exposure}), encoding="utf-8")
    with pytest.raises(FormatError, match=f"not a saved report: .*{message}"):
        read_report(tmp_path / "x.json")


@pytest.mark.parametrize("changed", [{}, {"n": 0}, {"groups": ()}, {"meta": {}}])
def test_what_fits_together_is_read(tmp_path: Path, changed: dict[str, Any]) -> None:
    report = report_with(**changed)
    save_report(report, tmp_path / "x.json")
    assert read_report(tmp_path / "x.json") == report


def test_figures_of_a_damaged_report_are_changed_where_they_stand_and_nowhere_else(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    save_report(report_with(items=(("NaN", (math.inf, 1.0)), ("Infinity", (-math.inf, 2.0)))), path)
    assert b'["NaN",["Infinity",1.0]]' in path.read_bytes()
    assert read_report(path).items == (("NaN", (math.inf, 1.0)), ("Infinity", (-math.inf, 2.0)))
    data = path.read_bytes()
    for broken in (b'"Infinity"', b'["a"]', b'["a",[1],2]', b'["a","NaN"]', b"{}", b"null"):
        path.write_bytes(data.replace(b'["NaN",["Infinity",1.0]]', broken))
        with pytest.raises(FormatError, match="not a saved report"):
            read_report(path)


def test_options_that_were_files_or_programs_come_back_as_hashes_and_never_as_paths() -> None:
    how = {"variant": "coco", "options": {"bleu": "floor"}}
    files = {
        "pred": [{"path": "x", "sha256": "1"}],
        "options": [{"path": "/secret/vectors.txt", "sha256": "2", "option": "vectors"}],
        "programs": [{"path": "/secret/meteor.jar", "sha256": "3", "option": "meteor"}],
    }
    report = report_with(task="conversation", meta={"how": how, "files": files})
    outside = {"vectors": "2", "sentence-vectors": "", "relevance": "", "meteor": "3"}
    info = load_task("conversation").info
    assert {*info.files, *info.programs} == set(outside)
    assert how_of(report).options == {"bleu": "floor", **outside}
    bare = msgspec.structs.replace(report, meta={"how": how})
    assert how_of(bare).options == {"bleu": "floor", **dict.fromkeys(outside, "")}
    named = msgspec.structs.replace(report, meta={"how": {**how, "options": {"meteor": "/bin/sh"}}})
    with pytest.raises(FormatError, match="option 'meteor' names a file, and no path is ever taken from a report"):
        how_of(named)
    kept = how_to_save(Scoring(variant="coco", options={"bleu": "floor", "vectors": "/secret/vectors.txt"}), info)
    assert kept["options"] == {"bleu": "floor"}
