from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.core import plugins
from duologue.core.errors import FormatError, MissingExtraError, PlugInError, StorageError, UsageError
from duologue.core.plugins import (
    CARD,
    Entry,
    Kind,
    SystemCard,
    culprit,
    describe,
    entries,
    load_command,
    load_fitting_system,
    load_sharing_task,
    load_system,
    load_system_class,
    load_task,
    make_logger,
    make_system,
    names,
    read_card,
    save_card,
    strangers,
)
from duologue.core.protocols import TaskInfo
from duologue.core.recipe import recipe_hash, resolve
from tests.records_in import demand_strict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.core.records import Record

    Install = Callable[..., None]

GOOD = """
from duologue.core.protocols import Task, TaskInfo
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

class Base:
    seen = "nothing"
    class Recipe(Record, frozen=True):
        width: int = 3
    def __init__(self, recipe):
        self.recipe = recipe
    def prepare(self, info, seed, worlds): pass
    def answer(self, samples):
        return [Answer(text=str(self.recipe.width)) for sample in samples]

class Learner(Base):
    def make_training_data(self, task, seed, progress): return [], []
    def fit(self, examples, held_out, unlabelled, run): self.learned = "a lot"
    def save(self, folder): (folder / "learned.txt").write_text(self.learned)
    def load(self, folder): self.learned = (folder / "learned.txt").read_text()

class Choosy(Learner):
    scope = Scope(tasks=("echo",), answers=("text",))

class NoAnswer:
    Recipe, seen = Record, "nothing"
    def prepare(self, info, seed, worlds): pass

class NoRecipe(Base):
    Recipe = dict

class Picky(Base):
    def __init__(self): pass

class Busy:
    def __init__(self): raise RuntimeError("the engine is cold")
    def load(self): pass
    load_files = load_training = rows = rounds = data_sets = read = write = answers = check = score = metrics = load
    test_set = replay_check = load

class HalfATask(Task):
    info = None
    def load(self, path): yield from ()

class OddInfo(HalfATask):
    def read(self): pass
    load_files = load_training = rows = rounds = data_sets = write = answers = check = score = metrics = read
    test_set = replay_check = read
    info = {"name": "oddinfo"}

class OtherName(OddInfo):
    info = TaskInfo(name="another", version="1", language="en", answers="text")

class NoVariants(OddInfo):
    info = TaskInfo(name="novariants", version="1", language="en", answers="text", variants=())

class NoBrief:
    def load(self): pass
    load_files = load_training = rows = rounds = data_sets = read = write = answers = check = score = metrics = load
    test_set = replay_check = load

not_a_class = 3
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a package on the path: its module and the metadata that pip would write."""
    monkeypatch.syspath_prepend(tmp_path / "site")

    def install(
        module: str, text: str, points: dict[Kind, dict[str, str]], *, name: str = "", requires: str = ""
    ) -> None:
        name = name or f"{module}-pack"
        site = tmp_path / "site"
        info = site / f"{module}_pack-0.7.dist-info"
        info.mkdir(parents=True)
        (site / f"{module}.py").write_text(text, encoding="utf-8")
        required = f"Requires-Dist: {requires}\n" if requires else ""
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.7\n{required}", encoding="utf-8"
        )
        lines = [
            f"[duologue.{kind}]\n" + "".join(f"{key} = {module}:{target}\n" for key, target in table.items())
            for kind, table in points.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        importlib.invalidate_caches()
        monkeypatch.delitem(sys.modules, module, raising=False)

    return install


@pytest.fixture
def good(install: Install) -> None:
    systems = ("Base", "Choosy", "Learner", "NoAnswer", "NoRecipe", "Picky", "not_a_class")
    tasks = ("Busy", "NoBrief", "Base", "HalfATask", "OddInfo", "OtherName", "NoVariants")
    table = {"systems": {name.lower(): name for name in systems}, "tasks": {name.lower(): name for name in tasks}}
    install("goodmodule", GOOD, table)


def test_entries_name_the_package_that_brings_them(good: None) -> None:
    (found,) = [entry for entry in entries("systems") if entry.name == "learner"]
    assert (found.kind, found.target) == ("systems", "goodmodule:Learner")
    assert (found.distribution, found.version) == ("goodmodule-pack", "0.7")
    assert {"learner", "random"} <= set(names("systems"))
    assert names("systems") == sorted(names("systems"))


def test_looking_for_names_imports_nothing(good: None) -> None:
    entries("systems")
    names("tasks")
    assert "goodmodule" not in sys.modules


def test_an_unknown_name_is_a_usage_error_with_a_near_miss() -> None:
    with pytest.raises(UsageError, match="there is no task 'restarant'; did you mean 'restaurant'"):
        load_task("restarant")
    with pytest.raises(UsageError, match="there is no system 'tfdif'; did you mean 'tfidf'"):
        load_system_class("tfdif")


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("noanswer", "NoAnswer lacks the methods answer"),
        ("norecipe", "NoRecipe.Recipe must be a subclass of duologue.core.records.Record"),
        ("not_a_class", "expected a class, found 3"),
    ],
)
def test_a_system_that_does_not_keep_the_protocol_is_named_with_its_package(good: None, name: str, cause: str) -> None:
    with pytest.raises(PlugInError, match=f"the system '{name}' of the package 'goodmodule-pack' .*: {cause}"):
        load_system_class(name)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        (
            "base",
            (
                "Base lacks the methods load, load_files, load_training, rows, rounds, read, write, answers, check, "
                "score, metrics, data_sets, test_set, replay_check"
            ),
        ),
        ("busy", r"Busy\(\) fails: RuntimeError: the engine is cold"),
        ("halfatask", "HalfATask lacks the methods read, write, answers, check, score, metrics"),
        ("nobrief", "NoBrief has no attribute 'info'"),
        ("oddinfo", r"OddInfo\.info must be a `TaskInfo`, found \{'name': 'oddinfo'\}"),
        ("othername", r"OtherName\.info\.name is 'another', but it is registered as 'othername'; "),
        ("novariants", r"NoVariants\.info\.variants must be a tuple of names of score variants, .* found \(\)"),
    ],
)
def test_a_task_that_does_not_keep_the_protocol_is_named_with_its_package(good: None, name: str, cause: str) -> None:
    with pytest.raises(PlugInError, match=f"the task '{name}' of the package 'goodmodule-pack' .*: {cause}"):
        load_task(name)


