"""Named SQL: an algorithm in SQL is a file `sql/<name>.sql` of its domain, first line a sentence."""

import re
import textwrap
from functools import cache
from importlib.resources import files

_INCLUDE = re.compile(r"^( *)-- include (\w+)$", re.MULTILINE)


@cache
def statement(name: str) -> str:
    """The text of `app/<domain>/sql/<query>.sql` for a name such as `graph.two_hops`.

    Parameters stand in it as `%(name)s`. A line `-- include edge_passes` stands for the file
    `sql/fragments/edge_passes.sql` of the same domain. Raises FileNotFoundError for an unknown name.
    """
    domain, query = name.split(".")
    folder = files(f"app.{domain}").joinpath("sql")

    def included(found: re.Match[str]) -> str:
        # Its first line, the sentence that says what it is, stays in its file.
        _, body = folder.joinpath("fragments", f"{found[2]}.sql").read_text("utf-8").split("\n", 1)
        return textwrap.indent(_INCLUDE.sub(included, body).rstrip("\n"), found[1])

    return _INCLUDE.sub(included, folder.joinpath(f"{query}.sql").read_text("utf-8"))


@cache
def numbered(name: str, absent: frozenset[str] = frozenset()) -> tuple[bytes, tuple[str, ...]]:
    """The same statement with $1, $2 … for its parameters, and their names in that order; NULL for the
    absent.

    psycopg would read a statement of more than 4 kB anew at each call to do this (0.1 ms for 6 kB).
    """
    names: list[str] = []

    def number(found: re.Match[str]) -> str:
        if found[1] is None:
            return "%"
        if found[1] in absent:
            return "NULL"
        if found[1] not in names:
            names.append(found[1])
        return f"${names.index(found[1]) + 1}"

    text = re.sub(r"%%|%\((\w+)\)s", number, statement(name))
    return text.encode(), tuple(names)
