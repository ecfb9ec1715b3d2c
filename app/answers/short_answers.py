"""Find the short answer in a sentence: the name, date or number that a question asks for; pure.

The trained chooser determines the kind from the question's words. A sentence that says less than half of what
the question asks about has no short answer: its date or name would answer something else. Candidates of that
kind are ranked by their distance to the question's words; words of the question itself are not candidates. If
the question's language has a parser, a candidate in the grammatical role of the interrogative is preferred.
None is returned if the question asks for something else, or if two candidates rank alike: a wrong name is
worse than the sentence alone.
"""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.answers.chooser.model import load_chooser
from app.answers.clause_support import CORE_ROLES, ParsedSentence, parse_question, parse_sentence_with_names
from app.answers.question_period import Period, find_period
from app.answers.shapes import AnswerSpan, SpanKind
from app.answers.text_matching import fold_to_spaced_lower_case, list_question_tokens, list_question_words
from app.documents.language import guess_language
from app.domain.char_range import CharRange
from app.domain.scoring.keywords import count_unspaced_characters, list_related_words, list_stems
from app.extraction.reader.languages import load_parser
from app.extraction.reader.pipeline import Name
from app.graph.name_forms import is_interrogative
from app.graph.names import MONTHS_AND_DAYS
from app.graph.questions import capitalises_nouns, find_capitalised_names_in_question, is_yes_no_question

YEAR_LIKELIHOOD, NUMBER_LIKELIHOOD, NAME_LIKELIHOOD = 0.15, 0.28, 0.65
"""Likelihoods from which a question asks for a kind; the chooser computes them for its own `KINDS`."""
MIN_NAME_CONFIDENCE = 0.4
"""Confidence of the name tagger from which a name is a candidate."""
MIN_LEAD_FACTOR = 1.5
"""Factor by which the best candidate must exceed the next."""
ASKED_ROLE_FACTOR = 6.0
"""Factor for a candidate in the role that is asked for."""
MIN_SHARE_OF_WORDS, MIN_SHARE_OF_UNSPACED_PAIRS = 0.5, 0.3
"""Least share of the question's words that the sentence must contain. In a script without spaces, words are
pairs of characters, and many a pair joins two words. Record 137 has what each value keeps.
"""
_CONTENT_TAGS = frozenset({"ADJ", "NOUN", "NUM", "PROPN", "VERB"})
_ADDED_DISTANCE = 5
"""Added to each distance in characters, so that small distances differ little."""
_MIN_WORD_LENGTH, _MAX_ENDING_LENGTH = 4, 2
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
_BRACKET = re.compile(r" ?[(（]([^()（）]*)[)）]")
_POSSESSIVE = re.compile(r"['’]s?\Z")


@dataclass(frozen=True, slots=True)
class _ParsedPair:
    """A parsed question and a parsed sentence, with the ranges of the names in the sentence."""

    question: ParsedSentence
    sentence: ParsedSentence
    name_ranges: Sequence[CharRange]


def find_short_answer(question: str, text: str, sentence_index: int) -> AnswerSpan | None:
    """Return the short answer in the sentence `text` with this index in the answer. Return None if the
    question asks for no name, date or number, or if no candidate is clearly the best.
    """
    kind = find_kind_asked(question)
    if kind is None:
        return None
    parsed_pair = _parse_question_and_sentence(question, text)
    positions_by_word = _list_char_starts_by_question_word(question, text)
    if not (
        _has_half_of_asked_words(parsed_pair, kind)
        if parsed_pair
        else _has_enough_question_words(positions_by_word)
    ):
        return None
    asked_words = _AskedWords(
        frozenset(fold_to_spaced_lower_case(question).split()), list_stems(question), find_period(question)
    )
    is_asked_by_predicate = _flag_predicates_with_asked_subject(parsed_pair) if parsed_pair else {}
    candidates = [
        (start, end)
        for start, end in dict.fromkeys(_list_candidates(kind, text, parsed_pair))
        if _does_candidate_add_word_to_question(asked_words, text, kind, (start, end))
        and not (
            parsed_pair
            and _belongs_to_clause_of_other_name(parsed_pair.sentence, is_asked_by_predicate, start)
        )
    ]
    ranges_in_role = _list_ranges_in_asked_role(parsed_pair) if parsed_pair else []
    word_positions = [position for positions in positions_by_word.values() for position in positions]

    def score_candidate(candidate: CharRange) -> float:
        start, end = candidate
        is_in_role = any(
            start <= range_begin and range_end <= end for range_begin, range_end in ranges_in_role
        )
        return _compute_nearness(candidate, word_positions) * (ASKED_ROLE_FACTOR if is_in_role else 1.0)

    score_by_candidate = {candidate: score_candidate(candidate) for candidate in candidates}
    ranked_candidates = sorted(candidates, key=lambda candidate: (-score_by_candidate[candidate], candidate))
    if not ranked_candidates or (
        len(ranked_candidates) > 1
        and score_by_candidate[ranked_candidates[0]]
        < MIN_LEAD_FACTOR * score_by_candidate[ranked_candidates[1]]
    ):
        return None
    start, end = ranked_candidates[0]
    return AnswerSpan(kind, text[start:end], sentence_index, start, end)


