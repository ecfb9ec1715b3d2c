"""Holds what a question takes for granted, its time and its words, against what may answer it; pure.

A sentence answers for a period only where a time of its own, or else the last one stated before it in its
passage, falls into that, or it tells of a longer one. What is asked has to be spoken of: of a question most
of whose words neither the passage nor what leads to it has, nothing is answered by likeness alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.answers.candidates import Quotable
from app.answers.stated import ReadWords, read_question
from app.documents.language import guess_language
from app.domain.scoring.keywords import stems, stems_of
from app.extraction.written_years import list_years
from app.graph.name_forms import is_interrogative
from app.graph.questions import period_asked_about

LEAST_SAID = 1 / 5
"""Share of the words that mean something in a question from which a passage may answer it."""
_YEARS = range(1_000, 2_100)
_WITHIN_NAMES = frozenset(("flat", "compound"))
_ADNOMINAL = frozenset(("acl", "acl:relcl"))
_MEANS = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "NUM"))


@dataclass(frozen=True, slots=True)
class Period:
    """The first and last year that a question asks about."""

    first: int
    last: int

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"

    def meets(self, years: Sequence[int]) -> bool:
        """Return whether one of the years falls into the period, or they enclose it."""
        return any(self.first <= year <= self.last for year in years) or (
            bool(years) and min(years) <= self.first and max(years) >= self.last
        )

    def has_begun(self, begin: datetime | None, quote: str) -> bool:
        """Return whether a claim that holds from `begin`, or whose quote tells of years, may hold in the
        period; one that tells no time may.
        """
        years = [begin.year] if begin else _list_full_years(quote)
        return not years or min(years) <= self.last

    def is_that_of(self, sentence: Quotable) -> bool:
        """Return whether a sentence tells of the period: by its own years, else by the last ones before it in
        its passage, or by a year in a title of its document.
        """
        source = sentence.source
        if self.meets(_list_full_years(" ".join((source.document_title, *source.heading_path)))):
            return True
        years, before = _list_full_years(sentence.text), sentence.before
        while not years and before is not None:
            years, before = _list_full_years(before.text), before.before
        return self.meets(years)


def _list_full_years(text: str) -> list[int]:
    """The years that a text writes in full: of smaller numbers most are none."""
    return [year for year in list_years(text) if year in _YEARS]


def find_period(question: str) -> Period | None:
    """The period that a question asks about, if it does. A year of a name, or of a clause that only tells
    which thing is meant ("the player who scored in 2014"), is none.
    """
    years = period_asked_about(question)
    if years is None:
        return None
    read = read_question(question, guess_language(question))
    if read is not None and all(
        _is_in_name_or_relative_clause(read, word)
        for word, text in enumerate(read.words)
        if any(str(year) in text for year in years)
    ):
        return None
    return Period(*years)


def _is_in_name_or_relative_clause(question: ReadWords, word: int) -> bool:
    """Return whether a word belongs to a name, or to a clause that tells which thing is meant.

    Not so where the clause is about the thing that is asked for, "the team that he coached", or its relative
    word has a preposition, "the league in which they played".
    """
    parse = question.parse
    if parse.relations[word] in _WITHIN_NAMES and parse.upos[parse.heads[word]] == "PROPN":
        return True
    clause = next(
        (above for above in (word, *question.heads_above(word)) if parse.relations[above] in _ADNOMINAL), None
    )
    if clause is None or _is_asked_for(question, parse.heads[clause]):
        return False
    return not any(parse.upos[below] == "PRON" and question.cases(below) for below in question.below(clause))


def _is_asked_for(question: ReadWords, word: int) -> bool:
    """Return whether a noun is the question's own predicate, or what an interrogative is said to be."""
    head = question.parse.heads[word]
    return head == word or (
        question.parse.relations[word] == "nsubj" and is_interrogative(question.words[head])
    )


def reason_of_unsaid_words(question: str, texts: Sequence[str]) -> str | None:
    """A sentence with the words of the question that no text has, where they are too many; else None."""
    unsaid, share_said = list_unsaid_words(question, texts)
    if share_said >= LEAST_SAID:
        return None
    listed = ", ".join(f"“{word}”" for word in dict.fromkeys(unsaid))
    return f"What comes nearest says nothing of {listed}, so the question is not answered."


def reason_of_words_nothing_says(
    question: str, texts: Sequence[str], known_names: Sequence[str]
) -> str | None:
    """Return a sentence with the words of the question that no text has, beside the names that they have;
    None where each is said.
    """
    unsaid, _ = list_unsaid_words(question, texts)
    if not unsaid:
        return None
    return reason_of_missing(dict.fromkeys(unsaid), known_names)


def reason_of_missing(unsaid: Iterable[str], known_names: Sequence[str]) -> str:
    """Return a sentence that says of which words nothing is said, and of which names something is."""
    listed = join_quoted(unsaid)
    if not known_names:
        return f"Nothing that was found speaks of {listed}, so the question is not answered."
    return f"What was found speaks of {join_quoted(known_names)}, but says nothing of {listed}."


def join_quoted(names: Iterable[str]) -> str:
    """Return names in quotation marks, joined by "or"."""
    quoted = [f"“{name}”" for name in dict.fromkeys(names)]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def list_unsaid_words(question: str, texts: Sequence[str]) -> tuple[list[str], float]:
    """The words of a question that mean something and stand in none of the texts, in their order, and the
    share of those that do; none and 1 where the question's language is not read.

    What only says which kind of answer is asked for, "what year", is none of them.
    """
    read = read_question(question, guess_language(question))
    if read is None:
        return [], 1.0
    asked_words = [
        word
        for index, word in enumerate(read.words)
        if read.parse.upos[index] in _MEANS and stems(word) and not _has_interrogative(read, index)
    ]
    said = frozenset[str]().union(*stems_of(texts))
    unsaid = [word for word in asked_words if said.isdisjoint(stems(word))]
    return unsaid, 1.0 - len(unsaid) / len(asked_words) if asked_words else 1.0


def _has_interrogative(question: ReadWords, word: int) -> bool:
    """Return whether an interrogative hangs on a word that is no verb: "which city", "how many"."""
    return question.parse.upos[word] != "VERB" and any(
        head == word != index and is_interrogative(question.words[index])
        for index, head in enumerate(question.parse.heads)
    )
