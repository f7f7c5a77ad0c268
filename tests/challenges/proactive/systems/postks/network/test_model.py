from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch.nn import functional

from duologue.challenges.proactive.systems.postks.network.batch import PostksRow, collate
from duologue.challenges.proactive.systems.postks.network.learner import Learner, new_postks, replies
from duologue.challenges.proactive.systems.postks.network.model import Postks, PostksSize
from duologue.challenges.proactive.systems.postks.network.search import DecodedReply, _result, search
from duologue.models.fixed_beam import BeamStep
from duologue.models.vocabulary import BEGIN, END, UNKNOWN

if TYPE_CHECKING:
    from duologue.models.recurrent import TwoWayGru

ROWS = [
    PostksRow((4, 5, 6, 7), (8, 9), ((4, 5), (6,), (7, 8, 9))),
    PostksRow((9, 8), (5, 6, 7), ((4, 5),)),
    PostksRow((7, 7, 7), (4,), ((9, 4), (4, 5))),
]
TINY = PostksSize(vocabulary=12, words=5, hidden=6, dropout=0.0)


@pytest.mark.parametrize("vocabulary", [12_095, 30_004])
def test_parameters_are_as_many_as_published(vocabulary: int) -> None:
    with torch.device("meta"):
        model = Postks(PostksSize(vocabulary=vocabulary))
    assert sum(one.numel() for one in model.parameters()) == 17_544_801 + 1_902 * vocabulary
    assert len(list(model.parameters())) == 41


def test_triples_that_samples_share_are_read_once() -> None:
    batch = collate(ROWS)
    assert batch.triples.real.sum(1).tolist() == [2, 1, 3, 2]
    assert batch.which.tolist() == [[0, 1, 2], [0, 0, 0], [3, 0, 0]]
    assert batch.known.tolist() == [[True] * 3, [True, False, False], [True, True, False]]
    assert batch.said is not None
    assert batch.said.tokens[: batch.size].tolist() == [BEGIN] * 3
    assert sorted(batch.targets.tolist()) == sorted([8, 9, 5, 6, 7, 4, END, END, END])
    assert collate(ROWS, replies=False).said is None


def test_the_loss_of_a_sample_is_what_a_plain_reading_of_the_equations_gives() -> None:
    model, row = new_postks(TINY, 1).eval(), ROWS[0]
    found = model.losses(collate([row]))
    with torch.no_grad():
        e = model.embedding.weight

        def read(unit: TwoWayGru, tokens: tuple[int, ...]) -> torch.Tensor:
            """States of a two-way unit, step by step (tokens, h)."""
            sides = []
            for gru, order in ((unit.forward_gru, 1), (unit.backward_gru, -1)):
                h, states = torch.zeros(3), []
                for token in tokens[::order]:
                    i, j = gru.w_input @ e[token] + gru.b_input, gru.w_hidden @ h + gru.b_hidden
                    r, z = (i[:6] + j[:6]).sigmoid().chunk(2)
                    h = (1 - z) * (i[6:] + r * j[6:]).tanh() + z * h
                    states.append(h)
                sides.append(torch.stack(states[::order]))
            return torch.cat(sides, 1)

        def last(states: torch.Tensor) -> torch.Tensor:
            return torch.cat([states[-1, :3], states[0, 3:]])

        memory = read(model.context_gru, row.source)
        x = model.bridge(last(memory)).tanh()
        triples = torch.stack([last(read(model.knowledge_gru, one)) for one in row.triples])
        y = last(read(model.knowledge_gru, row.reply))
        p, q = (triples @ x).softmax(0), (triples @ y).softmax(0)
        k = q @ triples
        bow = model.bow_second(model.bow_first(k).tanh()).log_softmax(0)
        decoder, h, nll = model.decoder, x, torch.tensor(0.0)
        for token, wanted in zip((BEGIN, *row.reply), (*row.reply, END), strict=True):
            c = (memory @ h).softmax(0) @ memory
            sides = []
            for gru, given in ((decoder.word_gru, e[token]), (decoder.knowledge_gru, k)):
                i, j = gru.w_input @ torch.cat([given, c]) + gru.b_input, gru.w_hidden @ h + gru.b_hidden
                r, z = (i[:12] + j[:12]).sigmoid().chunk(2)
                sides.append((1 - z) * (i[12:] + r * j[12:]).tanh() + z * h)
            a, g = decoder.fuse_word(sides[0]).tanh(), decoder.fuse_knowledge(sides[1]).tanh()
            gate = decoder.gate(torch.cat([a, g])).sigmoid()
            h = gate * a + (1 - gate) * g
            nll -= model.output_second(model.output_first(torch.cat([c, h]))).log_softmax(0)[wanted]
    assert found.nll.item() == pytest.approx(nll.item(), rel=1e-5)
    assert found.costs.tolist() == pytest.approx([nll.item()], rel=1e-5)
    assert found.kl.item() == pytest.approx((q * (q.log() - p.log())).mean().item(), rel=1e-4)
    assert found.bow.item() == pytest.approx(-bow[list(row.reply)].sum().item(), rel=1e-5)  # its end is cut
    assert found.total.item() == pytest.approx((found.nll + found.kl + found.bow).item(), rel=1e-6)


