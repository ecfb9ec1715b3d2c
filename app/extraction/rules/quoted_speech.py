"""Statements between quotation marks: the speech of a named speaker, and its attribution."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from app.extraction.attributes import MAX_VALUE
from app.extraction.rules.parsed_chunks import MARKS_AFTER_END, ParsedSentence, find_text_position_of_word
from app.extraction.rules.quotations import QUOTATION_MARKS, Quotation, Speech, does_quotation_refer_outside
from app.extraction.rules.single_name_statements import Phrase
from app.extraction.rules.statement_certainty import compute_certainty
from app.extraction.shapes import FoundAttribute, FoundPhrase, Surface

MIN_QUOTED_WORDS = 5
"""Minimum number of words of a quotation with content."""
MAX_QUOTE_LENGTH = 1_500
"""Maximum number of characters of a quote that contains speech and its attribution."""
_CLOSING_QUOTATION_MARK = re.compile(r'["”»](?=[\s,]|$)')
"""A mark that closes a quotation."""


def read_quoted_speech(
    parsed_sentence: ParsedSentence, speech_by_quotation: Mapping[Quotation, Speech]
) -> Iterator[FoundPhrase]:
    """Yield the quotations of a sentence as statements about their named speaker."""
    tree, starts, quote = (
        parsed_sentence.unnamed_tree,
        parsed_sentence.sentence.short_sentence.starts,
        parsed_sentence.sentence.quote,
    )
    quoted_speech = next(
        (
            (quotation, speech)
            for quotation, speech in speech_by_quotation.items()
            if _has_words_of_quotation(quotation, starts, quote)
        ),
        None,
    )
    if quoted_speech is None:
        return
    quotation, speech = quoted_speech
    quoted_words = [
        index
        for index, start in enumerate(starts)
        if quotation.start < start < quotation.end - 1 and tree.words[index] not in QUOTATION_MARKS
    ]
    has_verb = any(tree.parse.upos[index] in ("VERB", "AUX") for index in quoted_words)
    if (
        speech.entity is None
        or len(quoted_words) < MIN_QUOTED_WORDS
        or not has_verb
        or does_quotation_refer_outside(tree, quoted_words)
    ):
        return
    end = min(quotation.end - 1, quote.end)
    text = (
        " ".join(parsed_sentence.chunk_text[starts[quoted_words[0]] : end].split())
        .strip('"“”«» ')
        .rstrip(",;: ")
    )
    quote_start, quote_end = min(quote.start, speech.start), max(quote.end, speech.end)
    if text.endswith("?") or not 0 < len(text) <= MAX_VALUE - 2 or quote_end - quote_start > MAX_QUOTE_LENGTH:
        return
    certainty = compute_certainty(speech.confidence, speech.confidence)
    if certainty is not None:
        surface = Surface(parsed_sentence.chunk_text[quote_start:quote_end], quote_start, quote_end)
        statement = FoundAttribute(speech.verb or "said", f"“{text}”", surface, confidence=certainty)
        yield FoundPhrase(speech.entity, statement, None)


def _has_words_of_quotation(quotation: Quotation, starts: Sequence[int], quote: Surface) -> bool:
    """Return whether a quotation contains words of the sentence."""
    return (
        any(quotation.start < start < quotation.end - 1 for start in starts) and quotation.start < quote.end
    )


def find_quotation_around(
    parsed_sentence: ParsedSentence, word: int, quotations: Sequence[Quotation]
) -> Quotation | None:
    """Return the quotation that contains a word, or None; its words are somebody else's."""
    offset = parsed_sentence.sentence.short_sentence.starts[word]
    return next((quotation for quotation in quotations if quotation.start < offset < quotation.end), None)


def list_quoted_words(parsed_sentence: ParsedSentence, quotations: Sequence[Quotation]) -> frozenset[int]:
    """Return the words of a sentence between quotation marks."""
    return frozenset(
        index
        for index, start in enumerate(parsed_sentence.sentence.short_sentence.starts)
        if any(quotation.start < start < quotation.end for quotation in quotations)
    )


class AttributedSpeech(NamedTuple):
    """The words of a quotation followed by its attribution, "" without a speaker; and the quote of both."""

    text: str
    quote: Surface


def append_attribution_to_quotation(
    parsed_sentence: ParsedSentence, phrase: Phrase, quotation: Quotation, speech: Speech | None, text: str
) -> AttributedSpeech:
    """Return the words of a quotation followed by its attribution, and the quote of both; "" without a
    speaker.
    """
    quote = parsed_sentence.sentence.quote
    words_after = parsed_sentence.chunk_text[
        quotation.end - 1 : find_text_position_of_word(parsed_sentence, phrase.complement_end)
    ].strip(MARKS_AFTER_END + ",")
    # A closing mark without an opening one.
    text = _CLOSING_QUOTATION_MARK.sub("", text, count=1)
    if any(map(str.isalpha, words_after)):
        return AttributedSpeech(text, quote)
    if speech is None or does_quotation_refer_outside(
        parsed_sentence.unnamed_tree, range(len(parsed_sentence.unnamed_tree.words))
    ):
        return AttributedSpeech("", quote)
    quote_start, quote_end = min(quote.start, speech.start), max(quote.end, speech.end)
    if quote_end - quote_start > MAX_QUOTE_LENGTH:
        return AttributedSpeech("", quote)
    text = f"{text.rstrip(MARKS_AFTER_END + ',')}, {parsed_sentence.chunk_text[speech.start : speech.end]}"
    return AttributedSpeech(
        text, Surface(parsed_sentence.chunk_text[quote_start:quote_end], quote_start, quote_end)
    )
