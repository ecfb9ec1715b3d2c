"""The installation that the state machine acts on: real Postgres and Valkey, the whole application, its jobs.

Jobs are run in this process by the runner that a worker has, so that an act is whole when it returns, and so
that a worker can be "killed" at any of its steps: what it held stays held, as after kill -9.
"""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from fastapi import FastAPI
from pydantic import SecretStr
from sqlalchemy import URL
from starlette.testclient import TestClient

from app.db.engine import convert_to_conninfo
from app.db.inspection import create_psql_login_and_drop_expired
from app.ids import SpaceId, TenantId
from app.jobs.context import ignore_step
from app.llm.client import ModelClient
from app.main import create_app
from app.runtime.valkey import EmbeddedValkey
from app.settings import Settings
from app.tenancy.spaces import tenant_deletion
from app.tenancy.tenants import api_keys
from app.tenancy.tenants import service as tenants
from app.wiring import Citegraph, assemble_citegraph, open_database
from tests.support.pooler import as_app
from tests.support.service import PROJECT, environment
from workers.broker import Broker
from workers.handlers import build_handlers_by_kind
from workers.runner import Runner
from workers.sweeper import sweep_and_wake_if_jobs_wait

OPERATOR_KEY = "operator-of-the-invariants-" + "x" * 16
LATER_SECONDS = 3_600.0
"""What follows a change after a rest is run by an act of its own: `World.let_rest`."""

WAIT_SECONDS = 120.0


class Killed(BaseException):
    """The death of a worker: no handler catches it, so nothing is given back."""


@dataclass
class Side:
    """One of the two tenants, with the space that is acted on."""

    name: str
    tenant_id: TenantId
    key: str
    space_id: SpaceId
    inspection: psycopg.Connection[Any]
    """A connection as `citegraph psql` opens it."""
    canaries: dict[str, list[str]] = field(default_factory=dict)
    """Address of a document → the words that only its versions hold, the present one's last."""
    erased_canaries: set[str] = field(default_factory=set)
    """Words of documents that are gone: no table may hold them."""
    merged_names: set[str] = field(default_factory=set)
    """Names of nodes that a person merged: the other one goes on bearing them, whatever texts say later."""
    texts: dict[str, str] = field(default_factory=dict)
    """Address of a document → the text that was handed in last."""

    @property
    def path(self) -> str:
        """The space's address in the API."""
        return f"/v1/spaces/{self.space_id}"

    @property
    def bearer(self) -> dict[str, str]:
        """The header that carries the tenant's key."""
        return {"authorization": f"Bearer {self.key}"}

    def forget_document(self, address: str) -> None:
        """Note that the document is gone with its words, also with those of earlier versions."""
        self.texts.pop(address, None)
        gone = self.canaries.pop(address, [])
        held = {canary for canaries in self.canaries.values() for canary in canaries}
        self.erased_canaries |= set(gone) - held

    @property
    def outdated_canaries(self) -> set[str]:
        """Words that no present version of a document holds: no answer may say them."""
        present = {canaries[-1] for canaries in self.canaries.values()}
        every = {canary for canaries in self.canaries.values() for canary in canaries}
        by_a_person = {canary for canary in every if any(canary in name for name in self.merged_names)}
        return (self.erased_canaries | (every - by_a_person)) - present


