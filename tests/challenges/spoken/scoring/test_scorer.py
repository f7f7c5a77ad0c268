from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.spoken.formats.files import load, read_result, write_result
from duologue.challenges.spoken.scoring import scorer
from duologue.challenges.spoken.scoring.options import OPTIONS as OPTIONS_OF_THE_BRIEF
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Annotation, Answer, Example, Fact, Sample, Scoring, Submission
from duologue.metrics.counts import Counts
from duologue.metrics.significance import compare_two

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Report

STRICT = Scoring(variant="strict")
OPTIONS: dict[str, dict[str, str]] = {
    "default": {},
    "selection_corpus": {"average": "corpus"},
    "selection_empty_skip": {"empty": "skip"},
    "selection_empty_zero": {"empty": "zero"},
    "selection_gold_only": {"empty": "gold_only"},
    "selection_count_duplicates": {"duplicates": "count"},
    "selection_strict_types": {"strict_types": "true"},
    "tokens_han": {"tokens": "han"},
    "bleu_corpus": {"bleu": "corpus"},
    "bleu_add1": {"smoothing": "add1"},
    "bleu_epsilon": {"smoothing": "epsilon"},
    "f1_set": {"f1": "set"},
    "distinct_types": {"distinct": "types"},
    "distinct_once_corpus": {"scope": "corpus"},
    "distinct_types_corpus": {"distinct": "types", "scope": "corpus"},
}
"""Names of the golden cases to options."""
NAMES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "bleu1": "bleu-1",
    "bleu2": "bleu-2",
    "distinct1": "distinct-1",
    "distinct2": "distinct-2",
    "generation_f1": "generation-f1",
    "score": "total",
}
"""Names of the golden cases to ours."""
SCORES = list(NAMES.values())


def examples_of(gold: dict[str, Any]) -> list[Example]:
    return [
        Example(
            sample=Sample(id=name, dialogue_id=name),
            references=(Answer(text=row["message"]),),
            source=row,
        )
        for name, row in gold.items()
    ]


def report_on(gold: dict[str, Any], prediction: dict[str, Any], how: Scoring = STRICT) -> Report:
    return scorer.score(examples_of(gold), Submission(rows=prediction, layout="spoken-result"), how)


def figures(report: Report) -> dict[str, float]:
    return {score.name: score.value for score in report.scores}


def with_options(**options: str) -> Scoring:
    return Scoring(variant="strict", options=options, by=("triples",))


def attr(name: str, attribute: str, value: Any) -> dict[str, Any]:
    return {"name": name, "attrname": attribute, "attrvalue": value}


def test_every_golden_case_is_equal_under_every_option(golden: Path, tmp_path: Path) -> None:
    cases = [json.loads(path.read_text("utf-8")) for path in sorted((golden / "official").glob("*.json"))]
    assert len(cases) == 15
    for case in cases:
        (tmp_path / "gold.json").write_text(json.dumps(case["gold"]), "utf-8")
        (tmp_path / "result.json").write_text(json.dumps(case["prediction"]), "utf-8")
        examples, submission = load(tmp_path / "gold.json"), read_result(tmp_path / "result.json")
        default = {name: entry["value"] for name, entry in case["expected"]["default"].items()}
        assert set(case["expected"]) <= set(OPTIONS)
        for option, choice in OPTIONS.items():
            expected = default | {name: one["value"] for name, one in case["expected"].get(option, {}).items()}
            found = figures(scorer.score(examples, submission, with_options(**choice)))
            for name, value in expected.items():
                close = 1e-9 if name in {"bleu1", "bleu2", "score"} else 1e-12
                assert found[NAMES[name]] == pytest.approx(value, abs=close, rel=0), (case["case"], option, name)


