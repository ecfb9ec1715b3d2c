"""Limits of clauses and noun phrases: whether the tree lets the words between two names relate them.

The rules read the words between two neighboring names. "In the Pacific, China bore" is no address, "Japan's
rise concerned Britain" tells of no Britain in Japan, and "Ann Lee knows Acme sold it" of no acquaintance.
"""

from app.domain.node_types import PEOPLE
from app.extraction.rules.claims.relation_patterns import VERSION_NOUNS
from app.extraction.rules.claims.units import Unit, is_verb
from app.extraction.rules.english.grammar import BE, POSSESSIVES
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.phrase_patterns import PHRASE_OPENING_NOUNS
from app.extraction.rules.english.words.families import KIN_RELATION_BY_NOUN
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.syntax import SUBJECT_RELATIONS, Tree

_DESCRIPTION_RELATIONS = frozenset(("acl", "acl:relcl"))
_ARGUMENT_RELATIONS = frozenset((*SUBJECT_RELATIONS, "obj", "iobj", "obl", "obl:agent"))
_MIN_ARC_CONFIDENCE = 0.5
"""Minimum confidence of each arc between two names of which one is of unknown kind."""
_MAX_JOINING_WORDS, _MAX_SHORT_LENGTH = 5, 25
"""Maximum number of words, without a comma, that join two names of whatever confidence, and of words and
marks of a short sentence, which the network seldom reads better than the rules.
"""
_NOUN_TAGS = frozenset(("NOUN", "PROPN"))
_TAGS_BEFORE_NOUN = _NOUN_TAGS | {"DET", "ADJ", "NUM"}


def can_words_between_relate(tree: Tree, sentence: Sentence, source: Unit, target: Unit) -> bool:
    """Return whether no clause ends between two names, and neither belongs to a noun phrase about something
    else.
    """
    first_unit, last_unit = sorted((source, target), key=lambda unit: unit.first)
    first_word, last_word = tree.find_words_of_units(first_unit, last_unit)
    if first_word is None or last_word is None or first_word == last_word:
        return True
    gap = sentence.lower[first_unit.last : last_unit.first]
    is_subject = _is_subject(tree, last_word)
    # "A tank of the Cracow Army, a division of the Lodz Army was moved": the division is the next subject.
    noun = _find_noun_that_last_name_qualifies(tree, first_word, last_word)
    if (
        noun != last_word
        and _is_subject(tree, noun)
        and _is_name_outside_clause_of_subject(tree, first_word, noun)
    ):
        return False
    if gap[:1] and gap[0] in POSSESSIVES:
        return not _is_verb_between(tree, first_word, last_word)
    if not any(tree.is_verb(word) for word in range(first_word + 1, last_word)):
        return not (
            (is_subject and _is_name_other_argument_of_verb(tree, first_word, last_word))
            or _is_owned_by_nobody_named(tree, first_word, last_word)
        )
    return not (
        (is_subject and _is_name_outside_clause_of_subject(tree, first_word, last_word))
        or _is_subject_between(tree, first_word, last_word)
        or _are_objects_of_two_verbs(tree, first_word, last_word)
        or _does_name_only_qualify_subject(tree, first_word, last_word)
        or _does_name_only_qualify_subject(tree, last_word, first_word)
        or _is_in_description_of_subject(tree, first_word, last_word)
    )


def is_surely_joined(
    tree: Tree, sentence: Sentence, source: Unit, target: Unit, *, is_complete: bool
) -> bool:
    """Return whether a sentence surely joins two names: their kinds are known, or the network is confident of
    what joins them; a whole sentence also if it is short, or if a few words alone join them.

    Nothing but the words tells what a name of unknown kind is, and captions, menus and joined cells of a
    table are taken for clauses. `is_complete`: the text has the end of a sentence.
    """
    source_word, target_word = tree.find_words_of_units(source, target)
    if (source.is_certain and target.is_certain) or source_word is None or target_word is None:
        return True
    first_unit, last_unit = sorted((source, target), key=lambda unit: unit.first)
    gap = sentence.lower[first_unit.last : last_unit.first]
    is_joined_by_few_words = "," not in gap and sum(word[0].isalnum() for word in gap) <= _MAX_JOINING_WORDS
    if is_complete and (is_joined_by_few_words or len(sentence.words) <= _MAX_SHORT_LENGTH):
        return True
    joining_words, _ = tree.find_path(source_word, target_word)
    return all(tree.parse.confidence[word] >= _MIN_ARC_CONFIDENCE for word in joining_words)


