"""The canary: two temporary tenants with equal rows, and attempts to reach from one to the other.

The catalogue says what is promised; the canary tries it, on the database in use and as the application's own
role (section 6, items 1, 3 and 5 of reliability.md). Everything is rolled back.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Connection, Executable, text
from sqlalchemy.exc import DBAPIError

from app.db import models  # noqa: F401  (registers every table with Base.metadata)
from app.db.base import Base
from app.db.database import Database
from app.db.doctor.canary_rows import Row
from app.db.doctor.canary_twins import (
    Twin,
    build_rows_referring_to_other_tenant,
    erase_twins,
    get_sqlstate,
    insert_twin_and_list_failures,
)
from app.db.doctor.catalogue import Relation, read_relations
from app.db.doctor.rehearsal import Rehearsal, open_rehearsal
from app.db.doctor.table_verdicts import TableVerdict
from app.db.errors import is_busy
from app.db.policies import TENANT_ID, get_wall
from app.db.roles import WORD_SEARCH_FUNCTION, begin_and_get_raw_connection
from app.db.sql import load_statement
from app.db.table_distribution import DISTRIBUTED, LOCAL_TABLES, SPACE_ID
from app.errors import NotFound
from app.ids import SpaceId, create_id

POLICY_VIOLATION, FOREIGN_KEY_VIOLATION, FEATURE_NOT_SUPPORTED = "42501", "23503", "0A000"
_CANDIDATE_ID_COUNT = 200
"""Number of candidate ids for spaces, so that one falls on each node of a cluster."""
_DOOR = "open_space"


class _Findings:
    """Problems by table, in the order of the catalogue."""

    def __init__(self, relations: list[Relation]) -> None:
        self.walls = {relation.name: get_wall(relation) for relation in relations} | {
            _DOOR: "door",
            WORD_SEARCH_FUNCTION: "function",
        }
        self.problems: dict[str, list[str]] = {name: [] for name in self.walls}

    def add(self, table: str, sentence: str | None) -> None:
        """Add a problem unless it is None or already listed."""
        if sentence is not None and sentence not in self.problems[table]:
            self.problems[table].append(sentence)

    def list_verdicts(self) -> list[TableVerdict]:
        return [
            TableVerdict(name, self.walls[name], tuple(problems)) for name, problems in self.problems.items()
        ]


def probe_isolation_walls(database: Database) -> list[TableVerdict]:
    """Return a verdict on every walled table and on `open_space`, from attempts to cross the walls.

    Writes as the application does, in one transaction that is rolled back, so that concurrent work neither
    sees the rows nor changes them. Raises sqlalchemy's DBAPIError if the database cannot be reached.
    """
    with open_rehearsal(database) as rehearsal:
        relations = [
            walled_table
            for walled_table in read_relations(rehearsal.connection)
            if walled_table.is_table
            and get_wall(walled_table) != "none"
            # On a cluster, spaces have shards instead of partitions.
            and not (rehearsal.is_clustered and walled_table.kind == "p")
        ]
        findings = _Findings(relations)
        twins = _create_twins(rehearsal)
        canary_name = f"canary-{create_id().hex}"
        for twin in twins:
            for table, sentence in insert_twin_and_list_failures(
                rehearsal, twin, canary_name, findings.walls
            ).items():
                findings.add(table, sentence)
        for relation in relations:
            for own_twin, other_twin in _pair_twins(rehearsal, relation, twins):
                _try_reading_without_scope(rehearsal, relation, own_twin, findings)
                _try_reading_in_other_scope(rehearsal, relation, own_twin, other_twin, findings)
                _try_keys_across_spaces(rehearsal, relation, own_twin, other_twin, findings)
        own_twin, other_twin, *_ = twins
        _try_reading_foreign_space_row(rehearsal, own_twin, other_twin, findings)
        _check_word_search_finds_only_own_chunk(rehearsal, own_twin, other_twin, findings)
        _try_opening_foreign_space(rehearsal, own_twin, other_twin, findings)
        erase_twins(rehearsal, twins)
        for relation in relations:
            for twin in twins:
                with rehearsal.open_scope_and_roll_back(twin.tenant_id, twin.space_id):
                    if _has_any_row(rehearsal.connection, relation):
                        findings.add(relation.name, "kept rows of an erased tenant (requirement 1.4)")
    return findings.list_verdicts()


def _create_twins(rehearsal: Rehearsal) -> list[Twin]:
    """Return two twins; on a cluster, as many as needed for one on each node with shards."""
    if not rehearsal.is_clustered:
        return [Twin(), Twin()]
    candidate_ids = [create_id() for _ in range(_CANDIDATE_ID_COUNT)]
    driver_connection = begin_and_get_raw_connection(rehearsal.connection)
    rows = driver_connection.execute(
        load_statement("db.spaces_on_nodes").encode(), {"ids": candidate_ids}
    ).fetchall()
    space_ids = [space_id for (space_id,) in rows]
    return [
        Twin(space_id=SpaceId(space_id))
        for space_id in (*space_ids, *candidate_ids)[: max(2, len(space_ids))]
    ]


class TwinPair(NamedTuple):
    """The space that tries to reach another, and the other."""

    own_twin: Twin
    other_twin: Twin


def _pair_twins(rehearsal: Rehearsal, relation: Relation, twins: Sequence[Twin]) -> list[TwinPair]:
    """Return the pairs to try: the first two twins, or on a cluster each twin and the next."""
    pairs = [TwinPair(*pair) for pair in zip(twins, (*twins[1:], twins[0]), strict=True)]
    return pairs if rehearsal.is_clustered and relation.name in DISTRIBUTED else pairs[:1]


def _try_reading_without_scope(
    rehearsal: Rehearsal, relation: Relation, own_twin: Twin, findings: _Findings
) -> None:
    """Fact 1: without a scope no row is visible, and none can be inserted."""
    with rehearsal.open_scope_and_roll_back():
        if _has_any_row(rehearsal.connection, relation):
            findings.add(relation.name, "shows rows although no space and no tenant is set")
        insertion = _build_insert(relation, own_twin.rows.get(relation.name))
        findings.add(
            relation.name,
            _describe_unless_refused(
                rehearsal.connection, insertion, POLICY_VIOLATION, "an insert without a scope"
            ),
        )
    if get_wall(relation) == "space":
        with rehearsal.open_scope_and_roll_back(platform=True):
            if _has_any_row(rehearsal.connection, relation):
                findings.add(relation.name, "shows content to the platform's own work")


def _try_reading_in_other_scope(
    rehearsal: Rehearsal, relation: Relation, own_twin: Twin, other_twin: Twin, findings: _Findings
) -> None:
    """With our scope, all our rows and none of theirs are visible, and no row can be given away."""
    owner_column, our_id, their_id = _get_owner_column_and_ids(relation, own_twin, other_twin)
    with rehearsal.open_scope_and_roll_back(own_twin.tenant_id, own_twin.space_id):
        if _has_any_row(rehearsal.connection, relation, f"{owner_column} IS DISTINCT FROM '{our_id}'"):
            findings.add(relation.name, "shows rows of another owner")
        if relation.name not in own_twin.rows:
            return
        if not _has_any_row(rehearsal.connection, relation, f"{owner_column} = '{our_id}'"):
            findings.add(relation.name, "hides a row from its own owner")
        # A cluster refuses to move a row to another shard before it checks a policy.
        expected_sqlstate = (
            FEATURE_NOT_SUPPORTED
            if rehearsal.is_clustered and owner_column == SPACE_ID and relation.name in DISTRIBUTED
            else POLICY_VIOLATION
        )
        handover_sql = (
            f"UPDATE {relation.quoted_name} SET {owner_column} = '{their_id}'"  # noqa: S608
            f" WHERE {owner_column} = '{our_id}'"
        )
        findings.add(
            relation.name,
            _describe_unless_refused(
                rehearsal.connection, text(handover_sql), expected_sqlstate, "handing a row over"
            ),
        )


def _try_keys_across_spaces(
    rehearsal: Rehearsal, relation: Relation, own_twin: Twin, other_twin: Twin, findings: _Findings
) -> None:
    """Fact 7: a row of ours cannot refer to a row of theirs, whatever the policies say."""
    owner_column, _, _ = _get_owner_column_and_ids(relation, own_twin, other_twin)
    with rehearsal.open_scope_and_roll_back(own_twin.tenant_id, own_twin.space_id):
        # A shard has no foreign keys to tables of the coordinator.
        excluded_tables = LOCAL_TABLES if rehearsal.is_clustered and relation.name in DISTRIBUTED else ()
        for cross_row, key in build_rows_referring_to_other_tenant(
            relation.name, own_twin.rows, other_twin.rows, owner_column, excluded_tables=excluded_tables
        ):
            insertion = _build_insert(relation, cross_row)
            findings.add(
                relation.name,
                _describe_unless_refused(
                    rehearsal.connection, insertion, FOREIGN_KEY_VIOLATION, f"a row that crosses {key}"
                ),
            )


def _try_reading_foreign_space_row(
    rehearsal: Rehearsal, own_twin: Twin, other_twin: Twin, findings: _Findings
) -> None:
    """Fact 6: the id of another tenant's space does not make its row visible."""
    with rehearsal.open_scope_and_roll_back(own_twin.tenant_id, other_twin.space_id):
        result = rehearsal.connection.execute(
            text("SELECT 1 FROM knowledge_space WHERE id = :id"), {"id": other_twin.space_id}
        )
        if result.first() is not None:
            findings.add("knowledge_space", "shows a space to a tenant that does not own it")


