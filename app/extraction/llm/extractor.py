"""The extractor that asks a model: pass 1 for batches of chunks, pass 2 for chunks with two entities or
more.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.extraction.grounding import MAX_ENTITIES, MAX_RELATIONS, find_surfaces
from app.extraction.llm.attribute_pass import describe
from app.extraction.senses import LONGEST_SENSE, sense_label
from app.extraction.shapes import ChunkFailure, ChunkText, FoundEntity, FoundRelation, Surface, Vocabulary
from app.extraction.vocabulary import to_node_type
from app.graph.names import MAX_NAME_BYTES, acceptable_name, clean_name, normalise_name
from app.graph.validity import Polarity, stated_date
from app.ids import ChunkId, DocumentId, TenantId
from app.llm.answers import Answer, Answers
from app.llm.client import ModelClient
from app.model_calls.batching import MAX_PASSAGES, Asker, Fault, InFlight
from app.prompts import entities as entity_prompt
from app.prompts import gleaning
from app.prompts import relations as relation_prompt

_TURN_CHARACTERS = 240
# Entries of one passage that are kept of an answer; more is nonsense, and is not stored (bad input 55).
_MAX_KEPT = 4 * max(MAX_ENTITIES, MAX_RELATIONS)
_MAX_ALIASES = 20
_MAX_QUOTE = 4_000
_MAX_DATE = 40

_Named = tuple[str, tuple[Surface, ...]]
"""A name as it is shown, and where the chunk writes it."""


class ModelExtractor:
    """Both passes through a model, for one batch of a job. Answers are cached by chunk: a repeat costs
    nothing.

    `failures` and `drops` collect what could not be read and what was left out; the caller takes
    them. Raises what ModelClient raises: Parked, ModelUnavailable, ModelRefused.
    """

    prompt_version = f"{entity_prompt.VERSION}+{relation_prompt.VERSION}"
    separates_homonyms = True
    reads_lone_names = False

    def __init__(
        self,
        client: ModelClient,
        answers: Answers,
        *,
        tenant_id: TenantId,
        stop_requested: Callable[[], bool] = lambda: False,
        passages_per_call: int = MAX_PASSAGES,
        mix_documents: bool = True,
        in_flight: InFlight | None = None,
    ) -> None:
        """`passages_per_call` is a bound besides that on tokens. Extractors of one job share `in_flight`.

        `mix_documents=False` never shows two documents in one call: one that a model obeys can then say
        nothing false about the sentences of another, and many small ones cost more calls.
        """
        self._mix_documents = mix_documents
        self.model = client.model
        self.failures: list[ChunkFailure] = []
        self.drops: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._asker = Asker(
            client, answers, tenant_id, stop_requested, passages_per_call, in_flight or InFlight()
        )
        self._before: dict[ChunkId, tuple[str, ...]] = {}

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """The entities of each chunk, in the order of `chunks`; empty for one unwanted or quarantined."""
        self._before = _turns_before(chunks, vocabulary.turns_before)
        wanted = [place for place, chunk in enumerate(chunks) if chunk.wanted]
        passages = [
            entity_prompt.render_passage(
                chunks[place].text,
                title=chunks[place].asked_title or chunks[place].document_title,
                heading_path=chunks[place].heading_path,
                before=self._before.get(chunks[place].id, ()),
            )
            for place in wanted
        ]
        prompt = entity_prompt.prompt(vocabulary.node_types)
        groups = self._groups([chunks[place] for place in wanted])
        answers = self._asker.ask(
            prompt,
            passages,
            groups=groups,
            chunks=[chunks[place].id for place in wanted],
            tidy=self._tidy_entities,
        )
        named: dict[int, list[Any]] = {}
        for position, answer in enumerate(answers):
            if isinstance(answer, Fault):
                self._quarantine(chunks[wanted[position]], answer)
            else:
                named[position] = list(answer["entities"])
        self._glean(passages, [chunks[place].id for place in wanted], groups, named, vocabulary)
        result: list[tuple[FoundEntity, ...]] = [()] * len(chunks)
        for position, entities in named.items():
            chunk = chunks[wanted[position]]
            result[wanted[position]] = self._entities(chunk, entities, vocabulary)
        if not vocabulary.attributes:
            return result
        return describe(self._asker, chunks, result, vocabulary, groups=self._groups(chunks))

    def _glean(
        self,
        passages: Sequence[str],
        chunk_ids: Sequence[ChunkId],
        groups: Sequence[DocumentId] | None,
        named: Mapping[int, list[Any]],
        vocabulary: Vocabulary,
    ) -> None:
        """Look again for what was missed, as often as the space wants and as long as something is found.

        Adds to the entities by position of the passage. A look that goes wrong adds nothing: what was found
        stands.
        """
        prompt = gleaning.prompt(vocabulary.node_types)
        looking = list(named)
        for _ in range(vocabulary.gleanings):
            if not looking:
                return
            answers = self._asker.ask(
                prompt,
                [
                    gleaning.render_passage(passages[each], found=[entity["name"] for entity in named[each]])
                    for each in looking
                ],
                groups=None if groups is None else [groups[each] for each in looking],
                chunks=[chunk_ids[each] for each in looking],
                tidy=self._tidy_entities,
            )
            fresh = {
                position: answer["entities"]
                for position, answer in zip(looking, answers, strict=True)
                if not isinstance(answer, Fault)
            }
            for position, entities in fresh.items():
                named[position].extend(entities)
            looking = [position for position, entities in fresh.items() if entities]

    def extract_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> list[tuple[FoundRelation, ...]]:
        """The relations of each chunk, in the order of `chunks`; a chunk with fewer than two entities has
        none.
        """
        several = [
            place
            for place, (chunk, found) in enumerate(zip(chunks, entities, strict=True))
            if chunk.wanted and len(found) > 1
        ]
        passages = [
            relation_prompt.render_passage(
                chunks[place].text,
                names=labels(entities[place]),
                before=self._before.get(chunks[place].id, ()),
            )
            for place in several
        ]
        prompt = relation_prompt.prompt(vocabulary.relation_types, open_relations=vocabulary.open_relations)
        groups = self._groups([chunks[place] for place in several])
        answers = self._asker.ask(
            prompt,
            passages,
            groups=groups,
            chunks=[chunks[place].id for place in several],
            tidy=self._tidy_relations,
        )
        result: list[tuple[FoundRelation, ...]] = [()] * len(chunks)
        for place, answer in zip(several, answers, strict=True):
            if isinstance(answer, Fault):
                self._quarantine(chunks[place], answer)
            else:
                result[place] = self._relations(entities[place], answer)
        return result

    def _groups(self, chunks: Sequence[ChunkText]) -> list[DocumentId] | None:
        return None if self._mix_documents else [chunk.document_id for chunk in chunks]

    def _quarantine(self, chunk: ChunkText, fault: Fault) -> None:
        self.failures.append(ChunkFailure(chunk.id, fault.code, fault.message))

    def _tidy_entities(self, entry: Mapping[str, Any]) -> Answer:
        """The part worth storing: names that could be names, in bounded number."""
        kept = [each for each in entry["entities"] if len(each["name"]) <= MAX_NAME_BYTES][:_MAX_KEPT]
        self._count_over_cap(len(entry["entities"]) - len(kept))
        for each in kept:
            each["sense"] = each.get("sense", "")[:LONGEST_SENSE]
            each["aliases"] = [name for name in each["aliases"] if len(name) <= MAX_NAME_BYTES][:_MAX_ALIASES]
        return {"entities": kept}

    def _tidy_relations(self, entry: Mapping[str, Any]) -> Answer:
        kept = [
            each
            for each in entry["relations"]
            if len(each["quote"]) <= _MAX_QUOTE
            and max(len(each[name] or "") for name in ("polarity", "valid_from", "valid_to")) <= _MAX_DATE
            and max(len(each["from"]), len(each["to"]), len(each["relation"])) <= MAX_NAME_BYTES + 64
        ][:_MAX_KEPT]
        self._count_over_cap(len(entry["relations"]) - len(kept))
        return {"relations": kept}

    def _entities(
        self, chunk: ChunkText, answered: Sequence[Mapping[str, Any]], vocabulary: Vocabulary
    ) -> tuple[FoundEntity, ...]:
        """The answers' entities as far as the chunk names them, merged within the chunk (requirement 5.1)."""
        merged: dict[tuple[str, str], dict[str, _Named]] = {}
        senses: dict[tuple[str, str], set[str]] = {}
        for each in answered:
            node_type = to_node_type(each["type"], vocabulary)
            if node_type is None:
                self.drops["unknown_type"] += 1
                continue
            names: dict[str, _Named] = {}
            for name in (each["name"], *each["aliases"]):
                surfaces = find_surfaces(clean_name(name), chunk) if acceptable_name(name) else ()
                if surfaces:
                    names.setdefault(normalise_name(name), (clean_name(name), surfaces))
            if not names:
                self.drops["not_in_text"] += 1
                continue
            entity = merged.setdefault((next(iter(names)), node_type), {})
            senses.setdefault((next(iter(names)), node_type), set()).add(sense_label(each.get("sense", "")))
            for key, named in names.items():
                entity.setdefault(key, named)
        return tuple(
            # A chunk that says two senses of one name says none of which one could tell where it ends.
            _found(list(names.values()), key[1], sense=senses[key].pop() if len(senses[key]) == 1 else "")
            for key, names in merged.items()
        )

    def _count_over_cap(self, number: int) -> None:
        # Tidying runs in the threads that call.
        with self._lock:
            self.drops["over_cap"] += number

    def _relations(self, entities: Sequence[FoundEntity], answer: Answer) -> tuple[FoundRelation, ...]:
        places: dict[str, int] = {}
        for place, label in enumerate(labels(entities)):
            places.setdefault(normalise_name(label), place)
        # The prompt asks for names of the list; another name of the same entity says which one is meant.
        for place, entity in enumerate(entities):
            for name in (entity.name, *entity.aliases, *entity.short_names):
                places.setdefault(normalise_name(name), place)
        found = []
        for each in answer["relations"]:
            start, end = (places.get(normalise_name(each[side])) for side in ("from", "to"))
            if start is None or end is None:
                self.drops["unknown_entity"] += 1
                continue
            denied = each["polarity"].strip().lower() == Polarity.DENIED
            since, until = (stated_date(each[name]) for name in ("valid_from", "valid_to"))
            found.append(
                FoundRelation(
                    start,
                    end,
                    each["relation"],
                    each["confidence"],
                    each["quote"],
                    polarity=Polarity.DENIED if denied else Polarity.ASSERTED,
                    # What is denied "until 2021" held until then, and does not since.
                    valid_from=since or until if denied else since,
                    valid_to=None if denied else until,
                )
            )
        return tuple(found)


