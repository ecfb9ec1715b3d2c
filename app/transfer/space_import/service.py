"""Import of an exported space: JSON Lines into an empty space, completely or not at all (requirement 17.3).

One transaction of the caller, of at most IMPORT_ROWS rows. Rows keep their ids: an empty space has none of
its own, and the space is part of every key, so that ids from a file cannot reach another space. Everything
verifiable is verified: quotes are compared with their chunks in the database; hashes, normalised names and
counts are recomputed; vectors are made by a job.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import orjson
from pydantic import ValidationError

from app.db.changes import Change
from app.db.session import SpaceSession
from app.documents import ingest_steps
from app.errors import Conflict, InputFault, InvalidInput
from app.graph.invalidation import superseding
from app.graph.resolution.name_similarity import list_likely_spelling_keys, list_sure_spelling_keys
from app.ids import JobId
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.kinds import ChangeEmbedding
from app.limits import IMPORT_CHARACTERS, IMPORT_LINE, IMPORT_ROWS
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import quotas
from app.transfer.export.shapes import ROW_CLASS_BY_KIND, EndLine, MentionRow, NodeRow, Row, SpaceLine
from app.transfer.space_import import repository
from app.transfer.space_import.repository import KeyOfNode
from app.transfer.space_import.shapes import ImportReport

BATCH_ROWS = 1_000
_RANK_BY_KIND: dict[str, int] = {kind: rank for rank, kind in enumerate(ROW_CLASS_BY_KIND)}


class ImportRefused(InvalidInput):
    """The number of a line that cannot be accepted; nothing of the file was imported."""

    def __init__(self, line_number: int, code: str, sentence: str) -> None:
        super().__init__(
            f"Line {line_number}: {sentence}",
            code=code,
            faults=[InputFault(f"body.file.{line_number}", code, sentence)],
        )


def import_space(space: SpaceSession, lines: Iterable[bytes], *, actor: str) -> ImportReport:
    """Import an export into the open space, which must be empty; return the row counts and the job for
    vectors.

    Raises Conflict `space_not_empty`, QuotaExceeded, and ImportRefused for the first line that cannot be
    accepted. If it raises, the caller must not commit the transaction.
    """
    quotas.check_cluster_nodes_answer(space)
    ingest.lock_chunks_and_graph(space)
    if not repository.is_space_empty(space):
        raise Conflict(
            "Only a space without documents and nodes can take an export in.", code="space_not_empty"
        )
    # The tenant lock is held until the end; the actual size is checked after the import.
    usage_before = quotas.lock_and_check_submission_quotas(space, added_documents=1, added_bytes=0)
    row_counts: Counter[str] = Counter(dict.fromkeys(ROW_CLASS_BY_KIND, 0))
    for kind, rows in _batch_rows_by_kind(_parse_and_check_lines(lines)):
        if kind == "node" and not row_counts["node"]:
            _assemble_document_texts(space)
        _write_batch(space, kind, rows)
        row_counts[kind] += len(rows)
    if not row_counts["node"]:
        _assemble_document_texts(space)
    _check_endings_match_ledger(space)
    repository.recount_mentions_and_edges(space)
    # Claims of the file may have begun or ended since its export, or will later.
    superseding.recompute_due_endings_and_schedule_next(space, includes_later=True)
    _check_quotas_and_compact_sizes(space, usage_before)
    if row_counts["chunk"]:
        ingest_steps.recount_words_after_growth(space, row_counts["chunk"])
    job_id = _enqueue_embedding(space)
    audit.record(
        space,
        "space.import",
        actor=actor,
        target=space.space_id,
        other_targets=[job_id],
        details=dict(row_counts),
    )
    space.mark_change(Change.GRAPH)
    space.mark_change(Change.GROWTH)
    return ImportReport(row_counts, job_id)


NumberedRow = tuple[int, Row]
"""The number of a line, and its row."""


def _parse_and_check_lines(lines: Iterable[bytes]) -> Iterator[NumberedRow]:
    """Yield the rows with their line numbers; checks the first and the last line."""
    numbered_lines = ((line_number, line) for line_number, line in enumerate(lines, 1) if line.strip())
    line_number, first_line = next(numbered_lines, (1, b""))
    _parse_row(line_number, first_line, SpaceLine)
    last_rank = 0
    for row_count, (line_number, line) in enumerate(numbered_lines, 1):
        row = _parse_row(line_number, line, None)
        if isinstance(row, EndLine):
            for extra_line_number, _ in numbered_lines:
                raise ImportRefused(
                    extra_line_number, "import_out_of_order", "Nothing may follow the last line."
                )
            return
        kind = row.kind
        if _RANK_BY_KIND[kind] < last_rank:
            raise ImportRefused(line_number, "import_out_of_order", "Rows come in the order of their kinds.")
        if row_count > IMPORT_ROWS.maximum:
            raise ImportRefused(
                line_number, "import_too_large", f"A file may have {IMPORT_ROWS.maximum:,} rows."
            )
        last_rank = _RANK_BY_KIND[kind]
        yield line_number, row
    raise ImportRefused(line_number, "import_incomplete", "The file is cut: its last line is missing.")


def _parse_row(line_number: int, line: bytes, row_class: type[Row] | None) -> Row:
    if len(line) > IMPORT_LINE.maximum:
        raise ImportRefused(line_number, "import_bad_line", "It is too long.")
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise ImportRefused(line_number, "import_bad_line", "It is not JSON.") from None
    kind = document.get("kind") if isinstance(document, dict) else None
    if row_class is None:
        row_class = (
            EndLine if kind == "end" else ROW_CLASS_BY_KIND.get(kind) if isinstance(kind, str) else None
        )
    if row_class is None:
        raise ImportRefused(line_number, "import_bad_line", "Its kind is none of an export's.")
    try:
        return row_class.model_validate(document)
    except ValidationError as error:
        location = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]
        field = next(
            (str(path_part) for path_part in location if path_part in row_class.model_fields), "the row"
        )
        raise ImportRefused(line_number, "import_bad_line", f"{field} cannot be accepted.") from None


KindAndRows = tuple[str, list[NumberedRow]]
"""A kind of rows, and consecutive rows of it."""


def _batch_rows_by_kind(
    numbered_rows: Iterable[NumberedRow],
) -> Iterator[KindAndRows]:
    """Yield batches of consecutive rows of one kind."""
    batch: list[NumberedRow] = []
    kind = ""
    for line_number, row in numbered_rows:
        row_kind = row.kind
        if batch and (row_kind != kind or len(batch) == BATCH_ROWS):
            yield kind, batch
            batch = []
        kind = row_kind
        batch.append((line_number, row))
    if batch:
        yield kind, batch


def _write_batch(space: SpaceSession, kind: str, numbered_rows: list[NumberedRow]) -> None:
    fault = repository.write_rows_and_find_fault(
        space, kind, [{**row.model_dump(), "line": line_number} for line_number, row in numbered_rows]
    )
    if isinstance(fault, repository.Fault):
        if fault.is_unknown:
            raise ImportRefused(
                fault.line_number, "import_unknown_id", "It names a row that did not come before it."
            )
        raise ImportRefused(
            fault.line_number, "import_quote_mismatch", "Its words are not at the given range of its chunk."
        )
    if fault is not None:
        sentence = "It repeats an earlier row, or names a row that did not come before it."
        raise ImportRefused(fault.line_number, "import_repeated_row", sentence)
    repository.write_spelling_keys(
        space, {key for _, row in numbered_rows for key in _list_spelling_keys_of_row(row)}
    )


def _list_spelling_keys_of_row(row: Row) -> Iterator[KeyOfNode]:
    """Yield the keys by which spelling variants of a node are found: of its full names, and of the names
    in chunks.
    """
    if isinstance(row, NodeRow):
        for name in row.names:
            if name.kind != "short":
                yield from ((key, row.id) for key in list_likely_spelling_keys(name.name))
    elif isinstance(row, MentionRow):
        yield from ((key, row.node_id) for key in list_sure_spelling_keys(row.name, row.node_type))


def _assemble_document_texts(space: SpaceSession) -> None:
    """Assemble the texts of documents once all chunks are written."""
    if repository.count_text_characters(space) > IMPORT_CHARACTERS.maximum:
        raise InvalidInput(
            f"The texts would have more than {IMPORT_CHARACTERS.maximum:,} characters.",
            code="import_too_large",
        )
    if repository.assemble_texts_and_find_contradicting_chunk(space) is not None:
        raise InvalidInput(
            "Two chunks of one document say different things at one place.", code="import_chunk_mismatch"
        )


def _check_endings_match_ledger(space: SpaceSession) -> None:
    contradicted_count = repository.count_contradicted_ends(space)
    if contradicted_count:
        raise InvalidInput(
            f"{contradicted_count:,} edges have another end than in the ledger of ended claims.",
            code="import_ledger_mismatch",
        )


def _check_quotas_and_compact_sizes(space: SpaceSession, usage_before: quotas.QuotaUsage) -> None:
    """Raise QuotaExceeded if the import exceeded a quota."""
    quota_usage = quotas.get_quota_usage(space)
    for quota in ("documents", "bytes", "chunks", "nodes"):
        usage_before.check_room_for(quota, quota_usage.used[quota] - usage_before.used[quota])
    quotas.compact_size_rows_if_many(space, quota_usage)


def _enqueue_embedding(space: SpaceSession) -> JobId:
    """Return the job that fills the space's current vector set with its own model."""
    space_row = spaces.get_open_space_row(space)
    job = queue.enqueue(
        space,
        ChangeEmbedding(space_row.embedding_model, space_row.embedding_dimensions, space_row.vector_set),
    )
    return JobId(job.id)
