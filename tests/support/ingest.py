"""Helpers for tests that ingest: hand documents in, run jobs in this process, take the graph's picture."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from app.db.database import Database
from app.documents import service as documents
from app.documents.format_detection import detect_format_or_refuse
from app.documents.shapes import Submission
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import Extractor
from app.ids import JobId
from app.ingest.chunk_rereading.job import reread_chunks
from app.ingest.extractor_choice import Extractors, JobExtraction
from app.ingest.job import ingest_documents
from app.jobs.context import ignore_step, never_stop
from app.jobs.kinds import IngestDocuments, RereadChunks
from app.jobs.shapes import Lease
from app.llm.embedding.embedders import Embedder
from app.llm.embedding.hashed import HashedEmbedder
from app.sandbox.process_sandbox import InProcessSandbox, Sandbox
from app.settings import Settings
from tests.conftest import Home, under
from workers.runner import Runner

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"


def corpus() -> list[Submission]:
    """The example corpus, as the CLI would hand it in."""
    return [
        Submission(
            path.read_bytes(),
            detect_format_or_refuse(path.name, None, path.read_bytes()),
            path.stem,
            source_uri=path.name,
        )
        for path in sorted(CORPUS.iterdir())
    ]


def text(body: str, *, title: str = "Note", source_uri: str | None = None) -> Submission:
    """A plain text document."""
    return Submission(body.encode(), "text", title, source_uri=source_uri)


def submit(
    database: Database, home: Home, *submissions: Submission
) -> tuple[list[documents.SubmittedDocument], JobId | None]:
    """Hand documents in, as one job."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        results, job = documents.submit_documents(space, submissions)
        return results, JobId(job.id) if job else None


class FixedExtractors(Extractors):
    """Every job reads with these two."""

    def __init__(self, extractor: Extractor, embedder: Embedder, sandbox: Sandbox | None = None) -> None:
        self._extraction = JobExtraction(lambda: extractor, embedder, sandbox=sandbox or InProcessSandbox())

    def create_job_extraction(
        self, lease: Lease, is_stop_requested: Callable[[], bool], **models: Any
    ) -> JobExtraction:
        """The same for all."""
        return self._extraction

    def close(self) -> None:
        """Nothing is open."""


def make_runner(
    database: Database,
    settings: Settings,
    *,
    extractor: Extractor | None = None,
    extractors: Extractors | None = None,
    embedder: Embedder | None = None,
    checkpoint: Callable[[str], None] = ignore_step,
    stop_requested: Callable[[], bool] = never_stop,
) -> Runner:
    """A runner in this process, as a pool process of a worker has it."""
    extractors = extractors or FixedExtractors(extractor or RulesExtractor(), embedder or HashedEmbedder())
    return Runner(
        under(database, settings),
        settings,
        {
            IngestDocuments.kind: partial(ingest_documents, extractors=extractors),
            RereadChunks.kind: partial(reread_chunks, extractors=extractors),
        },
        checkpoint=checkpoint,
        stop_requested=stop_requested,
    )


def ingest_now(
    database: Database, settings: Settings, home: Home, submissions: Iterable[Submission]
) -> JobId | None:
    """Hand documents in and run all that waits."""
    _, job_id = submit(database, home, *submissions)
    make_runner(database, settings).drain()
    return job_id


def picture(database: Database, home: Home) -> dict[str, list[tuple[Any, ...]]]:
    """The space's graph without ids and times: two equal pictures are the same graph, row for row."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        query = space.connection.execute
        parameters = [home.space_id]
        return {
            "nodes": (
                query(
                    "SELECT canonical_name, node_type, mention_count, out_degree, in_degree, confidence,"
                    " source, metadata - 'firstSeenChunkId' FROM graph_node WHERE knowledge_space_id = %s"
                    " ORDER BY 1, 2",
                    parameters,
                ).fetchall()
            ),
            "names": (
                query(
                    "SELECT g.canonical_name, g.node_type, n.normalised_name, n.name, n.kind FROM node_name n"
                    " JOIN graph_node g ON g.knowledge_space_id = n.knowledge_space_id AND g.id = n.node_id"
                    " WHERE n.knowledge_space_id = %s ORDER BY 1, 2, 3",
                    parameters,
                ).fetchall()
            ),
            "mentions": (
                query(
                    "SELECT d.title, c.ordinal, g.canonical_name, g.node_type, m.surface_form, m.char_start,"
                    " m.char_end, m.name, m.node_type FROM node_mention m JOIN graph_node g ON"
                    " g.knowledge_space_id = m.knowledge_space_id AND g.id = m.node_id JOIN knowledge_chunk c"
                    " ON c.knowledge_space_id = m.knowledge_space_id AND c.id = m.chunk_id JOIN document d ON"
                    " d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id WHERE"
                    " m.knowledge_space_id = %s ORDER BY 1, 2, 3, 4",
                    parameters,
                ).fetchall()
            ),
            "edges": (
                query(
                    "SELECT d.title, c.ordinal, f.canonical_name, e.relation_type, t.canonical_name,"
                    " e.weight, e.confidence, e.status, e.metadata - 'extractedAt', e.extraction_key FROM"
                    " graph_edge e JOIN graph_node f ON f.knowledge_space_id = e.knowledge_space_id AND f.id"
                    " = e.from_node_id JOIN graph_node t ON t.knowledge_space_id = e.knowledge_space_id AND"
                    " t.id = e.to_node_id LEFT JOIN knowledge_chunk c ON c.knowledge_space_id ="
                    " e.knowledge_space_id      AND c.id = e.evidence_chunk_id LEFT JOIN document d ON"
                    " d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id WHERE"
                    " e.knowledge_space_id = %s ORDER BY e.extraction_key",
                    parameters,
                ).fetchall()
            ),
            "chunks": (
                query(
                    "SELECT d.title, c.ordinal, c.content_hash, c.char_start, c.char_end, c.token_count,"
                    " c.extracted_by, c.embedding::text FROM knowledge_chunk c JOIN document d ON"
                    " d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id WHERE"
                    " c.knowledge_space_id = %s ORDER BY 1, 2",
                    parameters,
                ).fetchall()
            ),
        }
