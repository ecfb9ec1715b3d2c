"""Knowledge spaces."""

from typing import Annotated, Any, Self

from fastapi import APIRouter, Query, Request, Response
from pydantic import ConfigDict, Field, ValidatorFunctionWrapHandler, field_validator, model_validator

from app.answers.golden import service as golden
from app.api import deletion, quota_headers
from app.api.deletion import DeletionAnswer
from app.api.key_scopes import (
    AdministeredSpaceId,
    Administrator,
    CitegraphDep,
    Reader,
    TenantAdministrator,
    check_space_access,
)
from app.api.paging import RequestedPage
from app.api.protocol.preconditions import IfMatch
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace, ReadableTenant, WholeTenant
from app.api.shapes import Body, Listing
from app.domain.relation_types import SINGLE_SOURCE, SINGLE_VALUED
from app.http.input_text import Id, Name, Remark, TypeName
from app.ingest.extractor_choice import require_offered_models
from app.llm.servers import list_extractors_that_spaces_may_choose
from app.space_settings import AttributeName, KindField, RelationTypeName, SpaceSettings
from app.tenancy.spaces import service as spaces
from app.views.spaces import SpaceAnswer

router = APIRouter(prefix="/v1/spaces", tags=["spaces"], route_class=ApiRoute)


class SpaceSettingsBody(SpaceSettings):
    """The space's own settings; the platform's default applies to those left out."""

    extra_node_types: list[TypeName] = Field(default_factory=list, max_length=100)
    extra_relation_types: list[RelationTypeName] = Field(default_factory=list, max_length=200)
    single_valued_relations: list[TypeName] = Field(
        default_factory=lambda: list(SINGLE_VALUED), max_length=200
    )
    single_source_relations: list[TypeName] = Field(
        default_factory=lambda: list(SINGLE_SOURCE), max_length=200
    )
    node_attributes: dict[TypeName, Annotated[dict[AttributeName, KindField], Field(max_length=20)]] = Field(
        default_factory=dict, max_length=100
    )


def _allow_null_in_every_property(schema: dict[str, Any]) -> None:
    for name, property_schema in schema["properties"].items():
        property_schema.pop("default", None)
        if {"type": "null"} not in property_schema.get("anyOf", ()):
            schema["properties"][name] = {"anyOf": [property_schema, {"type": "null"}]}


class SpaceSettingsChanges(SpaceSettingsBody):
    """Changes of settings: those left out are unchanged; null resets a setting to the platform's default."""

    model_config = ConfigDict(json_schema_extra=_allow_null_in_every_property)

    @field_validator("*", mode="wrap")
    @classmethod
    def _accept_null(cls, value: Any, check: ValidatorFunctionWrapHandler) -> Any:
        return None if value is None else check(value)

    @model_validator(mode="after")
    def _check_eviction(self) -> Self:
        """Skip this check: it is made after the changes are merged into the space's settings."""
        return self


class SpaceBody(Body):
    """A space to create."""

    name: Name
    description: Remark = ""
    settings: SpaceSettingsBody = Field(default_factory=lambda: SpaceSettingsBody())


class SpaceChanges(Body):
    """Changes of a space; a field left out is unchanged, also among the settings."""

    name: Name | None = None
    description: Remark | None = None
    settings: SpaceSettingsChanges | None = None


@router.post("", status_code=201)
def create_space(
    request: Request,
    citegraph: CitegraphDep,
    tenant: WholeTenant,
    caller: TenantAdministrator,
    body: SpaceBody,
) -> SpaceAnswer:
    """Create an empty space. 409 name_taken, 422 model_not_offered."""
    require_offered_models(
        body.settings.model_dump(), list_extractors_that_spaces_may_choose(citegraph.settings)
    )
    space = spaces.create_space(
        tenant,
        name=body.name,
        description=body.description,
        settings=body.settings,
        embedding_model=citegraph.embedders.model,
        embedding_dimensions=citegraph.embedders.dimensions,
        actor=caller.actor,
    )
    quota_headers.add_usage_warnings(request, tenant, "spaces")
    return SpaceAnswer.model_validate(space)


@router.get("")
def list_spaces(tenant: ReadableTenant, caller: Reader, page: RequestedPage) -> Listing[SpaceAnswer]:
    """List the tenant's spaces that the key may open, oldest first."""
    scope = ("spaces", tenant.tenant_id)
    rows = spaces.list_spaces(
        tenant, after=page.decode_id(scope), space_ids=caller.space_ids, limit=page.fetch_limit
    )
    return page.build_page_with_next_cursor(
        rows, SpaceAnswer.model_validate, lambda row: [str(row.id)], scope
    )


@router.get("/{space_id}")
def read_space(space: ReadableSpace) -> SpaceAnswer:
    """Return the space. 404."""
    return SpaceAnswer.model_validate(spaces.get_open_space_row(space))


@router.patch("/{space_id}")
def update_space(
    citegraph: CitegraphDep,
    caller: Administrator,
    space_id: AdministeredSpaceId,
    body: SpaceChanges,
    expected_versions: IfMatch,
    force: Annotated[
        bool, Query(description="Whether to skip the gate of the golden questions (`golden_gate`).")
    ] = False,
) -> SpaceAnswer:
    """Change the given fields of the space; return it. 404, 409 name_taken, not_evaluated, worse_answers, 412
    stale_version.
    """
    space = golden.update_space_if_gate_passes(
        citegraph.database,
        caller.tenant_id,
        space_id,
        actor=caller.actor,
        reading_models=list_extractors_that_spaces_may_choose(citegraph.settings),
        name=body.name,
        description=body.description,
        setting_changes=None if body.settings is None else body.settings.model_dump(exclude_unset=True),
        expected_versions=expected_versions,
        is_forced=force,
    )
    return SpaceAnswer.model_validate(space)


@router.get("/{space_id}/deletion")
def read_space_deletion(citegraph: CitegraphDep, caller: Reader, space_id: Id) -> DeletionAnswer:
    """Return the progress of a space's deletion, and its receipt at the end. 404 also if the space exists.

    While the state is `deleting`, `rows` has the rows removed so far.
    """
    return DeletionAnswer.model_validate(
        spaces.get_receipt_of_space_deletion(
            citegraph.database, caller.tenant_id, check_space_access(caller, space_id)
        )
    )


@router.delete("/{space_id}", responses=deletion.ACCEPTED_RESPONSES)
def delete_space(
    citegraph: CitegraphDep,
    response: Response,
    caller: Administrator,
    space_id: AdministeredSpaceId,
    expected_versions: IfMatch,
) -> DeletionAnswer:
    """Remove the space and all that it owns; its jobs are cancelled. 404, 412 stale_version.

    202 for a large space: it can no longer be found, and a job removes its rows; `GET …/deletion` has the
    progress.
    """
    removal = spaces.delete_space(
        citegraph.database,
        caller.tenant_id,
        space_id,
        actor=caller.actor,
        expected_versions=expected_versions,
    )
    return deletion.build_deletion_answer_and_set_status(removal, response)