class _AskedWords(NamedTuple):
    """The folded words and the stems of a question, and the period that it asks about."""

    words: frozenset[str]
    stems: frozenset[str]
    period: Period | None


def _does_candidate_add_word_to_question(
    asked: _AskedWords, text: str, kind: SpanKind, candidate: CharRange
) -> bool:
    """Return whether a candidate has a word that is not in the question, and does not belong to a name in
    it.
    """
    start, end = candidate
    words = set(fold_to_spaced_lower_case(text[start:end]).split())
    if kind is not SpanKind.NAME:
        return not words <= asked.words
    return (
        not words <= asked.words | MONTHS_AND_DAYS
        # "Super Bowls" is no answer to a question about the Super Bowl.
        and not list_stems(text[start:end]) <= asked.stems
        and not _continues_with_asked_word(text, end, asked.words)
        and not _do_years_after_name_exclude_period(asked.period, text, end)
    )


def _do_years_after_name_exclude_period(period: Period | None, text: str, end: int) -> bool:
    """Return whether the years in brackets after a name exclude the period asked about: "Gold Press
    (1962–1984), Arc Press (1984–1990)".
    """
    match = _BRACKET.match(text, end) if period is not None else None
    return match is not None and period is not None and not period.overlaps_years_of(match[1])


def _continues_with_asked_word(text: str, end: int, asked_words: Container[str]) -> bool:
    """Return whether a name goes on with a word of the question: "Dr." before the name asked about."""
    match = _WORD.match(text, end + 1) if text[end : end + 1] == " " else None
    return (
        match is not None
        and match[0][0].isupper()
        and fold_to_spaced_lower_case(match[0]).strip() in asked_words
    )


def _flag_predicates_with_asked_subject(parsed_pair: _ParsedPair) -> dict[int, bool]:
    """Return the sentence's words with a name as their subject, and whether that name is asked about."""
    question, sentence = parsed_pair.question, parsed_pair.sentence
    asked_forms = frozenset[str]().union(
        *(forms for forms, upos in zip(question.forms, question.parse.upos, strict=True) if upos == "PROPN")
    )
    return {
        head_index: any(sentence.forms[part] & asked_forms for part in sentence.list_descendants(index))
        for index, head_index in enumerate(sentence.parse.heads)
        if sentence.parse.relations[index].startswith("nsubj") and sentence.parse.upos[index] == "PROPN"
    }


def _belongs_to_clause_of_other_name(
    sentence: ParsedSentence, is_asked_by_predicate: Mapping[int, bool], start: int
) -> bool:
    """Return whether a candidate is in the clause of another name while the one asked about has a clause of
    its own: "Ida came in May, Eva in June" for "When did Eva come?"
    """
    if not any(is_asked_by_predicate.values()):
        return False
    word_index = next((index for index, (_, end) in enumerate(sentence.ranges) if end > start), None)
    if word_index is None:
        return False
    predicate_index = next(
        (
            index
            for index in (word_index, *sentence.iterate_ancestors(word_index))
            if index in is_asked_by_predicate
        ),
        None,
    )
    return predicate_index is not None and not is_asked_by_predicate[predicate_index]


def find_kind_asked(question: str) -> SpanKind | None:
    """Return the kind of short answer that a question asks for; None if it is no such kind or not clear."""
    if is_yes_no_question(question):
        return None
    number_likelihood, year_likelihood, name_likelihood = load_chooser().score_kinds_asked(
        list_question_tokens(question)
    )
    figure_likelihood = number_likelihood + year_likelihood
    if (
        year_likelihood >= YEAR_LIKELIHOOD
        and figure_likelihood >= 2 * NUMBER_LIKELIHOOD
        and figure_likelihood > name_likelihood
    ):
        return SpanKind.DATE
    if number_likelihood >= NUMBER_LIKELIHOOD and number_likelihood > name_likelihood:
        return SpanKind.NUMBER
    return SpanKind.NAME if name_likelihood >= NAME_LIKELIHOOD else None


