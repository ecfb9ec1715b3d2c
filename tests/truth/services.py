"""Two ways to the same service: everything in this process, or `citegraph serve` and `worker` as processes.

Histories are played in one process, where nothing waits: jobs run when a history hands something in, and the
next step begins when they have ended. A few are played by HTTP, against the processes of an installation.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from pydantic import SecretStr
from sqlalchemy import URL
from starlette.testclient import TestClient

from app.jobs.kinds import BeginClaims, EvictChunks
from app.llm.client import ModelClient
from app.llm.servers import get_chat_model
from app.main import create_app
from app.settings import Settings
from app.wiring import assemble_citegraph, open_database
from tests.support.containers import valkey_server
from tests.support.database_copies import copy_database, drop_database
from tests.support.http_client import Call, Reply, Target, get, send
from tests.support.pooler import as_app
from tests.support.service import FINAL, OPERATOR_KEY, await_ready, command, free_port, make_tenant
from workers.broker import Broker
from workers.handlers import build_handlers_by_kind
from workers.runner import Runner

JOB_SECONDS = 60.0
# They wait for a graph that rests, for the next day or for the day that a claim states: no part of a history.
LATER_KINDS = frozenset({EvictChunks.kind, BeginClaims.kind})
# They would run long after a history has ended.
_NOTHING_LATER: dict[str, Any] = {"communities": False, "summaries": False}


class Service(Protocol):
    """A running service as one tenant sees it."""

    def send(self, call: Call) -> Reply:
        """Return the answer to the request."""

    def run_jobs(self, space: str) -> None:
        """Return when no job of the space (its path) is left to run; fail where one takes too long."""


class ProcessService:
    """API and worker as processes, reached by HTTP."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def send(self, call: Call) -> Reply:
        """Return the answer over a connection of its own."""
        return send(self._target, call)

    def run_jobs(self, space: str) -> None:
        """Wait until the worker has run the space's jobs."""
        deadline = time.monotonic() + JOB_SECONDS
        while True:
            jobs = get(self._target, f"{space}/jobs?limit=100").body["items"]
            running = [job for job in jobs if job["state"] not in FINAL and job["kind"] not in LATER_KINDS]
            if not running:
                return
            assert time.monotonic() < deadline, [(job["kind"], job["state"], job["stage"]) for job in running]
            time.sleep(0.05)


class InProcessService:
    """The application and the runner of its jobs in this process."""

    def __init__(self, http: TestClient, runner: Runner, key: str) -> None:
        self._http = http
        self._runner = runner
        self._headers = {"authorization": f"Bearer {key}"}

    def send(self, call: Call) -> Reply:
        """Return the answer of the application."""
        answer = self._http.request(
            call.method, call.path, content=call.body, headers={**self._headers, **call.headers}
        )
        return Reply(answer.status_code, answer.headers, answer.content, answer.elapsed.total_seconds())

    def run_jobs(self, space: str) -> None:
        """Run all jobs that wait, of whichever space."""
        self._runner.drain()


@contextmanager
def _settings(admin_url: URL, template: str, folder: Path, **chosen: Any) -> Iterator[Settings]:
    """Settings over a fresh database, which is dropped at the end."""
    folder.mkdir(parents=True)
    name = f"citegraph_truth_{secrets.token_hex(6)}"
    copy_database(admin_url, name, template=template)
    try:
        yield Settings(
            database_url=as_app(admin_url.set(database=name)).render_as_string(hide_password=False),
            # Nobody listens there: jobs are run by who plays the history.
            redis_url="redis://127.0.0.1:1/0",
            home=folder / "home",
            operator_key=SecretStr(OPERATOR_KEY),
            **_NOTHING_LATER,
            **chosen,
        )
    finally:
        drop_database(admin_url, name)


@contextmanager
def in_process(admin_url: URL, template: str, folder: Path, **chosen: Any) -> Iterator[InProcessService]:
    """A service in this process, with one tenant; `chosen` are further settings."""
    with ExitStack() as stack:
        settings = stack.enter_context(
            _settings(
                admin_url,
                template,
                folder,
                # A process of its own has a share of the installation's rates, and histories make many calls.
                key_rate=40_000.0,
                key_burst=80_000,
                tenant_rate=80_000.0,
                tenant_burst=160_000,
                **chosen,
            )
        )
        assert settings.database_url is not None
        assert settings.redis_url is not None
        client = ModelClient.create_for_chat(settings) if get_chat_model(settings) is not None else None
        parts = assemble_citegraph(
            settings, open_database(settings.database_url, settings), Broker(settings.redis_url), client
        )
        stack.callback(parts.close)
        http = stack.enter_context(TestClient(create_app(parts)))
        operator = {"authorization": f"Bearer {OPERATOR_KEY}"}
        made = http.post("/v1/tenants", json={"name": "truth"}, headers=operator)
        assert made.status_code == 201, made.text
        yield InProcessService(
            http,
            Runner(parts.database, settings, build_handlers_by_kind(parts)),
            made.json()["api_key"]["token"],
        )


@contextmanager
def in_processes(admin_url: URL, template: str, folder: Path, **chosen: Any) -> Iterator[ProcessService]:
    """A service as processes with a broker between them, with one tenant; `chosen` are further settings."""
    with ExitStack() as stack:
        settings = stack.enter_context(_settings(admin_url, template, folder, worker_concurrency=1, **chosen))
        redis_url = stack.enter_context(valkey_server(folder))
        settings = settings.model_copy(update={"redis_url": redis_url, "port": free_port()})
        api = stack.enter_context(command(settings, "serve", folder))
        stack.enter_context(command(settings, "worker", folder))
        await_ready(settings.port, api, folder)
        yield ProcessService(replace(make_tenant(settings.port, "truth"), space_id=""))
