"""Real Celery workers on a real Valkey, as separate processes that can really be killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.runtime.valkey import EmbeddedValkey
from app.settings import Settings
from app.wiring import open_database
from tests.support.citus import LEASE_SECONDS
from tests.support.reading import get_fork_server
from tests.support.start import FORK_SERVER
from workers.broker import Broker

PROJECT = Path(__file__).resolve().parents[2]


def wait_until(condition: Callable[[], object], *, seconds: float = 60.0, what: str = "condition") -> None:
    """Return as soon as the condition holds; fail after the deadline."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.05)


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    """A broker of this test's own."""
    server = EmbeddedValkey(tmp_path / "valkey")
    server.start()
    yield server
    server.stop(discard=True)


@pytest.fixture
def settings(tmp_path: Path, app_url: URL, valkey: EmbeddedValkey, pytestconfig: pytest.Config) -> Settings:
    """Short leases and sweeps, so that a takeover takes seconds."""
    return Settings(
        # These tests count jobs: a second kind would be counted with them.
        communities=False,
        summaries=False,
        database_url=app_url.render_as_string(hide_password=False),
        redis_url=valkey.url(),
        home=tmp_path / "home",
        pool_size=2,
        job_lease=LEASE_SECONDS if pytestconfig.getoption("--citus") else 2.0,
        job_sweep=0.5,
        worker_concurrency=1,
    )


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """The door of the submitting side, which wakes workers."""
    assert settings.database_url is not None
    assert settings.redis_url is not None
    broker = Broker(settings.redis_url)
    opened = open_database(settings.database_url, settings, wake=broker.wake)
    yield opened
    opened.dispose()
    broker.close()


class Workers:
    """Worker processes, each in a process group of its own."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._settings = settings
        self.folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(
        self,
        *,
        fail_at: str = "",
        fail_file: Path | None = None,
        module: str = "tests.workers.faulty_worker",
        arguments: Sequence[str] = (),
        extra: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start one worker; see faulty_worker for how it may be told to die. `extra` joins its
        environment.
        """
        settings = self._settings
        environment = {
            **os.environ,
            **{
                f"CITEGRAPH_{name.upper()}": str(value)
                for name, value in settings.model_dump(exclude_defaults=True).items()
            },
            "FAIL_AT": fail_at,
            "FAIL_FILE": str(fail_file or ""),
            FORK_SERVER: get_fork_server().address,
            **(extra or {}),
        }
        name = f"worker-{len(self._processes)}"
        with (self.folder / f"{name}.log").open("wb") as log, (self.folder / f"{name}.out").open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.start", module, *arguments],
                cwd=PROJECT,
                env=environment,
                stdout=out,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def signal(self, process: subprocess.Popen[bytes], number: signal.Signals) -> None:
        """Send a signal to the worker and all its children."""
        os.killpg(process.pid, number)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """kill -9 of the worker and all its children."""
        self.signal(process, signal.SIGKILL)
        process.wait(30)

    @property
    def alive(self) -> list[subprocess.Popen[bytes]]:
        """Those that have not ended."""
        return [process for process in self._processes if process.poll() is None]

    def logs(self) -> str:
        """All that the workers have written to stderr."""
        return "\n".join(
            path.read_text(errors="replace") for path in sorted(self.folder.glob("worker-*.log"))
        )

    def close(self) -> None:
        """End what is left."""
        for process in self._processes:
            if process.poll() is None:
                self.kill(process)


@pytest.fixture
def workers(settings: Settings, tmp_path: Path) -> Iterator[Workers]:
    """Start and kill worker processes; all are gone at the end."""
    started = Workers(settings, tmp_path)
    yield started
    started.close()
