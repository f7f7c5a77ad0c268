"""Recipes: configuration as frozen records, from TOML files and overrides.

A recipe starts from its defaults, then takes a TOML file, then `--set model.width=256`. Every layer is
checked against the record: an unknown key or a wrong type is an error that names where it was written,
what was found and what was expected, and all of them are said at once. The resolved recipe is saved
beside every result, and its hash tells two runs apart.
"""

from __future__ import annotations

import hashlib
import math
import re
from datetime import date, time
from itertools import chain
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec

from duologue.core.disk import decode_text, read_bytes
from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.records import Problem, Record
from duologue.core.typed import convert, parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

R = TypeVar("R", bound=Record)

_WORD = re.compile(r"[A-Za-z0-9_-]+")
_KEY = re.compile(rf"{_WORD.pattern}(\.{_WORD.pattern})*")
_AT = " - at `$"
"""What msgspec puts between a message and its place, which ends in another backtick."""
_RECIPE = "the recipe"
_MISSING, _QUOTE = " is missing", "'"


class _Layer(NamedTuple):
    """One source of settings: a file or one `--set`."""

    origin: str
    table: dict[str, Any]


def resolve(kind: type[R], *, file: Path | None = None, overrides: Sequence[str] = (), base: R | None = None) -> R:
    """Return a recipe: `base` or the defaults, then the TOML `file`, then `overrides` in their order.

    An override is `a.b=3`: dots go into nested records, the value is a TOML value, and a bare word is a
    string (`regime=closed`). A table is merged key by key with what stands before it; any other value
    replaces it. Raises `UsageError` with every unknown key, wrong type and missing value, `FormatError`
    for a file that is not TOML, and `StorageError` for one that cannot be read.

    >>> class Net(Record, frozen=True):
    ...     width: int = 8
    >>> resolve(Net, overrides=["width=64"])
    Net(width=64)
    """
    layers = [] if file is None else [_Layer(str(file), read_toml(file))]
    problems: list[str] = []
    for override in overrides:
        try:
            layers.append(_Layer(f"--set {override}", parse_override(override)))
        except UsageError as error:
            problems.append(str(error))
    return _build(kind, _defaults(kind) if base is None else _plain(base), layers, problems, _RECIPE)


def from_table(kind: type[R], table: Mapping[str, Any], origin: str) -> R:
    """Return the record that a decoded TOML table holds; `origin` is how messages name the table.

    What is missing has to be written there: no option sets it. Raises `UsageError` as `resolve` does.
    """
    return _build(kind, _defaults(kind), [_Layer(origin, dict(table))], [], origin)


def expected(recipe: Record, kind: type[R]) -> R:
    """Return a recipe of the kind that a plug-in takes, with numbers of the declared types: 1 and 1.0 are the same.

    Raises `UsageError` for a recipe of another kind.
    """
    if not isinstance(recipe, kind):
        raise UsageError(f"expected a {kind.__name__} as the recipe, found {type(recipe).__name__}")
    return convert(msgspec.to_builtins(recipe), kind)


def to_table(recipe: Record) -> dict[str, Any]:
    """Return the recipe as plain dicts, lists and scalars; fields that are `None` are left out.

    Raises `TypeError` where `None` stands in a field whose default is something else, because TOML has
    no way to say so: give such a field the default `None`.
    """
    _refuse_unspeakable(recipe, "")
    return _plain(recipe)


def dump(recipe: Record) -> str:
    """Return the recipe as TOML text that `resolve` turns back into an equal recipe.

    Raises `TypeError` as `to_table` does.
    """
    import tomli_w  # only writers need it; `duologue --help` stays quick

    return tomli_w.dumps(to_table(recipe))


def to_overrides(table: Mapping[str, Any]) -> list[str]:
    """Return a decoded TOML table as overrides, from which `resolve` makes the same recipe as from its file."""
    return [
        override
        for key, value in table.items()
        for override in (
            [f"{key}.{below}" for below in to_overrides(value)]
            if isinstance(value, dict) and value and all(map(_WORD.fullmatch, value))
            else [f"{key}={_inline(value)}"]
        )
    ]


def _inline(value: Any) -> str:
    """Return a decoded TOML value on one line."""
    import tomli_w

    if isinstance(value, dict):
        return f"{{{', '.join(f'{_inline(key)} = {_inline(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return tomli_w.dumps({"value": value}).removeprefix("value = ").rstrip("\n")


def recipe_hash(recipe: Record) -> str:
    """Return the SHA-256 of the recipe's values in hexadecimal: equal for equal values, on any machine."""
    return hashlib.sha256(msgspec.json.encode(recipe, order="deterministic")).hexdigest()


