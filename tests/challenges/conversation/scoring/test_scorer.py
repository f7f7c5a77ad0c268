from __future__ import annotations

import json
import os
import random
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.conversation.formats.dialogue_lines import REPLIES
from duologue.challenges.conversation.scoring import scorer
from duologue.challenges.conversation.scoring.checker import VARIANTS
from duologue.challenges.conversation.scoring.items import ItemStream
from duologue.core.errors import DuologueError, UsageError
from duologue.core.records import Example, Report, Scoring
from duologue.metrics.counts import Counts
from duologue.metrics.meteor import VARIABLE, find_meteor
from duologue.report.notes import notes_of
from duologue.report.phrases import in_chinese

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.scoring.items import ScoredItems
    from duologue.challenges.conversation.task import ConversationTask

    Write = Callable[..., Path]

COCO_NAMES = {
    "bleu-1": "Bleu_1",
    "bleu-2": "Bleu_2",
    "bleu-3": "Bleu_3",
    "bleu-4": "Bleu_4",
    "rouge-l": "ROUGE_L",
    "cider": "CIDEr",
}
SYSTEMS = [f"S_{number}" for number in range(1, 15)]


def values(report: Report) -> dict[str, float]:
    return {one.name: one.value for one in report.scores}


def run(
    task: ConversationTask, examples: Sequence[Example], path: Path, variant: str = "strict", **options: str
) -> Report:
    return task.score(examples, task.read(path), Scoring(variant=variant, options=options))


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_the_score_that_ranks_says_that_people_order_systems_otherwise(
    task: ConversationTask, golden: Path, variant: str
) -> None:
    report = run(task, [], golden / "v1.txt", variant)
    assert notes_of([report]) == {report.rank_by: "people put systems in another order"}
    assert in_chinese(notes_of([report])[report.rank_by]) == "人们对系统的排序与此不同"


@pytest.mark.parametrize("variant", ["strict", "coco"])
@pytest.mark.parametrize("case", ["v1", "v2", "v3"])
def test_one_reference_gives_the_figures_of_the_caption_program(
    task: ConversationTask, golden: Path, variant: str, case: str
) -> None:
    expected = json.loads((golden / "expected.json").read_text())[case]["coco_single_reference"]
    found = values(run(task, [], golden / f"{case}.txt", variant))
    for name, theirs in COCO_NAMES.items():
        assert found[name] == pytest.approx(expected[theirs], rel=1e-12, abs=1e-13), name


def multi_reference(golden: Path, write: Write) -> tuple[list[Path], Path]:
    rows = [json.loads(line) for line in (golden / "multi_reference.jsonl").read_text().splitlines()]
    golds = [write("".join(row["refs"][at] + "\n" for row in rows), f"gold{at}") for at in range(3)]
    return golds, write("".join(row["hyp"] + "\n" for row in rows), "pred")


def test_several_references_give_the_figures_of_the_caption_program(
    task: ConversationTask, golden: Path, write: Write
) -> None:
    expected = json.loads((golden / "multi_reference_expected.json").read_text())
    golds, pred = multi_reference(golden, write)
    report = run(task, task.load_files(golds), pred, vectors=str(golden / "toy_vectors.txt"))
    found = values(report)
    for name, theirs in COCO_NAMES.items():
        assert found[name] == pytest.approx(expected["coco"][theirs], rel=1e-12), name
    each = dict(report.items)
    place = report.columns.index("cider")
    assert [each[str(at)][place] for at in range(1, 5)] == pytest.approx(expected["coco"]["CIDEr_each"], rel=1e-12)
    names = ("embedding-average", "vector-extrema", "greedy-matching")
    assert [round(found[name], 6) for name in names] == list(expected["embedding_toy"].values())
    assert 0 < found["greedy-idf"] < found["greedy-matching"]
    assert "3 ref" in str(report.signature)
    assert "dialogues are not known" in report.caution
    assert "vectors" in str(report.signature)


