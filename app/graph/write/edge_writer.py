"""Write edges with their evidence, and end what they contradict; every call runs under the graph's lock."""

import json
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.domain.relation_types import EXISTS
from app.extraction.edge_weights import compute_key_in_context
from app.extraction.grounding import GroundedRelation
from app.graph.invalidation import evidence_changes, superseding
from app.graph.resolution.entity_resolver import KnownNode, build_identity_key, sort_key_by_mentions
from app.graph.validity import Basis, Polarity, Precision
from app.graph.write import merge_repository, repository
from app.graph.write.repository import CountByName, EdgeRow
from app.ids import ChunkId, DocumentId, EdgeId, NodeId, create_id


@dataclass(frozen=True)
class EdgeDraft:
    """An edge to be written. Its ends are names, not ids, because nodes may merge in between.

    `stated_at` is the date of its source: of the turn in a conversation, else of the document.
    """

    chunk_id: ChunkId
    from_name: str
    from_type: str
    to_name: str
    to_type: str
    relation: GroundedRelation
    weight: float
    extraction_key: UUID
    document_id: DocumentId
    stated_at: datetime | None = None


class _EndResolver:
    """Resolve the end names of edges to nodes.

    If several nodes have a name, the one that the edge's chunk mentions is preferred.
    """

    def __init__(self, space: SpaceSession, edges: Sequence[EdgeDraft], *, separates_homonyms: bool) -> None:
        self._separates_homonyms = separates_homonyms
        self._nodes_by_key: dict[Hashable, list[KnownNode]] = defaultdict(list)
        names = [name for edge in edges for name in (edge.from_name, edge.to_name)]
        for name, node in repository.list_nodes_by_full_name(space, names):
            self._nodes_by_key[self._build_identity_key(name, node.node_type)].append(node)
        for nodes in self._nodes_by_key.values():
            nodes.sort(key=sort_key_by_mentions)
        ambiguous_ids = {node.id for nodes in self._nodes_by_key.values() if len(nodes) > 1 for node in nodes}
        self._chunk_node_mentions: set[tuple[ChunkId, NodeId]] = set()
        if ambiguous_ids:
            chunk_ids = {edge.chunk_id for edge in edges}
            self._chunk_node_mentions = merge_repository.find_chunk_node_mentions(
                space, chunk_ids, ambiguous_ids
            )

    def find_node(self, name: str, node_type: str, chunk_id: ChunkId) -> KnownNode | None:
        """Return the node that this name means in this chunk, or None if no node has the name."""
        nodes = self._nodes_by_key.get(self._build_identity_key(name, node_type), [])
        if len(nodes) > 1:
            nodes_in_chunk = [node for node in nodes if (chunk_id, node.id) in self._chunk_node_mentions]
            nodes = (
                [node for node in nodes_in_chunk if node.node_type == node_type] or nodes_in_chunk or nodes
            )
        return nodes[0] if nodes else None

    def _build_identity_key(self, name: str, node_type: str) -> Hashable:
        return build_identity_key(name, node_type, separates_homonyms=self._separates_homonyms)


_ValidityColumns = tuple[
    Polarity, datetime | None, Precision | None, Basis | None, datetime | None, Precision | None
]


def _build_polarity_and_date_columns(edge: EdgeDraft) -> _ValidityColumns:
    """Return polarity, beginning and end of the claim.

    They are taken from its sentence; without dates there, it begins at its document's date.
    """
    polarity = edge.relation.polarity
    start_date, end_date = edge.relation.valid_from, edge.relation.valid_to
    end, end_precision = end_date or (None, None)
    if start_date is not None:
        return (polarity, start_date.at, start_date.precision, Basis.SENTENCE, end, end_precision)
    if edge.stated_at is not None and end_date is None:
        return (polarity, edge.stated_at, Precision.DAY, Basis.DOCUMENT, end, end_precision)
    # A claim that has ended held before its document was written; its beginning is unknown.
    return (polarity, None, None, None, end, end_precision)


