"""The short answer within a sentence: the name, date or number that a question asks for; pure.

Which kind is asked the trained chooser tells by the question's words. Of the candidates of that kind that the
question has not itself it is the one in the role that the question leaves open, where its language is read,
else the one that stands nearest to the question's words. None is told where the question asks for something
else, or two candidates are about as near: a wrong name is worse than the sentence alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.answers.chooser.features import fold_text, list_question_tokens, list_question_words
from app.answers.chooser.model import load_chooser
from app.answers.shapes import AnswerSpan, SpanKind
from app.answers.stated import ReadWords, read_question, read_with_names
from app.documents.language import guess_language
from app.domain.scoring.keywords import count_unspaced_characters
from app.extraction.reader.languages import load_parser
from app.graph.name_forms import is_interrogative
from app.graph.questions import capitalised_names, capitalises_nouns, is_yes_no_question

LIKELY_YEAR, LIKELY_NUMBER, LIKELY_NAME = 0.15, 0.28, 0.65
"""How likely a question must ask for a kind: the chooser's likelihoods of its own `KINDS`."""
SURE_OF_NAME = 0.4
"""How sure the reader must be of each word of a name."""
AHEAD = 1.5
"""By what factor the best candidate must be ahead of the next."""
IN_ROLE = 6.0
"""Worth of a candidate in the role that is asked for, beside others."""
_NEAR = 5
"""Characters of distance that make no great difference."""
_SHORTEST_WORD, _LONGEST_ENDING = 4, 2
_MONTH = r"[^\W\d_]{3,}\.?"
_DATE = re.compile(
    r"\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?"  # 1973年7月1日
    # 8 de febrero de 2007, 8th February 2007, 8. Februar 2007
    rf"|(?<!\w)\d{{1,2}}(?:st|nd|rd|th|[.ºª])? (?:de )?{_MONTH} (?:del? )?\d{{4}}(?!\w)"
    rf"|(?<!\w)[^\W\d_a-z]{_MONTH} \d{{1,2}}, \d{{4}}(?!\w)"  # January 27, 1967
    r"|(?<![\w.,])(?:1\d|20)\d\d(?!\w|[.,]\d)"
)
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,\u00a0 ]\d{3})*(?:[.,]\d+)?(?: ?%)?(?!\w)")
_WORD = re.compile(r"\w+")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _ParsedPair:
    """A question and a sentence as the reader of their language reads them, with the places of the names in
    the latter.
    """

    question: ReadWords
    sentence: ReadWords
    names: Sequence[_Range]


def find_short_answer(question: str, text: str, index: int) -> AnswerSpan | None:
    """The short answer in the sentence with this index and text; None where the question asks for no such, or
    the sentence has none that is ahead of others.
    """
    kind = find_kind_asked(question)
    if kind is None:
        return None
    parsed = _parse_both(question, text)
    asked_words = set(fold_text(question).split())
    candidates = [
        (start, end)
        for start, end in dict.fromkeys(_list_candidates(kind, text, parsed))
        if (words := set(fold_text(text[start:end]).split())) and not words <= asked_words
    ]
    in_role = _in_asked_role(parsed) if parsed else []
    positions = _list_positions_of_question_words(question, text)

    def worth(candidate: _Range) -> float:
        start, end = candidate
        fits = any(start <= begin and until <= end for begin, until in in_role)
        return _compute_nearness(candidate, positions) * (IN_ROLE if fits else 1.0)

    worths = {candidate: worth(candidate) for candidate in candidates}
    ranked = sorted(candidates, key=lambda candidate: (-worths[candidate], candidate))
    if not ranked or (len(ranked) > 1 and worths[ranked[0]] < AHEAD * worths[ranked[1]]):
        return None
    start, end = ranked[0]
    return AnswerSpan(kind, text[start:end], index, start, end)


