"""Chunks say why no graph could be drawn of them, and documents how many of theirs do.

Addition only (requirement 13.3). A reason stood in the errors of the job alone, which a later version of the document or
another job does not show, and nothing said what a retry has to read. Chunks that stand unread since an earlier version,
by an error of the job that last took in their document, are marked.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0055"
down_revision: str | None = "0054"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off
TABLES = ("document", "knowledge_chunk", "job_error")
BOUND = "SELECT row_security_active('document')"
MARK = """
UPDATE knowledge_chunk AS chunk
SET quarantine_code = error.code, quarantine_reason = error.message, quarantined_since = document.version
FROM document, job_error AS error
WHERE error.chunk_id = chunk.id AND error.knowledge_space_id = chunk.knowledge_space_id AND error.code <> 'bad_vector'
  AND document.knowledge_space_id = chunk.knowledge_space_id AND document.id = chunk.document_id
  AND document.job_id = error.job_id AND chunk.extracted_by IS NULL
"""
COUNT = """
UPDATE document SET quarantined_chunks = counted.chunks
FROM (SELECT knowledge_space_id, document_id, count(*) AS chunks FROM knowledge_chunk
      WHERE quarantine_code IS NOT NULL GROUP BY 1, 2) AS counted
WHERE document.knowledge_space_id = counted.knowledge_space_id AND document.id = counted.document_id
  AND document.state = 'ready'
"""


def upgrade() -> None:
    op.add_column('job_error', sa.Column('chunk_ordinal', sa.Integer(), nullable=True, comment='Place of the chunk in its document, from 0, as it stood then.'))
    op.add_column('document', sa.Column('quarantined_chunks', sa.Integer(), server_default='0', nullable=False, comment='Chunks of which no graph could be drawn, as counted when it was last read; a retry reads these alone.'))
    op.add_column('knowledge_chunk', sa.Column('quarantine_code', sa.Text(), nullable=True, comment='Stable code of why no graph could be drawn of it; null where one was, or nobody tried yet.'))
    op.add_column('knowledge_chunk', sa.Column('quarantine_reason', sa.Text(), nullable=True, comment='One sentence about it for a person.'))
    op.add_column('knowledge_chunk', sa.Column('quarantined_since', sa.Integer(), nullable=True, comment='Version of the document in which that was first so.'))
    # Not CONCURRENTLY, as in migration 0039: few rows, a second a million read.
    op.create_index('ix_document_quarantined', 'document', ['knowledge_space_id', 'id'], unique=False, postgresql_where=sa.text('quarantined_chunks > 0'))
    op.execute("SET LOCAL row_security = on")
    bound = op.get_bind().exec_driver_sql(BOUND).scalar_one()
    op.execute("SET LOCAL row_security = off")
    for table in TABLES if bound else ():
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute(MARK)
    op.execute(COUNT)
    for table in TABLES if bound else ():
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def downgrade() -> None:
    op.drop_index('ix_document_quarantined', table_name='document', postgresql_where=sa.text('quarantined_chunks > 0'))
    for table, column in (
        ('knowledge_chunk', 'quarantined_since'),
        ('knowledge_chunk', 'quarantine_reason'),
        ('knowledge_chunk', 'quarantine_code'),
        ('document', 'quarantined_chunks'),
        ('job_error', 'chunk_ordinal'),
    ):
        op.drop_column(table, column)
