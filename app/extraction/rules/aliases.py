"""Names that the text itself declares to be equal: acronyms in brackets, "also known as", surnames."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.claims.suppositions import have_word_of_doubt
from app.extraction.rules.english.grammar import WORDS_OF_UNCERTAINTY
from app.extraction.rules.english.lexicon import KIND_OF, LEGAL_TAILS
from app.extraction.rules.english.relation_ends import KINDS_BY_DESCRIBING_NOUN
from app.extraction.rules.english.words.renames import (
    BORN_AS,
    FIRST_NAME_IS_FORMER,
    KNOWN_ABBREVIATIONS,
    OLD_NAME,
    PHRASES_BEFORE_SHORT_NAME,
    PRONOUNS_OF_PEOPLE,
    RENAME_VERBS,
    RENAMING,
    RENAMING_OF_OTHER,
    RENAMING_OF_SUBJECT,
    SECOND_NAME_IS_FORMER,
    WORDS_BEFORE_FORMER_NAME,
    WORDS_BEFORE_SOLE_NAME,
)
from app.extraction.rules.names.initials import is_acronym
from app.extraction.rules.names.offices import is_first_name
from app.extraction.rules.names.quoted import QUOTES, split_nickname
from app.extraction.rules.names.spans import Span
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at

_MAX_GAP_WORDS, _MAX_BRACKET_LENGTH = 8, 40
_GAPS_BEFORE_SHORT_NAME = frozenset((("(", '"'), ("(", "“"), ("(", "short", ":")))
_MAX_DESCRIPTION_LENGTH, _MAX_LEAD_LENGTH, _MAX_LABEL_LENGTH = 4, 12, 6
_WORDS_BEFORE_PARTY = frozenset(("and", ")", "between", ":", ";", "with", "by"))
"""Words before the name of a party to an agreement."""
# Actions of one thing on another: two names joined by such a word are two things, whatever other names they
# have.
_DISTINGUISHING_VERBS = split_into_word_set("""
    replaced replaces superseded supersedes succeeded acquired acquires bought owns owned forked based derived
    merged
