"""Records as a graph by columns: a row is a node, a header a relation to its value, or an attribute."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from app.domain.layers import claim_relation_types
from app.domain.node_types import PEOPLE, PROPER_NAME_TYPES
from app.domain.relation_type import TASK, WORK
from app.domain.relation_types import RELATED_TO
from app.domain.table_headers import find_table_header_in_headings, remove_table_header_from_headings
from app.extraction.attributes import MAX_VALUE
from app.extraction.rules.english.date_patterns import ANY_DATE
from app.extraction.rules.english.lexicon import KIND_OF, ROLES
from app.extraction.rules.name_kinds import decide_kind, vote_by_name
from app.extraction.rules.records.clause_cells import is_clause
from app.extraction.rules.records.grids import read_tables_as_records
from app.extraction.rules.records.headers import (
    CATEGORY_BY_COLUMN,
    CATEGORY_BY_NAME,
    IDENTIFIERS,
    KIND_KEYS,
    NAMING_KEYS,
    NO_NAME,
    NODE_TYPES,
    PLACES,
    PREDICATES,
    TRIPLES,
    Column,
    find_column,
    find_column_with_name,
    is_ambiguous,
)
from app.extraction.rules.records.lines import Record, Value, read_field_blocks, read_record
from app.extraction.rules.records.states import (
    NO_NAME_OF_ANY,
    OF_TIMES,
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
from app.extraction.vocabulary import Direction, read_verb, to_node_type
from app.graph.names import clean_name, is_acceptable_name, normalise_name
from app.graph.validity import DatePoint, Polarity

_CONFIDENCE, _GUESS_CONFIDENCE = 0.9, 0.6
_MAX_NAME_LENGTH = 120
_MAX_QUOTE_LENGTH = 300
_YEAR_DIGITS = 4
_NAME_KEYS = ("name", "title")
_NAME_KEYS_OF_THINGS = [key for key in NAMING_KEYS if key not in PLACES]
_NAME_KEYS_OF_PLACES = [key for key in NAMING_KEYS if key in PLACES]


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


def find_row_name(record: Record, group: str = "") -> Value | None:
    """Return the value that names the record, or the object at path `group`; None if none does.

    "Sign the contract with Acme" names nothing, unless the record has an identifier or is a work.
    """
    value = _find_naming_value(record, group)
    return None if value is None or _is_clause_of_row(record, group, value) else value


def find_row_clause(record: Record, group: str = "") -> Value | None:
    """Return the clause that a record has in place of its name; None if it has none."""
    value = _find_naming_value(record, group)
    return value if value is not None and _is_clause_of_row(record, group, value) else None


def _is_clause_of_row(record: Record, group: str, value: Value) -> bool:
    """Return whether the value in the place of a row's name is a clause, and no title of a ticket or work."""
    headers = [value.header for value in record.values if value.group == group]
    is_identified = bool(headers) and not IDENTIFIERS.isdisjoint(headers[0].split("_"))
    categories = {CATEGORY_BY_NAME.get(value.header), *map(CATEGORY_BY_COLUMN.get, headers)}
    return not is_identified and WORK not in categories and is_clause(value.text)


def _find_naming_value(record: Record, group: str) -> Value | None:
    """Return the value of the key or column that names the record; None if there is none."""
    if not group and record.title is not None:
        # "December 1, 2015" above fields is their date; "2015 Budget" names something.
        date = ANY_DATE.match(record.title.text.lower())
        is_dated = date is not None and date.end() > _YEAR_DIGITS
        return record.title if _can_name(record.title.text) and not is_dated else None
    group_values = [value for value in record.values if value.group == group]
    naming_value = _find_first_value_of(
        (*_NAME_KEYS, *_NAME_KEYS_OF_THINGS), group_values
    ) or _find_first_column_name(group_values)
    if naming_value is not None or group:
        return naming_value
    # "office,city": a location names a row only if nothing else may.
    place = _find_first_value_of(_NAME_KEYS_OF_PLACES, group_values)
    values_before = group_values if place is None else group_values[: group_values.index(place)]
    return None if any(map(_is_unrelated_name, values_before)) else place


