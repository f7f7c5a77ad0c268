from __future__ import annotations

import hashlib
import json
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.errors import FormatError
from duologue.core.optional_protocols import Grounded
from duologue.core.plugins import load_task
from duologue.core.records import Answer, Candidate, Example, Exposure, Sample, Turn
from duologue.run import contamination
from duologue.run.contamination import HELD_OUT, SKETCH, TRAIN, SeenError, Sketch, TrainingFile, exposure_of

if TYPE_CHECKING:
    from pathlib import Path

THINGS = [f"{kind} number {number}" for number in range(25) for kind in ("parcel", "lamp", "ticket", "chair")]


def talk(thing: str, *, after: str = "", turns: int = 1) -> Example:
    said = ("where is my", "my order was a", "please look for the", "again, the")[:turns]
    history = [
        turn
        for words in said
        for turn in (
            Turn(speaker="user", text=f"{words} {thing} that I bought last week{after}"),
            Turn(speaker="system", text=f"what is the order of your {thing} please"),
        )
    ]
    sample = Sample(id=f"{thing}{after}", dialogue_id=f"{thing}{after}", history=tuple(history[:-1]))
    return Example(sample=sample, references=(Answer(text=history[-1].text),))


def test_trained_samples_are_found_and_new_ones_are_not() -> None:
    sketch = Sketch.of({TRAIN: [talk(thing) for thing in THINGS[:50]]})
    found = sketch.exposure([talk(thing) for thing in THINGS[25:75]])
    assert (found.samples, found.samples_seen, found.by_chance) == (50, 25, 0)
    assert (found.replies, found.replies_seen) == (50, 25)
    assert found.examples[0] == THINGS[25]
    assert found.leak
    assert not sketch.exposure([talk(thing) for thing in THINGS[50:]]).leak


def test_where_nothing_was_trained_on_nothing_is_seen_or_to_be_expected() -> None:
    found = Sketch.of({}).exposure([talk(thing) for thing in THINGS[:5]])
    assert found == Exposure(samples=5, samples_seen=0, by_chance=0.0, replies=5)
    shorter = Sketch.of({TRAIN: [talk(thing) for thing in THINGS]})
    found = shorter.exposure([talk(thing, turns=4) for thing in THINGS[:5]])
    assert (found.samples_seen, found.by_chance) == (0, 0.0)


def test_a_turn_inside_a_training_dialogue_is_a_sample_that_was_seen() -> None:
    sketch = Sketch.of({TRAIN: [talk(thing, turns=4) for thing in THINGS]})
    assert sketch.exposure([talk(thing, turns=2) for thing in THINGS]).samples_seen == len(THINGS)


def test_the_same_reply_after_another_context_is_no_leak() -> None:
    sketch = Sketch.of({TRAIN: [talk(thing) for thing in THINGS]})
    found = sketch.exposure([talk(thing, after=" in town") for thing in THINGS])
    assert (found.samples_seen, found.replies_seen, found.leak) == (0, len(THINGS), False)


def test_dialogues_that_recur_by_chance_are_no_leak_and_their_truth_itself_is() -> None:
    rng = Random(1)
    drawn = [talk(rng.choice(THINGS), after=f" {int(rng.random() * 3)}") for _ in range(300)]
    named = [
        Example(sample=msgspec.structs.replace(one.sample, dialogue_id=str(n)), references=one.references)
        for n, one in enumerate(drawn)
    ]
    sketch = Sketch.of({TRAIN: named[:150]})
    by_chance = sketch.exposure(named[150:])
    assert by_chance.samples_seen > 40
    assert not by_chance.leak
    assert sketch.exposure(named[:150]).leak


def test_short_samples_tell_nothing() -> None:
    short = Example(
        sample=Sample(id="1", dialogue_id="1", history=(Turn(speaker="user", text="hi"),)),
        references=(Answer(text="hello"),),
    )
    assert Sketch.of({TRAIN: [short]}).exposure([short]) == Exposure()


def test_the_reply_of_a_ranked_sample_is_its_first_candidate() -> None:
    plain = talk(THINGS[0])
    text = plain.references[0].text or ""
    sample = Sample(
        id="1", dialogue_id="1", history=plain.sample.history,
        candidates=(Candidate(id="a", text="no"), Candidate(id="b", text=text)),
    )  # fmt: skip
    ranked = Example(sample=sample, references=(Answer(ranking=("b",)),))
    assert Sketch.of({TRAIN: [plain]}).exposure([ranked]).samples_seen == 1


