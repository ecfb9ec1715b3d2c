"""Runs code on untrusted texts in a child process that may loop, raise, crash or use up memory without other
harm. `child_process.py` sets the limits of memory and processor time.
"""

import contextlib
import os
import pickle
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from app.sandbox import wire
from app.sandbox.child_process import Request, build_fault
from app.sandbox.shapes import Fault, FaultKind

Common = TypeVar("Common")
Item = TypeVar("Item")
Result = TypeVar("Result")
ItemAndSeconds = tuple[Item, int]
"""An item, and the seconds of CPU time that it may take."""

_REPOSITORY_FOLDER = Path(__file__).resolve().parents[2]
# Seconds between two calls of `while_waiting`.
_POLL_SECONDS = 0.1
# A child that waits for a CPU on a busy machine is slow; one that sleeps must be killed in the end.
_WALL_TIME_FACTOR, _EXTRA_WALL_SECONDS = 4, 20.0


def do_nothing() -> None:
    """Do nothing while waiting."""


class Session(Protocol):
    """Calls functions on items, one after the other."""

    def map(
        self,
        function: Callable[[Common, Item], Result],
        common: Common,
        items: Sequence[ItemAndSeconds[Item]],
        *,
        while_waiting: Callable[[], None] = do_nothing,
    ) -> Generator[Result | Fault]:
        """Yield `function(common, item)` for each item, in order, or its Fault.

        `while_waiting` is called several times a second; an exception that it raises ends the work.
        """
        ...


class Sandbox(Protocol):
    """A factory of sessions."""

    def open_session(self) -> AbstractContextManager[Session]:
        """Open a session that nobody else uses; what was read in it is gone at its end."""
        ...

    def close(self) -> None:
        """Stop what was started for the sandbox."""
        ...


class ForkServer:
    """A process that forks children; see fork_server.py. It ends with this object and with the process that
    created it.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="cg-"))
        self.address = str(self._folder / "s")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.address)
            # A client that connects before the modules are imported waits for its answer and is not refused.
            listener.listen(128)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app.sandbox.fork_server", str(listener.fileno()), *modules],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=_REPOSITORY_FOLDER,
                # Nothing of our environment: no keys, no database address. One thread, because it forks.
                env={
                    "PYTHONPATH": str(_REPOSITORY_FOLDER),
                    "PYTHONDONTWRITEBYTECODE": "1",
                    "LC_ALL": "C.UTF-8",
                    "OPENBLAS_NUM_THREADS": "1",
                    "OMP_NUM_THREADS": "1",
                },
                pass_fds=[listener.fileno()],
                # Signals of a terminal go to the worker only, which ends its children itself.
                start_new_session=True,
            )
        self._finalizer = weakref.finalize(self, _end_fork_server, self._process, self._folder, os.getpid())

    @property
    def pid(self) -> int:
        """The id of the fork server's process."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Return whether it still accepts connections."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process and its children."""
        self._finalizer()


def _end_fork_server(process: subprocess.Popen[bytes], folder: Path, owner_pid: int) -> None:
    if os.getpid() != owner_pid:
        # A fork of the owner, which continues to use the fork server.
        return
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)


class ProcessSandbox:
    """A sandbox of child processes, forked from a fork server that is started when it is first needed.

    `memory_bytes` is what a child may use in addition to the modules that it is forked with.
    """

    def __init__(
        self, *, memory_bytes: int, modules: Sequence[str] = (), fork_server: ForkServer | None = None
    ) -> None:
        self._memory_bytes = memory_bytes
        self._modules = modules
        # The fork server of another process, which also ends it.
        self._shared_fork_server = fork_server
        self._own_fork_server: ForkServer | None = None
        self._owner_pid = os.getpid()
        self._lock = threading.Lock()

    def open_session(self) -> "ProcessSession":
        """Open a session with its own child."""
        return ProcessSession(self._connect_to_fork_server, self._memory_bytes)

    def close(self) -> None:
        """End the fork server that this process started."""
        with self._lock:
            fork_server, self._own_fork_server = self._own_fork_server, None
        if fork_server is not None:
            fork_server.close()

    def _connect_to_fork_server(self) -> socket.socket:
        if self._shared_fork_server is not None:
            with contextlib.suppress(OSError):
                return _connect_socket(self._shared_fork_server.address)
        with self._lock:
            if self._own_fork_server is not None and not self._own_fork_server.is_alive():
                self._own_fork_server.close()
                self._own_fork_server = None
            if self._own_fork_server is None:
                self._own_fork_server = ForkServer(self._modules)
            return _connect_socket(self._own_fork_server.address)


