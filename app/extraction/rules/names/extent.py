"""The extent of a name: runs of capitals, and the small words, numbers and nicknames that continue a name."""

import re
from collections.abc import Callable

from app.documents.sentences import ABBREVIATIONS_BEFORE_NUMBER
from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS
from app.extraction.rules.document_words import DocumentWords
from app.extraction.rules.english.date_patterns import ANY_YEAR, MONTHS
from app.extraction.rules.english.gazetteers import CITIES, FIRST_NAMES
from app.extraction.rules.english.lexicon import (
    AND_HEADS,
    CURRENCIES,
    DEMONYMS,
    FOR_HEADS,
    GIVEN_NAMES,
    HONORIFICS,
    KIND_OF,
    KIND_OF_HEAD,
    NAME_PARTICLES,
    NAME_TAILS,
    OF_HEADS,
    PLACE_NAMES,
    PLACES,
    ROLES,
    SENTENCE_STARTERS,
    SUBJECT_VERBS,
)
from app.extraction.rules.english.name_words import (
    ADMINISTRATIVE_ADJECTIVES,
    AWARD_CATEGORY_ADJECTIVES,
    EPITHETS,
    FIRMS_AFTER_AND,
    INQUIRY_NOUNS,
    LAST_WORDS_OF_BODIES,
    NOBILITY,
    NOBILITY_PREFIXES,
    OFFICIALS,
    ON_HEADS,
    PLACE_NAMES_WITH_AND,
    POSSESSED_NOUNS,
    POSSESSORS,
    PREFIXES_OF_NO_NAME,
    STATE_NOUNS,
)
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD
from app.extraction.rules.names.initials import find_end_before_acronym
from app.extraction.rules.names.quoted import find_nickname_end
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.graph.names import MONTHS_AND_DAYS, is_roman_numeral

# "2ndQuadrant", "3Com", but no quantity such as "10GB".
NAME_WITH_LEADING_DIGITS = re.compile(r"\d+[a-z]*[A-Z][a-z]{2,}\w*+")
# Korean given names: two syllables and a hyphen.
_DAY_HALVES = ("AM", "PM")
_HOUR_AND_MINUTES = re.compile(r"\d{1,2}(?:\.\d\d)?")
_ABBREVIATIONS_OF_PARTS = (
    ABBREVIATIONS_BEFORE_NUMBER - MONTHS_AND_DAYS - {month[:3] for month in MONTHS} - {"no"}
)
"""Abbreviations of "volume", "part" and others, with whose number a name ends; no months."""
_TIME_ZONE = re.compile(r"[A-Z]{1,4}T|UTC")
_SYLLABLE = re.compile(
    r"(?:kk|tt|pp|ss|jj|ch|sh|[bcdghjklmnprstwy])?(?:yeo|[aeiou]{2}|y[aeou]|w[aeio]|[aeiou])(?:ng|[nklmptbh])?"
)
_APOSTROPHE = re.compile("['’]")
# "NY 12F"
_ROUTE_NUMBER = re.compile(r"\d{1,3}[A-Z]")
_POSSESSIVES = frozenset(("'s", "’s", "'", "’"))
_DASHES = frozenset(("–", "-", "—"))
_WORDS_AFTER_VERB = frozenset(("on", "upon", "with", "a", "an", "the", "its", "no"))
MAX_NAME_WORDS = 10
"""Maximum number of words of a name; a longer run of capitals is none."""
_MAX_WORD_LENGTH = 60
_MAX_NOBLE_LENGTH = 4


def is_capital(word: str, document_words: DocumentWords) -> bool:
    if word[0].isupper():
        return len(word) <= _MAX_WORD_LENGTH
    # Fast path for most words.
    if (word.islower() and word not in document_words.kind_by_code_word) or len(word) > _MAX_WORD_LENGTH:
        return False
    if not word[0].isalpha():
        return NAME_WITH_LEADING_DIGITS.fullmatch(word) is not None
    if word in document_words.kind_by_code_word:
        return word not in SENTENCE_STARTERS
    if word.partition("-")[0] in PREFIXES_OF_NO_NAME:
        return False
    # "iPhone", "pgAdmin": a capital inside, but no slash or dot, as in addresses, file paths and missing
    # spaces between sentences.
    return word[1:].lower() != word[1:] and "/" not in word and "@" not in word and "." not in word


