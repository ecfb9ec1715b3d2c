"""Where nodes of a drawn graph stand: computed here, so that a page of thousands opens without a wait."""

import random
import threading
from collections.abc import Sequence

import igraph

LARGE = 1_500
"""Above so many nodes one pass of forces takes too long for a page."""
_SIZE = 1_000.0
_SEED = 20_260_101
# igraph draws from one source of random numbers in the process.
_drawing = threading.Lock()


def layout(
    count: int, edges: Sequence[tuple[int, int]], weights: Sequence[float]
) -> list[tuple[float, float]]:
    """A place for each of the nodes 0 to count - 1, in a square of 1,000; the same for the same graph.

    Parts of the graph that hang together are laid out by forces (Fruchterman and Reingold, 1991), starting
    from a circle, so that nothing is drawn by chance.
    """
    if count == 0:
        return []
    drawn = igraph.Graph(n=count, edges=list(edges))
    with _drawing:
        igraph.set_random_number_generator(random.Random(_SEED))
        places = _places(drawn, list(weights))
    places.fit_into((_SIZE, _SIZE), keep_aspect_ratio=True)
    return [(round(x, 1), round(y, 1)) for x, y in places.coords]


def _places(drawn: igraph.Graph, weights: list[float]) -> igraph.Layout:
    start = drawn.layout_circle()
    if not weights:
        return start
    if drawn.vcount() > LARGE:
        return drawn.layout_lgl(maxiter=60)
    return drawn.layout_fruchterman_reingold(weights=weights, niter=300, seed=start, grid="auto")
