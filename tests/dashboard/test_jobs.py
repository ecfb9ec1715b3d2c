"""Jobs on pages: the list and one job, and the stream that says when they change."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import anyio
import pytest

from app.dashboard.rendering import LABEL_BY_JOB_KIND
from app.dashboard.space.job_stream import compute_snapshot_fingerprint
from app.dashboard.space.jobs import JobRow
from app.db.database import Database
from app.db.models import Job
from app.documents import service as documents
from app.http.shared_streams import JobList, SeenJobs, Watch, Watcher, read_job_list
from app.ids import JobId, SpaceId, TenantId
from app.jobs import kinds, queue
from app.jobs.repository import end_lease_and_set_state
from app.jobs.states import JobState
from app.tenancy.accounts.roles import Role
from tests.api.conftest import Account, World
from tests.conftest import Home, make_home
from tests.dashboard.conftest import Browser
from tests.dashboard.test_tenant_pages import enter
from tests.support.ingest import text


def place(world: World) -> str:
    return f"/dashboard/spaces/{world.a.space_id}/jobs"


def submitted(world: World, body: str, home: Home | None = None) -> JobId:
    """A job that waits."""
    home = home or world.a.home
    with world.citegraph.database.open_space(home.tenant_id, home.space_id) as space:
        _, job = documents.submit_documents(space, [text(body, title=body)])
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


class TestTheList:
    """What runs stands first, alike jobs that wait are one row, and documents are named (review F2)."""

    @pytest.mark.soak
    def test_what_runs_stands_first_with_its_document(self, guest: Account, world: World) -> None:
        database, home = world.citegraph.database, guest.home
        browser = enter(world, home, f"{uuid4().hex}@jobs.example", Role.VIEWER)
        running = submitted(world, "Of the job that runs.", home)
        with database.open_platform() as platform:
            leases = [
                queue.claim_next_job(
                    platform, kinds=[kinds.IngestDocuments.kind], worker="host:1", lease_seconds=60
                )
                for _ in range(20)
            ]
        assert running in {lease.job_id for lease in leases if lease}
        for number in range(45):
            submitted(world, f"Waits {number}.", home)
        base = f"/dashboard/spaces/{home.space_id}"
        page = browser.get(f"{base}/jobs")
        rows = re.findall(r'class="status status-(\w+)"', page)
        assert rows == ["running", "queued"]
        assert f"{base}/jobs?state=queued&amp;kind=ingest.documents" in page
        assert '<span class="badge num">45</span>' in page
        assert "Of the job that runs." in page
        home_page = browser.get(base)
        assert home_page.index("Of the job that runs.", home_page.index("home-jobs")) > 0
        assert re.findall(r'class="status status-(\w+)"', home_page)[0] == "running"

    def test_a_job_that_ends_between_two_queries_is_listed_once(
        self, guest: Account, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each query sees what is committed when it begins."""
        database, home = world.citegraph.database, guest.home
        job_id = submitted(world, "Of the job that ends.", home)
        lease = None
        with database.open_platform() as platform:
            while lease is None or lease.job_id != job_id:
                lease = queue.claim_next_job(
                    platform, kinds=[kinds.IngestDocuments.kind], worker="host:1", lease_seconds=60
                )
                assert lease is not None
        list_jobs = queue.list_jobs

        def list_jobs_and_end(*given: Any, **named: Any) -> Sequence[Job]:
            found = list_jobs(*given, **named)
            with database.open_space(home.tenant_id, home.space_id) as other:
                end_lease_and_set_state(other, lease, state=JobState.DONE, stage="done", counts={})
            return found

        monkeypatch.setattr(queue, "list_jobs", list_jobs_and_end)
        with database.open_space(home.tenant_id, home.space_id) as space:
            job_list = read_job_list(space)
        assert [job.id for job in (*job_list.running, *job_list.ended)] == [job_id]

    def test_the_list_is_filtered_by_state_and_kind(self, guest: Account, world: World) -> None:
        browser = enter(world, guest.home, f"{uuid4().hex}@jobs.example", Role.VIEWER)
        for number in range(3):
            submitted(world, f"Waits {number}.", guest.home)
        with world.citegraph.database.open_space(guest.home.tenant_id, guest.home.space_id) as space:
            queue.cancel_job(space, JobId(queue.enqueue(space, kinds.DetectCommunities()).id))
        base = f"/dashboard/spaces/{guest.space_id}/jobs"
        for query, expected in (
            ("state=queued", ["queued"] * 3),
            ("state=cancelled", ["cancelled"]),
            ("state=queued&kind=communities.detect", []),
            ("kind=ingest.documents", ["queued"] * 3),
        ):
            page = browser.get(f"{base}?{query}")
            assert re.findall(r'class="status status-(\w+)"', page) == expected, query
        path = f"{guest.space}/jobs"
        for query, count in (("state=queued", 3), ("state=cancelled", 1), ("kind=communities.detect", 1)):
            answer = world.http.get(f"{path}?{query}", headers=guest.bearer())
            assert len(answer.json()["items"]) == count, query
        assert world.http.get(f"{path}?state=odd", headers=guest.bearer()).status_code == 422


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
        assert [event[0] for event in events(again.text)] == ["end"]

    def test_a_job_of_another_space_is_not_shown(self, world: World, viewer: Browser) -> None:
        answer = viewer.http.get(f"{place(world)}/{world.b.job_id}/stream")
        assert [event[0] for event in events(answer.text)] == ["end"]

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