def test_a_truth_without_replies_is_looked_for_by_its_contexts() -> None:
    sketch = Sketch.of({TRAIN: [talk(thing) for thing in THINGS]})
    assert sketch.exposure([Example(sample=talk(thing).sample) for thing in THINGS]).samples_seen == len(THINGS)


def test_what_was_only_held_out_is_counted_and_files_are_known_by_their_bytes() -> None:
    files = [TrainingFile(name="dev.txt", sha256="1" * 64, part=HELD_OUT)]
    sketch = Sketch.of({TRAIN: [talk(THINGS[0])], HELD_OUT: [talk(THINGS[1])]}, files)
    found = sketch.exposure([talk(THINGS[0]), talk(THINGS[1])], [("truth.txt", "1" * 64), ("other.txt", "2" * 64)])
    assert (found.samples_seen, found.held_out, found.files) == (2, 1, ("truth.txt",))


def test_no_text_is_in_a_sketch_and_twelve_bytes_are_enough_for_an_utterance() -> None:
    examples = [talk(thing, turns=4) for thing in THINGS]
    sketch = Sketch.of({TRAIN: examples})
    assert b"parcel" not in sketch.data
    assert len(sketch.data) < 12 * 8 * len(THINGS) + 500


def test_a_sketch_is_read_back_as_it_was_and_the_same_data_give_the_same_bytes(tmp_path: Path) -> None:
    examples = [talk(thing) for thing in THINGS]
    sketch = Sketch.of({TRAIN: examples[:80], HELD_OUT: examples[80:]})
    sketch.save(tmp_path / SKETCH)
    again = Sketch.read(tmp_path / SKETCH)
    assert again.exposure(examples) == sketch.exposure(examples)
    assert again.hash == Sketch.of({TRAIN: examples[:80], HELD_OUT: examples[80:]}).hash
    turns = [*examples[0].sample.history, Turn(speaker="system", text=examples[0].references[0].text or "")]
    several = [msgspec.structs.replace(examples[0].sample, history=tuple(turns[:at])) for at in (1, 2)]
    read = [msgspec.json.decode(msgspec.json.encode(one), type=Sample) for one in several]  # each with an id of its own
    told, found = (Sketch.of({TRAIN: [Example(sample=one) for one in same]}).data for same in (several, read))
    assert told == found


def test_a_sketch_of_thousands_of_files_is_read_back_too(tmp_path: Path) -> None:
    files = [TrainingFile(name=f"{number}.txt", sha256=f"{number:064x}", part=TRAIN) for number in range(20_000)]
    Sketch.of({TRAIN: [talk(THINGS[0])]}, files).save(tmp_path / SKETCH)
    assert Sketch.read(tmp_path / SKETCH).files == tuple(files)


@pytest.mark.parametrize("damage", [b"", b"{}\n", b'{"format":"x","files":[],"parts":[]}\n', None])
def test_a_damaged_sketch_is_refused_in_plain_words(tmp_path: Path, damage: bytes | None) -> None:
    data = Sketch.of({TRAIN: [talk(THINGS[0])]}).data
    (tmp_path / SKETCH).write_bytes(data[:-1] if damage is None else damage)
    with pytest.raises(FormatError, match="no sketch of training data"):
        Sketch.read(tmp_path / SKETCH)


def test_a_sketch_is_found_by_its_hash_beside_the_result_or_in_a_named_model_and_nowhere_else(tmp_path: Path) -> None:
    sketch = Sketch.of({TRAIN: [talk(THINGS[0])]})
    model, result = tmp_path / "model", tmp_path / "results" / "r.txt"
    sketch.save(model / SKETCH)
    note = {"model": str(model), "sketch": sketch.hash}
    truth = [talk(THINGS[0])]
    lost = exposure_of(note, result, lambda: truth, [])
    assert lost is not None
    assert f"training-{sketch.hash[:16]}.sketch, is not beside the result" in lost.unknown
    assert exposure_of(note, result, lambda: truth, [], [model]) == sketch.exposure(truth)
    sketch.put_beside(result)
    assert exposure_of(note, result, lambda: truth, []) == sketch.exposure(truth)
    other = exposure_of({"model": "m", "sketch": "../../model/training"}, result, lambda: truth, [])
    assert other is not None
    assert "keeps no sketch" in other.unknown


def test_a_sketch_whose_bytes_are_others_is_none(tmp_path: Path) -> None:
    sketch, other = (Sketch.of({TRAIN: [talk(thing)]}) for thing in THINGS[:2])
    path = contamination.beside(tmp_path / "r.txt", sketch.hash)
    assert path is not None
    other.save(path)
    found = exposure_of({"model": "m", "sketch": sketch.hash}, tmp_path / "r.txt", list, [])
    assert found is not None
    assert found.unknown


