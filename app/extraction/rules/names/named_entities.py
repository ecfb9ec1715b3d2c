"""The entities of a document by name, and the names that belong to one entity."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.extraction.rules.aliases import can_be_one_person
from app.extraction.rules.english.lexicon import (
    COMPANIES,
    GIVEN_NAMES,
    HONORIFICS,
    LEGAL_TAILS,
    PLACES,
    TECHNOLOGIES,
)
from app.extraction.rules.english.name_words import NOBILITY
from app.extraction.rules.name_kinds import Votes, decide_kind, is_written_as_person
from app.extraction.rules.names.initials import list_possible_initials
from app.extraction.rules.sentences import Sentence
from app.graph.names import is_roman_numeral, normalise_name

# Minimum votes for another kind that keep a single word from being taken for a surname.
_MIN_VOTES_FOR_OTHER_KIND = 3.0
# Votes for a person whose first name precedes another person's surname.
_SHARED_SURNAME_VOTE = 3.0
# Minimum letters of an acronym that the text does not explain, and words of its full name.
_MIN_INITIALS = 3


class WordUse(NamedTuple):
    """A sentence, and the index of a name of one word in it."""

    sentence: Sentence
    word_index: int


@dataclass(slots=True, eq=False)
class NamedEntity:
    """One name of the document. The names of one entity form a tree, whose root is its main name.

    `join` is the only operation that links names, and it attaches one root below another, so that no cycle
    can arise.
    """

    key: str
    name: str
    words: list[str]
    written_words: list[str]
    votes: Votes
    is_strong: bool = False
    is_in_prose: bool = False
    mention_order: int = 0
    # True if the name refers to the entity everywhere, not only in this document.
    is_unambiguous: bool = False
    # The kind that is likely by the classifier, "" if none is. Votes decide what is claimed, and outweigh it.
    likely_kind: str = ""
    # True if the text uses the name in a way in which a short form is not used (`short_forms.py`).
    is_used_otherwise: bool = False
    # The first uses of a name of one word.
    word_uses: list[WordUse] = field(default_factory=list)
    # The capitalised words in front of a name of several words: "judge" of "Judge Amelia Cole".
    titles: set[str] = field(default_factory=set)
    _parent: "NamedEntity | None" = None

    @property
    def is_root(self) -> bool:
        """Return whether the name is the root of its tree, and not another name of something else."""
        return self._parent is None

    def root(self) -> "NamedEntity":
        """Return the main name of this name's entity."""
        entity = self
        while entity._parent is not None:
            # Path halving keeps later look-ups short.
            entity._parent = entity._parent._parent or entity._parent
            entity = entity._parent
        return entity

    def join(self, owner: "NamedEntity") -> None:
        """Merge this name's entity into the owner's, whose name is kept."""
        absorbed_root, surviving_root = self.root(), owner.root()
        if absorbed_root is not surviving_root:
            absorbed_root._parent = surviving_root
            surviving_root.is_strong = surviving_root.is_strong or absorbed_root.is_strong
            surviving_root.is_in_prose = surviving_root.is_in_prose or absorbed_root.is_in_prose
            surviving_root.titles |= absorbed_root.titles
            surviving_root.likely_kind = surviving_root.likely_kind or absorbed_root.likely_kind


JoinEntities = Callable[[NamedEntity, NamedEntity], None]
"""Merge two entities whose names are unambiguous everywhere."""


def are_of_different_kinds(votes: Votes, other_votes: Votes) -> bool:
    """Return whether two names are certainly of different kinds, so that they cannot belong to one entity."""
    decisions = {decide_kind(votes), decide_kind(other_votes)}
    if len(decisions) < 2 or not all(is_certain for _, is_certain in decisions):
        return False
    kinds = {kind for kind, _ in decisions}
    return not kinds.isdisjoint(("Person", "Location")) or (
        "Organization" in kinds
        and not kinds.isdisjoint(("Technology", "Product", "Document"))
        and min(max(votes.values()), max(other_votes.values())) >= _MIN_VOTES_FOR_OTHER_KIND
    )


