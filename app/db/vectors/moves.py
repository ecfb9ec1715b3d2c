"""Moves one space's vectors into partitions of its own, or back to the shared tables, while others use them.

Rows are copied in windows; then one short transaction, which no writer of the space's vectors shares,
copies what changed meanwhile and changes the one row by which the door knows where they are. The rows left in
the other tables are deleted when all transactions opened before have ended. An interrupted move leaves the
space usable at any point, and the next move continues it.
"""

import re
import time
from uuid import UUID

import psycopg
from psycopg import sql

from app.db.database import Database
from app.db.session import SpaceSession
from app.db.sql import load_statement
from app.db.vectors import partitions
from app.db.vectors.indexes import build_index_name, build_vector_index, drop_index, read_vector_indexes
from app.db.vectors.partitions import Owner
from app.db.vectors.plan import SpaceVectors
from app.db.vectors.tables import KEYS, SEARCHED_TABLES, build_partition_name
from app.errors import ConfigurationError
from app.ids import LOWEST_ID

ROWS_PER_TRANSACTION = 2_000
"""Number of rows that one transaction copies or deletes."""
MAX_LOCK_ATTEMPTS = 40
LOCK_MILLISECONDS = 900
"""Milliseconds that the switch waits for writers at a time: less than Postgres' deadlock time-out."""
MAX_RECONCILIATION_SECONDS = 120
"""Seconds that a space's writers may have to wait for one table; after that the move is aborted."""
OPENERS_SECONDS = 180.0
"""Seconds to wait for transactions that were open at the switch; the next maintenance deletes the rest."""
_BUSY = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)


def count_vectors(space: SpaceSession, table: str, *, is_dedicated: bool, bound: int) -> int:
    """Count the vectors of the space's set in the shared table or in its own partition, up to a limit."""
    name = build_partition_name(table, space.space_id) if is_dedicated else table
    statement = _fill_table_names("db.count_vectors", source=name)
    count_row = space.connection.execute(
        statement, {"space_id": space.space_id, "vector_set": space.opening_state.vector_set, "bound": bound}
    ).fetchone()
    return int(count_row[0]) if count_row else 0


def has_vectors_in_shared_tables(space: SpaceSession) -> bool:
    """Return whether a space that uses its partitions still has vectors in the shared tables."""
    return any(
        space.connection.execute(
            sql.SQL("SELECT 1 FROM {} WHERE knowledge_space_id = %s LIMIT 1").format(sql.Identifier(table)),
            [space.space_id],
        ).fetchone()
        for table in KEYS
    )


def move_vectors_to_partitions(
    database: Database, owner: Owner, space: SpaceVectors, *, threshold: int
) -> None:
    """Create the space's partitions and their indexes, and switch the space to them.

    Raises ConfigurationError if writers leave no moment for the switch, or psycopg's error. A lost partition
    is created again, empty.
    """
    partitions.create_missing_partitions(owner, space.space_id)
    if space.is_dedicated:
        return
    for table in KEYS:
        _copy_vectors(database, space, table, into_partition=True)
    partitions.analyse_partitions(owner, space.space_id)
    for table in SEARCHED_TABLES:
        _build_indexes(database, owner, space, table, threshold)
    _move_last_rows_and_switch_tables(database, space, to_dedicated=True)
    delete_vectors_in_shared_tables(database, owner, space)


def move_vectors_to_shared_tables(database: Database, owner: Owner, space: SpaceVectors) -> None:
    """Move the space's vectors into the shared tables, and drop its partitions.

    Raises as `move_vectors_to_partitions` does.
    """
    for table in KEYS:
        _copy_vectors(database, space, table, into_partition=False)
    _move_last_rows_and_switch_tables(database, space, to_dedicated=False)
    drop_partitions(database, owner, space)


def drop_partitions(database: Database, owner: Owner, space: SpaceVectors) -> None:
    """Drop the partitions of a space that does not use them or was deleted.

    Raises ConfigurationError if transactions that may still use them do not end.
    """
    if space.is_closed and space.is_dedicated:
        _move_last_rows_and_switch_tables(database, space, to_dedicated=False)
    if not _await_transactions_that_read_space(owner):
        raise ConfigurationError("Transactions that may use them do not end; they are dropped the next time.")
    partitions.drop_partitions(owner, space.space_id)


def delete_vectors_in_shared_tables(database: Database, owner: Owner, space: SpaceVectors) -> None:
    """Delete the vectors in the shared tables of a space that uses its partitions, when nobody reads them.

    If older transactions do not end, the next maintenance deletes them.
    """
    if not _await_transactions_that_read_space(owner):
        return
    for table, key in KEYS.items():
        clear_sql = _fill_table_names("db.clear_vectors", source=table, key=key)
        has_rows_left = True
        while has_rows_left:
            with database.open_space(space.tenant_id, space.space_id) as session:
                has_rows_left = (
                    session.opening_state.dedicated_vectors
                    and session.connection.execute(
                        clear_sql, {"space_id": space.space_id, "limit": ROWS_PER_TRANSACTION}
                    ).fetchone()
                    is not None
                )


