"""Small graphs written straight into a space, and a recorder of the statements that a call sends."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import psycopg
import pytest

from app.db.database import Database
from app.db.models import Document, DocumentBody, GraphEdge, GraphNode, KnowledgeChunk, NodeName
from app.db.session import SpaceSession
from app.graph.names import normalise_name
from app.ids import EdgeId, NodeId, create_id
from tests.conftest import Home


class Drawing:
    """Draws nodes and edges into one space; every edge states itself in a chunk of its own."""

    def __init__(self, space: SpaceSession) -> None:
        self.space = space
        self.nodes: dict[str, GraphNode] = {}
        self.chunks = 0
        self.document = Document(
            id=create_id(),
            title="The handbook",
            source_kind="file",
            format="text",
            content_hash=uuid4().hex,
            byte_size=1,
            state="ready",
        )
        space.orm.add(self.document)
        space.orm.flush()
        self.text = "A first line that no chunk covers.\n"

    def node(
        self, name: str, node_type: str = "Concept", aliases: Sequence[str] = (), mentions: int = 1
    ) -> NodeId:
        """The node of that name, new unless there is one."""
        if name not in self.nodes:
            node = GraphNode(
                id=create_id(),
                canonical_name=name,
                node_type=node_type,
                meta={"aliases": list(aliases)},
                mention_count=mentions,
                out_degree=0,
                in_degree=0,
            )
            self.space.orm.add(node)
            self.space.orm.flush()
            for kind, name_of_kind in (("canonical", name), *(("alias", alias) for alias in aliases)):
                self.space.orm.add(
                    NodeName(
                        normalised_name=normalise_name(name_of_kind),
                        node_id=node.id,
                        name=name_of_kind,
                        kind=kind,
                    )
                )
            self.nodes[name] = node
        return NodeId(self.nodes[name].id)

    def edge(
        self,
        source: str,
        relation_type: str,
        target: str,
        *,
        weight: float = 0.9,
        confidence: float = 0.9,
        **columns: Any,
    ) -> EdgeId:
        """One more edge row, with a sentence that states it at character 4 of a new chunk."""
        self.node(source)
        self.node(target)
        quote = f"{source} {relation_type.replace('_', ' ')} {target}."
        chunk_text = f"Lo: {quote}"
        chunk = KnowledgeChunk(
            id=create_id(),
            document_id=self.document.id,
            ordinal=self.chunks,
            text=chunk_text,
            char_start=len(self.text),
            char_end=len(self.text) + len(chunk_text),
            heading_path=[],
            token_count=8,
            content_hash=uuid4().hex,
        )
        self.chunks += 1
        self.text += chunk_text + "\n"
        self.space.orm.add(chunk)
        self.space.orm.flush()
        edge = GraphEdge(
            id=create_id(),
            from_node_id=self.nodes[source].id,
            to_node_id=self.nodes[target].id,
            relation_type=relation_type,
            weight=weight,
            evidence_chunk_id=chunk.id,
            extraction_key=uuid4(),
            meta={
                "confidence": confidence,
                "model": "rules",
                "extractedAt": "2026-01-01T00:00:00Z",
                "quote": quote,
                "charStart": 4,
                "charEnd": 4 + len(quote),
            },
            **columns,
        )
        self.space.orm.add(edge)
        self.nodes[source].out_degree += 1
        self.nodes[target].in_degree += 1
        self.space.orm.flush()
        return EdgeId(edge.id)

    def done(self) -> None:
        """Store the document's text."""
        self.space.orm.add(DocumentBody(document_id=self.document.id, raw=b"", text=self.text))
        self.space.orm.flush()


@contextmanager
def drawing(database: Database, home: Home) -> Iterator[Drawing]:
    """A drawing in a transaction of its own."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        drawn = Drawing(space)
        yield drawn
        drawn.done()


@contextmanager
def opened(database: Database, home: Home) -> Iterator[SpaceSession]:
    """The home's space."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        yield space


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """The names of the SQL files that the test's calls run, in order."""
    names: list[str] = []
    send = SpaceSession.send

    def recorded(self: SpaceSession, name: str, *arguments: Any, **options: Any) -> Any:
        names.append(name)
        return send(self, name, *arguments, **options)

    with patch.object(SpaceSession, "send", recorded):
        yield names


@pytest.fixture
def sent() -> Iterator[list[str]]:
    """Every statement text that psycopg sends on the test's connections."""
    texts: list[str] = []
    execute = psycopg.Cursor.execute

    def recorded(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        texts.append(query.decode() if isinstance(query, bytes) else str(query))
        return execute(self, query, *arguments, **options)

    with patch.object(psycopg.Cursor, "execute", recorded):
        yield texts
