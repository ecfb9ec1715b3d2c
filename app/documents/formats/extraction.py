"""Passages with the entities and triples that an external extractor found; each is a chunk.

`{"title", "extractor", "chunks": [{"text", "entities", "triples"}]}`; docs/importing.md describes the format.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly, clean_text, collapse_whitespace
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import JsonFormat
from app.documents.parsers.json_reader import load_json_numbers_as_text
from app.documents.parsers.limits import DEFAULT_LIMITS, EXTRACTION_VALUES, ParseLimits
from app.documents.shapes import ParsedDocument

MAX_PASSAGE_BYTES = 8_000
MAX_VALUES = EXTRACTION_VALUES * DEFAULT_LIMITS.values


class Extraction(JsonFormat):
    """JSON with passages and what an external extractor found in them."""

    name = "extraction"
    label = "extraction"
    description = "Passages that somebody else extracted (docs/importing.md): a chunk a passage."
    sent_as = "application/json"

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:  # noqa: ARG002
        """Return the passages; they have limits of their own, since each includes its findings."""
        return parse_extraction(file_bytes)


@dataclass(frozen=True, slots=True)
class ExtractedTriple:
    """A submitted claim; `quote` is None if it has none."""

    subject: str
    relation: str
    object: str
    quote: str | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ExtractedEntity:
    """A submitted entity; `node_type` is None if it has none."""

    name: str
    node_type: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractedPassage:
    """One passage; `malformed_count` counts its malformed entries, which are ignored."""

    text: str
    entities: tuple[ExtractedEntity, ...]
    triples: tuple[ExtractedTriple, ...]
    malformed_count: int = 0


def parse_extraction(file_bytes: bytes) -> ParsedDocument:
    """Return the passages as one text; each is a section and a chunk."""
    extraction_json = load_json_numbers_as_text(
        decode_with_detected_encoding(file_bytes), max_values=MAX_VALUES
    )
    assembly = Assembly()
    for passage in _parse_passages(extraction_json):
        assembly.add_unsplittable_section(passage.text)
    title = extraction_json.get("title")
    return assembly.build(
        title=collapse_whitespace(title) if isinstance(title, str) else None, sections_are_chunks=True
    )


class ExtractionFile(NamedTuple):
    """The name of an external extractor, and its passages."""

    extractor_name: str
    passages: tuple[ExtractedPassage, ...]


def read_extraction(file_bytes: bytes) -> ExtractionFile:
    """Return the extractor's name and the passages, in the order of the document's chunks."""
    extraction_json = load_json_numbers_as_text(
        decode_with_detected_encoding(file_bytes), max_values=MAX_VALUES
    )
    extractor_name = extraction_json.get("extractor") if isinstance(extraction_json, dict) else None
    if not isinstance(extractor_name, str) or not extractor_name.strip():
        extractor_name = "import"
    return ExtractionFile(collapse_whitespace(extractor_name)[:100], _parse_passages(extraction_json))


def _parse_passages(extraction_json: Any) -> tuple[ExtractedPassage, ...]:
    chunks = extraction_json.get("chunks") if isinstance(extraction_json, dict) else None
    if not isinstance(chunks, list):
        raise parse_errors.build_damaged_document_error(
            "An extraction is an object with a list of `chunks`", "correct it"
        )
    return tuple(_parse_passage(chunk, number) for number, chunk in enumerate(chunks, start=1))


def _parse_passage(chunk: Any, number: int) -> ExtractedPassage:
    text = chunk.get("text") if isinstance(chunk, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise parse_errors.build_damaged_document_error(f"Chunk {number} has no `text`", "correct it")
    text = clean_text(text).strip()
    if len(text.encode()) > MAX_PASSAGE_BYTES:
        raise parse_errors.build_damaged_document_error(
            f"Chunk {number} is over {MAX_PASSAGE_BYTES:,} bytes", "correct it"
        )
    entities = [_parse_entity(raw_entity) for raw_entity in _get_list_or_empty(chunk.get("entities"))]
    triples = [_parse_triple(raw_triple) for raw_triple in _get_list_or_empty(chunk.get("triples"))]
    return ExtractedPassage(
        text,
        tuple(entity for entity in entities if entity is not None),
        tuple(triple for triple in triples if triple is not None),
        entities.count(None) + triples.count(None),
    )


def _get_list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _parse_entity(raw_entity: Any) -> ExtractedEntity | None:
    if isinstance(raw_entity, str):
        return ExtractedEntity(clean_text(raw_entity))
    if not isinstance(raw_entity, dict) or not isinstance(raw_entity.get("name"), str):
        return None
    node_type = raw_entity.get("type")
    aliases = [alias for alias in _get_list_or_empty(raw_entity.get("aliases")) if isinstance(alias, str)]
    return ExtractedEntity(
        clean_text(raw_entity["name"]),
        node_type if isinstance(node_type, str) else None,
        tuple(clean_text(alias) for alias in aliases),
    )


def _parse_triple(raw_triple: Any) -> ExtractedTriple | None:
    if isinstance(raw_triple, list):
        raw_triple = (
            dict(zip(("from", "relation", "to", "quote"), raw_triple, strict=False))
            if 3 <= len(raw_triple) <= 4
            else None
        )
    if not isinstance(raw_triple, dict):
        return None
    subject, relation, object_ = raw_triple.get("from"), raw_triple.get("relation"), raw_triple.get("to")
    quote, confidence = raw_triple.get("quote"), raw_triple.get("confidence")
    if not (isinstance(subject, str) and isinstance(relation, str) and isinstance(object_, str)):
        return None
    if not (quote is None or isinstance(quote, str)):
        return None
    try:
        # Numbers are parsed as text.
        confidence_value = None if confidence is None else float(confidence)
    except (TypeError, ValueError):
        return None
    return ExtractedTriple(
        clean_text(subject),
        clean_text(relation),
        clean_text(object_),
        clean_text(quote) if quote else None,
        confidence_value,
    )
