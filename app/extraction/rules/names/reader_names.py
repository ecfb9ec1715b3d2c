"""Names of people, groups and places that the trained reader finds, and the titles it leaves out of them.

The rules see a run of capitals; the reader knows from the sentence that "Town Clerk" in "Town Clerk David
Poole" is no part of the name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from app.domain.char_range import CharRange
from app.extraction.reader.languages import load_pipeline
from app.extraction.rules.english.gazetteers import CITIES, FIRST_NAMES
from app.extraction.rules.english.kind_votes import PLACE_PREPOSITIONS
from app.extraction.rules.english.lexicon import (
    COMPANIES,
    GIVEN_NAMES,
    HONORIFICS,
    KIND_OF,
    KIND_OF_HEAD,
    PLACE_NAMES,
    PLACES,
    ROLES,
    SENTENCE_STARTERS,
    SUBJECT_VERBS,
    TECHNOLOGIES,
    WORDS_NEVER_A_NAME,
)
from app.extraction.rules.english.name_words import FAMILY_AND_ROYALTY, NOBILITY
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD
from app.extraction.rules.english.words.gender_titles import TITLES_OF_MEN, TITLES_OF_WOMEN
from app.extraction.rules.sentences import Sentence, read_sentences
from app.extraction.rules.tokens import word_at
from app.graph.names import MONTHS_AND_DAYS, is_roman_numeral

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Pipeline, ReadWords

MIN_KIND_PROBABILITY = 0.97
"""Minimum probability of the kind of a name that the rules leave open.

On 100 documents of Re-DocRED (dev) 52 of 55 such kinds are right, and 81 of 126 with less.
"""
MIN_NAME_PROBABILITY = 0.9
"""Minimum probability of a person's name behind a title, of its words and of its kind."""
_FAMILY_WORDS_IN_NAMES = (FAMILY_AND_ROYALTY - HONORIFICS) | {"saint", "st"}
"""Words for people that are a part of the name behind them."""
ENTRY_SEPARATORS = frozenset((",", "–", "—", "-", "(", ":"))
"""Marks between the name or label of a line and what the line says of it."""
_MAX_LABEL_WORDS = 8
"""Number of words within which the name or label of a line ends."""
_PERSON = "Person"
_FORMS_OF_ADDRESS = (TITLES_OF_MEN | TITLES_OF_WOMEN) - NOBILITY - KIND_OF.keys()
"""Words between a title and a name: "Mrs", "Sir"."""
_KIND_BY_TAG = {"PER": _PERSON, "ORG": "Organization", "LOC": "Location"}


class ReaderName(NamedTuple):
    """Words `first` to `last` (exclusive) of a sentence that are a name to the reader.

    `probability` is that of its words being a name, `kinds` are the probabilities of its kinds, if they are
    known. `tag_before` is the part of speech of a capitalised word that opens the sentence before it.
    """

    first: int
    last: int
    probability: float
    kinds: dict[str, float]
    tag_before: str | None = None

    @property
    def is_person(self) -> bool:
        """Return whether it is surely a person's name."""
        return min(self.probability, self.kinds.get(_PERSON, 0.0)) >= MIN_NAME_PROBABILITY


def read_names(
    sentences: Sequence[tuple[str, Sentence]], pipeline: "Pipeline"
) -> list[dict[int, ReaderName]]:
    """Return the names in each sentence of a text by their ends; all are read as one batch.

    Sentences whose names the rules know by their words alone are not read.
    """
    ranges_by_sentence = [
        pipeline.split_into_tokens(text, sentence.start, sentence.end)
        if _has_name_of_undecided_kind(sentence)
        else []
        for text, sentence in sentences
    ]
    readings = pipeline.encode_and_tag_names(
        [
            [text[start:end] for start, end in token_ranges]
            for (text, _), token_ranges in zip(sentences, ranges_by_sentence, strict=True)
            if token_ranges
        ]
    )
    return [
        {
            name.last: name
            for name in (
                _list_names(sentence, token_ranges, next(readings), pipeline) if token_ranges else ()
            )
        }
        for (_, sentence), token_ranges in zip(sentences, ranges_by_sentence, strict=True)
    ]


def _has_name_of_undecided_kind(sentence: Sentence) -> bool:
    """Return whether the words of a name in the sentence do not show its kind, or a title before it."""
    if sentence.is_outside_prose:
        # Of lists, people with a role or behind a label are read.
        return not ENTRY_SEPARATORS.isdisjoint(sentence.words[:_MAX_LABEL_WORDS])
    run_start = -1
    for index, word in enumerate((*sentence.words, ".")):
        if word[0].isupper():
            run_start = index if run_start < 0 else run_start
        elif run_start >= 0:
            # "Jun Sato leaves" begins with a first name.
            is_starter = sentence.lower[0] in SENTENCE_STARTERS and sentence.lower[0] not in MONTHS_AND_DAYS
            name_start = run_start + (run_start == 0 and is_starter)
            if name_start < index and _is_kind_undecided(sentence.lower, name_start, index):
                return True
            run_start = -1
    return False


