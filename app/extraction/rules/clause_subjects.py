"""The subject of a clause: its words, the nodes that it names, and whether it refers to another sentence.

All words of the clause before the subject are kept with it.
"""

from collections.abc import Sequence, Set
from typing import NamedTuple

from app.domain.node_types import PEOPLE
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.joined_names import JOINING_CONJUNCTIONS, is_clause_joined_by_and
from app.extraction.rules.syntax import (
    MIN_REFERENCE_CONFIDENCE,
    RELATIVE_PRONOUNS,
    SUBJECT_RELATIONS,
    RelationEnd,
    Tree,
)

MAX_SUBJECT_LENGTH = 40
"""Maximum number of words from the beginning of a clause to its predicate."""
MAX_NODES = 3
"""Maximum number of nodes, in text order, of a statement whose subject is not a node itself."""

END_MARKS = frozenset((",", ".", ";", ":", "!", "–", "—", "-"))
"""Marks that are stripped from the ends of a subject or clause."""
_JOINING_MARKS = JOINING_CONJUNCTIONS | {","}
"""Words that the parser may attach to a subject although they only link the clause to the previous one."""
_DESCRIBING_RELATIONS = frozenset(("det", "flat", "compound", "appos", "punct", "case", "fixed"))
"""Dependents that do not change what a name refers to."""
_RELATIONS_AFTER_COMMA = frozenset(("nmod", "acl", "acl:relcl", "nmod:desc"))
"""Dependents that do not change what a name refers to if a comma precedes them: "Ann Lee, of Acme,"."""
_IDENTIFYING_RELATIONS = frozenset(
    ("amod", "compound", "nmod", "nmod:poss", "nummod", "acl", "acl:relcl", "appos", "flat", "conj")
)
"""Dependents of a noun that identify its referent."""
_RELATIVE_PRONOUNS = RELATIVE_PRONOUNS | {"whom", "whose"}
DEMONSTRATIVES = frozenset(("this", "that", "these", "those", "such"))
"""Demonstratives that refer to an earlier sentence: "this plan"."""
_SUBJECT_PRONOUNS = frozenset(("he", "she", "they", "it"))


class Subject(NamedTuple):
    """The subject of a clause: the nodes that it names, its words, and the parser's confidence in its arcs.

    `predicate_start` is the index of the word after it, None if another clause provides the subject. A
    subject is `vague` if its words alone do not identify its referent: "the film". Names before the subject
    are `front_nodes`: "In Oslo".
    """

    nodes: list[RelationEnd]
    words: tuple[WordIndex, ...]
    confidence: float
    predicate_start: WordIndex | None
    is_vague: bool = False
    front_nodes: Sequence[RelationEnd] = ()


def find_clause_subject(tree: Tree, verb_index: WordIndex) -> Subject | None:
    """Return the subject of a clause: its own, that of the verb it is joined to, or the noun it describes."""
    confidence, clause_word = 1.0, verb_index
    while True:
        own_subjects = tree.dependents(clause_word, *SUBJECT_RELATIONS)
        relation = "root" if tree.is_root(clause_word) else tree.parse.relations[clause_word]
        head = tree.parse.heads[clause_word]
        expletives = [child for child in tree.dependents(clause_word, "expl") if child < clause_word]
        # "It is not true that" is about another clause.
        if expletives and not tree.dependents(clause_word, "csubj", "ccomp"):
            predicate_start = expletives[-1] + 1 if clause_word == verb_index else None
            return _build_expletive_subject(
                tree,
                clause_word,
                expletives[-1],
                confidence * tree.confidence_of(expletives[-1]),
                predicate_start,
            )
        if own_subjects:
            return _find_own_subject(
                tree, clause_word, own_subjects, confidence, is_main_verb=clause_word == verb_index
            )
        if relation == "acl" and not tree.words[clause_word].lower().endswith("ing"):
            return _find_described_subject(
                tree,
                head,
                clause_word,
                confidence * tree.confidence_of(clause_word),
                clause_word if clause_word == verb_index else None,
            )
        if relation != "conj" or not _is_joined_by_and(tree, clause_word):
            return None
        confidence *= tree.confidence_of(clause_word)
        clause_word = head


