"""Clauses that join two names of a sentence, and the words that join them.

Clauses are read in Universal Dependencies: agent and patient in the active or passive voice, copulas,
appositions and places. Negated, interrogative, conditional, desired or reported clauses give nothing, and
neither does a clause with an unknown word between its ends.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.domain.node_types import PEOPLE
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.date_patterns import MONTHS
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.syntax import (
    MIN_REFERENCE_CONFIDENCE,
    NEUTRAL_ADVERBS,
    RELATIVE_PRONOUNS,
    SUBJECT_RELATIONS,
    RelationEnd,
    Tree,
)

MAX_PREDICATE_LENGTH = 7
"""Maximum number of words that join two names; more words are a clause of their own."""

ASSERTED_CLAUSE_RELATIONS = frozenset(("root", "conj", "acl:relcl", "acl"))
"""Relations under which a clause is asserted."""
_PHRASE_RELATIONS = frozenset(("nsubj", "nsubj:pass", "obj", "obl", "obl:agent", "nmod", "appos"))
"""Relations of a phrase within a clause; the phrase is asserted if its clause is."""
_DOUBTING_RELATIONS = frozenset(
    ("mark", "csubj", "csubj:pass", "expl", "ccomp", "xcomp", "parataxis", "discourse")
)
"""Dependents of a predicate that make more of it, or less, than an assertion."""
_OMISSIBLE_RELATIONS = frozenset(
    ("det", "punct", "aux", "aux:pass", "cop", "amod", "nummod", "compound", "advmod", "nmod:poss")
)
"""Dependents of a predicate's words that may be left out of the statement."""
_DATE_WORDS = frozenset((*MONTHS, "early", "mid", "late", "spring", "summer", "autumn", "winter", "year"))
_UNREAD_RELATIONS = frozenset(
    ("obl:unmarked", "nmod:unmarked", "dep", "orphan", "dislocated", "vocative", "goeswith", "reparandum")
)
"""Dependents of a predicate that are not understood unless they are dates."""
_FOLLOWING_RELATIONS = frozenset(("conj", "appos", "flat", "fixed"))
"""Relations of dependents that follow their head; a tree in which they precede it is wrong."""
SEPARATING_MARKS = frozenset((",", "(", "–", "—"))
"""Marks after a verb with which its complement does not begin."""
_INCOMPLETE_AUXILIARIES = frozenset(("be", "been", "being"))
_NEUTRAL_RELATIONS = frozenset(("punct", "cc", "appos", "case", "acl:relcl", "advmod"))
"""Dependents after a target that do not change a statement."""
_NOUN_TAGS = frozenset(("PROPN", "NOUN", "X", "NUM", "ADJ"))
_SMALL_MARKS = frozenset((",", "(", ")", '"', "“", "”", "'", "‘", "’"))
_CIRCUMSTANCE_PREPOSITIONS = split_into_word_set("""
    in at on during by after before near since until through over under around across within throughout of
""")
"""Prepositions of optional adjuncts of time and place."""
_OBJECT_RELATIONS = ("obj", "iobj")
JOINING_CONJUNCTIONS = frozenset(("and", "&"))
_COLLECTIVE_PREPOSITIONS = frozenset(("between", "among", "amongst"))
"""Prepositions whose objects are meant together, not individually."""
_EXCLUDING_PREPOSITIONS = frozenset(("without", "except", "unlike", "instead", "than", "according"))
"""Prepositions of what a clause does not hold for, or of who says so."""
_PREDICATIVE_PREPOSITIONS = frozenset(("as",))
"""Prepositions of a complement that describes the object and is essential to the statement."""


class _JoinedName(NamedTuple):
    """A name that a predicate leads to, with the words between them."""

    end: RelationEnd
    words: list[WordIndex]


class _Subject(NamedTuple):
    """The subject of a predicate; `is_in_clause` if it is in the clause itself."""

    end: RelationEnd
    is_in_clause: bool


