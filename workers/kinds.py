"""The table of job kinds: who handles each, with the parts that it needs."""

from functools import partial

from app.communities.job import detect_communities
from app.embedding_change.job import change_embedding, clear_vectors
from app.ingest.extractors import Extractors
from app.ingest.job import ingest_documents
from app.jobs.context import Handler, JobContext
from app.jobs.kinds import (
    ChangeEmbedding,
    ClearVectors,
    DetectCommunities,
    EvictChunks,
    IngestDocuments,
    RefreshSummaries,
)
from app.memory import scheduling as memory
from app.memory.job import evict_chunks
from app.summaries.job import refresh_summaries
from app.wiring import Citegraph


def handlers(parts: Citegraph) -> dict[str, Handler]:
    """Kind → handler, for a Runner."""
    return {
        IngestDocuments.kind: partial(take_in, extractors=parts.extractors),
        DetectCommunities.kind: partial(detect_communities, reporters=parts.reporters),
        RefreshSummaries.kind: partial(refresh_summaries, writers=parts.writers),
        ChangeEmbedding.kind: partial(change_embedding, embedders=parts.embedders),
        ClearVectors.kind: clear_vectors,
        EvictChunks.kind: evict_chunks,
    }


def take_in(run: JobContext, extractors: Extractors) -> None:
    """Ingest, and then have the space evict what is too much."""
    ingest_documents(run, extractors)
    with run.open_space() as space:
        memory.note_growth(space, run.settings)
