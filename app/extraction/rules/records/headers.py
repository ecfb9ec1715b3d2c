"""The headers of columns and the keys of records: which name the row, and what the others say of it."""

from dataclasses import dataclass

from app.scoring.stop_words import word_set


@dataclass(frozen=True, slots=True)
class Column:
    """The relation of a row to a column's value, with their kinds; `reversed` where the value is first."""

    relation: str
    row: str | None
    value: str
    reversed: bool = False


NAMING = word_set("""
    name title full_name fullname label person employee company company_name organisation organization
    organization_name product product_name project project_name customer customer_name client vendor supplier
    city_name tool library package service
""")
"""Keys whose value is what the record is about, where no `name` or `title` stands."""

ROW_KINDS = {
    **dict.fromkeys(("person", "employee", "full_name", "fullname"), "Person"),
    **dict.fromkeys(
        (
            "company",
            "company_name",
            "organisation",
            "organization",
            "organization_name",
            "vendor",
            "supplier",
        ),
        "Organization",
    ),
    **dict.fromkeys(("product", "product_name"), "Product"),
    **dict.fromkeys(("project", "project_name"), "Project"),
    **dict.fromkeys(("tool", "library", "package"), "Technology"),
}
"""The kind of a row by the key that names it."""

KIND_KEYS = word_set("type kind category node_type")
"""Keys whose value may be the kind of the row."""

_COLUMNS = {
    (
        "works_for",
        "Person",
        "Organization",
        False,
    ): "employer company works_for works_at firm",
    ("works_for", "Organization", "Person", True): "employees staff employee",
    ("works_on", "Person", "Project", False): "project projects works_on maintains",
    ("works_on", None, "Person", True): "maintainer maintainers lead team_lead project_lead",
    ("owns", None, "Organization", True): "owner owners owned_by parent_company parent acquired_by holding",
    ("owns", "Organization", "Organization", False): "subsidiary subsidiaries owns brands",
    (
        "part_of",
        None,
        "Organization",
        False,
    ): "department division team group part_of belongs_to",
    ("member_of", "Person", "Organization", False): "member_of membership party",
    ("head_of", "Organization", "Person", True): "ceo chairman president director head headed_by",
    ("located_in", None, "Location", False): """
        location city country town state region province headquarters hq based_in located_in place
        district county
    """,
    ("lives_in", "Person", "Location", False): "residence lives_in home_town hometown",
    ("born_in", "Person", "Location", False): "birthplace place_of_birth born_in birth_place",
    ("citizen_of", "Person", "Location", False): "citizenship nationality_country",
    ("created", None, "Person", True): """
        author authors creator creators founder founders founded_by created_by inventor written_by designer
        developer developers developed_by
    """,
    ("provides", None, "Organization", True): "manufacturer vendor supplier provider publisher maker",
    ("provides", "Organization", "Product", False): "products product services offers provides",
    (
        "depends_on",
        None,
        "Technology",
        False,
    ): "depends_on dependencies requires built_on runs_on",
    (
        "uses",
        None,
        "Technology",
        False,
    ): "uses stack technologies tools database framework",
    ("replaces", None, "Technology", False): "replaces successor_of supersedes",
    ("replaces", None, "Technology", True): "replaced_by superseded_by successor",
    ("integrates_with", None, "Technology", False): "integrates_with integrations compatible_with",
    ("knows", "Person", "Person", False): "knows friend friends colleague colleagues",
    ("married_to", "Person", "Person", False): "spouse wife husband married_to",
    ("parent_of", "Person", "Person", True): "father mother",
    ("educated_at", "Person", "Organization", False): "university school alma_mater college educated_at",
}
COLUMNS = {
    header: Column(relation, row, value, turned)
    for (relation, row, value, turned), headers in _COLUMNS.items()
    for header in headers.split()
}
"""The relation that each header states of its row and the value below it."""
