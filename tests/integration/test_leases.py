"""Leases while steps run: heartbeats wait for no step, takeovers for all of them, and jobs yield (ADR
0028).
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial

import pytest

from app.db.database import Database
from app.ids import JobId
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.jobs.shapes import Lease, LeaseLost
from app.jobs.states import CancelRequested, StopRequested
from app.limits import DOCUMENT_PAGES
from app.settings import Settings
from tests.conftest import Home
from tests.hostile.harness.content import pdf
from tests.integration.test_queue import add_jobs, must_claim, read
from tests.support.ingest import make_runner, submit, text
from tests.support.jobs import context


def lease_left(database: Database, lease: Lease) -> float:
    """Seconds until the lease ends."""
    with database.open_platform() as platform:
        query = "SELECT extract(epoch FROM lease_until - clock_timestamp())::float FROM job WHERE id = %s"
        ((left,),) = platform.connection.execute(query, [lease.job_id]).fetchall()
    return float(left)


def sweep(database: Database) -> list[JobId]:
    with database.open_platform() as platform:
        return queue.requeue_jobs_with_expired_leases(platform)


def beat(database: Database, lease: Lease, seconds: float) -> None:
    with database.open_platform() as platform:
        queue.heartbeat_leases(platform, [lease], lease_seconds=seconds)


class TestWhileAStepRuns:
    def test_a_heartbeat_waits_for_no_step_and_counts_from_its_own_moment(
        self, database: Database, home: Home
    ) -> None:
        """104 time-outs of locks: a step held its own job's row, and dated the lease from its start."""
        add_jobs(database, home, 1)
        lease = must_claim(database, lease=5)
        run = context(database, lease, seconds=5)
        with database.open_space(home.tenant_id, home.space_id) as space:
            run.record_progress(space, stage="writing", counts={"nodes": 1})
            time.sleep(1.0)
            begin = time.monotonic()
            beat(database, lease, 60)
            assert time.monotonic() - begin < 1.0
            assert lease_left(database, lease) > 58
            time.sleep(1.0)
        # A step that began before the heartbeat does not shorten what that gave.
        assert lease_left(database, lease) > 56

    def test_a_step_at_its_end_prolongs_the_lease_from_that_moment(
        self, database: Database, home: Home
    ) -> None:
        add_jobs(database, home, 1)
        lease = must_claim(database, lease=1)
        with database.open_space(home.tenant_id, home.space_id) as space:
            context(database, lease, seconds=30).record_progress(space, stage="writing")
            time.sleep(1.5)
        assert lease_left(database, lease) > 29

    def test_a_sweep_passes_over_a_job_whose_step_is_being_written(
        self, database: Database, home: Home
    ) -> None:
        (job_id,) = add_jobs(database, home, 1)
        lease = must_claim(database, lease=-1)
        with database.open_space(home.tenant_id, home.space_id) as space:
            context(database, lease, seconds=-1).check_lease(space)
            assert sweep(database) == []
        assert sweep(database) == [job_id]

    def test_a_step_that_begins_after_a_sweep_is_refused_and_one_that_was_rolled_back_notes_nothing(
        self, database: Database, home: Home
    ) -> None:
        (job_id,) = add_jobs(database, home, 1)
        run = context(database, must_claim(database, lease=-1), seconds=30)
        with pytest.raises(ZeroDivisionError), database.open_space(home.tenant_id, home.space_id) as space:
            run.record_progress(space, stage="writing", counts={"nodes": 7}, has_progressed=True)
            raise ZeroDivisionError
        assert sweep(database) == [job_id]
        with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(LeaseLost):
            run.check_lease(space)
        job = read(database, home, job_id)
        assert (job.stage, job.counts, job.crash_count) == ("waiting", {}, 1)

    def test_cancelling_and_costs_wait_for_no_step(self, database: Database, home: Home) -> None:
        (job_id,) = add_jobs(database, home, 1)
        run = context(database, must_claim(database), seconds=30)
        with database.open_space(home.tenant_id, home.space_id) as space:
            run.check_lease(space)
            begin = time.monotonic()
            with database.open_space(home.tenant_id, home.space_id) as other:
                queue.cancel_job(other, job_id)
                assert queue.try_to_add_cost_to_job(
                    other, job_id, prompt_tokens=3, completion_tokens=1, cost_usd=Decimal("0.5")
                )
            assert time.monotonic() - begin < 1.0
        with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(CancelRequested):
            run.check_lease(space)
        assert read(database, home, job_id).prompt_tokens == 3

    def test_fencing_off_a_space_waits_for_the_step_that_is_being_written(
        self, database: Database, home: Home
    ) -> None:
        """Else a step would go on writing into a space that is being deleted."""
        (job_id,) = add_jobs(database, home, 1)
        run = context(database, must_claim(database), seconds=30)
        done: list[float] = []

        def cancel_all() -> None:
            with database.open_space(home.tenant_id, home.space_id) as other:
                queue.cancel_all_jobs_and_count(other)
            done.append(time.monotonic())

        thread = threading.Thread(target=cancel_all)
        with database.open_space(home.tenant_id, home.space_id) as space:
            run.record_progress(space, counts={"nodes": 1})
            thread.start()
            time.sleep(0.5)
            assert done == []
        thread.join(10)
        assert done
        assert read(database, home, job_id).state == "cancelled"
        with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(LeaseLost):
            run.check_lease(space)

    @pytest.mark.soak
    def test_heartbeats_sweeps_and_steps_of_many_threads_never_block_each_other_for_long(
        self, database: Database, home: Home
    ) -> None:
        """All pairs at once for two seconds: no deadlock, no time-out of a lock, no step of a lost lease."""
        add_jobs(database, home, 1)
        lease = must_claim(database, lease=60)
        run = context(database, lease, seconds=60)
        end = time.monotonic() + 2.0

        def step(number: int) -> int:
            count = 0
            while time.monotonic() < end:
                with database.open_space(home.tenant_id, home.space_id) as space:
                    run.record_progress(space, counts={f"steps{number}": count + 1}, has_progressed=True)
                    count += 1
            return count

        def repeat(call: Callable[[], object]) -> int:
            count = 0
            while time.monotonic() < end:
                call()
                count += 1
            return count

        with ThreadPoolExecutor(6) as pool:
            steps = [pool.submit(step, number) for number in range(3)]
            others = [
                pool.submit(repeat, call)
                for call in (partial(beat, database, lease, 60), partial(sweep, database))
            ]
            counts = read(database, home, lease.job_id).counts
            assert min(future.result(30) for future in (*steps, *others)) > 20
        counts = read(database, home, lease.job_id).counts
        assert [counts[f"steps{number}"] for number in range(3)] == [step.result() for step in steps]


