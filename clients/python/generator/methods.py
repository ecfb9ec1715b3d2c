"""Writes the module of methods, one for each operation; the synchronous ones follow from it."""

from clients.python.generator.document import (
    SPACE,
    Argument,
    Operation,
    Schema,
    operations,
    referred,
    schemas_of,
)
from clients.python.generator.shapes import docstring, type_of

_HEADER = '''"""The asynchronous methods. Written by `make client` from the OpenAPI document; not edited."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from citegraph_client.asynchronous.transport import AsyncCaller, AsyncPages
from citegraph_client.call import OMIT, Call, Omit
from citegraph_client.generated import answers as a
from citegraph_client.generated import bodies as b
'''


def write_methods(document: Schema) -> str:
    """The module of the client's methods."""
    every = operations(document)
    lines = [_HEADER]
    for name, summary, chosen in (
        (
            "AsyncSpaceMethods",
            "All that may be asked of one space.",
            [operation for operation in every if operation.is_of_space],
        ),
        (
            "AsyncClientMethods",
            "All that belongs to no space: the tenant's own things, and the operator's.",
            [operation for operation in every if not operation.is_of_space],
        ),
    ):
        lines.append(f'\n\nclass {name}(AsyncCaller):\n    """{summary}"""\n')
        lines += [_method(document, operation) for operation in chosen]
    return "".join(lines)


def _method(document: Schema, operation: Operation) -> str:
    answer = _answer(operation)
    first = [argument for argument in operation.arguments if argument.required]
    others = [argument for argument in operation.arguments if not argument.required]
    signature = ["self", *(f"{parameter.name}: {_type(parameter)}" for parameter in first)]
    if others or operation.takes_key or operation.takes_version:
        signature.append("*")
    signature += [f"{parameter.name}: {_optional(_type(parameter))} = OMIT" for parameter in others]
    if operation.takes_key:
        signature.append("idempotency_key: str | None = None")
    if operation.takes_version:
        signature.append("if_match: str | None = None")
    call = _call(operation)
    definition = "async def"
    if operation.is_paged:
        definition = "def"
        page, item = answer, _item(document, operation)
        returned = f"AsyncPages[{item}, {page}]"
        body = f"return AsyncPages(self, {call}, {page})"
    elif operation.is_text:
        returned, body = "str", f"return await self._read_text({call})"
    elif operation.answer is None:
        returned, body = "None", f"await self._perform({call})"
    else:
        returned, body = answer, f"return await self._send({call}, {answer})"
    return (
        f"\n    {definition} {operation.name}({', '.join(signature)},) -> {returned}:\n"
        f"{docstring(_described(operation), 8)}        {body}\n"
    )


def _answer(operation: Operation) -> str:
    if operation.answer is None:
        return "None"
    return type_of(operation.answer, prefix="a.")


def _item(document: Schema, operation: Operation) -> str:
    """The type of one item of a page."""
    page = referred(operation.answer or {})
    if page is None:
        raise ValueError(f"{operation.name} has pages without a name.")
    return type_of(schemas_of(document)[page]["properties"]["items"]["items"], prefix="a.")


def _type(argument: Argument) -> str:
    return type_of(argument.schema, sent=True, prefix="b.")


def _optional(annotation: str) -> str:
    """The type of an argument that may be left out."""
    with_none = " | None" if annotation.endswith(" | None") else ""
    return f"{annotation.removesuffix(' | None')} | Omit{with_none}"


def _call(operation: Operation) -> str:
    path = operation.path.removeprefix(SPACE) if operation.is_of_space else operation.path
    inner = {argument.name for argument in operation.arguments if argument.place == "path"}
    quoted = f'f"{path}"' if inner else f'"{path}"'
    parts = [f'"{operation.method}"', quoted]
    for place in ("query", "body"):
        given = [argument for argument in operation.arguments if argument.place == place]
        if given:
            parts.append(
                f"{place}={{{', '.join(f'{parameter.sent_as!r}: {parameter.name}' for parameter in given)}}}"
            )
    if operation.takes_key:
        parts.append("key=idempotency_key")
    elif operation.method == "POST":
        parts.append("reads=True")
    if operation.takes_version:
        parts.append("if_match=if_match")
    return f"Call({', '.join(parts)})"


def _described(operation: Operation) -> str:
    told = [
        f"{argument.name}: {argument.description}" for argument in operation.arguments if argument.description
    ]
    if operation.is_paged:
        told.append("page_size: How many one request fetches; all pages are read as you go on.")
    if operation.takes_version:
        told.append("if_match: The `etag` of what you read: where it has changed since, Stale is raised.")
    listed = "\n\n" + "\n".join(told) if told else ""
    return f"{operation.description.strip()}{listed}"
