"""Names between quotation marks: the title of a work is one name, a nickname is part of one."""

from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.topics import VERBS
from app.extraction.rules.english.words.given_names import FIRST_NAMES
from app.extraction.rules.sentences import Sentence

QUOTES = frozenset('"“”„«»')
_OPENS, _CLOSES = frozenset('"“„«'), frozenset('"”“»')
_MOST_WORDS = 12
_NICKNAME = 2
# Maximum length of a title in lower case after its kind of work.
_LONGEST_SMALL = 6
_MARKS = frozenset(",.;:")
_LATEX_OPENS, _LATEX_CLOSES = ["`", "`"], ["'", "'"]
# Small words of other languages have one or two letters: "Prószyński i Spółka".
_SMALL = 2


def _count_opening_mark_words(words: list[str], index: int) -> int:
    """Return the number of words of the opening quotation mark at this index: 2 for "``", 0 for none."""
    if words[index] in _OPENS:
        return 1
    return 2 if words[index] == "`" and words[index : index + 2] == _LATEX_OPENS else 0


def _count_closing_mark_words(words: list[str], index: int) -> int:
    """Return the number of words of the closing quotation mark at this index: 2 for "''", 0 for none."""
    if words[index] in _CLOSES:
        return 1
    return 2 if words[index] == "'" and words[index : index + 2] == _LATEX_CLOSES else 0


def find_quoted_titles(sentence: Sentence) -> dict[int, int]:
    """Return a mapping from the first word of each quoted title to the word after its last one.

    In a title all words but the small ones are capitalised; in quoted speech they are not.
    """
    words = sentence.words
    titles: dict[int, int] = {}
    if QUOTES.isdisjoint(words) and "`" not in words:
        return titles
    index, count = 0, len(words)
    while index < count:
        opened = _count_opening_mark_words(words, index)
        if not opened:
            index += 1
            continue
        first = index + opened
        close = next(
            (
                i
                for i in range(first, min(first + 1 + _MOST_WORDS, count))
                if _count_closing_mark_words(words, i)
            ),
            None,
        )
        if close is None:
            index += 1
            continue
        last = close
        while last > first and words[last - 1] in _MARKS:
            last -= 1
        if last > first and (
            _is_title(sentence, first, last) or _is_called_work(sentence, index, first, last)
        ):
            titles[first] = last
        index = close + _count_closing_mark_words(words, close)
    return titles


def _is_called_work(sentence: Sentence, index: int, first: int, last: int) -> bool:
    """Return whether a kind of work precedes a quotation: 'the film journal, "Cahiers du cinéma"'."""
    before = index - (index > 0 and sentence.lower[index - 1] == ",") - 1
    named = before >= 0 and KIND_OF.get(sentence.lower[before]) == "Document"
    words = sentence.words[first:last]
    return named and words[0][0].isupper() and _MARKS.isdisjoint(words) and len(words) <= _LONGEST_SMALL


def _is_title(sentence: Sentence, first: int, last: int) -> bool:
    letters = [word for word in sentence.words[first:last] if word[0].isalnum()]
    if not letters or not (letters[0][0].isupper() or letters[0][0].isdigit()):
        return False
    if len(letters) == 1:
        return letters[0].lower() not in STOP_WORDS | PRONOUNS and not letters[0][0].isdigit()
    large = [
        word
        for word in letters
        if word.lower() not in STOP_WORDS and not (len(word) <= _SMALL and word.islower())
    ]
    if not large or any(word in VERBS for word in letters):
        return False
    follows = sentence.words[last + 1 : last + 3]
    if follows[:1] == ["("] and follows[-1].isdigit() and len(follows[-1]) == 4:
        return True  # '"Kvinner i fellesskap" (1982)'
    # Lower case in a title is for words like "of"; if most other words have it, the quotation is speech.
    return sum(word[0].isupper() or word[0].isdigit() for word in large) >= 0.75 * len(large)


def index_behind_nickname(words: list[str], index: int) -> int:
    """Return the index after a nickname in quotation marks or brackets at this word, else this index."""
    if words[index : index + 1] == ["("] and words[index + 2 : index + 3] == [")"] and index + 3 < len(words):
        # As in "Willard W. (Bill) Willingham".
        short = words[index + 1].lower() in FIRST_NAMES and words[index + 1].istitle()
        named = words[index - 1].lower() in FIRST_NAMES or words[index - 1][1:2] == "."
        return index + 3 if short and named and words[index + 3].istitle() else index
    opened = _count_opening_mark_words(words, index)
    if not opened:
        return index
    first = index + opened
    for close in range(first + 1, min(first + 1 + _NICKNAME, len(words) - 1)):
        closed = _count_closing_mark_words(words, close)
        if closed:
            behind = close + closed
            is_nickname = behind < len(words) and words[first][0].isupper() and words[behind][0].isupper()
            return behind if is_nickname else index
    return index
