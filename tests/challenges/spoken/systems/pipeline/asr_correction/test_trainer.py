from __future__ import annotations

from itertools import product

from duologue.challenges.spoken.systems.pipeline.asr_correction.trainer import fit_edit_weights, train_corrector


def test_the_fewer_clean_texts_may_be_touched_the_higher_the_threshold() -> None:
    texts = [
        "".join(parts) for parts in product(("那", "好的，", ""), ("这个景点", "这部电影"), ("贵吗？", "好看吗？"))
    ]
    corrector = train_corrector(texts * 3)
    _, never = fit_edit_weights(corrector, texts, 1, 0.0)
    weights, always = fit_edit_weights(corrector, texts, 1, 1.0 - 1e-9)
    assert never >= always
    assert all(len(row) == 5 for row in weights.values())


def test_without_texts_there_is_nothing_to_weigh() -> None:
    weights, threshold = fit_edit_weights(train_corrector([]), [], 1, 0.01)
    assert (weights, threshold > 0) == ({}, True)
