"""How near a result lies to where the question entered the graph (requirement 9.4)."""


def graph_distance(hops: int | None) -> float:
    """1 at an anchor, 1/2 one hop away, 1/3 two; 0 for what no walk reached (None).

    The same measure as a neighborhood's distance score (requirement 8.1).
    """
    return 0.0 if hops is None else 1 / (1 + hops)