JoinRule = Callable[[list[str], int, int], bool]
"""(words in lower case, beginning of the name, index of the connector): whether the connector continues
the name.
"""


def _joins_always(_lower: list[str], _first: int, _index: int) -> bool:
    return True


def _joins_after_for_head(lower_words: list[str], _first: int, index: int) -> bool:
    return lower_words[index - 1] in FOR_HEADS


def _joins_after_ampersand(lower_words: list[str], first_index: int, index: int) -> bool:
    """Return whether "&" joins the parts of one name; "Ann Lee & Bob Ray" are two people."""
    are_people = (
        index - first_index > 1
        and all(_is_first_name(lower_words[word]) for word in (first_index, index + 1))
        and lower_words[index + 2 : index + 3] != [","]
        and word_at(lower_words, index + 2).isalpha()
    )
    return not are_people


def _is_first_name(word: str) -> bool:
    return word in FIRST_NAMES or word in GIVEN_NAMES


def _may_continue_name_after_and(lower_words: list[str], first_index: int, index: int) -> bool:
    """Return whether a name continues as in "Department of Commerce and Labor", "J. Lyons and Co.",
    "Antigua and Barbuda", or by the following word as in "the Fish and Wildlife Service".
    """
    if (lower_words[index - 1], lower_words[index + 1]) in PLACE_NAMES_WITH_AND or lower_words[
        index + 1
    ] in FIRMS_AFTER_AND:
        return True
    has_preposition = "of" in lower_words[first_index:index] or "for" in lower_words[first_index:index]
    return lower_words[first_index] in AND_HEADS and has_preposition and lower_words[index - 1] not in KIND_OF


def _joins_before_tail(lower_words: list[str], first_index: int, index: int) -> bool:
    """Return whether a name continues as in "Acme, Inc.", "Collins, Sons & Co.", "Friedrich, Duke of Oss",
    or in the one university system that writes its members after a comma.
    """
    title_index = index + 2 if lower_words[index + 1] in NOBILITY_PREFIXES else index + 1
    if (
        lower_words[title_index + 1 : title_index + 2] == ["of"]
        and lower_words[title_index] in NOBILITY
        and index - first_index < _MAX_NOBLE_LENGTH
    ):
        return True
    if (
        lower_words[index + 1] == "sons"
        and index + 2 < len(lower_words)
        and lower_words[index + 2] in ("&", "and")
    ):
        return True
    return lower_words[index + 1] in NAME_TAILS or lower_words[max(first_index, index - 3) : index] == [
        "university",
        "of",
        "california",
    ]


def _joins_after_capital_verb(lower_words: list[str], _first: int, index: int) -> bool:
    """Return whether a name continues as in "Orange Is the New Black", "Phoenix the Warrior"."""
    return lower_words[index - 1] in ("is", "are") or lower_words[index + 1] in EPITHETS


def _may_continue_name_after_into(lower_words: list[str], first_index: int, index: int) -> bool:
    """Return whether a name continues as in "Royal Commission into Institutional Responses to Child Sexual
    Abuse".
    """
    return lower_words[index - 1] in INQUIRY_NOUNS or "into" in lower_words[first_index:index]


def _joins_within_university(lower_words: list[str], first_index: int, index: int) -> bool:
    """Return whether a name continues as in "University of North Carolina at Chapel Hill", "Mausoleum at
    Halicarnassus".
    """
    return (
        "university" in lower_words[first_index:index] and "of" in lower_words[first_index:index]
    ) or lower_words[index - 1] == "mausoleum"


def _joins_after_night(lower_words: list[str], _first: int, index: int) -> bool:
    """Return whether a name continues as in "Night on Bald Mountain", "Fiddler on the Roof"."""
    return lower_words[index - 1] in ON_HEADS


# Connectors that a capital follows.
_CONNECTORS: dict[str, JoinRule] = {
    **dict.fromkeys(("v", *NAME_PARTICLES), _joins_always),
    "&": _joins_after_ampersand,
    "the": _joins_after_capital_verb,
    "for": _joins_after_for_head,
    "and": _may_continue_name_after_and,
    "at": _joins_within_university,
    "on": _joins_after_night,
    "into": _may_continue_name_after_into,
    "to": _may_continue_name_after_into,
    ",": _joins_before_tail,
}


