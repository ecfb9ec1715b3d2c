"""First pass by rules: extract the entities of one document and link them across its chunks."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from app.documents.sentences import match_field_line
from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.reader.languages import load_pipeline
from app.extraction.rules.aliases import (
    Alias,
    find_aliases,
    find_pairs_of_different_things,
    find_renaming_of_opening_pronoun,
)
from app.extraction.rules.claims.descriptions import find_nationalities
from app.extraction.rules.document_words import (
    DocumentWords,
    classify_words_by_spelling,
    remove_bracket_of_title,
)
from app.extraction.rules.english.denial_words import ENDS_OF_USE, REPLACEMENT_WORDS
from app.extraction.rules.english.kind_votes import ADDRESS_STRENGTH, MIN_VOTES, PHRASES_BETWEEN_SAME_KINDS
from app.extraction.rules.english.lexicon import COMPANIES, HEAD_NOUNS, PLACES, SUBJECT_VERBS, TECHNOLOGIES
from app.extraction.rules.english.nations import REGIONS
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD
from app.extraction.rules.name_kinds import (
    cannot_be_person,
    decide_kind,
    has_shape_of_person_name,
    is_in_address,
    vote_by_context,
    vote_by_name,
)
from app.extraction.rules.names.named_entities import (
    NamedEntity,
    are_of_different_kinds,
    join_acronyms,
    join_companies,
    join_first_name_with_surname,
    join_people,
    merge_short_name,
)
from app.extraction.rules.names.offices import is_first_name
from app.extraction.rules.names.reader_names import (
    MIN_KIND_PROBABILITY,
    ReaderName,
    find_person_of_title,
    list_titles,
    read_names,
)
from app.extraction.rules.names.spans import Span, find_spans, get_character_range_of_span
from app.extraction.rules.sentences import Sentence, read_sentences
from app.extraction.rules.short_forms import join_short_forms, record_name_uses
from app.extraction.rules.tokens import word_at
from app.extraction.rules.topic import can_be_topic_by_surname, is_topic_in_other_form
from app.extraction.rules.verbless_roles import begins_role_entry
from app.extraction.shapes import SURFACE_OF_UNNAMED_TOPIC, ChunkText, FoundEntity, Surface, Vocabulary
from app.graph.names import choose_fuller_name, clean_name, is_acceptable_name, normalise_name
from app.graph.spellings import list_plain_forms

_ALIAS_CONFIDENCE = 0.95
# Votes of a title that states its kind ("Heat (1995 film)"), and of a first sentence with "he" or "she".
_TITLE_VOTE, _PRONOUN_VOTE = 4.0, 0.5
# Votes for a company of who gives up a program: with the verb's own votes they are enough.
_USER_VOTE = 0.5
# Maximum index of the first sentence's subject, after an article and a quotation mark.
_MAX_OPENING_INDEX = 2
_KNOWN_NAMES = PLACES | COMPANIES | TECHNOLOGIES
# Words of "sold its subsidiary".
_MAX_WORDS_OF_DEAL = 3
_SENTENCE_ENDS = (".", "!", "?", ")", '"')


@dataclass(slots=True)
class _Mention:
    entity: NamedEntity
    start: int
    end: int
    is_adjective: bool = False
    description_end: int = 0


def _build_name_key(surface: str) -> str:
    key = normalise_name(surface)
    # "The Jungle Book" and "Jungle Book" are one thing: a leading article does not distinguish names.
    return key[4:] if key.startswith("the ") and len(key) > 4 else key


class _DocumentEntities:
    """The entities of one document, collected chunk by chunk and then resolved."""

    def __init__(self, document_words: DocumentWords, title: str) -> None:
        self.document_words = document_words
        self.entity_by_key: dict[str, NamedEntity] = {}
        self.alias_pairs: list[tuple[NamedEntity, NamedEntity]] = []
        self.short_name_pairs: list[tuple[NamedEntity, NamedEntity]] = []
        self.reader_kinds: defaultdict[str, list[Mapping[str, float]]] = defaultdict(list)
        self.deal_parties: list[tuple[NamedEntity, NamedEntity]] = []
        self.users_by_thing: defaultdict[str, list[NamedEntity]] = defaultdict(list)
        self.previous_entities: list[NamedEntity] = []
        self.ordered_aliases: set[tuple[str, str]] = set()
        self.distinct_key_pairs: set[frozenset[str]] = set()
        self.name_rows: list[list[NamedEntity]] = []
        self.address_pairs: list[tuple[NamedEntity, NamedEntity]] = []
        self.topic = self._find_topic()
        self.document_title_key = (
            self.topic.key if self.topic is not None else _build_name_key(remove_bracket_of_title(title))
        )
        self.family_pairs: list[tuple[NamedEntity, NamedEntity]] = []
        self.has_read_opening = False
        self.opening_person: NamedEntity | None = None
        self.opening_entity: NamedEntity | None = None

    def _find_topic(self) -> NamedEntity | None:
        """Return the entity of the title; it belongs to the document even if the text does not contain its
        name.
        """
        topic = self.document_words.topic
        entity = (
            self._find_or_create_entity(topic.name, list(topic.written_forms)) if topic is not None else None
        )
        if entity is not None and topic is not None and topic.kind is not None:
            entity.votes[topic.kind] = entity.votes.get(topic.kind, 0.0) + _TITLE_VOTE
        return entity

    def read_chunk(
        self, chunk: ChunkText, reader_names: Sequence[Mapping[int, ReaderName]]
    ) -> list[_Mention]:
        """Return the mentions of a chunk; `reader_names` are the names that the reader finds in each of its
        sentences.
        """
        mentions: list[_Mention] = []
        for sentence, sentence_names in zip(read_sentences(chunk.text), reader_names, strict=True):
            spans = find_spans(sentence, self.document_words, sentence_names)
            entities: list[NamedEntity | None] = []
            for span in spans:
                start, end = get_character_range_of_span(sentence, span)
                surface = chunk.text[start:end]
                entity = self._find_or_create_entity(surface, sentence.words[span.first : span.last])
                entities.append(entity)
                if entity is None:
                    continue
                if not _is_in_prose_or_has_role(chunk.text, sentence, span, sentence_names, entity):
                    mentions.append(_Mention(entity, start, end))
                    continue
                entity.is_in_prose = True
                entity.is_strong = (
                    entity.is_strong or not span.is_weak or _is_full_name_of_person(span, sentence_names)
                )
                entity.name = choose_fuller_name(entity.name, clean_name(surface))
                vote_by_context(sentence, span, entity.votes)
                self._record_reader_kinds(entity, span, sentence_names)
                mentions.append(
                    _Mention(entity, start, end, description_end=_find_description_end(sentence, span))
                )
            covered_words = {index for span in spans for index in range(span.first, span.last)}
            for first_word, end_word, country in find_nationalities(sentence):
                if first_word not in covered_words:
                    mentions.append(
                        self._build_mention_of_country(
                            country, sentence.starts[first_word], sentence.ends[end_word - 1]
                        )
                    )
            for alias in find_aliases(sentence, spans):
                self._record_alias(entities[alias.name_index], entities[alias.other_name_index], alias)
            record_name_uses(sentence, spans, entities, self.previous_entities)
            self._record_renaming_of_previous_entity(sentence, spans, entities)
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

    def _record_renaming_of_previous_entity(
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

    def _build_mention_of_country(self, name: str, start: int, end: int) -> _Mention:
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
        return _Mention(country, start, end, is_adjective=True)

    def _record_addresses(
        self, sentence: Sentence, spans: list[Span], entities: list[NamedEntity | None]
    ) -> None:
        """Record pairs of names as in "in Fredericton, New Brunswick"."""
        is_in_chain = False
        for index in range(len(spans) - 1):
            left_entity, right_entity = entities[index], entities[index + 1]
            is_in_chain = is_in_address(
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

    def _find_or_create_entity(self, surface: str, words: list[str]) -> NamedEntity | None:
        key = _build_name_key(surface)
        entity = self.entity_by_key.get(key)
        if entity is None:
            if not is_acceptable_name(surface):
                return None
            lower_words = [word.lower() for word in words]
            votes = vote_by_name(key, words, lower_words)
            if surface in self.document_words.kind_by_code_word:
                votes[self.document_words.kind_by_code_word[surface]] = (
                    votes.get(self.document_words.kind_by_code_word[surface], 0.0) + 1.5
                )
            entity = NamedEntity(
                key, clean_name(surface), lower_words, words, votes, mention_order=len(self.entity_by_key)
            )
            self.entity_by_key[key] = entity
        return entity

    def resolve(self) -> None:
        self._apply_votes()
        if self.opening_person is not None and self.topic is not None and not self.topic.is_in_prose:
            self.alias_pairs.append((self.topic, self.opening_person))
        for left_entity, right_entity in self.alias_pairs:
            if frozenset(
                (left_entity.key, right_entity.key)
            ) not in self.distinct_key_pairs and not are_of_different_kinds(
                left_entity.votes, right_entity.votes
            ):
                self._merge_full_names(left_entity, right_entity)
        self._join_spellings()
        join_people(
            list(self.entity_by_key.values()),
            self._merge_full_names,
            self.document_title_key,
            self.opening_entity,
        )
        join_companies(self.entity_by_key, self._merge_full_names)
        pipeline = load_pipeline("en")
        if pipeline is not None:
            join_acronyms(self.entity_by_key.values(), pipeline.knows_word)
        join_short_forms(self.entity_by_key.values(), self.document_words.lower_case_words, pipeline)
        for short_entity, full_entity in self.family_pairs:
            join_first_name_with_surname(self.entity_by_key, short_entity, full_entity)
        for name, short_name in self.short_name_pairs:
            # A place in front of a bracket belongs to the address of the party that it names.
            is_place = decide_kind(name.root().votes) == ("Location", True)
            if short_name.is_root and short_name is not name.root() and not is_place:
                merge_short_name(short_name, name)

    def _join_spellings(self) -> None:
        """Merge names that differ in accents or British and American spelling: "Peñalver", "Penalver"."""
        entities_by_form: dict[str, NamedEntity] = {}
        for entity in list(self.entity_by_key.values()):
            for form in sorted(list_plain_forms(entity.key)):
                same_entity = entities_by_form.setdefault(form, entity)
                # The name with accents is the fuller one.
                merged_entity, surviving_entity = sorted(
                    (same_entity.root(), entity.root()), key=lambda root: not root.name.isascii()
                )
                if merged_entity is not surviving_entity and not are_of_different_kinds(
                    merged_entity.votes, surviving_entity.votes
                ):
                    _merge_everywhere(merged_entity, surviving_entity)

    def _apply_votes(self) -> None:
        for entity in self.entity_by_key.values():
            if cannot_be_person(entity.written_words):
                entity.votes.pop("Person", None)
            if not decide_kind(entity.votes)[1]:
                self._vote_by_reader(entity)
        for left_entity, right_entity in reversed(self.address_pairs):
            is_larger_place = right_entity.key in REGIONS or (
                decide_kind(right_entity.votes) == ("Location", True) and right_entity.key not in PLACES
            )
            if (
                is_larger_place
                and not decide_kind(left_entity.votes)[1]
                and "Person" not in left_entity.votes
            ):
                left_entity.votes["Location"] = left_entity.votes.get("Location", 0.0) + ADDRESS_STRENGTH
        for row in self.name_rows:
            if any(decide_kind(member.votes)[0] == "Person" for member in row):
                for entity in row:
                    if not decide_kind(entity.votes)[1]:
                        entity.votes["Person"] = entity.votes.get("Person", 0.0) + 1.5

        for firm, partner in self.deal_parties:
            is_unsure = not decide_kind(partner.votes)[1] and len(partner.words) == 1
            if (
                is_unsure
                and "Person" not in partner.votes
                and decide_kind(firm.votes) == ("Organization", True)
            ):
                partner.votes["Organization"] = partner.votes.get("Organization", 0.0) + MIN_VOTES

    def _vote_by_reader(self, entity: NamedEntity) -> None:
        """Vote for the kind of which the reader is sure on average over all mentions.

        One word may name a place; whether "Falcon" is a person or a program the reader does not know. "Marlow
        Mill" is nobody in a text about a mill. To the reader, which knows no kind for a program, a company
        migrates from one place to another; a people really does, so the verb alone makes nobody a company.
        """
        if any(
            user.votes.get("Organization", 0.0) > MIN_VOTES
            for user in self.users_by_thing.get(entity.key, ())
        ):
            return
        kind_probabilities = self.reader_kinds.get(entity.key, ())
        for kind in kind_probabilities[0] if kind_probabilities else ():
            probability = sum(probability_by_kind[kind] for probability_by_kind in kind_probabilities) / len(
                kind_probabilities
            )
            may_be_person = (
                len(entity.words) > 1 and entity.words[-1] not in self.document_words.lower_case_words
            )
            is_possible = may_be_person if kind == "Person" else len(entity.words) > 1 or kind == "Location"
            if probability >= MIN_KIND_PROBABILITY and is_possible:
                entity.votes[kind] = entity.votes.get(kind, 0.0) + MIN_VOTES

    def _merge_full_names(self, entity: NamedEntity, other_entity: NamedEntity) -> None:
        """Merge two entities whose names are unambiguous everywhere."""
        entity, other_entity = entity.root(), other_entity.root()
        if entity is other_entity:
            return
        surviving_entity, merged_entity = (
            (entity, other_entity)
            if choose_fuller_name(entity.name, other_entity.name) == entity.name
            else (other_entity, entity)
        )
        if (entity.key, other_entity.key) in self.ordered_aliases:
            surviving_entity, merged_entity = entity, other_entity
        if self.document_title_key in (entity.key, other_entity.key) and self.topic is not None:
            surviving_entity, merged_entity = (
                (entity, other_entity) if entity.key == self.document_title_key else (other_entity, entity)
            )
        _merge_everywhere(merged_entity, surviving_entity)


def _is_full_name_of_person(span: Span, sentence_names: Mapping[int, ReaderName]) -> bool:
    """Return whether a span is surely a person's name of several words to the reader."""
    reader_name = sentence_names.get(span.last)
    return (
        reader_name is not None and reader_name.first == span.first < span.last - 1 and reader_name.is_person
    )


