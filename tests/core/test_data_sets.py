"""The lists of data sets of the challenges, and what a wrong list says."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.data_sets import DataFile, DataSet, read_data_sets
from duologue.core.errors import PlugInError
from duologue.core.plugins import load_task, names

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", names("tasks"))
def test_every_task_tells_where_its_data_come_from(name: str) -> None:
    found = load_task(name).data_sets()
    assert found
    assert len({one.name for one in found}) == len(found)
    for one in found:
        assert one.source
        assert one.licence
        assert one.obtain or one.url
        assert one.cite
        assert len({file.name for file in one.files}) == len(one.files)
        assert all(len(file.sha256) in {0, 64} for file in one.files)
        assert not {file.task or one.task or name for file in one.files} - set(names("tasks"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("data_set = 3", "cannot be read"),
        ("[[data_set]]\nname = 'a'", "missing required field `about`"),
        (
            "[[data_set]]\nname='a'\nabout=''\nsource=''\nlicence=''\nobtain=[]\nurl='http://x'\nfiles=[{name='f'},{name='g'}]",
            "'a' may be fetched, but f has no sha256",
        ),
        (
            "[[data_set]]\nname='a'\nabout=''\nsource=''\nlicence=''\nobtain=[]\ncite=['lee']\n[[citation]]\nkey='leo'\nauthors=['A']\ntitle='T'",
            r"no \[\[citation\]\] with key 'lee'; did you mean 'leo'",
        ),
        ("[[data_set]]\nname='a'\nabout=''\nsource=''\nlicence=''\nobtain=[]\ncite=[3]", "cannot be read"),
        ("citation = 3\ndata_set = [1]", "cannot be read"),
    ],
)
def test_a_wrong_list_says_whose_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str) -> None:
    package = tmp_path / "strangerdata"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "strangerdata", raising=False)
    assert read_data_sets("strangerdata.task") == ()
    assert read_data_sets("alone") == ()
    (package / "data_sets.toml").write_text(text, "utf-8")
    with pytest.raises(PlugInError, match=told) as found:
        read_data_sets("strangerdata.task")
    assert "strangerdata/data_sets.toml" in str(found.value)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"url": "http://x"}, ""),
        ({}, "not known to be free to fetch (licence: MIT)"),
        ({"free_licence": True}, "no address and not all checksums of its files are known here"),
        ({"free_licence": True, "files": (DataFile(name="a", sha256="0"),)}, "no address of its files is known here"),
        (
            {"free_licence": True, "files": (DataFile(name="a", sha256="0"), DataFile(name="b"))},
            "no address and not all checksums of its files are known here",
        ),
    ],
)
def test_why_files_cannot_be_fetched_is_told(changed: dict[str, Any], told: str) -> None:
    found = DataSet(**{"name": "a", "about": "", "source": "", "licence": "MIT", "obtain": (), **changed})
    assert found.not_fetched == (f"{told}, though it may be had freely (MIT)" if "here" in told else told)
