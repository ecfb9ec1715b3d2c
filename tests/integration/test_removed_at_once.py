"""Two requests that remove the same thing at once: one does, and the other finds nothing (requirements 17.2,
18.3).
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from app.db.session import Database, SpaceSession
from app.errors import NotFound
from app.ids import DocumentId, JobId
from app.ingest import service as ingest
from app.ingest.trials import service as trials
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, text
from tests.support.trials import begin, trial_runner

TEXT = "Ada Lovelace worked for Charles Babbage."


def remove_twice_at_once(
    database: Database, home: Home, remove: Callable[[SpaceSession], Any], action: str
) -> None:
    """Begin a second removal while the first, done but not committed, holds its locks."""
    second_errors: list[type[Exception]] = []

    def remove_second() -> None:
        try:
            with database.open_space(home.tenant_id, home.space_id) as space:
                remove(space)
        except NotFound as error:
            second_errors.append(type(error))

    second = threading.Thread(target=remove_second)
    with database.open_space(home.tenant_id, home.space_id) as space:
        remove(space)
        (process_id,) = space.connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        second.start()
        wait_for_blocked_process(database, home, process_id)
    second.join(timeout=20)
    assert second_errors == [NotFound]
    with database.open_tenant(home.tenant_id) as tenant:
        entries = tenant.connection.execute(
            "SELECT count(*) FROM audit_event WHERE tenant_id = %s AND action = %s", [home.tenant_id, action]
        ).fetchone()
    assert entries == (1,)


def wait_for_blocked_process(database: Database, home: Home, process_id: int) -> None:
    query = "SELECT count(*) FROM pg_locks WHERE NOT granted AND %s = ANY (pg_blocking_pids(pid))"
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with database.open_tenant(home.tenant_id) as tenant:
            if tenant.connection.execute(query, [process_id]).fetchone() != (0,):
                return
        time.sleep(0.05)
    pytest.fail("the second removal did not wait for the first")


def test_a_document_is_removed_once(database: Database, settings: Settings, home: Home) -> None:
    ingest_now(database, settings, home, [text(TEXT)])
    with database.open_space(home.tenant_id, home.space_id) as space:
        ((document_id,),) = space.connection.execute(
            "SELECT id FROM document WHERE knowledge_space_id = %s", [home.space_id]
        ).fetchall()
    remove_twice_at_once(
        database,
        home,
        lambda space: ingest.remove_document(space, DocumentId(document_id)),
        "document.delete",
    )


def test_a_trial_is_dropped_once(database: Database, settings: Settings, home: Home) -> None:
    ingest_now(database, settings, home, [text(TEXT)])
    trial_id = begin(database, settings, home, model="rules")
    trial_runner(database, settings).drain()
    remove_twice_at_once(
        database, home, lambda space: trials.delete_trial(space, JobId(trial_id)), "trial.drop"
    )
