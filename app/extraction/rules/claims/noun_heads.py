"""Names before a noun: whether a clause is about the name or about the noun that it describes.

"The Taliban authorities carried out an execution in Khost" is about authorities, and "a Thor poster featuring
Korg" about a poster. "The Falcon database" is Falcon itself.
"""

from app.domain.relation_types import PART_OF
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.english.kind_votes import BUILDING_NOUNS
from app.extraction.rules.english.lexicon import KIND_OF, SUBJECT_VERBS, TECHNOLOGIES
from app.extraction.rules.english.nations import LAST_WORDS_OF_SMALL_PLACES
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.syntax import RELATIVE_PRONOUNS, SUBJECT_RELATIONS, Tree

_MODIFIER_RELATIONS = frozenset(("compound", "amod", "nmod", "nmod:desc", "nummod"))
_DEFINITE_DETERMINERS = frozenset(("the", "this", "its", "their", "our", "his", "her"))
_KINDS_OF_LONGER_PHRASES = frozenset(("Organization", "Technology", "Product", "Event", "Project"))
"""Kinds of nouns that more often say what the name before them is than whose they are: not "the Acme annual
report", "the Acme sales manager", "the Acme office building".
"""
_OPENING_QUOTES = (["'"], ['"'], ["“"], ["‘"])
_NOUNS_OF_BUILDINGS = BUILDING_NOUNS | LAST_WORDS_OF_SMALL_PLACES
_NOUNS_OF_PARTS = frozenset(word for header in PART_OF.headers for word in header.header_words.split())


def does_clause_relate_names_themselves(tree: Tree, source: Unit, target: Unit, *, is_location: bool) -> bool:
    """Return whether no clause between two names, and no place, is about a noun that a name describes, or
    only tells the second one something.
    """
    source_word, target_word = tree.find_words_of_units(source, target)
    if source_word is None or target_word is None or source_word == target_word:
        return True
    is_recipient = tree.parse.relations[target_word] == "iobj"
    # "Ann Lee wrote Acme that": something else is given to it.
    if is_recipient and tree.dependents(tree.parse.heads[target_word], "obj", "ccomp"):
        return False
    if _is_place_of_governing_noun(tree, source_word, target_word) or _are_places_of_list(
        tree, source_word, target_word
    ):
        return False
    return not (
        _is_related_by_noun(tree, source_word, target_word, is_location=is_location)
        or _is_related_by_noun(tree, target_word, source_word, is_location=is_location, is_place=is_location)
        or _is_in_participle_clause_of_third_noun(tree, source_word, target_word)
        or _is_in_participle_clause_of_third_noun(tree, target_word, source_word)
    )


def find_kind_told_by_noun_after_name(tree: Tree, unit: Unit) -> str | None:
    """Return the kind that the noun right after a name of unknown kind tells: "the Zarafshan mosque"; None
    without one, or for the noun of a person, "the Acme chief".
    """
    (word,) = tree.find_words_of_units(unit)
    if word is None or unit.is_certain or unit.is_reference:
        return None
    noun = _find_head_of_compound(tree, word)
    kind = KIND_OF.get(tree.parse.lemmas[noun].lower()) if noun == word + 1 else None
    return None if kind == "Person" else kind


def does_clause_describe_noun_of_name(tree: Tree, source: Unit, target: Unit) -> bool:
    """Return whether one name is in a clause about a noun that the other one describes: "a former Acme
    reporter who met Ann Lee".
    """
    source_word, target_word = tree.find_words_of_units(source, target)
    if source_word is None or target_word is None:
        return False
    return any(
        (noun := _find_head_of_compound(tree, word)) is not None
        and other_word in tree.descendants(noun)
        and any(
            tree.parse.relations[above] == "acl:relcl" and tree.parse.heads[above] == noun
            for above in tree.ancestors(other_word)
        )
        for word, other_word in ((source_word, target_word), (target_word, source_word))
    )


def does_nationality_modify_name(tree: Tree, name_unit: Unit, adjective: Unit) -> bool:
    """Return whether an adjective of nationality describes a name, and not what does something to it: "the
    Japanese overran Beijing", "an Uzbek lawyer told Acme".
    """
    name_word, adjective_word = tree.find_words_of_units(name_unit, adjective)
    if name_word is None or adjective_word is None:
        return True
    words_below, common_ancestor = tree.find_path(name_word, adjective_word)
    joining_words = [
        *(
            word
            for word in (*words_below, common_ancestor)
            # "A Dutch doctor called Jan Smit"
            if tree.parse.upos[word] == "VERB" and tree.parse.relations[word] != "acl"
        ),
        # "The Australian state of Victoria"
        *(word for word in tree.dependents(name_word, "case") if tree.words[word].lower() != "of"),
        # "A Chinese territory bordering Pakistan"
        *tree.dependents(name_word, "acl"),
    ]
    return not any(adjective_word < word < name_word for word in joining_words)


