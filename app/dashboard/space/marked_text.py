"""A chunk cut where quotes and names begin and end, so that a template can mark them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from app.graph.shapes import MentionedNode, StatedEdge
from app.ids import ChunkId


@dataclass(frozen=True)
class Stretch:
    """Words of a chunk, the edges that rest on them, and the node that they name, if there is one.

    `cited` is its number, from 0, among the stretches that a citation has led to; None outside of these.
    """

    text: str
    edges: tuple[StatedEdge, ...]
    mention: MentionedNode | None = None
    cited: int | None = None


# Of a text that was wrapped by hand: a long line that goes on in the next, which is no item, heading or row.
_WRAPPED = re.compile(r"(?<=[^\n|]{50})\n(?![\n\s>|#=*+-]|\d+[.)])")


def unwrap_lines(text: str) -> str:
    """The text with the line ends inside its paragraphs as spaces: no character of it moves."""
    return _WRAPPED.sub(" ", text)


def mark_text(
    text: str,
    edges: Sequence[StatedEdge],
    chunk_id: ChunkId,
    mentions: Sequence[MentionedNode] = (),
    cited: tuple[int, int] | None = None,
) -> list[Stretch]:
    """The whole text in its order, unwrapped, cut at every border; ranges beyond the text are left out.

    Of mentions within one another the longest is marked. `cited` is the range, inside of the text, that a
    citation has led to.
    """
    text = unwrap_lines(text)
    quotes = [
        quote for edge in edges if edge.chunk_id == chunk_id and (quote := _find_quote_range(edge, len(text)))
    ]
    names = _drop_overlapping(
        [mention for mention in mentions if mention.chunk_id == chunk_id and mention.end <= len(text)]
    )
    borders = sorted(
        {
            0,
            len(text),
            *(border for start, end, _ in quotes for border in (start, end)),
            *(border for name in names for border in (name.start, name.end)),
            *(cited or ()),
        }
    )
    return [
        Stretch(
            text[begin:end],
            tuple(edge for first, last, edge in quotes if first <= begin and end <= last),
            next((name for name in names if name.start <= begin and end <= name.end), None),
            _number_cited_stretch(cited, begin, borders),
        )
        for begin, end in pairwise(borders)
    ]


def _find_quote_range(edge: StatedEdge, length: int) -> tuple[int, int, StatedEdge] | None:
    """The range of the words that state the edge, with it; None where a text of this length has none."""
    if edge.start is None or edge.end is None or not 0 <= edge.start < edge.end <= length:
        return None
    return edge.start, edge.end, edge


def _number_cited_stretch(cited: tuple[int, int] | None, begin: int, borders: Sequence[int]) -> int | None:
    """The number of the stretch that begins there among those of the cited range, whose ends are borders."""
    if cited is None or not cited[0] <= begin < cited[1]:
        return None
    return borders.index(begin) - borders.index(cited[0])


def group_stretches(stretches: Sequence[Stretch]) -> list[tuple[tuple[StatedEdge, ...], list[Stretch]]]:
    """The same stretches put together where one set of edges goes on: a sentence is one link."""
    groups = groupby(stretches, key=lambda stretch: tuple(edge.id for edge in stretch.edges))
    return [(parts[0].edges, parts) for parts in (list(group) for _, group in groups)]


def _drop_overlapping(mentions: Sequence[MentionedNode]) -> list[MentionedNode]:
    """Those of the mentions that do not overlap, the first and of equals the longest."""
    mentioned_nodes: list[MentionedNode] = []
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        if not mentioned_nodes or mention.start >= mentioned_nodes[-1].end:
            mentioned_nodes.append(mention)
    return mentioned_nodes
