"""The changes that a new version of a document would make, before it is submitted; writes nothing.

The changed chunks are known exactly, and so are the claims that lose their last evidence. The claims of new
chunks are known only if the space is read by rules; a model is not called.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.db.database import Database
from app.documents import service as documents
from app.documents.hashing import hash_content
from app.documents.shapes import RawDocument, StoredChunk, Submission
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.vocabulary import build_vocabulary
from app.graph import chunk_contents
from app.graph.names import normalise_name
from app.graph.shapes import RestingClaim
from app.graph.validity import Polarity
from app.ids import ChunkId, DocumentId, SpaceId, TenantId
from app.ingest.contained_reading import ChunkReader
from app.ingest.extraction_passes import extract_documents
from app.ingest.parse_and_chunk import TextReader, parse_and_chunk_documents
from app.ingest.read_document import ReadDocument
from app.ingest.version_changes import ChangeKind, ChunkChange, Words, diff_chunks, diff_words
from app.llm.deadline import raise_if_abandoned
from app.llm.servers import get_reading_model
from app.sandbox.process_sandbox import Sandbox, Session
from app.settings import Settings
from app.space_settings import EffectiveSettings

MAX_SHOWN_CHANGES = 60
"""Maximum number of displayed pairs of chunks."""
MAX_CLAIMS = 200
MAX_CHUNKS_READ = 300
"""Maximum number of new chunks that rules read for a preview."""


@dataclass(frozen=True)
class ShownChange:
    """A pair of chunks with the words in which they differ; a run of equal chunks has none."""

    change: ChunkChange
    old: Sequence[Words] = ()
    new: Sequence[Words] = ()


@dataclass(frozen=True)
class NewClaim:
    """A claim that rules read in a new chunk."""

    from_name: str
    relation_type: str
    to_name: str
    quote: str
    confidence: float

    @property
    def claim_key(self) -> tuple[str, str, str]:
        """Return its ends and relation, comparable with those of stored claims."""
        return normalise_name(self.from_name), self.relation_type, normalise_name(self.to_name)


@dataclass(frozen=True)
class VersionPreview:
    """The difference that a new version would make: numbers of `unchanged`, `removed` and `added` chunks.

    Of `ending_claims`, the claims whose only evidence are removed chunks, those in `restated_claims` are
    stated again by the new text. `new_claims` are those that rules read in the new chunks; None if they were
    not read. `is_current` is True if the content equals the current version.
    """

    content_hash: str
    version: int
    is_current: bool
    unchanged: int = 0
    removed: int = 0
    added: int = 0
    shown_changes: Sequence[ShownChange] = ()
    hidden_changes: int = 0
    ending_claims: Sequence[RestingClaim] = ()
    restated_claims: frozenset[tuple[str, str, str]] = frozenset()
    new_claims: Sequence[NewClaim] | None = None

    def does_new_text_state(self, claim: RestingClaim) -> bool:
        """Return whether the new text states the claim too."""
        return build_key_of_stored_claim(claim) in self.restated_claims


class ClaimKey(NamedTuple):
    """The ends and relation of a claim, with normalised names."""

    from_name: str
    relation_type: str
    to_name: str


def build_key_of_stored_claim(claim: RestingClaim) -> ClaimKey:
    """Return the ends and relation of a stored claim, comparable with those of new claims."""
    return ClaimKey(normalise_name(claim.from_name), claim.relation_type, normalise_name(claim.to_name))


def preview_version(
    database: Database,
    tenant_id: TenantId,
    space_id: SpaceId,
    document_id: DocumentId,
    submission: Submission,
    settings: Settings,
    sandbox: Sandbox,
) -> VersionPreview:
    """Return the changes that the submission would make as the next version of the document.

    No transaction is open while it is parsed and read. Raises NotFound, and the error if it cannot be read.
    """
    content_hash = hash_content(submission.raw, submission.format)
    with database.open_space(tenant_id, space_id) as space:
        document = documents.get_document(space, document_id)
        space_settings = space.settings
        stored_chunks = documents.list_chunks_without_texts(space, document_id)
        version, is_current = (
            document.version,
            document.content_hash == content_hash and document.state != "failed",
        )
    if is_current:
        return VersionPreview(content_hash, version, True, unchanged=len(stored_chunks))
    with sandbox.open_session() as session:
        text_reader = TextReader(session, settings, space_settings.chunk_tokens, raise_if_abandoned)
        new_document = _read_submission(document_id, submission, stored_chunks, version, text_reader)
        claims = _mark_and_read_new_chunks(new_document, space_settings, settings, session)
    changes = diff_chunks([chunk.content_hash for chunk in stored_chunks], list(new_document.hashes.values()))
    visible_changes = [change for change in changes if change.kind is not ChangeKind.SAME]
    removed_ids = [
        stored_chunks[change.old_index].id for change in visible_changes if change.old_index is not None
    ]
    with database.open_space(tenant_id, space_id) as space:
        ending_claims = chunk_contents.list_claims_only_in_chunks(space, removed_ids, limit=MAX_CLAIMS)
        shown_chunk_ids = [
            stored_chunks[change.old_index].id
            for change in visible_changes[:MAX_SHOWN_CHANGES]
            if change.old_index is not None
        ]
        text_by_chunk_id = documents.get_chunk_texts(space, shown_chunk_ids)
    return VersionPreview(
        content_hash,
        version,
        False,
        unchanged=sum(change.count for change in changes if change.kind is ChangeKind.SAME),
        removed=len(removed_ids),
        added=sum(change.new_index is not None for change in visible_changes),
        shown_changes=_list_changes_to_show(changes, stored_chunks, text_by_chunk_id, new_document),
        hidden_changes=max(len(visible_changes) - MAX_SHOWN_CHANGES, 0),
        ending_claims=ending_claims,
        restated_claims=frozenset(claim.claim_key for claim in claims or ()),
        new_claims=claims,
    )


def _read_submission(
    document_id: DocumentId,
    submission: Submission,
    stored_chunks: Sequence[StoredChunk],
    version: int,
    text_reader: TextReader,
) -> ReadDocument:
    date = submission.metadata.get("date")
    source = RawDocument(
        document_id,
        submission.raw,
        submission.format,
        submission.title,
        submission.language,
        version,
        0,
        submission.source_uri or "",
        date if isinstance(date, str) else None,
    )
    parsed_documents, failures = parse_and_chunk_documents(
        [source], stored_chunks, text_reader, RulesExtractor()
    )
    if failures:
        raise failures[0][1]
    return parsed_documents[0]


def _list_changes_to_show(
    changes: Sequence[ChunkChange],
    stored_chunks: Sequence[StoredChunk],
    text_by_chunk_id: dict[ChunkId, str],
    document: ReadDocument,
) -> list[ShownChange]:
    drafts = list(document.drafts.values())
    shown_changes: list[ShownChange] = []
    compared_count = 0
    for change in changes:
        if change.kind is ChangeKind.SAME:
            shown_changes.append(ShownChange(change))
            continue
        compared_count += 1
        if compared_count > MAX_SHOWN_CHANGES:
            break
        # A chunk may have been deleted since it was listed.
        old_text = (
            "" if change.old_index is None else text_by_chunk_id.get(stored_chunks[change.old_index].id, "")
        )
        new_text = "" if change.new_index is None else drafts[change.new_index].text
        old_words, new_words = diff_words(old_text, new_text)
        shown_changes.append(ShownChange(change, old_words, new_words))
    return shown_changes


def _mark_and_read_new_chunks(
    document: ReadDocument, effective_settings: EffectiveSettings, settings: Settings, session: Session
) -> list[NewClaim] | None:
    """Return the claims that rules read in the new chunks; None if a model reads the space, or they are
    too many.
    """
    new_chunk_ids = set(document.new_chunk_ids)
    if (
        get_reading_model(settings, effective_settings.extraction_model) is not None
        or len(new_chunk_ids) > MAX_CHUNKS_READ
    ):
        return None
    for index, chunk in enumerate(document.chunks):
        # An unchanged chunk is only context for the next new one.
        document.chunks[index] = replace(chunk, is_wanted=chunk.id in new_chunk_ids)
    chunk_reader = ChunkReader(session, settings.chunk_seconds, settings.document_seconds, raise_if_abandoned)
    (extraction,) = extract_documents([document], build_vocabulary(effective_settings), chunk_reader)
    name_by_chunk_and_key = {
        (candidate.chunk_id, normalise_name(candidate.entity.name)): candidate.entity.name
        for candidate in extraction.candidates
    }
    claims = {
        (edge.from_name, edge.relation.relation_type, edge.to_name): NewClaim(
            name_by_chunk_and_key.get((edge.chunk_id, edge.from_name), edge.from_name),
            edge.relation.relation_type,
            name_by_chunk_and_key.get((edge.chunk_id, edge.to_name), edge.to_name),
            edge.relation.quote,
            edge.relation.confidence,
        )
        for edge in extraction.edges
        if edge.relation.polarity is Polarity.ASSERTED
    }
    return list(claims.values())[:MAX_CLAIMS]
