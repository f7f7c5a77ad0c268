"""The documentation site: its navigation and links, and that it asks nothing of another host; the changelog to come."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT_PAGES = {
    "index.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
    "changelog.md": "CHANGELOG.md",
}
"""As `docs/site_pages.py` places them."""


def in_the_navigation() -> list[str]:
    """Return the pages of the navigation; its lines are simple enough to need no YAML reader."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    return re.findall(r": (\S+\.md)$", text, flags=re.MULTILINE)


def repository_path(page: str) -> str:
    return PROJECT_PAGES.get(page, page if page.startswith("benchmarks/") else f"docs/{page}")


def test_every_page_in_the_navigation_exists_and_every_page_is_in_it() -> None:
    shown = [repository_path(page) for page in in_the_navigation()]
    here = {
        path.relative_to(ROOT).as_posix() for folder in ("docs", "benchmarks") for path in (ROOT / folder).rglob("*.md")
    }
    assert len(shown) == len(set(shown))
    assert set(shown) == here | set(PROJECT_PAGES.values())


def test_every_guide_and_challenge_is_named_for_language_models() -> None:
    text = (ROOT / "llms.txt").read_text(encoding="utf-8")
    pages = [path for folder in ("guide", "challenges") for path in (ROOT / "docs" / folder).glob("*.md")]
    assert not [path.name for path in pages if f"({path.relative_to(ROOT).as_posix()})" not in text]


def test_every_fragment_has_a_kind_that_the_changelog_knows() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
    kinds = {kind["directory"] for kind in settings["type"]}
    fragments = [path.name for path in (ROOT / "changes").iterdir() if path.name != Path(settings["template"]).name]
    assert not [name for name in fragments if not re.fullmatch(rf"[a-z0-9-]+\.({'|'.join(kinds)})\.md", name)]


def test_the_workflow_and_the_guide_name_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for page in (".github/workflows/ci.yml", "CONTRIBUTING.md", "README.md", "SECURITY.md"):
        named = set(re.findall(r"(?:run: |`|\$ )make ([a-z-]+)", (ROOT / page).read_text(encoding="utf-8")))
        assert named
        assert named <= targets, page


def test_the_citation_has_the_version_of_the_package() -> None:
    from duologue import __version__

    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


class Links(HTMLParser):
    """What a page links to, what it loads, and the places that can be linked to in it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value}
        self.places |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and "href" in values:
            self.loaded.append(values["href"])
        elif "src" in values:
            self.loaded.append(values["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly."""
    if not all(importlib.util.find_spec(name) for name in ("mkdocs", "material", "mkdocstrings_handlers")):
        pytest.skip("the extra docs is not installed here (make docs brings it)")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Links]:
    read: dict[Path, Links] = {}
    for path in site.rglob("*.html"):
        read[path.resolve()] = Links()
        read[path.resolve()].feed(path.read_text(encoding="utf-8"))
    return read


@pytest.mark.slow
def test_every_link_inside_the_site_leads_somewhere(site: Path, pages: dict[Path, Links]) -> None:
    assert len(pages) > len(in_the_navigation())  # and 404.html
    missing = []
    for page, found in pages.items():
        if page.name == "404.html":
            continue  # its links begin at the root of a server
        for link in found.links:
            if link.startswith(("http:", "https:", "mailto:")):
                continue
            path, _, place = unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (place and place not in pages[target].places):
                missing.append(f"{page.relative_to(site)}: {link}")
    assert not missing


@pytest.mark.slow
def test_nothing_is_loaded_from_another_host(site: Path, pages: dict[Path, Links]) -> None:
    loaded = {link for found in pages.values() for link in found.loaded}
    assert any(link.endswith(".js") for link in loaded)
    assert not [link for link in loaded if re.match(r"(https?:)?//", link)]
    styles = "".join(path.read_text(encoding="utf-8") for kind in ("css", "svg") for path in site.rglob(f"*.{kind}"))
    assert not re.findall(r"""(?:url\(|@import )\s*["']?(?:https?:)?//[^)]*""", styles)
    assert (site / "search" / "search_index.json").is_file()


@pytest.mark.slow
def test_the_changelog_to_come_has_every_fragment(tmp_path: Path) -> None:
    if importlib.util.find_spec("towncrier") is None:
        pytest.skip("the extra release is not installed here (make changelog brings it)")
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "changes", tmp_path / "changes")
    (tmp_path / "changes" / "one-more.fixed.md").write_text("What was wrong\nis right.\n", "utf-8")
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "next"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    fragments = list((tmp_path / "changes").glob("*.*.md"))
    assert fragments
    assert not [path.name for path in fragments if " ".join(path.read_text("utf-8").split()) not in said]
    assert "## next" in said


def test_the_changelog_has_the_version_of_the_package() -> None:
    from duologue import __version__

    assert f"\n## {__version__} (" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
