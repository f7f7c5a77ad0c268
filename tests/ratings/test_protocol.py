from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core import task_listings
from duologue.core.errors import PlugInError, UsageError
from duologue.core.plugins import names
from duologue.ratings.protocol import Criterion, RatingProtocol, find_protocol, protocols

if TYPE_CHECKING:
    from pathlib import Path

SCALES = {
    "proactive": {"coherence": (0, 3), "goal-completion": (0, 2)},
    "spoken": dict.fromkeys(("informativeness", "coherence", "factual-accuracy"), (0, 2)),
    "mobilecs": dict.fromkeys(("success", "coherency", "fluency"), (1, 5)),
    "mobilecs-0-2": dict.fromkeys(("success", "coherency", "fluency"), (0, 2)),
    "conversation": {"quality": (1, 5)},
    "restaurant": {"task-success": (0, 1)},
}


def test_the_five_challenges_have_their_published_scales() -> None:
    found = protocols()
    assert {name: {one.name: (one.low, one.high) for one in kept.criterion} for name, kept in found.items()} == SCALES
    assert {name.partition("/")[0] for name in names("tasks")} <= set(found)
    assert find_protocol("conversation").reference == "reference"
    assert [found[name].automatic_share for name in ("spoken", "mobilecs")] == [0.0, 0.5]
    for kept in found.values():
        assert kept.about
        assert kept.zh
        assert kept.source
        assert kept.rule
        assert kept.rule_zh


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    head = '[[protocol]]\nname="own"\nabout="a"\nsource="s"\nrule="r"\n'
    own.write_text(head + '[[protocol.criterion]]\nname="wit"\nhigh=3\n', encoding="utf-8")
    found = find_protocol(str(own))
    assert (found.lowest, found.highest) == (0, 3)
    wit = found.named("wit")
    assert wit is not None
    assert (wit.points, wit.span) == (4, 3)
    assert found.named("x") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "protocol"),
        ("[[protocol]]\nname='x'\n", "about"),
        (
            "[[protocol]]\nname='x'\nabout=''\nsource=''\nrule=''\n[[protocol.criterion]]\nname='y'\nlow=3\nhigh=3\n",
            "the scale of 'y' is 3 to 3",
        ),
        (
            "[[protocol]]\nname='x'\nabout=''\nsource=''\nrule=''\n[[protocol.criterion]]\nname='y'\nhigh=2\nanchors=['']\n",
            "1 anchors for 3 points",
        ),
        ("protocol = []", "holds 0 protocols"),
    ],
    ids=["empty", "lacking", "scale", "anchors", "none"],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, text: str, told: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=told):
        find_protocol(str(own))


def test_an_unknown_name_and_criteria_that_stand_twice() -> None:
    with pytest.raises(UsageError, match="did you mean 'spoken'"):
        find_protocol("spokn")
    one = Criterion(name="a", high=1)
    with pytest.raises(ValueError, match="none twice"):
        RatingProtocol(name="x", about="", source="", rule="", criterion=(one, one))
    with pytest.raises(ValueError, match="below 1"):
        RatingProtocol(name="x", about="", source="", rule="", criterion=(one,), automatic_share=1.0)


@pytest.mark.parametrize("most", ["1e-320", "1e308", "-1.0", "1" + "0" * 400])
def test_numbers_that_no_score_can_be_reckoned_with_are_refused(tmp_path: Path, most: str) -> None:
    own = tmp_path / "own.toml"
    head = f"[[protocol]]\nname='x'\nabout=''\nsource=''\nrule=''\nautomatic_share=0.5\nautomatic_most={most}\n"
    own.write_text(head + "[[protocol.criterion]]\nname='wit'\nhigh=3\n", encoding="utf-8")
    with pytest.raises(UsageError, match="automatic_most"):
        find_protocol(str(own))
    with pytest.raises(ValueError, match="begins at"):
        Criterion(name="a", low=10**400, high=10**400 + 5)


def test_a_plug_in_with_a_damaged_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ratings.toml").write_text("protocol = 3", encoding="utf-8")
    monkeypatch.setattr(task_listings, "package_folder", lambda target: tmp_path)
    with pytest.raises(PlugInError, match="cannot be read"):
        protocols()
