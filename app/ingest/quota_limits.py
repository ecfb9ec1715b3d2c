"""Limits for a document: chunks and nodes within its tenant's quota, and a maximum number of nodes of its
own.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from app.db.session import SpaceSession
from app.errors import CitegraphError, InvalidInput
from app.graph.names import normalise_name
from app.graph.write import graph_writer
from app.ids import DocumentId
from app.ingest.extraction_passes import ExtractedDocuments
from app.ingest.read_document import ReadDocument
from app.tenancy.tenants.quotas import QuotaUsage

RefusedDocuments = list[tuple[DocumentId, CitegraphError]]


class QuotaSplit(NamedTuple):
    """Documents whose new chunks fit the quota, and the others with their error."""

    fitting_documents: list[ReadDocument]
    refusals: RefusedDocuments


def split_documents_by_room_in_quota(
    documents: Sequence[ReadDocument], quota_usage: QuotaUsage
) -> QuotaSplit:
    """Return the documents whose new chunks fit the tenant's quota, in order, and the others with their
    error.

    A document that does not grow always fits the chunk quota.
    """
    fitting_documents: list[ReadDocument] = []
    refusals: RefusedDocuments = []
    remaining_chunk_count = quota_usage.compute_remaining("chunks")
    has_no_room_for_nodes = quota_usage.compute_remaining("nodes") <= 0
    for document in documents:
        added_chunk_count = len(document.new_chunk_ids) - len(document.removed_chunk_ids)
        if added_chunk_count > max(remaining_chunk_count, 0):
            error = quota_usage.build_quota_exceeded_error("chunks", added_chunk_count)
            refusals.append((document.source.id, error))
        elif has_no_room_for_nodes and any(chunk.is_wanted for chunk in document.chunks):
            refusals.append((document.source.id, quota_usage.build_quota_exceeded_error("nodes")))
        else:
            fitting_documents.append(document)
            remaining_chunk_count -= added_chunk_count
    return QuotaSplit(fitting_documents, refusals)


@dataclass
class NodeBound:
    """The number of nodes that each large document has named so far; the maximum is `max_nodes`.

    `open_space` opens the space for one short transaction.
    """

    max_nodes: int
    open_space: Callable[[], AbstractContextManager[SpaceSession]]
    _names_by_document: dict[DocumentId, set[str]] = field(default_factory=dict)
    _stored_counts: dict[DocumentId, int] = field(default_factory=dict)

    def count_names_and_find_documents_beyond_bound(
        self, documents: Sequence[ReadDocument], extractions: Sequence[ExtractedDocuments]
    ) -> RefusedDocuments:
        """Count the new names and return the documents that now name too many nodes, with their error."""
        document_by_chunk_id = {chunk.id: document for document in documents for chunk in document.chunks}
        for extraction in extractions:
            for candidate in extraction.candidates:
                document_id = document_by_chunk_id[candidate.chunk_id].source.id
                self._names_by_document.setdefault(document_id, set()).add(
                    normalise_name(candidate.entity.name)
                )
        return [
            (
                document.source.id,
                InvalidInput(
                    f"The document names more than {self.max_nodes:,} nodes: split it.", code="too_many_nodes"
                ),
            )
            for document in documents
            if self._recount_and_check_too_many_nodes(document)
        ]

    def _recount_and_check_too_many_nodes(self, document: ReadDocument) -> bool:
        document_id = document.source.id
        names = self._names_by_document.setdefault(document_id, set())
        if document_id not in self._stored_counts:
            # An earlier lease of the job, or an earlier version of the document, may have stored nodes.
            is_resumed = any(not chunk.is_wanted for chunk in document.chunks)
            self._stored_counts[document_id] = self._count_stored_nodes(document_id) if is_resumed else 0
        if self._stored_counts[document_id] + len(names) <= self.max_nodes:
            return False
        if self._stored_counts[document_id] == 0:
            return True
        # Some of the names may belong to stored nodes: count the stored nodes again, without duplicates.
        names.clear()
        self._stored_counts[document_id] = self._count_stored_nodes(document_id)
        return self._stored_counts[document_id] >= self.max_nodes

    def _count_stored_nodes(self, document_id: DocumentId) -> int:
        with self.open_space() as space:
            return graph_writer.count_nodes_of_document(space, document_id)


class AcceptedDocuments(NamedTuple):
    """Documents that were not refused, and what was extracted from them."""

    documents: list[ReadDocument]
    extractions: list[ExtractedDocuments]


def drop_refused_documents(
    documents: Sequence[ReadDocument],
    extractions: Sequence[ExtractedDocuments],
    refused_ids: Collection[DocumentId],
) -> AcceptedDocuments:
    """Return the documents and extractions without the documents of `refused_ids`."""
    if not refused_ids:
        return AcceptedDocuments(list(documents), list(extractions))
    remaining_documents = [document for document in documents if document.source.id not in refused_ids]
    chunk_ids: set[object] = {chunk.id for document in remaining_documents for chunk in document.chunks}
    return AcceptedDocuments(
        remaining_documents,
        [
            replace(
                extraction,
                candidates=[
                    candidate for candidate in extraction.candidates if candidate.chunk_id in chunk_ids
                ],
                edges=[edge for edge in extraction.edges if edge.chunk_id in chunk_ids],
                failures=[failure for failure in extraction.failures if failure.chunk_id in chunk_ids],
            )
            for extraction in extractions
        ],
    )
