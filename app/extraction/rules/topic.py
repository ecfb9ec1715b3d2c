"""The topic of a document: the name in its title, if there is one (not in "notes-2024-final")."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.rules.english.gazetteers import CITIES
from app.extraction.rules.english.lexicon import KIND_OF, KIND_OF_HEAD, PLACE_NAMES, PLACES
from app.extraction.rules.english.nations import REGIONS
from app.extraction.rules.english.topics import FINITE_VERBS, SENTENCE_OPENERS, WRITING_NOUNS
from app.extraction.rules.tokens import split_words
from app.graph.names import MONTHS_AND_DAYS, clean_name, may_node_have_name

_MAX_TITLE_CHARACTERS, _MAX_TITLE_WORDS = 120, 14
# "report.pdf", "notes_final", "a/b", "meeting-2024-03": names of files and paths of pages.
_FILE_NAME = re.compile(r"\S*(?:[/\\_@]\S*|\.[A-Za-z][A-Za-z0-9]{1,4})|[a-z0-9]+(?:[-.][a-z0-9]+)+")
_BRACKET = re.compile(r"\s*\(([^()]*)\)\s*$")
_EXPLANATION = re.compile(r":\s+[a-z]")
_VERSION = re.compile(r"v?\d[\d.]*")


@dataclass(frozen=True, slots=True)
class Topic:
    """The name in a title, as words, and its kind if the title states one ("Heat (1995 film)").

    `is_certain`: the title alone is enough. A title with a verb, with two things or without a capital is a
    name only if the text uses it as one.
    """

    name: str
    written_forms: tuple[str, ...]
    words: tuple[str, ...]
    kind: str | None
    is_certain: bool


@lru_cache(maxsize=1_024)
def read_topic(title: str) -> Topic | None:
    """Return the name in the title; None for a file name, a kind of document, a date or a question."""
    if len(title) > 2 * _MAX_TITLE_CHARACTERS:
        return None
    line = " ".join(html.unescape(title).split())
    bracket_match = _BRACKET.search(line)
    name = line[: bracket_match.start()] if bracket_match and bracket_match.start() else line
    # "PostGIS: maps for everybody" is about PostGIS; "Alien: Romulus" is a name.
    explanation_match = _EXPLANATION.search(name)
    name = clean_name(name[: explanation_match.start()] if explanation_match else name)
    words = split_words(name, 0, len(name)).words
    lower_words = [word.lower() for word in words]
    plain_words = [word for word in lower_words if word[0].isalnum()]
    if not _can_be_topic_name(name, words, plain_words):
        return None
    is_certain = (
        any(character.isupper() for character in name)
        and "and" not in lower_words
        and not any(word in FINITE_VERBS for word in plain_words[1:])
    )
    if (plain_words[0] in SENTENCE_OPENERS and words[-1] == "?") or (
        plain_words[0] in SENTENCE_OPENERS
        and any(word.islower() and word not in STOP_WORDS for word in words)
    ):
        return None
    return Topic(
        name,
        tuple(words),
        tuple(lower_words),
        _find_kind_of_bracket(bracket_match[1] if bracket_match else "", name),
        is_certain,
    )


def _can_be_topic_name(name: str, words: Sequence[str], plain_words: Sequence[str]) -> bool:
    if (
        not plain_words
        or not may_node_have_name(name)
        or len(name) > _MAX_TITLE_CHARACTERS
        or len(plain_words) > _MAX_TITLE_WORDS
    ):
        return False
    if _FILE_NAME.fullmatch(name) or words[-1] in (".", ";", ":"):
        return False
    content_words = [word for word in plain_words if word not in STOP_WORDS]
    return not all(
        word in WRITING_NOUNS or word in MONTHS_AND_DAYS or _VERSION.fullmatch(word) for word in content_words
    )


def _find_kind_of_bracket(bracket: str, name: str) -> str | None:
    kinds = [KIND_OF[word] for word in bracket.lower().replace("-", " ").split() if word in KIND_OF]
    if kinds:
        return kinds[-1]
    place_name = name.rpartition(", ")[2].lower()
    is_place = place_name in PLACES or place_name in PLACE_NAMES or place_name in REGIONS
    return "Location" if ", " in name and is_place else None


def _is_title_with_word_longer_form_of_name(title_words: Sequence[str], next_word: str) -> bool:
    """Return whether a title followed by a word is a longer form of the same name: "Antonio Pujol
    Jiménez", but not "New York Times" or "Los Angeles Lakers".
    """
    name = " ".join(title_words)
    has_kind_word = (
        next_word in KIND_OF or next_word in KIND_OF_HEAD or any(word in KIND_OF for word in title_words)
    )
    return not has_kind_word and name not in PLACE_NAMES and name not in CITIES


def _remove_generational_suffix(words: list[str]) -> list[str]:
    """Return the words of a name without a final "Jr." or "Sr."."""
    return words[:-1] if len(words) > 2 and words[-1].rstrip(".") in ("jr", "sr") else words


def is_topic_in_other_form(topic: Topic, lower_words: Sequence[str]) -> bool:
    """Return whether a name at the beginning of the text is another form of the topic's: "Barry Robert
    Pepper" for "Barry Pepper", "Deer Plain" for "Deer Plain, Illinois".
    """
    title_words = _remove_generational_suffix([word for word in topic.words if word[0].isalnum()])
    name_words = _remove_generational_suffix([word for word in lower_words if word[0].isalnum()])
    if (
        "," in topic.words
        and title_words[: sum(word[0].isalnum() for word in topic.words[: topic.words.index(",")])]
        == name_words
    ):
        return True
    if len(title_words) > 1 and name_words[:-1] == title_words:
        return _is_title_with_word_longer_form_of_name(title_words, name_words[-1])
    if len(title_words) < 2 or len(name_words) < 2 or title_words[-1] != name_words[-1]:
        return False
    remaining_words = iter(name_words)
    if all(word in remaining_words for word in title_words):
        return True
    # "Sam Butler" is Samuel Butler.
    return len(title_words) == 2 and len(title_words[0]) > 2 and name_words[0].startswith(title_words[0])


def can_be_topic_by_surname(topic: Topic, lower_words: Sequence[str]) -> bool:
    """Return whether a person with life dates at the beginning of a text may be its topic under another
    first name: "Michael Edwards (born 1963)" in a text about 'Eddie "The Eagle" Edwards'.
    """
    title_words = _remove_generational_suffix([word for word in topic.words if word[0].isalnum()])
    name_words = _remove_generational_suffix([word for word in lower_words if word[0].isalnum()])
    return (
        len(title_words) > 1
        and len(name_words) > 1
        and title_words[-1] == name_words[-1]
        and title_words[-1] not in KIND_OF
    )
