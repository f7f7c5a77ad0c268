"""What `mkdocs.yml` needs besides: pages that lie outside docs/, and links as the repository has them.

Every page is written for a reader of the repository. On the site the README is the first page, the tables of
`benchmarks/` and the project's own pages have places, and a link to a file that is no page becomes the file's name.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
PROJECT_PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
"""Path in the repository -> path on the site."""
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!https?:|mailto:|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")


def origins() -> dict[str, str]:
    """Return path on the site -> path in the repository, of all pages outside docs/."""
    tables = {f"benchmarks/{path.name}": f"benchmarks/{path.name}" for path in (ROOT / "benchmarks").glob("*.md")}
    return {site: path for path, site in PROJECT_PAGES.items()} | tables


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Give the pages outside docs/ their places."""
    for site, path in origins().items():
        files.append(File.generated(config, site, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Make the links of the repository links of the site."""
    del config
    here = page.file.src_uri
    outside = origins()
    site_of = {path: site for site, path in outside.items()}
    folder = posixpath.dirname(outside.get(here, f"docs/{here}"))

    def replaced(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link["path"]))
        target = site_of.get(path, path.removeprefix("docs/"))
        if files.get_file_from_path(target) is None:
            return f"{link['text']} (`{path}`)" if (ROOT / path).exists() else link[0]
        inside = posixpath.relpath(target, posixpath.dirname(here) or ".")
        return f"{link['image']}[{link['text']}]({inside}{link['anchor'] or ''})"

    return LINK.sub(replaced, markdown)
