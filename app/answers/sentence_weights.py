"""Weigh sentences by the words of a question in them; pure (requirement 10.3)."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import fsum, log

from app.answers.candidates import (
    Quotable,
    group_cumulatively_by_minimum_trust,
    list_words_of_names_meant_by_pronouns,
)
from app.answers.shapes import Source
from app.documents.sentences import list_folded_row_names
from app.domain.scoring.keywords import (
    RELATED_SHARE,
    list_stems,
    list_stems_of_texts,
    map_related_stems_to_asked_stems,
)
from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS, split_into_word_set
from app.graph.questions import is_yes_no_question

NEIGHBOR_SENTENCE_SHARE = 0.5
"""Weight of an asked name that only another sentence of the passage contains."""
PREVIOUS_SENTENCE_SHARE = 0.9
"""Weight of an asked name in the sentence before, if this one begins with "She" or "It"."""
OWN_ROW_FACTOR = 1.2
"""Factor for a table row whose subject is an asked name."""
RETRACTED_SENTENCE_FACTOR = 0.5
"""Factor for a sentence that the next one retracts."""
RANK_DISCOUNT = 0.05
"""Discount of a sentence's score for each rank of its source."""
STATED_BONUS = 2.0
"""Bonus for stating a relation that the question asks for, in units of its rarest word."""
# Words that introduce no new subject.
_WORDS_WITHOUT_NEW_SUBJECT = (STOP_WORDS | PRONOUNS) - {"the", "a", "an"}
_WORD = re.compile(r"[^\W\d_]+")
GENERIC_QUESTION_STEMS = list_stems(
    " ".join(
        split_into_word_set(
            """
            tell list give show describe explain name know say said mean happen thing kind type sort many much
            person people place please find term called does speak question answer information fact detail
            """
        )
    )
)
"""Stems of question words without content of their own."""


@dataclass(frozen=True, slots=True)
class QuoteCandidate:
    """A sentence with its values as a quote.

    `score` is the share of the question's words in it, by their weights; `weighted_score` is the score by
    which it ranks as a quote, `is_statement` whether it states the answer. `is_named_before` is True if the
    sentence before contains a name that this one refers to.
    """

    sentence: Quotable
    score: float
    weighted_score: float
    is_statement: bool
    is_about_more_than_names: bool
    is_named_before: bool
    question_words: frozenset[str] = frozenset()
    question_words_in_names: frozenset[str] = frozenset()


def weigh_sentences(
    question: str,
    sources: Sequence[Source],
    sentences: Sequence[Quotable],
    names: Sequence[str],
    stated_quotes: Sequence[str],
) -> list[QuoteCandidate]:
    """Return the sentences in their order with their scores.

    Each is weighed among the sentences that are trusted at least as much: no source changes the order of the
    sentences of a more trusted one.
    """
    candidate_by_sentence = {}
    for trust, trusted_sentences in group_cumulatively_by_minimum_trust(sentences):
        source_numbers = sorted(source.number for source in sources if source.trust >= trust)
        for candidate in _weigh_sentences_among_themselves(
            question, source_numbers, trusted_sentences, names, stated_quotes
        ):
            if candidate.sentence.source.trust == trust:
                candidate_by_sentence[id(candidate.sentence)] = candidate
    return [candidate_by_sentence[id(sentence)] for sentence in sentences]


