"""The report writer of a job: rules, or a model whose answers are stored in the job's space and paid once."""

from collections.abc import Callable

from app.db.database import Database
from app.derived.communities.report_writers import ModelReporter, Reporter, RulesReporter
from app.jobs.shapes import Lease
from app.llm.client import ModelClient
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.ledger import DatabaseAnswerStore


class Reporters:
    """Creates the reporter of each job; rules without a client."""

    def __init__(self, database: Database, client: ModelClient | None = None) -> None:
        self._database = database
        self._client = client

    def create_reporter_for_job(self, lease: Lease, is_stop_requested: Callable[[], bool]) -> Reporter:
        """Return the reporter of this job."""
        if self._client is None:
            return RulesReporter()
        answers = DatabaseAnswerStore(
            self._database, tenant_id=lease.tenant_id, space_id=lease.space_id, job_id=lease.job_id
        )
        return ModelReporter(Asker(self._client, answers, lease.tenant_id, is_stop_requested))
