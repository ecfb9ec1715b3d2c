"""Collect the entities that a document mentions, chunk by chunk, and what its sentences say of them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from app.documents.sentences import match_field_line
from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.rules.aliases import (
    Alias,
    find_aliases,
    find_pairs_of_different_things,
    find_renaming_of_opening_pronoun,
)
from app.extraction.rules.claims.descriptions import find_nationality_adjectives
from app.extraction.rules.document_words import DocumentWords, remove_bracket_of_title
from app.extraction.rules.english.denial_words import ENDS_OF_USE, REPLACEMENT_WORDS
from app.extraction.rules.english.kind_votes import MIN_VOTES, PHRASES_BETWEEN_SAME_KINDS
from app.extraction.rules.english.lexicon import HEAD_NOUNS, SUBJECT_VERBS
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD
from app.extraction.rules.name_kinds import (
    decide_kind,
    has_shape_of_person_name,
    is_name_in_address,
    vote_for_kind_by_context,
    vote_for_kind_by_name,
)
from app.extraction.rules.names.named_entities import NamedEntity
from app.extraction.rules.names.offices import is_first_name
from app.extraction.rules.names.reader_names import ReaderName
from app.extraction.rules.names.spans import Span, find_spans, get_character_range_of_span
from app.extraction.rules.sentences import Sentence, read_sentences
from app.extraction.rules.short_forms import record_name_uses
from app.extraction.rules.tokens import word_at
from app.extraction.rules.topic import can_be_topic_by_surname, is_topic_in_other_form
from app.extraction.rules.verbless_roles import begins_role_entry
from app.extraction.shapes import ChunkText
from app.graph.names import choose_fuller_name, clean_name, may_node_have_name, normalise_name

# Votes of a title that states its kind ("Heat (1995 film)"), and of a first sentence with "he" or "she".
_TITLE_VOTE, _PRONOUN_VOTE = 4.0, 0.5
# Votes for a company of who gives up a program: with the verb's own votes they are enough.
_USER_VOTE = 0.5
# Maximum index of the first sentence's subject, after an article and a quotation mark.
_MAX_OPENING_INDEX = 2
# Words of "sold its subsidiary".
_MAX_WORDS_OF_DEAL = 3
_SENTENCE_ENDS = (".", "!", "?", ")", '"')


@dataclass(slots=True)
class Mention:
    """An occurrence of an entity's name in a chunk, by the range of its characters.

    `description_end` is the end of a description that begins with the name, 0 if there is none.
    """

    entity: NamedEntity
    start: int
    end: int
    is_adjective: bool = False
    description_end: int = 0


class EntityUse(NamedTuple):
    """A use of an entity's name: a sentence with all its names, and the index of this one among them."""

    sentence: Sentence
    spans: Sequence[Span]
    entities: Sequence[NamedEntity | None]
    name_index: int


def _build_name_key(surface: str) -> str:
    key = normalise_name(surface)
    # "The Jungle Book" and "Jungle Book" are one thing: a leading article does not distinguish names.
    return key[4:] if key.startswith("the ") and len(key) > 4 else key


_EntityPair = tuple[NamedEntity, NamedEntity]
"""Two entities of one sentence, in the order of their roles."""


