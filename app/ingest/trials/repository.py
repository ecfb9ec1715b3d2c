"""Queries for trials: the sample, its readings, and the graph's claims of the same chunks."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from app.db.session import SpaceSession
from app.ids import ChunkId, DocumentId, JobId, NodeId
from app.ingest.trials.comparison import ReadClaim


@dataclass(frozen=True, slots=True)
class StoredClaim:
    """A claim as a trial read it; the names of its ends are those of the text."""

    from_name: str
    relation_type: str
    to_name: str
    polarity: str
    confidence: float
    quote: str


@dataclass(frozen=True, slots=True)
class ChunkReading:
    """The claims that a trial read in one chunk. `read_by` is the extractor that read the chunk for the
    graph.
    """

    chunk_id: ChunkId
    claims: tuple[StoredClaim, ...]
    failure: str | None
    seconds: float
    read_by: str | None
    document_id: DocumentId
    document_title: str
    ordinal: int


class SampledChunk(NamedTuple):
    """A chunk of the sample and its document."""

    chunk_id: ChunkId
    document_id: DocumentId


def sample_chunks(space: SpaceSession, job_id: JobId, sample_size: int) -> list[SampledChunk]:
    """Return a sample of `sample_size` read chunks, each with its document; the same sample for every call of
    a job.
    """
    rows = space.run("ingest.trials.sample_chunks", {"seed": str(job_id), "chunks": sample_size})
    return [SampledChunk(ChunkId(row[0]), DocumentId(row[1])) for row in rows]


def list_chunk_ids_read_by_trial(space: SpaceSession, job_id: JobId) -> set[ChunkId]:
    """Return the chunks that the trial has read so far."""
    return {ChunkId(row[0]) for row in space.run("ingest.trials.list_chunks_read_by_trial", {"job": job_id})}


class NewReading(NamedTuple):
    """The claims that were read in a chunk, or the code of the error, and the seconds that it took."""

    chunk_id: ChunkId
    claims: Sequence[StoredClaim]
    error_code: str | None
    seconds: float


def store_readings(space: SpaceSession, job_id: JobId, readings: Sequence[NewReading]) -> None:
    """Store the readings of chunks that still exist."""
    space.run(
        "ingest.trials.store_readings",
        {
            "job": job_id,
            "chunks": [reading.chunk_id for reading in readings],
            "claims": [json.dumps([asdict(claim) for claim in reading.claims]) for reading in readings],
            "failures": [reading.error_code for reading in readings],
            "seconds": [reading.seconds for reading in readings],
        },
    )


def delete_readings(space: SpaceSession, job_id: JobId) -> None:
    """Delete all readings of the trial."""
    space.run("ingest.trials.delete_readings", {"job": job_id})


def delete_readings_of_chunks(space: SpaceSession, job_id: JobId, chunk_ids: Sequence[ChunkId]) -> None:
    """Delete the job's readings of these chunks."""
    space.run("ingest.trials.drop_readings_of", {"job": job_id, "chunks": list(chunk_ids)})


def count_chunks_to_reread(
    space: SpaceSession,
    job_id: JobId,
    *,
    extractor_version: str,
    includes_all: bool,
    document_ids: Sequence[DocumentId] | None = None,
) -> int:
    """Return the number of chunks that the job has still to read: those not read by `extractor_version`, or
    all with `includes_all`.

    Limited to `documents` if given.
    """
    parameters = {
        "job": job_id,
        "tag": extractor_version,
        "everything": includes_all,
        "documents": None if document_ids is None else list(document_ids),
    }
    return int(space.run("ingest.trials.count_to_reread", parameters)[0][0])


def list_next_chunks_to_reread(
    space: SpaceSession,
    job_id: JobId,
    *,
    unless_read_by: str | None,
    only_document_ids: Sequence[DocumentId] | None,
    is_undoing: bool,
    after: DocumentId | None,
    limit: int,
) -> dict[DocumentId, set[ChunkId]]:
    """Return the chunks that the job has still to read in the next documents, by document.

    Returns at most `limit` documents in the order of their ids, of all documents or `only_document_ids`.
    Chunks read by the extractor version `unless_read_by` are left out, none if it is None. With `is_undoing`
    the job's own chunks are returned.
    """
    rows = space.run(
        "ingest.trials.list_next_chunks_to_reread",
        {
            "job": job_id,
            "tag": unless_read_by,
            "everything": unless_read_by is None,
            "documents": None if only_document_ids is None else list(only_document_ids),
            "undoing": is_undoing,
            "after": after,
            "limit": limit,
        },
        should_prepare=False,
    )
    chunks_by_document: dict[DocumentId, set[ChunkId]] = defaultdict(set)
    for chunk_id, document_id in rows:
        document_chunks = chunks_by_document[DocumentId(document_id)]
        if chunk_id is not None:
            document_chunks.add(ChunkId(chunk_id))
    return dict(chunks_by_document)


def select_unchanged_chunk_ids(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], versions: Mapping[DocumentId, int]
) -> set[ChunkId]:
    """Return the chunks that still belong to these versions of their documents, and that no other job is
    reading.
    """
    rows = space.run(
        "ingest.trials.select_still_ready_chunks",
        {"chunks": list(chunk_ids), "documents": list(versions), "versions": list(versions.values())},
    )
    return {ChunkId(row[0]) for row in rows}


def list_readings(space: SpaceSession, job_id: JobId) -> list[ChunkReading]:
    """Return the trial's readings in the order of documents and chunks."""
    rows = space.run("ingest.trials.list_readings", {"job": job_id})
    return [
        ChunkReading(
            ChunkId(row[0]),
            tuple(StoredClaim(**claim) for claim in row[1]),
            row[2],
            row[3],
            row[4],
            DocumentId(row[5]),
            *row[6:],
        )
        for row in rows
    ]


def list_graph_claims_of_trial_chunks(space: SpaceSession, job_id: JobId) -> list[ReadClaim]:
    """Return the graph's claims of the trial's chunks."""
    rows: list[Any] = space.run("ingest.trials.list_graph_claims_of_trial_chunks", {"job": job_id})
    return [
        ReadClaim(
            chunk_id=ChunkId(row[0]),
            source=str(row[1]),
            from_name=row[2],
            relation_type=row[3],
            target=str(row[4]),
            to_name=row[5],
            polarity=row[6],
            confidence=row[7],
            quote=row[8],
        )
        for row in rows
    ]


NameInChunk = tuple[ChunkId, str]
"""A chunk, and a normalised name in it."""


def get_node_ids_by_chunk_and_name(
    space: SpaceSession, names: Iterable[NameInChunk]
) -> dict[NameInChunk, NodeId]:
    """Return the nodes to which these normalised names refer in their chunks, where they exist."""
    pairs = sorted(set(names))
    parameters = {"chunks": [pair[0] for pair in pairs], "names": [pair[1] for pair in pairs]}
    return {
        (ChunkId(row[0]), row[1]): NodeId(row[2])
        for row in space.run("ingest.trials.get_nodes_by_name_in_chunk", parameters)
    }
