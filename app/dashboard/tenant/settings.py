"""Settings of a space, with default, platform's and own values; its name, embedding model and deletion."""

from collections.abc import Mapping
from typing import Annotated, Any, Unpack

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from app.answers.golden import service as golden
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
from app.dashboard.tenant.setting_fields import (
    describe_setting_error,
    format_value,
    list_setting_fields,
    parse_setting_changes,
)
from app.db.session import SpaceSession
from app.derived.embedding_change import service as embedding_change
from app.errors import CitegraphError, InvalidInput
from app.http.authentication import DASHBOARD_PATH
from app.http.edit_versions.service import lock_and_check_version
from app.http.edit_versions.shapes import ExpectedVersions, Kind, Resource, Stale
from app.http.input_text import Name, Remark
from app.llm.embedding.local_models import LOCAL_MODELS
from app.llm.servers import list_extractors_that_spaces_may_choose
from app.tenancy.spaces import service as spaces
from app.wiring import Citegraph

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/settings", route_class=PageRoute, include_in_schema=False
)


def _show_settings_page(
    page: PageRenderer,
    citegraph: Citegraph,
    page_space: PageSpace,
    space: SpaceSession,
    *,
    status: int = 200,
    form_texts: Mapping[str, str] | None = None,
    **values: Any,
) -> Response:
    page.add_versions_to_forms(space, Kind.SPACE, [space.space_id])
    return page.show(
        "tenant/settings.html",
        status=status,
        page_space=page_space,
        active="settings",
        groups=list_setting_fields(
            citegraph.settings,
            space.opening_state.settings,
            space.settings,
            list_extractors_that_spaces_may_choose(citegraph.settings),
        ),
        shown=format_value,
        gate=space.settings.golden_gate,
        space=spaces.get_open_space_row(space),
        models=citegraph.embedders.available_models,
        missing_models={model.name for model in LOCAL_MODELS.values() if not model.is_installed},
        form_texts=form_texts or {},
        **{"refused": None, "model_refused": None, "plan": None, "refused_reset": None, **values},
    )


@router.get("")
def show_settings(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    model: Annotated[Name | None, Query()] = None,
) -> Response:
    """Show the settings; with `model`, also the cost of embedding the space with it."""
    if model is None:
        return _show_settings_page(page, citegraph, page_space, space)
    try:
        plan = embedding_change.estimate_embedding_change(
            space, citegraph.embedders, citegraph.settings, model=model, dimensions=None
        )
    except InvalidInput as error:
        return _show_settings_page(
            page, citegraph, page_space, space, status=error.status, model_refused=error.message
        )
    return _show_settings_page(page, citegraph, page_space, space, plan=plan)


@router.post("")
def change_settings(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: AdministeredPageSpaceDep,
    visitor: Visitor,
    form_texts: FormTexts,
    seen_version: SeenVersion,
) -> Response:
    """Change the settings whose fields were changed; an emptied field resets its setting."""
    with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
        groups = list_setting_fields(
            citegraph.settings,
            space.opening_state.settings,
            space.settings,
            list_extractors_that_spaces_may_choose(citegraph.settings),
        )
    try:
        if setting_changes := parse_setting_changes(groups, form_texts):
            golden.update_space_if_gate_passes(
                citegraph.database,
                page_space.tenant_id,
                page_space.id,
                actor=visitor.actor,
                reading_models=list_extractors_that_spaces_may_choose(citegraph.settings),
                setting_changes=setting_changes,
                expected_versions=seen_version,
                is_forced="force" in form_texts,
            )
    except (InvalidInput, golden.NotEvaluated, golden.WorseAnswers) as error:
        refusal = describe_setting_error(error.message, groups)
        return _show_settings_page_with_error(
            page, citegraph, page_space, error, refused=refusal, form_texts=form_texts
        )
    return page.redirect(f"{page_space.path}/settings")


@router.post("/reset")
def reset_setting(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: AdministeredPageSpaceDep,
    visitor: Visitor,
    seen_version: SeenVersion,
    form_texts: FormTexts,
    name: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Reset one setting to the platform's value or the default.

    What golden questions refuse is reset if the same button is pressed once more: `force` then has its name.
    """
    return _change_space(
        page,
        citegraph,
        page_space,
        visitor.actor,
        seen_version,
        is_forced=form_texts.get("force") == name,
        setting_changes={name: None},
    )


@router.post("/name")
def rename_space(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: AdministeredPageSpaceDep,
    visitor: Visitor,
    seen_version: SeenVersion,
    name: Annotated[Name, Form()],
    description: Annotated[Remark, Form()] = "",
) -> Response:
    """Change the name and the description of the space."""
    return _change_space(
        page, citegraph, page_space, visitor.actor, seen_version, name=name, description=description
    )


@router.post("/embedding")
def change_embedding(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: AdministeredPageSpaceDep,
    visitor: Visitor,
    seen_version: SeenVersion,
    model: Annotated[Name, Form()],
) -> Response:
    """Embed the whole space with another model, in a job; questions are answered meanwhile."""
    try:
        with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
            lock_and_check_version(space, Resource(Kind.SPACE, page_space.id), seen_version)
            job = embedding_change.enqueue_or_find_embedding_change(
                space, citegraph.embedders, model=model, dimensions=None, actor=visitor.actor
            )
    except Stale:
        raise
    except CitegraphError as error:
        return _show_settings_page_with_error(page, citegraph, page_space, error)
    return page.redirect(f"{page_space.path}/jobs/{job.id}")


@router.post("/delete")
def delete_space(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: AdministeredPageSpaceDep,
    visitor: Visitor,
    seen_version: SeenVersion,
    confirm: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    """Delete the space with all its content, if its name was typed as confirmation."""
    if confirm.strip() != page_space.name:
        error = InvalidInput("Type the name of the space exactly: nothing was deleted.")
        return _show_settings_page_with_error(page, citegraph, page_space, error)
    spaces.delete_space(
        citegraph.database,
        page_space.tenant_id,
        page_space.id,
        actor=visitor.actor,
        expected_versions=seen_version,
    )
    return page.redirect(f"{DASHBOARD_PATH}?all=1")


def _change_space(
    page: PageRenderer,
    citegraph: Citegraph,
    page_space: PageSpace,
    actor: str,
    expected_versions: ExpectedVersions | None,
    *,
    is_forced: bool = False,
    **changes: Unpack[spaces.SpaceChanges],
) -> Response:
    try:
        golden.update_space_if_gate_passes(
            citegraph.database,
            page_space.tenant_id,
            page_space.id,
            actor=actor,
            reading_models=list_extractors_that_spaces_may_choose(citegraph.settings),
            expected_versions=expected_versions,
            is_forced=is_forced,
            **changes,
        )
    except Stale:
        raise
    except (golden.NotEvaluated, golden.WorseAnswers) as error:
        name = next(iter(changes.get("setting_changes") or ()), None)
        refusal = f"{error.message} Reset it once more to do so anyway."
        return _show_settings_page_with_error(
            page, citegraph, page_space, error, refused=refusal, refused_reset=name
        )
    except CitegraphError as error:
        return _show_settings_page_with_error(page, citegraph, page_space, error)
    return page.redirect(f"{page_space.path}/settings")


def _show_settings_page_with_error(
    page: PageRenderer, citegraph: Citegraph, page_space: PageSpace, error: CitegraphError, **values: Any
) -> Response:
    """Show the page with an error's message, or with `refused` instead of it."""
    with citegraph.database.open_space(page_space.tenant_id, page_space.id) as space:
        return _show_settings_page(
            page, citegraph, page_space, space, status=error.status, **{"refused": error.message, **values}
        )