def test_the_longest_reply_loses_its_end_from_the_bow_loss_and_others_keep_it() -> None:
    model = new_postks(TINY, 1).eval()
    batch = collate(ROWS)
    chosen = model.choose(batch, None, torch.float32, posterior=True).chosen
    log_probs = model.bow_second(model.bow_first(chosen).tanh()).log_softmax(1)
    wanted = -log_probs[0, [8, 9, END]].sum() - log_probs[1, [5, 6, 7]].sum() - log_probs[2, [4, END]].sum()
    assert model.losses(batch, bow_only=True).bow.item() == pytest.approx(wanted.item() / 3, rel=1e-5)


def test_averaged_losses_are_means_over_tokens_and_triples() -> None:
    summed = new_postks(TINY, 1).eval()
    averaged = Postks(PostksSize(vocabulary=12, words=5, hidden=6, dropout=0.0, loss="averaged")).eval()
    averaged.load_state_dict(summed.state_dict())
    each = [summed.losses(collate([row])) for row in ROWS]
    found = averaged.losses(collate(ROWS))
    lengths = [len(row.reply) for row in ROWS]
    nll = sum(one.nll.item() / (length + 1) for one, length in zip(each, lengths, strict=True)) / 3
    bow = (
        sum(one.bow.item() / length for one, length in zip(each, lengths, strict=True)) / 3
    )  # alone, each loses its end
    assert found.nll.item() == pytest.approx(nll, rel=1e-5)
    assert found.bow.item() == pytest.approx(bow, rel=1e-5)
    assert found.kl.item() == pytest.approx(sum(one.kl.item() for one in each) / 3, rel=1e-4)


@pytest.mark.parametrize("posterior", ["reply", "source-and-reply"])
def test_the_first_stage_teaches_the_knowledge_part_alone(posterior: str) -> None:
    size = PostksSize(vocabulary=12, words=5, hidden=6, posterior=posterior)  # type: ignore[arg-type]  # a text from the list
    model = new_postks(size, 1)
    model.losses(collate(ROWS), bow_only=True).total.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    taught = {name.partition(".")[0] for name, one in model.named_parameters() if one.grad is not None}
    knowledge = {"embedding", "knowledge_gru", "bow_first", "bow_second"}
    assert taught == knowledge | ({"context_gru", "bridge", "posterior"} if posterior != "reply" else set())
    assert (sum(1 for one in model.parameters() if one.grad is not None) == 13) == (posterior == "reply")


def test_what_a_sample_costs_does_not_depend_on_the_batch() -> None:
    model = new_postks(TINY, 1).eval()
    together = model.losses(collate(ROWS)).costs
    alone = torch.cat([model.losses(collate([row])).costs for row in ROWS])
    assert torch.allclose(together, alone, atol=1e-5)
    assert replies(model, ROWS, 1) == [one for row in ROWS for one in replies(model, [row], 1)]


