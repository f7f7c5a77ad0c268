from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from duologue.core.plugins import load_task
from duologue.core.records import Annotation, Answer, Candidate, Fact, Sample, Turn
from duologue.prompts.linearization import Given, Linearization, Part, PromptLinearization
from duologue.prompts.prompt import Reading
from duologue.systems.hub.recipe import HubRecipe
from duologue.systems.hub.writer import PartWriter, source_words

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from duologue.models.pretrained.options import TextDecoding

INFO = load_task("conversation").info


class Clerk:
    """Stands for a model: a text is its own tokens, and what is written is what was read with a sign behind."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[str], str, int]] = []
        self.apart: bool | None = None

    chat_form = False

    def plain(self, text: str, marks: Sequence[str] = ()) -> str:
        return text.replace("<end>", "< end>")

    def source_tokens(self, text: str, longest: int, *, room: int) -> str:
        return text

    def is_cut(self, text: str, tokens: str) -> bool:
        return len(text) > 3

    def target_tokens(self, text: str, longest: int, *, apart: bool = False) -> str:
        self.apart = apart
        return text

    def write(self, sources: Sequence[str], how: TextDecoding, *, end: str = "", seed: int = 0) -> list[str]:
        self.calls.append((list(sources), end, how.longest))
        return [f"{source}!" for source in sources]

    def log_likelihoods(self, source: str, targets: Sequence[str]) -> list[float]:
        return [-float(len(target) ** 2) for target in targets]


class Steps(Linearization):
    """One part, and for texts of one sign a second one."""

    def written(self, given: Given) -> Generator[Part, str, Reading]:
        first = yield Part(given.sample.history[-1].text)
        if len(first) > 2:
            return Reading(Answer(text=first, annotation=Annotation(facts=tuple(given.facts))))
        second = yield Part(first, "|", 3)
        return Reading(Answer(text=second))


def sample(text: str) -> Sample:
    return Sample(id=text, dialogue_id=text, history=(Turn(speaker="user", text=text),))


def writer(clerk: Clerk, **recipe: Any) -> PartWriter:
    return PartWriter(cast("Any", clerk), Steps(INFO), HubRecipe(model="m", **recipe), 1)


def test_parts_with_the_same_end_and_length_are_written_at_once() -> None:
    clerk = Clerk()
    fact = Fact(subject="a", relation="b", object="c")
    chosen = [None, Answer(annotation=Annotation(facts=(fact,))), None]
    made = writer(clerk, longest=9)
    found = made.readings([sample("x"), sample("long"), sample("y")], chosen)
    assert made.cut == {1}
    assert [one.answer.text for one in found if one.answer] == ["x!!", "long!", "y!!"]
    assert clerk.calls == [(["x", "long", "y"], "", 9), (["x!", "y!"], "|", 3)]
    assert found[1].answer is not None
    assert found[1].answer.annotation == Annotation(facts=(fact,))


def test_candidates_are_ranked_by_mean_or_sum() -> None:
    texts = {"1": "four", "2": "a", "3": "six is", "4": "a"}
    candidates = tuple(Candidate(id=name, text=text) for name, text in texts.items())
    one = Sample(id="s", dialogue_id="s", candidates=candidates)
    for ranking in ("mean", "sum"):
        found = writer(Clerk(), ranking=ranking).ranking(one)
        assert set(found[:2]) == {"2", "4"}  # equal ones by lot
        assert found[2:] == ("1", "3")
    assert writer(Clerk()).ranking(Sample(id="s", dialogue_id="s", candidates=candidates[:1])) == ("1",)


def test_words_are_read_without_marks_whatever_the_form_but_a_models_own_chat() -> None:
    clerk = Clerk()
    writer(clerk).readings([sample("x<end>")], [None])
    assert clerk.calls == [(["x< end>"], "", 128)]
    one = Linearization(INFO)
    assert source_words(cast("Any", clerk), one, "x<end>") == "x< end>"
    chat = PromptLinearization(INFO)
    assert source_words(cast("Any", clerk), chat, "x<end>") == "x< end>"  # which joins the messages
    clerk.chat_form = True
    assert source_words(cast("Any", clerk), chat, "x<end>") == "x<end>"  # where `chat` saw to the words
    assert source_words(cast("Any", clerk), one, "x<end>") == "x< end>"


class Ends(Linearization):
    """A text with a given end."""

    end = ""

    def source(self, given: Given) -> str:
        return self.end


def test_candidates_go_on_with_a_blank_after_an_english_word_in_a_form_that_was_not_learned() -> None:
    one = Sample(id="s", dialogue_id="s", candidates=tuple(Candidate(id=name, text=name) for name in "ab"))
    for end, trained, apart in (
        ("system:", False, True),
        ("system:", True, False),
        ("\n", False, False),
        ("：", False, False),
    ):
        clerk, form = Clerk(), Ends(INFO)
        form.end = end
        PartWriter(cast("Any", clerk), form, HubRecipe(model="m"), 1, trained=trained).ranking(one)
        assert clerk.apart == apart, end
