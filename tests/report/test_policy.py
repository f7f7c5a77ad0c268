"""No page allows a style or a script that is not the one it holds."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.report import leaderboard_page, page, rank_all
from duologue.report.curves import curve_page

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