@pytest.mark.slow
def test_eight_samples_are_learned_by_heart() -> None:
    rows = [PostksRow((4, 5, place), (place, 11, place), ((4, place), (5,))) for place in range(4, 12)]
    model = new_postks(PostksSize(vocabulary=12, words=16, hidden=24, dropout=0.0), 1)
    learner = Learner(model, bow_epochs=1, precision="float32")
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    batch = collate(rows)
    for epoch in range(80):
        learner.stage(epoch // 10)
        optimiser.zero_grad(set_to_none=True)
        learner.loss(batch).backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimiser.step()
    said = [one.tokens for one in replies(model, [row._replace(reply=()) for row in rows], 1)]
    assert said == [(*row.reply, END) for row in rows]
    assert [one.tokens for one in replies(model, rows, 4)] == said


def test_a_sample_without_triples_chooses_nothing() -> None:
    model = new_postks(TINY, 1).eval()
    row = PostksRow((4, 5), (6,), ())
    knowledge = model.choose(collate([row]), torch.zeros(1, 6), torch.float32, posterior=False)
    assert not knowledge.chosen.any()
    assert torch.isfinite(model.losses(collate([row, ROWS[0]])).total)


def test_bfloat16_is_near_float32() -> None:
    model = new_postks(TINY, 1).eval()
    fine, coarse = (model.losses(collate(ROWS), precision=kind).total for kind in (torch.float32, torch.bfloat16))
    assert coarse.item() == pytest.approx(fine.item(), rel=0.02)
    coarse.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    assert all(one.grad is not None and one.grad.dtype == torch.float32 for one in model.parameters())


def test_greedy_search_says_what_is_most_probable_at_each_step() -> None:
    model = new_postks(TINY, 3).eval()
    with torch.no_grad():
        model.output_second.bias[UNKNOWN] -= 100  # it would end the reply
    (found,) = search(model, collate(ROWS[:1], replies=False), limit=5)
    costs = []
    said: tuple[int, ...] = ()
    for token in found.tokens:  # each token is the best that the decoder gives after the ones before
        batch = collate([ROWS[0]._replace(reply=(*said, token))])
        with torch.inference_mode():
            source = model.read(batch.source, torch.float32)
            chosen = model.choose(batch, source.query, torch.float32, posterior=False).chosen
            assert batch.said is not None
            words = model.embedding(batch.said.tokens)
            stacked = model.decoder.stack_weights(torch.float32)
            contexts, states = model.decoder(stacked, words, chosen, source, batch.said.sizes)
            hidden = model.before_words(contexts, states, torch.float32)
            logits = functional.linear(hidden, model.output_second.weight, model.output_second.bias)[len(said)]
        assert token == logits.argmax().item()
        costs.append(logits.log_softmax(0).max().item())
        said = (*said, token)
    assert found.score == pytest.approx(sum(costs) / len(costs), rel=1e-5)


def _step(scores: list[float], tokens: list[int], before: list[int]) -> BeamStep:
    return BeamStep(torch.tensor(scores), torch.tensor(tokens), torch.tensor(before))


def test_hypotheses_that_ended_overwrite_result_slots_from_the_last_step_back() -> None:
    """Width 2, three steps; one ends at the second, one at the third. The second-met takes slot 0, whatever it held."""
    steps = [
        _step([-1.0, -2.0], [5, 6], [0, 0]),
        _step([-1.5, -3.0], [END, 7], [0, 1]),
        _step([-2.5, -2.8], [8, END], [1, 1]),
    ]
    assert _result(steps, steps[-1].scores) == DecodedReply((5, END), -1.5)
    worse = [steps[0], _step([-4.0, -3.0], [END, 7], [0, 1]), steps[2]]  # 6 7 8, the best at the end, is overwritten
    found = _result(worse, worse[-1].scores)
    assert found.tokens == (6, 7, END)
    assert found.score == pytest.approx(-2.8)


def test_a_reply_ends_with_the_unknown_word() -> None:
    model = new_postks(TINY, 1)
    with torch.no_grad():
        model.output_second.bias[UNKNOWN] += 100
    (found,) = replies(model, ROWS[:1], 1)
    assert found == DecodedReply((UNKNOWN,), -torch.inf)
    assert replies(model, [], 1) == []
