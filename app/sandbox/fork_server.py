"""The server that forks the children of a sandbox: a process that has imported everything.

Run as `python -m app.sandbox.fork_server LISTENER MODULE[:FUNCTION]…`. It gets no environment of ours, opens
nothing and has one thread. A client that connects to its socket gets its own child, forked in milliseconds.
The server never reads a text itself, so it responds at once: it kills a child whose connection was closed,
writes the exit status of an ended child to its connection, and ends with all children when its standard input
closes. A child that runs longer gets a lower priority, so that short work of one tenant does not wait for
long work of another.
"""

import contextlib
import ctypes
import gc
import os
import select
import signal
import socket
import sys
import time
from importlib import import_module

from app.sandbox import child_process, wire

_PR_SET_PDEATHSIG = 1
# Like a multilevel feedback queue: a child that runs longer than this gets only the CPU time that others
# leave.
_LONG_SECONDS, _LONG_NICENESS = 1.0, 10


class _ForkServerProcess:
    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._children: dict[int, socket.socket] = {}
        # Children of normal priority, oldest first, and when their priority is lowered.
        self._normal_priority_until: dict[int, float] = {}
        self._wake_socket, self._waking_socket = socket.socketpair()
        self._poll = select.poll()

    def serve(self) -> None:
        """Fork, kill and reap children until standard input closes."""
        self._waking_socket.setblocking(False)
        self._wake_socket.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waking_socket.fileno(), warn_on_full_buffer=False)
        for ready_file in (sys.stdin, self._listener, self._wake_socket):
            self._poll.register(ready_file.fileno(), select.POLLIN)
        while True:
            events = dict(self._poll.poll(_LONG_SECONDS * 1000 if self._normal_priority_until else None))
            if sys.stdin.fileno() in events:
                break
            if self._wake_socket.fileno() in events:
                with contextlib.suppress(BlockingIOError):
                    self._wake_socket.recv(4096)
            for pid, connection in self._children.items():
                if connection.fileno() in events:
                    os.kill(pid, signal.SIGKILL)
            self._reap_children()
            self._lower_priorities()
            if self._listener.fileno() in events:
                self._fork_child()
        for pid in self._children:
            os.kill(pid, signal.SIGKILL)

    def _fork_child(self) -> None:
        connection, _ = self._listener.accept()
        pid = os.fork()
        if pid == 0:
            self._become_child(connection)
        self._children[pid] = connection
        self._normal_priority_until[pid] = time.monotonic() + _LONG_SECONDS
        # No event but the end of the connection, which is always reported.
        self._poll.register(connection.fileno(), 0)

    def _become_child(self, connection: socket.socket) -> None:
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            if sys.platform == "linux":
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            # Other children's connections carry texts of other tenants.
            for inherited_socket in (
                self._listener,
                self._wake_socket,
                self._waking_socket,
                *self._children.values(),
            ):
                inherited_socket.close()
            with open(os.devnull, "rb") as null_device:
                os.dup2(null_device.fileno(), sys.stdin.fileno())
            child_process.serve_requests(connection)
            status = 0
        except (OSError, MemoryError):
            # The client has gone, or there is no memory left to answer.
            pass
        finally:
            os._exit(status)

    def _lower_priorities(self) -> None:
        now = time.monotonic()
        for pid in [pid for pid, lowered_at in self._normal_priority_until.items() if lowered_at <= now]:
            del self._normal_priority_until[pid]
            # Not reaped yet, so its id is not another process's.
            os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, 0) + _LONG_NICENESS)

    def _reap_children(self) -> None:
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            connection = self._children.pop(pid)
            self._normal_priority_until.pop(pid, None)
            self._poll.unregister(connection.fileno())
            connection.setblocking(False)
            with contextlib.suppress(OSError), connection:
                connection.sendall(wire.encode_exit_status(status))


def main(arguments: list[str]) -> None:
    """Import the modules that children need, then serve."""
    listener = socket.socket(fileno=int(arguments[0]))
    for name in arguments[1:]:
        module, _, function = name.partition(":")
        imported_module = import_module(module)
        if function:
            getattr(imported_module, function)()
    # Objects that are never collected are never written to, so they stay shared with the children.
    gc.collect()
    gc.freeze()
    _ForkServerProcess(listener).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
