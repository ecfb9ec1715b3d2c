"""Explain an empty explanation: which filter, limit or name excluded the nearest candidates (requirement
8.3).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from app.db.session import SpaceSession
from app.graph import repository, traversal
from app.graph.contested import format_denial
from app.graph.names import normalise_name
from app.graph.narrative import format_claim
from app.graph.shapes import NO_FILTERS, Direction, Explanation, GraphFilters, Node
from app.limits import HOPS

MAX_NEAREST_NODES = 200
"""Number of nodes around each end that are searched for a longer path between them."""
COMMON_PREFIX_LETTERS = 4
MAX_SUGGESTED_NAMES = 3
"""Number of names that are suggested for an unknown one."""

RepeatQuestion = Callable[[GraphFilters, int], Explanation]
"""Repeats the question with other filters and another number of hops."""


def list_reasons_for_no_explanation(
    space: SpaceSession,
    empty: Explanation,
    repeat_question: RepeatQuestion,
    filters: GraphFilters,
    max_hops: int,
    from_: str | None,
    target_name: str | None,
) -> Iterator[str]:
    """Yield the reasons why an explanation is empty; executes several statements.

    There is at least one reason; for a pair, at least that no claim connects the two.
    """
    end_names = [text for text in (from_, target_name) if text]
    nodes_by_text = {
        text: [anchor.node for anchor in empty.anchors if anchor.matched == text] for text in end_names
    }
    unknown_names = [text for text, nodes in nodes_by_text.items() if not nodes]
    yield from suggest_names_for_unknown_names(space, unknown_names)
    yield from list_reasons_by_isolated_nodes([anchor.node for anchor in empty.anchors])
    yield from (format_denial(denial) for denial in empty.denials)
    if empty.edges:
        return  # The explanation says itself that its limit is too small for a path.
    if empty.anchors:
        yield from list_reasons_by_filters(repeat_question, filters, max_hops, HOPS.maximum)
    if from_ and target_name and not unknown_names:
        yield from list_reasons_by_distance(space, nodes_by_text[from_], nodes_by_text[target_name], max_hops)


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
    single_filter = False
    for name, weaker_filters in relaxed_filters.items():
        if weaker_filters != filters and (explanation := repeat_question(weaker_filters, max_hops)).edges:
            single_filter = True
            yield f"The filter {name} kept out {_describe_fact_count_and_first(explanation)}."
    if (
        filters != NO_FILTERS
        and not single_filter
        and (explanation := repeat_question(NO_FILTERS, max_hops)).edges
    ):
        yield f"Only all filters together kept out {_describe_fact_count_and_first(explanation)}."


def list_reasons_by_distance(
    space: SpaceSession, starts: Sequence[Node], ends: Sequence[Node], max_hops: int
) -> Iterator[str]:
    """Yield where the two ends meet beyond the maximum path length, among the nearest nodes of each."""
    start, end = starts[0], ends[0]
    if start.id == end.id:
        yield f"Both names are known as {start.canonical_name}; a path joins two nodes."
        return
    around_start, around_end = _find_nearest_nodes(space, start), _find_nearest_nodes(space, end)
    meeting_nodes = sorted(
        (around_start[node_id][1] + around_end[node_id][1], around_start[node_id][0].canonical_name)
        for node_id in around_start.keys() & around_end.keys()
    )
    if not meeting_nodes:
        yield (
            f"Within two hops of each, among the {MAX_NEAREST_NODES} nearest and strongest nodes, "
            f"{start.canonical_name} and {end.canonical_name} have none in common."
        )
    elif meeting_nodes[0][0] > max_hops:
        hops, name = meeting_nodes[0]
        yield f"They meet only after {hops} hops, at {name}; a path has at most {max_hops}."
    else:
        hops, name = meeting_nodes[0]
        yield f"They meet within {hops} hops, at {name}, by claims that did not pass."


def suggest_names_for_unknown_names(space: SpaceSession, unknown_names: Sequence[str]) -> Iterator[str]:
    """Yield for each unknown name the names that begin like it."""
    prefixes = {text: normalise_name(text)[:COMMON_PREFIX_LETTERS] for text in unknown_names}
    likely_names: dict[str, list[str]] = {}
    letters = [prefix for prefix in dict.fromkeys(prefixes.values()) if prefix]
    for prefix, _, name in repository.list_names_by_prefix(
        space, letters, whole_words=False, limit_per_prefix=MAX_SUGGESTED_NAMES
    ):
        likely_names.setdefault(prefix, []).append(name)
    for text, prefix in prefixes.items():
        if prefix in likely_names:
            yield f"Names that begin like “{text}”: {', '.join(dict.fromkeys(likely_names[prefix]))}."
        else:
            yield f"No name begins like “{text}”."


def list_reasons_by_isolated_nodes(anchors: Sequence[Node]) -> Iterator[str]:
    """Yield a reason for each anchor without edges."""
    for node in anchors:
        if node.out_degree + node.in_degree == 0:
            yield (
                f"{node.canonical_name} is named in {node.mention_count:,} chunks, and no claim is about it."
            )


def _find_nearest_nodes(space: SpaceSession, node: Node) -> dict[object, tuple[Node, int]]:
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
    return {neighbor.id: (neighbor, distance) for neighbor, distance in reached_nodes}


def _describe_fact_count_and_first(explanation: Explanation) -> str:
    """Return the number of facts, and the first with its confidence: "2 facts: A uses B (0.90)"."""
    count = "one fact" if len(explanation.edges) == 1 else f"{len(explanation.edges)} facts"
    edge = explanation.edges[0]
    names = {node.id: node.canonical_name for node in explanation.nodes}
    return f"{count}: {format_claim(edge, names)} ({edge.confidence:.2f})"
