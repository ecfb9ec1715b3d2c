"""Features of a sentence and a question for the trained chooser, independent of the language; pure."""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.answers.chooser.question_matches import (
    MIN_MATCHED_SHARE,
    Floats,
    Indices,
    QuestionMatches,
    compute_largest_other_values,
    flag_first_sentences_of_passages,
    match_words,
)
from app.answers.text_matching import (
    QuestionWord,
    fold_to_spaced_lower_case,
    list_question_tokens,
    list_question_words_with_known_names,
)
from app.domain.scoring.keywords import count_unspaced_characters
from app.graph.name_forms import is_interrogative

ANSWER_KINDS = ("number", "year", "name")
"""Kinds of answers that a question may ask for."""
FEATURE_NAMES = (
    "said", "said_exactly", "said_largely", "said_around", "said_by_passage", "said_by_title",
    "said_with_title", "said_before", "said_after", "of_most_said", "ahead_of_others", "most_said",
    "names_said", "names_by_passage", "names_by_title", "names_before", "others_said", "others_ahead",
    "rarest_missing", "rarest_missing_in_passage", "rare_said", "said_nowhere", "rarest_nowhere",
    "pairs_said", "longest_run", "said_of_sentence", "place", "first_of_passage", "rank", "walk",
    "walk_ahead",
    "overlap", "passage_of_best", "length", "words", "question_words", "unspaced", "cased",
    "numbers_asked", "numbers_said", "numbers_by_passage", "new_numbers", "new_years", "new_names",
    "starts_with_new_name", "other_script", "quoted", "brackets", "lists",
    "asks_number", "asks_year", "asks_name", "number_as_asked", "year_as_asked", "name_as_asked",
    "time_asked", "time_said", "time_within", "time_since", "time_latest", "time_carried", "time_beyond",
    "anchors", "anchors_said", "anchors_by_passage", "anchors_by_title", "claims", "claims_of_anchor",
    "claims_of_two",
    "stated", "unknown_names", "begins_asked", "ends_asked",
    "names_carried", "said_with_carried", "carried_ahead", "of_most_carried", "sentences_since_name",
    "parts", "parts_missing", "share_of_parts_missing", "parts_missing_alone", "parts_missing_in_passage",
    "parts_missing_everywhere", "fewest_parts_missing", "parts_behind",
)  # fmt: skip
"""The names of the columns."""
_FORM_FEATURES = (
    "new_numbers", "new_years", "new_names", "starts_with_new_name", "other_script", "quoted", "brackets",
    "lists", "length", "words",
)  # fmt: skip
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_NUMBER = re.compile(r"\d+")
_LETTER_WORD = re.compile(r"[^\W\d_]+")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_MAX_SENTENCES_OF_RARE_WORD = 3
MAX_SENTENCES = 20
"""Number of sentences with most of the question's words, among which the chooser chooses."""


@dataclass(frozen=True, slots=True)
class CandidateSentence:
    """A sentence that may answer; `passage_index` is the index of its passage.

    `claim_count` is the number of claims that rest on the sentence, `anchor_claim_count` the number of those
    about a node asked for, `anchor_pair_claim_count` of those between two such nodes. `states_answer` is True
    if a claim states the answer.
    """

    text: str
    passage_index: int
    claim_count: int = 0
    anchor_claim_count: int = 0
    anchor_pair_claim_count: int = 0
    states_answer: bool = False


@dataclass(frozen=True, slots=True)
class CandidatePassage:
    """A passage with its title and its scores: graph walk, relative to the best passage, and text overlap."""

    text: str
    title: str
    walk_score: float = 0.0
    overlap: float = 0.0


def _list_years(text: str) -> list[int]:
    return [year for digits in _YEAR.findall(text) if _FIRST_YEAR <= (year := int(digits)) <= _LAST_YEAR]


class SentenceFeatures(NamedTuple):
    """The sentences that may answer, by index, and the row of features of each."""

    sentence_indices: Indices
    feature_rows: Floats


