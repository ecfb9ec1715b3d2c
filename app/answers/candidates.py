"""Selects the sentences of sources that may be quoted, and finds their subjects; pure."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from app.answers.shapes import NumberedQuote, Source
from app.documents.sentences import (
    MarkedSentence,
    append_table_header,
    is_header_of_table,
    split_passage_cached,
)
from app.domain.scoring.keywords import count_unspaced_characters
from app.graph.names import flag_texts_about_namesakes
from app.graph.questions import find_capitalised_names_in_question

MAX_QUOTE_LENGTH = 600
MAX_LIST_LENGTH = 3_000
"""Maximum length, in characters, of a sentence with a colon and its list, which are quoted together."""
# Headings state nothing; three words with a full stop do ("Ada met Bob.").
_MIN_WORDS, _MIN_WORDS_WITH_END_MARK, _MIN_UNSPACED_CHARACTERS = 4, 3, 8
_END_MARKS, _CLOSING_MARKS = (".", "!", "?", "…"), "\"'”’»)] \n"
_WORD = re.compile(r"[^\W\d_]+")
_PRONOUN_SUBJECTS = frozenset({"he", "she", "it", "they"})
# "It is not.", "That was a mistake.": quoted without it, the sentence before would state the opposite.
_RETRACTION = re.compile(
    r"(?:(?:it|this|that|he|she|they|these|those|there)\b[^.!?]{0,24}"
    r"(?:\b(?:not|never|no longer|false|untrue|wrong|incorrect|mistaken?|error|myth|rumou?r|fake)\b|n['’]t\b)"
    r"[^.!?]{0,16}|not (?:true|so|any ?more)|wrong|no|false)[.!]\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quotable:
    """A sentence of a source that may be quoted, and the quotable sentence right before it.

    If the next sentence retracts it ("It is not."), `text` includes that sentence.
    """

    source: Source
    text: str
    start: int
    previous_sentence: "Quotable | None"
    is_retracted: bool

    @property
    def text_with_header(self) -> str:
        """The text; for the row of a table, followed by the header of the table."""
        return append_table_header(self.text, self.source.text, self.source.heading_path)

    @property
    def begins_with_pronoun_subject(self) -> bool:
        """True if its subject is a pronoun for that of the sentence before: "She plays for Leeds." """
        first_word = _WORD.search(self.text)
        return (
            self.previous_sentence is not None
            and first_word is not None
            and first_word[0].casefold() in _PRONOUN_SUBJECTS
        )


def list_quotable_sentences(
    sources: Sequence[Source], excluded_quotes: Sequence[NumberedQuote]
) -> list[Quotable]:
    """Return the sentences of the sources that may be quoted.

    Headings, table headers, and sentences that are too long or too short are excluded, as are those in
    `excluded_quotes`, a number of a source with a quote. A heading with its list is quotable.
    """
    quotable_sentences = []
    for source in sources:
        ranges = split_passage_cached(source.text)
        previous_sentence: Quotable | None = None
        headings = {_collapse_whitespace(heading) for heading in source.heading_path}
        for start, words_start, end, is_retracted in _extend_sentences_by_lists(
            source.text, ranges, headings
        ):
            text = source.text[words_start:end]
            is_list = ":\n" in text or _is_heading(text.partition("\n")[0], headings)
            is_quotable = (
                end - start <= (MAX_LIST_LENGTH if is_list else MAX_QUOTE_LENGTH)
                and not _is_heading(text, headings)
                and _has_enough_words(source.text[start:end])
                and not ("|" in text and is_header_of_table(source.text, start, source.heading_path))
                and not any(
                    number == source.number and (quote in text or text in quote)
                    for number, quote in excluded_quotes
                )
            )
            previous_sentence = (
                Quotable(source, text, words_start, previous_sentence, is_retracted) if is_quotable else None
            )
            if previous_sentence is not None:
                quotable_sentences.append(previous_sentence)
    return quotable_sentences


def remove_sentences_about_namesakes(
    sentences: list[Quotable],
    sources: Sequence[Source],
    question: str,
    names: Sequence[str],
    stated_quotes: Sequence[str],
) -> list[Quotable]:
    """Return the sentences without those about another thing that shares a word with an asked name.

    If no source contains a whole asked name, all are returned: the question may have misspelt the other name.
    """
    asked_names = list(
        dict.fromkeys(
            [*names, *(mention.surface for mention in find_capitalised_names_in_question(question))]
        )
    )
    folded_texts = [source.text.casefold() for source in sources]
    if not any(" " in name and name.casefold() in text for name in asked_names for text in folded_texts):
        return sentences
    are_about_namesakes = flag_texts_about_namesakes([sentence.text for sentence in sentences], asked_names)
    return [
        sentence
        for sentence, is_about_namesake in zip(sentences, are_about_namesakes, strict=True)
        if not is_about_namesake or any(quote in sentence.text for quote in stated_quotes)
    ]


class TrustedSentences(NamedTuple):
    """Sentences whose sources are trusted at least so much."""

    minimum_trust: float
    sentences: list[Quotable]


def group_cumulatively_by_minimum_trust(
    sentences: Sequence[Quotable],
) -> Iterator[TrustedSentences]:
    """Yield each trust of the sentences' sources, the highest first, with the sentences that are trusted at
    least as much.
    """
    for trust in sorted({sentence.source.trust for sentence in sentences}, reverse=True):
        yield TrustedSentences(trust, [sentence for sentence in sentences if sentence.source.trust >= trust])


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _is_heading(text: str, headings: Set[str]) -> bool:
    return bool(headings) and _collapse_whitespace(text) in headings


class _ExtendedSentence(NamedTuple):
    """The range of a sentence, where its words begin, and whether the next sentence retracts it."""

    start: int
    words_start: int
    end: int
    is_retracted: bool


def _extend_sentences_by_lists(
    text: str, ranges: Sequence[MarkedSentence], headings: Set[str]
) -> Iterator[_ExtendedSentence]:
    """Yield the range of each sentence, with what belongs to it.

    A sentence that ends with a colon, or a heading that is not a question, extends over the list items after
    it; a question extends over its answer, and a retracted sentence over the retraction.
    """
    for index, (start, words_start, end) in enumerate(ranges):
        is_retracted = False
        opens_list = text[start:end].rstrip().endswith(":") or (
            _is_heading(text[start:end], headings) and not _is_question(text[start:end])
        )
        if opens_list:
            for next_start, next_words_start, next_end in ranges[index + 1 :]:
                is_sentence = text[next_start:next_end].rstrip(_CLOSING_MARKS).endswith(_END_MARKS)
                if next_words_start == next_start or is_sentence or next_end - start > MAX_LIST_LENGTH:
                    break
                end = next_end
        elif index + 1 < len(ranges):
            next_start, next_words_start, next_end = ranges[index + 1]
            if _is_question(text[start:end]):
                end = (
                    end
                    if _is_question(text[next_start:next_end]) or next_end - start > MAX_QUOTE_LENGTH
                    else next_end
                )
            elif "\n\n" not in text[end:next_start] and _RETRACTION.fullmatch(
                text, next_words_start, next_end
            ):
                end, is_retracted = next_end, True
        yield _ExtendedSentence(start, words_start, end, is_retracted)


def _is_question(sentence: str) -> bool:
    return sentence.rstrip(_CLOSING_MARKS).endswith(("?", "？", "؟"))


def _has_enough_words(sentence: str) -> bool:
    min_words = (
        _MIN_WORDS_WITH_END_MARK if sentence.rstrip(_CLOSING_MARKS).endswith(_END_MARKS) else _MIN_WORDS
    )
    return (
        len(sentence.split()) >= min_words or count_unspaced_characters(sentence) >= _MIN_UNSPACED_CHARACTERS
    )


def list_words_of_names_meant_by_pronouns(
    sentences: Sequence[Quotable], name_words_by_sentence: Sequence[Set[str]]
) -> list[Set[str]]:
    """Return, for each sentence, the words of asked names that it refers to by a pronoun."""
    subject_words_by_key: dict[tuple[int, int], Set[str]] = {}
    subject_words_by_sentence = []
    for sentence, name_words in zip(sentences, name_words_by_sentence, strict=True):
        previous_sentence = sentence.previous_sentence
        previous_key = (
            (sentence.source.number, previous_sentence.start) if previous_sentence is not None else None
        )
        referred_words = (
            subject_words_by_key.get(previous_key, frozenset())
            if previous_key is not None and sentence.begins_with_pronoun_subject
            else frozenset()
        )
        subject_words_by_key[sentence.source.number, sentence.start] = name_words | referred_words
        subject_words_by_sentence.append(referred_words)
    return subject_words_by_sentence


def is_previous_sentence_quoted(sentence: Quotable, quoted_texts: Iterable[str]) -> bool:
    """Return whether the answer already quotes the sentence before this one."""
    previous_sentence = sentence.previous_sentence
    return previous_sentence is not None and any(
        previous_sentence.text in quoted_text for quoted_text in quoted_texts
    )


def prepend_previous_sentence(sentence: Quotable, quoted_texts: Iterable[str]) -> str:
    """Return the sentence, preceded by the one before it unless the answer already quotes that."""
    previous_sentence = sentence.previous_sentence
    if previous_sentence is None or is_previous_sentence_quoted(sentence, quoted_texts):
        return sentence.text
    joined_text = sentence.source.text[previous_sentence.start : sentence.start + len(sentence.text)]
    return joined_text if len(joined_text) <= MAX_QUOTE_LENGTH else sentence.text
