"""Convert rows of the graph's named SQL to data shapes, and read without traversing edges."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from app.db.session import SpaceSession
from app.db.sql import Pending
from app.domain.file_locations import ChunkPlaces
from app.domain.layers import Layer, get_layer_of_relation, list_claim_relation_types
from app.domain.relation_types import CONTAINMENT_RELATIONS
from app.graph.shapes import (
    ANY_NODE,
    AggregatedRelation,
    Attribute,
    Edge,
    Evidence,
    Extraction,
    MentionedNode,
    Node,
    NodeAttribute,
    NodeCursor,
    NodeFilters,
    NodeStatement,
    RelationTypeCount,
    RestingClaim,
    StatedEdge,
    WordMatch,
)
from app.graph.validity import END_OF_DENIAL, END_OF_REPORT, Polarity
from app.ids import ChunkId, DocumentId, EdgeId, NodeId

Row = tuple[Any, ...]
EDGE_COLUMN_COUNT: Final = 19
"""Number of columns of an edge with its evidence, in the order of every file in sql/ that returns edges."""
SCANNED_RIVAL_EDGES, MAX_RIVALS = 1_000, 5
"""Number of a node's strongest edges that are scanned for another value, and maximum number of values."""
SCANNED_ATTRIBUTE_ROWS, ATTRIBUTES_PER_NODE, MAX_ATTRIBUTES = 500, 10, 100
"""Rows of a node that are scanned for its values, maximum values per node, and maximum values in total."""
_LIKE_ESCAPES = str.maketrans({"!": "!!", "%": "!%", "_": "!_"})


def build_node_from_row(row: Row, promotion_threshold: int) -> Node:
    """Build a node from its eleven columns."""
    (
        node_id,
        name,
        node_type,
        properties,
        mention_count,
        out_degree,
        in_degree,
        confidence,
        source,
        first_seen_at,
        last_seen_at,
    ) = row
    return Node(
        node_id,
        name,
        node_type,
        mention_count,
        out_degree,
        in_degree,
        confidence,
        mention_count >= promotion_threshold,
        source,
        first_seen_at,
        last_seen_at,
        properties,
    )


def build_edge_from_row(space: SpaceSession, row: Row) -> Edge:
    """Build an edge from its nineteen columns; without a quote's range the evidence is the whole chunk."""
    (
        edge_id,
        from_node_id,
        to_node_id,
        relation_type,
        weight,
        confidence,
        status,
        start_date,
        end_date,
        ends_at,
    ) = row[:10]
    quote, quote_start, quote_end, chunk_id, document_id, document_title, chunk_start, chunk_end, places = (
        row[10:]
    )
    evidence = None
    if chunk_id is not None:
        start, end = 0, chunk_end - chunk_start
        if (
            quote_start is not None
            and quote_end is not None
            and quote_start.isdecimal()
            and quote_end.isdecimal()
        ):
            start, end = int(quote_start), int(quote_end)
        evidence = Evidence.from_chunk_range(
            (chunk_id, document_id, document_title, chunk_start, places), quote, start, end
        )
    polarity = Polarity.ASSERTED
    if end_date == END_OF_DENIAL:
        polarity, end_date = Polarity.DENIED, None
    elif end_date == END_OF_REPORT:
        polarity, end_date = Polarity.REPORTED, None
    return Edge(
        edge_id,
        from_node_id,
        to_node_id,
        relation_type,
        weight,
        confidence,
        status,
        evidence,
        start_date,
        end_date,
        quote,
        polarity,
        get_layer_of_relation(relation_type, space.settings.extra_relation_types),
        ends_at,
    )


def build_nodes_from_rows(rows: Iterable[Row], promotion_threshold: int) -> list[Node]:
    """Build nodes from these rows, in order."""
    return [build_node_from_row(row, promotion_threshold) for row in rows]


def build_edges_from_rows(space: SpaceSession, rows: Iterable[Row]) -> list[Edge]:
    """Build edges from these rows, in order."""
    return [build_edge_from_row(space, row) for row in rows]


