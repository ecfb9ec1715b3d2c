"""The shares of a question's words that sentences and their surroundings contain; pure.

A word weighs the more, the fewer of the present sentences contain it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from app.answers.text_matching import (
    BEGINNING_LENGTH,
    QuestionWord,
    are_forms_of_one_word,
    compile_japanese_forms,
    list_beginnings_of_forms,
    split_into_grams,
)
from app.domain.scoring.keywords import RELATED_SHARE, count_unspaced_characters, list_related_words

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
MIN_MATCHED_SHARE = 0.6
"""Share of a word's runs of letters by which a text contains the word in some form."""
_MAX_SENTENCES_SINCE_NAME = 10
"""Number of sentences from which a name before a sentence is as far as none."""


@dataclass(frozen=True, slots=True)
class QuestionMatches:
    """The share of each question word that each sentence and its surroundings contain, 0 to 1.

    Matrices have a row for each word of the question and a column for each sentence; `gram_flags` has a row
    for each run of letters. The `weights` of the words add up to 1; `missing_weights` are those of words that
    no passage contains. `carried_shares` has the names of the question in each sentence, or else in the last
    sentence before it in its passage that contains any, and in the title: it may go on to speak of these. The
    last eight arrays have one value for each sentence.
    """

    weights: Floats
    is_name_word: npt.NDArray[np.bool_]
    missing_weights: Floats
    max_weight: float
    gram_flags: Floats
    sentence_shares: Floats
    previous_sentence_shares: Floats
    next_sentence_shares: Floats
    passage_shares: Floats
    title_shares: Floats
    carried_shares: Floats
    weight_in_sentence: Floats
    weight_around: Floats
    weight_with_title: Floats
    weight_lead: Floats
    is_in_best_passage: npt.NDArray[np.bool_]
    weight_with_carried: Floats
    carried_weight_lead: Floats
    sentences_since_name: Floats
    part_count: int
    parts_missing: Floats
    parts_missing_alone: Floats
    parts_missing_in_passage: Floats
    parts_missing_everywhere: int

    def select_sentences(self, sentence_indices: Indices) -> "QuestionMatches":
        """Return the matches of these sentences only."""
        return replace(
            self, **{name: getattr(self, name)[..., sentence_indices] for name in _FIELDS_BY_SENTENCE}
        )

    def compute_matched_share(self, word_shares: Floats, is_counted_word: npt.NDArray[np.bool_]) -> Floats:
        """Return the share of some of the words that is matched, by their weights; 0 where there are none."""
        counted_weights = self.weights * is_counted_word
        total_weight = counted_weights.sum()
        return (
            counted_weights @ word_shares / total_weight if total_weight else np.zeros(word_shares.shape[1])
        )


_FIELDS_BY_SENTENCE = (
    "gram_flags", "sentence_shares", "previous_sentence_shares", "next_sentence_shares", "passage_shares",
    "title_shares", "carried_shares", "weight_in_sentence", "weight_around", "weight_with_title",
    "weight_lead", "is_in_best_passage", "weight_with_carried", "carried_weight_lead",
    "sentences_since_name", "parts_missing", "parts_missing_alone", "parts_missing_in_passage",
)  # fmt: skip


