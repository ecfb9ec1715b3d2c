"""Commands of `citegraph nodes` about mentions and about decisions on names, pairs and values."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, NamedTuple

import typer

from app.cli.context import ACTOR, start_servers_and_connect_operator
from app.cli.filtering import Words, filter_pages
from app.cli.graph import find_node, find_node_of_seen_version
from app.cli.options import AsJson, Limit, Space, Tenant, parse_id
from app.cli.output import format_one_line, print_line, show_json, show_pairs, show_table
from app.cli.seen_versions import IfMatch
from app.db.session import SpaceSession
from app.graph import service as graph
from app.graph.resolution.shapes import NameAndType
from app.graph.shapes import Attribute
from app.graph.write.curation import service as curation
from app.graph.write.curation import values
from app.ids import ChunkId, NodeId
from app.ingest import service as ingest
from app.views.merges import KeptApartAnswer, MergePreviewAnswer
from app.views.nodes import AttributeAnswer, MentionAnswer, NodeAnswer

NodeArgument = Annotated[str, typer.Argument(help="Name, alias or id of the node.")]


def list_mentions(
    node: NodeArgument,
    space: Space,
    words: Words = None,
    after: Annotated[str | None, typer.Option(help="Continue after the chunk with this id.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of mentions to list.")] = 30,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List the chunks that name a node, with the words around its name."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_id = find_node(session, node).id
        last_chunk_id = None if after is None else ChunkId(parse_id(after, "chunk"))
        matches = filter_pages(
            words,
            limit,
            lambda last_row, limit: curation.list_mentions(
                session, node_id, after=last_chunk_id if last_row is None else last_row.chunk_id, limit=limit
            ),
            lambda row: (row.title, row.before, row.surface, row.after),
        )
    if as_json:
        show_json([MentionAnswer.model_validate(mention) for mention in matches])
        return
    show_table(
        ["DOCUMENT", "PLACE", "WORDS", "FROM#", "TO#", "CHUNK"],
        (
            [
                mention.title,
                mention.place or "",
                format_one_line(f"…{mention.before}{mention.surface}{mention.after}…"),
                mention.char_start,
                mention.char_end,
                mention.chunk_id,
            ]
            for mention in matches
        ),
        empty_message="No chunk names it any more.",
    )


def rename_node(
    node: NodeArgument,
    name: Annotated[str, typer.Argument(help="Its new name, whatever texts call it.")],
    space: Space,
    if_match: IfMatch = None,
    tenant: Tenant = None,
) -> None:
    """Rename a node; `nodes restore-name` undoes it."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_id = find_node_of_seen_version(session, node, if_match)
        new_name = ingest.rename_node(session, node_id, name, actor=ACTOR)
    print_line(f"It is now called {new_name}.")


