"""The ingest family of jobs: which handler runs which kind."""

from collections.abc import Callable

from app.ingest.pipeline import IngestTools, ingest_documents
from app.ingest.readers import Readers
from app.jobs.kinds import IngestDocuments
from app.jobs.queue import JobRun
from app.settings import Settings


def handlers(
    settings: Settings,
    readers: Readers,
    *,
    stop_requested: Callable[[], bool],
    checkpoint: Callable[[str], None] = lambda _step: None,
) -> dict[str, Callable[[JobRun], None]]:
    """Kind → handler, for a Runner."""
    tools = IngestTools(settings, readers, stop_requested, checkpoint)
    return {IngestDocuments.kind: lambda run: ingest_documents(run, tools)}
