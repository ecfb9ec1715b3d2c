"""List the words of a question that no source contains, and write a reason; pure (requirement 10.3)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.answers.clause_support import ParsedSentence, parse_question
from app.documents.language import guess_language
from app.domain.scoring.keywords import list_stems, list_stems_of_texts
from app.graph.name_forms import is_interrogative

MIN_SHARE_OF_WORDS = 1 / 5
"""Share of the content words of a question that the sources must contain; below it, they do not answer."""
_CONTENT_TAGS = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "NUM"))
"""Parts of speech of content words."""


def explain_mostly_unsaid_question(question: str, texts: Sequence[str]) -> str | None:
    """Return a sentence with the words of the question that no text contains, if they are most; else None."""
    unsaid_words, share_said = find_unsaid_words_and_said_share(question, texts)
    if share_said >= MIN_SHARE_OF_WORDS:
        return None
    quoted_words = ", ".join(f"“{word}”" for word in dict.fromkeys(unsaid_words))
    return f"What comes nearest says nothing of {quoted_words}, so the question is not answered."


def explain_unsaid_words(question: str, texts: Sequence[str], known_names: Sequence[str]) -> str | None:
    """Return a sentence with the words of the question that no text contains, and with the known names; None
    if the texts contain each word.
    """
    unsaid_words = find_unsaid_words_and_said_share(question, texts).unsaid_words
    if not unsaid_words:
        return None
    return write_unsaid_words(dict.fromkeys(unsaid_words), known_names)


def write_unsaid_words(unsaid_words: Iterable[str], known_names: Sequence[str]) -> str:
    """Return a sentence that names the words that no source contains, and the names that sources mention."""
    quoted_words = quote_and_join_names(unsaid_words)
    if not known_names:
        return f"Nothing that was found speaks of {quoted_words}, so the question is not answered."
    return (
        f"What was found speaks of {quote_and_join_names(known_names)}, but says nothing of {quoted_words}."
    )


def quote_and_join_names(names: Iterable[str]) -> str:
    """Return names in quotation marks, joined by "or"."""
    quoted_names = [f"“{name}”" for name in dict.fromkeys(names)]
    return (
        quoted_names[0] if len(quoted_names) == 1 else f"{', '.join(quoted_names[:-1])} or {quoted_names[-1]}"
    )


class QuestionCoverage(NamedTuple):
    """The content words of a question that no text contains, and the share of those that one contains."""

    unsaid_words: list[str]
    said_share: float


def find_unsaid_words_and_said_share(question: str, texts: Sequence[str]) -> QuestionCoverage:
    """Return the content words of a question that no text contains, in their order, and the share of the
    others; no words and 1 if the question's language has no parser.

    A noun with an interrogative, "what year", is left out: it only says which kind of answer is asked for.
    """
    parsed_question = parse_question(question, guess_language(question))
    if parsed_question is None:
        return QuestionCoverage([], 1.0)
    asked_words = [
        word
        for index, word in enumerate(parsed_question.words)
        if parsed_question.parse.upos[index] in _CONTENT_TAGS
        and list_stems(word)
        and not _has_interrogative(parsed_question, index)
    ]
    said_stems = frozenset[str]().union(*list_stems_of_texts(texts))
    unsaid_words = [word for word in asked_words if said_stems.isdisjoint(list_stems(word))]
    return QuestionCoverage(unsaid_words, 1.0 - len(unsaid_words) / len(asked_words) if asked_words else 1.0)


def _has_interrogative(parsed_question: ParsedSentence, word_index: int) -> bool:
    """Return whether a word that is not a verb has an interrogative as its dependent: "which city", "how
    many".
    """
    return parsed_question.parse.upos[word_index] != "VERB" and any(
        head_index == word_index != index and is_interrogative(parsed_question.words[index])
        for index, head_index in enumerate(parsed_question.parse.heads)
    )
