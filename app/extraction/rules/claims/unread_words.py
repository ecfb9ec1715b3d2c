"""Words of a clause that a claim leaves unread: whether they change what the clause says of two names.

The rules read the words between two names. "Hitler wrote Daladier that", "a plan to make Brazil a member of
the Council", "moved to affect Oslo" and "assistant to the head of Acme" say something else than these words
alone.
"""

from app.domain.node_types import PEOPLE
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.english.grammar import CONTAINING_PREPOSITIONS
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.phrase_patterns import PHRASE_OPENING_NOUNS
from app.extraction.rules.english.verbless_pairs import POST_NOUNS
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.syntax import RELATIVE_PRONOUNS, SUBJECT_RELATIONS, Tree

_OBJECT_RELATIONS = ("obj", "iobj")
_CLAUSE_RELATIONS = ("ccomp", "xcomp")
_WHOLE_WORDS = frozenset(("all", "both", "each"))
"""Words before "of whom" with which a clause is about everybody."""
_PREPOSITIONS_OF_ADDRESSEE = frozenset(("to", "from", "for", "against", "with", "without"))


def leaves_words_unread(tree: Tree, source: Unit, target: Unit, *, is_location: bool) -> bool:
    """Return whether words beside two names make their clause say something else; `is_location`: the claim
    is about a place.
    """
    source_word, target_word = tree.find_words_of_units(source, target)
    if source_word is None or target_word is None or source_word == target_word:
        return False
    first_word, last_word = sorted((source_word, target_word))
    return (
        _is_clause_about_part_of_first_name(tree, first_word, last_word)
        or _is_role_of_next_member(tree, source_word, target_word)
        or _is_role_of_addressee(tree, first_word, last_word)
        or _is_within_object_of_other_verb(tree, source_word, target_word)
        or _is_in_planned_clause(tree, first_word, last_word)
        or _does_clause_describe_its_object(tree, first_word, last_word)
        or _is_name_within_reported_content(tree, first_word, last_word)
        or _does_preposition_exclude_name_from_subject(tree, first_word, last_word)
        or (
            is_location
            and target.kind == "Location"
            and (
                _does_place_belong_to_something_else(tree, source_word, target_word)
                or _does_place_begin_next_clause(tree, source_word, target_word)
                or _does_place_only_qualify_noun_or_verb(tree, source_word, target_word)
                or _is_name_of_noun(tree, source_word, target_word)
            )
        )
        or (target.kind not in PEOPLE and _is_post_under_other_post(tree, source_word, target_word))
    )


def is_part_of_name_or_no_name(tree: Tree, unit: Unit) -> bool:
    """Return whether a name is only a part of one, an adjective or an interjection."""
    (word,) = tree.find_words_of_units(unit)
    return word is not None and (
        _is_first_part_of_title(tree, word)
        or _is_unsure_adjective(tree, word)
        or (tree.parse.upos[word] == "INTJ" and not tree.units[word].is_certain)
    )


def _is_first_part_of_title(tree: Tree, word: WordIndex) -> bool:
    """Return whether a name is the first part of a title: "in Avengers: Endgame". What is surely a place or
    body has no subtitle, and after a person a name begins a list, "with Eva Berg: Max Berg and Tom Berg".
    """
    kind = tree.units[word].known_kind
    return (
        word in tree.cut_positions
        and kind not in ("Location", "Organization")
        and tree.words[word + 1 : word + 2] == [":"]
        and not (kind in PEOPLE and word + 2 in tree.units)
    )


def _is_clause_about_part_of_first_name(tree: Tree, first_word: WordIndex, last_word: WordIndex) -> bool:
    """Return whether a clause between two names is about a part of the first: "Ann Lee and Bob Ray, the
    latter of whom founded Acme", "Acme, the head of which joined Zeta".
    """
    return any(
        tree.words[word - 1].lower() == "of"
        and tree.words[word].lower() in ("whom", "which")
        and tree.words[word - 2].lower() not in _WHOLE_WORDS
        and not (
            tree.words[word - 2].lower() == "latter"
            and tree.units.keys().isdisjoint(range(first_word + 1, word))
        )
        for word in range(first_word + 3, last_word)
    )


