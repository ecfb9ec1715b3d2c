"""Golden questions of a space: their expected answers, runs, schedule and gate."""

import json
from typing import Any
from uuid import UUID

from fastapi import APIRouter
from fastapi.responses import Response

from app.answers.golden import service as golden
from app.answers.golden.service import TRIED_SETTINGS
from app.dashboard.deps import (
    AdministeredPageSpaceDep,
    CitegraphDep,
    FormTexts,
    PageRenderer,
    PageSpace,
    PageSpaceDep,
    ReadableSpace,
    Renderer,
    SeenVersion,
    Visitor,
)
from app.dashboard.routing import PageRoute
from app.db.session import SpaceSession
from app.errors import CitegraphError, InvalidInput
from app.http.authentication import DASHBOARD_PATH
from app.http.edit_versions.shapes import Kind
from app.ids import GoldenQuestionId, JobId
from app.limits import GOLDEN_QUESTION
from app.llm.servers import list_extractors_that_spaces_may_choose
from app.views.golden import GoldenQuestionAnswer, GoldenRunAnswer, build_golden_report

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/golden", route_class=PageRoute, include_in_schema=False
)


@router.get("")
def list_questions(page: Renderer, page_space: PageSpaceDep, space: ReadableSpace) -> Response:
    """Show the questions with their expectations, and the runs."""
    return _show_golden_page(page, page_space, space, {})


def _show_golden_page(
    page: PageRenderer,
    page_space: PageSpace,
    space: SpaceSession,
    form_fields: dict[str, str],
    *,
    problem: CitegraphError | None = None,
) -> Response:
    page.add_versions_to_forms(space, Kind.SPACE, [space.space_id])
    runs = [GoldenRunAnswer.model_validate(run) for run in golden.list_newest_golden_runs(space)]
    return page.show(
        "space/golden.html",
        status=200 if problem is None else problem.status,
        page_space=page_space,
        active="golden",
        questions=[
            GoldenQuestionAnswer.model_validate(question) for question in golden.list_questions(space)
        ],
        runs=runs,
        live=any(run.state in ("queued", "running") and run.progress < 100 for run in runs[:3]),
        hours=space.settings.golden_every_hours,
        gate=space.settings.golden_gate,
        triable=sorted(TRIED_SETTINGS),
        longest=GOLDEN_QUESTION.maximum,
        typed=form_fields,
        problem=None if problem is None else problem.message,
    )


@router.post("/questions")
def add_question(
    page: Renderer, citegraph: CitegraphDep, page_space: AdministeredPageSpaceDep, form_fields: FormTexts
) -> Response:
    """Add a question, or replace the expected texts and documents (one per line) of the same question."""
    entry = {
        "question": form_fields.get("question", ""),
        "answers": form_fields.get("answers", "").splitlines(),
        "sources": form_fields.get("sources", "").splitlines(),
    }
    with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
        try:
            golden.add_or_replace_questions(space, [entry])
        except CitegraphError as error:
            return _show_golden_page(page, page_space, space, form_fields, problem=error)
    return page.redirect(f"{page_space.path}/golden")


@router.post("/questions/{question_id}/remove")
def remove_question(
    page: Renderer, citegraph: CitegraphDep, page_space: AdministeredPageSpaceDep, question_id: UUID
) -> Response:
    """Remove a question with its results in all runs."""
    with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
        golden.remove_question(space, GoldenQuestionId(question_id))
    return page.redirect(f"{page_space.path}/golden")


@router.post("/runs")
def begin_run(
    page: Renderer, citegraph: CitegraphDep, page_space: AdministeredPageSpaceDep, form_fields: FormTexts
) -> Response:
    """Ask all questions with the space's settings, or with the one changed setting of the form."""
    with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
        try:
            job = golden.queue_golden_run(space, _parse_setting_change(form_fields))
        except CitegraphError as error:
            return _show_golden_page(page, page_space, space, form_fields, problem=error)
    return page.redirect(f"{page_space.path}/golden/runs/{job.id}")


def _parse_setting_change(form_fields: dict[str, str]) -> dict[str, Any]:
    name, value_text = form_fields.get("setting", ""), form_fields.get("value", "").strip()
    if not name:
        return {}
    try:
        return {name: json.loads(value_text)}
    except (ValueError, RecursionError):
        # Refused by the setting itself, in its own words.
        return {name: value_text}


@router.post("/settings")
def change_golden_schedule_and_gate(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: AdministeredPageSpaceDep,
    visitor: Visitor,
    form_fields: FormTexts,
    seen_version: SeenVersion,
) -> Response:
    """Set how often the questions are asked automatically, and whether they gate changes."""
    hours = form_fields.get("hours", "").strip()
    setting_changes = {"golden_every_hours": _parse_number(hours), "golden_gate": "gate" in form_fields}
    try:
        golden.update_space_if_gate_passes(
            citegraph.database,
            page_space.tenant_id,
            page_space.id,
            actor=visitor.actor,
            reading_models=list_extractors_that_spaces_may_choose(citegraph.settings),
            setting_changes=setting_changes,
            expected_versions=seen_version,
        )
    except InvalidInput as error:
        with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
            return _show_golden_page(page, page_space, space, form_fields, problem=error)
    return page.redirect(f"{page_space.path}/golden")


def _parse_number(number_text: str) -> float | str | None:
    try:
        return float(number_text) if number_text else None
    except ValueError:
        # Refused by the setting itself, in its own words.
        return number_text


@router.get("/runs/{golden_run_id}")
def show_run(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    golden_run_id: UUID,
    against: UUID | None = None,
) -> Response:
    """Show a run question by question, compared with the previous or another run: regressions first."""
    report = build_golden_report(
        golden.build_run_report(space, JobId(golden_run_id), None if against is None else JobId(against))
    )
    change_order = {"worse": 0, "better": 1, "same": 2}
    report.outcomes.sort(key=lambda outcome: (change_order[outcome.change], outcome.passed))
    return page.show("space/golden_run.html", page_space=page_space, active="golden", report=report)
