"""Shared reads of event streams: one thread with one connection reads what all of them watch.

A stream uses no thread and no transaction. However many watch a space, its jobs are read once: every second
while a job is active, every few seconds otherwise. Keys are checked every second: one that was revoked, has
expired or has lost its scope or space ends its stream within seconds. If nobody watches, nothing is read.
"""

import asyncio
import math
import time
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

import anyio
import structlog
from anyio.to_thread import run_sync

from app.db.database import Database
from app.db.models import Job, JobError
from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.shapes import JobDocuments
from app.errors import NotFound
from app.ids import JobId, SpaceId, SpaceKey, TenantId
from app.jobs import queue
from app.jobs.states import FINAL_STATES, QueueState, WaitingJobs
from app.limits import JOB_ERRORS
from app.tenancy.tenants import api_keys
from app.tenancy.tenants.api_keys import Caller

log = structlog.get_logger(__name__)

LIVE_SECONDS = 1.0
QUIET_SECONDS = 3.0
"""How often a space without waiting or running jobs is read, for those who watch its list."""
REST_SECONDS = 0.2
"""Minimum time between two reads of a space: watchers that arrive in a burst share one read."""
UNCHECKED_SECONDS = 10.0
"""How long a stream continues while its key cannot be checked because the database does not respond."""
JOB_LIST_SIZE = 40
"""Maximum number of running jobs, and of ended jobs, in a space's list."""


class StreamEnd(StrEnum):
    """The reason why a stream ended."""

    FINISHED = "finished"
    GONE = "gone"
    KEY_INVALID = "key_invalid"
    SCOPE_MISSING = "scope_missing"
    TIME_LIMIT = "time_limit"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True)
class JobList:
    """The jobs of a space: running ones, waiting ones grouped by similarity, and the newest that ended.

    `documents` has the documents of each job that is listed individually.
    """

    running: Sequence[Job]
    waiting: Sequence[WaitingJobs]
    ended: Sequence[Job]
    more: bool
    queue: QueueState
    documents: Mapping[JobId, JobDocuments]

    @property
    def jobs(self) -> Sequence[Job]:
        """Return the jobs that are listed individually."""
        return [*self.running, *self.ended]


def read_job_list(space: SpaceSession) -> JobList:
    """Read the jobs of the space as its page lists them."""
    running_jobs = queue.list_jobs(space, queue.RUNNING_JOBS, limit=JOB_LIST_SIZE)
    ended_jobs = queue.exclude_listed_jobs(
        queue.list_jobs(space, queue.ENDED_JOBS, limit=JOB_LIST_SIZE + 1), running_jobs
    )
    return JobList(
        running_jobs,
        queue.list_waiting_jobs(space),
        ended_jobs[:JOB_LIST_SIZE],
        len(ended_jobs) > JOB_LIST_SIZE,
        queue.read_queue_state(space),
        documents.list_documents_by_job(
            space, [JobId(job.id) for job in [*running_jobs, *ended_jobs[:JOB_LIST_SIZE]]]
        ),
    )


@dataclass(frozen=True)
class SeenJob:
    """One job, the documents and chunks that it skipped, and the documents that it ingests."""

    job: Job
    errors: Sequence[JobError]
    documents: JobDocuments | None


def read_jobs_with_errors_and_documents(
    space: SpaceSession, job_ids: Collection[JobId]
) -> dict[JobId, SeenJob]:
    """Read those of the jobs that belong to the space, as their pages show them."""
    jobs = queue.get_jobs(space, job_ids) if job_ids else ()
    errors = queue.list_errors_of_jobs(space, job_ids, limit=JOB_ERRORS.maximum) if jobs else {}
    documents_by_job = documents.list_documents_by_job(space, [JobId(job.id) for job in jobs])
    return {
        JobId(job.id): SeenJob(job, errors.get(JobId(job.id), ()), documents_by_job.get(JobId(job.id)))
        for job in jobs
    }


