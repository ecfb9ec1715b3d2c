"""Processes of our own that a command starts and always ends: the API and the worker.

A child has a session of its own, so that Ctrl-C reaches only the parent, which then ends its children
in order. The parent holds the writing end of the child's stdin: when the parent is killed, the child
reads the end of it and stops by itself.
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

from app.settings import Settings

# A worker first finishes its step and hands its job back; then it is made to end.
PATIENCE = 45.0

WithParent = Annotated[bool, typer.Option("--with-parent", hidden=True)]


class Child:
    """A `citegraph` command that runs as a process of ours. `log` None lets it write to our stderr.

    Without an `environment` it has ours.
    """

    def __init__(
        self,
        settings: Settings,
        *command: str,
        log: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = command[0]
        self.log = log
        # -P: a folder named `app` in the directory of whoever runs this is none of ours.
        self._command = [sys.executable, "-P", "-m", "app.cli.main", *command, "--with-parent"]
        self._environment = {**(environment or {**os.environ}), **build_environment(settings)}
        self.start()

    def start(self) -> None:
        """Start it, for the first time or after it has ended."""
        with ExitStack() as stack:
            output: IO[Any] = sys.stderr
            if self.log is not None:
                self.log.parent.mkdir(parents=True, exist_ok=True)
                output = stack.enter_context(self.log.open("ab"))
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def exit_code(self) -> int | None:
        """None while it runs; afterwards its exit code, negative for a signal."""
        return self._process.poll()

    def ask_to_stop(self) -> None:
        """Have it stop, without waiting for that."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        """It has ended afterwards: asked first, killed when it does not listen."""
        self.ask_to_stop()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


@contextmanager
def run_children(
    settings: Settings, *commands: tuple[str, Path | None], environment: Mapping[str, str] | None = None
) -> Iterator[list[Child]]:
    """The commands, started in order and all stopped at the end, together.

    Without an `environment` they have ours.
    """
    with ExitStack() as stack:
        started: list[Child] = []
        for command, log in commands:
            child = Child(settings, command, log=log, environment=environment)
            stack.callback(child.stop)
            started.append(child)
        try:
            yield started
        finally:
            for child in started:
                child.ask_to_stop()


def end_with_parent() -> None:
    """Have this process stop by SIGTERM as soon as its stdin ends: whoever started it is gone."""

    def watch() -> None:
        # The bare descriptor: a forked pool process must not inherit the lock of sys.stdin.
        while os.read(0, 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="end_with_parent").start()


def build_environment(settings: Settings) -> dict[str, str]:
    """The addresses in use, so that the child opens no servers of its own, and what a command chose."""
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
