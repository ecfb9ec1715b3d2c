"""Find the anchors of a question: nodes that it names or misspells, and names that are unknown in
the space.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.db.session import SpaceSession
from app.domain.scoring.misspelling import compute_misspelling_cost
from app.graph import traversal
from app.graph.names import normalise_name
from app.graph.questions import (
    Mention,
    are_only_titles_or_descriptions,
    choose_known_nonoverlapping_mentions,
    does_name_continue_after,
    find_capitalised_names_in_question,
    is_written_as_name,
    list_content_word_mentions,
    list_word_runs_that_may_inflect_names,
    list_word_runs_that_may_name_nodes,
    list_words_that_may_name_nodes,
    strip_titles,
)
from app.graph.shapes import Anchor, Node

MAX_ANCHORS = 8
MAX_SEARCHED_NAMES = 6
"""Maximum number of names without a node that are looked up in texts and among similarly spelled names."""
MAX_COST_DIFFERENCE = 0.25
"""Maximum difference in cost between two nodes that a misspelled name may mean and that are both reported."""


@dataclass(frozen=True, slots=True)
class QuestionAnchors:
    """The nodes that a question names, in reading order, at most eight, and messages for the user.

    `truncated` says what was left out. `unknown_names` are names, as the question writes them, that no node
    has and no text of the space contains. `reading_notes` say how misspelled names were read, and which names
    are unknown.
    """

    anchors: tuple[Anchor, ...]
    truncated: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    unknown_names: tuple[str, ...] = ()
    reading_notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _NamedNode:
    """Words of the question, and a node that they name or misspell."""

    mention: Mention
    node: Node


def find_anchors_in_question(space: SpaceSession, question: str) -> QuestionAnchors:
    """Find the nodes whose name, alias or short form occurs in the question; the longest of overlapping
    names.

    An inflected form counts as its name, unless another node has it as a name. A name that no node has and no
    text contains is read as a similarly spelled one, with a warning. If there are too many nodes, those
    written as names and mentioned in few chunks are kept.
    """
    possible_mentions = [
        *list_word_runs_that_may_name_nodes(question),
        *list_word_runs_that_may_inflect_names(question),
    ]
    possible_mentions.sort(key=lambda mention: -len(mention.surface.split()))
    names = list(dict.fromkeys(mention.normalised_name for mention in possible_mentions))
    matches = traversal.find_nodes_by_names_or_ids(space, names=names) if names else []
    known_mentions = choose_known_nonoverlapping_mentions(
        possible_mentions, frozenset(match.normalised_name for match in matches)
    )
    named_nodes = [
        _NamedNode(mention, match.node)
        for mention in known_mentions
        for match in matches
        if match.normalised_name == mention.normalised_name
    ]
    unmatched_words = _list_unmatched_names_or_content_words(question, named_nodes)
    misspelled_names = (
        _resolve_misspelled_or_unknown_names(
            space, unmatched_words.mentions, written_as_names=unmatched_words.are_written_as_names
        )
        if unmatched_words.mentions
        else _MisspelledNames()
    )
    covered_positions = {
        position
        for misspelled_node in misspelled_names.nodes
        for position in range(misspelled_node.mention.start, misspelled_node.mention.end)
    }
    named_nodes = [
        named_node
        for named_node in named_nodes
        if covered_positions.isdisjoint(range(named_node.mention.start, named_node.mention.end))
    ]
    chosen_nodes = _choose_anchors_in_reading_order([*misspelled_names.nodes, *named_nodes], question)
    if not chosen_nodes:
        warning = _write_no_node_found_warning(list_words_that_may_name_nodes(question))
        return QuestionAnchors(
            (),
            warnings=(warning,),
            unknown_names=tuple(misspelled_names.unknown_names),
            reading_notes=tuple(misspelled_names.notes),
        )
    node_ids = {named_node.node.id for named_node in (*misspelled_names.nodes, *named_nodes)}
    truncation_notes: tuple[str, ...] = ()
    if len(node_ids) > len(chosen_nodes):
        truncation_notes = (
            f"The question names {len(node_ids)} nodes; the {len(chosen_nodes)} most telling were followed.",
        )
    return QuestionAnchors(
        tuple(Anchor(named_node.node, named_node.mention.surface) for named_node in chosen_nodes),
        truncation_notes,
        unknown_names=tuple(misspelled_names.unknown_names),
        reading_notes=tuple(misspelled_names.notes),
    )


def _choose_anchors_in_reading_order(named_nodes: Sequence[_NamedNode], question: str) -> list[_NamedNode]:
    """Return each node once, at most eight, in reading order.

    Names written as such are preferred, then nodes mentioned in few chunks.
    """
    naming_by_node = {named_node.node.id: named_node for named_node in reversed(named_nodes)}

    def rank_naming(named_node: _NamedNode) -> tuple[bool, int]:
        begins_question = question.lstrip().startswith(named_node.mention.surface)
        return (
            not is_written_as_name(named_node.mention.surface, is_first_word=begins_question),
            named_node.node.mention_count,
        )

    best_namings = sorted(
        naming_by_node.values(), key=lambda named_node: (*rank_naming(named_node), named_node.node.id)
    )[:MAX_ANCHORS]
    return sorted(
        best_namings,
        key=lambda named_node: (named_node.mention.start, named_node.node.mention_count, named_node.node.id),
    )


class _UnmatchedWords(NamedTuple):
    """Words of a question that name no node, and whether the question writes them as names."""

    mentions: list[Mention]
    are_written_as_names: bool


def _list_unmatched_names_or_content_words(
    question: str, named_nodes: Sequence[_NamedNode]
) -> _UnmatchedWords:
    """Return the names in the question that no node has, and whether they are written as names.

    If the question neither writes nor names any, return its content words.
    """
    written_mentions = find_capitalised_names_in_question(question)
    if not written_mentions:
        content_words = [] if named_nodes else list_content_word_mentions(question)[:MAX_SEARCHED_NAMES]
        return _UnmatchedWords(content_words, are_written_as_names=False)
    unmatched_names = [
        mention
        for mention in written_mentions
        if not _do_found_nodes_cover_mention(question, mention, named_nodes)
    ]
    return _UnmatchedWords(unmatched_names[:MAX_SEARCHED_NAMES], are_written_as_names=True)


def _do_found_nodes_cover_mention(question: str, mention: Mention, named_nodes: Sequence[_NamedNode]) -> bool:
    """Return whether the name, as the question writes it, is that of nodes found in it.

    A node's name may have more words ("John Pettus" for "John J. Pettus"). It may be only the end of the
    written name, after a title or office ("Senator Pettus") or, if it has several words, after any
    description ("the Swedish Lapland Regiment"). Names of several nodes may stand side by side.
    """
    overlapping_mentions = [
        (naming.mention, set(normalise_name(naming.node.canonical_name).split()))
        for naming in named_nodes
        if naming.mention.start < mention.end and mention.start < naming.mention.end
    ]
    if any(words.issuperset(mention.normalised_name.split()) for _, words in overlapping_mentions):
        return True
    remaining_chars = list(question)
    for node_mention, words in overlapping_mentions:
        has_several_words = " " in node_mention.normalised_name
        text_before = question[mention.start : node_mention.start]
        if node_mention.end >= mention.end and (
            are_only_titles_or_descriptions(text_before)
            or (has_several_words and not does_name_continue_after(text_before))
        ):
            return True
        if has_several_words or words == {node_mention.normalised_name}:
            remaining_chars[node_mention.start : node_mention.end] = " " * (
                node_mention.end - node_mention.start
            )
    return are_only_titles_or_descriptions("".join(remaining_chars[mention.start : mention.end]))


@dataclass
class _MisspelledNames:
    """The nodes that misspelled names are read as, the unknown names, and messages about both."""

    nodes: list[_NamedNode] = field(default_factory=list)
    unknown_names: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _resolve_misspelled_or_unknown_names(
    space: SpaceSession, mentions: Sequence[Mention], *, written_as_names: bool
) -> _MisspelledNames:
    """Find the nodes that these names misspell; report names of which no text has any as unknown."""
    misspelled_names = _MisspelledNames()
    covered_positions: set[int] = set()
    searched_mentions = [strip_titles(mention) if written_as_names else mention for mention in mentions]
    similar_names = traversal.find_nodes_with_similar_names(space, searched_mentions)
    for question_mention, searched_mention, similar_nodes in zip(
        mentions, searched_mentions, similar_names, strict=True
    ):
        positions = range(question_mention.start, question_mention.end)
        if not covered_positions.isdisjoint(positions):
            continue
        # A name that a text contains is not a misspelling; it may only differ from a node's name in accents.
        likely_nodes = _select_likely_misspelled_nodes(
            searched_mention.normalised_name,
            similar_nodes.matches,
            max_cost=0.0 if similar_nodes.occurs_in_text else None,
        )
        if likely_nodes:
            covered_positions.update(positions)
            misspelled_names.nodes.append(_NamedNode(question_mention, likely_nodes[0]))
            if not similar_nodes.occurs_in_text:
                misspelled_names.notes.append(
                    _write_misspelling_warning(
                        question_mention.surface, [node.canonical_name for node in likely_nodes]
                    )
                )
        elif written_as_names and not similar_nodes.occurs_in_text:
            misspelled_names.unknown_names.append(question_mention.surface)
            misspelled_names.notes.append(f"No text of this space holds “{question_mention.surface}”.")
    return misspelled_names


class _PossiblyMeantNode(NamedTuple):
    """A node that a name may misspell, and the cost of the misspelling."""

    cost: float
    node: Node


def _select_likely_misspelled_nodes(
    normalised_name: str, matches: Sequence[traversal.NodeMatch], *, max_cost: float | None
) -> list[Node]:
    """Return the nodes that the name may misspell, at most at `max_cost`; lowest cost first, then most
    mentioned.
    """
    possible_nodes = [
        _PossiblyMeantNode(cost, match.node)
        for match in matches
        if (cost := compute_misspelling_cost(normalised_name, match.normalised_name)) is not None
        and (max_cost is None or cost <= max_cost)
    ]
    possible_nodes.sort(
        key=lambda possible_node: (
            possible_node.cost,
            -possible_node.node.mention_count,
            possible_node.node.id,
        )
    )
    likeliest_nodes = [
        possible_node.node
        for possible_node in possible_nodes
        if possible_node.cost <= possible_nodes[0].cost + MAX_COST_DIFFERENCE
    ]
    return list({node.id: node for node in likeliest_nodes}.values())


def _write_misspelling_warning(surface: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"“{surface}” is not known here; it was read as “{names[0]}”."
    choice = " or ".join(f"“{name}”" for name in names[:3])
    return f"“{surface}” is not known here. Did you mean {choice}? It was read as “{names[0]}”."


def _write_no_node_found_warning(searched_words: Sequence[str]) -> str:
    if not searched_words:
        return "The question holds no word that could name a node."
    listed_words = ", ".join(f"“{word}”" for word in dict.fromkeys(searched_words[:12]))
    return f"No node is known by a name in the question; looked for {listed_words} and combinations of words."
