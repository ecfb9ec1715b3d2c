"""Headers of columns and keys of records: the key that names the row, and the relations of the others.

A row has a category: the kind of its node, or one of a few kinds of record that node types do not distinguish
(a customer, a task, a work) and in which the same header has another meaning.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from app.domain.node_types import DOCUMENTS, EVENTS, GROUPS, PEOPLE, WORKS
from app.domain.relation_type import CUSTOMER, TASK, WORK
from app.domain.relation_types import INTEGRATES_WITH, RELATION_TYPE_BY_NAME, RELATION_TYPES, REPORTS_TO
from app.domain.scoring.stop_words import split_into_word_set


@dataclass(frozen=True, slots=True)
class Column:
    """The relation of a row to a column's value; `value_kind` is the kind of the other end.

    `is_reversed`: the value is the source. `needs_person_row`: the column does not apply to a row of unknown
    kind, which may be something else than a person. `needs_known_row_kind`: nor to any row of unknown kind.
    """

    relation: str
    row_kind: str | None
    value_kind: str
    is_reversed: bool = False
    needs_person_row: bool = False
    needs_known_row_kind: bool = False


NODE_TYPE_BY_CATEGORY = {CUSTOMER: "Organization", TASK: None, WORK: None}
"""The node type of a row whose category is not one."""

_NAME_KINDS_BY_CATEGORY = {CUSTOMER: PEOPLE | GROUPS, TASK: EVENTS | DOCUMENTS, WORK: WORKS}
"""The kinds of the names that rows of a category may have, if the category is not a kind itself."""

_NAMING_KEYS_BY_CATEGORY = (
    (
        "Person",
        """
        person employee full_name fullname employee_name mitarbeiter student patient player athlete member
        attendee speaker candidate teacher
        """,
    ),
    (CUSTOMER, "customer customer_name client client_name account account_name buyer kunde"),
    ("Product", "product product_name produkt produit drug medicine"),
    ("Technology", "tool library package repository repo application app system component module"),
    (WORK, "book film movie song album paper"),
    # After the names of products and publications.
    (
        "Organization",
        """
        company company_name organisation organization organization_name vendor vendor_name supplier
        supplier_name manufacturer publisher firma unternehmen lieferant entreprise fournisseur
        """,
    ),
    ("Project", "project project_name projekt projet"),
    ("", "label service"),
    (TASK, "issue ticket task summary subject"),
    # After the names of those whose contact it is.
    ("Person", "contact contact_name"),
    ("Location", "city_name city town country region state province county stadt land ville pays"),
)
NAMING_KEYS = tuple(key for _, keys in _NAMING_KEYS_BY_CATEGORY for key in keys.split())
"""Keys whose value names the record if it has no name or title, in order of priority."""

LOCATION_KEYS = frozenset(
    key for category, keys in _NAMING_KEYS_BY_CATEGORY if category == "Location" for key in keys.split()
)
"""Keys of a place: in an inner object they locate the enclosing one."""

CATEGORY_BY_NAMING_KEY = {
    key: category for category, keys in _NAMING_KEYS_BY_CATEGORY if category for key in keys.split()
}
"""The category of a row by the key that names it."""

_COLUMNS_BY_CATEGORY = {
    WORK: """
        isbn genre runtime cast studio release_year artist album author authors publisher producer
        screenwriter starring box_office year released release_date
    """,
    TASK: "assignee assigned_to reporter reported_by due_date sprint story_points priority",
    "Person": f"""
        job_title position salary hire_date hired_on date_of_birth birthday gender first_name last_name
        surname employee_id line_manager {REPORTS_TO.name} job supervisor vorgesetzter gehalt
    """,
    CUSTOMER: "account_manager annual_revenue churn_date renewal_date",
}
CATEGORY_BY_HEADER = {
    key: category for category, keys in _COLUMNS_BY_CATEGORY.items() for key in keys.split()
}
"""The category of a row named by `name` or `title`, by another key specific to such rows."""

IDENTIFIER_WORDS = split_into_word_set("id no nr number code key uuid guid")
"""Words of headers whose value identifies a row without naming it."""
NON_NAMING_WORDS = IDENTIFIER_WORDS | split_into_word_set(
    "date time timestamp day month year status state level"
)
"""Headers of first columns that do not name the row."""

END_HEADER_PAIRS = (
    ("subject", "object"),
    ("source", "target"),
    ("from", "to"),
    ("head", "tail"),
    ("start", "end"),
)
"""Headers of the two ends in a row that states a relation."""
PREDICATE_HEADERS = (
    "predicate", "relation", "relationship", "relation_type", "rel", "verb", "edge", "property", "type",
    "label",
)  # fmt: skip
"""Headers of the relation of such a row, in order of priority."""

KIND_KEYS = split_into_word_set("type kind category node_type")
"""Keys whose value may be the kind of the row."""

_COLUMNS_BY_HEADER: dict[str, list[Column]] = {}
for _relation_type in RELATION_TYPES:
    for _header in _relation_type.headers:
        _column = Column(
            _relation_type.name,
            _header.row_kind,
            _header.value_kind,
            _header.is_reversed,
            _header.needs_person_row,
            _header.needs_known_row_kind,
        )
        for _key in _header.header_words.split():
            _COLUMNS_BY_HEADER.setdefault(_key, []).append(_column)
for _columns in _COLUMNS_BY_HEADER.values():
    # For rows of unknown kind, columns of people come first.
    _columns.sort(key=lambda column: column.row_kind != "Person")


def find_column(header: str, category: str | None) -> Column | None:
    """Return the relation between a row of this category and the value below the header, or None.

    A column for any row applies if the category has none of its own. If the category is unknown (None), the
    column for any row comes first, and otherwise the header determines the category.
    """
    columns = [
        column
        for column in _COLUMNS_BY_HEADER.get(header, ())
        if category not in RELATION_TYPE_BY_NAME[column.relation].record_kinds_without_header
    ]
    categories = (category, NODE_TYPE_BY_CATEGORY.get(category), None) if category is not None else (None,)
    for row_kind in categories:
        for column in columns:
            if column.row_kind == row_kind:
                return column
    return columns[0] if columns and category is None else None


def does_header_meaning_depend_on_row(header: str, kind: str | None = None) -> bool:
    """Return whether what a header states depends on what the row is: "owner" of a product, of a task.

    If the row's name is of a certain kind, only rows that may have such a name count: "company" of a person
    has one meaning.
    """
    return len({column.relation for column in _list_columns(header, kind)}) > 1


def _list_columns(header: str, kind: str | None) -> list[Column]:
    """Return the columns of a header that may apply to a row with a name of this kind (None: of any)."""
    columns = _COLUMNS_BY_HEADER.get(header, [])
    if kind is None:
        return columns
    own_columns = [column for column in columns if column.row_kind == kind] or [
        column for column in columns if column.row_kind is None
    ]
    return own_columns + [
        column for column in columns if kind in _NAME_KINDS_BY_CATEGORY.get(column.row_kind or "", ())
    ]


_INTEGRATION_WORDS = split_into_word_set("integration integrations connector plugin")
"""Words after a name in the header of a column that states whether something works with it."""


class NamedColumn(NamedTuple):
    """A column, and the name in its header."""

    column: Column
    name: str


def find_column_with_name(path: str, category: str | None) -> NamedColumn | None:
    """Return the relation and the name in a header of a yes/no column, or None: "Integrates with Slack",
    "Slack integration".

    The name is an exact part of the path.
    """
    label = path.rpartition(".")[2]
    word_spans = [match.span() for match in re.finditer(r"\S+", label)]
    words = [label[start:end] for start, end in word_spans]
    if len(words) > 1 and words[-1].lower() in _INTEGRATION_WORDS and words[0][0].isupper():
        return NamedColumn(
            Column(INTEGRATES_WITH.name, None, ""), label[word_spans[0][0] : word_spans[-2][1]]
        )
    for name_start in range(len(words) - 1, 0, -1):
        column = find_column("_".join(words[:name_start]).lower(), category)
        if column is not None and words[name_start][0].isupper():
            return NamedColumn(column, label[word_spans[name_start][0] :].rstrip())
    return None
