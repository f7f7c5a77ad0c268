from __future__ import annotations

from collections import defaultdict
from random import Random

from duologue.challenges.spoken.noise.simulator import NoiseSimulator
from duologue.challenges.spoken.systems.pipeline.asr_correction.edits import Edit, particles, repeats, stops
from duologue.challenges.spoken.systems.pipeline.asr_correction.noise_likelihood import noise_log_likelihood

TEXT = "这个地方的门票大概要多少钱呢？"


def test_noise_that_strikes_where_it_often_does_is_readier() -> None:
    # A full stop after the eighth of fifteen characters is what most seeds of the noise give.
    likely, unlikely = TEXT[:8] + "。" + TEXT[8:], TEXT[:1] + "。" + TEXT[1:]
    assert (
        noise_log_likelihood(likely, Edit("stop", 8, 9, ""))
        > noise_log_likelihood(unlikely, Edit("stop", 1, 2, "")) + 2
    )


def test_the_first_two_words_are_swapped_readily_and_half_words_hardly() -> None:
    first = noise_log_likelihood("地方这个的门票贵吗？", Edit("swap", 0, 4, "这个地方"))
    torn = noise_log_likelihood("这地个方的门票贵吗？", Edit("swap", 1, 3, "个地"))
    assert first > torn + 2


def test_kinds_that_are_no_noise_of_their_own_say_nothing() -> None:
    assert noise_log_likelihood("谢谢你", Edit("end", 3, 3, "。")) == 0
    assert noise_log_likelihood("谢你", Edit("lost", 1, 1, "谢")) == 0


def test_what_the_simulator_did_is_readier_than_what_it_did_not() -> None:
    simulator, generators = NoiseSimulator("test", 1), {"repeat": repeats, "stop": stops, "particle": particles}
    seen: dict[str, list[float]] = defaultdict(list)
    for seed in range(300):
        noisy = simulator.turn(TEXT, rng=Random(seed))
        if noisy.recipe in generators:
            done = [one for one in generators[noisy.recipe](noisy.text) if one.apply(noisy.text) == TEXT]
            seen[noisy.recipe] += [noise_log_likelihood(noisy.text, one) for one in done[:1]]
    assert set(seen) == set(generators)
    for values in seen.values():
        assert sum(value > -7 for value in values) > 0.8 * len(values)  # -8.1 is the least
