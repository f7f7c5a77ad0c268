from __future__ import annotations

from duologue.challenges.restaurant.systems.trained_ranker.distractors import DistractorSampler
from duologue.core.records import Answer, Candidate, Example, Fact, Sample, Turn
from duologue.core.rng import Rng

FACTS = [
    Fact(subject=name, relation=field, object=value)
    for name in ("a_inn", "b_inn", "c_inn")
    for field, value in (("phone", f"{name}_phone"), ("cuisine", "thai"))
]


def example(number: int, answer: str, *history: tuple[str, str]) -> Example:
    sample = Sample(
        id=str(number),
        dialogue_id=str(number),
        history=tuple(Turn(speaker=speaker, text=text) for speaker, text in history),
        candidates=(Candidate(id="right", text=answer),),
    )
    return Example(sample=sample, references=(Answer(text=answer, ranking=("right",)),))


ANSWERS = ["hello", "here it is a_inn_phone", "the option was b_inn", "api_call thai", "api_call french", "hello"]
EXAMPLES = [example(number, answer) for number, answer in enumerate(ANSWERS)]


def texts(one: Example) -> list[str]:
    return [candidate.text for candidate in one.sample.candidates]


def test_distractors_are_other_answers_and_never_the_answer() -> None:
    distractors = DistractorSampler(FACTS, EXAMPLES)
    for seed in range(50):
        joined = distractors.extend(EXAMPLES[0], 4, Rng(seed))
        assert texts(joined)[0] == "hello"
        assert len(set(texts(joined))) == len(texts(joined)) <= 5
        kinds = {text.split(" ")[0] for text in texts(joined)}
        assert kinds <= {"hello", "here", "the", "api_call"}


def test_distractors_name_restaurants_of_the_dialogue_mostly() -> None:
    distractors = DistractorSampler(FACTS, EXAMPLES)
    listed = example(9, "hello", ("api", "c_inn r_cuisine thai"))
    made = [text for seed in range(100) for text in texts(distractors.extend(listed, 3, Rng(seed)))[1:]]
    named = [text for text in made if "_inn" in text]
    near = [text for text in named if "c_inn" in text]
    assert len(named) > 50
    assert 0.7 * len(named) < len(near) < len(named)
    assert {"here it is c_inn_phone", "the option was c_inn"} <= set(near)


def test_a_restaurant_that_the_user_names_is_of_the_dialogue() -> None:
    distractors = DistractorSampler(FACTS, EXAMPLES)
    asked = example(9, "hello", ("user", "may i have a table at b_inn"))
    made = [text for seed in range(60) for text in texts(distractors.extend(asked, 3, Rng(seed)))[1:]]
    assert "here it is b_inn_phone" in made


def test_equal_keys_give_equal_distractors() -> None:
    distractors = DistractorSampler(FACTS, EXAMPLES)
    assert distractors.extend(EXAMPLES[0], 3, Rng(1, "x")) == distractors.extend(EXAMPLES[0], 3, Rng(1, "x"))


def test_an_api_call_among_distractors_has_values_that_the_user_named() -> None:
    distractors = DistractorSampler([*FACTS, Fact(subject="a_inn", relation="cuisine", object="french")], EXAMPLES)
    asked = example(9, "hello", ("user", "not french, please"))
    made = [text for seed in range(100) for text in texts(distractors.extend(asked, 2, Rng(seed)))[1:]]
    calls = [text for text in made if text.startswith("api_call")]
    assert calls.count("api_call french") > calls.count("api_call thai") > 0


def test_a_dialogue_taken_back_is_about_an_earlier_bot_turn() -> None:
    distractors = DistractorSampler(FACTS, EXAMPLES)
    told = example(9, "hello", ("user", "hi"), ("system", "one"), ("user", "so"), ("system", "two"), ("user", "?"))
    seen = set()
    for seed in range(20):
        earlier = distractors.rewind(told, Rng(seed))
        assert earlier is not None
        (reference,) = earlier.references
        seen.add((len(earlier.sample.history), reference.text))
        assert texts(earlier)[0] == reference.text
        assert len(texts(earlier)) > 2
    assert seen == {(1, "one"), (3, "two")}
    assert distractors.rewind(example(1, "hello", ("user", "hi")), Rng(1)) is None
