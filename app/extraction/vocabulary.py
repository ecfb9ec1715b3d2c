"""The vocabulary of a space, and how a verb that somebody wrote is read as a relation type of a space."""

import re
import unicodedata
from dataclasses import replace
from enum import Enum

from app.domain.node_types import DEFAULT_NODE_TYPES
from app.domain.relation_types import (
    DEFAULT_RELATION_TYPES,
    RELATION_TYPES,
    SPECIFIC_RELATION_TYPES,
)
from app.extraction.shapes import Vocabulary
from app.space_settings import EffectiveSettings

MAX_RELATION_LENGTH = 64
"""Characters of a relation type; a verb is a few words, a longer one is a sentence gone astray."""


class Direction(Enum):
    """Return whether a verb is stated from the first named end to the second, or the other way round."""

    FORWARD = "forward"
    REVERSED = "reversed"


DEFAULT_VOCABULARY = Vocabulary(
    node_types=frozenset(DEFAULT_NODE_TYPES),
    relation_types=frozenset((*DEFAULT_RELATION_TYPES, *SPECIFIC_RELATION_TYPES)),
)

_SYNONYMS: dict[str, tuple[str, Direction]] = {
    **{
        verb: (relation_type.name, Direction.FORWARD)
        for relation_type in RELATION_TYPES
        for verb in relation_type.synonyms.split()
    },
    **{
        verb: (relation_type.name, Direction.REVERSED)
        for relation_type in RELATION_TYPES
        for verb in relation_type.inverses.split()
    },
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_WORD = re.compile(r"[\W_]+")
# Letters that no decomposition takes apart.
_LIGATURES = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "Œ": "Oe", "Æ": "Ae"})
_AUXILIARY = re.compile(
    r"^(?:(?:is|was|are|were|has|have|had|been|being|be|also|later|originally|first|currently)_)+(?=\w)"
)


def to_snake_case(verb: str) -> str:
    """The verb in lower snake_case, plain letters and digits, at most 64 characters; may be "".

    Accents go; a verb in letters that have no plain form, or that begins with a digit, gives "":
    relation types are typed into queries by people.
    """
    spelt = verb[: 4 * MAX_RELATION_LENGTH].translate(_LIGATURES)
    plain = unicodedata.normalize("NFKD", spelt).encode("ascii", "ignore").decode()
    text = _CAMEL.sub("_", plain)
    name = _NOT_WORD.sub("_", text.casefold()).strip("_")[:MAX_RELATION_LENGTH].strip("_")
    return name if name[:1].isalpha() else ""


def read_verb(verb: str, vocabulary: Vocabulary) -> tuple[str, Direction] | None:
    """The relation type that a verb means in this vocabulary, and its direction; None where none fits.

    The vocabulary's own types come first, then passive forms ("created by" is `created`, reversed),
    then synonyms. An open vocabulary (requirement 5.2) keeps any other verb in lower snake_case.
    """
    name = to_snake_case(verb)
    if not name:
        return None
    bare = _AUXILIARY.sub("", name)
    for candidate in (name, bare):
        if candidate in vocabulary.relation_types:
            return candidate, Direction.FORWARD
    for candidate in (name, bare):
        synonym = _SYNONYMS.get(candidate)
        if synonym is not None and synonym[0] in vocabulary.relation_types:
            return synonym
    if bare.endswith("_by"):
        active = bare.removesuffix("_by")
        if active in vocabulary.relation_types:
            return active, Direction.REVERSED
        synonym = _SYNONYMS.get(active)
        if (
            synonym is not None
            and synonym[1] is Direction.FORWARD
            and synonym[0] in vocabulary.relation_types
        ):
            return synonym[0], Direction.REVERSED
    if vocabulary.open_relations and any(char.isalpha() for char in name):
        return name, Direction.FORWARD
    return None


def to_node_type(name: str, vocabulary: Vocabulary) -> str | None:
    """The vocabulary's own spelling of a node type, whatever case it came in; None where unknown."""
    if name in vocabulary.node_types:
        return name
    folded = _NOT_WORD.sub("", name[:MAX_RELATION_LENGTH].casefold())
    return next(
        (kind for kind in sorted(vocabulary.node_types) if _NOT_WORD.sub("", kind.casefold()) == folded), None
    )


def build_vocabulary(settings: EffectiveSettings) -> Vocabulary:
    """The vocabulary of a space: the platform's defaults and what its own settings add.

    Attributes of types that it does not allow are left out.
    """
    vocabulary = Vocabulary(
        frozenset((*DEFAULT_NODE_TYPES, *settings.extra_node_types)),
        frozenset(
            (
                *DEFAULT_RELATION_TYPES,
                *(SPECIFIC_RELATION_TYPES if settings.specific_relations else ()),
                *settings.extra_relation_types,
            )
        ),
        settings.open_relations,
        settings.min_confidence,
        settings.gleanings,
        settings.turns_before,
    )
    attributes = {
        to_node_type(name, vocabulary): kinds for name, kinds in settings.node_attributes.items() if kinds
    }
    return replace(
        vocabulary,
        attributes={name: kinds for name, kinds in attributes.items() if name},
        statements=settings.statements,
    )