class JoinedNames(NamedTuple):
    """Two names that a clause joins by a predicate; `word` is the index of the word that states it."""

    source: RelationEnd
    target: RelationEnd
    word: WordIndex
    predicate: str


def find_names_joined_by_clauses(tree: Tree) -> Iterator[JoinedNames]:
    """Yield the names that the sentence's clauses join."""
    for word, relation in enumerate(tree.parse.relations):
        if word in tree.units:
            yield from _read_appositions(tree, word)
        if relation not in ASSERTED_CLAUSE_RELATIONS or not _is_asserted(tree, word):
            continue
        is_verb = tree.parse.upos[word] == "VERB" and word not in tree.units
        if not is_verb and not tree.dependents(word, "cop"):
            continue
        is_passive = is_verb and _is_passive(tree, word)
        for subject, is_in_clause in _list_subjects(tree, word, "nsubj:pass" if is_passive else "nsubj"):
            targets = (
                _list_targets_of_verb(tree, word, is_passive=is_passive)
                if is_verb
                else _list_targets_of_copula(tree, word)
            )
            for end, words in targets:
                is_covered = _are_words_between_covered(
                    tree, word, words, end, subject if is_in_clause else None
                )
                predicate = _join_predicate_words(tree, words) if is_covered else ""
                if predicate:
                    yield JoinedNames(
                        subject,
                        end._replace(confidence=subject.confidence * end.confidence),
                        word,
                        predicate,
                    )


def _read_appositions(tree: Tree, name: WordIndex) -> Iterator[JoinedNames]:
    """Yield the statements of appositions: "Ann Lee, the head of Acme" and "the head of Acme, Ann Lee"."""
    nouns = tree.dependents(name, "appos")
    if tree.parse.relations[name] == "appos" and not tree.is_root(name):
        nouns.append(tree.parse.heads[name])
    if name in tree.cut_positions or tree.is_doubted(name):
        return
    for noun in nouns:
        if not tree.is_common_noun(noun) or not _are_in_apposition(tree, name, noun):
            continue
        # A noun without an article may be the next entry of a list.
        if tree.units[name].kind not in PEOPLE and not tree.dependents(noun, "det"):
            continue
        confidence = tree.confidence_of(noun if tree.parse.heads[noun] == name else name)
        describing_words = _list_describing_words(tree, noun)
        for end, words_between in _list_names_after_preposition(tree, noun, confidence):
            words = [*describing_words, *words_between]
            predicate = (
                _join_predicate_words(tree, words)
                if _are_words_between_covered(tree, noun, words, end, None)
                else ""
            )
            for entity in tree.units[name].entities if predicate else ():
                source = RelationEnd(entity, confidence * tree.units[name].max_confidence, name, name)
                yield JoinedNames(
                    source,
                    end._replace(confidence=end.confidence * tree.units[name].max_confidence),
                    noun,
                    predicate,
                )


def _are_in_apposition(tree: Tree, name: WordIndex, noun: WordIndex) -> bool:
    """Return whether a comma or a bracket is between them, and otherwise only modifiers of the noun."""
    words_between = range(min(name, noun) + 1, max(name, noun))
    if noun < name:
        # In "The head of Acme, Ann Lee" the noun's complement is between them as well.
        return any(tree.words[index] == "," for index in words_between) and all(
            index in tree.descendants(noun) for index in words_between
        )
    return any(tree.words[index] in SEPARATING_MARKS for index in words_between) and all(
        tree.words[index] in SEPARATING_MARKS or _only_modifies_any(tree, index, {noun})
        for index in words_between
    )


