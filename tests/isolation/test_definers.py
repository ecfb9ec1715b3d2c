"""What runs with another role's rights finds the names that it means, whatever its caller has made."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.db.doctor.canary_twins import get_sqlstate
from app.db.migrate import migrate
from app.db.roles import APP, SEARCH_ROLE, WORD_SEARCH_FUNCTION
from tests.isolation.conftest import World, scope

NOT_ON_WORKERS = "the definer reads on a worker, whose sessions have no temporary objects of a person"
PINNED = ["search_path=pg_catalog, pg_temp"]
OURS = """
SELECT p.oid::regprocedure::text, p.prosecdef, p.proconfig, p.prosqlbody IS NOT NULL FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
  AND NOT EXISTS (SELECT 1 FROM pg_depend d
                  WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
"""
CALL = "SELECT count(*) FROM public.chunk_matches('word'::tsquery, ARRAY['word'], 10)"
# Each would be found instead of what a function means, if temporary names came first.
DISGUISES = {
    "table": "CREATE TEMPORARY TABLE knowledge_chunk AS SELECT 1 AS id",
    "view": "CREATE TEMPORARY VIEW knowledge_chunk AS SELECT 1 AS id",
    "function": (
        "CREATE FUNCTION pg_temp.current_setting(text, boolean) RETURNS text LANGUAGE sql AS 'SELECT"
        " current_user'"
    ),
    "type": "CREATE DOMAIN pg_temp.uuid AS pg_catalog.uuid CHECK (pg_temp.note(VALUE::text))",
    "operator": (
        "CREATE OPERATOR pg_temp.@@ (LEFTARG = tsvector, RIGHTARG = tsquery, FUNCTION = pg_temp.anything)"
    ),
    "sequence": "CREATE TEMPORARY SEQUENCE knowledge_chunk",
}
NOTE = """
CREATE FUNCTION pg_temp.note(text) RETURNS boolean LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'ran as %', current_user; END $$
"""
ANYTHING = "CREATE FUNCTION pg_temp.anything(tsvector, tsquery) RETURNS boolean LANGUAGE sql AS 'SELECT true'"


@pytest.fixture(scope="module")
def migrated(world: World) -> World:
    """The world with the rights that a database has and its copy has not."""
    migrate(world.url.render_as_string(hide_password=False))
    return world


@pytest.fixture
def disguised(superuser: Connection) -> Iterator[Connection]:
    """A session of the application's role that, against the rules, may make temporary objects."""
    superuser.execute(
        text(
            f"DO $$ BEGIN EXECUTE 'GRANT TEMPORARY ON DATABASE ' || current_database() || ' TO {APP}'; END $$"
        )
    )
    superuser.execute(text(f"SET LOCAL ROLE {APP}"))
    yield superuser
    superuser.rollback()


def test_every_function_of_ours_looks_among_temporary_names_last(superuser: Connection) -> None:
    found = superuser.execute(text(OURS)).all()
    assert len(found) >= 10
    # A body that was parsed when the function was made looks nothing up.
    assert [(name, path) for name, _, path, parsed in found if path != PINNED and not parsed] == []
    assert {name for name, definer, _, _ in found if definer} == {WORD_SEARCH_FUNCTION}


@pytest.mark.parametrize("disguise", [*DISGUISES, "note"])
def test_the_application_may_make_nothing_temporary(migrated: World, disguise: str) -> None:
    statement = NOTE if disguise == "note" else DISGUISES[disguise]
    with migrated.database.engine.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text(statement))
    assert get_sqlstate(caught.value) == "42501", str(caught.value)


@pytest.mark.one_machine(NOT_ON_WORKERS)
@pytest.mark.parametrize("disguise", DISGUISES)
def test_no_temporary_name_is_taken_for_one_that_a_definer_means(
    world: World, disguised: Connection, disguise: str
) -> None:
    scope(disguised, tenant=world.a.tenant_id, space=world.a.space_id)
    plain = disguised.execute(text(CALL)).scalar_one()
    for statement in (NOTE, ANYTHING, DISGUISES[disguise]):
        disguised.execute(text(statement))
    assert disguised.execute(text(CALL)).scalar_one() == plain


@pytest.mark.one_machine(NOT_ON_WORKERS)
def test_that_attack_works_where_temporary_names_are_not_last(world: World, disguised: Connection) -> None:
    """So that the test above means something."""
    disguised.execute(text("RESET ROLE"))
    disguised.execute(text(f"ALTER FUNCTION {WORD_SEARCH_FUNCTION} SET search_path = pg_catalog"))
    disguised.execute(text(f"SET LOCAL ROLE {APP}"))
    scope(disguised, tenant=world.a.tenant_id, space=world.a.space_id)
    for statement in (NOTE, DISGUISES["type"]):
        disguised.execute(text(statement))
    with pytest.raises(DBAPIError, match=f"ran as {SEARCH_ROLE}"):
        disguised.execute(text(CALL))
