"""Names between quotation marks: titles of works are one name each, a nickname is part of one."""

from app.extraction.rules.english.topics import VERBS
from app.extraction.rules.sentences import Sentence
from app.scoring.stop_words import PRONOUNS, STOP_WORDS

QUOTES = frozenset('"“”„«»')
_OPENS, _CLOSES = frozenset('"“„«'), frozenset('"”“»')
_MOST_WORDS = 12
_NICKNAME = 2
_MARKS = frozenset(",.;:")


def quoted_titles(sentence: Sentence) -> dict[int, int]:
    """The first word of each quoted title and the word behind its last one.

    A title has capitals on all words but the small ones; what is quoted of somebody's speech has not.
    """
    words = sentence.words
    titles: dict[int, int] = {}
    if QUOTES.isdisjoint(words):
        return titles
    at, count = 0, len(words)
    while at < count:
        if words[at] not in _OPENS:
            at += 1
            continue
        close = next(
            (i for i in range(at + 1, min(at + 2 + _MOST_WORDS, count)) if words[i] in _CLOSES), None
        )
        if close is None:
            at += 1
            continue
        last = close
        while last > at + 1 and words[last - 1] in _MARKS:
            last -= 1
        if last > at + 1 and _is_title(sentence, at + 1, last):
            titles[at + 1] = last
        at = close + 1
    return titles


def _is_title(sentence: Sentence, first: int, last: int) -> bool:
    letters = [word for word in sentence.words[first:last] if word[0].isalnum()]
    if not letters or not (letters[0][0].isupper() or letters[0][0].isdigit()):
        return False
    if len(letters) == 1:
        return letters[0].lower() not in STOP_WORDS | PRONOUNS and not letters[0][0].isdigit()
    large = [word for word in letters if word.lower() not in STOP_WORDS]
    if not large or any(word in VERBS for word in letters):
        return False
    follows = sentence.words[last + 1 : last + 3]
    if follows[:1] == ["("] and follows[-1].isdigit() and len(follows[-1]) == 4:
        return True  # '"Kvinner i fellesskap" (1982)'
    # Written small within a title are words like "of"; where most others are too, it is speech.
    return sum(word[0].isupper() or word[0].isdigit() for word in large) >= 0.75 * len(large)


def after_nickname(words: list[str], at: int) -> int:
    """Where a name goes on behind a nickname in quotation marks at this word, else the same place."""
    if words[at] not in _OPENS:
        return at
    for close in range(at + 2, min(at + 2 + _NICKNAME, len(words) - 1)):
        if words[close] in _CLOSES:
            return close + 1 if words[at + 1][0].isupper() and words[close + 1][0].isupper() else at
    return at