def _is_in_prose_or_has_role(
    text: str, sentence: Sentence, span: Span, sentence_names: Mapping[int, ReaderName], entity: NamedEntity
) -> bool:
    """Return whether a name is in prose, or is a person whose role or label a list states; the former votes
    for a person.
    """
    has_role = begins_role_entry(sentence, span.first, span.last) and has_shape_of_person_name(sentence, span)
    if has_role:
        entity.votes["Person"] = entity.votes.get("Person", 0.0) + MIN_VOTES
    return (
        has_role or not sentence.is_outside_prose or _is_listed_person(text, sentence, span, sentence_names)
    )


def _is_listed_person(
    text: str, sentence: Sentence, span: Span, sentence_names: Mapping[int, ReaderName]
) -> bool:
    """Return whether a name in a line that is no prose is a person behind a label: "Present: Mary Finch, Olga
    Moss".
    """
    is_person = _is_full_name_of_person(span, sentence_names)
    return is_person and match_field_line(text, sentence.start, sentence.end) is not None


def _merge_everywhere(merged_entity: NamedEntity, surviving_entity: NamedEntity) -> None:
    """Merge an entity whose name is unambiguous everywhere into another, with its votes."""
    merged_entity.is_unambiguous = True
    merged_entity.join(surviving_entity)
    for kind, strength in merged_entity.votes.items():
        surviving_entity.votes[kind] = surviving_entity.votes.get(kind, 0.0) + strength