def _are_words_between_covered(
    tree: Tree,
    predicate_head: WordIndex,
    predicate_words: Sequence[WordIndex],
    target: RelationEnd,
    subject: RelationEnd | None,
) -> bool:
    """Return whether all words between the ends belong to the predicate, its light dependents, modifiers of
    the ends, or dates.
    """
    # A predicate that ends after the target is not handled.
    if max(predicate_words) >= target.phrase_head:
        return False
    covered_words = {
        *predicate_words,
        *(
            descendant
            for descendant in tree.descendants(target.phrase_head)
            if descendant >= target.phrase_head
        ),
    }
    border_words = [*predicate_words, target.phrase_head]
    if subject is not None:
        covered_words |= tree.descendants(subject.phrase_head)
        border_words.append(subject.phrase_head)
    for subject_word in tree.dependents(predicate_head, *SUBJECT_RELATIONS):
        if tree.words[subject_word].lower() in RELATIVE_PRONOUNS:
            covered_words.add(subject_word)
    covered_words |= list_date_words(tree, predicate_head)
    if not _may_omit_rest_of_clause(tree, predicate_head, target):
        return False
    return all(
        index in covered_words or _only_modifies_any(tree, index, covered_words)
        for index in range(min(border_words), max(border_words))
    )


def _may_omit_rest_of_clause(tree: Tree, word: WordIndex, target: RelationEnd) -> bool:
    """Return whether all words after the target, to the end of the clause, may be left out.

    Dates, places and separate clauses may; "to leave", "from leaving", "as a rival" or "to Acme" change the
    meaning.
    """
    is_object = tree.parse.relations[target.phrase_head] in _OBJECT_RELATIONS
    next_words = range(target.word + 1, min(target.word + 3, len(tree.words)))
    next_tags = [tree.parse.upos[index] for index in next_words]
    # A particle that is not a possessive is the "to" of an infinitive.
    if next_tags[:1] == ["PART"] and tree.words[next_words[0]][:1].isalpha():
        return False
    if is_object and next_tags[1:] == ["VERB"] and next_tags[0] in ("ADP", "SCONJ"):
        return False
    phrase_words = tree.descendants(target.phrase_head)
    own_children = [
        child for child in tree.children[word] if child > target.word and child not in phrase_words
    ]
    target_children = [
        child
        for head in {target.word, target.phrase_head}
        for child in tree.children[head]
        if child > target.word
    ]
    return all(
        _does_dependent_leave_statement_unchanged(tree, child, is_object)
        for child in [*own_children, *target_children]
    )


def _does_dependent_leave_statement_unchanged(tree: Tree, word: WordIndex, is_object: bool) -> bool:
    """Return whether a dependent after a target, which may be an object, does not change the statement."""
    relation = tree.parse.relations[word]
    if relation == "conj":
        return is_clause_joined_by_and(tree, word)
    if relation in _NEUTRAL_RELATIONS or _is_date_phrase(tree, word):
        return True
    if relation in ("obl", "obl:agent", "nmod"):
        prepositions = {tree.words[case].lower() for case in tree.dependents(word, "case")}
        if not is_object and relation == "obl":
            # "Moved to Oslo with Ann Lee": a verb that has come to its preposition needs no other one.
            return bool(prepositions) and prepositions.isdisjoint(_EXCLUDING_PREPOSITIONS)
        return bool(prepositions) and prepositions <= (
            _CIRCUMSTANCE_PREPOSITIONS
            if is_object
            else _CIRCUMSTANCE_PREPOSITIONS | _PREDICATIVE_PREPOSITIONS
        )
    return relation in ("acl", "advcl") and _is_detached_clause(tree, word)


def is_clause_joined_by_and(tree: Tree, conjunct: WordIndex) -> bool:
    """Return whether "and" joins a clause; a clause joined without it is reported ("told Acme it would").

    A clause joined by "or" may hold or not. In a list the last member has the "and"; names need none.
    """
    if tree.parse.upos[conjunct] != "VERB" and not tree.dependents(conjunct, "cop", *SUBJECT_RELATIONS):
        return True
    siblings = tree.dependents(tree.parse.heads[conjunct], "conj")
    conjunctions = [
        conjunction
        for sibling in siblings
        if sibling >= conjunct
        for conjunction in tree.dependents(sibling, "cc")
    ]
    return any(tree.words[conjunction].lower() != "or" for conjunction in conjunctions)


