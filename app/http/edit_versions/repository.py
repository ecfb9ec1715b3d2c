"""Queries for the editable fields of each kind of resource."""

from collections.abc import Callable, Collection, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, literal, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

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
from app.http.edit_versions.shapes import Kind, Resource

Columns = Sequence[Any]
_COMMA = literal(", ")


def _select_editable_fields_of_spaces() -> Select[Any]:
    space = KnowledgeSpace
    columns: Columns = (space.name, space.description, space.settings, space.embedding_model)
    return select(*columns).where(space.closed_at.is_(None))


def _select_editable_fields_of_documents() -> Select[Any]:
    columns: Columns = (Document.title, Document.source_uri, Document.content_hash, Document.version)
    return select(*columns, Document.state)


def _select_editable_fields_of_nodes() -> Select[Any]:
    """Select names, type, tags and the values that people ended; not what is computed about the node."""
    tags = select(func.string_agg(NodeTag.tag, aggregate_order_by(_COMMA, NodeTag.ordinal))).where(
        NodeTag.knowledge_space_id == GraphNode.knowledge_space_id, NodeTag.node_id == GraphNode.id
    )
    ended_values = select(func.array_agg(func.concat(NodeAttribute.name, " ", NodeAttribute.value))).where(
        NodeAttribute.knowledge_space_id == GraphNode.knowledge_space_id,
        NodeAttribute.node_id == GraphNode.id,
        NodeAttribute.ended_at.is_not(None),
    )
    columns: Columns = (
        GraphNode.canonical_name.label("name"),
        GraphNode.node_type,
        GraphNode.meta["aliases"].label("aliases"),
        GraphNode.meta["given"].label("given"),
        tags.scalar_subquery().label("tags"),
        ended_values.scalar_subquery().label("ended"),
    )
    return select(*columns)


def _select_editable_fields_of_edges() -> Select[Any]:
    columns: Columns = (GraphEdge.from_node_id, GraphEdge.relation_type, GraphEdge.to_node_id)
    return select(*columns, GraphEdge.invalidated_at.label("ended")).where(GraphEdge.deleted_at.is_(None))


def _select_editable_fields_of_jobs() -> Select[Any]:
    columns: Columns = (Job.state, Job.attempt)
    return select(*columns)


def _select_editable_fields_of_webhooks() -> Select[Any]:
    columns: Columns = (Webhook.url, Webhook.events, Webhook.secret, Webhook.disabled_at)
    return select(*columns)


def _select_editable_fields_of_accounts() -> Select[Any]:
    columns: Columns = (Account.email, Account.role, Account.is_operator)
    return select(*columns)


def _select_editable_fields_of_tenants() -> Select[Any]:
    budget, quotas = Tenant.settings["budget_usd"], Tenant.settings["quotas"]
    columns: Columns = (Tenant.name, budget.label("usd"), quotas.label("quotas"))
    return select(*columns).where(Tenant.closed_at.is_(None))


_EDITED_CLASSES: dict[Kind, tuple[type[Any], Callable[[], Select[Any]]]] = {
    Kind.SPACE: (KnowledgeSpace, _select_editable_fields_of_spaces),
    Kind.DOCUMENT: (Document, _select_editable_fields_of_documents),
    Kind.NODE: (GraphNode, _select_editable_fields_of_nodes),
    Kind.EDGE: (GraphEdge, _select_editable_fields_of_edges),
    Kind.JOB: (Job, _select_editable_fields_of_jobs),
    Kind.WEBHOOK: (Webhook, _select_editable_fields_of_webhooks),
    Kind.ACCOUNT: (Account, _select_editable_fields_of_accounts),
    Kind.TENANT: (Tenant, _select_editable_fields_of_tenants),
}
_KINDS_UNDER_GRAPH_LOCK = {Kind.DOCUMENT, Kind.NODE, Kind.EDGE}
"""Kinds whose writers lock the space's row first; locking only the resource's row could cause a deadlock."""


def read_editable_fields(
    session: OpenSession, kind: Kind, resource_ids: Collection[UUID] | None
) -> dict[UUID, dict[str, Any]]:
    """Return the editable fields of these resources, in a fixed order; missing resources are left out.

    If `resource_ids` is None, return those of all that the session may read.
    """
    if resource_ids is not None and not resource_ids:
        return {}
    table, query = _EDITED_CLASSES[kind]
    conditions = [] if resource_ids is None else [table.id.in_(resource_ids)]
    rows = session.orm.execute(
        query()
        .add_columns(table.id.label("_id"))
        .where(*conditions, *_build_conditions_of_session(session, table))
    )
    fields_of_rows = (dict(row._mapping) for row in rows)
    return {state.pop("_id"): state for state in fields_of_rows}


def lock_resource(session: OpenSession, resource: Resource) -> None:
    """Lock the resource against changes by others until the transaction ends."""
    table, id = _EDITED_CLASSES[resource.kind][0], resource.id
    if resource.kind in _KINDS_UNDER_GRAPH_LOCK and isinstance(session, SpaceSession):
        table, id = KnowledgeSpace, session.space_id
    query = select(table.id).where(table.id == id, *_build_conditions_of_session(session, table))
    session.orm.execute(query.with_for_update(key_share=True))


def _build_conditions_of_session(session: OpenSession, table: type[Any]) -> Sequence[ColumnElement[bool]]:
    """Return conditions for the session's own rows, in addition to its policy, so that the query uses an
    index.
    """
    conditions: list[ColumnElement[bool]] = []
    if isinstance(session, SpaceSession | TenantSession) and hasattr(table, "tenant_id"):
        conditions.append(table.tenant_id == session.tenant_id)
    if isinstance(session, SpaceSession) and hasattr(table, "knowledge_space_id"):
        conditions.append(table.knowledge_space_id == session.space_id)
    return conditions
