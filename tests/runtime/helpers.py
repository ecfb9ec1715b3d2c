"""Waiting for events, and programs that use the embedded servers from processes of their own."""

import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
NOBODY = 65534

# Says what it started, then lives until its input closes: killed at will, or ended in good order.
_USER = """
import sys
from pathlib import Path
from app.runtime.postgres import EmbeddedPostgres
from app.runtime.valkey import EmbeddedValkey

kind, folder, seconds = sys.argv[1:]
server_class = {"postgres": EmbeddedPostgres, "valkey": EmbeddedValkey}[kind]
server = server_class(Path(folder), idle_seconds=float(seconds))
server.start()
print(server.pid(), server.url(), flush=True)
sys.stdin.read()
server.stop()
"""


def wait_until(condition: Callable[[], bool], *, what: str, seconds: float = 30.0) -> None:
    """Comes back when the condition holds; fails the test when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"Not within {seconds:.0f} s: {what}.")
        time.sleep(0.01)


class ServerUser:
    """Another process that has started the server of a folder."""

    def __init__(self, kind: str, folder: Path, *, linger: float) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _USER, kind, str(folder), str(linger)],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = 0
        self.url = ""

    def await_start(self) -> None:
        """Fails the test when the process ended instead of starting the server."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the user of the server ended with {self.process.wait()}"
        pid, self.url = line.split()
        self.pid = int(pid)

    def kill(self) -> None:
        """As the kernel's memory killer would do it: nothing is cleaned up."""
        self.process.kill()
        self.close()

    def close(self) -> int:
        """The exit code after an end in good order, or of the kill before."""
        self.process.communicate(timeout=60)
        return self.process.returncode


@contextmanager
def server_user(
    kind: str,
    folder: Path,
    *,
    linger: float = 60.0,
    started: bool = True,
) -> Iterator[ServerUser]:
    """A process that uses the server; it has ended, one way or the other, when the block has."""
    user = ServerUser(kind, folder, linger=linger)
    try:
        if started:
            user.await_start()
        yield user
    finally:
        if user.process.poll() is None:
            user.close()
        for stream in (user.process.stdin, user.process.stdout):
            if stream is not None:
                stream.close()


def as_nobody(command: list[str], *, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The finished command, run by the user nobody with our packages; errors are part of its output."""
    packages = os.pathsep.join([str(REPOSITORY), sysconfig.get_path("purelib")])
    return subprocess.run(
        ["/bin/sh", "-c", 'exec "$@"', "sh", *command],
        cwd=cwd,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=120,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONPATH": packages},
    )


def python_for_nobody() -> str | None:
    """A Python that can load our packages and that the user nobody may run, None when there is none."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        if as_nobody([python, "-c", "import psycopg, app.runtime"], cwd=Path("/")).returncode == 0:
            return python
    return None
