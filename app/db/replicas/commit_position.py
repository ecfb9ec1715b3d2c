"""Where the primary's log stood after a commit: what a replica has to have replayed for whoever wrote it."""

import threading

# The whole commit in one round trip, and what came of it: whether anything was written, and where the log
# stood afterwards. What was not waited for is in no file yet, but has its place.
COMMIT = """
SELECT pg_current_xact_id_if_assigned() IS NOT NULL;
COMMIT;
SELECT CASE
    WHEN pg_is_in_recovery() THEN NULL
    WHEN current_setting('synchronous_commit') = 'off' THEN (pg_current_wal_insert_lsn() - '0/0')::bigint
    ELSE (pg_current_wal_flush_lsn() - '0/0')::bigint
END
"""


class _Committed(threading.local):
    position: int | None = None


_committed = _Committed()


def take_written_position() -> int | None:
    """Where the log stood after this thread's last commit, asked once; None where that had written nothing.

    Also where no replica is set up: then nobody needs to know.
    """
    position, _committed.position = _committed.position, None
    return position


def keep_written_position(position: int | None) -> None:
    """Keep it for `take_written_position`; None where nothing was written."""
    _committed.position = position
