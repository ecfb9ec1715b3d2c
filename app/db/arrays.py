"""Lists as Postgres reads arrays, for the two kinds that ingest sends by the thousand: texts and uuids.

psycopg asks of each element whether it needs quotes, which was a tenth of ingest's own time; a text may always
have them, and a uuid never needs any. Everything else is left to psycopg.
"""

from typing import Any
from uuid import UUID

import psycopg
from psycopg.abc import Buffer
from psycopg.types.array import ListDumper

_TEXT, _UUID = {str, type(None)}, {UUID, type(None)}


class FastListDumper(ListDumper):
    """Writes what ListDumper writes, in another spelling of the same arrays."""

    def dump(self, obj: list[Any]) -> Buffer | None:
        """The array as text. Raises as ListDumper does, for a NUL or a lone surrogate too."""
        kinds = set(map(type, obj))
        if kinds <= _UUID:
            return f"{{{','.join('NULL' if each is None else str(each) for each in obj)}}}".encode()
        if not kinds <= _TEXT:
            return super().dump(obj)
        written = ",".join("NULL" if each is None else f'"{_escaped(each)}"' for each in obj)
        return super().dump(obj) if "\0" in written else f"{{{written}}}".encode()


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"') if "\\" in text or '"' in text else text


def register(connection: psycopg.Connection[Any]) -> None:
    """Have this connection write its lists so."""
    connection.adapters.register_dumper(list, FastListDumper)
