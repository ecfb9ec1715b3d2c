"""Parsing of submitted documents, JSON or files of a form, into submissions before any session is opened.

A body is read only for a caller with the scope write, and no transaction waits for a slow sender.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ConfigDict, Field, JsonValue, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from app.api.key_scopes import CitegraphDep, Writer
from app.api.problems import get_code_and_sentence_of_error
from app.api.protocol import body_limits
from app.api.protocol.tenant_slots import BulkheadsDep, UploadSlot
from app.api.shapes import Body, build_presence_schema
from app.documents.format_registry import FORMATS
from app.documents.shapes import RefusedFile, Submission
from app.documents.unpacking import iter_submission_and_files_inside
from app.errors import CitegraphError, InputFault, InvalidInput, UnsupportedFormat
from app.http.input_text import Address
from app.http.submissions import (
    Description,
    ReceivedFile,
    TrustAsText,
    build_submission_of_bytes,
    build_submission_of_file,
    build_title_from_first_line,
    receive_form,
)
from app.limits import DOCUMENTS
from app.views.documents import RefusedAnswer
from app.wiring import Citegraph


class DocumentBody(Description):
    """One document as JSON, with its content in `text`, or in `content` as text or as JSON."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [build_presence_schema("text"), build_presence_schema("content")]}
    )

    text: str | None = None
    content: str | list[JsonValue] | dict[str, JsonValue] | None = None

    @model_validator(mode="after")
    def _check_one_content(self) -> "DocumentBody":
        if (self.text is None) == (self.content is None):
            raise PydanticCustomError("text_or_content", "Give either text or content.")
        return self


class DocumentsBody(Body):
    """Several documents, ingested by one job."""

    documents: list[DocumentBody] = Field(min_length=1, max_length=DOCUMENTS.maximum)


class FormDescription(Description):
    """The text fields of a form besides its files."""

    trust: TrustAsText | None = Field(None, description=Description.model_fields["trust"].description)
    source_uris: list[Address] | None = Field(
        None, min_length=1, description="Instead of `source_uri`: the addresses of the files, in their order."
    )


class _UnreadDocuments(Body):
    """Several documents that are not validated yet, because each of them is validated separately."""

    documents: list[Any] = Field(min_length=1, max_length=DOCUMENTS.maximum)


@dataclass(frozen=True)
class SubmissionBatch:
    """The documents of one request that can be read, and why the others cannot."""

    submissions: list[Submission]
    refused: list[RefusedAnswer]


@dataclass(frozen=True)
class _ReceivedBody:
    """Either JSON or the fields and files of a form; `content` is the JSON or the fields."""

    content: Any
    files: Sequence[ReceivedFile] = ()
    is_form: bool = False


async def _receive_json_or_form(request: Request, _writer: Writer, _slot: UploadSlot) -> _ReceivedBody:
    """Return the received body. Raises UnsupportedFormat unless it is JSON or a form."""
    media_type = body_limits.parse_media_type(request.headers)
    if media_type != "multipart/form-data":
        if not media_type.startswith("application/"):
            raise UnsupportedFormat("Send application/json or multipart/form-data.")
        return _ReceivedBody(await body_limits.read_json_body(request))
    fields, files = await receive_form(request)
    return _ReceivedBody(fields, files, is_form=True)


async def _read_submissions(
    received_body: Annotated[_ReceivedBody, Depends(_receive_json_or_form)],
    citegraph: CitegraphDep,
    bulkheads: BulkheadsDep,
) -> SubmissionBatch:
    """Return the submissions, with formats checked against the bytes; an invalid document does not affect the
    others.

    If none is valid: raises what `detect_format_or_refuse` raises for a single document, otherwise
    InvalidInput with a fault for each.
    """
    # Checking 25 MB takes time: the threads of uploads do it, so that no other request waits.
    return await bulkheads.uploads.run_in_slot(lambda: _collect_submissions(received_body, citegraph))


def _collect_submissions(received_body: _ReceivedBody, citegraph: Citegraph) -> SubmissionBatch:
    max_bytes = citegraph.settings.max_upload_bytes
    unread_documents, fault_location = _list_unread_documents(received_body, max_bytes)
    submissions: list[Submission] = []
    refusals: list[RefusedAnswer] = []
    faults: list[InputFault] = []
    for index, (name, make_submission) in enumerate(unread_documents):
        try:
            for unpacked_file in iter_submission_and_files_inside(
                make_submission(), lambda: citegraph.sandbox, max_bytes=max_bytes
            ):
                if isinstance(unpacked_file, RefusedFile):
                    full_name = f"{name}/{unpacked_file.name}" if name else unpacked_file.name
                    refusals.append(
                        RefusedAnswer(
                            index=index, name=full_name, code=unpacked_file.code, detail=unpacked_file.reason
                        )
                    )
                    sentence = f"{unpacked_file.name}: {unpacked_file.reason}"
                    faults.append(InputFault(f"{fault_location}.{index}", unpacked_file.code, sentence))
                else:
                    submissions.append(unpacked_file)
        except (CitegraphError, RequestValidationError) as error:
            if len(unread_documents) == 1:
                raise
            code, detail = get_code_and_sentence_of_error(error)
            refusals.append(RefusedAnswer(index=index, name=name, code=code, detail=detail))
            faults.append(InputFault(f"{fault_location}.{index}", code, detail))
    if not submissions:
        raise InvalidInput(
            "None of the documents can be accepted; errors says why.",
            code="no_document_accepted",
            faults=faults,
        )
    addresses = [submission.source_uri for submission in submissions if submission.source_uri is not None]
    if len(addresses) != len(set(addresses)):
        raise InvalidInput("Two documents of one request have one address.", code="duplicate_source_uri")
    return SubmissionBatch(submissions, refusals)