def build_layer_parameters(space: SpaceSession, layers: Sequence[Layer]) -> dict[str, Any]:
    """Return the parameters of statements that filter or weight by layer; an empty `layers` means all."""
    return {
        "layers": [layer.value for layer in layers] or None,
        "claim_types": list(list_claim_relation_types(space.settings.extra_relation_types)),
        "statement_weight": space.settings.statement_weight,
    }


def list_attributes(space: SpaceSession, node_id: NodeId, *, limit: int) -> list[Attribute]:
    """Return the node's attributes as stated by single chunks, the current value first."""
    return [
        Attribute._make((*row[:3], Evidence.from_chunk_range(row[6:11], *row[3:6]), *row[11:]))
        for row in space.run("graph.list_attributes", {"node": node_id, "limit": limit})
    ]


def list_stated_values_of_nodes(
    space: SpaceSession, node_ids: Sequence[NodeId], as_of: datetime | None
) -> list[NodeAttribute]:
    """Return the values that chunks state for these nodes, ordered by node and name, current ones first."""
    parameters = {
        "nodes": list(node_ids),
        "as_of": as_of,
        "scan": SCANNED_ATTRIBUTE_ROWS,
        "per_node": ATTRIBUTES_PER_NODE,
        "limit": MAX_ATTRIBUTES,
    }
    return [
        NodeAttribute._make((*row[:5], Evidence.from_chunk_range(row[8:], *row[5:8])))
        for row in space.run("graph.list_stated_values_of_nodes", parameters)
    ]


def list_statements_of_nodes(
    space: SpaceSession, node_ids: Sequence[NodeId], *, as_of: datetime | None, per_node: int
) -> list[NodeStatement]:
    """Return statements about these nodes in the texts' own words, by node, highest confidence first."""
    parameters = {"nodes": list(node_ids), "as_of": as_of, "per_node": per_node}
    return [
        NodeStatement._make((*row[:6], Evidence.from_chunk_range(row[9:], *row[6:9])))
        for row in space.run("graph.list_statements_of_nodes", parameters)
    ]


def get_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> list[Node]:
    """Return the existing nodes with these ids, in no particular order."""
    rows = space.run("graph.get_nodes", {"ids": list(node_ids)})
    return build_nodes_from_rows(rows, space.settings.promotion_threshold)


def get_edges(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> list[Edge]:
    """Return the existing edges with these ids, in no particular order."""
    return build_edges_from_rows(space, space.run("graph.get_edges", {"ids": list(edge_ids)}))


def get_extractors_of_edges(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> dict[EdgeId, Extraction]:
    """Return which extractor produced each of these edges, for those that exist."""
    rows = space.run("graph.get_extractors_of_edges", {"ids": list(edge_ids)})
    return {EdgeId(row[0]): Extraction(row[1] or "", row[2], row[3], row[4]) for row in rows}


def list_edges_stated_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, limit: int
) -> list[StatedEdge]:
    """Return the current edges whose evidence is in these chunks."""
    rows = space.run("graph.list_edges_stated_in_chunks", {"ids": list(chunk_ids), "limit": limit})
    return [
        StatedEdge(
            edge_id,
            chunk_id,
            int(quote_start) if quote_start is not None and quote_start.isdecimal() else None,
            int(quote_end) if quote_end is not None and quote_end.isdecimal() else None,
            *columns,
        )
        for edge_id, chunk_id, quote_start, quote_end, *columns in rows
    ]


def list_nodes_mentioned_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, limit: int
) -> list[MentionedNode]:
    """Return the nodes that these chunks mention, each at its first position."""
    rows = space.run("graph.list_mentions_in_chunks", {"ids": list(chunk_ids), "limit": limit})
    return [MentionedNode(*row) for row in rows]


NodeIdPair = tuple[NodeId, NodeId]


class SharedChunk(NamedTuple):
    """A chunk that mentions both nodes of pair number `pair_index`, with the words of the first mention of
    each.
    """

    pair_index: int
    chunk_id: ChunkId
    document_id: DocumentId
    document_title: str
    language: str | None
    char_start: int
    places: ChunkPlaces
    text: str
    rarer_form: str
    other_form: str