def select_sentences_and_compute_features(
    question: str,
    sentences: Sequence[CandidateSentence],
    passages: Sequence[CandidatePassage],
    *,
    names: Sequence[str],
    unknown_names_share: float,
    score_kinds: Callable[[Sequence[str]], Sequence[float]],
    common_words: Set[str],
) -> SentenceFeatures:
    """Return the indices of the sentences that may answer, at most `MAX_SENTENCES`, and a row for each of
    them.

    The columns are `FEATURE_NAMES`; `score_kinds` scores the kinds of answer that the question's tokens ask
    for. `common_words`, which questions about many things have in common, say nothing of what is asked: only
    the other words and names are looked for in the sentences.
    """
    words = list_question_words_with_known_names(question, names) or [QuestionWord("", False)]
    content_words = [
        word
        for word in words
        if word.is_name_or_number or not (word.word in common_words or is_interrogative(word.word))
    ] or words
    passage_indices = np.array([sentence.passage_index for sentence in sentences])
    folded_texts = [fold_to_spaced_lower_case(sentence.text) for sentence in sentences]
    titles = [fold_to_spaced_lower_case(passage.title) for passage in passages]
    matches = match_words(content_words, folded_texts, titles, passage_indices)
    fewest_parts_missing = float(matches.parts_missing.min(initial=matches.part_count))
    time_features = _compute_time_features(question, sentences)
    chosen_indices = _select_best_matching_sentences(matches, sentences, passages, time_features["time_said"])
    chosen_passage_indices, texts = (
        passage_indices[chosen_indices],
        [sentences[index].text for index in chosen_indices],
    )
    folded_texts, matches = (
        [folded_texts[index] for index in chosen_indices],
        matches.select_sentences(chosen_indices),
    )
    form_features = _compute_form_features(question, texts, words)
    columns: dict[str, object] = {
        **_compute_shares_of_question_words(matches, content_words, folded_texts),
        **_compute_shares_of_names_and_other_words(matches),
        **_compute_missing_word_features(matches),
        **_compute_carried_name_features(matches),
        **_compute_missing_part_features(matches, fewest_parts_missing),
        **_compute_passage_and_position_features(passage_indices, chosen_indices, passages),
        **form_features,
        "said_of_sentence": matches.sentence_shares.sum(axis=0) / (1 + form_features["words"]),
        "question_words": len(words),
        "unspaced": count_unspaced_characters(question) > 0,
        "cased": any(map(str.isupper, question)),
        **_compute_number_features(question, texts, passages, chosen_passage_indices),
        **_compute_kind_features(score_kinds(list_question_tokens(question)), form_features),
        **{name: feature_values[chosen_indices] for name, feature_values in time_features.items()},
        **_compute_features_of_asked_names(names, folded_texts, titles, chosen_passage_indices),
        **_compute_claim_features([sentences[index] for index in chosen_indices]),
        "unknown_names": unknown_names_share,
    }
    feature_rows = np.empty((len(chosen_indices), len(FEATURE_NAMES)))
    for column_index, feature_name in enumerate(FEATURE_NAMES):
        feature_rows[:, column_index] = columns[feature_name]  # type: ignore[call-overload]
    return SentenceFeatures(chosen_indices, feature_rows)


def _compute_missing_part_features(
    matches: QuestionMatches, fewest_parts_missing: float
) -> dict[str, object]:
    """Return how many parts of the question the sentences lack, with what is carried to them."""
    return {
        "parts": matches.part_count,
        "parts_missing": matches.parts_missing,
        "share_of_parts_missing": matches.parts_missing / matches.part_count,
        "parts_missing_alone": matches.parts_missing_alone,
        "parts_missing_in_passage": matches.parts_missing_in_passage,
        "parts_missing_everywhere": matches.parts_missing_everywhere,
        "fewest_parts_missing": fewest_parts_missing,
        "parts_behind": matches.parts_missing - fewest_parts_missing,
    }


def _select_best_matching_sentences(
    matches: QuestionMatches,
    sentences: Sequence[CandidateSentence],
    passages: Sequence[CandidatePassage],
    year_shares: Floats,
) -> Indices:
    """Return the indices of the sentences that say most of the question, in the order of the sentences.
    Sentences with all years of the question come first: an item of a list, "Ada Moss (1939–1942)", has
    nothing else.
    """
    walk_scores = np.array([passages[sentence.passage_index].walk_score for sentence in sentences])
    states_claim = np.array([sentence.states_answer for sentence in sentences])
    scores = (
        matches.weight_in_sentence
        + 0.5 * matches.weight_around
        + 0.3 * matches.weight_with_title
        + 0.02 * walk_scores
        + states_claim
        + (year_shares == 1)
    )
    return np.sort(np.argsort(-scores, kind="stable")[:MAX_SENTENCES])


