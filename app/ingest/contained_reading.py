"""Run extraction on chunks in a sandbox, within time limits, so that a failure affects only its chunk.

The chunks of a document are read together, so that a short name is linked to the full name in an earlier
chunk. If that raises, crashes or takes too long, each chunk is read by itself; only chunks that fail alone
are quarantined. The second pass reads each chunk by itself anyway.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import structlog

from app.extraction.chunk_extraction import (
    ChunkAndEntities,
    ChunkEntities,
    Entities,
    ExtractorAndVocabulary,
    RelationsAndPhrases,
    extract_grounded_entities,
    extract_grounded_statements,
    keep_stated_attributes,
)
from app.extraction.shapes import ChunkFailure, ChunkText
from app.ids import ChunkId, DocumentId
from app.sandbox.process_sandbox import Session, do_nothing
from app.sandbox.shapes import Fault, FaultKind

log = structlog.get_logger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")

READ_APART = "read_apart"
"""Counter of documents whose chunks could not be read together."""
# Minimum speed; rules usually read ten times as many characters per CPU second.
_SLOWEST_CHARACTERS_A_SECOND = 16_000
_TIME_FAULT = Fault(FaultKind.TIME, "document_too_slow")


class _ErrorDescription(NamedTuple):
    """An error code and its message, for the job's list of errors."""

    code: str
    message: str


