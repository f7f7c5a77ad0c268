"""YAML of plain values, written so that readers of YAML 1.1 and 1.2 take the same from it."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_WORDS = frozenset("y yes n no true false on off null none nan inf".split())  # noqa: SIM905  # a list of words
"""What some reader takes for something else than text."""
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


class YamlFunction(str):
    """The name of a function that the reader is to import: `!function module.name`."""

    __slots__ = ()


def to_yaml(value: Any) -> str:
    r"""Return a value of mappings, lists, texts, numbers, booleans and `None` as YAML.

    >>> print(to_yaml({"a": [{"b": 0.1, "c": "no"}, []], "d": 1e-05}), end="")
    a:
      - b: 0.1
        c: "no"
      - []
    d: 1.0e-05
    """
    if isinstance(value, dict | list | tuple) and value:
        return "".join(f"{line}\n" for line in _lines(value))
    return f"{_scalar(value)}\n"


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, held in value.items():
            name = _text(str(key))
            if isinstance(held, dict | list | tuple) and held:
                yield f"{name}:"
                yield from (f"  {line}" for line in _lines(held))
            else:
                yield f"{name}: {_scalar(held)}"
        return
    for held in value:
        if isinstance(held, dict | list | tuple) and held:
            first, *rest = _lines(held)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
        else:
            yield f"- {_scalar(held)}"


def _scalar(value: Any) -> str:
    if isinstance(value, YamlFunction):
        return f"!function {value}"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return "{}"
    return "[]" if isinstance(value, list | tuple) else json.dumps(value)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    mantissa, e, exponent = repr(value).partition("e")
    if not e:
        return mantissa
    sign = "" if exponent.startswith("-") else "+"  # YAML 1.1 has no number without a point and a sign
    return f"{mantissa}{'' if '.' in mantissa else '.0'}e{sign}{exponent.lstrip('+')}"


def _text(value: str) -> str:
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
