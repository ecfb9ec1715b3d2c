"""The distribution of each table on a Citus cluster, with its reason: distributed by space, or local.

The platform's tables stay on the coordinator as they are, the content of spaces is distributed
(docs/citus.md). A table that is in neither list is refused by `citegraph distribute`, and by a test.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from app.db import models  # noqa: F401  (registers every table with Base.metadata)
from app.db.base import Base, SpaceOwned

SPACE_ID = "knowledge_space_id"
ANCHOR = "space_anchor"
Distribution = Literal["distributed", "local"]

_LOCAL = {
    "tenant": "one row a customer, read with every key; its quotas are taken under its row's lock",
    "account": "people sign in to a tenant, whichever spaces it has",
    "api_key": "looked up by its hash at every request, before any space is known",
    "dashboard_session": "looked up by its hash at every page, before any space is known",
    "sign_in_link": "looked up by its hash, before any space is known",
    "asked_question": "belongs to an account or a key and goes with it; a handful for each",
    "audit_event": "read by tenant, outlives the space that it names",
    "budget_reservation": "added up over all spaces of a tenant before each call of a model",
    "usage_daily": "bills are added up by tenant; a row a space and day",
    "usage_of_deleted": "bills are added up by tenant; a row a month, of spaces that are gone",
    "idempotent_request": "claimed by its principal and key, before the space is opened",
    "knowledge_space": "the door reads it by tenant and id; its row is the lock of the space's writers",
    "job": "the queue is one: claims are fair between tenants and see every space",
    "job_error": "goes with its job",
    "wall_examination": "belongs to the tenant of the operator who asked",
    "webhook": "belongs to a tenant",
    "webhook_queue": "one row a tenant, read over all of them; a trigger of the outbox writes it",
    "webhook_delivery": "the outbox is one queue over all spaces, as the jobs are",
    **dict.fromkeys(
        (f"dedicated_{kind}_vector" for kind in ("chunk", "node", "fact")),
        "empty there: a space's shard is what its own partition is on one machine",
    ),
    "alembic_version": "one row, the number of the newest migration",
}
_DISTRIBUTED = {
    "space_size": (
        "triggers on content write it where that content stands; a tenant's quota reads the spaces it has"
    ),
}
CONTENT = "content of a space: whatever a statement reads with it stands in the same shard"


@dataclass(frozen=True)
class TableDistribution:
    """One table's distribution on a cluster; `why` is a clause for people."""

    table: str
    distribution: Distribution
    why: str


def list_distributions(tables: Collection[str]) -> list[TableDistribution]:
    """Return the distribution of each table, by name. Raises LookupError for a table that has none."""
    distributions = []
    for table in sorted(tables):
        if table in _LOCAL:
            distributions.append(TableDistribution(table, "local", _LOCAL[table]))
        elif table in _DISTRIBUTED or table in _OWNED:
            distributions.append(TableDistribution(table, "distributed", _DISTRIBUTED.get(table, CONTENT)))
        else:
            raise LookupError(
                f"{table} has no distribution for Citus: is it content of a space (then its model is"
                " SpaceOwned), or the platform's? See app/db/table_distribution.py."
            )
    return distributions


_OWNED = {
    str(mapper.local_table.description)
    for mapper in Base.registry.mappers
    if issubclass(mapper.class_, SpaceOwned)
}
DISTRIBUTIONS = list_distributions([*Base.metadata.tables, "alembic_version"])
DISTRIBUTED = frozenset(row.table for row in DISTRIBUTIONS if row.distribution == "distributed")
LOCAL = frozenset(row.table for row in DISTRIBUTIONS if row.distribution == "local")
SHARDED = DISTRIBUTED | {ANCHOR}
"""The tables with shards: content, and the anchor, which is a table on a cluster alone."""
