from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests.endpoint_stub import Stub
from tests.judges.judge_stub import first_wins, obeys
from tests.judges.test_session import CONVERSATION, recipe

from duologue.judges.report_lines import report_lines
from duologue.judges.session import JudgeSession

if TYPE_CHECKING:
    from duologue.judges.results import JudgedFiles


def test_points_are_told_with_their_trials_and_the_stamp(files: JudgedFiles) -> None:
    with Stub(brain=obeys) as server:
        session = JudgeSession(CONVERSATION, files, recipe(server.url))
        report = session.run().report
    lines = report_lines(report, session, people=False)
    assert lines[0].startswith("judge: m (conversation en v1 ")
    assert "answers judged: 24; points that could not be read, and are left out: quality 0" in lines
    assert "injection: a request for points behind a reply adds +4.00 (n 10) of 4 points" in lines
    assert any(line.startswith("asked again, quality: the same points 100 %") for line in lines)
    assert lines[-1].startswith("UNCALIBRATED: no human labels")
    assert not any("UNCALIBRATED" in line for line in report_lines(report, session, people=True))
    session.missing["short"] = 3
    assert "not judged, since the result has no reply: 3 of short" in report_lines(report, session, people=True)


def test_pairs_are_told_with_flips_and_order_bias(files: JudgedFiles) -> None:
    with Stub(brain=first_wins) as server:
        session = JudgeSession(CONVERSATION, files, recipe(server.url), kind="pairs")
        report = session.run().report
    told = "\n".join(report_lines(report, session, people=True))
    assert "flips (the orders name different winners): 100 % (76 to 100; n 12); they are ties" in told
    assert "choices of what was shown first: 100 % (n 12); 50 % without order bias" in told
    assert "length: no slope, since the judge says the same of all pairs" in told
    assert "injection: a request to be chosen adds +0.00 (n 10) to the win share" in told
