"""Versions of what is edited: two editors who have read the same do not overwrite each other unseen.

A version names what people edit of a thing, not what is counted of it: a node that is mentioned once more is
as its editor has seen it. A door says which version its caller has seen, in the transaction of the change.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from app.db.session import OpenSession
from app.errors import NotFound
from app.http.versions import repository
from app.http.versions.shapes import Expected, Kind, Resource, Stale

_BYTES = 8
_SECRET = {"secret"}
KINDS = {
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
"""The kind that each parameter of an address names."""


def resource_in_path(parameters: dict[str, Any]) -> Resource | None:
    """The thing that an address is about: the last that a parameter of it names and that has a version.

    None where none does, or where its id cannot be one.
    """
    for name, value in reversed(parameters.items()):
        if name in KINDS:
            try:
                return Resource(KINDS[name], UUID(str(value)))
            except ValueError:
                return None
    return None


def current_version(session: OpenSession, resource: Resource) -> str:
    """The thing's version: the same as long as nobody edits it. Raises NotFound."""
    return _version_of_state(resource, _editable_fields_of(session, resource))


def current_versions_of_kind(session: OpenSession, kind: Kind) -> dict[UUID, str]:
    """The versions of all things of that kind that the session holds, by their ids."""
    states = repository.read_editable_fields(session, kind, None)
    return {id: _version_of_state(Resource(kind, id), state) for id, state in states.items()}


def form_marks_of_resources(
    session: OpenSession, kind: Kind, ids: Collection[UUID] | None
) -> dict[Resource, str]:
    """The mark that a form carries of each thing, with None of all that the session holds: its version, and a
    short hash of each field as it is typed.

    So a refusal can say which fields changed, and nothing of them is repeated meanwhile.
    """
    states = repository.read_editable_fields(session, kind, ids)
    return {Resource(kind, id): _form_mark(Resource(kind, id), state) for id, state in states.items()}


def hash_of_field(text: str) -> str:
    """A short hash of a field as it is typed."""
    return _hash(text.replace("\r\n", "\n").strip(), 4)


def lock_and_check_version(session: OpenSession, resource: Resource, expected: Expected | None) -> None:
    """Lock the thing until the transaction ends, and check that it is what its editor has seen.

    Does nothing where the editor said nothing. Raises NotFound, and Stale where somebody changed it.
    """
    if expected is not None:
        repository.lock_resource(session, resource)
        check_version(session, resource, expected)


def check_version(session: OpenSession, resource: Resource, expected: Expected | None) -> None:
    """Check the same without a lock. Raises NotFound, Stale."""
    if expected is not None:
        state = _editable_fields_of(session, resource)
        if not expected.is_version_seen(_version_of_state(resource, state)):
            raise Stale(resource, _fields_as_typed(state), _form_mark(resource, state))


def _editable_fields_of(session: OpenSession, resource: Resource) -> dict[str, Any]:
    state = repository.read_editable_fields(session, resource.kind, [resource.id]).get(resource.id)
    if state is None:
        raise NotFound(str(resource.kind))
    return state


def _form_mark(resource: Resource, state: Mapping[str, Any]) -> str:
    hashes = (f"{name}={hash_of_field(text)}" for name, text in _fields_as_typed(state).items())
    return " ".join([_version_of_state(resource, state), *hashes])


def _version_of_state(resource: Resource, state: Mapping[str, Any]) -> str:
    values = [str(resource.id), *map(_with_sorted_lists, state.values())]
    return _hash(json.dumps(values, sort_keys=True, default=str), _BYTES)


def _hash(text: str, size: int) -> str:
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=size).hexdigest()


def _fields_as_typed(state: Mapping[str, Any]) -> dict[str, str]:
    """The fields as forms have them, a column of several as one each; secrets are left out."""
    fields: dict[str, str] = {}
    for column, column_value in state.items():
        for name, value in (
            column_value if isinstance(column_value, dict) else {column: column_value}
        ).items():
            if name not in _SECRET:
                fields.setdefault(name, _text(value))
    return fields


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def _with_sorted_lists(value: object) -> object:
    """A list in an order that does not depend on the plan by which it was read."""
    return sorted(value, key=str) if isinstance(value, list) else value
