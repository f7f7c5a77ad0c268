"""A system as a package for organisers: a folder whose `python run.py`, without arguments, makes the result files.

The folder holds the model, the knowledge base, a card and an `input` folder. The card says what the system is and which
external data it learned from, as challenges want it declared; whoever runs the package is told if a part was changed.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.disk import Source, copy_file, guarded, regular, resolved, write_text
from duologue.core.errors import FormatError, UsageError
from duologue.core.extras import OURS
from duologue.core.identity import files_of_model, hash_of_model
from duologue.core.lines import sha256
from duologue.core.locks import writing_file
from duologue.core.optional_protocols import Grounded
from duologue.core.plugins import (
    entries,
    load_system_class,
    load_task,
    make_system,
    packages_of,
    read_card,
)
from duologue.core.recipe import dump, from_table, read_toml, to_table
from duologue.core.records import Problem, Record
from duologue.core.version import __version__
from duologue.run import evaluate
from duologue.run.contamination import declared, with_knowledge
from duologue.run.predict import predict_file
from duologue.run.systems import is_model, open_system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from duologue.core.protocols import Progress, System, Task

PACKAGE_CARD = "card.toml"
INPUT, OUTPUT, MODEL, KB = "input", "output", "model", "kb"
"""Folders of a package: what is answered, the results, the trained system, the knowledge base."""
RUN = "run.py"
_RUN = '''#!/usr/bin/env python3
"""Makes the result file of each data file in `input`, below `output`. Takes no arguments."""

from pathlib import Path

from duologue.cli.pack import run_package

run_package(Path(__file__).resolve().parent)
'''
_README = """# {system}: {task}

    pip install -r requirements.txt
    python run.py

Put the data files to be answered into `input`; the official result files appear in `output`, checked. `run.py` takes no
arguments, goes on where it was stopped, and asks nothing of the network. `card.toml` says what the system is and which
external data it learned from: {external}.

把要回答的数据文件放进 `input`，运行 `python run.py`（不带参数），结果文件会写入 `output`。
`card.toml` 说明系统及其使用的外部数据：{external}。
"""


class PackageCard(Record, frozen=True, kw_only=True):
    """What a package is, in `card.toml`."""

    task: str
    task_version: str
    system: str
    """Registered name of the system."""
    trained: bool
    """Whether the folder `model` has it; else `recipe` makes it."""
    seed: int
    packages: str
    """The packages that the system is made of, with their versions."""
    seen: str
    """What data the system saw in training."""
    external: list[str]
    """Data and weights that are not the challenge's own, as declared; empty: none."""
    track: str = ""
    """What the challenge calls systems with such data, or without."""
    model_hash: str = ""
    model_data_hash: str = ""
    """Hash of the data that the model was trained on."""
    kb: str = ""
    """Name of the knowledge base in the folder `kb`."""
    kb_hash: str = ""
    recipe: dict[str, Any] = {}


class MadeResult(NamedTuple):
    """A result file that a package made."""

    path: Path
    answers: int
    errors: int
    """What the strict check finds wrong with it."""


