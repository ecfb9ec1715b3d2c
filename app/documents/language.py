"""Detect the language of a document from its beginning, and of its chunks."""

import re
import threading
from functools import cache
from typing import TYPE_CHECKING

from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS, split_into_word_set
from app.lazy import import_object

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# 2,000 characters take 0.25 ms once the model is loaded (0.7 s, at the first call in a process).
_SAMPLE_CHARACTERS = 2_000
_MODEL_FILE = "data/model.npz.xz"
_LOADING_LOCK = threading.Lock()
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Function words of English that also exist in other languages with Latin script.
_WORDS_OF_SEVERAL_LANGUAGES = split_into_word_set(
    "a an as at by he i in is me my no of on or per so to us was we"
)
_FUNCTION_WORDS = STOP_WORDS | split_into_word_set(
    "the is was are were has have had he she it its they his her their this that"
)
_MIN_WORDS = 8
_MIN_FUNCTION_WORD_SHARE, _MIN_DISTINCTIVE_SHARE = 0.12, 0.05
# The confidence required for another language, with and without English function words in the text.
_CERTAIN_PROBABILITY, _LIKELY_PROBABILITY = 0.95, 0.5
# Function words that occur in no other language with these letters: one of them is enough in a short text.
_ENGLISH_ONLY_WORDS = {word for word in _FUNCTION_WORDS | PRONOUNS if len(word) > 2} - split_into_word_set(
    "all also for have her most over past per such then under was"
)
# A script that one language is written in tells it, from this many letters. Of 10,050 Japanese sentences, ten
# have twelve ideographs and no kana, and 28 have eight.
_MIN_LETTERS_OF_SCRIPT = 12
_KANA = re.compile(r"[\u3041-\u30ff\uff66-\uff9f]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_IDEOGRAPH = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_MIN_KANA_SHARE, _MAJORITY_SHARE = 0.2, 0.5
# The confidence required for a few words, where a wrong guess only means wrong word endings.
_MIN_PLAUSIBLE_SHARE = 0.25


def _get_identifier() -> "LanguageIdentifier":
    # The lock prevents concurrent first calls from loading the 100 MB several times.
    with _LOADING_LOCK:
        return _load_identifier()


@cache
def _load_identifier() -> "LanguageIdentifier":
    # Imported here because it imports numpy, which commands without language detection do not need.
    identifier: type[LanguageIdentifier] = import_object("py3langid.langid:LanguageIdentifier")
    return identifier.from_model_file(_MODEL_FILE, norm_probs=True)


def preload_language_model() -> None:
    """Load the model now, before a fork, so that children share it and no job waits for it."""
    _get_identifier()


def detect_language(text: str, document_language: str | None = None) -> str | None:
    """Return the ISO 639-1 code of a text's language, from its first 2,000 characters; None if unknown.

    English is recognised by its function words, other languages by the detector if it is confident, and
    Japanese, Korean and Chinese by their scripts if it is not. Otherwise, and for a text of fewer than eight
    words, `document_language` is returned.
    """
    sample = text[:_SAMPLE_CHARACTERS]
    words = _WORD.findall(sample)
    if len(words) < _MIN_WORDS and not is_mostly_non_latin(sample):
        return document_language
    lower_words = [word.lower() for word in words]
    function_words = [word for word in lower_words if word in _FUNCTION_WORDS]
    distinctive_count = sum(word not in _WORDS_OF_SEVERAL_LANGUAGES for word in function_words)
    if len(function_words) >= _MIN_FUNCTION_WORD_SHARE * len(
        lower_words
    ) and distinctive_count >= _MIN_DISTINCTIVE_SHARE * len(lower_words):
        return "en"
    code, confidence = _get_identifier().classify(sample)
    is_sure = len(code) == 2 and confidence >= (
        _CERTAIN_PROBABILITY if distinctive_count else _LIKELY_PROBABILITY
    )
    if is_sure:
        return str(code)
    language_of_script = _guess_language_by_script(sample)
    # Japanese has sentences of ideographs alone.
    return (
        document_language
        if language_of_script is None or (language_of_script, document_language) == ("zh", "ja")
        else language_of_script
    )


def guess_language(text: str, document_language: str | None = None) -> str | None:
    """Like `detect_language`, but also guess the language of a few words."""
    language = detect_language(text, document_language)
    if language is not None:
        return language
    sample = text[:_SAMPLE_CHARACTERS]
    if not _ENGLISH_ONLY_WORDS.isdisjoint(word.lower() for word in _WORD.findall(sample)):
        return "en"
    code, confidence = _get_identifier().classify(sample)
    return str(code) if confidence >= _MIN_PLAUSIBLE_SHARE else None


def is_mostly_non_latin(text: str) -> bool:
    """Return whether most letters belong to a script other than Latin."""
    letters = [character for character in text[:_SAMPLE_CHARACTERS] if character.isalpha()]
    return sum(character > "\u02ff" for character in letters) > len(letters) / 2


def _guess_language_by_script(text: str) -> str | None:
    """Return Japanese, Korean or Chinese by the letters of a text; None if they do not tell."""
    letter_count = sum(map(str.isalpha, text))
    kana_count, hangul_count = len(_KANA.findall(text)), len(_HANGUL.findall(text))
    if letter_count < _MIN_LETTERS_OF_SCRIPT:
        return None
    if kana_count >= _MIN_KANA_SHARE * letter_count:
        return "ja"
    if hangul_count > _MAJORITY_SHARE * letter_count:
        return "ko"
    ideograph_count = len(_IDEOGRAPH.findall(text))
    return (
        "zh"
        if not kana_count and ideograph_count >= max(_MIN_LETTERS_OF_SCRIPT, _MAJORITY_SHARE * letter_count)
        else None
    )


LANGUAGES_CAPITALISING_NOUNS = frozenset(("de", "lb"))
"""German and Luxembourgish, which write all nouns with a capital, not only names."""
LANGUAGES_WITH_ORDINAL_DOT = split_into_word_set(
    "bs cs da de et eu fi fo hr hu is lb lv nb nn no pl sk sl sr tr"
)
"""The languages that write an ordinal number as a number with a full stop."""
LANGUAGES_READ_BY_RULES = frozenset(("en",))
"""The languages that the extraction rules cover."""

_NAME_BY_CODE = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
UNDETERMINED_LANGUAGE = "und"
"""Code for an undetermined language in a script that the rules do not cover."""


def detect_language_unless_read_by_rules(text: str, document_language: str | None = None) -> str | None:
    """Return the language of a chunk that the rules cannot read; None if they can."""
    language = detect_language(text, document_language)
    if language is None:
        return UNDETERMINED_LANGUAGE if is_mostly_non_latin(text) else None
    return None if language in LANGUAGES_READ_BY_RULES else language


def format_language_name(code: str) -> str:
    """Return the language's name for use in a sentence."""
    return _NAME_BY_CODE.get(
        code, "another language" if code == UNDETERMINED_LANGUAGE else f"the language {code}"
    )
