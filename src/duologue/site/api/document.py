"""The OpenAPI document of the site's API, made from its operations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.version import __version__
from duologue.site.api.operation import IDEMPOTENCY, PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.site.api.operation import Operation

_REF = "#/components/schemas/{name}"
_TEXT = {"type": "string"}
_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")


def document_of(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the document (OpenAPI 3.1)."""
    types = [one for operation in operations for one in (operation.takes, operation.gives) if one not in (None, bytes)]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    schema_of = {repr(one): schema for one, schema in zip(types, schemas, strict=True)}
    components["Error"] = _object(error=_object(message=_TEXT, type=_TEXT, param={}, code=_TEXT))
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        entry: dict[str, Any] = {"summary": one.summary, "responses": _responses(schema_of.get(repr(one.gives)))}
        if one.roles:
            entry["description"] = f"For {', '.join(one.roles)} (and admins)."
        if one.takes is bytes:
            entry["requestBody"] = {"required": True, "content": {"application/octet-stream": {}}}
        elif one.takes is not None:
            content = {"application/json": {"schema": schema_of[repr(one.takes)]}}
            entry["requestBody"] = {"required": True, "content": content}
        if parameters := _parameters(one):
            entry["parameters"] = parameters
        path = _PARAMETER.sub(r"{\1}", PREFIX + one.path)
        paths.setdefault(path, {})[one.method.lower()] = entry
    return {
        "openapi": "3.1.0",
        "info": {"title": "duologue site", "version": __version__},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
    }


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    """Return what stands in the path, in the query and in the header of a request."""
    inside = [
        {"name": name, "in": "path", "required": True, "schema": _TEXT} for name in _PARAMETER.findall(operation.path)
    ]
    inside += [
        {"name": one.name, "in": "query", "required": False, "description": one.about, "schema": _TEXT}
        for one in operation.asks
    ]
    if operation.method == "POST":
        about = "Names this very request: with the same key again nothing is done, and the answer is the same."
        inside.append({"name": IDEMPOTENCY, "in": "header", "required": False, "description": about, "schema": _TEXT})
    return inside


def _responses(schema: dict[str, Any] | None) -> dict[str, Any]:
    error = {
        "description": "An error",
        "content": {"application/json": {"schema": {"$ref": _REF.format(name="Error")}}},
    }
    content = {"content": {"application/json": {"schema": schema}}} if schema is not None else {}
    return {"200": {"description": "The answer", **content}, "default": error}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}
