"""The one folder whose files an assistant may name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from duologue.core.disk import resolved
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


class OpenFolder:
    """Finds files below one folder; whatever leads out of it is refused, links included."""

    def __init__(self, root: Path) -> None:
        self.root = resolved(root)

    def file(self, name: str) -> Path:
        """Return the file of that name. Raises `UsageError` for one outside of the folder, or that is no file."""
        try:
            path = resolved(self.root / name)
            found = path.is_file()
        except (OSError, ValueError, RuntimeError) as error:  # too long, a NUL, a ring of links
            raise UsageError(f"'{name[:80]}' is no file: {error}") from error
        if not path.is_relative_to(self.root):
            raise UsageError(f"'{name}' lies outside of the folder that this server was started in; name a file in it")
        if not found:
            raise UsageError(f"'{name}' is no file of the folder that this server was started in")
        return path

    def files(self, names: Sequence[str]) -> list[Path]:
        """Return the files of some names; raises as `file`."""
        return [self.file(name) for name in names]

    def told(self, text: str) -> str:
        """Return a text of ours with the folder taken out of its paths."""
        return text.replace(f"{self.root}/", "")


def here() -> OpenFolder:
    """Return the current folder."""
    return OpenFolder(Path())