def test_a_class_that_takes_no_recipe_is_named(good: None) -> None:
    with pytest.raises(PlugInError, match=r"Picky\(recipe\) fails: TypeError"):
        make_system("picky")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("import nosuchlibrary", "ModuleNotFoundError: No module named 'nosuchlibrary'"),
        ("1 / 0", "ZeroDivisionError"),
        ("raise ImportError('odd')", "ImportError: odd"),
        ("x = 3", "AttributeError"),
        ("def", "SyntaxError"),
    ],
)
def test_a_module_that_cannot_be_imported_is_named_with_the_cause(install: Install, text: str, cause: str) -> None:
    install("brokenmodule", text, {"systems": {"broken": "Thing"}})
    with pytest.raises(PlugInError, match=f"'broken' of the package 'brokenmodule-pack' .* cannot be loaded: {cause}"):
        load_system_class("broken")
    assert "broken" in names("systems")


def test_a_library_of_an_extra_that_is_missing_is_named_with_the_extra(install: Install) -> None:
    line = "nosuchlibrary>=2; extra == 'deep'"
    install("heavymodule", "import nosuchlibrary", {"systems": {"heavy": "Thing"}}, requires=line)
    with pytest.raises(MissingExtraError, match=r"needs nosuchlibrary, .* install heavymodule-pack\[deep\]"):
        load_system_class("heavy")


def test_two_packages_with_one_name_are_both_named(install: Install) -> None:
    install("onemodule", GOOD, {"systems": {"twin": "Base"}})
    install("othermodule", GOOD, {"systems": {"twin": "Base", "single": "Base"}})
    with pytest.raises(PlugInError, match=r"'twin' .* claimed by 'onemodule-pack' .* and 'othermodule-pack'"):
        load_system_class("twin")
    assert names("systems").count("twin") == 1
    assert load_system_class("single").__name__ == "Base"


