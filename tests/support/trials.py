"""Helpers for tests of trials: begin one and have it read."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from app.db.session import Database
from app.ids import JobId
from app.ingest.extractors import Extractors, RulesExtractors
from app.ingest.job import ingest_documents
from app.ingest.trials import service as trials
from app.ingest.trials.job import try_extraction
from app.ingest.trials.service import TrialReport
from app.jobs.kinds import IngestDocuments, TryExtraction
from app.settings import Settings
from tests.conftest import Home, under
from workers.runner import Runner


def trial_runner(database: Database, settings: Settings, extractors: Extractors | None = None) -> Runner:
    """Runs ingests and trials by these extractors, else by rules."""
    made = extractors or RulesExtractors(database)
    return Runner(
        under(database, settings),
        settings,
        {
            IngestDocuments.kind: partial(ingest_documents, extractors=made),
            TryExtraction.kind: partial(try_extraction, extractors=made),
        },
    )


def begin(
    database: Database,
    settings: Settings,
    home: Home,
    *,
    model: str | None = None,
    changes: Mapping[str, Any] | None = None,
    chunks: int = 50,
) -> JobId:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return JobId(
            trials.begin_trial(space, settings, model=model, changes=changes or {}, chunks=chunks).id
        )


def report(database: Database, home: Home, trial: JobId) -> TrialReport:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return trials.report(space, trial)
