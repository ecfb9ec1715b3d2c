"""Commands about nodes: list them, merge, split, and undo a merge or split."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer

from app.cli.context import ACTOR, start_servers_and_connect_operator
from app.cli.explanation import show_heading, show_statements
from app.cli.filtering import Words, filter_pages
from app.cli.graph import find_node, find_node_of_seen_version
from app.cli.options import TIME_FORMATS, AsJson, Group, Limit, Space, Tenant, convert_to_utc, parse_id
from app.cli.output import print_line, show_json, show_pairs, show_table
from app.cli.seen_versions import IfMatch, build_version_field
from app.cli.space_content import node_decisions
from app.derived.summaries import service as summaries
from app.graph import service as graph
from app.graph.shapes import NodeFilters, WordMatch
from app.graph.tags import service as node_tags
from app.graph.write import merges, near_duplicates, splits
from app.http.edit_versions.shapes import Kind
from app.ids import ChunkId, DocumentId
from app.number_words import pluralise
from app.views.merges import DuplicateAnswer, MergeAnswer, SplitAnswer
from app.views.nodes import NodeAnswer, NodeDetailAnswer
from app.views.summaries import SummaryAnswer

LIST_COMMAND = "list"
_MAX_RELATIONS = 20


class Nodes(Group):
    """A group whose default command is `list`: `citegraph nodes WORDS --space NAME`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the group's arguments; insert `list` if the first one names no command."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [LIST_COMMAND, *args]
        return super().parse_args(ctx, args)


node_app = typer.Typer(
    name="nodes",
    help="List nodes (`nodes [WORDS] --space NAME`), merge, split, undo.",
    cls=Nodes,
    no_args_is_help=True,
    rich_markup_mode=None,
)


