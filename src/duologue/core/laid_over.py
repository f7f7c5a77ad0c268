"""An answer of a result laid over its sample, as a page or the plain text of `show --gold` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.annotation import Bilingual
from duologue.core.answer_lines import fact_cells, told_annotation
from duologue.core.dialogue_view import DialogueView, TableView, UtteranceView
from duologue.core.errors import FormatError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duologue.core.records import Answer, Example, Problem, Sample, Submission

_NO_DIALOGUE = Bilingual(
    en="(the truth file does not have the dialogue; the data file has it: --input)",
    zh="（标准答案文件中没有对话内容；请用 --input 给出数据文件）",
)
_NO_ANSWER = Bilingual(en="(no answer)", zh="（没有答案）")


def demand_answers(submission: Submission, problems: Sequence[Problem], *, answered: bool) -> None:
    """Raise where nothing is answered: `FormatError` for a file that has errors, `UsageError` for any other."""
    if answered:
        return
    if any(one.severity == "error" for one in problems):
        raise FormatError(submission.path, problems)
    raise UsageError("the result answers no sample of the truth; is it the result of another file?")


def laid_over(
    examples: Iterable[Example], answers: Mapping[str, Answer], names: Mapping[str, str]
) -> Iterator[DialogueView]:
    """Yield each sample with what was wanted and what a system answered; candidates in the order of its ranking.

    `names` are English names of labels, told beside them.
    """
    for example in examples:
        sample, answer = example.sample, answers.get(example.sample.id)
        said = [UtteranceView(turn.speaker, turn.text) for turn in sample.history]
        if not (sample.history or sample.candidates or sample.knowledge):
            said = [UtteranceView("", _NO_DIALOGUE)]
        said += _utterances("wanted", example.references, names)
        said += [UtteranceView("answered", _NO_ANSWER, played="answer")] if answer is None else []
        said += _utterances("answered", [] if answer is None else [answer], names)
        facts = [fact_cells(fact, names) for fact in sample.knowledge]
        ranked = [one.ranking for one in example.references if one.ranking]
        yield DialogueView(
            sample.id,
            said,
            [TableView("knowledge", ("entity", "attribute", "value"), facts)],
            [_candidates(sample, ranked[0][0] if ranked else None, (answer and answer.ranking) or ())],
        )


def _utterances(speaker: str, answers: Iterable[Answer], names: Mapping[str, str]) -> Iterator[UtteranceView]:
    for one in answers:
        notes = told_annotation(one.annotation, names)
        if one.text is not None or notes:
            yield UtteranceView(speaker, one.text or "", (), notes, "answer" if speaker == "answered" else "agent")


def _candidates(sample: Sample, right: str | None, ranking: Sequence[str]) -> TableView:
    """Return the candidates: those that are ranked in their order, then the others."""
    texts = {one.id: one.text for one in sample.candidates}
    if not texts and ranking:  # a truth file without its data
        texts = {right: "–"} if right is not None else {}
        texts |= dict.fromkeys(ranking, "–")
    order = dict.fromkeys((*(one for one in ranking if one in texts), *texts))
    places = {one: place for place, one in enumerate(ranking, start=1)}
    rows = [("✓" * (one == right), str(places.get(one, "-")), texts[one], one) for one in order]
    return TableView("candidates", ("answer", "rank", "text", "id"), rows)
