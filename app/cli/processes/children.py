"""Processes that a command starts and always stops: the API and the worker.

A child runs in its own session, so that Ctrl-C reaches only the parent, which then stops its children
in order. The parent holds the write end of the child's stdin: if the parent is killed, the child reads
end of file and stops by itself.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from app.errors import ConfigurationError
from app.settings import Settings

# Seconds: on SIGTERM a worker finishes its step and releases its job; after this it is killed.
STOP_SECONDS = 45.0

WithParent = Annotated[bool, typer.Option("--with-parent", hidden=True)]


class ChildProcess:
    """A `citegraph` command that runs as a child process.

    With `log_path` None its output goes to this process's stderr; without `environment` it inherits ours.
    """

    def __init__(
        self,
        settings: Settings,
        *command: str,
        log_path: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = command[0]
        self.log_path = log_path
        # -P: do not import a folder named `app` from the current directory.
        self._command = [sys.executable, "-P", "-m", "app.cli.main", *command, "--with-parent"]
        self._environment = {**(environment or {**os.environ}), **build_environment_of_child(settings)}
        self.start()

    def start(self) -> None:
        """Start the process, for the first time or after it has ended."""
        with ExitStack() as stack:
            output: IO[Any] = sys.stderr
            if self.log_path is not None:
                self.log_path.parent.mkdir(parents=True, exist_ok=True)
                output = stack.enter_context(self.log_path.open("ab"))
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def exit_code(self) -> int | None:
        """Return None while the process runs, else its exit code, negative for a signal."""
        return self._process.poll()

    def require_running(self) -> None:
        """Raise ConfigurationError if the process has ended."""
        if (exit_code := self.exit_code()) is not None:
            raise ConfigurationError(
                f"The {self.name} ended with exit code {exit_code}; see {self.log_path}."
            )

    def send_sigterm(self) -> None:
        """Send SIGTERM, without waiting for the process to end."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        """Stop the process: send SIGTERM, and SIGKILL to its group if it still runs after STOP_SECONDS."""
        self.send_sigterm()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


@contextmanager
def run_children(
    settings: Settings,
    *commands_and_log_paths: tuple[str, Path | None],
    environment: Mapping[str, str] | None = None,
) -> Iterator[list[ChildProcess]]:
    """Start the commands in order; at the end stop all of them at the same time.

    Without `environment` they inherit ours.
    """
    with ExitStack() as stack:
        children: list[ChildProcess] = []
        for command, log_path in commands_and_log_paths:
            child = ChildProcess(settings, command, log_path=log_path, environment=environment)
            stack.callback(child.stop)
            children.append(child)
        try:
            yield children
        finally:
            for child in children:
                child.send_sigterm()


def terminate_at_end_of_stdin() -> None:
    """Send SIGTERM to this process when its stdin reaches end of file, because its parent has ended."""

    def wait_for_end_of_stdin() -> None:
        # Read the bare descriptor: a forked pool process must not inherit the lock of sys.stdin.
        while os.read(0, 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait_for_end_of_stdin, daemon=True, name="terminate_at_end_of_stdin").start()


def build_environment_of_child(settings: Settings) -> dict[str, str]:
    """Return the environment for a child: the addresses in use, so that it starts no servers of its own.

    It includes an embedding model that the command chose.
    """
    assert settings.database_url is not None
    assert settings.redis_url is not None
    model_choice = (
        {} if settings.embedding_model is None else {"CITEGRAPH_EMBEDDING_MODEL": settings.embedding_model}
    )
    return {
        **model_choice,
        "CITEGRAPH_DATABASE_URL": settings.database_url,
        "CITEGRAPH_REDIS_URL": settings.redis_url,
        "CITEGRAPH_HOST": settings.host,
        "CITEGRAPH_PORT": str(settings.port),
        "PYTHONUNBUFFERED": "1",
    }