def pack(
    task: Task,
    name: str,
    out: Path,
    *,
    recipe: Path | None = None,
    overrides: Sequence[str] = (),
    kb: Path | None = None,
    inputs: Iterable[Path] = (),
    external: Sequence[str] | None = None,
    seed: int = 1,
) -> PackageCard:
    """Write a registered system or the model in the folder `name` as a package below `out`, and return its card.

    `external` declares external data where the model does not; `inputs` are put into the package. Raises `UsageError`
    where they are not declared, for a system that starts a program or asks a server, for a folder that holds something
    else, and as `open_system` does, and `BusyError` where another process packs into that folder.
    """
    if kb is not None and not isinstance(task, Grounded):
        raise UsageError(f"task '{task.info.name}' has no shared knowledge base; leave --kb out")
    system = open_system(task, name, recipe, overrides)
    trained = read_card(Path(name)) if is_model(name) else None
    registered = trained.system if trained else name
    _demand_own(registered, trained=trained is not None)
    if kb is not None and kb.is_dir():
        raise UsageError(f"--kb {kb} is a folder, and a package holds one file of knowledge; give that")
    if external is not None and trained is not None and trained.external not in (None, sorted({*external})):
        told = ", ".join(trained.external or ()) or "none"
        raise UsageError(f"{name} was trained with other external data ({told}); leave --external out")
    found = trained.external if trained is not None and trained.external is not None else declared(system, external)
    if found is None:
        raise UsageError(
            f"it is not declared which external data {name} learned from, and challenges want to know; say "
            "--external none, or --external NAME for each"
        )
    counts = task.info.tracks or task.info.kb_beside
    world = task.world(kb) if kb is not None and isinstance(task, Grounded) and counts else None
    if world is not None and task.info.kb_beside:
        system.prepare(task.info, seed, {world.name: world})  # one that has no use for it says so
    found = with_knowledge(found, task, world, kb) or []
    tracks = task.info.tracks
    card = PackageCard(
        task=task.info.name,
        task_version=task.info.version,
        system=registered,
        trained=trained is not None,
        seed=seed,
        packages=packages_of(registered),
        seen=system.seen,
        external=found,
        track=tracks[bool(found)] if tracks else "",
        model_hash=hash_of_model(Path(name)) if trained else "",
        model_data_hash=trained.data_hash if trained else "",
        kb=kb.name if kb else "",
        kb_hash=sha256(Source(kb)) if kb else "",
        recipe=trained.recipe if trained else to_table(getattr(system, "recipe", Record())),
    )
    with writing_file(out), _new_folder(out) as folder:
        write_text(folder / PACKAGE_CARD, dump(card))
        write_text(folder / RUN, _RUN)
        (folder / RUN).chmod(0o755)
        told = ", ".join(found) or "none"
        write_text(folder / "README.md", _README.format(task=card.task, system=registered, external=told))
        write_text(folder / "requirements.txt", "".join(f"{line}\n" for line in _requirements(registered, system)))
        (folder / INPUT).mkdir()
        model = Path(name)
        copied = [(model / part, folder / MODEL / part) for part in (files_of_model(model) if trained else ())]
        copied += [(kb, folder / KB / kb.name)] if kb else []
        for source, target in (*copied, *((path, folder / INPUT / path.name) for path in inputs)):
            _copy(source, target)
    return card


def _demand_own(name: str, *, trained: bool) -> None:
    """Refuse a system whose recipe names a program, a server or a file: a card may come from a stranger.

    A class lists in `carried` what a trained one has in its own folder, and looks for nowhere else.
    """
    cls = load_system_class(name)
    carried = getattr(cls, "carried", ())
    by_hand = [entry for entry in getattr(cls, "by_hand", ()) if not (trained and entry in carried)]
    if by_hand:
        advice = ", or train it: a trained one has all of it in its own folder" if not {*by_hand} - {*carried} else ""
        raise UsageError(
            f"system '{name}' asks a program, a server or a file of yours ({', '.join(by_hand)}), which a package of "
            f"ours cannot hold; hand in your own{advice}"
        )


def _requirements(name: str, system: System) -> list[str]:
    """Return the distributions that a registered system needs, with their extras and versions, for pip.

    The system at hand says the extras: its recipe may need more or less than its class.
    """
    (entry,) = (one for one in entries("systems") if one.name == name)
    extras = ",".join(getattr(system, "extras", ()))
    needed = f"{entry.distribution}{f'[{extras}]' if extras else ''}=={entry.version}"
    return [needed] if entry.distribution == OURS else [f"{OURS}=={__version__}", needed]


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """Yield a folder that becomes `out` when all is written. Raises `UsageError` where `out` holds anything."""
    out = resolved(out)  # a link to an empty folder leads to what is replaced
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and is not empty; choose another --out, or remove it")
    with guarded("write", out):
        out.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        try:
            yield made
            made.chmod(0o755)
            made.replace(out)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise


def _copy(source: Path, target: Path) -> None:
    if target.exists():
        raise UsageError(f"two files are called {target.name}; give one of them another name")
    target.parent.mkdir(parents=True, exist_ok=True)
    copy_file(regular(source), target)


