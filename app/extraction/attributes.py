"""Typed attributes of nodes: only values that the chunk states literally are kept (requirement 5.6)."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from datetime import date, datetime

from app.extraction.grounding import GroundedRelation, find_range_of_quote_in_chunk
from app.extraction.rules.claims.time_spans import parse_written_date
from app.extraction.rules.english.date_patterns import DATE_OF_VALUE
from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity, FoundPhrase, Surface
from app.ids import ChunkId, NodeId
from app.space_settings import AttributeKind

MAX_VALUE = 500
"""Maximum number of characters of a text value; a longer one is a passage."""
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_NUMBER = re.compile(r"\d+(?:[.,' \u00a0\u202f]\d+)*")
_WHOLE_NUMBER = re.compile(r"\d+|[1-9]\d{0,2}(?:[.,' \u00a0\u202f]\d{2,3})*[.,' \u00a0\u202f]\d{3}")
_DECIMAL = re.compile(r"(\d+|\d{1,3}(?:[.,' \u00a0\u202f]\d{2,3})+)[.,](\d+)")
_FACTORS = (1.0, 1e3, 1e5, 1e6, 1e7, 1e9, 1e12)
"""Factors of the words after a number: thousand, lakh, million, crore, billion, trillion. "3.2 million"
states 3200000.
"""
DescribedEntity = tuple[ChunkId, NodeId, FoundEntity]


def keep_attributes_stated_in_chunk(
    chunk: ChunkText,
    entities: Sequence[FoundEntity],
    attribute_kinds: Mapping[str, Mapping[str, AttributeKind]],
    drop_counts: Counter[str],
) -> list[FoundEntity]:
    """Return the entities with the attributes that the chunk states; `drop_counts` counts the others by
    reason.

    The quote must be in the chunk; a text must be in the quote, and so must a number, possibly as thousands
    or millions, and the year and the day of a date. The first of several values of one attribute is kept.
    Reasons: unknown_attribute, bad_attribute (wrong kind), ungrounded_attribute.
    """
    return [
        (
            replace(
                entity,
                attributes=_ground_attributes_of_entity(
                    chunk, entity, attribute_kinds.get(entity.node_type, {}), drop_counts
                ),
            )
            if entity.attributes
            else entity
        )
        for entity in entities
    ]


def _ground_attributes_of_entity(
    chunk: ChunkText,
    entity: FoundEntity,
    kind_by_name: Mapping[str, AttributeKind],
    drop_counts: Counter[str],
) -> tuple[FoundAttribute, ...]:
    grounded_attributes: dict[str, FoundAttribute] = {}
    for attribute in entity.attributes:
        kind = kind_by_name.get(attribute.name)
        if kind is None:
            drop_counts["unknown_attribute"] += 1
            continue
        value = convert_written_value(str(attribute.value), kind)
        if value is None:
            drop_counts["bad_attribute"] += 1
            continue
        quote_range = find_range_of_quote_in_chunk(attribute.quote.text, chunk.text)
        quote = "" if quote_range is None else chunk.text[slice(*quote_range)]
        if quote_range is None or not _is_value_stated_in_quote(value, kind, quote):
            drop_counts["ungrounded_attribute"] += 1
            continue
        if kind is AttributeKind.TEXT:
            start, end = find_range_of_quote_in_chunk(str(value), quote) or (0, 0)
            value = " ".join(quote[start:end].split())
        grounded_attributes.setdefault(
            attribute.name, FoundAttribute(attribute.name, value, Surface(quote, *quote_range))
        )
    return tuple(grounded_attributes.values())


def convert_written_value(written_value: str, kind: AttributeKind) -> str | float | bool | None:
    """Return the value in its stored form, or None if it is not of the kind. Whole numbers have no
    fraction.
    """
    text = " ".join(written_value.split())
    match kind:
        case AttributeKind.TEXT:
            return text if 0 < len(text) <= MAX_VALUE else None
        case AttributeKind.BOOLEAN:
            return {"true": True, "false": False}.get(text.casefold())
        case AttributeKind.NUMBER:
            try:
                number = float(text)
            except ValueError:
                return None
            # Beyond 2**53 a float does not represent every whole number.
            if not math.isfinite(number) or abs(number) > 2**53:
                return None
            return int(number) if number.is_integer() else number
        case AttributeKind.DATE:
            date_match = _DATE.fullmatch(text)
            if date_match is None:
                return None
            try:
                date(*(int(date_part or 1) for date_part in date_match.groups()))
            except ValueError:
                return None
            return text


def _is_value_stated_in_quote(value: str | float | bool, kind: AttributeKind, quote: str) -> bool:
    """Return whether the quote contains the value.

    The wording of months and booleans depends on the language and is not checked.
    """
    if kind is AttributeKind.TEXT:
        return find_range_of_quote_in_chunk(str(value), quote) is not None
    numbers = _NUMBER.findall(quote)
    if kind is AttributeKind.NUMBER:
        return any(
            math.isclose(abs(float(value)), reading * factor, rel_tol=1e-9)
            for number in numbers
            for reading in _list_readings_of_number(number)
            for factor in _FACTORS
        )
    if kind is AttributeKind.DATE:
        year, *month_and_day = str(value).split("-")
        quoted_numbers = {int(digits) for number in numbers for digits in re.findall(r"\d+", number)}
        return int(year) in quoted_numbers and (
            len(month_and_day) < 2 or int(month_and_day[1]) in quoted_numbers
        )
    return True


def _list_readings_of_number(number: str) -> set[float]:
    """Return the possible values of a written number: its marks separate thousands (or lakhs), or the last
    one is a decimal point.
    """
    readings = set()
    if _WHOLE_NUMBER.fullmatch(number):
        readings.add(float(re.sub(r"\D", "", number)))
    if number_match := _DECIMAL.fullmatch(number):
        readings.add(float(f"{re.sub(r'[^0-9]', '', number_match[1])}.{number_match[2]}"))
    return readings


def build_entity_with_dates_of_values(entity: FoundEntity, source_date: datetime | None) -> FoundEntity:
    """Return the entity with a date for each value: that of its sentence, else that of its source.

    A statement contains its sentence's dates, and gets the date of its source.
    """
    if not entity.attributes:
        return entity
    return replace(
        entity,
        attributes=tuple(
            replace(
                attribute,
                stated_at=(_find_date_of_value(attribute) if attribute.is_asked else None) or source_date,
            )
            for attribute in entity.attributes
        ),
    )


def build_entities_with_statements(
    entities: Sequence[FoundEntity], phrases: Sequence[FoundPhrase]
) -> tuple[FoundEntity, ...]:
    """Return the entities of a chunk with the statements of its clauses, in addition to their attributes."""
    statements_by_entity: dict[int, list[FoundAttribute]] = {}
    for phrase in phrases:
        statements_by_entity.setdefault(phrase.entity, []).append(phrase.statement)
    return tuple(
        replace(entity, attributes=(*entity.attributes, *statements_by_entity[position]))
        if position in statements_by_entity
        else entity
        for position, entity in enumerate(entities)
    )


def remove_unused_background_topic(
    entities: Sequence[FoundEntity], joined_positions: Set[int] = frozenset()
) -> tuple[FoundEntity, ...]:
    """Return the entities of a chunk without a background topic about which it states nothing.

    `joined_positions` are the ends of the chunk's relations: a pronoun may refer to the topic. It is the last
    entity, so the positions of the others do not change.
    """
    return tuple(
        entity
        for position, entity in enumerate(entities)
        if entity.attributes or not entity.is_background or position in joined_positions
    )


def list_positions_of_related_entities(relations: Sequence[GroundedRelation]) -> frozenset[int]:
    """Return the positions of the entities that these relations of a chunk join."""
    return frozenset(
        position for relation in relations for position in (relation.from_entity, relation.to_entity)
    )


def _find_date_of_value(attribute: FoundAttribute) -> datetime | None:
    match = DATE_OF_VALUE.search(" ".join(attribute.quote.text.lower().split()))
    written_date = None if match is None else next(filter(None, match.groups()))
    date_point = None if written_date is None else parse_written_date(written_date)
    # "Founded in 1998": the value is the date itself.
    if date_point is None or str(attribute.value).startswith(str(date_point.at.year)):
        return None
    return date_point.at