def _is_detached_clause(tree: Tree, verb: WordIndex) -> bool:
    """Return whether a clause not joined by "and" is a separate adjunct: "Acme, having lost", "after it
    lost".

    An infinitive, or "the theme of Acme having lost", is part of the statement.
    """
    first_index = min(
        index for index in tree.descendants(verb) if tree.parse.upos[index] != "PUNCT" or index == verb
    )
    first_word, is_after_comma = tree.words[first_index].lower(), tree.words[first_index - 1] == ","
    if first_word == "to":
        return False
    if tree.parse.relations[verb] == "acl":
        has_subject = bool(tree.dependents(verb, *SUBJECT_RELATIONS))
        return not has_subject and (is_after_comma or not first_word.endswith("ing"))
    mark_words = {tree.words[mark].lower() for mark in tree.dependents(verb, "mark")}
    return is_after_comma or first_word.endswith("ing") or bool(mark_words - {"to"})


def _only_modifies_any(tree: Tree, word: WordIndex, described_words: set[WordIndex]) -> bool:
    """Return whether a word only modifies a word that is already understood."""
    for ancestor in tree.ancestors(word):
        if ancestor in described_words:
            return True
        relation = tree.parse.relations[ancestor]
        if relation not in _OMISSIBLE_RELATIONS or ancestor in tree.units:
            return False
        if relation == "punct" and tree.words[ancestor] not in _SMALL_MARKS:
            return False
        # "that" before a name opens a clause.
        if tree.words[ancestor].lower() == "that" and ancestor + 1 in tree.units:
            return False
        if relation == "advmod" and tree.words[ancestor].lower() not in NEUTRAL_ADVERBS:
            return False
        if relation == "nmod:poss" and tree.parse.upos[ancestor] != "PRON":
            return False
        if not _can_describe_noun(tree, ancestor):
            return False
    return False


def _can_describe_noun(tree: Tree, word: WordIndex) -> bool:
    """Return whether the word can modify a noun; after "to" or a verb, a verb continues that verb."""
    if word == 0:
        return True
    is_verb, is_after_verb = (tree.parse.upos[index] == "VERB" for index in (word, word - 1))
    if is_after_verb:
        return not is_verb and not tree.words[word].lower().endswith("ing")
    return not (is_verb and tree.words[word - 1].lower() == "to")


def list_date_words(tree: Tree, word: WordIndex) -> set[WordIndex]:
    """Return the words of the dates that depend on a word."""
    return {
        descendant
        for child in tree.children[word]
        if _is_date_phrase(tree, child)
        for descendant in tree.descendants(child)
    }


def _is_date_phrase(tree: Tree, word: WordIndex) -> bool:
    """Return whether the word and its dependents are a date: numbers, months, and small words."""
    return all(
        tree.parse.upos[descendant] in ("NUM", "ADP", "DET", "PUNCT")
        or tree.words[descendant].lower() in _DATE_WORDS
        for descendant in tree.descendants(word)
    )


def _is_asserted(tree: Tree, word: WordIndex) -> bool:
    """Return whether the clause, and each clause that it depends on, is asserted."""
    for ancestor in tree.ancestors(word):
        if tree.is_doubted(ancestor):
            return False
        if ancestor == word or tree.is_root(ancestor):
            opening_words = tree.dependents(ancestor, *_DOUBTING_RELATIONS)
            if any(child not in _list_new_posts(tree, ancestor) for child in opening_words):
                return False
            if any(
                child > ancestor and not _is_date_phrase(tree, child)
                for child in tree.dependents(ancestor, *_UNREAD_RELATIONS)
            ):
                return False
            if any(child < ancestor for child in tree.dependents(ancestor, *_FOLLOWING_RELATIONS)):
                return False
        relation = tree.parse.relations[ancestor]
        if relation not in ASSERTED_CLAUSE_RELATIONS and (
            ancestor == word or relation not in _PHRASE_RELATIONS
        ):
            return False
    return True


