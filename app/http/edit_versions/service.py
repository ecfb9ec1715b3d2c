"""Versions of editable resources, so that two editors do not overwrite each other's changes unnoticed.

A version covers what people edit of a resource, not what is computed about it: a node that is mentioned once
more is unchanged for its editor. Callers pass the version that they have seen, in the transaction of the
change.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from app.db.session import OpenSession
from app.errors import NotFound
from app.http.edit_versions import repository
from app.http.edit_versions.shapes import ExpectedVersions, Kind, Resource, Stale

_VERSION_BYTES = 8
_SECRET_FIELDS = {"secret"}
KIND_BY_PATH_PARAMETER = {
    "space_id": Kind.SPACE,
    "document_id": Kind.DOCUMENT,
    "node_id": Kind.NODE,
    "edge_id": Kind.EDGE,
    "job_id": Kind.JOB,
    "webhook_id": Kind.WEBHOOK,
    "account_id": Kind.ACCOUNT,
    "owner_id": Kind.TENANT,
    "tenant_id": Kind.TENANT,
}
"""The kind that each path parameter identifies."""


def find_resource_in_path(parameters: dict[str, Any]) -> Resource | None:
    """Return the resource that a path is about: the last one identified by a parameter that has a version.

    None if there is none, or if its id is malformed.
    """
    for name, value in reversed(parameters.items()):
        if name in KIND_BY_PATH_PARAMETER:
            try:
                return Resource(KIND_BY_PATH_PARAMETER[name], UUID(str(value)))
            except ValueError:
                return None
    return None


def compute_current_version(session: OpenSession, resource: Resource) -> str:
    """Return the resource's version: the same until somebody edits it. Raises NotFound."""
    return _hash_fields(resource, _get_editable_fields(session, resource))


def compute_current_versions_of_kind(session: OpenSession, kind: Kind) -> dict[UUID, str]:
    """Return the versions of all resources of that kind that the session may read, by their ids."""
    fields_by_id = repository.read_editable_fields(session, kind, None)
    return {
        id: _hash_fields(Resource(kind, id), editable_fields) for id, editable_fields in fields_by_id.items()
    }


def build_form_marks_of_resources(
    session: OpenSession, kind: Kind, resource_ids: Collection[UUID] | None
) -> dict[Resource, str]:
    """Return the mark of each resource for a form: its version, and a short hash of each field as it is
    typed.

    If `resource_ids` is None, for all that the session may read. With the hashes a refusal can name the
    fields that changed, without storing their values in the form.
    """
    fields_by_id = repository.read_editable_fields(session, kind, resource_ids)
    return {
        Resource(kind, id): _build_form_mark(Resource(kind, id), editable_fields)
        for id, editable_fields in fields_by_id.items()
    }


def hash_field(text: str) -> str:
    """Return a short hash of a field as it is typed."""
    return _compute_hex_digest(text.replace("\r\n", "\n").strip(), 4)


def lock_and_check_version(
    session: OpenSession, resource: Resource, expected_versions: ExpectedVersions | None
) -> None:
    """Lock the resource until the transaction ends, and check that it is as its editor has seen it.

    Does nothing if `expected_versions` is None. Raises NotFound, and Stale if somebody has changed it.
    """
    if expected_versions is not None:
        repository.lock_resource(session, resource)
        check_version_without_lock(session, resource, expected_versions)


def check_version_without_lock(
    session: OpenSession, resource: Resource, expected_versions: ExpectedVersions | None
) -> None:
    """Check the version without a lock. Raises NotFound, Stale."""
    if expected_versions is not None:
        current_fields = _get_editable_fields(session, resource)
        if not expected_versions.is_version_seen(_hash_fields(resource, current_fields)):
            raise Stale(
                resource, _format_fields_as_typed(current_fields), _build_form_mark(resource, current_fields)
            )


def _get_editable_fields(session: OpenSession, resource: Resource) -> dict[str, Any]:
    editable_fields = repository.read_editable_fields(session, resource.kind, [resource.id]).get(resource.id)
    if editable_fields is None:
        raise NotFound(str(resource.kind))
    return editable_fields


def _build_form_mark(resource: Resource, editable_fields: Mapping[str, Any]) -> str:
    field_hashes = (
        f"{name}={hash_field(text)}" for name, text in _format_fields_as_typed(editable_fields).items()
    )
    return " ".join([_hash_fields(resource, editable_fields), *field_hashes])


def _hash_fields(resource: Resource, editable_fields: Mapping[str, Any]) -> str:
    values = [str(resource.id), *map(_sort_lists, editable_fields.values())]
    return _compute_hex_digest(json.dumps(values, sort_keys=True, default=str), _VERSION_BYTES)


def _compute_hex_digest(text: str, digest_size: int) -> str:
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=digest_size).hexdigest()


def _format_fields_as_typed(editable_fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields as forms have them, with the keys of a JSON column as single fields; secrets are left
    out.
    """
    fields: dict[str, str] = {}
    for column, column_value in editable_fields.items():
        for name, value in (
            column_value if isinstance(column_value, dict) else {column: column_value}
        ).items():
            if name not in _SECRET_FIELDS:
                fields.setdefault(name, _format_value(value))
    return fields


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def _sort_lists(value: object) -> object:
    """Return a list sorted, so that it does not depend on the query plan."""
    return sorted(value, key=str) if isinstance(value, list) else value