def _count_connector_words(
    sentence: Sentence, first_index: int, index: int, document_words: DocumentWords
) -> int:
    """Return the number of words after `index - 1` that are a connector within the name; 0 where the name
    ends.
    """
    words, lower_words = sentence.words, sentence.lower
    if index + 1 >= len(words):
        return 0
    if lower_words[index] == "of":
        return _count_words_joined_by_of(sentence, first_index, index, document_words)
    if (
        lower_words[index] == "in"
        and lower_words[first_index] in AWARD_CATEGORY_ADJECTIVES
        and lower_words[index + 1] in ("a", "an")
        and index + 2 < len(words)
    ):
        return 2 * is_capital(words[index + 2], document_words)
    may_join = _CONNECTORS.get(lower_words[index])
    if may_join is None:
        return 0
    if is_capital(words[index + 1], document_words) and lower_words[index + 1] not in PRONOUNS:
        return int(may_join(lower_words, first_index, index))
    # "van der Waals"
    is_two_words = (
        may_join is _joins_always and lower_words[index + 1] in NAME_PARTICLES and index + 2 < len(words)
    )
    return 2 if is_two_words and words[index + 2][0].isupper() else 0


def _follows_noble_title(lower_words: list[str], first_index: int, index: int) -> bool:
    """Return whether this word follows a title after a comma: "Karl, Duke" of "Karl, Duke of Oss"."""
    return lower_words[index - 1] in NOBILITY and "," in lower_words[first_index:index]


def _count_words_joined_by_of(
    sentence: Sentence, first_index: int, index: int, document_words: DocumentWords
) -> int:
    """Return the number of words of an "of" or "of the" that continues a name: "University of", "Henry
    VIII of"; 0 if none does.
    """
    words, lower_words = sentence.words, sentence.lower
    previous_word = lower_words[index - 1]
    is_head_noun = (
        previous_word in KIND_OF
        or previous_word in KIND_OF_HEAD
        or previous_word in OF_HEADS
        or _follows_noble_title(lower_words, first_index, index)
    )
    # "the Kotayk Province of Armenia": the name is complete, and the containing place follows.
    is_complete = (
        index - first_index > 1
        and KIND_OF.get(previous_word) == "Location"
        and lower_words[index - 2] not in ("the", "of")
        and lower_words[index - 2] not in ADMINISTRATIVE_ADJECTIVES
    )
    if is_complete and previous_word not in STATE_NOUNS:
        return 0
    if (
        previous_word in ROLES
        or previous_word in OFFICIALS
        or not (is_head_noun or (index - first_index > 1 and is_roman_numeral(previous_word)))
    ):
        return 0
    next_word = lower_words[index + 1]
    if (
        is_capital(words[index + 1], document_words)
        and next_word not in PRONOUNS
        and not _is_lone_demonym(sentence, index + 1, document_words)
    ):
        return 1
    return (
        2
        if next_word == "the" and index + 2 < len(words) and is_capital(words[index + 2], document_words)
        else 0
    )


def _is_lone_demonym(sentence: Sentence, index: int, document_words: DocumentWords) -> bool:
    """Return whether an adjective of nationality begins no group's name: "of French chef Paul Haas", "of
    German Helga Lund", but not "Society of German Engineers".
    """
    next_word = word_at(sentence.lower, index + 1)
    return sentence.lower[index] in DEMONYMS and (
        not is_capital(word_at(sentence.words, index + 1, "a"), document_words)
        or next_word in FIRST_NAMES
        or next_word in GIVEN_NAMES
        or next_word in ROLES
        or next_word.rstrip(".") in HONORIFICS
    )


