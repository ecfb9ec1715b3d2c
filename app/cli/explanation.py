"""Print explanations on a terminal: paths as arrows, facts with their sentences and locations."""

from collections.abc import Mapping, Sequence

from rich.text import Text

from app.answers.shapes import Citation
from app.cli.output import create_console, format_one_line, print_indented, print_line
from app.domain.layers import Layer
from app.graph.contested import DENIAL_REASON, format_denial_or_report
from app.graph.narrative import format_attribute, format_cooccurrence, format_statement
from app.graph.shapes import (
    Denial,
    Edge,
    Evidence,
    Explanation,
    Node,
    NodeAttribute,
    NodeStatement,
    Path,
    ReportedClaim,
)
from app.ids import EdgeId, NodeId


def format_relation(edge: Edge) -> str:
    """Return the relation type of a claim, or the verb of a statement in quotation marks."""
    relation = format_one_line(edge.relation_type)
    return f"“{relation}”" if edge.layer is Layer.STATEMENT else relation


def format_path_with_arrows(path: Path) -> Text:
    """Return the path as `A --relation--> B <--relation-- C`; arrows have the direction of the claims."""
    line = Text(format_one_line(path.nodes[0].canonical_name), style="bold")
    for node, edge, next_node in zip(path.nodes, path.edges, path.nodes[1:], strict=False):
        relation = format_relation(edge)
        is_outgoing = edge.from_node_id == node.id
        line.append(f" --{relation}--> " if is_outgoing else f" <--{relation}-- ", style="cyan")
        line.append(format_one_line(next_node.canonical_name), style="bold")
    if path.attribute is not None:
        line.append(f", {format_one_line(format_attribute(path.attribute))}", style="green")
    return line


def format_fact_with_arrow(edge: Edge, name_by_node: Mapping[NodeId, str]) -> Text:
    """Return the claim as `A --relation--> B`."""
    return Text.assemble(
        (format_one_line(name_by_node.get(edge.from_node_id, "?")), "bold"),
        (f" --{format_relation(edge)}--> ", "cyan"),
        (format_one_line(name_by_node.get(edge.to_node_id, "?")), "bold"),
    )


NO_LOCATION_TEXT = "unsupported: its document was removed"
"""Shown instead of a location for a claim that no document states any more."""


def format_title_place_and_range(evidence: Evidence | Citation) -> str:
    """Return the document's title, the place in its file and the range of characters in its text."""
    document_title, location = format_one_line(evidence.document_title), format_one_line(evidence.place or "")
    character_range = f"characters {evidence.char_start}–{evidence.char_end}"
    return ", ".join(filter(None, (document_title, location, character_range)))


def map_node_names(nodes: Sequence[Node]) -> dict[NodeId, str]:
    """Return the canonical names of nodes by their ids."""
    return {node.id: node.canonical_name for node in nodes}


def map_citation_numbers(explanation: Explanation) -> dict[EdgeId, list[int]]:
    """Return the numbers of the citations of each edge."""
    numbers_by_edge: dict[EdgeId, list[int]] = {}
    for citation in explanation.citations:
        for edge_id in citation.edge_ids:
            numbers_by_edge.setdefault(edge_id, []).append(citation.number)
    return numbers_by_edge


def show_edges(
    edges: Sequence[Edge],
    name_by_node: Mapping[NodeId, str],
    numbers_by_edge: Mapping[EdgeId, Sequence[int]] | None = None,
) -> None:
    """Print each claim once, with every sentence that states it, its location and its citation numbers."""
    edges_by_claim: dict[tuple[object, ...], list[Edge]] = {}
    for edge in edges:
        edges_by_claim.setdefault((edge.from_node_id, edge.relation_type, edge.to_node_id), []).append(edge)
    for rows in edges_by_claim.values():
        show_claim(rows, name_by_node, numbers_by_edge or {})


def show_claim(
    edges: Sequence[Edge], name_by_node: Mapping[NodeId, str], numbers_by_edge: Mapping[EdgeId, Sequence[int]]
) -> None:
    """Print one claim and the sentences of the edges that state it."""
    print_indented(format_fact_with_arrow(edges[0], name_by_node), 2)
    for edge in edges:
        quote = Text(f"“{format_one_line(edge.quote)}”" if edge.quote else "(no sentence)", style="italic")
        for number in numbers_by_edge.get(edge.id, ()):
            quote.append(f" [{number}]", style="not italic yellow")
        print_indented(quote, 6)
        location = format_title_place_and_range(edge.evidence) if edge.evidence else NO_LOCATION_TEXT
        print_indented(Text(f"{location}; confidence {edge.confidence:.2f}", style="dim"), 6)


