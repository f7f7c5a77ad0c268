"""The invented reports of the tests of reports."""

from tests.report.conftest import make_report

__all__ = ["make_report"]