def _count_words_joined_by_and(
    sentence: Sentence, first_index: int, index: int, document_words: DocumentWords
) -> int:
    """Return 1 if "and" joins the parts of one body's name, "the United States Fish and Wildlife Service";
    else 0.
    """
    words, lower_words = sentence.words, sentence.lower
    if (
        lower_words[index] != "and"
        or first_index == 0
        or lower_words[first_index - 1] not in ("the", "'s")
        or lower_words[index - 1] in KIND_OF_HEAD
    ):
        return 0
    name_end = index + 1
    while name_end < len(words) and name_end - index < 5 and is_capital(words[name_end], document_words):
        name_end += 1
    # At least two words: "the Rhine and Lake" are two names.
    return int(
        name_end - index > 2
        and lower_words[name_end - 1] in LAST_WORDS_OF_BODIES
        and index - first_index < 5
        and lower_words[index - 1] not in PLACES
    )


def _is_verb_before_its_object(word: str, next_words: list[str]) -> bool:
    """Return whether a word ending with "s" is a verb of the table followed by its object."""
    has_object = next_words != [] and (next_words[0] in _WORDS_AFTER_VERB or next_words[0][0].isupper())
    return has_object and word in PATTERNS_BY_FIRST_WORD


def _is_number_of_name(sentence: Sentence, first_index: int, index: int) -> bool | None:
    """Return whether a number belongs to the name before it; None if it is no such number."""
    words = sentence.words
    word, previous_word = words[index], words[index - 1]
    next_word = word_at(words, index + 1)
    if word.isdigit() and next_word.islower() and next_word.endswith("s") and next_word not in STOP_WORDS:
        # "Won Best Actress 5 times", and "Gannet 4 integrates with".
        return _is_verb_before_its_object(next_word, words[index + 2 : index + 3])
    if word.isdigit() and next_word in _DASHES and word_at(words, index + 2).isdigit():
        return False  # "beat Brinley United 3–1"
    if _ROUTE_NUMBER.fullmatch(word) and previous_word.isupper():
        return True
    if _is_number_before_verb(sentence, first_index, index):
        return True
    if not word.isdigit() or (len(word) > 3 and not (previous_word.isupper() and len(previous_word) > 2)):
        return None
    return len(word) > 3 or previous_word.istitle() or previous_word.isupper()


def _is_stop_before_number(sentence: Sentence, index: int) -> bool:
    """Return whether a full stop belongs to an abbreviation and a number follows it, which are a part of the
    name before: "Guardians of the Galaxy Vol. 2". "Province No. 1" and dates are none.
    """
    number = word_at(sentence.lower, index + 1)
    return (
        sentence.words[index] == "."
        and sentence.lower[index - 1] in _ABBREVIATIONS_OF_PARTS
        and sentence.words[index - 1][0].isupper()
        and (number.isdigit() or is_roman_numeral(number))
    )


def _is_number_before_verb(sentence: Sentence, first_index: int, index: int) -> bool:
    """Return whether a number is between the name that opens a sentence and its verb: "Dvorakgrid 1199 was".

    A date there would have a comma, unless it is the subject: "May 1999 was".
    """
    word_before, verb = sentence.lower[index - 1], word_at(sentence.lower, index + 1)
    return (
        first_index == 0
        and sentence.words[index].isdigit()
        and word_before not in STOP_WORDS.union(MONTHS)
        and word_before not in SENTENCE_STARTERS
        and (verb in SUBJECT_VERBS or verb in PATTERNS_BY_FIRST_WORD)
    )


def _is_colon_before_subtitle(sentence: Sentence, first_index: int, index: int) -> bool:
    """Return whether a colon in a sentence precedes a subtitle: "on Star Trek: Voyager"."""
    words, lower_words = sentence.words, sentence.lower
    if words[index] != ":" or first_index == 0 or sentence.starts[index] > sentence.ends[index - 1]:
        return False
    if not (words[first_index - 1].isalpha() and words[first_index - 1].islower()):
        return False
    if not word_at(words, index + 1)[:1].isupper():
        return False
    next_word = word_at(lower_words, index + 1)
    return _is_before_year_in_bracket(sentence, index + 1) or (
        index - first_index > 1
        and not any(
            next_word in vocabulary
            for vocabulary in (SENTENCE_STARTERS, FIRST_NAMES, GIVEN_NAMES, PLACES, CITIES, DEMONYMS)
        )
    )


