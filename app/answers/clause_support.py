"""Decide whether sentences of the sources state what a sentence says, by comparing their syntax; pure.

A clause is stated if one source sentence has its words in the same order, or each under the same head in the
same role, with the same modality: a sentence that only plans, wishes or supposes something does not state it.
`support.py` compares numbers and denials.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from app.domain.char_range import CharRange
from app.domain.scoring.keywords import list_stems
from app.domain.scoring.negation import is_negated
from app.extraction.reader.languages import load_parser

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Name, Parse, Pipeline

_CONTENT_TAGS = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "NUM", "ADV", "ADP", "SCONJ"))
"""Parts of speech whose words the evidence must contain."""
_NOUN_TAGS = frozenset(("NOUN", "PROPN"))
_VERB_TAGS = frozenset(("VERB", "AUX"))
_CLAUSE_RELATIONS = frozenset(("conj", "acl:relcl", "acl", "advcl", "ccomp", "parataxis"))
"""Relations of a verb that opens a clause of its own, which another sentence of the evidence may state."""
_GOVERNED_CLAUSE_RELATIONS = frozenset(("xcomp", "ccomp", "csubj"))
"""Relations of a clause that is true only if its governing verb says so."""
_TENSE_AUXILIARIES = frozenset(("be", "have", "do", "get"))
"""Lemmas of auxiliaries for tense and voice; any other auxiliary is a modal."""
_SUBJECT_RELATIONS = frozenset(("nsubj", "nsubj:pass", "csubj", "expl"))
_CIRCUMSTANCE_RELATIONS = frozenset(("obl", "advmod", "obl:unmarked"))
_PASSIVE_RELATIONS = frozenset(("aux:pass", "nsubj:pass"))
_PASSIVE_AUXILIARIES = frozenset(("aux:pass",))
_AGENT_PREPOSITION = "by"
CORE_ROLES = frozenset(("doer", "object"))
"""Roles that the active and the passive voice share."""
_ROLE_BY_RELATION = {"nsubj": "doer", "obl:agent": "doer", "nsubj:pass": "object", "obj": "object"}
"""The role of a word under its verb, the same in the active and the passive voice."""


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """The words of a sentence with their ranges in the text and their syntax.

    Two words are the same if their `forms` have an element in common.
    """

    words: Sequence[str]
    ranges: Sequence[CharRange]
    parse: "Parse"
    forms: Sequence[frozenset[str]] = field(init=False)

    def __post_init__(self) -> None:
        forms = [
            list_stems(word) | {lemma.casefold(), word.casefold()}
            for word, lemma in zip(self.words, self.parse.lemmas, strict=True)
        ]
        object.__setattr__(self, "forms", forms)

    def iterate_ancestors(self, word_index: int) -> Iterator[int]:
        """Yield the head of a word, the head of that, and so on up to the root."""
        while (head := self.parse.heads[word_index]) != word_index:
            yield (word_index := head)

    def list_descendants(self, word_index: int) -> list[int]:
        """Return the word and all its descendants, in order."""
        return [
            index
            for index in range(len(self.words))
            if index == word_index or word_index in self.iterate_ancestors(index)
        ]

    def list_dependents(self, word_index: int, relations: Collection[str]) -> list[int]:
        """Return the word's dependents with one of these relations, in order."""
        return [
            index
            for index, head in enumerate(self.parse.heads)
            if head == word_index != index and self.parse.relations[index] in relations
        ]

    def list_modals(self, word_index: int) -> frozenset[str]:
        """Return the modal auxiliaries of a predicate: may, must, will, would."""
        return (
            frozenset(
                self.parse.lemmas[index].casefold() for index in self.list_dependents(word_index, ("aux",))
            )
            - _TENSE_AUXILIARIES
        )

    def list_prepositions(self, word_index: int) -> frozenset[str]:
        """Return the prepositions of a word."""
        return frozenset(
            self.words[index].casefold() for index in self.list_dependents(word_index, ("case",))
        )

    def is_denied(self, word_index: int) -> bool:
        """Return whether "not" or "no longer" depends on a word."""
        return any(
            is_negated(" ".join(self.words[dependent] for dependent in self.list_descendants(index)))
            for index in self.list_dependents(word_index, ("advmod",))
        )

    def get_syntactic_role(self, word_index: int) -> str:
        """Return the role of a word under its head."""
        relation, head = self.parse.relations[word_index], self.parse.heads[word_index]
        if (
            relation == "obl"
            and _AGENT_PREPOSITION in self.list_prepositions(word_index)
            and self._is_passive(head)
        ):
            return "doer"
        if relation == "nsubj" and self.list_dependents(head, _PASSIVE_AUXILIARIES):
            return "object"
        return _ROLE_BY_RELATION.get(relation, relation.partition(":")[0])

    def _is_passive(self, verb_index: int) -> bool:
        """Return whether a verb is in the passive voice, perhaps with the auxiliary of the verb before it:
        "was designed in Oslo and built by Acme".
        """
        while not self.list_dependents(verb_index, _PASSIVE_RELATIONS):
            if self.parse.relations[verb_index] != "conj" or self.list_dependents(
                verb_index, _SUBJECT_RELATIONS
            ):
                return False
            verb_index = self.parse.heads[verb_index]
        return True

    def must_evidence_contain_word(self, word_index: int) -> bool:
        """Return whether the evidence must contain a word; "by" belongs to the voice of its verb."""
        is_agent_marker = (
            self.parse.relations[word_index] == "case"
            and self.get_syntactic_role(self.parse.heads[word_index]) == "doer"
        )
        return (
            self.parse.upos[word_index] in _CONTENT_TAGS
            and any(map(str.isalnum, self.words[word_index]))
            and not is_agent_marker
        )

    def find_predicate_of_clause(self, word_index: int) -> int:
        """Return the predicate of the clause of a word."""
        relations, upos = self.parse.relations, self.parse.upos
        word_and_ancestors = (word_index, *self.iterate_ancestors(word_index))
        return next(
            (
                index
                for index in word_and_ancestors
                if relations[index] in _CLAUSE_RELATIONS and upos[index] in _VERB_TAGS
            ),
            word_and_ancestors[-1],
        )


