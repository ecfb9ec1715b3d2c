"""The distribution of each table on a Citus cluster, with its reason: distributed by space, or local.

The platform's tables stay on the coordinator; the content of spaces is distributed (docs/citus.md). A table
that is in neither list is refused by `citegraph distribute` and by a test.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from app.db import models  # noqa: F401  (registers every table with Base.metadata)
from app.db.base import Base, SpaceOwned

SPACE_ID = "knowledge_space_id"
ANCHOR = "space_anchor"
Distribution = Literal["distributed", "local"]

_REASON_BY_LOCAL_TABLE = {
    "tenant": "one row per customer, read with every key; quotas are claimed under its row lock",
    "account": "people sign in to a tenant, independent of its spaces",
    "api_key": "looked up by its hash at every request, before any space is known",
    "dashboard_session": "looked up by its hash at every page, before any space is known",
    "sign_in_link": "looked up by its hash, before any space is known",
    "asked_question": "deleted with an account or a key; few rows for each",
    "audit_event": "read by tenant; outlives the space that it names",
    "budget_reservation": "summed over all spaces of a tenant before each model call",
    "usage_daily": "summed by tenant for billing; one row per space and day",
    "usage_of_deleted": "summed by tenant for billing; one row per month, for deleted spaces",
    "idempotent_request": "claimed by its principal and key, before the space is opened",
    "knowledge_space": "looked up by tenant and id to open a space; its row lock serialises its writers",
    "job": "one queue: claims are fair between tenants and read all spaces",
    "job_error": "deleted with its job",
    "wall_examination": "belongs to the tenant of the operator who requested it",
    "webhook": "belongs to a tenant",
    "webhook_queue": "one row per tenant, read across tenants; a trigger of the outbox writes it",
    "webhook_delivery": "the outbox is one queue over all spaces, like the jobs",
    **dict.fromkeys(
        (f"dedicated_{kind}_vector" for kind in ("chunk", "node", "fact")),
        "empty on a cluster, where a shard replaces a space's own partition",
    ),
    "alembic_version": "one row, the number of the newest migration",
}
_DISTRIBUTED = {
    "space_size": ("triggers on content write it on the same node; a tenant's quota sums its spaces"),
}
CONTENT = "content of a space: joined with other content, which is in the same shard"


@dataclass(frozen=True)
class TableDistribution:
    """One table's distribution on a cluster; `reason` is a clause for people."""

    table: str
    distribution: Distribution
    reason: str


def list_distributions(tables: Collection[str]) -> list[TableDistribution]:
    """Return the distribution of each table, by name. Raises LookupError for a table that has none."""
    distributions = []
    for table in sorted(tables):
        if table in _REASON_BY_LOCAL_TABLE:
            distributions.append(TableDistribution(table, "local", _REASON_BY_LOCAL_TABLE[table]))
        elif table in _DISTRIBUTED or table in _TABLES_OF_SPACE:
            distributions.append(TableDistribution(table, "distributed", _DISTRIBUTED.get(table, CONTENT)))
        else:
            raise LookupError(
                f"{table} has no distribution for Citus: is it content of a space (then its model is"
                " SpaceOwned), or the platform's? See app/db/table_distribution.py."
            )
    return distributions


_TABLES_OF_SPACE = {
    str(mapper.local_table.description)
    for mapper in Base.registry.mappers
    if issubclass(mapper.class_, SpaceOwned)
}
DISTRIBUTIONS = list_distributions([*Base.metadata.tables, "alembic_version"])
DISTRIBUTED = frozenset(row.table for row in DISTRIBUTIONS if row.distribution == "distributed")
LOCAL_TABLES = frozenset(row.table for row in DISTRIBUTIONS if row.distribution == "local")
SHARDED = DISTRIBUTED | {ANCHOR}
"""The tables with shards: content, and the anchor, which is a table only on a cluster."""