def _split_person_name(entity: NamedEntity) -> list[str]:
    """Return the words of a person's full name without "Jr." or "III"; [] if it is not such a name."""
    words = entity.words
    if "," in words and not NOBILITY.isdisjoint(words):
        return []  # "Friedrich, Duke of Oss" and "Friedrich Wilhelm, Duke of Oss" are two
    if not entity.is_root or len(words) < 2 or decide_kind(entity.votes)[0] != "Person":
        return []
    return words[:-1] if words[-1].rstrip(".") in ("jr", "sr") or is_roman_numeral(words[-1]) else words


def _may_word_be_surname_or_first_name(entity: NamedEntity) -> bool:
    """Return whether a single word may be a surname or first name; False if it is clearly of another kind."""
    if not entity.is_root or len(entity.words) != 1 or entity.key in PLACES or entity.key in COMPANIES:
        return False
    return (
        sum(strength for kind, strength in entity.votes.items() if kind != "Person")
        < _MIN_VOTES_FOR_OTHER_KIND
    )


def _may_first_name_mean_person(first_name: NamedEntity, person: NamedEntity) -> bool:
    """Return whether an unknown first name may refer to a person: the text introduces a certain person by it,
    and the single word is neither a place nor certainly of another kind.
    """
    return (
        decide_kind(person.votes) == ("Person", True)
        and person.mention_order < first_name.mention_order
        and "Location" not in first_name.votes
        and decide_kind(first_name.votes) in (("Person", True), ("Concept", False))
    )


def _is_honorific_and_surname(words: Sequence[str]) -> bool:
    """Return whether the words are an honorific and a surname: "Mr Haddad"."""
    return len(words) == 2 and words[0].rstrip(".") in HONORIFICS


def merge_names_of_people(
    entities: Sequence[NamedEntity],
    join_entities: JoinEntities,
    document_title_key: str,
    opening_entity: NamedEntity | None,
) -> None:
    """Merge full names of one person, and assign surnames and names such as "Mr Haddad" to their bearers.

    A short name is valid in this document only, so entities of other documents stay separate. A title of one
    word is a surname only of the person with whom the text opens: a publisher may have its founder's name.
    """
    people_by_surname: dict[str, list[NamedEntity]] = {}
    people_by_first_name: dict[str, list[NamedEntity]] = {}
    people_with_honorific = _join_people_by_full_names(
        entities, join_entities, people_by_surname, people_by_first_name
    )
    _merge_surnames_with_honorific(
        people_with_honorific,
        people_by_surname,
        _group_possible_people_by_surname(entities),
        document_title_key,
    )
    topic = _find_person_in_document_title(entities, document_title_key)
    first_word_counts = Counter(
        _drop_honorifics(entity.words)[0] for entity in entities if entity.is_root and len(entity.words) > 1
    )
    for entity in entities:
        if topic is not None and entity.is_root and _is_topic_without_last_part(entity, topic):
            merge_short_name(entity, topic)
        elif _may_word_be_surname_or_first_name(entity):
            word = entity.words[0]
            owner = _choose_only_candidate(people_by_surname.get(word, ()), document_title_key)
            if owner is None:
                owner = _choose_only_candidate(people_by_first_name.get(word, ()), document_title_key)
                is_known = word in GIVEN_NAMES or (
                    owner is not None
                    and first_word_counts[word] == 1
                    and _may_first_name_mean_person(entity, owner)
                )
                owner = owner if is_known else None
            # "Wong" in a text about Wong Kar-wai.
            owner = owner or (
                topic if topic is not None and _find_first_name_after_honorifics(topic) == word else None
            )
            is_title = entity.key == document_title_key
            if owner is not None and _may_word_name_person(entity, owner, opening_entity, is_title=is_title):
                merge_short_name(entity, owner)


def _may_word_name_person(
    entity: NamedEntity, owner: NamedEntity, opening_entity: NamedEntity | None, *, is_title: bool
) -> bool:
    """Return whether a word may be a person's name; if it is the document's title, the text has to open with
    the person.
    """
    is_of_topic = not is_title or _is_opening_entity(opening_entity, owner)
    return is_of_topic and not _does_word_name_other_than_titled_person(entity, owner)


