"""Commands about documents: list them, and remove one with all its words."""

from typing import Annotated

import typer

from app.cli.context import operator
from app.cli.options import AsJson, Limit, Space, Tenant, Yes, make_group, parse_id
from app.cli.output import say, show_json, show_table
from app.documents import service as documents
from app.ids import DocumentId
from app.ingest import service as ingest

document_app = make_group("documents", "List and remove the documents of a space.")

Id = Annotated[str, typer.Argument(help="Its id, as `citegraph documents list` shows it.")]
Prune = Annotated[
    bool | None,
    typer.Option(
        "--prune/--keep",
        help="Remove edges that are left without evidence, or keep them; else as the space says.",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what it would change.")]


@document_app.command("list")
def list_documents(space: Space, tenant: Tenant = None, limit: Limit = 20, as_json: AsJson = False) -> None:
    """List the space's documents, newest first."""
    with operator(tenant) as me, me.space(space) as session:
        rows = [
            {
                "id": each.id,
                "state": each.state,
                "title": each.title,
                "source_uri": each.source_uri,
                "chunks": each.chunk_count,
                "version": each.version,
            }
            for each in documents.list_documents(session, limit=limit)
        ]
    if as_json:
        show_json(rows)
        return
    show_table(
        ["ID", "STATE", "CHUNKS#", "ADDRESS", "TITLE"],
        ([row["id"], row["state"], row["chunks"], row["source_uri"] or "", row["title"]] for row in rows),
        empty="No document yet.",
    )


@document_app.command("delete")
def delete_document(
    document: Id,
    space: Space,
    tenant: Tenant = None,
    prune: Prune = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Remove a document and its words; first it says what that takes along, and asks."""
    document_id = DocumentId(parse_id(document, "document"))
    with operator(tenant) as me, me.space(space) as session:
        title = documents.get_document(session, document_id).title
        removal = ingest.preview_removal(session, document_id, prune=prune)
    if dry_run:
        _show(removal, would=True, as_json=as_json)
        return
    if not yes:
        _show(removal, would=True, as_json=False)
        typer.confirm(f"Remove “{title}” and these?", abort=True)
    with operator(tenant) as me, me.space(space) as session:
        removal = ingest.remove_document(session, document_id, prune=prune)
    _show(removal, would=False, as_json=as_json)


def _show(removal: ingest.Removal, *, would: bool, as_json: bool) -> None:
    numbers = {
        "chunks": removal.chunks,
        "unlinked_edges": removal.unlinked_edges,
        "pruned_edges": removal.pruned_edges,
        "pruned_nodes": removal.pruned_nodes,
        "forgotten_nodes": removal.forgotten_nodes,
        "renamed_nodes": removal.renamed_nodes,
    }
    if as_json:
        show_json({**numbers, "dry_run": would})
        return
    said = (
        f"{'It would remove' if would else 'Removed'} {removal.chunks:,} chunks,"
        f" {removal.pruned_edges:,} edges and {removal.pruned_nodes:,} nodes."
    )
    say(said)
    say(f"Without evidence: {removal.unlinked_edges - removal.pruned_edges:,} edges.")
    say(f"Without a name: {removal.forgotten_nodes:,} nodes; with fewer names: {removal.renamed_nodes:,}.")