def parse_sentences(texts: Sequence[str], pipeline: "Pipeline") -> list[ParsedSentence]:
    """Parse each text as one sentence. No text may be without words."""
    ranges = [pipeline.split_into_tokens(text, 0, len(text)) for text in texts]
    words = [
        [text[start:end] for start, end in text_ranges]
        for text, text_ranges in zip(texts, ranges, strict=True)
    ]
    return list(map(ParsedSentence, words, ranges, pipeline.parse(words)))


class SentenceWithNames(NamedTuple):
    """A parsed sentence, and the names in it."""

    sentence: ParsedSentence
    names: "list[Name]"


def parse_sentence_with_names(text: str, pipeline: "Pipeline") -> SentenceWithNames:
    """Parse a text as one sentence, and find its names. The text may not be without words."""
    ranges = pipeline.split_into_tokens(text, 0, len(text))
    words = [text[start:end] for start, end in ranges]
    parse, names = pipeline.parse_with_names(words)
    return SentenceWithNames(ParsedSentence(words, ranges, parse), names)


def parse_sentence(text: str, language: str | None) -> ParsedSentence | None:
    """Parse a text as one sentence; None if its language is unknown or has no parser. It may not be without
    words.
    """
    pipeline = load_parser(language) if language else None
    return parse_sentences([text], pipeline)[0] if pipeline else None


@lru_cache(maxsize=64)
def parse_question(question: str, language: str | None) -> ParsedSentence | None:
    """Return `parse_sentence` from a cache: several steps of an answer need the parsed question."""
    return parse_sentence(question, language)


def judge_clauses_by_evidence(
    sentence: ParsedSentence, evidence: Sequence[ParsedSentence], known_forms: Collection[str]
) -> bool | None:
    """Return whether each clause of the sentence is stated by one sentence of the evidence. Return None if
    the evidence says it in other words, so that this is not known.

    `known_forms` are forms of words of titles and of preceding sentences. A name among them may be missing in
    the evidence, which may call it "it".
    """
    clauses: dict[int, list[int]] = {}
    for word in range(len(sentence.words)):
        if sentence.must_evidence_contain_word(word):
            clauses.setdefault(sentence.find_predicate_of_clause(word), []).append(word)
    verdicts = []
    for predicate, clause_words in clauses.items():
        clause_verdicts = [
            _judge_clause(sentence, predicate, clause_words, evidence_sentence, known_forms)
            for evidence_sentence in evidence
        ]
        # Else that of the sentence that has most of the clause's words.
        verdicts.append(
            True
            if any(verdict.is_stated for verdict in clause_verdicts)
            else min(clause_verdicts, key=lambda verdict: verdict.missing_word_count).is_stated
        )
    if False in verdicts:
        return False
    return None if None in verdicts else True


