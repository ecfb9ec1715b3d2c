"""Resolve a pronoun that is the subject of a sentence to the centre of attention: the previous sentence's
subject.

Of all entities in a sentence its subject is the most likely to be continued by the next sentence (Grosz,
Joshi and Weinstein, "Centering", 1995). If another name of the sentence might be meant as well, nothing is
resolved.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.domain.node_types import EVENTS, GROUPS, PEOPLE, PLACE_TYPES, PLACED_TYPES
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.document_words import remove_bracket_of_title
from app.extraction.rules.english.grammar import PEOPLE_PRONOUNS
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.indices import EntityIndex, WordIndex
from app.extraction.rules.name_kinds import list_head_words
from app.extraction.rules.single_name_statements import is_clause_followed_by_attribution
from app.extraction.rules.syntax import MIN_REFERENCE_CONFIDENCE, SUBJECT_RELATIONS, Tree
from app.extraction.shapes import FoundEntity

CENTRE_CONFIDENCE = 0.7
"""Confidence that such a pronoun refers to the subject of the previous sentence."""
NAMED_CONFIDENCE = 0.9
"""Confidence that "the bridge" refers to the only thing whose name ends with that noun."""
CENTRE_PRONOUNS = PEOPLE_PRONOUNS | {"it", "they"}
"""Pronouns that may refer to the centre of the previous sentence."""
_SINGULAR_VERBS, _PLURAL_VERBS = (
    frozenset(("is", "was", "has", "does")),
    frozenset(("are", "were", "have", "do")),
)
_WORD = re.compile(r"[^\W\d_]+")
_ARGUMENT_RELATIONS = frozenset((*SUBJECT_RELATIONS, "obj", "iobj", "obl:agent"))
"""Relations of the participants of a clause, as opposed to circumstances (when, where, with what)."""


class Centre(NamedTuple):
    """The entity that is the subject of a sentence, with no rival of its kind there."""

    entity: EntityIndex
    kind: str
    is_certain: bool
    pronouns: frozenset[str] = frozenset()
    """The subset of "it" and "they" that may refer to it, by the ending of its name and by its verb."""


def find_centre(tree: Tree) -> Centre | None:
    """Return the subject of the sentence if it is one name, or a pronoun for one, and has no rival; else
    None.
    """
    subject = _find_only_subject(tree)
    unit = None if subject is None else tree.units.get(subject)
    if subject is None or unit is None or len(unit.entities) != 1 or subject in tree.cut_positions:
        return None
    if unit.max_confidence < MIN_REFERENCE_CONFIDENCE:
        return None
    for word, rival in tree.units.items():
        if unit.entities == rival.entities:
            continue
        is_alike = (unit.kind in PEOPLE) == (rival.kind in PEOPLE) or not (
            unit.is_certain and rival.is_certain
        )
        if is_alike and (rival.kind in PEOPLE or tree.parse.relations[word] in _ARGUMENT_RELATIONS):
            return None
    return Centre(unit.entities[0], unit.kind, unit.is_certain, _list_pronouns_for_thing(tree, subject))


def _list_pronouns_for_thing(tree: Tree, subject: WordIndex) -> frozenset[str]:
    """Return the subset of "it" and "they" that may refer to a subject that is a thing."""
    verb = tree.parse.heads[subject]
    clause_words = {tree.words[child].lower() for child in tree.children[verb]} | {tree.words[verb].lower()}
    name = tree.words[subject].lower()
    may_be_many = (name.endswith("s") and not name.endswith("ss")) or name == "they"
    pronouns = {"it"} if clause_words.isdisjoint(_PLURAL_VERBS) and name != "they" else set()
    if may_be_many and clause_words.isdisjoint(_SINGULAR_VERBS):
        pronouns.add("they")
    return frozenset(pronouns)


def replace_pronoun_by_centre(tree: Tree, centre: Centre, may_mean: Callable[[str, int], bool]) -> Tree:
    """Return the tree with its subject pronoun, if there is one, resolved to the previous sentence's centre.

    `may_mean` decides whether "he" or "she" may refer to an entity.
    """
    subject = _find_only_subject(tree)
    if subject is None or tree.parse.upos[subject] != "PRON":
        return tree
    reference = tree.units.get(subject)
    if reference is not None and reference.entities != [centre.entity]:
        return tree
    pronoun = tree.words[subject].lower()
    if pronoun == "it":
        # The "it" of "It is clear that" refers to nothing.
        verb = tree.parse.heads[subject]
        is_thing = centre.kind not in PEOPLE and pronoun in centre.pronouns
        means_centre = is_thing and not tree.dependents(verb, "ccomp", "csubj", "expl")
    elif pronoun == "they":
        means_centre = centre.kind not in PEOPLE and pronoun in centre.pronouns
    else:
        means_centre = pronoun in PEOPLE_PRONOUNS and (centre.kind in PEOPLE or not centre.is_certain)
        means_centre = means_centre and may_mean(pronoun, centre.entity)
    has_rival_before = any(
        word < subject and tree.parse.relations[word] in _ARGUMENT_RELATIONS for word in tree.units
    )
    if (
        not means_centre
        or has_rival_before
        or (reference is not None and reference.max_confidence >= CENTRE_CONFIDENCE)
    ):
        return tree
    unit = Unit(subject, subject + 1, [centre.entity], centre.kind, centre.is_certain, CENTRE_CONFIDENCE)
    return replace(tree, units={**tree.units, subject: unit})


class IntroducedNouns:
    """Nouns by which a chunk has introduced its things: "Acme, a company", "the London School".

    The document's title introduces a noun too: in a chunk of "Northgate Bridge" that names another bridge,
    "the bridge" may be either.
    """

    def __init__(self, title: str, entities: Sequence[FoundEntity], trees: Iterable[Tree]) -> None:
        """Create it for a chunk; `trees` are those of its sentences, which show what its names are."""
        self._entities_by_noun: dict[str, set[int]] = {}
        self._named_nouns: set[str] = set()
        self._unnamed_nouns: set[str] = set()
        group_entities = {entity for tree in trees for entity in _list_groups_of_people(tree)}
        self._head_nouns = [
            _find_head_noun(entity, is_group=position in group_entities)
            for position, entity in enumerate(entities)
        ]
        title_words = _WORD.findall(remove_bracket_of_title(title).lower())
        titled_entities = (
            position
            for position, entity in enumerate(entities)
            if _WORD.findall(entity.name.lower()) == title_words
        )
        if len(title_words) > 1:
            noun, entity = list_head_words(title_words)[0], next(titled_entities, None)
            if entity in group_entities and noun != self._head_nouns[entity]:
                entity = None
            self._record_noun(noun, entity)

    def _record_noun(self, noun: str, entity: EntityIndex | None) -> None:
        """Record that a noun means an entity, or with None something that the chunk does not name."""
        if entity is None:
            self._unnamed_nouns.add(noun)
        else:
            self._entities_by_noun.setdefault(noun, set()).add(entity)

    def update(self, tree: Tree) -> None:
        """Record the nouns that a sentence applies to each of its names, and those of other things."""
        introducing_nouns: set[int] = set()
        for index, unit in tree.units.items():
            if (
                unit.is_reference
                or unit.kind in PEOPLE
                or len(unit.entities) != 1
                or index in tree.cut_positions
            ):
                continue
            is_subject = tree.parse.relations[index] in SUBJECT_RELATIONS
            nouns = [*tree.dependents(index, "appos"), *([tree.parse.heads[index]] if is_subject else [])]
            nouns = [
                noun
                for noun in nouns
                if noun not in tree.units
                and tree.parse.upos[noun] == "NOUN"
                and (tree.parse.heads[noun] == index or bool(tree.dependents(noun, "cop")))
            ]
            introducing_nouns.update(nouns)
            for noun in nouns:
                self._record_noun(tree.words[noun].lower(), unit.entities[0])
            if head_noun := self._head_nouns[unit.entities[0]]:
                self._named_nouns.add(head_noun)
                self._record_noun(head_noun, unit.entities[0])
        for noun, tag in enumerate(tree.parse.upos):
            is_unrelated_noun = tag == "NOUN" and noun not in tree.units and noun not in introducing_nouns
            if is_unrelated_noun and not _does_noun_have_only_definite_article(tree, noun):
                self._record_noun(tree.words[noun].lower(), None)

    def replace_described_subject(self, tree: Tree) -> Tree:
        """Return the tree with a subject such as "the company" resolved to the only thing introduced by that
        noun.

        If several things were introduced by it, the subject resolves to none of them.
        """
        subject = _find_only_subject(tree)
        if subject is None or tree.parse.upos[subject] != "NOUN":
            return tree
        reference = tree.units.get(subject)
        if reference is not None and (
            not reference.is_reference or reference.max_confidence >= CENTRE_CONFIDENCE
        ):
            return tree
        modifiers = [child for child in tree.children[subject] if tree.parse.relations[child] != "punct"]
        entities = sorted(self._entities_by_noun.get(tree.words[subject].lower(), ()))
        if not entities or [tree.words[child].lower() for child in modifiers] != ["the"]:
            return tree
        unit = Unit(subject, subject + 1, entities, "", False, CENTRE_CONFIDENCE)
        return replace(tree, units={**tree.units, subject: unit})

    def _compute_confidence_of_noun(self, noun: str) -> float:
        return NAMED_CONFIDENCE if noun in self._named_nouns else CENTRE_CONFIDENCE

    def replace_descriptions(self, tree: Tree) -> Tree:
        """Return the tree with each "the company" resolved to the only thing that the noun can mean.

        It means nothing else if no other thing was introduced by the noun, in this sentence or before, by a
        name or without one ("a company", "the new company").
        """
        if not self._entities_by_noun:
            return tree
        nouns_of_names = {
            noun
            for index, unit in tree.units.items()
            if not unit.is_reference
            for noun in (tree.words[index].lower(), *(self._head_nouns[entity] for entity in unit.entities))
        }
        descriptions: dict[int, Unit] = {}
        for word, tag in enumerate(tree.parse.upos):
            noun = tree.words[word].lower()
            entities = self._entities_by_noun.get(noun, ())
            if tag != "NOUN" or len(entities) != 1 or noun in self._unnamed_nouns or noun in nouns_of_names:
                continue
            reference, confidence = tree.units.get(word), self._compute_confidence_of_noun(noun)
            is_weaker = reference is None or (
                reference.is_reference
                and reference.max_confidence < confidence
                and entities == set(reference.entities)
            )
            if is_weaker and _does_noun_have_only_definite_article(tree, word):
                descriptions[word] = Unit(word, word + 1, [*entities], "", False, confidence)
        return replace(tree, units={**tree.units, **descriptions}) if descriptions else tree


def _list_groups_of_people(tree: Tree) -> Iterator[EntityIndex]:
    """Yield the entities that a sentence shows to be people who act together: "Manchester City signed Tom
    Reed", "Iron Mountain, a company".

    A place has things, and acts on other places: "Northgate Bridge connects Leeds and York".
    """
    for index, unit in tree.units.items():
        if unit.is_reference or len(unit.entities) != 1 or index in tree.cut_positions:
            continue
        verb, is_subject = tree.parse.heads[index], tree.parse.relations[index] in SUBJECT_RELATIONS
        is_agent = tree.parse.relations[index] == "nsubj" and tree.parse.upos[verb] == "VERB"
        objects = tree.dependents(verb, "obj") if is_agent and tree.parse.lemmas[verb] != "have" else []
        nouns = [*tree.dependents(index, "appos"), *([verb] if is_subject and not is_agent else [])]
        if any(_find_kind_of_word(tree, word) not in PLACE_TYPES | {""} for word in objects) or any(
            _find_kind_of_word(tree, noun) in GROUPS for noun in nouns if noun not in tree.units
        ):
            yield unit.entities[0]


def _find_kind_of_word(tree: Tree, word: WordIndex) -> str | None:
    """Return the kind of a noun, or of a name; "" for a name of unknown kind, None for another noun."""
    unit = tree.units.get(word)
    if unit is not None:
        return unit.kind if unit.is_certain else ""
    return "" if tree.parse.upos[word] == "PROPN" else KIND_OF.get(tree.parse.lemmas[word].lower())


def _find_head_noun(entity: FoundEntity, *, is_group: bool) -> str | None:
    """Return the noun by which a name says what the thing is: "isle" of the Isle of Man.

    None for a name of one word, and for one that describes something else: "Google Glass" is not a glass,
    "Burger King" no king. Works, products and programs have such names, unless the noun is one of their kind.
    Groups of people have them too, unless the noun is of a group, or of what acts like one.
    """
    words = entity.name.lower().split()
    if len(words) == 1 or entity.node_type in PEOPLE:
        return None
    noun = list_head_words(words)[0]
    kind = KIND_OF.get(noun)
    if is_group and (kind is None or kind in PLACE_TYPES):
        return None
    if kind is None:
        is_descriptive = not entity.is_type_certain or entity.node_type in PLACED_TYPES | EVENTS
    else:
        is_descriptive = kind == entity.node_type or not (entity.is_type_certain or kind in PEOPLE)
    return noun if is_descriptive else None


def _does_noun_have_only_definite_article(tree: Tree, noun: WordIndex) -> bool:
    """Return whether a noun has only the article "the", and perhaps a preposition before it."""
    modifiers = [
        child for child in tree.children[noun] if tree.parse.relations[child] not in ("punct", "case")
    ]
    is_part = tree.parse.relations[noun] in ("compound", "flat", "fixed")
    return not is_part and [tree.words[child].lower() for child in modifiers] == ["the"]


def _find_only_subject(tree: Tree) -> WordIndex | None:
    """Return the word of the sentence's only subject before the verb, or that of a reported clause; else
    None.
    """
    roots = [word for word, head in enumerate(tree.parse.heads) if word == head]
    if len(roots) != 1:
        return None
    verb = next(
        (child for child in tree.children[roots[0]] if is_clause_followed_by_attribution(tree, child)),
        roots[0],
    )
    subjects = [word for word in tree.dependents(verb, *SUBJECT_RELATIONS) if word < verb]
    return subjects[0] if len(subjects) == 1 else None
