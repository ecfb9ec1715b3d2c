"""Edges that changed between two runs, before and now, from the change notes of triggers. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from app.db.arrays import decode_consecutive_ids
from app.derived.communities.graph_arrays import Ids, convert_uuids_to_ids


@dataclass(frozen=True, slots=True)
class Note:
    """Added edges, or one changed or removed edge with its previous values."""

    id: UUID
    added_ids: Sequence[UUID]
    edge_id: UUID | None
    source: UUID | None
    target: UUID | None
    weight: float | None
    relation: int | None


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges by the ids of their nodes; `relation` is a hash of the relation type."""

    source: Ids
    target: Ids
    weight: NDArray[np.float64]
    relation: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.weight)


def build_edges_from_columns(sources: bytes, targets: bytes, weights: bytes, relations: bytes) -> Edges:
    """Return edges from big-endian columns of the database: ids, float4 weights, int4 relations."""
    return Edges(
        decode_consecutive_ids(sources),
        decode_consecutive_ids(targets),
        np.frombuffer(weights, ">f4").astype(np.float64),
        np.frombuffer(relations, ">i4").astype(np.int64),
    )


def concatenate_edges(edge_arrays: Sequence[Edges]) -> Edges:
    """Return these edges concatenated."""
    return Edges(
        np.concatenate([edge_array.source for edge_array in edge_arrays]),
        np.concatenate([edge_array.target for edge_array in edge_arrays]),
        np.concatenate([edge_array.weight for edge_array in edge_arrays]),
        np.concatenate([edge_array.relation for edge_array in edge_arrays]),
    )


class EdgesBeforeChanges(NamedTuple):
    """The ids of all changed edges, and those that existed before, with their previous values."""

    changed_edge_ids: list[UUID]
    edges: Edges


def reconstruct_edges_before_changes(notes: Iterable[Note]) -> EdgesBeforeChanges:
    """Return the changed edges as they were before the changes in the notes.

    The first note of an edge decides: an added edge did not exist, a changed or removed one existed as
    recorded.
    """
    first_note_by_edge: dict[UUID, Note | None] = {}
    for note in notes:
        for edge in note.added_ids:
            first_note_by_edge.setdefault(edge, None)
        if note.edge_id is not None:
            first_note_by_edge.setdefault(note.edge_id, note)
    previous_notes = [note for note in first_note_by_edge.values() if note is not None]
    return EdgesBeforeChanges(
        list(first_note_by_edge),
        Edges(
            convert_uuids_to_ids([note.source for note in previous_notes if note.source is not None]),
            convert_uuids_to_ids([note.target for note in previous_notes if note.target is not None]),
            np.array([note.weight for note in previous_notes], np.float64),
            np.array([note.relation for note in previous_notes], np.int64),
        ),
    )
