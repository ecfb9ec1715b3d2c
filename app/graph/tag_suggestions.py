"""Which tags a node's place in the graph suggests, by rules (requirement 11.1). Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from app.graph.tags import as_tag
from app.ids import NodeId
from app.scoring.keywords import keywords


class Origin(StrEnum):
    """Who set or suggests a tag."""

    PERSON = "person"
    RULES = "rules"
    MODEL = "model"


OF_TYPE = 1.0
"""Relevance of the node's own type; the others are shares of its neighbours or facts, times these."""
OF_NEIGHBOURS_TAGS, OF_QUOTES, OF_RELATIONS, OF_NEIGHBOURS_TYPES = 0.9, 0.6, 0.5, 0.4
OF_ALIASES = 0.3
"""Relevance of a word of an alias that the canonical name lacks, such as an acronym."""
MOST_CANDIDATES = 24
"""Past the eight that a node may have: some will turn out to be the same tag."""
SHORTEST_WORD = 3


class TagFact(NamedTuple):
    """A claim about the node, its other end, and what that one is tagged."""

    relation_type: str
    outgoing: bool
    other_name: str
    other_type: str
    quote: str | None
    other_tags: Sequence[str]


@dataclass(frozen=True, slots=True)
class TagMaterial:
    """What the graph knows of a node that may be tagged: its strongest claims, and the tags that it has."""

    node_id: NodeId
    canonical_name: str
    node_type: str
    aliases: tuple[str, ...]
    facts: tuple[TagFact, ...]
    tags: tuple[tuple[str, Origin], ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Tags for a node, at most eight, the most relevant first; `current` are those that it has."""

    node_id: NodeId
    canonical_name: str
    node_type: str
    tags: tuple[str, ...]
    by: Origin
    current: tuple[tuple[str, Origin], ...]


def candidates(material: TagMaterial) -> list[str]:
    """At most 24 tags by relevance, the same for the same material in whatever order its facts come.

    Relevance is a sum: the node's type counts 1, a tag, type, relation word or word of a quote its share of
    the facts times a weight, a word of an alias 0.3. Words of the names at a fact's ends say nothing about
    either; of equals the alphabetically first goes before.
    """
    scores: dict[str, float] = defaultdict(float)
    own = set(keywords(material.canonical_name))
    share = 1 / max(1, len(material.facts))
    scores[as_tag(material.node_type)] += OF_TYPE
    for fact in material.facts:
        names = own.union(*map(keywords, (fact.other_name, *material.aliases)))
        for words, weight in (
            (fact.other_tags, OF_NEIGHBOURS_TAGS),
            (_words(fact.quote or "", names), OF_QUOTES),
            (_words(fact.relation_type, frozenset()), OF_RELATIONS),
            ([as_tag(fact.other_type)], OF_NEIGHBOURS_TYPES),
        ):
            for word in words:
                scores[word] += weight * share
    for word in {word for alias in material.aliases for word in _words(alias, own)}:
        scores[word] += OF_ALIASES
    scores.pop("", None)
    # Rounded: sums of shares in another order differ in their last digit.
    ordered = sorted(scores, key=lambda word: (-round(scores[word], 9), word))
    return ordered[:MOST_CANDIDATES]


def _words(text: str, without: Iterable[str]) -> list[str]:
    """The words of a text that may be tags: no numbers, none shorter than three letters."""
    found = keywords(text)
    known = set(without)
    return [
        as_tag(word)
        for word in found
        if word not in known and len(word) >= SHORTEST_WORD and not word.isdecimal()
    ]
