"""Write a subgraph as text for a model (requirement 10.1); pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from app.domain.layers import Layer
from app.domain.relation_types import RELATION_TYPE_BY_NAME
from app.graph.shapes import Edge, NamedTogether, Node, NodeAttribute, NodeStatement
from app.graph.validity import Polarity
from app.ids import EdgeId, NodeId


@dataclass(frozen=True, slots=True)
class Narrative:
    """A text within its budget; `is_truncated` is whether something was left out."""

    text: str
    is_truncated: bool


UNSUPPORTED_MARK = "unsupported"
"""The mark of a claim that no document states any more."""
AS_WRITTEN_MARK = "as written"
"""The mark of a statement, whose verb is that of its sentence."""


def estimate_tokens(texts: Iterable[str]) -> list[int]:
    """Return the approximate number of model tokens in each text: four characters per token, rounded up."""
    return [-(-len(text) // 4) for text in texts]


def write_entity_list(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    *,
    token_budget: int,
    count_tokens: Callable[[Iterable[str]], list[int]] = estimate_tokens,
) -> Narrative:
    """Write one line per node with its outgoing edges indented below, each relation once; `token_budget`
    in tokens.
    """
    name_by_id = {node.id: node.canonical_name for node in nodes}
    edges_by_source = _group_edges_by_source_node(edges)
    sections = []
    for node in nodes:
        lines = {
            f"  - {format_verb_of_relation(edge.relation_type)} {name_by_id[edge.to_node_id]}"
            f"{f' ({AS_WRITTEN_MARK})' if edge.layer is Layer.STATEMENT else ''}": None
            for edge in edges_by_source.get(node.id, ())
            if edge.to_node_id in name_by_id
        }
        sections.append([f"{node.canonical_name} ({node.node_type})", *lines])
    return _cut_to_budget(sections, token_budget, count_tokens)


class CitedAttribute(NamedTuple):
    """A value of a node, and the number of the source that states it; None without one."""

    attribute: NodeAttribute
    source_number: int | None


def write_narrative(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    *,
    number_by_edge_id: Mapping[EdgeId, int] | None = None,
    cited_attributes_by_node: Mapping[NodeId, Sequence[CitedAttribute]] | None = None,
    token_budget: int,
    includes_ended: bool = False,
    count_tokens: Callable[[Iterable[str]], list[int]] = estimate_tokens,
) -> Narrative:
    """Write a section per node with facts as `predicate: object [n]`; `token_budget` in tokens.

    `number_by_edge_id` are the citations of edges. Each claim is written once, with all its citations.
    Statements and unsupported claims are marked; with `includes_ended`, ended claims too. Nodes without a
    fact and without one of the `cited_attributes_by_node`, given with their citations, have no section.
    """
    name_by_id = {node.id: node.canonical_name for node in nodes}
    edges_by_source = _group_edges_by_source_node(edges)
    sections = []
    for node in nodes:
        cited_numbers_by_fact: dict[str, list[int]] = {}
        supported_claims = {
            (edge.relation_type, edge.to_node_id)
            for edge in edges_by_source.get(node.id, ())
            if edge.evidence is not None
        }
        for edge in edges_by_source.get(node.id, ()):
            if edge.to_node_id in name_by_id:
                is_supported = (edge.relation_type, edge.to_node_id) in supported_claims
                end_date = _format_validity_note(edge) if includes_ended else ""
                fact = (
                    f"{format_verb_of_relation(edge.relation_type)}: {name_by_id[edge.to_node_id]}{end_date}"
                )
                marks = [AS_WRITTEN_MARK] * (edge.layer is Layer.STATEMENT) + [UNSUPPORTED_MARK] * (
                    not is_supported
                )
                cited_numbers = cited_numbers_by_fact.setdefault(
                    f"{fact} ({', '.join(marks)})" if marks else fact, []
                )
                number = (number_by_edge_id or {}).get(edge.id)
                if number is not None and number not in cited_numbers:
                    cited_numbers.append(number)
        for attribute, citation_number in (cited_attributes_by_node or {}).get(node.id, ()):
            cited_numbers_by_fact.setdefault(format_attribute(attribute), []).extend(
                [] if citation_number is None else [citation_number]
            )
        if cited_numbers_by_fact:
            lines = [
                fact + "".join(f" [{number}]" for number in cited_numbers)
                for fact, cited_numbers in cited_numbers_by_fact.items()
            ]
            sections.append([f"## {node.canonical_name} ({node.node_type})", *lines, ""])
    return _cut_to_budget(sections, token_budget, count_tokens)


def format_attribute_value(name: str, value: str | float | bool) -> str:
    """Return the value of an attribute for display: "709,037", and "1998" for a year."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:,}" if is_number and "year" not in name else str(value)


