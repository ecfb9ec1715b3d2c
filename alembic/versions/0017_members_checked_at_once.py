"""The key from a member to its community is kept by triggers, a statement at a time.

Postgres checks a foreign key row by row: of writing a million members that was nine of sixteen seconds. The
triggers keep what the key kept, under its name and with its error, and lock what it locked: a member of no
community, or of another space's, is refused to anybody, and members go with their community. A worker of the
version before (requirement 13.3) notices nothing.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0017"
down_revision: str | None = "0016"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

KEY = "fk_community_member_knowledge_space_id_community_id"
INDEX = "ix_community_member_community"
NODES = "Nodes of the space."

# Each community once, by its primary key, whatever the planner knows of the tables, and locked as a key locks it:
# who deletes one waits, and then takes the members along.
CHECK = f"""
CREATE FUNCTION check_members() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT knowledge_space_id, community_id FROM written) AS named
        LEFT JOIN LATERAL (
            SELECT community.id FROM public.community
            WHERE community.knowledge_space_id = named.knowledge_space_id AND community.id = named.community_id
            FOR KEY SHARE
        ) AS standing ON true
        WHERE standing.id IS NULL
    ) THEN
        RAISE foreign_key_violation USING
            MESSAGE = 'insert or update on table "community_member" violates foreign key constraint "{KEY}"',
            SCHEMA = 'public', TABLE = 'community_member', CONSTRAINT = '{KEY}';
    END IF;
    RETURN NULL;
END $$
"""
# Communities also go with their space, which is deleted while no space is open: row security would hide the members.
DROP = """
CREATE FUNCTION drop_members() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog AS $$
DECLARE
    opened text := coalesce(current_setting('app.space_id', true), '');
    emptied uuid;
BEGIN
    FOR emptied IN SELECT DISTINCT knowledge_space_id FROM gone LOOP
        PERFORM set_config('app.space_id', emptied::text, true);
        DELETE FROM public.community_member AS member USING gone
        WHERE gone.knowledge_space_id = emptied AND member.knowledge_space_id = emptied
          AND member.community_id = gone.id;
    END LOOP;
    PERFORM set_config('app.space_id', opened, true);
    RETURN NULL;
END $$
"""
REFUSE = f"""
CREATE FUNCTION refuse_new_id() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog AS $$
BEGIN
    RAISE foreign_key_violation USING
        MESSAGE = 'update on table "community" may violate foreign key constraint "{KEY}" on table "community_member"',
        SCHEMA = 'public', TABLE = 'community_member', CONSTRAINT = '{KEY}';
END $$
"""

# fmt: off


def upgrade() -> None:
    for function in (CHECK, DROP, REFUSE):
        op.execute(function)
    for event in ("INSERT", "UPDATE"):
        op.execute(f"CREATE TRIGGER check_{event.lower()} AFTER {event} ON community_member REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION check_members()")
    op.execute("CREATE TRIGGER drop_members AFTER DELETE ON community REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_members()")
    op.execute("CREATE TRIGGER refuse_new_id AFTER UPDATE OF knowledge_space_id, id ON community FOR EACH ROW WHEN ((OLD.knowledge_space_id, OLD.id) IS DISTINCT FROM (NEW.knowledge_space_id, NEW.id)) EXECUTE FUNCTION refuse_new_id()")
    op.drop_constraint(KEY, "community_member", type_="foreignkey")
    op.alter_column('community_run', 'nodes', existing_type=sa.Integer(), existing_nullable=False, existing_comment=NODES, comment='Nodes of the space when it was last read whole.')
    # Members of a community are sorted with those of its parts, never read off the index by weight.
    op.drop_index(INDEX, "community_member")
    op.create_index(INDEX, "community_member", ["knowledge_space_id", "community_id"])


def downgrade() -> None:
    op.alter_column('community_run', 'nodes', existing_type=sa.Integer(), existing_nullable=False, comment=NODES)
    op.drop_index(INDEX, "community_member")
    op.create_index(INDEX, "community_member", ["knowledge_space_id", "community_id", sa.literal_column("weight DESC")])
    op.create_foreign_key(KEY, "community_member", "community", ["knowledge_space_id", "community_id"], ["knowledge_space_id", "id"], ondelete="CASCADE")
    for table, trigger in (("community_member", "check_insert"), ("community_member", "check_update"), ("community", "drop_members"), ("community", "refuse_new_id")):
        op.execute(f"DROP TRIGGER {trigger} ON {table}")
    for function in ("check_members", "drop_members", "refuse_new_id"):
        op.execute(f"DROP FUNCTION {function}()")