Submissions = Annotated[SubmissionBatch, Depends(_read_submissions)]

_UnreadSubmission = tuple[str | None, Callable[[], Submission]]
"""A document's name, and a function that returns its submission or raises."""


class _UnreadDocumentsAtLocation(NamedTuple):
    documents: list[_UnreadSubmission]
    location: str


def _list_unread_documents(received_body: _ReceivedBody, max_bytes: int) -> _UnreadDocumentsAtLocation:
    """Return the documents of the request, none of them parsed yet, and their location in the body."""
    if received_body.is_form:
        return _UnreadDocumentsAtLocation(_list_unread_files_of_form(received_body, max_bytes), "body.file")
    document = received_body.content
    if not isinstance(document, dict) or "documents" not in document:
        parse_document = partial(_parse_body_document, document, max_bytes)
        return _UnreadDocumentsAtLocation([(None, parse_document)], "body")
    try:
        bodies = _UnreadDocuments.model_validate(document).documents
    except ValidationError as error:
        raise _build_validation_error(error) from None
    unread_documents: list[_UnreadSubmission] = [
        (
            _find_storable_source_uri(body),
            partial(_parse_body_document, body, max_bytes, location=("documents", index)),
        )
        for index, body in enumerate(bodies)
    ]
    return _UnreadDocumentsAtLocation(unread_documents, "body.documents")


def _find_storable_source_uri(document: Any) -> str | None:
    """Return the document's source address if it has a storable one, otherwise None."""
    try:
        source_uri = document.get("source_uri") if isinstance(document, dict) else None
        return Description.model_validate({"source_uri": source_uri}).source_uri
    except ValidationError:
        return None


def _parse_body_document(document: Any, max_bytes: int, location: tuple[str | int, ...] = ()) -> Submission:
    try:
        body = DocumentBody.model_validate(document)
    except ValidationError as error:
        raise _build_validation_error(error, location) from None
    content = body.text if body.text is not None else body.content
    is_text = isinstance(content, str)
    content_bytes = (
        content.encode() if isinstance(content, str) else json.dumps(content, ensure_ascii=False).encode()
    )
    format_name = body.format or ("text" if is_text else "json")
    file_name = body.source_uri if is_text and body.format is None else None
    title = body.title or ""
    if not title and body.source_uri is None and format_name == "text":
        title = build_title_from_first_line(content_bytes)
    return build_submission_of_bytes(
        body, content_bytes, title, body.source_uri, file_name, FORMATS[format_name].media_type, max_bytes
    )


def _list_unread_files_of_form(received_body: _ReceivedBody, max_bytes: int) -> list[_UnreadSubmission]:
    if not received_body.files:
        raise InvalidInput("The form holds no file.", code="no_file")
    fields = dict(received_body.content)
    try:
        for field_name in fields.keys() & {"metadata", "source_uris"}:
            fields[field_name] = body_limits.read_json(fields[field_name].encode(errors="replace"))
        description = FormDescription.model_validate(fields)
    except ValidationError as error:
        raise _build_validation_error(error) from None
    if len(received_body.files) > 1 and (description.title or description.source_uri):
        raise InvalidInput("A title or an address is of one file only.", code="one_file_only")
    if description.source_uris is None:
        return [
            (
                _find_storable_source_uri({"source_uri": file.name or None}),
                partial(_read_file_submission, description, file, max_bytes),
            )
            for file in received_body.files
        ]
    if description.source_uri or len(description.source_uris) != len(received_body.files):
        raise InvalidInput("source_uris holds one address for each file.", code="one_address_each")
    return [
        (
            address,
            partial(
                _read_file_submission, description.model_copy(update={"source_uri": address}), file, max_bytes
            ),
        )
        for address, file in zip(description.source_uris, received_body.files, strict=True)
    ]


def _read_file_submission(description: Description, file: ReceivedFile, max_bytes: int) -> Submission:
    try:
        return build_submission_of_file(description, file, max_bytes)
    except ValidationError as error:
        raise _build_validation_error(error) from None


def _build_validation_error(
    error: ValidationError, location: tuple[str | int, ...] = ()
) -> RequestValidationError:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return RequestValidationError([{**fault, "loc": ("body", *location, *fault["loc"])} for fault in faults])


BODY_MODELS = (DocumentBody, DocumentsBody)
"""The models to whose schemas REQUEST_BODY refers."""


def _describe_form_fields() -> dict[str, Any]:
    """Return the schemas of the form fields that describe its files. Null is left out: callers omit it."""
    schema = FormDescription.model_json_schema(ref_template="#/components/schemas/{model}")
    fields = {}
    for name, field in schema["properties"].items():
        variant_schema, *_ = (
            variant for variant in field.get("anyOf", [field]) if variant != {"type": "null"}
        )
        fields[name] = {"description": field.get("description", ""), **variant_schema}
    return fields


_SCHEMA_REFERENCES = [{"$ref": f"#/components/schemas/{schema.__name__}"} for schema in BODY_MODELS]
_FORM_SCHEMA = {
    "type": "object",
    "properties": {
        "file": {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1},
        **_describe_form_fields(),
    },
    "required": ["file"],
    "additionalProperties": False,
}
REQUEST_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": {"anyOf": _SCHEMA_REFERENCES}},
        "multipart/form-data": {
            "schema": _FORM_SCHEMA,
            "encoding": {name: {"contentType": "application/json"} for name in ("metadata", "source_uris")},
        },
    },
}
"""The body of a submission for the OpenAPI document: FastAPI cannot describe a route that takes either form.
"""