def _does_word_name_other_than_titled_person(entity: NamedEntity, owner: NamedEntity) -> bool:
    """Return whether a word is something else than the person of whom only a title and this word are known,
    as Marvel and Captain Marvel: the text has it first, and both in one sentence.
    """
    if not _is_honorific_and_surname(owner.words):
        return False
    is_beside_owner = any(
        owner.words == sentence.lower[start : start + len(owner.words)]
        for sentence, _ in entity.word_uses
        for start in range(len(sentence.lower) - 1)
    )
    return is_beside_owner and entity.mention_order < owner.mention_order


def _join_people_by_full_names(
    entities: Sequence[NamedEntity],
    join_entities: JoinEntities,
    people_by_surname: dict[str, list[NamedEntity]],
    people_by_first_name: dict[str, list[NamedEntity]],
) -> list[NamedEntity]:
    """Merge spellings of one name, and people by surname and first name; return the names such as "Mr
    Haddad".
    """
    people_with_honorific: list[NamedEntity] = []
    bare_names = {
        tuple(_drop_honorifics(words)) for entity in entities if (words := _split_person_name(entity))
    }
    for entity in entities:
        words = _drop_honorifics(_split_person_name(entity))
        if not words and not decide_kind(entity.votes)[1] and tuple(entity.words) in bare_names:
            # "Ms. Chidinma Eze" states elsewhere that Chidinma Eze is a person.
            words = entity.words
        if len(words) < 2:
            continue
        if _is_honorific_and_surname(words):
            people_with_honorific.append(entity)
            continue
        namesakes = people_by_surname.setdefault(_find_surname(words), [])
        # Compare a handful of namesakes, a family; more would be a list, and the comparison is quadratic.
        known_person = next(
            (candidate for candidate in namesakes[:8] if _can_full_name_be_of_person(words, candidate)), None
        )
        if known_person is None:
            namesakes.append(entity)
            people_by_first_name.setdefault(words[0], []).append(entity)
            continue
        join_entities(known_person, entity)
        if not known_person.is_root:
            namesakes[namesakes.index(known_person)] = entity
    return people_with_honorific


def _find_surname(words: Sequence[str]) -> str:
    """Return the word of a full name that is used alone: not the place of "King Aldric II of Norland"."""
    words = words[: words.index("of", 1)] if "of" in words[1:] else words
    return words[-2] if len(words) > 1 and is_roman_numeral(words[-1]) else words[-1]


def _drop_honorifics(words: list[str]) -> list[str]:
    """Return the words of a name from the first that is not an honorific; of "Dr. Novotny" both."""
    name_indexes = [index for index, word in enumerate(words) if word.rstrip(".") not in HONORIFICS]
    return words[name_indexes[0] :] if name_indexes and len(words) - name_indexes[0] > 1 else words


def _can_full_name_be_of_person(words: list[str], person: NamedEntity) -> bool:
    """Return whether a full name without honorifics can be this person's."""
    return can_be_one_person(words, _drop_honorifics(person.words))


def join_first_name_with_surname(
    entities: dict[str, NamedEntity], first_entity: NamedEntity, full_name_entity: NamedEntity
) -> None:
    """Make "Tom" of "Tom and Eva Becker" Tom Becker, unless the document has another Tom."""
    if not first_entity.is_root or decide_kind(full_name_entity.votes)[0] != "Person":
        return
    surname = full_name_entity.written_words[-1]
    name = f"{first_entity.name} {surname}"
    key = normalise_name(name)
    full_entity = entities.get(key)
    if full_entity is None:
        words = name.lower().split()
        full_entity = NamedEntity(
            key, name, words, name.split(), {"Person": _SHARED_SURNAME_VOTE}, mention_order=len(entities)
        )
        entities[key] = full_entity
    if full_entity.root() is not first_entity:
        merge_short_name(first_entity, full_entity.root())


def _is_opening_entity(opening_entity: NamedEntity | None, owner: NamedEntity) -> bool:
    """Return whether the text opens with this entity."""
    return opening_entity is not None and opening_entity.root() is owner


def _find_person_in_document_title(
    entities: Sequence[NamedEntity], document_title_key: str
) -> NamedEntity | None:
    """Return the person that the document is about, if its title is a name of several words; else None."""
    topic = next((entity.root() for entity in entities if entity.key == document_title_key), None)
    has_several_words = topic is not None and len(topic.words) > 1
    return (
        topic if has_several_words and topic is not None and decide_kind(topic.votes)[0] == "Person" else None
    )


