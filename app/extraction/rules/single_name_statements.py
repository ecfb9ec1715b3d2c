"""Phrases: statements about a node in the words of the text: a subject, a predicate and all words after it.

The words before and after the predicate are not analysed, so only a few arcs of the tree have to be right:
which words are the subject and the predicate, and where the clause ends. Negations, hedges, dates and
attributions are kept in the words.
"""

from collections.abc import Callable, Iterator, Sequence, Set
from typing import NamedTuple

from app.extraction.rules.clause_subjects import (
    DEMONSTRATIVES,
    END_MARKS,
    MAX_NODES,
    MAX_SUBJECT_LENGTH,
    Subject,
    does_noun_identify_its_referent,
    find_clause_subject,
    has_unresolved_pronoun,
    is_pronoun_explained_by_modifier,
    list_distinct_nodes_named_by_words,
)
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.introductions import Antecedent
from app.extraction.rules.joined_names import (
    ASSERTED_CLAUSE_RELATIONS,
    JOINING_CONJUNCTIONS,
    MAX_PREDICATE_LENGTH,
    SEPARATING_MARKS,
    is_clause_joined_by_and,
)
from app.extraction.rules.syntax import SUBJECT_RELATIONS, RelationEnd, Tree

MAX_PHRASE_LENGTH = 60
"""Maximum number of words after a predicate."""

_CONTENT_TAGS = frozenset(("NOUN", "PROPN", "NUM", "ADJ", "X"))
_NON_ASSERTION_RELATIONS = (
    "mark", "csubj", "csubj:pass", "ccomp", "xcomp", "parataxis", "discourse", "vocative", "dislocated",
    "reparandum",
)  # fmt: skip
"""Words at the beginning of a clause that make it more, or less, than an assertion."""
_OPENING_QUOTES = frozenset(('"', "“", "‘", "'", "«", "„"))
_CLOSING_QUOTES = frozenset(("”", "»", "’"))
_EMBEDDED_RELATIONS = frozenset(
    ("acl:relcl", "acl", "advcl", "amod", "csubj", "csubj:pass", "compound", "case")
)
"""Relations under which a verb states nothing beyond its containing phrase."""
_CLAUSE_RELATIONS = frozenset(("conj", "parataxis", "ccomp", "advcl", "cc", "mark"))
_SENTENCE_END_MARKS = frozenset((".", ";", "!", "?"))
_CLAUSE_MARKS = frozenset((".", ";", ":", "!", "?"))
"""Marks between independent clauses."""
_MARKS_OF_INSERTIONS = frozenset((",", "(", ")", "–", "—", "-"))
_PREDICATE_RELATIONS = frozenset(("aux", "aux:pass", "cop", "advmod"))
_COMPLEMENT_RELATIONS = ("obj", "iobj", "obl", "obl:agent")
_NOMINATIVE_PRONOUNS = frozenset(("he", "she", "they", "who", "which", "what", "that"))
"""Pronouns within a clause that mostly refer to its own subject or noun."""


FindAntecedent = Callable[[int], Antecedent | None]
"""Finds what the definite noun at an index refers back to; None if that is unclear."""


class Phrase(NamedTuple):
    """A statement about a node: the word indexes of its subject, its predicate and the rest.

    `subject` is empty if the clause begins with the node's own name alone.
    """

    node: RelationEnd
    word: WordIndex
    subject: tuple[WordIndex, ...]
    predicate: tuple[WordIndex, ...]
    complement_start: WordIndex
    complement_end: WordIndex


def read_phrases(
    tree: Tree,
    topic: RelationEnd | None = None,
    mentioned_words: Set[str] = frozenset(),
    find_antecedent: FindAntecedent = lambda _: None,
    may_mean_topic: Callable[[WordIndex], bool] = lambda _: True,
) -> Iterator[Phrase]:
    """Yield the statement of each clause for each node that its subject names, else for the nodes of the
    rest.

    A clause that names no node, or has a subject such as "the toll", is attributed to the document's topic,
    unless its noun is in `mentioned_words`: then it refers to an earlier mention, `find_antecedent` of its
    index. `may_mean_topic` returns for such a noun's index whether the topic may be what it names.
    """
    for word in range(len(tree.words)):
        copulas = [copula for copula in tree.dependents(word, "cop") if copula < word]
        is_verb = tree.parse.upos[word] == "VERB" and word not in tree.units
        if not (is_verb or copulas) or _is_imperative_after_address(tree, word):
            continue
        predicate_head = copulas[-1] if copulas else word
        phrases = _read_phrases_of_clause(
            tree, word, predicate_head, topic, mentioned_words, find_antecedent, may_mean_topic
        )
        if phrases is not None:
            yield from phrases
        elif tree.is_root(word):
            yield from _read_whole_sentence(tree, word, predicate_head)
            yield from _read_sentence_without_subject(tree, word, topic)


