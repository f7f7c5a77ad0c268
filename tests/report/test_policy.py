"""No page allows a style or a script that is not the one it holds."""

from __future__ import annotations

import hashlib
import math
import re
from base64 import b64encode
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.report import leaderboard_page, page, rank_all
from duologue.report.curves import curve_page
from duologue.report.policy import allowed, length, shade

if TYPE_CHECKING:
    from tests.report.conftest import MakeReport


@pytest.fixture
def pages(make_report: MakeReport) -> dict[str, str]:
    reports = [make_report(name, wrong=wrong, slices=True) for name, wrong in (("a", 3), ("b", 50))]
    noisy = [msgspec.structs.replace(one, meta={**one.meta, "strength": 1.0}) for one in reports]
    return {
        "report": page(reports),
        "board": leaderboard_page(rank_all(reports, resamples=100), title="x"),
        "curves": curve_page(noisy, title="x"),
    }


@pytest.mark.parametrize("kind", ["report", "board", "curves"])
def test_style_and_script_are_allowed_by_their_hashes_alone(pages: dict[str, str], kind: str) -> None:
    text = pages[kind]
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert "unsafe" not in policy
    for element, source in (("style", "style-src"), ("script", "script-src")):
        (inner,) = re.findall(rf"<{element}>(.*?)</{element}>", text, re.DOTALL)
        digest = b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}'" in policy
    assert not re.search(r"<[^>]*\s(style|on\w+)\s*=", text)
    assert not re.search(r"javascript:|<(iframe|object|embed|base|form)\b", text)


@pytest.mark.parametrize(
    ("share", "step"),
    [(-0.5, 0), (0.0, 0), (1e-9, 1), (0.0051, 1), (0.0076, 2), (0.5, 100), (0.9974, 199), (1.0, 200), (7.0, 200)],
)
def test_a_bar_is_as_long_as_its_share_and_what_is_there_has_a_length(share: float, step: int) -> None:
    assert length(share) == f"w{step}"


@pytest.mark.parametrize(
    ("value", "step"),
    [(-1.0, "e40"), (0.0, "e40"), (0.75, "e20"), (0.98, "e6"), (1.0, "e0"), (2.0, "e0"), (math.nan, "")],
)
def test_a_cell_is_the_darker_the_more_is_missing(value: float, step: str) -> None:
    assert shade(value) == step


def test_every_length_and_shade_has_its_style() -> None:
    style = str(allowed().style)
    for step, share in ((0, "0"), (1, "0.005"), (100, "0.5"), (200, "1")):
        assert f".w{step}{{--w:{share}}}" in style
    for step, share in ((0, "0"), (1, "0.025"), (40, "1")):
        assert f".e{step}{{--e:{share}}}" in style
    assert not re.search(r"\.(w201|e41)\b", style)


def test_the_style_is_put_together_once() -> None:
    assert allowed() is allowed()
