"""Indexes of the keys by which jobs and usage name their space, whole: deleting a space reads no table (fact 10).

Addition only (requirement 13.3): the index of usage by space alone is the beginning of the new one.
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0021"
down_revision: str | None = "0020"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    # Not CONCURRENTLY: that waits for whoever waits for the migration's own lock. A second a million rows.
    op.create_index("ix_job_owner", "job", ["knowledge_space_id", "tenant_id"])
    op.create_index("ix_usage_daily_space", "usage_daily", ["knowledge_space_id", "tenant_id"])
    op.drop_index(op.f("ix_usage_daily_knowledge_space_id"), table_name="usage_daily")


def downgrade() -> None:
    op.create_index(op.f("ix_usage_daily_knowledge_space_id"), "usage_daily", ["knowledge_space_id"])
    op.drop_index("ix_usage_daily_space", table_name="usage_daily")
    op.drop_index("ix_job_owner", table_name="job")