def _find_parties_of_deals(
    sentence: Sentence, spans: Sequence[Span], entities: Sequence[NamedEntity | None]
) -> Iterator[tuple[NamedEntity, NamedEntity]]:
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
) -> Iterator[tuple[NamedEntity, NamedEntity]]:
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


def _build_found_entity(
    entity: NamedEntity, mentions: list[_Mention], text: str, vocabulary: Vocabulary
) -> FoundEntity | None:
    kind, is_certain = decide_kind(entity.votes)
    if kind not in vocabulary.node_types:
        if "Concept" not in vocabulary.node_types:
            return None
        kind, is_certain = "Concept", False
    aliases: dict[str, None] = {}
    short_names: dict[str, None] = {}
    for mention in mentions:
        surface = clean_name(text[mention.start : mention.end])
        if mention.is_adjective:
            continue
        described_name = clean_name(text[mention.start : mention.description_end])
        if described_name and entity.key not in _KNOWN_NAMES:
            aliases[described_name] = None
        if mention.entity is entity:
            if surface != entity.name and is_acceptable_name(surface):
                aliases[surface] = None
            continue
        if is_acceptable_name(surface):
            (aliases if mention.entity.is_unambiguous else short_names)[surface] = None
    return FoundEntity(
        name=entity.name,
        node_type=kind,
        surfaces=tuple(
            Surface(
                text[mention.start : mention.end],
                mention.start,
                mention.end,
            )
            for mention in mentions
        )
        or (SURFACE_OF_UNNAMED_TOPIC,),
        aliases=tuple(alias for alias in aliases if normalise_name(alias) != entity.key),
        short_names=tuple(short_names),
        is_type_certain=is_certain,
        confidence=_ALIAS_CONFIDENCE if is_certain else 0.7,
    )


