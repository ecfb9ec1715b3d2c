"""Statements about trials: the sample, what was read in it, and what the graph has of the same chunks."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

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
    """The claims that a trial read in one chunk. `read_by` is who read the chunk for the graph."""

    chunk_id: ChunkId
    claims: tuple[StoredClaim, ...]
    failure: str | None
    seconds: float
    read_by: str | None
    document_id: DocumentId
    document_title: str
    ordinal: int


def sample_chunks(space: SpaceSession, job_id: JobId, chunks: int) -> list[tuple[ChunkId, DocumentId]]:
    """So many of the chunks that were read, each with its document; for one job always the same."""
    rows = space.run("ingest.trials.sample_chunks", {"seed": str(job_id), "chunks": chunks})
    return [(ChunkId(row[0]), DocumentId(row[1])) for row in rows]


def read_chunks(space: SpaceSession, job_id: JobId) -> set[ChunkId]:
    """The chunks that the trial has read so far."""
    return {ChunkId(row[0]) for row in space.run("ingest.trials.read_chunks", {"job": job_id})}


def store_readings(
    space: SpaceSession,
    job_id: JobId,
    readings: Sequence[tuple[ChunkId, Sequence[StoredClaim], str | None, float]],
) -> None:
    """Keep (chunk, claims, code of a failure, seconds) of chunks that still stand."""
    space.run(
        "ingest.trials.store_readings",
        {
            "job": job_id,
            "chunks": [row[0] for row in readings],
            "claims": [json.dumps([asdict(claim) for claim in row[1]]) for row in readings],
            "failures": [row[2] for row in readings],
            "seconds": [row[3] for row in readings],
        },
    )


def drop_readings(space: SpaceSession, job_id: JobId) -> None:
    """Remove all that the trial read."""
    space.run("ingest.trials.drop_readings", {"job": job_id})


def list_readings(space: SpaceSession, job_id: JobId) -> list[ChunkReading]:
    """List what the trial read, in the order of documents and chunks."""
    rows = space.run("ingest.trials.readings", {"job": job_id})
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


def standing_claims(space: SpaceSession, job_id: JobId) -> list[ReadClaim]:
    """List what the graph has of the trial's chunks."""
    rows: list[Any] = space.run("ingest.trials.standing_claims", {"job": job_id})
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


def nodes_named(
    space: SpaceSession, names: Iterable[tuple[ChunkId, str]]
) -> dict[tuple[ChunkId, str], NodeId]:
    """The nodes that these normalised names mean in their chunks, as far as there are any."""
    pairs = sorted(set(names))
    parameters = {"chunks": [pair[0] for pair in pairs], "names": [pair[1] for pair in pairs]}
    return {
        (ChunkId(row[0]), row[1]): NodeId(row[2])
        for row in space.run("ingest.trials.nodes_named", parameters)
    }
