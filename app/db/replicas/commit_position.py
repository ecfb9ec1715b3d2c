"""The position of the primary's log after a commit: a replica must have replayed it to serve the writer."""

import threading

# One round trip commits, and returns whether anything was written and the position of the log afterwards.
# With an asynchronous commit the record is not yet in a file, but it has its position.
COMMIT_STATEMENTS = """
SELECT pg_current_xact_id_if_assigned() IS NOT NULL;
COMMIT;
SELECT CASE
    WHEN pg_is_in_recovery() THEN NULL
    WHEN current_setting('synchronous_commit') = 'off' THEN (pg_current_wal_insert_lsn() - '0/0')::bigint
    ELSE (pg_current_wal_flush_lsn() - '0/0')::bigint
END
"""


class _CommitPosition(threading.local):
    position: int | None = None


_committed = _CommitPosition()


def take_position_of_last_commit() -> int | None:
    """Return and clear the position of the log after this thread's last commit.

    None if that commit wrote nothing, or if no replica is configured.
    """
    position, _committed.position = _committed.position, None
    return position


def store_written_position(position: int | None) -> None:
    """Store the position for `take_position_of_last_commit`; None if nothing was written."""
    _committed.position = position
