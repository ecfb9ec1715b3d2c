"""The extractor that calls a model: pass 1 for batches of chunks, pass 2 for chunks with two or more
entities.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from app.domain.table_headers import find_table_header_in_headings, remove_table_header_from_headings
from app.extraction.drop_reasons import NOT_CHECKED
from app.extraction.grounding import MAX_ENTITIES, MAX_RELATIONS, GroundedRelation
from app.extraction.llm.answered_extractor import AnsweredExtractor, list_entity_labels
from app.extraction.llm.attribute_pass import ask_attributes_of_chunks
from app.extraction.llm.claim_check import (
    ClaimQuestion,
    keep_confirmed_claims,
    limit_answer_size,
    list_claim_questions,
    parse_verdicts_by_claim,
)
from app.extraction.llm.control_claims import (
    are_control_claims_judged_rightly,
    list_control_questions,
    render_control_passage,
)
from app.extraction.sense_detection import MAX_SENSE_LENGTH
from app.extraction.shapes import ChunkFailure, ChunkText, FoundEntity, FoundRelation, Vocabulary
from app.graph.names import MAX_NAME_BYTES
from app.ids import ChunkId, DocumentId, TenantId
from app.llm.call_records import Answer, AnswerStore
from app.llm.client import ModelClient
from app.llm.errors import ModelRefused, ModelUnavailable
from app.llm.model_calls.asker import DEFAULT_CALL_SIZE, Asker, CallSize
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import claim_check as claim_check_prompt
from app.llm.prompts import entities as entity_prompt
from app.llm.prompts import gleaning
from app.llm.prompts import relations as relation_prompt
from app.llm.prompts.claim_check import ClaimVerdict
from app.space_settings import ClaimCheck

_TURN_CHARACTERS = 240
# Maximum number of entries stored of one passage's answer; more are nonsense (docs/reliability.md, bad
# input 55).
_MAX_ANSWERS = 4 * max(MAX_ENTITIES, MAX_RELATIONS)
_MAX_ALIASES = 20
_MAX_QUOTE = 4_000
_MAX_DATE = 40


@runtime_checkable
class ClaimCheckingExtractor(Protocol):
    """An extractor that can ask a model about the claims of pass 2 once more."""

    def check_claims(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[Sequence[FoundEntity]],
        claims: Sequence[Sequence[GroundedRelation]],
        vocabulary: Vocabulary,
    ) -> list[tuple[GroundedRelation, ...]]:
        """Return the claims of each chunk without those that the model does not confirm."""
        ...


class ModelExtractor:
    """Both passes through a model, for one batch of a job. Answers are cached by chunk: a repeat is free.

    `failures` and `drop_counts` collect unread chunks and dropped entries; the caller clears them. Raises
    like ModelClient: Parked, ModelUnavailable, ModelRefused.
    """

    prompt_version = f"{entity_prompt.VERSION}+{relation_prompt.VERSION}"
    separates_homonyms = True
    reads_lone_names = True

    def __init__(
        self,
        client: ModelClient,
        answers: AnswerStore,
        *,
        tenant_id: TenantId,
        is_stop_requested: Callable[[], bool] = lambda: False,
        call_size: CallSize = DEFAULT_CALL_SIZE,
        mix_documents: bool = True,
        get_client: Callable[[str], ModelClient] | None = None,
    ) -> None:
        """Initialize; `get_client` returns the client of another model, by default of the same server.

        With `mix_documents=False` no call contains two documents.

        A document with instructions for the model then cannot falsify the results of another; many small
        documents need more calls.
        """
        self._mix_documents = mix_documents
        self._get_client = get_client or client.with_model
        self._one_thing = call_size.one_thing
        self.model = client.model
        self.failures: list[ChunkFailure] = []
        self.drop_counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._asker = Asker(client, answers, tenant_id, is_stop_requested, call_size.max_passages)
        self._turns_before_by_chunk: dict[ChunkId, tuple[str, ...]] = {}
        self._ended_chunk_ids: set[ChunkId] = set()

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """Return the entities of each chunk, in the order of `chunks`; () for an unwanted or quarantined
        one.
        """
        answered_extractor = self.ask_entities(chunks, vocabulary)
        entities_by_chunk = answered_extractor.extract_entities(chunks, vocabulary)
        self.drop_counts.update(answered_extractor.drop_counts)
        return (
            self.ask_attributes(chunks, entities_by_chunk, vocabulary)
            if vocabulary.attributes
            else entities_by_chunk
        )

    def ask_entities(self, chunks: Sequence[ChunkText], vocabulary: Vocabulary) -> AnsweredExtractor:
        """Call the model for the entities of the wanted chunks; return an extractor that parses the
        answers.
        """
        self._turns_before_by_chunk = _list_turns_before(chunks, vocabulary.turns_before)
        wanted_positions = [index for index, chunk in enumerate(chunks) if chunk.is_wanted]
        passages = [
            entity_prompt.render_passage(
                chunks[index].text,
                title=chunks[index].asked_title or chunks[index].document_title,
                heading_path=remove_table_header_from_headings(chunks[index].heading_path),
                texts_before=_list_turns_and_table_header(chunks[index], self._turns_before_by_chunk),
            )
            for index in wanted_positions
        ]
        prompt = entity_prompt.build_prompt(vocabulary.node_types)
        chunk_groups = self._list_document_groups([chunks[index] for index in wanted_positions])
        answers = self._asker.ask(
            prompt,
            passages,
            groups=chunk_groups,
            chunks=[chunks[index].id for index in wanted_positions],
            languages=[chunks[index].language for index in wanted_positions],
            normalise_answer=self._prepare_entities_for_storage,
        )
        entity_entries: dict[int, list[Any]] = {}
        for position, answer in enumerate(answers):
            if isinstance(answer, Fault):
                self._quarantine_chunk(chunks[wanted_positions[position]], answer)
            else:
                entity_entries[position] = list(answer["entities"])
                if answer.get("ended"):
                    self._ended_chunk_ids.add(chunks[wanted_positions[position]].id)
        self._ask_for_missed_entities(
            passages,
            [chunks[index].id for index in wanted_positions],
            chunk_groups,
            entity_entries,
            vocabulary,
        )
        answer_by_chunk = {
            chunks[wanted_positions[position]].id: entities for position, entities in entity_entries.items()
        }
        return AnsweredExtractor(self.model, self.prompt_version, entities=answer_by_chunk)

    def ask_attributes(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> list[tuple[FoundEntity, ...]]:
        """Return the entities of each chunk with the attributes from the model, not yet verified."""
        return ask_attributes_of_chunks(
            self._asker, chunks, entities, vocabulary, groups=self._list_document_groups(chunks)
        )

    def _ask_for_missed_entities(
        self,
        passages: Sequence[str],
        chunk_ids: Sequence[ChunkId],
        groups: Sequence[DocumentId] | None,
        entity_entries: Mapping[int, list[Any]],
        vocabulary: Vocabulary,
    ) -> None:
        """Call the model again for missed entities, as often as the space wants and as long as new ones are
        found.

        Adds to the entities by position of the passage. A failed call adds nothing and keeps the earlier
        entities.
        """
        prompt = gleaning.build_prompt(vocabulary.node_types)
        searched_indexes = list(entity_entries)
        for _ in range(vocabulary.gleanings):
            if not searched_indexes:
                return
            answers = self._asker.ask(
                prompt,
                [
                    gleaning.render_passage(
                        passages[index], known_names=[entity["name"] for entity in entity_entries[index]]
                    )
                    for index in searched_indexes
                ],
                groups=None if groups is None else [groups[index] for index in searched_indexes],
                chunks=[chunk_ids[index] for index in searched_indexes],
                normalise_answer=self._prepare_entities_for_storage,
            )
            gleaned_entities = {
                position: answer["entities"]
                for position, answer in zip(searched_indexes, answers, strict=True)
                if not isinstance(answer, Fault)
            }
            for position, entities in gleaned_entities.items():
                entity_entries[position].extend(entities)
            searched_indexes = [position for position, entities in gleaned_entities.items() if entities]

    def extract_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> list[tuple[FoundRelation, ...]]:
        """Return the relations of each chunk, in the order of `chunks`; () for a chunk with fewer than two
        entities.
        """
        answered_extractor = self.ask_relations(chunks, entities, vocabulary)
        relations_by_chunk = answered_extractor.extract_relations(chunks, entities, vocabulary)
        self.drop_counts.update(answered_extractor.drop_counts)
        return relations_by_chunk

    def ask_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> AnsweredExtractor:
        """Call the model for the relations of chunks with two or more entities, or with one that ended
        according to pass 1.

        Returns an extractor that parses the answers.
        """
        requested_lists = [
            (index, names)
            for index, (chunk, chunk_entities) in enumerate(zip(chunks, entities, strict=True))
            if chunk.is_wanted
            for names in self._build_name_lists_to_ask_about(chunk, list_entity_labels(chunk_entities))
        ]
        asked_chunks = [chunks[index] for index, _ in requested_lists]
        passages = [
            relation_prompt.render_passage(self._render_located_text(chunks[index]), names=names)
            for index, names in requested_lists
        ]
        prompt = relation_prompt.build_prompt(
            vocabulary.relation_types,
            open_relations=vocabulary.open_relations,
            is_about_first_name=self._one_thing,
        )
        answers = self._asker.ask(
            prompt,
            passages,
            groups=self._list_document_groups(asked_chunks),
            chunks=[chunk.id for chunk in asked_chunks],
            languages=[chunk.language for chunk in asked_chunks],
            normalise_answer=self._prepare_relations_for_storage,
        )
        stated_relations: dict[ChunkId, list[Any]] = {}
        faults: dict[ChunkId, Fault] = {}
        for chunk, answer in zip(asked_chunks, answers, strict=True):
            if isinstance(answer, Fault):
                faults.setdefault(chunk.id, answer)
            else:
                stated_relations.setdefault(chunk.id, []).extend(answer["relations"])
        for chunk in chunks:
            if chunk.id in faults:
                self._quarantine_chunk(chunk, faults[chunk.id])
        answer_by_chunk: dict[ChunkId, Answer] = {
            chunk_id: {"relations": relations} for chunk_id, relations in stated_relations.items()
        }
        return AnsweredExtractor(self.model, self.prompt_version, relations=answer_by_chunk)

    def check_claims(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[Sequence[FoundEntity]],
        claims: Sequence[Sequence[GroundedRelation]],
        vocabulary: Vocabulary,
    ) -> list[tuple[GroundedRelation, ...]]:
        """Return the claims of each chunk without those that the model does not confirm when asked again.

        A chunk whose verdicts cannot be read loses the claims that were asked about, and is quarantined.
        """
        if vocabulary.claim_check is ClaimCheck.OFF:
            return list(map(tuple, claims))
        question_batches = [
            (chunk_index, asked_questions)
            for chunk_index, (chunk_entities, chunk_claims) in enumerate(zip(entities, claims, strict=True))
            for asked_questions in self._group_questions_for_calls(
                list_claim_questions(chunk_claims, list_entity_labels(chunk_entities), vocabulary.claim_check)
            )
        ]
        asker = self._build_asker_for_claims(vocabulary)
        if (
            question_batches
            and vocabulary.claim_check is ClaimCheck.AUTO
            and not self._judges_control_claims(asker)
        ):
            self._count_drops(
                NOT_CHECKED, sum(len(asked_questions) for _, asked_questions in question_batches)
            )
            return list(map(tuple, claims))
        asked_chunks = [chunks[chunk_index] for chunk_index, _ in question_batches]
        answers = asker.ask(
            claim_check_prompt.PROMPT,
            [
                claim_check_prompt.render_passage(
                    [question.sentence for question in asked_questions], self._render_located_text(chunk)
                )
                for chunk, (_, asked_questions) in zip(asked_chunks, question_batches, strict=True)
            ],
            groups=self._list_document_groups(asked_chunks),
            chunks=[chunk.id for chunk in asked_chunks],
            normalise_answer=limit_answer_size,
        )
        verdicts_by_chunk: dict[int, dict[int, ClaimVerdict | None]] = {}
        fault_by_chunk: dict[int, Fault] = {}
        for (chunk_index, asked_questions), answer in zip(question_batches, answers, strict=True):
            if isinstance(answer, Fault):
                fault_by_chunk.setdefault(chunk_index, answer)
            verdicts_by_chunk.setdefault(chunk_index, {}).update(
                parse_verdicts_by_claim(asked_questions, answer)
            )
        for chunk_index, fault in fault_by_chunk.items():
            self._quarantine_chunk(chunks[chunk_index], fault)
        checked_claims = [
            keep_confirmed_claims(chunk_claims, verdicts_by_chunk.get(chunk_index, {}))
            for chunk_index, chunk_claims in enumerate(claims)
        ]
        for checked_claim in checked_claims:
            self.drop_counts.update(checked_claim.drop_counts)
        return [checked_claim.claims for checked_claim in checked_claims]

    def _judges_control_claims(self, asker: Asker) -> bool:
        """Return whether the model judges the control claims rightly; the space pays for its answer once.

        A server that fails at this question alone is no reason to wait: False.
        """
        client, purpose = asker.client, claim_check_prompt.PROMPT.purpose
        if not client.features.may_be_asked(client.model, purpose):
            return False
        questions = list_control_questions(one_thing=self._one_thing)
        passages = list(map(render_control_passage, questions))
        answers: list[Answer | Fault]
        try:
            answers = replace(asker, client=client.create_for_probe()).ask(
                claim_check_prompt.PROMPT, passages, normalise_answer=limit_answer_size
            )
        except (ModelUnavailable, ModelRefused) as error:
            if isinstance(error, ModelRefused) and error.concerns_every_call:
                raise
            answers = [Fault(error.code, error.message)] * len(questions)
        if any(isinstance(answer, Fault) for answer in answers):
            # Such an answer is not stored, so every batch would pay for it again.
            client.features.mark_unanswered(client.model, purpose)
        return are_control_claims_judged_rightly(questions, answers)

    def _group_questions_for_calls(self, questions: Sequence[ClaimQuestion]) -> list[Sequence[ClaimQuestion]]:
        """Return the claims of a chunk as they are asked about: together, or one by one."""
        if self._one_thing:
            return [[question] for question in questions]
        return [questions] if questions else []

    def _build_asker_for_claims(self, vocabulary: Vocabulary) -> Asker:
        if vocabulary.claim_check_model is None:
            return self._asker
        return replace(self._asker, client=self._get_client(vocabulary.claim_check_model))

    def _render_located_text(self, chunk: ChunkText) -> str:
        return relation_prompt.render_located_text(
            chunk.text,
            title=chunk.asked_title or chunk.document_title,
            heading_path=remove_table_header_from_headings(chunk.heading_path),
            dated_at=chunk.dated_at,
            texts_before=_list_turns_and_table_header(chunk, self._turns_before_by_chunk),
        )

    def _build_name_lists_to_ask_about(self, chunk: ChunkText, names: Sequence[str]) -> list[Sequence[str]]:
        """Return the lists of names for pass 2, one passage each; [] if nothing can be stated.

        Either all names together, or for each name a list with it first and the later ones after it: every
        pair once.
        """
        min_names = 1 if chunk.id in self._ended_chunk_ids else 2
        if not self._one_thing:
            return [names] if len(names) >= min_names else []
        return [names[first_index:] for first_index in range(len(names) - min_names + 1)]

    def _list_document_groups(self, chunks: Sequence[ChunkText]) -> list[DocumentId] | None:
        return None if self._mix_documents else [chunk.document_id for chunk in chunks]

    def _quarantine_chunk(self, chunk: ChunkText, fault: Fault) -> None:
        self.failures.append(ChunkFailure(chunk.id, fault.code, fault.message))

    def _prepare_entities_for_storage(self, answer: Mapping[str, Any]) -> Answer:
        """Return the part of the answer to store: a bounded number of acceptable names."""
        named_entities = [
            candidate for candidate in answer["entities"] if len(candidate["name"]) <= MAX_NAME_BYTES
        ][:_MAX_ANSWERS]
        self._count_drops("over_cap", len(answer["entities"]) - len(named_entities))
        self._count_drops("malformed", answer.get("malformed", 0))
        for entity in named_entities:
            entity["sense"] = entity.get("sense", "")[:MAX_SENSE_LENGTH]
            entity["aliases"] = [name for name in entity["aliases"] if len(name) <= MAX_NAME_BYTES][
                :_MAX_ALIASES
            ]
        return {"entities": named_entities, "ended": answer.get("ended", False)}

    def _prepare_relations_for_storage(self, answer: Mapping[str, Any]) -> Answer:
        relations = [
            relation
            for relation in answer["relations"]
            if len(relation["quote"]) <= _MAX_QUOTE
            and max(len(relation[name] or "") for name in ("polarity", "valid_from", "valid_to")) <= _MAX_DATE
            and max(len(relation["from"]), len(relation["to"]), len(relation["relation"]))
            <= MAX_NAME_BYTES + 64
            and max(map(len, relation_prompt.list_quoted_words(relation))) <= _MAX_QUOTE
            and len(relation.get("role") or "") <= MAX_NAME_BYTES
        ][:_MAX_ANSWERS]
        self._count_drops("over_cap", len(answer["relations"]) - len(relations))
        self._count_drops("malformed", answer.get("malformed", 0))
        return {"relations": relations}

    def _count_drops(self, reason: str, dropped_count: int) -> None:
        # Called from the threads that call the model.
        if dropped_count:
            with self._lock:
                self.drop_counts[reason] += dropped_count


def _list_turns_and_table_header(
    chunk: ChunkText, turns: Mapping[ChunkId, tuple[str, ...]]
) -> tuple[str, ...]:
    """Return the context shown before the chunk but not extracted: earlier turns, a table's header."""
    return tuple(filter(None, (*turns.get(chunk.id, ()), find_table_header_in_headings(chunk.heading_path))))


def _list_turns_before(chunks: Sequence[ChunkText], limit: int) -> dict[ChunkId, tuple[str, ...]]:
    """Return the texts of the `limit` chunks before each conversation turn, each cut to 240 characters."""
    turns_before: dict[ChunkId, tuple[str, ...]] = {}
    turns: list[str] = []
    document: DocumentId | None = None
    for chunk in chunks:
        if chunk.document_id != document:
            document, turns = chunk.document_id, []
        if chunk.speaker is not None:
            turns_before[chunk.id] = tuple(turns[max(0, len(turns) - limit) :])
            turns.append(chunk.text[:_TURN_CHARACTERS])
    return turns_before
