"""The OpenAPI document of the server, made from the records of its requests."""

from __future__ import annotations

from typing import Any

import msgspec

from duologue.core.version import __version__
from duologue.web.chat_form import ChatRequest, RequestContext

_REF = "#/components/schemas/{name}"


def openapi_document(*, official: bool) -> dict[str, Any]:
    """Return the document; `official`: the task's own form is answered at `/`."""
    (request, context), components = msgspec.json.schema_components([ChatRequest, RequestContext], ref_template=_REF)
    components["Error"] = _object(error=_object(message=_TEXT, type=_TEXT, param=_ANY, code=_TEXT))
    model = _object(id=_TEXT, object={"const": "model"}, created=_NUMBER, owned_by=_TEXT)
    components["Model"] = model
    components["Completion"] = _object(
        id=_TEXT,
        object={"const": "chat.completion"},
        created=_NUMBER,
        model=_TEXT,
        choices={"type": "array", "items": _CHOICE},
        usage=_object(prompt_tokens=_NUMBER, completion_tokens=_NUMBER, total_tokens=_NUMBER),
        duologue=_object(answer={"type": "object"}),
    )
    told = f"What the dialogue is about stands in `metadata`, or in a system message, as `{_name(context)}` has it."
    paths: dict[str, Any] = {
        "/v1/chat/completions": {
            "post": {
                "summary": "The next utterance of a dialogue",
                "description": told,
                "requestBody": {"required": True, "content": {"application/json": {"schema": request}}},
                "responses": {
                    "200": {
                        "description": "The answer, or its events",
                        "content": {
                            "application/json": {"schema": _ref("Completion")},
                            "text/event-stream": {"schema": _TEXT},
                        },
                    },
                    **_ERRORS,
                },
            }
        },
        "/v1/models": {
            "get": _get("The systems that are served", _object(data={"type": "array", "items": _ref("Model")}))
        },
        "/v1/models/{name}": {
            "parameters": [{"name": "name", "in": "path", "required": True, "schema": _TEXT}],
            "get": _get("One system", _ref("Model")),
        },
        "/healthz": {"get": {**_get("Whether the server is up", _object(status=_TEXT)), "security": []}},
        "/openapi.json": {"get": _get("This document", {"type": "object"})},
    }
    if official:
        paths["/"] = {
            "post": {
                "summary": "The task's own form",
                "requestBody": {"content": {"application/json": {"schema": _object(history=_TEXTS)}}},
                "responses": {**_ok({"type": "object"}), **_ERRORS},
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "duologue serve", "version": __version__},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}, {}],
    }


_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_NUMBER = {"type": "integer"}
_ANY: dict[str, Any] = {}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _REF.format(name=name)}


def _name(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _ok(schema: dict[str, Any]) -> dict[str, Any]:
    return {"200": {"description": "The answer", "content": {"application/json": {"schema": schema}}}}


def _get(summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"summary": summary, "responses": {**_ok(schema), **_ERRORS}}


_CHOICE = _object(
    index=_NUMBER,
    message=_object(role={"const": "assistant"}, content=_TEXT),
    finish_reason={"enum": ["stop", "length"]},
)
_ERRORS = {"default": {"description": "An error", "content": {"application/json": {"schema": _ref("Error")}}}}
