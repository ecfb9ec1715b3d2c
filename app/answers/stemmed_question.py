"""A question as stems with what a parser tells of its words; pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from app.answers.clause_support import ParsedSentence, parse_question
from app.answers.shapes import SpanKind
from app.answers.short_answers import find_kind_asked
from app.answers.table_rows import DATE, NUMBER, list_stems_with_ranges
from app.documents.language import guess_language
from app.domain.char_range import CharRange
from app.domain.relation_phrases import (
    StatedRelation,
    load_kinds_by_interrogative,
    load_relations_by_phrase,
)
from app.graph.name_forms import is_interrogative
from app.graph.questions import VERB_PREPOSITIONS, capitalises_nouns, guess_relation_types

_ENGLISH, _AUXILIARY_LEMMA = "en", "do"
_FUNCTION_WORD_TAGS = frozenset(("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"))
"""Parts of speech of function words, which ask for nothing."""
_NOUN_TAGS = frozenset(("NOUN", "PROPN", "NUM"))
_VERB_TAGS = frozenset(("VERB",))
_SUBJECT_RELATIONS = frozenset(("nsubj", "nsubj:pass"))
_PLACE = "Location"
StemRange = tuple[int, int]
"""Range of indices of a question's stems."""


class RelationWithStems(NamedTuple):
    """A relation that words of a question state, and the stems of these words."""

    relation: StatedRelation
    stems: frozenset[str]


