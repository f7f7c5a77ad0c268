"""Track 1 systems of MobileCS on generated calls and on the public ones: writes `MOBILECS_EXTRACTION.md`.

    python benchmarks/mobilecs_extraction.py --work FOLDER [--n 300] [--data FOLDER] [--models NAME ...] [--write]

Trains on the corpora of one seed and scores on the test part of another, which no system saw. Corpora and models stay
in the work folder: a run that is called again trains only what is missing. `--data` is a folder with the public example
dialogues (`examples/example_*.json`); nothing of their text is written. `--write` leaves what is written by hand in the
page as it is.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.api import compare
from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.core.plugins import load_system
from duologue.core.records import Example, Report, Scoring
from mobilecs_extraction_ceilings import ceilings
from mobilecs_extraction_errors import mention_errors, mention_mends, triple_errors
from mobilecs_extraction_page import Page, with_kept
from mobilecs_extraction_public import public_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mobilecs_extraction_errors import Pairs

PAGE = Path(__file__).with_name("MOBILECS_EXTRACTION.md")
TASK = ExtractionTask()
SEEN, UNSEEN, UNSEEN_N = 1, 41, 5000
SIZES = {"crowd": 4000, "clean": 8975}
"""Annotated dialogues of the training corpora: enough for a comparison on `crowd`, the faithful size on `clean`."""
PROFILES = tuple(SIZES)


class Trained(NamedTuple):
    """A model of the table."""

    name: str
    system: str
    changes: tuple[str, ...] = ()
    """Recipe entries that are not the default."""
    profiles: tuple[str, ...] = ("crowd",)


TRAINED = (
    Trained("pipeline", "extractor-pipeline"),
    Trained("pipeline-all", "extractor-pipeline", ("turns=all",)),
    Trained("extractor", "extractor", profiles=PROFILES),
    Trained("extractor-annotated", "extractor", ("turns=annotated",)),
)
ABLATIONS: dict[str, dict[str, Any]] = {
    "each mention its own type": {"joint_types": False},
    "no coreference": {"coreference": False},
    "beam of 4": {"beam": 4},
}
"""Changes of the trained extractor's recipe that need no training."""


