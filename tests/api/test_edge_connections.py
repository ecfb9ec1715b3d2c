"""Strangers at the socket: many connections, slow ones, and requests of two meanings (issue 9, points 3 and
4).
"""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.api.conftest import World
from tests.api.edge import Served, descriptors, read_all, serve
from tests.support.sampling import sampled

pytestmark = pytest.mark.soak

NEIGHBOUR = "127.0.0.3"


@pytest.fixture(scope="module")
def roomy(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that takes more connections than select() could."""
    folder = tmp_path_factory.mktemp("roomy")
    with serve(world, folder, max_connections=2_000, max_connections_per_address=0) as served:
        yield served


@pytest.fixture(scope="module")
def strict(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with little room and little patience."""
    with serve(
        world,
        tmp_path_factory.mktemp("strict"),
        max_connections=60,
        max_connections_per_address=40,
        head_timeout=1.5,
        transfer_timeout=1.5,
        idle_timeout=1.0,
    ) as served:
        yield served


@pytest.fixture(scope="module")
def few(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that answers five requests without a key at once, and then one in 20 seconds."""
    folder = tmp_path_factory.mktemp("few")
    with serve(world, folder, keyless_rate=0.05, keyless_burst=5) as served:
        yield served


def head(world: World, *lines: str, method: str = "POST", path: str = "") -> bytes:
    start = [f"{method} {path or world.a.space + '/retrieve'} HTTP/1.1", "host: x"]
    key = f"authorization: Bearer {world.a.keys['full']}"
    return "\r\n".join([*start, key, "content-type: application/json", *lines, "", ""]).encode()


class TestMany:
    def test_1100_idle_connections_keep_no_valid_request_from_its_answer(
        self, world: World, roomy: Served
    ) -> None:
        """Their descriptors are over 1,023 in the server; select() refused those of the database."""
        with descriptors(2_000), roomy.hold(1_100):
            deadline = time.monotonic() + 5
            while len(os.listdir(f"/proc/{roomy.pid}/fd")) < 1_100 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert len(os.listdir(f"/proc/{roomy.pid}/fd")) > 1_100
            key = world.a.keys["read"]
            assert {roomy.get(world.a.space, key) for _ in range(60)} == {200}

    def test_idle_connections_over_the_limit_make_room_in_the_order_of_their_age(
        self, world: World, strict: Served
    ) -> None:
        with strict.hold(59, "127.0.0.2"), strict.hold(30, "127.0.0.4", first=b"GET / HTT"):
            key = world.a.keys["read"]
            for source in ("127.0.0.2", "127.0.0.4", NEIGHBOUR):
                assert {strict.get(world.a.space, key, source=source) for _ in range(20)} == {200}
            assert strict.metric('citegraph_connections_ended_total{reason="made_room"}') > 0
            assert strict.metric("citegraph_connections") <= 60

    def test_one_address_at_work_on_all_its_connections_is_refused_more_and_others_are_not(
        self, world: World, strict: Served
    ) -> None:
        waits = head(world, "content-length: 1000")
        with strict.hold(40, "127.0.0.2", first=waits):
            time.sleep(0.3)
            refused = strict.exchange(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n", source="127.0.0.2")
            assert refused.startswith(b"HTTP/1.1 503"), refused
            assert b"retry-after: " in refused
            assert b'"code": "busy"' in refused
            assert strict.get("/healthz", source=NEIGHBOUR) == 200


class TestKeyless:
    @pytest.mark.parametrize(
        ("number", "path", "key"),
        sampled(
            [
                pytest.param(11, "/nowhere", ""),
                pytest.param(12, "/metrics", ""),
                pytest.param(13, "/v1/spaces", ""),
                pytest.param(14, "/v1/spaces", "made up"),
            ],
            every=3,
        ),
    )
    def test_an_address_that_asks_too_often_is_refused_and_no_other(
        self, world: World, few: Served, number: int, path: str, key: str
    ) -> None:
        """A key that was verified before is let through, from the same address too; so are signs of life."""
        source, own = f"127.0.0.{number}", world.a.keys["read"]
        made_up = f"cg_live_0a1b2c3d_{'A' * 43}" if key else ""
        assert few.get(world.a.space, own, source=NEIGHBOUR) == 200
        seen = [few.get(path, made_up, source=source) for _ in range(7)]
        assert 429 not in seen[:5]
        assert seen[5:] == [429, 429]
        assert few.get(world.a.space, own, source=source) == 200
        assert few.get("/healthz", source=source) == 200
        assert few.get(path, made_up, source=f"127.0.0.{number + 10}") in (200, 401, 404)

    def test_the_refusal_says_when_to_come_again_and_hangs_up(self, few: Served) -> None:
        source = "127.0.0.31"
        for body in (b"", b"{}"):
            request = f"POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
            request = request if body else "GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n"
            for _ in range(6):
                answer = few.exchange(
                    request.replace("host: x", "host: x\r\nconnection: close").encode() + body, source=source
                )
            assert answer.startswith(b"HTTP/1.1 429 "), answer
            answer = few.exchange(request.encode() + body, source=source)
            assert b"retry-after: " in answer.lower()
            assert b"connection: close" in answer.lower()
            assert b'"code": "too_many_without_key"' in answer
            assert b"application/problem+json" in answer
        assert few.metric('citegraph_refusals_total{reason="too_many_without_key"}') >= 4

    def test_a_key_that_turns_out_to_be_valid_costs_nothing(self, world: World, few: Served) -> None:
        source = "127.0.0.32"
        for key in ("read", "full", "read"):
            assert {few.get(world.b.space, world.b.keys[key], source=source) for _ in range(6)} == {200}
        assert few.get("/nowhere", source=source) == 404


class TestSlow:
    def ends(self, connection: socket.socket, drip: bytes, *, within: float) -> bytes:
        """What the server said to a client that sends a byte each 0.2 s."""
        started = time.monotonic()
        connection.settimeout(0.2)
        received = b""
        while time.monotonic() - started < within:
            try:
                connection.sendall(drip)
                part = connection.recv(65_536)
            except TimeoutError:
                continue
            except OSError:
                return received
            if not part:
                return received
            received += part
        raise AssertionError(f"still open after {within} s: {received!r}")

    def test_a_head_that_comes_by_the_byte_is_timed_out(self, strict: Served) -> None:
        with strict.connect() as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nx-slow: ")
            answer = self.ends(connection, b"a", within=5)
        assert answer.startswith(b"HTTP/1.1 408")
        assert b'"code": "request_timeout"' in answer

    def test_a_body_that_comes_by_the_byte_is_timed_out(self, world: World, strict: Served) -> None:
        with strict.connect() as connection:
            connection.sendall(head(world, "content-length: 100000"))
            answer = self.ends(connection, b" ", within=5)
        assert answer.startswith(b"HTTP/1.1 408")

    def test_a_refusal_is_read_though_the_client_goes_on_sending(self, world: World, strict: Served) -> None:
        """And the connection of one who only drips on ends."""
        request = head(world, "content-length: 100000").replace(b"Bearer cg_", b"Bearer no_")
        with strict.connect() as connection:
            connection.sendall(request)
            answer = self.ends(connection, b" ", within=5)
        assert answer.startswith(b"HTTP/1.1 401")
        assert b"connection: close" in answer

    def test_a_body_at_a_fair_pace_may_take_longer_than_the_time_out(
        self, world: World, strict: Served
    ) -> None:
        body = b'{"query": "Ada Lovelace"' + b" " * 149_999 + b"}"
        with strict.connect() as connection:
            connection.sendall(head(world, f"content-length: {len(body)}", "connection: close"))
            for start in range(0, len(body), 15_000):
                connection.sendall(body[start : start + 15_000])
                time.sleep(0.22)
            assert read_all(connection).startswith(b"HTTP/1.1 200")

    @pytest.mark.parametrize(
        "first", [b"", b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"], ids=["new", "kept alive"]
    )
    def test_an_idle_connection_is_closed(self, strict: Served, first: bytes) -> None:
        with strict.connect(timeout=5) as connection:
            connection.sendall(first)
            started = time.monotonic()
            answer = read_all(connection)
            assert 0.5 < time.monotonic() - started < 4
        assert answer.count(b"HTTP/1.1 ") == (1 if first else 0)

    def test_an_answer_that_nobody_reads_ends(self, strict: Served) -> None:
        """Pipelined requests whose answers fill every buffer; what is closing waits for its reader no longer
        than that.
        """
        before = strict.metric("citegraph_connections")
        with strict.connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            with suppress(OSError):
                connection.sendall(b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n" * 50)
            deadline = time.monotonic() + 60
            while strict.metric("citegraph_connections") > before and time.monotonic() < deadline:
                time.sleep(0.5)
            assert strict.metric("citegraph_connections") <= before


CHUNKED = "transfer-encoding: chunked"


class TestOneMeaning:
    @pytest.mark.parametrize(
        "lines",
        [
            ["content-length: 5", CHUNKED],
            [CHUNKED, "content-length: 5"],
            ["content-length: 5", "content-length: 6"],
            ["transfer-encoding: x, chunked"],
            ["content-length: +5"],
            ["content-length: 5", "transfer-encoding : chunked"],
        ],
    )
    def test_a_body_of_two_lengths_is_refused(self, world: World, strict: Served, lines: list[str]) -> None:
        smuggled = b"0\r\n\r\nGET /metrics HTTP/1.1\r\nhost: x\r\n\r\n"
        answer = strict.exchange(head(world, *lines) + smuggled)
        assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 501")), answer
        assert answer.count(b"HTTP/1.1 ") == 1
        assert b"application/problem+json" in answer

    def test_chunks_are_not_of_http_1_0(self, world: World, strict: Served) -> None:
        request = head(world, CHUNKED).replace(b"HTTP/1.1", b"HTTP/1.0") + b"2\r\n{}\r\n0\r\n\r\n"
        assert strict.exchange(request).startswith(b"HTTP/1.1 400")

    def test_a_body_in_crumbs_is_refused(self, world: World, strict: Served) -> None:
        """Each chunk costs as much as a large one: 200,000 of one byte held the loop for seconds."""
        started = time.monotonic()
        answer = strict.exchange(head(world, CHUNKED) + b"1\r\n \r\n" * 200_000 + b"0\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 400"), answer[:300]
        assert time.monotonic() - started < 3

    def test_a_body_in_fair_chunks_is_read(self, world: World, strict: Served) -> None:
        chunks = b"".join(b"200\r\n" + b" " * 512 + b"\r\n" for _ in range(300))
        end = b"18\r\n" + b'{"query": "Ada Lovelace"' + b"\r\n1\r\n}\r\n0\r\n\r\n"
        answer = strict.exchange(head(world, CHUNKED, "connection: close") + chunks + end)
        assert answer.startswith(b"HTTP/1.1 200"), answer[:300]


class TestHangingUp:
    def test_a_client_that_hangs_up_is_no_error(self, world: World, strict: Served) -> None:
        """In the middle of its body, of a form, of the head, while the answer is made."""
        form = head(world, "content-length: 9000", path=f"{world.a.space}/documents")
        form = form.replace(b"application/json", b"multipart/form-data; boundary=b")
        start = b'--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc'
        whole = b'{"query": "Ada Lovelace"}'
        for sent in (
            head(world, "content-length: 1000") + b'{"query',
            head(world, CHUNKED) + b"3\r\n{  \r\n",
            form + start,
            b"GET /healthz HTTP/1.1\r\nho",
            head(world, f"content-length: {len(whole)}") + whole,
        ):
            for _ in range(3):
                with strict.connect() as connection:
                    connection.sendall(sent)
                    time.sleep(0.1)
                    # A reset, as of a process that was killed.
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        time.sleep(0.5)
        assert (
            strict.metric(
                'citegraph_http_requests_total{method="POST",route="/v1/spaces/{space_id}/retrieve",status="499"}'
            )
            >= 6
        )


def test_none_of_it_left_an_error_in_the_log(strict: Served, roomy: Served) -> None:
    """Runs last: not a trace, and not one 500."""
    for served in (strict, roomy):
        assert served.get("/healthz") == 200
        for sign in ("Traceback", "status=500", "unexpected_error", "answer_cut_short", "[error"):
            assert sign not in served.log(), served.log()[-4_000:]