def _compute_shares_of_question_words(
    matches: QuestionMatches, words: Sequence[QuestionWord], texts: Sequence[str]
) -> dict[str, object]:
    """Return how much of the question the sentences contain, alone and with the sentences around them."""
    weights, shares = matches.weights, matches.sentence_shares
    exact_flags = np.array(
        [
            [(word if count_unspaced_characters(word) else f" {word} ") in text for text in texts]
            for word, _ in words
        ],
        float,
    )
    return {
        "said": matches.weight_in_sentence,
        "said_exactly": weights @ exact_flags,
        "said_largely": weights @ (shares >= MIN_MATCHED_SHARE),
        "said_around": matches.weight_around,
        "said_by_passage": weights @ matches.passage_shares,
        "said_by_title": weights @ matches.title_shares,
        "said_with_title": matches.weight_with_title,
        "said_before": weights @ matches.previous_sentence_shares,
        "said_after": weights @ matches.next_sentence_shares,
        "of_most_said": matches.weight_in_sentence / max(matches.max_weight, 1e-9),
        "ahead_of_others": matches.weight_lead,
        "most_said": matches.max_weight,
        "pairs_said": _compute_share_of_word_pairs(shares, weights),
        "longest_run": _compute_share_of_longest_run(matches.gram_flags),
        "passage_of_best": matches.is_in_best_passage,
        "begins_asked": shares[0],
        "ends_asked": shares[-1],
    }


def _compute_shares_of_names_and_other_words(matches: QuestionMatches) -> dict[str, object]:
    """Return how much of the names and numbers, and of the other words, the sentences contain."""
    other_shares = matches.compute_matched_share(matches.sentence_shares, ~matches.is_name_word)
    return {
        "names_said": matches.compute_matched_share(matches.sentence_shares, matches.is_name_word),
        "names_by_passage": matches.compute_matched_share(matches.passage_shares, matches.is_name_word),
        "names_by_title": matches.compute_matched_share(matches.title_shares, matches.is_name_word),
        "names_before": matches.compute_matched_share(matches.previous_sentence_shares, matches.is_name_word),
        "others_said": other_shares,
        "others_ahead": other_shares - compute_largest_other_values(other_shares),
    }


def _compute_carried_name_features(matches: QuestionMatches) -> dict[str, object]:
    """Return how much of the question the sentences contain with the names carried over to them: "It moved
    its headquarters to Bergen" two sentences after the name of the firm.
    """
    return {
        "names_carried": matches.compute_matched_share(matches.carried_shares, matches.is_name_word),
        "said_with_carried": matches.weight_with_carried,
        "carried_ahead": matches.carried_weight_lead,
        "of_most_carried": matches.weight_with_carried / max(float(matches.weight_with_carried.max()), 1e-9),
        "sentences_since_name": matches.sentences_since_name,
    }


def _compute_missing_word_features(matches: QuestionMatches) -> dict[str, object]:
    """Return the weights of the rarest words that a sentence, its passage or every passage lacks."""
    weights = matches.weights
    order = np.argsort(-weights, kind="stable")
    return {
        "rarest_missing": (weights[:, None] * (matches.sentence_shares < MIN_MATCHED_SHARE)).max(axis=0),
        "rarest_missing_in_passage": (weights[:, None] * (matches.passage_shares < MIN_MATCHED_SHARE)).max(
            axis=0
        ),
        "rare_said": matches.sentence_shares[order[:_MAX_SENTENCES_OF_RARE_WORD]].mean(axis=0),
        "said_nowhere": matches.missing_weights.sum(),
        "rarest_nowhere": matches.missing_weights.max(),
    }


def _compute_passage_and_position_features(
    passage_indices: Indices, sentence_indices: Indices, passages: Sequence[CandidatePassage]
) -> dict[str, object]:
    """Return the positions of the chosen sentences in their passages, and the ranks of the passages."""
    is_first_of_passage = flag_first_sentences_of_passages(passage_indices)
    positions = (
        np.arange(len(passage_indices))
        - np.flatnonzero(is_first_of_passage)[np.cumsum(is_first_of_passage) - 1]
    )[sentence_indices]
    walk_scores = np.array([passage.walk_score for passage in passages])
    chosen_passage_indices = passage_indices[sentence_indices]
    return {
        "place": np.minimum(positions, 10),
        "first_of_passage": positions == 0,
        "rank": chosen_passage_indices,
        "walk": walk_scores[chosen_passage_indices],
        "walk_ahead": (walk_scores - compute_largest_other_values(walk_scores))[chosen_passage_indices],
        "overlap": np.array([passage.overlap for passage in passages])[chosen_passage_indices],
    }