@node_app.command(LIST_COMMAND)
def list_nodes(
    space: Space,
    query: Annotated[str | None, typer.Argument(help="Words that the name must contain.")] = None,
    match: Annotated[
        WordMatch, typer.Option("--match", help="The words as one phrase, all of them, or any.")
    ] = WordMatch.PHRASE,
    node_type: Annotated[str | None, typer.Option("--type", help="Only nodes of this type.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Only nodes that have this tag.")] = None,
    established: Annotated[
        bool | None, typer.Option("--established/--staged", help="Only nodes mentioned often, or rarely.")
    ] = None,
    min_confidence: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only nodes with at least this confidence.")
    ] = None,
    seen_since: Annotated[
        datetime | None, typer.Option(formats=TIME_FORMATS, help="Only nodes that texts named then or later.")
    ] = None,
    new_since: Annotated[
        datetime | None, typer.Option(formats=TIME_FORMATS, help="Only nodes first named then or later.")
    ] = None,
    community: Annotated[
        str | None, typer.Option("--community", help="Only nodes of this community.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of nodes to list.")] = 30,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List nodes, the most mentioned first; `nodes WORDS` is short for `nodes list WORDS`."""
    filters = NodeFilters(
        node_type=node_type,
        tag=tag,
        established=established,
        min_confidence=min_confidence,
        first_seen_from=convert_to_utc(new_since),
        last_seen_from=convert_to_utc(seen_since),
        community_id=None if community is None else parse_id(community, "community"),
        match=match,
    )
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        nodes = graph.list_nodes(session, search_text=query, filters=filters, limit=limit)
    if as_json:
        show_json([NodeAnswer.model_validate(node) for node in nodes])
        return
    show_table(
        ["NAME", "TYPE", "MENTIONS#", "EDGES#", "ALIASES"],
        (
            [
                node.canonical_name,
                node.node_type,
                node.mention_count,
                node.out_degree + node.in_degree,
                ", ".join(node.aliases),
            ]
            for node in nodes
        ),
        empty_message="No matching nodes.",
    )


@node_app.command("show")
def show_node(
    node: Annotated[str, typer.Argument(help="Name, alias or id of the node.")],
    space: Space,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show one node: its names, tags and summary, what texts say of it, and its strongest relations."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_id = find_node(session, node).id
        version = build_version_field(session, Kind.NODE, node_id)
        stored_node = graph.get_node(session, node_id)
        tags = node_tags.list_tags_of_node(session, stored_node.id)
        summary = summaries.find_summary(session, stored_node.id)
        attributes = graph.list_attributes(session, stored_node.id)
        relations = graph.aggregate_edges_by_claim(session, node_id=stored_node.id)[:_MAX_RELATIONS]
        statements = graph.list_statements_of_node(session, stored_node.id)
        cooccurring_nodes = graph.find_cooccurring_nodes(session, stored_node)
    if as_json:
        node_detail = NodeDetailAnswer.from_value(
            stored_node,
            tags=tags,
            attributes=attributes,
            relations=relations,
            statements=statements,
            named_together=cooccurring_nodes,
            summary=None if summary is None else SummaryAnswer.from_node_summary(summary),
        )
        show_json({**dict(node_detail), **version})
        return
    show_heading(f"{stored_node.canonical_name} ({stored_node.node_type})")
    labelled_values = [
        ("also called", ", ".join(stored_node.aliases)),
        ("tags", ", ".join(tags)),
        ("named by", pluralise(stored_node.mention_count, "passage")),
        ("edges", f"{stored_node.out_degree} leaving, {stored_node.in_degree} entering"),
    ]
    show_pairs([(name, value) for name, value in labelled_values if value])
    if summary is not None:
        print_line()
        print_line(summary.summary.text)
    if attributes:
        print_line()
        show_table(
            ["ATTRIBUTE", "VALUE", "HOLDS", "WORDS", "DOCUMENT", "PLACE"],
            (
                [
                    attribute.name,
                    attribute.value,
                    attribute.holds,
                    attribute.evidence.quote,
                    attribute.evidence.document_title,
                    attribute.evidence.place or "",
                ]
                for attribute in attributes
            ),
        )
    print_line()
    show_table(
        ["FROM", "RELATION", "TO", "LAYER", "WEIGHT#", "TIMES#"],
        (
            [
                relation.from_name,
                relation.relation_type,
                relation.to_name,
                relation.layer,
                f"{relation.weight:.2f}",
                relation.mention_count,
            ]
            for relation in relations
        ),
        empty_message="It has no relations.",
    )
    show_statements(statements[:_MAX_RELATIONS], {stored_node.id: stored_node.canonical_name})
    if cooccurring_nodes:
        print_line()
        show_table(
            ["NAMED TOGETHER WITH", "TYPE", "WEIGHT#", "TIMES#", "WORDS"],
            (
                [
                    neighbour.canonical_name,
                    neighbour.node_type,
                    f"{neighbour.weight:.2f}",
                    neighbour.count,
                    neighbour.evidence.quote if neighbour.evidence else "",
                ]
                for neighbour in cooccurring_nodes
            ),
        )


@node_app.command("merges")
def list_merges(
    space: Space, words: Words = None, limit: Limit = 30, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """List merges, newest first: which node became part of which, why, and by whom."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        matches = filter_pages(
            words,
            limit,
            lambda last_row, limit: merges.list_merges(
                session, after=None if last_row is None else last_row.id, limit=limit
            ),
            lambda row: asdict(row).values(),
        )
    if as_json:
        show_json([MergeAnswer.model_validate(merge) for merge in matches])
        return
    show_table(
        ["MERGED", "TYPE", "INTO", "WHY", "BY", "WHEN", "UNDONE", "ID"],
        (
            [
                merge.loser_name,
                merge.loser_type,
                merge.winner_name or "(deleted)",
                merge.reason,
                merge.decided_by,
                f"{merge.created_at:%Y-%m-%d %H:%M}",
                merge.undone_at is not None,
                merge.id,
            ]
            for merge in matches
        ),
        empty_message="No merges yet.",
    )