@pytest.mark.real_data(twin="test_one_reference_gives_the_figures_of_the_caption_program")
def test_the_official_example_has_the_figures_of_the_caption_program(task: ConversationTask, real_data: Path) -> None:
    folder = real_data / "conversation" / "golden" / "scoring"
    expected = json.loads((folder / "expected.json").read_text())["system_output_example"]["coco_single_reference"]
    found = values(run(task, [], folder / "system_output_example.txt"))
    for name, theirs in COCO_NAMES.items():
        assert found[name] == pytest.approx(expected[theirs], rel=1e-12), name


@pytest.fixture(scope="module")
def official_references(real_data: Path) -> list[Example]:
    """The 2,000 samples of the official test with their 11 references."""
    from duologue.challenges.conversation.task import ConversationTask

    folder = real_data / "conversation" / "official_evaluation" / "references"
    paths = [folder / "original_refs.txt.gz", *(folder / f"refgen_result{at}.txt.gz" for at in range(1, 11))]
    return list(ConversationTask().load_files(paths))


def published(real_data: Path) -> dict[str, dict[str, str]]:
    text = (real_data / "conversation" / "official_evaluation" / "objective_evaluation_results.txt").read_text()
    head, *rows = (line.split("\t") for line in text.splitlines())
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.real_data(twin="test_several_references_give_the_figures_of_the_caption_program")
def test_every_published_figure_is_equal_to_six_digits(
    task: ConversationTask, real_data: Path, official_references: list[Example], system: str
) -> None:
    path = real_data / "conversation" / "official_evaluation" / "hypotheses" / f"{system}.txt.gz"
    found = values(run(task, official_references, path))
    expected = published(real_data)[system]
    assert {theirs: f"{found[name]:.6f}" for name, theirs in COCO_NAMES.items()} == {
        theirs: expected[theirs] for theirs in COCO_NAMES.values()
    }


@pytest.mark.real_data(twin="test_several_references_give_the_figures_of_the_caption_program")
def test_the_published_figures_of_the_baseline_are_equal(
    task: ConversationTask, real_data: Path, official_references: list[Example]
) -> None:
    path = real_data / "conversation" / "official_evaluation" / "hypotheses" / "S_1.txt.gz"
    report = run(task, official_references, path)
    found, expected = values(report), published(real_data)["S_1"]
    assert [f"{found[name]:.6f}" for name in COCO_NAMES] == [expected[name] for name in COCO_NAMES.values()]
    assert report.meta["different replies"] == 848


def test_a_constant_reply_to_made_samples_is_seen_beside_its_bleu(task: ConversationTask, write: Write) -> None:
    golds = [
        write("".join(f"we are sorry {word} {at} .\n" for at in range(50)), f"gold {word}") for word in ("to", "for")
    ]
    found = values(run(task, task.load_files(golds), write("we are sorry to hear that .\n" * 50)))
    # Of 7 tokens, `we are sorry to` and the full stop are in a reference: 5 of 7, and 3 of 6 pairs; references have 6
    assert (found["bleu-1"], found["bleu-2"]) == pytest.approx((5 / 7, (5 / 7 * 3 / 6) ** 0.5))
    assert found["different-replies"] == 1 / 50
    assert found["commonest-reply"] == 1
    assert found["distinct-1"] == 7 / 350


@pytest.mark.real_data(twin="test_a_constant_reply_to_made_samples_is_seen_beside_its_bleu")
def test_a_constant_reply_is_seen_beside_its_bleu(
    task: ConversationTask, official_references: list[Example], write: Write
) -> None:
    constant = "we are sorry to hear that . please send us a dm so we can look into this for you .\n"
    found = values(run(task, official_references, write(constant * 2000)))
    assert [round(found[f"bleu-{n}"], 4) for n in (1, 2, 3, 4)] == [0.6668, 0.4310, 0.3038, 0.2225]
    assert found["different-replies"] == 1 / 2000
    assert found["commonest-reply"] == 1
    assert found["distinct-1"] < 0.001