""")
# "called" joins two names only after a form of "be": "owns a shop called B" does not rename the owner.
_NEEDS_BE = re.compile(r"^(?:called|named)\b")


class Alias(NamedTuple):
    """Two names of one thing, as indexes into the spans.

    `is_ordered`: the words between them say that the first one is the current name. `is_short`: the second
    one is valid in this document only.
    """

    name_index: int
    other_name_index: int
    is_ordered: bool = False
    is_short: bool = False


class SpanPair(NamedTuple):
    """Two spans of a sentence by their indexes."""

    left_index: int
    right_index: int


def find_aliases(sentence: Sentence, spans: list[Span]) -> list[Alias]:
    """Return the pairs of names that the sentence declares to be one thing; none for a question or a
    rumour.
    """
    if sentence.lower[-1] == "?" or not WORDS_OF_UNCERTAINTY.isdisjoint(sentence.lower):
        return []
    pairs = _find_alias_pairs(sentence, spans)
    return [
        *(_order_alias(sentence, spans, left_index, right_index) for left_index, right_index in pairs),
        *(
            alias
            for alias in _find_defined_labels(sentence, spans)
            if (alias.name_index, alias.other_name_index) not in pairs
        ),
    ]


def _find_defined_labels(sentence: Sentence, spans: list[Span]) -> Iterator[Alias]:
    """Yield each name with the label that a bracket defines for it: 'Olivar S.L., Jaén ("the Supplier")'.

    The name is the first one of its phrase: an address may be between it and the bracket.
    """
    for index, label in enumerate(spans):
        opening_words = sentence.words[max(0, label.first - _MAX_LABEL_LENGTH) : label.first]
        closing_words = sentence.words[label.last : label.last + 2]
        if "(" not in opening_words or closing_words[1:] != [")"] or closing_words[0] not in QUOTES:
            continue
        bracket_index = label.first - 1 - opening_words[::-1].index("(")
        bracket_words = sentence.lower[bracket_index + 1 : label.first]
        # 'Ann Lee ("Mia")' may be two people.
        is_label = "the" in bracket_words and not QUOTES.isdisjoint(bracket_words)
        if index == 0 or not is_label or spans[index - 1].last > bracket_index:
            continue
        name_index = index - 1
        while name_index > 0 and _WORDS_BEFORE_PARTY.isdisjoint(
            sentence.lower[spans[name_index - 1].last : spans[name_index].first]
        ):
            name_index -= 1
        yield Alias(name_index, index, is_short=True)


class OtherName(NamedTuple):
    """The first name of a sentence is another name of the subject of the previous sentence.

    `is_for_person`: the subject is a person. `is_former`: the name is the former one.
    """

    is_for_person: bool
    is_former: bool


def find_renaming_of_opening_pronoun(sentence: Sentence, spans: list[Span]) -> OtherName | None:
    """Return the other name that the sentence gives to "it", "she" or "the company" at its beginning; None
    without one.
    """
    if (
        not spans
        or not 1 < spans[0].first <= _MAX_LEAD_LENGTH
        or have_word_of_doubt(sentence.lower[: spans[0].first])
    ):
        return None
    match = RENAMING_OF_SUBJECT.fullmatch(" ".join(sentence.lower[: spans[0].first]))
    if match is None or sentence.lower[-1] == "?":
        return None
    described_as, wording = match["who"] or match["whose"], match["said"] or ""
    if described_as.startswith("the ") and described_as[4:] not in KINDS_BY_DESCRIBING_NOUN:
        return None
    if match["who"] and not (
        KNOWN_ABBREVIATIONS.fullmatch(wording)
        and RENAMING.search(wording)
        and not RENAMING_OF_OTHER.fullmatch(wording)
    ):
        return None
    matched_text = match[0]
    is_former = (
        SECOND_NAME_IS_FORMER.search(wording) is not None
        or re.search(r" (?:former|old|original|previous) ", matched_text) is not None
    )
    return OtherName(described_as in PRONOUNS_OF_PEOPLE, is_former)


def _order_alias(sentence: Sentence, spans: list[Span], left_index: int, right_index: int) -> Alias:
    gap = sentence.lower[spans[left_index].last : spans[right_index].first]
    gap_text = " ".join(gap)
    # "Eva Dale, née Stone": "Stone" alone identifies nobody outside the text.
    is_maiden_name = gap[-1:] == ["née"] and spans[right_index].last - spans[right_index].first == 1
    if SECOND_NAME_IS_FORMER.search(gap_text):
        return Alias(left_index, right_index, is_ordered=True, is_short=is_maiden_name)
    if FIRST_NAME_IS_FORMER.search(gap_text) or gap == ["to"]:
        return Alias(right_index, left_index, is_ordered=True)
    return Alias(left_index, right_index)


def _find_alias_pairs(sentence: Sentence, spans: list[Span]) -> list[SpanPair]:
    """Return pairs of indexes into `spans` that the sentence declares to be one thing."""
    pairs: list[SpanPair] = []
    words, lower_words = sentence.words, sentence.lower
    for left_index in range(len(spans) - 1):
        left_span, right_span = spans[left_index], spans[left_index + 1]
        gap = lower_words[left_span.last : right_span.first]
        if not gap:
            continue
        if gap[0] == "(":
            pairs.extend(_find_alias_after_bracket(sentence, spans, left_index))
        if len(gap) > _MAX_GAP_WORDS:
            continue
        if gap[0] == "(" and (len(gap) == 1 or tuple(gap) in _GAPS_BEFORE_SHORT_NAME):
            pairs.extend(_find_short_name_in_bracket(sentence, spans, left_index, is_quoted=len(gap) > 1))
            continue
        gap_text = " ".join(gap)
        # "Shan, Kaman, or Zerbadee" is a list.
        if gap[:2] == [",", "or"] and left_span.first > 0 and words[left_span.first - 1] == ",":
            continue
        is_new_name = gap in (["to"], ["as"]) and _follows_renamed(lower_words, left_span)
        if is_new_name or (
            gap in (["is"], ["was"])
            and _follows_former_name_of(lower_words, left_span)
            and _ends_phrase(lower_words, right_span)
        ):
            pairs.append(SpanPair(left_index, left_index + 1))
        elif _declares_other_name(sentence, gap_text, left_span, right_span):
            pairs.extend(
                SpanPair(left_index, alias_index)
                for alias_index in _list_aliases_in_row(lower_words, spans, left_index, gap[0] == "(")
            )
    return pairs


def _find_short_name_in_bracket(
    sentence: Sentence, spans: list[Span], left_index: int, *, is_quoted: bool
) -> Iterator[SpanPair]:
    """Yield the pair of a name and the short name, or the ticker, that a bracket after it opens with."""
    if not is_quoted and _are_firm_exchange_and_ticker(sentence, spans[left_index : left_index + 3]):
        yield SpanPair(left_index, left_index + 2)
    elif _is_short_name_in_bracket(sentence, spans[left_index], spans[left_index + 1], is_quoted=is_quoted):
        yield SpanPair(left_index, left_index + 1)


def _is_short_name_in_bracket(
    sentence: Sentence, long_name: Span, short_name: Span, *, is_quoted: bool
) -> bool:
    """Return whether one name is short for the other: "Acme Corp (AC)", 'Zenith Systems ("Zenith")'."""
    words, lower_words = sentence.words, sentence.lower
    if not is_quoted and lower_words[short_name.last : short_name.last + 2] in PHRASES_BEFORE_SHORT_NAME:
        return True
    long_words, short_words = (
        words[long_name.first : long_name.last],
        words[short_name.first : short_name.last],
    )
    if is_quoted and short_words == long_words[: len(short_words)]:
        return True
    if not is_quoted and words[short_name.last : short_name.last + 1] not in ([")"], [","], [";"]):
        return False
    return (len(short_words) == 1 and is_acronym(short_words[0], long_words)) or (
        len(long_words) == 1 and is_acronym(long_words[0], short_words)
    )


def _are_firm_exchange_and_ticker(sentence: Sentence, spans: list[Span]) -> bool:
    """Return whether three names are a firm, an exchange and the firm's ticker: "Acme plc (LSE: ACM)"."""
    if len(spans) < 3:
        return False
    words, (firm, exchange, ticker) = sentence.words, spans
    last_word = sentence.lower[firm.last - 1].rstrip(".")
    return (
        (last_word in LEGAL_TAILS or KIND_OF.get(last_word) == "Organization")
        and words[exchange.first : ticker.last + 1] == [words[exchange.first], ":", words[ticker.first], ")"]
        and words[exchange.first].isupper()
        and words[ticker.first].isupper()
    )


