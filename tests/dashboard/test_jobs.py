"""Jobs on pages: the list and one job, and the stream that says when they change."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import pytest

from app.dashboard.space.job_feed import JobFeed
from app.dashboard.space.jobs import JobRow
from app.db.models import Job
from app.db.session import Database
from app.documents import service as documents
from app.ids import JobId, SpaceId, TenantId
from app.jobs import queue
from tests.api.conftest import World
from tests.dashboard.conftest import Browser
from tests.support.ingest import text


def place(world: World) -> str:
    return f"/dashboard/spaces/{world.a.space_id}/jobs"


def submitted(world: World, body: str) -> JobId:
    """A job that waits."""
    home = world.a.home
    with world.citegraph.database.open_space(home.tenant_id, home.space_id) as space:
        _, job = documents.submit(space, [text(body, title=body)])
        assert job is not None
        return JobId(job.id)


def events(body: str) -> list[tuple[str, str, str]]:
    """(event, id, data) of each event of a stream."""
    found = []
    for block in body.split("\n\n"):
        lines = [line.partition(": ") for line in block.splitlines()]
        values = {name: value for name, _, value in lines if name in ("event", "id")}
        data = "\n".join(value for name, _, value in lines if name == "data")
        if "event" in values:
            found.append((values["event"], values.get("id", ""), data))
    return found


class TestTheStream:
    def test_a_job_that_ended_is_shown_whole_and_the_stream_ends(self, world: World, viewer: Browser) -> None:
        answer = viewer.http.get(f"{place(world)}/{world.a.job_id}/stream")
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        (state, mark, html), (end, _, _) = events(answer.text)
        assert (state, end) == ("state", "end")
        assert "data-live" in html
        assert "hx-trigger" not in html
        # Who comes again and saw this state is not told it again.
        again = viewer.http.get(f"{place(world)}/{world.a.job_id}/stream", headers={"last-event-id": mark})
        assert [each[0] for each in events(again.text)] == ["end"]

    def test_a_job_of_another_space_is_not_shown(self, world: World, viewer: Browser) -> None:
        answer = viewer.http.get(f"{place(world)}/{world.b.job_id}/stream")
        assert [each[0] for each in events(answer.text)] == ["end"]

    def test_who_is_not_signed_in_is_led_to_the_form(self, world: World, viewer: Browser) -> None:
        cookies = dict(viewer.http.cookies)
        viewer.http.cookies.clear()
        try:
            answer = viewer.http.get(f"{place(world)}/stream", follow_redirects=False)
        finally:
            viewer.http.cookies.update(cookies)
        assert answer.status_code == 303


@contextmanager
def counted(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[SpaceId]]:
    """The spaces that are opened meanwhile."""
    opened: list[SpaceId] = []
    whole = Database.open_space

    def open_space(self: Database, tenant_id: TenantId, space_id: SpaceId, **options: object):  # type: ignore[no-untyped-def]
        opened.append(space_id)
        return whole(self, tenant_id, space_id, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "open_space", open_space)
    yield opened


class TestTheFeed:
    def test_many_watchers_cost_one_look_and_none_costs_none(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        key = (TenantId(world.a.tenant_id), SpaceId(world.a.space_id))
        monkeypatch.setattr("app.dashboard.space.job_feed.QUIET_SECONDS", 60.0)
        monkeypatch.setattr("app.dashboard.space.job_feed.LIVE_SECONDS", 60.0)

        async def watch(opened: list[SpaceId]) -> None:
            feed = JobFeed(world.citegraph.database)
            async with anyio.create_task_group() as group:

                async def one() -> None:
                    with feed.watch(key, None) as channel, anyio.fail_after(20):
                        while channel.seen is None:
                            await channel.next(5)
                        await asyncio.sleep(0.3)

                for _ in range(30):
                    group.start_soon(one)
            looked = len(opened)
            assert 1 <= looked <= 2
            await asyncio.sleep(0.5)
            assert len(opened) == looked

        with counted(world.citegraph.database, monkeypatch) as opened:
            anyio.run(watch, opened)

    def test_a_change_is_news_and_rest_is_none(self, world: World) -> None:
        key = (TenantId(world.a.tenant_id), SpaceId(world.a.space_id))

        async def watch() -> None:
            feed = JobFeed(world.citegraph.database)
            with feed.watch(key, None) as channel, anyio.fail_after(30):
                while channel.seen is None:
                    await channel.next(5)
                before = channel.seen.digest(None)
                job_id = await anyio.to_thread.run_sync(submitted, world, "A job that is watched.")
                while channel.seen.digest(None) == before:
                    await channel.next(5)
                assert job_id in {each.id for each in channel.seen.jobs}
                assert channel.seen.queue.waiting >= 1
                assert channel.seen.queue.oldest_seconds is not None

        anyio.run(watch)
        world.drain()


def test_a_waiting_job_is_counted_and_cancelled(world: World, admin: Browser) -> None:
    job_id = submitted(world, "A job that is cancelled.")
    page = admin.get(place(world))
    assert "waiting, the first for" in page
    path = f"{place(world)}/{job_id}"
    admin.get(path)
    admin.post(f"{path}/cancel")
    assert "cancelled" in admin.get(path)
    assert "was cancelled before it was read" in admin.get(
        f"/dashboard/spaces/{world.a.space_id}/documents?job={job_id}"
    )
    admin.post(f"{path}/retry")
    world.drain()
    home = world.a.home
    with world.citegraph.database.open_space(home.tenant_id, home.space_id) as space:
        assert queue.get_job(space, job_id).state == "done"


def test_the_rate_is_of_the_finest_unit_that_is_counted() -> None:
    job = Job(state="queued", counts={"documents": 3, "chunks": 30})
    assert JobRow(job).rate is None
