"""Fold texts, list the words of a question, and find words and names in texts in any of their forms; pure.

A word is found in a text by runs of its letters, so that inflected forms match.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from app.domain.scoring.keywords import (
    count_unspaced_characters,
    list_stems,
    split_unspaced_word_into_bigrams,
)
from app.domain.scoring.letters import replace_by_base_letters
from app.graph.questions import capitalises_nouns

_COMBINING_MARKS = "".join(
    character
    for character in map(chr, range(0x0300, 0x3100))
    if unicodedata.category(character).startswith("M")
)
_WORD = re.compile(rf"[\w{_COMBINING_MARKS}]+")
_HIRAGANA, _IDEOGRAPH = re.compile("[\u3041-\u309f]"), re.compile("[\u4e00-\u9fff]")
_GRAM_LENGTH, _SHORT_GRAM_LENGTH = 4, 3
_MIN_MATCHED_SHARE_OF_TRANSCRIBED_NAME = 0.5
"""Share of the runs of letters of a name's word by which a text contains the word; for scripts other than
Latin.
"""
BEGINNING_LENGTH = 3
"""Number of letters at the beginning of a word by which its possible forms are looked up."""
_MIN_COMMON_LETTERS, _MIN_COMMON_SHARE = 4, 0.65
_PARTICIPLE_PREFIX = "ge"
"""Prefix of participles in German and Dutch: "gebaut" is a form of "baute"."""


def fold_to_spaced_lower_case(text: str) -> str:
    """Return the text in lower case without accents, between spaces; other signs than letters and digits are
    spaces.
    """
    folded_text = replace_by_base_letters(text.casefold())
    return f" {' '.join(_WORD.findall(folded_text.replace('_', ' ')))} "


class QuestionWord(NamedTuple):
    """A word of a question, folded, and whether the question writes it as a name or number."""

    word: str
    is_name_or_number: bool


def list_question_words(question: str) -> list[QuestionWord]:
    """Return the words of a question, each once and folded, and whether it is written as a name or number.

    Of scripts without spaces each two neighbouring characters are a word.
    """
    is_name_by_word: dict[str, bool] = {}
    for index, match in enumerate(_WORD.finditer(unicodedata.normalize("NFKC", question))):
        word = match[0]
        is_name_or_number = any(map(str.isdigit, word)) or (index > 0 and word[0].isupper())
        for bigram in split_unspaced_word_into_bigrams(word):
            for folded_word in fold_to_spaced_lower_case(bigram).split():
                is_name_by_word[folded_word] = is_name_by_word.get(folded_word, False) or is_name_or_number
    return [QuestionWord(word, is_name) for word, is_name in is_name_by_word.items()]


def list_question_words_with_known_names(question: str, names: Sequence[str]) -> list[QuestionWord]:
    """Return the words of a question as `list_question_words` does. If its language capitalises nouns, only
    numbers and words of `names`, the things that the space knows, are written as names.
    """
    words = list_question_words(question)
    if not capitalises_nouns(question):
        return words
    words_of_names = {word for name in names for word, _ in list_question_words(name)}
    return [QuestionWord(word, word in words_of_names or any(map(str.isdigit, word))) for word, _ in words]


def list_question_tokens(question: str) -> list[str]:
    """Return the tokens by which the chooser recognises the kind of answer asked for: words, and runs of one
    to three characters in scripts without spaces.
    """
    tokens: dict[str, None] = {}
    for word in fold_to_spaced_lower_case(question).split():
        if count_unspaced_characters(word):
            for length in (1, 2, 3):
                tokens |= dict.fromkeys(
                    word[start : start + length] for start in range(len(word) - length + 1)
                )
        else:
            tokens[word] = None
    return list(tokens)


def split_into_grams(word: str) -> list[str]:
    if count_unspaced_characters(word):
        return [word]
    if len(word) < _GRAM_LENGTH:
        return [f" {word} "]
    gram_length = _GRAM_LENGTH if word[0].upper() != word[0] else _SHORT_GRAM_LENGTH
    padded_word = f" {word}"
    return [padded_word[start : start + gram_length] for start in range(len(padded_word) - gram_length + 1)]


def does_one_text_have_all_words_of_name(name: str, texts: Sequence[str]) -> bool:
    """Return whether one of these folded texts holds each word of a name.

    In Latin script it may go on ("Larkfield's"), in others stand in another form: names are inflected there.
    A number does not go on.
    """
    words = _list_distinct_folded_words_of_name(name)
    return any(all(_is_word_in_text(word, text) for word in words) for text in texts if words)


@lru_cache(maxsize=1024)
def _list_distinct_folded_words_of_name(name: str) -> tuple[str, ...]:
    """Return the words of a name; cached, since a name is compared with many texts."""
    return tuple(word for word, _ in list_question_words(name))


def _is_word_in_text(word: str, text: str) -> bool:
    if word.isdecimal():
        return f" {word} " in text
    if word.isascii() or (len(word) < _GRAM_LENGTH and not count_unspaced_characters(word)):
        return f" {word}" in text
    grams = split_into_grams(word)
    return sum(gram in text for gram in grams) >= _MIN_MATCHED_SHARE_OF_TRANSCRIBED_NAME * len(grams)


@lru_cache(maxsize=4_096)
def compile_japanese_forms(bigram: str) -> re.Pattern[str] | None:
    """Return a pattern for an ideograph with any inflection: "作り" is in "作った"; None for other words."""
    if len(bigram) > 1 and _IDEOGRAPH.fullmatch(bigram[0]) and _HIRAGANA.fullmatch(bigram[1]):
        return re.compile(bigram[0] + _HIRAGANA.pattern)
    return None


def list_beginnings_of_forms(word: str) -> set[str]:
    """Return the beginnings that other forms of a word may have."""
    forms = (word, f"{_PARTICIPLE_PREFIX}{word}", word.removeprefix(_PARTICIPLE_PREFIX))
    return {form[:BEGINNING_LENGTH] for form in forms}


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
