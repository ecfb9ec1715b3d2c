"""Build an explanation from the results of traversals: paths, ranked facts, citations; pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from math import prod

from app.domain.layers import Layer
from app.domain.scoring.keywords import list_stems, list_stems_of_texts, map_related_stems_to_asked_stems
from app.graph.narrative import CitedAttribute, list_end_nodes_in_order, write_narrative
from app.graph.questions import list_content_words
from app.graph.shapes import (
    Anchor,
    Citation,
    Edge,
    Evidence,
    Explanation,
    Node,
    NodeAttribute,
    NodeStatement,
    Path,
)
from app.graph.traversal import ReachedEdge, Walk
from app.ids import EdgeId, NodeId

HOP_DISCOUNT = 0.8
"""The factor by which each hop after the first reduces a path's score."""
NARRATIVE_TOKENS = 2_000
NARRATIVE_CUT_NOTE = f"The narrative ends at {NARRATIVE_TOKENS:,} tokens."
_WHERE_QUESTION = re.compile(r"\bwhere\b", re.IGNORECASE)
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}")
NAMED_BONUS = 0.5
"""Added to the worth of a fact whose other end shares a word with the question; naming its relation
adds 1.
"""


def compute_path_score(edges: Sequence[Edge], statement_weight: float) -> float:
    """Return the score of a path, in [0, 1].

    It is the product of confidence and weight (at most 1) of every edge, times `statement_weight` for each
    statement and 0.8 for each hop after the first.
    """
    strengths = (
        edge.confidence * min(edge.weight, 1.0) * (statement_weight if edge.layer is Layer.STATEMENT else 1.0)
        for edge in edges
    )
    return prod(strengths) * HOP_DISCOUNT ** (len(edges) - 1)


def build_path_of_edges(
    start: NodeId, edges: Sequence[Edge], nodes: Mapping[NodeId, Node], statement_weight: float
) -> Path | None:
    """Return the path that these edges form from a node, or None if they are not connected."""
    node_ids = [start]
    for edge in edges:
        if edge.from_node_id == node_ids[-1]:
            node_ids.append(edge.to_node_id)
        elif edge.to_node_id == node_ids[-1]:
            node_ids.append(edge.from_node_id)
        else:
            return None
    score = compute_path_score(edges, statement_weight)
    return Path(tuple(nodes[node_id] for node_id in node_ids), tuple(edges), len(edges), score)


def _build_claim_sequence_key(path: Path) -> tuple[object, ...]:
    steps = zip(path.edges, path.nodes, strict=False)
    return (
        tuple(node.id for node in path.nodes),
        tuple((edge.relation_type, edge.from_node_id == node.id) for edge, node in steps),
    )


def remove_parallel_and_looping_paths(paths: Iterable[Path]) -> list[Path]:
    """Return one path for each sequence of claims, the first; parallel edges appear among the facts."""
    first_paths: dict[tuple[object, ...], Path] = {}
    for path in paths:
        if len({node.id for node in path.nodes}) == path.hops + 1:
            first_paths.setdefault(_build_claim_sequence_key(path), path)
    return list(first_paths.values())


def build_paths_of_walks(
    walks: Sequence[Walk], nodes: Mapping[NodeId, Node], statement_weight: float
) -> list[Path]:
    """Return the walks as paths, direct ones first, then by descending score."""
    paths = [build_path_of_edges(walk.start, walk.edges, nodes, statement_weight) for walk in walks]
    return remove_parallel_and_looping_paths(
        sorted((path for path in paths if path is not None), key=lambda path: (path.hops, -path.score))
    )


def rank_facts(
    facts: Sequence[ReachedEdge], nodes: Mapping[NodeId, Node], anchor_ids: frozenset[NodeId], question: str
) -> list[ReachedEdge]:
    """Sort the facts by worth, preferring those whose relation or other end the question names."""
    question_words, *words_of_nodes = list_content_words(
        [question, *(node.canonical_name for node in nodes.values())]
    )
    asked_node_ids = {
        node_id
        for node_id, name_words in zip(nodes, words_of_nodes, strict=True)
        if question_words & name_words
    }

    def score_fact(fact: ReachedEdge) -> float:
        is_named = not asked_node_ids.isdisjoint({fact.edge.from_node_id, fact.edge.to_node_id} - anchor_ids)
        return fact.worth + (NAMED_BONUS if is_named else 0.0)

    return sorted(facts, key=lambda fact: (-score_fact(fact), fact.edge.id))