def _fill_table_names(name: str, *, source: str, target: str = "", key: str = "") -> bytes:
    """Return the named statement with these tables, whose names no file can contain."""
    replacements = {"source_vectors": source, "target_vectors": target, "vector_key": key}
    return re.sub(
        r"\b(source_vectors|target_vectors|vector_key)\b",
        lambda match: sql.Identifier(replacements[match[1]]).as_string(None),
        load_statement(name),
    ).encode()


def _build_transfer(name: str, space: SpaceVectors, table: str, *, into_partition: bool) -> bytes:
    """Return the named statement that copies from one of the space's tables to the other."""
    partition = build_partition_name(table, space.space_id)
    source, target = (table, partition) if into_partition else (partition, table)
    return _fill_table_names(name, source=source, target=target, key=KEYS[table])


def _copy_vectors(database: Database, space: SpaceVectors, table: str, *, into_partition: bool) -> None:
    copy_sql = _build_transfer("db.copy_vectors", space, table, into_partition=into_partition)
    last_key: tuple[UUID, int] | None = (LOWEST_ID, -1)
    attempts = 0
    while last_key is not None:
        last_id, last_set = last_key
        parameters = {
            "space_id": space.space_id,
            "after": last_id,
            "after_set": last_set,
            "limit": ROWS_PER_TRANSACTION,
        }
        try:
            with database.open_space(space.tenant_id, space.space_id) as session:
                last_key = session.connection.execute(copy_sql, parameters).fetchone()
            attempts = 0
        except (*_BUSY, psycopg.errors.ForeignKeyViolation):
            # Its chunk, node or edge was deleted meanwhile: the next query does not return it.
            attempts += 1
            if attempts == MAX_LOCK_ATTEMPTS:
                raise
            time.sleep(0.05 * attempts)


def _build_indexes(database: Database, owner: Owner, space: SpaceVectors, table: str, threshold: int) -> None:
    with database.open_space(space.tenant_id, space.space_id) as session:
        vector_set, dimensions = session.opening_state.vector_set, session.opening_state.embedding_dimensions
        vector_count = count_vectors(session, table, is_dedicated=True, bound=threshold + 1)
    name = build_index_name(table, space.space_id, vector_set, is_dedicated=True)
    indexes = [index for index in read_vector_indexes(database.engine) if index.name == name]
    if indexes and not indexes[0].can_search_dimensions(dimensions):
        drop_index(owner, name)
        indexes = []
    if vector_count > threshold and not indexes:
        build_vector_index(owner, table, space.space_id, vector_set=vector_set, dimensions=dimensions)


def _move_last_rows_and_switch_tables(database: Database, space: SpaceVectors, *, to_dedicated: bool) -> None:
    """Switch the space to its partitions or to the shared tables, while nobody writes its vectors."""
    for attempt in range(1, MAX_LOCK_ATTEMPTS + 1):
        try:
            with database.open_space(
                space.tenant_id, space.space_id, may_be_closed=space.is_closed
            ) as opened_session:
                opened_session.connection.execute(
                    f"SET LOCAL lock_timeout = {LOCK_MILLISECONDS};"
                    f" SET LOCAL statement_timeout = '{MAX_RECONCILIATION_SECONDS}s'"
                )
                current_rows, _ = opened_session.run_each_statement("db.lock_vector_tables", {})
                if current_rows[0][0] == to_dedicated:
                    return
                # A deleted space needs none of them.
                for table in () if space.is_closed else KEYS:
                    _reconcile_vectors(opened_session, space, table, into_partition=to_dedicated)
                opened_session.run("db.set_dedicated_vectors", {"dedicated": to_dedicated})
            return
        except _BUSY:
            time.sleep(min(0.1 * attempt, 2.0))
    raise ConfigurationError("The space is written to without a pause: try again later.")


def _reconcile_vectors(
    opened_session: SpaceSession, space: SpaceVectors, table: str, *, into_partition: bool
) -> None:
    statement = _build_transfer("db.reconcile_vectors", space, table, into_partition=into_partition)
    psycopg.ClientCursor(opened_session.connection).execute(statement, {"space_id": space.space_id})


def _await_transactions_that_read_space(owner: Owner) -> bool:
    """Wait until all transactions have ended that may have read the space's row before now.

    A transaction that opens a space reads its row, and holds that read lock on the table until it ends.
    """
    query = load_statement("db.list_transactions_that_read_spaces").encode()
    earlier_transactions = set(owner.execute(query).fetchall())
    deadline = time.monotonic() + OPENERS_SECONDS
    while earlier_transactions:
        earlier_transactions &= set(owner.execute(query).fetchall())
        if not earlier_transactions:
            break
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
