"""What retrieval would find, made by hand out of a space's own rows or out of nothing."""

from datetime import UTC, datetime

from app.db.database import Database
from app.documents import service as documents
from app.graph import service as graph
from app.graph.shapes import Anchor, Conflict, Edge, Evidence, Explanation, Node
from app.ids import ChunkId, DocumentId, EdgeId, NodeId, create_id
from app.retrieval.shapes import Passage, Query, RetrievalResult, ScoredFact
from tests.conftest import Home

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def passage(text: str, *, title: str = "Note", char_start: int = 0, **changes: object) -> Passage:
    """A passage of no document."""
    made = {
        "chunk_id": ChunkId(create_id()),
        "document_id": DocumentId(create_id()),
        "heading_path": (),
    } | changes
    return Passage(
        document_title=title,
        text=text,
        char_start=char_start,
        char_end=char_start + len(text),
        source_kind="file",
        created_at=NOW,
        score=1.0,
        **made,  # type: ignore[arg-type]
    )


def node(name: str) -> Node:
    """A node of nobody's."""
    return Node(NodeId(create_id()), name, "Person", 1, 0, 0, 0.9, False, "extraction", NOW, NOW)


def fact(source: Node, relation: str, target: Node, evidence: Evidence | None) -> ScoredFact:
    """A fact that rests on this evidence."""
    quote = evidence.quote if evidence else None
    edge = Edge(
        EdgeId(create_id()), source.id, target.id, relation, 1.0, 0.9, "staged", evidence, None, None, quote
    )
    return ScoredFact(edge, 1.0, 1)


def retrieved(
    *passages: Passage,
    facts: tuple[ScoredFact, ...] = (),
    nodes: tuple[Node, ...] = (),
    anchors: tuple[Node, ...] = (),
    contested: tuple[Conflict, ...] = (),
    question: str = "?",
) -> RetrievalResult:
    """An answer of retrieval that holds these."""
    entered = tuple(Anchor(anchor, anchor.canonical_name) for anchor in anchors)
    edges = tuple(fact.edge for fact in facts)
    explanation = Explanation(question, entered, (), nodes, edges, (), "", contested=contested)
    return RetrievalResult(Query(question), entered, passages, facts, nodes, explanation, 7)


def from_space(database: Database, home: Home, question: str) -> RetrievalResult:
    """All chunks of the space, newest document first, and the facts that explain finds."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        passages = [
            Passage(
                ChunkId(chunk.id),
                DocumentId(document.id),
                document.title,
                tuple(chunk.heading_path),
                chunk.text,
                chunk.char_start,
                chunk.char_end,
                document.source_kind,
                document.created_at,
                1.0,
            )
            for document in documents.list_documents(space)
            for chunk in documents.list_chunks(space, DocumentId(document.id))
        ]
        explanation = graph.explain_and_record_recall(space, question=question)
    return RetrievalResult(
        Query(question),
        explanation.anchors,
        tuple(passages),
        tuple(ScoredFact(edge, edge.weight, 1) for edge in explanation.edges),
        explanation.nodes,
        explanation,
        graph_revision=7,
    )
