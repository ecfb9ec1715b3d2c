"""Governors of clauses: whether the clause on which another one depends asserts it.

"Reuters reported that Acme bought Globex" asserts the acquisition; "nobody believes that", "the rumour that"
and "it was never true that" do not, and neither does any word outside the list of asserting verbs. A clause
is asserted by itself only if it depends on no other clause, describes a name, or gives a time or a reason.
"""

from collections.abc import Iterator

from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.english.grammar import (
    ARTICLES,
    DOUBTS,
    INDEFINITE_WORDS,
    PEOPLE_PRONOUNS,
    RELATIVE_PRONOUNS,
)
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.syntax import SUBJECT_RELATIONS, Tree

_THAT = "that"
VOUCHING_VERBS = split_into_word_set("""
    say state write report announce confirm show reveal know learn find discover note recall remember tell add
""")
"""Lemmas of verbs whose complement clause is taken as true if they have a definite subject and are not
doubted.
"""
_COMPLEMENT_RELATIONS = frozenset(("ccomp", "csubj", "csubj:pass", "csubj:outer"))
_DESCRIPTION_RELATIONS = frozenset(("acl", "acl:relcl"))
_DEFINITE_PRONOUNS = PEOPLE_PRONOUNS | RELATIVE_PRONOUNS | {"it", "they", "we", "i"}
_DOUBTFUL_WORDS = DOUBTS | {"or"}
_NON_CIRCUMSTANCE_MARKS = DOUBTS | {"of", "for"}
"""Marks of a clause that gives neither a time nor a reason."""
_DEFINITE_DETERMINERS = ARTICLES - INDEFINITE_WORDS | {"this", "that", "these", "those"}
_RELATIVE_PRONOUNS = RELATIVE_PRONOUNS - {_THAT}


def is_said_to_hold(tree: Tree, source: Unit, target: Unit, *, is_denied: bool) -> bool:
    """Return whether the sentence itself asserts its claim about two of its names.

    A noun's own description ("the CEO of Acme, Ann Lee") is asserted in any context. `is_denied`: the claim
    is a denial; denying phrases contain infinitives ("used to be owned").
    """
    source_word, target_word = tree.find_words_of_units(source, target)
    if source_word is None or target_word is None:
        return True
    words_below, common_ancestor = tree.find_path(source_word, target_word)
    predicates = [word for word in words_below if tree.is_predicate(word)]
    if source_word != target_word and not predicates and not tree.is_predicate(common_ancestor):
        return True
    if any(
        _find_described_name(tree, word) in (source_word, target_word)
        for word in (*predicates, common_ancestor)
    ):
        return True
    return all(
        _is_asserted_by_governor(tree, word, is_denied=is_denied)
        for word in (*predicates, *_iterate_governing_predicates(tree, common_ancestor))
    )


def _iterate_governing_predicates(tree: Tree, word: WordIndex) -> Iterator[WordIndex]:
    """Yield the predicates from a word up to the root, or to one that only describes a name."""
    for ancestor in tree.ancestors(word):
        if tree.is_predicate(ancestor):
            yield ancestor
            if _find_described_name(tree, ancestor) is not None:
                return


def _is_asserted_by_governor(tree: Tree, word: WordIndex, *, is_denied: bool) -> bool:
    """Return whether the governor of a clause asserts it; `word` is the clause's predicate."""
    if (
        _is_verb_parsed_as_subject(tree, word)
        or _is_retracted_later(tree, word)
        or _is_clause_attributed_to_nobody(tree, word)
    ):
        return False
    head, relation = tree.parse.heads[word], tree.parse.relations[word]
    if tree.is_root(word):
        return not _does_that_precede_clause(tree, word)
    if relation in _COMPLEMENT_RELATIONS:
        subjects = tree.dependents(word, *SUBJECT_RELATIONS)
        # A clause without a subject and mark, or with a relative subject, is not a complement, whatever the
        # network calls it.
        if not (subjects or tree.dependents(word, "mark")) or _find_relative_pronoun(tree, word) is not None:
            return True
        return _asserts_complement(tree, head)
    if relation in _DESCRIPTION_RELATIONS:
        # Only nouns can be described: the network may take "the record shows that" for a description.
        return (
            _asserts_complement(tree, head) if tree.is_verb(head) else not _is_complement_of_noun(tree, word)
        )
    if relation == "xcomp":
        return is_denied or not _is_infinitive_with_auxiliary(tree, word)
    if relation == "advcl":
        if _does_that_precede_clause(tree, word):
            return _asserts_complement(tree, head)
        mark_words = {tree.words[mark].lower() for mark in tree.dependents(word, "mark")}
        return mark_words.isdisjoint(_NON_CIRCUMSTANCE_MARKS)
    return not _does_that_precede_clause(tree, word) or (
        relation == "conj" and _is_asserted_by_governor(tree, head, is_denied=is_denied)
    )


def _is_retracted_later(tree: Tree, word: WordIndex) -> bool:
    """Return whether a later clause retracts this one or attributes it to somebody: "…, or so he thinks",
    "…, nobody believes".
    """
    for child in tree.dependents(word, "conj", "parataxis"):
        speakers = tree.dependents(child, *SUBJECT_RELATIONS)
        if child < word or not any(_may_subject_speak(tree, speaker) for speaker in speakers):
            continue
        conjunctions = {tree.words[conjunction].lower() for conjunction in tree.dependents(child, "cc")}
        if conjunctions:
            if not conjunctions.isdisjoint(_DOUBTFUL_WORDS):
                return True
        elif tree.words[min(tree.descendants(child)) - 1] == "," and not (
            tree.dependents(child, "obj", "obl", "cop", "ccomp", "xcomp") or _asserts_complement(tree, child)
        ):
            return True
    return False


