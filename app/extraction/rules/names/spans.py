"""The names of a sentence: runs of words that look like names, by their capitals and the words between
them.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.char_range import CharRange
from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS
from app.extraction.rules.document_words import DocumentWords
from app.extraction.rules.english.gazetteers import CITIES, FIRST_LEVEL_REGIONS, ORDINARY_WORDS
from app.extraction.rules.english.grammar import (
    BE,
    FORMS_OF_HAVE,
    POSSESSIVE_DETERMINERS,
    POSSESSIVES,
    PREPOSITIONS,
)
from app.extraction.rules.english.kind_votes import PLACE_PREPOSITIONS
from app.extraction.rules.english.lexicon import (
    DEMONYMS,
    FIRM_VERBS,
    GIVEN_NAMES,
    HONORIFICS,
    KIND_OF,
    KIND_OF_HEAD,
    LEGAL_TAILS,
    NUMBERED_NOUNS,
    PLACE_NAMES,
    PLACES,
    ROLES,
    SENTENCE_STARTERS,
    SUBJECT_VERBS,
    WORDS_BEFORE_VERB,
    WORDS_NEVER_A_NAME,
    WORDS_NOT_A_NAME,
)
from app.extraction.rules.english.name_words import (
    ADJECTIVE_ENDS,
    ADJECTIVE_PREFIXES,
    CAPITALISED_WORDS_OF_NO_NAME,
    COMPASS_POINTS,
    COMPOUND_ADJECTIVE,
    LANGUAGES,
    NATIONAL_ADJECTIVES,
    WORDS_OF_OFFICES,
)
from app.extraction.rules.english.nations import REGIONS
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD
from app.extraction.rules.names.extent import MAX_NAME_WORDS, begins_name, find_name_end
from app.extraction.rules.names.offices import (
    find_end_before_office,
    find_name_after_occupation,
    find_name_after_place_of_office,
    is_first_name,
    is_office_or_address,
    is_portfolio,
)
from app.extraction.rules.names.quoted import find_quoted_titles
from app.extraction.rules.names.reader_names import (
    ReaderName,
    find_name_after_title,
    is_part_of_title,
    is_word_before_name,
)
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.extraction.rules.topic import is_topic_in_other_form
from app.graph.names import MONTHS_AND_DAYS, is_roman_numeral

_VERSION = re.compile(r"v?\d+(?:\.\d+)+|v\d+")
# "2ndQuadrant", "3Com", but no quantity such as "10GB".


_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th|d)")
_WORDS_BETWEEN_NAMES = (PREPOSITIONS - {"for"}) | {"and"}
"""Small words that seldom have a capital within a name."""
_SHARES = ("%", "‰")
_MAX_PLACE_WORDS = 4
_MAX_UNIT_LENGTH = 2
"""Number of letters of "kg"; a mark has one."""


@dataclass(frozen=True, slots=True)
class Span:
    """Words `first` to `last` (exclusive) of a sentence that look like a name; a `is_weak` one needs other
    evidence.
    """

    first: int
    last: int
    is_weak: bool = False


def _opens_sentence_bracket_or_quotation(sentence: Sentence, index: int) -> bool:
    """Return whether the word opens the sentence, a bracket or a quotation; a time may precede it."""
    index_before = index - 1
    while index_before >= 0 and not sentence.words[index_before][0].isalpha():
        if sentence.words[index_before] in (",", ";", ")", "'s"):
            return False
        if sentence.words[index_before] in (":", ".", "?", "!", "—", "–", "•", "|"):
            return True
        index_before -= 1
    return index_before < 0


def _skip_sentence_opener(
    sentence: Sentence, first_index: int, end_index: int, document_words: DocumentWords
) -> int:
    """Return the first word of the name, skipping an ordinary word that opens the sentence."""
    lower_words = sentence.lower
    if tuple(
        sentence.words[first_index : min(first_index + 2, end_index)]
    ) in document_words.name_starts or _begins_with_known_place(lower_words, first_index, end_index):
        return first_index
    if not _opens_sentence_bracket_or_quotation(sentence, first_index):
        while first_index < end_index and (
            lower_words[first_index] in PRONOUNS
            or (
                lower_words[first_index] in STOP_WORDS
                and lower_words[first_index] != "the"
                and not (
                    lower_words[first_index] in GIVEN_NAMES and first_index + 1 < end_index
                )  # "Will Smith"
            )
        ):
            first_index += 1
        return first_index
    if (
        lower_words[first_index] == "the"
        and first_index + 2 < end_index
        and lower_words[first_index + 1] not in STOP_WORDS
    ):
        return first_index + 1  # "The Open Software Foundation": after an article every capital counts
    while first_index < end_index and (
        # "Jan" is a month, but a first name before a surname.
        (
            lower_words[first_index] in SENTENCE_STARTERS
            and not (lower_words[first_index] in GIVEN_NAMES and first_index + 1 < end_index)
        )
        or (
            first_index + 1 < end_index
            and lower_words[first_index] in document_words.lower_case_words
            and sentence.words[first_index] not in document_words.capitalised_words
        )
    ):
        first_index = _find_index_after_date(lower_words, first_index + 1, end_index)
    return first_index


def _begins_with_known_place(lower_words: list[str], first_index: int, end_index: int) -> bool:
    """Return whether two or more of these words, from the first on, are the name of a known place: "New Delhi
    police", other than "New Acme products".
    """
    return any(
        " ".join(lower_words[first_index:index]) in places
        for index in range(first_index + 2, min(first_index + _MAX_PLACE_WORDS, end_index) + 1)
        for places in (PLACE_NAMES, REGIONS, CITIES, FIRST_LEVEL_REGIONS)
    )


def _find_index_after_date(lower_words: list[str], first_index: int, end_index: int) -> int:
    """Return the index after a day and its month, with which a run of capitals begins: "On 3 May Acme"."""
    words = lower_words[first_index : min(first_index + 2, end_index)]
    is_date = len(words) > 1 and words[0].isdigit() and words[1] in MONTHS_AND_DAYS
    return first_index + 2 if is_date else first_index


def _find_index_after_adjective_of_place(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return the index after a compound with a place before a name: "Oslo-based Kern Ltd"."""
    place, _, second_part = word_at(sentence.words, first_index).partition("-")
    is_adjective = (
        end_index - first_index > 1
        and second_part.islower()
        and COMPOUND_ADJECTIVE.fullmatch(sentence.lower[first_index]) is not None
        and (place.lower() in PLACES or place.lower() in CITIES or place.lower() in PLACE_NAMES)
    )
    return first_index + is_adjective


