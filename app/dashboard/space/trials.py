"""Trials of extraction: a sample read with another model or other settings, compared with the graph."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter
from fastapi.responses import Response

from app.answers.golden import promotion as promotions
from app.dashboard.deps import (
    AdministeredPageSpaceDep,
    CitegraphDep,
    FormTexts,
    PageRenderer,
    PageSpace,
    PageSpaceDep,
    PrimarySpace,
    Renderer,
    Visitor,
)
from app.dashboard.routing import PageRoute
from app.db.session import SpaceSession
from app.errors import CitegraphError
from app.http.authentication import DASHBOARD_PATH
from app.ids import JobId
from app.ingest.trials import service as trials
from app.limits import TRIAL_CHUNKS
from app.llm.servers import list_extractors_that_spaces_may_choose
from app.settings import Settings
from app.space_settings import ClaimCheck, SpaceSettings
from app.tenancy.spaces import service as spaces
from app.views.trials import TrialAnswer, build_trial_report

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/trials", route_class=PageRoute, include_in_schema=False
)

MAX_CLAIMS = 60
"""Claims of each kind on the page of a trial."""
_SWITCHES = ("statements", "open_relations", "specific_relations")
_NUMBERS = ("min_confidence", "gleanings", "turns_before")
_CHOICES = {"claim_check": [str(choice) for choice in ClaimCheck]}


@router.get("")
def list_trials(
    page: Renderer, citegraph: CitegraphDep, page_space: PageSpaceDep, space: PrimarySpace
) -> Response:
    """Show the form for a trial, and the trials so far."""
    return _show_trials_page(page, citegraph.settings, page_space, space, {})


def _show_trials_page(
    page: PageRenderer,
    settings: Settings,
    page_space: PageSpace,
    space: SpaceSession,
    form_fields: dict[str, str],
    *,
    problem: CitegraphError | None = None,
) -> Response:
    current_settings = space.settings
    return page.show(
        "space/trials.html",
        status=200 if problem is None else problem.status,
        page_space=page_space,
        active="trials",
        trials=[TrialAnswer.model_validate(trial) for trial in trials.list_trials(space)],
        models=list_extractors_that_spaces_may_choose(settings),
        own_model=current_settings.extraction_model or list_extractors_that_spaces_may_choose(settings)[0],
        fields=[
            {
                "name": name,
                "current_value": getattr(current_settings, name),
                "is_switch": name in _SWITCHES,
                "choices": _CHOICES.get(name, ()),
                "description": SpaceSettings.model_fields[name].description,
            }
            for name in (*_NUMBERS, *_SWITCHES, *_CHOICES)
        ],
        max_chunks=TRIAL_CHUNKS.maximum,
        submitted_values=form_fields,
        problem=None if problem is None else problem.message,
    )


@router.post("")
def begin_trial(
    page: Renderer, citegraph: CitegraphDep, page_space: AdministeredPageSpaceDep, form_fields: FormTexts
) -> Response:
    """Begin the trial that the form describes; empty fields change no setting."""
    with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
        try:
            job = trials.queue_extraction_trial(
                space,
                citegraph.settings,
                model=form_fields.get("model") or None,
                changes=_parse_setting_changes(form_fields),
                chunk_count=int(form_fields.get("chunks") or 50)
                if (form_fields.get("chunks") or "50").isdigit()
                else 0,
            )
        except CitegraphError as error:
            return _show_trials_page(page, citegraph.settings, page_space, space, form_fields, problem=error)
    return page.redirect(f"{page_space.path}/trials/{job.id}")


def _parse_setting_changes(form_fields: dict[str, str]) -> dict[str, Any]:
    setting_changes: dict[str, Any] = {
        name: form_fields[name] == "true" for name in _SWITCHES if form_fields.get(name) in ("true", "false")
    }
    setting_changes |= {name: form_fields[name] for name in _CHOICES if form_fields.get(name)}
    for name in _NUMBERS:
        if value := form_fields.get(name, "").strip():
            try:
                setting_changes[name] = float(value) if name == "min_confidence" else int(value)
            except ValueError:
                # Refused by the setting itself, in its own words.
                setting_changes[name] = value
    return setting_changes


@router.get("/{trial_id}")
def show_trial(page: Renderer, page_space: PageSpaceDep, space: PrimarySpace, trial_id: UUID) -> Response:
    """Show the trial compared with the graph: by relation, by claim, cost and speed."""
    return _show_trial_page(page, page_space, space, trial_id)


def _show_trial_page(
    page: PageRenderer,
    page_space: PageSpace,
    space: SpaceSession,
    trial_id: UUID,
    *,
    problem: CitegraphError | None = None,
) -> Response:
    return page.show(
        "space/trial.html",
        status=200 if problem is None else problem.status,
        page_space=page_space,
        active="trials",
        report=build_trial_report(trials.build_trial_report(space, JobId(trial_id)), limit=MAX_CLAIMS),
        shown=MAX_CLAIMS,
        own_model=spaces.get_space_settings(space).extraction_model,
        gated=space.settings.golden_gate,
        problem=None if problem is None else problem.message,
    )


@router.post("/{trial_id}/promote")
def adopt_trial_settings(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: AdministeredPageSpaceDep,
    visitor: Visitor,
    trial_id: UUID,
    form_fields: FormTexts,
) -> Response:
    """Adopt the settings of the trial; redirect to the job that reads the documents again if requested, else
    to the settings of the space.
    """
    try:
        promotion = promotions.promote_trial(
            citegraph.database,
            page_space.tenant_id,
            page_space.id,
            JobId(trial_id),
            settings=citegraph.settings,
            actor=visitor.actor,
            reread="reread" in form_fields,
            is_forced="force" in form_fields,
        )
    except CitegraphError as error:
        with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
            return _show_trial_page(page, page_space, space, trial_id, problem=error)
    if promotion.job_id is not None:
        return page.redirect(f"{page_space.path}/jobs/{promotion.job_id}")
    return page.redirect(f"{page_space.path}/settings")


@router.post("/{trial_id}/drop")
def drop_trial(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: AdministeredPageSpaceDep,
    trial_id: UUID,
) -> Response:
    """Remove the trial's results."""
    with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
        trials.delete_trial(space, JobId(trial_id))
    return page.redirect(f"{page_space.path}/trials")
