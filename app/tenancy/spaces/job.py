"""The job that removes what a closed space owns: table by table, in batches, and the space's row at last.

A batch is one short transaction. A run that dies has done whole batches; the next looks for what is left, so
nothing needs to be remembered. Nobody opens the space meanwhile, so nobody waits for these locks.
"""

from app.jobs.context import JobContext
from app.tenancy.audit import receipts
from app.tenancy.audit import service as audit
from app.tenancy.spaces import repository
from app.tenancy.tenants import service as tenants

BATCH = 2_000
"""Rows of one statement."""


def delete_space_in_steps(run: JobContext) -> None:
    """Remove all that the space owns, and the space.

    Raises LeaseLost, CancelRequested or StopRequested where the worker must let go of the job.
    """
    with run.open_fenced_step(stage="deleting") as space:
        removed = {"rows": 0, **run.counts_of_earlier_attempts(space)}
    # Triggers note what goes in tables that come earlier: again, until a whole round finds nothing.
    has_rows = True
    while has_rows:
        has_rows = False
        for owned in repository.OWNED:
            while True:
                run.check_stop()
                with run.open_fenced_step(by_index=True) as space:
                    with receipts.counting_deleted_rows(space, space.space_id) as rows:
                        deleted_count = repository.delete_batch_of_rows(
                            space, owned, but=run.lease.job_id, limit=BATCH
                        )
                    if deleted_count:
                        removed = {
                            **receipts.add_row_counts(removed, rows),
                            "rows": removed["rows"] + deleted_count,
                        }
                        run.fence(space, counts=removed, progressed=True)
                if deleted_count:
                    has_rows = True
                    run.checkpoint("deleted")
                if deleted_count < BATCH:
                    break
    with run.open_fenced_step() as space:
        with receipts.counting_deleted_rows(space, space.space_id) as rows:
            tenants.keep_space_usage(space, space.tenant_id, space.space_id)
            repository.delete_row_of_closed_space(space)
        del removed["rows"]
        # The receipt, in the transaction of the end: a job that is tried again leaves one.
        audit.record(
            space, "space.erase", target=space.space_id, details=receipts.add_row_counts(removed, rows)
        )