@dataclass(frozen=True)
class SeenJobs:
    """The jobs of a space from one read: its list if that is watched, and single jobs."""

    list: JobList | None
    watched_jobs: Mapping[JobId, SeenJob]

    @property
    def is_live(self) -> bool:
        """Return whether a job waits or runs, so that changes are likely soon."""
        jobs = [snapshot.job for snapshot in self.watched_jobs.values()] + list(
            self.list.jobs if self.list else ()
        )
        waiting_count = self.list.queue.waiting if self.list else 0
        return waiting_count > 0 or any(job.state not in FINAL_STATES for job in jobs)


@dataclass(eq=False)
class Watch:
    """One stream: the key with which it began, if any, and the job or the list of a space that it watches.

    Used in one event loop.
    """

    space: SpaceKey
    caller: Caller | None
    job_id: JobId | None
    needs_job_list: bool
    snapshot: SeenJobs | None = None
    end_reason: StreamEnd | None = None
    checked_at: float = field(default_factory=time.monotonic)
    news_event: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def watches_jobs(self) -> bool:
        """Return whether it watches jobs, and not only its key."""
        return self.end_reason is None and (self.needs_job_list or self.job_id is not None)

    @property
    def job(self) -> Job | None:
        """Return the job that it watches, as last read."""
        snapshot = (
            None
            if self.snapshot is None or self.job_id is None
            else self.snapshot.watched_jobs.get(self.job_id)
        )
        return None if snapshot is None else snapshot.job

    async def wait_for_change(self, seconds: float) -> None:
        """Wait for the next change, at most `seconds`."""
        if self.end_reason is None:
            with anyio.move_on_after(max(seconds, 0.0)):
                await self.news_event.wait()
        self.news_event.clear()

    def end(self, reason: StreamEnd) -> None:
        """End the watch and wake its stream."""
        self.end_reason = reason
        self.news_event.set()


