"""Named SQL: an algorithm in SQL is a file `sql/<name>.sql` of its domain, first line a sentence.

And how its lists and columns of numbers are sent, and results that nobody has waited for yet. Nothing here
imports numpy, which most commands never need: a column's class is known by its name.
"""

import re
import textwrap
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar
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
_INCLUDE = re.compile(r"^( *)-- include (\w+)$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--[^\n]*\n?", re.MULTILINE)
_END = re.compile(r";\s*(?:\n|$)")
_TEXT, _UUID = {str, type(None)}, {UUID, type(None)}


@cache
def load_statement(name: str) -> str:
    """The text of `app/<domain>/sql/<query>.sql` for a name such as `graph.anchors` or `jobs.cancel_jobs`.

    Parameters stand in it as `%(name)s`. A line `-- include edge_passes` stands for the file
    `sql/fragments/edge_passes.sql` of the same domain. Raises FileNotFoundError for an unknown name.
    """
    domain, _, query = name.rpartition(".")
    folder = files(f"app.{domain}").joinpath("sql")

    def included(match: re.Match[str]) -> str:
        # Its first line, the sentence that says what it is, stays in its file.
        _, body = folder.joinpath("fragments", f"{match[2]}.sql").read_text("utf-8").split("\n", 1)
        return textwrap.indent(_INCLUDE.sub(included, body).rstrip("\n"), match[1])

    return _INCLUDE.sub(included, folder.joinpath(f"{query}.sql").read_text("utf-8"))


def split_statements(text: str) -> list[str]:
    """Each statement of a named SQL file that holds several; between two a line ends with the semicolon."""
    return [part for piece in _END.split(_COMMENT.sub("", text)) if (part := piece.strip())]


@cache
def list_statement_files() -> dict[str, Path]:
    """Every file of a named statement by the name that `statement` takes, in order of names."""
    app = Path(__file__).resolve().parents[1]
    named = {
        ".".join((*path.relative_to(app).parts[:-2], path.stem)): path for path in app.rglob("sql/*.sql")
    }
    return dict(sorted(named.items()))


@cache
def load_numbered(name: str, absent: frozenset[str] = frozenset()) -> tuple[bytes, tuple[str, ...]]:
    """The same statement with $1, $2 … for its parameters, and their names in that order; NULL for the
    absent.

    psycopg would read a statement of more than 4 kB anew at each call to do this (0.1 ms for 6 kB).
    """
    return _number_parameters(load_statement(name), absent)


@cache
def load_numbered_parts(
    name: str, absent: frozenset[str] = frozenset()
) -> tuple[tuple[bytes, tuple[str, ...]], ...]:
    """The statements of that file, each so: most files hold one."""
    parts = split_statements(load_statement(name))
    return (
        tuple(_number_parameters(part, absent) for part in parts)
        if len(parts) > 1
        else (load_numbered(name, absent),)
    )


def _number_parameters(text: str, absent: frozenset[str]) -> tuple[bytes, tuple[str, ...]]:
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        if match[1] is None:
            return "%"
        if match[1] in absent:
            return "NULL"
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    return re.sub(r"%%|%\((\w+)\)s", number, text).encode(), tuple(names)


class FastListDumper(ListDumper):
    """Writes what ListDumper writes, in another spelling of the same arrays.

    psycopg asks of each element whether it needs quotes, which was a tenth of ingest's own time; a text may
    always have them, and a uuid never needs any. Everything else is left to psycopg.
    """

    def dump(self, obj: list[Any]) -> Buffer | None:
        """The array as text. Raises as ListDumper does, for a NUL or a lone surrogate too."""
        kinds = set(map(type, obj))
        if kinds <= _UUID:
            return f"{{{','.join('NULL' if value is None else str(value) for value in obj)}}}".encode()
        if not kinds <= _TEXT:
            return super().dump(obj)
        written = ",".join("NULL" if value is None else f'"{_escape(value)}"' for value in obj)
        return super().dump(obj) if "\0" in written else f"{{{written}}}".encode()


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"') if "\\" in text or '"' in text else text


class ColumnDumper(Dumper):
    """Sends a Column as it is."""

    format = Format.BINARY

    def dump(self, obj: "Column") -> Buffer:
        """The bytes."""
        return obj.body


def register_dumpers(connection: psycopg.Connection[Any]) -> None:
    """Have this connection write its lists and columns so."""
    connection.adapters.register_dumper(list, FastListDumper)
    connection.adapters.register_dumper("app.db.arrays.Column", ColumnDumper)


class Pending(Generic[T]):
    """One result to come. Others may be asked for meanwhile, within `OpenSession.pipelined`."""

    def __init__(self, read: Callable[[], T]) -> None:
        """`read` waits for the answer; it is called once at most."""
        self._read = read

    @classmethod
    def of(cls, value: T) -> "Pending[T]":
        """A result that is there already, where nothing had to be asked."""
        return cls(lambda: value)

    def then(self, make: Callable[[T], R]) -> "Pending[R]":
        """Make something of the result by `make`, once somebody waits for it."""
        return Pending(lambda: make(self.result()))

    def result(self) -> T:
        """The result. Waits for it; raises what its statement raised."""
        return self._read()
