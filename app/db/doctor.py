"""The examination behind `citegraph doctor`: login, catalogue and canary, as one list of sentences."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import DBAPIError

from app.db.canary import try_walls
from app.db.lint import TableVerdict, find_orphans, lint
from app.db.roles import check_login
from app.db.session import Database

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


def examine(database: Database) -> DoctorReport:
    """The state of every wall of the database, tried and read as the application's own role.

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
    role = TableVerdict(login.role, "role", login.problems, login.warnings)
    try:
        tried = try_walls(database)
    except DBAPIError as error:
        state = getattr(error.orig, "sqlstate", None)
        tried = [
            TableVerdict("canary", "door", (f"could not be written ({state}): run `citegraph migrate`",))
        ]
    return DoctorReport(tuple(_merge([role, *found, *orphans, *tried])))


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
