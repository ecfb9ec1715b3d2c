"""The validity of a row's statements, read from its date, status and yes/no columns."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from app.domain.relation_types import RELATION_TYPES
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.claims.time_spans import parse_written_date
from app.extraction.rules.english.date_patterns import ANY_DATE
from app.extraction.rules.records.lines import Value
from app.graph.validity import DatePoint

_START_HEADERS = split_into_word_set("""
    since from start started start_date started_on start_year valid_from joined joined_on join_date
    hire_date hired_on hired begin begin_date member_since customer_since contract_start acquired_on
    acquisition_date seit depuis
""")
_END_HEADERS = split_into_word_set("""
    until till to end ended end_date ended_on end_year valid_to valid_until left left_on date_left
    leaving_date exit_date terminated terminated_on termination_date expires expired expires_on expiry
    expiry_date expiration expiration_date contract_end contract_end_date closed closed_on closing_date
    retired_on decommissioned decommissioned_on discontinued discontinued_on sunset sunset_date churned
    churned_on churn_date cancelled_on cancellation_date eol end_of_life sold_on bis
""")
_STATUS_HEADERS = split_into_word_set("""
    status state stage phase lifecycle employment_status contract_status customer_status account_status
    license_status
""")
_CURRENT_STATE_HEADERS = split_into_word_set(
    "active is_active current is_current employed in_use still_active"
)
_FORMER_STATE_HEADERS = split_into_word_set("former inactive retired dismissed")
_ENDED_STATE = re.compile(
    r"(?:inactive|former|left|departed|resigned|terminated|retired|dismissed|fired|ended|expired|lapsed|churned"
    r"|cancell?ed|discontinued|decommissioned|defunct|dissolved|disbanded|sold|divested|closed(?! won)"
    r"|shut down|past|obsolete|sunset|end of life|eol|offboarded|revoked|withdrawn|replaced|superseded"
    r"|no longer \w+"
    r"|not (?:active|renewed|employed|in use)|ex-\w+|vacated|deceased)\b"
)
_PLANNED_STATE = re.compile(
    r"(?:planned|proposed|pending|prospects?|lead|draft|upcoming|announced|future|forthcoming|candidate"
    r"|applicant|offered|(?:under|in) (?:negotiations?|discussion|talks|review)|negotiating"
    r"|not (?:yet )?started|tba|tbd)\b"
)
_POSITIVE_VALUES = split_into_word_set("yes y true ✓ ✔ ✅ ☑ ja oui sí")
_NEGATIVE_VALUES = split_into_word_set("no n false ✗ ✘ ❌ ☐ nein non")
VALUES_WITHOUT_NAME = _POSITIVE_VALUES | _NEGATIVE_VALUES | split_into_word_set("""
    - – — -- n/a na none null nil nobody unknown tba tbd ? vacant unassigned total sum average subtotal
    present ongoing now
""")  # fmt: skip
"""Values that name nothing in any column."""

RELATIONS_WITH_TERM = frozenset(
    relation_type.name for relation_type in RELATION_TYPES if relation_type.has_term
)
"""Relation types that the end of a row ends, and that a planned row does not state yet; a creator remains
one.
"""


@dataclass(frozen=True, slots=True)
class RowState:
    """The validity of a row: its dates, whether it ended or is only planned, and the values that say so."""

    start_date: DatePoint | None = None
    end_date: DatePoint | None = None
    has_ended: bool = False
    is_planned: bool = False
    cited_values: tuple[Value, ...] = ()


def parse_yes_or_no(text: str) -> bool | None:
    """Return the value of a yes/no cell; None for any other text."""
    word = text.strip().lower()
    return True if word in _POSITIVE_VALUES else False if word in _NEGATIVE_VALUES else None


def read_row_state(values: Iterable[Value]) -> RowState:
    """Return the state of the row with these values."""
    state = RowState()
    for value in values:
        value_state = _read_state_of_column(value)
        if value_state is not None:
            state = RowState(
                state.start_date or value_state.start_date,
                state.end_date or value_state.end_date,
                state.has_ended or value_state.has_ended,
                state.is_planned or value_state.is_planned,
                (*state.cited_values, value),
            )
    return state


def _read_state_of_column(value: Value) -> RowState | None:
    """Return the row state that one column states, or None."""
    header, text = value.header, value.text.strip().lower()
    verdict = parse_yes_or_no(text)
    if header in _START_HEADERS:
        start_date = parse_written_date(text)
        return RowState(start_date=start_date) if start_date is not None else None
    if header in _CURRENT_STATE_HEADERS:
        return RowState(has_ended=True) if verdict is False else None
    if header in _END_HEADERS | _FORMER_STATE_HEADERS:
        end_date = parse_written_date(text)
        if end_date is not None:
            return RowState(end_date=end_date)
        return RowState(has_ended=True) if verdict else None
    if header in _STATUS_HEADERS and _ENDED_STATE.match(text):
        date_match = ANY_DATE.search(text)
        end_date = parse_written_date(date_match[0]) if date_match is not None else None
        return RowState(end_date=end_date, has_ended=True)
    return RowState(is_planned=True) if header in _STATUS_HEADERS and _PLANNED_STATE.match(text) else None
