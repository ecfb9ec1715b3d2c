"""Counts what is sent to the database, by whatever way: named statements, the ORM's and the door's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import psycopg


@contextmanager
def sent_statements() -> Iterator[list[str]]:
    """The statements that are sent inside, of all threads of this process, as they are sent.

    A SET LOCAL in a pipeline belongs to the statement before it: to one machine both go as one text.
    """
    sent: list[str] = []
    execute = psycopg.Cursor.execute

    def noted(cursor: psycopg.Cursor[Any], query: Any, *args: Any, **options: Any) -> Any:
        text = query.decode() if isinstance(query, bytes) else str(query)
        if sent and text.startswith("SET LOCAL") and cursor.connection.pgconn.pipeline_status:
            sent[-1] += f"; {text}"
        else:
            sent.append(text)
        return execute(cursor, query, *args, **options)

    with patch.object(psycopg.Cursor, "execute", noted):
        yield sent
