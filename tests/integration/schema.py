# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON Schema, as far as the tools use it; an unknown keyword is an error."""

from __future__ import annotations

import functools
import json
import subprocess
from typing import Any

from lab.gateway import BINARY

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
KNOWN = {"type", "description", "properties", "required", "items", "enum",
         "additionalProperties", "minimum", "maximum", "minLength", "maxLength"}


def is_a(value: Any, kind: str) -> bool:
    return (isinstance(value, TYPES[kind])
            and (kind == "boolean") == isinstance(value, bool))


def bounds(value: Any, schema: dict[str, Any]) -> bool:
    measure = len(value) if isinstance(value, str) else value
    least = schema.get("minLength", schema.get("minimum", measure))
    most = schema.get("maxLength", schema.get("maximum", measure))
    return least <= measure <= most


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without additional properties: a model learns of a member from the
    schema alone."""
    if "items" in schema:
        return schema | {"items": closed(schema["items"])}
    if "properties" not in schema:
        return schema
    members = {name: closed(member) for name, member in schema["properties"].items()}
    return schema | {"properties": members, "additionalProperties": False}


@functools.cache
def catalogue() -> dict[str, dict[str, Any]]:
    """Every tool that the program has, with all that it answers."""
    printed = subprocess.run([BINARY, "tools", "--json"], capture_output=True, check=True)
    return {tool["name"]: tool for tool in json.loads(printed.stdout)["tools"]}


def whole_answer(tool: str) -> dict[str, Any]:
    """The schema of all that a tool answers; tools/list shows a part of it."""
    return closed(catalogue()[tool]["outputSchema"])


def problems(value: Any, schema: dict[str, Any], place: str = "$") -> list[str]:
    """Every place where `value` violates `schema`."""
    assert schema.keys() <= KNOWN, f"{place}: cannot check {schema.keys() - KNOWN}"
    if not is_a(value, schema["type"]):
        return [f"{place}: {value!r} is no {schema['type']}"]
    found = []
    if value not in schema.get("enum", [value]):
        found.append(f"{place}: {value!r} is none of {schema['enum']}")
    if isinstance(value, (str, int)) and not bounds(value, schema):
        found.append(f"{place}: {value!r} is out of bounds")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            found += problems(item, schema["items"], f"{place}[{i}]")
    if isinstance(value, dict):
        found += object_problems(value, schema, place)
    return found


def object_problems(
        value: dict[str, Any], schema: dict[str, Any], place: str) -> list[str]:
    properties = schema.get("properties", {})
    found = [f"{place}: {name} is missing" for name in schema.get("required", [])
             if name not in value]
    if schema.get("additionalProperties") is False:
        found += [f"{place}: {name} is too much" for name in value
                  if name not in properties]
    for name in value.keys() & properties.keys():
        found += problems(value[name], properties[name], f"{place}.{name}")
    return found
