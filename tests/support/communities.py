"""Helpers for tests of communities: take documents in, detect, read who is together."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from app.db.database import Database
from app.db.models import Job
from app.derived.communities import service as communities
from app.derived.communities.job import detect_communities_and_write_reports
from app.derived.communities.scheduling import enqueue_detection_or_run_waiting_now
from app.derived.communities.shapes import Community, CommunityDetail, CommunityId
from app.ids import JobId
from app.jobs import queue
from app.jobs.context import ignore_step
from app.jobs.kinds import DetectCommunities
from app.settings import Settings
from tests.conftest import Home, under
from tests.support.ingest import make_runner, submit, text
from tests.support.scripted_extractor import Scripted
from workers.runner import Runner


def detector(
    database: Database,
    settings: Settings,
    *,
    checkpoint: Callable[[str], None] = ignore_step,
) -> Runner:
    """A runner of the communities family alone."""
    return Runner(
        under(database, settings),
        settings,
        {DetectCommunities.kind: detect_communities_and_write_reports},
        checkpoint=checkpoint,
    )


def take_in(database: Database, settings: Settings, home: Home, **bodies: str) -> None:
    """One document and one job for each body, in the notation of `Scripted`, by its name."""
    for name, body in bodies.items():
        submit(database, home, text(body, title=name, source_uri=name))
    make_runner(database, settings, extractor=Scripted()).drain()


def detect_now(database: Database, settings: Settings, home: Home, **options: Any) -> Job:
    """Ask for a run and run it; the job as it then stands."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        job_id = JobId(enqueue_detection_or_run_waiting_now(space).id)
    detector(database, settings, **options).drain()
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id)


def listed(database: Database, home: Home) -> list[Community]:
    """The first page of the communities of the space, coarsest and largest first."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return communities.list_communities(space)


def detail(database: Database, home: Home, community_id: UUID) -> CommunityDetail:
    """One community with its members."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return communities.get_community(space, CommunityId(community_id))


def members(database: Database, home: Home) -> dict[UUID, set[str]]:
    """Community → the names of its members."""
    return {
        community.id: {member.canonical_name for member in detail(database, home, community.id).members}
        for community in listed(database, home)
    }
