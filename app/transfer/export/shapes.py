"""The rows of a space in a file, one shape for each kind, for export and import.

Imported lines are strict in type and size, and are not trusted. Computable values (counts, hashes, normalised
names) are not among the fields, or are checked.
"""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self, cast
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from app.documents.hashing import hash_chunk_text
from app.documents.shapes import SourceKind
from app.domain.file_locations import format_place_of_range
from app.graph.names import normalise_name
from app.graph.validity import does_claim_hold
from app.lazy import import_object
from app.space_settings import MIN_TRUST


class ExportFormat(StrEnum):
    """The formats; JSON Lines contains the whole space, the others its nodes and edges with evidence."""

    JSON_LINES = "jsonl"
    GRAPHML = "graphml"
    CSV_NODES = "csv-nodes"
    CSV_EDGES = "csv-edges"
    CYPHER = "cypher"
    TURTLE = "turtle"


class RowKind(StrEnum):
    """The kinds of rows, in the order in which they are written: each refers only to earlier ones."""

    DOCUMENT = "document"
    CHUNK = "chunk"
    NODE = "node"
    MENTION = "mention"
    ATTRIBUTE = "attribute"
    EDGE = "edge"
    ENDING = "ending"


def _check_storable(value: str) -> str:
    if "\x00" in value:
        raise ValueError("NUL")
    return value


def _build_length_validator(max_bytes: int) -> AfterValidator:
    def check_length(value: str) -> str:
        if len(value.encode()) > max_bytes:
            raise ValueError("size")
        return value

    return AfterValidator(check_length)


def _check_known_format(name: str) -> str:
    # Not imported here, because an export does not need the parsers.
    if name not in import_object("app.documents.format_registry").FORMATS:
        raise ValueError("format")
    return name


def _check_storable_object(json_object: dict[str, Any]) -> dict[str, Any]:
    pending_values: list[Any] = [json_object]
    while pending_values:
        nested_value = pending_values.pop()
        if isinstance(nested_value, dict):
            pending_values += [*nested_value.keys(), *nested_value.values()]
        elif isinstance(nested_value, list):
            pending_values += nested_value
        elif isinstance(nested_value, str):
            _check_storable(nested_value)
    return json_object


