"""The smallest build backend: a wheel of one module, with the entry points of `pyproject.toml`."""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path
from typing import Any

_WHEEL = "Wheel-Version: 1.0\nGenerator: wheelmaker\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Write the wheel and return its file name (PEP 517)."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in table.items())
        for group, table in project["entry-points"].items()
    )
    files = {
        "stranger.py": Path("stranger.py").read_text(encoding="utf-8"),
        f"{stem}.dist-info/METADATA": "Metadata-Version: 2.1\n"
        f"Name: {project['name']}\nVersion: {project['version']}\n",
        f"{stem}.dist-info/WHEEL": _WHEEL,
        f"{stem}.dist-info/entry_points.txt": points,
    }
    record = f"{stem}.dist-info/RECORD"
    with zipfile.ZipFile(Path(wheel_directory) / f"{stem}-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
        wheel.writestr(record, "".join(f"{name},,\n" for name in (*files, record)))
    return f"{stem}-py3-none-any.whl"
