"""Decide whether a question asks about the past, by its words and by the tense of its verb; pure."""

import re

from app.answers.clause_support import ParsedSentence, parse_question
from app.documents.language import guess_language

_PAST_WORDS = re.compile(
    r"\b(?:was|were|did|had|former|formerly|previous|previously|used to|before|until|once|ever|past)\b",
    re.IGNORECASE,
)
_AUXILIARIES = ("aux", "aux:pass", "cop")


def has_past_words(question: str) -> bool:
    """Return whether words of the question say that it asks about the past: "was", "former"."""
    return _PAST_WORDS.search(question) is not None


def asks_of_the_past(question: str) -> bool:
    """Return whether the question asks about the past by its words or its verb: "Who acquired". In languages
    other than English the verb does not tell.
    """
    if has_past_words(question):
        return True
    parsed_question = parse_question(question, "en") if guess_language(question) == "en" else None
    return parsed_question is not None and any(
        _is_past_verb(parsed_question, index)
        for index, head_index in enumerate(parsed_question.parse.heads)
        if head_index == index
    )


def _is_past_verb(sentence: ParsedSentence, index: int) -> bool:
    """Return whether a word is a finite English verb whose form is neither its base form nor of the
    present.
    """
    word, lemma = sentence.words[index].casefold(), sentence.parse.lemmas[index].casefold()
    return (
        sentence.parse.upos[index] == "VERB"
        and word != lemma
        and not word.endswith(("s", "ing"))
        and not sentence.list_dependents(index, _AUXILIARIES)
    )
