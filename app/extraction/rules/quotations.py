"""Speakers of quotations, over several sentences and in the lines of an interview.

The clause next to the quotation marks names the speaker ("…, Ann Lee said", "Ann Lee said: …") of all its
sentences, and of the next quotation if only white space is between them. A line of an interview is spoken by
the name before its colon.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from app.domain.node_types import PEOPLE
from app.extraction.rules.indices import EntityIndex, WordIndex
from app.extraction.rules.syntax import MIN_REFERENCE_CONFIDENCE, Tree
from app.extraction.shapes import FoundEntity
from app.graph.names import normalise_name

_QUOTATION = re.compile(r'“[^”\n]*+”?|"[^"\n]*+"?|«[^»\n]*+»?|(?<!\w)[\'‘][^\'’\n]{2,80}[\'’](?!\w)')
QUOTATION_MARKS = frozenset("“”\"«»„‘’'")
_MARKS_BEFORE_SPEAKER = ",!?…—.-"
"""Final marks of a quotation whose speaker follows it."""
MAX_LINE_BREAKS = 2
"""Number of line breaks between adjacent paragraphs."""
_SENTENCE_END_MARKS = (".", "!", "?", "…")
_INTERVIEW_LINE = re.compile(r"(?:^|\n)(?P<name>[^\W\d_][^\n:.?!]{0,40}):[ \t]+(?=\S)")
"""The beginning of a line of an interview."""
_MIN_QUOTATION_WORDS = 4
"""Minimum number of words of a quotation that is more than a title or a catchword."""
CONTINUED_SPEECH_FACTOR = 0.9
"""Confidence that the next quotation has the same speaker."""
_REFERRING_WORDS = frozenset(
    ("he", "she", "it", "they", "him", "her", "them", "this", "that", "these", "those", "such")
)
_DEMONSTRATIVES = frozenset(("this", "these", "those", "such"))


class Quotation(NamedTuple):
    """The range of a quotation in the chunk's text, including its marks."""

    start: int
    end: int


class Speech(NamedTuple):
    """The speaker of a quotation: the entity, if the text names one, the confidence, and the attributing
    words.

    `verb` is the verb of speech ("said"), "" if only a colon attributes the quotation.
    """

    entity: EntityIndex | None
    confidence: float
    verb: str
    start: int
    end: int


class SentenceTree(NamedTuple):
    """The tree of a sentence, the start of each word in the chunk's text, and the end of the sentence
    there.
    """

    tree: Tree
    starts: Sequence[int]
    end: int


def find_quotations(text: str) -> list[Quotation]:
    """Return the ranges between quotation marks; an unclosed quotation ends with its paragraph."""
    return [Quotation(*match.span()) for match in _QUOTATION.finditer(text)]


def find_speeches(
    sentences: Iterable[SentenceTree], quotations: Sequence[Quotation], text: str
) -> dict[Quotation, Speech]:
    """Return the speaker of each quotation that a clause next to it, or the previous quotation,
    attributes.
    """
    long_quotations = [
        quotation
        for quotation in quotations
        if len(text[quotation.start : quotation.end].split()) >= _MIN_QUOTATION_WORDS
    ]
    speech_by_quotation: dict[Quotation, Speech] = {}
    if not long_quotations:
        return speech_by_quotation
    end_by_quotation: dict[Quotation, int] = {}
    for sentence in sentences:
        for quotation, speech in _find_speeches_beside(sentence, long_quotations, text):
            speech_by_quotation.setdefault(quotation, speech)
            end_by_quotation[quotation] = max(sentence.end, quotation.end)
    for previous_quotation, next_quotation in pairwise(long_quotations):
        # A quotation that ends with a comma is followed by its own speaker.
        is_whole = text[next_quotation.end - 2 : next_quotation.end - 1] in _SENTENCE_END_MARKS
        if (
            next_quotation not in speech_by_quotation
            and previous_quotation in speech_by_quotation
            and is_whole
        ):
            text_between = text[
                end_by_quotation.get(previous_quotation, previous_quotation.end) : next_quotation.start
            ]
            if not text_between.strip() and text_between.count("\n") <= MAX_LINE_BREAKS:
                speech_by_quotation[next_quotation] = _continue_speech(
                    speech_by_quotation[previous_quotation]
                )
    _add_speakers_across_paragraphs(long_quotations, speech_by_quotation, text)
    return speech_by_quotation


def _continue_speech(speech: Speech) -> Speech:
    return speech._replace(confidence=speech.confidence * CONTINUED_SPEECH_FACTOR)