def _find_own_subject(
    tree: Tree, verb: WordIndex, subjects: Sequence[WordIndex], confidence: float, *, is_main_verb: bool
) -> Subject | None:
    """Return the verb's own subject; `is_main_verb` is True if the verb is the clause's main verb."""
    # The parser may make two subjects of "the party and its papers"; they are kept as one. A "subject" after
    # the verb belongs to the rest of the clause.
    subjects = [noun for noun in subjects if noun < verb]
    if not subjects:
        return None
    # "The mill Ann Lee opened burned down": two verbs in a row mean that one subject belongs to the other
    # verb.
    if len(subjects) > 1 and tree.parse.upos[verb + 1 : verb + 2] == ["VERB"]:
        return None
    noun = subjects[-1]
    subject_start = min(min(tree.descendants(subject)) for subject in subjects)
    # "More than two ships" contains a preposition; "some of them" has it after the first word.
    if any(case == subject_start for case in tree.dependents(noun, "case")):
        return None
    predicate_start = _find_last_word_of_subject(tree, noun, verb) + 1 if is_main_verb else None
    confidence *= tree.confidence_of(noun)
    if tree.is_root(verb) or tree.parse.relations[verb] != "acl:relcl":
        return _build_written_subject(tree, verb, subjects, confidence, predicate_start)
    if len(subjects) > 1:
        return None
    confidence *= tree.confidence_of(verb)
    if tree.words[noun].lower() in RELATIVE_PRONOUNS:
        return _find_described_subject(tree, tree.parse.heads[verb], noun, confidence, predicate_start)
    if tree.words[subject_start].lower() == "whose" and subject_start in tree.dependents(noun, "nmod:poss"):
        subject = _find_described_subject(
            tree, tree.parse.heads[verb], subject_start, confidence, predicate_start
        )
        return None if subject is None else subject._replace(words=tuple(range(subject_start, noun + 1)))
    return None


def _is_joined_by_and(tree: Tree, verb: WordIndex) -> bool:
    """Return whether "and" joins a verb to the previous one; "nor", "or" and "but" change what both
    assert.
    """
    siblings = tree.dependents(tree.parse.heads[verb], "conj")
    conjunctions = [
        conjunction
        for sibling in siblings
        if sibling >= verb
        for conjunction in tree.dependents(sibling, "cc")
    ]
    return is_clause_joined_by_and(tree, verb) and all(
        tree.words[conjunction].lower() in JOINING_CONJUNCTIONS for conjunction in conjunctions
    )


def _find_described_subject(
    tree: Tree,
    name: WordIndex,
    opening_index: WordIndex,
    confidence: float,
    predicate_start: WordIndex | None,
) -> Subject | None:
    """Return the name that a clause after a comma describes; "the fear of Acme, which" also describes the
    fear.
    """
    is_parenthetical = opening_index > 0 and tree.words[opening_index - 1] == ","
    if name not in tree.units and tree.parse.relations[name] == "appos" and not tree.is_root(name):
        # "Ann Lee, a lawyer from Leeds, who was elected".
        name = tree.parse.heads[name]
        is_parenthetical &= name in tree.units and tree.units[name].kind in PEOPLE
    if name not in tree.units or not is_parenthetical or tree.parse.relations[name] == "nmod":
        return None
    if _may_describe_previous_noun(tree, name):
        return None
    nodes = _find_node_of_word(tree, name, confidence)
    return Subject(nodes, (), confidence, predicate_start) if nodes else None


def _may_describe_previous_noun(tree: Tree, name: WordIndex) -> bool:
    """Return whether a clause after a name may be about the noun before its preposition: "by Acme in Leeds,
    which", wherever the parser attaches the name. "Who" refers to a person, "which" to a thing.
    """
    cases = tree.dependents(name, "case")
    word_before = min(tree.descendants(cases[0])) - 1 if cases else -1
    if word_before < 0 or tree.units[name].kind in PEOPLE:
        return False
    return word_before in tree.units or tree.parse.upos[word_before] in ("NOUN", "PROPN")


