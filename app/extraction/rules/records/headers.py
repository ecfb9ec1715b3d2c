"""The headers of columns and the keys of records: which name the row, and what the others say of it.

A row has a category: the kind of its node, or one of a few kinds of record that the types of nodes do not
tell apart (a customer, a task, a work) and in which the same header says something else.
"""

import re
from dataclasses import dataclass

from app.domain.relation_type import CUSTOMER, TASK, WORK
from app.domain.relation_types import BY_NAME, INTEGRATES_WITH, RELATION_TYPES, REPORTS_TO
from app.domain.scoring.stop_words import word_set


@dataclass(frozen=True, slots=True)
class Column:
    """The relation of a row to a column's value; `value` is the kind of the other end.

    `reversed` where the value is the first of the two. `of_people_alone`: a row whose kind nothing tells
    may be no person, and has no such column.
    """

    relation: str
    row: str | None
    value: str
    reversed: bool = False
    of_people_alone: bool = False


NODE_TYPES = {CUSTOMER: "Organization", TASK: None, WORK: None}
"""The type of the node of a row whose category is none."""

_NAMING = (
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
    # Behind what they make and publish.
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
    # Behind those whom one gets in touch with by them.
    ("Person", "contact contact_name"),
    ("Location", "city_name city town country region state province county stadt land ville pays"),
)
NAMING = tuple(key for _, keys in _NAMING for key in keys.split())
"""Keys whose value is what the record is about, where no name or title stands; the first that is there."""

PLACES = frozenset(key for category, keys in _NAMING if category == "Location" for key in keys.split())
"""Those of a place: in an object within another one they say where that is."""

CATEGORY_BY_NAME = {key: category for category, keys in _NAMING if category for key in keys.split()}
"""The category of a row by the key that names it."""

_SHOWING = {
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
CATEGORY_BY_COLUMN = {key: category for category, keys in _SHOWING.items() for key in keys.split()}
"""The category of a row that is named by `name` or `title`, by another key that only such rows have."""

NO_NAME = word_set("id no nr number code key uuid guid date time timestamp day month year status state level")
"""Headers of first columns that name no row."""

TRIPLES = (("subject", "object"), ("source", "target"), ("from", "to"), ("head", "tail"), ("start", "end"))
"""Headers of the two ends of a relation, where a row is a relation and no thing."""
PREDICATES = (
    "predicate", "relation", "relationship", "relation_type", "rel", "verb", "edge", "property", "type",
    "label",
)  # fmt: skip
"""Headers of what such a row states of them; the first that is there."""

KIND_KEYS = word_set("type kind category node_type")
"""Keys whose value may be the kind of the row."""

_BY_HEADER: dict[str, list[Column]] = {}
for _entry in RELATION_TYPES:
    for _header in _entry.headers:
        _column = Column(_entry.name, _header.row, _header.value, _header.turned, _header.of_people_alone)
        for _key in _header.keys.split():
            _BY_HEADER.setdefault(_key, []).append(_column)
for _columns in _BY_HEADER.values():
    # Where nothing tells what a row is, the header tells first of people.
    _columns.sort(key=lambda column: column.row != "Person")


def find_column(header: str, category: str | None) -> Column | None:
    """The relation that a header states of a row of this category and the value below it.

    A column for any row is taken where the category has none of its own. Where the category is not known
    (None), that for any row comes first, and else the header tells what the row is.
    """
    columns = [
        column
        for column in _BY_HEADER.get(header, ())
        if category not in BY_NAME[column.relation].no_header_of
    ]
    categories = (category, NODE_TYPES.get(category), None) if category is not None else (None,)
    for row in categories:
        for column in columns:
            if column.row == row:
                return column
    return columns[0] if columns and category is None else None


_WORKS_WITH = word_set("integration integrations connector plugin")
"""Behind a name these head a column that says whether something works with it."""


def find_column_with_name(path: str, category: str | None) -> tuple[Column, str] | None:
    """The relation and the name in a header of yes and no: "Integrates with Slack", "Slack integration".

    The name is a part of the path, letter for letter.
    """
    label = path.rpartition(".")[2]
    word_spans = [match.span() for match in re.finditer(r"\S+", label)]
    words = [label[start:end] for start, end in word_spans]
    if len(words) > 1 and words[-1].lower() in _WORKS_WITH and words[0][0].isupper():
        return Column(INTEGRATES_WITH.name, None, ""), label[word_spans[0][0] : word_spans[-2][1]]
    for cut in range(len(words) - 1, 0, -1):
        column = find_column("_".join(words[:cut]).lower(), category)
        if column is not None and words[cut][0].isupper():
            return column, label[word_spans[cut][0] :].rstrip()
    return None