def _is_kind_undecided(lower_words: Sequence[str], name_start: int, name_end: int) -> bool:
    if name_end - name_start == 1:
        # The reader knows single words only as places, behind a preposition.
        return (
            word_at(lower_words, name_start - 1) in PLACE_PREPOSITIONS
            and lower_words[name_start] not in PLACES
            and lower_words[name_start] not in CITIES
            and lower_words[name_start] not in WORDS_NEVER_A_NAME
            and lower_words[name_start] not in MONTHS_AND_DAYS
            and lower_words[name_start] not in TECHNOLOGIES
            and lower_words[name_start] not in COMPANIES
        )
    last_word = lower_words[name_end - 1].rstrip(".")
    is_known = (
        lower_words[name_start] in FIRST_NAMES
        or lower_words[name_start] in GIVEN_NAMES
        or last_word in KIND_OF
        or last_word in KIND_OF_HEAD
        or len(last_word) == 1
        or " ".join(lower_words[name_start:name_end]) in PLACE_NAMES
    )
    return not is_known


def _list_names(
    sentence: Sentence, token_ranges: Sequence[CharRange], reading: "ReadWords", pipeline: "Pipeline"
) -> Iterator[ReaderName]:
    """Yield the names that consist of whole words of the sentence; the reader also cuts within words."""
    word_by_start = {start: index for index, start in enumerate(sentence.starts)}
    end_word_by_end = {end: index + 1 for index, end in enumerate(sentence.ends)}
    for name in pipeline.find_names(reading):
        first, last = (
            word_by_start.get(token_ranges[name.first][0]),
            end_word_by_end.get(token_ranges[name.last - 1][1]),
        )
        if first is not None and last is not None:
            # The reader knows single words only as places.
            has_open_kind = name.last - name.first > 1 or reading.best_tags[name.first].endswith("LOC")
            kinds = pipeline.guess_name_types(reading, name.first, name.last) if has_open_kind else {}
            is_second_word = first == 1 and sentence.words[0][0].isupper()
            yield ReaderName(
                first,
                last,
                name.confidence,
                {kind: kinds[tag] for tag, kind in _KIND_BY_TAG.items() if kinds},
                pipeline.tag_parts_of_speech(reading, frozenset()).tags[name.first - 1]
                if is_second_word
                else None,
            )


def find_name_after_title(
    sentence: Sentence,
    first_index: int,
    end_index: int,
    names: Mapping[int, ReaderName],
    titles: frozenset[str],
) -> int:
    """Return the index of a person's name behind a title in a run of capitals: "Town Clerk David Poole".

    The reader finds the person at the end of the run, or the title is one of the document's `titles`, words
    that `list_titles` found elsewhere ("Councillor Finch"). `names` are those of the sentence by their ends.
    Returns `first_index` if there is no title.
    """
    name = names.get(end_index)
    if name is not None and name.last - name.first > 1:
        # "Harbour Master Mrs Ada Quist"
        is_after_address = sentence.lower[name.first - 1].rstrip(".") in _FORMS_OF_ADDRESS
        if (
            first_index < name.first
            and (name.is_person or is_after_address)
            and _can_be_title(sentence, first_index, name.first)
        ):
            return name.first
        # "Chef Paola Conti" is a person to the reader with the noun for one.
        if (
            name.first == first_index
            and name.last - name.first > 2
            and name.kinds.get(_PERSON, 0.0) >= MIN_NAME_PROBABILITY
            and _is_noun_of_person(sentence.lower[first_index])
            and not is_roman_numeral(sentence.lower[end_index - 1])
        ):
            return first_index + 1
    return next(
        (
            index
            for index in range(end_index - 1, first_index, -1)
            if _to_singular(sentence.lower[index - 1]) in titles
            and _can_be_title(sentence, first_index, index)
        ),
        first_index,
    )


def _is_noun_of_person(word: str) -> bool:
    is_noun = KIND_OF.get(word) == _PERSON or word in ROLES or word in HONORIFICS
    return is_noun and word not in FAMILY_AND_ROYALTY


def is_word_before_name(
    sentence: Sentence, first_index: int, end_index: int, names: Mapping[int, ReaderName]
) -> bool:
    """Return whether the first of these words, which open a sentence, is an adverb or a verb to the reader,
    whose name begins behind it: "Join Acme Bank today", "Apparently Acme bought".

    A name that a verb follows may begin with one: "Discover Financial bought".
    """
    name = names.get(end_index)
    if name is None or name.first != first_index + 1 or name.tag_before not in ("VERB", "ADV"):
        return False
    next_word = word_at(sentence.lower, end_index)
    has_verb = next_word in SUBJECT_VERBS or next_word in PATTERNS_BY_FIRST_WORD or next_word.endswith("ed")
    return name.tag_before == "ADV" or not has_verb