def _is_verb_parsed_as_subject(tree: Tree, word: WordIndex) -> bool:
    """Return whether a verb is the subject, so that the parse is wrong: "Ann Lee fears Acme owns Globex"."""
    return any(
        tree.is_verb(subject)
        and any(_may_subject_speak(tree, speaker) for speaker in tree.dependents(subject, *SUBJECT_RELATIONS))
        for subject in tree.dependents(word, *SUBJECT_RELATIONS)
    )


def _is_clause_attributed_to_nobody(tree: Tree, word: WordIndex) -> bool:
    """Return whether the clause is attributed to nobody in particular: "according to an old joke"."""
    return any(
        not _is_definite_or_named_subject(tree, source)
        and any(tree.words[case].lower() == "according" for case in tree.dependents(source, "case"))
        for source in tree.dependents(word, "obl")
    )


def _may_subject_speak(tree: Tree, subject: WordIndex) -> bool:
    return subject in tree.units or tree.parse.upos[subject] in ("PROPN", "PRON")


def _does_that_precede_clause(tree: Tree, word: WordIndex) -> bool:
    """Return whether "that" precedes the clause, wherever the parser attaches it."""
    first_words = (min(tree.descendants(subject)) for subject in tree.dependents(word, *SUBJECT_RELATIONS))
    return any(first_word > 0 and tree.words[first_word - 1].lower() == _THAT for first_word in first_words)


def _is_complement_of_noun(tree: Tree, word: WordIndex) -> bool:
    """Return whether a clause after a noun is its content: "the rumour that Acme bought Globex".

    In the relative clause of "the company that Acme bought" the object, which would follow the verb, is
    missing.
    """
    if _is_infinitive_with_auxiliary(tree, word):
        return True
    if not _does_that_precede_clause(tree, word):
        return False
    next_index = word + 1
    return next_index in tree.units or (
        next_index < len(tree.words)
        and tree.parse.upos[next_index] in ("DET", "PRON", "NOUN", "PROPN", "ADJ", "ADP")
    )


def _is_infinitive(tree: Tree, word: WordIndex) -> bool:
    return any(tree.words[mark].lower() == "to" for mark in tree.dependents(word, "mark"))


def _is_infinitive_with_auxiliary(tree: Tree, word: WordIndex) -> bool:
    """Return whether a clause is an infinitive with an auxiliary: "to have bought", "to be owned".

    A bare infinitive is only claimed by phrases that contain it, "left Acme to join".
    """
    return _is_infinitive(tree, word) and bool(tree.dependents(word, "aux", "aux:pass", "cop"))


def _find_relative_pronoun(tree: Tree, word: WordIndex) -> WordIndex | None:
    """Return the index of "who" or "which" as the subject of a clause, or None."""
    return next(
        (
            index
            for index in tree.dependents(word, *SUBJECT_RELATIONS)
            if tree.words[index].lower() in _RELATIVE_PRONOUNS
        ),
        None,
    )


def _find_described_name(tree: Tree, word: WordIndex) -> WordIndex | None:
    """Return the index of the name that a clause describes, or None: "Bob Stone, who founded Acme"."""
    if tree.parse.relations[word] not in _DESCRIPTION_RELATIONS or _does_that_precede_clause(tree, word):
        return None
    relative_pronoun, head = _find_relative_pronoun(tree, word), tree.parse.heads[word]
    # "A friend of Acme, which": after a comma the clause describes the next name.
    if (
        relative_pronoun is not None
        and tree.words[relative_pronoun - 1] == ","
        and relative_pronoun - 2 in tree.units
    ):
        return relative_pronoun - 2
    return head if head in tree.units else None


def _asserts_complement(tree: Tree, verb: WordIndex) -> bool:
    """Return whether a verb asserts its complement clause."""
    if tree.parse.lemmas[verb].lower() not in VOUCHING_VERBS or tree.is_doubted(verb):
        return False
    subjects = [*tree.dependents(verb, *SUBJECT_RELATIONS), *tree.dependents(verb, "expl")]
    if not subjects:
        # "Amended to say that" asserts the clause, "wants to say that" does not.
        is_purpose = tree.parse.relations[verb] == "advcl"
        return not tree.is_root(verb) and (is_purpose or not _is_infinitive(tree, verb))
    if tree.dependents(verb, "aux:pass") and any(tree.words[subject].lower() != "it" for subject in subjects):
        return False  # "We were told"
    return all(_is_definite_or_named_subject(tree, subject) for subject in subjects)


def _is_definite_or_named_subject(tree: Tree, subject: WordIndex) -> bool:
    """Return whether a subject is a name, definite or a pronoun, but not "nobody" or "few"."""
    if subject in tree.units:
        return not tree.is_doubted(subject)
    if tree.parse.upos[subject] == "NOUN":
        return any(
            tree.words[determiner].lower() in _DEFINITE_DETERMINERS
            for determiner in tree.dependents(subject, "det")
        ) or any(_is_definite_owner(tree, owner) for owner in tree.dependents(subject, "nmod:poss"))
    return tree.parse.upos[subject] == "PROPN" or tree.words[subject].lower() in _DEFINITE_PRONOUNS


def _is_definite_owner(tree: Tree, owner: WordIndex) -> bool:
    """Return whether an owner makes its noun definite: "our list", "Acme's list", but not "nobody's list"."""
    has_genitive_ending = bool(tree.dependents(owner, "case"))
    return (
        _is_definite_or_named_subject(tree, owner)
        if has_genitive_ending
        else tree.parse.upos[owner] == "PRON"
    )