def show_explanation(explanation: Explanation, *, max_paths: int = 5) -> None:
    """Print the anchors, the best paths, the facts with their sources, and contradictions."""
    console = create_console()
    for warning in dict.fromkeys((*explanation.warnings, *explanation.why_not, *explanation.truncated)):
        console.print(Text(f"Note: {format_one_line(warning)}", style="yellow"))
    if not explanation.anchors:
        print_line("There is no node to start from.")
        return
    anchor_names = ", ".join(format_one_line(anchor.node.canonical_name) for anchor in explanation.anchors)
    console.print(Text(f"Starting from: {anchor_names}"))
    if explanation.paths:
        show_heading("PATHS")
        for path in explanation.paths[:max_paths]:
            print_indented(format_path_with_arrows(path), 2)
        if len(explanation.paths) > max_paths:
            console.print(Text(f"  and {len(explanation.paths) - max_paths} more", style="dim"))
    show_heading("FACTS")
    if not explanation.edges:
        print_line("  None.")
    name_by_node, citation_numbers = map_node_names(explanation.nodes), map_citation_numbers(explanation)
    show_edges(explanation.edges, name_by_node, citation_numbers)
    show_statements(explanation.statements, map_node_names([anchor.node for anchor in explanation.anchors]))
    if explanation.named_together:
        show_cooccurrences(explanation)
    if explanation.attributes:
        show_attribute_values(explanation.attributes, name_by_node)
    _show_denials("DENIED", explanation.denials)
    _show_denials("REPORTED", explanation.reported)
    conflicts = [
        contradiction for contradiction in explanation.contested if contradiction.reason != DENIAL_REASON
    ]
    if conflicts:
        show_heading("CONTESTED")
        edges_by_id = {edge.id: edge for edge in explanation.edges}
        for conflict in conflicts:
            print_line("  One of these cannot hold:")
            for edge_id in conflict.edge_ids:
                show_claim([edges_by_id[edge_id]], name_by_node, citation_numbers)


def _show_denials(title: str, claims: Sequence[Denial | ReportedClaim]) -> None:
    """Print denials or reports under a heading, each with its quote; print nothing if there are none."""
    if claims:
        show_heading(title)
    for claim in claims:
        print_line(f"  {format_one_line(format_denial_or_report(claim))}")
        print_indented(Text(f"“{format_one_line(claim.edge.quote or '')}”", style="italic"), 6)


def show_attribute_values(attributes: Sequence[NodeAttribute], name_by_node: Mapping[NodeId, str]) -> None:
    """Print the values of nodes, each with the sentence that states it and its location."""
    show_heading("VALUES")
    for attribute in attributes:
        name = format_one_line(name_by_node.get(attribute.node_id, "?"))
        print_line(f"  {name}: {format_one_line(format_attribute(attribute))}")
        show_evidence(attribute.evidence)


def show_statements(statements: Sequence[NodeStatement], name_by_node: Mapping[NodeId, str]) -> None:
    """Print statements about nodes in the words of the texts, each with its location."""
    if statements:
        show_heading("AS WRITTEN")
    for statement in statements:
        print_line(
            f"  {format_one_line(format_statement(statement, name_by_node.get(statement.node_id, '?')))}"
        )
        print_indented(
            Text(
                f"{format_title_place_and_range(statement.evidence)}; confidence {statement.confidence:.2f}",
                style="dim",
            ),
            6,
        )


def show_cooccurrences(explanation: Explanation) -> None:
    """Print the passages that name two anchors, each with its location."""
    name_by_anchor = map_node_names([anchor.node for anchor in explanation.anchors])
    show_heading("NAMED TOGETHER")
    for named_pair in explanation.named_together:
        print_line(f"  {format_one_line(format_cooccurrence(named_pair, name_by_anchor))}")
        show_evidence(named_pair.evidence)


def show_evidence(evidence: Evidence) -> None:
    """Print the quote and, below it, its location."""
    print_indented(Text(f"“{format_one_line(evidence.quote or '')}”", style="italic"), 6)
    print_indented(Text(format_title_place_and_range(evidence), style="dim"), 6)


def show_heading(title: str) -> None:
    """Print an empty line and a heading."""
    create_console().print(Text(f"\n{title}", style="bold magenta"))
