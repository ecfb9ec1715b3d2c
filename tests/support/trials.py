"""Helpers for tests of trials: begin one and have it read."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from app.answers.golden import promotion as promotions
from app.answers.golden.evaluator import GoldenAsker
from app.answers.golden.job import ask_golden_questions, reread_documents
from app.answers.golden.promotion import Promotion
from app.db.database import Database
from app.ids import JobId
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.ingest.trials import service as trials
from app.ingest.trials.job import read_trial_sample_and_count_differences
from app.ingest.trials.service import TrialReport
from app.jobs.context import ignore_step, never_stop
from app.jobs.kinds import AskGolden, IngestDocuments, RereadDocuments, TryExtraction
from app.llm.embedding.embedders import Embedders
from app.settings import Settings
from tests.conftest import Home, under
from workers.runner import Runner


def trial_runner(
    database: Database,
    settings: Settings,
    extractors: Extractors | None = None,
    *,
    checkpoint: Callable[[str], None] = ignore_step,
    stop_requested: Callable[[], bool] = never_stop,
) -> Runner:
    """Runs ingests, trials, readings again and golden questions, by these extractors, else by rules."""
    made = extractors or Extractors(database)
    of_role = under(database, settings)
    asker = GoldenAsker(of_role, Embedders(), settings, None)
    return Runner(
        of_role,
        settings,
        {
            IngestDocuments.kind: partial(ingest_documents, extractors=made),
            TryExtraction.kind: partial(read_trial_sample_and_count_differences, extractors=made),
            RereadDocuments.kind: partial(reread_documents, extractors=made, asker=asker),
            AskGolden.kind: partial(ask_golden_questions, asker=asker),
        },
        checkpoint=checkpoint,
        stop_requested=stop_requested,
    )


def promote(database: Database, settings: Settings, home: Home, trial: JobId, **options: bool) -> Promotion:
    return promotions.promote_trial(
        database, home.tenant_id, home.space_id, trial, settings=settings, actor="test", **options
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
            trials.queue_extraction_trial(
                space, settings, model=model, changes=changes or {}, chunk_count=chunks
            ).id
        )


def report(database: Database, home: Home, trial: JobId) -> TrialReport:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return trials.build_trial_report(space, trial)