def _check_word_search_finds_only_own_chunk(
    rehearsal: Rehearsal, own_twin: Twin, other_twin: Twin, findings: _Findings
) -> None:
    """Check that the function that runs with another role's rights finds our chunk by a word, and not theirs.

    It must not find theirs even if it carries our space's token among its words: the function has two
    conditions, and each must hold by itself.
    """
    if "knowledge_chunk" not in own_twin.rows or "knowledge_chunk" not in other_twin.rows:
        return
    our_chunk_id, their_chunk_id = (twin.rows["knowledge_chunk"]["id"] for twin in (own_twin, other_twin))
    word = create_id().hex
    try:
        for twin in (own_twin, other_twin):
            with rehearsal.open_space(twin.tenant_id, twin.space_id) as space:
                space.orm.connection().execute(
                    text(
                        "UPDATE knowledge_chunk SET lexemes = public.chunk_lexemes(knowledge_space_id, '',"
                        " '{}', :word) || public.chunk_lexemes(CAST(:ours AS uuid), '', '{}', :word) WHERE"
                        " knowledge_space_id = :space"
                    ),
                    {"ours": own_twin.space_id, "space": twin.space_id, "word": word},
                )
        with rehearsal.open_scope_and_roll_back(own_twin.tenant_id, own_twin.space_id):
            # As searches do: on a cluster the anchor routes the query to the shard of its space.
            search = text(
                "SELECT matched.chunk_id FROM space_anchor AS anchor CROSS JOIN LATERAL"
                " public.chunk_matches(CAST(:word AS tsquery), '{}', 100) AS matched"
                " WHERE anchor.knowledge_space_id = :space"
            )
            parameters = {"word": word, "space": own_twin.space_id}
            matched_chunk_ids = set(rehearsal.connection.execute(search, parameters).scalars())
    except (DBAPIError, NotFound) as error:
        if is_busy(error):
            raise
        reason = get_sqlstate(error) if isinstance(error, DBAPIError) else "its space is not found"
        findings.add(WORD_SEARCH_FUNCTION, f"could not be tried ({reason}): run `citegraph migrate`")
        return
    if their_chunk_id in matched_chunk_ids:
        findings.add(
            WORD_SEARCH_FUNCTION,
            "finds chunks of another tenant: it is not the function that the migrations create",
        )
    if our_chunk_id not in matched_chunk_ids:
        findings.add(WORD_SEARCH_FUNCTION, "does not find a chunk of its own space by its words")


