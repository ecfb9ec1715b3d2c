"""Streams share one look a second: all watched jobs and keys are read together, by one thread on one
connection.

A stream costs no thread and no transaction. Its key is looked at as often as its job: one that was revoked,
has expired or lost its scope or space ends the stream within seconds.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

import anyio
import structlog
from anyio.to_thread import run_sync

from app.db.models import Job
from app.db.session import Database
from app.errors import NotFound
from app.ids import JobId, SpaceId, TenantId
from app.jobs import queue
from app.tenants import service as tenants
from app.tenants.service import Caller

log = structlog.get_logger(__name__)

POLL_SECONDS = 1.0
UNCHECKED_SECONDS = 10.0
"""How long a stream goes on while its key cannot be looked at, because the database does not answer."""


class Ended(StrEnum):
    """Why a stream ends."""

    FINISHED = "finished"
    GONE = "gone"
    KEY_INVALID = "key_invalid"
    SCOPE_MISSING = "scope_missing"
    TIME_LIMIT = "time_limit"
    UNAVAILABLE = "unavailable"


@dataclass(eq=False)
class Watch:
    """The key that one stream watches, and a job of a space if there is one. Used in one event loop."""

    caller: Caller
    space_id: SpaceId
    job_id: JobId | None
    job: Job | None = None
    ended: Ended | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def next(self, seconds: float) -> None:
        """Wait for the next look, at most so long."""
        self.news.clear()
        if self.ended is None:
            with anyio.move_on_after(max(seconds, 0.0)):
                await self.news.wait()


@dataclass(frozen=True)
class _Seen:
    job: Job | None = None
    ended: Ended | None = None


class Watcher:
    """The looks of one process; each event loop has its own, which ends with its last stream."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rounds: dict[asyncio.AbstractEventLoop, _Rounds] = {}

    @contextmanager
    def watch(self, caller: Caller, space_id: SpaceId, job_id: JobId | None = None) -> Iterator[Watch]:
        """A watch, looked after until the block ends."""
        loop = asyncio.get_running_loop()
        rounds = self._rounds.get(loop)
        if rounds is None:
            rounds = self._rounds[loop] = _Rounds(self._database)
        watch = Watch(caller, space_id, job_id)
        rounds.add(watch)
        try:
            yield watch
        finally:
            if rounds.remove(watch):
                self._rounds.pop(loop, None)


class _Rounds:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._watches: set[Watch] = set()
        self._thread = anyio.CapacityLimiter(1)
        self._task = asyncio.create_task(self._go_round())

    def add(self, watch: Watch) -> None:
        self._watches.add(watch)

    def remove(self, watch: Watch) -> bool:
        """Remove the watch; return whether that was the last one: then the rounds end."""
        self._watches.discard(watch)
        if not self._watches:
            self._task.cancel()
        return not self._watches

    async def _go_round(self) -> None:
        checked = time.monotonic()
        while True:
            await asyncio.sleep(POLL_SECONDS)
            watches = [each for each in self._watches if each.ended is None]
            if not watches:
                checked = time.monotonic()
                continue
            try:
                seen = await run_sync(self._look, watches, limiter=self._thread)
                checked = time.monotonic()
            except Exception:
                log.warning("streams_not_read", exc_info=True)
                if time.monotonic() - checked < UNCHECKED_SECONDS:
                    continue
                seen = [_Seen(ended=Ended.UNAVAILABLE) for _ in watches]
            for watch, each in zip(watches, seen, strict=True):
                watch.job, watch.ended = each.job, each.ended
                watch.news.set()

    def _look(self, watches: Sequence[Watch]) -> list[_Seen]:
        with self._database.open_platform() as platform:
            valid = tenants.valid_callers(platform, {each.caller.actor for each in watches})
        wanted: dict[tuple[TenantId, SpaceId], set[JobId]] = {}
        for each in watches:
            if each.job_id is not None and _refusal(each, valid.get(each.caller.actor)) is None:
                wanted.setdefault((each.caller.tenant_id, each.space_id), set()).add(each.job_id)
        jobs: dict[tuple[SpaceId, JobId], Job] = {}
        for (tenant_id, space_id), ids in wanted.items():
            try:
                with self._database.open_space(tenant_id, space_id) as space:
                    found = queue.get_jobs(space, ids)
            except NotFound:
                continue
            jobs.update({(space_id, JobId(job.id)): job for job in found})
        return [self._seen(each, valid.get(each.caller.actor), jobs) for each in watches]

    def _seen(self, watch: Watch, now: Caller | None, jobs: dict[tuple[SpaceId, JobId], Job]) -> _Seen:
        refused = _refusal(watch, now)
        if refused is not None or watch.job_id is None:
            return _Seen(ended=refused)
        job = jobs.get((watch.space_id, watch.job_id))
        return _Seen(job, None if job is not None else Ended.GONE)


def _refusal(watch: Watch, now: Caller | None) -> Ended | None:
    """Why the key may not go on reading this stream, by what it may do now."""
    if now is None or now.tenant_id != watch.caller.tenant_id:
        return Ended.KEY_INVALID
    if "read" not in now.scopes:
        return Ended.SCOPE_MISSING
    return None if now.may_open(watch.space_id) else Ended.GONE