def _is_imperative_after_address(tree: Tree, verb: WordIndex) -> bool:
    """Return whether a verb in its base form follows a name and a comma: "Dear Ms. Lind, thank you" says
    nothing of her.
    """
    first_word = min([verb, *tree.dependents(verb, "advmod", "discourse", "aux")])
    is_after_name = first_word > 1 and tree.words[first_word - 1] == "," and first_word - 2 in tree.units
    marks = [word for word in tree.words[:first_word] if word in _MARKS_OF_INSERTIONS]
    return (
        is_after_name
        and marks == [","]
        and tree.words[verb] == tree.parse.lemmas[verb]
        and not tree.dependents(verb, "aux", "aux:pass")
    )


def _read_phrases_of_clause(
    tree: Tree,
    word: WordIndex,
    head: WordIndex,
    topic: RelationEnd | None,
    mentioned_words: Set[str],
    find_antecedent: FindAntecedent,
    may_mean_topic: Callable[[WordIndex], bool],
) -> list[Phrase] | None:
    """Return the phrases of the clause of a verb, or of "is" at `head`; None if its parts are unclear."""
    if not _is_asserted(tree, word) or _has_auxiliary_of_previous_verb(tree, word):
        return None
    subject, predicate = _split_subject_and_predicate(tree, word, head)
    if subject is None or not predicate:
        return None
    predicate, first_index, end_index = _divide_at_predicate(tree, word, predicate)
    if end_index <= first_index:
        return None
    if end_index - first_index > MAX_PHRASE_LENGTH or not _do_words_after_predicate_inform(
        tree, word, first_index, end_index, find_antecedent
    ):
        return []
    antecedent = find_antecedent(subject.words[-1]) if subject.is_vague else None
    if subject.is_vague and antecedent is None and not may_mean_topic(subject.words[-1]):
        return []
    is_mentioned_before = subject.is_vague and tree.words[subject.words[-1]].lower() in mentioned_words
    if antecedent is not None:
        is_mentioned_before = not antecedent.is_topic
        subject = subject._replace(nodes=list(antecedent.nodes), is_vague=False)
    nodes = _list_nodes_of_clause(
        tree, subject, range(first_index, end_index), None if is_mentioned_before else topic
    )
    return [Phrase(node, word, subject.words, predicate, first_index, end_index) for node in nodes]


def _list_words_around_verb(tree: Tree, word: WordIndex) -> set[WordIndex]:
    """Return the auxiliaries and adverbs of a predicate, each with the adverbs before it: "no longer", "very
    often".
    """
    words = set(tree.dependents(word, *_PREDICATE_RELATIONS))
    unvisited_words = list(words)
    while unvisited_words:
        adverb = unvisited_words.pop()
        modifiers = [modifier for modifier in tree.dependents(adverb, "advmod") if modifier == adverb - 1]
        words.update(modifiers)
        unvisited_words += modifiers
    return words


