"""Lines of text, as the converters know them; they live in `duologue.core.lines`."""

from __future__ import annotations

from duologue.core.lines import Lines

__all__ = ["Lines"]