def _try_opening_foreign_space(
    rehearsal: Rehearsal, own_twin: Twin, other_twin: Twin, findings: _Findings
) -> None:
    try:
        with rehearsal.open_space(own_twin.tenant_id, other_twin.space_id):
            findings.add(_DOOR, "opened a space for a tenant that does not own it (requirement 1.3)")
    except NotFound:
        pass


class _OwnerColumn(NamedTuple):
    """The column that names the owner of a table's rows, and its values for both twins."""

    name: str
    own_id: UUID
    other_id: UUID


def _get_owner_column_and_ids(relation: Relation, own_twin: Twin, other_twin: Twin) -> _OwnerColumn:
    if get_wall(relation).startswith("space"):
        return _OwnerColumn(SPACE_ID, own_twin.space_id, other_twin.space_id)
    column = "id" if relation.name == "tenant" else TENANT_ID
    return _OwnerColumn(column, own_twin.tenant_id, other_twin.tenant_id)


def _has_any_row(connection: Connection, relation: Relation, condition: str = "true") -> bool:
    query = f"SELECT EXISTS (SELECT 1 FROM {relation.quoted_name} WHERE {condition})"  # noqa: S608
    return bool(connection.execute(text(query)).scalar_one())


def _build_insert(relation: Relation, row: Row | None) -> Executable | None:
    table = Base.metadata.tables.get(relation.name)
    return None if table is None or row is None else table.insert().values(row)


def _describe_unless_refused(
    connection: Connection, statement: Executable | None, expected_sqlstate: str, attempt: str
) -> str | None:
    """Run the statement and undo it; return a sentence unless it was refused with that SQLSTATE."""
    if statement is None:
        return None
    savepoint = connection.begin_nested()
    try:
        connection.execute(statement)
    except DBAPIError as error:
        if is_busy(error):
            raise
        sqlstate = get_sqlstate(error)
        return (
            None
            if sqlstate == expected_sqlstate
            else f"answered {attempt} with {sqlstate}, where {expected_sqlstate} is expected"
        )
    else:
        return f"did not refuse {attempt}"
    finally:
        savepoint.rollback()
