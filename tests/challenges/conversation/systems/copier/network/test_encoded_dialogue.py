from __future__ import annotations

import pytest
import torch

from duologue.challenges.conversation.systems.copier.network.encoded_dialogue import (
    SYSTEM,
    USER,
    EncodedDialogue,
    collate_dialogues,
    encode_reply,
)
from duologue.challenges.conversation.systems.copier.network.generation import generate_replies, training_subject
from duologue.models.decode import DecodingLimits, greedy
from duologue.models.decoder_lm import DecoderLM, DecoderLMConfig, new_decoder_lm
from duologue.models.generation import SamplingConfig
from duologue.models.vocabulary import BEGIN, END, PAD, UNKNOWN

V = 12
SIZE = DecoderLMConfig(
    vocabulary=V, places=64, width=16, heads=2, inner=16, layers=2, dropout=0.0, speakers=2, reply_speaker=SYSTEM
)


def told(*turns: tuple[int, list[int]]) -> EncodedDialogue:
    """Return a talk of turns (speaker, words), an END before it."""
    words, speakers, wanted = [END], [USER], [PAD]
    for speaker, own in turns:
        part = (
            encode_reply(own, set(words), V)
            if speaker == SYSTEM
            else EncodedDialogue(own, [USER] * len(own), [PAD] * len(own))
        )
        words += part.words
        speakers += part.speakers
        wanted += part.wanted
    return EncodedDialogue(words, speakers, wanted)


def opened(talk: EncodedDialogue, end: int) -> EncodedDialogue:
    return EncodedDialogue(talk.words[:end], talk.speakers[:end])


TALKS = [
    told((USER, [4, 5, V]), (SYSTEM, [6, V]), (USER, [7, V + 1]), (SYSTEM, [V + 1, 8, 9])),
    told((USER, [5]), (SYSTEM, [4, 4, 4, 6])),
]


@pytest.fixture
def model() -> DecoderLM:
    return new_decoder_lm(SIZE, 1).eval()


def test_a_reply_that_only_copying_could_say_wants_the_unknown_word_where_nothing_holds_it() -> None:
    assert encode_reply([4, V, V, V + 1], {V + 1}, V).wanted == [4, UNKNOWN, V, V + 1, END, PAD]


def test_a_batch_has_the_shapes_it_names_and_a_loss_with_gradients(model: DecoderLM) -> None:
    batch = collate_dialogues(TALKS)
    assert [None if part is None else part.shape for part in batch] == [(2, 15)] * 3
    loss = model(batch)
    loss.backward()
    assert loss.shape == ()
    assert all(weight.grad is not None and weight.grad.isfinite().all() for weight in model.parameters())


def test_word_by_word_it_says_with_the_same_chance_what_is_learned_in_one_pass(model: DecoderLM) -> None:
    batch = collate_dialogues(TALKS)
    wanted = sum(word != PAD for talk in TALKS for word in talk.wanted)
    total = 0.0
    with torch.inference_mode():
        for talk in TALKS:
            starts = [place for place, word in enumerate(talk.words) if word == BEGIN]
            for start in starts:
                heard = model.encode(collate_dialogues([opened(talk, start)]))
                place = start
                while talk.wanted[place] != PAD:
                    log_p, heard = model.step(heard, torch.tensor([talk.words[place]]))
                    total += float(log_p[0, talk.wanted[place]])
                    place += 1
        assert float(model(batch)) == pytest.approx(-total / wanted, abs=1e-5)


def test_the_chances_of_the_next_word_make_one_and_unknown_words_of_the_talk_have_some(model: DecoderLM) -> None:
    heard = model.encode(collate_dialogues([opened(TALKS[0], 4), opened(TALKS[1], 2)]))
    log_p, _ = model.step(heard, torch.tensor([BEGIN, BEGIN]))
    assert log_p.shape == (2, V + 1)
    assert log_p.exp().sum(1).tolist() == pytest.approx([1, 1], abs=1e-5)
    assert log_p[0, V] > log_p[1, V]


def test_talks_of_a_batch_and_its_padding_do_not_touch_each_other(model: DecoderLM) -> None:
    both = [opened(TALKS[0], 10), opened(TALKS[1], 2)]
    limits = DecodingLimits(longest=6)
    with torch.inference_mode():
        together = greedy(model, model.encode(collate_dialogues(both)), 2, limits)
        alone = [greedy(model, model.encode(collate_dialogues([one])), 1, limits)[0] for one in both]
    for one, other in zip(together, alone, strict=True):
        assert one.words == other.words
        assert one.log_p == pytest.approx(other.log_p, abs=1e-5)


@pytest.mark.slow
def test_it_learns_a_few_talks_by_heart_copied_words_included() -> None:
    model = new_decoder_lm(SIZE, 1)
    subject = training_subject(model)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(60):
        optimiser.zero_grad()
        subject.loss(subject.collate(TALKS)).backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimiser.step()
    asked = [opened(TALKS[0], 10), opened(TALKS[0], 4), opened(TALKS[1], 2)]
    said = [[V + 1, 8, 9], [6, V], [4, 4, 4, 6]]
    for sampling in (
        SamplingConfig(search="beam", width=3, patient=True),
        SamplingConfig(search="greedy"),
        SamplingConfig(search="nucleus", temperature=0.1),
    ):
        found = generate_replies(model, asked, sampling, DecodingLimits(longest=9), seeds=(1, 2, 3), batch=2)
        assert [one[0].words for one in found] == said


def test_words_far_back_and_beyond_the_last_place_are_read_all_the_same() -> None:
    model = new_decoder_lm(DecoderLMConfig(vocabulary=V, places=4, width=8, heads=2, inner=8, layers=1, speakers=2), 1)
    found = generate_replies(model, [opened(TALKS[0], 10)], SamplingConfig(width=2), DecodingLimits(longest=5))
    assert found[0][0].words