def _is_related_by_noun(
    tree: Tree, word: WordIndex, other_word: WordIndex, *, is_location: bool, is_place: bool = False
) -> bool:
    """Return whether a name describes a noun that a clause or preposition relates to the other name."""
    noun = _find_described_noun(tree, word, is_location=is_location, is_place=is_place)
    if noun is None:
        return False
    words_below, common_ancestor = tree.find_path(noun, other_word)
    # "A U.S. corporation with headquarters in Oslo"
    is_complement = common_ancestor == noun < other_word and bool(tree.dependents(other_word, "case"))
    # "Asia's Zeta hub"
    is_complement |= (
        common_ancestor == noun
        and tree.parse.relations[other_word] == "nmod:poss"
        and tree.units[other_word].kind == "Location"
    )
    is_joined_by_others = bool({*words_below, common_ancestor} - {noun, other_word})
    return is_complement or is_joined_by_others or tree.is_predicate(other_word)


def _find_described_noun(
    tree: Tree, word: WordIndex, *, is_location: bool, is_place: bool
) -> WordIndex | None:
    """Return the noun after a name that it describes; None without one, or if the noun tells the name's kind.

    A place describes where the thing is, "the Lisbon office", so a clause about the noun tells where the
    thing is: `is_place`.
    """
    noun = _find_head_of_compound(tree, word)
    unit = tree.units[word]
    # "The film stars Ann Lee": the network may take the verb for a noun.
    if noun is None or unit.is_reference or (unit.kind == "Location" and is_place):
        return None
    return None if _is_noun_after_name_its_kind(tree, word, noun, is_location=is_location) else noun


def _find_head_of_compound(tree: Tree, word: WordIndex) -> WordIndex | None:
    """Return the last noun that a name before it describes, as the network joins them one by one: "Sparrow
    mail client"; None without one.
    """
    # "The Falcon and Heron mail clients"
    noun = first_member = tree.find_first_conjunct(word)
    if noun != word and not (
        tree.parse.heads[noun] > word and tree.parse.relations[noun] in _MODIFIER_RELATIONS
    ):
        noun = first_member = word
    while tree.parse.relations[noun] in _MODIFIER_RELATIONS:
        head = tree.parse.heads[noun]
        if head <= noun or head in tree.units or tree.parse.upos[head] != "NOUN":
            break
        words_between = range(noun + 1, head)
        # "Acme switched suppliers": the network may take the verb for a participle.
        if any(
            # "The Falcon co-stars"
            (tree.parse.upos[index] == "PUNCT" and tree.words[index] != "-")
            or (tree.parse.upos[index] == "VERB" and not tree.words[index].endswith("ing"))
            for index in words_between
        ):
            break
        noun = head
    # "Her daughter Ann Lee lives in Oslo": the network may take the verb for a noun.
    return noun if noun != first_member and tree.words[noun].lower() not in SUBJECT_VERBS else None


def _is_noun_after_name_its_kind(tree: Tree, word: WordIndex, noun: WordIndex, *, is_location: bool) -> bool:
    """Return whether the noun after a name is its kind: "the Falcon database", "the Falcon search engine".

    A longer phrase may also be about something of the name: "the Acme finance team". It is the name's kind
    only if nothing else tells another kind, and no part of a thing. What everybody knows needs no such noun:
    "the Redis client library".
    """
    noun_lemma = tree.parse.lemmas[noun].lower()
    unit, kind = tree.units[word], KIND_OF.get(noun_lemma)
    if unit.kind == "Location":
        # "The Isfara district in" is Isfara; who buys "the Vienna castle" does not buy Vienna.
        return (
            is_location and kind == "Location" and noun == word + 1 and noun_lemma not in _NOUNS_OF_BUILDINGS
        )
    if noun == word + 1:
        is_of_name = kind == "Person" != unit.kind or _is_noun_of_next_name(tree, word, noun)
        return tree.words[noun].lower() in KIND_OF.keys() - _NOUNS_OF_PARTS and not is_of_name
    words_between = range(word + 1, noun)
    determiners = {tree.words[child].lower() for child in tree.dependents(noun, "det", "nmod:poss")}
    may_be_kind = not unit.is_certain or (unit.kind == kind != "Organization")
    return (
        may_be_kind
        and kind in _KINDS_OF_LONGER_PHRASES
        and tree.words[word].lower() not in TECHNOLOGIES
        and noun_lemma not in _NOUNS_OF_PARTS
        and tree.words[noun].lower() == noun_lemma
        and not determiners.isdisjoint(_DEFINITE_DETERMINERS)
        and noun + 1 not in tree.units
        and all(
            index not in tree.units and tree.parse.relations[index] in _MODIFIER_RELATIONS
            for index in words_between
        )
    )