def find_kind_asked(question: str) -> SpanKind | None:
    """Which kind of short answer a question asks for; None where it is none of them, or is not clear."""
    if is_yes_no_question(question):
        return None
    number, year, name = load_chooser().kinds_asked(list_question_tokens(question))
    if year >= LIKELY_YEAR and number + year >= 2 * LIKELY_NUMBER and number + year > name:
        return SpanKind.DATE
    if number >= LIKELY_NUMBER and number > name:
        return SpanKind.NUMBER
    return SpanKind.NAME if name >= LIKELY_NAME else None


def _parse_both(question: str, text: str) -> _ParsedPair | None:
    """The question and the text as the reader of the question's language reads them; None without one."""
    language = guess_language(question)
    pipeline = load_parser(language) if language else None
    if pipeline is None or not any(map(str.isalnum, text)):
        return None
    asked = read_question(question, language)
    if asked is None:
        return None
    sentence, tagged_names = read_with_names(text, pipeline)
    names = [
        _remove_possessive(text, sentence.ranges[name.first][0], sentence.ranges[name.last - 1][1])
        for name in tagged_names
        if name.confidence >= SURE_OF_NAME
    ]
    return _ParsedPair(asked, sentence, names)


def _remove_possessive(text: str, start: int, end: int) -> _Range:
    match = _POSSESSIVE.search(text, start, end)
    return start, match.start() if match else end


def _list_candidates(kind: SpanKind, text: str, parsed: _ParsedPair | None) -> list[_Range]:
    """Where the sentence has dates, numbers or names; names of no script without capitals."""
    if kind is SpanKind.DATE:
        return [match.span() for match in _DATE.finditer(text)]
    if kind is SpanKind.NUMBER:
        return [match.span() for match in _NUMBER.finditer(text)] + (_list_numerals(parsed) if parsed else [])
    if parsed is not None:
        return list(parsed.names)
    if capitalises_nouns(text):
        return []
    # A word that begins a text is in capitals anyhow.
    opening = "- "
    return [
        (name.start - len(opening), name.end - len(opening)) for name in capitalised_names(f"{opening}{text}")
    ]


def _list_numerals(parsed: _ParsedPair) -> list[_Range]:
    """Where the sentence has numbers in words."""
    sentence = parsed.sentence
    return [
        span
        for span, word, upos in zip(sentence.ranges, sentence.words, sentence.parse.upos, strict=True)
        if upos == "NUM" and word.isalpha() and not word.isupper()
    ]


def _in_asked_role(parsed: _ParsedPair) -> list[_Range]:
    """The words that are to the question's predicate, in the sentence, what the interrogative is to it."""
    question, sentence = parsed.question, parsed.sentence
    asked = next((index for index, word in enumerate(question.words) if is_interrogative(word)), None)
    if asked is None:
        return []
    head = question.parse.heads[asked]
    if question.parse.upos[head] in ("NOUN", "PROPN"):  # "Which player led …?"
        asked, head = head, question.parse.heads[head]
    if head == asked:
        return []
    return [
        sentence.ranges[word]
        for word, predicate in enumerate(sentence.parse.heads)
        if word != predicate
        and sentence.forms[predicate] & question.forms[head]
        and sentence.role(word) == question.role(asked)
    ]


def _list_positions_of_question_words(question: str, text: str) -> list[int]:
    """Where in a sentence words of the question begin, in some form."""
    beginnings = [
        word[:-_LONGEST_ENDING] if len(word) >= _SHORTEST_WORD + _LONGEST_ENDING else word
        for word, _ in list_question_words(question)
    ]
    positions = []
    for match in _WORD.finditer(text):
        word = fold_text(match[0]).strip()
        if count_unspaced_characters(word):
            positions += [match.start() + word.find(part) for part in beginnings if part in word]
        elif len(word) >= _SHORTEST_WORD and any(
            word.startswith(beginning) for beginning in beginnings if len(beginning) >= _SHORTEST_WORD
        ):
            positions.append(match.start())
    return positions


def _compute_nearness(candidate: _Range, positions: Sequence[int]) -> float:
    """How near a candidate stands to all of these positions."""
    start, end = candidate
    return 1e-6 + sum(
        1 / (_NEAR + (start - position if position < start else max(position - end, 0)))
        for position in positions
    )