class StemmedQuestion:
    """A question as stems: which of them are named cells, and what the others ask for."""

    def __init__(self, question: str, generic_stems: Collection[str]) -> None:
        self.question = question
        self.stems = list_stems_with_ranges(question)
        self.generic_stems = generic_stems
        self._interrogatives = {
            word.strip("¿?¡!,.").casefold()
            for word in question.split()
            if is_interrogative(word.strip("¿?¡!,."))
        }
        self.language = guess_language(question)
        self.parsed_question: ParsedSentence | None = parse_question(question, self.language)
        kind_by_interrogative = load_kinds_by_interrogative()
        asked_kinds = {
            kind_by_interrogative[word] for word in self._interrogatives if word in kind_by_interrogative
        }
        self.asked_kind = next(iter(asked_kinds)) if len(asked_kinds) == 1 else None
        if self.asked_kind is None:
            self.asked_kind = {SpanKind.DATE: DATE, SpanKind.NUMBER: NUMBER}.get(
                find_kind_asked(question)  # type: ignore[arg-type]
            )
        self.stated_relations = self._list_stated_relations()
        self._function_word_indices = self._list_function_word_indices()
        self.asks_which = (
            self.parsed_question is None
            or self.asked_kind is not None
            or any(
                upos == "DET" and is_interrogative(word)
                for word, upos in zip(
                    self.parsed_question.words, self.parsed_question.parse.upos, strict=True
                )
            )
        )
        """True where the question asks for somebody, how many, or which ones: "which people"."""
        self.noun_stems = self._list_noun_stems()
        self.asked_noun_stems = self._list_asked_noun_stems()
        """Stems of nouns with an interrogative: "which depot"; none if the language has no parser."""
        self.kind_noun_stems = (
            self.asked_noun_stems if self.asked_kind in (DATE, NUMBER) else frozenset[str]()
        )
        """Stems of nouns that only say which kind of value is asked for: "in which year"."""
        verb_starts = self._list_word_starts(_VERB_TAGS)
        self.verb_stems = frozenset(stem for stem, start, _ in self.stems if start in verb_starts)

    def _list_noun_stems(self) -> frozenset[str]:
        """Return the stems of nouns, by the parser, else by the capital in a language that capitalises nouns;
        else none.
        """
        if self.parsed_question is not None:
            starts = self._list_word_starts(_NOUN_TAGS)
            return frozenset(stem for stem, start, _ in self.stems if start in starts)
        return frozenset(
            stem
            for stem, start, _ in self.stems
            if capitalises_nouns(self.question) and not self.question[start].islower()
        )

    def _list_asked_noun_stems(self) -> frozenset[str]:
        """Return the stems of nouns after an interrogative determiner, by the parser."""
        if self.parsed_question is None:
            return frozenset()
        parse = self.parsed_question.parse
        starts = {
            self.parsed_question.ranges[head][0]
            for word, upos, head in zip(self.parsed_question.words, parse.upos, parse.heads, strict=True)
            if upos == "DET" and head >= 0 and is_interrogative(word)
        }
        return frozenset(stem for stem, start, _ in self.stems if start in starts)

    def _list_function_word_indices(self) -> set[int]:
        """Return the indexes of the `stems` of function words, by the parser."""
        starts = self._list_word_starts(_FUNCTION_WORD_TAGS)
        return {index for index, (_, start, _) in enumerate(self.stems) if start in starts}

    def _list_word_starts(self, parts_of_speech: Collection[str]) -> set[int]:
        """Return the start positions of words of these parts of speech; none without a parser."""
        if self.parsed_question is None:
            return set()
        return {
            start
            for (start, _), upos in zip(
                self.parsed_question.ranges, self.parsed_question.parse.upos, strict=True
            )
            if upos in parts_of_speech
        }

    def _list_stated_relations(self) -> list[RelationWithStems]:
        """Return the relations that words of the question state, each with the stems of these words."""
        relations_by_phrase = load_relations_by_phrase()
        # "Where was she born?" has no preposition.
        preposition_suffixes = ("", "_in") if self.asked_kind == _PLACE else ("",)
        return [
            RelationWithStems(
                relation,
                frozenset(stem for stem, _, _ in list_stems_with_ranges(hint.replace("_", " "))),
            )
            for hint in guess_relation_types(self.question)
            for suffix in preposition_suffixes
            for relation in relations_by_phrase.get(f"{hint}{suffix}", ())
        ]

    def find_ranges_of_cell(self, cell_stems: Sequence[str]) -> Iterator[StemRange]:
        """Yield the ranges of `stems` in which all words of a cell are adjacent."""
        cell_length = len(cell_stems)
        question_stems = [stem for stem, _, _ in self.stems]
        for start in range(len(question_stems) - cell_length + 1) if cell_length else ():
            if question_stems[start : start + cell_length] == cell_stems:
                yield start, start + cell_length

    def to_text_range(self, cell_range: StemRange) -> CharRange:
        """Return the range in the question's text of a range of stems."""
        return self.stems[cell_range[0]][1], self.stems[cell_range[1] - 1][2]

    def list_stems_outside(self, named_ranges: Iterable[StemRange]) -> list[str]:
        """Return the content stems that are in no named cell, in order."""
        excluded_indices = {index for start, end in named_ranges for index in range(start, end)}
        excluded_indices |= self._function_word_indices
        return [
            stem
            for index, (stem, start, end) in enumerate(self.stems)
            if index not in excluded_indices
            and stem not in self.generic_stems
            and not is_interrogative(self.question[start:end])
        ]

    def get_word_of_stem(self, stem: str) -> str:
        """Return the question's word with this stem, as written."""
        return next(self.question[start:end] for other_stem, start, end in self.stems if other_stem == stem)

    def list_prepositions(self, named_range: StemRange) -> list[str]:
        """Return the prepositions of a named thing; none if the language has no parser."""
        if self.parsed_question is None:
            return []
        range_start, range_end = self.to_text_range(named_range)
        return [
            preposition
            for word_index, (start, _) in enumerate(self.parsed_question.ranges)
            if range_start <= start < range_end
            for preposition in self.parsed_question.list_prepositions(word_index)
            if preposition.isalpha()
        ]

    def is_thing_itself_asked_about(self, named_range: StemRange) -> bool:
        """Return whether the named thing itself is asked about: "before 2025" and "than Ann" ask about
        others.
        """
        return self.language != _ENGLISH or VERB_PREPOSITIONS.issuperset(self.list_prepositions(named_range))

    def is_named_as_subject(self, named_range: StemRange) -> bool:
        """Return whether a named thing is the subject of its verb, by the parser or by an auxiliary before
        it: "Who does Ann report to?", "Where is Ann based?"
        """
        if self.parsed_question is None:
            return False
        range_start, range_end = self.to_text_range(named_range)
        parse = self.parsed_question.parse
        return any(
            (parse.lemmas[word_index].casefold() == _AUXILIARY_LEMMA and end <= range_start)
            or (parse.relations[word_index] in _SUBJECT_RELATIONS and range_start <= start < range_end)
            for word_index, (start, end) in enumerate(self.parsed_question.ranges)
        )

    def is_surely_no_noun_by_spelling(self, stem: str) -> bool:
        """Return whether a word is not a noun, in a language that capitalises nouns and has no parser."""
        return self.parsed_question is None and bool(self.noun_stems) and stem not in self.noun_stems

    def is_verb_of(self, stem: str, named_range: StemRange) -> bool:
        """Return whether a word is a verb on which a named thing depends with a preposition: "sit in Ulm"."""
        if self.parsed_question is None:
            return False
        range_start, range_end = self.to_text_range(named_range)
        return any(
            self.parsed_question.list_prepositions(word_index)
            and self.parsed_question.parse.upos[head_index] == "VERB"
            and any(
                head_stem == stem
                for head_stem, _, _ in list_stems_with_ranges(self.parsed_question.words[head_index])
            )
            for word_index, head_index in enumerate(self.parsed_question.parse.heads)
            if range_start <= self.parsed_question.ranges[word_index][0] < range_end
        )