def _add_speakers_across_paragraphs(
    quotations: Sequence[Quotation], speech_by_quotation: dict[Quotation, Speech], text: str
) -> None:
    """Add the speaker to each paragraph of a quotation of which only the last paragraph is closed.

    Each paragraph opens with a mark; the attribution is next to the first or the last one.
    """
    pairs = [pair for pair in pairwise(quotations) if _does_next_paragraph_continue_quotation(*pair, text)]
    for previous_quotation, next_quotation in pairs:
        if previous_quotation in speech_by_quotation and next_quotation not in speech_by_quotation:
            speech_by_quotation[next_quotation] = _continue_speech(speech_by_quotation[previous_quotation])
    for previous_quotation, next_quotation in reversed(pairs):
        if next_quotation in speech_by_quotation and previous_quotation not in speech_by_quotation:
            speech_by_quotation[previous_quotation] = _continue_speech(speech_by_quotation[next_quotation])


def _does_next_paragraph_continue_quotation(
    previous_quotation: Quotation, next_quotation: Quotation, text: str
) -> bool:
    """Return whether a paragraph leaves a quotation open and the next paragraph opens it again."""
    is_open = text[previous_quotation.end - 1] not in QUOTATION_MARKS
    text_between = text[previous_quotation.end : next_quotation.start]
    return (
        is_open
        and not text_between.strip(" \t\n>")
        and "\n" in text_between
        and text_between.count("\n") <= MAX_LINE_BREAKS
    )


class _AttributedQuotation(NamedTuple):
    """A quotation with its speaker."""

    quotation: Quotation
    speech: Speech


def _find_speeches_beside(
    sentence: SentenceTree, quotations: Sequence[Quotation], text: str
) -> Iterable[_AttributedQuotation]:
    """Yield the quotations next to attributing clauses of a sentence, with their speakers."""
    tree, starts = sentence.tree, sentence.starts
    nearby_quotations = _list_quotations_near(sentence, quotations, text)
    if not nearby_quotations:
        return
    outside_flags = [
        not any(quotation.start <= start < quotation.end for quotation in nearby_quotations)
        for start in starts
    ]
    for verb, subjects in _iter_verbs_outside_quotations(tree, outside_flags):
        clause_words = {
            index for subject in subjects for index in tree.descendants(subject) if outside_flags[index]
        }
        clause_words |= {verb, *(index for index in tree.dependents(verb, "aux") if outside_flags[index])}
        first_word, last_word = min(clause_words), max(clause_words)
        end_word = last_word + 1
        while end_word < len(starts) and outside_flags[end_word] and tree.parse.upos[end_word] != "PUNCT":
            end_word += 1
        clause_end = starts[end_word] if end_word < len(starts) else sentence.end
        for quotation in nearby_quotations:
            if _does_position_follow_quotation(
                quotation, starts[first_word], text
            ) or _does_clause_end_precede_quotation(quotation, clause_end, text):
                entity, confidence = _find_named_speaker(tree, subjects[-1])
                clause_text = text[starts[first_word] : clause_end].rstrip(" ,:.")
                is_before = _does_clause_end_precede_quotation(quotation, clause_end, text)
                speech_verb = tree.words[
                    _find_last_joined_verb(tree, verb, outside_flags) if is_before else verb
                ]
                yield _AttributedQuotation(
                    quotation,
                    Speech(
                        entity,
                        confidence * tree.confidence_of(subjects[-1]),
                        speech_verb,
                        starts[first_word],
                        starts[first_word] + len(clause_text),
                    ),
                )


def _list_quotations_near(
    sentence: SentenceTree, quotations: Sequence[Quotation], text: str
) -> list[Quotation]:
    """Return the quotations that overlap a sentence, or that it announces."""
    return [
        quotation
        for quotation in quotations
        if quotation.end > sentence.starts[0]
        and (quotation.start < sentence.end or _does_colon_announce_quotation(text, sentence.end, quotation))
    ]


def _find_last_joined_verb(tree: Tree, verb: WordIndex, outside_flags: Sequence[bool]) -> WordIndex:
    """Return the last verb joined to a clause's own verb before the quotation: "met Bob Ray and told him:
    …".
    """
    joined_verbs = [
        index
        for index in tree.dependents(verb, "conj")
        if outside_flags[index] and index > verb and tree.parse.upos[index] == "VERB"
    ]
    return joined_verbs[-1] if joined_verbs else verb


def _does_colon_announce_quotation(text: str, end: int, quotation: Quotation) -> bool:
    """Return whether a sentence before the quotation ends with a colon: "said in a letter:"."""
    text_between = text[end : quotation.start]
    return (
        text[:end].rstrip().endswith(":")
        and not text_between.strip()
        and text_between.count("\n") <= MAX_LINE_BREAKS
    )