def _build_expletive_subject(
    tree: Tree, verb: WordIndex, expletive: WordIndex, confidence: float, predicate_start: WordIndex | None
) -> Subject | None:
    """Return the subject of a clause with "there" or "it" in subject position: all words before the verb."""
    clause_start = _find_clause_start(tree, verb, expletive)
    words = tuple(range(clause_start, expletive + 1))
    if len(words) > MAX_SUBJECT_LENGTH or has_unresolved_pronoun(tree, words[:-1], expletive, set()):
        return None
    return Subject(
        list_distinct_nodes_named_by_words(tree, words, confidence), words, confidence, predicate_start
    )


def _build_written_subject(
    tree: Tree,
    verb: WordIndex,
    subjects: Sequence[WordIndex],
    confidence: float,
    predicate_start: WordIndex | None,
) -> Subject | None:
    """Return the subject with all words before it in its clause; without words if it is only a name."""
    noun, subject_start = subjects[-1], min(min(tree.descendants(subject)) for subject in subjects)
    while subject_start < noun and tree.words[subject_start].lower() in _JOINING_MARKS:
        subject_start += 1
    clause_start = _find_clause_start(tree, verb, subject_start)
    words = tuple(range(clause_start, _find_last_word_without_marks(tree, noun, verb) + 1))
    if (
        noun in tree.units
        and len(subjects) == 1
        and clause_start == subject_start
        and _refers_to_thing_itself(tree, noun)
    ):
        nodes = _find_node_of_word(tree, noun, confidence)
        if nodes:
            # Words after the name are kept: "Ann Lee, the mayor of Leeds,", "Acme, founded in 1990,".
            return Subject(nodes, () if words[-1] == noun else words, confidence, predicate_start)
        if tree.parse.upos[noun] != "NOUN":
            return None
    is_vague = noun not in tree.units and not does_noun_identify_its_referent(tree, noun)
    if len(words) > MAX_SUBJECT_LENGTH or (is_vague and _refers_to_earlier_sentence(tree, noun)):
        return None
    nodes = (
        []
        if is_vague
        else list_distinct_nodes_named_by_words(tree, range(subject_start, words[-1] + 1), confidence)
    )
    if has_unresolved_pronoun(tree, words, noun, {node.word for node in nodes}):
        return None
    front_nodes = list_distinct_nodes_named_by_words(tree, range(clause_start, subject_start), confidence)[
        :MAX_NODES
    ]
    return Subject(nodes, words, confidence, predicate_start, is_vague, front_nodes)


def _find_clause_start(tree: Tree, verb: WordIndex, subject_start: WordIndex) -> WordIndex:
    """Return the first word of a clause whose subject begins at `subject_start`; a leading "and", or "but",
    is skipped.

    Everything else is kept, wherever the parser attaches it: "nor", "neither", "but for the rain", "rather
    than".
    """
    conjunctions = tree.dependents(verb, "cc")
    own_conjunctions = [conjunction for conjunction in conjunctions if conjunction < subject_start]
    clause_start = (
        0 if tree.is_root(verb) else min([subject_start, *own_conjunctions, *tree.descendants(verb)])
    )
    clause_start = max(
        [
            clause_start,
            *(index + 1 for index in range(clause_start, subject_start) if tree.words[index] == ";"),
        ]
    )
    while clause_start < subject_start and (
        tree.parse.upos[clause_start] == "PUNCT"
        or (
            tree.parse.relations[clause_start] == "cc"
            and tree.words[clause_start].lower() in JOINING_CONJUNCTIONS
        )
        or (
            clause_start in own_conjunctions
            and tree.words[clause_start].lower() == "but"
            and clause_start + 1 == subject_start
        )
    ):
        clause_start += 1
    return clause_start


def _find_last_word_of_subject(tree: Tree, noun: WordIndex, verb: WordIndex) -> WordIndex:
    """Return the last word of a subject, ignoring words after the verb that the parser attaches to it."""
    return max(index for index in tree.descendants(noun) if index < verb)


def _find_last_word_without_marks(tree: Tree, noun: WordIndex, verb: WordIndex) -> WordIndex:
    """Return the last word of a subject that is not a punctuation mark, closing marks excepted."""
    last_word = _find_last_word_of_subject(tree, noun, verb)
    while last_word > noun and tree.words[last_word] in END_MARKS:
        last_word -= 1
    return last_word


