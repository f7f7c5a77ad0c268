"""Speed, memory and scaling of the subtitle extraction on an archive of our own making: writes CORPUS.md.

    python benchmarks/corpus.py [--gigabytes 2] [--folder /tmp/corpus] [--out benchmarks/CORPUS.md]

Makes a .tar.gz with .xml.gz files in OPUS's layout (the folder is removed at the end), extracts it in the official
profile with every sentence written, once with one worker and once with two, runs the map stage alone on both engines,
and exits with 1 when a figure that must hold does not. Each measured job is a process of its own.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import logging
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
import tarfile
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # one core is what the figures mean; read by numpy when it is imported

from duologue.challenges.conversation.extraction.subtitles import utterances  # noqa: E402  # after the number of threads is set
from duologue.corpus import archives  # noqa: E402  # the same

if TYPE_CHECKING:
    from collections.abc import Iterator

MUST_RATE, WANT_RATE, OFFICIAL_RATE = 60_000, 126_000, 15_700
"""Sentences per CPU second; the last is the official extractor, measured on 100 files of 1,000 sentences."""
MUST_MEGABYTES, MUST_SCALING, MUST_RAY = 300, 1.8, 1.15
FILE = 1_000
"""Sentences of a file."""
NAMES_OF_A_TEXT = 4
"""Files with the same text: making it takes longer than extracting it, and nothing is kept from file to file."""
GIGABYTE = 10**9
ARCHIVE_GIGABYTES = 18
"""Packed size of the 2016 release."""

WORDS = (
    "the", "you", "i", "to", "a", "it", "and", "that", "of", "is", "in", "what", "me", "we", "this", "he",
    "my", "on", "your", "have", "do", "no", "be", "know", "not", "was", "she", "can", "are", "all", "with",
    "for", "him", "her", "if", "go", "get", "here", "out", "like", "they", "up", "one", "right", "at", "there",
    "about", "think", "just", "come", "so", "good", "see", "now", "look", "yes", "want", "time", "back",
    "need", "let", "man", "going", "take", "okay", "tell", "make", "say", "would", "could", "should", "never",
    "really", "little", "night", "people", "always", "something", "nothing", "house", "money", "father",
    "mother", "friend", "morning", "tomorrow", "believe", "understand", "remember", "please", "thank", "sorry",
)  # fmt: skip
ENDS = (".", ".", ".", ".", "?", "?", "!", "...", ",")
NAMES = ("John", "Mary", "Smith", "Jack", "Anna", "Café", "Zoë")


class Job(NamedTuple):
    """A measured process."""

    cpu: float
    """Seconds of the process and all that it started."""
    wall: float
    megabytes: float
    """The largest of all its processes."""
    said: str


def words_of(rng: random.Random) -> list[str]:
    """Return the tokens of a sentence as OPUS cuts them, with all that the cleaning is about."""
    chance = rng.random
    found = [WORDS[int(len(WORDS) * chance())] for _ in range(1 + int(12 * chance()))]
    found[0] = found[0].capitalize()
    place = int(len(found) * chance())
    kind = chance()
    if kind < 0.25:
        found[place : place + 1] = [("It", "That", "He")[int(3 * chance())], "'s"]
    elif kind < 0.32:
        found[place : place + 1] = ["do", "n", "'", "t"]
    elif kind < 0.44:
        found.insert(0, "-")
    elif kind < 0.47:
        found[place : place + 1] = ["Mr", ".", NAMES[int(len(NAMES) * chance())]]
    elif kind < 0.50:
        found = ["(", "SIGHS", ")", *found]
    elif kind < 0.52:
        found = ["#", *found, "#"]
    elif kind < 0.55:
        found = ['"', *found, '"']
    elif kind < 0.57:
        found = [NAMES[int(len(NAMES) * chance())].upper(), ":", *found]
    elif kind < 0.58:
        found = ["&lt;i&gt;", *found, "&lt;/i&gt;"]
    return [*found, ENDS[int(len(ENDS) * chance())]]


def xml_of(number: int, pool: list[list[str]]) -> bytes:
    """Return a file with `FILE` sentences drawn from the pool."""
    rng = random.Random(number)
    lines = [f'<?xml version="1.0" encoding="utf-8"?>\n<document id="{number}">\n']
    for s in range(1, FILE + 1):
        lines.append(f'  <s id="{s}">\n    <time id="T{s}S" value="00:{s // 60 % 60:02}:{s % 60:02},000" />\n')
        tokens = pool[int(len(pool) * rng.random())]
        lines += [f'    <w id="{s}.{k}">{token}</w>\n' for k, token in enumerate(tokens, 1)]
        lines.append(f'    <time id="T{s}E" value="00:{s // 60 % 60:02}:{s % 60:02},900" />\n  </s>\n')
    lines.append("</document>\n")
    return "".join(lines).encode()


def make(path: Path, size: int) -> tuple[int, int]:
    """Write an archive of so many bytes of XML, and return its number of files and its bytes of XML."""
    igzip = importlib.import_module("isal.igzip")
    rng = random.Random(1)
    pool = [words_of(rng) for _ in range(100_000)]
    files = total = 0
    data = small = b""
    with igzip.open(path, "wb", compresslevel=1) as packed, tarfile.open(fileobj=packed, mode="w|") as tar:
        while total < size:
            if files % NAMES_OF_A_TEXT == 0:
                data = xml_of(files, pool)
                small = igzip.compress(data, compresslevel=2, mtime=0)
            total += len(data)
            info = tarfile.TarInfo(f"OpenSubtitles2016/xml/en/{1950 + files % 60}/{files // 3}/{files}.xml.gz")
            info.size = len(small)
            tar.addfile(info, BytesIO(small))
            files += 1
    return files, total


def measured(*command: str) -> Job:
    """Run a command and return what it took. Its CPU time and memory are those of all its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run([*command], capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Job(cpu, wall, after.ru_maxrss / 1024, done.stdout)


def alone(*arguments: str) -> Job:
    """Run a stage of this program in a child of a child: the peak memory of earlier jobs stays out of its figure."""
    inner = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import corpus; "
        "job = corpus.measured(*sys.argv[2:]); print(json.dumps(job))"
    )
    done = subprocess.run(
        [sys.executable, "-c", inner, str(Path(__file__).parent), *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr)
    return Job(*json.loads(done.stdout.splitlines()[-1]))


def map_stage(source: Path, out: Path, workers: int, engine: str) -> float:
    """Extract the utterances alone and return the seconds, without starting Ray or listing the archive.

    The clock of Ray starts when its workers have done the first shards, as theirs is a start-up of seconds.
    """
    archive = archives.open_archive(source)
    found, members = utterances.find(archive, 1.0, official=True)
    if engine == "ray":
        ray = importlib.import_module("ray")
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        warm = ray.remote(num_cpus=1)(_warm)
        ray.get([warm.remote() for _ in range(4 * workers)])
    start = time.perf_counter()
    utterances.extract(
        archive, members, found, out, utterances.Extraction(), workers=workers, engine=engine
    )  # fmt: skip
    return time.perf_counter() - start


def _warm() -> None:
    """Import what the work needs, and take long enough for every worker to get its share."""
    importlib.import_module("pyarrow.parquet")
    time.sleep(0.5)


def digest(folder: Path) -> str:
    """Return a hash of the dialogue texts in a folder."""
    found = hashlib.sha256()
    for name in ("train.txt", "dev.txt"):
        with (folder / name).open("rb") as raw:
            while data := raw.read(1 << 20):
                found.update(data)
    return found.hexdigest()


class Figures(NamedTuple):
    """All that was measured."""

    files: int
    raw: int
    packed: int
    sentences: int
    one: Job
    two: Job
    same: bool
    maps: dict[tuple[str, int], list[float]]
    """By engine and workers: seconds of each round."""
    map_cpu: float
    """CPU seconds of the map stage with one worker."""
    load: float


def run(folder: Path, gigabytes: float, rounds: int) -> Figures:
    """Make the archive and measure everything on it."""
    load = os.getloadavg()[0]
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "en.tar.gz"
    files, raw = make(source, int(gigabytes * GIGABYTE))
    jobs = {}
    hashes = set()
    for workers in (1, 2):
        out = folder / f"out{workers}"
        jobs[workers] = alone(
            str(Path(sys.executable).parent / "duologue"), "data", "extract", "subtitles", str(source),
            "--profile", "official", "--ratios", "0.9,0.1", "--out", str(out), "--workers", str(workers), "--quiet",
        )  # fmt: skip
        hashes.add(digest(out))
        shutil.rmtree(out)
    maps: dict[tuple[str, int], list[float]] = {("processes", 1): [], ("processes", 2): [], ("ray", 2): []}
    map_cpu = float("inf")
    for _ in range(rounds):
        for (engine, workers), seconds in maps.items():
            out = folder / "map"
            job = alone(sys.executable, __file__, "--stage", str(source), str(out), engine, str(workers))
            seconds.append(float(job.said.split()[-1]))
            if workers == 1:
                map_cpu = min(map_cpu, job.cpu)
            shutil.rmtree(out)
    sentences = int(next(line for line in jobs[1].said.splitlines() if line.endswith("sentences loaded")).split()[0])
    return Figures(
        files, raw, source.stat().st_size, sentences - files, jobs[1], jobs[2], len(hashes) == 1, maps, map_cpu, load
    )  # fmt: skip


def verdicts(found: Figures) -> Iterator[tuple[str, str, str, bool]]:
    """Yield what is promised, the figure, what it must be, and whether it is."""
    rate = found.sentences / found.one.cpu
    memory = max(found.one.megabytes, found.two.megabytes)
    alone_, both = (min(found.maps["processes", workers]) for workers in (1, 2))
    ray = min(found.maps["ray", 2]) / both
    yield (
        "sentences per CPU second, end to end, all written",
        f"{rate:,.0f}",
        f">= {MUST_RATE:,}, wanted {WANT_RATE:,}",
        rate >= MUST_RATE,
    )
    yield "MB of the largest process", f"{memory:.0f}", f"<= {MUST_MEGABYTES}", memory <= MUST_MEGABYTES
    scaling = alone_ / both
    yield (
        "map stage, two workers against one",
        f"{scaling:.2f} times as fast",
        f">= {MUST_SCALING}",
        scaling >= MUST_SCALING,
    )
    yield (
        "map stage, Ray against processes, two workers, after start-up",
        f"{ray:.2f} times the time",
        f"<= {MUST_RAY}",
        ray <= MUST_RAY,
    )
    yield "same bytes with one and two workers", "yes" if found.same else "no", "yes", found.same


def page(found: Figures, gigabytes: float) -> str:
    """Return the page of results."""
    one, two = found.one, found.two
    promises = "".join(f"| {what} | {figure} | {must} |\n" for what, figure, must, _ in verdicts(found))
    rounds = "".join(
        f"| map stage alone, {engine}, {workers} worker{'s' if workers > 1 else ''} | "
        f"{', '.join(f'{second:.1f} s' for second in seconds)} |\n"
        for (engine, workers), seconds in found.maps.items()
    )
    return f"""# Subtitles at archive scale

Made by `python benchmarks/corpus.py --gigabytes {gigabytes:g}` with Python {platform.python_version()} on
{os.cpu_count()} cores ({platform.machine()}); load average at the start {found.load:.1f}.
The archive is of our own making, in the layout of OpenSubtitles 2016: {found.files:,} files,
{found.sentences:,} sentences kept,
{found.raw / GIGABYTE:.2f} GB of XML in a .tar.gz of {found.packed / GIGABYTE:.3f} GB.

| promise | measured | must |
|---|---|---|
{promises}
| job | took |
|---|---|
| official profile, `--ratios 0.9,0.1`, 1 worker | {one.cpu:.1f} CPU s, {one.wall:.1f} s, {one.megabytes:.0f} MB |
| the same, 2 workers | {two.cpu:.1f} CPU s, {two.wall:.1f} s, {two.megabytes:.0f} MB |
{rounds}
The official extractor did {OFFICIAL_RATE:,} sentences per CPU second with the whole corpus in memory. That was
measured once, on another day, and not beside the figures above: no ratio is given. Times are the fastest of the rounds.

{extrapolated(found)}"""


def extrapolated(found: Figures) -> str:
    """Return the part of the page that was not measured, with what it assumes."""
    times = ARCHIVE_GIGABYTES * GIGABYTE / found.packed
    mapping = found.map_cpu * times / 3600
    after = max(found.one.cpu - found.map_cpu, 0) * times / 3600
    rows = (("1 core", mapping), ("2 cores", mapping / 2 / 0.95), ("16 nodes of 2 cores, Ray", sixteen(mapping)))
    table = "".join(f"| {where} | {hours:.2f} h | {after:.2f} h | {hours + after:.2f} h |\n" for where, hours in rows)
    return f"""## The whole archive: extrapolated, not measured

{ARCHIVE_GIGABYTES} GB packed are {times:.0f} times this archive. From the CPU seconds above,
so for cores like these with nothing else to do. Assumed: files are like ours; time grows with the bytes (only
the sort within a run and the sweeps of the shuffle grow faster, and they are a few percent); the disk keeps up.

| where | map stage | shuffle, sort, write (one process) | together |
|---|---|---|---|
{table}
2 cores: at 95 % efficiency. 16 nodes: the map stage of one core divided by 32, at 90 % efficiency, but not below the
time in which one process reads the archive ({READ_RATE} MB/s through the outer gzip) nor below that in which a
network of 1 Gbit/s carries it to the nodes and as much back. The rest stays with the process that was
called: its order is the official one.
"""


READ_RATE = 250
"""MB per second at which one process lists, unpacks and sends an archive of packed files."""


def sixteen(hours: float) -> float:
    """Return hours of the map stage on 16 nodes, from its hours on one core."""
    reading = ARCHIVE_GIGABYTES * 1000 / READ_RATE
    network = 2 * ARCHIVE_GIGABYTES * 1000 / 117  # MB/s of 1 Gbit/s
    return max(hours / 32 / 0.9, reading / 3600, network / 3600)


def main() -> int:
    """Measure, write the page, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=2.0, help="XML to generate")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/corpus"), help="for the archive; removed at the end")  # noqa: S108  # said in the help
    parser.add_argument("--rounds", type=int, default=2, help="of the map stage; the fastest counts")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "CORPUS.md")
    parser.add_argument("--stage", nargs=4, metavar=("ARCHIVE", "OUT", "ENGINE", "WORKERS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stage:
        source, out, engine, workers = options.stage
        print(map_stage(Path(source), Path(out), int(workers), engine))
        return 0
    try:
        found = run(options.folder, options.gigabytes, options.rounds)
    finally:
        shutil.rmtree(options.folder, ignore_errors=True)
    options.out.write_text(page(found, options.gigabytes), encoding="utf-8")
    for what, figure, must, held in verdicts(found):
        print(f"{'ok  ' if held else 'FAIL'} {what}: {figure} ({must})")
    return 0 if all(held for *_, held in verdicts(found)) else 1


if __name__ == "__main__":
    sys.exit(main())