async def seen_list(watch: Watch) -> SeenJobs:
    """The space's jobs, as soon as they have been read."""
    while watch.snapshot is None:
        await watch.wait_for_change(5)
    return watch.snapshot


class TestWatching:
    def test_many_streams_cost_one_read_and_none_costs_none(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        key = (TenantId(world.a.tenant_id), SpaceId(world.a.space_id))
        monkeypatch.setattr("app.http.shared_streams.QUIET_SECONDS", 60.0)
        monkeypatch.setattr("app.http.shared_streams.LIVE_SECONDS", 60.0)

        async def watch(opened: list[SpaceId]) -> None:
            watcher = Watcher(world.citegraph.database)
            async with anyio.create_task_group() as group:

                async def one(job_id: JobId | None) -> None:
                    with (
                        watcher.watch(*key, job_id=job_id, needs_job_list=job_id is None) as watch,
                        anyio.fail_after(20),
                    ):
                        seen = await seen_list(watch)
                        assert (watch.job is None) == (job_id is None)
                        assert job_id is not None or seen.list is not None
                        await asyncio.sleep(0.3)

                for turn in range(30):
                    # Pages with the list, pages of a job and streams of the API share one read.
                    group.start_soon(one, JobId(world.a.job_id) if turn % 2 else None)
            read = len(opened)
            assert 1 <= read <= 2
            await asyncio.sleep(0.5)
            assert len(opened) == read

        with counted(world.citegraph.database, monkeypatch) as opened:
            anyio.run(watch, opened)

    @pytest.mark.soak
    def test_a_change_is_news_and_rest_is_none(self, world: World) -> None:
        key = (TenantId(world.a.tenant_id), SpaceId(world.a.space_id))

        async def watch() -> None:
            watcher = Watcher(world.citegraph.database)
            with watcher.watch(*key, needs_job_list=True) as watch, anyio.fail_after(30):
                before = compute_snapshot_fingerprint(await seen_list(watch), None)
                job_id = await anyio.to_thread.run_sync(submitted, world, "A job that is watched.")
                while compute_snapshot_fingerprint(await seen_list(watch), None) == before:
                    await watch.wait_for_change(5)
                listed = (await seen_list(watch)).list
                assert isinstance(listed, JobList)
                assert job_id in {group.first for group in listed.waiting} or any(
                    group.kind == kinds.IngestDocuments.kind and group.count > 1 for group in listed.waiting
                )
                assert listed.queue.waiting >= 1
                assert listed.queue.oldest_seconds is not None

        anyio.run(watch)
        world.drain()

    def test_a_read_that_fails_ends_no_page_and_spoils_no_other(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One space that cannot be read is read last, again and again, while the others have their news."""
        monkeypatch.setattr("app.http.shared_streams.LIVE_SECONDS", 0.05)
        monkeypatch.setattr("app.http.shared_streams.QUIET_SECONDS", 0.05)
        whole = Database.open_space
        broken = [True]

        def open_space(self: Database, tenant_id: TenantId, space_id: SpaceId, **options: object):  # type: ignore[no-untyped-def]
            if space_id == world.b.space_id and broken:
                raise OSError("this space cannot be read")
            return whole(self, tenant_id, space_id, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(Database, "open_space", open_space)

        async def watch() -> None:
            watcher = Watcher(world.citegraph.database)
            bad = watcher.watch(TenantId(world.b.tenant_id), SpaceId(world.b.space_id), needs_job_list=True)
            good = watcher.watch(TenantId(world.a.tenant_id), SpaceId(world.a.space_id), needs_job_list=True)
            with bad as without, good as with_news, anyio.fail_after(20):
                await seen_list(with_news)
                assert (without.snapshot, without.end_reason) == (None, None)
                broken.clear()
                await seen_list(without)

        anyio.run(watch)


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


def test_every_kind_of_job_has_words_for_readers() -> None:
    known = {value.kind for value in vars(kinds).values() if isinstance(getattr(value, "kind", None), str)}
    assert len(known) > 4
    assert known == LABEL_BY_JOB_KIND.keys()


def test_documents_that_nobody_takes_are_told_where_more_are_handed_in(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.dashboard.space.jobs.STALLED_AFTER_SECONDS", 0.0)
    # A tenant of its own: jobs of other tests may wait in the shared spaces.
    home = make_home(world.citegraph.database, f"waits-{uuid4().hex[:8]}")
    admin = enter(world, home, "ada@waits.example", Role.ADMIN)
    base = f"/dashboard/spaces/{home.space_id}"
    sentence = "Documents wait for a worker"
    assert sentence not in admin.get(f"{base}/documents/new")
    job = submitted(world, "Nobody takes this one.", home)
    assert sentence in admin.get(f"{base}/documents/new")
    assert sentence in admin.get(base)
    with world.citegraph.database.open_space(home.tenant_id, home.space_id) as space:
        queue.cancel_job(space, job)
    assert sentence not in admin.get(f"{base}/documents/new")