def _find_first_value_of(keys: Sequence[str], values: Sequence[Value]) -> Value | None:
    """Return the value of the first of these keys that can name the row, or None."""
    value_by_header = {value.header: value for value in reversed(values)}
    naming_values = (value_by_header[key] for key in keys if key in value_by_header)
    return next((value for value in naming_values if _can_name(value.text)), None)


def _find_first_column_name(values: Sequence[Value]) -> Value | None:
    """Return the first value of a row that may be its name, if another column states something; else None.

    A header that relates rows to things names the row only if no other column may: "Department, Supervisor".
    """
    identifiers = [value for value in values if NO_NAME.isdisjoint(value.header.split("_"))]
    if not identifiers or not _is_capitalised_name(identifiers[0]):
        return None
    first_identifier, *others = identifiers
    column = find_column(first_identifier.header, None)
    if column is not None and (column.value in ("", *PEOPLE) or any(map(_is_unrelated_name, others))):
        return None
    is_described = any(
        find_column(value.header, None) is not None or _find_kind_by_name(value.text) in PEOPLE
        for value in values
        if value is not first_identifier
    )
    return first_identifier if is_described else None


def _is_capitalised_name(value: Value) -> bool:
    return value.text[:1].isupper() and _can_name(value.text)


def _is_unrelated_name(value: Value) -> bool:
    """Return whether a value may be what its row is about: a name below a header that relates nothing."""
    is_identifier = not NO_NAME.isdisjoint(value.header.split("_"))
    return not is_identifier and _is_capitalised_name(value) and find_column(value.header, None) is None


def _find_kind_by_name(text: str) -> str | None:
    """Return the kind that a name itself shows; None if it shows none."""
    words = text.split()
    kind, is_certain = decide_kind(
        vote_by_name(normalise_name(text), words, [word.lower() for word in words])
    )
    return kind if is_certain else None


def _find_kind_by_header(header: str) -> str | None:
    """Return the kind of what a header calls its value: "Customer", "Field engineer"; None if it names no
    kind.
    """
    category = CATEGORY_BY_NAME.get(header)
    if category is not None:
        return _find_node_type_of_category(category)
    return "Person" if header.rpartition("_")[2] in ROLES else None


def _find_category_by_noun(row_name: Value) -> str | None:
    """Return the category of a row by the header of its name: "Project", "Department"; None for "Name"."""
    category = CATEGORY_BY_NAME.get(row_name.header)
    if category is not None or row_name.header in NAMING_KEYS or row_name.header in _NAME_KEYS:
        return category
    column = find_column(row_name.header, None)
    return None if column is None else column.value or None


def _find_node_type_of_category(category: str | None) -> str | None:
    return NODE_TYPES.get(category, category) if category is not None else None


def _can_name(text: str) -> bool:
    return len(text) <= _MAX_NAME_LENGTH and is_acceptable_name(text) and text.lower() not in NO_NAME_OF_ANY


