"""Lists come back from Postgres as they went in, whatever stands in them."""

from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest

from app.db.arrays import Column
from app.db.database import Database
from app.derived.communities.graph_arrays import convert_uuids_to_ids
from tests.conftest import Home

pytestmark = pytest.mark.shared_database

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


@pytest.mark.parametrize(
    ("kind", "word", "given"),
    [
        ("smallint", "i2", [0, -1, 32_767]),
        ("int", "i4", [0, -(2**31), 2**31 - 1]),
        ("real", "f4", [0.5, -1.25, float("inf")]),
        ("float8", "f8", [0.1, -1e300]),
        ("int", "i4", []),
    ],
)
def test_a_column_of_numbers_comes_back_as_it_was(
    database: Database, home: Home, kind: str, word: str, given: list[float]
) -> None:
    with database.open_space(home.tenant_id, home.space_id) as space:
        column = Column.from_numbers(np.array(given), word)
        found = space.connection.execute(f"SELECT %s::{kind}[]".encode(), [column]).fetchone()
    assert found == (given,)


def test_a_column_of_uuids_comes_back_as_it_was(database: Database, home: Home) -> None:
    given = [UUID(int=0), UUID(int=2**128 - 1), uuid4()]
    with database.open_space(home.tenant_id, home.space_id) as space:
        column = Column.from_uuids(convert_uuids_to_ids(given))
        assert space.connection.execute("SELECT %s::uuid[]", [column]).fetchone() == (given,)