def _is_named(entity: NamedEntity, document_title_key: str) -> bool:
    """Return whether a sentence of the text names the entity; a title that is not a topic is only a
    heading."""
    return entity.is_strong or (
        entity.is_in_prose and decide_kind(entity.votes)[1] and entity.key != document_title_key
    )


def _read_names_of_chunks(chunks: Sequence[ChunkText]) -> list[list[dict[int, ReaderName]]]:
    """Return the names that the reader finds in each sentence of each chunk; all are read as one batch."""
    sentences_by_chunk = [read_sentences(chunk.text) for chunk in chunks]
    pipeline = load_pipeline("en")
    if pipeline is None:
        return [[{} for _ in sentences] for sentences in sentences_by_chunk]
    names_by_sentence = iter(
        read_names(
            [
                (chunk.text, sentence)
                for chunk, sentences in zip(chunks, sentences_by_chunk, strict=True)
                for sentence in sentences
            ],
            pipeline,
        )
    )
    return [list(islice(names_by_sentence, len(sentences))) for sentences in sentences_by_chunk]


def _find_title(chunks: Sequence[ChunkText]) -> str:
    """Return the title of the chunks' document, or the person behind a title or label in it."""
    title = chunks[0].document_title if chunks else ""
    pipeline = load_pipeline("en")
    if not title or pipeline is None:
        return title
    return find_person_of_title(title, pipeline) or title


