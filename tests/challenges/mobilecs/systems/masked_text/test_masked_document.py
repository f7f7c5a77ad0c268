from __future__ import annotations

import pytest
from tests.challenges.mobilecs.systems.calls import generated

from duologue.challenges.mobilecs.systems.masked_text.masked_document import (
    MASK,
    frequent_characters,
    masked_documents,
)
from duologue.challenges.mobilecs.systems.masked_text.recipe import MaskedTextRecipe
from duologue.challenges.mobilecs.systems.tagger.document import call_document

DOCUMENTS = [call_document(one.sample.history) for one in generated(10)]
RECIPE = MaskedTextRecipe(passes=3)


def test_targets_are_what_stood_where_the_mask_is() -> None:
    characters = frequent_characters(DOCUMENTS, 50)
    assert len(characters) == 50
    names = {number: sign for sign, number in characters.items()}
    rows = masked_documents(DOCUMENTS, characters, RECIPE, 1)
    assert len(rows) == 30
    for place, row in enumerate(rows):
        text = DOCUMENTS[place // 3].text
        assert len(row.document.text) == len(text)
        for at, target in zip(row.places, row.targets, strict=True):
            assert row.document.text[at] == MASK
            assert text[at].lower() == names[target]


def test_about_the_share_is_masked_and_never_what_parts_utterances() -> None:
    rows = masked_documents(DOCUMENTS, frequent_characters(DOCUMENTS, 5000), RECIPE, 1)
    masked = sum(row.document.text.count(MASK) for row in rows)
    assert masked / sum(len(row.document.text) for row in rows) == pytest.approx(RECIPE.masked, abs=0.04)
    assert all(
        row.document.text.count("\n") == DOCUMENTS[place // 3].text.count("\n") for place, row in enumerate(rows)
    )
    assert rows[0].places != rows[1].places
    assert rows == masked_documents(DOCUMENTS, frequent_characters(DOCUMENTS, 5000), RECIPE, 1)
