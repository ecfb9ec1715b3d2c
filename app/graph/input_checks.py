"""Checks of arguments to the graph's services; each raises InvalidInput with its own code."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from app.errors import InvalidInput
from app.graph.shapes import GraphFilters, NodeFilters
from app.limits import QUESTION


def check_range(name: str, value: int, minimum: int, maximum: int) -> None:
    """Check that a number is within its bounds. Raises InvalidInput."""
    if not minimum <= value <= maximum:
        raise InvalidInput(f"{name} must be between {minimum} and {maximum:,}.", code=f"{name}_out_of_range")


def check_length_and_characters(name: str, value: str, max_length: int = QUESTION.maximum) -> None:
    """Check that a text is not too long and contains nothing that Postgres rejects: NUL, lone surrogates."""
    if len(value) > max_length:
        raise InvalidInput(f"{name} may have at most {max_length:,} characters.", code="too_long")
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidInput(f"{name} holds characters that no text can have.", code="invalid_characters")


def is_blank(text: str) -> bool:
    """Return whether the text has no visible character: only white space, zero-width characters, direction
    marks.
    """
    return not any(character.isprintable() and not character.isspace() for character in text)


def check_confidence(value: float | None) -> None:
    """Check that a confidence is a number from 0 to 1."""
    if value is not None and not 0 <= value <= 1:
        raise InvalidInput("min_confidence must be between 0 and 1.", code="min_confidence_out_of_range")


def _check_name_list(name: str, values: Iterable[str]) -> None:
    value_list = list(values)
    check_range(name, len(value_list), 0, 100)
    for value in value_list:
        check_length_and_characters(name, value, 100)


def check_ending_decision(noun: str, reason: str, moment: datetime | None) -> None:
    """Check that a decision to end something has a reason, and that its moment has a time zone."""
    check_length_and_characters("reason", reason)
    if not reason.strip():
        raise InvalidInput(f"A {noun} is ended with a reason.", code="blank")
    if moment is not None and moment.tzinfo is None:
        raise InvalidInput("at must say its time zone.", code="naive_time")


def check_not_in_future(moment: datetime | None, now: datetime) -> None:
    """Check that the moment of an end is not in the future."""
    if moment is not None and moment > now:
        raise InvalidInput("at may not lie in the future.", code="time_to_come")


def check_graph_filters(filters: GraphFilters) -> None:
    """Check filters on a traversal: lengths, confidence and time zone."""
    _check_name_list("relation_types", filters.relation_types)
    _check_name_list("node_types", filters.node_types)
    check_confidence(filters.min_confidence)
    if filters.as_of is not None and filters.as_of.tzinfo is None:
        raise InvalidInput("as_of must say its time zone.", code="naive_time")


def check_node_filters(filters: NodeFilters) -> None:
    """Check filters on nodes: lengths, confidence and time zones."""
    for name, value in (("node_type", filters.node_type), ("tag", filters.tag)):
        if value is not None:
            check_length_and_characters(name, value)
    check_confidence(filters.min_confidence)
    for name in ("first_seen_from", "first_seen_before", "last_seen_from", "last_seen_before"):
        moment = getattr(filters, name)
        if moment is not None and moment.tzinfo is None:
            raise InvalidInput(f"{name} must say its time zone.", code="naive_time")


def parse_uuid(text: str) -> UUID | None:
    """Parse an id in its canonical form, in upper or lower case; return None for any other text."""
    try:
        value = UUID(text)
    except ValueError:
        return None
    return value if str(value) == text.lower() else None
