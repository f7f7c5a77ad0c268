"""The Ray engine, on a real cluster of two nodes on this machine."""

from __future__ import annotations

import errno
import importlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.subtitles import make_folder, make_tar

from duologue.challenges.conversation.extraction.subtitles.extractor import OFFICIAL, SubtitleProfile, extract
from duologue.core.errors import NoSpaceError, UsageError
from duologue.core.worker_pool import Shard
from duologue.corpus import cluster
from duologue.corpus.engine import map_shards

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROFILE = SubtitleProfile(name=OFFICIAL, ratios=(0.7, 0.3), duplicates="keep", leaks=True)

pytestmark = [
    # Ray leaves sockets and processes to the end of the program; our own code is tested under errors elsewhere.
    pytest.mark.filterwarnings("ignore"),
]


class FullRay:
    """Ray where there is no room: what it calls does not begin, or keep what is sent."""

    def __init__(self, at: str) -> None:
        ray_error = type("RayError", (Exception,), {})
        self.at = at
        self.exceptions = SimpleNamespace(RayError=ray_error, OutOfDiskError=type("OutOfDiskError", (ray_error,), {}))

    def _pass(self, what: str) -> None:
        if what == self.at:
            raise OSError(errno.ENOSPC, "No space left on device") if what == "init" else self.exceptions.OutOfDiskError

    def is_initialized(self) -> bool:
        return False

    def init(self, **_: object) -> None:
        self._pass("init")

    def put(self, work: object) -> object:
        self._pass("put")
        return work

    def remote(self, **_: object) -> Any:
        return lambda _: SimpleNamespace(remote=lambda *_: self._pass("remote"))


@pytest.mark.parametrize("at", ["init", "put", "remote"])
def test_a_cluster_without_room_is_told(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Each ended in a traceback of Ray's."""
    monkeypatch.setattr(cluster, "need", lambda *_: FullRay(at))
    with pytest.raises(NoSpaceError, match="Ray"):
        cluster.Cluster(len, 1, None).give(Shard("a", b""))


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a cluster of two nodes with one core each."""
    pytest.importorskip("ray", reason="Ray comes with the extra `cluster`")
    cluster: Any = importlib.import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield cluster.address
    cluster.shutdown()


@pytest.mark.slow
def test_a_cluster_gives_the_bytes_of_the_default_engine(address: str, tmp_path: Path) -> None:
    source = make_tar(tmp_path / "en.tar.gz", make_folder(tmp_path / "xml", 40))
    extract(source, tmp_path / "wanted", PROFILE, workers=2)
    extract(source, tmp_path / "found", PROFILE, workers=2, engine="ray", address=address)
    files = sorted(path.relative_to(tmp_path / "wanted") for path in (tmp_path / "wanted").rglob("*.*"))
    assert len(files) >= 4
    for name in files:
        assert (tmp_path / "found" / name).read_bytes() == (tmp_path / "wanted" / name).read_bytes()


@pytest.mark.slow
def test_ray_is_started_here_where_no_address_is_given(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray comes with the extra `cluster`")
    source = make_folder(tmp_path / "xml", 6)
    made = extract(source, tmp_path / "found", PROFILE, workers=2, engine="ray")
    assert made.summary.read == 6
    assert not ray.is_initialized()


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_named(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray comes with the extra `cluster`")
    with pytest.raises(UsageError, match="cannot reach a Ray cluster"):
        list(map_shards(str, [], tmp_path, engine="ray", address="127.0.0.1:1"))
