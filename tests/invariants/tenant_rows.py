"""All rows of a tenant by number and hash, so that it can be told that none is another."""

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import sql

from tests.invariants.violations import Refused, expect
from tests.invariants.world import Side, World

Fingerprint = dict[str, tuple[int, str]]
"""Table → number and hash of the rows."""
NOTED_OF_REQUESTS = ("api_key",)
"""Tables in which it is noted that somebody asked, whatever the answer."""


def tenant_tables(world: World) -> list[tuple[str, bool, bool]]:
    """(table, has a space, has a tenant) of every table with rows of a tenant, out of the catalogue."""
    rows = world.superuser.execute(
        "SELECT c.relname::text, bool_or(a.attname = 'knowledge_space_id'), bool_or(a.attname = 'tenant_id')"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
        " GROUP BY 1 ORDER BY 1"
    ).fetchall()
    return [(str(name), bool(space), bool(tenant)) for name, space, tenant in rows if space or tenant]


def fingerprint(world: World, side: Side) -> Fingerprint:
    """Number and hash of all rows of the tenant, by table."""
    statement = sql.SQL(" UNION ALL ").join(
        sql.SQL(
            "SELECT {name}, count(*), coalesce(md5(string_agg(t::text, ' ' ORDER BY t::text)), '')"
            " FROM {table} AS t WHERE {condition}"
        ).format(
            name=sql.Literal(name),
            table=sql.Identifier(name),
            condition=sql.SQL(
                "tenant_id = %(tenant)s"
                if has_tenant
                else "knowledge_space_id IN (SELECT id FROM knowledge_space WHERE tenant_id = %(tenant)s)"
            ),
        )
        for name, _, has_tenant in tenant_tables(world)
    )
    rows = world.superuser.execute(statement, {"tenant": side.tenant_id}).fetchall()
    return {str(name): (int(count), str(digest)) for name, count, digest in rows if count}


def unchanged(before: Fingerprint, after: Fingerprint, what: str) -> None:
    """18.3: no row is another; what did not touch them."""
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    expect(not changed, f"{what} changed rows in {changed}")


@contextmanager
def whole_or_nothing(world: World, side: Side) -> Iterator[None]:
    """18.3: an act that a door refuses changes no row of the tenant."""
    before = fingerprint(world, side)
    try:
        yield
    except Refused as refusal:
        after = fingerprint(world, side)
        for noted in NOTED_OF_REQUESTS:
            before.pop(noted, None), after.pop(noted, None)
        unchanged(before, after, f"an act that was refused, {refusal.code},")
        raise