def format_attribute(node_attribute: NodeAttribute) -> str:
    """Return the attribute for display: "population: 709,037"; a value that does not hold has its date."""
    value_text = format_attribute_value(node_attribute.name, node_attribute.value)
    if node_attribute.holds:
        return f"{format_verb_of_relation(node_attribute.name)}: {value_text}"
    date_note = (
        "another source" if node_attribute.stated_at is None else f"said {node_attribute.stated_at:%Y-%m-%d}"
    )
    return f"{format_verb_of_relation(node_attribute.name)}: {value_text} ({date_note})"


def format_statement(node_statement: NodeStatement, name: str) -> str:
    """Return a statement with the name of its node: "Ann Lee: was born in Oslo"."""
    subject = f"{node_statement.subject} " if node_statement.subject else ""
    return f"{name}: {subject}{node_statement.predicate} {node_statement.text}"


def _format_validity_note(edge: Edge) -> str:
    if edge.begins_after():
        return f" (only from {edge.valid_from:%Y-%m-%d})"
    return f" (until {edge.end:%Y-%m-%d})" if edge.end else ""


def format_validity(edge: Edge, moment: datetime | None = None) -> str:
    """Return until or from when the edge holds, as seen at a moment, by default now; "" if that is not known.

    For display beside the edge: "until 2031-01-01", "ended 2019-05-03". "" for denials and reports.
    """
    if edge.polarity is not Polarity.ASSERTED:
        return ""
    if edge.begins_after(moment) and edge.valid_from is not None:
        return f"only from {edge.valid_from:%Y-%m-%d}"
    if not edge.holds(moment):
        return f"ended {edge.end:%Y-%m-%d}" if edge.end else "ended"
    if edge.end is None:
        return ""
    # Without a moment ahead its end has come.
    return f"held then, ended {edge.end:%Y-%m-%d}" if edge.ends_at is None else f"until {edge.end:%Y-%m-%d}"


def _group_edges_by_source_node(edges: Iterable[Edge]) -> dict[NodeId, list[Edge]]:
    edges_by_node: dict[NodeId, list[Edge]] = {}
    for edge in edges:
        edges_by_node.setdefault(edge.from_node_id, []).append(edge)
    return edges_by_node


def format_claim(edge: Edge, name_by_node_id: Mapping[NodeId, str]) -> str:
    """Return the edge as a sentence, without its evidence: "Postgres depends on C"."""
    return format_claim_of_names(
        name_by_node_id[edge.from_node_id], edge.relation_type, name_by_node_id[edge.to_node_id]
    )


def format_claim_of_names(from_name: str, relation_type: str, to_name: str) -> str:
    """Return a claim as a sentence without a full stop: "Postgres depends on C"."""
    return f"{from_name} {format_relation_in_sentence(relation_type)} {to_name}"


def format_relation_in_sentence(relation_type: str) -> str:
    """Return a relation type as it is written between two names: "depends on", "is located in", "is a citizen
    of".
    """
    relation = RELATION_TYPE_BY_NAME.get(relation_type)
    words_between_names = "" if relation is None else relation.words_between_names
    return words_between_names or format_verb_of_relation(relation_type)


def format_verb_of_edge(edge: Edge) -> str:
    """Return an edge's relation for display between two names; the verb of a statement in quotes."""
    wording = format_relation_in_sentence(edge.relation_type)
    return f"“{wording}”" if edge.layer is Layer.STATEMENT else wording


def format_verb_of_relation(relation_type: str) -> str:
    """Return a relation type in words: "depends on"."""
    return relation_type.replace("_", " ")


def _cut_to_budget(
    sections: Sequence[list[str]], token_budget: int, count_tokens: Callable[[Iterable[str]], list[int]]
) -> Narrative:
    lines: list[str] = []
    spent_tokens = 0
    line_token_counts = iter(count_tokens([f"{line}\n" for section in sections for line in section]))
    for section in sections:
        section_token_counts = list(islice(line_token_counts, len(section)))
        for index, line in enumerate(section):
            # Write a heading only together with its first line.
            next_token_count = section_token_counts[1] if index == 0 and len(section) > 1 else 0
            if spent_tokens + section_token_counts[index] + next_token_count > token_budget:
                return Narrative("\n".join(lines).strip(), is_truncated=True)
            lines.append(line)
            spent_tokens += section_token_counts[index]
    return Narrative("\n".join(lines).strip(), is_truncated=False)


def list_end_nodes_in_order(edges: Iterable[Edge], nodes: Mapping[NodeId, Node]) -> list[Node]:
    """Return the distinct ends of the edges, in the order of the edges."""
    ends = {node_id: nodes[node_id] for edge in edges for node_id in (edge.from_node_id, edge.to_node_id)}
    return list(ends.values())


def format_cooccurrence(cooccurrence: NamedTogether, name_by_node_id: Mapping[NodeId, str]) -> str:
    """Return the sentence that explains what a passage that names both nodes shows, and what it does not."""
    name, other_name = name_by_node_id[cooccurrence.from_node_id], name_by_node_id[cooccurrence.to_node_id]
    unit = "sentence" if cooccurrence.in_sentence else "passage"
    return (
        f"{name} and {other_name} are named together in a {unit} of"
        f" “{cooccurrence.evidence.document_title}”; this does not state how they are related."
    )
