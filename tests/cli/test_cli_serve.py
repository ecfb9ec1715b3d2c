"""The socket from which several processes accept connections."""

import socket

import uvicorn

from app.cli.processes.serve import bind_listener


def test_connections_send_small_parts_of_an_answer_at_once() -> None:
    """Head and body leave separately: the second may not wait for the first to be acknowledged."""
    with bind_listener(uvicorn.Config("unused", host="127.0.0.1", port=0)) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