def _is_before_year_in_bracket(sentence: Sentence, index: int) -> bool:
    """Return whether a run of capitals and small words is followed by a year in brackets, as a title is:
    "Avengers: Endgame (2019)".
    """
    words = sentence.words
    end = index
    while end - index < MAX_NAME_WORDS and word_at(words, end)[:1].isalnum():
        if not (words[end][0].isupper() or sentence.lower[end] in STOP_WORDS):
            return False
        end += 1
    bracket = words[end : end + 3]
    return (
        len(bracket) == 3
        and bracket[0] == "("
        and bracket[2] == ")"
        and ANY_YEAR.fullmatch(bracket[1]) is not None
    )


def _does_single_word_name_kind(sentence: Sentence, index: int, document_words: DocumentWords) -> bool:
    """Return whether a single capitalised word names a kind of thing: "Price's Raid"."""
    lower_words = sentence.lower
    kind = KIND_OF.get(lower_words[index])
    if kind in (None, "Person") and lower_words[index] not in POSSESSED_NOUNS:
        return False
    next_word = word_at(lower_words, index + 1)
    if next_word in ("of", "for", "&") or next_word.isdigit():
        return False
    return not (next_word and is_capital(sentence.words[index + 1], document_words))


def _does_name_continue_after_possessive(
    sentence: Sentence, first_index: int, index: int, document_words: DocumentWords
) -> bool:
    """Return whether "'s" continues a name: "New Year's Eve", "St Paul's Cathedral", "Price's Raid"."""
    if index + 1 >= len(sentence.words) or not is_capital(sentence.words[index + 1], document_words):
        return False
    owner = sentence.lower[index - 1]
    is_known = any(
        owner in vocabulary
        for vocabulary in (FIRST_NAMES, GIVEN_NAMES, PLACES, PLACE_NAMES, CITIES, PRONOUNS, STOP_WORDS)
    )
    word_pair = (sentence.words[index - 1], sentence.words[index + 1])
    # "Acme's Falcon" is of Acme.
    is_ordinary = word_pair[1].endswith("s") or word_pair[1].lower() in document_words.lower_case_words
    if (
        is_ordinary
        and all(word in STOP_WORDS for word in sentence.lower[first_index : index - 1])
        and not is_known
        and word_pair in document_words.possessive_names
    ):
        return True
    is_saint = index - first_index > 1 and sentence.lower[index - 2] in ("st", "st.", "saint")
    return (
        is_saint
        or sentence.lower[index - 1] in POSSESSORS
        or _does_single_word_name_kind(sentence, index + 1, document_words)
    )


def _count_words_of_mark_within_name(
    sentence: Sentence, first_index: int, index: int, document_words: DocumentWords
) -> int:
    """Return the number of words of a nickname ('"Sam"'), of the hyphen in "Schleswig- Holstein", of the
    second syllable in "Kim Jong - un", of a possessive in "New Year's Eve", or of a colon before a
    subtitle; else 0.
    """
    if _is_stop_before_number(sentence, index):
        return 2
    words = sentence.words
    nickname_end = find_nickname_end(words, index)
    if nickname_end > index:
        return nickname_end - index if is_capital(words[nickname_end], document_words) else 0
    if words[index] in _POSSESSIVES:
        return int(_does_name_continue_after_possessive(sentence, first_index, index, document_words))
    if words[index] == "plc" or _is_colon_before_subtitle(sentence, first_index, index):
        return 1
    if (
        words[index] == "-"
        and index - first_index == 2
        and index + 1 < len(words)
        and _SYLLABLE.fullmatch(words[index + 1])
    ):
        return 2 if _SYLLABLE.fullmatch(sentence.lower[index - 1]) else 0
    if words[index][:2] in ("d'", "d’") and len(words[index]) > 3:
        return 1  # "Légion d'honneur"
    return int(words[index] == "-" and _is_hyphen(sentence, index, document_words))


def _is_hyphen(sentence: Sentence, index: int, document_words: DocumentWords) -> bool:
    """Return whether a dash is a hyphen: "Schleswig- Holstein", or a spaced one that the title has too."""
    next_words = sentence.words[index + 1 : index + 2]
    if not next_words or not next_words[0][0].isupper():
        return False
    is_adjacent = sentence.starts[index] == sentence.ends[index - 1]
    return is_adjacent or f"{sentence.lower[index - 1]}-{next_words[0].lower()}" in document_words.title_words