@pytest.mark.slow
@pytest.mark.real_data(twin="test_counts_total_as_the_program_evaluates_them")
def test_the_published_meteor_of_the_baseline_is_equal_with_meteor(
    task: ConversationTask, real_data: Path, official_references: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not os.environ[VARIABLE]:
        monkeypatch.delenv(VARIABLE)
    if find_meteor() is None or shutil.which("java") is None:
        pytest.skip("install duologue[meteor] and Java")
    path = real_data / "conversation" / "official_evaluation" / "hypotheses" / "S_1.txt.gz"
    found = values(run(task, official_references, path))
    assert f"{found['meteor']:.6f}" == published(real_data)["S_1"]["METEOR"]


def test_meteor_without_its_program_is_no_score_and_a_wrong_path_an_error(
    task: ConversationTask, golden: Path, tmp_path: Path
) -> None:
    assert "meteor" not in values(run(task, [], golden / "v1.txt"))
    with pytest.raises(UsageError, match="no METEOR program"):
        run(task, [], golden / "v1.txt", meteor=str(tmp_path / "none.jar"))


OWN = "U: a\nS_REF: we can help\nS_HYP: ask us\n\nU: b\nS_REF: ask us\nS_HYP: ask us\n\n"


def test_sentence_vectors_of_the_user_give_the_mean_of_best_cosines(
    task: ConversationTask, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = str(write("we can help\t3 4\nask us\t1 0\n", "table"))
    path = write(OWN, "output")
    report = run(task, [], path, **{"sentence-vectors": table})
    assert values(report)["sentence-cosine"] == pytest.approx(0.8)
    assert "sentence-vectors" in report.signature.hashes
    names = [metric.name for metric in task.metrics(Scoring(variant="strict", options={"sentence-vectors": table}))]
    assert names == [one.name for one in report.scores]
    other = write(OWN.replace("S_REF: ask us", "S_REF: good bye"), "other")
    with pytest.raises(UsageError, match="no vector for 1 of 3 different texts, such as 'good bye'"):
        run(task, [], other, **{"sentence-vectors": table})
    monkeypatch.setattr(scorer, "MANY", 1)
    runs = run(task, [], path, **{"sentence-vectors": table})
    assert values(runs)["sentence-cosine"] == pytest.approx(0.8)
    assert runs.signature.hashes["sentence-vectors"] == report.signature.hashes["sentence-vectors"]


@pytest.mark.parametrize(("most", "unit"), [(7, "sample"), (6, "run of up to 3 samples")])
def test_the_signature_says_whether_samples_or_runs_of_them_are_left_out(
    task: ConversationTask, write: Write, monkeypatch: pytest.MonkeyPatch, most: int, unit: str
) -> None:
    monkeypatch.setattr(scorer, "MANY", most)
    monkeypatch.setattr(scorer, "RUNS", 3)
    path = write("".join(f"U: a{at}\nS_REF: b{at}\nS_HYP: c{at}\n\n" for at in range(7)), "output")
    report = run(task, [], path)
    assert (report.n, report.signature.unit) == (7, unit)
    assert f"| dialogues unknown, by {unit} |" in str(report.signature)


class _CountedError(Exception):
    """What would be counted, and how."""


def test_up_to_a_hundred_thousand_samples_are_counted_each_and_more_in_ten_thousand_runs(
    task: ConversationTask, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def whole() -> Iterator[ScoredItems]:
        raise _CountedError("each")

    def in_runs(flow: ItemStream, _how: Scoring, limit: int, _visit: object) -> None:
        raise _CountedError(f"{flow.n} in {limit} runs")

    monkeypatch.setattr(scorer, "count_runs", in_runs)
    path = write(OWN, "output")
    for n, told in ((100_000, "each"), (100_001, "100001 in 10000 runs")):
        monkeypatch.setattr(scorer, "stream_of", lambda *_, n=n: ItemStream(n, whole))
        with pytest.raises(_CountedError, match=told):
            run(task, [], path)
    with pytest.raises(UsageError, match="relevance is counted for up to 100,000 samples, found 100,001"):
        run(task, [], path, relevance=str(path))


def test_scores_of_the_ranking_that_are_not_computed_are_named(task: ConversationTask, write: Write) -> None:
    path, table = write(OWN, "output"), write("we can help\t3 4\nask us\t1 0\n", "table")
    words = write("we 1 0\nask 0 1\n", "words")
    for variant in ("strict", "coco"):
        left_out = run(task, [], path, variant).meta["not computed"]
        for name in ("METEOR", "duologue[meteor]", "--option vectors=", "Skip-thought", "--option sentence-vectors="):
            assert name in left_out
    given = {"sentence-vectors": str(table), "vectors": str(words)}
    assert run(task, [], path, **given).meta["not computed"].startswith("METEOR")
    assert scorer.not_computed(Scoring(variant="strict", options={**given, "meteor": "meteor.jar"})) == ""
    assert "not computed" not in run(task, [], path, "official").meta


@pytest.mark.parametrize("variant", VARIANTS)
def test_diversity_stands_beside_bleu_in_every_variant(task: ConversationTask, golden: Path, variant: str) -> None:
    report = run(task, [], golden / "v1.txt", variant)
    names = [one.name for one in report.scores]
    assert names[:4] == ["bleu-1", "bleu-2", "bleu-3", "bleu-4"]
    assert names[-4:] == ["distinct-1", "distinct-2", "different-replies", "commonest-reply"]
    assert [metric.name for metric in task.metrics(Scoring(variant=variant))] == names
    assert variant in str(report.signature)


@pytest.mark.parametrize("variant", VARIANTS)
def test_stored_counts_total_to_the_headline(task: ConversationTask, golden: Path, variant: str) -> None:
    report = run(task, [], golden / "v1.txt", variant)
    counts = Counts.of_report(report)
    for metric, score in zip(task.metrics(Scoring(variant=variant)), report.scores, strict=True):
        assert metric.value(counts) == score.value
        if score.low is not None and score.high is not None:
            assert score.low <= score.value <= score.high


@pytest.mark.parametrize("variant", VARIANTS)
def test_gold_as_prediction_has_the_most_of_each_score(task: ConversationTask, write: Write, variant: str) -> None:
    lines = [" ".join(f"w{(3 * at + step) % 17}" for step in range(6)) for at in range(12)]
    gold = list(task.load(write("".join(f"{line}\n" for line in lines), "gold")))
    best = values(run(task, gold, write("".join(f"{line}\n" for line in lines), "best"), variant))
    assert all(best[f"bleu-{n}"] == pytest.approx(1, abs=1e-8) for n in (1, 2, 3, 4))
    if variant in {"strict", "coco"}:
        assert best["rouge-l"] == best["chrf"] == pytest.approx(1)
        assert best["cider"] == pytest.approx(10)
    worse = values(run(task, gold, write("".join(f"{line} x\n" for line in lines), "worse"), variant))
    assert all(worse[name] < best[name] for name in best if name.startswith(("bleu", "rouge", "cider", "chrf")))


def test_slices_by_context_add_up_to_all(task: ConversationTask, write: Write) -> None:
    pairs = (0, 1, 2, 4)
    blocks = [
        "U: a\n" + "S: b\nU: c\n" * pairs[at % 4] + f"S_REF: d e f g {at}\nS_HYP: d e f {at}\n" for at in range(12)
    ]
    report = run(task, [], write("\n".join(blocks)))
    assert [(part.by, part.value, part.n) for part in report.slices] == [
        ("turns", "1", 3),
        ("turns", "3-4", 3),
        ("turns", "5-8", 3),
        ("turns", "9+", 3),
    ]
    assert {one.name for part in report.slices for one in part.scores} == {
        "bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-l", "chrf",
    }  # fmt: skip
    plain = write("".join(f"d e f {at}\n" for at in range(9)), "plain")
    gold = list(task.load(write("".join(f"d e f g {at}\n" for at in range(9)), "gold")))
    assert run(task, gold, plain).slices == ()


def test_contexts_of_like_length_are_a_slice(task: ConversationTask, write: Write) -> None:
    blocks = ["U: a\n" * turns + f"S_REF: d e {turns}\nS_HYP: d e {turns}\n" for turns in range(11)]
    report = run(task, [], write("\n".join(blocks)))
    assert {one.value: one.n for one in report.slices} == {"0": 1, "1": 1, "2": 1, "3-4": 2, "5-8": 4, "9+": 2}
    bare = "\n".join(block.replace("U: a\n", "") for block in blocks)
    assert run(task, [], write(bare, "bare")).slices == ()


@pytest.mark.parametrize(("samples", "there"), [(19, False), (20, True)])
def test_cider_has_an_interval_from_twenty_samples_on(
    task: ConversationTask, write: Write, samples: int, *, there: bool
) -> None:
    text = "\n".join(f"U: a\nS_REF: d e f {row % 7}\nS_HYP: d e f {row % 5}\n" for row in range(samples))
    (cider,) = [one for one in run(task, [], write(text)).scores if one.name == "cider"]
    assert (cider.low is not None, cider.high is not None) == (there, there)


def test_options_that_do_not_fit_are_refused(task: ConversationTask, golden: Path) -> None:
    with pytest.raises(UsageError, match="no variant"):
        run(task, [], golden / "v1.txt", "stricter")
    with pytest.raises(UsageError, match="no option 'vector'"):
        run(task, [], golden / "v1.txt", vector="x")
    with pytest.raises(UsageError, match="leave the options out"):
        run(task, [], golden / "v1.txt", "official", vectors="x")


replies = st.lists(st.lists(st.sampled_from("abc"), max_size=5).map(" ".join), min_size=1, max_size=6)


@settings(max_examples=25)
@given(replies, st.integers(0, 99))
def test_the_order_of_dialogues_changes_no_score(
    task: ConversationTask, tmp_path: Path, texts: list[str], seed: int
) -> None:
    blocks = [f"U: x\nS_REF: a b c d\nS_HYP: {text}\n" for text in texts]
    turned = sorted(blocks, key=lambda block: random.Random(f"{seed} {block}").random())
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("\n".join(blocks))
    other.write_text("\n".join(turned))
    for variant in ("strict", "official"):
        assert values(run(task, [], other, variant)) == pytest.approx(values(run(task, [], one, variant)), nan_ok=True)


@settings(max_examples=40)
@given(
    st.lists(
        st.sampled_from(
            [
                b"S_REF: a b\n",
                b"S_HYP: a\n",
                b"S_REF:  \n",
                b"S_REF: a b\nS_HYP: a b\n\n",
                b"U: c\n",
                b"\n",
                b"S_HYP:\n",
                b"x\n",
                b"\r",
                b"\xff",
            ]
        ),
        max_size=9,
    )
)
def test_any_file_is_scored_or_refused_with_a_message(
    task: ConversationTask, tmp_path: Path, pieces: list[bytes]
) -> None:
    path = tmp_path / "any"
    path.write_bytes(b"".join(pieces))
    for variant in VARIANTS:
        for partial in (False, True):
            submission = task.read(path)
            errors = [one for one in task.check(submission, None, variant) if one.severity == "error"]
            try:
                report = task.score([], submission, Scoring(variant=variant, partial=partial))
            except DuologueError:
                assert errors or submission.layout == REPLIES, "a file that passes is scored"
                continue
            assert report.n >= 1
            assert all(0 <= one.value <= 10 for one in report.scores)


@pytest.mark.parametrize("variant", VARIANTS)
def test_very_many_samples_keep_their_counts_in_runs_with_the_same_scores(
    task: ConversationTask, write: Write, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    path = write("".join(f"U: a\nS_REF: b {row % 5} c d e\nS_HYP: b {row % 3} c d\n\n" for row in range(100)))
    whole = run(task, [], path, variant)
    monkeypatch.setattr(scorer, "MANY", 50)
    monkeypatch.setattr(scorer, "RUNS", 9)
    runs = run(task, [], path, variant)
    assert [name for name, _ in runs.items][-1] == "samples 97-100"
    assert len(runs.items) == 9
    assert runs.n == whole.n == 100
    assert not runs.slices
    assert values(runs) == pytest.approx(values(whole), abs=1e-12)
    assert runs.transcript == whole.transcript
    assert Counts.of_report(runs).sums() == pytest.approx(Counts.of_report(whole).sums())


def test_the_fewest_and_the_most_references_of_a_sample_are_told(task: ConversationTask, write: Write) -> None:
    def told(*several: int) -> str:
        path = write("".join("U: a\n" + "S_REF: b\n" * number + "S_HYP: c\n\n" for number in several))
        return run(task, [], path).signature.references

    assert [told(2, 2), told(4, 1, 2)] == ["2", "1 to 4"]
