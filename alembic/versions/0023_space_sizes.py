"""What each space holds, added up by triggers with the change itself, so that quotas are known at a glance.

Rows are appended, never updated: two writers of one space do not wait for each other. Addition only (requirement
13.3): what a worker of the version before writes is counted too. What stood before is counted by migration 0024.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0023"
down_revision: str | None = "0022"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
TENANT = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid"
PLATFORM = "current_setting('app.platform', true) = 'on'"
FUNCTION = "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$ BEGIN {body} RETURN NULL; END $$"
# A space that is being deleted with all that it holds has no row by now, and notes nothing.
NOTE = """
    INSERT INTO public.space_size (tenant_id, knowledge_space_id, id, {columns})
    SELECT space.tenant_id, space.id, gen_random_uuid(), {values}
    FROM {rows} JOIN public.knowledge_space AS space ON space.id = changed.knowledge_space_id
    GROUP BY space.tenant_id, space.id;
"""
COUNTED = {
    "document": ("documents, bytes", "{sign} count(*), {sign} sum(changed.byte_size)"),
    "knowledge_chunk": ("chunks", "{sign} count(*)"),
    "graph_node": ("nodes", "{sign} count(*)"),
}
RESIZED = NOTE.format(
    columns="bytes",
    values="sum(changed.bytes)",
    rows="(VALUES (NEW.knowledge_space_id, NEW.byte_size::bigint - OLD.byte_size)) AS changed (knowledge_space_id, bytes)",
)

# fmt: off


def upgrade() -> None:
    op.create_table('space_size',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The space that grew.'),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant that owns the space.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='Random, made by whoever adds the row.'),
    sa.Column('documents', sa.BigInteger(), server_default='0', nullable=False, comment='Documents more; below 0: fewer.'),
    sa.Column('bytes', sa.BigInteger(), server_default='0', nullable=False, comment='Bytes more of documents as they were handed in.'),
    sa.Column('chunks', sa.BigInteger(), server_default='0', nullable=False, comment='Chunks more.'),
    sa.Column('nodes', sa.BigInteger(), server_default='0', nullable=False, comment='Nodes more.'),
    sa.ForeignKeyConstraint(['tenant_id', 'knowledge_space_id'], ['knowledge_space.tenant_id', 'knowledge_space.id'], name=op.f('fk_space_size_tenant_id_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'tenant_id', 'id', name=op.f('pk_space_size')),
    comment='What spaces hold, as a sum of rows that triggers add with each change; the ground of quotas. Walled by app.tenant_id.'
    )
    op.create_index(op.f('ix_space_size_tenant_id'), 'space_size', ['tenant_id'])
    op.execute("ALTER TABLE space_size ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE space_size FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON space_size USING ({TENANT} OR {PLATFORM}) WITH CHECK ({TENANT} OR {PLATFORM})")
    for table, (columns, values) in COUNTED.items():
        for event, sign, side, rows in (("insert", "", "NEW", "added"), ("delete", "-", "OLD", "removed")):
            name = f"note_size_{table}_{event}"
            body = NOTE.format(columns=columns, values=values.format(sign=sign), rows=f"{rows} AS changed")
            op.execute(FUNCTION.format(name=name, body=body))
            op.execute(f"CREATE TRIGGER note_size_{event} AFTER {event.upper()} ON {table} REFERENCING {side} TABLE AS {rows} FOR EACH STATEMENT EXECUTE FUNCTION {name}()")
    op.execute(FUNCTION.format(name="note_size_document_update", body=RESIZED))
    op.execute("CREATE TRIGGER note_size_update AFTER UPDATE OF byte_size ON document FOR EACH ROW WHEN (OLD.byte_size IS DISTINCT FROM NEW.byte_size) EXECUTE FUNCTION note_size_document_update()")


def downgrade() -> None:
    for table in COUNTED:
        events = ("insert", "delete", "update") if table == "document" else ("insert", "delete")
        for event in events:
            op.execute(f"DROP TRIGGER note_size_{event} ON {table}")
            op.execute(f"DROP FUNCTION note_size_{table}_{event}()")
    op.drop_table('space_size')