def read_toml(path: Path) -> dict[str, Any]:
    """Return the decoded TOML of a file.

    Raises `FormatError` when it is not UTF-8 or not TOML, `StorageError` when it cannot be read.
    """
    text, _ = decode_text(read_bytes(path), path)
    try:
        return parse_toml(text.replace("\r\n", "\n"))
    except msgspec.DecodeError as error:
        problem = Problem(
            rule="not-toml",
            message=f"not valid TOML: {error}",
            advice='settings are written `key = value`, texts in quotes (`regime = "closed"`)',
        )
        raise FormatError(path, [problem]) from error


def _defaults(kind: type[Record]) -> dict[str, Any]:
    """Return the values of the fields that have one, so that `--set model.width=8` keeps the rest of `model`."""
    table = {}
    for field in msgspec.structs.fields(kind):
        if field.default is not msgspec.NODEFAULT:
            table[field.encode_name] = field.default
        elif field.default_factory is not msgspec.NODEFAULT:
            table[field.encode_name] = field.default_factory()
    plain: dict[str, Any] = _without_none(msgspec.to_builtins(table, order="deterministic"))
    return plain


def _plain(recipe: Record) -> dict[str, Any]:
    plain: dict[str, Any] = _without_none(msgspec.to_builtins(recipe, order="deterministic"))
    return plain


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(part) for key, part in value.items() if part is not None}
    if isinstance(value, list | tuple):
        return [_without_none(part) for part in value]
    return value


def _refuse_unspeakable(value: Any, path: str) -> None:
    if isinstance(value, msgspec.Struct):
        for field in msgspec.structs.fields(value):
            part, name = getattr(value, field.name), _join(path, field.encode_name)
            if part is None and field.default is not None:
                raise TypeError(f"{name} is None and its default is not: TOML cannot say that")
            _refuse_unspeakable(part, name)
    elif isinstance(value, dict | list | tuple):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in parts:
            if part is None:
                raise TypeError(f"{path}[{key!r}] is None: TOML cannot say that")
            _refuse_unspeakable(part, f"{path}[{key!r}]")


def parse_override(override: str) -> dict[str, Any]:
    """Return `a.b=3` as `{"a": {"b": 3}}`. Raises `UsageError` for a text of another form."""
    key, equals, text = override.partition("=")
    key, text = key.strip(), text.strip()
    if not equals or not _KEY.fullmatch(key):
        raise UsageError(f"--set {override}: expected key=value, such as --set model.width=256")
    value = _parse_value(override, text)
    for part in reversed(key.split(".")):
        value = {part: value}
    table: dict[str, Any] = value
    return table


def _parse_value(override: str, text: str) -> Any:
    try:
        table = parse_toml(f"value = {text}")
    except msgspec.DecodeError as error:
        if text.startswith(("[", "{", '"', "'")):
            raise UsageError(f"--set {override}: the value is not valid TOML: {error}") from error
        return text
    if table.keys() != {"value"} or isinstance(table["value"], date | time):  # `7 <newline> b=1`; 2024-01-01
        return text
    return table["value"]


def _build(kind: type[R], table: dict[str, Any], layers: Sequence[_Layer], problems: list[str], called: str) -> R:
    for layer in layers:
        problems += [f"{layer.origin}: {message}" for message in _mistakes(kind, layer.table, "", complete=False)]
        _merge(table, layer.table)
    if not problems:
        origin = next((layer.origin for layer in layers if not layer.origin.startswith("--set ")), _RECIPE)
        mistakes = _mistakes(kind, table, "", complete=True)
        problems += [f"{origin}: {_advised(one) if called == _RECIPE else one}" for one in mistakes]
    if not problems:
        try:
            return convert(table, kind)
        except msgspec.ValidationError as error:  # said by the record's own __post_init__
            problems.append(_explain(error, table, ""))
    if len(problems) == 1:
        raise UsageError(problems[0])
    lines = "\n".join(f"  {problem}" for problem in problems)
    raise UsageError(f"{called} has {len(problems)} problems:\n{lines}")


def _advised(message: str) -> str:
    """Return what is wrong with a recipe with how it is set, where it is missing."""
    key = message.removesuffix(_MISSING)
    return message if key == message else f"{message}; set it, for example with --set {key.strip(_QUOTE)}=VALUE"


def _merge(into: dict[str, Any], table: Mapping[str, Any]) -> None:
    for key, value in table.items():
        stands = into.get(key)
        if isinstance(value, dict) and isinstance(stands, dict):
            _merge(stands, value)
        else:
            into[key] = _copy(value)


def _copy(value: Any) -> Any:
    """Copy the tables, so that a later layer never writes into an earlier one."""
    return {key: _copy(part) for key, part in value.items()} if isinstance(value, dict) else value


