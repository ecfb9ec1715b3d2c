"""The demo's question: found among the examples by asking the graph, shown with every source, and checked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import orjson
from rich.padding import Padding
from rich.text import Text

from app.cli.explanation import draw_path, heading, names_of, numbers_of, place_of, show_edges
from app.cli.output import one_line, say, screen
from app.db.session import SpaceSession
from app.documents import service as documents
from app.graph import service as graph
from app.graph.shapes import Edge, Explanation, Path
from app.ids import DocumentId


@dataclass(frozen=True)
class Answer:
    """A question, what the graph says to it, and the best path that it found."""

    question: str
    explanation: Explanation
    path: Path


def find_answer(space: SpaceSession, questions: FilePath) -> Answer | None:
    """The first example question whose best path takes two hops, across two documents, to where it should."""
    for asked in _across_documents(questions):
        explanation = graph.explain(space, question=asked["question"])
        if not explanation.paths:
            continue
        path = explanation.paths[0]
        ends = {path.nodes[0].canonical_name, path.nodes[-1].canonical_name}
        if path.hops == 2 and ends == {asked["from"], asked["to"]} and len(_sources(path.edges)) == 2:
            return Answer(asked["question"], explanation, path)
    return None


def _across_documents(questions: FilePath) -> Iterator[dict[str, Any]]:
    for line in questions.read_bytes().splitlines():
        asked: dict[str, Any] = orjson.loads(line)
        if len(set(asked["documents"])) == 2:
            yield asked


def _sources(edges: Iterable[Edge]) -> set[DocumentId]:
    return {edge.evidence.document_id for edge in edges if edge.evidence is not None}


def show_answer(space: SpaceSession, answer: Answer) -> list[str]:
    """Prints question, path, sentences and citations; returns a sentence for each quote that is not literal."""
    console = screen()
    heading("A QUESTION ACROSS TWO DOCUMENTS")
    console.print(Padding(Text(answer.question, style="bold"), (0, 0, 0, 2)))
    heading("THE PATH THAT ANSWERS IT")
    console.print(Padding(draw_path(answer.path), (0, 0, 0, 2)))
    heading("WHAT EACH STEP RESTS ON")
    numbers = numbers_of(answer.explanation)
    show_edges(answer.path.edges, names_of(answer.path.nodes), numbers)
    heading("CITATIONS")
    shown = {edge.id for edge in answer.path.edges}
    cited = [each for each in answer.explanation.citations if shown & set(each.edge_ids)]
    for each in cited:
        source = documents.get_document(space, each.evidence.document_id).source_uri
        line = Text.assemble(
            (f"  [{each.number}] ", "yellow"), place_of(each.evidence), (f"  {one_line(source)}", "dim")
        )
        console.print(line, soft_wrap=True)
    faults = check_quotes(space, answer.path.edges)
    if not faults:
        say()
        console.print(
            Text.assemble(
                ("  ✓ ", "green"),
                f"Checked: each of the {len(answer.path.edges)} sentences above stands in its document, "
                "letter for letter, at its range.",
            ),
            soft_wrap=True,
        )
    return faults


def check_quotes(space: SpaceSession, edges: Iterable[Edge]) -> list[str]:
    """A sentence for each edge whose quote is not literally its document's text at its range."""
    faults = []
    for edge in edges:
        evidence = edge.evidence
        if evidence is None or not evidence.quote:
            faults.append(f"The edge {edge.id} cites no sentence.")
            continue
        text = documents.read_text(space, evidence.document_id)
        if text[evidence.char_start : evidence.char_end] != evidence.quote:
            faults.append(f"The quote of the edge {edge.id} does not stand in {place_of(evidence)}.")
    return faults