def find_chunks_naming_both(
    space: SpaceSession, pairs: Sequence[NodeIdPair], *, max_probes: int, max_passages: int
) -> list[SharedChunk]:
    """Return for each pair, given rarer node first, at most `max_passages` chunks that mention both, closest
    first.

    Only `max_probes` chunks of the rarer node are searched.
    """
    rows = space.run(
        "graph.find_chunks_naming_both",
        {
            "rarer": [rarer_id for rarer_id, _ in pairs],
            "others": [commoner_id for _, commoner_id in pairs],
            "probes": max_probes,
            "passages": max_passages,
        },
    )
    return [SharedChunk(row[0] - 1, *row[1:]) for row in rows]


def list_claims_only_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, limit: int
) -> list[RestingClaim]:
    """Return the current claims whose evidence is only in these chunks."""
    rows = space.run("graph.list_claims_only_in_chunks", {"chunks": list(chunk_ids), "limit": limit})
    return [RestingClaim(*row) for row in rows]


class NodeWithPrefix(NamedTuple):
    """A prefix, and a node one of whose names begins with it."""

    prefix: str
    node_id: NodeId
    canonical_name: str


def list_nodes_by_name_prefix(
    space: SpaceSession, prefixes: Sequence[str], *, whole_words: bool, limit_per_prefix: int
) -> list[NodeWithPrefix]:
    """Return at most `limit_per_prefix` nodes for each prefix, most mentioned first.

    The prefixes are normalised; with `whole_words` the prefix must end at a word boundary of the name.
    """
    if not prefixes:
        return []
    # The upper bound of all names with the prefix; after a whole word the next character is a space or none.
    upper_bounds = [
        prefix + "!" if whole_words else prefix[:-1] + chr(ord(prefix[-1]) + 1) for prefix in prefixes
    ]
    rows = space.run(
        "graph.list_nodes_by_name_prefix",
        {"words": list(prefixes), "until": upper_bounds, "limit": limit_per_prefix},
    )
    return [NodeWithPrefix(row[0], NodeId(row[1]), row[2]) for row in rows]


class EdgeWithTarget(NamedTuple):
    """An edge, and the node that it leads to."""

    edge: Edge
    target: Node


def list_edges_with_other_values(
    space: SpaceSession, edges: Sequence[Edge], *, as_of: datetime | None
) -> list[EdgeWithTarget]:
    """Return other edges with the same source nodes and relations as these, each with its target node.

    They held at `as_of`, or hold now.
    """
    nodes_and_relations = sorted({(edge.from_node_id, edge.relation_type) for edge in edges})
    rows = space.run(
        "graph.list_edges_with_other_values",
        {
            "from_nodes": [node for node, _ in nodes_and_relations],
            "relations": [relation for _, relation in nodes_and_relations],
            "as_of": as_of,
            "scan": SCANNED_RIVAL_EDGES,
            "limit": MAX_RIVALS,
        },
    )
    return [
        EdgeWithTarget(
            build_edge_from_row(space, row[:EDGE_COLUMN_COUNT]),
            build_node_from_row(row[EDGE_COLUMN_COUNT:], space.settings.promotion_threshold),
        )
        for row in rows
    ]


class DenialRow(NamedTuple):
    """A row that denies a claim, states its end or was ended by a person, with its date, and the strongest
    row that asserts the claim.
    """

    edge_id: EdgeId
    from_node_id: NodeId
    from_name: str
    relation_type: str
    to_node_id: NodeId
    to_name: str
    polarity: str
    dated_at: datetime | None
    date_precision: str | None
    asserted_id: EdgeId | None
    asserted_holds: bool | None
    asserted_at: datetime | None
    said_by: str | None
    is_ended_by_person: bool


def fetch_denials_and_reports(
    space: SpaceSession,
    node_ids: Sequence[NodeId],
    *,
    as_of: datetime | None,
    max_scanned_edges: int,
    limit: int,
) -> Pending[list[DenialRow]]:
    """Send the query for rows that deny, end or report claims of these nodes, and for claims that a person
    ended; `.result()` waits for it.

    They come strongest first, reports last.
    """
    parameters = {"nodes": list(node_ids), "as_of": as_of, "scan": max_scanned_edges, "limit": limit}
    pending_rows = space.send("graph.fetch_denials", parameters)
    return pending_rows.then(lambda rows: [DenialRow(*row) for row in rows])