def test_the_official_variant_is_the_baselines_own_scorer_of_triples(golden: Path) -> None:
    cases = sorted((golden / "official").glob("*.json"))
    assert cases
    for path in cases:
        case = json.loads(path.read_text("utf-8"))
        found = figures(report_on(case["gold"], case["prediction"], Scoring(variant="official")))
        for name, value in case["baseline_selection_code"].items():
            assert found[name] == pytest.approx(value, abs=1e-12, rel=0), case["case"]


VALUES = st.sampled_from(["甲", "乙", "70", 70])
ATTRS = st.lists(st.builds(attr, st.sampled_from(["园", "山"]), st.sampled_from(["地址", "门票"]), VALUES), max_size=4)
SAYINGS = st.text("甲乙丙a1 。", max_size=8)


def replies(message: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"message": message}, optional={"attrs": ATTRS})


GOLD = st.lists(replies(SAYINGS.map(lambda text: "甲乙" + text)), min_size=1, max_size=4)
"""Replies with two characters at least: of a shorter one no bigram can match."""
CHOICES = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in OPTIONS_OF_THE_BRIEF.items()}
)


def numbered(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {str(number): row for number, row in enumerate(rows, start=1)}


@settings(max_examples=60)
@given(GOLD, st.lists(replies(SAYINGS), max_size=5), CHOICES)
def test_gold_as_prediction_is_never_beaten(
    gold: list[dict[str, Any]], other: list[dict[str, Any]], options: dict[str, str]
) -> None:
    # Where repeats count, they raise recall above 1; with f1=set a reply without repeats beats a reference with some.
    how = with_options(**{**options, "duplicates": "dedupe", "f1": "clipped"})
    best = figures(report_on(numbered(gold), numbered(gold), how))
    rival = figures(report_on(numbered(gold), numbered(other), how))
    for name in set(SCORES) - {"distinct-1", "distinct-2"}:
        assert rival[name] <= best[name] + 1e-12, name
    for name in ("bleu-1", "bleu-2", "generation-f1"):
        assert best[name] == pytest.approx(1)
    if not options.get("empty") and options.get("average") != "corpus":
        assert best["total"] == pytest.approx(3)


@settings(max_examples=40)
@given(GOLD, st.lists(replies(SAYINGS), min_size=1, max_size=5), CHOICES, st.randoms(use_true_random=False))
def test_the_order_of_the_replies_and_of_their_triples_never_matters(
    gold: list[dict[str, Any]], said: list[dict[str, Any]], options: dict[str, str], chance: Any
) -> None:
    rows = list(numbered(said).items())
    turned = [(name, {**row, "attrs": row.get("attrs", [])[::-1]}) for name, row in rows]
    chance.shuffle(turned)
    first = report_on(numbered(gold), dict(rows), with_options(**options))
    second = report_on(numbered(gold), dict(turned), with_options(**options))
    assert first.scores == second.scores
    assert first.items == second.items


@settings(max_examples=40)
@given(GOLD, st.lists(replies(SAYINGS), min_size=1, max_size=5), CHOICES)
def test_every_score_stays_in_its_bounds_and_its_formula_gives_it_again(
    gold: list[dict[str, Any]], said: list[dict[str, Any]], options: dict[str, str]
) -> None:
    how = with_options(**options)
    report = report_on(numbered(gold), numbered(said), how)
    counts = Counts.of_report(report)
    formulas = {formula.name: formula for formula in scorer.metrics(how)}
    assert list(formulas) == [score.name for score in report.scores]
    for score in report.scores:
        most = 3.0 if score.name == "total" else 1.0
        if options.get("duplicates") != "count":
            assert 0 <= score.value <= most + 1e-12
        assert formulas[score.name].value(counts) == pytest.approx(score.value, abs=1e-12)
        assert formulas[score.name].formula in str(score.signature)


@settings(max_examples=40)
@given(ATTRS, ATTRS)
def test_a_wrong_triple_never_raises_precision_or_recall(
    gold: list[dict[str, Any]], said: list[dict[str, Any]]
) -> None:
    wrong = attr("nowhere", "nothing", "never")
    before = figures(report_on({"1": {"message": "甲", "attrs": gold}}, {"1": {"message": "甲", "attrs": said}}))
    after = figures(
        report_on({"1": {"message": "甲", "attrs": gold}}, {"1": {"message": "甲", "attrs": [*said, wrong]}})
    )
    assert after["precision"] <= before["precision"]
    assert after["recall"] <= before["recall"]


@settings(max_examples=40)
@given(st.lists(st.tuples(SAYINGS, SAYINGS), min_size=1, max_size=4), st.sampled_from(["none", "add1"]))
def test_bleu_agrees_with_sacrebleu(pairs: list[tuple[str, str]], smoothing: str) -> None:
    bleu = pytest.importorskip("sacrebleu.metrics").BLEU
    gold = numbered([{"message": wanted} for wanted, _ in pairs])
    said = numbered([{"message": reply} for _, reply in pairs])
    ours = figures(report_on(gold, said, with_options(bleu="corpus", smoothing=smoothing)))
    spaced = [[" ".join("".join(text.split())) for text in side] for side in zip(*pairs, strict=True)]
    for n in (1, 2):
        method = {"smooth_method": "add-k", "smooth_value": 1} if smoothing == "add1" else {"smooth_method": "none"}
        theirs = bleu(max_ngram_order=n, tokenize="none", **method).corpus_score(spaced[1], [spaced[0]])
        if all(theirs.totals) or smoothing == "none":  # it leaves out an order without n-grams; the definition does not
            assert ours[f"bleu-{n}"] == pytest.approx(theirs.score / 100, abs=1e-9)


ONE: dict[str, Any] = {"message": "门票十元。", "attrs": [attr("园", "门票", "十元")]}
TWO = {"message": "不客气。"}


def test_with_f1_of_sets_a_reply_without_repeats_beats_the_reference_itself() -> None:
    gold, how = {"1": {"message": "甲乙11"}}, with_options(f1="set")
    assert figures(report_on(gold, gold, how))["generation-f1"] == 0.75
    assert figures(report_on(gold, {"1": {"message": "甲乙1"}}, how))["generation-f1"] > 0.85


def test_a_repeated_right_triple_raises_recall_above_one_in_the_official_variant_alone() -> None:
    said = {"1": {"message": "门票十元。", "attrs": ONE["attrs"] * 2}}
    assert figures(report_on({"1": ONE}, said, Scoring(variant="official")))["recall"] == 2
    assert figures(report_on({"1": ONE}, said))["recall"] == 1


def test_a_missing_sample_scores_zero_even_where_nothing_was_to_be_said() -> None:
    report = report_on({"1": ONE, "2": TWO}, {"1": ONE})
    assert figures(report)["f1"] == 0.5
    assert figures(report)["bleu-1"] == 0.5
    assert [(problem.rule, problem.severity) for problem in report.problems] == [("id-missing", "warning")]
    for empty in ("skip", "gold_only"):
        assert figures(report_on({"1": ONE, "2": TWO}, {"1": ONE}, with_options(empty=empty)))["f1"] == 1


def test_references_without_any_triple_bring_a_warning_since_who_chooses_none_is_right() -> None:
    report = report_on({"2": TWO}, {"2": TWO})
    assert [(one.rule, one.severity) for one in report.problems] == [("truth-without-triples", "warning")]
    assert report_on({"1": ONE, "2": TWO}, {"1": ONE, "2": TWO}).problems == ()


def test_replies_to_unknown_samples_are_passed_over() -> None:
    report = report_on({"1": ONE}, {"1": ONE, "9": {"message": "甲", "attrs": []}})
    assert report.n == 1
    assert figures(report)["total"] == pytest.approx(3)


def test_the_samples_with_knowledge_are_scored_by_themselves() -> None:
    report = report_on({"1": ONE, "2": TWO}, {"1": ONE}, Scoring(variant="strict", samples="knowledge"))
    assert report.n == 1
    assert "samples knowledge" in str(report.signature)
    assert figures(report)["total"] == pytest.approx(3)
    with pytest.raises(FormatError, match="no sample has gold triples"):
        report_on({"2": TWO}, {"2": TWO}, Scoring(variant="strict", samples="knowledge"))


def test_a_file_with_errors_is_refused_unless_partial() -> None:
    broken = {"1": ONE, "2": {"message": 7}}
    with pytest.raises(FormatError, match="message-type"):
        report_on({"1": ONE, "2": TWO}, broken)
    report = report_on({"1": ONE, "2": TWO}, broken, Scoring(variant="strict", partial=True))
    assert figures(report)["generation-f1"] == 0.5
    with pytest.raises(FormatError, match="not-an-object"):
        scorer.score(examples_of({"1": ONE}), Submission(rows=[], layout=""), Scoring(variant="strict", partial=True))


def test_gold_that_cannot_be_scored_against_is_refused_with_all_its_problems() -> None:
    bare = Example(sample=Sample(id="3", dialogue_id="3"))
    unsaid = Example(sample=Sample(id="4", dialogue_id="4"), references=(Answer(), Answer(text="好")))
    twice = examples_of({"1": ONE}) * 2
    with pytest.raises(FormatError) as caught:
        scorer.score([*twice, bare, unsaid], Submission(rows={}, layout=""), STRICT)
    assert [(problem.rule, problem.place) for problem in caught.value.problems] == [
        ("truth-unknown", "sample '3'"),
        ("truth-unknown", "sample '4'"),
        ("id-repeated", "sample '1'"),
    ]
    assert caught.value.problems[-1].message == "the sample occurs 2 times"
    with pytest.raises(FormatError, match="no sample to score"):
        scorer.score([], Submission(rows={}, layout=""), STRICT)


def test_gold_without_a_source_is_made_from_its_facts() -> None:
    fact = Fact(subject="园", relation="门票", object="十元")
    reference = Answer(text="门票十元。", annotation=Annotation(facts=(fact,)))
    another = Answer(text=None, annotation=Annotation())
    example = Example(sample=Sample(id="1", dialogue_id="1"), references=(reference, another))  # the first counts
    assert scorer.gold_attrs(example) == ONE["attrs"]
    of_other_layouts: list[Any] = [{"turns": []}, "a message", 7]
    for source in of_other_layouts:
        assert scorer.gold_attrs(msgspec.structs.replace(example, source=source)) == ONE["attrs"]
    assert scorer.gold_attrs(msgspec.structs.replace(example, source={"message": "好"})) == []
    report = scorer.score([example], Submission(rows={"1": ONE}, layout=""), STRICT)
    assert figures(report)["total"] == pytest.approx(3)


def test_slices_cover_the_samples_and_can_be_chosen() -> None:
    gold = {"1": ONE, "2": TWO, "3": {"message": "甲", "attrs": [attr("甲", "等级", 70), attr("乙", "等级", 70)]}}
    report = report_on(gold, gold)
    cuts = {(part.by, part.value): part.n for part in report.slices}
    assert cuts == {
        ("domain", "travel"): 1,
        ("domain", "wow"): 1,
        ("answer-kind", "no knowledge"): 1,
        ("answer-kind", "one value"): 1,
        ("answer-kind", "several entities"): 1,
        ("triples", "0"): 1,
        ("triples", "1"): 1,
        ("triples", "2"): 1,
    }
    assert {part.by for part in report_on(gold, gold, Scoring(variant="strict", by=("domain",))).slices} == {"domain"}
    with pytest.raises(UsageError, match="cannot be cut"):
        report_on(gold, gold, Scoring(variant="strict", by=("weather",)))


@pytest.fixture
def dialogues(golden: Path) -> list[Example]:
    return load(golden / "small-valid.json")


def test_resampling_draws_dialogues_where_there_are_some(dialogues: list[Example], tmp_path: Path) -> None:
    write_result([(one.sample.id, one.references[0]) for one in dialogues], tmp_path / "result.json")
    report = scorer.score(dialogues, read_result(tmp_path / "result.json"), STRICT)
    assert report.groups == ("0", "0", "1")
    assert report.n == 3
    assert (report.signature.dialogues, report.caution) == (2, "")
    lost = report_on({"1": ONE}, {"1": ONE})  # a gold in result form does not say whose a sample is
    assert lost.groups == ()
    assert "dialogues are not known" in lost.caution
    assert "dialogues unknown, by sample" in str(lost.scores[0].signature)


def test_two_systems_can_be_compared_on_the_counts_that_reports_keep() -> None:
    gold = numbered([ONE, TWO] * 10)
    better, worse = report_on(gold, gold), report_on(gold, {})
    formulas = [formula for formula in scorer.metrics(STRICT) if formula.additive]
    found = compare_two(Counts.of_report(better), Counts.of_report(worse), formulas, rounds=200)
    assert {one.name: one.difference for one in found.tests}["total"] == pytest.approx(3)
    assert all(one.differs for one in found.tests)


def test_pooled_distinct_has_a_jackknife_interval_and_pooled_once_has_none() -> None:
    gold = numbered([ONE, TWO, {"message": "甲乙甲"}, ONE, TWO])
    types = {score.name: score for score in report_on(gold, gold).scores}["pooled-distinct-1"]
    assert types.low is not None
    assert types.high is not None
    assert types.low <= types.value <= types.high
    once = {score.name: score for score in report_on(gold, gold, with_options(scope="corpus")).scores}["distinct-1"]
    assert once.low is None
    silent = figures(report_on(gold, {}))
    assert silent["pooled-distinct-1"] == 0


def test_the_official_variant_has_no_transcript_since_there_was_no_program() -> None:
    assert report_on({"1": ONE}, {"1": ONE}, Scoring(variant="official")).transcript == ()


def report_on_references(data: Path, folder: Path) -> Report:
    """Demand that the references of a file score their maximum against themselves; return the report."""
    examples = load(data)
    write_result([(one.sample.id, one.references[0]) for one in examples], folder / "result.json")
    submission = read_result(folder / "result.json")
    how = Scoring(variant="strict", by=("answer-kind",))
    report = scorer.score(examples, submission, how)
    found = figures(report)
    assert {name: found[name] for name in ("precision", "recall", "f1", "bleu-1", "generation-f1")} == pytest.approx(
        dict.fromkeys(("precision", "recall", "f1", "bleu-1", "generation-f1"), 1.0)
    )
    # A reply of one character has no bigram, so BLEU-2 of gold is 0 there by the definition.
    single = sum(len("".join((one.references[0].text or "").split())) < 2 for one in examples)
    assert found["bleu-2"] == pytest.approx(1 - single / report.n)
    return report


def test_made_dialogues_score_their_maximum(golden: Path, tmp_path: Path) -> None:
    report = report_on_references(golden / "contract" / "valid.json", tmp_path)
    assert report.n == 38
    assert {part.value: part.n for part in report.slices}["no knowledge"] == 3


@pytest.mark.real_data(twin="test_made_dialogues_score_their_maximum")
def test_the_real_validation_dialogues_score_their_maximum(real_data: Path, tmp_path: Path) -> None:
    report = report_on_references(real_data / "spoken" / "challenge_valid_visible.json.gz", tmp_path)
    assert report.n == 4555
    assert {part.value: part.n for part in report.slices}["no knowledge"] == 4555 - 3114


def test_importing_the_task_loads_no_heavy_library() -> None:
    code = (
        "import sys, duologue.challenges.spoken.task; "
        "print(sorted({'numpy', 'torch', 'rich', 'duologue.metrics.counts'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