def _find_index_after_roles(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return the index of the first word after roles and titles: "Governor Jay Inslee" is Jay Inslee, but
    "King Louie" is kept.
    """
    lower_words = sentence.lower
    while end_index - first_index > 1:
        word, next_word = lower_words[first_index], lower_words[first_index + 1]
        is_person_name = next_word in GIVEN_NAMES or sentence.words[first_index + 1][1:2] == "."
        if word.rstrip(".") in ("saint", "st"):
            return first_index
        if word.rstrip(".") in HONORIFICS:
            is_regnal = is_roman_numeral(lower_words[end_index - 1]) and end_index - first_index > 2
            if (
                end_index - first_index < 3
                or not (is_person_name or is_regnal)
                or lower_words[end_index - 1] in KIND_OF
            ):
                return first_index
        elif word in DEMONYMS:
            # "American MTV" is MTV.
            is_acronym_name = (
                end_index - first_index == 2
                and next_word not in WORDS_NOT_A_NAME
                and sentence.words[first_index + 1].isupper()
            )
            is_person_name = is_person_name and lower_words[end_index - 1] not in KIND_OF
            if not (is_person_name or is_acronym_name or next_word in ROLES or next_word in HONORIFICS):
                return first_index
        elif word not in ROLES:
            return first_index
        first_index += 1
    return first_index


def _is_name_at_sentence_start(sentence: Sentence, index: int, document_words: DocumentWords) -> bool:
    """Return whether a single capitalised word at the beginning of a sentence is a name, not an ordinary
    word.
    """
    word, lower_word = sentence.words[index], sentence.lower[index]
    if lower_word in SENTENCE_STARTERS:
        return False
    if (
        word in document_words.capitalised_words
        or word in document_words.kind_by_code_word
        or not word[1:].islower()
    ):
        return True
    if lower_word in document_words.lower_case_words or lower_word in KIND_OF:
        return False
    next_index = index + 1
    if (
        _VERSION.fullmatch("".join(sentence.lower[next_index : next_index + 1]))
        and lower_word not in NUMBERED_NOUNS
    ):
        next_index += 1  # "Fluxo 4.0 drops", but not "Section 4.2 describes"
    while sentence.lower[next_index : next_index + 1] and sentence.lower[next_index] in WORDS_BEFORE_VERB:
        next_index += 1
    next_word = word_at(sentence.lower, next_index)
    # "On-call engineer Ann Lee": the compound describes the role.
    is_compound = "-" in word and next_word in ROLES
    if is_compound or lower_word.endswith(("ing", "ly", "tion", "ness", "ment", "ed")):
        return False
    return (
        next_word in SUBJECT_VERBS
        or next_word in ROLES
        or next_word in PATTERNS_BY_FIRST_WORD
        or next_word in FIRM_VERBS
        or next_word in ("'s", "’s", "(", ",", "and")
        or next_word.endswith("ed")
    )


def _are_nearly_all_words_capitalised(sentence: Sentence) -> bool:
    """Return whether nearly all words of a line are capitalised, so that its capitals are not evidence."""
    if sentence.words[-1] in (".", "!", "?"):
        return False
    wordlike_words = [word for word in sentence.words[:200] if word[0].isalpha() and word not in STOP_WORDS]
    return bool(wordlike_words) and sum(word[0].isupper() for word in wordlike_words) >= 0.8 * len(
        wordlike_words
    )


def get_character_range_of_span(sentence: Sentence, span: Span) -> CharRange:
    """Return the character range of a span, without the full stop after a final single letter ("System
    R.").
    """
    last_word = sentence.words[span.last - 1]
    has_full_stop = span.last - span.first > 1 and len(last_word) == 2 and last_word[1] == "."
    return sentence.starts[span.first], sentence.ends[span.last - 1] - has_full_stop


@dataclass(frozen=True, slots=True)
class _LineStyle:
    """Typographic properties of a line, which decide whether its capitals are evidence.

    `is_heading`: nearly all words are capitalised, or the line is a table row. `is_upper_case`: whole words
    are in capitals. `is_closed`: a full stop or another mark ends it.
    """

    is_heading: bool
    is_upper_case: bool
    is_closed: bool


def _classify_line_style(sentence: Sentence) -> _LineStyle:
    words = sentence.words
    return _LineStyle(
        # Table cells contain a few capitalised words each.
        _are_nearly_all_words_capitalised(sentence) or "|" in words,
        sum(map(str.isupper, words)) > 0.6 * len(words) and len(words) > 3,
        not words[-1].isalnum() and words[-1] not in ("=", "-", "#"),
    )


def _find_title_span(
    sentence: Sentence, index: int, document_words: DocumentWords, line_style: _LineStyle
) -> Span | None:
    """Return the document's title as a span if the sentence contains it at `index`, else None."""
    title_words, words, lower_words = document_words.title_words, sentence.words, sentence.lower
    end = index + len(title_words)
    if tuple(lower_words[index:end]) != title_words:
        return _find_first_part_of_title(sentence, index, document_words)
    next_word = word_at(lower_words, end)
    is_exact = len(title_words) > 1 and next_word.rstrip(".") not in LEGAL_TAILS
    if (
        is_exact
        and end < len(lower_words)
        and words[end].istitle()
        and sentence.starts[end] - sentence.ends[end - 1] == 1
    ):
        # The rest of a name ("Antonio Pujol Jiménez") or a different name ("New York Times").
        longer_end = find_name_end(sentence, index, document_words)
        is_topic = document_words.topic is not None and is_topic_in_other_form(
            document_words.topic, lower_words[index:longer_end]
        )
        is_exact = longer_end <= end or not (is_topic or next_word in KIND_OF or next_word in KIND_OF_HEAD)
    return Span(
        index,
        end if is_exact else max(end, find_name_end(sentence, end - 1, document_words)),
        is_weak=line_style.is_heading,
    )


def _find_first_part_of_title(sentence: Sentence, index: int, document_words: DocumentWords) -> Span | None:
    """Return the first part of a place's title if the sentence is about it, else None: "Young has" of
    "Young, Victoria".
    """
    if (
        document_words.topic is None
        or document_words.topic.kind != "Location"
        or "," not in document_words.title_words
    ):
        return None
    title_words = document_words.title_words[: document_words.title_words.index(",")]
    end = index + len(title_words)
    if tuple(sentence.lower[index:end]) != title_words or not sentence.words[index][0].isupper():
        return None
    return (
        Span(index, end)
        if "".join(sentence.lower[end : end + 1]) in BE | FORMS_OF_HAVE | POSSESSIVES
        else None
    )


def _find_end_before_title(
    sentence: Sentence, index: int, end: int, document_words: DocumentWords, line_style: _LineStyle
) -> int:
    """Return where a run of capitals ends because the document's title begins within it: "The Five Pieces for
    Orchestra".

    A short title may be part of another name ("University of Iowa").
    """
    if len(document_words.title_words) > 2 or (document_words.title_words and sentence.lower[index] == "the"):
        search_end = end if len(document_words.title_words) > 2 else min(end, index + 2)
        for title_start in range(index + 1, search_end):
            is_inside_name = title_start - 1 > index and sentence.lower[title_start - 1] in STOP_WORDS
            if (
                not is_inside_name
                and sentence.lower[title_start] == document_words.title_words[0]
                and _find_title_span(sentence, title_start, document_words, line_style)
            ):
                return title_start
    return end


def _is_ordinary_word(written_word: str, document_words: DocumentWords) -> bool:
    """Return whether a word is an ordinary word, or a plural noun for a kind of thing: "Ceremonies",
    "Lakes".
    """
    word = written_word.lower()
    if (
        word in document_words.kind_by_code_word
        or written_word.isupper()
        or (len(document_words.title_words) == 1 and word == document_words.title_words[0])
    ):
        return False
    return word in ORDINARY_WORDS or (KIND_OF_HEAD.get(word) == "Location" and word.endswith("s"))


def _does_capitalised_word_name_nothing(
    sentence: Sentence, index: int, document_words: DocumentWords, line_style: _LineStyle
) -> bool:
    """Return whether a single capitalised word names nothing."""
    word, lower_word = sentence.words[index], sentence.lower[index]
    bare_word = lower_word.rstrip(".")
    return not _is_head_of_address(sentence, index) and (
        line_style.is_upper_case
        or len(bare_word) < 2
        or bare_word in WORDS_NOT_A_NAME
        or lower_word in WORDS_NEVER_A_NAME
        or lower_word in CAPITALISED_WORDS_OF_NO_NAME
        or lower_word.rpartition("-")[2] in ROLES  # "Co-author"
        or _is_ordinary_word(word, document_words)
        or (
            _opens_sentence_bracket_or_quotation(sentence, index)
            and not _is_name_at_sentence_start(sentence, index, document_words)
        )
        or (lower_word in SENTENCE_STARTERS and lower_word != "us")
        or (is_roman_numeral(bare_word) and word.isupper() and len(bare_word) < 5)
    )


def _is_head_of_address(sentence: Sentence, index: int) -> bool:
    """Return whether a single capitalised word begins an address, whatever else it means: "in Young, New
    South Wales".
    """
    lower_words = sentence.lower
    if (
        index == 0
        or lower_words[index - 1] not in PLACE_PREPOSITIONS
        or lower_words[index + 1 : index + 2] != [","]
    ):
        return False
    following_phrases = {
        " ".join(lower_words[index + 2 : index + 2 + word_count]) for word_count in (1, 2, 3)
    }
    return not following_phrases.isdisjoint(REGIONS) or not following_phrases.isdisjoint(PLACE_NAMES)


def _are_adjectives(words: list[str]) -> bool:
    """Return whether all words are adjectives of nationality, or small words of a description with one."""
    return all(
        word in NATIONAL_ADJECTIVES
        or (index > 0 and (word in CAPITALISED_WORDS_OF_NO_NAME or word in WORDS_NOT_A_NAME))
        or (index < len(words) - 1 and (word in COMPASS_POINTS or word in ADJECTIVE_PREFIXES))
        for index, word in enumerate(words)
    )


def _is_run_of_adjectives(sentence: Sentence, first_index: int, end_index: int) -> bool:
    """Return whether only adjectives are capitalised: "a South Korean band", "Olympic skiing", "a
    Baltimore-based group".
    """
    lower_words = sentence.lower
    if all(word in WORDS_OF_OFFICES for word in lower_words[first_index:end_index]):
        return True
    if end_index - first_index > 1 and lower_words[end_index - 1] in LANGUAGES:
        end_index -= 1
    if _are_adjectives(lower_words[first_index:end_index]) or COMPOUND_ADJECTIVE.fullmatch(
        lower_words[end_index - 1]
    ):
        return True
    if end_index - first_index > 1:
        return False
    next_word = word_at(sentence.words, end_index)
    return (
        lower_words[first_index].endswith(ADJECTIVE_ENDS)
        and sentence.words[first_index][1:].islower()
        and next_word.isalpha()
        and next_word.islower()
        and next_word not in STOP_WORDS
        and next_word not in SUBJECT_VERBS
        and next_word not in PATTERNS_BY_FIRST_WORD
        and not next_word.endswith(("ed", "ly"))
    )


def _find_end_before_date(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return the end of a name before a date or "No.": "Montserrat 1 May 1974", "Province No. 1"."""
    words, lower_words = sentence.words, sentence.lower
    next_words = words[end_index : end_index + 2]
    if (
        end_index - first_index > 1
        and words[end_index - 1].isdigit()
        and lower_words[end_index - 2].endswith("s")
        and next_words
    ):
        # "Terminals 1, 2 and 3" are several.
        return first_index if next_words[0] in (",", "and") and next_words[-1].isdigit() else end_index
    if end_index - first_index > 1 and lower_words[end_index - 1] in ("member", "members"):
        return end_index - 1  # "Liberal Unionist Member of Parliament"
    if (
        end_index - first_index > 1
        and lower_words[end_index - 1] == "no"
        and next_words[:1] == ["."]
        and next_words[-1].isdigit()
    ):
        return end_index - 1
    if (
        end_index - first_index < 2
        or lower_words[end_index - 1] not in MONTHS_AND_DAYS
        or not (next_words and next_words[0].isdigit())
    ):
        return end_index
    end_index -= 1
    return end_index - 1 if end_index - first_index > 1 and words[end_index - 1].isdigit() else end_index


def _find_end_before_weekday(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return the end of a name before the day of a date: "Ann Lee Wednesday, September 19"."""
    lower_words = sentence.lower
    has_weekday = (
        end_index - first_index > 1
        and lower_words[end_index - 1] in MONTHS_AND_DAYS
        and word_at(lower_words, end_index) == ","
        and word_at(lower_words, end_index + 1) in MONTHS_AND_DAYS
    )
    return end_index - has_weekday


def _find_end_before_quantity(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return the end of a name before a number with a percent, degree or currency sign: "Ann Lee 50 %"."""
    sign = word_at(sentence.words, end_index, " ")
    has_quantity = (
        end_index - first_index > 1
        and sentence.words[end_index - 1][0].isdigit()
        and (sign in _SHARES or unicodedata.category(sign[0]) in ("Sc", "So"))
    )
    return end_index - has_quantity


def _begins_name_of_person(sentence: Sentence, index: int, reader_name: ReaderName | None) -> bool:
    """Return whether the word is surely the first one of a person's name, though it may be an ordinary word:
    "by Ingrid Halden and Per Solberg", "met May Chen". At the opening any word has a capital, but no month
    without a number stands there ("Jun Sato leaves").
    """
    return (
        reader_name is not None
        and reader_name.first == index
        and reader_name.is_person
        and (
            sentence.lower[index] in MONTHS_AND_DAYS
            or not _opens_sentence_bracket_or_quotation(sentence, index)
        )
    )


def _find_start_of_numbered_body(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return the index of the ordinal before the name of a body, "the 23rd Infantry Division"; `first_index`
    without one. The day of a date is none.
    """
    if first_index >= end_index:
        return first_index
    lower_words = sentence.lower
    last_word = lower_words[end_index - 1]
    is_body = "Organization" in (KIND_OF.get(last_word), KIND_OF_HEAD.get(last_word))
    is_numbered = (
        is_body
        and _ORDINAL.fullmatch(word_at(lower_words, first_index - 1)) is not None
        and word_at(lower_words, first_index - 2) not in MONTHS_AND_DAYS
    )
    return first_index - is_numbered


WordRange = tuple[int, int]
"""Index of the first word, and the index after the last one."""


def _find_name_within_run(
    sentence: Sentence,
    first_index: int,
    end_index: int,
    document_words: DocumentWords,
    reader_names: Mapping[int, ReaderName],
) -> WordRange:
    """Return the name in a run of capitals, without sentence openers, roles before it and pronouns after
    it.
    """
    if _opens_sentence_bracket_or_quotation(sentence, first_index) and is_word_before_name(
        sentence, first_index, end_index, reader_names
    ):
        first_index += 1
    if not _begins_name_of_person(sentence, first_index, reader_names.get(end_index)):
        first_index = _skip_sentence_opener(sentence, first_index, end_index, document_words)
    first_index = _find_index_after_adjective_of_place(sentence, first_index, end_index)
    first_index = find_name_after_occupation(sentence, first_index, end_index)
    first_index = _find_index_after_roles(sentence, first_index, end_index)
    first_index = find_name_after_title(
        sentence, first_index, end_index, reader_names, document_words.titles_of_people
    )
    end_index = _find_end_before_quantity(sentence, first_index, end_index)
    end_index = _find_end_before_date(sentence, first_index, end_index)
    end_index = _find_end_before_weekday(sentence, first_index, end_index)
    end_index = find_end_before_office(sentence, first_index, end_index)
    while end_index > first_index and sentence.lower[end_index - 1] in PRONOUNS:
        if sentence.words[end_index - 1] in ("I", "One") and end_index - first_index > 1:
            break  # after a name it is a number
        end_index -= 1
    return _find_start_of_numbered_body(sentence, first_index, end_index), end_index


def _has_too_many_words_for_name(words: list[str]) -> bool:
    """Return whether these are more words than a name may have, not counting marks."""
    return len(words) > MAX_NAME_WORDS and sum(word[0].isalnum() for word in words) > MAX_NAME_WORDS


def _is_verb_with_amount(sentence: Sentence, first_index: int, end_index: int) -> bool:
    """Return whether a word and a number open a sentence without a verb behind them: "Melt 150 g of butter.",
    "Serves 8."
    """
    next_word = word_at(sentence.lower, end_index, ".")
    is_unit = (
        len(next_word) <= _MAX_UNIT_LENGTH and next_word not in STOP_WORDS and next_word not in SUBJECT_VERBS
    )
    return (
        end_index - first_index == 2
        and sentence.words[first_index + 1].isdigit()
        and is_unit
        and _opens_sentence_bracket_or_quotation(sentence, first_index)
    )


def _find_index_after_no_name(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return the index after a run of capitals that is too long for a name, or after the office with which it
    begins: "Chief Operating Officer of"; else `first_index`.
    """
    lower_words = sentence.lower
    if _has_too_many_words_for_name(sentence.words[first_index:end_index]):
        return end_index
    if lower_words[first_index] not in ROLES:
        return first_index
    office_end = (
        lower_words.index("of", first_index, end_index)
        if "of" in lower_words[first_index:end_index]
        else end_index
    )
    words_within = lower_words[first_index + 1 : office_end - 1]
    is_office = bool(words_within) and lower_words[office_end - 1] in WORDS_OF_OFFICES
    if not is_office or any(map(is_first_name, words_within)):
        return first_index
    return min(office_end + 1, end_index)


def _is_possessed_role(sentence: Sentence, first_index: int, end_index: int) -> bool:
    """Return whether capitals are what somebody is to the writer: "Ann Lee, our Financial Controller,"."""
    lower_words = sentence.lower
    return (
        first_index > 2
        and lower_words[first_index - 1] in POSSESSIVE_DETERMINERS
        and lower_words[first_index - 2] == ","
        and sentence.words[first_index - 3][0].isupper()
        and word_at(lower_words, end_index) in (",", ".")
    )


def _find_end_before_small_word(sentence: Sentence, first_index: int, end_index: int) -> int:
    """Return where a run of capitals in a heading ends before a small word, which has a capital there as
    well: "Interviews With Ann Lee And Acme".
    """
    return next(
        (
            index
            for index in range(first_index + 1, end_index)
            if sentence.lower[index] in _WORDS_BETWEEN_NAMES and sentence.words[index][0].isupper()
        ),
        end_index,
    )


def _find_end_of_run(
    sentence: Sentence, index: int, document_words: DocumentWords, line_style: _LineStyle
) -> int:
    """Return the end of a run of capitals, before the document's title and a heading's small words."""
    end = find_name_end(sentence, index, document_words)
    end = _find_end_before_title(sentence, index, end, document_words, line_style)
    if line_style.is_heading and not line_style.is_upper_case:
        end = _find_end_before_small_word(sentence, index, end)
    return end


def _are_capitals_no_name(
    sentence: Sentence,
    first_index: int,
    end_index: int,
    line_style: _LineStyle,
    reader_names: Mapping[int, ReaderName],
) -> bool:
    """Return whether capitalised words are adjectives, a verb with an amount, or a part of a title."""
    return (
        _is_run_of_adjectives(sentence, first_index, end_index)
        or (line_style.is_closed and _is_verb_with_amount(sentence, first_index, end_index))
        or is_part_of_title(sentence, first_index, end_index, reader_names)
        or _is_possessed_role(sentence, first_index, end_index)
        or is_office_or_address(sentence, first_index, end_index)
        or _is_counter(sentence, first_index, end_index)
    )


def _is_counter(sentence: Sentence, first_index: int, end_index: int) -> bool:
    """Return whether a word and a number count something: "Item 1 of 3", "Photo 2 of 10"."""
    number_index = end_index - 1 if sentence.words[end_index - 1].isdigit() else end_index
    return (
        number_index - first_index == 1
        and word_at(sentence.words, number_index).isdigit()
        and word_at(sentence.lower, number_index + 1) == "of"
        and word_at(sentence.words, number_index + 2).isdigit()
    )


def find_spans(
    sentence: Sentence, document_words: DocumentWords, reader_names: Mapping[int, ReaderName]
) -> list[Span]:
    """Return the runs of words in one sentence that look like names, in order, without overlap.

    `reader_names` are the names that the reader finds in it, by their ends.
    """
    words = sentence.words
    spans: list[Span] = []
    line_style = _classify_line_style(sentence)
    first_title_word = document_words.title_words[0] if document_words.title_words else None
    quoted_titles = find_quoted_titles(sentence)
    index = 0
    portfolio_end = -1
    while index < len(words):
        title_span = (
            _find_title_span(sentence, index, document_words, line_style)
            if sentence.lower[index] == first_title_word
            else None
        )
        if title_span is not None:
            spans.append(title_span)
            index = title_span.last
            continue
        if index in quoted_titles:
            spans.append(
                Span(index, quoted_titles[index], is_weak=line_style.is_heading or line_style.is_upper_case)
            )
            index = quoted_titles[index]
            continue
        if not begins_name(sentence, index, document_words):
            index += 1
            continue
        end = _find_end_of_run(sentence, index, document_words, line_style)
        index_after_no_name = _find_index_after_no_name(sentence, index, end)
        if index_after_no_name > index:
            index = index_after_no_name
            continue
        name_start, name_end = _find_name_within_run(sentence, index, end, document_words, reader_names)
        index = max(name_end, index + 1)
        if name_start < name_end and is_portfolio(sentence, name_start, name_end, portfolio_end):
            portfolio_end = name_end
            continue
        is_single_word = name_end - name_start == 1
        if name_start >= name_end or (
            is_single_word
            and _does_capitalised_word_name_nothing(sentence, name_start, document_words, line_style)
        ):
            continue
        if _are_capitals_no_name(sentence, name_start, name_end, line_style, reader_names):
            continue
        place_start, name_start = name_start, find_name_after_place_of_office(sentence, name_start, name_end)
        spans.extend([Span(place_start, name_start)] * (name_start > place_start))
        # "Customers and products": the only capital of a fragment is not evidence.
        is_lone_capital = (
            is_single_word
            and not line_style.is_closed
            and _opens_sentence_bracket_or_quotation(sentence, name_start)
            and words[name_start][1:].islower()
        )
        spans.append(
            Span(
                name_start,
                name_end,
                is_weak=line_style.is_heading or line_style.is_upper_case or is_lone_capital,
            )
        )
    return spans