def match_words(
    words: Sequence[QuestionWord],
    texts: Sequence[str],
    titles: Sequence[str],
    passage_indices: Indices,
) -> QuestionMatches:
    """Match the words of a question with folded sentences and the titles of their sources."""
    grams_by_word = [split_into_grams(word) for word, _ in words]
    gram_starts = np.cumsum([0, *map(len, grams_by_word)])[:-1]
    gram_counts = np.array([*map(len, grams_by_word)], float)[:, None]
    grams = [gram for word_grams in grams_by_word for gram in word_grams]
    gram_flags = np.array([[gram in text for text in texts] for gram in grams], float)
    is_first_of_passage = flag_first_sentences_of_passages(passage_indices)
    passage_starts, consecutive_passage_indices = (
        np.flatnonzero(is_first_of_passage),
        np.cumsum(is_first_of_passage) - 1,
    )
    form_flags = _flag_texts_with_forms_of_words(words, texts)
    sentence_shares = np.maximum(
        np.maximum(np.add.reduceat(gram_flags, gram_starts) / gram_counts, form_flags),
        _compute_shares_of_related_words(words, texts),
    )
    passage_shares = np.maximum(
        np.add.reduceat(np.maximum.reduceat(gram_flags, passage_starts, axis=1), gram_starts) / gram_counts,
        np.maximum.reduceat(form_flags, passage_starts, axis=1),
    )
    title_flags = np.array([[gram in text for text in titles] for gram in grams], float)
    title_shares = (np.add.reduceat(title_flags, gram_starts) / gram_counts)[:, passage_indices]
    weights = np.log((len(texts) + 1) / (sentence_shares.sum(axis=1) + 0.5)) + 0.1
    weights /= weights.sum()
    shares_before, shares_after = (
        _shift_shares_to_neighbor(sentence_shares, passage_indices, -1),
        _shift_shares_to_neighbor(sentence_shares, passage_indices, 1),
    )
    matched_weights = weights @ sentence_shares
    is_name_word = np.array([is_name for _, is_name in words])
    carried_shares, sentences_since_name = _carry_name_shares_to_next_sentences(
        sentence_shares * is_name_word[:, None],
        title_shares * is_name_word[:, None],
        passage_starts[consecutive_passage_indices],
    )
    weight_with_carried = weights @ np.maximum(sentence_shares, carried_shares)
    passage_shares_by_sentence = passage_shares[:, consecutive_passage_indices]
    part_starts = _list_starts_of_question_parts(words)
    alone_shares = np.maximum(sentence_shares, carried_shares)
    near_shares = np.maximum(np.maximum(alone_shares, shares_before), title_shares)
    return QuestionMatches(
        weights=weights,
        is_name_word=is_name_word,
        missing_weights=weights * (passage_shares.max(axis=1) < MIN_MATCHED_SHARE),
        max_weight=float(matched_weights.max()),
        gram_flags=gram_flags,
        sentence_shares=sentence_shares,
        previous_sentence_shares=shares_before,
        next_sentence_shares=shares_after,
        passage_shares=passage_shares_by_sentence,
        title_shares=title_shares,
        carried_shares=carried_shares,
        weight_in_sentence=matched_weights,
        weight_around=weights @ np.maximum(np.maximum(shares_before, shares_after), sentence_shares),
        weight_with_title=weights @ np.maximum(sentence_shares, title_shares),
        weight_lead=matched_weights - compute_largest_other_values(matched_weights),
        is_in_best_passage=passage_indices == passage_indices[int(matched_weights.argmax())],
        weight_with_carried=weight_with_carried,
        carried_weight_lead=weight_with_carried - compute_largest_other_values(weight_with_carried),
        sentences_since_name=sentences_since_name,
        part_count=len(part_starts),
        parts_missing=_count_missing_parts(near_shares, part_starts),
        parts_missing_alone=_count_missing_parts(alone_shares, part_starts),
        parts_missing_in_passage=_count_missing_parts(
            np.maximum(near_shares, passage_shares_by_sentence), part_starts
        ),
        parts_missing_everywhere=int(
            _count_missing_parts(sentence_shares.max(axis=1, keepdims=True), part_starts)[0]
        ),
    )


def _list_starts_of_question_parts(words: Sequence[QuestionWord]) -> Indices:
    """Return where the parts of a question begin: a run of name words is one part, as is each other word."""
    return np.array(
        [
            index
            for index, (word, is_name) in enumerate(words)
            if not index or not (is_name and words[index - 1][1]) or word.isdecimal()
        ]
    )


def _count_missing_parts(shares: Floats, part_starts: Indices) -> Floats:
    """Return for each column how many parts of the question it lacks; one word of a name is enough."""
    missing_counts: Floats = (np.maximum.reduceat(shares, part_starts) < MIN_MATCHED_SHARE).sum(axis=0)
    return missing_counts


