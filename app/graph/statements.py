"""Statements about nodes in the words of the texts."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.db.session import SpaceSession
from app.domain.layers import Layer
from app.domain.scoring.keywords import list_stems, list_stems_of_texts
from app.graph import repository
from app.graph.name_forms import does_name_occur_in
from app.graph.shapes import NO_FILTERS, Anchor, GraphFilters, Node, NodeStatement
from app.ids import NodeId

MAX_STATEMENTS_OF_NODE, MAX_STATEMENTS_OF_ANCHOR = 50, 10
"""Maximum number of statements shown for a node by itself, and for an anchor of an explanation."""
ENGLISH = "en"
"""The language of statements: clauses are parsed only in English."""
_MAX_SCANNED_STATEMENTS = 200
"""Number of an anchor's statements, highest confidence first, that are compared with a question."""


def list_statements_of_node(
    space: SpaceSession, node_id: NodeId, filters: GraphFilters = NO_FILTERS
) -> list[NodeStatement]:
    """Return the distinct statements about a node, at most 50, highest confidence first."""
    return _list_distinct_statements_passing_filters(space, [node_id], filters)[:MAX_STATEMENTS_OF_NODE]


class _MatchCounts(NamedTuple):
    """How many other anchors, and how many words of the question, a statement mentions."""

    other_anchors: int
    question_words: int


def list_statements_of_anchors(
    space: SpaceSession, anchors: Sequence[Anchor], question: str | None, filters: GraphFilters
) -> tuple[NodeStatement, ...]:
    """Return statements about these nodes, at most ten for each.

    Statements that mention another anchor or a word of the question come first, then those of highest
    confidence. Without a question, only statements that mention another anchor are returned.
    """
    nodes = {anchor.node.id: anchor.node for anchor in anchors}
    passing_statements = _list_distinct_statements_passing_filters(space, list(nodes), filters)
    question_stems = list_stems(question or "") - {
        stem for node in nodes.values() for stem in list_stems(node.canonical_name)
    }
    stem_sets = list_stems_of_texts([_join_statement_words(statement) for statement in passing_statements])
    match_counts = {
        statement: _MatchCounts(
            _count_other_nodes_named(statement, nodes.values()),
            len(question_stems & statement_stems),
        )
        for statement, statement_stems in zip(passing_statements, stem_sets, strict=True)
    }
    chosen_statements: list[NodeStatement] = []
    for node_id in nodes:
        node_statements = [
            statement
            for statement in passing_statements
            if statement.node_id == node_id
            and (question is not None or match_counts[statement].other_anchors)
        ]
        node_statements.sort(
            key=lambda statement: (
                -match_counts[statement].other_anchors,
                -match_counts[statement].question_words,
                -statement.confidence,
            )
        )
        chosen_statements += node_statements[:MAX_STATEMENTS_OF_ANCHOR]
    return tuple(chosen_statements)


def _list_distinct_statements_passing_filters(
    space: SpaceSession, node_ids: Sequence[NodeId], filters: GraphFilters
) -> list[NodeStatement]:
    """Return the distinct statements about these nodes that pass; none if relation types are filtered."""
    if not node_ids or filters.relation_types or not filters.includes_layer(Layer.STATEMENT):
        return []
    stored_statements = repository.list_statements_of_nodes(
        space, node_ids, as_of=filters.as_of, per_node=_MAX_SCANNED_STATEMENTS
    )
    min_confidence = filters.min_confidence or 0.0
    return [
        statement
        for statement in _remove_duplicate_statements(stored_statements)
        if statement.confidence >= min_confidence
    ]


def _count_other_nodes_named(node_statement: NodeStatement, nodes: Iterable[Node]) -> int:
    """Return how many of the other nodes the statement mentions."""
    return sum(
        node.id != node_statement.node_id
        and any(
            does_name_occur_in(name, _join_statement_words(node_statement), lambda: ENGLISH)
            for name in (node.canonical_name, *node.aliases)
        )
        for node in nodes
    )


def _remove_duplicate_statements(node_statements: Iterable[NodeStatement]) -> list[NodeStatement]:
    first_statements: dict[tuple[NodeId, str | None, str, str], NodeStatement] = {}
    for statement in node_statements:
        first_statements.setdefault(
            (statement.node_id, statement.subject, statement.predicate, statement.text), statement
        )
    return list(first_statements.values())


def _join_statement_words(node_statement: NodeStatement) -> str:
    return f"{node_statement.subject or ''} {node_statement.predicate} {node_statement.text}"
