"""Helpers for tests of memory: recalls by hand, policies, dry runs and evictions in this process."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from app.db.database import Database
from app.db.models import Job
from app.derived.eviction import policies, scheduling
from app.derived.eviction.job import evict_chunks_by_policy_and_schedule_next
from app.derived.eviction.shapes import Plan
from app.ids import ChunkId, JobId
from app.jobs import queue
from app.jobs.context import ignore_step, never_stop
from app.jobs.kinds import EvictChunks
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.support.ingest import make_runner, submit, text
from tests.support.scripted_extractor import Scripted
from workers.runner import Runner


def take_in(database: Database, settings: Settings, home: Home, **bodies: str) -> None:
    """One document for each body, in the notation of `Scripted`, by its name."""
    submit(database, home, *(text(body, title=name, source_uri=name) for name, body in bodies.items()))
    make_runner(database, settings, extractor=Scripted()).drain()


def set_policy(database: Database, home: Home, **policy: Any) -> None:
    """Give the space these settings and no others."""
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=SpaceSettings(**policy))


def titles(database: Database, home: Home) -> dict[str, ChunkId]:
    """The space's chunks by "title ordinal" of their document, or its title alone for the first."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        rows = space.connection.execute(
            "SELECT d.title, c.ordinal, c.id FROM knowledge_chunk c JOIN document d"
            " ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id"
            " WHERE c.knowledge_space_id = %s ORDER BY 1, 2",
            [home.space_id],
        ).fetchall()
    return {f"{title} {ordinal}" if ordinal else title: ChunkId(chunk) for title, ordinal, chunk in rows}


def make_older(database: Database, home: Home, title: str, age: timedelta) -> None:
    """Let the chunks of a document have been made that long ago."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute(
            "UPDATE knowledge_chunk c SET created_at = now() - %s FROM document d"
            " WHERE d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id"
            " AND c.knowledge_space_id = %s AND d.title = %s",
            [age, home.space_id, title],
        )


def set_recalls(
    database: Database, home: Home, title: str, count: int, total: float, age: timedelta = timedelta()
) -> None:
    """Let the first chunk of a document have been recalled so."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute(
            "INSERT INTO chunk_recall SELECT c.knowledge_space_id, c.id, %s, %s, now() - %s FROM"
            " knowledge_chunk c JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id ="
            " c.document_id WHERE c.knowledge_space_id = %s AND d.title = %s AND c.ordinal = 0",
            [count, total, age, home.space_id, title],
        )


def plan_of(database: Database, home: Home, **options: Any) -> Plan:
    """A dry run."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return policies.list_evictable_chunks(space, **options)


def planned(database: Database, home: Home, **options: Any) -> list[tuple[str, str]]:
    """(title, reason) of what a dry run lists, in its order."""
    plan = plan_of(database, home, **options)
    assert [chunk.place for chunk in plan.listed] == list(range(1, len(plan.listed) + 1))
    return [(chunk.document_title, chunk.reason.value) for chunk in plan.listed]


def evictor(
    database: Database,
    settings: Settings,
    *,
    checkpoint: Callable[[str], None] = ignore_step,
    stop_requested: Callable[[], bool] = never_stop,
) -> Runner:
    """A runner of the memory family alone."""
    return Runner(
        under(database, settings),
        settings,
        {EvictChunks.kind: evict_chunks_by_policy_and_schedule_next},
        stop_requested=stop_requested,
        checkpoint=checkpoint,
    )


def request(database: Database, home: Home, **asked: Any) -> JobId:
    """Queue an eviction."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return JobId(scheduling.enqueue_eviction_or_run_waiting_now(space, **asked).id)


def job_of(database: Database, home: Home, job_id: JobId) -> Job:
    """The job as it stands."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id)


def evict_now(
    database: Database,
    settings: Settings,
    home: Home,
    *,
    including_last_evidence: bool | None = None,
    checkpoint: Callable[[str], None] = ignore_step,
) -> Job:
    """Ask for an eviction and run it; the job as it then stands."""
    job_id = request(database, home, including_last_evidence=including_last_evidence)
    evictor(database, settings, checkpoint=checkpoint).drain()
    return job_of(database, home, job_id)