def _is_noun_of_next_name(tree: Tree, word: WordIndex, noun: WordIndex) -> bool:
    """Return whether the noun after a name is the kind of another name, or of something without one: "the
    Falcon film 'Heron'", "an old Lund village".
    """
    next_word = noun + 1 + (tree.words[noun + 1 : noun + 2] in _OPENING_QUOTES)
    determiners = {tree.words[child].lower() for child in tree.dependents(noun, "det")}
    is_indefinite = not determiners.isdisjoint(("a", "an")) and tree.units[word].is_certain
    return next_word in tree.units or is_indefinite


def _is_place_of_governing_noun(tree: Tree, word: WordIndex, place_word: WordIndex) -> bool:
    """Return whether a place belongs to the noun that governs both names: "a march of Christians in Fatima".

    A noun that says what a name is has the name's place: "the church of Saint Mary in Lund".
    """
    noun = tree.parse.heads[word]
    if tree.units[place_word].kind != "Location" or noun != tree.parse.heads[place_word]:
        return False
    if {tree.parse.relations[word], tree.parse.relations[place_word]} != {"nmod"} or noun > word:
        return False
    kind = KIND_OF.get(tree.parse.lemmas[noun].lower())
    is_noun = tree.parse.upos[noun] == "NOUN" and noun not in tree.units
    return is_noun and (kind is None or kind == "Person") and tree.units[word].kind != "Location"


def _are_places_of_list(tree: Tree, word: WordIndex, place_word: WordIndex) -> bool:
    """Return whether a place and a name are members of one list, "Visayas, Mindanao and Caraga", "the Arab
    League, Turkey and others", or of a bracket, "Australia (Victoria, Queensland)": neither is in the other.
    """
    if tree.units[place_word].kind != "Location":
        return False
    container = tree.parse.heads[word]
    words_between = tree.words[min(word, place_word) + 1 : max(word, place_word)]
    if (
        container == tree.parse.heads[place_word]
        and container in tree.units
        and tree.parse.relations[word] == tree.parse.relations[place_word] == "appos"
        and ")" not in words_between
    ):
        return True
    first_words = [tree.find_first_conjunct(end) for end in (word, place_word)]
    members = tree.dependents(first_words[0], "conj")
    if first_words[0] != first_words[1]:
        return False
    # The network may take "and other nations" out of the list.
    has_other_members = tree.parse.relations[first_words[0]] in SUBJECT_RELATIONS and any(
        member in tree.units and tree.units[member].kind != "Location" for member in members
    )
    return has_other_members or any(tree.dependents(member, "cc") for member in members)


def _is_in_participle_clause_of_third_noun(
    tree: Tree, name_index: WordIndex, other_name_index: WordIndex
) -> bool:
    """Return whether the participle clause around a name describes a noun, and not the other name: "a poster
    featuring Korg", "the poster which features Korg".
    """
    clause = next(
        (
            above
            for above in tree.ancestors(name_index)
            if tree.parse.relations[above] == "acl" or _is_clause_with_relative_subject(tree, above)
        ),
        None,
    )
    if clause is None or other_name_index in tree.descendants(clause):
        return False
    noun = tree.parse.heads[clause]
    if tree.parse.upos[noun] != "NOUN" or noun in tree.units:
        return False
    # "Skarn is a network based in Oslo", "a project called Skarn"
    may_be_name = tree.is_root(noun) or tree.is_predicate(noun)
    may_be_name |= tree.parse.relations[noun] in ("appos", "conj", "parataxis")
    may_be_name |= tree.parse.relations[name_index] == "xcomp"
    if may_be_name and tree.parse.lemmas[noun].lower() in KIND_OF:
        return False
    return noun != tree.parse.heads[other_name_index] and other_name_index != tree.parse.heads[noun]


def _is_clause_with_relative_subject(tree: Tree, word: WordIndex) -> bool:
    return tree.parse.relations[word] == "acl:relcl" and any(
        tree.words[subject].lower() in RELATIVE_PRONOUNS
        for subject in tree.dependents(word, *SUBJECT_RELATIONS)
    )
