"""Documents store their warnings, and mails their ids, so that exports carry them and an answer links to its question.

Addition only (requirement 13.3). The warnings of documents that are ready are copied from the errors of the job that
last read them. The ids of mails are unknown until they are read again.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0070"
down_revision: str | None = "0069"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off
TABLES = ("document", "job_error")
BOUND = "SELECT row_security_active('document')"
COPY = """
UPDATE document SET warnings = error.messages
FROM (SELECT knowledge_space_id, job_id, document_id, jsonb_agg(message ORDER BY id) AS messages FROM job_error
      WHERE document_id IS NOT NULL AND chunk_id IS NULL GROUP BY 1, 2, 3) AS error
WHERE document.knowledge_space_id = error.knowledge_space_id AND document.id = error.document_id
  AND document.job_id = error.job_id AND document.state = 'ready'
"""


def upgrade() -> None:
    op.add_column('document', sa.Column('warnings', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'::jsonb"), nullable=False, comment='Sentences on the parts of its file that are not in its text.'))
    op.add_column('document', sa.Column('message_id', sa.Text(), nullable=True, comment='Of a mail: its Message-ID.'))
    op.add_column('document', sa.Column('in_reply_to', sa.Text(), nullable=True, comment='Of a mail: the Message-ID of the mail that it answers.'))
    # Not CONCURRENTLY, as in migration 0039: no row has an id yet.
    op.create_index('ix_document_message', 'document', ['knowledge_space_id', 'message_id', 'id'], unique=False, postgresql_where=sa.text('message_id IS NOT NULL'))
    op.execute("SET LOCAL row_security = on")
    bound = op.get_bind().exec_driver_sql(BOUND).scalar_one()
    op.execute("SET LOCAL row_security = off")
    for table in TABLES if bound else ():
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute(COPY)
    for table in TABLES if bound else ():
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def downgrade() -> None:
    op.drop_index('ix_document_message', table_name='document', postgresql_where=sa.text('message_id IS NOT NULL'))
    for column in ('in_reply_to', 'message_id', 'warnings'):
        op.drop_column('document', column)
