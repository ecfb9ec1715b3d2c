"""Reasons for dropped entries of an extraction, in words; jobs count them as `dropped_` and the code."""

from collections.abc import Callable

COUNT_PREFIX = "dropped_"
TEXT_BY_REASON = {
    "not_in_text": "names that their text lacks",
    "unacceptable_name": "names that no node may have",
    "common_noun": "common nouns for somebody or something that the text is not about",
    "alias_of_another": "other names that the text gives to something else",
    "unknown_entity": "claims about things that were not named before",
    "unknown_relation": "claims of a relation that the space does not have",
    "ungrounded": "claims whose quote is not in the text",
    "end_not_in_quote": "claims whose quote lacks an end",
    "ends_reversed": "claims whose ends fit only the other way round",
    "quote_names_neither": "claims whose quote names neither end",
    "denial_not_stated": "denials that their quote does not state",
    "change_not_stated": "changes that their quote does not state",
    "report_not_stated": "reports whose quote does not say who claims it",
    "date_not_stated": "dates that their quote does not state",
    "date_of_other_calendar": "dates with a year copied from another calendar",
    "unreadable_date": "dates that cannot be read",
    "unknown_polarity": "claims that are neither asserted, denied, reported nor planned",
    "planned": "claims that are only planned",
    "not_confirmed": "claims that the model did not confirm when asked again",
    "unchecked": "claims that the model was asked about again and did not judge",
    "self_loop": "claims of a thing about itself",
    "low_confidence": "claims of too low a confidence",
    "bad_confidence": "claims without a confidence",
    "over_cap": "entries beyond the most that a chunk may have",
    "malformed": "malformed entries",
    "end_not_named": "claims with an end that the text does not name",
    "no_quote": "claims that no three sentences state",
    "ungrounded_attribute": "values whose quote is not in the text",
    "bad_attribute": "values of the wrong kind",
    "unknown_attribute": "values of unknown attributes",
}

NOT_CHECKED = "claims_not_checked"
"""Code of claims that are believed unasked, because the model cannot check claims; nothing is dropped."""

OTHER_LANGUAGE = "other_language"
"""Code of a chunk without a graph because of its language; it is searchable."""
NAMES_ONLY = "names_only"
"""Code of a chunk without claims: for its language names are read, but there are no rules."""
LEFT_OUT = "left_out"
"""Code of a part of a document that is in no chunk; the rest of the document is."""
CODES_OF_STORED_DOCUMENTS = frozenset((OTHER_LANGUAGE, NAMES_ONLY, LEFT_OUT))
"""Codes of errors of a job whose document is nevertheless stored and searchable."""


def build_count_name_of_drop_code(code: str) -> str:
    """Return the name by which a job counts the entries with this code."""
    return code if code == NOT_CHECKED else f"{COUNT_PREFIX}{code}"


def describe_dropped_entries(count: Callable[[str], int]) -> dict[str, int]:
    """Return the numbers of dropped entries by reason in words, most frequent first, from a job's counts."""
    counts = {reason_text: count(f"{COUNT_PREFIX}{code}") for code, reason_text in TEXT_BY_REASON.items()}
    return {
        reason_text: counts[reason_text]
        for reason_text in sorted(counts, key=lambda reason: -counts[reason])
        if counts[reason_text]
    }
