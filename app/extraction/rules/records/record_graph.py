"""Records as a graph by columns: a row is a node, a header a relation to its value, or an attribute."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.domain.layers import list_claim_relation_types
from app.domain.node_types import PEOPLE, PROPER_NAME_TYPES
from app.domain.relation_type import TASK
from app.domain.relation_types import RELATED_TO
from app.extraction.attributes import MAX_VALUE
from app.extraction.rules.english.lexicon import KIND_OF, ROLES
from app.extraction.rules.records.clause_cells import is_clause
from app.extraction.rules.records.headers import (
    CATEGORY_BY_HEADER,
    CATEGORY_BY_NAMING_KEY,
    END_HEADER_PAIRS,
    IDENTIFIER_WORDS,
    KIND_KEYS,
    NAMING_KEYS,
    NODE_TYPE_BY_CATEGORY,
    PREDICATE_HEADERS,
    Column,
    does_header_meaning_depend_on_row,
    find_column,
    find_column_with_name,
)
from app.extraction.rules.records.lines import Record, Value
from app.extraction.rules.records.row_names import (
    NAME_KEYS,
    can_be_name,
    find_kind_by_name,
    find_row_clause,
    find_row_name,
)
from app.extraction.rules.records.states import (
    RELATIONS_WITH_TERM,
    VALUES_WITHOUT_NAME,
    RowState,
    parse_yes_or_no,
    read_row_state,
)
from app.extraction.shapes import (
    ChunkText,
    FoundAttribute,
    FoundEntity,
    FoundPhrase,
    FoundRelation,
    Surface,
    Vocabulary,
)
from app.extraction.vocabulary import Direction, find_meaning_of_verb, to_node_type
from app.graph.names import clean_name, normalise_name
from app.graph.validity import DatePoint, Polarity

_CONFIDENCE, _GUESS_CONFIDENCE = 0.9, 0.6
_MAX_QUOTE_LENGTH = 300


@dataclass(frozen=True, slots=True)
class _Claim:
    source: str
    target: str
    relation: str
    confidence: float
    quote: str
    polarity: Polarity = Polarity.ASSERTED
    start_date: DatePoint | None = None
    end_date: DatePoint | None = None


def _find_kind_by_header(header: str) -> str | None:
    """Return the kind of what a header calls its value: "Customer", "Field engineer"; None if it names no
    kind.
    """
    category = CATEGORY_BY_NAMING_KEY.get(header)
    if category is not None:
        return _find_node_type_of_category(category)
    return "Person" if header.rpartition("_")[2] in ROLES else None


def _find_category_by_noun(row_name: Value) -> str | None:
    """Return the category of a row by the header of its name: "Project", "Department"; None for "Name"."""
    category = CATEGORY_BY_NAMING_KEY.get(row_name.header)
    if category is not None or row_name.header in NAMING_KEYS or row_name.header in NAME_KEYS:
        return category
    column = find_column(row_name.header, None)
    return None if column is None else column.value_kind or None


def _find_node_type_of_category(category: str | None) -> str | None:
    return NODE_TYPE_BY_CATEGORY.get(category, category) if category is not None else None


class _HeaderRelation(NamedTuple):
    """The relation that a header states, None for an attribute, and how sure that is."""

    column: Column | None
    confidence: float


class _StatedRelation(NamedTuple):
    """A relation that a row states in words: its ends, and the column that its verb stands for."""

    source: Value
    target: Value
    column: Column


class RecordGraph:
    """The entities and relations of one record; `row_names` are the normalised names of the other rows."""

    def __init__(
        self, chunk: ChunkText, record: Record, row_names: Collection[str], vocabulary: Vocabulary
    ) -> None:
        self._chunk, self._record, self._row_names, self._vocabulary = chunk, record, row_names, vocabulary
        self._entity_by_key: dict[str, FoundEntity] = {}
        self._claims: list[_Claim] = []
        self._clause_values: list[tuple[Value, Value]] = []
        self._header_statements: list[tuple[Value, Value]] = []
        self._plain_values: list[tuple[Value, Value]] = []
        self._subject_by_path: dict[str, Value | None] = {}
        self._category_by_path: dict[str, str | None] = {}
        self._state_by_path: dict[str, RowState] = {}
        stated_relation = self._find_stated_relation()
        for value in record.values if stated_relation is None else ():
            self._record_value(value)
        if stated_relation is not None:
            source, target, column = stated_relation
            self._add_entity(source, None)
            self._add_entity(target, None)
            self._add_claim(source, target, column, _CONFIDENCE)
        if record.title is not None and (title := find_row_name(record)) is not None:
            self._add_entity(title, self._find_kind_of_row(""))

    def list_entities(self) -> tuple[FoundEntity, ...]:
        """Return the entities that the record names, without duplicates."""
        return tuple(self._entity_by_key.values())

    @property
    def relates_row_to_entity_or_attribute(self) -> bool:
        """Return whether a column relates the row to an entity, or is an attribute of it."""
        return bool(self._claims or self._clause_values or self._header_statements) or any(
            entity.attributes for entity in self._entity_by_key.values()
        )

    def is_named_by_own_noun(self, name: str) -> bool:
        """Return whether a normalised name is that of the row, below a noun of its own ("Branch")."""
        row_name = self._find_subject_of_object("")
        return (
            row_name is not None
            and self._is_named_by_own_noun(row_name)
            and normalise_name(clean_name(row_name.text)) == name
        )

    def list_relations(self, entities: Collection[FoundEntity]) -> list[FoundRelation]:
        """Return the relations that the columns state between these entities of the chunk."""
        position_by_name = _index_entities_by_name(entities)
        return [
            FoundRelation(
                position_by_name[claim.source],
                position_by_name[claim.target],
                claim.relation,
                claim.confidence,
                claim.quote,
                polarity=claim.polarity,
                valid_from=claim.start_date,
                valid_to=claim.end_date,
            )
            for claim in self._claims
            if claim.source in position_by_name
            and claim.target in position_by_name
            and claim.source != claim.target
        ]

    def list_statements(self, entities: Collection[FoundEntity]) -> list[FoundRelation]:
        """Return the statements between these entities of the chunk whose predicates are headers.

        The word of a relation type would make a claim of what the header does not state of this row.
        """
        position_by_name = _index_entities_by_name(entities)
        closed_vocabulary = replace(
            self._vocabulary,
            open_relations=False,
            relation_types=self._vocabulary.relation_types | list_claim_relation_types(()),
        )
        return [
            FoundRelation(
                position_by_name[source],
                position_by_name[target],
                value.header,
                _CONFIDENCE,
                self._quote_lines(subject, value) or self._quote_lines(value) or "",
                is_statement=True,
            )
            for subject, value in self._header_statements
            if find_meaning_of_verb(value.header, closed_vocabulary) is None
            and (source := normalise_name(clean_name(subject.text))) in position_by_name
            and (target := normalise_name(clean_name(value.text))) in position_by_name
            and source != target
        ]

    def list_phrases(self, entities: Sequence[FoundEntity]) -> list[FoundPhrase]:
        """Return what rows without a name state of these entities of the chunk: "Sign the contract", "owner",
        "Ann Lee"; and the values of a row of a text that are no names: "Oak Meadow", "opened", "2014".
        """
        phrases = [
            FoundPhrase(position, self._build_phrase(clause, value, clause.text))
            for clause, value in self._clause_values
            for position, entity in enumerate(entities)
            if any(
                clause.start <= surface.start < clause.end or value.start <= surface.start < value.end
                for surface in entity.surfaces
            )
        ]
        # A file of records may have thousands of values; its attributes are those that the space asks for.
        if self._chunk.is_record or not (
            self._vocabulary.statements and self.relates_row_to_entity_or_attribute
        ):
            return phrases
        position_by_name = _index_entities_by_name(entities)
        return phrases + [
            FoundPhrase(position, self._build_phrase(subject, value, ""))
            for subject, value in self._plain_values
            if (position := position_by_name.get(normalise_name(clean_name(subject.text)))) is not None
            and IDENTIFIER_WORDS.isdisjoint(value.header.split("_"))
            and value.text.lower() not in VALUES_WITHOUT_NAME
            and any(character.isalnum() for character in value.text)
            and subject.start < value.start
            and len(value.text) <= MAX_VALUE
        ]

    def _build_phrase(self, row: Value, value: Value, subject: str) -> FoundAttribute:
        return FoundAttribute(
            value.path.rpartition(".")[2],
            value.text,
            self._quote_surface(row, value),
            confidence=_CONFIDENCE,
            subject=subject,
        )

    def _find_stated_relation(self) -> _StatedRelation | None:
        """Return the two ends and the relation of a row that states a relation; None for a row that
        describes an entity.
        """
        value_by_header = {value.header: value for value in reversed(self._record.values)}
        verb_value = next((value_by_header[key] for key in PREDICATE_HEADERS if key in value_by_header), None)
        end_headers = next(
            (header_pair for header_pair in END_HEADER_PAIRS if value_by_header.keys() >= set(header_pair)),
            None,
        )
        verb_meaning = (
            find_meaning_of_verb(verb_value.text, self._vocabulary)
            if verb_value is not None and end_headers is not None
            else None
        )
        if (
            verb_meaning is None
            or end_headers is None
            or not all(can_be_name(value_by_header[header].text) for header in end_headers)
        ):
            return None
        column = Column(verb_meaning.relation_type, None, "", verb_meaning.direction is Direction.REVERSED)
        source_header, target_header = end_headers
        return _StatedRelation(value_by_header[source_header], value_by_header[target_header], column)

    def _find_subject_of_object(self, object_path: str) -> Value | None:
        """Return the entity described by the values of this object: the object itself, else the enclosing
        one.
        """
        if object_path not in self._subject_by_path:
            subject = find_row_name(self._record, object_path)
            if subject is None and object_path:
                subject = self._find_subject_of_object(object_path.rpartition(".")[0])
            self._subject_by_path[object_path] = subject
        return self._subject_by_path[object_path]

    def _record_value(self, value: Value) -> None:
        subject = self._find_subject_of_object(value.object_path)
        if subject is None:
            self._record_value_beside_clause(value)
            return
        if value is subject:
            self._add_entity(value, self._find_kind_of_row(value.object_path))
            self._relate_nested_object(value)
            return
        column, confidence = self._find_column_of_value(value)
        verdict = parse_yes_or_no(value.text)
        column_and_name = (
            find_column_with_name(value.path, self._find_category_of_row(value.object_path))
            if verdict is not None
            else None
        )
        if column_and_name is not None and column_and_name[0].relation in self._vocabulary.relation_types:
            self._record_yes_or_no_value(subject, value, *column_and_name, holds=verdict is True)
            return
        if column is None:
            if not self._record_header_statement(subject, value) and not self._record_attribute(
                subject, value
            ):
                self._plain_values.append((subject, value))
            return
        for entry in value.list_entries():
            if self._names_something(entry):
                self._add_entity(
                    subject,
                    self._find_kind_of_row(subject.object_path)
                    or _find_node_type_of_category(column.row_kind),
                )
                self._add_entity(entry, column.value_kind or None)
                self._add_claim(subject, entry, column, confidence)

    def _record_value_beside_clause(self, value: Value) -> None:
        """Read a value of a row without a name: if a clause is in its place, the two are a statement."""
        clause = find_row_clause(self._record, value.object_path)
        column = find_column(value.header, self._find_category_of_row(value.object_path))
        if clause is None or column is None or value is clause or not self._vocabulary.statements:
            return
        entries = [entry for entry in value.list_entries() if self._names_something(entry)]
        for entry in entries:
            self._add_entity(entry, column.value_kind or None)
        if entries and len(clause.text) <= MAX_VALUE:
            self._clause_values.append((clause, value))

    def _record_header_statement(self, subject: Value, value: Value) -> bool:
        """Read a value whose header states no relation of this row as a statement in the header's words, if
        the space has statements: "Oak Meadow", "manager", "Paul Stone". Return whether it names anything.
        """
        if not self._vocabulary.statements:
            return False
        column = find_column(value.header, None)
        kind = _find_kind_by_header(value.header)
        # "Customer: Acme, Leeds plant" has one customer.
        is_single = kind is not None and column is None
        entries = [
            entry
            for entry in value.list_entries()[: 1 if is_single else None]
            if self._names_something(entry) and self._is_name(entry, column, kind)
        ]
        for entry in entries:
            self._add_entity(subject, self._find_kind_of_row(subject.object_path))
            self._add_entity(entry, kind if column is None else column.value_kind or None)
            self._header_statements.append((subject, entry))
        return bool(entries)

    def _is_name(self, value: Value, column: Column | None, kind: str | None) -> bool:
        """Return whether a value is surely a name: by its header, by itself, or since the text has it."""
        return normalise_name(clean_name(value.text)) in self._row_names or (
            value.text[:1].isupper()
            and (column is not None or kind is not None or find_kind_by_name(value.text) in PROPER_NAME_TYPES)
        )

    def _names_something(self, value: Value) -> bool:
        """Return whether a value is a name, or another row's title, and no clause such as "ask Ann Lee"."""
        is_row = normalise_name(value.text) in self._row_names
        return can_be_name(value.text) and (is_row or not is_clause(value.text))

    def _record_yes_or_no_value(
        self, subject: Value, value: Value, column: Column, name: str, *, holds: bool
    ) -> None:
        """Read "Integrates with Slack: no": the header names the other end, the value is the polarity.

        A header in another chunk is skipped, since it cannot be quoted here.
        """
        if value.label_start is None:
            return
        name_start = self._chunk.text.index(name, value.label_start)
        named_end = Value(
            value.path, name, name_start, name_start + len(name), value.line_start, value.label_start
        )
        if can_be_name(name):
            self._add_entity(
                subject,
                self._find_kind_of_row(subject.object_path) or _find_node_type_of_category(column.row_kind),
            )
            self._add_entity(named_end, column.value_kind or None)
            cited_end = replace(named_end, start=value.start, end=value.end)
            self._add_claim(subject, cited_end, column, _CONFIDENCE, holds=holds)

    def _relate_nested_object(self, value: Value) -> None:
        """Relate the entity of an inner object to the enclosing one, by the key of the inner object."""
        outer_subject = (
            self._find_subject_of_object(value.object_path.rpartition(".")[0]) if value.object_path else None
        )
        if outer_subject is None or outer_subject is value:
            return
        object_key = replace(value, path=value.object_path)
        column, confidence = self._find_column_of_value(object_key)
        if column is not None:
            self._add_entity(
                outer_subject,
                self._find_kind_of_row(outer_subject.object_path)
                or _find_node_type_of_category(column.row_kind),
            )
            self._add_entity(value, column.value_kind or None)
            self._add_claim(outer_subject, value, column, confidence)

    def _find_column_of_value(self, value: Value) -> _HeaderRelation:
        """Return the relation that the value's header states."""
        relation_types = self._vocabulary.relation_types
        category = self._find_category_of_row(value.object_path)
        kind = self._find_stated_kind_of_row(value.object_path) if category is None else None
        column = find_column(value.header, category or kind)
        if (
            column is not None
            and column.relation in relation_types
            and not self._may_row_be_no_subject_of_column(value, column, category or kind)
        ):
            is_guess = category is None and does_header_meaning_depend_on_row(value.header, kind)
            if not (is_guess and self._vocabulary.statements):
                return _HeaderRelation(column, _GUESS_CONFIDENCE if is_guess else _CONFIDENCE)
            return _HeaderRelation(None, 0.0)
        verb_meaning = find_meaning_of_verb(value.header, replace(self._vocabulary, open_relations=False))
        if verb_meaning is not None and "_" in value.header:
            return _HeaderRelation(
                Column(verb_meaning.relation_type, None, "", verb_meaning.direction is Direction.REVERSED),
                _CONFIDENCE,
            )
        # The value is another row's name: the two are related, by the header's relation where it is allowed.
        # With statements, the header is the predicate of one.
        if not self._vocabulary.statements and any(
            normalise_name(entry.text) in self._row_names for entry in value.list_entries()
        ):
            open_meaning = find_meaning_of_verb(value.header, self._vocabulary)
            relation = open_meaning.relation_type if open_meaning is not None else RELATED_TO.name
            if open_meaning is not None or relation in relation_types:
                is_reversed = open_meaning is not None and open_meaning.direction is Direction.REVERSED
                return _HeaderRelation(Column(relation, None, "", is_reversed), _GUESS_CONFIDENCE)
        return _HeaderRelation(None, 0.0)

    def _may_row_be_no_subject_of_column(self, value: Value, column: Column, category: str | None) -> bool:
        """Return whether a row may be something else than the column is for: a manager alone does not
        distinguish a person from a project, nor a contact a firm from an order.
        """
        if category is not None or not (column.needs_person_row or column.needs_known_row_kind):
            return False
        if column.needs_known_row_kind:
            return True
        subject = self._find_subject_of_object(value.object_path)
        return subject is None or len(subject.text.split()) < 2 or self._is_named_by_own_noun(subject)

    def _is_named_by_own_noun(self, subject: Value) -> bool:
        """Return whether the row's name stands under the noun of what it is ("Branch"), not under "Name"."""
        return subject is not self._record.title and subject.header not in NAME_KEYS

    def _add_claim(
        self, subject: Value, value: Value, column: Column, confidence: float, *, holds: bool = True
    ) -> None:
        end_names = normalise_name(clean_name(subject.text)), normalise_name(clean_name(value.text))
        source, target = end_names[::-1] if column.is_reversed else end_names
        state = (
            self._read_state_of_object(value.object_path)
            if column.relation in RELATIONS_WITH_TERM
            else RowState()
        )
        if state.is_planned:
            return
        quote = self._quote_lines(subject, value, *state.cited_values)
        if quote is None:
            if state.has_ended or state.end_date is not None:
                return
            state, quote = RowState(), self._quote_lines(value) or ""
        is_denied = state.has_ended and state.end_date is None
        self._claims.append(
            _Claim(
                source,
                target,
                column.relation,
                confidence,
                quote,
                Polarity.DENIED if is_denied or not holds else Polarity.ASSERTED,
                None if is_denied else state.start_date,
                state.end_date,
            )
        )

    def _read_state_of_object(self, object_path: str) -> RowState:
        """Return the validity of the statements of the object at this path; a task that is done keeps its
        owner.
        """
        if object_path not in self._state_by_path:
            is_task = self._find_category_of_row(object_path) == TASK
            self._state_by_path[object_path] = (
                RowState() if is_task else read_row_state(self._list_values_of_object(object_path))
            )
        return self._state_by_path[object_path]

    def _quote_lines(self, *values: Value) -> str | None:
        """Return the lines of these values and the lines between them; None if they are too far apart."""
        surface = self._quote_surface(*values)
        return surface.text if len(surface.text) <= _MAX_QUOTE_LENGTH or len(values) == 1 else None

    def _quote_surface(self, *values: Value) -> Surface:
        """Return the lines of these values and the lines between them."""
        text = self._chunk.text
        line_end = text.find("\n", max(value.end for value in values))
        start, end = min(value.line_start for value in values), len(text) if line_end < 0 else line_end
        return Surface(text[start:end], start, end)

    def _find_kind_of_row(self, object_path: str) -> str | None:
        """Return the kind of a row: stated by its values, by the key that names it, or by its columns; else
        None.
        """
        kind = self._find_kind_in_kind_column(object_path)
        if kind is not None:
            return kind
        category = self._find_category_of_row(object_path)
        if category is not None:
            return _find_node_type_of_category(category)
        stated_kind = self._find_stated_kind_of_row(object_path)
        if stated_kind is not None:
            return stated_kind
        for value in self._list_values_of_object(object_path):
            column = find_column(value.header, None)
            if (
                column is not None
                and column.row_kind
                and not self._may_row_be_no_subject_of_column(value, column, None)
            ):
                return _find_node_type_of_category(column.row_kind)
        return None

    def _find_stated_kind_of_row(self, object_path: str) -> str | None:
        """Return the kind that a value, the row's name or a header of one meaning states; None if they differ
        or none does.
        """
        kind = self._find_kind_in_kind_column(object_path)
        if kind is not None:
            return kind
        subject = self._find_subject_of_object(object_path)
        columns = [
            find_column(header, None)
            for header in self._list_headers_for_kind(object_path, subject)
            if not does_header_meaning_depend_on_row(header)
        ]
        kinds = {_find_node_type_of_category(column.row_kind) for column in columns if column is not None}
        if subject is not None:
            kinds.add(self._find_kind_shown_by_name_of_value(subject))
        kinds.discard(None)
        return kinds.pop() if len(kinds) == 1 else None

    def _find_kind_in_kind_column(self, object_path: str) -> str | None:
        """Return the kind in a column such as "type"; None without one."""
        for value in self._list_values_of_object(object_path):
            if value.header in KIND_KEYS:
                kind = to_node_type(value.text, self._vocabulary) or KIND_OF.get(value.text.strip().lower())
                if kind is not None:
                    return kind
        return None

    def _list_values_of_object(self, object_path: str) -> list[Value]:
        """Return the values of the object at this path, without those of inner objects."""
        return [value for value in self._record.values if value.object_path == object_path]

    def _list_headers_for_kind(self, object_path: str, row_name: Value | None) -> list[str]:
        """Return the headers that may show what a row is: not "contact", and not "boss" where its name stands
        under "Branch".
        """
        has_own_noun = row_name is not None and self._is_named_by_own_noun(row_name)
        return [
            value.header
            for value in self._list_values_of_object(object_path)
            if (column := find_column(value.header, None)) is None
            or not (column.needs_known_row_kind or (column.needs_person_row and has_own_noun))
        ]

    def _find_category_of_row(self, object_path: str) -> str | None:
        """Return the category of a row, by the key that names it, else by a key specific to such rows;
        else None.
        """
        if object_path not in self._category_by_path:
            row_name = find_row_name(self._record, object_path)
            headers = self._list_headers_for_kind(object_path, row_name)
            column_categories = (
                CATEGORY_BY_HEADER[header] for header in headers if header in CATEGORY_BY_HEADER
            )
            named_category = _find_category_by_noun(row_name) if row_name is not None else None
            self._category_by_path[object_path] = named_category or next(column_categories, None)
        return self._category_by_path[object_path]

    def _record_attribute(self, subject: Value, value: Value) -> bool:
        """Store the value as an attribute if the space asks for one of this name; return whether it does."""
        kind = self._find_kind_of_row(subject.object_path) or self._find_kind_shown_by_name_of_value(subject)
        if kind is None or value.header not in self._vocabulary.attributes.get(kind, {}):
            return False
        self._add_entity(subject, kind)
        key = normalise_name(clean_name(subject.text))
        surface = Surface(value.text, value.start, value.end)
        entity = self._entity_by_key.get(key)
        if entity is not None:
            attribute = FoundAttribute(value.header, value.text, surface)
            self._entity_by_key[key] = replace(entity, attributes=(*entity.attributes, attribute))
        return True

    def _find_kind_shown_by_name_of_value(self, value: Value) -> str | None:
        """Return the kind that a value's name shows; no first name makes a person of a row that stands under
        a noun of its own: "Rose Hill" under "Branch".
        """
        kind = find_kind_by_name(value.text)
        is_row = value is self._find_subject_of_object(value.object_path)
        if kind in PEOPLE and is_row and self._is_named_by_own_noun(value):
            noun = value.header.rpartition("_")[2]
            return kind if KIND_OF.get(noun) in PEOPLE else None
        return kind

    def _add_entity(self, value: Value, kind: str | None) -> None:
        name = clean_name(value.text)
        key = normalise_name(name)
        kind = kind or self._find_kind_shown_by_name_of_value(value)
        surface = Surface(value.text, value.start, value.end)
        entity = self._entity_by_key.get(key)
        if entity is not None:
            surfaces = tuple(sorted({*entity.surfaces, surface}, key=lambda mention: mention.start))
            is_certain = entity.is_type_certain or kind is None
            typed_entity = (
                entity if is_certain else replace(entity, node_type=kind or "", is_type_certain=True)
            )
            self._entity_by_key[key] = replace(typed_entity, surfaces=surfaces)
            return
        if kind not in self._vocabulary.node_types:
            kind = None
        if kind is not None or "Concept" in self._vocabulary.node_types:
            self._entity_by_key[key] = FoundEntity(
                name, kind or "Concept", (surface,), is_type_certain=kind is not None, confidence=0.95
            )


def _index_entities_by_name(entities: Collection[FoundEntity]) -> dict[str, int]:
    """Return the position of each entity by its names, normalised."""
    position_by_name: dict[str, int] = {}
    for position, entity in enumerate(entities):
        position_by_name.update(dict.fromkeys(map(normalise_name, (entity.name, *entity.aliases)), position))
    return position_by_name
