"""Explanations of a question, and of how one node leads to another (requirement 8.3)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product

from app.db.session import SpaceSession
from app.db.sql import Pending
from app.graph import input_checks, traversal
from app.graph.anchors import QuestionAnchors
from app.graph.explanation_builder import (
    build_explanation,
    build_paths_of_walks,
    build_paths_to_facts,
    rank_facts,
    remove_parallel_and_looping_paths,
    write_no_fact_warning,
)
from app.graph.names import normalise_name
from app.graph.questions import guess_relation_types
from app.graph.shapes import Anchor, Explanation, GraphFilters
from app.graph.traversal import NodePair

MAX_PATHS = 20


def find_anchors_by_name_or_id(space: SpaceSession, texts: Sequence[str]) -> list[list[Anchor]]:
    """Return for each text the nodes whose name, alias or id it is, most mentioned first."""
    normalised_names = [normalise_name(text) for text in texts]
    parsed_ids = [input_checks.parse_uuid(text.strip()) for text in texts]
    matches = traversal.find_nodes_by_names_or_ids(
        space,
        names=[normalised_name for normalised_name in normalised_names if normalised_name],
        node_ids=[node_id for node_id in parsed_ids if node_id is not None],
    )
    return [
        [
            Anchor(match.node, text)
            for match in matches
            if (
                match.normalised_name == normalised_name
                if match.normalised_name
                else match.node.id == node_id
            )
        ]
        for text, normalised_name, node_id in zip(texts, normalised_names, parsed_ids, strict=True)
    ]


def explain_connection(
    space: SpaceSession,
    source_name: str,
    target_name: str,
    max_hops: int,
    limit: int,
    filters: GraphFilters,
    *,
    includes_ended: bool = False,
) -> Explanation:
    """Explain how one node leads to another, both given by name, alias or id.

    With `includes_ended`, claims that ended or begin later are included, each with that date.
    """
    source_anchors, target_anchors = find_anchors_by_name_or_id(space, [source_name, target_name])
    warnings = [
        f"No node is known as “{text}”."
        for text, anchors in ((source_name, source_anchors), (target_name, target_anchors))
        if not anchors
    ]
    anchors = list({anchor.node.id: anchor for anchor in (*source_anchors, *target_anchors)}.values())
    node_pairs = [
        (source_anchor.node, target_anchor.node)
        for source_anchor, target_anchor in product(source_anchors, target_anchors)
        if source_anchor.node.id != target_anchor.node.id
    ]
    walks: list[traversal.Walk] = []
    nodes = {anchor.node.id: anchor.node for anchor in anchors}
    if node_pairs:
        walks, walked_nodes = traversal.fetch_walks_between(
            space,
            node_pairs,
            max_hops=max_hops,
            limit=MAX_PATHS,
            filters=filters,
            includes_ended=includes_ended,
        ).result()
        nodes |= walked_nodes
    elif not warnings:
        warnings.append("Both ends are the same node.")
    statement_weight = space.settings.statement_weight
    paths = build_paths_of_walks(walks, nodes, statement_weight)
    if node_pairs and not paths:
        warnings.append(f"No path of at most {max_hops} hops leads from “{source_name}” to “{target_name}”.")
    elif includes_ended:
        begins_later = all(any(edge.begins_after() for edge in path.edges) for path in paths)
        ending_words = "yet: what will begins later." if begins_later else "any more: what did has ended."
        warnings.append(f"Nothing leads from “{source_name}” to “{target_name}” {ending_words}")
    # Strongest first, not in walking order: what the limit cuts off must not depend on the direction.
    walked_edges = sorted(
        (edge for walk in walks for edge in walk.edges), key=lambda edge: (-edge.weight, edge.id)
    )
    explanation = build_explanation(
        question=None,
        anchors=anchors,
        paths=paths,
        facts=walked_edges,
        nodes=nodes,
        limit=limit,
        truncated=_list_truncation_notes(node_pairs, walks),
        warnings=warnings,
        includes_ended=includes_ended,
    )
    if paths and not explanation.paths:
        length_note = f"The shortest path has {paths[0].hops} facts; limit allows {limit}."
        explanation = replace(explanation, why_not=(length_note,))
    return explanation


def explain_connection_with_ended_claims(
    space: SpaceSession, source_name: str, target_name: str, max_hops: int, limit: int, filters: GraphFilters
) -> Explanation:
    """Explain how one node once led to another, including ended claims that some text still states."""
    return explain_connection(
        space,
        source_name,
        target_name,
        max_hops,
        limit,
        replace(filters, with_evidence=True),
        includes_ended=True,
    )


def start_explanation_of_question(
    space: SpaceSession,
    question: str,
    question_anchors: QuestionAnchors,
    max_hops: int,
    limit: int,
    fan_out: int,
    filters: GraphFilters,
) -> Pending[Explanation]:
    """Send the query for the facts around these nodes that are relevant to the question; `.result()` waits
    for it.
    """
    anchors, truncation_notes = list(question_anchors.anchors), list(question_anchors.truncated)
    warnings = [*question_anchors.warnings, *question_anchors.reading_notes]
    if not anchors:
        explanation = build_explanation(
            question=question,
            anchors=(),
            paths=(),
            facts=(),
            nodes={},
            limit=limit,
            truncated=truncation_notes,
            warnings=warnings,
        )
        return Pending.completed(explanation)
    statement_weight = space.settings.statement_weight
    anchor_ids = [anchor.node.id for anchor in anchors]
    nodes = {anchor.node.id: anchor.node for anchor in anchors}
    pending_facts = traversal.fetch_facts_within_two_hops(
        space,
        anchor_ids,
        max_hops=max_hops,
        fan_out=fan_out,
        limit=limit,
        hinted_relations=guess_relation_types(question),
        filters=filters,
    )
    # Two nodes with the same name are two readings of it, not the two ends of a question.
    node_pairs = [
        (first_anchor.node, second_anchor.node)
        for first_anchor, second_anchor in combinations(anchors, 2)
        if first_anchor.matched != second_anchor.matched and first_anchor.node.id != second_anchor.node.id
    ]
    pending_walks = node_pairs and traversal.fetch_walks_between(
        space,
        node_pairs,
        max_hops=max_hops,
        limit=MAX_PATHS,
        filters=filters,
    )

    def build_explanation_from_facts(facts_and_nodes: traversal.FactsAndNodes) -> Explanation:
        facts, reached_nodes = facts_and_nodes
        nodes.update(reached_nodes)
        paths = []
        if pending_walks:
            walks, walked_nodes = pending_walks.result()
            nodes.update(walked_nodes)
            paths = build_paths_of_walks(walks, nodes, statement_weight)
            truncation_notes.extend(_list_truncation_notes(node_pairs, walks))
        for anchor in anchors:
            degree = max(anchor.node.out_degree, anchor.node.in_degree)
            if degree > fan_out:
                name = anchor.node.canonical_name
                truncation_notes.append(
                    f"{name} has up to {degree:,} edges one way; the {fan_out} strongest were followed."
                )
        ranked_facts = rank_facts(facts, nodes, frozenset(anchor_ids), question)
        if not ranked_facts and not paths:
            warnings.append(write_no_fact_warning(anchors))
        return build_explanation(
            question=question,
            anchors=anchors,
            paths=remove_parallel_and_looping_paths(
                [*paths, *build_paths_to_facts(ranked_facts, nodes, anchor_ids, statement_weight)]
            ),
            facts=[fact.edge for fact in ranked_facts],
            nodes=nodes,
            limit=limit,
            truncated=truncation_notes,
            warnings=warnings,
        )

    return pending_facts.then(build_explanation_from_facts)


def _list_truncation_notes(node_pairs: Sequence[NodePair], walks: Sequence[traversal.Walk]) -> list[str]:
    """Return messages about limits at which the search stopped."""
    notes = []
    if len({frozenset(edge.id for edge in walk.edges) for walk in walks}) >= MAX_PATHS:
        notes.append(f"The {MAX_PATHS} best paths between the nodes were read.")
    for a, b in node_pairs:
        start_node, _ = traversal.order_pair_by_degree((a, b))
        if max(start_node.out_degree, start_node.in_degree) > traversal.MAX_PROBES:
            notes.append(
                f"Between {a.canonical_name} and {b.canonical_name} only the {traversal.MAX_PROBES:,} "
                f"strongest edges per direction of {start_node.canonical_name} were tried."
            )
    return notes