def _ends_phrase(lower_words: list[str], span: Span) -> bool:
    """Return whether a name ends its phrase: a punctuation mark, "in 2021" or the end of the sentence
    follows.
    """
    next_words = lower_words[span.last : span.last + 1]
    return (
        not next_words
        or not next_words[0][0].isalnum()
        or next_words[0] in ("in", "on", "at", "until", "since", "and")
    )


def _declares_other_name(sentence: Sentence, gap_text: str, name_span: Span, other_span: Span) -> bool:
    """Return whether the words between two names declare both to be names of one thing."""
    if (
        not KNOWN_ABBREVIATIONS.fullmatch(gap_text)
        or _NEEDS_BE.match(gap_text)
        or RENAMING_OF_OTHER.fullmatch(gap_text)
    ):
        return False
    if not WORDS_BEFORE_SOLE_NAME.fullmatch(gap_text):
        return _may_second_name_belong_to_span(sentence, name_span)
    if gap_text in BORN_AS and not _is_full_name(sentence, other_span):
        return False
    is_at_opening = name_span.first <= 1 or sentence.lower[name_span.first - 1] in (",", ";", "and")
    is_parenthetic = gap_text[0] == "(" or gap_text in BORN_AS
    return (
        _ends_phrase(sentence.lower, other_span)
        and (is_parenthetic or is_at_opening)
        and _may_second_name_belong_to_span(sentence, name_span)
    )


def _is_full_name(sentence: Sentence, span: Span) -> bool:
    """Return whether a name has the form of a person's first name and surname."""
    words = sentence.words[span.first : span.last]
    return len(words) > 1 and all(word[0].isupper() for word in words) and is_first_name(words[0].lower())


def _follows_renamed(lower_words: list[str], old_name: Span) -> bool:
    """Return whether "renamed" or "name from" leads to a name: "renamed its product Falcon to Kestrel"."""
    words_before = lower_words[max(0, old_name.first - _MAX_DESCRIPTION_LENGTH) : old_name.first]
    if have_word_of_doubt(lower_words[: old_name.first]):
        return False
    return words_before[-2:] in WORDS_BEFORE_FORMER_NAME or (
        not RENAME_VERBS.isdisjoint(words_before)
        and not {"from", "in", "to", "as", "by", ","} & set(words_before)
    )