def _is_topic_without_last_part(entity: NamedEntity, topic: NamedEntity) -> bool:
    """Return whether a name is the topic's without its last part: "Emperor Gaozong" for Emperor Gaozong of
    Tang, "Otto Karl" for Otto Karl, Duke of Oss.
    """
    return topic.key.startswith(f"{entity.key} of ") or topic.words[: len(entity.words) + 1] == [
        *entity.words,
        ",",
    ]


def _find_first_name_after_honorifics(person: NamedEntity) -> str:
    """Return the first word of a person's name after honorifics: "Adelheid" of "Princess Adelheid of Oss"."""
    return next((word for word in person.words if word not in HONORIFICS), "")


def merge_short_name(entity: NamedEntity, owner: NamedEntity) -> None:
    """Make a name another name of an entity, in this document only."""
    entity.join(owner)
    owner.root().is_strong = True


def _group_possible_people_by_surname(entities: Iterable[NamedEntity]) -> dict[str, list[NamedEntity]]:
    """Return names that may be people's, though nothing in the text says so, by their last words."""
    people_by_surname: dict[str, list[NamedEntity]] = {}
    for entity in entities:
        if len(entity.words) > 1 and not decide_kind(entity.votes)[1] and is_written_as_person(entity.name):
            people_by_surname.setdefault(entity.words[-1], []).append(entity)
    return people_by_surname


def _merge_surnames_with_honorific(
    people_with_honorific: Sequence[NamedEntity],
    people_by_surname: dict[str, list[NamedEntity]],
    unsure_people_by_surname: dict[str, list[NamedEntity]],
    document_title_key: str,
) -> None:
    """Assign "Mr Haddad" to the only Haddad whose full name the document contains."""
    first_entity_by_surname: dict[str, NamedEntity] = {}
    surname_counts = Counter(entity.words[-1] for entity in people_with_honorific)
    for entity in people_with_honorific:
        surname = entity.words[-1]
        candidates = people_by_surname.get(surname, [])
        # Of two Haddads, "Mrs Haddad" is the one whose full name is Mrs Lina Haddad.
        candidates_with_honorific = [person for person in candidates if _has_honorific_of(person, entity)]
        owner = _choose_only_candidate(candidates, document_title_key) or _choose_only_candidate(
            candidates_with_honorific, document_title_key
        )
        if owner is not None and all(
            _can_full_name_be_of_person(_drop_honorifics(owner.words), namesake)
            or (_has_honorific_of(owner, entity) and not _has_honorific_of(namesake, entity))
            for namesake in unsure_people_by_surname.get(surname, ())
        ):
            merge_short_name(entity, owner)
        elif (
            surname not in people_by_surname
            and surname_counts[surname] == 1
            and (only_namesake := _choose_only_earlier(unsure_people_by_surname.get(surname, ()), entity))
            is not None
        ):
            # A title says that the surname is a person's.
            votes = only_namesake.votes
            votes["Person"] = votes.get("Person", 0.0) + _SHARED_SURNAME_VOTE
            merge_short_name(entity, only_namesake)
            people_by_surname[surname] = [only_namesake]
        elif surname not in people_by_surname and surname not in unsure_people_by_surname:
            # "Mr Haddad" and "Dr Haddad" may be two; a lone surname after one of them is that one's.
            first_entity_by_surname.setdefault(surname, entity)
    for surname, entity in first_entity_by_surname.items():
        if surname_counts[surname] == 1:
            people_by_surname[surname] = [entity]


def _choose_only_earlier(candidates: Sequence[NamedEntity], entity: NamedEntity) -> NamedEntity | None:
    """Return the only candidate if the text names it before this entity, without a title; else None."""
    root_candidates = [candidate for candidate in candidates if candidate.is_root]
    if len(root_candidates) != 1 or root_candidates[0].mention_order > entity.mention_order:
        return None
    has_honorific = any(word.rstrip(".") in HONORIFICS for word in root_candidates[0].words)
    return None if has_honorific else root_candidates[0]


