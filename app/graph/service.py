"""Read the graph of one open space (requirement 8); all results are bounded, and nothing is changed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from app.db.session import SpaceSession
from app.db.sql import Pending
from app.domain.invisible_breaks import remove_invisible_breaks
from app.domain.layers import Layer
from app.errors import InvalidInput, NotFound
from app.graph import (
    anchors,
    contested,
    cooccurrence_passages,
    empty_explanations,
    input_checks,
    repository,
    statements,
    traversal,
)
from app.graph import explain as explanations
from app.graph.anchors import QuestionAnchors
from app.graph.explanation_builder import build_explanation_with_attributes, build_explanation_with_statements
from app.graph.names import normalise_name
from app.graph.repository import count_relation_types, find_nested_node_pairs
from app.graph.shapes import (
    ANY_NODE,
    NO_FILTERS,
    AggregatedRelation,
    Attribute,
    CooccurringNode,
    Direction,
    Edge,
    Explanation,
    Extraction,
    GraphFilters,
    Neighborhood,
    Node,
    NodeCursor,
    NodeFilters,
    ScoredNode,
    StatedEdge,
    WordMatch,
)
from app.graph.statements import list_statements_of_node
from app.graph.tags.tag_choice import normalise_tag
from app.ids import ChunkId, EdgeId, NodeId
from app.lazy import import_object
from app.limits import (
    FACTS,
    FAN_OUT,
    HOPS,
    NEIGHBORHOOD_DEPTH,
    PAGE,
    SEARCH_WORDS,
    SUBGRAPH_EDGES,
    SUBGRAPH_NODES,
    SUBGRAPH_SEEDS,
)

__all__ = ["count_relation_types", "find_nested_node_pairs", "list_statements_of_node"]

MAX_EDGES_PER_DIRECTION = 1_000
"""Number of strongest edges per direction that `aggregate_edges_by_claim` combines."""
_MAX_NODES_SHOWN, _MAX_EDGES_SHOWN = 200, 500


def get_node(space: SpaceSession, node_id: NodeId) -> Node:
    """Return the node with this id. Raises NotFound."""
    nodes = repository.get_nodes(space, [node_id])
    if not nodes:
        raise NotFound("node")
    return nodes[0]


def list_attributes(space: SpaceSession, node_id: NodeId) -> list[Attribute]:
    """Return the node's attributes as stated by single chunks, at most 200, current values first (requirement
    5.6).
    """
    return repository.list_attributes(space, node_id, limit=PAGE.maximum)


def get_nodes(
    space: SpaceSession,
    node_ids: Sequence[NodeId],
) -> list[Node]:
    """Return the existing nodes with these ids, in no particular order."""
    if not node_ids:
        return []
    return repository.get_nodes(space, node_ids)


def get_edges(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> list[Edge]:
    """Return the existing edges with these ids, with their evidence, in no particular order."""
    return repository.get_edges(space, edge_ids) if edge_ids else []


def get_extractors_of_edges(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> dict[EdgeId, Extraction]:
    """Return which extractor produced each of these edges, and when; unknown ids are left out."""
    input_checks.check_range("edge_ids", len(edge_ids), 0, PAGE.maximum)
    return repository.get_extractors_of_edges(space, edge_ids) if edge_ids else {}


def list_edges_stated_in_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], *, limit: int = 2_000
) -> list[StatedEdge]:
    """Return the current edges whose evidence is in these chunks, each with the words that state it."""
    input_checks.check_range("chunk_ids", len(chunk_ids), 0, PAGE.maximum)
    return repository.list_edges_stated_in_chunks(space, chunk_ids, limit=limit)


class PrefixMatch(NamedTuple):
    """A prefix, and the most mentioned node with a name that begins with it."""

    prefix: str
    node: Node


def find_best_node_for_each_prefix(
    space: SpaceSession,
    normalised_prefixes: Sequence[str],
) -> list[PrefixMatch]:
    """Return (word, node): the most mentioned node with a name that begins with each normalised word."""
    name_rows = repository.list_nodes_by_name_prefix(
        space, normalised_prefixes, whole_words=True, limit_per_prefix=1
    )
    nodes = get_nodes(space, [name_row.node_id for name_row in name_rows])
    node_by_id = {node.id: node for node in nodes}
    return [PrefixMatch(word, node_by_id[node_id]) for word, node_id, _ in name_rows if node_id in node_by_id]


def find_nodes(
    space: SpaceSession,
    name_or_id_or_alias: str,
) -> list[Node]:
    """Return the nodes with this name, alias or id, at most five; an empty list if there is none."""
    input_checks.check_length_and_characters("name", name_or_id_or_alias)
    return [
        anchor.node for anchor in explanations.find_anchors_by_name_or_id(space, [name_or_id_or_alias])[0]
    ]


def find_anchors_in_question(space: SpaceSession, question: str) -> QuestionAnchors:
    """Return the nodes that a question names (requirement 9.1). Raises InvalidInput for an invalid text."""
    input_checks.check_length_and_characters("question", question)
    return anchors.find_anchors_in_question(space, question)


def list_nodes(
    space: SpaceSession,
    *,
    search_text: str | None = None,
    filters: NodeFilters = ANY_NODE,
    after: NodeCursor | None = None,
    limit: int = 50,
) -> list[Node]:
    """Return a page of nodes, most mentioned first; `after` is `nodes[-1].cursor` of the last page
    (requirement 8.4).

    `search_text` is searched in names and aliases, normalised and without wildcards. `filters.match` says
    whether it is a phrase, or words of which a node's names contain all or any.
    """
    input_checks.check_range("limit", limit, 1, PAGE.maximum)
    input_checks.check_node_filters(filters)
    if search_text is not None:
        input_checks.check_length_and_characters("q", search_text)
    words = _normalise_search_words(search_text, filters.match) if search_text is not None else []
    if not words and search_text is not None and search_text.strip():
        # Only punctuation matches nothing; a blank `search_text` is not a filter.
        return []
    if filters.tag is not None:
        filters = replace(filters, tag=normalise_tag(filters.tag))
    return repository.list_nodes(space, words=words, filters=filters, after=after, limit=limit)


def _normalise_search_words(search_text: str, match: WordMatch) -> list[str]:
    """Return the distinct normalised search words. Raises InvalidInput if there are too many."""
    normalised_query = normalise_name(search_text)
    if match is WordMatch.PHRASE:
        return [normalised_query] if normalised_query else []
    words = list(dict.fromkeys(normalised_query.split()))
    input_checks.check_range("words", len(words), 0, SEARCH_WORDS.maximum)
    return words


def list_edges(
    space: SpaceSession,
    *,
    node_id: NodeId | None = None,
    relation_type: str | None = None,
    layers: Sequence[Layer] = (),
    min_confidence: float | None = None,
    after: EdgeId | None = None,
    limit: int = 50,
) -> list[Edge]:
    """Return a page of edges by id; `after` is `edges[-1].id` of the last page (requirement 8.4).

    Raises NotFound for an unknown `node_id`.
    """
    input_checks.check_range("limit", limit, 1, PAGE.maximum)
    input_checks.check_confidence(min_confidence)
    if relation_type is not None:
        input_checks.check_length_and_characters("relation_type", relation_type)
    if node_id is not None:
        get_node(space, node_id)
    return repository.list_edges(
        space,
        node_id=node_id,
        relation_type=relation_type,
        layers=layers,
        min_confidence=min_confidence,
        after=after,
        limit=limit,
    )


def aggregate_edges_by_claim(space: SpaceSession, *, node_id: NodeId) -> list[AggregatedRelation]:
    """Return the claims around a node, parallel edges combined, heaviest first (requirement 4.2).

    At most 200, from the 1,000 strongest edges per direction. Raises NotFound.
    """
    get_node(space, node_id)
    return repository.aggregate_edges_by_claim(
        space, node_id, max_edges_per_direction=MAX_EDGES_PER_DIRECTION, limit=PAGE.maximum
    )


def find_cooccurring_nodes(space: SpaceSession, node: Node) -> list[CooccurringNode]:
    """Return the nodes that chunks mention together with this one, closest first; they are not claims."""
    # Imported on use: it needs numpy, which most commands do not.
    cooccurring_nodes: list[CooccurringNode] = import_object(
        "app.graph.cooccurring_nodes:find_cooccurring_nodes"
    )(space, node)
    return cooccurring_nodes


def fetch_neighborhood_and_record_recall(
    space: SpaceSession,
    node_id: NodeId,
    *,
    depth: int = 1,
    direction: Direction = Direction.BOTH,
    filters: GraphFilters = NO_FILTERS,
    max_nodes: int = _MAX_NODES_SHOWN,
    max_edges: int = _MAX_EDGES_SHOWN,
) -> Neighborhood:
    """Return the node, all nodes within `depth` (1 to 3) hops, and the edges among them (requirement 8.1).

    Raises NotFound for an unknown node, InvalidInput for a number outside its bounds.
    """
    input_checks.check_range("depth", depth, 1, NEIGHBORHOOD_DEPTH.maximum)
    neighborhood_of_node = _fetch_neighborhood(
        space, [node_id], depth, direction, filters, max_nodes, max_edges
    )
    if neighborhood_of_node.missing:
        raise NotFound("node")
    centered_neighborhood = Neighborhood(
        neighborhood_of_node.nodes[0].node,
        neighborhood_of_node.nodes,
        neighborhood_of_node.edges,
        neighborhood_of_node.truncated,
    )
    space.record_recall_after_commit(centered_neighborhood)
    return centered_neighborhood


def fetch_neighbors_and_record_recall(
    space: SpaceSession,
    node_ids: Sequence[NodeId],
    *,
    direction: Direction = Direction.BOTH,
    filters: GraphFilters = NO_FILTERS,
) -> Neighborhood:
    """Return the nodes one hop around up to 100 nodes, and these themselves (requirement 8.2).

    Unknown ids are listed in `missing`. Raises InvalidInput for an empty list.
    """
    if not node_ids:
        raise InvalidInput("At least one node id is needed.", code="empty_list")
    seeds = list(dict.fromkeys(node_ids))
    input_checks.check_range("node_ids", len(seeds), 1, SUBGRAPH_SEEDS.maximum)
    neighborhood_of_seeds = _fetch_neighborhood(
        space, seeds, 1, direction, filters, _MAX_NODES_SHOWN, _MAX_EDGES_SHOWN
    )
    space.record_recall_after_commit(neighborhood_of_seeds)
    return neighborhood_of_seeds


def _fetch_neighborhood(
    space: SpaceSession,
    seed_ids: Sequence[NodeId],
    depth: int,
    direction: Direction,
    filters: GraphFilters,
    max_nodes: int,
    max_edges: int,
) -> Neighborhood:
    input_checks.check_graph_filters(filters)
    input_checks.check_range("max_nodes", max_nodes, len(seed_ids), SUBGRAPH_NODES.maximum)
    input_checks.check_range("max_edges", max_edges, 1, SUBGRAPH_EDGES.maximum)
    # Read twice as many edges as nodes are shown, because parallel edges lead to the same node.
    edges_per_node = 2 * max_nodes
    reached_nodes, edges = traversal.fetch_neighborhood(
        space,
        seed_ids,
        depth=depth,
        direction=direction,
        filters=filters,
        max_edges_per_node=edges_per_node,
        max_nodes=max_nodes,
        max_edges=max_edges,
    )
    truncation_notes = []
    if len(reached_nodes) > max_nodes:
        reached_nodes = reached_nodes[:max_nodes]
        truncation_notes.append(
            f"More than {max_nodes:,} nodes were reached; the nearest and strongest are shown."
        )
    reached_ids = {node.id for node, _ in reached_nodes}
    inner_edges = [
        edge for edge in edges if edge.from_node_id in reached_ids and edge.to_node_id in reached_ids
    ]
    if len(edges) > max_edges:
        inner_edges = inner_edges[:max_edges]
        truncation_notes.append(f"More than {max_edges:,} edges lie among them; the strongest are shown.")
    crowded_node_count = sum(
        max(
            node.out_degree if direction is not Direction.INCOMING else 0,
            node.in_degree if direction is not Direction.OUTGOING else 0,
        )
        > edges_per_node
        for node, distance in reached_nodes
        if distance < depth
    )
    if crowded_node_count:
        truncation_notes.append(
            f"Of {crowded_node_count:,} nodes only the {edges_per_node:,} strongest edges per direction"
            " were followed."
        )
    return Neighborhood(
        center=None,
        nodes=tuple(ScoredNode(node, distance, 1 / (1 + distance)) for node, distance in reached_nodes),
        edges=tuple(inner_edges),
        truncated=tuple(truncation_notes),
        missing=tuple(seed for seed in seed_ids if seed not in reached_ids),
    )


def explain_and_record_recall(
    space: SpaceSession,
    *,
    question: str | None = None,
    from_: str | None = None,
    to: str | None = None,
    max_hops: int = HOPS.maximum,
    limit: int | None = None,
    fan_out: int | None = None,
    filters: GraphFilters = NO_FILTERS,
) -> Explanation:
    """Explain how the graph answers a question, or how one node leads to another (requirement 8.3).

    It takes the arguments of `start_explanation`, raises the same errors, waits for the result and records it
    as recalled. If there are no facts about the anchors, it contains the passages that mention two of them.
    Statements about the anchors in the texts' own words are added.
    """
    explanation = start_explanation(
        space,
        question=question,
        from_=from_,
        to=to,
        max_hops=max_hops,
        limit=limit,
        fan_out=fan_out,
        filters=filters,
    ).result()
    has_facts = any(
        (
            explanation.paths,
            explanation.edges,
            explanation.denials,
            explanation.reported,
            explanation.asked_attributes,
        )
    )
    if not has_facts and filters.includes_layer(Layer.NAMED_TOGETHER):
        explanation = replace(
            explanation,
            named_together=cooccurrence_passages.find_passages_naming_two_anchors(space, explanation.anchors),
        )
    explanation = build_explanation_with_statements(
        explanation, statements.list_statements_of_anchors(space, explanation.anchors, question, filters)
    )
    space.record_recall_after_commit(explanation)
    return explanation


def start_explanation(
    space: SpaceSession,
    *,
    question: str | None = None,
    from_: str | None = None,
    to: str | None = None,
    max_hops: int = HOPS.maximum,
    limit: int | None = None,
    fan_out: int | None = None,
    filters: GraphFilters = NO_FILTERS,
    known_anchors: QuestionAnchors | None = None,
) -> Pending[Explanation]:
    """Send the queries for an explanation of a question, or of how one node leads to another; `.result()`
    waits for it.

    `from_` and `to` are a name, an alias or an id. A question is followed from the nodes that it names, or
    from `known_anchors`, which a caller that searches by meaning may pass. Other values of a single-valued
    relation are included as contested. Two ends connected only by past claims are explained by these. Without
    a path the result is empty and its warnings say what was searched. Raises InvalidInput unless there is
    either a question or both ends, and for numbers outside their bounds.
    """
    limit = space.settings.max_facts if limit is None else limit
    fan_out = space.settings.fan_out if fan_out is None else fan_out
    input_checks.check_range("max_hops", max_hops, 1, HOPS.maximum)
    input_checks.check_range("limit", limit, 1, FACTS.maximum)
    input_checks.check_range("fan_out", fan_out, 1, FAN_OUT.maximum)
    input_checks.check_graph_filters(filters)
    for name, value in (("question", question), ("from", from_), ("to", to)):
        if value is not None:
            input_checks.check_length_and_characters(name, value)
            if input_checks.is_blank(value):
                raise InvalidInput(f"{name} must not be blank.", code="blank")
    question = None if question is None else remove_invisible_breaks(question)
    question_anchors = QuestionAnchors(())
    if question is not None and from_ is None and to is None:
        question_anchors = (
            anchors.find_anchors_in_question(space, question) if known_anchors is None else known_anchors
        )

        def start_query(passing_filters: GraphFilters, hops: int) -> Pending[Explanation]:
            return explanations.start_explanation_of_question(
                space, question, question_anchors, hops, limit, fan_out, passing_filters
            )

    elif question is None and from_ is not None and to is not None:

        def start_query(passing_filters: GraphFilters, hops: int) -> Pending[Explanation]:
            return Pending(
                lambda: explanations.explain_connection(space, from_, to, hops, limit, passing_filters)
            )

    else:
        raise InvalidInput("Give either a question, or both from and to.", code="question_or_ends")

    def complete_explanation(explanation: Explanation) -> Explanation:
        if space.settings.node_attributes and explanation.nodes:
            attributes = repository.list_stated_values_of_nodes(
                space, [node.id for node in explanation.nodes], filters.as_of
            )
            explanation = build_explanation_with_attributes(explanation, attributes)
        completed_explanation = contested.build_explanation_with_contradicting_edges(
            space, explanation, filters.as_of
        )
        pending_denials = sent_denials or contested.fetch_denials_and_reports(
            space, completed_explanation.anchors, as_of=filters.as_of
        )
        completed_explanation = contested.build_explanation_with_denials_and_reports(
            completed_explanation, pending_denials.result(), only_between_anchors=question is None
        )
        has_facts = (
            completed_explanation.edges
            or completed_explanation.denials
            or completed_explanation.reported
            or completed_explanation.asked_attributes
        )
        if completed_explanation.paths or (question is not None and has_facts):
            return completed_explanation
        if from_ and to and filters.as_of is None and not completed_explanation.denials:
            past_explanation = explanations.explain_connection_with_ended_claims(
                space, from_, to, max_hops, limit, filters
            )
            if past_explanation.paths:
                return past_explanation

        def explain_with(passing_filters: GraphFilters, hops: int) -> Explanation:
            return start_query(passing_filters, hops).result()

        reasons = empty_explanations.list_reasons_for_no_explanation(
            space, completed_explanation, explain_with, filters, max_hops, from_, to
        )
        return replace(completed_explanation, why_not=(*completed_explanation.why_not, *reasons))

    pending_explanation = start_query(filters, max_hops)
    # For a question, send this query with the others, before waiting for any result.
    sent_denials = (
        contested.fetch_denials_and_reports(space, question_anchors.anchors, as_of=filters.as_of)
        if question_anchors.anchors
        else None
    )
    return pending_explanation.then(complete_explanation)
