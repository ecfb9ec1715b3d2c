"""The ingest family of jobs: which handler runs which kind."""

from collections.abc import Callable

from app.ingest.pipeline import IngestTools, ingest_documents
from app.ingest.shapes import Embedder, Extractor
from app.jobs.kinds import Claim, IngestDocuments
from app.jobs.queue import JobRun
from app.settings import Settings


def handlers(
    settings: Settings,
    make_extractor: Callable[[Claim], Extractor],
    embedder: Embedder,
    *,
    stop_requested: Callable[[], bool],
    checkpoint: Callable[[str], None] = lambda _step: None,
) -> dict[str, Callable[[JobRun], None]]:
    """Kind → handler, for a Runner."""
    tools = IngestTools(settings, make_extractor, embedder, stop_requested, checkpoint)
    return {IngestDocuments.kind: lambda run: ingest_documents(run, tools)}