def labels(entities: Sequence[FoundEntity]) -> list[str]:
    """The name of each entity as pass 2 lists it; homonyms of different types with their type."""
    count = Counter(normalise_name(entity.name) for entity in entities)
    return [
        f"{entity.name} ({entity.node_type})" if count[normalise_name(entity.name)] > 1 else entity.name
        for entity in entities
    ]


def _found(names: Sequence[_Named], node_type: str, *, sense: str) -> FoundEntity:
    name, *others = (shown for shown, _ in names)
    words = set(normalise_name(name).split())
    # A part of the name, as a surname, means it in this document alone and must not merge nodes.
    short = [other for other in others if set(normalise_name(other).split()) < words]
    if node_type == "Person":
        short = [other for other in others if other in short or " " not in other]
    surfaces: list[Surface] = []
    places = {surface for _, found in names for surface in found}
    for surface in sorted(places, key=lambda each: (each.start, -each.end)):
        # "Curie" inside "Marie Curie" is no place of its own.
        if not surfaces or surface.start >= surfaces[-1].end:
            surfaces.append(surface)
    return FoundEntity(
        name,
        node_type,
        tuple(surfaces),
        aliases=tuple(other for other in others if other not in short),
        short_names=tuple(short),
        sense=sense,
    )


def _turns_before(chunks: Sequence[ChunkText], most: int) -> dict[ChunkId, tuple[str, ...]]:
    """The texts of the `most` chunks before each turn of a conversation, each cut to 240 characters."""
    before: dict[ChunkId, tuple[str, ...]] = {}
    turns: list[str] = []
    document: DocumentId | None = None
    for chunk in chunks:
        if chunk.document_id != document:
            document, turns = chunk.document_id, []
        if chunk.speaker is not None:
            before[chunk.id] = tuple(turns[max(0, len(turns) - most) :])
            turns.append(chunk.text[:_TURN_CHARACTERS])
    return before
