"""The page of `mobilecs_extraction.py`: scores, tests, ablations, errors by kind, costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mobilecs_extraction_ceilings import HEAD, section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.records import Report
    from mobilecs_extraction_ceilings import Ceiling

_HEAD = """# MobileCS, track 1: figures

    python benchmarks/mobilecs_extraction.py {options}

Systems learn from `labelled/train` and `labelled/dev` of `duologue generate mobilecs --seed {seen}` ({sizes}) and
are scored on the test part of seed {unseen} (500 dialogues, another catalogue). Figures are per cent with 95 %
intervals: F1 of the strict variant, and the official ones beside it. CPU minutes are those of `duologue train`, speeds
those of answers in batches, both in one thread of a busy machine.

"""
_RULES = """`pipeline` and `extractor-annotated`, where it is shown, learn from annotated turns alone, the challenge's
rule; `extractor` and `pipeline-all` from all turns. The published figures are those of another test set, with models of
100 million parameters: they say how hard that corpus is, not how good a system is beside these."""
_TESTS = "Paired tests (dialogues swapped whole, p corrected over the scores):"
_SPEED = "Dialogues per second of CPU time in one thread, answers in batches: "
_PARTS = """The `crowd` extractor with a part taken away or changed; each change is made to the trained model."""
_KINDS = """Extracted mentions and values by the first thing that is wrong, then those of the gold annotation that
nothing touches. In `crowd` many of them are errors of the annotation."""
_ERROR_KINDS = ("right", "wrong type", "wrong slot", "wrong owner", "wrong ends", "nothing there", "missed")
_MENDS = ("as it is", "types", "ends", "nothing there", "missed")
_COSTS = """What entity F1 were if one kind of error was mended wherever it stands."""
BEGIN, END = "<!-- written by hand -->", "<!-- end of what is written by hand -->"
"""Around what the program leaves as it is."""
_TESTED = ("entity-f1", "triple-f1")


class Page:
    """What is measured, and its text."""

    def __init__(self, options: str, sizes: Mapping[str, int], seen: int, unseen: int) -> None:
        learned = ", ".join(f"profile `{profile}` with `--n {n}`" for profile, n in sizes.items())
        self._head = _HEAD.format(options=options, sizes=learned, seen=seen, unseen=unseen)
        self._systems: list[str] = []
        self._tests: list[str] = []
        self._errors: list[str] = []
        self._mends: list[str] = []
        self._ablations: list[str] = []
        self._speeds: list[str] = []
        self._public: list[str] = []
        self._unseen, self._ceilings = unseen, ""

    def add_system(self, profile: str, name: str, strict: Report, official: Report, seconds: float) -> None:
        """Add a trained system of a profile, with the CPU seconds of its training."""
        here, there = _scores(strict), _values(official)
        row = [f"`{profile}`: {name}", here["entity-f1"], here["triple-f1"], f"{there['entity-f1']:.1f}"]
        minutes = f"{seconds / 60:.1f}" if seconds else ""
        self._systems.append(_line([*row, f"{there['triple-f1']:.1f}", f"{there['ranking']:.1f}", minutes]))

    def add_untrained(self, name: str, report: Report) -> None:
        """Add a row of the table of systems for which nothing was trained."""
        here = _scores(report)
        self._systems.append(_line([name, here["entity-f1"], here["triple-f1"], "", "", "", ""]))

    def add_test(self, profile: str, other: str, rows: Sequence[Sequence[object]]) -> None:
        """Add the paired test of the extractor against another system."""
        for name, _, _, difference, low, high, p, _ in rows:
            if name in _TESTED:
                assert isinstance(difference, float)
                interval = f"{difference * 100:+.1f}"
                if isinstance(low, float) and isinstance(high, float):
                    interval += f" [{low * 100:+.1f}, {high * 100:+.1f}]"
                self._tests.append(_line([f"`{profile}`: extractor - {other}", str(name), interval, _p(p)]))

    def add_errors(self, profile: str, mentions: Mapping[str, int], triples: Mapping[str, int]) -> None:
        """Add the errors of the extractor by kind."""
        for name, counts in (("mentions", mentions), ("values", triples)):
            cells = [str(counts.get(kind, "")) for kind in _ERROR_KINDS]
            self._errors.append(_line([f"`{profile}`: {name}", *cells]))

    def add_mends(self, profile: str, scores: Mapping[str, float]) -> None:
        """Add what the F1 of mentions were if one kind of error was mended."""
        self._mends.append(_line([f"`{profile}`", *(f"{100 * scores[kind]:.1f}" for kind in _MENDS)]))

    def add_ablation(self, name: str, whole: Report, without: Report) -> None:
        """Add the crowd extractor with a part changed."""
        before, after = _values(whole), _values(without)
        cells = [f"{after[one]:.1f} ({after[one] - before[one]:+.1f})" for one in _TESTED]
        self._ablations.append(_line([name, *cells]))

    def add_speed(self, name: str, speed: float) -> None:
        """Add dialogues per second."""
        self._speeds.append(f"{name} {speed:.0f}")

    def add_ceilings(self, rows: Sequence[Ceiling]) -> None:
        """Add what a reader of the clean test calls can know."""
        self._ceilings = section(rows)

    def add_public(self, name: str, report: Report) -> None:
        """Add a system on the public dialogues."""
        here = _scores(report)
        self._public.append(_line([name, here["entity-f1"], here["triple-f1"]]))

    def text(self) -> str:
        """Return the page."""
        systems = ["system", "entity F1", "triple F1", "official: entity", "triple", "mean", "CPU min"]
        parts = [
            self._head + "## Systems",
            _table(systems, [*self._systems, _published()]),
            _RULES,
            _TESTS,
            _table(["difference", "score", "points", "p"], self._tests),
            _SPEED + ", ".join(self._speeds) + ".",
            "## Parts of the extractor",
            _PARTS,
            _table(["change", "entity F1", "triple F1"], self._ablations),
            "## Errors by kind",
            _KINDS,
            _table(["", *_ERROR_KINDS], self._errors),
            _COSTS,
            _table(["", *_MENDS], self._mends),
        ]
        if self._ceilings:
            parts += ["## What a reader can know", HEAD.format(unseen=self._unseen), self._ceilings]
        if self._public:
            parts += ["## The 20 public dialogues", _table(["system", "entity F1", "triple F1"], self._public)]
        return "\n\n".join(parts) + "\n"


def with_kept(text: str, before: str) -> str:
    """Return a new page with what is written by hand in the page before it, above the first section."""
    _, found, rest = before.partition(BEGIN)
    head, section, sections = text.partition("## ")
    return f"{head}{BEGIN}{rest.partition(END)[0]}{END}\n\n{section}{sections}" if found else text


def _published() -> str:
    row = ["published pipeline (BERT), test set of the challenge", "", "", "33.5", "34.9", "34.2", ""]
    return _line(row)


def _values(report: Report) -> dict[str, float]:
    return {one.name: 100 * one.value for one in report.scores}


def _scores(report: Report) -> dict[str, str]:
    return {
        one.name: f"{100 * one.value:.1f}"
        + (f" [{100 * one.low:.1f}, {100 * one.high:.1f}]" if one.low is not None and one.high is not None else "")
        for one in report.scores
    }


def _p(p: object) -> str:
    assert isinstance(p, float)
    return "< .001" if p < 0.001 else f"{p:.3f}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _table(head: Sequence[str], lines: Sequence[str]) -> str:
    return "\n".join([_line(head), "|" + "---|" * len(head), *lines])