@dataclass
class World:
    """Parts of one installation, and a superuser's view of its database."""

    url: URL
    """The database as a superuser sees it."""
    parts: Citegraph
    app: FastAPI
    http: TestClient
    valkey: EmbeddedValkey
    folder: Path
    superuser: psycopg.Connection[Any]

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a command line on this installation."""
        settings = self.parts.settings
        return {
            "CITEGRAPH_DATABASE_URL": str(settings.database_url),
            "CITEGRAPH_MIGRATION_DATABASE_URL": self.url.render_as_string(hide_password=False),
            "CITEGRAPH_REDIS_URL": str(settings.redis_url),
            "CITEGRAPH_HOME": str(settings.home),
            "CITEGRAPH_COMMUNITY_DELAY": str(LATER_SECONDS),
            "CITEGRAPH_SUMMARY_DELAY": str(LATER_SECONDS),
            "CITEGRAPH_EVICTION_DELAY": str(LATER_SECONDS),
        }

    def open_side(self, name: str) -> Side:
        """A new tenant with an empty space."""
        with self.parts.database.open_platform() as platform:
            tenant = tenants.create_tenant(platform, name=f"{name}-{secrets.token_hex(6)}", actor="test")
        tenant_id = TenantId(tenant.id)
        with self.parts.database.open_tenant(tenant_id) as session:
            _, token = api_keys.create_key(
                session, name="invariants", scopes=("read", "write", "admin"), actor="test"
            )
        space_id = self.create_space(token.token, "library")
        login = create_psql_login_and_drop_expired(
            self.url.render_as_string(hide_password=False), space_id, hours=1.0
        )
        inspection = psycopg.connect(
            convert_to_conninfo(self.url.set(username=login.name, password=login.password)),
            options=login.options,
            autocommit=True,
        )
        return Side(name, tenant_id, token.token, space_id, inspection)

    def create_space(self, key: str, name: str, **settings: Any) -> SpaceId:
        """A new empty space of the key's tenant."""
        bearer = {"authorization": f"Bearer {key}"}
        answer = self.http.post("/v1/spaces", headers=bearer, json={"name": name, "settings": settings})
        assert answer.status_code == 201, answer.text
        return SpaceId(answer.json()["id"])

    def close_side(self, side: Side) -> None:
        """Delete the tenant with all that it owns."""
        login = side.inspection.info.user
        side.inspection.close()
        tenant_deletion.delete_tenant(self.parts.database, side.tenant_id, actor="test")
        self.superuser.execute(f'DROP ROLE "{login}"'.encode())

    def drain(self, checkpoint: Callable[[str], None] = ignore_step) -> None:
        """Run all jobs that are due, in this process."""
        runner = Runner(
            self.parts.database,
            self.parts.settings,
            build_handlers_by_kind(self.parts),
            checkpoint=checkpoint,
        )
        runner.drain()

    def drain_with_deaths(self, steps: int) -> int:
        """Run all jobs that are due; the worker dies at the step of that number, if there are so many.

        Returns the number of deaths. The lease of the dead worker runs out at once, and a sweep finds it.
        """
        left = steps

        def die_at_last(_step: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed

        try:
            self.drain(die_at_last)
        except Killed:
            self.superuser.execute("UPDATE job SET lease_until = now() WHERE state = 'running'")
            sweep_and_wake_if_jobs_wait(self.parts.database)
            self._make_due("kind = 'ingest.documents'")
            self.drain()
            return 1
        return 0

    def let_rest(self, side: Side) -> None:
        """Run also what waits for a graph that rests: communities, summaries, eviction."""
        self._make_due(f"knowledge_space_id = '{side.space_id}'")
        self.drain()

    def _make_due(self, condition: str) -> None:
        self.superuser.execute(
            f"UPDATE job SET run_after = now() WHERE state = 'queued' AND {condition}".encode()
        )


@dataclass
class WorldWithWorkers(World):
    """The same with `citegraph worker` as a process, which an act may kill."""

    worker: subprocess.Popen[bytes] | None = None

    def start_worker(self) -> None:
        """Start the worker; its log is in the folder."""
        with (self.folder / "worker.log").open("ab") as log:
            self.worker = subprocess.Popen(
                [sys.executable, "-m", "app.cli.main", "worker", "--with-parent"],
                cwd=PROJECT,
                env=environment(self.parts.settings),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill_worker(self) -> None:
        """End the worker with its pool at once, as kill -9 does."""
        if self.worker is not None:
            os.killpg(self.worker.pid, signal.SIGKILL)
            self.worker.wait(10)
            assert self.worker.stdin is not None
            self.worker.stdin.close()
            self.worker = None

    def drain(self, checkpoint: Callable[[str], None] = ignore_step) -> None:
        """Wait until nothing that is due waits or runs."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            row = self.superuser.execute(
                "SELECT count(*) FROM job"
                " WHERE state = 'running' OR (state = 'queued' AND run_after <= now())"
            ).fetchone()
            if row == (0,):
                return
            assert time.monotonic() < deadline, (self.folder / "worker.log").read_text()[-2_000:]
            time.sleep(0.05)

    def drain_with_deaths(self, steps: int) -> int:
        """Kill the worker some moments later, start another, and wait for the end of all jobs."""
        time.sleep(steps / 20)
        self.kill_worker()
        # What a real lease would do a minute later.
        self.superuser.execute("UPDATE job SET lease_until = now() WHERE state = 'running'")
        self.start_worker()
        self.drain()
        return 1


@contextmanager
def open_world(
    url: URL,
    folder: Path,
    *,
    client: ModelClient | None = None,
    workers: bool = False,
    **changes: Any,
) -> Iterator[World]:
    """The installation over a migrated database, `url` being a superuser's address of it.

    With `workers` a process of `citegraph worker` runs the jobs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    valkey = EmbeddedValkey(folder / "valkey")
    valkey.start()
    settings = Settings(
        database_url=as_app(url).render_as_string(hide_password=False),
        redis_url=valkey.url(),
        home=folder / "home",
        operator_key=SecretStr(OPERATOR_KEY),
        pool_size=4,
        key_rate=0,
        tenant_rate=0,
        recall_seconds=LATER_SECONDS,
        community_delay=LATER_SECONDS,
        summary_delay=LATER_SECONDS,
        eviction_delay=LATER_SECONDS,
        **changes,
    )
    assert settings.database_url is not None
    broker = Broker(valkey.url())
    parts = assemble_citegraph(settings, open_database(settings.database_url, settings), broker, client)
    app = create_app(parts)
    try:
        with (
            psycopg.connect(convert_to_conninfo(url), autocommit=True) as superuser,
            TestClient(app) as http,
        ):
            if workers:
                world = WorldWithWorkers(url, parts, app, http, valkey, folder, superuser)
                world.start_worker()
                try:
                    yield world
                finally:
                    world.kill_worker()
            else:
                yield World(url, parts, app, http, valkey, folder, superuser)
    finally:
        parts.close()
        valkey.stop(discard=True)
