"""A passage cut where quotes begin and end, so that a template can mark the words that edges rest on."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.graph.shapes import StatedEdge
from app.ids import ChunkId


@dataclass(frozen=True)
class Stretch:
    """Words of a passage, and the edges that rest on them; none for words that no edge quotes."""

    text: str
    edges: tuple[StatedEdge, ...]


def marked(text: str, edges: Sequence[StatedEdge], chunk_id: ChunkId) -> list[Stretch]:
    """The whole text in its order, cut at every border of a quote; ranges beyond the text are left out."""
    quotes = [
        (each.start, each.end, each)
        for each in edges
        if each.chunk_id == chunk_id
        and each.start is not None
        and each.end is not None
        and 0 <= each.start < each.end <= len(text)
    ]
    borders = sorted({0, len(text), *(start for start, _, _ in quotes), *(end for _, end, _ in quotes)})
    return [
        Stretch(
            text[begin:end],
            tuple(edge for first, last, edge in quotes if first <= begin and end <= last),
        )
        for begin, end in pairwise(borders)
    ]
