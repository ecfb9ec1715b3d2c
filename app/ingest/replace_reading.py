"""Replace what was extracted from chunks, and have chunks read again whose names came free."""

from collections import Counter
from collections.abc import Collection, Sequence

from app.db.session import SpaceSession
from app.graph.write import chunk_removal, edge_writer, graph_writer, word_erasure
from app.ids import ChunkId
from app.ingest.derived_texts import delete_summaries_and_reports
from app.ingest.extraction_passes import ExtractedDocuments
from app.jobs import queue
from app.jobs.kinds import RereadChunks

CHUNKS_PER_JOB = 500
"""Maximum number of chunks that one job reads again, so that its arguments stay small."""


def replace_graph_content_of_chunks(
    space: SpaceSession, chunk_ids: Collection[ChunkId], extractions: Sequence[ExtractedDocuments]
) -> Counter[str]:
    """Replace the mentions, attributes and edges of these chunks by those that one extractor read.

    Returns the counts of the new rows. The caller holds the graph's lock, and has checked that the chunks are
    as they were read.
    """
    (extraction,) = extractions
    traces = chunk_removal.remove_mentions_of_chunks_to_reread(space, sorted(chunk_ids))
    separates_homonyms = extraction.extractor.separates_homonyms
    candidates = [candidate for candidate in extraction.candidates if candidate.chunk_id in chunk_ids]
    counts = Counter(
        graph_writer.write_resolved_nodes_and_count_changes(
            space, candidates, separates_homonyms=separates_homonyms
        )
    )
    counts.update(
        edge_writer.replace_edges_of_chunks_and_count_changes(
            space,
            sorted(chunk_ids),
            [edge for edge in extraction.edges if edge.chunk_id in chunk_ids],
            model=extraction.extractor.model,
            separates_homonyms=separates_homonyms,
        )
    )
    erased_names = word_erasure.erase_unattested_names(space, traces)
    delete_summaries_and_reports(space, erased_names.described_node_ids)
    queue_chunks_to_reread(
        space, [chunk_id for chunk_id in erased_names.chunk_ids_to_reread if chunk_id not in chunk_ids]
    )
    return counts


def queue_chunks_to_reread(space: SpaceSession, chunk_ids: Sequence[ChunkId], *, delay: float = 0.0) -> None:
    """Queue jobs that read these chunks again, in the caller's transaction."""
    for slice_start in range(0, len(chunk_ids), CHUNKS_PER_JOB):
        queue.enqueue(space, RereadChunks(chunk_ids[slice_start : slice_start + CHUNKS_PER_JOB]), delay=delay)
