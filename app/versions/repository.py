"""The fields of each kind of thing that people edit, as they stand in the database."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select

from app.db.models import (
    Account,
    Document,
    GraphEdge,
    GraphNode,
    Job,
    KnowledgeSpace,
    NodeAttribute,
    NodeTag,
    Tenant,
    Webhook,
)
from app.db.session import OpenSession, SpaceSession, TenantSession
from app.versions.shapes import Kind, Thing

Columns = Sequence[Any]


def _space(id: UUID) -> Select[Any]:
    space = KnowledgeSpace
    columns: Columns = (space.name, space.description, space.settings, space.embedding_model)
    return select(*columns).where(space.id == id, space.closed_at.is_(None))


def _document(id: UUID) -> Select[Any]:
    columns: Columns = (Document.title, Document.source_uri, Document.content_hash, Document.version)
    return select(*columns, Document.state).where(Document.id == id)


def _node(id: UUID) -> Select[Any]:
    """Its names, type and tags, and the values that people ended; not what is counted of it."""
    tags = select(func.array_agg(func.concat(NodeTag.ordinal, " ", NodeTag.tag, " ", NodeTag.origin))).where(
        NodeTag.knowledge_space_id == GraphNode.knowledge_space_id, NodeTag.node_id == GraphNode.id
    )
    ended = select(func.array_agg(func.concat(NodeAttribute.name, " ", NodeAttribute.value))).where(
        NodeAttribute.knowledge_space_id == GraphNode.knowledge_space_id,
        NodeAttribute.node_id == GraphNode.id,
        NodeAttribute.ended_at.is_not(None),
    )
    columns: Columns = (GraphNode.canonical_name, GraphNode.node_type)
    aliases, given = GraphNode.meta["aliases"], GraphNode.meta["given"]
    return select(*columns, aliases, given, tags.scalar_subquery(), ended.scalar_subquery()).where(
        GraphNode.id == id, GraphNode.deleted_at.is_(None)
    )


def _edge(id: UUID) -> Select[Any]:
    columns: Columns = (GraphEdge.from_node_id, GraphEdge.relation_type, GraphEdge.to_node_id)
    return select(*columns, GraphEdge.invalidated_at).where(
        GraphEdge.id == id, GraphEdge.deleted_at.is_(None)
    )


def _job(id: UUID) -> Select[Any]:
    columns: Columns = (Job.state, Job.attempt)
    return select(*columns).where(Job.id == id)


def _webhook(id: UUID) -> Select[Any]:
    columns: Columns = (Webhook.url, Webhook.events, Webhook.secret, Webhook.disabled_at)
    return select(*columns).where(Webhook.id == id)


def _account(id: UUID) -> Select[Any]:
    columns: Columns = (Account.email, Account.role, Account.is_operator)
    return select(*columns).where(Account.id == id)


def _tenant(id: UUID) -> Select[Any]:
    columns: Columns = (Tenant.name, Tenant.settings)
    return select(*columns).where(Tenant.id == id, Tenant.closed_at.is_(None))


_EDITED: dict[Kind, tuple[type[Any], Callable[[UUID], Select[Any]]]] = {
    Kind.SPACE: (KnowledgeSpace, _space),
    Kind.DOCUMENT: (Document, _document),
    Kind.NODE: (GraphNode, _node),
    Kind.EDGE: (GraphEdge, _edge),
    Kind.JOB: (Job, _job),
    Kind.WEBHOOK: (Webhook, _webhook),
    Kind.ACCOUNT: (Account, _account),
    Kind.TENANT: (Tenant, _tenant),
}
_UNDER_THE_GRAPH = {Kind.DOCUMENT, Kind.NODE, Kind.EDGE}
"""Kinds whose writers lock the space's row first; whoever locked only the thing's would wait in a circle."""


def read_state(session: OpenSession, thing: Thing) -> tuple[Any, ...] | None:
    """Return the fields that people edit of the thing, in a fixed order; None where it is not there."""
    table, query = _EDITED[thing.kind]
    row = session.orm.execute(query(thing.id).where(*_own(session, table))).one_or_none()
    return None if row is None else tuple(row)


def lock(session: OpenSession, thing: Thing) -> None:
    """Let nobody else change the thing until the transaction ends."""
    table, id = _EDITED[thing.kind][0], thing.id
    if thing.kind in _UNDER_THE_GRAPH and isinstance(session, SpaceSession):
        table, id = KnowledgeSpace, session.space_id
    query = select(table.id).where(table.id == id, *_own(session, table))
    session.orm.execute(query.with_for_update(key_share=True))


def _own(session: OpenSession, table: type[Any]) -> Sequence[ColumnElement[bool]]:
    """The session's own rows, said besides its policy, so that an index serves the query."""
    conditions: list[ColumnElement[bool]] = []
    if isinstance(session, SpaceSession | TenantSession) and hasattr(table, "tenant_id"):
        conditions.append(table.tenant_id == session.tenant_id)
    if isinstance(session, SpaceSession) and hasattr(table, "knowledge_space_id"):
        conditions.append(table.knowledge_space_id == session.space_id)
    return conditions
