"""Compares what was answered with what a scenario expects."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Node = Mapping[str, Any]
FindNodes = Callable[[str], list[dict[str, Any]]]


def faults_of(
    answer: Mapping[str, Any], expect: Mapping[str, Any], nodes_named: FindNodes, *, as_of: str | None = None
) -> list[str]:
    """A sentence for each expectation that the answer misses, at a moment or now; none where all hold."""
    text, quotes = _text_of(answer), _quotes_of(answer)
    faults = [f"does not say {phrase!r}" for phrase in expect.get("says", ()) if _plain(phrase) not in text]
    wanted = expect.get("says_any", ())
    if wanted and not any(_plain(phrase) in text for phrase in wanted):
        faults.append(f"says none of {wanted}")
    faults += [f"says {phrase!r}" for phrase in expect.get("never_says", ()) if _plain(phrase) in text]
    faults += [
        f"quotes nothing with {phrase!r}"
        for phrase in expect.get("quotes", ())
        if not any(_plain(phrase) in quote for quote in quotes)
    ]
    faults += [
        f"quotes {phrase!r}"
        for phrase in expect.get("never_quotes", ())
        if any(_plain(phrase) in quote for quote in quotes)
    ]
    if "abstains" in expect and _abstains(answer) != expect["abstains"]:
        faults.append("abstains" if _abstains(answer) else "does not abstain")
    return [*faults, *_edge_faults(answer, expect, as_of), *_node_faults(expect, nodes_named)]


def _edge_faults(answer: Mapping[str, Any], expect: Mapping[str, Any], as_of: str | None) -> Iterator[str]:
    if not expect.get("edges") and not expect.get("no_edges"):
        return
    holding = list(_holding(answer, as_of))
    for wanted in expect.get("edges", ()):
        if not any(_matches(edge, wanted) for edge in holding):
            yield f"does not show {wanted} among {holding}"
    for wanted in expect.get("no_edges", ()):
        if any(_matches(edge, wanted) for edge in holding):
            yield f"shows {wanted} as holding"


def _node_faults(expect: Mapping[str, Any], nodes_named: FindNodes) -> Iterator[str]:
    for name in expect.get("nodes", ()):
        if not nodes_named(name):
            yield f"has no node {name!r}"
    for name in expect.get("no_nodes", ()):
        if nodes_named(name):
            yield f"has a node {name!r}"
    for name, number in expect.get("separate", ()):
        found = nodes_named(name)
        if len(found) != number:
            yield f"has {len(found)} nodes of the name {name!r}, not {number}"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _text_of(answer: Mapping[str, Any]) -> str:
    """What a person reads: of an answer in sentences those and its notes, else every text in it."""
    if "sentences" in answer:
        told = (answer["answer"], *answer["warnings"], *answer["truncated"])
        return _plain(" ".join(told))
    return _plain(" ".join(_texts(answer)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner_value in value.values():
            yield from _texts(inner_value)
    elif isinstance(value, list):
        for inner_value in value:
            yield from _texts(inner_value)


def _quotes_of(answer: Mapping[str, Any]) -> list[str]:
    """Texts under the answer: those of its citations, and passages that retrieval returns."""
    cited = [
        citation.get("quote") or (citation.get("evidence") or {}).get("quote")
        for citation in answer.get("citations", ())
    ]
    edges = [edge.get("quote") for edge in _edges(answer)]
    passages = [passage["text"] for passage in answer.get("passages", ())]
    return [_plain(quote) for quote in (*cited, *edges, *passages) if quote]


def _abstains(answer: Mapping[str, Any]) -> bool:
    """Whether it claims nothing: no sentence that cites anything."""
    return not any(sentence["citations"] for sentence in answer["sentences"])


def _edges(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from answer.get("edges", ())
    for fact in answer.get("facts", ()):
        yield fact["edge"]


def _holding(answer: Mapping[str, Any], as_of: str | None) -> Iterator[tuple[set[str], str, set[str]]]:
    """Edges that the answer shows as true, as (names, relation, names): not ended, denied or unsupported."""
    names = {node["id"]: _names(node) for node in _nodes(answer)}
    for edge in _edges(answer):
        if (
            (edge["invalidated_at"] and not (as_of and edge["invalidated_at"] > as_of))
            or edge["evidence"] is None
            or edge.get("polarity", "asserted") != "asserted"
        ):
            continue
        ends = (edge["from_node_id"], edge["to_node_id"])
        yield names.get(ends[0], set()), edge["relation_type"], names.get(ends[1], set())


def _nodes(answer: Mapping[str, Any]) -> Iterator[Node]:
    for node in answer.get("nodes", ()):
        yield node.get("node", node)
    if answer.get("center"):
        yield answer["center"]


def _names(node: Node) -> set[str]:
    return {_plain(name) for name in (node["canonical_name"], *node["aliases"])}


def _matches(edge: tuple[set[str], str, set[str]], wanted: tuple[str | None, str | None, str | None]) -> bool:
    source, relation, target = wanted
    return (
        (source is None or _plain(source) in edge[0])
        and (relation is None or relation == edge[1])
        and (target is None or _plain(target) in edge[2])
    )
