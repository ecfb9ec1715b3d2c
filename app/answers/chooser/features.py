"""Features of a sentence and a question for the trained chooser, independent of the language; pure.

A word is found in a text by runs of its letters, so that inflected forms match. A word weighs the more, the
fewer of the present sentences contain it.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from app.domain.scoring.keywords import (
    count_unspaced_characters,
    list_related_words,
    list_stems,
    split_unspaced_word_into_bigrams,
)
from app.domain.scoring.letters import replace_by_base_letters
from app.graph.name_forms import is_interrogative
from app.graph.questions import capitalises_nouns

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
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
_COMBINING_MARKS = "".join(
    character
    for character in map(chr, range(0x0300, 0x3100))
    if unicodedata.category(character).startswith("M")
)
_WORD = re.compile(rf"[\w{_COMBINING_MARKS}]+")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_NUMBER = re.compile(r"\d+")
_LETTER_WORD = re.compile(r"[^\W\d_]+")
_HIRAGANA, _IDEOGRAPH = re.compile("[\u3041-\u309f]"), re.compile("[\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_GRAM_LENGTH, _SHORT_GRAM_LENGTH = 4, 3
_MAX_SENTENCES_OF_RARE_WORD = 3
MIN_MATCHED_SHARE = 0.6
"""Share of a word's runs of letters by which a text contains the word in some form."""
MIN_MATCHED_SHARE_OF_TRANSCRIBED_NAME = 0.5
"""The same share for a word of a name in a script other than Latin."""
_MAX_SENTENCES_SINCE_NAME = 10
"""Number of sentences from which a name before a sentence is as far as none."""
RELATED_SHARE = 0.7
"""Weight of a related word ("married" for "wife") relative to the word itself."""
_BEGINNING_LENGTH = 3
_MIN_COMMON_LETTERS, _MIN_COMMON_SHARE = 4, 0.65
_PARTICIPLE_PREFIX = "ge"
"""Prefix of participles in German and Dutch: "gebaut" is a form of "baute"."""
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


def fold_text(text: str) -> str:
    """Return the text in lower case without accents, between spaces; other signs than letters and digits are
    spaces.
    """
    folded_text = replace_by_base_letters(text.casefold())
    return f" {' '.join(_WORD.findall(folded_text.replace('_', ' ')))} "


def list_question_words(question: str) -> list[tuple[str, bool]]:
    """Return the words of a question, each once and folded, and whether it is written as a name or number.

    Of scripts without spaces each two neighbouring characters are a word.
    """
    is_name_by_word: dict[str, bool] = {}
    for index, match in enumerate(_WORD.finditer(unicodedata.normalize("NFKC", question))):
        word = match[0]
        is_name_or_number = any(map(str.isdigit, word)) or (index > 0 and word[0].isupper())
        for bigram in split_unspaced_word_into_bigrams(word):
            for folded_word in fold_text(bigram).split():
                is_name_by_word[folded_word] = is_name_by_word.get(folded_word, False) or is_name_or_number
    return list(is_name_by_word.items())


