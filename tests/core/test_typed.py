"""Many threads may decode into one type, also when nobody did before."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

import duologue
from duologue.core import typed

SOURCE = Path(duologue.__file__).parent

THREADS = """
from __future__ import annotations
import sys, threading, types
import msgspec
from duologue.core.typed import convert

sys.setswitchinterval(1e-6)
TYPES = '''
from __future__ import annotations
import msgspec

class A(msgspec.Struct):
    numbers: dict[str, list[B]] = {}
    other: C | None = None

class B(msgspec.Struct):
    name: str = ""
    parts: list[C] = []

class C(msgspec.Struct):
    sizes: list[float] = []
    counts: list[D] = []

class D(msgspec.Struct):
    of: dict[str, int] = {}
'''
C = {"sizes": [1.0], "counts": [{"of": {"a": 1}}]}
GIVEN = {"numbers": {"k": [{"name": "b", "parts": [C]}]}, "other": C}
same = 0
for number in range(150):
    module = types.ModuleType(f"types{number}")
    sys.modules[module.__name__] = module
    exec(TYPES, module.__dict__)
    ready = threading.Barrier(8)
    found = []
    def work() -> None:
        ready.wait()
        found.append(convert(GIVEN, module.A))
    threads = [threading.Thread(target=work) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    same += len(found) == 8 and all(msgspec.to_builtins(one) == GIVEN for one in found)
print(same)
"""


def test_threads_that_decode_into_a_type_nobody_used_all_get_it() -> None:
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, "150\n"), done.stderr[-2000:]  # -11 with `msgspec.convert` itself


def test_what_is_none_of_the_type_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        typed.decode_json(b'["x"]', list[int])
    with pytest.raises(msgspec.ValidationError):
        typed.decode_msgpack(b"\x91\xa1x", list[int])
    with pytest.raises(msgspec.ValidationError):
        typed.convert(["x"], list[int])
    with pytest.raises(msgspec.DecodeError):
        typed.decode_toml("=", dict[str, int])


def test_bytes_that_are_no_text_and_deep_data_are_refused_alike() -> None:
    for broken in (b'["\xed"]', b"[" * 100_000):
        with pytest.raises(msgspec.DecodeError):
            typed.decode_json(broken, list[Any])
    with pytest.raises(msgspec.DecodeError):
        typed.decode_toml(b'a = "\xed"', dict[str, str])
    for broken in (b"\x91\xa1\xed", b"\x91" * 100_000):
        with pytest.raises(msgspec.DecodeError):
            typed.decode_msgpack(broken, list[Any])


def test_what_cannot_be_read_is_told_in_the_words_of_its_cause() -> None:
    with pytest.raises(msgspec.DecodeError, match=r"^'utf-8' codec can't decode byte 0xed"):
        typed.decode_json(b'["\xed"]', list[Any])
    with pytest.raises(msgspec.DecodeError, match=r"^maximum recursion depth exceeded"):
        typed.decode_json(b"[" * 100_000, list[Any])


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 5000, "-" + "9" * 4000])
def test_toml_integers_that_cannot_be_printed_are_refused(number: str) -> None:
    with pytest.raises(msgspec.DecodeError, match="digits"):
        typed.parse_toml(f"[a]\nb = [1, {{c = {number}}}]")
    with pytest.raises(msgspec.DecodeError, match="digits"):
        typed.decode_toml(f"a = {number}".encode(), dict[str, int])
    assert typed.parse_toml("a = -" + "9" * 900)["a"] == 1 - 10**900


def test_toml_of_many_levels_is_refused() -> None:
    for deep in (
        "a" + ".a" * 5000 + " = 1",
        "[a" + ".a" * 5000 + "]",
        "a = " + "[" * 90 + "[[[[[[[[[[[]]]]]]]]]]]" + "]" * 90,
    ):
        with pytest.raises(msgspec.DecodeError, match="nested more than 100 levels"):
            typed.parse_toml(deep)
    assert typed.parse_toml("a" + ".a" * 90 + " = 1")


def test_nothing_else_decodes_into_types() -> None:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        source = path.read_text("utf-8")
        if path == SOURCE / "core/typed.py" or "msgspec." not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and (name := ast.unparse(node.func)).startswith("msgspec."):
                decodes = name.endswith(".decode") and (
                    len(node.args) > 1 or any(one.arg == "type" for one in node.keywords)
                )
                if name == "msgspec.convert" or decodes:
                    found.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert found == []


def test_half_a_character_is_none_of_some_words() -> None:
    """To compare it, msgspec writes what it was given as UTF-8."""
    assert typed.convert("a", Literal["a", "b"]) == "a"  # type: ignore[arg-type]  # the type of a Literal
    with pytest.raises(msgspec.ValidationError, match="surrogates not allowed"):
        typed.convert("\ud800", Literal["a", "b"])  # type: ignore[arg-type]  # the same


def test_integers_and_levels_are_taken_up_to_their_limits() -> None:
    for sign in (1, -1):
        assert typed.parse_toml(f"a = {sign * (10**1000 - 1)}")["a"] == sign * (10**1000 - 1)
        with pytest.raises(msgspec.DecodeError, match="an integer has more than 1,000 digits"):
            typed.parse_toml(f"a = {sign * 10**1000}")
    assert typed.parse_toml("a" + ".a" * 98 + " = 1")
    with pytest.raises(msgspec.DecodeError, match="nested more than 100 levels"):
        typed.parse_toml("a" + ".a" * 99 + " = 1")
