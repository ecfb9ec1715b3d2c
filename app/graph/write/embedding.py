"""Embed facts and node names once, right after extraction (requirement 6.3)."""

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

# Number of texts embedded and written at a time, so that memory use and transactions stay bounded.
MAX_SLICE_TEXTS = 2_000
VECTOR_WRITERS = {"node": repository.insert_node_vectors, "fact": repository.insert_fact_vectors}
"""The functions that write vectors of nodes and of facts."""


def embed_nodes_and_facts_of_chunks(
    open_space: Callable[[], AbstractContextManager[SpaceSession]],
    chunk_ids: Sequence[ChunkId],
    embedder: Embedder,
    vector_set: int,
) -> None:
    """Embed the nodes and facts of these chunks that have no vector, and store the vectors.

    `vector_set` is the set that the embedder's vectors belong to. `open_space` opens a transaction that
    fences the job's lease; none is open while the embedder works. A text for which the embedder returns no
    usable vector gets none: it is still found by its words and through the graph.

    Raises StopRequested as `lock_vector_set_for_writing` does.
    """
    if not chunk_ids:
        return
    with open_space() as space:
        facts = repository.list_facts_without_vector(space, chunk_ids)
        nodes = repository.list_nodes_without_vector(space, chunk_ids)
    # The same fact in two chunks is one text and is paid for once.
    texts = sorted({text for _, text in (*facts, *nodes)})
    for begin in range(0, len(texts), MAX_SLICE_TEXTS):
        text_batch = texts[begin : begin + MAX_SLICE_TEXTS]
        vectors = dict(zip(text_batch, embed_texts_for_postgres(text_batch, embedder), strict=True))
        with open_space() as space:
            lock_vector_set_for_writing(space, vector_set)
            for rows, insert in (
                (facts, repository.insert_fact_vectors),
                (nodes, repository.insert_node_vectors),
            ):
                usable_rows = [
                    (row_id, vector) for row_id, text in rows if (vector := vectors.get(text)) is not None
                ]
                if usable_rows:
                    insert(space, usable_rows, vector_set=vector_set)


def lock_vector_set_for_writing(space: SpaceSession, vector_set: int) -> None:
    """Keep the space's vector set from changing until the transaction ends.

    Call it before vectors of the set are written, after locking the graph. Raises StopRequested if the space
    has switched to another model: the job returns to the queue and continues with that model.
    """
    if spaces.lock_vector_set_shared_and_get_number(space) != vector_set:
        raise StopRequested


def embed_texts_for_postgres(texts: Sequence[str], embedder: Embedder) -> list[str | None]:
    """Return a vector for each text in pgvector's input format (requirements 44, 45).

    It is None if the model gave no usable vector.
    """
    if not texts:
        return []
    bad_positions: set[int] = set()
    try:
        vectors = embedder.embed(texts)
    except BadVectors as error:
        vectors, bad_positions = error.vectors, set(error.reason_by_position)
    return [
        None if index in bad_positions else vector_text
        for index, vector_text in enumerate(format_vectors(vectors))
    ]