def _follows_former_name_of(lower_words: list[str], span: Span) -> bool:
    """Return whether "the former name of" precedes a name."""
    text_before = " ".join(lower_words[max(0, span.first - 5) : span.first])
    return re.search(rf"{OLD_NAME} of(?: the)?$", text_before) is not None


def _list_aliases_in_row(
    lower_words: list[str], spans: list[Span], left_index: int, is_in_bracket: bool
) -> Iterator[int]:
    """Yield the indexes of the names after "also known as": both of "B or C", in brackets also of '"B" and
    "C"'.
    """
    yield left_index + 1
    for index in range(left_index + 2, len(spans)):
        words_between = lower_words[spans[index - 1].last : spans[index].first]
        if words_between != ["or"] and not (is_in_bracket and words_between == ['"', "and", '"']):
            return
        yield index


def _find_alias_after_bracket(sentence: Sentence, spans: list[Span], left_index: int) -> list[SpanPair]:
    """Return the pair of a name and the one after its bracket: "Ann Lee (born 1980 in Oslo), known as
    Lia".
    """
    lower_words, bracket_start = sentence.lower, spans[left_index].last
    bracket_words = lower_words[bracket_start : bracket_start + _MAX_BRACKET_LENGTH]
    if ")" not in bracket_words or not _may_second_name_belong_to_span(sentence, spans[left_index]):
        return []
    bracket_end = bracket_start + bracket_words.index(")") + 1
    right_index = next(
        (index for index in range(left_index + 1, len(spans)) if spans[index].first >= bracket_end), None
    )
    if right_index is None or spans[right_index].first - bracket_end > _MAX_GAP_WORDS:
        return []
    gap_text = " ".join(lower_words[bracket_end : spans[right_index].first])
    return (
        [SpanPair(left_index, right_index)]
        if gap_text.startswith(",") and KNOWN_ABBREVIATIONS.fullmatch(gap_text)
        else []
    )


def _may_second_name_belong_to_span(sentence: Sentence, span: Span) -> bool:
    """Return whether a second name after this one belongs to it and not to the head of its phrase.

    "The company of A, later known as B" names the company; "the new A was renamed B" does not name the
    well-known A.
    """
    word_before = word_at(sentence.lower, span.first - 1)
    if word_before == "the" and span.first > 1:
        word_before = sentence.lower[span.first - 2]
    first_word = sentence.lower[span.first] if span.last - span.first > 1 else ""
    return word_before not in ("of", "new", "'s", "’s") and first_word != "new"


def find_pairs_of_different_things(sentence: Sentence, spans: list[Span]) -> list[SpanPair]:
    """Return pairs of indexes into `spans` where the sentence says that one thing replaced or acquired the
    other.
    """
    pairs: list[SpanPair] = []
    for left_index in range(len(spans) - 1):
        gap = sentence.lower[spans[left_index].last : spans[left_index + 1].first]
        if 0 < len(gap) <= 5 and not _DISTINGUISHING_VERBS.isdisjoint(gap):
            pairs.append(SpanPair(left_index, left_index + 1))
    return pairs


def can_be_one_person(words: list[str], other_words: list[str]) -> bool:
    """Return whether two full names can belong to one person: the same surname, and compatible first names,
    nicknames or initials.
    """
    if words[-1] != other_words[-1] or len(words) < 2 or len(other_words) < 2:
        return False
    words, nickname = split_nickname(words)
    other_words, other_nickname = split_nickname(other_words)
    if other_words[0] == nickname or words[0] == other_nickname:
        return True
    first_name, other_first_name = words[0].rstrip("."), other_words[0].rstrip(".")
    if first_name != other_first_name and not (
        (len(first_name) <= 2 or len(other_first_name) <= 2) and first_name[:1] == other_first_name[:1]
    ):
        return False
    middle_initials, other_middle_initials = (
        [word[0] for word in words[1:-1]],
        [word[0] for word in other_words[1:-1]],
    )
    return not middle_initials or not other_middle_initials or middle_initials[0] == other_middle_initials[0]
