"""Commands about knowledge spaces."""

import time
from typing import Annotated

import typer

from app.cli.context import ACTOR, start_servers_and_connect_operator
from app.cli.filtering import Words, filter_pages
from app.cli.job_requests import Wait, request_job
from app.cli.options import AsJson, Limit, SpaceName, Tenant, Yes, make_group
from app.cli.output import describe_deletion, print_line, print_note, show_json, show_pairs, show_table
from app.cli.seen_versions import (
    IfMatch,
    build_version_field,
    lock_and_check_seen_version,
    parse_expected_version,
)
from app.cli.space_settings import set_settings
from app.db.models import Job
from app.db.session import SpaceSession
from app.derived.embedding_change import service as embedding_change
from app.derived.embedding_change.service import EmbeddingUnchanged
from app.graph import service as graph
from app.http.edit_versions.shapes import Kind
from app.ids import SpaceId
from app.limits import DIMENSIONS
from app.number_words import pluralise
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces.shapes import DeletionState
from app.views.edges import RelationTypeAnswer
from app.views.spaces import EmbeddingPlanAnswer, SpaceAnswer

_POLL_SECONDS = 2.0

space_app = make_group("space", "Create, list, show, re-embed and delete knowledge spaces.")


@space_app.command("create")
def create_space(
    name: Annotated[str, typer.Argument(help="Its name, unique within the tenant.")],
    description: Annotated[str, typer.Option(help="What the space is about.")] = "",
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Create an empty space."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        embedders = operator.citegraph.embedders
        space = spaces.create_space(
            session,
            name=name,
            description=description,
            embedding_model=embedders.model,
            embedding_dimensions=embedders.dimensions,
            actor=ACTOR,
        )
    if as_json:
        show_json(SpaceAnswer.model_validate(space))
    else:
        print_line(f"Space {space.name} created: {space.id}")


@space_app.command("list")
def list_spaces(
    words: Words = None, tenant: Tenant = None, limit: Limit = 100, as_json: AsJson = False
) -> None:
    """List the tenant's spaces in order of creation."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        matches = filter_pages(
            words,
            limit,
            lambda last_row, limit: spaces.list_spaces(
                session, after=None if last_row is None else SpaceId(last_row.id), limit=limit
            ),
            lambda row: (row.name, row.description, row.id),
        )
        rows = [SpaceAnswer.model_validate(row) for row in matches]
    if as_json:
        show_json(rows)
    else:
        show_table(
            ["NAME", "DESCRIPTION", "ID"],
            ([row.name, row.description, row.id] for row in rows),
            empty_message="No spaces yet: `citegraph space create NAME` creates one.",
        )


@space_app.command("show")
def show_space(name: SpaceName, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Show one space: its settings and its edges per relation type."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(name) as session:
        version = build_version_field(session, Kind.SPACE, session.space_id)
        fields = dict(SpaceAnswer.model_validate(spaces.get_open_space_row(session)))
        relations = [
            RelationTypeAnswer.model_validate(relation_type)
            for relation_type in graph.count_relation_types(session)
        ]
    if as_json:
        show_json({**fields, **version, "relation_types": relations})
        return
    show_pairs(fields.items())
    print_line()
    show_table(
        ["RELATION", "LAYER", "EDGES#", "WITH EVIDENCE#", "MEAN CONFIDENCE#"],
        (
            [
                relation.relation_type,
                relation.layer,
                relation.edges,
                relation.with_evidence,
                f"{relation.avg_confidence:.3f}",
            ]
            for relation in relations
        ),
        empty_message="No edges yet: `citegraph ingest PATH --space NAME` reads documents.",
    )


@space_app.command("reembed")
def reembed_space(
    name: SpaceName,
    model: Annotated[
        str, typer.Option(help="The new model: a built-in one or one of CITEGRAPH_EMBEDDING_MODELS.")
    ],
    dimensions: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=DIMENSIONS.maximum,
            help="Expected length of its vectors; checked if set.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print what it would take: texts, tokens, cost.")
    ] = False,
    wait: Wait = False,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Have a worker re-embed a space with another model; searches use the old vectors until it is done."""
    with start_servers_and_connect_operator(tenant) as operator:
        citegraph = operator.citegraph
        if dry_run:
            with operator.open_space(name) as session:
                plan = embedding_change.estimate_embedding_change(
                    session, citegraph.embedders, citegraph.settings, model=model, dimensions=dimensions
                )
            plan_answer = EmbeddingPlanAnswer.model_validate(plan)
            if as_json:
                show_json(plan_answer)
            else:
                show_pairs(plan_answer)
            return

        def request_change(session: SpaceSession) -> Job:
            lock_and_check_seen_version(session, Kind.SPACE, session.space_id, if_match)
            return embedding_change.enqueue_or_find_embedding_change(
                session, citegraph.embedders, model=model, dimensions=dimensions, actor=ACTOR
            )

        try:
            request_job(
                operator,
                name,
                request_change,
                wait=wait,
                as_json=as_json,
                describe_counts=lambda counts: (
                    f"Embedded by {model}: {pluralise(counts.get('chunks', 0), 'chunk')},"
                    f" {pluralise(counts.get('facts', 0), 'fact')} and"
                    f" {pluralise(counts.get('nodes', 0), 'node')}."
                ),
            )
        except EmbeddingUnchanged as unchanged:
            if as_json:
                show_json({"unchanged": True})
            else:
                print_line(unchanged.message)


@space_app.command("delete")
def delete_space(
    name: SpaceName,
    yes: Yes = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until a worker has removed all rows, and say how far it is.")
    ] = False,
    if_match: IfMatch = None,
    tenant: Tenant = None,
) -> None:
    """Delete a space with its documents and its graph.

    The space cannot be found from then on. A worker removes the rows of a large one.
    """
    with start_servers_and_connect_operator(tenant) as operator:
        tenant_id, space_id = operator.find_space(name)
        if not yes:
            typer.confirm(f"Delete space {name} with everything in it?", abort=True, err=True)
        removal = spaces.delete_space(
            operator.citegraph.database,
            tenant_id,
            space_id,
            actor=ACTOR,
            expected_versions=parse_expected_version(if_match),
        )
        while wait and removal.state is DeletionState.DELETING:
            time.sleep(_POLL_SECONDS)
            removal = spaces.get_receipt_of_space_deletion(operator.citegraph.database, tenant_id, space_id)
            if removal.state is DeletionState.DELETING:
                print_note(f"{pluralise(sum(removal.rows.values()), 'row')} removed so far.")
    print_line(f"Space {name} deleted: {describe_deletion(removal)}.")


space_app.command("set")(set_settings)
