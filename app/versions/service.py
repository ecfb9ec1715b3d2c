"""Versions of what is edited: two editors who have read the same do not overwrite each other unseen.

A version names what people edit of a thing, not what is counted of it: a node that is mentioned once more is
as its editor has seen it. A door says which version its caller has seen, in the transaction of the change.
"""

import hashlib
import json
from typing import Any
from uuid import UUID

from app.db.session import OpenSession
from app.errors import NotFound
from app.versions import repository
from app.versions.shapes import Expected, Kind, Stale, Thing

_BYTES = 8
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


def named_thing(parameters: dict[str, Any]) -> Thing | None:
    """The thing that an address is about: the last that a parameter of it names and that has a version.

    None where none does, or where its id cannot be one.
    """
    for name, value in reversed(parameters.items()):
        if name in KINDS:
            try:
                return Thing(KINDS[name], UUID(str(value)))
            except ValueError:
                return None
    return None


def version_of(session: OpenSession, thing: Thing) -> str:
    """The thing's version: the same as long as nobody edits it. Raises NotFound."""
    state = repository.read_state(session, thing)
    if state is None:
        raise NotFound(str(thing.kind))
    written = json.dumps([str(thing.id), *map(_ordered, state)], sort_keys=True, default=str)
    return hashlib.blake2b(written.encode(), digest_size=_BYTES).hexdigest()


def require_version(session: OpenSession, thing: Thing, expected: Expected | None) -> None:
    """Lock the thing until the transaction ends, and check that it is what its editor has seen.

    Does nothing where the editor said nothing. Raises NotFound, and Stale where somebody changed it.
    """
    if expected is not None:
        repository.lock(session, thing)
        compare_version(session, thing, expected)


def compare_version(session: OpenSession, thing: Thing, expected: Expected | None) -> None:
    """Check the same without a lock. Raises NotFound, Stale."""
    if expected is not None and not expected.allows(version_of(session, thing)):
        raise Stale(thing)


def _ordered(value: object) -> object:
    """A list in an order that does not depend on the plan by which it was read."""
    return sorted(value, key=str) if isinstance(value, list) else value