def _list_new_posts(tree: Tree, verb: WordIndex) -> list[WordIndex]:
    """Return the nouns that a passive verb predicates of its subject: "was appointed head of Acme"."""
    if not tree.dependents(verb, "aux:pass"):
        return []
    return [child for child in tree.dependents(verb, "xcomp") if child > verb and tree.is_common_noun(child)]


def _is_passive(tree: Tree, verb: WordIndex) -> bool:
    if tree.dependents(verb, "aux:pass", "nsubj:pass"):
        return True
    # "Acme, founded by Ann Lee": a participle after its noun is passive unless it ends in "-ing".
    return tree.parse.relations[verb] == "acl" and not tree.words[verb].lower().endswith("ing")


def _list_subjects(tree: Tree, word: WordIndex, subject_relation: str) -> list[_Subject]:
    """Return the subjects: the clause's own, those of the verb it is joined to, or the noun it describes."""
    confidence = 1.0
    for ancestor in tree.ancestors(word):
        own_subjects = tree.dependents(ancestor, *SUBJECT_RELATIONS)
        # A root depends on nothing, whatever relation the network gives it.
        relation = "root" if tree.is_root(ancestor) else tree.parse.relations[ancestor]
        head = tree.parse.heads[ancestor]
        if own_subjects:
            if (
                len(own_subjects) > 1
                or tree.parse.relations[own_subjects[0]] != subject_relation
                or tree.dependents(own_subjects[0], "case")
            ):
                return []
            confidence *= tree.confidence_of(own_subjects[0])
            if relation != "acl:relcl":
                return [
                    _Subject(end, ancestor == word)
                    for end in _list_relation_ends_joined_at_word(tree, own_subjects[0], confidence)
                ]
            # "What he regarded as": the noun is the object of another verb.
            describes_head = tree.words[own_subjects[0]].lower() in RELATIVE_PRONOUNS
            # "The fear of Acme which" also describes the fear; with a comma it describes the next name.
            describes_head &= not _is_below_noun(tree, head) or tree.words[own_subjects[0] - 1] == ","
            return (
                _list_described_names(tree, head, confidence * tree.confidence_of(ancestor))
                if describes_head
                else []
            )
        if relation == "acl":
            # "The rights of Acme relating to" may describe the first noun too.
            is_unclear = _is_below_noun(tree, head)
            words_between = range(head + 1, ancestor)
            is_unclear |= any(
                tree.parse.upos[index] not in ("PUNCT", "ADV", "AUX") for index in words_between
            )
            return (
                []
                if is_unclear
                else _list_described_names(tree, head, confidence * tree.confidence_of(ancestor))
            )
        if relation != "conj":
            return []
        confidence *= tree.confidence_of(ancestor)
    return []


def _is_below_noun(tree: Tree, name: WordIndex) -> bool:
    return name in tree.units and tree.parse.relations[name] == "nmod"


def _list_described_names(tree: Tree, noun: WordIndex, confidence: float) -> list[_Subject]:
    """Return the names that a clause describes: the noun itself, or the name that the noun is predicated of.

    "Ann Lee is an engineer who …", "Ann Lee, an engineer who …", "the engineer Ann Lee, who …".
    """
    if tree.dependents(noun, "cop"):
        subjects = _list_subjects(tree, noun, "nsubj") if _is_asserted(tree, noun) else []
        return [subject._replace(is_in_clause=False) for subject in subjects]
    if noun in tree.units:
        return [_Subject(end, True) for end in _list_relation_ends_joined_at_word(tree, noun, confidence)]
    head = tree.parse.heads[noun]
    if tree.is_common_noun(noun) and tree.parse.relations[noun] == "appos" and head in tree.units:
        return [
            _Subject(end, False)
            for end in _list_relation_ends_joined_at_word(tree, head, confidence * tree.confidence_of(noun))
        ]
    return []


