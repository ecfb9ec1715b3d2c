"""The demo's question: chosen from the examples, shown with every source, and checked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import orjson
from rich.text import Text

from app.cli.explanation import (
    format_path_with_arrows,
    format_title_place_and_range,
    map_citation_numbers,
    map_node_names,
    show_claim,
    show_heading,
)
from app.cli.output import create_console, format_one_line, print_indented, print_line
from app.db.session import SpaceSession
from app.documents import service as documents
from app.graph import service as graph
from app.graph.shapes import Edge, Explanation, Path


@dataclass(frozen=True)
class Answer:
    """A question, its explanation, the best path, and for each step of the path all edges that state it."""

    question: str
    explanation: Explanation
    path: Path
    steps: tuple[tuple[Edge, ...], ...]

    @property
    def edges(self) -> list[Edge]:
        """All edges of all steps, in order."""
        return [edge for step in self.steps for edge in step]


def pick_demo_answer(space: SpaceSession, questions_file: FilePath) -> Answer | None:
    """Return the first example question whose best path is the expected one; None if there is none.

    The path must have two hops and be stated by several documents. The file holds the expected path of
    each question; what the demo shows is read from the graph.
    """
    for question in _read_questions(questions_file):
        explanation = graph.explain_and_record_recall(space, question=question["question"])
        if not explanation.paths:
            continue
        path = explanation.paths[0]
        answer = Answer(question["question"], explanation, path, _group_step_edges(path, explanation.edges))
        document_ids = {edge.evidence.document_id for edge in answer.edges if edge.evidence}
        if _list_claims(path) == sorted(question["path"]) and len(path.edges) == 2 and len(document_ids) > 1:
            return answer
    return None


def _read_questions(questions_file: FilePath) -> Iterator[dict[str, Any]]:
    for line in questions_file.read_bytes().splitlines():
        yield orjson.loads(line)


def _list_claims(path: Path) -> list[list[str]]:
    name_by_node = map_node_names(path.nodes)
    return sorted(
        [name_by_node[edge.from_node_id], edge.relation_type, name_by_node[edge.to_node_id]]
        for edge in path.edges
    )


def _group_step_edges(path: Path, edges: Sequence[Edge]) -> tuple[tuple[Edge, ...], ...]:
    """For each edge of the path, return all edges that state the same claim, from any document."""

    def get_claim_key(edge: Edge) -> tuple[object, ...]:
        return edge.from_node_id, edge.relation_type, edge.to_node_id

    return tuple(
        (step, *(edge for edge in edges if get_claim_key(edge) == get_claim_key(step) and edge.id != step.id))
        for step in path.edges
    )


def print_answer_and_list_quote_faults(space: SpaceSession, answer: Answer) -> list[str]:
    """Print the question, path, sentences and citations; return what `list_quote_faults` returns."""
    console = create_console()
    show_heading("QUESTION")
    print_indented(Text(answer.question, style="bold"), 2)
    show_heading("THE PATH THAT ANSWERS IT")
    print_indented(format_path_with_arrows(answer.path), 2)
    show_heading("EVIDENCE OF EACH STEP")
    citation_numbers, name_by_node = (
        map_citation_numbers(answer.explanation),
        map_node_names(answer.path.nodes),
    )
    for step in answer.steps:
        show_claim(step, name_by_node, citation_numbers)
    show_heading("CITATIONS")
    edge_ids = {edge.id for edge in answer.edges}
    for citation in answer.explanation.citations:
        if edge_ids & set(citation.edge_ids):
            source_uri = documents.get_document(space, citation.evidence.document_id).source_uri
            print_indented(
                Text.assemble(
                    (f"[{citation.number}] ", "yellow"),
                    format_title_place_and_range(citation.evidence),
                    f"  {format_one_line(source_uri)}",
                ),
                2,
            )
    faults = list_quote_faults(space, answer.edges)
    if not faults:
        print_line()
        console.print(
            Text.assemble(
                ("✓ ", "green"),
                f"Checked: each of these {len(answer.edges)} sentences occurs word for word "
                "in its document, at its range.",
            ),
            soft_wrap=True,
        )
    return faults


def list_quote_faults(space: SpaceSession, edges: Iterable[Edge]) -> list[str]:
    """Return a sentence for each edge without a quote or whose quote differs from the text at its range."""
    faults = []
    for edge in edges:
        evidence = edge.evidence
        if evidence is None or not evidence.quote:
            faults.append(f"The edge {edge.id} cites no sentence.")
            continue
        text = documents.read_document_text(space, evidence.document_id)
        if text[evidence.char_start : evidence.char_end] != evidence.quote:
            faults.append(
                f"The quote of the edge {edge.id} is not in {format_title_place_and_range(evidence)}."
            )
    return faults
