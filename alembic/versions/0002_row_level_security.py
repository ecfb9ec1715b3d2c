"""Row level security, enabled and forced, on every table that belongs to a space or a tenant.

No policy holds a sub-query: Citus refuses them, and `open_space` has read the space's row under
the tenant's policy before it sets app.space_id (reliability.md, facts 1 and 6).
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# An ended transaction leaves '' behind, not NULL: without nullif the cast would raise.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
TENANT = "{column} = nullif(current_setting('app.tenant_id', true), '')::uuid"
PLATFORM = "current_setting('app.platform', true) = 'on'"

WALLS = {
    "document": SPACE,
    "document_body": SPACE,
    "knowledge_chunk": SPACE,
    "graph_node": SPACE,
    "node_name": SPACE,
    "node_mention": SPACE,
    "graph_edge": SPACE,
    "job_error": SPACE,
    "model_call": SPACE,
    "model_answer": SPACE,
    # No content, only ids and numbers: the sweeper and the fair claim read it across spaces.
    "job": f"{SPACE} OR {PLATFORM}",
    "tenant": f"{TENANT.format(column='id')} OR {PLATFORM}",
    # No platform here: whoever can delete a space's row deletes, by cascade, all that the space owns.
    "knowledge_space": TENANT.format(column="tenant_id"),
    "api_key": f"{TENANT.format(column='tenant_id')} OR {PLATFORM}",
    "usage_daily": f"{TENANT.format(column='tenant_id')} OR {PLATFORM}",
    "audit_event": f"{TENANT.format(column='tenant_id')} OR {PLATFORM}",
}


def upgrade() -> None:
    for table, condition in WALLS.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY wall ON {table} USING ({condition}) WITH CHECK ({condition})")


def downgrade() -> None:
    for table in WALLS:
        op.execute(f"DROP POLICY wall ON {table}")
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