def _parse_question_and_sentence(question: str, text: str) -> _ParsedPair | None:
    """Return the parsed question and text; None if the question's language has no parser."""
    language = guess_language(question)
    pipeline = load_parser(language) if language else None
    if pipeline is None or not any(map(str.isalnum, text)):
        return None
    parsed_question = parse_question(question, language)
    if parsed_question is None:
        return None
    parsed_sentence, tagged_names = parse_sentence_with_names(text, pipeline)
    asked_word = _find_asked_word_with_head(parsed_question)
    asks_for_doer = (
        asked_word is not None and parsed_question.get_syntactic_role(asked_word.word_index) == "doer"
    )
    name_ranges = [
        _remove_possessive(
            text, parsed_sentence.ranges[name.first][0], parsed_sentence.ranges[name.last - 1][1]
        )
        for name in tagged_names
        if name.confidence >= MIN_NAME_CONFIDENCE
        and not _does_possessive_follow_name(parsed_sentence, name.last)
        and not (asks_for_doer and _is_name_circumstance_or_modifier(parsed_sentence, name))
    ]
    return _ParsedPair(parsed_question, parsed_sentence, name_ranges)


def _is_name_circumstance_or_modifier(sentence: ParsedSentence, name: Name) -> bool:
    """Return whether a name is in a prepositional phrase or only describes a noun: who won "in Africa", or
    with "the Hauteville leader", is neither.
    """
    for index in range(name.first, name.last):
        head_index = sentence.parse.heads[index]
        if name.first <= head_index < name.last or head_index == index:
            continue
        role = sentence.get_syntactic_role(index)
        if role == "compound" and sentence.parse.upos[head_index] == "NOUN":
            return True
        if role in ("obl", "nmod") and sentence.list_prepositions(index):
            return True
    return False


def _does_possessive_follow_name(sentence: ParsedSentence, name_end: int) -> bool:
    """Return whether a possessive follows a name: "Mona Lind's successor" is not Mona Lind."""
    return (
        name_end < len(sentence.words)
        and sentence.parse.relations[name_end] == "case"
        and _POSSESSIVE.fullmatch(sentence.words[name_end]) is not None
    )


def _remove_possessive(text: str, start: int, end: int) -> CharRange:
    match = _POSSESSIVE.search(text, start, end)
    return start, match.start() if match else end


def _list_candidates(kind: SpanKind, text: str, parsed_pair: _ParsedPair | None) -> list[CharRange]:
    """Return the ranges of the dates, numbers or names in the text. Names need a parser, or a script with
    capitals.
    """
    if kind is SpanKind.DATE:
        return [match.span() for match in _DATE.finditer(text)]
    if kind is SpanKind.NUMBER:
        date_ranges = [match.span() for match in _DATE.finditer(text) if not match[0].isdecimal()]
        number_ranges = [
            (start, end)
            for start, end in (match.span() for match in _NUMBER.finditer(text))
            if not any(range_start <= start and end <= range_end for range_start, range_end in date_ranges)
        ]
        return number_ranges + (_list_ranges_of_numerals(parsed_pair) if parsed_pair else [])
    if parsed_pair is not None:
        return list(parsed_pair.name_ranges)
    if capitalises_nouns(text):
        return []
    # A word that begins a text is in capitals anyhow.
    list_mark = "- "
    mentions = find_capitalised_names_in_question(f"{list_mark}{text}")
    # The range of a name has the full stop of the sentence and a possessive ending, its surface has not.
    starts = [text.index(mention.surface, mention.start - len(list_mark)) for mention in mentions]
    return [(start, start + len(mention.surface)) for mention, start in zip(mentions, starts, strict=True)]


def _list_ranges_of_numerals(parsed_pair: _ParsedPair) -> list[CharRange]:
    """Return the ranges of numbers written as words."""
    sentence = parsed_pair.sentence
    return [
        span
        for span, word, upos in zip(sentence.ranges, sentence.words, sentence.parse.upos, strict=True)
        if upos == "NUM" and word.isalpha() and not word.isupper()
    ]


def _list_ranges_in_asked_role(parsed_pair: _ParsedPair) -> list[CharRange]:
    """Return the words that have the same role under the question's predicate as the interrogative has in the
    question.
    """
    question, sentence = parsed_pair.question, parsed_pair.sentence
    asked_word = _find_asked_word_with_head(question)
    if asked_word is None:
        return []
    return [
        sentence.ranges[word_index]
        for word_index, predicate_index in enumerate(sentence.parse.heads)
        if word_index != predicate_index
        and sentence.forms[predicate_index] & question.forms[asked_word.head_index]
        and sentence.get_syntactic_role(word_index) == question.get_syntactic_role(asked_word.word_index)
    ]


class _AskedWord(NamedTuple):
    """The index of a question's interrogative or its noun, and of the word on which it depends."""

    word_index: int
    head_index: int