def test_a_system_that_learns_nothing_saw_nothing_and_of_an_unknown_one_nothing_is_known(tmp_path: Path) -> None:
    assert exposure_of({"system": "solver", "external": []}, tmp_path / "r", list, []) == Exposure()
    assert exposure_of({"system": "bot"}, tmp_path / "r", list, []) is None
    assert exposure_of(None, tmp_path / "r", list, []) is None


def test_a_truth_without_texts_is_told_by_what_was_answered(tmp_path: Path) -> None:
    sketch = Sketch.of({TRAIN: [talk(THINGS[0])]})
    result = tmp_path / "r.json"
    sketch.put_beside(result)
    note = {"model": "m", "sketch": sketch.hash, "exposure": {"samples": 4, "samples_seen": 4}}
    bare = Example(sample=Sample(id="1", dialogue_id="1"), references=(Answer(ranking=("a",)),))
    found = exposure_of(note, result, lambda: [bare], [])
    assert found is not None
    assert found.leak
    bad = exposure_of({**note, "exposure": {"samples": "many"}}, result, lambda: [bare], [])
    assert bad == Exposure()


def test_the_warning_names_shares_samples_and_what_to_do() -> None:
    found = Exposure(files=("truth.txt",), samples=200, samples_seen=199, held_out=3, examples=("7", "8"))
    problem = contamination.told(found, "retriever")
    assert problem is not None
    assert problem.severity == "warning"
    assert "truth.txt itself was trained on; 99.5 % of 200 samples" in problem.message
    assert "such as '7', '8'" in problem.message
    assert contamination.told(Exposure(samples=200, samples_seen=1), "retriever") is None


def test_a_score_that_must_be_of_unseen_data_is_refused_where_it_is_not_or_where_nobody_knows() -> None:
    from duologue.core.records import Report

    plain = Report(task="t", variant="v", n=1, scores=(), rank_by="", system="bot")
    with pytest.raises(SeenError, match="nothing tells what bot was trained on"):
        contamination.demand_unseen(plain)


def test_chance_is_measured_by_the_number_of_turns_and_long_beginnings_are_one_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(contamination, "_MAX_TURNS", 3)
    alike = [talk(thing, turns=2) for thing in THINGS[:4]]
    again = [
        Example(sample=msgspec.structs.replace(one.sample, id="x", dialogue_id=f"again {n}"), references=one.references)
        for n, one in enumerate(alike[:1])
    ]
    sketch = Sketch.of({TRAIN: [*alike, *again]})
    found = sketch.exposure(alike[1:])
    assert found.by_chance == pytest.approx(4 / 10)  # of five dialogues two are equal: at three turns, and at four
    assert (found.samples, found.samples_seen) == (3, 3)


def test_only_some_samples_are_named() -> None:
    examples = [talk(thing) for thing in THINGS[:7]]
    found = Sketch.of({TRAIN: examples}).exposure(examples)
    assert found.examples == tuple(THINGS[:5])
    assert (found.held_out, found.samples_seen) == (0, 7)


def test_a_sketch_beside_a_result_is_written_anew_where_it_is_damaged(tmp_path: Path) -> None:
    sketch, result = Sketch.of({TRAIN: [talk(THINGS[0])]}), tmp_path / "r.txt"
    sketch.put_beside(result)
    path = contamination.beside(result, sketch.hash)
    assert path is not None
    assert path.name == f"training-{sketch.hash[:16]}.sketch"
    assert path.parent == tmp_path
    for damage in (b"damaged", b"~", b""):
        path.write_bytes(damage)
        sketch.put_beside(result)
        assert path.read_bytes() == sketch.data
    assert contamination.beside(result, sketch.hash[:-1]) is None


def test_a_model_with_a_sketch_speaks_for_a_result_without_a_note_if_it_is_the_only_one(tmp_path: Path) -> None:
    sketch = Sketch.of({TRAIN: [talk(THINGS[0])]})
    for name in ("one", "two"):
        sketch.save(tmp_path / name / SKETCH)
    models = [tmp_path / "one", tmp_path / "two"]
    truth = [talk(THINGS[0])]
    assert exposure_of(None, tmp_path / "r", lambda: truth, [], models[:1]) == sketch.exposure(truth)
    assert exposure_of(None, tmp_path / "r", lambda: truth, [], models) is None
    assert exposure_of(None, tmp_path / "r", lambda: truth, [], [tmp_path]) is None


