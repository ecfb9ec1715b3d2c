"""The recalls of an answer: all chunks and edges that its caller was shown, with their score; pure.

A chunk is recalled where it was returned: as a passage, cited, or quoted by an explanation. That a fact of
the answer rests on it is a recall of the fact alone: facts come thirty at a time, mostly with the highest
score, and would outweigh the passage that was asked for. A score past 1, which a fact's may be, counts as 1,
so that values can be compared.
"""

from app.answers.shapes import Answered, GivenAnswer
from app.graph.shapes import Explanation, Neighborhood
from app.ids import ChunkId
from app.memory.shapes import Returned
from app.retrieval.shapes import Retrieved

CITED = 1.0
"""Score of a chunk that an answer cites: it was not only found, it was of use."""


def returned_of(found: object) -> Returned:
    """Return the recalls of what a service found for a caller; a neighborhood counts as a query alone."""
    match found:
        case Explanation():
            return of_explanation(found)
        case Retrieved():
            return of_retrieved(found)
        case GivenAnswer():
            return of_answer(found.retrieved, found.answered)
        case Neighborhood():
            return Returned()
    raise TypeError(f"Nobody says what a {type(found).__name__} recalls.")


def of_retrieved(found: Retrieved) -> Returned:
    """Passages and facts by their scores."""
    return Returned(
        {passage.chunk_id: _bounded(passage.score) for passage in found.passages},
        {fact.edge.id: _bounded(fact.score) for fact in found.facts},
    )


def of_explanation(found: Explanation) -> Returned:
    """Its edges by their confidence, for it scores paths only, and the chunks that these are quoted from."""
    chunks: dict[ChunkId, float] = {}
    for edge in found.edges:
        if edge.evidence is not None:
            chunk = edge.evidence.chunk_id
            chunks[chunk] = max(chunks.get(chunk, 0.0), _bounded(edge.confidence))
    return Returned(chunks, {edge.id: _bounded(edge.confidence) for edge in found.edges})


def of_answer(found: Retrieved, answered: Answered | None) -> Returned:
    """Return the recalls of an answer: what it cites at full score, and claims that it says have ended.

    Without an end, what was found.
    """
    returned = of_retrieved(found)
    if answered is None:
        return returned
    cited = {each.chunk_id: CITED for each in answered.citations}
    ended = {each.edge_id: CITED for each in answered.context.ended}
    return Returned({**returned.chunks, **cited}, {**returned.edges, **ended})


def _bounded(score: float) -> float:
    return min(1.0, max(0.0, score))
