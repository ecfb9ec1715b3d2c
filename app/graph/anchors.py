"""Find the anchors of a question: nodes that it names or misspells, and names that are unknown in
the space.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.db.session import SpaceSession
from app.domain.scoring.misspelling import misspelling_cost
from app.graph import traversal
from app.graph.names import normalise_name
from app.graph.questions import (
    Mention,
    are_only_titles_or_descriptions,
    capitalised_names,
    content_word_mentions,
    inflected_name_mentions,
    is_written_as_name,
    longest_matches,
    name_continues_after,
    possible_name_mentions,
    single_word_names,
    strip_titles,
)
from app.graph.shapes import Anchor, Node

MAX_ANCHORS = 8
MAX_LOOKED_UP = 6
"""Maximum number of names without a node that are looked up in texts and among similarly spelled names."""
AS_LIKELY = 0.25
"""Maximum difference in cost between two readings of a misspelled name that are both reported."""


@dataclass(frozen=True, slots=True)
class QuestionAnchors:
    """The nodes that a question names, in reading order, at most eight, and messages for the user.

    `truncated` says what was left out. `unknown` are names, as the question writes them, that no node has and
    no text of the space contains. `readings` say how misspelled names were read, and which names are unknown.
    """

    anchors: tuple[Anchor, ...]
    truncated: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()


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
    possible = [*possible_name_mentions(question), *inflected_name_mentions(question)]
    possible.sort(key=lambda mention: -len(mention.surface.split()))
    names = list(dict.fromkeys(mention.normalised for mention in possible))
    matches = traversal.find_anchors(space, names=names) if names else []
    exact = longest_matches(possible, frozenset(match.normalised for match in matches))
    namings = [
        _NamedNode(mention, match.node)
        for mention in exact
        for match in matches
        if match.normalised == mention.normalised
    ]
    open_names, is_written = _names_without_node(question, namings)
    readings, unknown, notes = (
        _look_up_misspelled(space, open_names, written_as_names=is_written) if open_names else ([], [], [])
    )
    covered = {
        position for reading in readings for position in range(reading.mention.start, reading.mention.end)
    }
    namings = [
        naming for naming in namings if covered.isdisjoint(range(naming.mention.start, naming.mention.end))
    ]
    chosen_readings = _choose_most_specific([*readings, *namings], question)
    if not chosen_readings:
        warning = _no_node_found_warning(single_word_names(question))
        return QuestionAnchors((), warnings=(warning,), unknown=tuple(unknown), readings=tuple(notes))
    node_ids = {naming.node.id for naming in (*readings, *namings)}
    truncated: tuple[str, ...] = ()
    if len(node_ids) > len(chosen_readings):
        truncated = (
            f"The question names {len(node_ids)} nodes;"
            f" the {len(chosen_readings)} most telling were followed.",
        )
    return QuestionAnchors(
        tuple(Anchor(naming.node, naming.mention.surface) for naming in chosen_readings),
        truncated,
        unknown=tuple(unknown),
        readings=tuple(notes),
    )


def _choose_most_specific(namings: Sequence[_NamedNode], question: str) -> list[_NamedNode]:
    """Return each node once, at most eight, in reading order.

    Names written as such are preferred, then nodes mentioned in few chunks.
    """
    by_node = {naming.node.id: naming for naming in reversed(namings)}

    def weight(naming: _NamedNode) -> tuple[bool, int]:
        begins_question = question.lstrip().startswith(naming.mention.surface)
        return (
            not is_written_as_name(naming.mention.surface, begins=begins_question),
            naming.node.mention_count,
        )

    best = sorted(by_node.values(), key=lambda naming: (*weight(naming), naming.node.id))[:MAX_ANCHORS]
    return sorted(best, key=lambda naming: (naming.mention.start, naming.node.mention_count, naming.node.id))


def _names_without_node(question: str, namings: Sequence[_NamedNode]) -> tuple[list[Mention], bool]:
    """Return the names in the question that no node has, and whether they are written as names.

    If the question neither writes nor names any, return its content words.
    """
    written_mentions = capitalised_names(question)
    if not written_mentions:
        return ([] if namings else content_word_mentions(question)[:MAX_LOOKED_UP]), False
    open_names = [
        mention for mention in written_mentions if not _is_name_of_a_node(question, mention, namings)
    ]
    return open_names[:MAX_LOOKED_UP], True


def _is_name_of_a_node(question: str, name: Mention, namings: Sequence[_NamedNode]) -> bool:
    """Return whether the name, as the question writes it, belongs to nodes found there.

    A node's name may have more words ("John Pettus" for "John J. Pettus"). It may be only the end of the
    written name, after a title or office ("Senator Pettus") or, if it has several words, after any
    description ("the Swedish Lapland Regiment"). Names of several nodes may stand side by side.
    """
    overlapping = [
        (naming.mention, set(normalise_name(naming.node.canonical_name).split()))
        for naming in namings
        if naming.mention.start < name.end and name.start < naming.mention.end
    ]
    if any(words.issuperset(name.normalised.split()) for _, words in overlapping):
        return True
    remaining = list(question)
    for mention, words in overlapping:
        has_several_words = " " in mention.normalised
        before = question[name.start : mention.start]
        if mention.end >= name.end and (
            are_only_titles_or_descriptions(before)
            or (has_several_words and not name_continues_after(before))
        ):
            return True
        if has_several_words or words == {mention.normalised}:
            remaining[mention.start : mention.end] = " " * (mention.end - mention.start)
    return are_only_titles_or_descriptions("".join(remaining[name.start : name.end]))


def _look_up_misspelled(
    space: SpaceSession, names: Sequence[Mention], *, written_as_names: bool
) -> tuple[list[_NamedNode], list[str], list[str]]:
    """Return the nodes that misspelled names are read as, the unknown names, and messages about both."""
    readings: list[_NamedNode] = []
    unknown, notes = [], []
    covered: set[int] = set()
    searched = [strip_titles(name) if written_as_names else name for name in names]
    similar = traversal.find_similar_names(space, searched)
    for mention, name, candidates in zip(names, searched, similar, strict=True):
        positions = range(mention.start, mention.end)
        if not covered.isdisjoint(positions):
            continue
        # A name that a text contains is not a misspelling; it may only differ from a node's name in accents.
        likely = _likely_misspelled_nodes(
            name.normalised, candidates.matches, max_cost=0.0 if candidates.in_text else None
        )
        if likely:
            covered.update(positions)
            readings.append(_NamedNode(mention, likely[0]))
            if not candidates.in_text:
                notes.append(_misspelling_warning(mention.surface, [node.canonical_name for node in likely]))
        elif written_as_names and not candidates.in_text:
            unknown.append(mention.surface)
            notes.append(f"No text of this space holds “{mention.surface}”.")
    return readings, unknown, notes


def _likely_misspelled_nodes(
    name: str, matches: Sequence[traversal.Match], *, max_cost: float | None
) -> list[Node]:
    """Return the nodes that the name may misspell, at most at `max_cost`; lowest cost first, then most
    mentioned.
    """
    costs = [
        (cost, -match.node.mention_count, match.node.id, match.node)
        for match in matches
        if (cost := misspelling_cost(name, match.normalised)) is not None
        and (max_cost is None or cost <= max_cost)
    ]
    sorted_costs = sorted(costs, key=lambda cost: cost[:3])
    likeliest = [scored[3] for scored in sorted_costs if scored[0] <= sorted_costs[0][0] + AS_LIKELY]
    return list({node.id: node for node in likeliest}.values())


def _misspelling_warning(surface: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"“{surface}” is not known here; it was read as “{names[0]}”."
    choice = " or ".join(f"“{name}”" for name in names[:3])
    return f"“{surface}” is not known here. Did you mean {choice}? It was read as “{names[0]}”."


def _no_node_found_warning(named_words: Sequence[str]) -> str:
    if not named_words:
        return "The question holds no word that could name a node."
    listed_words = ", ".join(f"“{word}”" for word in dict.fromkeys(named_words[:12]))
    return f"No node is known by a name in the question; looked for {listed_words} and combinations of words."