def _compute_form_features(
    question: str, texts: Sequence[str], words: Sequence[QuestionWord]
) -> dict[str, Floats]:
    """Return features of the sentences' form: contents that the question lacks, length and punctuation."""
    asked_numbers, asked_words = _find_distinct_numbers(question), {word for word, _ in words}
    form_rows = np.array(
        [_count_what_question_lacks(text, asked_numbers, asked_words) for text in texts], float
    )
    columns = dict(zip(_FORM_FEATURES, form_rows.T, strict=True))
    return {**columns, "length": np.log1p(columns["length"])}


def _compute_number_features(
    question: str, texts: Sequence[str], passages: Sequence[CandidatePassage], passage_indices: Indices
) -> dict[str, object]:
    """Return the number of numbers in the question, and how many of them sentences and passages contain."""
    asked_numbers = _find_distinct_numbers(question)
    passage_shares = np.array(
        [_compute_share_of_numbers(asked_numbers, passage.text) for passage in passages]
    )
    return {
        "numbers_asked": len(asked_numbers),
        "numbers_said": [_compute_share_of_numbers(asked_numbers, text) for text in texts],
        "numbers_by_passage": passage_shares[passage_indices],
    }


def _compute_kind_features(
    likelihoods: Sequence[float], form_features: Mapping[str, Floats]
) -> dict[str, object]:
    """Return the likelihood of each of `ANSWER_KINDS`, negated if the sentence contains none of that kind."""
    columns: dict[str, object] = {}
    for kind, likelihood in zip(ANSWER_KINDS, likelihoods, strict=True):
        columns[f"asks_{kind}"] = likelihood
        columns[f"{kind}_as_asked"] = likelihood * (np.minimum(form_features[f"new_{kind}s"], 1) * 2 - 1)
    return columns


def _compute_features_of_asked_names(
    names: Sequence[str], texts: Sequence[str], titles: Sequence[str], passage_indices: Indices
) -> dict[str, object]:
    """Return the number of asked things, and how many of them sentences, passages and titles name."""
    folded_names = list(
        dict.fromkeys(
            folded_name for name in names if (folded_name := fold_to_spaced_lower_case(name).strip())
        )
    )
    named_shares = np.array([_compute_share_of_names(folded_names, text) for text in texts])
    passage_shares = np.zeros(len(titles))
    np.maximum.at(passage_shares, passage_indices, named_shares)
    return {
        "anchors": len(folded_names),
        "anchors_said": named_shares,
        "anchors_by_passage": passage_shares[passage_indices],
        "anchors_by_title": np.array([_compute_share_of_names(folded_names, title) for title in titles])[
            passage_indices
        ],
    }


def _compute_claim_features(sentences: Sequence[CandidateSentence]) -> dict[str, object]:
    """Return the number of claims whose quotes are in the sentences."""
    return {
        "claims": [sentence.claim_count for sentence in sentences],
        "claims_of_anchor": [sentence.anchor_claim_count for sentence in sentences],
        "claims_of_two": [sentence.anchor_pair_claim_count for sentence in sentences],
        "stated": [sentence.states_answer for sentence in sentences],
    }


def _find_distinct_numbers(text: str) -> dict[int, None]:
    return dict.fromkeys(map(int, _NUMBER.findall(text)))


def _compute_share_of_numbers(asked_numbers: Mapping[int, None], text: str) -> float:
    """Return the share of the asked numbers that a text contains; 0 if there are none."""
    return len(asked_numbers.keys() & _find_distinct_numbers(text).keys()) / max(len(asked_numbers), 1)


def _compute_share_of_names(folded_names: Sequence[str], text: str) -> float:
    """Return the share of the names that a folded text contains; 0 if there are none."""
    return sum(
        (folded_name if count_unspaced_characters(folded_name) else f" {folded_name}") in text
        for folded_name in folded_names
    ) / max(len(folded_names), 1)