@node_app.command("merge")
def merge_nodes(
    winner: Annotated[str, typer.Argument(help="Name or id of the node that stays.")],
    loser: Annotated[str, typer.Argument(help="Name or id of the node that becomes part of it.")],
    space: Space,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Merge two nodes that are one thing; `nodes unmerge` undoes it."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        winner_id = find_node_of_seen_version(session, winner, if_match)
        node_merge = merges.merge_nodes_by_person(
            session, winner_id, find_node(session, loser).id, actor=ACTOR
        )
    if as_json:
        show_json(MergeAnswer.model_validate(node_merge))
    else:
        print_line(f"{node_merge.loser_name} is now part of {node_merge.winner_name}.")
        print_line(f"To undo it: citegraph nodes unmerge {node_merge.id} --space {space}")


@node_app.command("unmerge")
def unmerge(
    merge_id: Annotated[str, typer.Argument(help="Id of the merge; `nodes merges` lists them.")],
    space: Space,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Undo a merge, and record that the two nodes are not the same."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_id = merges.unmerge_nodes_by_person(session, parse_id(merge_id, "merge"), actor=ACTOR)
        node = graph.get_node(session, node_id)
    if as_json:
        show_json(NodeAnswer.model_validate(node))
    else:
        print_line(f"{node.canonical_name} is a node of its own again: {node.id}")


@node_app.command("split")
def split_node(
    node: Annotated[str, typer.Argument(help="Name or id of the node that is two things.")],
    sense: Annotated[str, typer.Argument(help='Which thing the other one is, as in "planet".')],
    space: Space,
    document: Annotated[
        list[str] | None, typer.Option("--document", help="Id of a document that means the other thing.")
    ] = None,
    chunk: Annotated[
        list[str] | None, typer.Option("--chunk", help="Id of a chunk that means the other thing.")
    ] = None,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Split a node: some texts mean another thing by its name; `nodes unsplit` undoes it."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_id = find_node_of_seen_version(session, node, if_match)
        node_split = splits.split_node_by_person(
            session,
            node_id,
            sense,
            chunk_ids=[ChunkId(parse_id(chunk_id, "chunk")) for chunk_id in chunk or ()],
            document_ids=[DocumentId(parse_id(document_id, "document")) for document_id in document or ()],
            actor=ACTOR,
        )
    if as_json:
        show_json(SplitAnswer.model_validate(node_split))
    else:
        mentions_text = pluralise(node_split.mentions, "mention")
        print_line(
            f"{node_split.new_name} is a node of its own: {node_split.new_node_id}, with {mentions_text}."
        )
        print_line(f"To undo it: citegraph nodes unsplit {node_split.id} --space {space}")


@node_app.command("splits")
def list_splits(
    space: Space, words: Words = None, limit: Limit = 30, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """List splits, newest first: which node became two, why, and by whom."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        matches = filter_pages(
            words,
            limit,
            lambda last_row, limit: splits.list_splits(
                session, after=None if last_row is None else last_row.id, limit=limit
            ),
            lambda row: asdict(row).values(),
        )
    if as_json:
        show_json([SplitAnswer.model_validate(split) for split in matches])
        return
    show_table(
        ["NODE", "NEW NODE", "MENTIONS#", "WHY", "BY", "WHEN", "UNDONE", "ID"],
        (
            [
                split.name or "(deleted)",
                split.new_name or "(deleted)",
                split.mentions,
                split.reason,
                split.decided_by,
                f"{split.created_at:%Y-%m-%d %H:%M}",
                split.undone_at is not None,
                split.id,
            ]
            for split in matches
        ),
        empty_message="No splits yet.",
    )


@node_app.command("unsplit")
def unsplit(
    split_id: Annotated[str, typer.Argument(help="Id of the split; `nodes splits` lists them.")],
    space: Space,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Undo a split, and record that the two nodes are one."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        node_id = splits.undo_split(session, parse_id(split_id, "split"), actor=ACTOR)
        node = graph.get_node(session, node_id)
    if as_json:
        show_json(NodeAnswer.model_validate(node))
    else:
        print_line(f"{node.canonical_name} is one node again: {node.id}")


@node_app.command("doubtful")
def list_doubtful(
    space: Space, words: Words = None, limit: Limit = 30, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """List pairs that may be one thing under two spellings and have not been decided."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        matches = filter_pages(
            words,
            limit,
            lambda last_row, limit: (
                [] if last_row else near_duplicates.list_doubtful_pairs(session, limit=limit)
            ),
            lambda pair: (pair.a.name, pair.a.node_type, pair.b.name, pair.b.node_type, pair.why),
        )
    if as_json:
        show_json([DuplicateAnswer.model_validate(pair) for pair in matches])
        return
    show_table(
        ["NAME", "TYPE", "OTHER NAME", "TYPE", "ALIKE#", "BY"],
        (
            [
                pair.a.name,
                pair.a.node_type,
                pair.b.name,
                pair.b.node_type,
                f"{pair.similarity:.2f}",
                pair.why,
            ]
            for pair in matches
        ),
        empty_message="No doubtful pairs.",
    )


for _name, _command in node_decisions.COMMANDS.items():
    node_app.command(_name)(_command)