def read_package(folder: Path) -> PackageCard:
    """Return the card of a package, whose parts are as they were packed.

    Raises `UsageError` where the folder is none, and `FormatError` where a part is missing or was changed.
    """
    if not (folder / PACKAGE_CARD).is_file():
        raise UsageError(f"{folder} is no package: there is no {PACKAGE_CARD} in it; make one with `duologue pack`")
    card = from_table(PackageCard, read_toml(folder / PACKAGE_CARD), str(folder / PACKAGE_CARD))
    if card.kb != Path(card.kb).name or card.kb == "..":  # a stranger's card names no path that we open
        problem = Problem(
            rule="package-kb",
            place="kb",
            message=f"found {card.kb!r}, expected the name of a file in the folder '{KB}'",
            advice="take the package as it was handed in",
        )
        raise FormatError(folder / PACKAGE_CARD, [problem])
    parts = []
    if card.trained:
        parts.append((MODEL, hash_of_model(folder / MODEL) if (folder / MODEL).is_dir() else "", card.model_hash))
    if card.kb:
        path = folder / KB / card.kb
        parts.append((f"{KB}/{card.kb}", sha256(Source(path)) if path.is_file() else "", card.kb_hash))
    problems = [
        Problem(
            rule="package-part",
            place=name,
            message=f"found {found[:12] or 'nothing'}, expected SHA-256 {expected[:12]}",
            advice="take the package as it was handed in",
        )
        for name, found, expected in parts
        if not found or found != expected
    ]
    if problems:
        raise FormatError(folder / PACKAGE_CARD, problems)
    return card


def answer_package(
    folder: Path, *, say: Callable[[str], object] | None = None, progress: Progress | None = None
) -> list[MadeResult]:
    """Answer each data file in `input` of a package and return the result files below `output`, checked.

    `say` is told where other versions of the packages are installed, and of folders in `input`. Raises `UsageError`
    where `input` is empty or two results would have one name, and as `read_package` and `predict_file` do.
    """
    card = read_package(folder)
    given = _data_files(folder / INPUT, say)
    task = load_task(card.task)
    _demand_own(card.system, trained=card.trained)
    if say is not None and packages_of(card.system) != card.packages:
        say(f"the package was made with {card.packages}; here is {packages_of(card.system)}")
    name = str(folder / MODEL) if card.trained else card.system
    system = open_system(task, name) if card.trained else make_system(name, recipe_in(card))
    kb = folder / KB / card.kb if card.kb else None
    world = task.world(kb) if kb is not None and isinstance(task, Grounded) else None
    made = []
    for result, data in given.items():
        out = folder / OUTPUT / result
        (folder / OUTPUT).mkdir(exist_ok=True)
        answered = predict_file(
            task, system, data, out, name=name, world=world, kb=kb, seed=card.seed, say=say, progress=progress
        )
        _, problems = evaluate.check(task, out, data, evaluate.pick_variant(task, None))
        made.append(MadeResult(out, answered.answers, sum(one.severity == "error" for one in problems)))
    return made


def _data_files(folder: Path, say: Callable[[str], object] | None) -> dict[str, Path]:
    """Return the data files of an `input` folder by the names of their results; `say` is told of folders in it.

    Raises `UsageError` where there is none, and where two results would have one name.
    """
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("[!.]*")):
        if path.is_dir():
            if say is not None:
                say(f"{path} is a folder, whose files are not answered; put them into {folder}")
            continue
        plain = Path(path.name.removesuffix(".gz"))
        other = found.setdefault(f"{plain.stem}.pred{plain.suffix}", path)
        if other is not path:
            raise UsageError(f"the results of {other} and {path.name} would have one name; give one of them another")
    if not found:
        raise UsageError(f"put the data file to be answered into {folder}; there is none")
    return found


def recipe_in(card: PackageCard) -> Record:
    """Return the recipe of a package's system that is not trained. Raises `UsageError` for entries it does not have."""
    return from_table(load_system_class(card.system).Recipe, card.recipe, PACKAGE_CARD)
