"""Lists come back from Postgres as they went in, whatever stands in them."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from app.db.session import Database
from tests.conftest import Home

TEXTS = [
    "",
    "NULL",
    "null",
    "{a,b}",
    'say "no"',
    "back\\slash",
    "\\",
    '"',
    " spaces ",
    "new\nline\ttab",
    "é ☃ 𝔘",
    "'",
]


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("text", TEXTS),
        ("text", [None, "a", None]),
        ("text", [None]),
        ("text", []),
        ("uuid", [UUID(int=0), None, uuid4()]),
        ("uuid", []),
        ("int", [1, None, -(2**31)]),
        ("float8", [0.1, None, float("inf"), -1e300]),
        ("bool", [True, None, False]),
    ],
)
def test_a_list_comes_back_as_it_went(database: Database, home: Home, kind: str, given: list[Any]) -> None:
    with database.open_space(home.tenant_id, home.space_id) as space:
        row = space.connection.execute(f"SELECT %s::{kind}[]".encode(), [given]).fetchone()
    assert row == (given,)


def test_what_psycopg_refuses_is_refused(database: Database, home: Home) -> None:
    for bad, error in (("a\0b", psycopg.DataError), ("\ud800", UnicodeEncodeError)):
        with pytest.raises(error), database.open_space(home.tenant_id, home.space_id) as space:
            space.connection.execute("SELECT %s::text[]", [[bad]])
