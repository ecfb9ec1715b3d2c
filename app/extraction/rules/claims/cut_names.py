"""Names in a sentence that are only parts of longer names, of which nothing is claimed.

Where a longer name ends cannot always be told, that it goes on can: "the International Brotherhood | of
Magicians", "the Committee on the | Judiciary", "Life's | Little Comedies".
"""

from collections.abc import Sequence

from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.english.gazetteers import FIRST_NAMES
from app.extraction.rules.english.grammar import POSSESSIVES, PREPOSITIONS
from app.extraction.rules.english.lexicon import (
    COMPANIES,
    FOR_HEADS,
    HONORIFICS,
    KIND_OF,
    KIND_OF_HEAD,
    LEGAL_TAILS,
    OF_HEADS,
    PLACE_NAMES,
    PLACES,
    ROLES,
)
from app.extraction.rules.english.name_words import NATIONAL_ADJECTIVES, OCCUPATIONS, WORDS_OF_OFFICES
from app.extraction.rules.english.verbless_pairs import POST_NOUNS
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import are_most_longer_words_capitalised, word_at
from app.graph.names import MONTHS_AND_DAYS

_WORDS_FOR_PEOPLE = (
    ROLES
    | HONORIFICS
    | OCCUPATIONS
    | WORDS_OF_OFFICES
    | POST_NOUNS
    | {noun for noun, kind in KIND_OF.items() if kind == "Person"}
)
"""Capitalised words around a name that say who somebody is: "Vice President of Acme"."""
_HEAD_NOUNS = KIND_OF.keys() | KIND_OF_HEAD.keys() | FOR_HEADS | OF_HEADS
_PREPOSITIONS_OF_SUBJECT = frozenset(("of", "for", "on"))
"""Prepositions that name the subject or the purpose of a body or a work."""
_ENDS_OF_ABSTRACT_NOUNS = ("tion", "sion", "ment", "ity", "ness")
_KINDS_WITHOUT_SUBJECT = ("Person", "Event", "Product")
"""Kinds of nouns after which a preposition begins no part of a name: "won the Acme Prize for Physics"."""
_ARTICLES_IN_NAMES = frozenset(("the", "a", "an", "those"))
_MIN_LENGTH_OF_WORD = 2


