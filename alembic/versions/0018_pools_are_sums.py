"""What the pooled vectors of summaries are by now: sums, whose length tells how many facts agree (requirement 6.1).

Comments alone. Means of before stay as they are: they point where the sums do, and are as short as sums never are.
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0018"
down_revision: str | None = "0017"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COMMENTS = (
    (
        "node_summary",
        "embedding",
        "The mean of those facts' vectors; null where none has one.",
        "The sum of those facts' vectors, each of length one (no longer than one: their mean, from before they were summed); null where none has one.",
    ),
    (
        "node_summary",
        "vector_set",
        "The set of vectors that embedding is the mean of; another set's is not compared with it.",
        "The set of vectors that embedding is the sum of; another set's is not compared with it.",
    ),
    (
        "summary_episode",
        "embedding",
        "The mean of the facts' vectors; null where vector_of names an earlier episode, or where no fact had one.",
        "The sum of the facts' vectors; null where vector_of names an earlier episode, or where no fact had one.",
    ),
)


def upgrade() -> None:
    for table, column, before, after in COMMENTS:
        op.alter_column(table, column, existing_comment=before, comment=after)


def downgrade() -> None:
    for table, column, before, after in COMMENTS:
        op.alter_column(table, column, existing_comment=after, comment=before)