def _list_relation_ends_joined_at_word(
    tree: Tree, word: WordIndex, confidence: float, phrase_head: WordIndex | None = None
) -> Iterator[RelationEnd]:
    """Yield the name at this word, and the names joined to it by "and"."""
    phrase_head = word if phrase_head is None else phrase_head
    conjuncts = tree.dependents(word, "conj")
    conjunctions = {
        tree.words[conjunction].lower()
        for conjunct in conjuncts
        for conjunction in tree.dependents(conjunct, "cc")
    }
    # "A or B" and "A but not B" assert nothing of one without the other.
    if tree.is_doubted(word) or not conjunctions <= JOINING_CONJUNCTIONS:
        return
    if word in tree.units:
        unit = tree.units[word]
        if _is_name(tree, word) and unit.max_confidence >= MIN_REFERENCE_CONFIDENCE:
            for entity in unit.entities:
                yield RelationEnd(entity, confidence * unit.max_confidence, word, phrase_head)
    elif conjuncts and any(
        descendant in tree.units and descendant < conjuncts[0] for descendant in tree.descendants(word)
    ):
        # "The talks of Acme and Borg": Borg may depend on the talks or on Acme.
        return
    for joined_word in conjuncts:
        # "On the board and as its head": a conjunct with its own preposition, and perhaps those after it.
        if tree.dependents(joined_word, "case"):
            return
        yield from _list_relation_ends_joined_at_word(
            tree, joined_word, confidence * tree.confidence_of(joined_word), phrase_head
        )


def _is_name(tree: Tree, word: WordIndex) -> bool:
    """Return whether the word is a whole name that the parser tags as a noun."""
    if word in tree.cut_positions or tree.dependents(word, "nummod"):
        return False
    # Pronouns in `units` are resolved to a name.
    return tree.parse.upos[word] in _NOUN_TAGS or tree.units[word].is_reference


def _list_targets_of_verb(tree: Tree, verb: WordIndex, *, is_passive: bool) -> Iterator[_JoinedName]:
    """Yield the names that a verb leads to: its object, or the object of a preposition."""
    particles = tree.dependents(verb, "compound:prt")
    words = [*_list_auxiliaries(tree, verb, "aux:pass"), verb, *particles]
    confidence = tree.confidence_of(*particles)
    objects = tree.dependents(verb, *_OBJECT_RELATIONS)
    posts = _list_new_posts(tree, verb) if is_passive else []
    if len(objects) + len(posts) > 1:
        return
    for child in [*objects, *posts]:
        child_confidence = confidence * tree.confidence_of(child)
        if child in objects:
            for end in _list_names_at(tree, child, child_confidence):
                yield _JoinedName(end, words)
        if not tree.is_common_noun(child):
            # The object of a preposition is then an adjunct of both.
            return
        noun_phrase = _list_describing_words(tree, child)
        for end, words_between in _list_names_after_preposition(tree, child, child_confidence):
            yield _JoinedName(end, [*words, *noun_phrase, *words_between])
        words, confidence = [*words, *noun_phrase], child_confidence
    for end, words_between in _list_names_after_preposition(tree, verb, confidence):
        yield _JoinedName(end, [*words, *words_between])


def _list_targets_of_copula(tree: Tree, word: WordIndex) -> Iterator[_JoinedName]:
    """Yield the names of "X is the capital of Y" and "X is in Y": the noun with its modifiers, and its
    preposition.
    """
    cases = tree.dependents(word, "case")
    if any(tree.parse.upos[case] != "ADP" or tree.children[case] for case in cases) or len(cases) > 1:
        return
    copula_words = [*_list_auxiliaries(tree, word, "cop"), *cases]
    if word in tree.units:
        if cases and tree.words[cases[0]].lower() not in _COLLECTIVE_PREPOSITIONS:
            for end in _list_relation_ends_joined_at_word(tree, word, tree.confidence_of(word, *cases)):
                yield _JoinedName(end, copula_words)
    elif tree.parse.upos[word] in ("NOUN", "ADJ"):
        words = [*copula_words, *_list_describing_words(tree, word)]
        for end, words_between in _list_names_after_preposition(tree, word, 1.0):
            yield _JoinedName(end, [*words, *words_between])


