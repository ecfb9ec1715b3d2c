"""Every act of the API answers on a cluster as on one machine: status and body, but for ids and times."""

import difflib
import json
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import httpx2
import psycopg
import pytest
from sqlalchemy import URL
from starlette.testclient import TestClient

from app.db.engine import convert_to_conninfo
from app.db.migrate import migrate
from app.main import create_app
from tests.api.conftest import Account, World, assembled, open_account
from tests.api.routes import Operation, operations
from tests.support.citus import only_on_a_cluster
from tests.support.database_copies import copy_database, drop_database
from tests.support.pooler import as_app

ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}")
KEY_ID = re.compile(r"^cg_live_([^_]+)_")
ELAPSED = re.compile(r'(?<="elapsed_seconds":)[\d.]+')
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
OF_THE_RUN = re.compile(
    r"^(request_id|.*_(ms|seconds)|ms|seconds|token|secret|key_id|etag|next_cursor|cursor|signature)$"
)
"""Fields whose values are of the run: how long something took, what is drawn by chance, what holds an id."""
SIDES = ("alone", "spread")
DIGITS = 4
"""Of a number that is no integer: what is older scores less, with each second."""


@pytest.fixture(scope="module")
def worlds(
    admin_url: URL, template: str, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[World, World]]:
    """The same two accounts in a database of one machine and in a cluster's, both of this module alone."""
    only_on_a_cluster(pytestconfig)
    alone, spread = (admin_url.set(database=f"citegraph_{side}_{secrets.token_hex(6)}") for side in SIDES)
    with ExitStack() as stack:
        admin = stack.enter_context(psycopg.connect(convert_to_conninfo(admin_url), autocommit=True))
        admin.execute(f"CREATE DATABASE {alone.database}".encode())
        stack.callback(admin.execute, f"DROP DATABASE {alone.database} WITH (FORCE)".encode())
        migrate(alone.render_as_string(hide_password=False))
        copy_database(admin_url, str(spread.database), template=template)
        stack.callback(drop_database, admin_url, str(spread.database))
        worlds = []
        for side, url in zip(SIDES, (alone, spread), strict=True):
            parts = stack.enter_context(assembled(as_app(url), tmp_path_factory.mktemp(side)))
            http = stack.enter_context(TestClient(create_app(parts)))
            worlds.append(World(parts, http, *(open_account(parts, http, letter) for letter in "AB")))
        yield worlds[0], worlds[1]


def in_order(document: dict[str, Any]) -> list[Operation]:
    """All operations: what reads, what changes, what reads once more, and what takes away, the space last."""
    found = operations(document)
    reading = [operation for operation in found if operation.method == "GET"]
    changing = [operation for operation in found if operation.method not in ("GET", "DELETE")]
    removing = [operation for operation in found if operation.method == "DELETE"]
    return [*reading, *changing, *reading, *sorted(removing, key=lambda operation: -len(operation.path))]


class Names:
    """What one side draws by chance, as every side shows it: ids by the order in which they are shown."""

    def __init__(self, account: Account) -> None:
        self._names = {key_id_of(token): f"<key {name}>" for name, token in account.keys.items()}
        self._drawn = re.compile(f"{ID.pattern}|{'|'.join(self._names)}")

    def plain(self, value: Any, field: str = "") -> Any:
        """The value with ids by their number and without times."""
        if isinstance(value, dict):
            return {self.plain(name): self.plain(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.plain(inner) for inner in value]
        if value is not None and OF_THE_RUN.match(field):
            return "<of the run>"
        if isinstance(value, float):
            return round(value, DIGITS)
        if isinstance(value, str):
            return self._drawn.sub(self._name, ELAPSED.sub("0", TIME.sub("<time>", value)))
        return value

    def _name(self, match: re.Match[str]) -> str:
        return self._names.setdefault(match[0].replace("-", ""), f"<{len(self._names)}>")


def key_id_of(token: str) -> str:
    """The part of a key that names it."""
    match = KEY_ID.match(token)
    assert match is not None
    return match[1]


def body_of(answer: httpx2.Response, operation: Operation) -> Any:
    """The body as JSON, as a list of it for one a line, or its text."""
    try:
        body = answer.json()
    except ValueError:
        try:
            return [json.loads(line) for line in answer.text.splitlines()]
        except ValueError:
            return answer.text
    if operation.path.endswith("/overview") and "queue" in body:
        # The time of one that was put off may come on one side before it is asked for.
        body["queue"]["waiting"] += body["queue"].pop("delayed")
    if operation.path.endswith("/communities"):
        # Two of a size stand in the order of their ids, which are drawn by chance.
        body["items"].sort(key=lambda community: community["title"])
    return body


def differing_lines(answers: Sequence[Any]) -> list[str]:
    """The lines of two answers that the other has not."""
    one, other = (json.dumps(answer, indent=1, ensure_ascii=False).splitlines() for answer in answers)
    return list(difflib.unified_diff(one, other, "one machine", "cluster", n=1, lineterm=""))


def test_every_act_answers_as_on_one_machine(worlds: tuple[World, World]) -> None:
    document = worlds[0].http.get("/openapi.json").json()
    names = [Names(side.a) for side in worlds]
    statuses = Counter[int]()
    differences = {}
    for number, operation in enumerate(in_order(document)):
        answers = []
        for side, side_names in zip(worlds, names, strict=True):
            answer = operation.send(side, side.a)
            answers.append((answer.status_code, side_names.plain(body_of(answer, operation))))
            if operation.method != "GET":
                side.drain()
        statuses[answers[0][0]] += 1
        if lines := differing_lines(answers):
            differences[f"{number} {operation.method} {operation.path}"] = lines
    for act, lines in differences.items():
        print(act, *lines, sep="\n")
    assert not differences
    assert sum(count for status, count in statuses.items() if status < 300) > 100, statuses