def _has_honorific_of(person: NamedEntity, person_with_honorific: NamedEntity) -> bool:
    """Return whether a full name is written with the title of a name such as "Mrs Haddad"."""
    title = person_with_honorific.words[0].rstrip(".")
    return person.words[0].rstrip(".") == title or title in person.root().titles


def _choose_only_candidate(candidates: Sequence[NamedEntity], document_title_key: str) -> NamedEntity | None:
    """Return the only candidate, or the one that the document is about; else None."""
    roots = {id(entity.root()): entity.root() for entity in candidates[:8]}
    if len(roots) == 1:
        return next(iter(roots.values()))
    return next((entity for entity in roots.values() if entity.key == document_title_key), None)


def merge_names_of_companies(entities: dict[str, NamedEntity], join_entities: JoinEntities) -> None:
    """Merge a company with its name without "Ltd.", and assign it the first word of its name if that is
    unambiguous.

    "Kestrel" is Kestrel Freight Ltd. in a document with no other name that contains this word.
    """
    words_by_key = {
        entity.key: _split_company_name(entity) for entity in entities.values() if len(entity.words) > 1
    }
    entities_by_first_word: dict[str, list[NamedEntity]] = {}
    for key, words in words_by_key.items():
        if words:
            entities_by_first_word.setdefault(words[0], []).append(entities[key])
    for entity in list(entities.values()):
        words = words_by_key.get(entity.key, [])
        if not entity.is_root or not words or words[-1] not in LEGAL_TAILS:
            continue
        short_entity = entities.get(normalise_name(" ".join(words[:-1])))
        if short_entity is not None and short_entity is not entity and _may_be_company(short_entity):
            join_entities(entity, short_entity)
        first_word_entity = entities.get(words[0])
        if (
            first_word_entity is not None
            and first_word_entity is not entity
            # "Kestrel Freight" and "Kestrel Freight Ltd." are one by now.
            and all(namesake.root() is entity.root() for namesake in entities_by_first_word[words[0]])
            and _may_be_company(first_word_entity)
        ):
            merge_short_name(first_word_entity, entity)


def merge_acronyms_into_longer_names(
    entities: Iterable[NamedEntity], is_frequent: Callable[[str], bool]
) -> None:
    """Make a word in capitals another name of the only longer name with these initials, in this document
    only.

    "IBTS" after the International Bureau of Tidal Standards is its acronym. Two letters are too few; people
    are not named so. A frequent word or a well-known name has a meaning of its own.
    """
    entity_list = list(entities)
    owners_by_initials: dict[str, dict[int, NamedEntity]] = {}
    for entity in entity_list:
        if len(entity.words) >= _MIN_INITIALS and decide_kind(entity.votes)[0] != "Person":
            for initials in list_possible_initials(entity.written_words):
                owners_by_initials.setdefault(initials, {})[id(entity.root())] = entity
    for entity in entity_list:
        owners = list(owners_by_initials.get(entity.key, {}).values())
        if len(owners) != 1 or not _may_be_acronym(entity) or is_frequent(entity.key):
            continue
        owner = owners[0]
        if owner.mention_order < entity.mention_order and not are_of_different_kinds(
            entity.votes, owner.root().votes
        ):
            merge_short_name(entity, owner.root())


def _may_be_acronym(entity: NamedEntity) -> bool:
    is_known = entity.key in PLACES or entity.key in COMPANIES or entity.key in TECHNOLOGIES
    has_letters = len(entity.name) >= _MIN_INITIALS and entity.name.isalpha() and entity.name.isupper()
    return entity.is_root and len(entity.words) == 1 and has_letters and not is_known


def _split_company_name(entity: NamedEntity) -> list[str]:
    """Return the words of a name in the form in which companies are compared: "acme", "inc" of "Acme,
    Inc.", "bv" of "B.V.".
    """
    return [word.replace(".", "") for word in entity.words if word != ","]


def _may_be_company(entity: NamedEntity) -> bool:
    """Return whether a name may be a company's short name.

    A program may have its maker's name: the two stay separate if the text describes the program.
    """
    return entity.is_root and decide_kind(entity.votes) in (("Organization", True), ("Concept", False))