def main() -> None:
    """Train what is missing, score, and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder of corpora and models")
    parser.add_argument("--n", type=int, help="annotated dialogues of each training corpus")
    parser.add_argument("--data", type=Path, help="folder of the public data")
    parser.add_argument(
        "--models", nargs="+", default=[one.name for one in TRAINED], help="of the table, such as pipeline"
    )
    parser.add_argument("--profiles", nargs="+", choices=PROFILES, default=PROFILES, help="of the corpora")
    parser.add_argument("--write", action="store_true", help="write the page")
    words = parser.parse_args()
    sizes = {profile: words.n or SIZES[profile] for profile in words.profiles}
    page = Page(options_of(words), sizes, SEEN, UNSEEN)
    chosen = [one for one in TRAINED if one.name in words.models]
    for profile, n in sizes.items():
        add_profile(page, words.work, profile, n, chosen)
    for profile in ("clean", "exact"):
        corpus(words.work, profile, UNSEEN, UNSEEN_N)
        page.add_untrained(f"`{profile}`: extractor, trained on `crowd`", crossed(words.work, profile))
    page.add_ceilings(ceilings(test_calls(words.work, "clean")))
    page.add_untrained("`crowd`: the exact annotation of the same calls", ceiling(words.work))
    for name, figures in ablations(words.work).items():
        page.add_ablation(name, *figures)
    for name in ("pipeline", "extractor"):
        page.add_speed(name, speed(words.work, name))
    for row in public_rows(words.data, words.work, score) if words.data is not None else ():
        page.add_public(*row)
    text = page.text()
    if words.write:
        PAGE.write_text(with_kept(text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        sys.stdout.write(text)


def options_of(words: argparse.Namespace) -> str:
    """Return the options of the call, without the paths of this machine."""
    shown = ["--work FOLDER"]
    if words.n is not None:
        shown.append(f"--n {words.n}")
    if words.data is not None:
        shown.append("--data FOLDER")
    if len(words.models) < len(TRAINED):
        shown.append("--models " + " ".join(words.models))
    if len(words.profiles) < len(PROFILES):
        shown.append("--profiles " + " ".join(words.profiles))
    return " ".join([*shown, "--write"])


def add_profile(page: Page, work: Path, profile: str, n: int, models: Sequence[Trained]) -> None:
    """Train the systems of a profile, and add their scores, tests and errors to the page."""
    corpus(work, profile, SEEN, n)
    corpus(work, profile, UNSEEN, UNSEEN_N)
    gold = test_calls(work, profile)
    reports: dict[str, Report] = {}
    for model in models:
        if profile in model.profiles:
            seconds = train(work, profile, model)
            reports[model.name] = run(work, profile, model.name, gold)
            page.add_system(
                profile, model.name, reports[model.name], official(work, profile, model.name, gold), seconds
            )
    for other in ("pipeline", "pipeline-all"):
        if other in reports:
            page.add_test(profile, other, compare(reports["extractor"], reports[other]).rows())
    pairs = annotation_pairs(work, profile)
    page.add_errors(profile, mention_errors(pairs), triple_errors(pairs))
    page.add_mends(profile, mention_mends(pairs))


def corpus(work: Path, profile: str, seed: int, n: int) -> None:
    """Generate a corpus; one that stands there is kept."""
    words = ["--seed", str(seed), "--set", f"profile={profile}", "--set", "unlabelled_ratio=0", "--n", str(n)]
    called("generate", "mobilecs", *words, "--out", str(work / f"{profile}-{seed}"), "--quiet")


def called(*words: str) -> None:
    """Call the command line."""
    subprocess.run([Path(sys.executable).with_name("duologue"), *words], check=True, stdout=subprocess.DEVNULL)


def test_calls(work: Path, profile: str) -> list[Example]:
    """Return the test calls of the seed that no system saw."""
    return list(TASK.load(work / f"{profile}-{UNSEEN}" / "labelled" / "test.json"))


def train(work: Path, profile: str, model: Trained) -> float:
    """Train a model that is not there yet; return the CPU seconds of its training."""
    out, data = work / "models" / f"{profile}-{model.name}", work / f"{profile}-{SEEN}" / "labelled"
    told = out.with_suffix(".seconds")
    if not (out / "system.toml").exists():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        changes = [word for change in model.changes for word in ("--set", change)]
        files = ["--train", str(data / "train.json"), "--held-out", str(data / "dev.json")]
        words = ["--system", model.system, *changes, *files, "--seed", str(SEEN), "--out", str(out), "--quiet"]
        called("train", "mobilecs/extraction", *words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        told.write_text(str(after.ru_utime - before.ru_utime), encoding="utf-8")
    return float(told.read_text(encoding="utf-8")) if told.exists() else 0.0


def run(work: Path, profile: str, name: str, gold: list[Example]) -> Report:
    """Answer the test calls with a model, and return the strict report."""
    result = work / f"{profile}-{name}.json"
    system = load_system(work / "models" / f"{profile}-{name}")
    system.prepare(TASK.info, 1, {})
    answers = system.answer([one.sample for one in gold])
    TASK.write(gold, [(one.sample.id, answer) for one, answer in zip(gold, answers, strict=True)], result)
    return TASK.score(gold, TASK.read(result), Scoring(variant="strict"))


def official(work: Path, profile: str, name: str, gold: list[Example]) -> Report:
    """Return the official report of a result that `run` wrote."""
    return TASK.score(gold, TASK.read(work / f"{profile}-{name}.json"), Scoring(variant="official"))


def score(system: Any, gold: list[Example], path: Path) -> Report:
    """Return the strict report of a system on calls."""
    answers = system.answer([one.sample for one in gold])
    TASK.write(gold, [(one.sample.id, answer) for one, answer in zip(gold, answers, strict=True)], path)
    return TASK.score(gold, TASK.read(path), Scoring(variant="strict"))


def annotation_pairs(work: Path, profile: str) -> Pairs:
    """Return the gold annotation of the test calls beside that of the extractor."""
    gold = test_calls(work, profile)
    found = TASK.answers(TASK.read(work / f"{profile}-extractor.json"), gold)
    pairs = [(one.references[0].annotation, found[one.sample.id].annotation) for one in gold]
    return [(true, said) for true, said in pairs if true is not None and said is not None]


def ceiling(work: Path) -> Report:
    """Return the report of the exact annotation of the same calls against that of the crowd."""
    exact, crowd = test_calls(work, "exact"), test_calls(work, "crowd")
    known = {one.sample.id: one for one in exact}
    both = [
        one for one in crowd if one.sample.id in known and one.sample.history == known[one.sample.id].sample.history
    ]
    path = work / "ceiling.json"
    TASK.write(both, [(one.sample.id, known[one.sample.id].references[0]) for one in both], path)
    return TASK.score(both, TASK.read(path), Scoring(variant="strict"))


def crossed(work: Path, profile: str) -> Report:
    """Return the report of the crowd extractor against exact annotation."""
    return score(load_system(work / "models" / "crowd-extractor"), test_calls(work, profile), work / "crossed.json")


def ablations(work: Path) -> dict[str, tuple[Report, Report]]:
    """Return the reports of the crowd extractor with and without each part that needs no training."""
    system: Any = load_system(work / "models" / "crowd-extractor")
    gold, recipe = test_calls(work, "crowd"), system.recipe
    whole = score(system, gold, work / "ablation.json")
    made = {}
    for name, changes in ABLATIONS.items():
        system.recipe = msgspec.structs.replace(recipe, **changes)
        made[name] = whole, score(system, gold, work / "ablation.json")
    return made


def speed(work: Path, name: str) -> float:
    """Return dialogues per second of CPU time, in this one process, reading aside."""
    system: Any = load_system(work / "models" / f"crowd-{name}")
    samples = [one.sample for one in test_calls(work, "crowd")]
    system.answer(samples[:20])
    begun = time.process_time()
    system.answer(samples)
    return len(samples) / (time.process_time() - begun)


if __name__ == "__main__":
    main()
