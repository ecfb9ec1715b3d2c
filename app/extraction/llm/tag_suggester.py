"""Suggests tags for nodes, by rules or by a model in batches (requirement 11.1).

Reads and writes are short transactions; none is open while the model is called.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from app.db.database import Database
from app.errors import Conflict, NotFound
from app.extraction.rules.tags import TermUsage, list_tag_candidates
from app.graph.tags import tag_material
from app.graph.tags.suggestions import Origin, Suggestion, TagFact, TagMaterial
from app.graph.tags.tag_choice import MAX_TAG_LENGTH, normalise_tag
from app.ids import ChunkId, JobId, NodeId, SpaceId, TenantId
from app.llm.call_records import Answer
from app.llm.client import ModelClient
from app.llm.errors import BudgetExhausted, ModelRefused, ModelUnavailable, Parked
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import tags as prompt
from app.llm.prompts.shapes import QuotedClaim
from app.settings import Settings

MAX_QUOTE_LENGTH = 200
MAX_WORDS = 3
"""Maximum number of words of a tag, joined by hyphens; more words are a sentence."""
NODES_AT_ONCE = 100
"""Number of nodes tagged at once, so that no transaction grows with an ingest."""
_MODEL_ERRORS = (BudgetExhausted, ModelRefused, ModelUnavailable, Parked)


@dataclass(frozen=True, slots=True)
class Suggestions:
    """The suggestions for each node, in the requested order; `warnings` say why rules replaced the model."""

    items: tuple[Suggestion, ...]
    warnings: tuple[str, ...] = ()


class TagSuggester:
    """Suggests with the model if there is one, else by rules."""

    def __init__(self, database: Database, settings: Settings, client: ModelClient | None = None) -> None:
        self._database = database
        self._settings = settings
        self._client = client

    def suggest_tags(
        self,
        tenant_id: TenantId,
        space_id: SpaceId,
        node_ids: Sequence[NodeId] | None = None,
        *,
        origin: Origin | None = None,
        limit: int = 50,
        job_id: JobId | None = None,
    ) -> Suggestions:
        """Return tags for these nodes, or for the `limit` most mentioned ones. Writes nothing.

        `origin` is rules or the model; by default the model if there is one. If the model fails, or an answer
        for a node cannot be used, rules replace it. The cost is charged to `job_id`, if given. Raises
        NotFound, InvalidInput, and Conflict `no_model`.
        """
        if origin is Origin.MODEL and self._client is None:
            raise Conflict("No model is set up: rules can suggest tags.", code="no_model")
        with self._database.open_space(tenant_id, space_id) as space:
            materials = tag_material.build_tag_material_of_nodes(space, node_ids, limit=limit)
        model_tags: dict[NodeId, Sequence[str]] = {}
        warnings = []
        if self._client is not None and origin is not Origin.RULES:
            try:
                model_tags = self._ask_model_for_tags(self._client, tenant_id, space_id, materials, job_id)
            except _MODEL_ERRORS as error:
                warnings.append(f"Rules suggest the tags: {error.message}")
            else:
                failed_count = len(materials) - len(model_tags)
                if failed_count:
                    warnings.append(
                        f"Rules suggest the tags of {failed_count:,} nodes: the answers were of no use."
                    )
        with self._database.open_space(tenant_id, space_id) as space:
            usage = TermUsage(
                tag_material.list_newest_facts(space) if len(model_tags) < len(materials) else ()
            )
            offered_tags = [
                (
                    tag_material.TagCandidates(material, model_tags[material.node_id], Origin.MODEL)
                    if material.node_id in model_tags
                    else tag_material.TagCandidates(
                        material, list_tag_candidates(material, usage), Origin.RULES
                    )
                )
                for material in materials
            ]
            return Suggestions(tuple(tag_material.choose_suggestions(space, offered_tags)), tuple(warnings))

    def tag_chunks(
        self,
        tenant_id: TenantId,
        space_id: SpaceId,
        chunk_ids: Sequence[ChunkId],
        *,
        origin: Origin | None,
        job_id: JobId | None = None,
    ) -> int:
        """Tag the nodes with claims that these chunks name; return the number of nodes with tags.

        Earlier suggestions are replaced and tags set by a person are kept, so that the call may be repeated.
        Nodes deleted meanwhile are skipped.
        """
        with self._database.open_space(tenant_id, space_id) as space:
            nodes = tag_material.list_mentioned_nodes_with_claims(space, chunk_ids)
        tagged_count = 0
        for begin in range(0, len(nodes), NODES_AT_ONCE):
            batch = nodes[begin : begin + NODES_AT_ONCE]
            with suppress(NotFound):
                suggestions = self.suggest_tags(tenant_id, space_id, batch, origin=origin, job_id=job_id)
                applied_tags = self.apply_suggestions(tenant_id, space_id, suggestions.items)
                tagged_count += sum(bool(tags) for tags in applied_tags.values())
        return tagged_count

    def apply_suggestions(
        self,
        tenant_id: TenantId,
        space_id: SpaceId,
        suggestions: Sequence[Suggestion],
        *,
        overwrite: bool = False,
    ) -> Mapping[NodeId, list[str]]:
        """Write the suggested tags; return all tags of each node.

        Tags set by a person come first and are kept unless `overwrite`; earlier suggestions are replaced;
        deleted nodes are omitted.
        """
        with self._database.open_space(tenant_id, space_id) as space:
            return tag_material.replace_suggested_tags(space, suggestions, overwrite=overwrite)

    def _ask_model_for_tags(
        self,
        client: ModelClient,
        tenant_id: TenantId,
        space_id: SpaceId,
        materials: Sequence[TagMaterial],
        job_id: JobId | None,
    ) -> dict[NodeId, Sequence[str]]:
        answers = DatabaseAnswerStore(self._database, tenant_id=tenant_id, space_id=space_id, job_id=job_id)
        responses = Asker(client, answers, tenant_id).ask(
            prompt.PROMPT,
            [_format_question(material) for material in materials],
            normalise_answer=clean_tags_of_answer,
        )
        return {
            material.node_id: answer["tags"]
            for material, answer in zip(materials, responses, strict=True)
            if not isinstance(answer, Fault) and answer["tags"]
        }


def clean_tags_of_answer(answer: Mapping[str, Any]) -> Answer:
    """Return the possible tags in a model's answer: at most eight short terms, in stored form."""
    tags: dict[str, None] = {}
    for text in answer["tags"]:
        tag = normalise_tag(text)
        if tag and len(text.strip()) <= MAX_TAG_LENGTH and len(text.split()) <= MAX_WORDS:
            tags.setdefault(tag)
    return {"tags": list(tags)[: prompt.MAX_TAGS]}


def _format_question(material: TagMaterial) -> str:
    return prompt.render_passage(
        material.canonical_name,
        material.node_type,
        aliases=material.aliases,
        facts=[
            QuotedClaim(_format_claim(material, fact), (fact.quote or "")[:MAX_QUOTE_LENGTH])
            for fact in material.facts
        ],
    )


def _format_claim(material: TagMaterial, fact: TagFact) -> str:
    ends = (material.canonical_name, fact.other_name)
    start, end = ends if fact.outgoing else ends[::-1]
    return f"{start} {fact.relation_type.replace('_', ' ')} {end}"
