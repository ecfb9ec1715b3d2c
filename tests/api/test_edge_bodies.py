"""Bodies and parameters that cost more than they say, and refusals that repeat nothing (issue 9, points 2, 4,
10, 12).
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count, cycle
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from app.api.protocol import body_limits
from app.errors import InvalidInput
from app.http.input_text import Address, Name, Remark, SearchText, TypeName
from app.limits import MARKS
from app.tenancy.tenants.api_key_token import create_token
from tests.api import routes
from tests.api.conftest import World, open_account
from tests.api.edge import Served, serve

SECRET = "correct_horse_battery"
MARK = "\u0301"


@pytest.fixture(scope="module")
def world(world: World) -> World:
    """The same application with an account of this file's own as A: what is not refused changes it."""
    return replace(world, a=open_account(world.citegraph, world.http, "E"))


@pytest.fixture(scope="module")
def served(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that lets strangers ask as often as they like: what is measured is what a body costs."""
    with serve(world, tmp_path_factory.mktemp("served"), keyless_rate=0) as server:
        yield server


def post(world: World, body: bytes, *, key: str, path: str = "/retrieve") -> bytes:
    lines = [
        f"POST {world.a.space}{path} HTTP/1.1",
        "host: x",
        f"authorization: Bearer {key}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def slowest_beside(
    served: Served, attack: Callable[[], bytes], *, seconds: float = 6.0
) -> tuple[float, set[bytes]]:
    """The slowest answer of /healthz while six connections attack, and the statuses that they got."""
    ends = time.monotonic() + seconds
    statuses: set[bytes] = set()

    def keep_on() -> None:
        while time.monotonic() < ends:
            statuses.add(attack().split(b" ")[1])

    with ThreadPoolExecutor(6) as pool:
        for _ in range(6):
            pool.submit(keep_on)
        took = []
        while time.monotonic() < ends:
            started = time.monotonic()
            assert served.get("/healthz", source="127.0.0.3") == 200
            took.append(time.monotonic() - started)
            time.sleep(0.02)
    print(f"healthz: {len(took)} answers, slowest {max(took):.3f} s, {statuses}")
    return max(took), statuses


HEAVY = {
    "a third of a million lists": b"[" + b"[]," * 333_000 + b"[]]",
    "numbers": b"[" + b"1e9," * 240_000 + b"1]",
    "quotes": b"[" + b'"",' * 330_000 + b"1]",
    "escaped quotes": b'{"query": "' + b'\\"' * 480_000 + b'"}',
    "backslashes": b"[" + b'"\\\\",' * 190_000 + b"1]",
    "one open string": b'"' + b"a" * 990_000,
    "deep": b"[" * 990_000,
    "a long number": b'{"query": ' + b"9" * 900_000 + b"}",
    "combining marks": json.dumps({"query": "a" + MARK * 120_000}, ensure_ascii=False).encode(),
    "escaped combining marks": json.dumps({"query": "a" + MARK * 120_000}).encode(),
    "marks in names": json.dumps({"query": "x", "as_of": "e" + MARK * 160_000}).encode(),
}


@pytest.mark.soak
class TestBesideAnAttack:
    @pytest.mark.soak
    def test_a_stranger_with_a_million_brackets_slows_nobody(self, world: World, served: Served) -> None:
        request = post(world, HEAVY["a third of a million lists"], key=create_token().token)
        slowest, statuses = slowest_beside(served, lambda: served.exchange(request))
        assert statuses == {b"401"}
        assert slowest < 1.0

    @pytest.mark.slow
    @pytest.mark.soak
    def test_a_member_with_heavy_bodies_of_all_kinds_slows_nobody(self, world: World, served: Served) -> None:
        requests = cycle([post(world, body, key=world.a.keys["read"]) for body in HEAVY.values()])
        slowest, statuses = slowest_beside(served, lambda: served.exchange(next(requests)), seconds=8.0)
        assert statuses <= {b"422", b"429", b"503"}
        assert b"422" in statuses
        assert slowest < 2.0

    @pytest.mark.soak
    @pytest.mark.parametrize("name", HEAVY)
    def test_a_member_with_a_heavy_body_slows_nobody(self, world: World, served: Served, name: str) -> None:
        request = post(world, HEAVY[name], key=world.a.keys["read"])
        slowest, statuses = slowest_beside(served, lambda: served.exchange(request), seconds=3.0)
        assert statuses <= {b"422", b"429", b"503"}
        assert b"422" in statuses
        assert slowest < 2.0

    def test_none_of_it_left_an_error_in_the_log(self, served: Served) -> None:
        for sign in ("Traceback", "status=500", "unexpected_error"):
            assert sign not in served.log(), served.log()[-4_000:]


class TestJson:
    @pytest.mark.parametrize(
        ("body", "code"),
        [
            ("[" + ",".join(["[]"] * 12_000) + "]", "too_many_values"),
            ("[" + ",".join(["1"] * 20_001) + "]", "too_many_values"),
            (json.dumps([""] * 20_001), "too_many_values"),
            (json.dumps(["\\"] * 80_000), "too_many_values"),
            ("[" * 21 + "]" * 21, "too_deep"),
            ("[" * 190_000, "too_deep"),
            ('{"a":' * 15_000, "too_deep"),
        ],
    )
    def test_is_refused_before_it_is_read(
        self, body: str, code: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def read(*_: Any, **__: Any) -> None:
            raise AssertionError("was read")

        monkeypatch.setattr(json, "loads", read)
        with pytest.raises(InvalidInput) as refused:
            body_limits.read_json(body.encode())
        assert refused.value.code == code

    @pytest.mark.parametrize(
        "value",
        [
            {"text": ",[{" * 60_000},
            {"text": 'he said "no", she said "yes" \\ ' * 5_000},
            {"text": "\\" * 50_000 + '"' * 50_000},
            [1] * 19_999,
            [[[[1], 2], 3], {"a": [{}]}] * 1_000,
        ],
    )
    def test_what_stands_in_strings_is_not_counted(self, value: Any) -> None:
        assert body_limits.read_json(json.dumps(value).encode()) == value

    def test_a_large_body_is_read_beside_the_event_loop(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[str] = []
        read = body_limits.read_json

        def noted(body: bytes) -> Any:
            seen.append(threading.current_thread().name)
            return read(body)

        monkeypatch.setattr(body_limits, "read_json", noted)
        for padding in (0, 100_000):
            body = b'{"query": "Ada Lovelace"' + b" " * padding + b"}"
            headers = {**world.a.bearer("read"), "content-type": "application/json"}
            assert (
                world.http.post(f"{world.a.space}/retrieve", headers=headers, content=body).status_code == 200
            )
        assert "AnyIO worker thread" not in seen[0]
        assert "AnyIO worker thread" in seen[1]


class TestText:
    def test_marks_in_a_row_are_counted(self, world: World) -> None:
        for marks, status in ((MARKS.maximum, 200), (MARKS.maximum + 1, 422)):
            body = {"query": "Ada" + MARK * marks}
            answer = world.http.post(f"{world.a.space}/retrieve", headers=world.a.bearer("read"), json=body)
            assert answer.status_code == status
        assert answer.json()["code"] == "too_many_marks"

    @pytest.mark.parametrize(
        "kind",
        [Name, Address, Remark, SearchText, TypeName],
    )
    def test_the_length_is_known_before_anything_looks_at_the_text(self, kind: Any) -> None:
        """A megabyte of marks costs no more than its length: normalising 120 kB of them took 18 seconds."""
        started = time.perf_counter()
        with pytest.raises(ValidationError) as refused:
            TypeAdapter(kind).validate_python("a" + MARK * 1_000_000)
        assert refused.value.errors()[0]["type"] == "too_long"
        assert time.perf_counter() - started < 0.1


@pytest.fixture(scope="module")
def operations(world: World) -> list[routes.Operation]:
    return routes.operations(world.http.get("/openapi.json").json())


class TestUnknownParameters:
    def test_every_route_refuses_them_and_does_not_repeat_them(
        self, world: World, operations: list[routes.Operation]
    ) -> None:
        for operation in operations:
            headers = routes.operator() if operation.scope == "operator" else world.a.bearer()
            url = operation.url(world.a)
            for query in (f"{SECRET}=1", f"{SECRET}", f"limits={SECRET}", f"Limit=1&x={SECRET}"):
                answer = world.http.request(
                    operation.method, f"{url}?{query}", headers=headers, json=operation.body(world.a)
                )
                assert (answer.status_code, answer.json()["code"]) == (422, "unknown_parameter"), operation
                assert SECRET not in answer.text

    @pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/openapi.json"])
    def test_routes_that_take_no_key_refuse_them_too(self, world: World, path: str) -> None:
        answer = world.http.get(f"{path}?{SECRET}=1")
        assert (answer.status_code, answer.json()["code"]) == (422, "unknown_parameter")
        assert SECRET not in answer.text
        assert world.http.get(path).status_code == 200

    def test_what_a_route_declares_is_taken(self, world: World, operations: list[routes.Operation]) -> None:
        declared = 0
        for operation in operations:
            for parameter in operation.described.get("parameters", ()):
                if parameter["in"] != "query" or operation.method != "GET":
                    continue
                declared += 1
                headers = routes.operator() if operation.scope == "operator" else world.a.bearer()
                answer = world.http.get(f"{operation.url(world.a)}?{parameter['name']}=1", headers=headers)
                assert answer.status_code != 422 or answer.json()["code"] != "unknown_parameter", operation
        assert declared > 20


class TestNoEcho:
    @pytest.mark.parametrize("every", [20, pytest.param(1, marks=pytest.mark.soak)])
    def test_no_refusal_of_a_body_repeats_what_was_sent(
        self, world: World, operations: list[routes.Operation], every: int
    ) -> None:
        """As a field's name, as each field's value, within lists and objects, and as the name of an
        attribute.
        """
        document = world.http.get("/openapi.json").json()
        refused = 0
        turns = count()
        for operation in operations:
            if not (names := fields(document, operation)):
                continue
            headers = routes.operator() if operation.scope == "operator" else world.a.bearer()
            bodies: list[Any] = [
                {SECRET: 1},
                [SECRET],
                SECRET,
                {**(operation.body(world.a) or {}), SECRET: SECRET},
            ]
            for name in names:
                for value in (SECRET, [SECRET], {SECRET: SECRET}, [{SECRET: 1}], {SECRET: {SECRET: SECRET}}):
                    bodies.append({name: value})
                    bodies.append({"settings": {name: value}})
                    bodies.append({"documents": [{name: value}]})
            for body in bodies:
                # Of bodies in fifteens, each seventh: for each field another two or three.
                if next(turns) % every:
                    continue
                answer = world.http.request(
                    operation.method, operation.url(world.a), headers=headers, json=body
                )
                if 400 <= answer.status_code < 500:
                    refused += 1
                    assert SECRET not in answer.text, (operation, body, answer.text)
                assert answer.status_code in (503, *range(500))
        assert refused > 500 / every

    def test_no_refusal_of_a_form_repeats_what_was_sent(self, world: World) -> None:
        for fields_, files in (
            ({SECRET: SECRET}, {"file": ("a.txt", b"text", "text/plain")}),
            ({"format": SECRET}, {"file": ("a.txt", b"text", "text/plain")}),
            ({"metadata": f'{{"{SECRET}": NaN}}'}, {"file": ("a.txt", b"text", "text/plain")}),
            ({"language": SECRET}, {SECRET: ("a.txt", b"text", "text/plain")}),
            ({}, {"file": ("a.txt", b"\x00\x01", SECRET)}),
        ):
            url = f"{world.a.space}/documents"
            answer = world.http.post(url, headers=world.a.bearer(), data=fields_, files=files)
            assert 400 <= answer.status_code < 500, answer.text
            assert SECRET not in answer.text

    def test_no_refusal_of_a_parameter_repeats_what_was_sent(
        self, world: World, operations: list[routes.Operation]
    ) -> None:
        refused = 0
        for operation in operations:
            for parameter in operation.described.get("parameters", ()):
                if parameter["in"] != "query":
                    continue
                headers = routes.operator() if operation.scope == "operator" else world.a.bearer()
                query = f"{parameter['name']}={SECRET}{'x' * 2_000}"
                answer = world.http.request(
                    operation.method,
                    f"{operation.url(world.a)}?{query}",
                    headers=headers,
                    json=operation.body(world.a),
                )
                assert answer.status_code == 422, (operation, parameter["name"])
                assert SECRET not in answer.text
                refused += 1
        assert refused > 20


def fields(document: dict[str, Any], operation: routes.Operation) -> list[str]:
    """The names of the fields of an operation's body, and of those one level within."""
    body = operation.described.get("requestBody")
    if body is None:
        return []
    found: set[str] = set()
    pending = [body]
    while pending:
        fragment = pending.pop()
        if isinstance(fragment, dict):
            if "$ref" in fragment:
                name = fragment["$ref"].rpartition("/")[2]
                if f"#{name}" not in found:
                    found.add(f"#{name}")
                    pending.append(document["components"]["schemas"][name])
            found.update(
                fragment.get("properties", {}) if isinstance(fragment.get("properties"), dict) else ()
            )
            pending.extend(fragment.values())
        elif isinstance(fragment, list):
            pending.extend(fragment)
    return sorted(name for name in found if not name.startswith("#"))
