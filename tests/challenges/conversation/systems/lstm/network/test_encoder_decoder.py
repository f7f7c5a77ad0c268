from __future__ import annotations

import math

import pytest
import torch

from duologue.challenges.conversation.systems.lstm.network.beam_search import (
    encoded,
    encoder_states,
    new_encoder_decoder,
    training_subject,
)
from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import (
    Carry,
    EncodedTurn,
    EncoderDecoder,
    EncoderDecoderConfig,
    collate_dialogues,
)
from duologue.models.vocabulary import END

SIZE = EncoderDecoderConfig(vocabulary=9, words=5, hidden=6, dropout=0.0)
TALKS = [
    [EncodedTurn((4, 5), (6,)), EncodedTurn((7,), (8, 4)), EncodedTurn((5, 5), (7,))],
    [EncodedTurn((8,), (4, 4, 5))],
    [EncodedTurn((6,), (5,)), EncodedTurn((4,), (8,))],
]


def model_of(training: Carry, answering: Carry) -> EncoderDecoder:
    return new_encoder_decoder(
        EncoderDecoderConfig(
            vocabulary=9, words=5, hidden=6, dropout=0.0, carry_training=training, carry_answering=answering
        ),
        1,
    )


def slow_loss(model: EncoderDecoder, carry: Carry) -> float:
    """Return the mean cost of all words, turn by turn and talk by talk, as section 9 tells it."""
    costs: list[float] = []
    with torch.inference_mode():
        for talk in TALKS:
            state = None
            for turn in talk:
                batch = collate_dialogues([[turn]])
                state = said = model.read(batch.parts[0].source, state)
                for word, wanted in zip((END, *turn.target), (*turn.target, END), strict=True):
                    log_p, said = model.step(said, torch.tensor([word]))
                    costs.append(-float(log_p[0, wanted]))
                if carry == "decoder":
                    state = said
    return sum(costs) / len(costs)


def test_the_published_sizes_make_the_published_network() -> None:
    model = EncoderDecoder(EncoderDecoderConfig())
    v, e, h = 20_002, 100, 512
    stack = 4 * h * (e + h + 2) + 4 * h * (h + h + 2)
    assert sum(weight.numel() for weight in model.parameters()) == 2 * v * e + 2 * stack + (h + 1) * e + (e + 1) * v
    assert all(weight.abs().max() <= 0.1 for weight in model.parameters())
    assert all(weight.abs().max() > 0.09 for weight in model.parameters())
    assert model.encoder.drop.rate == model.decoder.drop.rate == 0.5
    assert model.heard_words.weight is not model.said_words.weight


@pytest.mark.parametrize("carry", ["encoder", "decoder"])
def test_the_state_that_is_carried_is_that_of_the_variant(carry: Carry) -> None:
    model = model_of(carry, carry)
    batch = collate_dialogues(TALKS)
    assert float(model.train()(batch).detach()) == pytest.approx(slow_loss(model, carry), abs=1e-6)
    assert float(model.eval()(batch).detach()) == pytest.approx(slow_loss(model, carry), abs=1e-6)


def test_as_published_training_carries_the_encoder_and_validation_the_decoder() -> None:
    model = new_encoder_decoder(SIZE, 1)
    batch = collate_dialogues(TALKS)
    assert float(model.train()(batch).detach()) == pytest.approx(slow_loss(model, "encoder"), abs=1e-6)
    assert float(model.eval()(batch).detach()) == pytest.approx(slow_loss(model, "decoder"), abs=1e-6)


@pytest.mark.parametrize("carry", ["encoder", "decoder"])
def test_gradients_are_cut_after_each_turn(carry: Carry) -> None:
    model = model_of(carry, carry)
    first = [EncodedTurn((4,), ()), EncodedTurn((7,), (8,))]
    batch = collate_dialogues([first])
    state = model.read(batch.parts[0].source, None)
    state = model.read(batch.parts[1].source, state.first(1))
    told = model.speak(batch.parts[1].replies.before, state)[0].sum()
    told.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    grad = model.heard_words.weight.grad
    assert grad is not None
    assert grad[7].abs().sum() > 0  # heard in this turn
    assert grad[4].abs().sum() == 0  # heard in the one before


def test_talks_of_unlike_numbers_of_turns_share_a_batch_without_touching_each_other() -> None:
    model = model_of("encoder", "decoder").eval()
    with torch.inference_mode():
        together = encoder_states(model, TALKS)
        for place, talk in enumerate(TALKS):
            alone = encoder_states(model, [talk])
            assert torch.allclose(together.hidden[:, place], alone.hidden[:, 0], atol=1e-6)
            assert torch.allclose(together.cell[:, place], alone.cell[:, 0], atol=1e-6)


def test_what_is_said_last_does_not_change_the_state_before_it() -> None:
    model = model_of("encoder", "decoder")
    asked = [[*talk[:-1], talk[-1]._replace(target=())] for talk in TALKS]
    with encoded(model, TALKS) as state, encoded(model, asked) as other:
        assert torch.equal(state.hidden, other.hidden)
        assert not model.training


def test_it_learns_a_few_talks_by_heart() -> None:
    model = new_encoder_decoder(
        EncoderDecoderConfig(vocabulary=9, words=8, hidden=24, dropout=0.0, carry_answering="encoder"), 1
    )
    subject = training_subject(model)
    batch = subject.collate(TALKS)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.04)
    losses = []
    for _ in range(70):
        optimiser.zero_grad()
        loss = subject.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[0] == pytest.approx(math.log(9), abs=0.1)
    assert losses[-1] < 0.1
    assert float(model.eval()(batch).detach()) == pytest.approx(losses[-1], abs=0.05)


def test_batches_put_talks_of_like_turns_together_and_weigh_words_with_their_ends() -> None:
    subject = training_subject(new_encoder_decoder(SIZE, 1))
    assert sorted(TALKS, key=subject.length) == [TALKS[1], TALKS[2], TALKS[0]]
    assert subject.weight is not None
    assert subject.weight(TALKS[0]) == 7