def _compute_share_of_word_pairs(shares: Floats, weights: Floats) -> Floats:
    """Return the share of the question's pairs of adjacent words of which a sentence contains both."""
    if len(weights) < 2:
        return np.zeros(shares.shape[1])
    pair_weights = weights[1:] + weights[:-1]
    pair_shares: Floats = pair_weights @ np.minimum(shares[1:], shares[:-1]) / pair_weights.sum()
    return pair_shares


def _compute_share_of_longest_run(gram_flags: Floats) -> Floats:
    """Return the length of the question's longest run of grams in a sentence, as a share of all grams."""
    run_lengths = np.zeros(gram_flags.shape[1])
    longest_runs = np.zeros(gram_flags.shape[1])
    for flags_of_gram in gram_flags:
        run_lengths = (run_lengths + 1) * flags_of_gram
        np.maximum(longest_runs, run_lengths, out=longest_runs)
    return longest_runs / len(gram_flags)


def _count_what_question_lacks(
    text: str, asked_numbers: Mapping[int, None], asked_words: set[str]
) -> tuple[float, ...]:
    """Return counts of what a sentence has and the question lacks: numbers, years, names; and its form."""
    text_numbers = [int(digits) for digits in _NUMBER.findall(text)]
    new_year_count = sum(1 for year in dict.fromkeys(_list_years(text)) if year not in asked_numbers)
    new_number_count = sum(1 for number in dict.fromkeys(text_numbers) if number not in asked_numbers)
    new_name_indices = [
        index
        for index, word in enumerate(_LETTER_WORD.findall(text))
        if word[0].isupper() and word.casefold() not in asked_words
    ]
    is_latin = text.isascii() or not _LATIN_WORD.search(text)
    unspaced_count = count_unspaced_characters(text)
    return (
        min(new_number_count, 5),
        min(new_year_count, 5),
        min(sum(1 for index in new_name_indices if index > 0), 8),
        bool(new_name_indices) and new_name_indices[0] == 0,
        not is_latin,
        sum(map(text.count, '"“”«»「」《》„')) > 0,
        text.count("(") + text.count("（"),
        sum(map(text.count, ",،、;；")),
        len(text) * (2 if unspaced_count else 1),
        len(text.split()) + unspaced_count,
    )


def _compute_time_features(question: str, sentences: Sequence[CandidateSentence]) -> dict[str, Floats]:
    """Return how the question's years relate to those of each sentence, or to the last years before it."""
    asked_years = _list_years(question)
    sentence_count = len(sentences)
    zeros = np.zeros(sentence_count)
    if not asked_years:
        feature_names = (
            "time_said",
            "time_within",
            "time_since",
            "time_latest",
            "time_carried",
            "time_beyond",
        )
        return dict.fromkeys(("time_asked", *feature_names), zeros)
    first_asked_year, last_asked_year = min(asked_years), max(asked_years)
    said_shares, is_within, is_carried, is_beyond = (np.zeros(sentence_count) for _ in range(4))
    start_years = np.full(sentence_count, -1.0)
    last_year: int | None = None
    for index, sentence in enumerate(sentences):
        if index and sentence.passage_index != sentences[index - 1].passage_index:
            last_year = None
        years = _list_years(sentence.text)
        said_shares[index] = len(set(asked_years) & set(years)) / len(set(asked_years))
        if years:
            is_within[index] = min(years) <= first_asked_year and last_asked_year <= max(years)
            past_years = [year for year in years if year <= first_asked_year]
            start_years[index] = max(past_years) if past_years else -1
            is_beyond[index] = min(years) > last_asked_year
            last_year = years[-1]
        elif last_year is not None:
            is_carried[index] = 1
            start_years[index] = last_year if last_year <= first_asked_year else -1
            is_beyond[index] = last_year > last_asked_year
    recencies = np.where(
        start_years > 0, 1 / (1 + np.log1p(np.maximum(first_asked_year - start_years, 0))), 0.0
    )
    is_latest = (start_years > 0) & (start_years == start_years.max(initial=-1))
    return {
        "time_asked": np.full(sentence_count, 1.0 + (len(set(asked_years)) > 1)),
        "time_said": said_shares,
        "time_within": is_within,
        "time_since": recencies,
        "time_latest": is_latest.astype(float),
        "time_carried": is_carried,
        "time_beyond": is_beyond,
    }
