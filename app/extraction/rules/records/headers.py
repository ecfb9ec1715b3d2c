"""The headers of columns and the keys of records: which name the row, and what the others say of it.

A row has a category: the kind of its node, or one of a few kinds of record that the types of nodes do not
tell apart (a customer, a task, a work) and in which the same header says something else.
"""

import re
from dataclasses import dataclass

from app.scoring.stop_words import word_set


@dataclass(frozen=True, slots=True)
class Column:
    """The relation of a row to a column's value; `row` is the category, `value` the kind of the other end.

    `reversed` where the value is the first of the two.
    """

    relation: str
    row: str | None
    value: str
    reversed: bool = False


CUSTOMER, TASK, WORK = "customer", "task", "work"
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
    "Person": """
        job_title position salary hire_date hired_on date_of_birth birthday gender first_name last_name
        surname employee_id line_manager reports_to job supervisor vorgesetzter gehalt
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

_COLUMNS = {
    (
        "works_for",
        "Person",
        "Organization",
        False,
    ): "employer company company_name works_for works_at firm organization organisation firma arbeitgeber",
    ("works_for", CUSTOMER, "Person", True): "contact contact_name contact_person primary_contact",
    ("works_for", "Organization", "Person", True): """
        employees staff employee contact contact_name contact_person primary_contact
    """,
    ("reports_to", "Person", "Person", False): """
        manager line_manager reports_to supervisor boss managed_by vorgesetzter chef
    """,
    ("works_on", "Person", "Project", False): "project projects works_on maintains projekt projet",
    ("works_on", None, "Person", True): "maintainer maintainers lead team_lead project_lead",
    ("works_on", "Project", "Person", True): "manager project_manager owner members team_members",
    ("works_on", "Technology", "Organization", True): "team",
    ("works_on", TASK, "Person", True): "assignee assigned_to owner responsible",
    ("works_on", CUSTOMER, "Person", True): "owner account_owner account_manager sales_rep salesperson",
    ("created", TASK, "Person", True): "reporter reported_by opened_by author",
    ("owns", None, "", True): "owner owners owned_by",
    ("owns", None, "Organization", True): "parent_company parent acquired_by holding",
    ("owns", "Organization", "Organization", False): "subsidiary subsidiaries owns brands",
    (
        "part_of",
        None,
        "Organization",
        False,
    ): "department division team group part_of belongs_to abteilung",
    ("member_of", "Person", "Organization", False): "member_of membership party team club",
    ("head_of", "Organization", "Person", True): """
        ceo chairman president director managing_director head headed_by geschäftsführer
    """,
    ("located_in", None, "Location", False): """
        location city country town state region province headquarters hq based_in located_in place
        district county ort stadt land hauptsitz standort ville pays venue datacenter data_center
    """,
    ("originates_in", WORK, "Location", False): "country country_of_origin",
    ("lives_in", "Person", "Location", False): "residence lives_in home_town hometown wohnort",
    ("born_in", "Person", "Location", False): "birthplace place_of_birth born_in birth_place geburtsort",
    ("citizen_of", "Person", "Location", False): "citizenship nationality_country",
    ("created", None, "Person", True): """
        author authors creator creators founder founders founded_by created_by inventor written_by designer
        developer developers developed_by autor auteur gründer
    """,
    ("created", WORK, "Person", True): """
        director directors directed_by producer screenwriter writer artist composer editor
    """,
    ("acted_in", WORK, "Person", True): "cast starring actors actor",
    ("provides", None, "Organization", True): """
        manufacturer vendor supplier provider publisher maker hersteller lieferant fournisseur
    """,
    ("provides", "Product", "Organization", True): "company company_name brand firma",
    ("provides", "Organization", "Product", False): "products product services offers provides produkt",
    ("uses", CUSTOMER, "Product", False): "product products item plan subscription produkt produit",
    (
        "depends_on",
        None,
        "Technology",
        False,
    ): "depends_on dependencies requires built_on runs_on hosted_on deployed_on platform",
    (
        "uses",
        None,
        "Technology",
        False,
    ): "uses stack technologies tools database framework os operating_system programming_language",
    ("replaces", None, "Technology", False): "replaces successor_of supersedes",
    ("replaces", None, "Technology", True): "replaced_by superseded_by successor",
    ("integrates_with", None, "Technology", False): "integrates_with integrations compatible_with",
    ("knows", "Person", "Person", False): "knows friend friends colleague colleagues",
    ("married_to", "Person", "Person", False): "spouse wife husband married_to",
    ("parent_of", "Person", "Person", True): "father mother",
    ("educated_at", "Person", "Organization", False): "university school alma_mater college educated_at",
}
_SAID_OF_OTHERS = {CUSTOMER: "provides"}
"""What a column says of something else than the row: an order's supplier supplies the product."""

_BY_HEADER: dict[str, list[Column]] = {}
for (_relation, _row, _value, _turned), _headers in _COLUMNS.items():
    for _header in _headers.split():
        _BY_HEADER.setdefault(_header, []).append(Column(_relation, _row, _value, _turned))


def column_of(header: str, category: str | None) -> Column | None:
    """The relation that a header states of a row of this category and the value below it.

    A column for any row is taken where the category has none of its own. Where the category is not known
    (None), that for any row comes first, and else the header tells what the row is.
    """
    columns = [
        column
        for column in _BY_HEADER.get(header, ())
        if column.relation != _SAID_OF_OTHERS.get(category or "")
    ]
    wanted = (category, NODE_TYPES.get(category), None) if category is not None else (None,)
    for row in wanted:
        for column in columns:
            if column.row == row:
                return column
    return columns[0] if columns and category is None else None


_WORKS_WITH = word_set("integration integrations connector plugin")
"""Behind a name these head a column that says whether something works with it."""


def named_column(path: str, category: str | None) -> tuple[Column, str] | None:
    """The relation and the name in a header of yes and no: "Integrates with Slack", "Slack integration".

    The name is a part of the path, letter for letter.
    """
    label = path.rpartition(".")[2]
    places = [found.span() for found in re.finditer(r"\S+", label)]
    words = [label[start:end] for start, end in places]
    if len(words) > 1 and words[-1].lower() in _WORKS_WITH and words[0][0].isupper():
        return Column("integrates_with", None, ""), label[places[0][0] : places[-2][1]]
    for cut in range(len(words) - 1, 0, -1):
        column = column_of("_".join(words[:cut]).lower(), category)
        if column is not None and words[cut][0].isupper():
            return column, label[places[cut][0] :].rstrip()
    return None
