"""Gives facts and node names their vectors, once, right after extraction (requirement 6.3)."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from app.db.arrays import format_vectors
from app.db.session import SpaceSession
from app.graph.write import repository
from app.ids import ChunkId
from app.jobs.states import StopRequested
from app.llm.embedding.embedders import Embedder
from app.llm.embedding.openai_embedder import BadVectors
from app.tenancy.spaces import service as spaces

# Texts whose vectors are held and written at once: no transaction and no memory grows with what a chunk
# names.
SLICE_TEXTS = 2_000
WRITERS = {"node": repository.insert_node_vectors, "fact": repository.insert_fact_vectors}
"""How vectors of nodes and of facts are written, by id."""


def embed_graph(
    open_space: Callable[[], AbstractContextManager[SpaceSession]],
    chunk_ids: Sequence[ChunkId],
    embedder: Embedder,
    vector_set: int,
) -> int:
    """Embed what the graph has of these chunks without a vector; returns how many texts were embedded.

    `vector_set` is the set that the embedder's vectors belong to. Raises as `lock_vector_set_for_writing`.

    `open_space` opens a transaction that proves the claim; none is open while the embedder works. What gets
    no usable vector stays without: it is found by its words and its place in the graph.
    """
    if not chunk_ids:
        return 0
    with open_space() as space:
        facts = repository.facts_without_vector(space, chunk_ids)
        nodes = repository.nodes_without_vector(space, chunk_ids)
    # The same claim of two chunks is one text, and paid once.
    texts = sorted({text for _, text in (*facts, *nodes)})
    for begin in range(0, len(texts), SLICE_TEXTS):
        part = texts[begin : begin + SLICE_TEXTS]
        vectors = dict(zip(part, embed_texts_for_postgres(part, embedder), strict=True))
        with open_space() as space:
            lock_vector_set_for_writing(space, vector_set)
            for rows, insert in (
                (facts, repository.insert_fact_vectors),
                (nodes, repository.insert_node_vectors),
            ):
                usable = [
                    (row_id, vector) for row_id, text in rows if (vector := vectors.get(text)) is not None
                ]
                if usable:
                    insert(space, usable, into_set=vector_set)
    return len(texts)


def lock_vector_set_for_writing(space: SpaceSession, vector_set: int) -> None:
    """Until the transaction ends the space compares with this set; before vectors of it are written, after
    the graph's lock.

    Raises StopRequested where the space has changed over to another model: the job is given back, and goes on
    with that one.
    """
    if spaces.lock_vector_set_shared(space) != vector_set:
        raise StopRequested


def embed_texts_for_postgres(texts: Sequence[str], embedder: Embedder) -> list[str | None]:
    """A vector for each text as pgvector reads it; None where the model gave no usable one (44, 45)."""
    if not texts:
        return []
    bad: set[int] = set()
    try:
        vectors = embedder.embed(texts)
    except BadVectors as error:
        vectors, bad = error.vectors, set(error.positions)
    return [None if index in bad else written for index, written in enumerate(format_vectors(vectors))]
