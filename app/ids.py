"""Typed ids: every row is known by a uuid v7 that this process makes, never by a sequence."""

from typing import NewType
from uuid import UUID

from uuid_utils.compat import uuid7

TenantId = NewType("TenantId", UUID)
ApiKeyId = NewType("ApiKeyId", UUID)
SpaceId = NewType("SpaceId", UUID)
DocumentId = NewType("DocumentId", UUID)
ChunkId = NewType("ChunkId", UUID)
NodeId = NewType("NodeId", UUID)
EdgeId = NewType("EdgeId", UUID)
JobId = NewType("JobId", UUID)
GoldenQuestionId = NewType("GoldenQuestionId", UUID)
ReservationId = NewType("ReservationId", UUID)
LOWEST_ID = UUID(int=0)
"""An id below all others, after which a listing in the order of ids begins."""
SpaceKey = tuple[TenantId, SpaceId]
"""A knowledge space, after the tenant that owns it."""


def create_id() -> UUID:
    """Return a new time-ordered id; wrap it in the NewType of the identified thing."""
    return uuid7()