def _weigh_sentences_among_themselves(
    question: str,
    source_numbers: Sequence[int],
    sentences: Sequence[Quotable],
    names: Sequence[str],
    stated_quotes: Sequence[str],
) -> list[QuoteCandidate]:
    """Return the sentences with their scores, which depend on all of them: the fewer contain a word, the more
    it weighs. `source_numbers` are the numbers of their sources by rank.
    """
    asked_stems, name_stems, *stems_by_sentence = list_stems_of_texts(
        [question, " ".join(names), *(sentence.text_with_header for sentence in sentences)]
    )
    stem_by_related_stem = map_related_stems_to_asked_stems(asked_stems)
    folded_names = {name.casefold() for name in names}
    weight_by_stem = _weigh_stems(
        asked_stems, [sentence_stems & asked_stems for sentence_stems in stems_by_sentence]
    )
    max_weight = max(weight_by_stem.values(), default=0.0)
    weight_by_stem |= dict.fromkeys(asked_stems & name_stems, max_weight)
    full_weight = fsum(weight_by_stem.values()) or 1.0
    name_stems_by_source: dict[int, set[str]] = {}
    for sentence, sentence_stems in zip(sentences, stems_by_sentence, strict=True):
        name_stems_by_source.setdefault(sentence.source.number, set()).update(
            sentence_stems & asked_stems & name_stems
        )
    subject_stems_by_sentence = list_words_of_names_meant_by_pronouns(
        sentences, [sentence_stems & asked_stems & name_stems for sentence_stems in stems_by_sentence]
    )
    candidates = []
    row_names = list_folded_row_names([sentence.text for sentence in sentences])
    for sentence, sentence_stems, subject_stems, row_name in zip(
        sentences, stems_by_sentence, subject_stems_by_sentence, row_names, strict=True
    ):
        related_stems = {
            stem_by_related_stem[stem] for stem in sentence_stems & stem_by_related_stem.keys()
        } - sentence_stems
        # By fsum, as sets have another order in each process: of two alike the same has to win.
        said_weight = fsum(weight_by_stem[stem] for stem in sentence_stems & asked_stems)
        said_weight += RELATED_SHARE * fsum(weight_by_stem[stem] for stem in related_stems)
        says_more = bool(
            ((sentence_stems & asked_stems) | related_stems) - name_stems - GENERIC_QUESTION_STEMS
        )
        if says_more and not _begins_with_new_subject(sentence.text):
            said_weight += NEIGHBOR_SENTENCE_SHARE * fsum(
                weight_by_stem[stem]
                for stem in name_stems_by_source[sentence.source.number] - sentence_stems - subject_stems
            )
            said_weight += PREVIOUS_SENTENCE_SHARE * fsum(
                weight_by_stem[stem] for stem in subject_stems - sentence_stems
            )
        # What is taken back answers whether it is so, and not what is.
        is_retracted_answer = sentence.is_retracted and not is_yes_no_question(question)
        states_answer = not is_retracted_answer and any(quote in sentence.text for quote in stated_quotes)
        score = said_weight / full_weight
        bonus = STATED_BONUS * max_weight / full_weight if states_answer else 0.0
        source_factor = _compute_source_factor(
            sentence,
            source_numbers.index(sentence.source.number),
            is_own_row=row_name in folded_names,
            is_retracted=is_retracted_answer,
        )
        candidates.append(
            QuoteCandidate(
                sentence,
                score,
                (score + bonus) * source_factor,
                states_answer,
                says_more,
                bool(subject_stems - sentence_stems),
                (sentence_stems | subject_stems) & asked_stems,
                (sentence_stems | subject_stems) & asked_stems & name_stems,
            )
        )
    return candidates


def _compute_source_factor(
    sentence: Quotable, source_rank: int, *, is_own_row: bool, is_retracted: bool
) -> float:
    """Return the factor of a sentence's score for the rank and trust of its source and for its kind."""
    rank_factor = max(0.0, 1 - RANK_DISCOUNT * source_rank)
    return (
        rank_factor
        * sentence.source.trust
        * (OWN_ROW_FACTOR if is_own_row else 1)
        * (RETRACTED_SENTENCE_FACTOR if is_retracted else 1)
    )


def _begins_with_new_subject(sentence: str) -> bool:
    """Return whether a sentence begins with a new subject, so that it is not about the name of the sentence
    before.
    """
    first_word = _WORD.search(sentence)
    return first_word is None or first_word[0].casefold() not in _WORDS_WITHOUT_NEW_SUBJECT


def _weigh_stems(
    asked_stems: Iterable[str], stems_by_sentence: Sequence[Collection[str]]
) -> dict[str, float]:
    """Return the weight of each word: the fewer sentences contain it, the more."""
    counts = Counter(stem for stems in stems_by_sentence for stem in stems)
    return {stem: log(1 + len(stems_by_sentence) / max(counts[stem], 1)) for stem in asked_stems}
