"""The last examination of the walls for an operator, stored in the database for all server processes."""

import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from app.db.database import Database
from app.db.doctor.examination import DoctorReport, Verdict, examine_database
from app.db.session import PlatformSession
from app.ids import TenantId
from app.settings import Settings
from app.tenancy.audit import service as audit
from app.tenancy.tenants import repository


@dataclass(frozen=True)
class Examination:
    """The doctor's report, when it was made, how long it took, and who requested it."""

    report: DoctorReport
    examined_at: datetime
    seconds: float
    examined_by: str


def examine_isolation_and_store_verdicts(
    database: Database, tenant_id: TenantId, *, settings: Settings, actor: str
) -> Examination:
    """Examine every wall now, which takes seconds; store the verdicts and record the action in one
    transaction.

    The tenant is that of the operator who asks. Raises sqlalchemy's DBAPIError if the database cannot be
    reached.
    """
    started_at = time.monotonic()
    report = examine_database(
        database,
        vector_index_chunks=settings.vector_index_chunks,
        trusted_objects=settings.trusted_subjects,
        migration_url=settings.migration_database_url,
    )
    examination = Examination(report, datetime.now(UTC), time.monotonic() - started_at, actor)
    states = [verdict.state for verdict in report.verdicts]
    with database.open_platform() as platform:
        repository.store_or_replace_examination(
            platform,
            tenant_id,
            {
                "examined_at": examination.examined_at,
                "seconds": examination.seconds,
                "actor": actor,
                "verdicts": [asdict(verdict) for verdict in report.verdicts],
            },
        )
        audit.record_platform_action(
            platform,
            "installation.examine",
            tenant_id=None,
            actor=actor,
            details={
                "healthy": report.is_healthy,
                "subjects": len(states),
                "warnings": states.count("warning"),
                "problems": states.count("problem"),
            },
        )
    return examination


def find_last_examination(platform: PlatformSession) -> Examination | None:
    """Return the newest examination of this installation, whichever process made it, or None."""
    newest_row = repository.find_newest_examination(platform)
    if newest_row is None:
        return None
    verdicts = tuple(
        Verdict(verdict["subject"], verdict["wall"], verdict["state"], tuple(verdict["sentences"]))
        for verdict in newest_row.verdicts
    )
    return Examination(DoctorReport(verdicts), newest_row.examined_at, newest_row.seconds, newest_row.actor)
