"""Patterns for written dates and time spans in English sentences."""

import re

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
MONTH_NUMBER_BY_PREFIX = {name[:3]: number for number, name in enumerate(MONTHS, start=1)}

WORDS_BEFORE_DATE = frozenset(("in", "on", "from", "since", "during", "between", "until"))
WORDS_IN_DATES = frozenset((*MONTHS, "to", "and", "until", "-", "–", ","))
FREQUENCY_ADVERBS = frozenset(("once", "twice", "thrice"))
"""Words for how often something was done; "three times" is recognised by its second word."""

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:1[5-9]\d\d|20\d\d|21\d\d)"
_DATE = (
    rf"(?:{_YEAR}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH},?\s+{_YEAR}"
    rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+{_YEAR}|{_MONTH},?\s+{_YEAR}|{_YEAR})(?![\w-]*\d)"
)
_VAGUE = (
    r"(?:the\s+)?(?:(?:end|beginning|start|middle|spring|summer|autumn|fall|winter)\s+of\s+"
    r"|early\s+|late\s+|mid-?\s*|around\s+|about\s+)?"
)

_EVENT = r"(?:(?:his|her|its|their|the)\s+(?:[a-z]+\s+){1,3}(?:in|on)\s+)?"

DATE_SPAN = re.compile(
    rf"\b(?:from|between)\s+{_VAGUE}({_DATE})\s+(?:to|until|till|through|and|[-–—])\s+{_EVENT}{_VAGUE}({_DATE})"
    rf"|(?<![\w-])({_YEAR})\s?[-–—]\s?({_YEAR})(?![\w-])"
)
"""A span from one date to another."""
END_DATE_WORDS = re.compile(rf"\b(?:until|till|up\s+to|through|ending\s+in)\s+{_EVENT}{_VAGUE}({_DATE})")
START_DATE_WORDS = re.compile(
    rf"\b(?:since|as\s+of|from|starting\s+in|beginning\s+in|effective)\s+{_VAGUE}({_DATE})(?:\s+on)?"
)
_DAY = (
    rf"(?:{_YEAR}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH},?\s+{_YEAR}"
    rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+{_YEAR})"
)
SINGLE_DATE = re.compile(
    rf"\b(?:in|on|during|by)\s+{_VAGUE}({_DATE})|\(\s*({_DATE})\s*\)"
    rf"|\b(?:was|is|be|ends|ended|expires|expired)\s+({_DAY})"
)
DATE_OF_VALUE = re.compile(
    rf"^(?:in|on|as\s+of|by|at|according\s+to)\s+(?:the\s+)?{_VAGUE}({_DATE})(?:\s+census)?,"
    rf"|\d[\d.,]*(?:\s+(?!and\b|or\b|[a-z]+ed\b)[^\s\d.,;]+){{0,3}}"
    rf"\s+(?:in|on|as\s+of|by|at|during)\s+(?:the\s+)?{_VAGUE}({_DATE})(?:\s+census)?[.;)\"”]*$"
    rf"|\(\s*(?:as\s+of\s+)?({_DATE})(?:\s+census)?\s*\)[.;]*$"
)
"""The date of a value, at the beginning of its sentence or after the number at its end."""
ANY_YEAR = re.compile(rf"\b{_YEAR}\b")
ANY_DATE = re.compile(rf"(?<![\w-]){_DATE}")
WRITTEN_DATE = re.compile(
    rf"(?P<iso>{_YEAR}-\d\d-\d\d)|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<month>{_MONTH}),?\s+(?P<year>{_YEAR})"
    rf"|(?P<month2>{_MONTH})\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year2>{_YEAR})"
    rf"|(?P<month3>{_MONTH}),?\s+(?P<year3>{_YEAR})|(?P<year4>{_YEAR})"
)