def _read_whole_sentence(tree: Tree, word: WordIndex, head: WordIndex) -> Iterator[Phrase]:
    """Yield a sentence of which only the main verb is certain: the words before it, the verb, the words after
    it.

    It is attributed to the names before the verb, else to those after it. No word is omitted, so only the
    verb has to be right.
    """
    predicate_words = _list_words_around_verb(tree, word)
    predicate_start, first_index, end_index = (
        head,
        head + 1,
        _find_end_without_marks(tree, head + 1, len(tree.words)),
    )
    while predicate_start - 1 in predicate_words:
        predicate_start -= 1
    if (
        first_index + 1 < end_index
        and tree.words[first_index] in (":", ",")
        and tree.words[first_index + 1] in _OPENING_QUOTES
    ):
        first_index += 1
    front_words = _list_words_of_front(tree, predicate_start)
    if (
        not front_words
        or not _may_front_words_be_subject_with_adjuncts(tree, word, front_words)
        or not 0 < end_index - first_index <= MAX_PHRASE_LENGTH
    ):
        return
    may_open_rest = tree.parse.upos[first_index] != "PUNCT" or tree.words[first_index] in _OPENING_QUOTES
    has_content = any(tree.parse.upos[index] in _CONTENT_TAGS for index in range(first_index, end_index))
    if not may_open_rest or not has_content or not any(map(str.isalpha, tree.words[head])):
        return
    certainty = tree.confidence_of(word)
    nodes = list_distinct_nodes_named_by_words(tree, front_words, certainty)
    if not nodes and does_noun_identify_its_referent(tree, front_words[-1]):
        nodes = list_distinct_nodes_named_by_words(tree, range(first_index, end_index), certainty)
    for node in nodes[:MAX_NODES]:
        yield Phrase(node, word, front_words, tuple(range(predicate_start, head + 1)), first_index, end_index)


def _read_sentence_without_subject(
    tree: Tree, word: WordIndex, topic: RelationEnd | None
) -> Iterator[Phrase]:
    """Yield a sentence that begins with a passive participle and its agent, as a statement about the topic:
    "Organised by the Arts Society."
    """
    end_index = _find_end_without_marks(tree, 1, len(tree.words))
    has_agent = bool(tree.dependents(word, "obl:agent"))
    if (
        topic is not None
        and word == 0
        and has_agent
        and not tree.dependents(word, "obj", "aux", "conj", "parataxis", *SUBJECT_RELATIONS)
        and end_index <= MAX_PHRASE_LENGTH
        and not has_unresolved_pronoun(tree, range(1, end_index), 0, set())
    ):
        confidence = topic.confidence * tree.confidence_of(word)
        yield Phrase(topic._replace(confidence=confidence), word, (), (word,), 1, end_index)


def _list_words_of_front(tree: Tree, predicate_start: WordIndex) -> tuple[WordIndex, ...]:
    """Return the words before the index `predicate_start`, without a leading "and" and trailing marks."""
    first_word, last_word = 0, predicate_start - 1
    while first_word <= last_word and (tree.parse.upos[first_word] in ("PUNCT", "CCONJ")):
        first_word += 1
    while last_word >= first_word and tree.words[last_word] in END_MARKS:
        last_word -= 1
    return tuple(range(first_word, last_word + 1))


def _may_front_words_be_subject_with_adjuncts(
    tree: Tree, verb: WordIndex, front_words: Sequence[WordIndex]
) -> bool:
    """Return whether the words before a sentence's verb can be its subject with preceding adjuncts.

    False if they contain a quotation, a list, another main clause, a heading glued to them, or a reference to
    an earlier sentence.
    """
    words = [tree.words[index] for index in front_words]
    nouns = [
        index
        for index in front_words
        if tree.parse.upos[index] in ("NOUN", "PROPN")
        or (index in tree.units and tree.parse.upos[index] != "PRON")
    ]
    if not nouns or len(front_words) > MAX_SUBJECT_LENGTH or tree.dependents(verb, "expl", "mark"):
        return False
    if not (_OPENING_QUOTES | _CLOSING_QUOTES | _CLAUSE_MARKS).isdisjoint(words) or tree.words[verb].endswith(
        "ing"
    ):
        return False
    if any(_is_glued_heading_end(tree, index) for index in front_words[1:]) or _has_demonstrative_noun(
        tree, front_words
    ):
        return False
    if _is_subordinator(tree, front_words[0]) and "," not in words:
        # "When the server was down, the program": the verb belongs to the subordinate clause.
        return False
    if not all(
        _is_verb_within_clause_of_main_verb(tree, index, verb)
        for index in front_words
        if tree.parse.upos[index] in ("VERB", "AUX")
    ):
        return False
    return not has_unresolved_pronoun(
        tree,
        front_words,
        nouns[0],
        {end.word for end in list_distinct_nodes_named_by_words(tree, front_words, 1.0)},
    )


def _is_subordinator(tree: Tree, word: WordIndex) -> bool:
    """Return whether a word introduces a subordinate clause: "though", "when", "how"."""
    is_interrogative = tree.words[word].lower().startswith(("wh", "how"))
    return word not in tree.units and (tree.parse.upos[word] == "SCONJ" or is_interrogative)