def _collect_titles(
    chunks: Sequence[ChunkText], names_by_chunk: Sequence[Sequence[Mapping[int, ReaderName]]]
) -> frozenset[str]:
    """Return the titles in front of people's names in a document."""
    return frozenset(
        title
        for chunk, names_by_sentence in zip(chunks, names_by_chunk, strict=True)
        for sentence, sentence_names in zip(read_sentences(chunk.text), names_by_sentence, strict=True)
        for title in list_titles(sentence, sentence_names.values())
    )


def extract_entities_of_document(
    chunks: Sequence[ChunkText], vocabulary: Vocabulary
) -> list[tuple[FoundEntity, ...]]:
    """Return the entities of each chunk of one document, in order; () for an unwanted chunk.

    Unwanted chunks are read too: they may contain the full name for a surname.
    """
    title = _find_title(chunks)
    document_entities = _DocumentEntities(
        classify_words_by_spelling((chunk.text for chunk in chunks), title), title
    )
    names_by_chunk = _read_names_of_chunks(chunks)
    document_entities.document_words.titles_of_people = _collect_titles(chunks, names_by_chunk)
    mentions_by_chunk = list(map(document_entities.read_chunk, chunks, names_by_chunk))
    document_entities.resolve()
    topic = document_entities.topic.root() if document_entities.topic is not None else None
    entities_by_chunk: list[tuple[FoundEntity, ...]] = []
    for index, (chunk, chunk_mentions) in enumerate(zip(chunks, mentions_by_chunk, strict=True)):
        mentions_by_key: dict[str, tuple[NamedEntity, list[_Mention]]] = {}
        if chunk.is_wanted:
            for mention in chunk_mentions:
                entity = mention.entity.root()
                if entity is topic or _is_named(entity, document_entities.document_title_key):
                    mentions_by_key.setdefault(entity.key, (entity, []))[1].append(mention)
            # The first chunk is about the topic even if it does not name it.
            if index == 0 and topic is not None:
                mentions_by_key.setdefault(topic.key, (topic, []))
        entities = [
            _build_found_entity(entity, mentions, chunk.text, vocabulary)
            for entity, mentions in mentions_by_key.values()
        ]
        if (
            chunk.is_wanted
            and vocabulary.statements
            and topic is not None
            and topic.key not in mentions_by_key
        ):
            background_entity = _build_found_entity(topic, [], chunk.text, vocabulary)
            entities.append(
                None if background_entity is None else replace(background_entity, is_background=True)
            )
        entities_by_chunk.append(tuple(entity for entity in entities if entity is not None))
    return entities_by_chunk
