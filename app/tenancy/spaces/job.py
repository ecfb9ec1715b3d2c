"""The job that removes the rows of a closed space: table by table, in batches, and finally the space's row.

A batch is one short transaction. A run that dies has finished whole batches; the next run looks for the
remaining rows, so no state is needed. Nobody opens the space meanwhile, so nobody waits for these locks.
"""

from app.jobs.context import JobContext
from app.tenancy.audit import receipts
from app.tenancy.audit import service as audit
from app.tenancy.spaces import repository
from app.tenancy.spaces.service import ROWS_OF_ALL_TABLES
from app.tenancy.tenants import service as tenants

BATCH_ROWS = 2_000
"""Rows that one statement deletes."""


def delete_space_in_steps(run: JobContext) -> None:
    """Remove all that the space owns, and the space.

    Raises LeaseLost, CancelRequested or StopRequested if the worker must give the job up.
    """
    with run.open_fenced_step(stage="deleting") as space:
        removed_counts = {ROWS_OF_ALL_TABLES: 0, **run.get_counts_of_earlier_attempts(space)}
    # Triggers add rows to tables that come earlier, so repeat until a whole round finds nothing.
    has_rows = True
    while has_rows:
        has_rows = False
        for owned_table in repository.OWNED_TABLES:
            while True:
                run.raise_if_stop_requested()
                with run.open_fenced_step(by_index=True) as space:
                    with receipts.count_deleted_rows_within(space, space.space_id) as row_counts:
                        deleted_count = repository.delete_batch_of_rows_and_count(
                            space, owned_table, kept_job_id=run.lease.job_id, limit=BATCH_ROWS
                        )
                    if deleted_count:
                        removed_counts = {
                            **receipts.sum_row_counts(removed_counts, row_counts),
                            ROWS_OF_ALL_TABLES: removed_counts[ROWS_OF_ALL_TABLES] + deleted_count,
                        }
                        run.record_progress(space, counts=removed_counts, has_progressed=True)
                if deleted_count:
                    has_rows = True
                    run.checkpoint("deleted")
                if deleted_count < BATCH_ROWS:
                    break
    with run.open_fenced_step() as space:
        with receipts.count_deleted_rows_within(space, space.space_id) as row_counts:
            tenants.preserve_month_usage_of_deleted_space(space, space.tenant_id, space.space_id)
            repository.delete_row_of_closed_space(space)
        del removed_counts[ROWS_OF_ALL_TABLES]
        # The receipt, in the last transaction, so that a retried job writes only one.
        audit.record(
            space,
            "space.erase",
            target=space.space_id,
            details=receipts.sum_row_counts(removed_counts, row_counts),
        )
