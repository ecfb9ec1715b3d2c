"""The recalls of an answer: all chunks and edges that its caller was shown, with their score; pure.

A chunk is shown as a passage or by a quote of it: as the evidence of an edge, or cited. Of several
scores it has the best. A score past 1, which a fact's may be, counts as 1, so that values can be compared.
"""

from collections.abc import Iterable

from app.answers.shapes import Answered
from app.graph.shapes import Edge, Explanation
from app.ids import ChunkId
from app.memory.shapes import Returned
from app.retrieval.shapes import Retrieved

CITED = 1.0
"""Score of a chunk that an answer cites: it was not only found, it was of use."""


def of_retrieved(found: Retrieved) -> Returned:
    """Passages and facts by their scores."""
    return _of(
        ((fact.edge, fact.score) for fact in found.facts),
        {passage.chunk_id: passage.score for passage in found.passages},
    )


def of_explanation(found: Explanation) -> Returned:
    """Its edges by their confidence, for it scores paths only."""
    return _of(((edge, edge.confidence) for edge in found.edges), {})


def of_answer(found: Retrieved, answered: Answered | None) -> Returned:
    """Return the recalls of an answer; what it cites at full score. Without an end, what was found."""
    returned = of_retrieved(found)
    cited = {each.chunk_id: CITED for each in answered.citations} if answered is not None else {}
    return Returned({**returned.chunks, **cited}, returned.edges)


def _of(edges: Iterable[tuple[Edge, float]], chunks: dict[ChunkId, float]) -> Returned:
    scored = {}
    chunks = {chunk: _bounded(score) for chunk, score in chunks.items()}
    for edge, score in edges:
        scored[edge.id] = _bounded(score)
        if edge.evidence is not None:
            chunk = edge.evidence.chunk_id
            chunks[chunk] = max(chunks.get(chunk, 0.0), scored[edge.id])
    return Returned(chunks, scored)


def _bounded(score: float) -> float:
    return min(1.0, max(0.0, score))