def build_paths_to_facts(
    facts: Sequence[ReachedEdge],
    nodes: Mapping[NodeId, Node],
    anchor_ids: Sequence[NodeId],
    statement_weight: float,
) -> list[Path]:
    """Return for each fact, in order, the path that leads to it from an anchor."""
    edge_by_id = {fact.edge.id: fact.edge for fact in facts}
    paths = []
    for fact in facts:
        steps = (fact.edge,) if fact.via is None else (edge_by_id[fact.via], fact.edge)
        for anchor in anchor_ids:
            path = build_path_of_edges(anchor, steps, nodes, statement_weight)
            if path is not None:
                paths.append(path)
                break
    return remove_parallel_and_looping_paths(paths)


def build_numbered_citations_of_edges(edges: Iterable[Edge]) -> tuple[Citation, ...]:
    """Return the passages behind the edges, numbered from 1 in order; edges with one passage share its
    number.
    """
    return extend_citations((), edges)


def extend_citations(
    citations: Sequence[Citation], edges: Iterable[Edge], further_evidence: Iterable[Evidence] = ()
) -> tuple[Citation, ...]:
    """Return the citations followed by those of further edges and passages, continuing their numbers."""
    evidence_by_key = {
        build_evidence_key(citation.evidence): (citation.evidence, list(citation.edge_ids))
        for citation in citations
    }
    for edge in edges:
        if edge.evidence is not None:
            edge_ids_of_evidence = evidence_by_key.setdefault(
                build_evidence_key(edge.evidence), (edge.evidence, [])
            )[1]
            if edge.id not in edge_ids_of_evidence:
                edge_ids_of_evidence.append(edge.id)
    for evidence in further_evidence:
        evidence_by_key.setdefault(build_evidence_key(evidence), (evidence, []))
    return tuple(
        Citation(number, evidence, tuple(edge_ids))
        for number, (evidence, edge_ids) in enumerate(evidence_by_key.values(), start=1)
    )


def write_no_fact_warning(anchors: Sequence[Anchor]) -> str:
    """Return the warning for anchors that no edge touches."""
    anchor_names = ", ".join(f"“{anchor.matched}”" for anchor in anchors)
    return f"The graph states no fact about {anchor_names}."


def build_evidence_key(evidence: Evidence) -> tuple[object, ...]:
    """Return a key for the quoted text: chunk and range."""
    return (evidence.chunk_id, evidence.char_start, evidence.char_end)


def build_explanation(
    *,
    question: str | None,
    anchors: Sequence[Anchor],
    paths: Sequence[Path],
    facts: Sequence[Edge],
    nodes: Mapping[NodeId, Node],
    limit: int,
    truncated: Sequence[str],
    warnings: Sequence[str],
    includes_ended: bool = False,
) -> Explanation:
    """Build the explanation of at most `limit` edges: those of the paths first, in order, then other facts.

    A path is kept only if all its edges are. With `includes_ended`, the narrative states the end date of
    ended claims.
    """
    chosen_edges: dict[EdgeId, Edge] = {}
    chosen_paths = []
    for path in paths:
        new_edges = {edge.id: edge for edge in path.edges if edge.id not in chosen_edges}
        if len(chosen_edges) + len(new_edges) <= limit:
            chosen_edges.update(new_edges)
            chosen_paths.append(path)
    for edge in facts:
        if len(chosen_edges) < limit:
            chosen_edges.setdefault(edge.id, edge)
    edges = tuple(chosen_edges.values())
    citations = build_numbered_citations_of_edges(edges)
    number_by_edge_id = {edge_id: citation.number for citation in citations for edge_id in citation.edge_ids}
    truncation_notes = list(truncated)
    offered_edge_ids = {edge.id for path in paths for edge in path.edges} | {edge.id for edge in facts}
    if len(offered_edge_ids) > len(edges) or len(edges) == limit:
        truncation_notes.append(f"The {limit} most relevant facts are shown.")
    end_nodes = list_end_nodes_in_order(edges, nodes)
    anchor_nodes = [anchor.node for anchor in anchors]
    shown_nodes = list({node.id: node for node in (*anchor_nodes, *end_nodes)}.values())
    narrative = write_narrative(
        shown_nodes,
        edges,
        number_by_edge_id=number_by_edge_id,
        token_budget=NARRATIVE_TOKENS,
        includes_ended=includes_ended,
    )
    if narrative.is_truncated:
        truncation_notes.append(NARRATIVE_CUT_NOTE)
    return Explanation(
        question=question,
        anchors=tuple(anchors),
        paths=tuple(chosen_paths),
        nodes=tuple(shown_nodes),
        edges=edges,
        citations=citations,
        narrative=narrative.text,
        truncated=tuple(truncation_notes),
        warnings=tuple(warnings),
    )