def _is_glued_heading_end(tree: Tree, word: WordIndex) -> bool:
    """Return whether a small word is capitalised after no mark: the end of a heading glued to the
    sentence.
    """
    return (
        word not in tree.units
        and tree.parse.upos[word] in ("DET", "ADP", "PRON", "SCONJ")
        and tree.words[word][:1].isupper()
        and tree.words[word - 1] not in SEPARATING_MARKS
    )


def _is_verb_within_clause_of_main_verb(tree: Tree, word: WordIndex, verb: WordIndex) -> bool:
    """Return whether a verb before the sentence's main verb is part of a phrase or clause within it."""
    for ancestor in tree.ancestors(word):
        if ancestor == verb:
            return False
        relation = tree.parse.relations[ancestor]
        if relation in _EMBEDDED_RELATIONS or ancestor in tree.units:
            return True
        # "Forced into exile, Ann Lee said": the verb has no subject, whatever relation the parser gives it.
        if relation in ("ccomp", "parataxis") and not tree.dependents(
            ancestor, *SUBJECT_RELATIONS, "aux", "cop"
        ):
            return True
    return False


class _ClauseParts(NamedTuple):
    """The subject of a clause and the words of its predicate; None and none if they are unclear."""

    subject: Subject | None
    predicate: tuple[WordIndex, ...]


def _split_subject_and_predicate(tree: Tree, word: WordIndex, head: WordIndex) -> _ClauseParts:
    """Return the subject and the predicate of the clause of a verb, or of "is" at `head`."""
    subject = find_clause_subject(tree, word)
    predicate = () if subject is None else _list_words_of_predicate(tree, word, head, subject.predicate_start)
    if subject is not None and not predicate and tree.is_root(word):
        subject = _extend_subject_to_predicate(tree, subject, word, head)
        predicate = (
            () if subject is None else _list_words_of_predicate(tree, word, head, subject.predicate_start)
        )
    return _ClauseParts(subject, predicate)


class _PredicateAndRest(NamedTuple):
    """The words of a predicate, and the range of the words of the rest of its clause."""

    predicate: tuple[WordIndex, ...]
    rest_start: WordIndex
    rest_end: WordIndex


def _divide_at_predicate(tree: Tree, word: WordIndex, predicate: tuple[WordIndex, ...]) -> _PredicateAndRest:
    """Return the predicate of a clause, shortened if the clause has no rest without its end, and the rest."""
    first_index = predicate[-1] + 1
    end_index = _find_exclusive_end_of_clause(tree, word, first_index)
    particle = predicate[-1] if predicate[-1] in tree.dependents(word, "compound:prt") else None
    verb = predicate[-1] if particle is None else predicate[-2]
    # "Were uprooted", "was called off" and "was closed, stranding us" are complete without a rest.
    is_whole = end_index == first_index and not _list_words_after_predicate(tree, word, first_index)
    is_joined_on = first_index < end_index and (
        tree.words[first_index] in SEPARATING_MARKS or tree.words[first_index] in JOINING_CONJUNCTIONS
    )
    if predicate[0] < verb and (is_whole or is_joined_on):
        return _PredicateAndRest(tuple(index for index in predicate if index < verb), verb, end_index)
    if (
        first_index + 1 < end_index
        and tree.words[first_index] in (":", ",")
        and tree.words[first_index + 1] in _OPENING_QUOTES
    ):
        first_index += 1
    return _PredicateAndRest(predicate, first_index, end_index)


def _list_words_after_predicate(tree: Tree, word: WordIndex, first_index: WordIndex) -> list[WordIndex]:
    """Return the dependents of a verb after its predicate, without marks and conjuncts."""
    return [
        child
        for child in tree.children[word]
        if child >= first_index and tree.parse.relations[child] not in ("punct", "cc", "conj")
    ]


def _list_nodes_of_clause(
    tree: Tree, subject: Subject, complement_words: Sequence[WordIndex], topic: RelationEnd | None
) -> list[RelationEnd]:
    """Return the nodes that a clause is about: its subject's, else those of its rest or front, else the
    topic.
    """
    nodes = list(subject.nodes)
    if not nodes and not subject.is_vague:
        nodes = list_distinct_nodes_named_by_words(tree, complement_words, subject.confidence)[
            :MAX_NODES
        ] or list(subject.front_nodes)
    if (
        not nodes
        and topic is not None
        and not _has_demonstrative_noun(tree, (*subject.words, *complement_words))
    ):
        nodes = [topic._replace(confidence=topic.confidence * subject.confidence)]
    return nodes or list(subject.front_nodes)


