from __future__ import annotations

from duologue.ratings.files import RatingFile
from duologue.ratings.judgement import Preference, Rating
from duologue.ratings.protocol import find_protocol
from duologue.ratings.summary import summarise

CONVERSATION = find_protocol("conversation")


def test_ratings_and_pairwise_judgements_are_told_by_what_they_hold() -> None:
    rows = [
        Rating(str(item), system, rater, "quality", float(1 + (item + len(rater) + len(system)) % 5))
        for item in range(6)
        for system in ("x", "yy")
        for rater in ("r", "rr", "rrr")
    ]
    found = summarise(RatingFile(tuple(rows), (), ()), CONVERSATION)
    assert (found.ratings, found.raters, found.items) == (36, 3, 6)
    assert found.rated is not None
    assert len(found.agreement) == 1
    assert found.judge is None
    pairs = [
        Preference(str(item), "x", "y", f"r{item % 3}", name, "a" if item % 3 else "b")
        for item in range(9)
        for name in ("overall", "quality")
    ]
    compared = summarise(RatingFile((), tuple(pairs), ()), CONVERSATION)
    assert [name for name, _ in compared.preferred] == ["overall", "quality"]
    assert compared.rated is None
    assert (compared.ratings, compared.raters, compared.items) == (18, 3, 9)