def is_about_other_person(tree: Tree, sentence: Sentence, source: Unit, target: Unit) -> bool:
    """Return whether what joins two names in a long sentence is said of a person between them in the tree:
    "Acme is glad, said Ann Lee, head of Zeta", "Ann Lee as Eva Berg, his wife".

    A member of a row may be between another one and what is said of the row.
    """
    source_word, target_word = tree.find_words_of_units(source, target)
    if (
        source_word is None
        or len(sentence.words) <= _MAX_SHORT_LENGTH
        or target_word is None
        or source_word == target_word
    ):
        return False
    words_below, common_ancestor = tree.find_path(source_word, target_word)
    rows = {tree.find_first_conjunct(source_word), tree.find_first_conjunct(target_word)}
    entities = {*source.entities, *target.entities}
    return any(
        word in tree.units
        and tree.units[word].known_kind in PEOPLE
        and entities.isdisjoint(tree.units[word].entities)
        and tree.find_first_conjunct(word) not in rows
        for word in {*words_below, common_ancestor}
    )


def does_nationality_describe_name(tree: Tree, name_unit: Unit, adjective: Unit) -> bool:
    """Return whether an adjective of nationality belongs to a name's description: not in "Mr. Casey, and the
    British ambassador", "China, the British said" or "with British officers while Bob Ray was".
    """
    name_word, adjective_word = tree.find_words_of_units(name_unit, adjective)
    if name_word is None or adjective_word is None:
        return True
    relations = tree.parse.relations
    if adjective_word < name_word:
        is_subject = _is_subject(tree, name_word)
        return not (is_subject and _is_name_outside_clause_of_subject(tree, adjective_word, name_word))
    is_alone = adjective_word + 1 not in tree.descendants(adjective_word)
    if relations[adjective_word] == "appos" and is_alone:
        return False  # "Japan, the Chinese wrote": without a noun they are people.
    _, common_ancestor = tree.find_path(name_word, adjective_word)
    for word in tree.ancestors(adjective_word):
        if word == common_ancestor:
            return True
        # "The daughter of Italian actors"
        if relations[word] == "nmod" and tree.words[tree.parse.heads[word]].lower() in KIN_RELATION_BY_NOUN:
            return False
        is_list_member = relations[word] == "conj" and not tree.is_predicate(common_ancestor)
        if _is_argument_of_verb(tree, word) or (is_list_member and _is_list(tree, tree.parse.heads[word])):
            return False
    return True


def _is_argument_of_verb(tree: Tree, word: WordIndex) -> bool:
    """Return whether a word is an argument of a verb; without a preposition an oblique noun is an apposition
    that the network misread.
    """
    relation = tree.parse.relations[word]
    return relation in _ARGUMENT_RELATIONS and (relation != "obl" or bool(tree.dependents(word, "case")))


def _is_list(tree: Tree, first_member: WordIndex) -> bool:
    """Return whether "and" or "or" stands before one of the members that follow the first one."""
    unvisited_words = [first_member]
    while unvisited_words:
        members = tree.dependents(unvisited_words.pop(), "conj", "appos")
        if any(tree.dependents(member, "cc") for member in members):
            return True
        unvisited_words += members
    return False


def _is_verb_between(tree: Tree, owner: WordIndex, name: WordIndex) -> bool:
    """Return whether a verb separates an owner from a name: "Japan's rise concerned Britain"; a participle
    may modify a noun between them, "Japan's restored palace Nijo".
    """
    if tree.parse.heads[owner] == name:
        return False
    return any(
        # The network may take the verb for an adjective.
        (tree.is_verb(word) or is_verb(tree.words[word].lower()))
        and tree.words[word].lower() not in BE
        and not owner < word < tree.parse.heads[word] < name
        for word in range(owner + 1, name)
    )


def _is_owned_by_nobody_named(tree: Tree, first_word: WordIndex, last_word: WordIndex) -> bool:
    """Return whether a possessive pronoun between two names refers to none: "Bob Ray, and my father Karl"."""
    return any(
        tree.parse.relations[word] == "nmod:poss"
        and tree.parse.upos[word] == "PRON"
        and word not in tree.units
        for word in range(first_word + 1, last_word)
    )


def _find_noun_that_last_name_qualifies(tree: Tree, first_word: WordIndex, last_word: WordIndex) -> WordIndex:
    """Return the noun between two names that the last one qualifies, or the last one."""
    noun = last_word
    while tree.parse.relations[noun] == "nmod" and first_word < tree.parse.heads[noun] < noun:
        noun = tree.parse.heads[noun]
    return noun