def test_a_command_that_is_none_or_cannot_be_imported_is_named_with_its_package(install: Install) -> None:
    install("commandmodule", "count = 3", {"commands": {"count": "count", "missing": "absent"}})
    with pytest.raises(PlugInError, match=r"'count' of the package 'commandmodule-pack' .* expected a click command"):
        load_command("count")
    with pytest.raises(PlugInError, match=r"'missing' of the package 'commandmodule-pack' .* cannot be loaded"):
        load_command("missing")


def test_a_system_is_made_with_its_recipe_or_the_defaults(good: None) -> None:
    kind = load_system_class("base")
    assert make_system("base").answer([None])[0].text == "3"  # type: ignore[list-item]  # it looks at no sample
    made = make_system("base", resolve(kind.Recipe, overrides=["width=4"]))
    assert made.answer([None])[0].text == "4"  # type: ignore[list-item]  # as above


LOGGERS = """
from duologue.core.errors import StorageError

class Noted:
    def __init__(self, folder, about): self.given = (folder, about)
    def log(self, part, step, metrics): pass
    def close(self): pass

class Odd(Noted):
    def __init__(self, folder, about): raise KeyError("server")

class Full(Noted):
    def __init__(self, folder, about): raise StorageError("the disk is full")

class Silent:
    def close(self): pass
"""


def test_a_logger_is_made_with_its_folder_or_its_package_is_named(install: Install, tmp_path: Path) -> None:
    kinds = ("Noted", "Odd", "Full", "Silent")
    install("logmodule", LOGGERS, {"loggers": {kind.lower(): kind for kind in kinds}})
    assert vars(make_logger("noted", tmp_path, {"seed": "1"})) == {"given": (tmp_path, {"seed": "1"})}
    with pytest.raises(PlugInError, match=r"'odd' of the package 'logmodule-pack' .* fails: KeyError: 'server'"):
        make_logger("odd", tmp_path, {})
    with pytest.raises(StorageError, match=r"^the disk is full$"):
        make_logger("full", tmp_path, {})
    with pytest.raises(PlugInError, match=r"'silent' .*: Silent lacks the methods log$"):
        make_logger("silent", tmp_path, {})


def save_learner(folder: Path, name: str = "learner", *, width: int = 5) -> None:
    recipe = resolve(load_system_class(name).Recipe, overrides=[f"width={width}"])
    (folder / "learned.txt").write_text("a lot", encoding="utf-8")
    save_card(folder, name=name, recipe=recipe, task="echo", seed=7, data="simulated", data_hash="abc")


def test_a_trained_system_is_loaded_with_its_recipe_and_what_it_learned(good: None, tmp_path: Path) -> None:
    save_learner(tmp_path)
    system = load_system(tmp_path)
    assert system.answer([None])[0].text == "5"  # type: ignore[list-item]  # as above
    assert vars(system)["learned"] == "a lot"


def test_the_card_says_what_made_the_model(good: None, tmp_path: Path) -> None:
    save_learner(tmp_path)
    card = read_card(tmp_path)
    assert (card.system, card.distribution, card.version) == ("learner", "goodmodule-pack", "0.7")
    assert (card.task, card.seed, card.data, card.data_hash) == ("echo", 7, "simulated", "abc")
    recipe = resolve(load_system_class("learner").Recipe, overrides=["width=5"])
    assert (card.recipe, card.recipe_hash) == ({"width": 5}, recipe_hash(recipe))


