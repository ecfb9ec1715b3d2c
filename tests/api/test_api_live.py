"""A real server on loopback: bodies whose declared length lies."""

import socket
from collections.abc import Iterator

import pytest

from tests.api.conftest import World


def exchange(address: tuple[str, int], head: str, body: Iterator[bytes]) -> bytes:
    """The raw answer to a raw request; the server may answer and hang up before all is sent."""
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode() + b"\r\n")
        try:
            for part in body:
                connection.sendall(part)
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = b""
        try:
            while b"\r\n\r\n" not in answer or b"}" not in answer:
                received = connection.recv(65_536)
                if not received:
                    break
                answer += received
        except ConnectionResetError:
            pass
        return answer


FORM_START = b'--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'


def chunks(start: bytes, size: int, total: int) -> Iterator[bytes]:
    yield f"{len(start):x}\r\n".encode() + start + b"\r\n"
    for _ in range(total // size):
        yield f"{size:x}\r\n".encode() + b"a" * size + b"\r\n"
    yield b"0\r\n\r\n"


class TestLyingLengths:
    def head(self, world: World, *lines: str) -> str:
        return "\n".join(
            [
                f"POST {world.a.space}/documents HTTP/1.1",
                "host: x",
                f"authorization: Bearer {world.a.keys['full']}",
                *lines,
                "",
            ]
        )

    @pytest.mark.parametrize(
        ("media", "start"),
        [
            ("application/json", b'{"text": "'),
            ("multipart/form-data; boundary=b", FORM_START),
        ],
        ids=["json", "form"],
    )
    def test_row_29_bytes_are_counted_as_they_arrive(
        self, world: World, address: tuple[str, int], media: str, start: bytes
    ) -> None:
        """A chunked body has no length to believe; it ends at the limit, not after 50 MB."""
        head = self.head(world, f"content-type: {media}", "transfer-encoding: chunked")
        answer = exchange(address, head, chunks(start, 65_536, 50_000_000))
        assert answer.startswith(b"HTTP/1.1 413"), answer[:200]
        assert b"payload_too_large" in answer

    def test_row_28_a_declared_length_over_the_limit_is_refused_unread(
        self, world: World, address: tuple[str, int]
    ) -> None:
        head = self.head(world, "content-type: application/json", "content-length: 20000000")
        assert exchange(address, head, iter(())).startswith(b"HTTP/1.1 413")

    def test_a_length_that_is_no_number_is_refused(self, world: World, address: tuple[str, int]) -> None:
        head = self.head(world, "content-type: application/json", "content-length: 1e3")
        assert exchange(address, head, iter([b"{}"])).startswith(b"HTTP/1.1 400")

    def test_row_60_a_header_of_100_kb(self, world: World, address: tuple[str, int]) -> None:
        answer = exchange(address, self.head(world, "x-long: " + "a" * 100_000), iter(()))
        assert answer.startswith((b"HTTP/1.1 431", b"HTTP/1.1 400"))