class DocumentEntities:
    """The entities of one document, collected chunk by chunk; `resolve_entities` merges them."""

    def __init__(self, document_words: DocumentWords, title: str) -> None:
        self.document_words = document_words
        self.entity_by_key: dict[str, NamedEntity] = {}
        self.alias_pairs: list[_EntityPair] = []
        self.short_name_pairs: list[_EntityPair] = []
        self.uses_by_name_key: defaultdict[str, list[EntityUse]] = defaultdict(list)
        self.reader_kinds: defaultdict[str, list[Mapping[str, float]]] = defaultdict(list)
        self.deal_parties: list[_EntityPair] = []
        self.users_by_thing: defaultdict[str, list[NamedEntity]] = defaultdict(list)
        self.previous_entities: list[NamedEntity] = []
        self.ordered_aliases: set[tuple[str, str]] = set()
        self.distinct_key_pairs: set[frozenset[str]] = set()
        self.name_rows: list[list[NamedEntity]] = []
        self.address_pairs: list[_EntityPair] = []
        self.topic = self._find_topic()
        self.document_title_key = (
            self.topic.key if self.topic is not None else _build_name_key(remove_bracket_of_title(title))
        )
        self.family_pairs: list[_EntityPair] = []
        self.has_read_opening = False
        self.opening_person: NamedEntity | None = None
        self.opening_entity: NamedEntity | None = None

    def _find_topic(self) -> NamedEntity | None:
        """Return the entity of the title; it belongs to the document even if the text does not contain its
        name.
        """
        topic = self.document_words.topic
        entity = self._get_or_add_entity(topic.name, list(topic.written_forms)) if topic is not None else None
        if entity is not None and topic is not None and topic.kind is not None:
            entity.votes[topic.kind] = entity.votes.get(topic.kind, 0.0) + _TITLE_VOTE
        return entity

    def collect_mentions_of_chunk(
        self, chunk: ChunkText, reader_names: Sequence[Mapping[int, ReaderName]]
    ) -> list[Mention]:
        """Return the mentions of a chunk; `reader_names` are the names that the reader finds in each of its
        sentences.
        """
        mentions: list[Mention] = []
        for sentence, sentence_names in zip(read_sentences(chunk.text), reader_names, strict=True):
            spans = find_spans(sentence, self.document_words, sentence_names)
            entities: list[NamedEntity | None] = []
            for span in spans:
                start, end = get_character_range_of_span(sentence, span)
                surface = chunk.text[start:end]
                entity = self._get_or_add_entity(surface, sentence.words[span.first : span.last])
                entities.append(entity)
                if entity is None:
                    continue
                has_role = _has_role_in_list(sentence, span)
                if has_role:
                    entity.votes["Person"] = entity.votes.get("Person", 0.0) + MIN_VOTES
                if not has_role and not _is_in_prose_or_listed(chunk.text, sentence, span, sentence_names):
                    mentions.append(Mention(entity, start, end))
                    continue
                entity.is_in_prose = True
                entity.is_strong = (
                    entity.is_strong or not span.is_weak or _is_full_name_of_person(span, sentence_names)
                )
                entity.name = choose_fuller_name(entity.name, clean_name(surface))
                vote_for_kind_by_context(sentence, span, entity.votes)
                self._record_reader_kinds(entity, span, sentence_names)
                mentions.append(
                    Mention(entity, start, end, description_end=_find_description_end(sentence, span))
                )
            self._record_uses(sentence, spans, entities)
            covered_words = {index for span in spans for index in range(span.first, span.last)}
            for first_word, end_word, country in find_nationality_adjectives(sentence):
                if first_word not in covered_words:
                    mentions.append(
                        self._add_country_and_build_mention(
                            country, sentence.starts[first_word], sentence.ends[end_word - 1]
                        )
                    )
            for alias in find_aliases(sentence, spans):
                self._record_alias(entities[alias.name_index], entities[alias.other_name_index], alias)
            record_name_uses(sentence, spans, entities, self.previous_entities)
            self._link_new_name_to_previous_entity(sentence, spans, entities)
            self._store_previous_entities(entities)
            for left_index, right_index in find_pairs_of_different_things(sentence, spans):
                left_entity, right_entity = entities[left_index], entities[right_index]
                if left_entity is not None and right_entity is not None:
                    self.distinct_key_pairs.add(frozenset((left_entity.key, right_entity.key)))
            self._record_addresses(sentence, spans, entities)
            self._record_rows_of_names(sentence, spans, entities)
            self.deal_parties += _find_parties_of_deals(sentence, spans, entities)
            self._record_changes_of_things(sentence, spans, entities)
            for (left_span, right_span), adjacent_entities in zip(
                pairwise(spans), pairwise(entities), strict=True
            ):
                if _is_succession_in_office(sentence, left_span, right_span):
                    for person in filter(None, adjacent_entities):
                        person.votes["Person"] = person.votes.get("Person", 0.0) + MIN_VOTES
            self._record_families(sentence, spans, entities)
            self._record_opening_entity(sentence, spans, entities)
        return mentions

    def _record_changes_of_things(
        self, sentence: Sentence, spans: Sequence[Span], entities: Sequence[NamedEntity | None]
    ) -> None:
        """Record who gave up which things; who gave up a program is likely a company."""
        for user, used_thing in _find_changes_of_things(sentence, spans, entities):
            self.users_by_thing[used_thing.key].append(user)
            if decide_kind(used_thing.votes) == ("Technology", True) and "Person" not in user.votes:
                user.votes["Organization"] = user.votes.get("Organization", 0.0) + _USER_VOTE

    def was_thing_given_up_by_company(self, entity: NamedEntity) -> bool:
        """Return whether a company changed from it to something else: likely a program."""
        return any(
            user.votes.get("Organization", 0.0) > MIN_VOTES
            for user in self.users_by_thing.get(entity.key, ())
        )

    def average_reader_kinds(self, entity: NamedEntity) -> dict[str, float]:
        """Return the mean probability of each kind over the places where the reader knows the name; {} if it
        never does.
        """
        kinds_by_place = self.reader_kinds.get(entity.key, ())
        return {
            kind: sum(kinds[kind] for kinds in kinds_by_place) / len(kinds_by_place)
            for kind in (kinds_by_place[0] if kinds_by_place else ())
        }

    def _record_uses(
        self, sentence: Sentence, spans: Sequence[Span], entities: Sequence[NamedEntity | None]
    ) -> None:
        """Record where the sentence uses each name."""
        for index, entity in enumerate(entities):
            if entity is not None:
                self.uses_by_name_key[entity.key].append(EntityUse(sentence, spans, entities, index))

    def _record_reader_kinds(
        self, entity: NamedEntity, span: Span, sentence_names: Mapping[int, ReaderName]
    ) -> None:
        """Record the kinds that the reader gives a name."""
        reader_name = sentence_names.get(span.last)
        if reader_name is not None and reader_name.first == span.first and reader_name.kinds:
            self.reader_kinds[entity.key].append(reader_name.kinds)

    def _record_alias(self, name: NamedEntity | None, other_name: NamedEntity | None, alias: Alias) -> None:
        if name is None or other_name is None or name is other_name:
            return
        if alias.is_short:
            self.short_name_pairs.append((name, other_name))
            return
        self.alias_pairs.append((name, other_name))
        if alias.is_ordered:
            self.ordered_aliases.add((name.key, other_name.key))

    def _link_new_name_to_previous_entity(
        self, sentence: Sentence, spans: list[Span], entities: list[NamedEntity | None]
    ) -> None:
        """Link the name in "It was renamed Zenith in 2021." to the only entity of the previous sentence."""
        rename = (
            find_renaming_of_opening_pronoun(sentence, spans)
            if self.previous_entities and not sentence.is_outside_prose
            else None
        )
        if rename is not None:
            kinds_of_entities = [(entity, decide_kind(entity.votes)[0]) for entity in self.previous_entities]
            candidates = [
                entity
                for entity, kind in kinds_of_entities
                if (kind == "Person") == rename.is_for_person and kind != "Location"
            ]
            name = entities[0]
            if len(candidates) == 1 and name is not None:
                current_and_former = (candidates[0], name) if rename.is_former else (name, candidates[0])
                self._record_alias(*current_and_former, Alias(0, 0, is_ordered=True))

    def _store_previous_entities(self, entities: Sequence[NamedEntity | None]) -> None:
        """Keep the entities of a sentence for the next one; a sentence without names changes nothing."""
        if entities:
            self.previous_entities = list(
                {entity.key: entity for entity in entities if entity is not None}.values()
            )

    def _record_opening_entity(
        self, sentence: Sentence, spans: list[Span], entities: list[NamedEntity | None]
    ) -> None:
        """Link the subject of the document's first sentence to its title: "Barry Robert Pepper (born …" to
        "Barry Pepper".
        """
        topic = self.document_words.topic
        if (
            self.has_read_opening
            or topic is None
            or self.topic is None
            or sentence.words[-1] not in _SENTENCE_ENDS
        ):
            return
        self.has_read_opening = True
        opening_entity = self.opening_entity = entities[0] if spans else None
        if (
            opening_entity is not None
            and topic.kind is None
            and opening_entity.votes.get("Person", 0.0) >= MIN_VOTES
        ):
            self.topic.votes.pop("Location", None)  # "Grant Henry Hill (born …" is not a hill
        if "he" in sentence.lower or "she" in sentence.lower:
            self.topic.votes["Person"] = self.topic.votes.get("Person", 0.0) + _PRONOUN_VOTE
        if (
            spans
            and entities[0] is not None
            and entities[0] is not self.topic
            and spans[0].first <= _MAX_OPENING_INDEX
        ):
            name_words = sentence.lower[spans[0].first : spans[0].last]
            if is_topic_in_other_form(topic, name_words):
                self.alias_pairs.append((self.topic, entities[0]))
            elif sentence.lower[spans[0].last : spans[0].last + 1] == ["("] and can_be_topic_by_surname(
                topic, name_words
            ):
                self.opening_person = entities[0]

    def _add_country_and_build_mention(self, name: str, start: int, end: int) -> Mention:
        """Return the occurrence of an adjective of nationality as a mention of its country."""
        key = _build_name_key(name)
        country = self.entity_by_key.get(key)
        if country is None:
            words = name.split()
            country = NamedEntity(
                key, name, [word.lower() for word in words], words, {}, mention_order=len(self.entity_by_key)
            )
            self.entity_by_key[key] = country
        country.is_strong = True
        country.votes["Location"] = country.votes.get("Location", 0.0) + MIN_VOTES
        return Mention(country, start, end, is_adjective=True)

    def _record_addresses(
        self, sentence: Sentence, spans: list[Span], entities: list[NamedEntity | None]
    ) -> None:
        """Record pairs of names as in "in Fredericton, New Brunswick"."""
        is_in_chain = False
        for index in range(len(spans) - 1):
            left_entity, right_entity = entities[index], entities[index + 1]
            is_in_chain = is_name_in_address(
                sentence, spans[index], spans[index + 1], continues_address=is_in_chain
            )
            if left_entity is not None and right_entity is not None and is_in_chain:
                self.address_pairs.append((left_entity, right_entity))

    def _record_rows_of_names(
        self, sentence: Sentence, spans: list[Span], entities: list[NamedEntity | None]
    ) -> None:
        """Record rows of possible people, "A, B and C": all members of a row are of one kind."""
        name_row: list[NamedEntity] = []
        for index, span in enumerate(spans):
            entity = entities[index]
            if entity is not None and (
                has_shape_of_person_name(sentence, span) or decide_kind(entity.votes)[0] == "Person"
            ):
                name_row.append(entity)
                if index + 1 < len(spans):
                    gap = sentence.lower[span.last : spans[index + 1].first]
                    if gap in ([","], ["and"], [",", "and"]) or " ".join(gap) in PHRASES_BETWEEN_SAME_KINDS:
                        continue
            if len(name_row) > 1:
                self.name_rows.append(name_row)
            name_row = []

    def _record_families(
        self, sentence: Sentence, spans: list[Span], entities: list[NamedEntity | None]
    ) -> None:
        """Record pairs as in "Tom and Eva Becker": a first name before a full name."""
        conjunctions = (["and"], ["&"])
        previous_full_entity: NamedEntity | None = None
        for index in range(len(spans) - 2, -1, -1):
            short_entity, full_entity = entities[index], previous_full_entity or entities[index + 1]
            gap = sentence.lower[spans[index].last : spans[index + 1].first]
            previous_full_entity = None
            if short_entity is None or full_entity is None or gap not in conjunctions:
                conjunctions = (["and"], ["&"])
                continue
            first_names = (short_entity.words[0], full_entity.words[0])
            if (len(short_entity.words), len(full_entity.words)) == (1, 2) and all(
                map(is_first_name, first_names)
            ):
                self.family_pairs.append((short_entity, full_entity))
                # "Tom, Ben and Eva Becker"
                previous_full_entity, conjunctions = full_entity, ([","], [","])

    def _get_or_add_entity(self, surface: str, words: list[str]) -> NamedEntity | None:
        key = _build_name_key(surface)
        entity = self.entity_by_key.get(key)
        if entity is None:
            if not may_node_have_name(surface):
                return None
            lower_words = [word.lower() for word in words]
            votes = vote_for_kind_by_name(key, words, lower_words)
            if surface in self.document_words.kind_by_code_word:
                votes[self.document_words.kind_by_code_word[surface]] = (
                    votes.get(self.document_words.kind_by_code_word[surface], 0.0) + 1.5
                )
            entity = NamedEntity(
                key, clean_name(surface), lower_words, words, votes, mention_order=len(self.entity_by_key)
            )
            self.entity_by_key[key] = entity
        return entity