class _ClauseVerdict(NamedTuple):
    """The verdict of one sentence of the evidence on a clause, and how many of the clause's words it lacks.

    `is_stated` is None if the sentence lacks words, but contradicts none.
    """

    is_stated: bool | None
    missing_word_count: int


def _judge_clause(
    sentence: ParsedSentence,
    predicate_index: int,
    clause_words: Sequence[int],
    evidence: ParsedSentence,
    known_forms: Collection[str],
) -> _ClauseVerdict:
    """Return whether a sentence of the evidence states a clause."""
    evidence_positions = {
        word: [
            position
            for position, forms in enumerate(evidence.forms)
            if not forms.isdisjoint(sentence.forms[word])
        ]
        for word in clause_words
    }
    # Numbers were compared before, and may be written in other ways.
    missing_words = [
        word
        for word in clause_words
        if not evidence_positions[word] and not any(map(str.isdigit, sentence.words[word]))
    ]
    new_words = [word for word in missing_words if sentence.forms[word].isdisjoint(known_forms)]
    present_words = [word for word in clause_words if evidence_positions[word]]
    if _are_missing_words_essential(
        sentence, missing_words, new_words
    ) or not _do_words_have_same_order_or_heads_in_evidence(
        sentence, predicate_index, present_words, evidence_positions, evidence
    ):
        return _ClauseVerdict(False, len(missing_words))
    # A noun that went before may be "it" in the evidence; of another word another one may say the opposite.
    lacks_word_other_than_noun = any(sentence.parse.upos[word] not in _NOUN_TAGS for word in missing_words)
    is_unknown = bool(new_words) or lacks_word_other_than_noun or not present_words
    return _ClauseVerdict(None if is_unknown else True, len(missing_words))


def _are_missing_words_essential(
    sentence: ParsedSentence, missing_words: Sequence[int], new_words: Sequence[int]
) -> bool:
    """Return whether the words that the evidence lacks name another thing, or govern a clause: "plans to
    found".
    """
    upos = sentence.parse.upos
    return any(upos[word] == "PROPN" for word in new_words) or any(
        upos[word] in _VERB_TAGS and sentence.list_dependents(word, _GOVERNED_CLAUSE_RELATIONS)
        for word in missing_words
    )


def _do_words_have_same_order_or_heads_in_evidence(
    sentence: ParsedSentence,
    predicate_index: int,
    present_words: Sequence[int],
    evidence_positions: Mapping[int, Sequence[int]],
    evidence: ParsedSentence,
) -> bool:
    """Return whether the present words have the same order or the same heads in the evidence, with the same
    roles and the same certainty.
    """
    position_by_word = _align_in_order(present_words, evidence_positions)
    if position_by_word is None:
        position_by_word = _align_in_order_except_before_subject(
            sentence, predicate_index, present_words, evidence_positions
        )
    if position_by_word is None:
        position_by_word = _align_under_same_heads(sentence, present_words, evidence_positions, evidence)
    return (
        position_by_word is not None
        and not _have_conflicting_roles(sentence, position_by_word, evidence)
        and _has_same_negation_and_modality(sentence, position_by_word, evidence)
    )


def _align_in_order(
    words: Sequence[int], evidence_positions: Mapping[int, Sequence[int]]
) -> dict[int, int] | None:
    """Return the position in the evidence of each word, in the same order; None if the order differs."""
    position_by_word: dict[int, int] = {}
    last_position = -1
    for word in words:
        next_position = next(
            (position for position in evidence_positions[word] if position > last_position), None
        )
        if next_position is None:
            return None
        position_by_word[word] = last_position = next_position
    return position_by_word


def _align_in_order_except_before_subject(
    sentence: ParsedSentence,
    predicate_index: int,
    words: Sequence[int],
    evidence_positions: Mapping[int, Sequence[int]],
) -> dict[int, int] | None:
    """As `_align_in_order`, but words before the subject may be elsewhere: "In 1998, she left" is "She left
    in 1998".
    """
    subjects = sentence.list_dependents(predicate_index, _SUBJECT_RELATIONS)
    subject_start = min((sentence.list_descendants(subject)[0] for subject in subjects), default=0)
    words_before = [word for word in words if word < subject_start]
    is_circumstance = all(
        any(
            ancestor in sentence.list_dependents(predicate_index, _CIRCUMSTANCE_RELATIONS)
            for ancestor in (word, *sentence.iterate_ancestors(word))
        )
        for word in words_before
    )
    positions_before = (
        _align_in_order(words_before, evidence_positions) if words_before and is_circumstance else None
    )
    positions_after = (
        None
        if positions_before is None
        else _align_in_order([word for word in words if word >= subject_start], evidence_positions)
    )
    return (
        None
        if positions_before is None
        or positions_after is None
        or set(positions_before.values()) & set(positions_after.values())
        else positions_before | positions_after
    )