class Watcher:
    """The shared reads of one process; each event loop has its own, which end with its last stream."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rounds: dict[asyncio.AbstractEventLoop, _Rounds] = {}

    @contextmanager
    def watch(
        self,
        tenant_id: TenantId,
        space_id: SpaceId,
        *,
        caller: Caller | None = None,
        job_id: JobId | None = None,
        needs_job_list: bool = False,
    ) -> Iterator[Watch]:
        """Yield a watch on a key, a job or the list, or several of these; it is updated until the block
        ends.
        """
        loop = asyncio.get_running_loop()
        rounds = self._rounds.get(loop)
        if rounds is None:
            rounds = self._rounds[loop] = _Rounds(self._database)
        watch = Watch((tenant_id, space_id), caller, job_id, needs_job_list)
        rounds.add_watch(watch)
        try:
            yield watch
        finally:
            if rounds.remove_watch(watch):
                self._rounds.pop(loop, None)


class _Rounds:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._watches: set[Watch] = set()
        self._due_at_by_space: dict[SpaceKey, float] = {}
        self._read_at_by_space: dict[SpaceKey, float] = {}
        self._thread = anyio.CapacityLimiter(1)
        self._joined = asyncio.Event()
        self._task = asyncio.create_task(self._check_keys_and_read_spaces_forever())

    def add_watch(self, watch: Watch) -> None:
        self._watches.add(watch)
        if watch.watches_jobs:
            # Read again: a new watcher wants the current state.
            self._due_at_by_space[watch.space] = (
                self._read_at_by_space.get(watch.space, -REST_SECONDS) + REST_SECONDS
            )
        self._joined.set()

    def remove_watch(self, watch: Watch) -> bool:
        """Remove the watch; return whether it was the last one, which ends the rounds."""
        self._watches.discard(watch)
        if not self._watches:
            self._task.cancel()
        return not self._watches

    async def _check_keys_and_read_spaces_forever(self) -> None:
        keys_due_at = time.monotonic() + LIVE_SECONDS
        while True:
            self._joined.clear()
            if keys_due_at <= time.monotonic():
                await self._end_streams_of_refused_keys(
                    [watch for watch in self._watches if watch.end_reason is None and watch.caller]
                )
                keys_due_at = time.monotonic() + LIVE_SECONDS
            await self._deliver_due_job_snapshots()
            due_times = [keys_due_at, *self._due_at_by_space.values()]
            with anyio.move_on_after(max(min(due_times) - time.monotonic(), 0.01)):
                await self._joined.wait()

    async def _end_streams_of_refused_keys(self, watches: Sequence[Watch]) -> None:
        if not watches:
            return
        key_actors = {watch.caller.actor for watch in watches if watch.caller is not None}
        try:
            valid_callers = await run_sync(self._list_valid_callers, key_actors, limiter=self._thread)
        except Exception:
            log.warning("keys_of_streams_not_read", exc_info=True)
            for watch in watches:
                if time.monotonic() - watch.checked_at >= UNCHECKED_SECONDS:
                    watch.end(StreamEnd.UNAVAILABLE)
            return
        for watch in watches:
            watch.checked_at = time.monotonic()
            refusal = (
                None
                if watch.caller is None
                else _find_reason_to_end_stream(watch, valid_callers.get(watch.caller.actor))
            )
            if refusal is not None:
                watch.end(refusal)

    def _list_valid_callers(self, actors: Set[str]) -> Mapping[str, Caller]:
        with self._database.open_platform() as platform:
            return api_keys.find_valid_callers_by_public_id(platform, set(actors))

    async def _deliver_due_job_snapshots(self) -> None:
        watches_by_space: dict[SpaceKey, list[Watch]] = {}
        for watch in self._watches:
            if watch.watches_jobs:
                watches_by_space.setdefault(watch.space, []).append(watch)
        self._due_at_by_space = {key: self._due_at_by_space.get(key, 0.0) for key in watches_by_space}
        self._read_at_by_space = {
            key: read_at for key, read_at in self._read_at_by_space.items() if key in watches_by_space
        }
        for key in sorted(
            (key for key in watches_by_space if self._due_at_by_space[key] <= time.monotonic()),
            key=self._due_at_by_space.__getitem__,
        ):
            if not await self._try_to_deliver_job_snapshot(key, watches_by_space[key]):
                # The others are read first next time; a database that does not respond is not asked for each
                # of them.
                break

    async def _try_to_deliver_job_snapshot(self, key: SpaceKey, watches: Sequence[Watch]) -> bool:
        """Read the jobs of one space for all its watches; return False if the database did not respond."""
        job_ids = {watch.job_id for watch in watches if watch.job_id is not None}
        needs_job_list = any(watch.needs_job_list for watch in watches)
        seconds_to_next_read = QUIET_SECONDS
        has_responded = True
        # A watcher that arrives during the read resets `_due`, so the space is read once more.
        self._due_at_by_space[key] = math.inf
        self._read_at_by_space[key] = time.monotonic()
        try:
            snapshot = await run_sync(
                self._read_jobs_of_space, key, job_ids, needs_job_list, limiter=self._thread
            )
        except NotFound:
            for watch in watches:
                watch.end(StreamEnd.GONE)
        except Exception:
            # The next read may reach the database again; until then streams show the last state.
            log.warning("watched_jobs_not_read", exc_info=True)
            has_responded = False
        else:
            seconds_to_next_read = LIVE_SECONDS if snapshot.is_live else QUIET_SECONDS
            for watch in watches:
                if watch.job_id is not None and watch.job_id not in snapshot.watched_jobs:
                    watch.end(StreamEnd.GONE)
                else:
                    watch.snapshot = snapshot
                    watch.news_event.set()
        if self._due_at_by_space[key] == math.inf:
            self._due_at_by_space[key] = time.monotonic() + seconds_to_next_read
        return has_responded

    def _read_jobs_of_space(self, key: SpaceKey, job_ids: set[JobId], needs_job_list: bool) -> SeenJobs:
        with self._database.open_space(*key) as space:
            job_list = None
            if needs_job_list:
                job_list = read_job_list(space)
            return SeenJobs(job_list, read_jobs_with_errors_and_documents(space, job_ids))


def _find_reason_to_end_stream(watch: Watch, current_caller: Caller | None) -> StreamEnd | None:
    """Return why the key may no longer read this stream, by its current permissions; None if it may."""
    tenant_id, space_id = watch.space
    if current_caller is None or current_caller.tenant_id != tenant_id:
        return StreamEnd.KEY_INVALID
    if "read" not in current_caller.scopes:
        return StreamEnd.SCOPE_MISSING
    return None if current_caller.may_open_space(space_id) else StreamEnd.GONE
