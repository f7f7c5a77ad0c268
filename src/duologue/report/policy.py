"""Style and script of every page, and the content security policy that allows only these by hash."""

from __future__ import annotations

import hashlib
import math
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from duologue.core.disk import read_bytes

_TEMPLATES = Path(__file__).with_name("templates")
_SHADES = 40
"""Steps of the shade of a cell; none is lighter than what an eye tells apart."""
_LENGTHS = 200
"""Steps of the length of a bar."""


class Allowed(NamedTuple):
    """What a page may apply and run."""

    style: Markup
    script: Markup
    policy: Markup
    """Value of `Content-Security-Policy`."""


@cache
def allowed() -> Allowed:
    """Return style and script as they stand in the page, to the byte, and the policy with their hashes."""
    steps = [f".e{step}{{--e:{step / _SHADES:g}}}" for step in range(_SHADES + 1)]
    steps += [f".w{step}{{--w:{step / _LENGTHS:g}}}" for step in range(_LENGTHS + 1)]
    style = f"\n{_text('style.css')}{''.join(steps)}\n"
    script = f"\n{_text('page.js')}"
    sources = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    policy = f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"
    return Allowed(Markup(style), Markup(script), Markup(policy))  # noqa: S704  # files of this package and hashes


def shade(value: float) -> str:
    """Return the class of a cell for a score from 0 to 1: the lower, the darker, by the root of what is missing.

    A score that is no number has no shade.

    >>> shade(1.0), shade(0.98), shade(0.0), shade(float("nan"))
    ('e0', 'e6', 'e40', '')
    """
    if math.isnan(value):
        return ""
    return f"e{round((1 - min(max(value, 0.0), 1.0)) ** 0.5 * _SHADES)}"


def length(share: float) -> str:
    """Return the class of a bar for a share from 0 to 1; what is there at all has a length.

    >>> length(0.5), length(0.001), length(0.0)
    ('w100', 'w1', 'w0')
    """
    step = round(min(max(share, 0.0), 1.0) * _LENGTHS)
    return f"w{max(step, 1) if share > 0 else 0}"


def _text(name: str) -> str:
    return read_bytes(_TEMPLATES / name).decode("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()}"