def _mistakes(kind: Any, value: Any, path: str, *, complete: bool) -> Iterator[str]:
    """Yield what is wrong with `value` as a `kind`; a missing field is wrong only when it is `complete`."""
    record = _record_in(kind)
    if record is not None and isinstance(value, dict):
        yield from _mistakes_in_record(record, value, path, complete=complete)
        return
    inner = _element_of(kind)
    if inner is not None and isinstance(value, list | dict):
        named = (
            ((_join(path, key), part) for key, part in value.items())
            if isinstance(value, dict)
            else ((f"{path}[{index}]", part) for index, part in enumerate(value))
        )
        mistakes = list(chain.from_iterable(_mistakes(inner, part, name, complete=True) for name, part in named))
        if mistakes:
            yield from mistakes
            return
    if isinstance(value, float) and not math.isfinite(value):  # nan slips through every bound, inf through most
        yield f"{path}: expected a number, found {value}"
        return
    try:
        convert(value, kind)
    except msgspec.ValidationError as error:
        yield _explain(error, value, path, kind)


def _mistakes_in_record(
    record: type[msgspec.Struct], table: dict[str, Any], path: str, *, complete: bool
) -> Iterator[str]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(record)}
    former: dict[str, str] = getattr(record, "former_names", {})  # former names of fields
    for key, part in table.items():
        name = _join(path, key)
        if key in fields:
            yield from _mistakes(fields[key].type, part, name, complete=complete)
        elif key in former:
            yield f"'{name}' is now called '{_join(path, former[key])}'; rename it"
        else:
            known = {_join(path, option) for option in fields}
            deeper = {long for long in _all_keys(record, path) if long.endswith(f".{key}")}
            hint = f"; did you mean '{min(deeper)}'?" if deeper else did_you_mean(name, known)
            yield f"unknown key '{name}'{hint}"
    if complete:
        for key, field in fields.items():
            if field.required and key not in table:
                yield f"'{_join(path, key)}'{_MISSING}"


def _explain(error: msgspec.ValidationError, value: Any, path: str, kind: Any = None) -> str:
    """Return msgspec's message with the full key, the value found and a near miss where there is one."""
    message, at, tail = str(error).partition(_AT)
    if not (at and tail.endswith("`")):
        message, tail = str(error), ""
    tail = tail.removesuffix("`")
    place = f"{path}{tail}".removeprefix(".")
    members = [part for part in _parts(kind) if get_origin(part) is Literal]
    choices = [choice for part in members for choice in get_args(part)]
    if choices:
        listed = " or ".join(repr(choice) for choice in choices)
        hint = (
            did_you_mean(value, [choice for choice in choices if isinstance(choice, str)])
            if isinstance(value, str)
            else ""
        )
        message = f"expected {listed}, found {value!r}" + (hint if "did you mean" in hint else "")
    elif message.startswith("Expected ") and not tail:
        wanted = message.removeprefix("Expected ").partition(", got ")[0].replace("`", "")
        wanted = wanted.replace(" | null", "").replace("object", "a table of settings").replace("array", "a list")
        message = f"expected {wanted}, found {value!r}{_advice(wanted, value)}"
    else:
        message = message.replace("`", "")
    return f"{place}: {message}" if place else message


def _advice(wanted: str, value: Any) -> str:
    if "bool" in wanted and isinstance(value, str) and value.lower() in {"true", "false", "yes", "no", "on", "off"}:
        return "; TOML writes true or false"
    if "str" in wanted and isinstance(value, int | float):
        written = str(value).lower() if isinstance(value, bool) else str(value)
        return f"; put it in quotes: '\"{written}\"'"
    return ""


def _parts(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union without `None`; a type that is no union is its own only member."""
    origin = get_origin(kind)
    if origin is Annotated:
        return _parts(kind.__origin__)
    if origin is Union or origin is UnionType:
        return tuple(part for part in get_args(kind) if part is not type(None))
    return (kind,)


def _record_in(kind: Any) -> type[msgspec.Struct] | None:
    """Return the one record that `kind` is or may be, `None` for anything else."""
    parts = _parts(kind)
    if len(parts) == 1 and isinstance(parts[0], type) and issubclass(parts[0], msgspec.Struct):
        return parts[0]
    return None


def _element_of(kind: Any) -> Any:
    """Return the type of the elements of a list, a tuple of any length or a dict, `None` for anything else."""
    parts = _parts(kind)
    if len(parts) != 1:
        return None
    origin, inner = get_origin(parts[0]), get_args(parts[0])
    if origin is dict:
        return inner[1]
    return inner[0] if origin is list or (origin is tuple and inner[1:] == (...,)) else None


def _all_keys(record: type[msgspec.Struct], path: str) -> Iterator[str]:
    for field in msgspec.structs.fields(record):
        name = _join(path, field.encode_name)
        yield name
        nested = _record_in(field.type)
        if nested is not None and nested is not record:
            yield from _all_keys(nested, name)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
