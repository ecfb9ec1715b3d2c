"""Explain an empty explanation: which filter, limit or name excluded the nearest candidates (requirement
8.3).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.db.session import SpaceSession
from app.graph import repository, traversal
from app.graph.contested import format_denial_or_report
from app.graph.names import normalise_name
from app.graph.narrative import format_claim
from app.graph.shapes import NO_FILTERS, Direction, Explanation, GraphFilters, Node
from app.limits import HOPS
from app.number_words import pluralise

MAX_NEAREST_NODES = 200
"""Number of nodes around each end that are searched for a longer path between them."""
COMMON_PREFIX_LETTERS = 4
MAX_SUGGESTED_NAMES = 3
"""Number of names that are suggested for an unknown one."""

RepeatQuestion = Callable[[GraphFilters, int], Explanation]
"""Repeats the question with other filters and another number of hops."""


def list_reasons_for_no_explanation(
    space: SpaceSession,
    empty_explanation: Explanation,
    repeat_question: RepeatQuestion,
    filters: GraphFilters,
    max_hops: int,
    source_name: str | None,
    target_name: str | None,
) -> Iterator[str]:
    """Yield the reasons why an explanation is empty; executes several statements.

    There is at least one reason; for a pair, at least that no claim connects the two.
    """
    end_names = [end_name for end_name in (source_name, target_name) if end_name]
    nodes_by_name = {
        end_name: [anchor.node for anchor in empty_explanation.anchors if anchor.matched == end_name]
        for end_name in end_names
    }
    unknown_names = [end_name for end_name, nodes in nodes_by_name.items() if not nodes]
    yield from suggest_names_for_unknown_names(space, unknown_names)
    yield from list_reasons_by_isolated_nodes([anchor.node for anchor in empty_explanation.anchors])
    yield from (format_denial_or_report(denial) for denial in empty_explanation.denials)
    if empty_explanation.edges:
        return  # The explanation says itself that its limit is too small for a path.
    if empty_explanation.anchors:
        yield from list_reasons_by_filters(repeat_question, filters, max_hops, HOPS.maximum)
    if source_name and target_name and not unknown_names:
        yield from list_reasons_where_ends_meet_beyond_max_hops(
            space, nodes_by_name[source_name], nodes_by_name[target_name], max_hops
        )


def list_reasons_by_filters(
    repeat_question: RepeatQuestion, filters: GraphFilters, max_hops: int, hop_limit: int
) -> Iterator[str]:
    """Yield for each filter, and the number of hops, what would have been found without it."""
    if max_hops < hop_limit and (explanation := repeat_question(filters, hop_limit)).edges:
        yield f"With max_hops {hop_limit} there are {_describe_fact_count_and_first(explanation)}."
    relaxed_filters = {
        "relation_types": replace(filters, relation_types=()),
        "node_types": replace(filters, node_types=()),
        "min_confidence": replace(filters, min_confidence=None),
        "as_of": replace(filters, as_of=None),
        "layers": replace(filters, layers=()),
    }
    does_single_filter_exclude = False
    for name, weaker_filters in relaxed_filters.items():
        if weaker_filters != filters and (explanation := repeat_question(weaker_filters, max_hops)).edges:
            does_single_filter_exclude = True
            yield f"The filter {name} kept out {_describe_fact_count_and_first(explanation)}."
    if (
        filters != NO_FILTERS
        and not does_single_filter_exclude
        and (explanation := repeat_question(NO_FILTERS, max_hops)).edges
    ):
        yield f"Only all filters together kept out {_describe_fact_count_and_first(explanation)}."


def list_reasons_where_ends_meet_beyond_max_hops(
    space: SpaceSession, start_nodes: Sequence[Node], end_nodes: Sequence[Node], max_hops: int
) -> Iterator[str]:
    """Yield where the two ends meet beyond the maximum path length, among the nearest nodes of each."""
    start_node, end_node = start_nodes[0], end_nodes[0]
    if start_node.id == end_node.id:
        yield f"Both names are known as {start_node.canonical_name}; a path joins two nodes."
        return
    nodes_around_start, nodes_around_end = (
        _find_nearest_nodes(space, start_node),
        _find_nearest_nodes(space, end_node),
    )
    meetings = sorted(
        (
            nodes_around_start[node_id][1] + nodes_around_end[node_id][1],
            nodes_around_start[node_id][0].canonical_name,
        )
        for node_id in nodes_around_start.keys() & nodes_around_end.keys()
    )
    if not meetings:
        yield (
            f"Within two hops of each, among the {MAX_NEAREST_NODES} nearest and strongest nodes, "
            f"{start_node.canonical_name} and {end_node.canonical_name} have none in common."
        )
    elif meetings[0][0] > max_hops:
        hops, name = meetings[0]
        yield f"They meet only after {hops} hops, at {name}; a path has at most {max_hops}."
    else:
        hops, name = meetings[0]
        yield f"They meet within {hops} hops, at {name}, by claims that did not pass."


def suggest_names_for_unknown_names(space: SpaceSession, unknown_names: Sequence[str]) -> Iterator[str]:
    """Yield for each unknown name the names that begin like it."""
    prefix_by_name = {
        unknown_name: normalise_name(unknown_name)[:COMMON_PREFIX_LETTERS] for unknown_name in unknown_names
    }
    names_by_prefix: dict[str, list[str]] = {}
    distinct_prefixes = [prefix for prefix in dict.fromkeys(prefix_by_name.values()) if prefix]
    for prefix, _, name in repository.list_nodes_by_name_prefix(
        space, distinct_prefixes, whole_words=False, limit_per_prefix=MAX_SUGGESTED_NAMES
    ):
        names_by_prefix.setdefault(prefix, []).append(name)
    for unknown_name, prefix in prefix_by_name.items():
        if prefix in names_by_prefix:
            similar_names = ", ".join(dict.fromkeys(names_by_prefix[prefix]))
            yield f"Names that begin like “{unknown_name}”: {similar_names}."
        else:
            yield f"No name begins like “{unknown_name}”."


def list_reasons_by_isolated_nodes(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield a reason for each anchor without edges."""
    for node in nodes:
        if node.out_degree + node.in_degree == 0:
            yield (
                f"{node.canonical_name} is named in {pluralise(node.mention_count, 'chunk')},"
                " and no claim is about it."
            )


class _ReachedNode(NamedTuple):
    """A node, and its distance in hops."""

    node: Node
    distance: int


def _find_nearest_nodes(space: SpaceSession, node: Node) -> dict[object, _ReachedNode]:
    reached_nodes, _ = traversal.fetch_neighborhood(
        space,
        [node.id],
        depth=2,
        direction=Direction.BOTH,
        filters=NO_FILTERS,
        max_edges_per_node=MAX_NEAREST_NODES,
        max_nodes=MAX_NEAREST_NODES,
        max_edges=1,
    )
    return {neighbor.id: _ReachedNode(neighbor, distance) for neighbor, distance in reached_nodes}


def _describe_fact_count_and_first(explanation: Explanation) -> str:
    """Return the number of facts, and the first with its confidence: "2 facts: A uses B (0.90)"."""
    count_text = "one fact" if len(explanation.edges) == 1 else f"{len(explanation.edges)} facts"
    edge = explanation.edges[0]
    names = {node.id: node.canonical_name for node in explanation.nodes}
    return f"{count_text}: {format_claim(edge, names)} ({edge.confidence:.2f})"
