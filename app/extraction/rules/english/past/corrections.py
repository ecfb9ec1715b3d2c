"""Retractions of earlier statements, as patterns over a sentence in lower case."""

import re

from app.domain.scoring.stop_words import split_into_word_set

_WRONGLY_ADVERB = "(?:incorrectly|wrongly|mistakenly|erroneously|falsely|inaccurately|in error|by mistake)"
_EARLIER_ADVERB = "(?:previously|earlier|originally|initially|first|at first)"
_TEXT = (
    "(?:version|edition|draft|article|story|report|text|post|page|notice|newsletter|release|issue|headline|caption"
    "|announcement|statement|mail|email|message|document|piece|item|column|review|interview"
    "|entry|summary|bulletin)"
)
_SAYS = (
    "(?:said|stated|reported|claimed|wrote|announced|suggested|noted|indicated|implied|asserted|mentioned"
    "|described|listed|named|identified|gave|had|misstated|misidentified|misreported)"
)
_REPORTED = (
    rf"(?:had |has )?(?:also )?(?:{_WRONGLY_ADVERB} |{_EARLIER_ADVERB} )*{_SAYS}(?: {_WRONGLY_ADVERB})?"
)
_OLDER_ADJECTIVE = (
    "(?:earlier|previous|prior|original|initial|first|older|former|print|online|early|last"
    "|yesterday 's|last week 's)"
)

RETRACTION = re.compile(
    rf"\b(?:(?:an?|the|our|this|some|in) {_OLDER_ADJECTIVE} {_TEXT}s?"
    rf"(?: of (?:this|the|our|that) (?:[a-z]+ )?{_TEXT})? (?:we )?{_REPORTED}"
    rf"|in (?:an?|the|our) (?:{_OLDER_ADJECTIVE} )?{_TEXT}(?: of [^,;:]+?)? ?,? (?:we|it) {_REPORTED}"
    rf"|(?<!as )we (?:had |have )?(?:{_EARLIER_ADVERB}|{_WRONGLY_ADVERB}) {_SAYS}(?: {_WRONGLY_ADVERB})?"
    rf"|(?:this|the|our|that) {_TEXT} (?:had |has )?(?:{_EARLIER_ADVERB}|{_WRONGLY_ADVERB}) {_SAYS}"
    rf"(?: {_WRONGLY_ADVERB})?"
    rf"|it was (?:{_EARLIER_ADVERB}|{_WRONGLY_ADVERB}) (?:said|stated|reported|announced|claimed|written)"
    r"(?: here)?"
    r"|(?:amended|corrected|updated|edited|changed|revised)(?: on [^,;:]+?)?"
    r" to (?:remove|delete|withdraw|drop|retract)"
    r"|(?:retracts?|retracted|withdraws?|withdrew|takes? back) (?:the|our|its|a|that|this) (?:[a-z]+ )?"
    r"(?:claim|statement|report|assertion|story|article)s?"
    rf"|(?:was|were|is) {_WRONGLY_ADVERB} "
    r"(?:said|stated|reported|described|listed|named|identified|introduced))\b"
)
"""The words after a match, or before a match at the end of the sentence, are retracted."""
PLAIN_RETRACTION = re.compile(rf"\b(?:{_WRONGLY_ADVERB}|misstated|misreported|misidentified)\b")
"""A retraction that says that the statement was wrong."""
SHOULD_READ = re.compile(r"\b(?:should|ought to) (?:have )?(?:read|said|be read as|been|say)\b")
"""The words before a match are retracted, the words after it are true."""
SIGNS_OF_CORRECTION = split_into_word_set("""
    version edition draft previously earlier originally initially incorrectly wrongly mistakenly erroneously
    falsely inaccurately error mistake should ought amended corrected updated edited changed revised
    retract retracts retracted withdraws withdraw withdrew issue newsletter misstated misreported
    misidentified
""")
"""Every sentence with a retraction contains one of these."""
ENDS_CORRECTION = split_into_word_set("; but however although whereas instead actually")
"""Words after which the sentence continues with what is true."""
