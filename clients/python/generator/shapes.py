"""Writes the modules of shapes: classes for what the service answers, dictionaries for what it is sent."""

from typing import Any

from clients.python.generator.document import (
    Schema,
    class_name,
    identifier,
    operations,
    reachable,
    referred,
    schemas_of,
)

HEADER = (
    '"""{summary} Written by `make client` from the OpenAPI document; not edited."""\n\n'
    "from __future__ import annotations\n\n"
)
_FORMATS = {"uuid": "UUID", "date-time": "dt.datetime", "date": "dt.date"}
_PLAIN = {"integer": "int", "number": "float", "boolean": "bool", "null": "None", "string": "str"}


def type_of(schema: Schema, *, sent: bool = False, prefix: str = "") -> str:
    """The Python type of a schema. What is `sent` is strict; an answer's codes may be new ones.

    `prefix` stands before names of the modules of shapes.
    """
    name = referred(schema)
    if name == "JsonValue":
        return "Any"
    if name is not None:
        return f"{prefix}{class_name(name)}"
    if "anyOf" in schema:
        found = [type_of(alternative, sent=sent, prefix=prefix) for alternative in schema["anyOf"]]
        return "Any" if "Any" in found else " | ".join(dict.fromkeys(found))
    if "enum" in schema:
        return _literal(schema["enum"], sent=sent)
    if "const" in schema:
        return _literal([schema["const"]], sent=sent)
    kind = schema.get("type")
    if kind == "array":
        inner = type_of(schema.get("items", {}), sent=sent, prefix=prefix)
        return f"Sequence[{inner}]" if sent else f"list[{inner}]"
    if kind == "object":
        return _mapping(schema, sent=sent, prefix=prefix)
    if kind == "string":
        found_type = _FORMATS.get(schema.get("format", ""), "str")
        return f"{found_type} | str" if sent and found_type != "str" else found_type
    return _PLAIN.get(str(kind), "Any")


def _literal(values: list[Any], *, sent: bool) -> str:
    strict = f"Literal[{', '.join(repr(value) for value in values)}]"
    return strict if sent else f"{strict} | str"


def _mapping(schema: Schema, *, sent: bool, prefix: str) -> str:
    values = schema.get("additionalProperties")
    if not isinstance(values, dict):
        values = next(iter(schema.get("patternProperties", {}).values()), {})
    inner = type_of(values, sent=sent, prefix=prefix)
    return f"Mapping[str, {inner}]" if sent else f"dict[str, {inner}]"


def answered(document: Schema) -> set[str]:
    """The schemas that answers need, those of streams included."""
    roots = [
        content.get("schema", {})
        for methods in document["paths"].values()
        for operation in methods.values()
        for status, response in operation["responses"].items()
        if status.startswith("2")
        for content in response.get("content", {}).values()
    ]
    return reachable(document, [*roots, {"$ref": "#/components/schemas/ProblemDocument"}])


def taken(document: Schema) -> set[str]:
    """The schemas that bodies need besides the body itself, whose fields are arguments."""
    fields = [
        argument.schema
        for operation in operations(document)
        for argument in operation.arguments
        if argument.place != "path"
    ]
    return reachable(document, fields) | reachable(document, [{"$ref": "#/components/schemas/DocumentBody"}])


def write_answers(document: Schema) -> str:
    """The module of what the service answers."""
    schemas = schemas_of(document)
    lines = [
        HEADER.format(summary="The shapes of answers."),
        "import datetime as dt\nfrom typing import Any, Literal, TypeAlias\nfrom uuid import UUID\n\n",
        "from pydantic import Field\n\nfrom citegraph_client.shape import Shape\n\n",
    ]
    names = sorted(answered(document) - {"JsonValue"}, key=class_name)
    lines += [
        f"{class_name(name)}: TypeAlias = {type_of(schemas[name])}\n"
        for name in names
        if "properties" not in schemas[name]
    ]
    lines += [_class(class_name(name), schemas[name]) for name in names if "properties" in schemas[name]]
    return "".join(lines)


def _class(name: str, schema: Schema) -> str:
    lines = [f"\n\nclass {name}(Shape):\n", docstring(schema.get("description") or f"A {name}.", 4), "\n"]
    required = set(schema.get("required", []))
    for field, described in schema["properties"].items():
        annotation = type_of(described)
        if field not in required and "None" not in annotation and described.get("default") is None:
            # A field that an older service does not know is None.
            annotation = f"{annotation} | None"
        options = [] if field in required else [f"default={described.get('default')!r}"]
        if identifier(field) != field:
            options.append(f'alias="{field}"')
        value = f" = Field({', '.join(options)})" if options else ""
        lines.append(f"    {identifier(field)}: {annotation}{value}\n")
        if described.get("description"):
            lines.append(docstring(described["description"], 4))
    return "".join(lines)


def write_bodies(document: Schema) -> str:
    """The module of what the service takes besides plain values."""
    schemas = schemas_of(document)
    lines = [
        HEADER.format(summary="The shapes of what is sent."),
        "import datetime as dt\nfrom collections.abc import Mapping, Sequence\n",
        "from typing import Any, Literal, Required, TypeAlias, TypedDict\nfrom uuid import UUID\n\n",
    ]
    names = sorted(taken(document) - {"JsonValue"}, key=class_name)
    lines += [
        f"{class_name(name)}: TypeAlias = {type_of(schemas[name], sent=True)}\n"
        for name in names
        if "properties" not in schemas[name]
    ]
    for name in _in_order(names, schemas):
        schema = schemas[name]
        required = set(schema.get("required", []))
        lines += [
            f"\n\nclass {name}(TypedDict, total=False):\n",
            docstring(schema.get("description", f"A {name}."), 4),
            "\n",
        ]
        for field, described in schema["properties"].items():
            annotation = type_of(described, sent=True)
            lines.append(f"    {field}: {f'Required[{annotation}]' if field in required else annotation}\n")
            if described.get("description"):
                lines.append(docstring(described["description"], 4))
    return "".join(lines)


def _in_order(names: list[str], schemas: dict[str, Schema]) -> list[str]:
    """Those that are typed dictionaries, each after what it needs."""
    ordered: list[str] = []

    def add(name: str) -> None:
        if name in ordered or name not in names or "properties" not in schemas[name]:
            return
        for needed in sorted(reachable({"components": {"schemas": schemas}}, [schemas[name]]) - {name}):
            add(needed)
        ordered.append(name)

    for name in names:
        add(name)
    return ordered


def docstring(description: str, indent: int) -> str:
    """The text as a docstring at that indent."""
    pad = " " * indent
    text = description.strip().replace("\\", "\\\\")
    body = "\n".join(f"{pad}{line}".rstrip() for line in text.split("\n"))
    closing = f"\n{pad}" if "\n" in text or text.endswith('"') else ""
    return f'{pad}"""{body.strip()}{closing}"""\n'