def _is_full_name_of_person(span: Span, sentence_names: Mapping[int, ReaderName]) -> bool:
    """Return whether a span is surely a person's name of several words to the reader."""
    reader_name = sentence_names.get(span.last)
    return (
        reader_name is not None and reader_name.first == span.first < span.last - 1 and reader_name.is_person
    )


def _has_role_in_list(sentence: Sentence, span: Span) -> bool:
    """Return whether a name is a person whose role or label a list states."""
    return begins_role_entry(sentence, span.first, span.last) and has_shape_of_person_name(sentence, span)


def _is_in_prose_or_listed(
    text: str, sentence: Sentence, span: Span, sentence_names: Mapping[int, ReaderName]
) -> bool:
    """Return whether a name is in prose, or is a person behind a label: "Present: Mary Finch, Olga Moss"."""
    return not sentence.is_outside_prose or (
        _is_full_name_of_person(span, sentence_names)
        and match_field_line(text, sentence.start, sentence.end) is not None
    )


def _find_parties_of_deals(
    sentence: Sentence, spans: Sequence[Span], entities: Sequence[NamedEntity | None]
) -> Iterator[_EntityPair]:
    """Yield pairs as in "a contract between Acme and Initech", "sold Globex to Initech": if the first is a
    firm, so is the second.
    """
    lower_words = sentence.lower
    for (left_span, right_span), (left_entity, right_entity) in zip(
        pairwise(spans), pairwise(entities), strict=True
    ):
        gap, words_before = (
            lower_words[left_span.last : right_span.first],
            lower_words[max(0, left_span.first - _MAX_WORDS_OF_DEAL) : left_span.first],
        )
        is_between = gap == ["and"] and words_before[-1:] == ["between"]
        is_sale = (gap == ["to"] and "sold" in words_before) or (
            gap == ["from"] and words_before[-1:] == ["bought"]
        )
        if (is_between or is_sale) and left_entity is not None and right_entity is not None:
            yield left_entity, right_entity