class TestYielding:
    def test_a_job_yields_after_its_slice_only_where_others_wait_and_something_was_finished(
        self, database: Database, home: Home
    ) -> None:
        add_jobs(database, home, 1)
        asked: list[bool] = []

        def others_wait() -> bool:
            asked.append(True)
            return True

        run = context(database, must_claim(database), seconds=30, should_yield=others_wait)
        for progressed in (False, True):
            with database.open_space(home.tenant_id, home.space_id) as space:
                run.record_progress(space, stage="one")
                run.record_progress(space, has_progressed=progressed)
            assert asked == []
        with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(StopRequested):
            run.check_lease(space)

    @pytest.mark.soak
    def test_others_wait_once_a_job_of_another_tenant_was_ready_for_a_second(
        self, database: Database, home: Home, twin: Home
    ) -> None:
        add_jobs(database, home, 3)
        lease = must_claim(database)

        def waits() -> bool:
            with database.open_platform() as platform:
                return queue.do_other_tenants_wait(platform, lease.tenant_id, kinds=[IngestDocuments.kind])

        time.sleep(1.2)
        # More of the same tenant's are no reason.
        assert not waits()
        add_jobs(database, twin, 1)
        assert not waits()
        time.sleep(1.2)
        assert waits()
        with database.open_platform() as platform:
            assert not queue.do_other_tenants_wait(platform, lease.tenant_id, kinds=["another.kind"])

    @pytest.mark.soak
    def test_a_large_ingest_lets_another_tenant_in_and_goes_on_where_it_stopped(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        """One worker: the other's sentence is read before the last of the large job's documents."""
        _, large = submit(
            database, home, *[text(f"Company{number} uses Kafka{number}.") for number in range(130)]
        )
        reached: list[str] = []
        small: list[JobId] = []

        def checkpoint(step: str) -> None:
            reached.append(step)
            if step == "finished" and len(small) == 0:
                _, job_id = submit(database, twin, text("IBM created Db2."))
                assert job_id is not None
                small.append(job_id)
                time.sleep(1.2)

        runner = make_runner(database, settings.model_copy(update={"job_slice": 0.0}), checkpoint=checkpoint)
        assert runner.drain() == 3
        assert large is not None
        done = read(database, home, large)
        assert done.state == "done"
        assert done.counts["documents"] == 130
        assert done.attempt == 1
        first = read(database, twin, small[0])
        assert first.state == "done"
        assert done.finalized_at is not None
        assert first.finalized_at is not None
        assert first.finalized_at < done.finalized_at
        # Two batches of 64 and one of two, none of them read twice.
        assert reached.count("entered") == 4


def endless_pdf() -> bytes:
    """A PDF of as many pages as may be, which takes far longer than a test waits."""
    return pdf(DOCUMENT_PAGES.maximum, "Ada Byron created Engine", 2_000)