def _has_demonstrative_noun(tree: Tree, words: Sequence[WordIndex]) -> bool:
    """Return whether these words contain a reference to an earlier sentence: "this plan", "such an
    increase".
    """
    return any(
        tree.words[index].lower() in DEMONSTRATIVES
        and tree.parse.relations[index] in ("det", "det:predet", "amod")
        for index in words
    )


def _is_asserted(tree: Tree, word: WordIndex) -> bool:
    """Return whether a clause, and each clause that it depends on, is asserted."""
    for ancestor in tree.ancestors(word):
        if any(
            child < ancestor for child in tree.dependents(ancestor, *_NON_ASSERTION_RELATIONS)
        ) and not _do_all_dependents_precede_subject(tree, ancestor):
            return False
        if tree.is_root(ancestor) or is_clause_followed_by_attribution(tree, ancestor):
            return True
        relation = tree.parse.relations[ancestor]
        if relation == "conj" and tree.parse.heads[ancestor] > ancestor:
            # A clause joined to none: "When the server was down, the program failed".
            return False
        if relation not in ASSERTED_CLAUSE_RELATIONS and (
            ancestor == word or relation not in (*SUBJECT_RELATIONS, "obj", "obl", "appos")
        ):
            return False
    return True


def _do_all_dependents_precede_subject(tree: Tree, verb: WordIndex) -> bool:
    """Return whether all dependents before the sentence's main verb precede its subject.

    They are then part of the statement, whatever relation the parser gives them; a quotation is somebody's
    speech.
    """
    subjects = [noun for noun in tree.dependents(verb, *SUBJECT_RELATIONS) if noun < verb]
    if not tree.is_root(verb) or not subjects or tree.dependents(verb, "mark"):
        return False
    subject_start = min(tree.descendants(subjects[-1]))
    supposed_words = [child for child in tree.dependents(verb, *_NON_ASSERTION_RELATIONS) if child < verb]
    return all(
        max(tree.descendants(child)) < subject_start for child in supposed_words
    ) and _OPENING_QUOTES.isdisjoint(tree.words[:subject_start])


def is_clause_followed_by_attribution(tree: Tree, verb: WordIndex) -> bool:
    """Return whether a clause is followed by its attribution: "the bridge fell, officials said on Monday"."""
    if tree.is_root(verb) or tree.parse.relations[verb] != "ccomp":
        return False
    head = tree.parse.heads[verb]
    speakers = [min(tree.descendants(noun)) for noun in tree.dependents(head, *SUBJECT_RELATIONS)]
    return tree.is_root(head) and bool(speakers) and max(tree.descendants(verb)) < min(head, *speakers)


def _has_auxiliary_of_previous_verb(tree: Tree, word: WordIndex) -> bool:
    """Return whether a verb shares auxiliaries with the previous one: "may leave and move", "never left and
    came".
    """
    if tree.is_root(word) or tree.parse.relations[word] != "conj":
        return False
    if tree.dependents(word, "aux", *SUBJECT_RELATIONS):
        return False
    head = tree.parse.heads[word]
    # "Burned for days, destroying barns and damaging 50 houses".
    is_participle = tree.words[word].lower().endswith("ing")
    # "Were shot and wounded" is passive; a verb with an object is active: "was founded in 1990 and bought
    # Helvora".
    may_be_passive = bool(tree.dependents(head, "aux:pass")) and not tree.dependents(word, "obj")
    return is_participle or may_be_passive or bool(tree.dependents(head, "aux")) or tree.is_doubted(head)


def _list_words_of_predicate(
    tree: Tree, word: WordIndex, head: WordIndex, predicate_start: WordIndex | None
) -> tuple[WordIndex, ...]:
    """Return the words from the subject to the verb or "is", with its particle; () if other words are among
    them.
    """
    predicate_words = _list_words_around_verb(tree, word)
    first_word = min([head, *(word for word in predicate_words if word < head)])
    if predicate_start is not None:
        first_word = predicate_start
        while first_word < head and tree.words[first_word] in (",", ")"):
            first_word += 1
    words = list(range(first_word, head + 1))
    # "The plan, however, failed".
    if any(index != head and index not in predicate_words and tree.words[index] != "," for index in words):
        return ()
    if tree.dependents(word, "compound:prt") == [head + 1]:
        words.append(head + 1)
    has_only_words = all(
        tree.words[index] == "," or any(map(str.isalpha, tree.words[index])) for index in words
    )
    return tuple(words) if has_only_words and len(words) <= MAX_PREDICATE_LENGTH else ()


