"""The handlers of the job kinds, with the components that they need."""

from functools import partial

from app.answers.golden.job import ask_golden_questions, reread_documents
from app.derived.communities.job import detect_communities_and_write_reports
from app.derived.embedding_change.job import change_embedding_model, delete_unused_vector_sets
from app.derived.eviction.job import evict_chunks_by_policy_and_schedule_next
from app.derived.summaries.job import evaluate_changed_nodes_and_save_summaries
from app.ingest.chunk_rereading.job import reread_chunks
from app.ingest.job import begin_and_end_due_claims, ingest_documents
from app.ingest.trials.job import read_trial_sample_and_count_differences
from app.jobs.context import Handler
from app.jobs.kinds import (
    AskGolden,
    BeginClaims,
    ChangeEmbedding,
    ClearVectors,
    DeleteSpace,
    DetectCommunities,
    EvictChunks,
    IngestDocuments,
    RefreshSummaries,
    RereadChunks,
    RereadDocuments,
    TryExtraction,
)
from app.tenancy.spaces.job import delete_space_in_steps
from app.wiring import Citegraph


def build_handlers_by_kind(citegraph: Citegraph) -> dict[str, Handler]:
    """Return the handler of each kind, for a Runner."""
    return {
        IngestDocuments.kind: partial(
            ingest_documents, extractors=citegraph.extractors, tagger=citegraph.tagger
        ),
        RereadChunks.kind: partial(reread_chunks, extractors=citegraph.extractors),
        BeginClaims.kind: begin_and_end_due_claims,
        DetectCommunities.kind: partial(detect_communities_and_write_reports, client=citegraph.client),
        RefreshSummaries.kind: partial(evaluate_changed_nodes_and_save_summaries, client=citegraph.client),
        ChangeEmbedding.kind: partial(change_embedding_model, embedders=citegraph.embedders),
        ClearVectors.kind: delete_unused_vector_sets,
        EvictChunks.kind: evict_chunks_by_policy_and_schedule_next,
        DeleteSpace.kind: delete_space_in_steps,
        TryExtraction.kind: partial(read_trial_sample_and_count_differences, extractors=citegraph.extractors),
        RereadDocuments.kind: partial(
            reread_documents, extractors=citegraph.extractors, asker=citegraph.golden_asker
        ),
        AskGolden.kind: partial(ask_golden_questions, asker=citegraph.golden_asker),
    }
