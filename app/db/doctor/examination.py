"""The examination behind `citegraph doctor`: login, catalogue and canary, as one list of sentences."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from app.db.doctor.canary import try_walls
from app.db.doctor.lint import TableVerdict, find_orphans, lint
from app.db.roles import SEARCH, WORD_SEARCH, check_login, word_search_owner
from app.db.session import Database
from app.db.vector_indexes import steps_wanted

_WHO = "`citegraph up` does it by itself; elsewhere let `citegraph maintain --every 600` run beside the rest."
OK, WARNING, PROBLEM = "ok", "warning", "problem"


@dataclass(frozen=True)
class Verdict:
    """What was found about one table, view, function or role; each sentence says how to mend it."""

    subject: str
    wall: str
    state: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class DoctorReport:
    """One verdict for each subject; `healthy` as long as none is a problem."""

    verdicts: tuple[Verdict, ...]

    @property
    def healthy(self) -> bool:
        """Whether the walls stand; warnings name walls that the host does not allow."""
        return all(verdict.state != PROBLEM for verdict in self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON shows it."""
        return {
            "healthy": self.healthy,
            "verdicts": [
                {
                    "subject": each.subject,
                    "wall": each.wall,
                    "state": each.state,
                    "sentences": list(each.sentences),
                }
                for each in self.verdicts
            ],
        }


def examine(database: Database, *, vector_index_chunks: int = 10_000) -> DoctorReport:
    """The state of every wall of the database, tried and read as the application's own role.

    Also whether words and vectors are searched by their indexes; `vector_index_chunks` is as in the settings.
    Writes two throw-away tenants and erases them. Raises sqlalchemy's DBAPIError where the database
    cannot be reached.
    """
    with database.engine.connect() as connection:
        login = check_login(connection)
        found = lint(connection, app_role=login.role)
        try:
            orphans = find_orphans(connection)
        except PermissionError:
            # The usual case, and a good one: the application cannot see all rows.
            orphans = []
        words = _word_search(connection)
    role = TableVerdict(login.role, "role", login.problems, login.warnings)
    try:
        tried = try_walls(database)
    except DBAPIError as error:
        state = getattr(error.orig, "sqlstate", None)
        tried = [
            TableVerdict("canary", "door", (f"could not be written ({state}): run `citegraph migrate`",))
        ]
    searched = _vector_search(database, vector_index_chunks)
    return DoctorReport(tuple(_merge([role, *found, *orphans, *tried, words, *searched])))


def _word_search(connection: Connection) -> TableVerdict:
    """A warning where words are searched as the caller, whom row security keeps from using the index."""
    owner, definer = word_search_owner(connection)
    if definer and owner == SEARCH:
        return TableVerdict(WORD_SEARCH, "function", ())
    slow = f"runs as its caller, not as {SEARCH}: searching words in 100,000 chunks takes a third of a second"
    return TableVerdict(WORD_SEARCH, "function", (), (f"{slow}. Run `citegraph migrate` as a superuser.",))


def _vector_search(database: Database, threshold: int) -> list[TableVerdict]:
    """A warning for each vector index that is missing, broken or left over; the walls hold without them."""
    try:
        steps = steps_wanted(database, threshold=threshold)
    except DBAPIError:
        # The tables are not as they should be, which the other verdicts say.
        return []
    return [
        TableVerdict("vector search", "index", (), (f"`citegraph maintain` would {step}. {_WHO}",))
        for step in steps
    ]


def _merge(verdicts: list[TableVerdict]) -> list[Verdict]:
    """One verdict for each subject, in the order in which subjects first appear."""
    subjects: dict[str, list[TableVerdict]] = {}
    for verdict in verdicts:
        subjects.setdefault(verdict.table, []).append(verdict)
    merged = []
    for subject, parts in subjects.items():
        problems = tuple(sentence for part in parts for sentence in part.problems)
        warnings = tuple(sentence for part in parts for sentence in part.warnings)
        state = PROBLEM if problems else WARNING if warnings else OK
        merged.append(Verdict(subject, parts[0].wall, state, problems + warnings))
    return merged