def _extend_subject_to_predicate(
    tree: Tree, subject: Subject, word: WordIndex, head: WordIndex
) -> Subject | None:
    """Return the subject with all words before the predicate, wherever the parser attaches them.

    None if these refer to another sentence or contain words of another clause.
    """
    if subject.predicate_start is None:
        return None
    predicate_words = _list_words_around_verb(tree, word)
    predicate_start = head
    while predicate_start - 1 in predicate_words:
        predicate_start -= 1
    node_words = [end.word for end in subject.nodes]
    first_word = subject.words[0] if subject.words else min(node_words)
    words = tuple(range(first_word, predicate_start))
    words_between = range(subject.predicate_start, predicate_start)
    has_clause = any(
        tree.words[index] in _SENTENCE_END_MARKS
        or (tree.parse.heads[index] == word and tree.parse.relations[index] in _CLAUSE_RELATIONS)
        for index in words_between
    )
    # "So far were the Americans now willing to go": the predicate reaches the beginning of the subject.
    if has_clause or not 0 < len(words) <= MAX_SUBJECT_LENGTH:
        return None
    if has_unresolved_pronoun(tree, words, node_words[0] if node_words else words[0], set(node_words)):
        return None
    return subject._replace(words=words, predicate_start=predicate_start)


def _find_exclusive_end_of_clause(tree: Tree, word: WordIndex, first_index: WordIndex) -> WordIndex:
    """Return the end of the clause (exclusive), without its last mark; at most `first_index` if it is
    unclear.
    """
    reporting_verb = next(
        (ancestor for ancestor in tree.ancestors(word) if is_clause_followed_by_attribution(tree, ancestor)),
        None,
    )
    if reporting_verb is not None:
        # The attribution and everything before it belong to the clause.
        return _find_end_without_marks(
            tree, first_index, max(tree.descendants(tree.parse.heads[reporting_verb])) + 1
        )
    clause_start = _find_start_of_dependent_clause(tree, word, first_index)
    own_words = sorted(index for index in tree.descendants(word) if first_index <= index < clause_start)
    clause_end = own_words[-1] + 1 if own_words else first_index
    ends_at_border = clause_end in (clause_start, len(tree.words)) or tree.parse.upos[clause_end] in (
        "PUNCT",
        "CCONJ",
    )
    if len(own_words) != clause_end - first_index or not ends_at_border:
        # Wherever the parser attaches words, no other clause begins before the next one found.
        clause_end = clause_start if _is_main_verb_or_joined_to_it(tree, word) else first_index
    # A clause with its own subject after ", and" is a separate clause, wherever the parser attaches it.
    joined_verbs = [
        index
        for index in own_words
        if tree.parse.relations[index] == "conj" and tree.dependents(index, *SUBJECT_RELATIONS)
    ]
    conjunctions = [
        conjunction
        for conjunct in joined_verbs
        for conjunction in _list_conjunctions(tree, conjunct)
        if tree.words[conjunction - 1] == ","
    ]
    clause_end = min(
        [clause_end, *(conjunction for conjunction in conjunctions if conjunction > first_index)]
    )
    return _find_end_without_marks(tree, first_index, clause_end)


def _is_main_verb_or_joined_to_it(tree: Tree, word: WordIndex) -> bool:
    """Return whether a verb is the sentence's main verb, or joined to it."""
    return tree.is_root(tree.find_first_conjunct(word))


def _find_end_without_marks(tree: Tree, first_index: WordIndex, end_index: WordIndex) -> WordIndex:
    """Return the end of a clause without its trailing marks."""
    while end_index > first_index and tree.words[end_index - 1] in END_MARKS:
        end_index -= 1
    return end_index


def _list_conjunctions(tree: Tree, conjunct: WordIndex) -> list[WordIndex]:
    """Return each "and" that joins a conjunct; "but" and "or" belong to the previous words."""
    return [
        conjunction
        for conjunction in tree.dependents(conjunct, "cc")
        if tree.words[conjunction].lower() in JOINING_CONJUNCTIONS
    ]


