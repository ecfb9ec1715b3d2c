"""The row-security policy of each table (the third wall, docs/isolation.md).

Every table of tenants or spaces has one permissive policy, `wall`, with the same condition for reading and
for writing. The wall follows from the table's columns, so a new table needs no entry here; `TENANT_WALLED`
lists the exceptions. Migrations create the policies. `tests/support/schema/lint.py` compares those of a
migrated database with `get_policy_condition`, and `citegraph doctor` compares a database in use with
`doctor/catalogue.json`.

Tables that the login for psql may read also have the restrictive policy `one_space` (inspection.py). On a
Citus cluster, `wall` of a distributed table is for the roles citegraph_owner and citegraph_app alone.
"""

from app.db import models  # noqa: F401  (registers every table with Base.metadata)
from app.db.base import Base, Operational, SpaceOwned
from app.db.doctor.catalogue import Relation
from app.db.table_distribution import SPACE_ID

TENANT_ID = "tenant_id"

TENANT_WALLED = {
    "usage_daily": "bills are read by tenant; the foreign key proves that the space is the tenant's",
    "space_anchor": "a table on a cluster alone; whoever deletes a space, or a tenant, deletes it",
    "space_size": "quotas are read by tenant; the foreign key proves that the space is the tenant's",
    "budget_reservation": "budgets are the tenant's; the foreign key proves that the space is its own",
    "audit_event": "the record of a space outlives it; its tenant reads it",
    "webhook_delivery": "messages are the tenant's; the foreign key proves that the space is its own",
    "asked_question": "goes with its account as with its space; the foreign key proves whose space it is",
}
"""Tables with a column for the space whose rows belong to its tenant, with reasons."""

# An ended transaction leaves '' in a setting, not NULL: without NULLIF the cast would raise.
_SETTING = "(NULLIF(current_setting('app.{setting}'::text, true), ''::text))::uuid"
_SPACE = f"({SPACE_ID} = {_SETTING.format(setting='space_id')})"
_TENANT = "({column} = " + _SETTING.format(setting="tenant_id") + ")"
_PLATFORM = "(current_setting('app.platform'::text, true) = 'on'::text)"

CONDITIONS = {
    "space": _SPACE,
    "space or platform": f"({_SPACE} OR {_PLATFORM})",
    "tenant": _TENANT,
    "tenant or platform": f"({_TENANT} OR {_PLATFORM})",
}
"""The condition of the policy by wall, as Postgres prints it; `{column}` is the column of the tenant's id.

`space`: content. `space or platform`: jobs, which the sweeper and the fair claim read in all spaces.
`tenant`: the row of a space. `tenant or platform`: everything else of a tenant, which operators read.
"""


def get_wall(relation: Relation) -> str:
    """Return the wall of a relation by its columns: a key of `CONDITIONS`, `view` or `none`."""
    if not relation.is_table:
        return "view" if relation.kind in ("v", "m") else "none"
    if relation.has_column(SPACE_ID) and relation.name not in TENANT_WALLED:
        return "space or platform" if relation.name in _list_operational_tables() else "space"
    if relation.name == "knowledge_space":
        # Deleting it deletes all content: the platform's setting alone must not allow that.
        return "tenant"
    if relation.has_column(TENANT_ID) or relation.name == "tenant":
        return "tenant or platform"
    return "none"


def get_policy_condition(relation: Relation) -> str | None:
    """Return the condition of the relation's policy `wall`, as Postgres prints it; None if it has no wall."""
    condition = CONDITIONS.get(get_wall(relation))
    column = "id" if relation.name == "tenant" else TENANT_ID
    return None if condition is None else condition.replace("{column}", column)


def _list_operational_tables() -> set[str]:
    return {
        str(mapper.local_table.description)
        for mapper in Base.registry.mappers
        if issubclass(mapper.class_, SpaceOwned) and issubclass(mapper.class_, Operational)
    }