def has_unresolved_pronoun(
    tree: Tree, words: Sequence[WordIndex], noun: WordIndex, name_words: Set[WordIndex]
) -> bool:
    """Return whether a subject contains a pronoun without an antecedent inside it: "his focus".

    The pronouns of "in his book Ann", "the owner and her dog" and "those who left" are resolved.
    """
    noun_count = 0
    for index in words:
        noun_count += tree.parse.upos[index] in ("NOUN", "PROPN")
        if tree.parse.upos[index] != "PRON" or index in name_words:
            continue
        text = tree.words[index].lower()
        is_resolved_possessive = tree.parse.relations[index] == "nmod:poss" and (
            noun in name_words or noun_count
        )
        is_relative = noun_count and (text in _RELATIVE_PRONOUNS or text.endswith(("self", "selves")))
        # "When he wrote it, Ann Lee": a pronoun in a preceding clause refers to the subject.
        refers_to_subject = noun in name_words and index < noun and text in _SUBJECT_PRONOUNS
        if not (
            is_resolved_possessive
            or is_relative
            or refers_to_subject
            or is_pronoun_explained_by_modifier(tree, index)
        ):
            return True
    return False


def is_pronoun_explained_by_modifier(tree: Tree, pronoun: WordIndex) -> bool:
    """Return whether a pronoun is explained by its own modifiers: "those in custody", "some who left"."""
    return bool(tree.dependents(pronoun, "nmod", "acl", "acl:relcl"))


def does_noun_identify_its_referent(tree: Tree, noun: WordIndex) -> bool:
    """Return whether a noun identifies its referent by itself: "two clerks", "the old bridge", but not "the
    film".
    """
    if _refers_to_earlier_sentence(tree, noun):
        return False
    determiners = {tree.words[determiner].lower() for determiner in tree.dependents(noun, "det")}
    is_name = tree.parse.upos[noun] == "PROPN" and tree.words[noun][:1].isupper()
    return (
        is_name
        or "the" not in determiners
        or any(tree.parse.relations[child] in _IDENTIFYING_RELATIONS for child in tree.children[noun])
    )


def _refers_to_earlier_sentence(tree: Tree, noun: WordIndex) -> bool:
    """Return whether a pronoun or a phrase such as "this plan" refers to an earlier sentence."""
    return (tree.parse.upos[noun] == "PRON" and not is_pronoun_explained_by_modifier(tree, noun)) or any(
        tree.words[child].lower() in DEMONSTRATIVES for child in tree.dependents(noun, "det")
    )


def _refers_to_thing_itself(tree: Tree, name: WordIndex) -> bool:
    """Return whether a name refers to the thing itself, not to a part or kind of it: "other Cookies", "young
    Acme".

    A person remains the same, however described.
    """
    for child in tree.children[name]:
        relation = tree.parse.relations[child]
        if relation == "det" and tree.words[child].lower() != "the":
            return False
        describes_person = tree.units[name].kind in PEOPLE and relation in ("amod", "nmod:poss", "nummod")
        is_parenthetical = relation in _RELATIONS_AFTER_COMMA and tree.words[
            min(tree.descendants(child)) - 1
        ] in (",", "(")
        if relation not in _DESCRIBING_RELATIONS and not describes_person and not is_parenthetical:
            return False
    return True


def list_distinct_nodes_named_by_words(
    tree: Tree, words: Sequence[WordIndex], confidence: float
) -> list[RelationEnd]:
    """Return the nodes that these words name, without duplicates, in text order."""
    nodes: dict[int, RelationEnd] = {}
    for index in words:
        if index in tree.units:
            for node in _find_node_of_word(tree, index, confidence):
                nodes.setdefault(node.entity, node)
    return list(nodes.values())


def _find_node_of_word(tree: Tree, word: WordIndex, confidence: float) -> list[RelationEnd]:
    """Return the node that a whole name, or a pronoun of sufficient confidence, refers to; [] if that is
    unclear.
    """
    unit = tree.units[word]
    is_pronoun = tree.parse.upos[word] == "PRON"
    if (
        word in tree.cut_positions
        or unit.max_confidence < MIN_REFERENCE_CONFIDENCE
        or len(unit.entities) != 1
    ):
        return []
    if is_pronoun and not unit.is_reference:
        return []
    return [RelationEnd(unit.entities[0], confidence * unit.max_confidence, word, word)]