def list_question_words_with_known_names(question: str, names: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the words of a question as `list_question_words` does. If its language capitalises nouns, only
    numbers and words of `names`, the things that the space knows, are written as names.
    """
    words = list_question_words(question)
    if not capitalises_nouns(question):
        return words
    words_of_names = {word for name in names for word, _ in list_question_words(name)}
    return [(word, word in words_of_names or any(map(str.isdigit, word))) for word, _ in words]


def list_question_tokens(question: str) -> list[str]:
    """Return the tokens by which the chooser recognises the kind of answer asked for: words, and runs of one
    to three characters in scripts without spaces.
    """
    tokens: dict[str, None] = {}
    for word in fold_text(question).split():
        if count_unspaced_characters(word):
            for length in (1, 2, 3):
                tokens |= dict.fromkeys(
                    word[start : start + length] for start in range(len(word) - length + 1)
                )
        else:
            tokens[word] = None
    return list(tokens)


def _split_into_grams(word: str) -> list[str]:
    if count_unspaced_characters(word):
        return [word]
    if len(word) < _GRAM_LENGTH:
        return [f" {word} "]
    gram_length = _GRAM_LENGTH if word[0].upper() != word[0] else _SHORT_GRAM_LENGTH
    padded_word = f" {word}"
    return [padded_word[start : start + gram_length] for start in range(len(padded_word) - gram_length + 1)]


def _list_years(text: str) -> list[int]:
    return [year for digits in _YEAR.findall(text) if _FIRST_YEAR <= (year := int(digits)) <= _LAST_YEAR]


def has_all_words_of_name(name: str, texts: Sequence[str]) -> bool:
    """Return whether one of these folded texts holds each word of a name.

    In Latin script it may go on ("Larkfield's"), in others stand in another form: names are inflected there.
    A number does not go on.
    """
    words = _list_words_of_name(name)
    return any(all(_is_word_in_text(word, text) for word in words) for text in texts if words)


@lru_cache(maxsize=1024)
def _list_words_of_name(name: str) -> tuple[str, ...]:
    """Return the words of a name; cached, since a name is compared with many texts."""
    return tuple(word for word, _ in list_question_words(name))


def _is_word_in_text(word: str, text: str) -> bool:
    if word.isdecimal():
        return f" {word} " in text
    if word.isascii() or (len(word) < _GRAM_LENGTH and not count_unspaced_characters(word)):
        return f" {word}" in text
    grams = _split_into_grams(word)
    return sum(gram in text for gram in grams) >= MIN_MATCHED_SHARE_OF_TRANSCRIBED_NAME * len(grams)


@dataclass(frozen=True, slots=True)
class _QuestionMatches:
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

    def select_sentences(self, sentence_indices: Indices) -> "_QuestionMatches":
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


def compute_features(
    question: str,
    sentences: Sequence[CandidateSentence],
    passages: Sequence[CandidatePassage],
    *,
    names: Sequence[str],
    unknown_names_share: float,
    score_kinds: Callable[[Sequence[str]], Sequence[float]],
    common_words: Set[str],
) -> tuple[Indices, Floats]:
    """Return the indices of the sentences that may answer, at most `MAX_SENTENCES`, and a row for each of
    them.

    The columns are `FEATURE_NAMES`; `score_kinds` scores the kinds of answer that the question's tokens ask
    for. `common_words`, which questions about many things have in common, say nothing of what is asked: only
    the other words and names are looked for in the sentences.
    """
    words = list_question_words_with_known_names(question, names) or [("", False)]
    content_words = [
        (word, is_name)
        for word, is_name in words
        if is_name or not (word in common_words or is_interrogative(word))
    ] or words
    passage_indices = np.array([sentence.passage_index for sentence in sentences])
    folded_texts = [fold_text(sentence.text) for sentence in sentences]
    titles = [fold_text(passage.title) for passage in passages]
    matches = _match_words(content_words, folded_texts, titles, passage_indices)
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
        **_compute_word_features(matches, content_words, folded_texts),
        **_compute_name_features(matches),
        **_compute_missing_word_features(matches),
        **_compute_carried_name_features(matches),
        **_compute_part_features(matches, fewest_parts_missing),
        **_compute_position_features(passage_indices, chosen_indices, passages),
        **form_features,
        "said_of_sentence": matches.sentence_shares.sum(axis=0) / (1 + form_features["words"]),
        "question_words": len(words),
        "unspaced": count_unspaced_characters(question) > 0,
        "cased": any(map(str.isupper, question)),
        **_compute_number_features(question, texts, passages, chosen_passage_indices),
        **_compute_kind_features(score_kinds(list_question_tokens(question)), form_features),
        **{name: feature_values[chosen_indices] for name, feature_values in time_features.items()},
        **_compute_anchor_features(names, folded_texts, titles, chosen_passage_indices),
        **_compute_claim_features([sentences[index] for index in chosen_indices]),
        "unknown_names": unknown_names_share,
    }
    feature_rows = np.empty((len(chosen_indices), len(FEATURE_NAMES)))
    for column_index, feature_name in enumerate(FEATURE_NAMES):
        feature_rows[:, column_index] = columns[feature_name]  # type: ignore[call-overload]
    return chosen_indices, feature_rows


def _match_words(
    words: Sequence[tuple[str, bool]],
    texts: Sequence[str],
    titles: Sequence[str],
    passage_indices: Indices,
) -> _QuestionMatches:
    """Match the words of a question with folded sentences and the titles of their sources."""
    grams_by_word = [_split_into_grams(word) for word, _ in words]
    gram_starts = np.cumsum([0, *map(len, grams_by_word)])[:-1]
    gram_counts = np.array([*map(len, grams_by_word)], float)[:, None]
    grams = [gram for word_grams in grams_by_word for gram in word_grams]
    gram_flags = np.array([[gram in text for text in texts] for gram in grams], float)
    is_first_of_passage = _mark_first_sentences(passage_indices)
    passage_starts, consecutive_passage_indices = (
        np.flatnonzero(is_first_of_passage),
        np.cumsum(is_first_of_passage) - 1,
    )
    form_flags = _find_forms_of_words(words, texts)
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
    carried_shares, sentences_since_name = _carry_names(
        sentence_shares * is_name_word[:, None],
        title_shares * is_name_word[:, None],
        passage_starts[consecutive_passage_indices],
    )
    weight_with_carried = weights @ np.maximum(sentence_shares, carried_shares)
    passage_shares_by_sentence = passage_shares[:, consecutive_passage_indices]
    part_starts = _list_part_starts(words)
    alone_shares = np.maximum(sentence_shares, carried_shares)
    near_shares = np.maximum(np.maximum(alone_shares, shares_before), title_shares)
    return _QuestionMatches(
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
        weight_lead=matched_weights - _find_best_of_others(matched_weights),
        is_in_best_passage=passage_indices == passage_indices[int(matched_weights.argmax())],
        weight_with_carried=weight_with_carried,
        carried_weight_lead=weight_with_carried - _find_best_of_others(weight_with_carried),
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


def _list_part_starts(words: Sequence[tuple[str, bool]]) -> Indices:
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


def _find_forms_of_words(words: Sequence[tuple[str, bool]], texts: Sequence[str]) -> Floats:
    """Return 1 for each word and folded text if the text contains another form of the word, else 0."""
    text_indices_by_word: dict[str, list[int]] = {}
    for text_index, text in enumerate(texts):
        for text_word in set(text.split()):
            text_indices_by_word.setdefault(text_word, []).append(text_index)
    text_words_by_beginning: dict[str, list[str]] = {}
    for text_word in text_indices_by_word:
        text_words_by_beginning.setdefault(text_word[:_BEGINNING_LENGTH], []).append(text_word)
    form_flags = np.zeros((len(words), len(texts)))
    for row, (word, _) in enumerate(words):
        if not word.isdecimal() and not count_unspaced_characters(word):
            for beginning in _list_beginnings(word):
                for text_word in text_words_by_beginning.get(beginning, ()):
                    if are_forms_of_one_word(word, text_word):
                        form_flags[row, text_indices_by_word[text_word]] = 1
        elif (pattern := _compile_japanese_forms(word)) is not None:
            form_flags[row] = [pattern.search(text) is not None for text in texts]
    return form_flags


@lru_cache(maxsize=4_096)
def _compile_japanese_forms(bigram: str) -> re.Pattern[str] | None:
    """Return a pattern for an ideograph with any inflection: "作り" is in "作った"; None for other words."""
    if len(bigram) > 1 and _IDEOGRAPH.fullmatch(bigram[0]) and _HIRAGANA.fullmatch(bigram[1]):
        return re.compile(bigram[0] + _HIRAGANA.pattern)
    return None


def _list_beginnings(word: str) -> set[str]:
    """Return the beginnings that other forms of a word may have."""
    forms = (word, f"{_PARTICIPLE_PREFIX}{word}", word.removeprefix(_PARTICIPLE_PREFIX))
    return {form[:_BEGINNING_LENGTH] for form in forms}


@lru_cache(maxsize=32_768)
def are_forms_of_one_word(first_word: str, second_word: str) -> bool:
    """Return whether two folded words may be forms of one: they have the same stem, or most of their letters
    in common from the beginning on. A participle may have a prefix.
    """
    if list_stems(first_word) & list_stems(second_word):
        return True
    pairs = [(first_word, second_word)]
    if first_word.startswith(_PARTICIPLE_PREFIX) != second_word.startswith(_PARTICIPLE_PREFIX):
        pairs.append(
            (first_word.removeprefix(_PARTICIPLE_PREFIX), second_word.removeprefix(_PARTICIPLE_PREFIX))
        )
    return any(
        _count_letters_of_common_prefix(first, second)
        >= max(_MIN_COMMON_LETTERS, _MIN_COMMON_SHARE * max(len(first), len(second)))
        for first, second in pairs
    )


def _count_letters_of_common_prefix(first_word: str, second_word: str) -> int:
    """Return the number of letters that two words have in common from their beginning on."""
    pairs_of_letters = enumerate(zip(first_word, second_word, strict=False))
    return next(
        (index for index, (first, second) in pairs_of_letters if first != second),
        min(len(first_word), len(second_word)),
    )


def _compute_part_features(matches: _QuestionMatches, fewest_parts_missing: float) -> dict[str, object]:
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


def _carry_names(name_shares: Floats, title_shares: Floats, passage_starts: Indices) -> tuple[Floats, Floats]:
    """Return the shares of name words that each sentence contains, or else the last sentence before it in its
    passage that contains one, and its title; and the number of sentences since then.

    `passage_starts` has the index of the first sentence of each sentence's passage. Without a name before it
    a sentence counts as far from one.
    """
    sentence_indices = np.arange(name_shares.shape[1])
    has_name = (name_shares >= MIN_MATCHED_SHARE).any(axis=0)
    last_name_indices = np.maximum.accumulate(np.where(has_name, sentence_indices, -1))
    is_carried = last_name_indices >= passage_starts
    carried_shares = np.where(is_carried, name_shares[:, np.maximum(last_name_indices, 0)], 0.0)
    distances = np.where(is_carried, sentence_indices - last_name_indices, _MAX_SENTENCES_SINCE_NAME)
    return np.maximum(carried_shares, title_shares), np.minimum(distances, _MAX_SENTENCES_SINCE_NAME).astype(
        float
    )


def _select_best_matching_sentences(
    matches: _QuestionMatches,
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


def _mark_first_sentences(passage_indices: Indices) -> npt.NDArray[np.bool_]:
    return np.concatenate(([True], passage_indices[1:] != passage_indices[:-1]))


def _compute_word_features(
    matches: _QuestionMatches, words: Sequence[tuple[str, bool]], texts: Sequence[str]
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


def _compute_name_features(matches: _QuestionMatches) -> dict[str, object]:
    """Return how much of the names and numbers, and of the other words, the sentences contain."""
    other_shares = matches.compute_matched_share(matches.sentence_shares, ~matches.is_name_word)
    return {
        "names_said": matches.compute_matched_share(matches.sentence_shares, matches.is_name_word),
        "names_by_passage": matches.compute_matched_share(matches.passage_shares, matches.is_name_word),
        "names_by_title": matches.compute_matched_share(matches.title_shares, matches.is_name_word),
        "names_before": matches.compute_matched_share(matches.previous_sentence_shares, matches.is_name_word),
        "others_said": other_shares,
        "others_ahead": other_shares - _find_best_of_others(other_shares),
    }


def _compute_carried_name_features(matches: _QuestionMatches) -> dict[str, object]:
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


def _compute_missing_word_features(matches: _QuestionMatches) -> dict[str, object]:
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


def _compute_position_features(
    passage_indices: Indices, sentence_indices: Indices, passages: Sequence[CandidatePassage]
) -> dict[str, object]:
    """Return the positions of the chosen sentences in their passages, and the ranks of the passages."""
    is_first_of_passage = _mark_first_sentences(passage_indices)
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
        "walk_ahead": (walk_scores - _find_best_of_others(walk_scores))[chosen_passage_indices],
        "overlap": np.array([passage.overlap for passage in passages])[chosen_passage_indices],
    }


def _compute_form_features(
    question: str, texts: Sequence[str], words: Sequence[tuple[str, bool]]
) -> dict[str, Floats]:
    """Return features of the sentences' form: contents that the question lacks, length and punctuation."""
    asked_numbers, asked_words = _list_numbers(question), {word for word, _ in words}
    form_rows = np.array([_compute_form_of_text(text, asked_numbers, asked_words) for text in texts], float)
    columns = dict(zip(_FORM_FEATURES, form_rows.T, strict=True))
    return {**columns, "length": np.log1p(columns["length"])}


def _compute_number_features(
    question: str, texts: Sequence[str], passages: Sequence[CandidatePassage], passage_indices: Indices
) -> dict[str, object]:
    """Return the number of numbers in the question, and how many of them sentences and passages contain."""
    asked_numbers = _list_numbers(question)
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


def _compute_anchor_features(
    names: Sequence[str], texts: Sequence[str], titles: Sequence[str], passage_indices: Indices
) -> dict[str, object]:
    """Return the number of asked things, and how many of them sentences, passages and titles name."""
    folded_names = list(
        dict.fromkeys(folded_name for name in names if (folded_name := fold_text(name).strip()))
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


def _list_numbers(text: str) -> dict[int, None]:
    return dict.fromkeys(map(int, _NUMBER.findall(text)))


def _compute_share_of_numbers(asked_numbers: Mapping[int, None], text: str) -> float:
    """Return the share of the asked numbers that a text contains; 0 if there are none."""
    return len(asked_numbers.keys() & _list_numbers(text).keys()) / max(len(asked_numbers), 1)


def _compute_share_of_names(folded_names: Sequence[str], text: str) -> float:
    """Return the share of the names that a folded text contains; 0 if there are none."""
    return sum(
        (folded_name if count_unspaced_characters(folded_name) else f" {folded_name}") in text
        for folded_name in folded_names
    ) / max(len(folded_names), 1)


def _compute_shares_of_related_words(words: Sequence[tuple[str, bool]], texts: Sequence[str]) -> Floats:
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


def _find_best_of_others(values: Floats) -> Floats:
    """Return for each value the largest other one, 0 if there is none. Of several that are equally large,
    each has the next smaller one: two sources that say the same take no lead from each other.
    """
    largest = values.max(initial=0.0)
    is_largest = np.isclose(values, largest)
    best_of_others: Floats = np.where(is_largest, values[~is_largest].max(initial=0.0), largest)
    return best_of_others


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


def _compute_form_of_text(
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