def _find_changes_of_things(
    sentence: Sentence, spans: Sequence[Span], entities: Sequence[NamedEntity | None]
) -> Iterator[_EntityPair]:
    """Yield who gave up a thing with that thing, and with the one after it: "Acme switched from Jira to
    Linear".
    """
    user: NamedEntity | None = None
    for (left_span, right_span), (left_entity, right_entity) in zip(
        pairwise(spans), pairwise(entities), strict=True
    ):
        gap = " ".join(sentence.lower[left_span.last : right_span.first])
        if f" {gap}".endswith(ENDS_OF_USE):
            user = left_entity
        elif gap not in REPLACEMENT_WORDS:
            user = None
        if user is not None and right_entity is not None:
            yield user, right_entity


def _is_succession_in_office(sentence: Sentence, left_span: Span, right_span: Span) -> bool:
    """Return whether one name succeeds the other in an office: "Ulf Sand replaces Ole Berg as head of"."""
    gap = " ".join(sentence.lower[left_span.last : right_span.first])
    names_office = (
        sentence.lower[right_span.last : right_span.last + 1] == ["as"] and gap in PHRASES_BETWEEN_SAME_KINDS
    )
    return (
        names_office
        and has_shape_of_person_name(sentence, left_span)
        and has_shape_of_person_name(sentence, right_span)
    )


def _find_description_end(sentence: Sentence, span: Span) -> int:
    """Return the end of a description such as "Dunlin reader" in "the Dunlin reader uses", an alias of the
    entity; 0 if no word after the name says what it is.
    """
    lower_words, name_end = sentence.lower, span.last
    if not (span.first and lower_words[span.first - 1] == "the" and lower_words[name_end : name_end + 1]):
        return 0
    next_word = word_at(lower_words, name_end + 1, ".")
    ends_description = (
        next_word in STOP_WORDS
        or next_word in PATTERNS_BY_FIRST_WORD
        or next_word in SUBJECT_VERBS
        or not next_word[0].isalnum()
    )
    return sentence.ends[name_end] if ends_description and lower_words[name_end] in HEAD_NOUNS else 0