def write_edges_and_count_new(
    space: SpaceSession,
    edges: Sequence[EdgeDraft],
    *,
    model: str,
    separates_homonyms: bool,
) -> CountByName:
    """Write edges with their evidence and return how many are new; writing one again adds nothing.

    Claims that they deny, or contradict with a later date, end in the same transaction.
    """
    if not edges:
        return {"edges": 0}
    rows = _build_edge_rows(space, edges, model=model, separates_homonyms=separates_homonyms)
    inserted_count = _insert_or_restore_edges(space, rows).new_count
    return {"edges": inserted_count, **_end_claims_contradicted_by_edges(space, rows)}


def replace_edges_of_chunks_and_count_changes(
    space: SpaceSession,
    chunk_ids: Sequence[ChunkId],
    edges: Sequence[EdgeDraft],
    *,
    model: str,
    separates_homonyms: bool,
) -> CountByName:
    """Replace the edges that these chunks state; return counts of new, restated, superseded and unstated
    ones.

    A claim that another reader had extracted there keeps its row, and with it a person's decision about it;
    its ends are the nodes that its names mean now. A claim extracted for the first time ends if a person had
    ended it before in all its rows. Claims that are no longer stated end as if the text had been replaced.
    """
    rows = _build_edge_rows(space, edges, model=model, separates_homonyms=separates_homonyms)
    restated_count = repository.update_edges_extracted_by_other_reader_and_count(
        space, [rows[key] for key in sorted(rows)]
    )
    _repoint_edges_to_named_nodes(space, rows)
    inserted_count, keys = _insert_or_restore_edges(space, rows)
    _end_edges_by_earlier_decisions(space, keys)
    counts = {
        "edges": inserted_count,
        "restated": restated_count,
        **_end_claims_contradicted_by_edges(space, rows),
    }
    unstated_edge_ids = repository.detach_chunks_from_unstated_edges(space, chunk_ids, keys)
    if unstated_edge_ids:
        repository.delete_vectors_and_recalls_of_edges(space, unstated_edge_ids)
        evidence_changes.end_edges_of_replaced_text(
            space, unstated_edge_ids, reason=evidence_changes.READ_OTHERWISE_REASON
        )
        merge_repository.recount_supporting_documents(space, sorted(unstated_edge_ids))
    return {**counts, "unstated": len(unstated_edge_ids)}


def _build_edge_rows(
    space: SpaceSession, edges: Sequence[EdgeDraft], *, model: str, separates_homonyms: bool
) -> dict[UUID, EdgeRow]:
    """Return the rows to write, by key; edges with an unresolved end are left out."""
    end_resolver = _EndResolver(space, edges, separates_homonyms=separates_homonyms)
    extracted_at = datetime.now(UTC).isoformat(timespec="seconds")
    rows: dict[UUID, EdgeRow] = {}
    for edge in edges:
        from_node = end_resolver.find_node(edge.from_name, edge.from_type, edge.chunk_id)
        to_node = end_resolver.find_node(edge.to_name, edge.to_type, edge.chunk_id)
        # The date decides what holds, so the same words with another date are another row.
        is_dated = edge.stated_at is not None
        key = (
            compute_key_in_context(edge.extraction_key, str(edge.stated_at))
            if is_dated
            else edge.extraction_key
        )
        if from_node is None or to_node is None or key in rows:
            continue
        may_be_loop = edge.relation.relation_type == EXISTS or edge.relation.is_change
        if from_node.id == to_node.id and not may_be_loop:
            continue
        metadata: dict[str, Any] = {
            "confidence": round(edge.relation.confidence, 4),
            "model": model,
            "extractedAt": extracted_at,
            "quote": edge.relation.quote,
            "charStart": edge.relation.quote_start,
            "charEnd": edge.relation.quote_end,
        }
        if edge.stated_at is not None:
            metadata["statedAt"] = edge.stated_at.isoformat()
        if edge.relation.said_by is not None:
            metadata["saidBy"] = edge.relation.said_by
        if edge.relation.role is not None:
            metadata["role"] = edge.relation.role
        if edge.relation.is_change:
            metadata["changes"] = True
        rows[key] = EdgeRow(
            key, EdgeId(create_id()), from_node.id, to_node.id, edge.relation.relation_type, edge.weight,
            edge.chunk_id, json.dumps(metadata), *_build_polarity_and_date_columns(edge), edge.document_id,
        )  # fmt: skip
    return rows


