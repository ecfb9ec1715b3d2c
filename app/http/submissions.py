"""Documents as they arrive over HTTP: files of a form, their descriptions, and the submissions made of
them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, NamedTuple

from fastapi import Request
from pydantic import AfterValidator, ConfigDict, Field, JsonValue, WithJsonSchema, field_validator
from pydantic_core import PydanticCustomError
from starlette.datastructures import UploadFile

from app.closed_fields import ClosedFields
from app.documents.format_detection import detect_format_or_refuse
from app.documents.format_registry import FORMATS, is_text_format
from app.documents.shapes import SourceKind, Submission
from app.errors import InvalidInput
from app.http.input_text import Address, Language, Name
from app.limits import FORM_FIELD_BYTES, FORM_FIELDS, FORM_FILES, METADATA_BYTES
from app.space_settings import MIN_TRUST

TITLE_CHARACTERS = 80
"""Maximum length of a title that is taken from the first line of a text."""

_SOURCE_KINDS = [source_kind.value for source_kind in SourceKind]

FORMATS_IN_WORDS = " ".join(f"`{name}`: {format.description}" for name, format in FORMATS.items())


def _check_known_format(name: str) -> str:
    if name not in FORMATS:
        raise PydanticCustomError("enum", f"The format is one of {', '.join(FORMATS)}.")
    return name


Format = Annotated[
    str, AfterValidator(_check_known_format), WithJsonSchema({"type": "string", "enum": list(FORMATS)})
]
Kind = Annotated[SourceKind, Field(strict=False), WithJsonSchema({"type": "string", "enum": _SOURCE_KINDS})]

Trust = Annotated[float, Field(ge=MIN_TRUST, le=1)]
TrustAsText = Annotated[float, Field(ge=MIN_TRUST, le=1, strict=False)]


class Description(ClosedFields):
    """The fields that describe a document, in addition to its content."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    format: Format | None = Field(
        None, description=f"By default detected from content and name. {FORMATS_IN_WORDS}"
    )
    title: Name | None = Field(None, description="By default read from the document, or its file name.")
    source_uri: Address | None = Field(
        None, description="Its address: new content at a known address replaces the old."
    )
    source_kind: Kind | None = Field(None, description="By default file, or conversation.")
    language: Language | None = None
    trust: Trust | None = Field(
        None,
        description=(
            "The trust in it, from 0.01 to 1, by default 1; the space's `source_trust` and `uploader_trust`"
            " may limit it. It scales the weight of its claims; they end no claim of a document with more."
        ),
    )
    metadata: dict[str, JsonValue] = Field(
        default_factory=dict, description=f"Your own keys, at most {METADATA_BYTES.maximum:,} bytes as JSON."
    )

    @field_validator("metadata")
    @classmethod
    def _check_size(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if len(json.dumps(value, ensure_ascii=False).encode()) > METADATA_BYTES.maximum:
            raise PydanticCustomError(
                "too_long",
                "Metadata is over {limit} bytes as JSON.",
                {"limit": f"{METADATA_BYTES.maximum:,}"},
            )
        return value


@dataclass(frozen=True)
class ReceivedFile:
    """One file of a form, with the last part of its name only: the rest may be a path on the sender's
    disk.
    """

    name: str
    media_type: str | None
    raw: bytes


class FieldsAndFiles(NamedTuple):
    """The text fields of a form by name, and its files."""

    fields: dict[str, str]
    files: Sequence[ReceivedFile]


async def receive_form(
    request: Request, *, max_field_bytes: int = FORM_FIELD_BYTES.maximum
) -> FieldsAndFiles:
    """Return the fields and the files of a form. Raises InvalidInput if a field is given twice."""
    fields: dict[str, str] = {}
    files: list[ReceivedFile] = []
    async with request.form(
        max_files=FORM_FILES.maximum, max_fields=FORM_FIELDS.maximum, max_part_size=max_field_bytes
    ) as form:
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                file_name = PurePath((value.filename or "").replace("\\", "/")).name
                files.append(ReceivedFile(file_name, value.content_type, await value.read()))
            elif name in fields:
                raise InvalidInput("A form field was given twice.", code="duplicate_parameter")
            else:
                fields[name] = value
    return FieldsAndFiles(fields, files)


def build_submission_of_file(description: Description, file: ReceivedFile, max_bytes: int) -> Submission:
    """Return the file as a submission; its name is its address unless another one is given.

    Raises pydantic's ValidationError for a name that cannot be stored, and what `detect_format_or_refuse`
    raises.
    """
    file_address = Description.model_validate({"source_uri": file.name}).source_uri if file.name else None
    media_type = FORMATS[description.format].media_type if description.format else file.media_type
    file_name = None if description.format else file_address
    address = description.source_uri or file_address
    return build_submission_of_bytes(
        description, file.raw, description.title or "", address, file_name, media_type, max_bytes
    )


def build_submission_of_bytes(
    description: Description,
    file_bytes: bytes,
    title: str,
    source_uri: str | None,
    file_name: str | None,
    media_type: str | None,
    max_bytes: int,
) -> Submission:
    """Return the bytes as a submission, with the format checked. Raises what `detect_format_or_refuse`
    raises.
    """
    detected_format = detect_format_or_refuse(file_name, media_type, file_bytes, max_bytes=max_bytes)
    # Only the caller can decide whether JSON is a conversation.
    format = (
        description.format
        if description.format is not None
        and is_text_format(description.format)
        and is_text_format(detected_format)
        else detected_format
    )
    kind = description.source_kind or (
        SourceKind.CONVERSATION if format == "conversation" else SourceKind.FILE
    )
    return Submission(
        file_bytes,
        format,
        title,
        kind,
        source_uri,
        description.language,
        description.metadata,
        description.trust or 1.0,
    )


def build_title_from_first_line(file_bytes: bytes) -> str:
    """Return the beginning of the first line, as the title of plain text without a file name."""
    return file_bytes[:400].decode(errors="ignore").strip().partition("\n")[0][:TITLE_CHARACTERS].strip()