class InProcessSandbox:
    """Runs everything in this process, with exceptions caught but no limits: for trusted texts, as in
    benchmarks and tests.
    """

    @contextlib.contextmanager
    def open_session(self) -> "Generator[InProcessSession]":
        """Open a session."""
        yield InProcessSession()

    def close(self) -> None:
        """Do nothing: nothing was started."""


class InProcessSession:
    """Calls the functions directly."""

    def map(
        self,
        function: Callable[[Common, Item], Result],
        common: Common,
        items: Sequence[ItemAndSeconds[Item]],
        *,
        while_waiting: Callable[[], None] = do_nothing,
    ) -> Generator[Result | Fault]:
        """See Session; `while_waiting` is called once before each item."""
        for item, _ in items:
            while_waiting()
            try:
                result: Result | Fault = function(common, item)
            except Exception as error:
                result = build_fault(error)
            yield result


def _connect_socket(address: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


class ProcessSession:
    """One child at a time, forked when it is needed and replaced if it is lost."""

    def __init__(self, connect: Callable[[], socket.socket], memory_bytes: int) -> None:
        self._connect_to_fork_server = connect
        self._memory_bytes = memory_bytes
        self._connection: socket.socket | None = None
        self._inbox = wire.Inbox()
        # When `while_waiting` is called next, however fast answers arrive.
        self._next_wait_call_at = time.monotonic() + _POLL_SECONDS

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close_connection()

    def map(
        self,
        function: Callable[[Common, Item], Result],
        common: Common,
        items: Sequence[ItemAndSeconds[Item]],
        *,
        while_waiting: Callable[[], None] = do_nothing,
    ) -> Generator[Result | Fault]:
        """See Session. If a child is lost, a new child continues with the next item."""
        item_index = 0
        while item_index < len(items):
            remaining_items = tuple(items[item_index:])
            try:
                is_sent = self._send_request(Request(function, common, remaining_items, self._memory_bytes))
                for _, seconds in remaining_items:
                    answer = self._await_answer(seconds, while_waiting) if is_sent else Fault(FaultKind.CRASH)
                    is_lost = isinstance(answer, Fault) and answer.kind in (
                        FaultKind.TIME,
                        FaultKind.MEMORY,
                        FaultKind.CRASH,
                    )
                    if is_lost:
                        self._close_connection()
                    yield answer
                    item_index += 1
                    if is_lost:
                        break
            except BaseException:
                # Also if the caller stops early: answers to this request must not be read as answers to the
                # next one.
                self._close_connection()
                raise

    def _send_request(self, request: Request) -> bool:
        if self._connection is None:
            self._connection, self._inbox = self._connect_to_fork_server(), wire.Inbox()
        try:
            self._connection.sendall(wire.encode_frame(request))
        except OSError:
            return False
        return True

    def _await_answer(self, seconds: int, while_waiting: Callable[[], None]) -> Any:
        connection = self._connection
        assert connection is not None
        deadline = time.monotonic() + _WALL_TIME_FACTOR * seconds + _EXTRA_WALL_SECONDS
        while True:
            if time.monotonic() >= self._next_wait_call_at:
                started_at = time.monotonic()
                while_waiting()
                self._next_wait_call_at = time.monotonic() + _POLL_SECONDS
                deadline += time.monotonic() - started_at
            if (frame := self._take_answer()) is not None:
                return frame[0]
            if select.select([connection], [], [], _POLL_SECONDS)[0]:
                try:
                    received_bytes = connection.recv(1 << 20)
                except OSError:
                    received_bytes = b""
                if not received_bytes:
                    return _build_fault_from_status(self._inbox.get_exit_status())
                self._inbox.add_bytes(received_bytes)
            elif time.monotonic() > deadline:
                return Fault(FaultKind.TIME)

    def _take_answer(self) -> tuple[Any] | None:
        try:
            return self._inbox.take_value()
        except (pickle.UnpicklingError, AttributeError, EOFError, IndexError, TypeError, ValueError):
            # Our own code sends no such answer.
            return (Fault(FaultKind.CRASH),)

    def _close_connection(self) -> None:
        """Hang up: the fork server then kills the child."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _build_fault_from_status(status: int | None) -> Fault:
    if status is not None and os.WIFSIGNALED(status):
        if os.WTERMSIG(status) == signal.SIGXCPU:
            return Fault(FaultKind.TIME)
        if os.WTERMSIG(status) == signal.SIGKILL:
            # While the caller waits, only the kernel's out-of-memory killer kills a child.
            return Fault(FaultKind.MEMORY)
    return Fault(FaultKind.CRASH)
