"""The kinds of things that can be the ends of a relation, and those that a description may refer to."""

from app.domain.node_types import DOCUMENTS, EVENTS, GROUPS, IMPERSONAL_TYPES, PLACE_TYPES
from app.domain.possible_ends import ALL_KINDS
from app.domain.relation_type import Kinds
from app.domain.relation_types import RELATION_TYPES

DESCRIBING_NOUNS_OF_KINDS: tuple[tuple[frozenset[str], str], ...] = (
    (
        GROUPS,
        """company firm university group band organization organisation team college school club party agency
        airline bank label publisher museum hospital newspaper magazine brand""",
    ),
    (
        IMPERSONAL_TYPES,
        """database system language library extension project software tool framework protocol product
        platform""",
    ),
    (
        PLACE_TYPES,
        """city town village river county island district region state province municipality community
        neighborhood neighbourhood suburb borough township lake mountain park street road bridge building
        stadium airport hotel church castle cathedral house country territory parish settlement bay""",
    ),
    (
        EVENTS,
        "war battle conference festival award tournament championship election race event",
    ),
    (
        DOCUMENTS,
        "film novel book paper album song cast movie series show episode single play opera",
    ),
)
KINDS_BY_DESCRIBING_NOUN = {
    noun: kinds for kinds, nouns in DESCRIBING_NOUNS_OF_KINDS for noun in nouns.split()
}
"""Definite descriptions that may refer to a document's topic, "the company", with the possible kinds of
the topic.
"""


def _map_wording_ends() -> dict[tuple[str, str], tuple[Kinds, Kinds]]:
    ends: dict[tuple[str, str], tuple[Kinds, Kinds]] = {}
    for relation_type in RELATION_TYPES:
        for wording in relation_type.wordings:
            for word in wording.words:
                sources, targets = ends.get((relation_type.name, word), (frozenset(), frozenset()))
                ends[relation_type.name, word] = (
                    sources | (ALL_KINDS if wording.subject_kinds is None else wording.subject_kinds),
                    targets | (ALL_KINDS if wording.object_kinds is None else wording.object_kinds),
                )
    return ends


WORDING_ENDS = _map_wording_ends()
"""Kinds of the source and the target for which a verb or phrase states a relation, by relation and words."""
