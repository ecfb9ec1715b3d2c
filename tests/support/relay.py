"""A way to a server that can be cut off or fall silent, as a server that stops or freezes."""

import socket
import threading
from contextlib import suppress


class Relay:
    """Passes bytes on to a server, at an address of its own, until it is cut off."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._listener: socket.socket | None = None
        self._open: set[socket.socket] = set()
        self.address = ("127.0.0.1", 0)
        self._flowing = threading.Event()
        self._flowing.set()
        self.mend()

    def mend(self) -> None:
        """Answer at the address again."""
        self._listener = socket.create_server(self.address)
        self.address = self._listener.getsockname()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self) -> None:
        """Refuse every connection from now on, and break those that are open."""
        assert self._listener is not None
        # Closing it alone would leave the thread that waits in it.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            self._close(connection)

    def freeze(self) -> None:
        """Pass nothing on from now on; connections are taken and stand, as those of a frozen machine do."""
        self._flowing.clear()

    def thaw(self) -> None:
        """Pass on again, also what came meanwhile."""
        self._flowing.set()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(self._target)
                self._open |= {near, far}
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._flowing.wait()
                sink.sendall(data)
        self._close(source)
        self._close(sink)

    def _close(self, connection: socket.socket) -> None:
        self._open.discard(connection)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()
