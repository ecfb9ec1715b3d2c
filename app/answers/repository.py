"""Queries that answers need for themselves: the chunks that they are about to cite."""

from collections.abc import Collection

from app.answers.citations import StandingChunk
from app.db.session import SpaceSession
from app.ids import ChunkId, DocumentId


def standing_chunks(space: SpaceSession, ids: Collection[ChunkId]) -> dict[ChunkId, StandingChunk]:
    """Those of these chunks that the space has now, by id."""
    rows = space.run("answers.standing_chunks", {"ids": list(ids)})
    return {ChunkId(row[0]): StandingChunk(DocumentId(row[1]), *row[2:]) for row in rows}