def _align_under_same_heads(
    sentence: ParsedSentence,
    words: Sequence[int],
    evidence_positions: Mapping[int, Sequence[int]],
    evidence: ParsedSentence,
) -> dict[int, int] | None:
    """Return a position in the evidence for each word under the same head in the same role; None if one has
    none.
    """
    position_by_word: dict[int, int] = {}
    for word in words:
        head = sentence.parse.heads[word]
        fitting_positions = [
            position for position in evidence_positions[word] if position not in position_by_word.values()
        ]
        if head != word and evidence_positions.get(head):
            fitting_positions = [
                position
                for position in fitting_positions
                if _depends_in_same_way(sentence, word, evidence, position, evidence_positions[head])
            ]
        if not fitting_positions:
            return None
        position_by_word[word] = fitting_positions[0]
    return position_by_word


def _depends_in_same_way(
    sentence: ParsedSentence, word_index: int, evidence: ParsedSentence, position: int, heads: Collection[int]
) -> bool:
    """Return whether a word of the evidence depends on one of `heads` as the word does on its own head.

    A doer or an object must have the same role, other words the same prepositions. A number may depend on a
    dependent of the head.
    """
    if (
        sentence.get_syntactic_role(word_index) in CORE_ROLES
        or evidence.get_syntactic_role(position) in CORE_ROLES
    ):
        return evidence.parse.heads[position] in heads and evidence.get_syntactic_role(
            position
        ) == sentence.get_syntactic_role(word_index)
    governors = tuple(evidence.iterate_ancestors(position))[
        : None if sentence.parse.upos[word_index] == "NUM" else 1
    ]
    return sentence.list_prepositions(word_index) == evidence.list_prepositions(position) and any(
        governor in heads for governor in governors
    )


def _have_conflicting_roles(
    sentence: ParsedSentence, position_by_word: Mapping[int, int], evidence: ParsedSentence
) -> bool:
    """Return whether a doer of one sentence is an object in the other, or the doer of another verb."""
    for word, position in position_by_word.items():
        verb = position_by_word.get(sentence.parse.heads[word])
        if sentence.get_syntactic_role(word) not in CORE_ROLES or verb is None or verb == position:
            continue
        if evidence.parse.heads[position] == verb and evidence.get_syntactic_role(position) in CORE_ROLES - {
            sentence.get_syntactic_role(word)
        }:
            return True
        if evidence.parse.upos[verb] == "VERB" and not _does_word_belong_to_verb(evidence, position, verb):
            return True
    return False


def _does_word_belong_to_verb(evidence: ParsedSentence, word_index: int, verb_index: int) -> bool:
    """Return whether a verb is that of a word, depends on that verb, or describes the word."""
    governing_verb = next(
        (
            ancestor
            for ancestor in evidence.iterate_ancestors(word_index)
            if evidence.parse.upos[ancestor] in _VERB_TAGS
        ),
        verb_index,
    )
    governors = tuple(evidence.iterate_ancestors(verb_index))
    return governing_verb == verb_index or governing_verb in governors or word_index in governors


def _has_same_negation_and_modality(
    sentence: ParsedSentence, position_by_word: Mapping[int, int], evidence: ParsedSentence
) -> bool:
    """Return whether predicates in the evidence have the same negation, modals and governing verbs as in the
    sentence.
    """
    sentence_forms = frozenset[str]().union(*sentence.forms)
    for word, position in position_by_word.items():
        if sentence.is_denied(word) != evidence.is_denied(position):
            return False
        if sentence.parse.upos[word] not in _VERB_TAGS and evidence.parse.upos[position] not in _VERB_TAGS:
            continue
        if sentence.list_modals(word) != evidence.list_modals(position):
            return False
        for governed_position in (position, *evidence.iterate_ancestors(position)):
            governor = evidence.parse.heads[governed_position]
            if (
                evidence.parse.relations[governed_position] not in _GOVERNED_CLAUSE_RELATIONS
                or governor == governed_position
            ):
                break
            if evidence.forms[governor].isdisjoint(sentence_forms):
                return False
    return True
