"""Words of a clause that are said of somebody or something else than the two names that they stand between.

The tree tells whose they are: in "his arrest by Acme in Oslo" the place belongs to the arrest, in "asked
users to stop using Falcon" the users are asked, "his father was head of Acme" tells of the father, and "a
Falcon-like part of Heron" of no Falcon.
"""

import re

from app.domain.node_types import GROUPS, PEOPLE
from app.domain.relation_type import Kinds
from app.domain.relation_types import RELATION_TYPE_BY_NAME, RELATION_TYPES
from app.extraction.rules.claims.units import Claim, Unit
from app.extraction.rules.english.grammar import CONTAINING_PREPOSITIONS
from app.extraction.rules.english.words.change_forms import FORM_WORDS
from app.extraction.rules.english.words.families import FICTION_WORDS, KIN_RELATION_BY_NOUN, KIN_RELATIONS
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.syntax import RELATIVE_PRONOUNS, SUBJECT_RELATIONS, Tree

_OBJECT_RELATIONS = ("obj", "iobj")
_DESCRIPTION_RELATIONS = frozenset(("appos", "acl", "acl:relcl"))
_PREPOSITIONS_OF_OPPONENT = frozenset(("by", "against"))
"""Prepositions after which a name does or suffers what the noun before it tells."""
_PREPOSITIONS_OF_ROLE = _PREPOSITIONS_OF_OPPONENT | {"for", "with", "without", "about"}
"""Prepositions after which a name has a part in what its noun or verb tells, and is not where it happens."""
_RELATIONS_OF_LIVES = KIN_RELATIONS | {
    relation_type.name
    for relation_type in RELATION_TYPES
    if relation_type.ends.targets is not None and relation_type.ends.targets <= GROUPS
}
"""What an actor does not do because the character does."""
_APPOINTED = re.compile(FORM_WORDS["APPOINTED"])
_INDEFINITE_ARTICLES = frozenset(("a", "an"))


def tells_of_something_else(tree: Tree, claim: Claim, source: Unit, target: Unit) -> bool:
    """Return whether what joins two names in the tree is said of something else than these."""
    source_word, target_word = tree.find_words_of_units(source, target)
    if source_word is None or target_word is None or source_word == target_word:
        return False
    ends = (source_word, target_word), (target_word, source_word)
    return (
        any(
            _is_member_of_people(tree, word)
            or _is_part_of_adjective(tree, word)
            or _is_pronoun_in_clause_describing_third_person(tree, word, other_word)
            or _is_participle_of_nearer_name(tree, claim, word, other_word)
            for word, other_word in ends
        )
        or (claim.is_of_neighbors and _do_words_between_tell_of_others(tree, claim, ends))
        or (claim.relation in _RELATIONS_OF_LIVES and _happens_in_fiction(tree, source_word, target_word))
        or (target.kind == "Location" and _is_place_of_governor(tree, source_word, target_word))
    )


_Ends = tuple[tuple[WordIndex, WordIndex], tuple[WordIndex, WordIndex]]
"""The words of two names, each with the other one."""


def _do_words_between_tell_of_others(tree: Tree, claim: Claim, ends: _Ends) -> bool:
    """Return whether the words between two names, which state the claim, are about others."""
    return _is_within_doubted_role(tree, *ends[0]) or any(
        _is_owner_of_subject(tree, claim, word, other_word)
        or _is_in_description_of_third_name(tree, word, other_word)
        or _is_under_control_of_object(tree, word, other_word)
        or _is_object_in_supposed_role(tree, word, other_word)
        for word, other_word in ends
    )


def _is_member_of_people(tree: Tree, word: WordIndex) -> bool:
    """Return whether a name with an indefinite article means one of a people: "a Rohingya in exile"."""
    unit = tree.units[word]
    return (
        unit.known_kind in PEOPLE
        and not unit.is_reference
        and any(tree.words[child].lower() in _INDEFINITE_ARTICLES for child in tree.dependents(word, "det"))
    )


def _is_part_of_adjective(tree: Tree, word: WordIndex) -> bool:
    """Return whether a name is a part of an adjective: "a Falcon-inspired part"."""
    adjective = tree.parse.heads[word]
    return (
        adjective > word
        and tree.parse.relations[adjective] == "amod"
        and tree.words[adjective - 1] == "-"
        and not tree.dependents(word, "case")
    )


