"""One look for all: the jobs of a space that somebody watches are read once, however many watch.

Each process looks for itself, once a second while a job is under way and every few seconds otherwise, on one
thread and one connection; nobody watching means no look. A stream holds no thread and no connection.
"""

import asyncio
import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio
import structlog
from anyio.to_thread import run_sync

from app.dashboard.space.jobs import MAX_ERRORS, SHOWN
from app.db.models import Job, JobError
from app.db.session import Database
from app.errors import NotFound
from app.ids import JobId, SpaceId, TenantId
from app.jobs import queue
from app.jobs.states import FINAL_STATES, QueueState

log = structlog.get_logger(__name__)

LIVE_SECONDS = 1.0
QUIET_SECONDS = 3.0

SpaceKey = tuple[TenantId, SpaceId]


@dataclass(frozen=True)
class Seen:
    """The jobs of a space as one look found them; `digest` changes when they do."""

    jobs: Sequence[Job]
    more: bool
    queue: QueueState
    watched: dict[JobId, tuple[Job, Sequence[JobError]]]

    def digest(self, job_id: JobId | None) -> str:
        """The mark of what a stream about the list, or about one job, shows."""
        if job_id is None:
            rows = [_mark(each) for each in self.jobs]
            state = self.queue
            # How long the first has waited passes by itself: in steps, so that it does not always change.
            waited = int((state.oldest_seconds or 0) // 5)
            rows.append(f"{state.waiting},{state.put_off},{state.running},{waited},{state.workers}")
        else:
            found = self.watched.get(job_id)
            rows = [] if found is None else [_mark(found[0]), str(len(found[1]))]
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]


def _mark(job: Job) -> str:
    return f"{job.id},{job.state},{job.stage},{job.progress},{job.counts},{job.cost_usd},{job.worker},{job.attempt},{job.cancel_requested},{job.error_code}"  # noqa: E501


@dataclass(eq=False)
class Channel:
    """The news of one space, for which its watchers wait. Used in one event loop."""

    key: SpaceKey
    watchers: dict[object, JobId | None] = field(default_factory=dict)
    seen: Seen | None = None
    gone: bool = False
    due: float = 0.0
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def next(self, seconds: float) -> None:
        """Wait for the next look, at most so long."""
        with anyio.move_on_after(seconds):
            await self.news.wait()


class JobFeed:
    """The looks of one process; each event loop has its own, which end with its last watcher."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rounds: dict[asyncio.AbstractEventLoop, _Rounds] = {}

    @contextmanager
    def watch(self, key: SpaceKey, job_id: JobId | None) -> Iterator[Channel]:
        """The channel of a space, looked after until the block ends."""
        loop = asyncio.get_running_loop()
        rounds = self._rounds.get(loop)
        if rounds is None:
            rounds = self._rounds[loop] = _Rounds(self._database)
        me = object()
        channel = rounds.join(key, me, job_id)
        try:
            yield channel
        finally:
            if rounds.leave(channel, me):
                self._rounds.pop(loop, None)


class _Rounds:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._channels: dict[SpaceKey, Channel] = {}
        self._thread = anyio.CapacityLimiter(1)
        self._wanted = asyncio.Event()
        self._task = asyncio.create_task(self._go_round())

    def join(self, key: SpaceKey, who: object, job_id: JobId | None) -> Channel:
        channel = self._channels.setdefault(key, Channel(key))
        channel.watchers[who] = job_id
        # Looked at anew at once: who comes wants the state of this moment.
        channel.due = 0.0
        self._wanted.set()
        return channel

    def leave(self, channel: Channel, who: object) -> bool:
        """Remove a watcher; return whether nobody watches any space now: then the rounds end."""
        channel.watchers.pop(who, None)
        if not channel.watchers:
            self._channels.pop(channel.key, None)
        if not self._channels:
            self._task.cancel()
        return not self._channels

    async def _go_round(self) -> None:
        while True:
            self._wanted.clear()
            for channel in [each for each in self._channels.values() if each.due <= time.monotonic()]:
                await self._look_at(channel)
            left = min((each.due for each in self._channels.values()), default=0.0) - time.monotonic()
            with anyio.move_on_after(max(left, 0.05)):
                await self._wanted.wait()

    async def _look_at(self, channel: Channel) -> None:
        wanted = {each for each in channel.watchers.values() if each is not None}
        is_live = True
        try:
            seen = await run_sync(self._look, channel.key, wanted, limiter=self._thread)
        except NotFound:
            channel.gone = True
        except Exception:
            # The next look may find the database again; until then pages show what was seen last.
            log.warning("jobs_not_read", exc_info=True)
        else:
            channel.seen = seen
            is_live = seen.queue.waiting > 0 or any(each.state not in FINAL_STATES for each in seen.jobs)
        channel.due = time.monotonic() + (LIVE_SECONDS if is_live else QUIET_SECONDS)
        news, channel.news = channel.news, asyncio.Event()
        news.set()

    def _look(self, key: SpaceKey, wanted: set[JobId]) -> Seen:
        with self._database.open_space(*key) as space:
            jobs = queue.list_jobs(space, limit=SHOWN + 1)
            return Seen(
                jobs[:SHOWN],
                len(jobs) > SHOWN,
                queue.queue_of_space(space),
                {
                    JobId(job.id): (job, queue.list_errors(space, JobId(job.id), limit=MAX_ERRORS))
                    for job in queue.get_jobs(space, wanted)
                }
                if wanted
                else {},
            )
