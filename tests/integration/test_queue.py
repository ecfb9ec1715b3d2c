"""The job queue: one claim at a time, fair between tenants, fenced (requirements 5.4, 5.5; rules J1 to
J9).
"""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from psycopg.errors import ConnectionFailure

from app.db.database import Database
from app.db.models import Job
from app.errors import Conflict, NotFound, Unavailable
from app.ids import JobId, SpaceId, create_id
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.context import Handler, JobContext
from app.jobs.kinds import IngestDocuments
from app.jobs.shapes import Lease, LeaseLost
from app.jobs.states import CancelRequested, StopRequested
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.ingest import corpus, make_runner, picture, submit, text
from tests.support.jobs import context
from workers.runner import Runner

LEASE = 60.0


def add_jobs(database: Database, home: Home, count: int) -> list[JobId]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return [JobId(queue.enqueue(space, IngestDocuments()).id) for _ in range(count)]


def claim(database: Database, *, lease: float = LEASE) -> Lease | None:
    with database.open_platform() as platform:
        return queue.claim_next_job(
            platform, kinds=[IngestDocuments.kind], worker="test", lease_seconds=lease
        )


def must_claim(database: Database, *, lease: float = LEASE) -> Lease:
    held = claim(database, lease=lease)
    assert held is not None
    return held


def read(database: Database, home: Home, job_id: JobId) -> Job:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id)


def stop(_run: JobContext) -> None:
    """A handler whose worker is told to end."""
    raise StopRequested


def execute(database: Database, command: str) -> None:
    with database.open_platform() as platform:
        platform.connection.execute(command.encode())


class TestClaiming:
    def test_many_workers_never_share_a_job_nor_pass_the_tenants_cap(
        self, database: Database, home: Home
    ) -> None:
        """Rule J3: twelve claimers at once, cap three, exactly three claims."""
        add_jobs(database, home, 20)
        with ThreadPoolExecutor(12) as pool:
            claims = [held for held in pool.map(lambda _: claim(database), range(12)) if held]
        assert len({held.job_id for held in claims}) == len(claims) <= 3
        while held := claim(database):
            claims.append(held)
        assert len(claims) == 3

    def test_a_flood_of_one_tenant_does_not_hold_up_another(
        self, database: Database, home: Home, twin: Home
    ) -> None:
        """Requirement 5.5, with a single worker: turns are taken, whoever came first."""
        add_jobs(database, home, 500)
        late = add_jobs(database, twin, 2)
        execute(database, "UPDATE tenant SET max_running_jobs = 10")
        done = []
        for _ in range(4):
            held = must_claim(database)
            done.append((held.tenant_id, held.job_id))
            with database.open_space(held.tenant_id, held.space_id) as space:
                context(database, held, seconds=LEASE).finish_done(space, counts={})
        # The jobs of one transaction came at the same time: any of them may be the first.
        of_home = {job for tenant, job in done if tenant == home.tenant_id}
        of_twin = {job for tenant, job in done if tenant == twin.tenant_id}
        assert (len(of_home), of_twin) == (2, set(late))
        assert {read(database, home, job).state for job in of_home} == {"done"}
        assert {read(database, twin, job).state for job in late} == {"done"}

    def test_the_oldest_ready_job_comes_first_and_a_delayed_one_waits(
        self, database: Database, home: Home
    ) -> None:
        first, second, third = add_jobs(database, home, 3)
        execute(database, f"UPDATE job SET run_after = now() + interval '1 hour' WHERE id = '{first}'")
        assert [must_claim(database).job_id for _ in range(2)] == [second, third]
        assert claim(database) is None

    def test_a_job_of_a_newer_form_is_left_to_newer_workers(self, database: Database, home: Home) -> None:
        add_jobs(database, home, 1)
        execute(database, "UPDATE job SET schema_version = 99")
        assert claim(database) is None