def build_explanation_with_attributes(
    explanation: Explanation, node_attributes: Sequence[NodeAttribute]
) -> Explanation:
    """Return the explanation with the attributes of its nodes (decision 69).

    A path to a node whose attribute the question asks for ends in that value, and precedes the others.
    """
    if not node_attributes:
        return explanation
    asked_attributes = select_asked_attributes(explanation.question, node_attributes)
    citations = extend_citations(
        explanation.citations, (), [attribute.evidence for attribute in node_attributes]
    )
    number_by_evidence_key = {
        build_evidence_key(citation.evidence): citation.number for citation in citations
    }
    narrative = write_narrative(
        explanation.nodes,
        explanation.edges,
        number_by_edge_id={
            edge_id: citation.number for citation in citations for edge_id in citation.edge_ids
        },
        cited_attributes_by_node={
            node_id: [
                CitedAttribute(attribute, number_by_evidence_key[build_evidence_key(attribute.evidence)])
                for attribute in values
            ]
            for node_id, values in groupby(node_attributes, lambda attribute: attribute.node_id)
        },
        token_budget=NARRATIVE_TOKENS,
    )
    paths_to_values = _build_paths_to_attribute_values(explanation, asked_attributes)
    # Keep only the nearest nodes: a question about one city's population is not about the next city's.
    min_hops = min((path.hops for path in paths_to_values), default=0)
    end_node_ids = {path.nodes[-1].id for path in paths_to_values if path.hops == min_hops}
    attributes_at_end = [attribute for attribute in asked_attributes if attribute.node_id in end_node_ids]
    truncation_notes = (*explanation.truncated, *((NARRATIVE_CUT_NOTE,) if narrative.is_truncated else ()))
    return replace(
        explanation,
        paths=(*paths_to_values, *explanation.paths),
        attributes=tuple(sorted(node_attributes, key=lambda attribute: attribute not in asked_attributes)),
        asked_attributes=tuple(sorted(attributes_at_end, key=lambda attribute: not attribute.holds)),
        citations=citations,
        narrative=narrative.text,
        truncated=tuple(dict.fromkeys(truncation_notes)),
        warnings=tuple(
            warning
            for warning in explanation.warnings
            if not paths_to_values or warning != write_no_fact_warning(explanation.anchors)
        ),
    )


def build_explanation_with_statements(
    explanation: Explanation, statements: tuple[NodeStatement, ...]
) -> Explanation:
    """Return the explanation with statements about its anchors in the texts' own words, each cited."""
    if not statements:
        return explanation
    return replace(
        explanation,
        statements=statements,
        citations=extend_citations(
            explanation.citations, (), [statement.evidence for statement in statements]
        ),
        warnings=tuple(
            warning
            for warning in explanation.warnings
            if warning != write_no_fact_warning(explanation.anchors)
        ),
    )


def select_asked_attributes(
    question: str | None, node_attributes: Sequence[NodeAttribute]
) -> list[NodeAttribute]:
    """Return the attributes that the question names, by their words or related ones."""
    if question is None:
        return []
    question_stems = list_stems(question)
    question_stems = question_stems.union(map_related_stems_to_asked_stems(question_stems))
    stems_of_names = list_stems_of_texts([attribute.name.replace("_", " ") for attribute in node_attributes])
    asks_for_place = _WHERE_QUESTION.search(question) is not None
    return [
        attribute
        for attribute, name_stems in zip(node_attributes, stems_of_names, strict=True)
        # "Where was she born?" does not ask for a date.
        if name_stems & question_stems and not (asks_for_place and _DATE.fullmatch(str(attribute.value)))
    ]


def _build_paths_to_attribute_values(
    explanation: Explanation, node_attributes: Iterable[NodeAttribute]
) -> list[Path]:
    """Return the paths that end in one of these attributes, current values only.

    A path between two anchors may lead to either, independent of their order in the question.
    """
    attributes_by_node: dict[NodeId, list[NodeAttribute]] = {}
    for attribute in node_attributes:
        if attribute.holds:
            attributes_by_node.setdefault(attribute.node_id, []).append(attribute)
    anchor_by_id = {anchor.node.id: anchor.node for anchor in explanation.anchors}
    candidate_paths = [Path((node,), (), 0, 1.0) for node in anchor_by_id.values()]
    for path in explanation.paths:
        candidate_paths.append(path)
        if path.nodes[-1].id in anchor_by_id:
            candidate_paths.append(path.reversed())
    return [
        replace(path, attribute=attribute)
        for path in candidate_paths
        for attribute in attributes_by_node.get(path.nodes[-1].id, ())
    ]
