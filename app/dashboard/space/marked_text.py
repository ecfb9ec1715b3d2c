"""Split the text of a chunk at the bounds of quotes and names, so that a template can mark them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

from app.domain.char_range import CharRange
from app.graph.shapes import MentionedNode, StatedEdge
from app.ids import ChunkId


@dataclass(frozen=True)
class TextStretch:
    """Words of a chunk, the edges that cite them, and the node that they name, if there is one.

    `citation_number` is its index, from 0, among the stretches of the cited range; None outside of it.
    """

    text: str
    edges: tuple[StatedEdge, ...]
    mention: MentionedNode | None = None
    citation_number: int | None = None


# A hard line break inside a paragraph: after a long line, before one that is not an item, heading or row.
_WRAPPED_LINE_BREAK = re.compile(r"(?<=[^\n|]{50})\n(?![\n\s>|#=*+-]|\d+[.)])")


def replace_line_ends_within_paragraphs(text: str) -> str:
    """Return the text with line ends inside paragraphs replaced by spaces; character positions stay."""
    return _WRAPPED_LINE_BREAK.sub(" ", text)


def split_text_at_marks(
    text: str,
    edges: Sequence[StatedEdge],
    chunk_id: ChunkId,
    mentions: Sequence[MentionedNode] = (),
    cited_range: CharRange | None = None,
) -> list[TextStretch]:
    """Split the whole text, unwrapped, at every bound of a range; ranges beyond the text are ignored.

    Of nested mentions the longest is marked. `cited_range` is the range, inside of the text, to which a
    citation links.
    """
    text = replace_line_ends_within_paragraphs(text)
    edge_quotes = [
        edge_quote
        for edge in edges
        if edge.chunk_id == chunk_id and (edge_quote := _find_quote_of_edge(edge, len(text)))
    ]
    marked_mentions = _drop_overlapping_mentions(
        [mention for mention in mentions if mention.chunk_id == chunk_id and mention.end <= len(text)]
    )
    stretch_borders = sorted(
        {
            0,
            len(text),
            *(border for start, end, _ in edge_quotes for border in (start, end)),
            *(border for mention in marked_mentions for border in (mention.start, mention.end)),
            *(cited_range or ()),
        }
    )
    return [
        TextStretch(
            text[begin:end],
            tuple(
                edge
                for quote_start, quote_end, edge in edge_quotes
                if quote_start <= begin and end <= quote_end
            ),
            next(
                (mention for mention in marked_mentions if mention.start <= begin and end <= mention.end),
                None,
            ),
            _get_index_in_cited_range(cited_range, begin, stretch_borders),
        )
        for begin, end in pairwise(stretch_borders)
    ]


class _EdgeQuote(NamedTuple):
    """The range of the words that state an edge."""

    start: int
    end: int
    edge: StatedEdge


def _find_quote_of_edge(edge: StatedEdge, text_length: int) -> _EdgeQuote | None:
    """Return the words that state the edge; None if they are not in a text of this length."""
    if edge.start is None or edge.end is None or not 0 <= edge.start < edge.end <= text_length:
        return None
    return _EdgeQuote(edge.start, edge.end, edge)


def _get_index_in_cited_range(
    cited_range: CharRange | None, begin: int, borders: Sequence[int]
) -> int | None:
    """Return the index, among those of the cited range, of the stretch that begins at `begin`."""
    if cited_range is None or not cited_range[0] <= begin < cited_range[1]:
        return None
    return borders.index(begin) - borders.index(cited_range[0])


class StretchGroup(NamedTuple):
    """Adjacent stretches of a text that the same edges quote."""

    edges: tuple[StatedEdge, ...]
    stretches: list[TextStretch]


def group_stretches(
    stretches: Sequence[TextStretch],
) -> list[StretchGroup]:
    """Group adjacent stretches with the same edges, so that a sentence is one link."""
    groups = groupby(stretches, key=lambda stretch: tuple(edge.id for edge in stretch.edges))
    return [StretchGroup(parts[0].edges, parts) for parts in (list(group) for _, group in groups)]


def _drop_overlapping_mentions(mentions: Sequence[MentionedNode]) -> list[MentionedNode]:
    """Return mentions that do not overlap; the one that begins first wins, then the longest."""
    mentioned_nodes: list[MentionedNode] = []
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        if not mentioned_nodes or mention.start >= mentioned_nodes[-1].end:
            mentioned_nodes.append(mention)
    return mentioned_nodes