def _is_unsure_adjective(tree: Tree, word: WordIndex) -> bool:
    """Return whether a name of unknown kind is an adjective: "the Sufi teacher", "the Corsican capital"."""
    return tree.parse.relations[word] == "amod" and not tree.units[word].is_certain


def _is_role_of_addressee(tree: Tree, first_word: int, last_word: int) -> bool:
    """Return whether a noun between two names is somebody to or from whom the first one is: "Roosevelt to the
    Premier of Italy", "a letter of Ann Lee for the head of Acme".
    """
    return any(
        first_word < noun < last_word
        and last_word in tree.descendants(noun)
        and any(
            tree.words[case].lower() in _PREPOSITIONS_OF_ADDRESSEE for case in tree.dependents(noun, "case")
        )
        for noun in tree.dependents(first_word, "nmod")
    )


def _is_role_of_next_member(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether one role after two joined people is the second one's: "Ann Lee and Bob Ray, head of
    Acme".
    """
    members = [
        member
        for member in tree.dependents(tree.find_first_conjunct(word), "conj")
        if member in tree.units and word < member < other_word
    ]
    if not members or tree.words[members[-1] + 1] != ",":
        return False
    words_between = range(members[-1] + 2, other_word)
    role = next((index for index in words_between if tree.parse.upos[index] == "NOUN"), None)
    return (
        role is not None
        and role not in tree.units
        and tree.words[role] == tree.parse.lemmas[role]
        and not any(tree.is_predicate(index) for index in words_between)
    )


def _is_within_object_of_other_verb(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether a name belongs to the object of a verb, and the other one to a second verb of the same
    subject: "a storm struck the Oslo region and caused".
    """
    noun = tree.parse.heads[word]
    verb = tree.parse.heads[noun]
    return (
        noun > word
        and tree.parse.relations[noun] in _OBJECT_RELATIONS
        and tree.is_verb(verb)
        and any(
            tree.parse.relations[second] == "conj"
            and tree.parse.heads[second] == verb
            and tree.is_verb(second)
            and noun < second
            and not tree.dependents(second, *SUBJECT_RELATIONS)
            for second in tree.ancestors(other_word)
        )
    )


def _is_in_planned_clause(tree: Tree, first_word: WordIndex, last_word: WordIndex) -> bool:
    """Return whether both names are in an infinitive that describes a noun: "a plan to make Brazil a member
    of the Council".
    """
    # "The failure to save his uncle Ben": whose uncle he is, is no part of the plan.
    if tree.parse.relations[first_word] == "nmod:poss":
        return False
    words_between = range(first_word + 1, last_word)
    has_words_between = any(
        tree.parse.upos[word] != "PUNCT" and word not in tree.units for word in words_between
    )
    return has_words_between and any(
        tree.parse.relations[word] == "acl"
        and tree.parse.upos[tree.parse.heads[word]] == "NOUN"
        and tree.parse.heads[word] not in (first_word, last_word)
        and any(tree.words[mark].lower() == "to" for mark in tree.dependents(word, "mark"))
        for word in tree.ancestors(tree.find_path(first_word, last_word)[1])
    )


def _does_clause_describe_its_object(tree: Tree, subject: WordIndex, word: WordIndex) -> bool:
    """Return whether the clause goes on to say what its object does or is: "wrote Bob that", "made the Serbs
    victims of"; a post that follows is read, "made Ann Lee head of Acme".
    """
    first_member = tree.find_first_conjunct(word)
    verb = tree.parse.heads[first_member]
    if not tree.is_verb(verb) or not subject < verb < word:
        return False
    if tree.parse.relations[first_member] not in (*_OBJECT_RELATIONS, "obl"):
        return False
    is_person = tree.units[word].kind in PEOPLE
    return any(
        child > word and _is_second_predicate(tree, child, word) and not (is_person and _is_post(tree, child))
        for child in (
            *tree.dependents(verb, *_CLAUSE_RELATIONS, *_OBJECT_RELATIONS, "advcl"),
            *tree.dependents(first_member, "acl", "acl:relcl"),
        )
    )


def _is_second_predicate(tree: Tree, word: WordIndex, object_word: WordIndex) -> bool:
    """Return whether a word after an object opens a complement: "that", or a noun that the object becomes."""
    relation = tree.parse.relations[word]
    if any(
        tree.words[subject].lower() in RELATIVE_PRONOUNS
        for subject in tree.dependents(word, *SUBJECT_RELATIONS)
    ):
        return False  # The network may take a clause about the object for a complement.
    is_content = bool(tree.dependents(word, *SUBJECT_RELATIONS)) and any(
        tree.words[mark].lower() == "that" for mark in tree.dependents(word, "mark")
    )
    is_description = (
        relation in ("xcomp", *_OBJECT_RELATIONS)
        and tree.parse.upos[word] in ("NOUN", "ADJ")
        and word not in tree.units
        and not tree.dependents(word, "case")
    )
    # "Makes Falcon look good"
    is_description |= (
        relation == "xcomp"
        and tree.parse.upos[word] == "VERB"
        and tree.words[word].lower() == tree.parse.lemmas[word].lower()
        and not tree.dependents(word, "mark")
    )
    # After a comma it is an apposition or the next clause: "created Fossil, a system that", "but it changes".
    is_separated = "," in tree.words[object_word:word]
    return is_content or (not is_separated and (is_description or relation == "ccomp"))


def _is_name_within_reported_content(tree: Tree, subject: WordIndex, word: WordIndex) -> bool:
    """Return whether a name is within what somebody says or thinks: "wrote the Daladier plan failed"."""
    words_below, verb = tree.find_path(subject, word)
    return tree.parse.relations[subject] in SUBJECT_RELATIONS and any(
        tree.parse.relations[below] == "ccomp"
        and tree.parse.heads[below] == verb
        and bool(tree.dependents(below, *SUBJECT_RELATIONS))
        for below in words_below
    )


def _is_post(tree: Tree, word: WordIndex) -> bool:
    return tree.words[word].lower() in PHRASE_OPENING_NOUNS | POST_NOUNS


def _does_preposition_exclude_name_from_subject(
    tree: Tree, first_word: WordIndex, last_word: WordIndex
) -> bool:
    """Return whether a preposition makes the first name no subject of the predicate between the two: "in Oslo
    were moved into Acme", "unlike Oslo, the town was a part of Acme".
    """
    predicate = tree.parse.heads[first_word]
    return (
        first_word < predicate < last_word
        and tree.is_predicate(predicate)
        and tree.parse.relations[first_word] in ("obl", "nmod")
        and bool(tree.dependents(first_word, "case"))
        and last_word not in tree.dependents(predicate, *SUBJECT_RELATIONS)
    )


def _does_place_begin_next_clause(tree: Tree, word: WordIndex, place_word: WordIndex) -> bool:
    """Return whether a place after another name begins the next clause: "Back at Oslo, Norway informs"."""
    verb = place_word + 1
    return (
        word < place_word < len(tree.words) - 1
        and tree.is_verb(verb)
        and tree.parse.heads[place_word] == verb
        and word not in tree.descendants(verb)
    )


def _does_place_belong_to_something_else(tree: Tree, word: WordIndex, place_word: WordIndex) -> bool:
    """Return whether a place says where something else is, or how far away: "moved to affect Oslo", "to 90 km
    south of Oslo", "closer to Oslo", "closer to its allies, Norway and Denmark".
    """
    words_above = list(tree.ancestors(place_word))
    verb = next((above for above in words_above if tree.is_verb(above) and word < above < place_word), None)
    if verb is None:
        return False
    chain = words_above[: words_above.index(verb)]
    place = tree.find_first_conjunct(place_word)
    if tree.parse.relations[place] in _OBJECT_RELATIONS:
        return any(tree.words[mark].lower() == "to" for mark in tree.dependents(verb, "mark"))
    if _is_distance_before_place(tree, place, chain):
        return True
    noun = tree.parse.heads[place]
    if (
        tree.parse.relations[place] == "appos"
        and noun not in tree.units
        and KIND_OF.get(tree.parse.lemmas[noun].lower()) != "Location"
    ):
        return True
    return _does_adverb_only_say_how_it_moves(tree, verb, chain)


def _does_place_only_qualify_noun_or_verb(tree: Tree, word: WordIndex, place_word: WordIndex) -> bool:
    """Return whether a place after another one belongs to the noun or adverb that the other one qualifies, or
    to its verb: "the envoy of Norway in Oslo", "south of Norway in the North Sea".
    """
    noun, relations = tree.parse.heads[word], tree.parse.relations
    if not (noun < word < place_word) or noun in tree.units or tree.is_predicate(noun):
        return False
    if tree.units[word].kind != "Location" or KIND_OF.get(tree.parse.lemmas[noun].lower()) == "Location":
        return False
    return (
        relations[word] in ("nmod", "obl")
        and [tree.words[case].lower() for case in tree.dependents(word, "case")] == ["of"]
        and bool(tree.dependents(place_word, "case"))
        and place_word not in tree.descendants(word)
        and not any(tree.parse.upos[index] in ("NOUN", "PUNCT") for index in range(word + 1, place_word))
    )


def _is_name_of_noun(tree: Tree, word: WordIndex, place_word: WordIndex) -> bool:
    """Return whether a place after another kind of name is what the noun before that one is: "the republic of
    the Federation, Macedonia".
    """
    noun = tree.parse.heads[word]
    return (
        noun < word
        and tree.words[word + 1 : place_word] == [","]
        and tree.units[word].kind != "Location"
        and noun not in tree.units
        and [tree.words[case].lower() for case in tree.dependents(word, "case")] == ["of"]
        and KIND_OF.get(tree.parse.lemmas[noun].lower()) == "Location"
    )


def _is_distance_before_place(tree: Tree, place_word: WordIndex, chain: list[WordIndex]) -> bool:
    """Return whether a number of things is before the preposition of a place, "20 km from Oslo", "20 km to
    the south of Oslo"; not "with two children to Oslo".
    """
    cases = tree.dependents(place_word, "case")
    if not cases or tree.words[cases[0]].lower() in CONTAINING_PREPOSITIONS | {"to"}:
        return False
    noun = cases[0] - 1
    while noun > 0 and tree.parse.upos[noun] == "ADV":
        noun -= 1
    return any(
        word not in tree.units and tree.parse.upos[word] == "NOUN" and bool(tree.dependents(word, "nummod"))
        for word in (noun, *chain)
    )


def _does_adverb_only_say_how_it_moves(tree: Tree, verb: WordIndex, chain: list[WordIndex]) -> bool:
    """Return whether an adverb before "to" says how something moves: "closer to", but not "back to"."""
    for word in chain:
        cases = tree.dependents(word, "case")
        if not cases or tree.words[cases[0]].lower() != "to":
            continue
        before = cases[0] - 1
        return (
            before > verb
            and tree.parse.upos[before] in ("ADV", "ADJ")
            and tree.words[before].lower().endswith("er")
        )
    return False


def _is_post_under_other_post(tree: Tree, word: WordIndex, other_word: WordIndex) -> bool:
    """Return whether somebody has a post under the holder of another one: "assistant to the head of Acme"."""
    words_below, common_ancestor = tree.find_path(word, other_word)
    posts = [
        below
        for below in (*words_below, common_ancestor)
        if below not in (word, other_word)
        and below not in tree.units
        and tree.words[below].lower() in POST_NOUNS
        and below in tree.ancestors(other_word)
    ]
    return any(tree.parse.relations[post] == "nmod" and tree.parse.heads[post] in posts for post in posts)
