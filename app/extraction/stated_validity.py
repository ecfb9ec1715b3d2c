"""Denials and dates that an extractor gives, against the words of its quote; pure."""

import re
from collections import Counter
from dataclasses import replace

from app.extraction.rules.english.denials import SIGNS_OF_DENIAL
from app.extraction.shapes import FoundRelation
from app.graph.validity import DatePoint, Polarity
from app.scoring.stop_words import STOP_WORDS, word_set

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Fewer small words of English, or none that it has alone: the quote may be in any language, whose denials
# are not known here. "Am" and "in" are German too.
_ENGLISH = 2
_SHARED = word_set("a all also am an as at by des et in is it man no of on or per plus so to us was we will")


def denial_is_stated(relation: FoundRelation) -> bool:
    """Return whether the quote of a denial denies or ends anything, as far as it is English."""
    if relation.polarity is not Polarity.DENIED:
        return True
    words = {word.lower() for word in _WORD.findall(relation.quote)}
    small = words & STOP_WORDS
    return not SIGNS_OF_DENIAL.isdisjoint(words) or len(small) < _ENGLISH or small <= _SHARED


def with_stated_dates(relation: FoundRelation, drops: Counter[str]) -> FoundRelation:
    """The relation without dates of which the quote does not write the year, or that run backwards."""
    if relation.valid_from is None and relation.valid_to is None:
        return relation
    since, until = _stated(relation.valid_from, relation.quote), _stated(relation.valid_to, relation.quote)
    if since is not None and until is not None and until.at < since.at:
        since = until = None
    if (since, until) == (relation.valid_from, relation.valid_to):
        return relation
    drops["date_not_stated"] += 1
    return replace(relation, valid_from=since, valid_to=until)


def _stated(date: DatePoint | None, quote: str) -> DatePoint | None:
    return date if date is not None and str(date.at.year) in quote else None
