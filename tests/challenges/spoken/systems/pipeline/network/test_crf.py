from __future__ import annotations

from itertools import pairwise, product

import pytest
import torch

from duologue.challenges.spoken.systems.pipeline.network.crf import CRF

K = 3


def field(*, barred: bool = False) -> CRF:
    torch.manual_seed(4)
    allowed = torch.ones(K, K, dtype=torch.bool)
    first = torch.ones(K, dtype=torch.bool)
    if barred:
        allowed[0, 2] = False
        first[2] = False
    crf = CRF(K, allowed, first)
    with torch.no_grad():
        for one in crf.parameters():
            one.normal_()
    return crf


@torch.no_grad()
def by_hand(crf: CRF, emissions: torch.Tensor, tags: tuple[int, ...]) -> float:
    total = float(crf.start[tags[0]] + crf.barred_first[tags[0]] + crf.end[tags[-1]])
    total += sum(float(emissions[place, tag]) for place, tag in enumerate(tags))
    steps = pairwise(tags)
    return total + sum(float(crf.transitions[a, b] + crf.barred[a, b]) for a, b in steps)


@pytest.mark.parametrize("barred", [False, True])
def test_partition_score_and_best_path_are_those_of_enumeration(barred: bool) -> None:  # noqa: FBT001  # a parameter of the test
    crf, emissions = field(barred=barred), torch.randn(4, 5, K)
    counts = (5, 1, 3, 2)
    mask = torch.arange(5) < torch.tensor(counts).unsqueeze(1)
    log_z, best = crf.log_partition(emissions, mask), crf.best(emissions, mask)
    for row, count in enumerate(counts):
        scores = {tags: by_hand(crf, emissions[row], tags) for tags in product(range(K), repeat=count)}
        assert log_z[row].item() == pytest.approx(torch.tensor(list(scores.values())).logsumexp(0).item(), abs=1e-4)
        assert tuple(best[row]) == max(scores, key=lambda tags: scores[tags])
        tags = torch.zeros(1, 5, dtype=torch.long)
        for wanted in list(scores)[:9]:
            tags[0, :count] = torch.tensor(wanted)
            told = crf.score(emissions[row : row + 1], tags, mask[row : row + 1]).item()
            assert told == pytest.approx(scores[wanted], abs=1e-4, rel=1e-6)


def test_all_taggings_together_have_probability_one() -> None:
    crf, emissions, mask = field(), torch.randn(1, 3, K), torch.ones(1, 3, dtype=torch.bool)
    losses = [crf(emissions, torch.tensor([tags]), mask).item() for tags in product(range(K), repeat=3)]
    assert torch.tensor(losses).neg().exp().sum().item() == pytest.approx(1.0, abs=1e-5)


def test_forbidden_steps_are_never_taken() -> None:
    crf = field(barred=True)
    emissions = torch.tensor([[[0.0, 0.0, 50.0], [50.0, 0.0, 0.0], [0.0, 0.0, 50.0]]])
    assert crf.best(emissions, torch.ones(1, 3, dtype=torch.bool))[0][0] != 2
    path = crf.best(emissions[:, 1:], torch.ones(1, 2, dtype=torch.bool))[0]
    assert (path[0], path[1]) != (0, 2)


def test_padding_changes_neither_loss_nor_path() -> None:
    crf, emissions, tags = field(), torch.randn(1, 6, K), torch.randint(0, K, (1, 6))
    short = torch.arange(6).unsqueeze(0) < 4
    cut = torch.ones(1, 4, dtype=torch.bool)
    assert crf(emissions, tags, short).item() == pytest.approx(crf(emissions[:, :4], tags[:, :4], cut).item(), abs=1e-5)
    assert crf.best(emissions, short) == crf.best(emissions[:, :4], cut)
