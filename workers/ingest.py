"""The ingest family of jobs: which handler runs which kind."""

from collections.abc import Callable

from app.ingest.extractors import Extractors
from app.ingest.job import IngestTools, ingest_documents
from app.jobs.kinds import IngestDocuments
from app.jobs.queue import JobRun
from app.memory import scheduling as memory
from app.settings import Settings


def handlers(
    settings: Settings,
    extractors: Extractors,
    *,
    stop_requested: Callable[[], bool],
    checkpoint: Callable[[str], None] = lambda _step: None,
) -> dict[str, Callable[[JobRun], None]]:
    """Kind → handler, for a Runner."""
    tools = IngestTools(settings, extractors, stop_requested, checkpoint)

    def take_in(run: JobRun) -> None:
        ingest_documents(run, tools)
        with run.database.open_space(run.lease.tenant_id, run.lease.space_id) as space:
            memory.note_growth(space, settings)

    return {IngestDocuments.kind: take_in}
