"""Find passages that mention two nodes which no claim connects (requirement 8.3)."""

from collections.abc import Mapping, Sequence
from itertools import combinations, islice

from app.db.session import SpaceSession
from app.documents.sentences import split_sentences
from app.domain.char_range import CharRange
from app.graph import repository
from app.graph.name_forms import NameFinder
from app.graph.repository import SharedChunk
from app.graph.shapes import Anchor, Evidence, NamedTogether
from app.graph.traversal import NodePair
from app.ids import NodeId

MAX_PAIRS, MAX_PASSAGES = 4, 3
"""Maximum number of pairs of nodes that are considered, and of passages shown for each."""
_MAX_TRIED_PASSAGES = 10
# Maximum number of chunks of the rarer node that are searched; a node with more co-occurs with everything.
MAX_PROBES = 1_000
# Maximum number of occurrences of a name in a chunk that are compared with those of the other name.
_MAX_OCCURRENCES = 20
_MAX_QUOTE_LENGTH = 600


def find_passages_naming_two_anchors(
    space: SpaceSession, anchors: Sequence[Anchor]
) -> tuple[NamedTogether, ...]:
    """Return passages that mention two of these nodes, for up to four pairs; sentences before longer
    passages.

    Two nodes with the same name are two readings of it, not a pair. Executes one statement, none without a
    pair.
    """
    pairs = [
        (left_anchor.node, right_anchor.node)
        for left_anchor, right_anchor in combinations(anchors, 2)
        if left_anchor.matched != right_anchor.matched and left_anchor.node.id != right_anchor.node.id
    ][:MAX_PAIRS]
    if not pairs:
        return ()
    return tuple(
        passage
        for passages in find_passages_naming_both(space, pairs)
        for passage in islice(passages, MAX_PASSAGES)
    )


def find_passages_naming_both(space: SpaceSession, pairs: Sequence[NodePair]) -> list[list[NamedTogether]]:
    """Return for each pair the passages that mention both, from at most ten chunks, sentences first."""
    # Search the chunks of the rarer node, independent of the pair's order.
    sorted_pairs = [sorted(pair, key=lambda node: (node.mention_count, node.id)) for pair in pairs]
    chunks = repository.find_chunks_naming_both(
        space,
        [(rarer_node.id, commoner_node.id) for rarer_node, commoner_node in sorted_pairs],
        max_probes=MAX_PROBES,
        max_passages=_MAX_TRIED_PASSAGES,
    )
    passages_by_pair: list[list[NamedTogether]] = []
    for pair_index, (pair, (rarer_node, commoner_node)) in enumerate(zip(pairs, sorted_pairs, strict=True)):
        candidate_passages = [
            _find_shortest_passage_naming_both(
                chunk, pair, {rarer_node.id: chunk.rarer_form, commoner_node.id: chunk.other_form}
            )
            for chunk in chunks
            if chunk.pair_index == pair_index
        ]
        passages_by_pair.append(
            sorted(
                (passage for passage in candidate_passages if passage is not None),
                key=lambda passage: not passage.in_sentence,
            )
        )
    return passages_by_pair


def _find_shortest_passage_naming_both(
    chunk: SharedChunk, pair: NodePair, forms: Mapping[NodeId, str]
) -> NamedTogether | None:
    """Return the shortest sentence that mentions both, else the text between them; None if too long
    to quote.
    """
    first_node, second_node = pair
    name_finder = NameFinder(chunk.text, lambda: chunk.language)
    ranges_of_one, ranges_of_other = (
        name_finder.find_ranges_of_name(forms[node.id], _MAX_OCCURRENCES) for node in pair
    )
    covering_ranges = [
        _cover_ranges(first_range, second_range)
        for first_range in ranges_of_one
        for second_range in ranges_of_other
        if not _do_ranges_overlap(first_range, second_range)
    ]
    if not covering_ranges:
        return None
    sentences = [
        (start, end)
        for start, end in split_sentences(chunk.text)
        if end - start <= _MAX_QUOTE_LENGTH
        and any(start <= first_char and last_char <= end for first_char, last_char in covering_ranges)
    ]
    start, end = min(
        sentences or covering_ranges, key=lambda char_range: (char_range[1] - char_range[0], char_range)
    )
    if end - start > _MAX_QUOTE_LENGTH:
        return None
    chunk_columns = (chunk.chunk_id, chunk.document_id, chunk.document_title, chunk.char_start, chunk.places)
    evidence = Evidence.from_chunk_range(chunk_columns, chunk.text[start:end], start, end)
    return NamedTogether(first_node.id, second_node.id, bool(sentences), evidence)


def _cover_ranges(left_range: CharRange, right_range: CharRange) -> CharRange:
    return min(left_range[0], right_range[0]), max(left_range[1], right_range[1])


def _do_ranges_overlap(left_range: CharRange, right_range: CharRange) -> bool:
    return left_range[0] < right_range[1] and right_range[0] < left_range[1]