def _is_name_other_argument_of_verb(tree: Tree, word: WordIndex, subject: WordIndex) -> bool:
    """Return whether a name is another argument of the verb after a subject: "in the Pacific, China bore"."""
    verb = tree.parse.heads[subject]
    return (
        verb > subject
        and tree.find_path(word, subject)[1] == verb
        and tree.parse.relations[word] in _ARGUMENT_RELATIONS
    )


def _is_subject_between(tree: Tree, first_word: WordIndex, last_word: WordIndex) -> bool:
    """Return whether a clause about both names has another subject between them: "According to Acme, most of
    the accidents happened in Oslo".
    """
    verb = tree.find_path(first_word, last_word)[1]
    is_oblique = bool(tree.dependents(first_word, "case"))
    return (
        is_oblique
        and verb not in (first_word, last_word)
        and any(
            first_word < subject < last_word
            and tree.descendants(subject).isdisjoint((first_word, last_word))
            and subject not in tree.units
            for subject in tree.dependents(verb, *SUBJECT_RELATIONS)
        )
    )


def _are_objects_of_two_verbs(tree: Tree, first_word: WordIndex, last_word: WordIndex) -> bool:
    """Return whether one subject does something to both names: "It adopted Zeta and founded Acme"."""
    if tree.parse.relations[first_word] not in ("obj", "iobj"):
        return False
    verb = tree.parse.heads[first_word]
    return any(
        tree.parse.relations[word] == "conj"
        and tree.parse.heads[word] == verb
        and tree.is_verb(word)
        and first_word < word
        and tree.dependents(word, "cc")
        and not tree.dependents(word, *SUBJECT_RELATIONS)
        for word in tree.ancestors(last_word)
    )


def _is_name_outside_clause_of_subject(tree: Tree, word: WordIndex, subject: WordIndex) -> bool:
    """Return whether a name stands outside the clause of a subject after it, which does not describe it:
    "Ann Lee knows Acme sold it".
    """
    verb = tree.parse.heads[subject]
    return (
        verb > subject
        and tree.parse.relations[verb] not in _DESCRIPTION_RELATIONS
        and word not in tree.descendants(verb)
    )


def _does_name_only_qualify_subject(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether a name only qualifies the subject of the clause that leads to the other name: "the force
    against Serbia consisted of Albanians".

    A noun of the name's own kind only introduces it, "the city of Lund", and one that opens a phrase states
    the relation, "the chief of Acme"; what a version does its thing does. Beside another subject it is an
    apposition that the network misread.
    """
    noun = tree.parse.heads[word]
    return (
        tree.parse.relations[word] == "nmod"
        and _is_subject(tree, noun)
        and not (tree.parse.heads[other_word] == tree.parse.heads[noun] and _is_subject(tree, other_word))
        and tree.parse.upos[noun] in _NOUN_TAGS
        and noun not in tree.units
        and other_word not in tree.descendants(noun)
        and tree.parse.heads[noun] != other_word
        and tree.words[noun].lower() not in PHRASE_OPENING_NOUNS.union(VERSION_NOUNS)
        and KIND_OF.get(tree.parse.lemmas[noun].lower()) != tree.units[word].kind
    )


def _is_in_description_of_subject(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether a name stands in a clause or apposition that describes the subject of what is said of
    the other name: "Zeta, which uses Acme, was founded by Ann Lee", "Zeta, a rival of Acme, was founded by".

    The apposition itself is another name of the subject.
    """
    heads, relations = tree.parse.heads, tree.parse.relations
    _, predicate = tree.find_path(word, other_word)
    is_in_description = False
    while word != predicate and heads[word] not in (word, predicate):
        head = heads[word]
        is_in_description |= relations[word] in _DESCRIPTION_RELATIONS or (
            relations[word] == "nmod" and relations[head] == "appos"
        )
        word = head
    return is_in_description and word != predicate and relations[word] in SUBJECT_RELATIONS


def _is_subject(tree: Tree, word: WordIndex) -> bool:
    """Return whether a word is a subject: after a preposition it is none, whatever the network calls it."""
    if tree.parse.relations[word] not in SUBJECT_RELATIONS:
        return False
    index = word - 1
    while index >= 0 and tree.parse.upos[index] in _TAGS_BEFORE_NOUN:
        index -= 1
    return index < 0 or tree.parse.upos[index] != "ADP"