def test_external_data_are_those_of_the_system_and_those_declared() -> None:
    def system(**known: object) -> Any:
        return type("S", (), known)()

    assert contamination.declared(system()) is None
    assert contamination.declared(system(external=())) == []
    assert contamination.declared(system(), []) == []
    assert contamination.declared(system(external=("wiki", "a")), ["web", "a"]) == ["a", "web", "wiki"]
    assert contamination.declared(system(external=None), ["web"]) == ["web"]


def test_what_is_looked_up_is_external_where_the_challenge_asks_for_it(tmp_path: Path) -> None:
    kb = tmp_path / "faq.txt"
    kb.write_text("bags are free .\n\ndogs are not .\n", "utf-8")
    task = load_task("conversation")
    assert isinstance(task, Grounded)
    world = task.world(kb)
    digest = hashlib.sha256(kb.read_bytes()).hexdigest()[:12]
    told = f"faq.txt (looked up while answering, 2 facts, {digest})"
    assert contamination.with_knowledge(["web"], task, world, kb) == [told, "web"]
    assert contamination.with_knowledge([], task, world, kb) == [told]
    assert contamination.with_knowledge(None, task, world, kb) is None
    assert contamination.with_knowledge([], task, None, None) == []
    assert contamination.with_knowledge([], load_task("restaurant"), world, kb) == []
    assert contamination.with_knowledge([], load_task("mobilecs/dialogue"), world, kb) == [told]


def test_the_warning_is_said_to_the_word() -> None:
    leak = Exposure(samples=2000, samples_seen=1990, by_chance=0.0123, held_out=1200, examples=("7",))
    problem = contamination.told(leak, "")
    assert problem is not None
    assert problem.message == (
        "the system knew this truth: 99.5 % of 2,000 samples (context and reply) were in its training data, 1,200 of "
        "them held out, such as '7' (1.2 % are to be expected of unseen data)"
    )
    only_files = contamination.told(Exposure(files=("a", "b")), "bot")
    assert only_files is not None
    assert only_files.message == "bot knew this truth: a, b itself was trained on"
    unknown = contamination.told(Exposure(unknown="who knows"), "bot")
    assert unknown is not None
    assert unknown.message == "whether bot was trained on this truth cannot be told: who knows"
    assert contamination.told(Exposure(), "bot") is None


def test_warnings_are_told_of_each_report_that_deserves_one() -> None:
    from duologue.core.records import Report

    plain = Report(task="t", variant="v", n=1, scores=(), rank_by="", system="bot")
    reports = [
        plain,
        msgspec.structs.replace(plain, exposure=Exposure()),
        msgspec.structs.replace(plain, exposure=Exposure(files=("x",))),
    ]
    (told,) = contamination.warnings_of_training(reports)
    assert told.startswith("warning: bot knew this truth: x itself was trained on; ")
    assert told.endswith(" [seen-in-training]")
    contamination.demand_unseen(reports[1])
    with pytest.raises(SeenError, match=r"x itself was trained on; .* \(--require-unseen\)"):
        contamination.demand_unseen(reports[2])


def test_a_sketch_that_says_other_numbers_than_it_holds_is_refused(tmp_path: Path) -> None:
    data = Sketch.of({TRAIN: [talk(THINGS[0])]}).data
    head, _, body = data.partition(b"\n")
    assert Sketch.decode(data, None).data == data
    for other in (
        head.replace(b'"utterances"', b'"phrases"') + b"\n" + body,
        head.replace(b'"count":2', b'"count":-2', 1) + b"\n" + body,
        head.replace(b'"recurring":[[', b'"recurring":[[1,1,2],[', 1) + b"\n" + body,
        head.replace(b'"recurring":[[', b'"recurring":[[1,1,1' + b"0" * 400 + b"],[", 1) + b"\n" + body,
        data + b"x",
        data[:-6],
    ):
        assert other != data
        with pytest.raises(FormatError, match="no sketch of training data: "):
            Sketch.decode(other, tmp_path)


def test_a_word_more_or_less_decides_whether_a_sample_tells_anything() -> None:
    def short(words: int) -> Example:
        history = (Turn(speaker="user", text="one two three"),)
        text = " ".join(f"w{number}" for number in range(words))
        return Example(sample=Sample(id="1", dialogue_id="1", history=history), references=(Answer(text=text),))

    assert Sketch.of({TRAIN: [short(5)]}).exposure([short(5)]).samples == 1
    assert Sketch.of({TRAIN: [short(4)]}).exposure([short(4)]).samples == 0
    found = Sketch.of({TRAIN: [short(8)]}).exposure([short(8)])
    assert (found.replies, found.replies_seen) == (1, 1)
    assert Sketch.of({TRAIN: [short(7)]}).exposure([short(7)]).replies == 0


