"""Chunks that stand in a space, for tests of extractors whose answers are kept as long as these."""

from collections.abc import Sequence

from app.db.database import Database
from app.db.models import Document, KnowledgeChunk
from app.documents.hashing import hash_chunk_text, hash_content
from app.extraction.shapes import ChunkText
from app.ids import ChunkId, DocumentId, SpaceId, TenantId, create_id


def standing_chunks(
    database: Database, tenant_id: TenantId, space_id: SpaceId, texts: Sequence[str]
) -> list[ChunkText]:
    """Store a document of these chunks, and return them as an extractor reads them."""
    document, address = DocumentId(create_id()), str(create_id())
    chunks = [ChunkText(ChunkId(create_id()), document, "Companies", text) for text in texts]
    with database.open_space(tenant_id, space_id) as space:
        space.orm.add(
            Document(
                knowledge_space_id=space_id,
                id=document,
                title="Companies",
                source_kind="file",
                source_uri=address,
                format="text",
                content_hash=hash_content(address.encode()),
                byte_size=1,
                state="ready",
                version=1,
            )
        )
        space.orm.flush()
        space.orm.add_all(
            KnowledgeChunk(
                knowledge_space_id=space_id,
                id=chunk.id,
                document_id=document,
                ordinal=ordinal,
                text=chunk.text,
                char_start=0,
                char_end=len(chunk.text),
                heading_path=[],
                token_count=1,
                content_hash=hash_chunk_text(chunk.text),
            )
            for ordinal, chunk in enumerate(chunks)
        )
    return chunks
