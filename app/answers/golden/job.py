"""The job of a golden run: asks every golden question of the space and keeps what became of each."""

from app.answers.golden import repository, service
from app.answers.golden.evaluator import GoldenAsker
from app.answers.golden.scoring import counts_of
from app.jobs.context import JobContext


def ask_golden_questions(run: JobContext, asker: GoldenAsker) -> None:
    """Ask those that this run has not asked yet; a run as the space is set plans the next one.

    Raises LeaseLost, CancelRequested or StopRequested where the worker must let go of the job.
    """
    job_id = run.lease.job_id
    with run.open_space() as space:
        run.fence(space, stage="asking")
        changes = service.tried_settings(space, run.lease.arguments["settings"])
        questions = repository.list_questions(space)
        asked = {outcome.question_id for outcome in repository.list_outcomes(space, job_id)}
    remaining = [question for question in questions if question.id not in asked]
    done = len(questions) - len(remaining)
    for outcome in asker.outcomes(run.lease.tenant_id, run.lease.space_id, remaining, changes):
        done += 1
        with run.open_space() as space:
            run.fence(space, progress=min(99.0, 100 * done / len(questions)), progressed=True)
            repository.store_outcome(space, job_id, outcome)
        run.check_stop()
        run.pause()
    with run.open_space() as space:
        run.fence(space, stage="counting")
        if not run.lease.arguments["settings"]:
            service.plan_next(space)
        run.done(space, counts=counts_of(repository.list_outcomes(space, job_id)))