def list_nodes(
    space: SpaceSession,
    *,
    words: Sequence[str] = (),
    filters: NodeFilters = ANY_NODE,
    after: NodeCursor | None = None,
    limit: int,
) -> list[Node]:
    """Return a page of nodes, most mentioned first; `words` are normalised and matched literally."""
    threshold = space.settings.promotion_threshold
    parameters: dict[str, Any] = {
        "node_type": filters.node_type,
        "tag": filters.tag,
        "at_least": threshold if filters.established is True else None,
        "below": threshold if filters.established is False else None,
        "min_confidence": filters.min_confidence,
        "first_from": filters.first_seen_from,
        "first_before": filters.first_seen_before,
        "last_from": filters.last_seen_from,
        "last_before": filters.last_seen_before,
        "community_id": filters.community_id,
        "after_count": after.mention_count if after else None,
        "after_id": after.id if after else None,
        "limit": limit,
    }
    # Not prepared, so that Postgres plans it for these values: the filters decide which index is best.
    if not words:
        rows = space.run("graph.list_nodes", parameters, should_prepare=False)
    else:
        patterns = [f"%{word.translate(_LIKE_ESCAPES)}%" for word in words]
        conditions = {"patterns": patterns, "needed": 1 if filters.match is WordMatch.ANY else len(words)}
        rows = space.run("graph.search_nodes", {**parameters, **conditions}, should_prepare=False)
    return build_nodes_from_rows(rows, threshold)


def list_edges(
    space: SpaceSession,
    *,
    node_id: NodeId | None,
    relation_type: str | None,
    layers: Sequence[Layer],
    min_confidence: float | None,
    after: EdgeId | None,
    limit: int,
) -> list[Edge]:
    """Return a page of edges in the order of their ids."""
    parameters = {
        **build_layer_parameters(space, layers),
        "relation_type": relation_type,
        "min_confidence": min_confidence,
        "after": after,
        "limit": limit,
    }
    if node_id is None:
        rows = space.run("graph.list_edges", parameters, should_prepare=False)
    else:
        rows = space.run("graph.list_edges_of_node", {**parameters, "node_id": node_id}, should_prepare=False)
    return build_edges_from_rows(space, rows)


def count_relation_types(space: SpaceSession) -> list[RelationTypeCount]:
    """Return every relation type with its number of edges and averages, most frequent first."""
    declared_types = space.settings.extra_relation_types
    return [
        RelationTypeCount(row[0], get_layer_of_relation(row[0], declared_types), *row[1:])
        for row in space.run("graph.count_relation_types")
    ]


def aggregate_edges_by_claim(
    space: SpaceSession, node_id: NodeId, *, max_edges_per_direction: int, limit: int
) -> list[AggregatedRelation]:
    """Return the claims around a node, from its `max_edges_per_direction` strongest edges per direction,
    heaviest first.
    """
    relation_rows = space.run(
        "graph.aggregate_edges_by_claim",
        {"node_id": node_id, "rows": max_edges_per_direction, "limit": limit},
        should_prepare=False,
    )
    declared_types = space.settings.extra_relation_types
    return [
        AggregatedRelation(
            from_id,
            from_name,
            to_id,
            to_name,
            relation,
            get_layer_of_relation(relation, declared_types),
            *columns,
        )
        for from_id, from_name, to_id, to_name, relation, *columns in relation_rows
    ]


def find_nested_node_pairs(space: SpaceSession, node_ids: Iterable[NodeId]) -> set[frozenset[NodeId]]:
    """Return the pairs of these nodes in which one lies in the other."""
    sorted_ids = sorted(set(node_ids))
    if len(sorted_ids) < 2:
        return set()
    rows = space.run(
        "graph.find_nested_values", {"nodes": sorted_ids, "relations": list(CONTAINMENT_RELATIONS)}
    )
    return {frozenset((NodeId(inner_id), NodeId(outer_id))) for inner_id, outer_id in rows}


def get_roles_of_edges(space: SpaceSession, edge_ids: Iterable[EdgeId]) -> dict[EdgeId, str]:
    """Map edges to the role of their source in their target, for edges where a model extracted one."""
    rows = space.run("graph.get_roles_of_edges", {"edges": sorted(set(edge_ids))})
    return {EdgeId(edge_id): role for edge_id, role in rows}