def _flag_texts_with_forms_of_words(words: Sequence[QuestionWord], texts: Sequence[str]) -> Floats:
    """Return 1 for each word and folded text if the text contains another form of the word, else 0."""
    text_indices_by_word: dict[str, list[int]] = {}
    for text_index, text in enumerate(texts):
        for text_word in set(text.split()):
            text_indices_by_word.setdefault(text_word, []).append(text_index)
    text_words_by_beginning: dict[str, list[str]] = {}
    for text_word in text_indices_by_word:
        text_words_by_beginning.setdefault(text_word[:BEGINNING_LENGTH], []).append(text_word)
    form_flags = np.zeros((len(words), len(texts)))
    for row, (word, _) in enumerate(words):
        if not word.isdecimal() and not count_unspaced_characters(word):
            for beginning in list_beginnings_of_forms(word):
                for text_word in text_words_by_beginning.get(beginning, ()):
                    if are_forms_of_one_word(word, text_word):
                        form_flags[row, text_indices_by_word[text_word]] = 1
        elif (pattern := compile_japanese_forms(word)) is not None:
            form_flags[row] = [pattern.search(text) is not None for text in texts]
    return form_flags


class _CarriedNames(NamedTuple):
    """The shares of name words that belong to each sentence, and the number of sentences since the one that
    contains them.
    """

    shares: Floats
    sentences_since_name: Floats


def _carry_name_shares_to_next_sentences(
    name_shares: Floats, title_shares: Floats, passage_starts: Indices
) -> _CarriedNames:
    """Return the shares of name words that each sentence contains, or else the last sentence before it in its
    passage that contains one, and its title.

    `passage_starts` has the index of the first sentence of each sentence's passage. Without a name before it
    a sentence counts as far from one.
    """
    sentence_indices = np.arange(name_shares.shape[1])
    has_name = (name_shares >= MIN_MATCHED_SHARE).any(axis=0)
    last_name_indices = np.maximum.accumulate(np.where(has_name, sentence_indices, -1))
    is_carried = last_name_indices >= passage_starts
    carried_shares = np.where(is_carried, name_shares[:, np.maximum(last_name_indices, 0)], 0.0)
    distances = np.where(is_carried, sentence_indices - last_name_indices, _MAX_SENTENCES_SINCE_NAME)
    return _CarriedNames(
        np.maximum(carried_shares, title_shares),
        np.minimum(distances, _MAX_SENTENCES_SINCE_NAME).astype(float),
    )


def flag_first_sentences_of_passages(passage_indices: Indices) -> npt.NDArray[np.bool_]:
    return np.concatenate(([True], passage_indices[1:] != passage_indices[:-1]))


def _compute_shares_of_related_words(words: Sequence[QuestionWord], texts: Sequence[str]) -> Floats:
    """Return how well each text contains a word of the same relation as each word, if there is one."""
    shares = np.zeros((len(words), len(texts)))
    for row, (word, _) in enumerate(words):
        related_forms = [f" {related_form}" for related_form in list_related_words(word)]
        if related_forms:
            shares[row] = [
                RELATED_SHARE * any(related_form in text for related_form in related_forms) for text in texts
            ]
    return shares


def _shift_shares_to_neighbor(shares: Floats, passage_indices: Indices, step: int) -> Floats:
    """Return how well the sentence before (-1) or after (1) in the same passage contains each word."""
    neighbor_shares = np.zeros_like(shares)
    is_same_source = passage_indices[1:] == passage_indices[:-1]
    if step < 0:
        neighbor_shares[:, 1:] = shares[:, :-1] * is_same_source
    else:
        neighbor_shares[:, :-1] = shares[:, 1:] * is_same_source
    return neighbor_shares


def compute_largest_other_values(values: Floats) -> Floats:
    """Return for each value the largest other one, 0 if there is none. Of several that are equally large,
    each has the next smaller one: two sources that say the same take no lead from each other.
    """
    largest = values.max(initial=0.0)
    is_largest = np.isclose(values, largest)
    best_of_others: Floats = np.where(is_largest, values[~is_largest].max(initial=0.0), largest)
    return best_of_others
