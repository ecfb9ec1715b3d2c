"""Named SQL: an algorithm in SQL is a file `sql/<name>.sql` of its domain, first line a sentence.

Also the encoding of lists and numeric columns, and pending results. This module does not import numpy, which
most commands never need: a column's class is registered by its name.
"""

import re
import textwrap
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from uuid import UUID

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types.array import ListDumper

if TYPE_CHECKING:
    from app.db.arrays import Column

T = TypeVar("T")
R = TypeVar("R")
_INCLUDE_LINE = re.compile(r"^( *)-- include (\w+)$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--[^\n]*\n?", re.MULTILINE)
_STATEMENT_END = re.compile(r";\s*(?:\n|$)")
_TEXT_TYPES, _UUID_TYPES = {str, type(None)}, {UUID, type(None)}


@cache
def load_statement(statement_name: str) -> str:
    """Return the text of `app/<domain>/sql/<query>.sql` for a name such as `graph.list_edges`.

    Parameters are written `%(name)s`. A line `-- include edge_passes` is replaced by the file
    `sql/fragments/edge_passes.sql` of the same domain. Raises FileNotFoundError for an unknown name.
    """
    domain, _, query = statement_name.rpartition(".")
    sql_folder = files(f"app.{domain}").joinpath("sql")

    def read_included_file(match: re.Match[str]) -> str:
        # Without its first line, which describes the fragment.
        _, body = sql_folder.joinpath("fragments", f"{match[2]}.sql").read_text("utf-8").split("\n", 1)
        return textwrap.indent(_INCLUDE_LINE.sub(read_included_file, body).rstrip("\n"), match[1])

    return _INCLUDE_LINE.sub(read_included_file, sql_folder.joinpath(f"{query}.sql").read_text("utf-8"))


def split_statements(text: str) -> list[str]:
    """Split a named SQL file into its statements, each of which ends with a semicolon at a line's end."""
    return [
        statement
        for raw_statement in _STATEMENT_END.split(_COMMENT.sub("", text))
        if (statement := raw_statement.strip())
    ]


@cache
def list_statement_files() -> dict[str, Path]:
    """Return every file of a named statement by the name that `statement` takes, sorted by name."""
    app = Path(__file__).resolve().parents[1]
    file_by_name = {
        ".".join((*path.relative_to(app).parts[:-2], path.stem)): path for path in app.rglob("sql/*.sql")
    }
    return dict(sorted(file_by_name.items()))


class NumberedStatement(NamedTuple):
    """A statement with $1, $2 … as parameters, and the names of these in order."""

    text: bytes
    parameter_names: tuple[str, ...]


@cache
def load_numbered_statement(
    statement_name: str, absent_parameters: frozenset[str] = frozenset()
) -> NumberedStatement:
    """Return the statement with $1, $2 … as parameters (NULL for `absent_parameters` ones), and their names
    in order.

    psycopg would parse a statement of more than 4 kB at each call to do this (0.1 ms for 6 kB).
    """
    return _number_parameters(load_statement(statement_name), absent_parameters)


@cache
def load_numbered_statements_of_file(
    statement_name: str, absent_parameters: frozenset[str] = frozenset()
) -> tuple[NumberedStatement, ...]:
    """Return the statements of that file in this form; most files have one."""
    statements = split_statements(load_statement(statement_name))
    return (
        tuple(_number_parameters(statement, absent_parameters) for statement in statements)
        if len(statements) > 1
        else (load_numbered_statement(statement_name, absent_parameters),)
    )


def _number_parameters(text: str, absent_parameters: frozenset[str]) -> NumberedStatement:
    parameter_names: list[str] = []

    def number_parameter(match: re.Match[str]) -> str:
        if match[1] is None:
            return "%"
        if match[1] in absent_parameters:
            return "NULL"
        if match[1] not in parameter_names:
            parameter_names.append(match[1])
        return f"${parameter_names.index(match[1]) + 1}"

    numbered_text = re.sub(r"%%|%\((\w+)\)s", number_parameter, text).encode()
    return NumberedStatement(numbered_text, tuple(parameter_names))


class FastListDumper(ListDumper):
    """Dumps lists to the same arrays as ListDumper, in another notation.

    psycopg checks whether each element needs quotes, which was a tenth of ingest's own time; a text may
    always be quoted, and a uuid never needs quotes. Everything else is left to psycopg.
    """

    def dump(self, obj: list[Any]) -> Buffer | None:
        """Return the array as text. Raises as ListDumper does, for a NUL or a lone surrogate too."""
        element_types = set(map(type, obj))
        if element_types <= _UUID_TYPES:
            return f"{{{','.join('NULL' if value is None else str(value) for value in obj)}}}".encode()
        if not element_types <= _TEXT_TYPES:
            return super().dump(obj)
        list_text = ",".join(
            "NULL" if value is None else f'"{_escape_array_element(value)}"' for value in obj
        )
        return super().dump(obj) if "\0" in list_text else f"{{{list_text}}}".encode()


def _escape_array_element(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"') if "\\" in text or '"' in text else text


class ColumnDumper(Dumper):
    """Dumps a Column, whose bytes are in Postgres' binary format already."""

    format = Format.BINARY

    def dump(self, obj: "Column") -> Buffer:
        """Return the bytes."""
        return obj.body


def register_dumpers(connection: psycopg.Connection[Any]) -> None:
    """Register the dumpers of lists and columns on this connection."""
    connection.adapters.register_dumper(list, FastListDumper)
    connection.adapters.register_dumper("app.db.arrays.Column", ColumnDumper)


class Pending(Generic[T]):
    """A pending result. Within `OpenSession.pipelined` other statements may be sent before it is read."""

    def __init__(self, read: Callable[[], T]) -> None:
        """`read` waits for the result; once it has, it is not called again."""
        self._read = cache(read)

    @classmethod
    def completed(cls, value: T) -> "Pending[T]":
        """Return a pending result whose value is known already."""
        return cls(lambda: value)

    def then(self, convert: Callable[[T], R]) -> "Pending[R]":
        """Return a pending result with `convert` applied to this one when it is read."""
        return Pending(lambda: convert(self.result()))

    def result(self) -> T:
        """Wait for the result and return it, the same one each time. Raises the error of its statement."""
        return self._read()
