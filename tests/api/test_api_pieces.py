"""The pure pieces: cursors, the meaning of database errors, JSON as it is read."""

import contextlib
import json
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from structlog.testing import capture_logs

from app.api import cursors, problems
from app.api.protocol import body_limits
from app.errors import CitegraphError, InvalidInput
from app.http import database_errors

SECRET = b"s" * 32


class TestCursors:
    @given(st.lists(st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False), max_size=4))
    def test_are_decoded_to_what_was_encoded(self, position: list[Any]) -> None:
        position = json.loads(json.dumps(position))
        scope = ("nodes", uuid4(), None)
        if len(cursor := cursors.encode_cursor(SECRET, scope, position)) <= 512:
            assert cursors.decode_cursor(SECRET, scope, cursor) == position

    @given(st.text(max_size=600))
    def test_nothing_else_is_taken_for_one(self, text: str) -> None:
        with pytest.raises(InvalidInput, match="cursor"):
            cursors.decode_cursor(SECRET, ("nodes",), text)

    def test_belong_to_their_secret_list_owner_and_filters(self) -> None:
        cursor = cursors.encode_cursor(SECRET, ("nodes", 1, "a"), ["x"])
        for secret, scope in [
            (b"t" * 32, ("nodes", 1, "a")),
            (SECRET, ("edges", 1, "a")),
            (SECRET, ("nodes", 2, "a")),
            (SECRET, ("nodes", 1, "b")),
            (SECRET, ("nodes", "1a")),
        ]:
            with pytest.raises(InvalidInput):
                cursors.decode_cursor(secret, scope, cursor)


class TestDatabaseErrors:
    @pytest.mark.parametrize(
        ("states", "status"),
        [
            ("22P02 22021 22P05 22003 22008 54000 54001", 422),
            ("23505 23503", 409),
            ("40P01 40001 57014 55P03 53300 57P01 57P02 57P03 08006", 503),
            ("42501 42P01 22012", 500),
        ],
    )
    def test_rule_a6_and_nothing_of_their_words(self, states: str, status: int) -> None:
        for state in states.split():
            cause = psycopg.errors.lookup(state)("canary $3 = 'secret'")
            for error in (cause, DBAPIError("SELECT canary", {"p": "secret"}, cause)):
                with capture_logs() as logs:
                    answer = problems.build_problem(error, "r")
                assert answer.status_code == status, state
                assert b"canary" not in answer.body
                assert b"secret" not in answer.body
                assert ("retry-after" in answer.headers) == (status == 503)
                assert any(log["event"] == "isolation_alert" for log in logs) == (state == "42501")

    def test_a_lost_connection_and_a_full_pool_are_503(self) -> None:
        for error in (psycopg.OperationalError("connection refused"), PoolTimeout("pool")):
            explained = database_errors.translate_database_error(error)
            assert isinstance(explained, CitegraphError)
            assert explained.status == 503


class TestReadingJson:
    def test_at_the_limits(self) -> None:
        deep = "[" * 19 + "1" + "]" * 19
        assert body_limits.read_json(f'{{"a": {deep}}}'.encode()) is not None
        with pytest.raises(InvalidInput, match="20 levels"):
            body_limits.read_json(f'{{"a": [{deep}]}}'.encode())
        assert len(body_limits.read_json(json.dumps({str(n): n for n in range(1_000)}).encode())) == 1_000
        with pytest.raises(InvalidInput, match="1,000 keys"):
            body_limits.read_json(json.dumps([{str(n): n} for n in range(1_001)]).encode())

    @given(st.binary(max_size=200))
    def test_any_bytes_are_refused_or_read_as_json_would(self, body: bytes) -> None:
        with contextlib.suppress(InvalidInput, HTTPException):
            assert body_limits.read_json(body) == json.loads(body.decode("utf-8-sig"))
