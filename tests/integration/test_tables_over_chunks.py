"""A table of more rows than a chunk holds: each row is read by the header, and quoted as it stands."""

from app.db.database import Database
from app.documents import service as documents
from app.graph import service as graph
from app.ids import DocumentId
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, text

FIRST = ("Ada", "Ben", "Clara", "David", "Emma", "Frank", "Greta", "Henry", "Irene", "Jacob")
LAST = ("Lund", "Reyes", "Falk", "Brandt", "Novak", "Almeida")
NAMES = [f"{first} {last}" for first in FIRST for last in LAST]
ROWS = [f"{name} | Company{at} Systems | 20{10 + at % 15}" for at, name in enumerate(NAMES)]


def test_each_row_of_a_long_table_is_read_by_its_header(
    database: Database, settings: Settings, home: Home
) -> None:
    body = "\n".join(["Employee | Employer | Since", *ROWS])
    ingest_now(database, settings, home, [text(body, title="Staff")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        (document,) = documents.list_documents(space, limit=10)
        chunks = documents.list_chunks(space, DocumentId(document.id), after=None, limit=100)
        assert len(chunks) > 2
        assert {tuple(chunk.heading_path) for chunk in chunks[1:]} == {("| Employee | Employer | Since |",)}
        edges = graph.list_edges(space, relation_type="works_for", limit=200)
        nodes = graph.get_nodes(
            space, [end for edge in edges for end in (edge.from_node_id, edge.to_node_id)]
        )
        names = {node.id: node.canonical_name for node in nodes}
        assert {(names[edge.from_node_id], names[edge.to_node_id]) for edge in edges} == {
            (name, f"Company{at} Systems") for at, name in enumerate(NAMES)
        }
        whole = documents.read_document_text(space, DocumentId(document.id))
        for edge in edges:
            evidence = edge.evidence
            assert evidence is not None
            assert whole[evidence.char_start : evidence.char_end] == evidence.quote
            assert names[edge.from_node_id] in (evidence.quote or "")