class TestFencing:
    def test_a_worker_that_slept_past_its_lease_is_shut_out(self, database: Database, home: Home) -> None:
        """Fault 4: the zombie's next step stops it; its successor's claim is untouched."""
        (job_id,) = add_jobs(database, home, 1)
        zombie = context(database, must_claim(database, lease=-1), seconds=LEASE)
        with database.open_platform() as platform:
            queue.requeue_jobs_with_expired_leases(platform)
        successor = must_claim(database)
        with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(LeaseLost):
            zombie.check_lease(space)
        with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(LeaseLost):
            zombie.finish_done(space, counts={})
        with database.open_space(home.tenant_id, home.space_id) as space:
            context(database, successor, seconds=LEASE).check_lease(space)
        job = read(database, home, job_id)
        assert (job.state, job.fence, job.crash_count) == ("running", successor.fence, 1)

    def test_three_crashes_without_progress_make_a_job_and_its_documents_failed(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Rule J8: by the worker that claims it next, in one transaction, so that nothing stays half said."""
        _, job_id = submit(database, home, text("IBM created Db2."))
        assert job_id is not None
        for _ in range(3):
            must_claim(database, lease=-1)
            with database.open_platform() as platform:
                assert queue.requeue_jobs_with_expired_leases(platform) == [job_id]
        assert read(database, home, job_id).state == "queued"
        reached: list[str] = []
        assert make_runner(database, settings, checkpoint=reached.append).run_next_job()
        assert reached == []
        job = read(database, home, job_id)
        assert (job.state, job.error_code) == ("failed", "poison")
        assert job.finalized_at is not None
        with database.open_space(home.tenant_id, home.space_id) as space:
            documents = space.connection.execute(
                "SELECT state, failure_code FROM document WHERE knowledge_space_id = %s", [home.space_id]
            ).fetchall()
        assert documents == [("failed", "poison")]

    def test_a_job_whose_node_of_a_cluster_is_gone_waits_without_an_attempt(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Also where that shows as its end is written, for its documents stand on that node."""

        def meet(*_arguments: object) -> None:
            # As a server says it; a connection that broke has no state.
            raise ConnectionFailure("connection to the remote node failed")

        (job_id,) = add_jobs(database, home, 1)
        assert Runner(database, settings, {IngestDocuments.kind: meet}).run_next_job()
        job = read(database, home, job_id)
        assert (job.state, job.stage, job.error_code) == ("queued", "parked", "database_unavailable")
        assert (job.attempt, job.failures) == (0, 0)

        execute(database, "UPDATE job SET run_after = now()")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ingest, "requeue_documents_being_read", meet)
            stopped: dict[str, Handler] = {IngestDocuments.kind: stop}
            assert Runner(database, settings, stopped).run_next_job()
        job = read(database, home, job_id)
        assert (job.state, job.stage, job.attempt) == ("queued", "parked", 0)

    def test_a_job_cancelled_while_its_worker_died_ends_as_cancelled(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        _, job_id = submit(database, home, text("IBM created Db2."))
        assert job_id is not None
        for _ in range(3):
            must_claim(database, lease=-1)
            with database.open_space(home.tenant_id, home.space_id) as space:
                queue.cancel_job(space, job_id)
            with database.open_platform() as platform:
                queue.requeue_jobs_with_expired_leases(platform)
        assert make_runner(database, settings).run_next_job()
        assert read(database, home, job_id).state == "cancelled"
        with database.open_space(home.tenant_id, home.space_id) as space:
            codes = space.connection.execute(
                "SELECT failure_code FROM document WHERE knowledge_space_id = %s", [home.space_id]
            ).fetchall()
        assert codes == [("cancelled",)]

    def test_progress_forgives_crashes(self, database: Database, home: Home) -> None:
        (job_id,) = add_jobs(database, home, 1)
        for _ in range(5):
            held = must_claim(database, lease=-1)
            with database.open_space(home.tenant_id, home.space_id) as space:
                context(database, held, seconds=-1).record_progress(space, has_progressed=True)
            with database.open_platform() as platform:
                queue.requeue_jobs_with_expired_leases(platform)
        assert read(database, home, job_id).state == "queued"

    def test_renewing_keeps_a_long_job(self, database: Database, home: Home) -> None:
        (job_id,) = add_jobs(database, home, 1)
        held = must_claim(database, lease=-1)
        with database.open_platform() as platform:
            queue.heartbeat_leases(platform, [held], lease_seconds=LEASE)
            queue.requeue_jobs_with_expired_leases(platform)
        assert read(database, home, job_id).state == "running"


class TestCancelAndRetry:
    def test_a_queued_job_is_cancelled_at_once_and_its_documents_say_so(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        _, job_id = submit(database, home, text("IBM created Db2."))
        assert job_id is not None
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert ingest.cancel_job(space, job_id).state == "cancelled"
        assert make_runner(database, settings).drain() == 0
        assert self._documents(database, home) == [("failed", "cancelled")]
        with database.open_space(home.tenant_id, home.space_id) as space:
            ingest.retry_job(space, job_id)
        assert make_runner(database, settings).drain() == 1
        assert self._documents(database, home) == [("ready", None)]

    def test_a_running_job_stops_at_its_next_step(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        _, job_id = submit(database, home, *corpus())
        assert job_id is not None

        def cancel_at(step: str) -> None:
            if step == "chunked":
                with database.open_space(home.tenant_id, home.space_id) as space:
                    ingest.cancel_job(space, job_id)

        make_runner(database, settings, checkpoint=cancel_at).drain()
        assert read(database, home, job_id).state == "cancelled"
        assert picture(database, home)["edges"] == []
        with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(Conflict):
            ingest.cancel_job(space, job_id)

    def test_a_cancel_in_the_middle_raises_in_the_run(self, database: Database, home: Home) -> None:
        (job_id,) = add_jobs(database, home, 1)
        run = context(database, must_claim(database), seconds=LEASE)
        with database.open_space(home.tenant_id, home.space_id) as space:
            queue.cancel_job(space, job_id)
        with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(CancelRequested):
            run.check_lease(space)

    def test_only_an_ended_job_can_be_tried_again(self, database: Database, home: Home) -> None:
        (job_id,) = add_jobs(database, home, 1)
        with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(Conflict):
            queue.retry_job(space, job_id)

    @staticmethod
    def _documents(database: Database, home: Home) -> list[tuple[str, str | None]]:
        with database.open_space(home.tenant_id, home.space_id) as space:
            return space.connection.execute(
                "SELECT state, failure_code FROM document WHERE knowledge_space_id = %s", [home.space_id]
            ).fetchall()


class TestFailing:
    def test_a_passing_fault_is_tried_again_later_and_then_given_up(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        _, job_id = submit(database, home, text("IBM created Db2."))
        assert job_id is not None

        def fail(_step: str) -> None:
            raise Conflict("It is so already.") if strict else Unavailable("The model is busy.")

        strict = False
        make_runner(database, settings, checkpoint=fail).run_next_job()
        job = read(database, home, job_id)
        assert (job.state, job.failures, job.error_code) == ("queued", 1, "unavailable")
        # Not the time by the clock, which goes on while the machine is busy.
        assert job.started_at is not None
        assert job.run_after >= job.started_at + timedelta(seconds=0.5)
        strict = True
        execute(database, "UPDATE job SET run_after = now()")
        make_runner(database, settings, checkpoint=fail).run_next_job()
        job = read(database, home, job_id)
        assert (job.state, job.error_code) == ("failed", "conflict")

    def test_a_space_deleted_in_the_middle_leaves_nothing(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Fault 18, at every step."""
        for step in ("entered", "chunked", "nodes", "edges"):
            with database.open_tenant(home.tenant_id) as tenant:
                space_row = spaces.create_space(
                    tenant, name=step, embedding_model="x", embedding_dimensions=256, actor="test"
                )
            other = Home(home.tenant_id, SpaceId(space_row.id))
            submit(database, other, *corpus()[:3])

            def delete(reached: str, at: str = step, doomed: Home = other) -> None:
                if reached == at:
                    spaces.delete_space(database, doomed.tenant_id, doomed.space_id, actor="test")

            make_runner(database, settings, checkpoint=delete).drain()
            with pytest.raises(NotFound), database.open_space(other.tenant_id, other.space_id):
                pass
            with database.open_platform() as platform:
                left = platform.connection.execute(
                    "SELECT count(*) FROM job WHERE knowledge_space_id = %s", [other.space_id]
                ).fetchone()
            assert left == (0,)


def test_a_job_of_another_tenant_is_not_found(database: Database, home: Home, twin: Home) -> None:
    (job_id,) = add_jobs(database, twin, 1)
    for unknown in (job_id, JobId(create_id())):
        with (
            database.open_space(home.tenant_id, home.space_id) as space,
            pytest.raises(NotFound, match="No such job"),
        ):
            queue.get_job(space, unknown)
    with database.open_space(twin.tenant_id, twin.space_id) as space:
        assert queue.get_job(space, job_id).state == "queued"


def test_a_running_job_says_how_long_it_will_take(database: Database, home: Home) -> None:
    (job_id,) = add_jobs(database, home, 1)
    assert read(database, home, job_id).seconds_left is None
    held = must_claim(database)
    with database.open_space(home.tenant_id, home.space_id) as space:
        context(database, held, seconds=LEASE).record_progress(space, progress=25.0)
    execute(database, "UPDATE job SET started_at = now() - interval '10 seconds'")
    job = read(database, home, job_id)
    assert job.elapsed_seconds == pytest.approx(10, abs=2)
    assert job.seconds_left == pytest.approx(30, abs=6)