def restore_name(
    node: NodeArgument,
    space: Space,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Restore the name that texts give to a node."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_id = find_node_of_seen_version(session, node, if_match)
        restored_name = ingest.restore_node_name(session, node_id, actor=ACTOR)
        stored_node = graph.get_node(session, node_id)
    if as_json:
        show_json(NodeAnswer.model_validate(stored_node))
    else:
        print_line(f"It is called {restored_name} again.")


def preview_merge(
    winner: Annotated[str, typer.Argument(help="Name or id of the node that would stay.")],
    loser: Annotated[str, typer.Argument(help="Name or id of the node that would become part of it.")],
    space: Space,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show what a merge of two nodes would change, without merging them."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_ids = [NodeId(find_node(session, name_or_id).id) for name_or_id in (winner, loser)]
        merge_preview = curation.preview_merge(session, *node_ids)
    preview_answer = MergePreviewAnswer.model_validate(merge_preview)
    if as_json:
        show_json(preview_answer)
    else:
        show_pairs([(name.replace("_", " "), value) for name, value in preview_answer if value != []])


def keep_apart(
    one: NodeArgument,
    other: Annotated[str, typer.Argument(help="Name, alias or id of the other node.")],
    space: Space,
    tenant: Tenant = None,
) -> None:
    """Keep two nodes apart: no ingest merges them; `nodes reconsider` undoes it."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_ids = [NodeId(find_node(session, name_or_id).id) for name_or_id in (one, other)]
        curation.keep_nodes_apart(session, *node_ids, actor=ACTOR)
    print_line("They are kept apart.")


def list_kept_apart(
    space: Space, words: Words = None, limit: Limit = 30, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """List pairs that somebody decided to keep apart, newest first."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        matches = filter_pages(
            words,
            limit,
            lambda last_row, limit: [] if last_row else curation.list_pairs_kept_apart(session, limit=limit),
            lambda pair: (*pair.a, *pair.b, pair.decided_by),
        )
    if as_json:
        show_json([KeptApartAnswer.model_validate(pair) for pair in matches])
        return
    show_table(
        ["NAME", "TYPE", "OTHER NAME", "TYPE", "BY", "WHEN"],
        ([*pair.a, *pair.b, pair.decided_by, f"{pair.decided_at:%Y-%m-%d %H:%M}"] for pair in matches),
        empty_message="No pair is kept apart.",
    )


def withdraw_keep_apart(
    name: Annotated[str, typer.Argument(help="A name, as `nodes kept-apart` lists it.")],
    node_type: Annotated[str, typer.Argument(help="Its type.")],
    other_name: Annotated[str, typer.Argument(help="The other name.")],
    other_type: Annotated[str, typer.Argument(help="The type of the other.")],
    space: Space,
    tenant: Tenant = None,
) -> None:
    """Withdraw the decision to keep two nodes apart: the pair may be listed as doubtful again."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        curation.withdraw_decision_to_keep_apart(
            session, NameAndType(name, node_type), NameAndType(other_name, other_type), actor=ACTOR
        )
    print_line("It is an open question again.")


AttributeArgument = Annotated[str, typer.Argument(help="The attribute, as `nodes show` names it.")]
ValueArgument = Annotated[str, typer.Argument(help="The value, as `nodes show` shows it.")]
ReasonOption = Annotated[str, typer.Option(help="Why; kept with the decision.")]


def _find_shown_value_or_keep_text(
    session: SpaceSession, node_id: NodeId, name: str, value_text: str
) -> values.Value:
    """Return the node's value that is shown as `value_text`; else the text itself."""
    for attribute in graph.list_attributes(session, node_id):
        if attribute.name == name and value_text in (str(attribute.value), json.dumps(attribute.value)):
            return attribute.value
    return value_text


def _show_attribute_values(attributes: Sequence[Attribute], *, as_json: bool) -> None:
    if as_json:
        show_json([AttributeAnswer.model_validate(attribute) for attribute in attributes])
        return
    show_table(
        ["ATTRIBUTE", "VALUE", "HOLDS", "ENDED BY", "WHY", "DOCUMENT"],
        (
            [
                attribute.name,
                attribute.value,
                "yes" if attribute.holds else "",
                attribute.ended_by or "",
                format_one_line(attribute.ended_reason or ""),
                attribute.evidence.document_title,
            ]
            for attribute in attributes
        ),
        empty_message="No chunk states a value.",
    )


class TypedValue(NamedTuple):
    """A value of a node as somebody typed it: the node by name or id, the attribute, the value's text."""

    node: str
    attribute: str
    value_text: str


def _apply_value_decision(
    apply_decision: Callable[[SpaceSession, NodeId, str, values.Value], list[Attribute]],
    typed_value: TypedValue,
    space: str,
    tenant: str | None,
    if_match: str | None,
    as_json: bool,
) -> None:
    """Find the value, call `apply_decision` with it, and print the values that the node has then."""
    node, attribute, value_text = typed_value
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_id = find_node_of_seen_version(session, node, if_match)
        attributes = apply_decision(
            session,
            node_id,
            attribute,
            _find_shown_value_or_keep_text(session, node_id, attribute, value_text),
        )
    _show_attribute_values(attributes, as_json=as_json)


def end_value(
    node: NodeArgument,
    attribute: AttributeArgument,
    value: ValueArgument,
    space: Space,
    reason: ReasonOption,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """End a wrong value of a node; `nodes restore-value` undoes it."""
    apply_decision = partial(values.end_attribute_value_and_list_rows, reason=reason, actor=ACTOR)
    _apply_value_decision(
        apply_decision, TypedValue(node, attribute, value), space, tenant, if_match, as_json
    )


def uphold_value(
    node: NodeArgument,
    attribute: AttributeArgument,
    value: ValueArgument,
    space: Space,
    reason: ReasonOption,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Keep this value of a node and end all others."""
    apply_decision = partial(values.uphold_attribute_value_and_end_others, reason=reason, actor=ACTOR)
    _apply_value_decision(
        apply_decision, TypedValue(node, attribute, value), space, tenant, if_match, as_json
    )


def restore_value(
    node: NodeArgument,
    attribute: AttributeArgument,
    value: ValueArgument,
    space: Space,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Restore a value of a node that was ended."""
    _apply_value_decision(
        partial(values.restore_attribute_value_and_list_rows, actor=ACTOR),
        TypedValue(node, attribute, value),
        space,
        tenant,
        if_match,
        as_json,
    )


COMMANDS: dict[str, Callable[..., None]] = {
    "mentions": list_mentions,
    "rename": rename_node,
    "restore-name": restore_name,
    "merge-preview": preview_merge,
    "keep-apart": keep_apart,
    "kept-apart": list_kept_apart,
    "reconsider": withdraw_keep_apart,
    "end-value": end_value,
    "uphold-value": uphold_value,
    "restore-value": restore_value,
}
"""Further commands of `citegraph nodes` by name."""
