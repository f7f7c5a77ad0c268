"""Run every golden case of the five challenges and say which of ours differ from the official programs.

`python benchmarks/parity.py FOLDER` takes a folder laid out like the project's data: `<challenge>/golden/...`. Cases
are found by what their files hold; the names of case folders and files are free. One line per challenge and kind,
`conversation bleu: equal 4 of 4`, or `not yet` for kinds whose code comes later; then each difference. Exit code 1 if
any case differs or none is found.

METEOR cases run where `DUOLOGUE_METEOR` is the path of meteor-1.5.jar; elsewhere they are skipped and not counted.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.core.errors import DuologueError
from golden import conversation, mobilecs, proactive, restaurant, spoken
from golden.cases import NotHereError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golden.cases import Case, Differences

CHALLENGES = {
    "restaurant": restaurant.find,
    "conversation": conversation.find,
    "proactive": proactive.find,
    "spoken": spoken.find,
    "mobilecs": mobilecs.find,
}


def run_case(case: Case) -> Differences:
    """Return what differs; whatever goes wrong is a difference. Raises `NotHereError` for a case that cannot run."""
    assert case.run is not None, "a case of a later kind is not run"
    with tempfile.TemporaryDirectory() as scratch:
        try:
            return case.run(Path(scratch))
        except NotHereError:
            raise
        except DuologueError as error:
            return [f"refused: {error}"]
        except Exception as error:  # noqa: BLE001  # one broken case must not hide the others
            return [f"{type(error).__name__}: {error}"]


class Tally:
    """What came of the cases run so far."""

    def __init__(self) -> None:
        self.cases = 0
        self.equal = 0
        self.differences: list[str] = []

    def run(self, title: str, cases: Sequence[Case]) -> str:
        """Run the cases of one challenge and kind; return what to print about them."""
        if all(case.run is None for case in cases):
            return f"{title}: not yet"
        equal = ran = 0
        missing = ""
        for case in cases:
            try:
                differences = run_case(case)
            except NotHereError as error:
                missing = str(error)
                continue
            ran += 1
            equal += not differences
            self.differences += [f"{title}, {case.name}: {one}" for one in differences]
        self.cases, self.equal = self.cases + ran, self.equal + equal
        if not ran:
            return f"{title}: skipped: {missing}"
        return f"{title}: equal {equal} of {ran}" + (f" ({len(cases) - ran} skipped: {missing})" if missing else "")


def main(arguments: Sequence[str]) -> int:
    """Print a line per challenge and kind, then the differences; return the exit code."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(__doc__)
        return 2
    logging.disable(logging.WARNING)  # readers remark on odd files, and the cases are full of them
    tally = Tally()
    for challenge, find in CHALLENGES.items():
        golden = Path(arguments[0]) / challenge / "golden"
        kinds: dict[str, list[Case]] = {}
        for case in find(golden) if golden.is_dir() else ():
            kinds.setdefault(case.kind, []).append(case)
        for kind, cases in kinds.items():
            print(tally.run(f"{challenge} {kind}", cases), flush=True)
    for difference in tally.differences:
        print(difference)
    print(f"cases {tally.cases}, equal {tally.equal}, differing {tally.cases - tally.equal}")
    return 0 if tally.cases and tally.equal == tally.cases else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
