"""The significant words of a question (requirement 9.5), their stems, and related words."""

import re
import unicodedata
from collections.abc import Iterable, Set
from functools import lru_cache

from app.domain.scoring.letters import replace_by_base_letters
from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS

INSIGNIFICANT_WORDS = STOP_WORDS | PRONOUNS
"""The words dropped by default (requirement 9.5): "who" and "it" are as insignificant as "the"."""
_ASCII_WORD = re.compile("[a-z0-9]+")
_NON_WORD_CHARACTER = re.compile(r"[^\w\s]|_")
_ENDINGS = ("ing", "ed", "es", "s", "e")
_MIN_STEM_LENGTH = 3
UNSPACED = (
    (0x3005, 0x3007),
    (0x3041, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0x20000, 0x3134F),
)
"""First and last code points of ideographs, kana and Hangul, whose bigrams serve as words in vectors too."""
_SYLLABIC_SCRIPTS = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
"""Code points of Thai and Lao, Burmese and Khmer, which have no spaces between words either."""
_UNSPACED_RUN = re.compile(
    "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in (*UNSPACED, *_SYLLABIC_SCRIPTS)) + "]+"
)


def list_keywords(text: str, *, stop_words: Set[str] = INSIGNIFICANT_WORDS) -> list[str]:
    """Return the text's distinct words in lower case, in order (requirement 9.5).

    The text is split at characters other than letters and digits; stop words and single characters are
    dropped. A mark that belongs to a letter, such as a Hindi vowel sign, does not split its word.
    """
    if text.isascii():
        words = _ASCII_WORD.findall(text.lower())
    else:
        folded_text = unicodedata.normalize("NFC", text).casefold()
        words = _NON_WORD_CHARACTER.sub(_replace_by_space_unless_mark, folded_text).split()
    return [word for word in dict.fromkeys(words) if len(word) > 1 and word not in stop_words]


def list_stems(text: str) -> frozenset[str]:
    """Return the text's keywords without common endings and accents: created, creates and create are the
    same.

    In unspaced scripts and Korean, each two adjacent characters are a word. Suitable for finding a sentence
    with common words, not for judging it.
    """
    if text.isascii():
        return frozenset(map(_stem, list_keywords(text)))
    # "rachetée" is the feminine of "racheté".
    return frozenset(
        _stem(word_part[:-1] if word_part.endswith("ee") else word_part)
        for word in list_keywords(replace_by_base_letters(text))
        for word_part in split_unspaced_word_into_bigrams(word)
    )


def list_stems_of_texts(texts: Iterable[str]) -> list[frozenset[str]]:
    """Return the stems of each text."""
    return [list_stems(text) for text in texts]


@lru_cache(maxsize=32_768)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_LENGTH:
            stem = word[: -len(ending)]
            # "supplies" and "supplied" are forms of "supply", but "movies" is one of "movie".
            is_form_of_y = stem[-1] == "i" and ending in ("es", "ed", "e") and len(stem) > _MIN_STEM_LENGTH
            return f"{stem[:-1]}y" if is_form_of_y else stem
    return word


def _replace_by_space_unless_mark(character: re.Match[str]) -> str:
    return character[0] if unicodedata.category(character[0]).startswith("M") else " "


def split_unspaced_word_into_bigrams(word: str) -> list[str]:
    """Return the word itself or, if it contains unspaced scripts, their bigrams and its other parts."""
    if word.isascii() or not _UNSPACED_RUN.search(word):
        return [word]
    bigrams_and_words = [run for run in _UNSPACED_RUN.split(word) if len(run) > 1]
    for run in _UNSPACED_RUN.findall(word):
        bigrams_and_words += [run[start : start + 2] for start in range(len(run) - 1)] or [run]
    return bigrams_and_words


def count_unspaced_characters(text: str) -> int:
    """Return the number of characters of unspaced scripts in a text."""
    return 0 if text.isascii() else sum(map(len, _UNSPACED_RUN.findall(text)))


# Words for the same thing in questions and texts: each line is one relation.
_GROUPS_OF_RELATED_WORDS = """
born birth birthplace native hometown
die died death dead killed buried
marry married marriage wife husband spouse widow partner
direct director directed
father mother parent son daughter child children brother sister sibling
mother birth
study studied education educated attend attended graduate graduated university college school
work worked works employ employed employer job serve served join joined staff quit left leave
lead leads led leader head headed chief executive ceo president chairman director manager run runs ran
write wrote written writer author novel book
found founded founder establish established form formed create created creator start started
develop developed developer design designed designer build built maker make made
locate located location based headquarters office lie lies lay situated region country state county city
own owned owner acquire acquired bought buy purchase purchased
star starred starring cast appear appeared actor actress play played
perform performed performer singer band record recorded song
compose composed composer music
nationality country citizenship citizen
release released publish published publisher
host hosted presenter
population inhabitants census people
use used uses run runs depend depends need needs based
cost costs price priced paid pay worth
name named called known renamed
begin began begun start started open opened launch launched
end ended close closed stop stopped
"""
RELATED_STEMS: dict[str, frozenset[str]] = {}
"""Maps each stem to the stems of all groups that contain it."""
for _line in _GROUPS_OF_RELATED_WORDS.strip().splitlines():
    _group = list_stems(_line)
    for _word in _group:
        RELATED_STEMS[_word] = RELATED_STEMS.get(_word, frozenset()) | _group


def map_related_stems_to_asked_stems(question_stems: frozenset[str]) -> dict[str, str]:
    """Map each stem related to the question's stems, and not among them, to one of these."""
    return {
        related_stem: word
        for word in sorted(question_stems)
        for related_stem in sorted(RELATED_STEMS.get(word, ()))
        if related_stem not in question_stems
    }


RELATED_SHARE = 0.7
"""Weight of a related word ("married" for "wife") relative to the word itself."""


def list_related_words(word: str) -> list[str]:
    """Return the stems related to a lower-case word, without its own."""
    stem = _stem(word)
    return sorted(RELATED_STEMS.get(stem, frozenset()) - {stem})
