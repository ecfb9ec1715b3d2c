"""The statements of an import: each kind of rows is checked and written by a statement of its own."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from app.db.session import SpaceSession


class Fault(NamedTuple):
    """The line of a row that cannot be accepted, and whether it names something that is not there."""

    line: int
    is_unknown: bool


class RepeatedRow(NamedTuple):
    """The line of a row that did not come in beside one that was there."""

    line: int


class _Statements(NamedTuple):
    check: str | None
    """Finds the first faulty row; None where the row refers to nothing."""
    insert: str
    key: str
    """The field whose value the insert returns for each row that came in."""


_STATEMENTS = {
    "document": _Statements(None, "transfer.space_import.insert_documents", "id"),
    # A chunk of an unknown document is left out by its statement, and so counts as kept out.
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
    """Return whether the space has no content at all."""
    return bool(space.run("transfer.space_import.is_space_empty")[0][0])


def write_rows(space: SpaceSession, kind: str, rows: Sequence[dict[str, Any]]) -> Fault | RepeatedRow | None:
    """Write rows of one kind, each with its `line`: the first that is wrong, or one that another row keeps
    out; None where all came in.
    """
    statements = _STATEMENTS[kind]
    parameters = {"rows": orjson.dumps(rows).decode()}
    if statements.check is not None:
        faulty = space.run(statements.check, parameters)
        if faulty:
            return Fault(*faulty[0])
    inserted_keys = [row[0] for row in space.run(statements.insert, parameters)]
    if len(inserted_keys) == len(rows):
        return None
    written_keys = set(inserted_keys)
    missing_row = next((row for row in rows if row[statements.key] not in written_keys), rows[0])
    return RepeatedRow(int(missing_row["line"]))


def write_spelling_keys(space: SpaceSession, keys: Iterable[tuple[str, UUID]]) -> None:
    """Write the keys under which other spellings of nodes are found."""
    sorted_keys = sorted(keys)
    if sorted_keys:
        columns = {"keys": [row[0] for row in sorted_keys], "nodes": [row[1] for row in sorted_keys]}
        space.run("transfer.space_import.insert_keys", columns)


def count_text_characters(space: SpaceSession) -> int:
    """How many characters the texts of all documents would have."""
    return int(space.run("transfer.space_import.count_text_characters")[0][0])


def assemble_document_texts(space: SpaceSession) -> UUID | None:
    """Put each document's text together out of its chunks; a chunk that another one contradicts."""
    space.run("transfer.space_import.assemble_document_texts")
    misplaced = space.run("transfer.space_import.misplaced_chunks")
    return misplaced[0][0] if misplaced else None


def count_contradicted_ends(space: SpaceSession) -> int:
    """How many edges ended otherwise than the ledger says."""
    return int(space.run("transfer.space_import.count_contradicted_ends")[0][0])


def recount_all_nodes(space: SpaceSession) -> None:
    """Count the mentions and edges of all nodes."""
    space.run("transfer.space_import.recount_all_nodes")
