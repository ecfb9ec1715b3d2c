"""Commands about tags: list them with counts, and suggest or set tags of nodes."""

from typing import Annotated

import typer

from app.cli.context import start_servers_and_connect_operator
from app.cli.graph import find_node
from app.cli.options import AsJson, Space, Tenant, make_group
from app.cli.output import print_note, show_json, show_table
from app.graph.tags import service as node_tags
from app.graph.tags.suggestions import Origin
from app.ids import NodeId
from app.views.nodes import SuggestedTagsAnswer, TagAnswer

tag_app = make_group("tags", "List tags, suggest tags for nodes, and set them.")


@tag_app.command("list")
def list_tags(
    space: Space,
    prefix: Annotated[str, typer.Argument(help="Only tags that begin with this.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of tags to list.")] = 50,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List tags and how many nodes have each, the most used first."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        tags = node_tags.find_tags(session, prefix=prefix, limit=limit)
    if as_json:
        show_json([TagAnswer.model_validate(tag) for tag in tags])
    else:
        show_table(
            ["TAG", "NODES#"],
            tags,
            empty_message="No tag begins with this."
            if prefix
            else "No tags yet: `citegraph tags suggest` suggests some.",
        )


@tag_app.command("suggest")
def suggest_tags(
    space: Space,
    node: Annotated[
        list[str] | None, typer.Option(help="Name or id of a node; may be given several times.")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=200, help="Without --node: this many of the most mentioned nodes.")
    ] = 50,
    by: Annotated[
        Origin | None, typer.Option(help="rules or model; by default the model, if one is set.")
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Set them, after the tags that a person set.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="With --apply: replace a person's tags too.")
    ] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Suggest tags for nodes; nothing is written without --apply."""
    if by is Origin.PERSON:
        raise typer.BadParameter('"--by" must be rules or model.')
    if overwrite and not apply:
        raise typer.BadParameter('"--overwrite" needs "--apply".')
    with start_servers_and_connect_operator(tenant) as operator:
        space_key = operator.find_space(space)
        node_ids = None
        if node:
            with operator.citegraph.database.open_space(*space_key) as session:
                node_ids = [NodeId(find_node(session, name_or_id).id) for name_or_id in node]
        tagger = operator.citegraph.tagger
        suggestions = tagger.suggest_tags(*space_key, node_ids, origin=by, limit=limit)
        applied_tags = (
            tagger.apply_suggestions(*space_key, suggestions.items, overwrite=overwrite) if apply else {}
        )
    for warning in suggestions.warnings:
        print_note(warning)
    if as_json:
        show_json(
            [
                {
                    **dict(SuggestedTagsAnswer.from_value(suggestion, warnings=suggestions.warnings)),
                    "canonical_name": suggestion.canonical_name,
                    "applied": applied_tags.get(suggestion.node_id) if apply else None,
                }
                for suggestion in suggestions.items
            ]
        )
        return
    show_table(
        ["NAME", "TYPE", "TAGS" if apply else "SUGGESTED", "BY"],
        (
            [
                suggestion.canonical_name,
                suggestion.node_type,
                " ".join(applied_tags.get(suggestion.node_id, ()) if apply else suggestion.tags),
                suggestion.by,
            ]
            for suggestion in suggestions.items
        ),
        empty_message="No nodes.",
    )
