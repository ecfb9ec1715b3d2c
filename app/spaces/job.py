"""The job that removes what a closed space owns: table by table, in batches, and the space's row at last.

A batch is one short transaction. A run that dies has done whole batches; the next looks for what is left, so
nothing needs to be remembered. Nobody opens the space meanwhile, so nobody waits for these locks.
"""

from app.jobs.context import JobContext
from app.spaces import repository

BATCH = 2_000
"""Rows of one statement."""


def delete_content(run: JobContext) -> None:
    """Remove all that the space owns, and the space.

    Raises LeaseLost, CancelRequested or StopRequested where the worker must let go of the job.
    """
    with run.step(stage="deleting") as space:
        removed = run.counts(space).get("rows", 0)
    # Triggers note what goes in tables that come earlier: again, until a whole round finds nothing.
    found = True
    while found:
        found = False
        for owned in repository.OWNED:
            while True:
                run.check_stop()
                with run.step(by_index=True) as space:
                    gone = repository.delete_some(space, owned, but=run.lease.job_id, limit=BATCH)
                    if gone:
                        removed += gone
                        run.fence(space, counts={"rows": removed}, progressed=True)
                if gone:
                    found = True
                    run.checkpoint("deleted")
                if gone < BATCH:
                    break
    with run.step() as space:
        repository.delete_closed(space)