def _find_start_of_dependent_clause(tree: Tree, word: WordIndex, first_index: WordIndex) -> WordIndex:
    """Return the index at which a dependent clause begins; 0 if it may be a part of this one."""
    clause_start = len(tree.words)
    for child in tree.dependents(word, "conj", "parataxis"):
        is_clause = tree.parse.upos[child] in ("VERB", "AUX") or tree.dependents(
            child, "cop", *SUBJECT_RELATIONS
        )
        is_conjunct = tree.parse.relations[child] == "conj"
        if child < first_index or (is_conjunct and not is_clause):
            continue
        # "The bridge fell, officials said": without the attribution the text itself would assert it.
        child_start = min(tree.descendants(child))
        is_quoted = (
            tree.words[child_start] in _OPENING_QUOTES or tree.words[child_start - 1] in _OPENING_QUOTES
        )
        if not is_conjunct and (is_quoted or tree.words[child_start - 1] not in _CLAUSE_MARKS):
            continue
        if is_conjunct and not is_clause_joined_by_and(tree, child):
            # "All mice were dead; all others lived"; any other clause without a conjunction stays with the
            # main verb.
            mark = _find_parting_mark(tree, first_index, child, clause_start if tree.is_root(word) else 0)
            clause_start = min(clause_start, mark)
            continue
        conjunctions = _list_conjunctions(tree, child)
        if is_conjunct and not conjunctions and tree.dependents(child, "cc"):
            continue
        if _has_auxiliary_of_previous_verb(tree, child):
            # "May leave and move": with shared auxiliaries both verbs form one statement.
            continue
        # Words between the previous verb and "and" belong to that verb.
        conjunctions = [conjunction for conjunction in conjunctions if conjunction > first_index]
        clause_start = (
            min(clause_start, *conjunctions)
            if conjunctions
            else min(clause_start, min(tree.descendants(child)))
        )
    return clause_start


def _find_parting_mark(
    tree: Tree, first_index: WordIndex, end_index: WordIndex, default: WordIndex
) -> WordIndex:
    """Return the index of the first mark between two words that separates clauses; `default` if there is
    none.
    """
    return next(
        (index for index in range(first_index, end_index) if tree.words[index] in _CLAUSE_MARKS), default
    )


def _do_words_after_predicate_inform(
    tree: Tree, word: WordIndex, first_index: WordIndex, end_index: WordIndex, find_antecedent: FindAntecedent
) -> bool:
    """Return whether the words after a predicate carry information of their own.

    "Sold its fleet" and "said that he would" do. "Sold it" and "saw the story" do not, unless an earlier
    sentence mentions exactly one story.
    """
    may_open_rest = tree.parse.upos[first_index] != "PUNCT" or tree.words[first_index] in _OPENING_QUOTES | {
        "$",
        "£",
        "€",
    }
    if not may_open_rest or not any(
        tree.parse.upos[index] in _CONTENT_TAGS or index == word for index in range(first_index, end_index)
    ):
        return False
    for complement in tree.dependents(word, *_COMPLEMENT_RELATIONS):
        is_bare = (
            tree.parse.upos[complement] == "PRON"
            and complement not in tree.units
            and not is_pronoun_explained_by_modifier(tree, complement)
        )
        if first_index <= complement < end_index and is_bare:
            text = tree.words[complement].lower()
            if text not in _NOMINATIVE_PRONOUNS and not text.endswith(("self", "selves")):
                return False
    if _does_complement_contain_name_or_report(tree, word, range(first_index, end_index)):
        return True
    objects = tree.dependents(word, "obj", "iobj") or tree.dependents(word, "obl")[:1]
    return all(
        noun < first_index
        or tree.parse.upos[noun] != "NOUN"
        or noun in tree.units
        or does_noun_identify_its_referent(tree, noun)
        or find_antecedent(noun) is not None
        for noun in objects
    )


def _does_complement_contain_name_or_report(tree: Tree, word: WordIndex, complement_words: range) -> bool:
    """Return whether the words after a predicate contain a name or reported speech: "told them that"."""
    return any(complement in complement_words for complement in tree.dependents(word, "ccomp")) or any(
        index in tree.units and not tree.units[index].is_reference for index in complement_words
    )