def _repoint_edges_to_named_nodes(space: SpaceSession, rows: Mapping[UUID, EdgeRow]) -> None:
    """Set the ends of existing edges of these rows to the nodes that their names mean now."""
    moved_edges = repository.list_edges_with_other_ends(
        space, [(key, rows[key].from_node_id, rows[key].to_node_id) for key in sorted(rows)]
    )
    if moved_edges:
        node_ids = repository.repoint_edges_and_list_concerned_nodes(space, moved_edges)
        repository.mark_ends_of_edges_changed(space, [edge_id for edge_id, *_ in moved_edges])
        superseding.recompute_endings_after_merge_or_split(space, node_ids)


class _WrittenEdges(NamedTuple):
    """How many edges are new, and the keys under which all written edges are stored."""

    new_count: int
    keys: list[UUID]


def _insert_or_restore_edges(space: SpaceSession, rows: Mapping[UUID, EdgeRow]) -> _WrittenEdges:
    """Insert the rows, or restore their edges; return how many are new, and the keys of all."""
    if not rows:
        return _WrittenEdges(0, [])
    insertion = repository.insert_edges_and_confirm_claims(space, [rows[key] for key in sorted(rows)])
    inserted_count, keys = insertion.fresh_count, sorted(rows)
    if insertion.returned_rows:
        _restore_edges_whose_text_returned(space, insertion.returned_rows, rows)
    if insertion.restated_keys:
        # Another document states an ended claim in the same words: it gets its own row, which holds.
        repeated_edges = [
            rows[key]._replace(
                key=compute_key_in_context(key, str(rows[key].document_id)), id=EdgeId(create_id())
            )
            for key in insertion.restated_keys
        ]
        inserted_count += repository.insert_edges_and_confirm_claims(
            space, sorted(repeated_edges)
        ).fresh_count
        keys += [row.key for row in repeated_edges]
    return _WrittenEdges(inserted_count, keys)


def _end_edges_by_earlier_decisions(space: SpaceSession, keys: Sequence[UUID]) -> None:
    """End those of these edges whose claim a person ended, in all its rows, after their text was added."""
    for decision, edge_ids in repository.list_edges_to_end_by_earlier_decisions(space, keys).items():
        evidence_changes.end_edges_by_decision(space, edge_ids, decision)


def _end_claims_contradicted_by_edges(space: SpaceSession, rows: Mapping[UUID, EdgeRow]) -> CountByName:
    """End the claims that these rows contradict; return the count as `superseded`, or {} if none ended."""
    ended_count = superseding.recompute_endings_after_writes_and_count_ended(
        space,
        # Reported speech ends nothing.
        {row.claim_key for row in rows.values() if row.polarity is not Polarity.REPORTED},
        denied_or_ended={row.claim_key for row in rows.values() if _denies_or_ends(row)},
    )
    return {"superseded": ended_count} if ended_count else {}


def _denies_or_ends(row: EdgeRow) -> bool:
    """Return whether the row ends a claim, by a denial or by its own dates."""
    begins_later = (
        row.begin_basis is Basis.SENTENCE and row.begins_at is not None and row.begins_at > datetime.now(UTC)
    )
    return row.polarity is Polarity.DENIED or (
        row.polarity is Polarity.ASSERTED and (row.ends_at is not None or begins_later)
    )


def _restore_edges_whose_text_returned(
    space: SpaceSession,
    returned_rows: Sequence[repository.ReturnedEdge],
    rows: Mapping[UUID, EdgeRow],
) -> None:
    """Restore edges whose text was added again, between the nodes that it now names."""
    moved_edges = [
        repository.EdgeEnds(edge_id, rows[key].from_node_id, rows[key].to_node_id)
        for key, edge_id, from_node_id, to_node_id in returned_rows
        if (from_node_id, to_node_id) != (rows[key].from_node_id, rows[key].to_node_id)
    ]
    if moved_edges:
        repository.delete_unused_nodes(
            space, repository.repoint_edges_and_list_concerned_nodes(space, moved_edges)
        )
    edge_ids = [edge_id for _, edge_id, *_ in returned_rows]
    repository.mark_ends_of_edges_changed(space, edge_ids)
    evidence_changes.restore_edges_of_returned_text(space, edge_ids)
