"""The language a document is written in, guessed from its beginning, and that of each of its chunks."""

import re
import threading
from functools import cache
from typing import TYPE_CHECKING

from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS, word_set
from app.lazy import imported

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# 2,000 characters cost 0.25 ms once the model is loaded (0.7 s, at the first call in a process).
_SAMPLE_CHARACTERS = 2_000
_MODEL_FILE = "data/model.npz.xz"
_LOADING = threading.Lock()
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Small words of English that other languages of the Latin script have too.
_SHARED = word_set("a an as at by he i in is me my no of on or per so to us was we")
_SMALL = STOP_WORDS | word_set("the is was are were has have had he she it its they his her their this that")
_FEWEST_WORDS = 8
_ENGLISH_SHARE, _TELLING_SHARE = 0.12, 0.05
# How sure the detector must be that a text is in another language, with and without English words in it.
_SURE, _LIKELY = 0.95, 0.5
# One of these is enough to take a few words for English: no other language of its letters has them.
_ENGLISH_ALONE = {word for word in _SMALL | PRONOUNS if len(word) > 2} - word_set(
    "all also for have her most over past per such then under was"
)
# How sure the detector must be of a few words, where a wrong answer only looks for the wrong endings.
_PLAUSIBLE = 0.25


def _get_identifier() -> "LanguageIdentifier":
    # Threads that ask first at the same time would each load the 100 MB of it.
    with _LOADING:
        return _load_identifier()


@cache
def _load_identifier() -> "LanguageIdentifier":
    # It imports numpy, which a command that detects no language does not need.
    identifier: type[LanguageIdentifier] = imported("py3langid.langid:LanguageIdentifier")
    return identifier.from_model_file(_MODEL_FILE, norm_probs=True)


def preload() -> None:
    """Load the model now: before a fork it is loaded once for all children, and no job waits for it."""
    _get_identifier()


def detect_language(text: str, of_document: str | None = None) -> str | None:
    """The ISO 639-1 code of a text's language: English where its small words are, else what the detector is
    sure of.

    Of a chunk of fewer than eight words, or one that leaves the detector in doubt, it is its document's. None
    where neither is known. Looks at the first 2,000 characters.
    """
    sample = text[:_SAMPLE_CHARACTERS]
    words = _WORD.findall(sample)
    if len(words) < _FEWEST_WORDS and not is_other_script(sample):
        return of_document
    lower_words = [word.lower() for word in words]
    small_words = [word for word in lower_words if word in _SMALL]
    telling_count = sum(word not in _SHARED for word in small_words)
    if len(small_words) >= _ENGLISH_SHARE * len(lower_words) and telling_count >= _TELLING_SHARE * len(
        lower_words
    ):
        return "en"
    code, confidence = _get_identifier().classify(sample)
    is_sure = len(code) == 2 and confidence >= (_SURE if telling_count else _LIKELY)
    return str(code) if is_sure else of_document


def guess_language(text: str, of_document: str | None = None) -> str | None:
    """As `detect_language`, but with a guess at texts of a few words too."""
    language = detect_language(text, of_document)
    if language is not None:
        return language
    sample = text[:_SAMPLE_CHARACTERS]
    if not _ENGLISH_ALONE.isdisjoint(word.lower() for word in _WORD.findall(sample)):
        return "en"
    code, confidence = _get_identifier().classify(sample)
    return str(code) if confidence >= _PLAUSIBLE else None


def is_other_script(text: str) -> bool:
    """Return whether most letters are of another script than the Latin one."""
    letters = [char for char in text[:_SAMPLE_CHARACTERS] if char.isalpha()]
    return sum(char > "\u02ff" for char in letters) > len(letters) / 2


READ_BY_RULES = frozenset(("en",))
"""The languages whose rules of extraction are written."""

_NAMES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
UNKNOWN = "und"
"""A language that is none of those that rules read, and that nothing tells."""


def detect_unread_language(text: str, of_document: str | None = None) -> str | None:
    """The language of a chunk of which rules draw no graph; None where they read it."""
    language = detect_language(text, of_document)
    if language is None:
        return UNKNOWN if is_other_script(text) else None
    return None if language in READ_BY_RULES else language


def format_language_name(code: str) -> str:
    """The language as a sentence has it."""
    return _NAMES.get(code, "another language" if code == UNKNOWN else f"the language {code}")