def test_a_folder_without_a_card_is_no_trained_system(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no system\.toml in it, .* run the same `duologue train` again"):
        load_system(tmp_path)
    with pytest.raises(UsageError, match="there is no such folder"):
        load_system(tmp_path / "nowhere")


def test_a_card_of_a_system_that_is_not_installed_names_the_package(good: None, tmp_path: Path) -> None:
    save_learner(tmp_path)
    card = (tmp_path / CARD).read_text(encoding="utf-8").replace('"learner"', '"lerner"')
    (tmp_path / CARD).write_text(card, encoding="utf-8")
    with pytest.raises(UsageError, match=r"'lerner' of the package 'goodmodule-pack' 0\.7, .*did you mean 'learner'"):
        load_system(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 7", "seeds = 7", "unknown key 'seeds'; did you mean 'seed'"),
        ("seed = 7", 'seed = "7"', "seed: expected int, found '7'"),
        ("seed = 7\n", "", "'seed' is missing"),
        ("width = 5", "widht = 5", r"\[recipe\]: unknown key 'widht'; did you mean 'width'"),
    ],
)
def test_a_card_with_a_mistake_says_which(good: None, tmp_path: Path, old: str, new: str, message: str) -> None:
    save_learner(tmp_path)
    card = (tmp_path / CARD).read_text(encoding="utf-8")
    assert old in card
    (tmp_path / CARD).write_text(card.replace(old, new), encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load_system(tmp_path)


def test_a_card_that_is_not_toml_says_so(tmp_path: Path) -> None:
    (tmp_path / CARD).write_text("system = ", encoding="utf-8")
    with pytest.raises(FormatError, match="not valid TOML"):
        load_system(tmp_path)


def test_a_card_that_cannot_be_written_says_so(good: None, tmp_path: Path) -> None:
    (tmp_path / CARD).mkdir()
    with pytest.raises(StorageError, match="it is a folder"):
        save_learner(tmp_path)


@pytest.mark.parametrize("kind", ["tasks", "systems"])
def test_what_is_said_of_a_class_is_the_first_line_of_its_docstring(kind: Kind) -> None:
    for entry in entries(kind):
        loaded = type(load_task(entry.name)) if kind == "tasks" else load_system_class(entry.name)
        assert describe(entry).about == (loaded.__doc__ or "").strip().partition("\n")[0] != ""


def test_describing_imports_nothing(install: Install) -> None:
    install("quiet", 'class Quiet:\n    """Says little."""\n', {"systems": {"quiet": "Quiet"}})
    (entry,) = [one for one in entries("systems") if one.name == "quiet"]
    assert describe(entry).about == "Says little."
    assert "quiet" not in sys.modules


def test_no_folder_brings_settings_for_a_system_that_learns_nothing(good: None, tmp_path: Path) -> None:
    recipe = resolve(load_system_class("base").Recipe, overrides=["width=5"])
    save_card(tmp_path, name="base", recipe=recipe, task="echo", seed=7, data="", data_hash="")
    with pytest.raises(UsageError, match="'base' learns nothing, so no folder can hold it; name it with --system base"):
        load_system(tmp_path)


def test_packages_of_others_that_take_part_are_told(good: None) -> None:
    assert "goodmodule-pack" not in strangers(), "nothing of it was asked for"
    load_system_class("base")
    assert "goodmodule-pack" in strangers()
    assert "duologue" not in strangers()


def caught(run: Callable[[], object]) -> str | None:
    """Return whose fault the error is that a call ends with."""
    try:
        run()
    except Exception as error:  # noqa: BLE001  # whatever it is
        return culprit(error)
    pytest.fail("no error")


def test_an_error_is_the_fault_of_the_plug_in_or_of_ours_that_ran_last(install: Install) -> None:
    text = """
import json
from pathlib import Path
from duologue.core.plugins import read_card

def own(): 1 / 0
def of_a_library(): json.loads("[")
def of_ours(): read_card(Path("/nowhere"))
def called_back(run): run()

class Thing:
    pass
"""
    install("faultymodule", text, {"systems": {"faulty": "Thing"}})
    module = importlib.import_module("faultymodule")
    mine = "the system 'faulty' of the package 'faultymodule-pack' (faultymodule:Thing)"
    assert caught(module.own) == mine
    assert caught(module.of_a_library) == mine
    assert caught(module.of_ours) is None
    assert caught(lambda: module.called_back(module.own)) == mine
    assert caught(lambda: load_task("nosuch")) is None
    assert caught(lambda: int("x")) is None


def test_a_name_that_two_packages_claim_does_not_hide_whose_fault_an_error_is(install: Install) -> None:
    install("first", "def own(): 1 / 0\nclass Thing: pass\n", {"systems": {"twice": "Thing"}})
    install("second", "class Thing: pass\n", {"systems": {"twice": "Thing"}})
    assert caught(importlib.import_module("first").own) == (
        "the system 'twice' of the package 'first-pack' (first:Thing)"
    )


def test_of_a_package_that_brings_several_plug_ins_the_package_is_named(install: Install) -> None:
    install("several", "def own(): 1 / 0\nclass A: pass\nclass B: pass\n", {"systems": {"a": "A", "b": "B"}})
    assert caught(importlib.import_module("several").own) == "the package 'several-pack'"


UNLIKE = """
from duologue.core.records import Record
from duologue.core.scope import Scope

class Good:
    Recipe, seen = Record, "nothing"
    def __init__(self, recipe): pass
    def prepare(self, info, seed, worlds): pass
    def answer(self, samples): return []

class Less(Good):
    def prepare(self, info): pass

class Static(Good):
    @staticmethod
    def answer(samples): return []

class Unseen(Good):
    seen = None

class Text(Good):
    external = "wiki"

class Letters(Good):
    extras = "models"

class Word(Good):
    scope = "restaurant"

class Bare(Good):
    scope = Scope(tasks="restaurant")

class Later(Good):
    def __init__(self, recipe): self.extras = None
"""


def test_a_system_unlike_the_protocol_is_refused_before_it_is_used(install: Install) -> None:
    kinds = ("Good", "Less", "Static", "Unseen", "Text", "Letters", "Word", "Bare", "Later")
    install("unlike", UNLIKE, {"systems": {name.lower(): name for name in kinds}})
    for name, said in {
        "less": r"\(unlike:Less\): Less.prepare\(info, seed, worlds\) cannot be called so: too many positional",
        "unseen": "Unseen.seen must be a text that says what data it saw in training, found None",
        "text": "Text.external must be a tuple of names of data, or None, found 'wiki'",
        "letters": "Letters.extras must be a tuple of names, found 'models'",
        "word": "Word.scope must be a Scope of duologue.core.scope, found 'restaurant'",
        "bare": "Bare.scope.tasks must be a tuple of names, found 'restaurant'",
        "later": "Later.extras must be a tuple of names, found None",
    }.items():
        with pytest.raises(PlugInError, match=said):
            make_system(name)
    for name in ("good", "static"):
        make_system(name)
    for name in ("letters", "word", "bare"):
        with pytest.raises(PlugInError, match="must be a"):
            describe(next(one for one in entries("systems") if one.name == name))


def test_a_card_keeps_the_names_and_hashes_of_what_was_saved_and_damage_names_each_file(
    good: None, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    (model / "more").mkdir(parents=True)
    (model / "more" / "weights").write_bytes(b"1")
    (model / "training.sketch").write_bytes(b"")
    save_learner(model)
    assert list(read_card(model).files) == ["learned.txt", "more/weights"]
    (model / "learned.txt").write_text("less", encoding="utf-8")
    (model / "more" / "weights").unlink()
    with pytest.raises(StorageError) as refused:
        load_system(model)
    told = f"{model / 'learned.txt'} has changed, {model / 'more' / 'weights'} is missing; copy it again"
    assert f"the model is not what was saved: {told}" in str(refused.value)


def test_a_model_that_does_not_fit_the_task_is_refused_before_what_it_learned_is_read(
    good: None, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    model.mkdir()
    save_learner(model, "choosy")
    (model / "learned.txt").unlink()
    echo = TaskInfo(name="echo", version="1", language="en", answers="text")
    with pytest.raises(
        UsageError, match="'choosy' does not serve task 'parrot': it is made for echo; systems that do: base, "
    ):
        load_fitting_system(model, msgspec.structs.replace(echo, name="parrot"))
    with pytest.raises(StorageError, match=r"learned\.txt is missing"):
        load_fitting_system(model, echo)
    (model / "learned.txt").write_text("a lot", encoding="utf-8")
    assert vars(load_fitting_system(model, echo))["learned"] == "a lot"
    card = (model / CARD).read_text("utf-8").replace('"choosy"', '"gone"')
    (model / CARD).write_text(card, encoding="utf-8")
    with pytest.raises(UsageError, match=r"made by the system 'gone' .* which is not installed"):
        load_fitting_system(model, echo)


def test_a_model_that_cannot_be_loaded_is_told_with_its_cause(good: None, tmp_path: Path) -> None:
    recipe, model = resolve(load_system_class("learner").Recipe), tmp_path / "model"
    model.mkdir()
    save_card(model, name="learner", recipe=recipe, task="echo", seed=7, data="", data_hash="")
    with pytest.raises(StorageError, match=r"cannot be loaded \(FileNotFoundError: .*goodmodule-pack \(0\.7\)"):
        load_system(model)


SCOPED = """
from duologue.core.scope import Scope

class Closed:
    \"\"\"Knows one task.\"\"\"
    scope = Scope(tasks=("echo",), answers=("text",))
    extras = ("deep",)

class Open:
    pass

class Odd:
    scope = Scope(tasks=make())

class Other:
    scope = 3

class Child(Closed):
    pass
"""


@pytest.mark.parametrize(
    ("name", "about", "tasks", "extras"),
    [("Closed", "Knows one task.", ("echo",), ("deep",)), ("Open", "", (), ())],
)
def test_what_a_class_writes_out_is_read_without_importing_it(
    install: Install, name: str, about: str, tasks: tuple[str, ...], extras: tuple[str, ...]
) -> None:
    install("scopedmodule", SCOPED, {"systems": {"one": name}})
    (entry,) = [one for one in entries("systems") if one.name == "one"]
    found = describe(entry)
    assert (found.about, found.scope.tasks, found.extras) == (about, tasks, extras)
    assert "scopedmodule" not in sys.modules


@pytest.mark.parametrize("name", ["Odd", "Other", "Child"])
def test_what_a_class_does_not_write_out_is_asked_of_the_class(install: Install, name: str) -> None:
    install("scopedmodule", SCOPED, {"systems": {"one": name}})
    (entry,) = [one for one in entries("systems") if one.name == "one"]
    with pytest.raises(PlugInError, match=r"package 'scopedmodule-pack' .* cannot be loaded: NameError"):
        describe(entry)  # the module cannot be imported as a whole


@pytest.mark.parametrize("kind", [Entry, SystemCard])
def test_what_is_registered_or_saved_is_not_changed(kind: type[Record]) -> None:
    demand_strict(kind)


def test_what_a_class_declares_is_read_however_it_is_written(install: Install) -> None:
    text = """
from typing import ClassVar

class Whole(Nobody):
    "Says all."
    scope: ClassVar[Scope] = Scope(tasks=("echo",))
    extras: ClassVar[tuple[str, ...]] = ("deep",)

class Half(Nobody):
    scope = Scope(tasks=("echo",))
"""
    install("declaredmodule", text, {"systems": {"whole": "Whole", "half": "Half"}})
    whole, half = (next(one for one in entries("systems") if one.name == name) for name in ("whole", "half"))
    told = describe(whole)
    assert (told.about, told.scope.tasks, told.extras) == ("Says all.", ("echo",), ("deep",))
    with pytest.raises(PlugInError, match="NameError"):  # its extras may be those of another class
        describe(half)


def test_of_systems_that_serve_a_task_those_that_cannot_be_read_are_left_out(good: None) -> None:
    parrot = TaskInfo(name="parrot", version="1", language="en", answers="text")
    with pytest.raises(UsageError, match="systems that do: ") as refused:
        plugins.demand_fit("choosy", parrot)
    told = str(refused.value).partition("systems that do: ")[2].split(", ")
    assert {"base", "learner", "picky"} <= set(told)  # before and after `not_a_class`
    assert not {"choosy", "not_a_class"} & set(told)


def test_a_challenge_stands_for_its_tasks_where_they_share_what_is_wanted() -> None:
    assert load_sharing_task("restaurant", "nothing").info.name == "restaurant"
    assert load_sharing_task("mobilecs/dialogue", "nothing").info.name == "mobilecs/dialogue"
    assert load_sharing_task("mobilecs", "Generation").info.name.startswith("mobilecs/")
    with pytest.raises(UsageError, match="the tasks of 'mobilecs' do not share this; name one: mobilecs/"):
        load_sharing_task("mobilecs", "info")
    with pytest.raises(UsageError, match="'nonsense'"):
        load_sharing_task("nonsense", "Generation")