def is_part_of_title(
    sentence: Sentence, first_index: int, end_index: int, names: Mapping[int, ReaderName]
) -> bool:
    """Return whether words before a role are frequent and no name to the reader: "Account" of "Account
    Manager Ann Lee", "Lead Independent" of "Ann Lee, Lead Independent Director of Acme", unlike "Oracle" of
    "Oracle CEO Ann Lee".
    """
    role_end = end_index
    while role_end < len(sentence.lower) and sentence.lower[role_end] in ROLES:
        role_end += 1
    pipeline = load_pipeline("en") if role_end > end_index else None
    words = sentence.lower[first_index:end_index]
    if pipeline is None or not all(map(pipeline.knows_word, words)):
        return False
    if any(word in COMPANIES or word in PLACES or word in TECHNOLOGIES for word in words):
        return False
    names_within = [name for name in names.values() if name.first < end_index and first_index < name.last]
    if _is_apposition_to_person(sentence, first_index, role_end, names):
        return not any(name.probability >= MIN_NAME_PROBABILITY for name in names_within)
    is_before_person = any(name.first == role_end and name.is_person for name in names.values())
    return is_before_person and not names_within


def _is_apposition_to_person(
    sentence: Sentence, first_index: int, role_end: int, names: Mapping[int, ReaderName]
) -> bool:
    """Return whether a comma after a person precedes a role: "Ann Lee, Lead Director of Acme"."""
    person = names.get(first_index - 1)
    return (
        person is not None
        and person.is_person
        and sentence.words[first_index - 1] == ","
        and word_at(sentence.lower, role_end) in ("of", "at", "for")
    )


def find_person_of_title(title: str, pipeline: "Pipeline") -> str | None:
    """Return the person at the end of a document's title, behind a title or a colon: "Professor Sir John
    Bell", "Curriculum Vitae: Tom Lane"; None if it names nobody, or nothing else.
    """
    sentences = read_sentences(title)
    if len(sentences) != 1:
        return None
    sentence = sentences[0]
    (names,) = read_names([(title, sentence)], pipeline)
    for name in names.values():
        if (
            0 < name.first < name.last == len(sentence.words)
            and name.last - name.first > 1
            and name.is_person
            and not is_roman_numeral(sentence.lower[-1])
            and (sentence.words[name.first - 1] == ":" or _can_be_title(sentence, 0, name.first))
        ):
            return title[sentence.starts[name.first] : sentence.ends[-1]]
    return None


def list_titles(sentence: Sentence, names: Iterable[ReaderName]) -> Iterator[str]:
    """Yield the last words of the titles in front of people's full names, in the singular.

    Honorifics are left out: they distinguish "Mrs Haddad" from "Mr Haddad".
    """
    for name in names:
        if not (name.is_person and name.last - name.first > 1):
            continue
        title_start = name.first
        while title_start > 0 and _is_part_of_title(sentence, title_start - 1):
            title_start -= 1
        # The capital of the first word of a sentence shows nothing.
        title = _to_singular(sentence.lower[name.first - 1])
        if (
            title_start < name.first
            and title_start + name.first > 1
            and title not in HONORIFICS
            and sentence.lower[name.first - 1].rstrip(".") not in HONORIFICS
            and _can_be_title(sentence, title_start, name.first)
        ):
            yield title


def _is_part_of_title(sentence: Sentence, index: int) -> bool:
    return sentence.words[index][0].isupper() and sentence.starts[index + 1] - sentence.ends[index] == 1


def _can_be_title(sentence: Sentence, first_index: int, end_index: int) -> bool:
    """Return whether capitalised words may be a title: no first name, and no noun for another kind of thing
    at their end ("Villa Anna Keller").
    """
    lower_words = sentence.lower[first_index:end_index]
    return (
        # "D. Richard Hipp" has no title.
        all(len(word.rstrip(".")) > 1 and word.rstrip(".").replace("-", "").isalpha() for word in lower_words)
        and all(word[0].isupper() for word in sentence.words[first_index:end_index])
        and not any(
            word in FIRST_NAMES or word in GIVEN_NAMES or word in _FAMILY_WORDS_IN_NAMES
            for word in lower_words
        )
        and KIND_OF.get(_to_singular(lower_words[-1]), _PERSON) == _PERSON
        and lower_words[-1] not in SENTENCE_STARTERS
        and " ".join(lower_words) not in PLACES
        and " ".join(lower_words) not in PLACE_NAMES
    )


def _to_singular(word: str) -> str:
    return word.rstrip(".").removesuffix("s")
