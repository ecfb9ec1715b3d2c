"""Names between quotation marks: the title of a work is one name, a nickname is part of one."""

from typing import NamedTuple

from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS
from app.extraction.rules.english.gazetteers import FIRST_NAMES
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.topics import FINITE_VERBS
from app.extraction.rules.sentences import Sentence

QUOTES = frozenset('"“”„«»')
_OPENING_QUOTES, _CLOSING_QUOTES = frozenset('"“„«'), frozenset('"”“»')
_NICKNAME_MARKS = QUOTES | frozenset("()`'")
_MAX_TITLE_WORDS = 12
_MAX_NICKNAME_WORDS = 2
# Maximum number of words of a title in lower case after its kind of work.
_MAX_WORDS_OF_LOWER_TITLE = 6
_PUNCTUATION = frozenset(",.;:")
_LATEX_OPENING_QUOTES, _LATEX_CLOSING_QUOTES = ["`", "`"], ["'", "'"]
# Small words of other languages have one or two letters: "Prószyński i Spółka".
_MAX_FUNCTION_WORD_LENGTH = 2


def _count_opening_mark_words(words: list[str], index: int) -> int:
    """Return the number of words of the opening quotation mark at this index: 2 for "``", 0 for none."""
    if words[index] in _OPENING_QUOTES:
        return 1
    return 2 if words[index] == "`" and words[index : index + 2] == _LATEX_OPENING_QUOTES else 0


def _count_closing_mark_words(words: list[str], index: int) -> int:
    """Return the number of words of the closing quotation mark at this index: 2 for "''", 0 for none."""
    if words[index] in _CLOSING_QUOTES:
        return 1
    return 2 if words[index] == "'" and words[index : index + 2] == _LATEX_CLOSING_QUOTES else 0


def find_quoted_titles(sentence: Sentence) -> dict[int, int]:
    """Return a mapping from the first word of each quoted title to the word after its last one.

    In a title all words but the small ones are capitalised; in quoted speech they are not.
    """
    words = sentence.words
    end_by_title_start: dict[int, int] = {}
    if QUOTES.isdisjoint(words) and "`" not in words:
        return end_by_title_start
    index, word_count = 0, len(words)
    while index < word_count:
        opening_count = _count_opening_mark_words(words, index)
        if not opening_count:
            index += 1
            continue
        title_start = index + opening_count
        closing_index = next(
            (
                title_end
                for title_end in range(title_start, min(title_start + 1 + _MAX_TITLE_WORDS, word_count))
                if _count_closing_mark_words(words, title_end)
            ),
            None,
        )
        if closing_index is None:
            index += 1
            continue
        content_end = closing_index
        while content_end > title_start and words[content_end - 1] in _PUNCTUATION:
            content_end -= 1
        if content_end > title_start and (
            _is_title_of_work(sentence, title_start, content_end)
            or _is_called_work(sentence, index, title_start, content_end)
        ):
            end_by_title_start[title_start] = content_end
        index = closing_index + _count_closing_mark_words(words, closing_index)
    return end_by_title_start


def _is_called_work(sentence: Sentence, mark_index: int, first_index: int, end_index: int) -> bool:
    """Return whether a kind of work precedes a quotation: 'the film journal, "Cahiers du cinéma"'."""
    index_before = mark_index - (mark_index > 0 and sentence.lower[mark_index - 1] == ",") - 1
    is_named_work = index_before >= 0 and KIND_OF.get(sentence.lower[index_before]) == "Document"
    words = sentence.words[first_index:end_index]
    return (
        is_named_work
        and words[0][0].isupper()
        and _PUNCTUATION.isdisjoint(words)
        and len(words) <= _MAX_WORDS_OF_LOWER_TITLE
    )


def _is_title_of_work(sentence: Sentence, first_index: int, end_index: int) -> bool:
    plain_words = [word for word in sentence.words[first_index:end_index] if word[0].isalnum()]
    if not plain_words or not (plain_words[0][0].isupper() or plain_words[0][0].isdigit()):
        return False
    if len(plain_words) == 1:
        return plain_words[0].lower() not in STOP_WORDS | PRONOUNS and not plain_words[0][0].isdigit()
    content_words = [
        word
        for word in plain_words
        if word.lower() not in STOP_WORDS and not (len(word) <= _MAX_FUNCTION_WORD_LENGTH and word.islower())
    ]
    if not content_words or any(word in FINITE_VERBS for word in plain_words):
        return False
    next_words = sentence.words[end_index + 1 : end_index + 3]
    if next_words[:1] == ["("] and next_words[-1].isdigit() and len(next_words[-1]) == 4:
        return True  # '"Kvinner i fellesskap" (1982)'
    # Lower case in a title is for words like "of"; if most other words have it, the quotation is speech.
    return sum(word[0].isupper() or word[0].isdigit() for word in content_words) >= 0.75 * len(content_words)


def find_nickname_end(words: list[str], index: int) -> int:
    """Return the index after a nickname in quotation marks or brackets at this word, else this index."""
    if words[index : index + 1] == ["("] and words[index + 2 : index + 3] == [")"] and index + 3 < len(words):
        # As in "Willard W. (Bill) Willingham".
        is_first_name = words[index + 1].lower() in FIRST_NAMES and words[index + 1].istitle()
        is_after_name = words[index - 1].lower() in FIRST_NAMES or words[index - 1][1:2] == "."
        return index + 3 if is_first_name and is_after_name and words[index + 3].istitle() else index
    opening_count = _count_opening_mark_words(words, index)
    if not opening_count:
        return index
    nickname_start = index + opening_count
    for closing_index in range(
        nickname_start + 1, min(nickname_start + 1 + _MAX_NICKNAME_WORDS, len(words) - 1)
    ):
        closing_count = _count_closing_mark_words(words, closing_index)
        if closing_count:
            nickname_end = closing_index + closing_count
            is_nickname = (
                nickname_end < len(words)
                and words[nickname_start][0].isupper()
                and words[nickname_end][0].isupper()
            )
            return nickname_end if is_nickname else index
    return index


class NameAndNickname(NamedTuple):
    """The words of a full name without its nickname, and the nickname; "" without one."""

    name_words: list[str]
    nickname: str


def split_nickname(words: list[str]) -> NameAndNickname:
    """Return a full name without its nickname in quotation marks or brackets, and the nickname; "" without
    one.
    """
    mark_indexes = [index for index, word in enumerate(words) if word in _NICKNAME_MARKS]
    if (
        not mark_indexes
        or mark_indexes[0] == 0
        or mark_indexes[-1] == len(words) - 1
        or mark_indexes[-1] - mark_indexes[0] < 2
    ):
        return NameAndNickname(words, "")
    return NameAndNickname(
        words[: mark_indexes[0]] + words[mark_indexes[-1] + 1 :],
        " ".join(words[mark_indexes[0] + 1 : mark_indexes[-1]]),
    )
