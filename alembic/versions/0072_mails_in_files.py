"""The chunk with which a mail begins names the mail, so that mails within a mailbox are found from other files.

Addition only (requirement 13.3). The mails of files from before are found once their file is read again. A process of an
earlier version writes no ids: its mails within mailboxes are found once their file is read again, too.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0072"
down_revision: str | None = "0071"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    op.add_column('knowledge_chunk', sa.Column('message_id', sa.Text(), nullable=True, comment='If a mail begins here, in a file of one or several: its Message-ID.'))
    op.add_column('knowledge_chunk', sa.Column('in_reply_to', sa.Text(), nullable=True, comment='If a mail begins here: the Message-ID of the mail that it answers.'))
    # Not CONCURRENTLY, as in migration 0039. No row has an id yet: the chunks are read once and none is sorted.
    op.create_index('ix_knowledge_chunk_message', 'knowledge_chunk', ['knowledge_space_id', 'message_id', 'id'], unique=False, postgresql_where=sa.text('message_id IS NOT NULL'))


def downgrade() -> None:
    op.drop_index('ix_knowledge_chunk_message', table_name='knowledge_chunk', postgresql_where=sa.text('message_id IS NOT NULL'))
    for column in ('in_reply_to', 'message_id'):
        op.drop_column('knowledge_chunk', column)