def _check_time_in_range(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError("time") from None


def _check_tie(value: list[str | None]) -> list[str | None]:
    if not all(name and normalise_name(name) for name in value[1:]):
        raise ValueError("name")
    return value


Text = Annotated[str, AfterValidator(_check_storable)]
ShortText = Annotated[str, AfterValidator(_check_storable), _build_length_validator(600)]
TextLine = Annotated[str, AfterValidator(_check_storable), _build_length_validator(4_000)]
JsonObject = Annotated[dict[str, Any], AfterValidator(_check_storable_object)]
Time = Annotated[AwareDatetime, AfterValidator(_check_time_in_range)]
Share = Annotated[float, Field(ge=0, le=1)]
WholeNumber = Annotated[int, Field(ge=0, lt=2**31)]
NameTieOfChunk = Annotated[
    list[ShortText | None], Field(min_length=3, max_length=1_000), AfterValidator(_check_tie)
]
"""A node type or None, then two or more names."""
Precision = Literal["year", "month", "day"]
EndKind = Literal["person", "source", "replaced"]


class StrictModel(BaseModel):
    """A value; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Row(StrictModel):
    """A line; `SORT_FIELDS` are the fields that define its order within its kind."""

    SORT_FIELDS: ClassVar[tuple[str, ...]] = ("id",)
    kind: str

    @classmethod
    def from_columns(cls, kind: str, *columns: Any) -> Self:
        """Return the row with the database's values."""
        field_names = [name for name in cls.model_fields if name != "kind"]
        row = cls.model_construct(kind=kind, **dict(zip(field_names, columns, strict=True)))
        return cast("Self", row)

    @property
    def sort_key(self) -> tuple[object, ...]:
        """Return the row's sort key within its kind."""
        return tuple(getattr(self, name) for name in self.SORT_FIELDS)


class SpaceLine(Row):
    """The first line; its name and description are those of the exported space, and are not imported."""

    kind: Literal["space"]
    version: Literal[1]
    id: UUID
    name: Text
    description: Text
    graph_revision: int


class EndLine(Row):
    """The last line; without it the file is truncated."""

    kind: Literal["end"]
    changed: bool


class DocumentRow(Row):
    """A document without its bytes."""

    kind: Literal["document"]
    id: UUID
    title: TextLine
    source_kind: SourceKind
    source_uri: Annotated[str, AfterValidator(_check_storable), _build_length_validator(1_000)] | None
    format: Annotated[str, AfterValidator(_check_known_format)]
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")] | None
    metadata: JsonObject
    content_hash: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    byte_size: WholeNumber
    version: Annotated[int, Field(ge=1, lt=2**31)]
    created_at: Time
    updated_at: Time
    encoding: ShortText | None = None
    # Missing in exports before 0057.
    trust: Annotated[float, Field(ge=MIN_TRUST, le=1)] = 1.0
    # Missing in exports before 0070.
    warnings: Annotated[list[TextLine], Field(max_length=100)] = []
    message_id: TextLine | None = None
    in_reply_to: TextLine | None = None
    # Missing in exports before 0071.
    uploader: ShortText | None = None


class ChunkRow(Row):
    """A chunk; its range is as long as its text, and its hash is that of its text."""

    kind: Literal["chunk"]
    id: UUID
    document_id: UUID
    ordinal: WholeNumber
    text: Annotated[str, AfterValidator(_check_storable), _build_length_validator(32_768)]
    char_start: WholeNumber
    char_end: WholeNumber
    heading_path: list[TextLine]
    token_count: Annotated[int, Field(ge=0, le=32_768)]
    content_hash: str
    speaker: TextLine | None
    said_at: Time | None
    extracted_by: ShortText | None
    # Missing in exports before 0056.
    place: TextLine | None = None
    # Missing in exports before 0059.
    places: Annotated[list[tuple[WholeNumber, TextLine]], Field(min_length=2)] | None = None
    # Missing in exports before 0065: the things to which it gives several names, as the column has them.
    name_ties: Annotated[list[NameTieOfChunk], Field(min_length=1, max_length=1_000)] | None = None
    # Missing in exports before 0072.
    message_id: TextLine | None = None
    in_reply_to: TextLine | None = None

    @model_validator(mode="after")
    def _check_range_and_hash(self) -> "ChunkRow":
        if not self.text or self.char_end - self.char_start != len(self.text):
            raise ValueError("range")
        if self.content_hash != hash_chunk_text(self.text):
            raise ValueError("hash")
        place_starts = [start for start, _ in self.places or [(0, "")]]
        if (
            place_starts[0] != 0
            or place_starts != sorted(set(place_starts))
            or place_starts[-1] >= len(self.text)
        ):
            raise ValueError("places")
        return self


class NameOfNode(StrictModel):
    """A name of a node, with its normalised form."""

    kind: Literal["canonical", "alias", "short"]
    name: ShortText
    normalised: ShortText

    @model_validator(mode="after")
    def _check_normalised(self) -> "NameOfNode":
        if not self.normalised or self.normalised != normalise_name(self.name):
            raise ValueError("normalised")
        return self


class TagOfNode(StrictModel):
    """A tag of a node."""

    tag: Annotated[str, AfterValidator(_check_storable), Field(min_length=1, max_length=64)]
    origin: Literal["person", "rules", "model"]


class NodeRow(Row):
    """A node with its names and tags; its mention count is computed, not imported."""

    kind: Literal["node"]
    id: UUID
    canonical_name: Annotated[
        str, AfterValidator(_check_storable), Field(min_length=1), _build_length_validator(512)
    ]
    node_type: Annotated[
        str, AfterValidator(_check_storable), Field(min_length=1), _build_length_validator(300)
    ]
    names: Annotated[list[NameOfNode], Field(max_length=1_000)]
    tags: Annotated[list[TagOfNode], Field(max_length=8)]
    metadata: JsonObject
    mention_count: int
    confidence: Share
    source: Literal["extraction", "manual"]
    first_seen_at: Time
    last_seen_at: Time

    @classmethod
    def from_columns(cls, kind: str, *columns: Any) -> Self:
        """Return the node with the database's values, and its names and tags in order."""
        row = super().from_columns(kind, *columns)
        row.names = [NameOfNode.model_construct(**name) for name in columns[3]]
        row.tags = [TagOfNode.model_construct(**tag) for tag in columns[4]]
        return row

    @property
    def aliases(self) -> list[str]:
        """Return the other names that are valid everywhere."""
        return [name.name for name in self.names if name.kind == "alias"]


class MentionRow(Row):
    """A mention of a node in a chunk; its range counts characters of the chunk, from 0."""

    SORT_FIELDS: ClassVar[tuple[str, ...]] = ("chunk_id", "node_id")
    kind: Literal["mention"]
    chunk_id: UUID
    node_id: UUID
    surface_form: TextLine
    name: TextLine
    char_start: WholeNumber
    char_end: WholeNumber
    node_type: ShortText | None
    titular: bool
    sense: ShortText | None


class AttributeRow(Row):
    """A value of a node's attribute from a chunk, with the words that state it.

    With a `confidence` it is a statement: `name` is its predicate, `value` the words after it, and `subject`
    the words before it if they are more than the node's name.
    """

    SORT_FIELDS: ClassVar[tuple[str, ...]] = ("chunk_id", "node_id", "name", "char_start")
    kind: Literal["attribute"]
    chunk_id: UUID
    node_id: UUID
    name: ShortText
    # Keeps integers: otherwise 5 would be imported as 5.0.
    value: TextLine | bool | int | float
    said_of: TextLine
    quote: Text
    char_start: WholeNumber
    char_end: WholeNumber
    stated_at: Time | None = None
    ended_at: Time | None = None
    ended_by: TextLine | None = None
    ended_reason: Text | None = None
    confidence: Share | None = None
    subject: TextLine | None = None


class EdgeRow(Row):
    """A claim with its evidence; the quote in its metadata is checked against the chunk."""

    kind: Literal["edge"]
    id: UUID
    from_node_id: UUID
    to_node_id: UUID
    relation_type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
    weight: Share
    status: Literal["staged", "confirmed"]
    polarity: Literal["asserted", "denied", "reported"]
    evidence_chunk_id: UUID | None
    document_id: UUID | None
    document_title: Text | None
    source_uri: Text | None
    metadata: JsonObject
    extraction_key: UUID
    valid_from: Time | None
    valid_from_precision: Precision | None
    valid_from_basis: Literal["sentence", "document"] | None
    valid_to: Time | None
    valid_to_precision: Precision | None
    invalidated_at: Time | None
    created_at: Time
    # Recomputed from the relation type and the settings of the space.
    layer: Literal["claim", "statement"] | None = None
    # Where the quote is in the document's text: recomputed from the range of its chunk.
    char_start: int | None = None
    char_end: int | None = None
    # Recomputed from the places of its chunk.
    place: Text | None = None

    @classmethod
    def from_columns(cls, kind: str, *columns: Any) -> Self:
        """Return the edge with the database's values; the last column has the places of its chunk."""
        row = super().from_columns(kind, *columns)
        start, end = row.metadata.get("charStart"), row.metadata.get("charEnd")
        has_range = isinstance(start, int) and isinstance(end, int)
        row.place = format_place_of_range(columns[-1], *((start, end) if has_range else (0, sys.maxsize)))
        return row

    @property
    def holds(self) -> bool:
        """Return whether the claim is asserted and has not ended."""
        return does_claim_hold(self.polarity, self.invalidated_at)

    @property
    def ended_at(self) -> datetime | None:
        """Return when a later source or a person ended the claim; None for a denial or a report, which
        never held.
        """
        return self.invalidated_at if self.polarity == "asserted" else None

    @model_validator(mode="after")
    def _check_confidence_and_range(self) -> "EdgeRow":
        confidence = self.metadata.get("confidence")
        if (
            isinstance(confidence, bool)
            or not isinstance(confidence, int | float)
            or not 0 <= confidence <= 1
        ):
            raise ValueError("confidence")
        for name in ("charStart", "charEnd"):
            offset = self.metadata.get(name)
            if offset is not None and (
                isinstance(offset, bool) or not isinstance(offset, int) or not 0 <= offset < 2**31
            ):
                raise ValueError("range")
        return self


class EndingRow(Row):
    """An edge that a decision ended."""

    kind: Literal["ending"]
    id: UUID
    decision_id: UUID
    edge_id: UUID
    ended_by: EndKind
    decided_by: ShortText
    reason: Annotated[
        str, AfterValidator(_check_storable), Field(min_length=1), _build_length_validator(4_000)
    ]
    invalidated_at: Time
    claim_dated_at: Time | None
    source_edge_id: UUID | None
    source_chunk_id: UUID | None
    document_id: UUID | None
    undone_at: Time | None
    undone_by: ShortText | None
    undone_kind: EndKind | None
    created_at: Time

    @model_validator(mode="after")
    def _check_whole(self) -> "EndingRow":
        if (self.ended_by == "source") != (self.source_edge_id is not None):
            raise ValueError("source")
        if (self.undone_at is None) != (self.undone_kind is None):
            raise ValueError("undone")
        return self


ROW_CLASS_BY_KIND: Mapping[str, type[Row]] = {
    RowKind.DOCUMENT: DocumentRow,
    RowKind.CHUNK: ChunkRow,
    RowKind.NODE: NodeRow,
    RowKind.MENTION: MentionRow,
    RowKind.ATTRIBUTE: AttributeRow,
    RowKind.EDGE: EdgeRow,
    RowKind.ENDING: EndingRow,
}
"""The row shapes by kind, in file order: each refers only to earlier ones."""