def _list_names_at(tree: Tree, word: WordIndex, confidence: float) -> Iterator[RelationEnd]:
    """Yield the names at this word, or the one in apposition to a noun: "the magazine, The Witness"."""
    name_appositions = [
        apposition for apposition in tree.dependents(word, "appos") if apposition in tree.units
    ]
    if tree.is_common_noun(word) and len(name_appositions) == 1:
        yield from _list_relation_ends_joined_at_word(
            tree, name_appositions[0], confidence * tree.confidence_of(name_appositions[0]), word
        )
    else:
        yield from _list_relation_ends_joined_at_word(tree, word, confidence)


def _list_names_after_preposition(tree: Tree, word: WordIndex, confidence: float) -> Iterator[_JoinedName]:
    """Yield names that depend on a word through a preposition, or on a noun that does, with the words
    between.
    """
    for child in tree.dependents(word, "obl", "obl:agent", "nmod"):
        cases = tree.dependents(child, "case")
        # Before its clause it is an adjunct: "After four years with X, Y was sold". A preposition of several
        # words may reverse the meaning: "instead of".
        if len(cases) != 1 or child < word or tree.children[cases[0]] or tree.parse.upos[cases[0]] != "ADP":
            continue
        # "With Acme rising in the west" is a clause without a finite verb.
        if tree.dependents(child, "advcl"):
            continue
        arc_confidence = confidence * tree.confidence_of(child, *cases)
        for end in (
            _list_names_at(tree, child, arc_confidence)
            if tree.words[cases[0]].lower() not in _COLLECTIVE_PREPOSITIONS
            else ()
        ):
            yield _JoinedName(end, cases)
        if tree.is_common_noun(child):
            noun_phrase = _list_describing_words(tree, child)
            for end, words_between in _list_names_after_preposition(tree, child, arc_confidence):
                yield _JoinedName(end, [*cases, *noun_phrase, *words_between])


def _list_auxiliaries(tree: Tree, word: WordIndex, relation: str) -> list[WordIndex]:
    """Return the word's "is", "was" or "had been"; "’s" is excluded, because it may be "has"."""
    auxiliaries = [child for child in tree.dependents(word, relation) if tree.words[child].isalpha()]
    if any(tree.words[auxiliary].lower() in _INCOMPLETE_AUXILIARIES for auxiliary in auxiliaries):
        auxiliaries += [child for child in tree.dependents(word, "aux") if tree.words[child].isalpha()]
    return auxiliaries


def _list_describing_words(tree: Tree, noun: WordIndex) -> list[WordIndex]:
    """Return the noun and the words that say which or how many: "9 percent" is not any percent."""
    return [
        *tree.dependents(noun, "nummod"),
        *(
            modifier
            for modifier in tree.dependents(noun, "amod", "compound")
            if _can_describe_noun(tree, modifier)
        ),
        noun,
    ]


def _join_predicate_words(tree: Tree, words: list[WordIndex]) -> str:
    """Return the words of a predicate in text order; "" if they are too many, or one is a name or a
    symbol.
    """
    if len(words) > MAX_PREDICATE_LENGTH or not tree.units.keys().isdisjoint(words):
        return ""
    # A name of letters, digits and "_" says neither "9.5" nor "½".
    if not all(
        any(map(str.isalpha, tree.words[word])) or (tree.words[word].isascii() and tree.words[word].isdigit())
        for word in words
    ):
        return ""
    return " ".join(tree.words[word].lower() for word in sorted(set(words)))
