"""Commands about documents: list, show, delete, set trust, and retry what could not be read."""

from dataclasses import asdict
from typing import Annotated

import typer

from app.cli.context import start_servers_and_connect_operator
from app.cli.options import AsJson, Limit, Space, Tenant, Yes, make_group, parse_id
from app.cli.output import print_line, show_json, show_pairs, show_table
from app.cli.seen_versions import IfMatch, build_version_field, lock_and_check_seen_version
from app.documents import service as documents
from app.documents.shapes import DocumentFilter
from app.domain.document_names import choose_document_name
from app.http.edit_versions.shapes import Kind
from app.ids import DocumentId
from app.ingest import service as ingest
from app.number_words import pluralise
from app.space_settings import MIN_TRUST
from app.views.documents import DocumentAnswer, DocumentDetailAnswer, RetryAnswer
from app.views.jobs import JobAnswer

document_app = make_group("documents", "List, read and delete documents; retry what could not be read.")
DocumentArgument = Annotated[str, typer.Argument(help="Its id, as `citegraph documents list` shows it.")]


@document_app.command("list")
def list_documents(
    space: Space,
    words: Annotated[str | None, typer.Argument(help="Words in the title or address.")] = None,
    state: Annotated[
        str | None,
        typer.Option("--state", help="Only documents that are queued, processing, ready or failed."),
    ] = None,
    limit: Limit = 30,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List the documents of the space, newest first."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        matching_documents = documents.list_documents(
            session, DocumentFilter(state, words=words), limit=limit
        )
        document_names = [
            choose_document_name(document.title, document.source_uri) for document in matching_documents
        ]
        rows = [DocumentAnswer.model_validate(document) for document in matching_documents]
    if as_json:
        show_json(rows)
        return
    show_table(
        ["TITLE", "STATE", "FORMAT", "CHUNKS#", "BYTES#", "WHY NOT", "ID"],
        (
            [name, row.state, row.format, row.chunk_count, row.byte_size, row.failure_reason, row.id]
            for name, row in zip(document_names, rows, strict=True)
        ),
        empty_message="No matching documents.",
    )


@document_app.command("show")
def show_document(
    document: DocumentArgument, space: Space, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """Show one document, what of its file was not read, and its chunks that are not in the graph."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        document_id = DocumentId(parse_id(document, "document"))
        version = build_version_field(session, Kind.DOCUMENT, document_id)
        stored_document = documents.get_document(session, document_id)
        quarantined_chunks = documents.list_first_quarantined_chunks(session, stored_document)
        answered_mail = documents.find_answered_mails(session, [stored_document]).get(
            stored_document.in_reply_to or ""
        )
        document_detail = DocumentDetailAnswer.from_value(
            stored_document,
            quarantined=quarantined_chunks,
            answered_document_id=answered_mail.document_id if answered_mail else None,
            answered_chunk_id=answered_mail.chunk_id if answered_mail else None,
        )
    fields = dict(document_detail)
    if as_json:
        show_json({**fields, **version})
        return
    if answered_mail is not None:
        fields["answered_place"] = answered_mail.place
    warnings = fields.pop("warnings")
    del fields["quarantined"]
    show_pairs([(name.replace("_", " "), value) for name, value in fields.items() if value not in (None, "")])
    for warning in warnings:
        print_line(f"! {warning}")
    if quarantined_chunks:
        print_line()
        columns = ["ordinal", "code", "reason", "since_version", "chunk_id"]
        show_table(
            ["CHUNK#", "CODE", "WHY NOT READ", "SINCE VERSION#", "ID"],
            (
                [getattr(quarantined_chunk, name) for name in columns]
                for quarantined_chunk in quarantined_chunks
            ),
        )


@document_app.command("text")
def show_text(document: DocumentArgument, space: Space, tenant: Tenant = None) -> None:
    """Print the plain text of a document, which all character ranges refer to."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        typer.echo(documents.read_document_text(session, DocumentId(parse_id(document, "document"))))


@document_app.command("trust")
def change_trust(
    document: DocumentArgument,
    trust: Annotated[float, typer.Argument(min=MIN_TRUST, max=1.0, help="From 0.01 to 1.")],
    space: Space,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Set how far a document is trusted; claims end or hold as if it had always been trusted so."""
    document_id = DocumentId(parse_id(document, "document"))
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        lock_and_check_seen_version(session, Kind.DOCUMENT, document_id, if_match)
        updated_document = ingest.change_document_trust(session, document_id, trust)
        document_answer = DocumentAnswer.model_validate(updated_document)
    if as_json:
        show_json(document_answer)
    else:
        name = choose_document_name(updated_document.title, updated_document.source_uri)
        print_line(f"{name} is trusted {document_answer.trust:g}.")


@document_app.command("delete")
def delete_document(
    document: DocumentArgument,
    space: Space,
    prune: Annotated[
        bool | None,
        typer.Option(
            "--prune/--keep", help="Whether to remove edges without evidence; by default as the space says."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would change.")] = False,
    yes: Yes = False,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Delete a document with its text, and show the receipt of what was removed with it."""
    document_id = DocumentId(parse_id(document, "document"))
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        if not dry_run and not yes:
            stored_document = documents.get_document(session, document_id)
            name = choose_document_name(stored_document.title, stored_document.source_uri)
            typer.confirm(f"Delete {name} with its text?", abort=True, err=True)
        lock_and_check_seen_version(session, Kind.DOCUMENT, document_id, if_match)
        remove_or_preview = ingest.preview_removal if dry_run else ingest.delete_document_with_all_its_words
        receipt = asdict(remove_or_preview(session, document_id, prune=prune))
    if as_json:
        show_json(receipt)
    else:
        show_pairs([(name.replace("_", " "), value) for name, value in receipt.items()])


@document_app.command("retry")
def retry_documents(
    space: Space,
    document: Annotated[
        str | None, typer.Argument(help="Id of one document; by default all that were not read completely.")
    ] = None,
    if_match: IfMatch = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Queue again what could not be read: failed documents, and quarantined chunks of others."""
    if if_match is not None and document is None:
        raise typer.BadParameter('"--if-match" needs the id of a document.')
    with start_servers_and_connect_operator(tenant) as operator:
        tenant_id, space_id = operator.find_space(space)
        ingest.check_room_for_ingest_job(operator.citegraph.database, tenant_id)
        with operator.citegraph.database.open_space(tenant_id, space_id) as session:
            if document is None:
                job, document_count = documents.retry_failed_documents_in_new_job(session)
            else:
                document_id = DocumentId(parse_id(document, "document"))
                lock_and_check_seen_version(session, Kind.DOCUMENT, document_id, if_match)
                job, document_count = documents.retry_document_in_new_job(session, document_id), 1
            retry_answer = RetryAnswer(documents=document_count, job=JobAnswer.model_validate(job))
    if as_json:
        show_json(retry_answer)
    else:
        print_line(f"{pluralise(document_count, 'document')} queued again by job {retry_answer.job.id}.")
