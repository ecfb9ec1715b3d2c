"""Queries that answers need for themselves: the chunks that they are about to cite."""

from collections.abc import Collection
from datetime import datetime

from app.answers.citations import StandingChunk
from app.db.session import SpaceSession
from app.ids import ChunkId, DocumentId


def get_standing_chunks(space: SpaceSession, ids: Collection[ChunkId]) -> dict[ChunkId, StandingChunk]:
    """Those of these chunks that the space has now, by id."""
    rows = space.run("answers.standing_chunks", {"ids": list(ids)})
    return {ChunkId(row[0]): StandingChunk(DocumentId(row[1]), *row[2:]) for row in rows}


def get_dates_of_chunks(space: SpaceSession, ids: Collection[ChunkId]) -> dict[ChunkId, datetime]:
    """When those of these chunks were said that have a date: their turn's, else their document's."""
    rows = space.run("answers.dates_of_chunks", {"ids": list(ids)})
    return {ChunkId(chunk_id): said_at for chunk_id, said_at in rows if said_at is not None}