class RecordGraph:
    """The entities and relations of one record; `rows` are the normalised names of the other rows."""

    def __init__(
        self, chunk: ChunkText, record: Record, rows: Collection[str], vocabulary: Vocabulary
    ) -> None:
        self._chunk, self._record, self._rows, self._vocabulary = chunk, record, rows, vocabulary
        self._entity_by_key: dict[str, FoundEntity] = {}
        self._claims: list[_Claim] = []
        self._clauses: list[tuple[Value, Value]] = []
        self._written_relations: list[tuple[Value, Value]] = []
        self._plain_values: list[tuple[Value, Value]] = []
        self._subjects: dict[str, Value | None] = {}
        self._categories: dict[str, str | None] = {}
        self._states: dict[str, RowState] = {}
        statement = self._find_stated_relation()
        for value in record.values if statement is None else ():
            self._read(value)
        if statement is not None:
            source, target, column = statement
            self._add(source, None)
            self._add(target, None)
            self._add_claim(source, target, column, _CONFIDENCE)
        if record.title is not None and (title := find_row_name(record)) is not None:
            self._add(title, self._find_kind_of_row(""))

    def list_entities(self) -> tuple[FoundEntity, ...]:
        """Return the entities that the record names, without duplicates."""
        return tuple(self._entity_by_key.values())

    @property
    def states_something(self) -> bool:
        """Return whether a column relates the row to an entity, or is an attribute of it."""
        return bool(self._claims or self._clauses or self._written_relations) or any(
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
        positions = _list_positions(entities)
        return [
            FoundRelation(
                positions[claim.source],
                positions[claim.target],
                claim.relation,
                claim.confidence,
                claim.quote,
                polarity=claim.polarity,
                valid_from=claim.start_date,
                valid_to=claim.end_date,
            )
            for claim in self._claims
            if claim.source in positions and claim.target in positions and claim.source != claim.target
        ]

    def list_statements(self, entities: Collection[FoundEntity]) -> list[FoundRelation]:
        """Return the statements between these entities of the chunk whose predicates are headers.

        The word of a relation type would make a claim of what the header does not state of this row.
        """
        positions = _list_positions(entities)
        closed_vocabulary = replace(
            self._vocabulary,
            open_relations=False,
            relation_types=self._vocabulary.relation_types | claim_relation_types(()),
        )
        return [
            FoundRelation(
                positions[source],
                positions[target],
                value.header,
                _CONFIDENCE,
                self._quote_lines(subject, value) or self._quote_lines(value) or "",
                is_statement=True,
            )
            for subject, value in self._written_relations
            if read_verb(value.header, closed_vocabulary) is None
            and (source := normalise_name(clean_name(subject.text))) in positions
            and (target := normalise_name(clean_name(value.text))) in positions
            and source != target
        ]

    def list_phrases(self, entities: Sequence[FoundEntity]) -> list[FoundPhrase]:
        """Return what rows without a name state of these entities of the chunk: "Sign the contract", "owner",
        "Ann Lee"; and the values of a row of a text that are no names: "Oak Meadow", "opened", "2014".
        """
        phrases = [
            FoundPhrase(position, self._build_phrase(clause, value, clause.text))
            for clause, value in self._clauses
            for position, entity in enumerate(entities)
            if any(
                clause.start <= surface.start < clause.end or value.start <= surface.start < value.end
                for surface in entity.surfaces
            )
        ]
        # A file of records may have thousands of values; its attributes are those that the space asks for.
        if self._chunk.is_record or not (self._vocabulary.statements and self.states_something):
            return phrases
        positions = _list_positions(entities)
        return phrases + [
            FoundPhrase(position, self._build_phrase(subject, value, ""))
            for subject, value in self._plain_values
            if (position := positions.get(normalise_name(clean_name(subject.text)))) is not None
            and IDENTIFIERS.isdisjoint(value.header.split("_"))
            and value.text.lower() not in NO_NAME_OF_ANY
            and any(char.isalnum() for char in value.text)
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

    def _find_stated_relation(self) -> tuple[Value, Value, Column] | None:
        """Return the two ends and the relation of a row that states a relation; None for a row that
        describes an entity.
        """
        value_by_header = {value.header: value for value in reversed(self._record.values)}
        verb = next((value_by_header[key] for key in PREDICATES if key in value_by_header), None)
        end_headers = next((pair for pair in TRIPLES if value_by_header.keys() >= set(pair)), None)
        verb_meaning = (
            read_verb(verb.text, self._vocabulary) if verb is not None and end_headers is not None else None
        )
        if (
            verb_meaning is None
            or end_headers is None
            or not all(_can_name(value_by_header[end].text) for end in end_headers)
        ):
            return None
        column = Column(verb_meaning[0], None, "", verb_meaning[1] is Direction.REVERSED)
        return value_by_header[end_headers[0]], value_by_header[end_headers[1]], column

    def _find_subject_of_object(self, group: str) -> Value | None:
        """Return the entity described by the values of this object: the object itself, else the enclosing
        one.
        """
        if group not in self._subjects:
            subject = find_row_name(self._record, group)
            if subject is None and group:
                subject = self._find_subject_of_object(group.rpartition(".")[0])
            self._subjects[group] = subject
        return self._subjects[group]

    def _read(self, value: Value) -> None:
        subject = self._find_subject_of_object(value.group)
        if subject is None:
            self._read_beside_clause(value)
            return
        if value is subject:
            self._add(value, self._find_kind_of_row(value.group))
            self._read_nested(value)
            return
        column, confidence = self._find_column_of_value(value)
        verdict = parse_yes_or_no(value.text)
        naming_values = (
            find_column_with_name(value.path, self._find_category_of_row(value.group))
            if verdict is not None
            else None
        )
        if naming_values is not None and naming_values[0].relation in self._vocabulary.relation_types:
            self._read_verdict(subject, value, *naming_values, holds=verdict is True)
            return
        if column is None:
            if not self._read_as_written(subject, value) and not self._read_attribute(subject, value):
                self._plain_values.append((subject, value))
            return
        for value_part in value.parts():
            if self._names_something(value_part):
                self._add(
                    subject, self._find_kind_of_row(subject.group) or _find_node_type_of_category(column.row)
                )
                self._add(value_part, column.value or None)
                self._add_claim(subject, value_part, column, confidence)

    def _read_beside_clause(self, value: Value) -> None:
        """Read a value of a row without a name: if a clause is in its place, the two are a statement."""
        clause = find_row_clause(self._record, value.group)
        column = find_column(value.header, self._find_category_of_row(value.group))
        if clause is None or column is None or value is clause or not self._vocabulary.statements:
            return
        value_parts = [value_part for value_part in value.parts() if self._names_something(value_part)]
        for value_part in value_parts:
            self._add(value_part, column.value or None)
        if value_parts and len(clause.text) <= MAX_VALUE:
            self._clauses.append((clause, value))

    def _read_as_written(self, subject: Value, value: Value) -> bool:
        """Read a value whose header states no relation of this row as a statement in the header's words, if
        the space has statements: "Oak Meadow", "manager", "Paul Stone". Return whether it names anything.
        """
        if not self._vocabulary.statements:
            return False
        column = find_column(value.header, None)
        kind = _find_kind_by_header(value.header)
        # "Customer: Acme, Leeds plant" has one customer.
        is_single = kind is not None and column is None
        value_parts = [
            value_part
            for value_part in value.parts()[: 1 if is_single else None]
            if self._names_something(value_part) and self._is_name(value_part, column, kind)
        ]
        for value_part in value_parts:
            self._add(subject, self._find_kind_of_row(subject.group))
            self._add(value_part, kind if column is None else column.value or None)
            self._written_relations.append((subject, value_part))
        return bool(value_parts)

    def _is_name(self, value: Value, column: Column | None, kind: str | None) -> bool:
        """Return whether a value is surely a name: by its header, by itself, or since the text has it."""
        return normalise_name(clean_name(value.text)) in self._rows or (
            value.text[:1].isupper()
            and (
                column is not None or kind is not None or _find_kind_by_name(value.text) in PROPER_NAME_TYPES
            )
        )

    def _names_something(self, value: Value) -> bool:
        """Return whether a value is a name, or another row's title, and no clause such as "ask Ann Lee"."""
        is_row = normalise_name(value.text) in self._rows
        return _can_name(value.text) and (is_row or not is_clause(value.text))

    def _read_verdict(self, subject: Value, value: Value, column: Column, name: str, *, holds: bool) -> None:
        """Read "Integrates with Slack: no": the header names the other end, the value is the polarity.

        A header in another chunk is skipped, since it cannot be quoted here.
        """
        if value.label_start is None:
            return
        start = self._chunk.text.index(name, value.label_start)
        end = Value(value.path, name, start, start + len(name), value.line_start, value.label_start)
        if _can_name(name):
            self._add(
                subject, self._find_kind_of_row(subject.group) or _find_node_type_of_category(column.row)
            )
            self._add(end, column.value or None)
            cited_end = replace(end, start=value.start, end=value.end)
            self._add_claim(subject, cited_end, column, _CONFIDENCE, holds=holds)

    def _read_nested(self, value: Value) -> None:
        """Relate the entity of an inner object to the enclosing one, by the key of the inner object."""
        outer_subject = self._find_subject_of_object(value.group.rpartition(".")[0]) if value.group else None
        if outer_subject is None or outer_subject is value:
            return
        key = replace(value, path=value.group)
        column, confidence = self._find_column_of_value(key)
        if column is not None:
            self._add(
                outer_subject,
                self._find_kind_of_row(outer_subject.group) or _find_node_type_of_category(column.row),
            )
            self._add(value, column.value or None)
            self._add_claim(outer_subject, value, column, confidence)

    def _find_column_of_value(self, value: Value) -> tuple[Column | None, float]:
        """Return the relation of the header, and its confidence; None for an attribute."""
        types = self._vocabulary.relation_types
        category = self._find_category_of_row(value.group)
        kind = self._find_stated_kind_of_row(value.group) if category is None else None
        column = find_column(value.header, category or kind)
        if (
            column is not None
            and column.relation in types
            and not self._may_not_apply(value, column, category or kind)
        ):
            is_guess = category is None and is_ambiguous(value.header, kind)
            if not (is_guess and self._vocabulary.statements):
                return column, _GUESS_CONFIDENCE if is_guess else _CONFIDENCE
            return None, 0.0
        verb = read_verb(value.header, replace(self._vocabulary, open_relations=False))
        if verb is not None and "_" in value.header:
            return Column(verb[0], None, "", verb[1] is Direction.REVERSED), _CONFIDENCE
        # The value is another row's name: the two are related, by the header's relation where it is allowed.
        # With statements, the header is the predicate of one.
        if not self._vocabulary.statements and any(
            normalise_name(value_part.text) in self._rows for value_part in value.parts()
        ):
            open_verb = read_verb(value.header, self._vocabulary)
            relation = open_verb[0] if open_verb is not None else RELATED_TO.name
            if open_verb is not None or relation in types:
                is_turned = open_verb is not None and open_verb[1] is Direction.REVERSED
                return Column(relation, None, "", is_turned), _GUESS_CONFIDENCE
        return None, 0.0

    def _may_not_apply(self, value: Value, column: Column, category: str | None) -> bool:
        """Return whether a row may be something else than the column is for: a manager alone does not tell a
        person from a project, nor a contact a firm from an order.
        """
        if category is not None or not (column.needs_person_row or column.needs_known_row_kind):
            return False
        if column.needs_known_row_kind:
            return True
        subject = self._find_subject_of_object(value.group)
        return subject is None or len(subject.text.split()) < 2 or self._is_named_by_own_noun(subject)

    def _is_named_by_own_noun(self, subject: Value) -> bool:
        """Return whether the row's name stands under the noun of what it is ("Branch"), not under "Name"."""
        return subject is not self._record.title and subject.header not in _NAME_KEYS

    def _add_claim(
        self, subject: Value, value: Value, column: Column, confidence: float, *, holds: bool = True
    ) -> None:
        end_names = normalise_name(clean_name(subject.text)), normalise_name(clean_name(value.text))
        source, target = end_names[::-1] if column.is_reversed else end_names
        state = self._read_state_of_object(value.group) if column.relation in OF_TIMES else RowState()
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

    def _read_state_of_object(self, group: str) -> RowState:
        """Return the validity of the statements of the object at this path; a task that is done keeps its
        owner.
        """
        if group not in self._states:
            is_task = self._find_category_of_row(group) == TASK
            self._states[group] = (
                RowState() if is_task else read_row_state(self._list_values_of_object(group))
            )
        return self._states[group]

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

    def _find_kind_of_row(self, group: str) -> str | None:
        """Return the kind of a row: stated by its values, by the key that names it, or by its columns; else
        None.
        """
        kind = self._find_kind_in_kind_column(group)
        if kind is not None:
            return kind
        category = self._find_category_of_row(group)
        if category is not None:
            return _find_node_type_of_category(category)
        stated_kind = self._find_stated_kind_of_row(group)
        if stated_kind is not None:
            return stated_kind
        for value in self._list_values_of_object(group):
            column = find_column(value.header, None)
            if column is not None and column.row and not self._may_not_apply(value, column, None):
                return _find_node_type_of_category(column.row)
        return None

    def _find_stated_kind_of_row(self, group: str) -> str | None:
        """Return the kind that a value, the row's name or a header of one meaning states; None if they differ
        or none does.
        """
        kind = self._find_kind_in_kind_column(group)
        if kind is not None:
            return kind
        subject = self._find_subject_of_object(group)
        columns = [
            find_column(header, None)
            for header in self._list_telling_headers(group, subject)
            if not is_ambiguous(header)
        ]
        kinds = {_find_node_type_of_category(column.row) for column in columns if column is not None}
        if subject is not None:
            kinds.add(self._kind_by_name(subject))
        kinds.discard(None)
        return kinds.pop() if len(kinds) == 1 else None

    def _find_kind_in_kind_column(self, group: str) -> str | None:
        """Return the kind in a column such as "type"; None without one."""
        for value in self._list_values_of_object(group):
            if value.header in KIND_KEYS:
                kind = to_node_type(value.text, self._vocabulary) or KIND_OF.get(value.text.strip().lower())
                if kind is not None:
                    return kind
        return None

    def _list_values_of_object(self, group: str) -> list[Value]:
        """Return the values of the object at this path, without those of inner objects."""
        return [value for value in self._record.values if value.group == group]

    def _list_telling_headers(self, group: str, row_name: Value | None) -> list[str]:
        """Return the headers that may tell what a row is: not "contact", and not "boss" where its name stands
        under "Branch".
        """
        has_own_noun = row_name is not None and self._is_named_by_own_noun(row_name)
        return [
            value.header
            for value in self._list_values_of_object(group)
            if (column := find_column(value.header, None)) is None
            or not (column.needs_known_row_kind or (column.needs_person_row and has_own_noun))
        ]

    def _find_category_of_row(self, group: str) -> str | None:
        """Return the category of a row, by the key that names it, else by a key specific to such rows;
        else None.
        """
        if group not in self._categories:
            row_name = find_row_name(self._record, group)
            headers = self._list_telling_headers(group, row_name)
            column_categories = (
                CATEGORY_BY_COLUMN[header] for header in headers if header in CATEGORY_BY_COLUMN
            )
            named_category = _find_category_by_noun(row_name) if row_name is not None else None
            self._categories[group] = named_category or next(column_categories, None)
        return self._categories[group]

    def _read_attribute(self, subject: Value, value: Value) -> bool:
        """Store the value as an attribute if the space asks for one of this name; return whether it does."""
        kind = self._find_kind_of_row(subject.group) or self._kind_by_name(subject)
        if kind is None or value.header not in self._vocabulary.attributes.get(kind, {}):
            return False
        self._add(subject, kind)
        key = normalise_name(clean_name(subject.text))
        surface = Surface(value.text, value.start, value.end)
        entity = self._entity_by_key.get(key)
        if entity is not None:
            attribute = FoundAttribute(value.header, value.text, surface)
            self._entity_by_key[key] = replace(entity, attributes=(*entity.attributes, attribute))
        return True

    def _kind_by_name(self, value: Value) -> str | None:
        """Return the kind that a value's name shows; no first name makes a person of a row that stands under
        a noun of its own: "Rose Hill" under "Branch".
        """
        kind = _find_kind_by_name(value.text)
        is_row = value is self._find_subject_of_object(value.group)
        if kind in PEOPLE and is_row and self._is_named_by_own_noun(value):
            noun = value.header.rpartition("_")[2]
            return kind if KIND_OF.get(noun) in PEOPLE else None
        return kind

    def _add(self, value: Value, kind: str | None) -> None:
        name = clean_name(value.text)
        key = normalise_name(name)
        kind = kind or self._kind_by_name(value)
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


def _list_positions(entities: Collection[FoundEntity]) -> dict[str, int]:
    """Return the position of each entity by its names, normalised."""
    positions: dict[str, int] = {}
    for position, entity in enumerate(entities):
        positions.update(dict.fromkeys(map(normalise_name, (entity.name, *entity.aliases)), position))
    return positions


def list_row_names(chunks: Sequence[ChunkText]) -> set[str]:
    """Return the normalised names of all rows among these chunks."""
    row_names = (find_row_name(record) for chunk in chunks for record in _list_records(chunk))
    return {normalise_name(clean_name(value.text)) for value in row_names if value is not None}


def record_graphs(chunk: ChunkText, rows: Collection[str], vocabulary: Vocabulary) -> list[RecordGraph]:
    """Return the graph of a chunk that is a record, or those of the rows of its tables and of its blocks of
    fields.

    A row of a table counts only if its columns state something: many tables name no entities.
    """
    graphs = [RecordGraph(chunk, record, rows, vocabulary) for record in _list_records(chunk)]
    return [graph for graph in graphs if chunk.is_record or graph.states_something]


def _list_records(chunk: ChunkText) -> list[Record]:
    record = _record(chunk)
    if record is not None:
        return [record]
    if chunk.is_record:
        return []
    tables = read_tables_as_records(chunk.text, find_table_header_in_headings(chunk.heading_path))
    blocks = read_field_blocks(chunk.text, chunk.heading_path)
    # The customer of a project does not name the project.
    return [
        *tables,
        *(block for block in blocks if block.title is not None or block.values[0].header in _NAME_KEYS),
    ]


def _record(chunk: ChunkText) -> Record | None:
    if not chunk.is_record:
        return None
    record = read_record(
        chunk.text, next(iter(remove_table_header_from_headings(chunk.heading_path)[-1:]), None)
    )
    return record if record.end else None


def blank_out_record_values(chunk: ChunkText) -> ChunkText:
    """Return the chunk with spaces in place of the lines of its record, which are not sentences; offsets
    stay valid.
    """
    record = _record(chunk)
    return chunk if record is None else replace(chunk, text=" " * record.end + chunk.text[record.end :])


def add_record_entities(graph: RecordGraph, prose_entities: Sequence[FoundEntity]) -> tuple[FoundEntity, ...]:
    """Return the entities of a record and those of the prose, merged by name; the record's data has priority.

    The prose decides the type that the record leaves open, but a first name makes no person of a row.
    """
    entity_by_name = {normalise_name(entity.name): entity for entity in graph.list_entities()}
    for entity in prose_entities:
        key = normalise_name(entity.name)
        earlier_entity = entity_by_name.get(key)
        if (
            earlier_entity is not None
            and entity.is_type_certain
            and not earlier_entity.is_type_certain
            and not (entity.node_type in PEOPLE and graph.is_named_by_own_noun(key))
        ):
            earlier_entity = replace(earlier_entity, node_type=entity.node_type, is_type_certain=True)
        if earlier_entity is None:
            entity_by_name[key] = entity
            continue
        surfaces = tuple(
            sorted({*earlier_entity.surfaces, *entity.surfaces}, key=lambda surface: surface.start)
        )
        entity_by_name[key] = replace(
            earlier_entity, surfaces=surfaces, aliases=entity.aliases, short_names=entity.short_names
        )
    return tuple(entity_by_name.values())
