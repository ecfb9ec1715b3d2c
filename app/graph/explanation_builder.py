"""Puts an explanation together out of what the walks found: paths, order of facts, citations; pure."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod

from app.graph.narrative import in_order, narrative
from app.graph.questions import content_words
from app.graph.shapes import Anchor, Citation, Edge, Evidence, Explanation, Node, Path
from app.graph.traversal import Fact, Way
from app.ids import EdgeId, NodeId

HOP_DISCOUNT = 0.8
"""What each hop after the first leaves of a path's score."""
NARRATIVE_TOKENS = 2_000
NAMED_BONUS = 0.5
"""Worth of a fact whose other end shares a word with the question; naming its relation is worth 1."""


def path_score(edges: Sequence[Edge]) -> float:
    """In [0, 1]: confidence times weight (at most 1) of every edge, times 0.8 for each hop after the
    first.
    """
    return prod(edge.confidence * min(edge.weight, 1.0) for edge in edges) * HOP_DISCOUNT ** (len(edges) - 1)


def path_from(start: NodeId, edges: Sequence[Edge], nodes: Mapping[NodeId, Node]) -> Path | None:
    """The path that these edges make from a node; None where they do not hang together."""
    walked = [start]
    for edge in edges:
        if edge.from_node_id == walked[-1]:
            walked.append(edge.to_node_id)
        elif edge.to_node_id == walked[-1]:
            walked.append(edge.from_node_id)
        else:
            return None
    return Path(tuple(nodes[each] for each in walked), tuple(edges), len(edges), path_score(edges))


def _claims(path: Path) -> tuple[object, ...]:
    steps = zip(path.edges, path.nodes, strict=False)
    return (
        tuple(node.id for node in path.nodes),
        tuple((edge.relation_type, edge.from_node_id == node.id) for edge, node in steps),
    )


def _distinct(paths: Iterable[Path]) -> list[Path]:
    """One path for each row of claims, the first that comes; parallel edges are told among the facts."""
    found: dict[tuple[object, ...], Path] = {}
    for path in paths:
        if len({node.id for node in path.nodes}) == path.hops + 1:
            found.setdefault(_claims(path), path)
    return list(found.values())


def paths_between(starts: Sequence[NodeId], ways: Sequence[Way], nodes: Mapping[NodeId, Node]) -> list[Path]:
    """The ways as paths from whichever of the starts they touch first, direct ones first."""
    paths = []
    for way in ways:
        candidates = (path_from(start, way.edges, nodes) for start in starts)
        path = next((each for each in candidates if each is not None), None)
        if path is not None:
            paths.append(path)
    return _distinct(sorted(paths, key=lambda path: (path.hops, -path.score)))


def ranked(
    facts: Sequence[Fact], nodes: Mapping[NodeId, Node], anchors: frozenset[NodeId], question: str
) -> list[Fact]:
    """Facts in order of worth, those first whose relation or other end the question names."""
    words, *theirs = content_words([question, *(node.canonical_name for node in nodes.values())])
    asked_for = {node_id for node_id, each in zip(nodes, theirs, strict=True) if words & each}

    def worth(fact: Fact) -> float:
        named = not asked_for.isdisjoint({fact.edge.from_node_id, fact.edge.to_node_id} - anchors)
        return fact.worth + (NAMED_BONUS if named else 0.0)

    return sorted(facts, key=lambda fact: (-worth(fact), fact.edge.id))


def paths_to(facts: Sequence[Fact], nodes: Mapping[NodeId, Node], anchors: Sequence[NodeId]) -> list[Path]:
    """For each fact the path that led to it from an anchor, in the order of the facts."""
    edges = {fact.edge.id: fact.edge for fact in facts}
    paths = []
    for fact in facts:
        steps = (fact.edge,) if fact.via is None else (edges[fact.via], fact.edge)
        for anchor in anchors:
            path = path_from(anchor, steps, nodes)
            if path is not None:
                paths.append(path)
                break
    return _distinct(paths)


def citations_of(edges: Iterable[Edge]) -> tuple[Citation, ...]:
    """The passages behind the edges, numbered from 1 in order; edges that share one share its number."""
    found: dict[tuple[object, ...], tuple[Evidence, list[EdgeId]]] = {}
    for edge in edges:
        if edge.evidence is not None:
            place = (edge.evidence.chunk_id, edge.evidence.char_start, edge.evidence.char_end)
            found.setdefault(place, (edge.evidence, []))[1].append(edge.id)
    return tuple(
        Citation(number, evidence, tuple(edge_ids))
        for number, (evidence, edge_ids) in enumerate(found.values(), start=1)
    )


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
    ended: bool = False,
) -> Explanation:
    """The explanation of at most `limit` edges: those of the paths first, in order, then other facts.

    A path is kept only if all its edges are. With `ended` the narrative says of each until when it held.
    """
    kept: dict[EdgeId, Edge] = {}
    kept_paths = []
    for path in paths:
        new = {edge.id: edge for edge in path.edges if edge.id not in kept}
        if len(kept) + len(new) <= limit:
            kept.update(new)
            kept_paths.append(path)
    for edge in facts:
        if len(kept) < limit:
            kept.setdefault(edge.id, edge)
    edges = tuple(kept.values())
    citations = citations_of(edges)
    numbers = {edge_id: citation.number for citation in citations for edge_id in citation.edge_ids}
    sentences = list(truncated)
    offered = {edge.id for path in paths for edge in path.edges} | {edge.id for edge in facts}
    if len(offered) > len(edges) or len(edges) == limit:
        sentences.append(f"The {limit} most relevant facts are shown.")
    ends = in_order(edges, nodes)
    anchor_nodes = [anchor.node for anchor in anchors]
    shown = list({node.id: node for node in (*anchor_nodes, *ends)}.values())
    text = narrative(shown, edges, numbers=numbers, budget=NARRATIVE_TOKENS, ended=ended)
    if text.cut:
        sentences.append(f"The narrative ends at {NARRATIVE_TOKENS:,} tokens.")
    return Explanation(
        question=question,
        anchors=tuple(anchors),
        paths=tuple(kept_paths),
        nodes=tuple(shown),
        edges=edges,
        citations=citations,
        narrative=text.text,
        truncated=tuple(sentences),
        warnings=tuple(warnings),
    )