def _is_in_description_of_third_name(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether one name is in the description of a third one: "born in Lund, now part of Sweden"."""
    ancestors = list(tree.ancestors(word))
    if other_word in ancestors:
        return False
    _, common_ancestor = tree.find_path(word, other_word)
    rows = {tree.find_first_conjunct(word), tree.find_first_conjunct(other_word), common_ancestor}
    entities = {*tree.units[word].entities, *tree.units[other_word].entities}
    return any(
        above not in tree.units
        and (name := _find_name_before_description(tree, above)) is not None
        and tree.find_first_conjunct(name) not in rows
        and entities.isdisjoint(tree.units[name].entities)
        for above in ancestors[: ancestors.index(common_ancestor)]
    )


def _find_name_before_description(tree: Tree, word: WordIndex) -> WordIndex | None:
    """Return the name that a noun or clause after it describes; None without one.

    A relative clause after a comma, and a noun after one that belongs to no verb, describe the name before
    the comma, wherever the parser attaches them and by whatever arc; "who" describes nothing but people.
    """
    head, relation = tree.parse.heads[word], tree.parse.relations[word]
    subjects = {tree.words[subject].lower() for subject in tree.dependents(word, *SUBJECT_RELATIONS)}
    is_relative = not RELATIVE_PRONOUNS.isdisjoint(subjects)
    name = None
    if relation in _DESCRIPTION_RELATIONS and head in tree.units:
        name = head
    elif is_relative or (relation == "parataxis" and not tree.is_predicate(word)):
        first_word = min(index for index in tree.descendants(word) if tree.parse.upos[index] != "PUNCT")
        name = first_word - 2 if tree.words[first_word - 1] == "," else None
    if name is None or name not in tree.units:
        return None
    kind = tree.units[name].known_kind
    return None if "who" in subjects and kind is not None and kind not in PEOPLE else name


def _is_pronoun_in_clause_describing_third_person(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether a pronoun for one person is in a clause about another person: "Ann Lee told Captain
    Berg, who left his daughter", "the father of Tom Berg that left his daughter".
    """
    pronoun = tree.units[word]
    if not (pronoun.is_reference and pronoun.known_kind in PEOPLE):
        return False
    names = (
        _find_name_before_description(tree, above)
        for above in tree.ancestors(word)
        if tree.is_predicate(above)
    )
    return any(
        name is not None
        and name != other_word
        and tree.units[name].known_kind in PEOPLE
        and set(tree.units[name].entities).isdisjoint(pronoun.entities)
        for name in names
    )


def _is_participle_of_nearer_name(tree: Tree, claim: Claim, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether a participle after a name is said of that name, and not of the subject before it: "Berg
    announced Tides, starring Ann Lee".

    A name that is surely of another kind cannot be meant: "Ann Lee left Acme, joining Zeta".
    """
    if tree.parse.relations[other_word] not in SUBJECT_RELATIONS:
        return False
    verb = tree.parse.heads[other_word]
    clause = next(
        (
            above
            for above in tree.ancestors(word)
            if tree.parse.relations[above] == "advcl" and tree.parse.heads[above] == verb
        ),
        None,
    )
    if clause is None or clause <= verb or tree.dependents(clause, "mark", *SUBJECT_RELATIONS):
        return False
    clause_start = min(tree.descendants(clause))
    while clause_start < clause and tree.parse.upos[clause_start] == "PUNCT":
        clause_start += 1
    nearer_name = clause_start - 2
    unit = tree.units.get(nearer_name)
    if nearer_name <= verb or unit is None or tree.words[nearer_name + 1] != ",":
        return False
    other_unit = tree.units[other_word]
    kinds = _list_kinds_of_end(claim, other_unit)
    is_other_kind = kinds is not None and unit.known_kind is not None and unit.kind not in kinds
    is_less_sure = other_unit.is_certain and not unit.is_certain
    return not (is_other_kind or is_less_sure)


def _list_kinds_of_end(claim: Claim, unit: Unit) -> Kinds | None:
    """Return the kinds that the relation of a claim allows for this end; None for all."""
    relation_type = RELATION_TYPE_BY_NAME.get(claim.relation)
    if relation_type is None:
        return None
    return relation_type.ends.sources if claim.source in unit.entities else relation_type.ends.targets


def _is_owner_of_subject(tree: Tree, claim: Claim, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether a clause tells of what a name owns: "his father was head of Acme".

    Kin of the owner are told by the noun: "his father was Ben". A role that something has is held by what the
    clause says: "Acme's founder was Ann Lee".
    """
    owned = tree.parse.heads[word]
    if tree.parse.relations[word] != "nmod:poss" or owned in tree.units:
        return False
    _, common_ancestor = tree.find_path(word, other_word)
    if owned == common_ancestor or tree.parse.relations[owned] not in SUBJECT_RELATIONS:
        return False
    # "Acme's founder Ann Lee spoke": the network may take the name for a second subject.
    if other_word in tree.dependents(tree.parse.heads[owned], *SUBJECT_RELATIONS):
        return False
    is_kin = tree.words[owned].lower() in KIN_RELATION_BY_NOUN
    return claim.relation not in KIN_RELATIONS if is_kin else common_ancestor != other_word


def _is_under_control_of_object(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether a name is in an infinitive whose subject is the object of the verb above it: "asked
    users to stop using Falcon". Of that object it asserts nothing: "nominated Ann Lee to become head of".
    """
    words_above_other = set(tree.ancestors(other_word))
    for above in tree.ancestors(word):
        if above in words_above_other:
            return False
        if tree.parse.relations[above] != "xcomp":
            continue
        marks = {tree.words[mark].lower() for mark in tree.dependents(above, "mark")}
        if "to" not in marks:
            continue
        verb = tree.parse.heads[above]
        if any(verb < noun < above for noun in tree.dependents(verb, *_OBJECT_RELATIONS)):
            return True
    return False


def _is_object_in_supposed_role(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether a verb only takes its object for something, or wants it to be: "backing Acme as a member
    of the Council", but not "appointed Ann Lee as head of Acme".
    """
    verb = tree.parse.heads[word]
    if tree.parse.relations[word] not in _OBJECT_RELATIONS or _APPOINTED.fullmatch(tree.words[verb].lower()):
        return False
    return any(
        tree.parse.heads[above] == verb
        and word < above
        and above != other_word
        and tree.parse.relations[above] == "obl"
        and any(tree.words[case].lower() == "as" for case in tree.dependents(above, "case"))
        for above in tree.ancestors(other_word)
    )


def _is_within_doubted_role(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether the role that joins two names is one of which a verb says that it is none: "not yet
    known as a member of Acme, Ann Lee".
    """
    _, role = tree.find_path(word, other_word)
    return (
        not tree.is_root(role)
        and role not in tree.units
        and any(tree.words[case].lower() == "as" for case in tree.dependents(role, "case"))
        and tree.is_doubted(tree.parse.heads[role])
    )


def _happens_in_fiction(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether a clause tells what happens in a film or book: "Ann Lee works at Acme in the film"."""
    words_below, common_ancestor = tree.find_path(word, other_word)
    return any(
        tree.parse.relations[noun] in ("obl", "nmod")
        and noun not in tree.units
        and tree.words[noun].lower() in FICTION_WORDS
        and any(tree.words[case].lower() == "in" for case in tree.dependents(noun, "case"))
        for above in (*words_below, common_ancestor)
        if tree.is_predicate(above) or above in (word, other_word)
        for noun in tree.children[above]
    )


def _is_place_of_governor(tree: Tree, word: WordIndex, place_word: WordIndex) -> bool:
    """Return whether a place after a name is where something happens in which the name has a part: "his
    arrest by Acme in Oslo", "fighting for Acme in Oslo", "one of the Lakes, in Oslo".
    """
    cases = tree.dependents(place_word, "case")
    if not word < place_word or not cases or tree.words[cases[0]].lower() not in CONTAINING_PREPOSITIONS:
        return False
    first_member = tree.find_first_conjunct(word)
    governor = tree.parse.heads[first_member]
    words_between = range(word + 1, cases[0])
    if any(tree.parse.upos[index] not in ("PUNCT", "DET") for index in words_between):
        return False
    if any(tree.words[index] == "," for index in words_between):
        # "One of the Great Lakes, in"
        return governor < word and tree.parse.upos[governor] == "NUM" and governor not in tree.units
    name_cases = {tree.words[case].lower() for case in tree.dependents(first_member, "case")}
    is_attached = tree.parse.heads[place_word] in (word, first_member)
    is_of_event = not name_cases.isdisjoint(_PREPOSITIONS_OF_OPPONENT) and (
        tree.parse.upos[governor] == "NOUN" or tree.parse.relations[first_member] == "obl"
    )
    is_goal = "to" in name_cases and tree.units[word].kind != "Location"
    return is_of_event or (not is_attached and (is_goal or not name_cases.isdisjoint(_PREPOSITIONS_OF_ROLE)))
