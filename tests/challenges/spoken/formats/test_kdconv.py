"""KdConv's folder is made one file of dialogues and one graph; what is missing or wrong is told for all its files."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import FormatError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

MADE = {
    "film": {"红河": [["红河", "导演", "章家瑞"], ["红河", "类型", "剧情"]], "南湖": [["南湖", "类型", "歌名"]]},
    "music": {"青花": [["青花", "歌手", "周传雄"]]},
    "travel": {"南湖": [["南湖", "类型", "歌名"], ["南湖", "门票", "免费"]]},
}


def dialogue(domain: str, text: str) -> dict[str, Any]:
    attrs = [{"name": "x", "attrname": "类型", "attrvalue": "剧情"}]
    return {"messages": [{"message": text}, {"attrs": attrs, "message": "是的"}], "name": text, "domain": domain}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder in the layout of the repository, one file of it packed."""
    for domain, graph in MADE.items():
        place = tmp_path / "KdConv" / "data" / domain
        place.mkdir(parents=True)
        for split in ("train", "dev", "test"):
            rows = [dialogue(domain, f"{domain} {split} {number}") for number in range(2)]
            (place / f"{split}.json").write_text(json.dumps(rows, ensure_ascii=False, indent=2), "utf-8")
        (place / f"kb_{domain}.json").write_text(json.dumps(graph), "utf-8")
    packed = tmp_path / "KdConv" / "data" / "music" / "dev.json"
    packed.with_name("dev.json.gz").write_bytes(gzip.compress(packed.read_bytes()))
    packed.unlink()
    return tmp_path / "KdConv"


def made(path: Path, out: Path, target: str = "dialogues", **chosen: str) -> Any:
    SpokenTask().convert("kdconv", target, path, out, chosen)
    return json.loads(out.read_bytes())


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_split_is_its_domains_one_after_the_other(folder: Path, tmp_path: Path, split: str) -> None:
    rows = made(folder, tmp_path / "out.json", split=split)
    assert rows == [dialogue(domain, f"{domain} {split} {number}") for domain in MADE for number in range(2)]
    assert len(list(SpokenTask().load(tmp_path / "out.json"))) == 6


def test_one_domain_is_found_in_any_part_of_the_repository(folder: Path, tmp_path: Path) -> None:
    whole = made(folder, tmp_path / "a.json", domain="music")
    assert [row["name"] for row in whole] == ["music train 0", "music train 1"]
    assert made(folder / "data", tmp_path / "b.json", domain="music") == whole
    assert made(folder / "data" / "music", tmp_path / "c.json", domain="music") == whole


def test_the_knowledge_bases_are_one_graph(folder: Path, tmp_path: Path) -> None:
    graph = made(folder, tmp_path / "kg.json", "graph")
    assert list(graph) == ["红河", "南湖", "青花"]
    assert graph["南湖"] == [["南湖", "类型", "歌名"], ["南湖", "门票", "免费"]]
    assert len(list(SpokenTask().world(tmp_path / "kg.json"))) == 5
    assert made(folder, tmp_path / "film.json", "graph", domain="film") == MADE["film"]


def test_what_is_missing_or_wrong_is_told_for_all_files(folder: Path, tmp_path: Path) -> None:
    for domain in ("film", "travel"):
        (folder / "data" / domain / "dev.json").write_text('[{"messages": 3}]', "utf-8")
    with pytest.raises(FormatError) as caught:
        made(folder, tmp_path / "out.json", split="dev")
    assert {one.place.partition(":")[0] for one in caught.value.problems} == {"film/dev.json", "travel/dev.json"}
    for domain in ("film", "travel"):
        (folder / "data" / domain / "dev.json").unlink()
    with pytest.raises(UsageError, match=r"has no film/dev\.json, travel/dev\.json"):
        made(folder, tmp_path / "out.json", split="dev")
    with pytest.raises(UsageError, match="has no choice 'split'; its choices are domain"):
        made(folder, tmp_path / "out.json", "graph", split="dev")
    with pytest.raises(UsageError, match="nothing to choose"):
        SpokenTask().convert("dialogues", "gold", folder, tmp_path / "out.json", {"split": "dev"})
    assert not (tmp_path / "out.json").exists()


@pytest.mark.real_data(twin="test_a_split_is_its_domains_one_after_the_other")
def test_the_real_development_files_are_one_file(real_data: Path, tmp_path: Path) -> None:
    for domain in MADE:
        place = tmp_path / "kdconv" / domain
        place.mkdir(parents=True)
        place.joinpath("dev.json.gz").symlink_to(real_data / "spoken" / f"kdconv_{domain}_dev.json.gz")
    rows = made(tmp_path / "kdconv", tmp_path / "dev.json", split="dev")
    assert len(rows) == 450
    assert len(files.read_dialogues(tmp_path / "dev.json")) == 450