class NamesOfSentence:
    """The names of one sentence, which tells those that are parts of longer ones."""

    def __init__(self, sentence: Sentence, units: Sequence[Unit]) -> None:
        self._sentence = sentence
        self._unit_by_word = {
            word: unit for unit in units if not unit.is_reference for word in range(unit.first, unit.last)
        }

    def is_part_of_longer_name(self, unit: Unit) -> bool:
        """Return whether the words around a name show that it is only a part of a longer one."""
        return not unit.is_reference and (
            self._does_name_go_on(unit)
            or self._is_last_word_missing(unit)
            or self._is_owned_by_part_of_name(unit)
            or self._does_name_begin_before(unit)
            or any(self._are_halves_of_name(*pair) for pair in self._list_pairs(unit))
        )

    def _does_name_go_on(self, unit: Unit) -> bool:
        """Return whether a preposition and a capital continue the name: "the Survivors Network for Those",
        "the Organization for Security and Cooperation in Europe".
        """
        lower_words = self._sentence.lower
        preposition = word_at(lower_words, unit.last)
        if preposition == "@":
            return True
        if unit.known_kind == "Person":
            return False
        last_word = lower_words[unit.last - 1]
        if preposition == "in":
            return (
                "for" in lower_words[unit.first : unit.last]
                and last_word.endswith(_ENDS_OF_ABSTRACT_NOUNS)
                and self._has_capital_of_name(unit.last + 1)
            )
        next_index = unit.last + 1
        next_index += word_at(lower_words, next_index) in _ARTICLES_IN_NAMES
        if preposition not in _PREPOSITIONS_OF_SUBJECT or not self._has_capital_of_name(next_index):
            return False
        if preposition == "of":
            return not self._is_place(next_index) and lower_words[next_index] not in NATIONAL_ADJECTIVES
        next_unit = self._unit_by_word.get(next_index)
        if last_word in LEGAL_TAILS or (next_unit is not None and next_unit.known_kind == "Person"):
            return False  # "founded the Harbour Museum for Ann Lee"
        if last_word in _HEAD_NOUNS:
            return KIND_OF.get(last_word) not in _KINDS_WITHOUT_SUBJECT
        return not unit.is_certain and word_at(lower_words, unit.first - 1) in ("the", "first")

    def _has_capital_of_name(self, index: WordIndex) -> bool:
        """Return whether a word has a capital, and is no pronoun, month or day."""
        word = word_at(self._sentence.lower, index)
        return (
            word_at(self._sentence.words, index)[:1].isupper()
            and word not in MONTHS_AND_DAYS
            and (word not in PRONOUNS or word == "those")
        )

    def _is_last_word_missing(self, unit: Unit) -> bool:
        """Return whether "and" joins a last word that is no name: "School of Culture and Theology"."""
        index = unit.last + 1
        return (
            word_at(self._sentence.lower, unit.last) == "and"
            and self._is_capital_outside_names(index)
            and self._may_be_word_of_name(index)
            and index + 1 not in self._unit_by_word
        )

    def _is_owned_by_part_of_name(self, unit: Unit) -> bool:
        """Return whether a possessive that is no name precedes the name: "Life's Little Comedies"."""
        index = unit.first - 2
        return (
            word_at(self._sentence.lower, unit.first - 1) in POSSESSIVES
            and self._is_capital_outside_names(index)
            and self._may_be_word_of_name(index)
        )

    def _does_name_begin_before(self, unit: Unit) -> bool:
        """Return whether a preposition and the word before it belong to the name: "the Committee on the
        Judiciary", "Nothing Like the Sun".
        """
        lower_words = self._sentence.lower
        index = unit.first - 1
        has_article = word_at(lower_words, index) in _ARTICLES_IN_NAMES
        index -= has_article
        preposition = word_at(lower_words, index)
        if self._is_capital_outside_names(index):
            return preposition in PREPOSITIONS and not self.is_heading()
        if preposition not in _PREPOSITIONS_OF_SUBJECT:
            return False
        earlier_unit = self._unit_by_word.get(index - 1)
        if earlier_unit is not None:
            is_whole = self._is_place(unit.first) or (preposition == "of" and has_article)
            return not is_whole and self._does_name_go_on(earlier_unit)
        if not (self._is_capital_outside_names(index - 1) and self._may_be_word_of_name(index - 1)):
            return False
        is_whole = has_article or self._is_place(unit.first) or lower_words[index - 1] in KIND_OF
        return preposition != "of" or not is_whole

    def is_heading(self) -> bool:
        """Return whether most longer words outside names and offices have a capital, as in a headline."""
        return are_most_longer_words_capitalised(
            word
            for index, word in enumerate(self._sentence.words)
            if index
            and index not in self._unit_by_word
            and self._sentence.lower[index] not in _WORDS_FOR_PEOPLE
            and self._sentence.lower[index] not in STOP_WORDS
        )

    def _list_pairs(self, unit: Unit) -> list[tuple[Unit, Unit]]:
        """Return the pairs of a name and the one before or after it, joined by "and"."""
        lower_words = self._sentence.lower
        earlier_unit, later_unit = (
            self._unit_by_word.get(unit.first - 2) if word_at(lower_words, unit.first - 1) == "and" else None,
            self._unit_by_word.get(unit.last + 1) if word_at(lower_words, unit.last) == "and" else None,
        )
        return [
            *([(earlier_unit, unit)] if earlier_unit is not None and earlier_unit is not unit else []),
            *([(unit, later_unit)] if later_unit is not None and later_unit is not unit else []),
        ]

    def _are_halves_of_name(self, first_unit: Unit, second_unit: Unit) -> bool:
        """Return whether two names around "and" may be one, whose last word is the noun of both and whose
        article precedes both: "the Space and Rocket Center", "Oslo's Alder and Birch Islands".
        """
        lower_words = self._sentence.lower
        first_words = lower_words[first_unit.first : first_unit.last]
        last_word, word_before = lower_words[second_unit.last - 1], word_at(lower_words, first_unit.first - 1)
        kinds = {
            KIND_OF.get(last_word),
            KIND_OF_HEAD.get(last_word),
            KIND_OF.get(last_word.removesuffix("s")),
        }
        return (
            second_unit.last - second_unit.first > 1
            and (word_before == "the" or word_before in POSSESSIVES)
            and not kinds.isdisjoint(("Organization", "Location"))
            and not any(word in _HEAD_NOUNS for word in first_words)
            and not self._is_place(first_unit.first)
            and first_words[0] not in COMPANIES
            and first_words[0] not in FIRST_NAMES
        )

    def _is_capital_outside_names(self, index: WordIndex) -> bool:
        """Return whether a word that opens no clause has a capital and is in no name."""
        words = self._sentence.words
        return (
            0 < index < len(words)
            and words[index][0].isupper()
            and len(words[index]) >= _MIN_LENGTH_OF_WORD
            and index not in self._unit_by_word
            and words[index - 1][0].isalnum()
        )

    def _may_be_word_of_name(self, index: WordIndex) -> bool:
        """Return whether a capitalised word may be a part of a name: no adjective of nationality, and no word
        for what somebody is.
        """
        word = self._sentence.lower[index]
        return not any(
            word in words or word.removesuffix("s") in words
            for words in (STOP_WORDS, PRONOUNS, MONTHS_AND_DAYS, _WORDS_FOR_PEOPLE, NATIONAL_ADJECTIVES)
        )

    def _is_place(self, index: WordIndex) -> bool:
        unit, lower_words = self._unit_by_word.get(index), self._sentence.lower
        return (
            (unit is not None and unit.known_kind == "Location")
            or lower_words[index] in PLACES
            or " ".join(lower_words[index : index + 2]) in PLACE_NAMES
        )
