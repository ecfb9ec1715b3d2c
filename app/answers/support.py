"""Check whether cited text states a sentence: its words, numbers, dates and negation; pure (requirement
10.2).

The check compares words and syntax, not meaning: a sentence that passes may still be wrong. A sentence with
another year, or with the opposite of the source, does not pass. This check always runs; support_by_model.py
adds an optional one by a model.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from app.answers.clause_support import judge_clauses_by_evidence, parse_sentences
from app.answers.shapes import Source
from app.documents.language import guess_language
from app.documents.sentences import split_sentences
from app.domain.scoring.keywords import list_stems
from app.domain.scoring.negation import is_negated
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.reader.languages import load_parser

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Pipeline

MIN_SHARE_OF_WORDS = 0.6
"""Share of a sentence's words that the cited text must contain."""
SAME_SENTENCE_SHARE = 0.5
"""Share of the words of the most similar source sentence; a sentence with that share is about the same."""
_MAX_COMPARED_SENTENCES = 6
"""Number of the most similar source sentences with which a sentence of an answer is compared."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_WORD = re.compile(r"[^\W\d_]+")
_CLAUSE_END = re.compile(
    r"[,;:()–—]|\b(?:but|although|though|while|whereas|however|and|which|who"
    # "data that do not fit", and not "he denied that it fits".
    r"|that(?=\s+(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would)\b))\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:no(?!\.)|none|nobody|nothing|hardly|fail(?:s|ed)? to|refus(?:es|ed) to|den(?:y|ies|ied))\b",
    re.IGNORECASE,
)
_APPARENT_NEGATION = re.compile(
    r"\bnot (?:only|just|least)\b|\bno(?:t)? (?:doubt|later than)\b", re.IGNORECASE
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
# Words as often as months, unless a number stands beside them.
_MONTHS_THAT_ARE_WORDS = split_into_word_set("may march")
_NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve"
_DIGITS_BY_NUMBER_WORD = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split(), 2)}


def judge_support(text: str, cited_sources: Sequence[Source]) -> bool | None:
    """Return whether the cited sources together state the sentence; None if the check cannot decide.

    A sentence that occurs word for word in a source is supported. Any other must have 60 % of its words in
    the sources, and all its numbers and months. Each of its clauses must have the negation of the most
    similar clause of the sources, and be stated according to the parser
    (`clause_support.judge_clauses_by_evidence`). The check cannot decide if the sources use other
    words, or a language without a parser.
    """
    if not cited_sources:
        return False
    sentences = [
        source.text[start:end] for source in cited_sources for start, end in split_sentences(source.text)
    ]
    folded_text = _normalise_case_and_spaces(text)
    if any(
        folded_text in _normalise_case_and_spaces(source.text) for source in cited_sources
    ) and _consists_of_whole_sentences(folded_text, cited_sources, sentences):
        return True
    pipeline = _find_common_pipeline(text, cited_sources)
    if pipeline is None:
        return None
    said_words = frozenset(word for word in list_stems(text) if word.isalpha() and word not in _MONTHS)
    titles = [" ".join((source.document_title, *source.heading_path)) for source in cited_sources]
    source_words = frozenset[str]().union(
        *map(list_stems, (*titles, *(source.text for source in cited_sources)))
    )
    if not (
        len(said_words & source_words) >= MIN_SHARE_OF_WORDS * len(said_words)
        and _are_numbers_and_months_stated(text, said_words, cited_sources)
        and _have_same_negation(text, [source.text for source in cited_sources])
    ):
        return False
    return _judge_support_by_syntax(text, said_words, sentences, titles, pipeline)


def _consists_of_whole_sentences(
    folded_text: str, cited_sources: Sequence[Source], sentences: Iterable[str]
) -> bool:
    """Return whether a folded text consists of whole sentences, or is a whole source. The rest of a sentence
    may deny a part.
    """
    folded_sources = [_normalise_case_and_spaces(source.text) for source in cited_sources]
    folded_sentences = tuple(map(_normalise_case_and_spaces, sentences))
    return folded_text in folded_sources or (
        folded_text.startswith(folded_sentences) and folded_text.endswith(folded_sentences)
    )


def _find_common_pipeline(text: str, cited_sources: Sequence[Source]) -> "Pipeline | None":
    """Return the parser of the language of the sentence and its sources; None if the languages differ or have
    none.
    """
    source_language = guess_language(" ".join(source.text for source in cited_sources))
    text_language = guess_language(text, source_language)
    return (
        load_parser(text_language)
        if text_language is not None and text_language == (source_language or text_language)
        else None
    )


def _judge_support_by_syntax(
    text: str,
    said_words: Collection[str],
    sentences: Sequence[str],
    titles: Sequence[str],
    pipeline: "Pipeline",
) -> bool | None:
    """Return the verdict of `judge_clauses_by_evidence` on the source sentences that are most similar
    to the text.
    """
    shared_counts = [len(list_stems(sentence).intersection(said_words)) for sentence in sentences]
    ordered_indices = sorted(range(len(sentences)), key=lambda index: -shared_counts[index])
    most_similar_indices = [index for index in ordered_indices if shared_counts[index]][
        :_MAX_COMPARED_SENTENCES
    ]
    parsed_sentences = parse_sentences(
        [text, *(sentences[index] for index in most_similar_indices)], pipeline
    )
    sentences_before = (sentences[index - 1] for index in most_similar_indices if index)
    return judge_clauses_by_evidence(
        parsed_sentences[0],
        parsed_sentences[1:],
        frozenset[str]().union(*map(list_stems, (*titles, *sentences_before))),
    )


def _are_numbers_and_months_stated(
    text: str, said_words: Collection[str], cited_sources: Sequence[Source]
) -> bool:
    """Return whether each number and month occurs in a title, or in a source sentence similar to the text.

    A year of any other sentence is not evidence: one in 25 of the passages examined contained it.
    """
    claimed_figures = list_numbers_and_months(text)
    if not claimed_figures:
        return True
    sentences = [
        source.text[start:end] for source in cited_sources for start, end in split_sentences(source.text)
    ]
    shared_counts = [len(list_stems(sentence).intersection(said_words)) for sentence in sentences]
    min_shared_count = SAME_SENTENCE_SHARE * max(shared_counts, default=0)
    similar_sentences = [
        sentence
        for sentence, shared_count in zip(sentences, shared_counts, strict=True)
        if shared_count and shared_count >= min_shared_count
    ]
    titles = [" ".join((source.document_title, *source.heading_path)) for source in cited_sources]
    return claimed_figures <= frozenset[str]().union(
        *map(list_numbers_and_months, (*similar_sentences, *titles))
    )


def list_numbers_and_months(text: str) -> frozenset[str]:
    """Return the numbers and months of a text in one form: "1,843" and "1843", "2 May" and "05-02"."""
    figures: set[str] = set()

    def replace_date(date_match: re.Match[str]) -> str:
        figures.update((date_match[1], _format_month(int(date_match[2])), str(int(date_match[3]))))
        return " "

    undated_text = _ISO_DATE.sub(replace_date, text)
    figures.update(_format_number(match[0]) for match in _NUMBER.finditer(undated_text))
    for word in _WORD.finditer(undated_text):
        folded_word = word[0].casefold()
        if folded_word in _DIGITS_BY_NUMBER_WORD:
            figures.add(_DIGITS_BY_NUMBER_WORD[folded_word])
        elif folded_word in _MONTHS and (
            folded_word not in _MONTHS_THAT_ARE_WORDS
            or _is_beside_number(undated_text, word.start(), word.end())
        ):
            figures.add(_format_month(_MONTHS[folded_word]))
    return frozenset(figures)


def _format_month(number: int) -> str:
    return f"month {number}"


def _format_number(number_text: str) -> str:
    plain_number = re.sub(r"[.,](?=\d{3}(?!\d))", "", number_text).replace(",", ".")
    return plain_number.lstrip("0") or "0"


def _is_beside_number(text: str, start: int, end: int) -> bool:
    text_before, text_after = text[max(0, start - 4) : start], text[end : end + 4]
    return re.search(r"\d\W*\Z", text_before) is not None or re.match(r"\W*\d", text_after) is not None


def _normalise_case_and_spaces(text: str) -> str:
    return " ".join(text.casefold().split())


def is_denial(clause: str) -> bool:
    """Return whether a clause says that something is not, or is no longer, so."""
    plain_clause = _APPARENT_NEGATION.sub(" ", clause)
    return is_negated(plain_clause) or _NEGATION.search(plain_clause) is not None


def _have_same_negation(text: str, evidence: Iterable[str]) -> bool:
    """Return whether each clause of the text has the negation of the most similar clauses of the evidence."""
    source_clauses = [
        (list_stems(clause), is_denial(clause))
        for source_text in evidence
        for start, end in split_sentences(source_text)
        for clause in _split_clauses(source_text[start:end])
    ]
    return all(
        _has_same_negation(list_stems(clause), is_denial(clause), source_clauses)
        for clause in _split_clauses(text)
    )


_ClauseWords = tuple[frozenset[str], bool]
"""The words of a clause, and whether it is a denial."""


def _has_same_negation(
    said_words: Collection[str], is_denied: bool, source_clauses: Sequence[_ClauseWords]
) -> bool:
    if not said_words:
        return True
    shared_counts = [len(words.intersection(said_words)) for words, _ in source_clauses]
    max_shared = max(shared_counts, default=0)
    if not max_shared:
        return not is_denied
    return any(
        is_source_denied == is_denied
        for shared_count, (_, is_source_denied) in zip(shared_counts, source_clauses, strict=True)
        if shared_count == max_shared
    )


def _split_clauses(sentence: str) -> list[str]:
    return [clause for clause in _CLAUSE_END.split(sentence) if clause.strip()]
