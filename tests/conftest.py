"""What every test may ask for."""

from __future__ import annotations

import gc
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from duologue.core.extras import extra_with, lacking
from tests.command import Command, CommandHere
from tests.twins import problem_of

if TYPE_CHECKING:
    from collections.abc import Generator

hypothesis.settings.register_profile(
    "duologue",
    derandomize="CI" in os.environ,  # a landing must not hang on luck; at home each run draws anew
    deadline=None,  # how long an example takes is the machine's business; speed is measured in benchmarks/
    suppress_health_check=[
        hypothesis.HealthCheck.function_scoped_fixture,  # our fixtures are folders, and every example writes anew
        hypothesis.HealthCheck.too_slow,
    ],
    print_blob=True,
)
hypothesis.settings.load_profile("duologue")

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # threads of two processes wait for each other; read when torch and numpy are imported
os.environ.setdefault("DUOLOGUE_METEOR", "")  # half a minute a score: only tests that ask for it

_LIGHT = ("core/", "knowledge/", "text/personal/", "text/test_anonymiser.py")
"""Places of tests of what the core alone can do: nothing may be missing there."""
_MISSING = re.compile(r"No module named '(\w+)|install duologue\[(\w+)\]")
"""How an import that failed, and our own message, name a library or its extra."""


def _skipped(report: Any, path: Path) -> None:
    """Make a failure a skip that names the extra, where a library of an extra that is not installed is the cause."""
    if not report.failed or path.relative_to(Path(__file__).parent).as_posix().startswith(_LIGHT):
        return
    for library, named in _MISSING.findall(f"{report.longrepr}\n{report.capstdout}\n{report.capstderr}"):
        extra = named or extra_with(library)
        if extra and lacking(extra):
            report.outcome = "skipped"
            report.longrepr = (str(path), 0, f"Skipped: needs the extra `{extra}`: {', '.join(lacking(extra))}")
            return


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Collect no garbage while modules are imported (a fifth of the time), and never look through them later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


class _MissingExtras:
    """Skips what needs an extra that is not installed, wherever it stands.

    A plug-in of its own: hooks of this file are not asked about a folder whose own `conftest.py` cannot be imported.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, Any]:
        """Skip modules and folders of tests that import what is not installed."""
        report = yield
        _skipped(report, collector.path)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Skip tests that came upon what is not installed, in this process or in one that they started."""
        report = yield
        _skipped(report, item.path)
        return report


def pytest_configure(config: pytest.Config) -> None:
    """Let tests be skipped for want of an extra."""
    config.pluginmanager.register(_MissingExtras(), "missing-extras")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a slow test in a module that does not say so: `make slow` would not look there."""
    for path in sorted({item.path for item in items if item.get_closest_marker("slow")}):
        if "mark.slow" not in path.read_text(encoding="utf-8"):
            message = f"{path} has slow tests: write the mark `pytest.mark.slow` in the module itself"
            raise pytest.UsageError(message)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse a test on real data that has no twin on made data, with and without the data."""
    problem = problem_of(item)
    if problem:
        pytest.fail(problem, pytrace=False)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real dialogues of the challenges; tests that need it are skipped where it is absent."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("DUOLOGUE_DATA", default))
    if not folder.is_dir():
        pytest.skip("no real data here; set DUOLOGUE_DATA to the folder that holds it")
    return folder


@pytest.fixture(scope="session")
def real_restaurant(real_data: Path) -> Path:
    """The folder with the real files of the restaurant challenge."""
    return real_data / "restaurant"


@pytest.fixture(scope="session")
def installed() -> Command:
    """Return what runs the installed command, in a process of its own."""
    return Command()


@pytest.fixture(scope="session")
def duologue() -> CommandHere:
    """Return what runs commands in this process."""
    return CommandHere()