def begins_name(sentence: Sentence, index: int, document_words: DocumentWords) -> bool:
    """Return whether a name may begin with this word; "I've" begins none."""
    word_before_apostrophe = _APOSTROPHE.split(sentence.lower[index], 1)[0]
    is_pronoun = word_before_apostrophe != sentence.lower[index] and word_before_apostrophe in PRONOUNS
    return (
        is_capital(sentence.words[index], document_words)
        and not is_pronoun
        and not _begins_amount(sentence, index)
        and not _is_part_of_clock_time(sentence, index)
    )


def _is_part_of_clock_time(sentence: Sentence, index: int) -> bool:
    """Return whether a word in capitals is the half of the day or the time zone of a clock time: "11:00 PM",
    "9 a.m. EST", "7:15 CET".
    """
    word = sentence.words[index]
    if word in _DAY_HALVES:
        return _HOUR_AND_MINUTES.fullmatch(word_at(sentence.words, index - 1)) is not None
    if _TIME_ZONE.fullmatch(word) is None:
        return False
    last_index = index - 1 - (word_at(sentence.words, index - 1) == ".")
    if word_at(sentence.lower, last_index).replace(".", "").upper() in _DAY_HALVES:
        return _HOUR_AND_MINUTES.fullmatch(word_at(sentence.words, last_index - 1)) is not None
    return word_at(sentence.words, index - 2) == ":" and sentence.words[index - 1].isdigit()


def _begins_amount(sentence: Sentence, index: int) -> bool:
    """Return whether a currency and a number begin at `index`: "pays Northwind EUR 21,000"."""
    next_word = "".join(sentence.lower[index + 1 : index + 2])
    return sentence.lower[index] in CURRENCIES and next_word[:1].isdigit()


def _begins_other_name(sentence: Sentence, first_index: int, index: int) -> bool:
    """Return whether another name begins with this word: "Oracle CEO Larry Ellison" contains a company and
    a person, "the United States Dick Cheney" a place and a person.
    """
    lower_words = sentence.lower
    if lower_words[index] in ROLES and lower_words[index] not in ("secretary", "president"):
        return True
    if _begins_amount(sentence, index):
        return True
    if index + 1 >= len(lower_words) or not (
        lower_words[index] in FIRST_NAMES or lower_words[index] in GIVEN_NAMES
    ):
        return False
    return " ".join(lower_words[first_index:index]) in PLACE_NAMES and sentence.words[index + 1][0].isupper()


def find_name_end(sentence: Sentence, first_index: int, document_words: DocumentWords) -> int:
    """Return the end (exclusive) of the name that begins at `first_index`."""
    end_before_acronym = find_end_before_acronym(sentence, first_index)
    if end_before_acronym is not None:
        return end_before_acronym
    words, lower_words, starts, ends = sentence.words, sentence.lower, sentence.starts, sentence.ends
    index = first_index + 1
    while index < len(words) and index - first_index <= MAX_NAME_WORDS * 2:
        if (
            index - first_index > 1
            and KIND_OF.get(lower_words[first_index], "Person") != "Person"
            and len(words[index - 1]) == 2
            and words[index - 1][1] == "."
        ):
            return index  # "System R. DB2 came later": the letter is not an initial
        is_adjacent = starts[index] - ends[index - 1] <= 1
        if is_adjacent and words[index][0].isalnum() and is_capital(words[index], document_words):
            if _begins_other_name(sentence, first_index, index):
                return index
            index += 1
            continue
        belongs_to_name = _is_number_of_name(sentence, first_index, index) if is_adjacent else None
        if belongs_to_name is not None:
            if belongs_to_name:
                index += 1
            if not belongs_to_name or words[index : index + 1] == [words[index - 1]]:
                return index
            continue
        word_count = _count_words_of_mark_within_name(
            sentence, first_index, index, document_words
        ) or _count_connector_words(sentence, first_index, index, document_words)
        word_count = word_count or _count_words_joined_by_and(sentence, first_index, index, document_words)
        if not word_count:
            return index
        index += word_count
    return index
