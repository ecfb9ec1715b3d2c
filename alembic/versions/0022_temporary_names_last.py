"""Functions look for names in pg_catalog, and among a session's temporary ones last.

`pg_temp` stands before all others where a search_path does not name it: a temporary type called `uuid` would have been
read in place of the real one by `chunk_matches`, which runs with the rights of citegraph_search. All functions get
the same, whoever runs them. `chunk_lexemes` has no path, so that it can be a part of the statement that calls it: its
names are now looked up once, when it is made.
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0022"
down_revision: str | None = "0021"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# Functions that an extension brought are its own.
EACH = """
DO $$
DECLARE signature text;
BEGIN
    FOR signature IN
        SELECT p.oid::regprocedure::text FROM pg_catalog.pg_proc p
        WHERE p.pronamespace = 'public'::regnamespace AND p.proconfig IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::regclass
                          AND d.objid = p.oid AND d.deptype = 'e')
    LOOP
        EXECUTE 'ALTER FUNCTION ' || signature || ' SET search_path = {path}';
    END LOOP;
END $$
"""

HEAD = """
CREATE OR REPLACE FUNCTION chunk_lexemes(space_id uuid, title text, headings text[], body text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
"""
WORDS = """
    setweight(to_tsvector('pg_catalog.english', concat_ws(' ', title, array_to_string(headings, ' '))), 'A')
    || to_tsvector('pg_catalog.english', body) || array_to_tsvector(ARRAY['space:' || space_id::text])
"""


def upgrade() -> None:
    op.execute(f"{HEAD} RETURN {WORDS}")
    op.execute(EACH.format(path="pg_catalog, pg_temp"))


def downgrade() -> None:
    op.execute(f"{HEAD} AS $$ SELECT {WORDS} $$")
    op.execute(EACH.format(path="pg_catalog"))
