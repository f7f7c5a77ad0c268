"""Packages, size and time of an installation of the core in a new environment."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMITS = {"packages besides pip": 15, "MB": 150.0, "seconds": 30.0}


def main() -> int:
    """Install, print the table; return 1 when a bound is not kept."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "venv" / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        bare = _size(python.parents[1])
        began = time.perf_counter()
        constraints = ["-c", str(ROOT / "constraints.txt")]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *constraints, str(ROOT)], check=True)
        seconds = time.perf_counter() - began
        listed = subprocess.run([python, "-m", "pip", "list", "--format", "json"], check=True, capture_output=True)
        packages = sorted({row["name"] for row in json.loads(listed.stdout)} - {"pip", "setuptools"})
        subprocess.run([python.with_name("duologue"), "list"], check=True, stdout=subprocess.DEVNULL)
        found = {"packages besides pip": len(packages), "MB": _size(python.parents[1]) - bare, "seconds": seconds}
    print("| core installation    | measured | bound |\n|----------------------|----------|-------|")
    for name, limit in LIMITS.items():
        print(f"| {name:<20} | {found[name]:8.1f} | {limit:5.0f} |")
    print("\nPackages:", ", ".join(packages))
    return int(any(found[name] > limit for name, limit in LIMITS.items()))


def _size(folder: Path) -> float:
    """Return megabytes (10^6 bytes) of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main())