class _VerbWithSubjects(NamedTuple):
    """The positions of a verb and of its subjects."""

    verb: WordIndex
    subjects: list[WordIndex]


def _iter_verbs_outside_quotations(tree: Tree, outside_flags: Sequence[bool]) -> Iterator[_VerbWithSubjects]:
    """Yield the verbs outside quotation marks, with their subjects there.

    The parser may make two subjects of "its spokeswoman Ann Lee".
    """
    for verb in range(len(outside_flags)):
        if outside_flags[verb] and tree.parse.upos[verb] == "VERB" and verb not in tree.units:
            subjects = [index for index in tree.dependents(verb, "nsubj") if outside_flags[index]]
            if subjects and subjects[-1] - subjects[0] < len(subjects):
                yield _VerbWithSubjects(verb, subjects)


def _does_position_follow_quotation(quotation: Quotation, start: int, text: str) -> bool:
    """Return whether the position `start` directly follows a quotation that ends with a mark as a quoted
    clause does.
    """
    text_between = text[quotation.end : start] if quotation.end <= start else "x"
    last_character = text[quotation.end - 2 : quotation.end - 1]
    return not text_between.strip(" ,") and (last_character in _MARKS_BEFORE_SPEAKER or "," in text_between)


def _does_clause_end_precede_quotation(quotation: Quotation, clause_end: int, text: str) -> bool:
    """Return whether only a comma or colon is between `clause_end` and the quotation."""
    text_between = text[clause_end : quotation.start] if clause_end <= quotation.start else "x"
    return text_between.strip() in (",", ":")


class _NamedSpeaker(NamedTuple):
    """The entity that a subject names, None if it names none, and how sure that is."""

    entity: EntityIndex | None
    confidence: float


def _find_named_speaker(tree: Tree, subject_word: WordIndex) -> _NamedSpeaker:
    """Return the entity that the subject of a clause names, itself or in apposition: "its president, Ann
    Lee".
    """
    name_parts = [
        index for index in tree.dependents(subject_word, "appos", "flat", "compound") if index > subject_word
    ]
    for word in (subject_word, *name_parts):
        unit = tree.units.get(word)
        if (
            unit is not None
            and len(unit.entities) == 1
            and unit.max_confidence >= MIN_REFERENCE_CONFIDENCE
            and word not in tree.cut_positions
        ):
            return _NamedSpeaker(unit.entities[0], unit.max_confidence)
    return _NamedSpeaker(None, 1.0)


def read_interview_lines(text: str, entities: Sequence[FoundEntity]) -> dict[Quotation, Speech]:
    """Return the lines of an interview with their speakers, where the name is that of one person of the
    chunk.

    In an interview speakers recur. If each name opens only one line, the lines are a list of people described
    by somebody else.
    """
    labels = [(match, normalise_name(match["name"])) for match in _INTERVIEW_LINE.finditer(text)]
    if len({name for _, name in labels}) == len(labels):
        return {}
    people_by_name: dict[str, set[int]] = {}
    for position, entity in enumerate(entities):
        if entity.node_type not in PEOPLE:
            continue
        for name in (entity.name, *entity.aliases, *entity.short_names):
            words = normalise_name(name).split()
            for key in (" ".join(words), words[-1] if words else ""):
                people_by_name.setdefault(key, set()).add(position)
    speech_by_quotation: dict[Quotation, Speech] = {}
    for label, label_name in labels:
        speakers = people_by_name.get(label_name, set())
        if len(speakers) == 1:
            end = text.find("\n", label.end())
            speech = Speech(next(iter(speakers)), 1.0, "", label.start("name"), label.end("name"))
            speech_by_quotation[Quotation(label.end() - 1, len(text) + 1 if end < 0 else end + 1)] = speech
    return speech_by_quotation


def does_quotation_refer_outside(tree: Tree, words: Sequence[WordIndex]) -> bool:
    """Return whether a quotation refers to text outside it: "it was", "this plan"."""
    noun_count = 0
    for index in words:
        word = tree.words[index].lower()
        if word in _DEMONSTRATIVES and tree.parse.relations[index] == "det":
            return True
        is_pronoun = word in _REFERRING_WORDS and tree.parse.upos[index] in ("PRON", "DET")
        if is_pronoun and not noun_count and tree.parse.relations[index] not in ("mark", "det"):
            return True
        noun_count += tree.parse.upos[index] in ("NOUN", "PROPN")
    return False
