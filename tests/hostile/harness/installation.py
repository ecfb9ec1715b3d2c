"""What a user runs: `citegraph serve` and `citegraph worker` as processes on a real Postgres and Valkey."""

import contextlib
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo
from app.settings import Settings
from tests.support.http_client import Target, post
from tests.support.service import (
    OPERATOR_KEY,
    READY_SECONDS,
    await_ready,
    command,
    finished,
    free_port,
    hand_in,
    make_tenant,
)

# The attacker comes from another loopback address: limits by address must not stand in for limits by tenant.
ATTACKER_ADDRESS = "127.0.0.2"


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
        with psycopg.connect(convert_to_conninfo(self.url), autocommit=True) as connection:
            cursor = connection.execute(query.encode(), parameters or None)
            return cursor.fetchall() if cursor.description else []

    def key_of_attacker(self, *scopes: str) -> tuple[str, Target]:
        """A further key of A with these scopes, as its id and the access by it."""
        made = post(self.attacker, "/v1/api-keys", {"name": "further", "scopes": list(scopes)})
        assert made.status == 201, made.raw
        return made.body["id"], replace(self.attacker, key=made.body["token"])

    def fresh_attacker(self, name: str) -> Target:
        """A further hostile tenant with a space of its own: limits that an attack fills end with it."""
        name = f"{name} {secrets.token_hex(4)}"  # An attack that is made once more has a tenant of its own.
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


@contextmanager
def running(settings: Settings, url: URL, folder: Path) -> Iterator[Installation]:
    """The service with both tenants, once it answers and the worker has done a first job for B."""
    settings = settings.model_copy(update={"port": free_port()})
    folder.mkdir(parents=True, exist_ok=True)
    with command(settings, "serve", folder) as api, command(settings, "worker", folder) as worker:
        await_ready(settings.port, api, folder)
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
        try:
            yield Installation(settings, url, folder, api, worker, attacker, neighbour)
        finally:
            # Both at once: each is waited for in turn afterwards.
            api.terminate()
            worker.terminate()