@dataclass
class ChunkReader:
    """Reads chunks in one sandbox session, and appends those that could not be read to `failures`.

    One chunk may take `chunk_seconds` of CPU time. The chunks of one document that exceed this may take
    `document_seconds` together; the remaining chunks are then not tried. A chunk whose process ended is read
    once more: the process may have been killed from outside.
    """

    session: Session
    chunk_seconds: int
    document_seconds: int
    while_waiting: Callable[[], None] = do_nothing
    failures: list[ChunkFailure] = field(default_factory=list)
    drop_counts: Counter[str] = field(default_factory=Counter)
    _lost_seconds: Counter[DocumentId] = field(default_factory=Counter)
    _crashed_chunk_ids: set[ChunkId] = field(default_factory=set)

    def extract_entities(
        self, extractor_and_vocabulary: ExtractorAndVocabulary, documents: Sequence[Sequence[ChunkText]]
    ) -> list[ChunkEntities]:
        """Return the entities of each document's chunks (pass 1); a failed chunk has none."""
        results = list(
            self.session.map(
                extract_grounded_entities,
                extractor_and_vocabulary,
                [(tuple(chunks), self._compute_time_limit_seconds(chunks)) for chunks in documents],
                while_waiting=self.while_waiting,
            )
        )
        chunk_entities_by_document = []
        for chunks, result in zip(documents, results, strict=True):
            if isinstance(result, Fault):
                result = self._read_chunks_apart_or_quarantine(extractor_and_vocabulary, chunks, result)
            self.drop_counts.update(result.drop_counts)
            chunk_entities_by_document.append(result)
        return chunk_entities_by_document

    def _read_chunks_apart_or_quarantine(
        self, extractor_and_vocabulary: ExtractorAndVocabulary, chunks: Sequence[ChunkText], fault: Fault
    ) -> ChunkEntities:
        wanted_chunks = [chunk for chunk in chunks if chunk.is_wanted]
        if len(chunks) == 1 and wanted_chunks and fault.kind is not FaultKind.CRASH:
            self._quarantine_chunk(chunks[0], fault)
            results: list[ChunkEntities | None] = [None]
        else:
            log.warning(
                "chunks_read_apart", document=str(chunks[0].document_id), kind=fault.kind, trace=fault.trace
            )
            self.drop_counts[READ_APART] += 1
            results = self._run_for_each_chunk(
                extract_grounded_entities,
                extractor_and_vocabulary,
                [(chunk, (chunk,)) for chunk in wanted_chunks],
            )
        result_by_chunk_id = dict(zip((chunk.id for chunk in wanted_chunks), results, strict=True))
        entities: list[Entities] = []
        titular_flags: list[tuple[bool, ...]] = []
        drop_counts: Counter[str] = Counter()
        for chunk in chunks:
            result = result_by_chunk_id.get(chunk.id)
            entities.append(result.entities[0] if result else ())
            titular_flags.append(result.titular_flags[0] if result else ())
            drop_counts.update(result.drop_counts if result else ())
        return ChunkEntities(tuple(entities), tuple(titular_flags), drop_counts)

    def extract_attributes(
        self,
        extractor_and_vocabulary: ExtractorAndVocabulary,
        chunks: Sequence[ChunkText],
        entities: Sequence[Entities],
    ) -> list[Entities]:
        """Return the entities of each chunk with the attributes that the chunk states; without any for a
        failed chunk.
        """
        results = self._read_each_chunk_and_count_drops(
            keep_stated_attributes, extractor_and_vocabulary, chunks, entities
        )
        return [
            _remove_attributes(chunk_entities) if result is None else result
            for chunk_entities, result in zip(entities, results, strict=True)
        ]

    def extract_statements(
        self,
        extractor_and_vocabulary: ExtractorAndVocabulary,
        chunks: Sequence[ChunkText],
        entities: Sequence[Entities],
    ) -> list[RelationsAndPhrases]:
        """Return the statements of each chunk (pass 2); a failed chunk has none."""
        return [
            result or ((), ())
            for result in self._read_each_chunk_and_count_drops(
                extract_grounded_statements, extractor_and_vocabulary, chunks, entities
            )
        ]

    def _read_each_chunk_and_count_drops(
        self,
        read_chunk: Callable[[ExtractorAndVocabulary, ChunkAndEntities], tuple[Result, Counter[str]]],
        extractor_and_vocabulary: ExtractorAndVocabulary,
        chunks: Sequence[ChunkText],
        entities: Sequence[Entities],
    ) -> list[Result | None]:
        chunks_and_arguments = [
            (chunk, (chunk, chunk_entities)) for chunk, chunk_entities in zip(chunks, entities, strict=True)
        ]
        results = self._run_for_each_chunk(read_chunk, extractor_and_vocabulary, chunks_and_arguments)
        chunk_results: list[Result | None] = []
        for result in results:
            chunk_result, drop_counts = result or (None, Counter[str]())
            self.drop_counts.update(drop_counts)
            chunk_results.append(chunk_result)
        return chunk_results

    def _run_for_each_chunk(
        self,
        read_chunk: Callable[[ExtractorAndVocabulary, Item], Result],
        extractor_and_vocabulary: ExtractorAndVocabulary,
        chunks_and_arguments: Sequence[tuple[ChunkText, Item]],
    ) -> list[Result | None]:
        """Return `read_chunk` of each chunk; None for a chunk that was quarantined."""
        results: list[Result | None] = []
        while len(results) < len(chunks_and_arguments):
            remaining_chunks_and_arguments = chunks_and_arguments[len(results) :]
            next_chunk, _ = remaining_chunks_and_arguments[0]
            if self._is_document_time_spent(next_chunk):
                self._quarantine_chunk(next_chunk, _TIME_FAULT)
                results.append(None)
                continue
            fresh_results = self.session.map(
                read_chunk,
                extractor_and_vocabulary,
                [
                    (chunk_argument, self.chunk_seconds)
                    for _, chunk_argument in remaining_chunks_and_arguments
                ],
                while_waiting=self.while_waiting,
            )
            with closing(fresh_results):
                for (chunk, _), result in zip(remaining_chunks_and_arguments, fresh_results, strict=True):
                    if not isinstance(result, Fault):
                        results.append(result)
                        continue
                    if result.kind is FaultKind.CRASH and chunk.id not in self._crashed_chunk_ids:
                        self._crashed_chunk_ids.add(chunk.id)
                        break
                    self._quarantine_chunk(chunk, result)
                    results.append(None)
                    if result.kind is FaultKind.TIME:
                        self._lost_seconds[chunk.document_id] += self.chunk_seconds
                        break
        return results

    def _compute_time_limit_seconds(self, chunks: Sequence[ChunkText]) -> int:
        character_count = sum(len(chunk.text) for chunk in chunks)
        return self.chunk_seconds + character_count // _SLOWEST_CHARACTERS_A_SECOND

    def _is_document_time_spent(self, chunk: ChunkText) -> bool:
        return self._lost_seconds[chunk.document_id] >= self.document_seconds

    def _quarantine_chunk(self, chunk: ChunkText, fault: Fault) -> None:
        code, message = self._describe_fault(fault)
        log.warning(
            "chunk_quarantined",
            chunk=str(chunk.id),
            document=str(chunk.document_id),
            code=code,
            trace=fault.trace,
        )
        self.failures.append(ChunkFailure(chunk.id, code, message))

    def _describe_fault(self, fault: Fault) -> _ErrorDescription:
        """Return the error code and the message for the job's list of errors."""
        if fault is _TIME_FAULT:
            return _ErrorDescription(
                fault.code,
                f"It was not tried: other chunks of its document had taken {self.document_seconds} seconds of"
                " processor in vain.",
            )
        match fault.kind:
            case FaultKind.TIME:
                return _ErrorDescription(
                    "chunk_timeout",
                    f"Drawing a graph of it took longer than {self.chunk_seconds} seconds of processor.",
                )
            case FaultKind.MEMORY:
                return _ErrorDescription(
                    "chunk_out_of_memory", "Drawing a graph of it needs more memory than it may take."
                )
            case FaultKind.CRASH:
                return _ErrorDescription(
                    "chunk_crashed", "Drawing a graph of it ended the process that did so."
                )
            case FaultKind.RAISED:
                return _ErrorDescription(
                    "unreadable_chunk", "Drawing a graph of it failed by a fault of ours; the log has it."
                )
        return _ErrorDescription(fault.code, fault.message)


def _remove_attributes(entities: Entities) -> Entities:
    return tuple(replace(entity, attributes=()) for entity in entities)
