"""Queries of an import: each kind of rows is checked and written by its own statements."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from app.db.session import SpaceSession


class Fault(NamedTuple):
    """The line of a row that cannot be accepted, and whether it refers to a missing row."""

    line_number: int
    is_unknown: bool


class RepeatedRow(NamedTuple):
    """The line of a row that was not inserted because another row has its key."""

    line_number: int


class _Statements(NamedTuple):
    check_query: str | None
    """The query for the first faulty row; None for kinds without references."""
    insert_statement: str
    key_field: str
    """The field whose value the insert returns for each inserted row."""


_STATEMENTS = {
    "document": _Statements(None, "transfer.space_import.insert_documents", "id"),
    # The insert skips a chunk of an unknown document, which is then reported as not inserted.
    "chunk": _Statements(None, "transfer.space_import.insert_chunks", "id"),
    "node": _Statements(None, "transfer.space_import.insert_nodes", "id"),
    "mention": _Statements(
        "transfer.space_import.faulty_mentions", "transfer.space_import.insert_mentions", "chunk_id"
    ),
    "attribute": _Statements(
        "transfer.space_import.faulty_attributes", "transfer.space_import.insert_attributes", "chunk_id"
    ),
    "edge": _Statements("transfer.space_import.faulty_edges", "transfer.space_import.insert_edges", "id"),
    "ending": _Statements(None, "transfer.space_import.insert_endings", "id"),
}


def is_space_empty(space: SpaceSession) -> bool:
    """Return whether the space has no content."""
    return bool(space.run("transfer.space_import.is_space_empty")[0][0])


def write_rows_and_find_fault(
    space: SpaceSession, kind: str, rows: Sequence[dict[str, Any]]
) -> Fault | RepeatedRow | None:
    """Write rows of one kind, each with its `line`.

    Returns the first faulty row, or a row that was not inserted because another one has its key; None if all
    rows were inserted.
    """
    statements = _STATEMENTS[kind]
    parameters = {"rows": orjson.dumps(rows).decode()}
    if statements.check_query is not None:
        faulty_rows = space.run(statements.check_query, parameters)
        if faulty_rows:
            return Fault(*faulty_rows[0])
    inserted_keys = [row[0] for row in space.run(statements.insert_statement, parameters)]
    if len(inserted_keys) == len(rows):
        return None
    written_keys = set(inserted_keys)
    missing_row = next((row for row in rows if row[statements.key_field] not in written_keys), rows[0])
    return RepeatedRow(int(missing_row["line"]))


KeyOfNode = tuple[str, UUID]
"""A spelling key, and the node that has it."""


def write_spelling_keys(space: SpaceSession, keys: Iterable[KeyOfNode]) -> None:
    """Write the keys by which spelling variants of nodes are found."""
    sorted_keys = sorted(keys)
    if sorted_keys:
        columns = {"keys": [row[0] for row in sorted_keys], "nodes": [row[1] for row in sorted_keys]}
        space.run("transfer.space_import.insert_keys", columns)


def count_text_characters(space: SpaceSession) -> int:
    """Return the total number of characters of all documents' texts."""
    return int(space.run("transfer.space_import.count_text_characters")[0][0])


def assemble_texts_and_find_contradicting_chunk(space: SpaceSession) -> UUID | None:
    """Assemble each document's text from its chunks; return a chunk that contradicts another one, or None."""
    space.run("transfer.space_import.assemble_document_texts")
    misplaced_chunks = space.run("transfer.space_import.misplaced_chunks")
    return misplaced_chunks[0][0] if misplaced_chunks else None


def count_contradicted_ends(space: SpaceSession) -> int:
    """Return the number of edges whose ending differs from the ledger."""
    return int(space.run("transfer.space_import.count_contradicted_ends")[0][0])


def recount_mentions_and_edges(space: SpaceSession) -> None:
    """Recompute the mention and edge counts of all nodes."""
    space.run("transfer.space_import.recount_mentions_and_edges")
