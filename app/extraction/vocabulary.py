"""The vocabulary of a space, and the mapping of verbs to its relation types."""

import re
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from app.domain.node_types import DEFAULT_NODE_TYPES
from app.domain.relation_types import (
    DEFAULT_RELATION_TYPES,
    RELATION_TYPES,
    SPECIFIC_RELATION_TYPES,
)
from app.domain.scoring.letters import replace_by_base_letters
from app.extraction.shapes import Vocabulary
from app.space_settings import EffectiveSettings

MAX_RELATION_LENGTH = 64
"""Maximum number of characters of a relation type; a longer verb is a sentence by mistake."""


class Direction(Enum):
    """The direction of a verb: from the first named end to the second, or inverted."""

    FORWARD = "forward"
    REVERSED = "reversed"


class VerbMeaning(NamedTuple):
    """The relation type that a verb expresses, and the direction in which it does."""

    relation_type: str
    direction: Direction


DEFAULT_VOCABULARY = Vocabulary(
    node_types=frozenset(DEFAULT_NODE_TYPES),
    relation_types=frozenset((*DEFAULT_RELATION_TYPES, *SPECIFIC_RELATION_TYPES)),
)

_SYNONYMS: dict[str, VerbMeaning] = {
    **{
        verb: VerbMeaning(relation_type.name, Direction.FORWARD)
        for relation_type in RELATION_TYPES
        for verb in relation_type.synonyms.split()
    },
    **{
        verb: VerbMeaning(relation_type.name, Direction.REVERSED)
        for relation_type in RELATION_TYPES
        for verb in relation_type.inverses.split()
    },
}
_CAMEL_CASE_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_WORD = re.compile(r"[\W_]+")
_AUXILIARY = re.compile(
    r"^(?:(?:is|was|are|were|has|have|had|been|being|be|also|later|originally|first|currently)_)+(?=\w)"
)


def to_relation_type_name(verb: str) -> str:
    """Return the verb in lower snake_case, ASCII letters and digits, at most 64 characters; may be "".

    Accents are removed; a verb with letters without an ASCII form, or with a leading digit, gives "", because
    people type relation types into queries.
    """
    ascii_text = replace_by_base_letters(verb[: 4 * MAX_RELATION_LENGTH]).encode("ascii", "ignore").decode()
    text = _CAMEL_CASE_BORDER.sub("_", ascii_text)
    name = _NOT_WORD.sub("_", text.casefold()).strip("_")[:MAX_RELATION_LENGTH].strip("_")
    return name if name[:1].isalpha() else ""


def find_meaning_of_verb(verb: str, vocabulary: Vocabulary) -> VerbMeaning | None:
    """Return the relation type of a verb in this vocabulary, and its direction; None if there is none.

    The vocabulary's own types come first, then passive forms ("created by" is `created`, reversed), then
    synonyms. An open vocabulary (requirement 5.2) keeps any other verb in lower snake_case.
    """
    snake_verb = to_relation_type_name(verb)
    if not snake_verb:
        return None
    main_verb = _AUXILIARY.sub("", snake_verb)
    for candidate in (snake_verb, main_verb):
        if candidate in vocabulary.relation_types:
            return VerbMeaning(candidate, Direction.FORWARD)
    for candidate in (snake_verb, main_verb):
        synonym = _SYNONYMS.get(candidate)
        if synonym is not None and synonym.relation_type in vocabulary.relation_types:
            return synonym
    if main_verb.endswith("_by"):
        active_verb = main_verb.removesuffix("_by")
        if active_verb in vocabulary.relation_types:
            return VerbMeaning(active_verb, Direction.REVERSED)
        synonym = _SYNONYMS.get(active_verb)
        if (
            synonym is not None
            and synonym.direction is Direction.FORWARD
            and synonym.relation_type in vocabulary.relation_types
        ):
            return VerbMeaning(synonym.relation_type, Direction.REVERSED)
    if vocabulary.open_relations and any(character.isalpha() for character in snake_verb):
        return VerbMeaning(snake_verb, Direction.FORWARD)
    return None


def to_node_type(name: str, vocabulary: Vocabulary) -> str | None:
    """Return the vocabulary's spelling of a node type, ignoring case; None if it is unknown."""
    if name in vocabulary.node_types:
        return name
    folded_name = _NOT_WORD.sub("", name[:MAX_RELATION_LENGTH].casefold())
    return next(
        (kind for kind in sorted(vocabulary.node_types) if _NOT_WORD.sub("", kind.casefold()) == folded_name),
        None,
    )


def build_vocabulary(settings: EffectiveSettings) -> Vocabulary:
    """Return the vocabulary of a space: the platform's defaults and the additions of its settings.

    Attributes of types that it does not allow are omitted.
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
    attributes_by_type = {
        to_node_type(type_name, vocabulary): kind_by_attribute
        for type_name, kind_by_attribute in settings.node_attributes.items()
        if kind_by_attribute
    }
    return replace(
        vocabulary,
        attributes={
            type_name: kind_by_attribute
            for type_name, kind_by_attribute in attributes_by_type.items()
            if type_name
        },
        statements=settings.statements,
        claim_check=settings.claim_check,
        claim_check_model=settings.claim_check_model,
    )
