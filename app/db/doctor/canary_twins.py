"""The twins of the canary check: temporary tenants with equal rows, inserted through the sessions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Table, text
from sqlalchemy.exc import DBAPIError

from app.db.base import Base
from app.db.database import Database
from app.db.doctor.canary_rows import Row, build_row_that_constraints_accept, copy_row_with_new_keys
from app.db.errors import is_busy, is_unreachable
from app.db.session import OpenSession
from app.ids import SpaceId, TenantId, create_id


@dataclass
class Twin:
    """A temporary tenant with one space; `rows` holds the row inserted into each table."""

    tenant_id: TenantId = field(default_factory=lambda: TenantId(create_id()))
    space_id: SpaceId = field(default_factory=lambda: SpaceId(create_id()))
    rows: dict[str, Row] = field(default_factory=dict)

    def get_owner_ids_for_table(self, table: str) -> Row:
        """Return the ids that rows of the table must carry to belong to this twin."""
        if table == "tenant":
            return {"id": self.tenant_id}
        if table == "knowledge_space":
            return {"id": self.space_id, "tenant_id": self.tenant_id}
        return {"knowledge_space_id": self.space_id, "tenant_id": self.tenant_id}


def insert_twin_and_list_failures(
    database: Database, twin: Twin, canary: str, wall_by_table: Mapping[str, str]
) -> dict[str, str]:
    """Insert the tenant, its space and a row into every other table of `wall_by_table` (wall by table name).

    Return a sentence for each table that accepted no row; the other rows are in `twin.rows`. Raises
    DBAPIError or psycopg's Error if another transaction held a needed lock, or a server is gone.
    """
    tables = [
        table for table in Base.metadata.sorted_tables if wall_by_table.get(table.name, "none") != "none"
    ]
    space_tables = [table for table in tables if wall_by_table[table.name].startswith("space")]
    tenant_tables = [table for table in tables if table not in space_tables and table.name != "tenant"]
    failures: dict[str, str] = {}
    with database.open_platform() as platform:
        failures |= _insert_twin_rows(platform, [Base.metadata.tables["tenant"]], twin, canary)
    with database.open_tenant(twin.tenant_id) as tenant:
        failures |= _insert_twin_rows(tenant, tenant_tables, twin, canary)
    if "knowledge_space" in twin.rows:
        with database.open_space(twin.tenant_id, twin.space_id) as space:
            failures |= _insert_twin_rows(space, space_tables, twin, canary)
    return failures


def erase_twins(database: Database, twins: Sequence[Twin]) -> None:
    """Delete the twins as tenants are deleted: first each space, then the tenants' rows."""
    for twin in twins:
        with database.open_tenant(twin.tenant_id) as tenant:
            tenant.orm.connection().execute(
                text("DELETE FROM knowledge_space WHERE tenant_id = :tenant AND id = :space"),
                {"tenant": twin.tenant_id, "space": twin.space_id},
            )
    with database.open_platform() as platform:
        platform.orm.connection().execute(
            text("DELETE FROM tenant WHERE id = ANY(:ids)"), {"ids": [twin.tenant_id for twin in twins]}
        )


class CrossTenantRow(NamedTuple):
    """A row of ours that refers to their parent, and the name of the foreign key by which it does."""

    row: Row
    key_name: str


def build_rows_referring_to_other_tenant(
    table_name: str,
    own_rows: Mapping[str, Row],
    other_rows: Mapping[str, Row],
    owner: str,
    *,
    excluded_tables: Collection[str] = (),
) -> Iterator[CrossTenantRow]:
    """Yield, for each composite foreign key, a row of ours that refers to their parent.

    The keys are those of the models, so that one missing in the database is tried too; `excluded_tables`
    names tables without keys to them. `owner` is the column with the row's owner, which stays ours.
    """
    table = Base.metadata.tables.get(table_name)
    if table is None or table_name not in own_rows:
        return
    for key in table.foreign_key_constraints:
        parent = key.referred_table.name
        if len(key.elements) < 2 or parent not in other_rows or parent in excluded_tables:
            continue
        foreign_values = {
            element.parent.name: other_rows[parent][element.column.name]
            for element in key.elements
            if element.parent.name != owner
        }
        cross_row = copy_row_with_new_keys(table, own_rows[table_name]) | foreign_values
        yield CrossTenantRow(cross_row, str(key.name))


def get_sqlstate(error: DBAPIError) -> str:
    """Return the error's SQLSTATE."""
    return str(getattr(error.orig, "sqlstate", None) or "no SQLSTATE")


def _insert_twin_rows(
    session: OpenSession, tables: Sequence[Table], twin: Twin, canary: str
) -> dict[str, str]:
    failures = {}
    for table in tables:
        try:
            row = build_row_that_constraints_accept(
                table, owner_ids=twin.get_owner_ids_for_table(table.name), parents=twin.rows, canary=canary
            )
            with session.orm.begin_nested():
                session.orm.connection().execute(table.insert().values(row))
        except (DBAPIError, LookupError) as error:
            if is_busy(error) or is_unreachable(error):
                # Another transaction held a lock, or a server is gone; this says nothing about the table.
                raise
            reason = get_sqlstate(error) if isinstance(error, DBAPIError) else f"no row of {error}"
            failures[table.name] = (
                f"took no canary row ({reason}): give an example in app/db/doctor/canary_rows.py"
            )
        else:
            twin.rows[table.name] = row
    return failures