def _find_asked_word_with_head(question: ParsedSentence) -> _AskedWord | None:
    """Return the interrogative of a question, or the noun that it belongs to; None if it is the root."""
    index = next((index for index, word in enumerate(question.words) if is_interrogative(word)), None)
    if index is None:
        return None
    head_index = question.parse.heads[index]
    if question.parse.upos[head_index] in ("NOUN", "PROPN"):  # "Which player led …?"
        index, head_index = head_index, question.parse.heads[head_index]
    return None if head_index == index else _AskedWord(index, head_index)


def _states_other_verb_of_same_subject(parsed_pair: _ParsedPair) -> bool:
    """Return whether no word of the sentence says the question's verb, while another verb has the same word
    as the same subject or object: "Ruiz visited Norte" for "Who founded Norte?"
    """
    question, sentence = parsed_pair.question, parsed_pair.sentence
    asked_word = _find_asked_word_with_head(question)
    if asked_word is None or question.parse.upos[asked_word.head_index] != "VERB":
        return False
    verb_forms = question.forms[asked_word.head_index]
    verb_forms = verb_forms.union(*map(list_related_words, verb_forms))
    if not all(verb_forms.isdisjoint(word_forms) for word_forms in sentence.forms):
        return False
    arguments = [
        (question.get_syntactic_role(word_index), question.forms[word_index])
        for word_index, head_index in enumerate(question.parse.heads)
        if head_index == asked_word.head_index
        and word_index not in asked_word
        and question.get_syntactic_role(word_index) in CORE_ROLES
    ]
    return any(
        sentence.parse.upos[head_index] == "VERB"
        and sentence.get_syntactic_role(word_index) == role
        and sentence.forms[word_index] & argument_forms
        for word_index, head_index in enumerate(sentence.parse.heads)
        if word_index != head_index
        for role, argument_forms in arguments
    )


def _has_half_of_asked_words(parsed_pair: _ParsedPair, kind: SpanKind) -> bool:
    """Return whether the sentence has half of the question's content words, and for a name one besides names:
    "Who is Ada Moss?" asks for no name, and who founded a company is not whatever is named beside it, nor who
    did something else to it.
    """
    question = parsed_pair.question
    sentence_forms = frozenset[str]().union(*parsed_pair.sentence.forms)
    content_indices = [
        index
        for index, upos in enumerate(question.parse.upos)
        if upos in _CONTENT_TAGS and not is_interrogative(question.words[index])
    ]
    said_indices = [index for index in content_indices if question.forms[index] & sentence_forms]
    is_name_alone = all(question.parse.upos[index] == "PROPN" for index in said_indices)
    if kind is SpanKind.NAME and (is_name_alone or _states_other_verb_of_same_subject(parsed_pair)):
        return False
    return len(said_indices) >= MIN_SHARE_OF_WORDS * len(content_indices)


def _has_enough_question_words(positions_by_word: Mapping[str, Sequence[int]]) -> bool:
    """Return whether enough of the question's words occur in the sentence."""
    min_share = (
        MIN_SHARE_OF_UNSPACED_PAIRS
        if any(map(count_unspaced_characters, positions_by_word))
        else MIN_SHARE_OF_WORDS
    )
    return sum(map(bool, positions_by_word.values())) >= min_share * len(positions_by_word)


def _list_char_starts_by_question_word(question: str, text: str) -> dict[str, list[int]]:
    """Return each word of the question with the positions at which it begins in the text, in any inflected
    form. Short words are left out, except in scripts without spaces.
    """
    positions_by_word: dict[str, list[int]] = {
        word: []
        for word, _ in list_question_words(question)
        if len(word) >= _MIN_WORD_LENGTH or count_unspaced_characters(word)
    }
    prefix_by_word = {
        word: word[:-_MAX_ENDING_LENGTH] if len(word) >= _MIN_WORD_LENGTH + _MAX_ENDING_LENGTH else word
        for word in positions_by_word
    }
    for match in _WORD.finditer(text):
        word = fold_to_spaced_lower_case(match[0]).strip()
        if count_unspaced_characters(word):
            for asked_bigram, word_positions in positions_by_word.items():
                if asked_bigram in word:
                    word_positions.append(match.start() + word.find(asked_bigram))
        elif len(word) >= _MIN_WORD_LENGTH:
            for asked_word, prefix in prefix_by_word.items():
                if word.startswith(prefix):
                    positions_by_word[asked_word].append(match.start())
    return positions_by_word


def _compute_nearness(candidate: CharRange, positions: Sequence[int]) -> float:
    """Return a score that is the larger, the nearer a candidate is to all positions."""
    start, end = candidate
    return 1e-6 + sum(
        1 / (_ADDED_DISTANCE + (start - position if position < start else max(position - end, 0)))
        for position in positions
    )
