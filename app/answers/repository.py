"""SQL of answers: the present state of cited chunks, and further rows of tables."""

import json
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from app.answers.citations import ExistingChunk
from app.answers.shapes import TableCells
from app.db.session import SpaceSession
from app.ids import ChunkId, DocumentId


class TableChunk(NamedTuple):
    """A chunk of a document with a table."""

    id: ChunkId
    document_id: DocumentId
    heading_path: list[str]
    text: str
    char_start: int
    place: str | None


def get_existing_chunks(space: SpaceSession, chunk_ids: Collection[ChunkId]) -> dict[ChunkId, ExistingChunk]:
    """Return those of these chunks that exist, by id."""
    rows = space.run("answers.get_existing_chunks", {"ids": list(chunk_ids)})
    return {ChunkId(row[0]): ExistingChunk(DocumentId(row[1]), *row[2:]) for row in rows}


def get_dates_of_chunks(space: SpaceSession, chunk_ids: Collection[ChunkId]) -> dict[ChunkId, datetime]:
    """Return the dates of chunks that have one: of the conversation's turn, else of the document."""
    rows = space.run("answers.get_dates_of_chunks", {"ids": list(chunk_ids)})
    return {ChunkId(chunk_id): said_at for chunk_id, said_at in rows if said_at is not None}


def find_chunks_with_cells(
    space: SpaceSession, tables: Collection[TableCells], known_chunk_ids: Collection[ChunkId], *, limit: int
) -> list[TableChunk]:
    """Return the chunks of these documents that contain all of their cells, in order, without those of
    `known_chunk_ids`; each once, at most `limit`.
    """
    table_parameters = [
        {"document_id": str(table.document_id), "cells": table.common_cells} for table in tables
    ]
    parameters = {"tables": json.dumps(table_parameters), "known": list(known_chunk_ids), "most": limit}
    chunks = (TableChunk(*row) for row in space.run("answers.find_chunks_with_cells", parameters))
    # Rows of one document may answer by the cells of several columns.
    return list({chunk.id: chunk for chunk in chunks}.values())
