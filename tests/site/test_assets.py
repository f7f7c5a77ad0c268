from __future__ import annotations

import hashlib
import tomllib
from typing import TYPE_CHECKING

from duologue.site.assets import FOLDER, asset_path, assets

if TYPE_CHECKING:
    from tests.site.world import World


def test_vendored_files_are_those_of_their_makers_with_their_licence() -> None:
    vendored = tomllib.loads((FOLDER / "vendored.toml").read_text(encoding="utf-8"))
    assert {name for name in assets() if ".min." in name} == set(vendored)
    for name, told in vendored.items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == told["sha256"], name
        assert "0BSD" in told["licence"]
    assert (FOLDER / "htmx.LICENSE").read_text(encoding="utf-8").startswith("Zero-Clause BSD")


def test_files_are_kept_for_ever_under_the_path_with_their_hash(world: World) -> None:
    client = world.client()
    found = client.get(asset_path("site.css"))
    assert found.status_code == 200
    assert found.headers["content-type"].startswith("text/css")
    assert "immutable" in found.headers["cache-control"]
    assert "set-cookie" not in found.headers
    for path in ("/static/0/site.css", "/static/0/../words.py", f"{asset_path('site.css')[:-8]}vendored.toml"):
        assert client.get(path).status_code == 404


def test_no_file_of_the_pages_names_another_host() -> None:
    for name, one in assets().items():
        if ".min." not in name:
            text = one.body.decode().replace("http://www.w3.org/2000/svg", "")
            assert "//" not in text.replace("// ", ""), name