def test_what_a_knowledge_base_said_is_no_utterance() -> None:
    plain = talk(THINGS[0])
    history = tuple(msgspec.structs.replace(turn, speaker="api") for turn in plain.sample.history)
    called = Example(sample=msgspec.structs.replace(plain.sample, history=history), references=plain.references)
    said = Example(sample=Sample(id="9", dialogue_id="9"), references=(Answer(text=plain.sample.history[0].text),))
    assert Sketch.of({TRAIN: [called]}).exposure([said]).replies_seen == 0
    assert Sketch.of({TRAIN: [plain]}).exposure([said]).replies_seen == 1


def test_of_a_reference_its_text_is_the_reply_and_only_without_one_what_it_ranks_first() -> None:
    plain = talk(THINGS[0])
    said = plain.references[0].text or ""
    candidates = (
        Candidate(id="a", text="no, it is the other one that I want you to look for"),
        Candidate(id="b", text=said),
    )
    sample = msgspec.structs.replace(plain.sample, candidates=candidates)
    sketch = Sketch.of({TRAIN: [plain]})

    def seen(*references: Answer) -> tuple[int, int, int]:
        found = sketch.exposure([Example(sample=sample, references=references)])
        return found.samples_seen, found.replies, found.replies_seen

    assert seen(Answer(ranking=("b", "a"))) == (1, 1, 1)
    assert seen(Answer(ranking=("a", "b"))) == (0, 1, 0)
    assert seen(Answer(text=said, ranking=("a", "b"))) == (1, 1, 1)
    assert seen(Answer(text=candidates[0].text, ranking=("b",))) == (0, 1, 0)


def test_beginnings_of_more_than_forty_turns_are_one_group() -> None:
    def long(turns: int) -> Example:
        history = tuple(Turn(speaker="user", text=f"word{number} two three four five six") for number in range(turns))
        return Example(sample=Sample(id="1", dialogue_id="1", history=history))

    for turns in (39, 40, 43):
        head = json.loads(Sketch.of({TRAIN: [long(turns)]}).data.partition(b"\n")[0])
        counted = head["parts"][0]["kinds"]["beginnings"]["recurring"]
        assert [one[0] for one in counted] == list(range(2, min(turns, 40) + 1))
        assert counted[-1][1] == max(turns - 39, 1)


def test_chance_is_that_of_beginnings_of_as_many_turns() -> None:
    """A reply is one turn more than its context."""

    def dialogue(name: str, last: str) -> list[Example]:
        said = ["where is the parcel that I bought in May", "what is the number of your order please", last]
        history = [Turn(speaker=who, text=text) for who, text in zip(("user", "system", "user"), said, strict=True)]
        replies = said[1], f"thank you, I have found it, it is on its way to {name}"
        return [
            Example(
                sample=Sample(id=f"{name}{at}", dialogue_id=name, history=tuple(history[:at])),
                references=(Answer(text=reply),),
            )
            for at, reply in zip((1, 3), replies, strict=True)
        ]

    one, two = dialogue("you", "it is the number 17 of that list"), dialogue("me", "I do not know that, I am afraid")
    sketch = Sketch.of({TRAIN: [*one, *two]})
    assert [sketch.exposure([sample]).by_chance for sample in one] == [1.0, 0.0]
    assert [sketch.exposure([Example(sample=sample.sample)]).by_chance for sample in one] == [1.0, 0.0]
    whole = Sketch.of({TRAIN: [one[1], two[1]]})  # where the reply stands in contexts alone
    assert [whole.exposure([sample]).by_chance for sample in one] == [1.0, 0.0]


def test_a_sketch_that_was_damaged_before_it_was_noted_tells_nothing(tmp_path: Path) -> None:
    damaged = hashlib.sha256(b"{}\n").hexdigest()
    path = contamination.beside(tmp_path / "r.txt", damaged)
    assert path is not None
    path.write_bytes(b"{}\n")
    found = exposure_of({"model": "m", "sketch": damaged}, tmp_path / "r.txt", list, [])
    assert found is not None
    assert found.unknown.startswith("this is no sketch of training data: its first line is not that of a sketch: ")
    assert contamination.sketch_beside(tmp_path / "r.txt", damaged) is None
