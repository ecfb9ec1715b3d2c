"""What a user runs: `citegraph serve` and `citegraph worker` as processes on a real Postgres and Valkey."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import URL

from app.db.engine import as_conninfo
from app.settings import Settings
from tests.hostile.harness.client import Reply, Target, get, post

PROJECT = Path(__file__).resolve().parents[3]
OPERATOR_KEY = "operator-of-the-hostile-tests-0123456789abcdef"
# The attacker comes from another loopback address: limits by address must not stand in for limits by tenant.
ATTACKER_ADDRESS = "127.0.0.2"
READY_SECONDS = 60.0
FINAL = ("done", "failed", "cancelled")


@dataclass
class Installation:
    """One running service with tenant A, who attacks, and tenant B, who lives beside."""

    settings: Settings
    url: URL
    folder: Path
    api: subprocess.Popen[bytes]
    worker: subprocess.Popen[bytes]
    attacker: Target
    neighbour: Target
    baseline: str = ""

    @property
    def roots(self) -> dict[str, int]:
        """The processes whose memory counts, with all beneath them."""
        return {"api": self.api.pid, "worker": self.worker.pid}

    def operator(self) -> Target:
        """The operator's own access."""
        return Target(self.settings.port, OPERATOR_KEY)

    def rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        """The answer of the database to a superuser; none for a statement that returns none."""
        with psycopg.connect(as_conninfo(self.url), autocommit=True) as connection:
            cursor = connection.execute(query.encode(), parameters or None)
            return cursor.fetchall() if cursor.description else []

    def key_of_attacker(self, *scopes: str) -> tuple[str, Target]:
        """A further key of A with these scopes, as its id and the access by it."""
        made = post(self.attacker, "/v1/api-keys", {"name": "further", "scopes": list(scopes)})
        assert made.status == 201, made.raw
        return made.body["id"], replace(self.attacker, key=made.body["token"])

    def fresh_attacker(self, name: str) -> Target:
        """A further hostile tenant with a space of its own: limits that an attack fills end with it."""
        return replace(make_tenant(self.settings.port, name), source=ATTACKER_ADDRESS)

    def calm(self, *, seconds: float = 40.0) -> None:
        """No job of an attack waits or runs any longer: what one attack left must not weigh on the next."""
        others = "tenant_id <> (SELECT tenant_id FROM knowledge_space WHERE id = %s::uuid)"
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            # Workers lock the same rows in another order.
            with contextlib.suppress(psycopg.errors.DeadlockDetected):
                self.rows(
                    "UPDATE job SET state = 'cancelled', finalized_at = now()"
                    f" WHERE state = 'queued' AND {others}",
                    self.neighbour.space_id,
                )
                running = f"state = 'running' AND {others}"
                self.rows(f"UPDATE job SET cancel_requested = true WHERE {running}", self.neighbour.space_id)
                if not self.rows(f"SELECT 1 FROM job WHERE {running}", self.neighbour.space_id):
                    return
            time.sleep(0.5)

    def log(self, name: str) -> str:
        """What a process wrote."""
        return (self.folder / f"{name}.log").read_text(errors="replace")


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(settings: Settings) -> dict[str, str]:
    """The process's environment with these settings in it."""
    chosen = settings.model_dump(exclude_defaults=True, mode="json", by_alias=False)
    for name in ("operator_key", "openai_api_key"):
        secret = getattr(settings, name)
        if secret is not None:
            chosen[name] = secret.get_secret_value()
    return {
        **os.environ,
        **{
            f"CITEGRAPH_{name.upper()}": value if isinstance(value, str) else json.dumps(value)
            for name, value in chosen.items()
        },
        "PYTHONUNBUFFERED": "1",
    }


@contextmanager
def command(settings: Settings, name: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The `citegraph` command of this name as a process, which has ended afterwards."""
    with (folder / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "app.cli.main", name, "--with-parent"],
            cwd=PROJECT,
            env=environment(settings),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)
        if process.stdin is not None:
            process.stdin.close()


def make_tenant(port: int, name: str) -> Target:
    """A new tenant with a space called library, and the access by its first key."""
    made = post(Target(port, OPERATOR_KEY), "/v1/tenants", {"name": name})
    assert made.status == 201, made.raw
    target = Target(port, made.body["api_key"]["token"])
    space = post(target, "/v1/spaces", {"name": "library"})
    assert space.status == 201, space.raw
    return replace(target, space_id=space.body["id"])


def hand_in(target: Target, *texts: str, **more: object) -> Reply:
    """The answer to handing in these texts as one request."""
    documents = [{"text": text, **more} for text in texts]
    return post(target, f"{target.space}/documents", {"documents": documents})


def finished(target: Target, job_id: str, *, seconds: float) -> dict[str, Any]:
    """The job once it has ended, or as it stands after so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        job: dict[str, Any] = get(target, f"{target.space}/jobs/{job_id}").body
        if job["state"] in FINAL or time.monotonic() > deadline:
            return job
        time.sleep(0.2)


@contextmanager
def running(settings: Settings, url: URL, folder: Path) -> Iterator[Installation]:
    """The service with both tenants, once it answers and the worker has done a first job for B."""
    settings = settings.model_copy(update={"port": free_port()})
    folder.mkdir(parents=True, exist_ok=True)
    with command(settings, "serve", folder) as api, command(settings, "worker", folder) as worker:
        stranger = Target(settings.port, "")
        deadline = time.monotonic() + READY_SECONDS
        while True:
            assert api.poll() is None, (folder / "serve.log").read_text()[-2_000:]
            assert time.monotonic() < deadline, "the API did not start"
            try:
                if get(stranger, "/readyz", timeout=2).status == 200:
                    break
            except OSError:
                pass
            time.sleep(0.1)
        attacker = replace(make_tenant(settings.port, "attacker"), source=ATTACKER_ADDRESS)
        neighbour = make_tenant(settings.port, "neighbour")
        for target in (attacker, neighbour):
            taken = hand_in(
                target,
                "Ada Lovelace wrote the first program. Michael Stonebraker created Ingres. "
                "PostgreSQL is based on Ingres. PostGIS depends on PostgreSQL.",
                title="Of databases",
            )
            assert taken.status == 202, taken.raw
            job = finished(target, taken.body["job"]["id"], seconds=READY_SECONDS)
            assert job["state"] == "done", (job, (folder / "worker.log").read_text()[-2_000:])
        yield Installation(settings, url, folder, api, worker, attacker, neighbour)
