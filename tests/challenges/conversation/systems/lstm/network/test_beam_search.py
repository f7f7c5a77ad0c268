from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
import torch

from duologue.challenges.conversation.systems.lstm.network.beam_search import (
    beam_search,
    encoder_states,
    new_encoder_decoder,
)
from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import (
    EncodedTurn,
    EncoderDecoder,
    EncoderDecoderConfig,
)
from duologue.core.errors import UsageError
from duologue.models.vocabulary import END, SPECIAL

if TYPE_CHECKING:
    from duologue.challenges.conversation.systems.lstm.network.layers import LstmState

V = 7  # three words can be said
TALKS = [[EncodedTurn((4, 5))], [EncodedTurn((6,), (5,)), EncodedTurn((4,))], [EncodedTurn((END,))]]


@pytest.fixture
def model() -> EncoderDecoder:
    torch.manual_seed(2)
    model = new_encoder_decoder(EncoderDecoderConfig(vocabulary=V, words=4, hidden=5, dropout=0.0, spread=1.5), 3)
    return model.eval()


def states(model: EncoderDecoder) -> LstmState:
    with torch.inference_mode():
        return encoder_states(model, TALKS)


def log_p_of(model: EncoderDecoder, state: LstmState, words: tuple[int, ...]) -> float:
    total, said = 0.0, state
    with torch.inference_mode():
        for word, wanted in zip((END, *words), (*words, END), strict=True):
            log_p, said = model.step(said, torch.tensor([word]))
            total += float(log_p[0, wanted])
    return total


def all_ended(
    model: EncoderDecoder, state: LstmState, longest: int, bonus: float
) -> list[tuple[float, tuple[int, ...]]]:
    """Return all replies that can be ended in so many steps by their score, best first."""
    sayable = range(len(SPECIAL), V)
    many = [words for length in range(1, longest) for words in product(sayable, repeat=length)]
    scored = [(log_p_of(model, state, words) + bonus * (len(words) + 1), words) for words in many]
    return sorted(scored, reverse=True)


@pytest.mark.parametrize("bonus", [0.0, 1.0, 2.5])
def test_a_beam_as_wide_as_all_there_is_finds_the_best_reply_of_all(model: EncoderDecoder, bonus: float) -> None:
    found = beam_search(model, states(model), width=30, longest=4, bonus=bonus)
    for row, of_row in enumerate(found):
        expected = all_ended(model, states(model).pick(torch.tensor([row])), 4, bonus)
        assert tuple(of_row[0].words) == expected[0][1]
        assert [one.score for one in of_row[:5]] == pytest.approx([score for score, _ in expected[:5]], abs=1e-5)
        assert [one.log_p for one in of_row] == pytest.approx(
            [log_p_of(model, states(model).pick(torch.tensor([row])), tuple(one.words)) for one in of_row], abs=1e-5
        )


def test_no_reply_is_empty_or_longer_than_there_is_room_for_or_holds_a_special_word(model: EncoderDecoder) -> None:
    for of_row in beam_search(model, states(model), width=3, longest=5, bonus=3.0):
        assert len(of_row) == 3
        for reply in of_row:
            assert 1 <= len(reply.words) <= 4
            assert min(reply.words) >= len(SPECIAL)


def test_the_bonus_makes_replies_longer_and_counts_nothing_within_the_beam(model: EncoderDecoder) -> None:
    short, long = (beam_search(model, states(model), width=2, longest=6, bonus=bonus) for bonus in (0.0, 5.0))
    assert [len(one[0].words) for one in short] < [len(one[0].words) for one in long] == [5, 5, 5]


def test_rows_of_a_batch_do_not_touch_each_other(model: EncoderDecoder) -> None:
    together = beam_search(model, states(model), width=2, longest=5)
    for row, of_row in enumerate(together):
        alone = beam_search(model, states(model).pick(torch.tensor([row])), width=2, longest=5)[0]
        assert [one.words for one in alone] == [one.words for one in of_row]


@pytest.mark.parametrize(("width", "longest"), [(0, 5), (3, 1)])
def test_a_search_without_room_is_refused(model: EncoderDecoder, width: int, longest: int) -> None:
    with pytest.raises(UsageError, match=f"found {width} and {longest}"):
        beam_search(model, states(model), width=width, longest=longest)


def test_a_vocabulary_smaller_than_the_beam_still_gives_replies() -> None:
    model = new_encoder_decoder(EncoderDecoderConfig(vocabulary=5, words=3, hidden=3), 1).eval()
    with torch.inference_mode():
        found = beam_search(model, encoder_states(model, [[EncodedTurn((4,))]]), width=5, longest=4)
    assert sorted(one.words for one in found[0]) == [[4], [4, 4], [4, 4, 4]]
