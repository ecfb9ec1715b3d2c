"""The service's OpenAPI document, read into the few facts that the client is written from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]
SPACE = "/v1/spaces/{space_id}"
BY_HAND = frozenset(
    {
        "submit_documents",
        "estimate_documents",
        "preview_document",
        "import_space",
        "export_space",
        "watch_job",
        "read_metrics",
    }
)
"""Operations whose bodies are files or whose answers are streams: the package has methods of its own."""
READING = frozenset({"explain", "preview_merge", "read_neighbors", "retrieve", "suggest_tags"})
"""POSTs that change nothing and cost nothing, and are sent again without a key."""
_REFERENCE = "#/components/schemas/"


@dataclass(frozen=True)
class Argument:
    """One argument of a method. `place` is where it is sent: path, query or body."""

    name: str
    sent_as: str
    schema: Schema
    place: str
    required: bool
    description: str


@dataclass(frozen=True)
class Operation:
    """One method of the client."""

    name: str
    method: str
    path: str
    description: str
    arguments: tuple[Argument, ...]
    answer: Schema | None
    is_text: bool
    takes_version: bool
    """Whether it is carried out only on the version that the caller has seen: If-Match."""

    @property
    def is_of_space(self) -> bool:
        """Return whether it belongs to one space."""
        return self.path.startswith(SPACE)

    @property
    def takes_key(self) -> bool:
        """Return whether it is carried out once under an Idempotency-Key."""
        return self.method == "POST" and self.name not in READING

    @property
    def is_paged(self) -> bool:
        """Return whether its answer comes page by page."""
        return any(argument.sent_as == "cursor" for argument in self.arguments)


def identifier(name: str) -> str:
    """The name as Python may use it."""
    return f"{name}_" if name in ("from", "in", "is", "not", "class", "global") else name


def class_name(schema_name: str) -> str:
    """The class of a schema: a page of nodes is a NodePage."""
    listing = re.fullmatch(r"Listing_(\w+?)(?:Answer)?_", schema_name)
    return f"{listing[1]}Page" if listing else schema_name


def referred(schema: Schema) -> str | None:
    """The name of the schema that this one refers to."""
    reference = schema.get("$ref")
    return None if reference is None else str(reference).removeprefix(_REFERENCE)


def schemas_of(document: Schema) -> dict[str, Schema]:
    """All schemas by name."""
    found: dict[str, Schema] = document["components"]["schemas"]
    return found


def reachable(document: Schema, roots: list[Schema]) -> set[str]:
    """The names of all schemas that these schemas need."""
    schemas = schemas_of(document)
    found: set[str] = set()
    waiting: list[Any] = list(roots)
    while waiting:
        fragment = waiting.pop()
        if isinstance(fragment, list):
            waiting.extend(fragment)
        elif isinstance(fragment, dict):
            name = referred(fragment) if isinstance(fragment.get("$ref"), str) else None
            if name is not None and name not in found:
                found.add(name)
                waiting.append(schemas[name])
            waiting.extend(fragment.values())
    return found


def operations(document: Schema) -> list[Operation]:
    """Every operation but those written by hand, in the order of the document."""
    return [
        _operation(document, method, path, found)
        for path, methods in document["paths"].items()
        for method, found in methods.items()
        if found["operationId"] not in BY_HAND
    ]


def _operation(document: Schema, method: str, path: str, found: Schema) -> Operation:
    success = next(body for status, body in found["responses"].items() if status.startswith("2"))
    content = success.get("content", {})
    answer = content.get("application/json", {}).get("schema")
    arguments = [*_parameters(found), *_fields(document, found)]
    names = [argument.name for argument in arguments]
    if len(names) != len(set(names)):
        raise ValueError(f"{found['operationId']} has two arguments of one name.")
    return Operation(
        name=found["operationId"],
        method=method.upper(),
        path=path,
        description=found.get("description", ""),
        arguments=tuple(arguments),
        answer=answer,
        is_text=bool(content) and answer is None,
        takes_version=any(parameter["name"] == "If-Match" for parameter in found.get("parameters", [])),
    )


def _parameters(found: Schema) -> Iterator[Argument]:
    for parameter in found.get("parameters", []):
        if parameter["in"] == "header" or (parameter["name"] == "space_id" and parameter["in"] == "path"):
            continue
        name = identifier(parameter["name"])
        is_page_size = parameter["name"] == "limit" and any(
            other["name"] == "cursor" for other in found["parameters"]
        )
        yield Argument(
            "page_size" if is_page_size else name,
            parameter["name"],
            parameter["schema"],
            parameter["in"],
            parameter["required"],
            "" if is_page_size else parameter.get("description", ""),
        )


def _fields(document: Schema, found: Schema) -> Iterator[Argument]:
    body = found.get("requestBody", {}).get("content", {}).get("application/json")
    if body is None:
        return
    name = referred(body["schema"])
    if name is None:
        raise ValueError(f"{found['operationId']} takes a body that is no single schema.")
    schema = schemas_of(document)[name]
    required = set(schema.get("required", []))
    for field, described in schema.get("properties", {}).items():
        yield Argument(
            identifier(field), field, described, "body", field in required, described.get("description", "")
        )
