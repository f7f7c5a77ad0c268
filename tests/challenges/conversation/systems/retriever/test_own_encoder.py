"""The retriever with an embedding model of the user's, from a folder, on the command line and after it moved."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("tantivy", reason="the retriever's engine is optional")

from tests.tiny_models import save_tiny_embedder

from duologue.challenges.conversation.systems.retriever.retriever import Retriever
from duologue.challenges.conversation.task import ConversationTask
from duologue.core.errors import StorageError, UsageError
from duologue.core.plugins import load_system
from duologue.models.sentence_encoders.encoder import ENCODER
from duologue.run.package import answer_package, pack
from duologue.run.systems import demand_none_by_hand, recipe_of

if TYPE_CHECKING:
    from pathlib import Path

DUOLOGUE = [sys.executable, "-c", "from duologue.cli.main import main; main()"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A retriever trained on the command line, whose encoder is gone from where it was."""
    folder = tmp_path_factory.mktemp("own")
    own = save_tiny_embedder(folder / "mine", "abcdefgh", "mean", dense=8)
    (folder / "talks.txt").write_text("U: a b\nS: one\n\nU: c d\nS: two\n\nU: e f\nS: three\n", encoding="utf-8")
    (folder / "asked.txt").write_text("U: c d\nS: two\n", encoding="utf-8")
    command = [
        *DUOLOGUE, "train", "conversation", "--system", "retriever", "--set", "memory=true", "--set", "sentences=2",
        *("--set", "encoder=folder", "--set", f"encoder_folder={own}", "--train", str(folder / "talks.txt")),
        *("--out", str(folder / "model"), "--quiet"),
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    own.rename(folder / "gone")
    return folder / "model"


def test_what_is_trained_needs_the_folder_no_more(model: Path) -> None:
    system = load_system(model)
    assert isinstance(system, Retriever)
    assert system.external == ("mine (a model trained elsewhere)",)
    task = ConversationTask()
    system.prepare(task.info, 1, {})
    samples = [one.sample for one in task.load(model.parent / "asked.txt")]
    assert [answer.text for answer in system.answer(samples)] == ["two"]


def test_it_is_packed_with_its_encoder_and_answers_there(model: Path, tmp_path: Path) -> None:
    entry = tmp_path / "entry"
    pack(ConversationTask(), str(model), entry, inputs=[model.parent / "asked.txt"])
    assert (entry / "model" / ENCODER / "3_Dense/config.json").is_file()
    (made,) = answer_package(entry)
    assert "two" in made.path.read_text("utf-8")


def test_a_strangers_card_names_no_folder_elsewhere(model: Path, tmp_path: Path) -> None:
    shutil.copytree(model, tmp_path / "copy")
    shutil.move(tmp_path / "copy" / ENCODER, tmp_path / "elsewhere")
    card = tmp_path / "copy/system.toml"
    named = card.read_text("utf-8").replace(str(model.parent / "mine"), str(tmp_path / "elsewhere"))
    card.write_text(named, encoding="utf-8")
    assert str(tmp_path / "elsewhere") in named
    with pytest.raises(StorageError, match="encoder"):
        load_system(tmp_path / "copy")
    file = tmp_path / "recipe.toml"
    file.write_text('encoder = "folder"\nencoder_folder = "/etc"\n', encoding="utf-8")
    with pytest.raises(UsageError, match="'encoder_folder' of system 'retriever' is not taken from a file"):
        recipe_of("retriever", file, ())
    with pytest.raises(UsageError, match="'encoder_folder' of system 'grounded' is taken from a command line alone"):
        demand_none_by_hand("grounded", ["encoder_folder=/etc"])
