"""CSV and JSON records become facts by column: rows are nodes, headers relations or attributes (B7)."""

import json
import uuid
from dataclasses import replace

import pytest

from app.documents.chunker import split_into_chunks as cut
from app.documents.parsing import parse_document
from app.domain.layers import Layer, get_layer_of_relation
from app.extraction.attributes import keep_attributes_stated_in_chunk
from app.extraction.grounding import keep_entities_named_in_chunk, keep_relations_stated_in_chunk
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundEntity, Vocabulary
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId
from app.space_settings import AttributeKind
from tests.support.rules_reading import VOCABULARY, read_by_rules

DOCUMENT = DocumentId(uuid.UUID(int=1))
WITHOUT_STATEMENTS = replace(VOCABULARY, statements=False)
WITH_STATEMENTS = replace(DEFAULT_VOCABULARY, statements=True)
Triple = tuple[str, str, str]


def read(
    raw: str, form: str, vocabulary: Vocabulary = DEFAULT_VOCABULARY
) -> tuple[list[FoundEntity], dict[Triple, str]]:
    """The grounded entities of a document's chunks, and its triples with their quotes."""
    drafts = cut(parse_document(raw.encode(), form))
    chunks = [
        ChunkText(
            ChunkId(uuid.UUID(int=at)),
            DocumentId(uuid.UUID(int=1)),
            "staff.csv",
            draft.text,
            draft.heading_path,
            is_record=True,
        )
        for at, draft in enumerate(drafts, start=1)
    ]
    extractor = RulesExtractor()
    found = [
        keep_entities_named_in_chunk(chunk, named, vocabulary)[0]
        for chunk, named in zip(chunks, extractor.extract_entities(chunks, vocabulary), strict=True)
    ]
    found = [
        keep_attributes_stated_in_chunk(chunk, named, vocabulary.attributes, extractor.drop_counts)
        for chunk, named in zip(chunks, found, strict=True)
    ]
    # As an ingest does: the second pass has the chunks that name several things.
    several = [at for at, named in enumerate(found) if len(named) > 1]
    answers = extractor.extract_relations(
        [chunks[at] for at in several], [tuple(found[at]) for at in several], vocabulary
    )
    stated: dict[Triple, str] = {}
    for at, relations in zip(several, answers, strict=True):
        for relation in keep_relations_stated_in_chunk(chunks[at], found[at], relations, vocabulary)[0]:
            ends = found[at][relation.from_entity].name, found[at][relation.to_entity].name
            stated[(ends[0], relation.relation_type, ends[1])] = relation.quote
            assert chunks[at].text[relation.quote_start : relation.quote_end] == relation.quote
    return [entity for named in found for entity in named], stated


def test_a_row_is_a_node_and_headers_are_relations() -> None:
    found, stated = read(
        "name,employer,city,salary\nAnn Lee,Kestrel Freight,Oslo,50000\nBob Stone,Bar Labs,Bergen,40000\n",
        "csv",
    )
    assert set(stated) == {
        ("Ann Lee", "works_for", "Kestrel Freight"),
        ("Ann Lee", "located_in", "Oslo"),
        ("Bob Stone", "works_for", "Bar Labs"),
        ("Bob Stone", "located_in", "Bergen"),
    }
    assert stated[("Ann Lee", "works_for", "Kestrel Freight")] == "Ann Lee\nemployer: Kestrel Freight"
    assert {entity.name: entity.node_type for entity in found} == {
        "Ann Lee": "Person", "Kestrel Freight": "Organization", "Oslo": "Location",
        "Bob Stone": "Person", "Bar Labs": "Organization", "Bergen": "Location",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            "name,title,manager\nTom Okafor,CEO,\nLena Fischer,Head of Sales,Tom Okafor\n",
            {("Lena Fischer", "reports_to", "Tom Okafor")},
        ),
        (
            "Name,Job Title,Reports To\nRaj Patel,Engineer,Mira Cohen\n",
            {("Raj Patel", "reports_to", "Mira Cohen")},
        ),
        ("name,manager\nApollo,Ann Lee\n", set()),
        ("project,manager\nApollo,Ann Lee\n", {("Ann Lee", "works_on", "Apollo")}),
        ("customer,product,quantity\nGlobex,Widget Pro,3\n", {("Globex", "uses", "Widget Pro")}),
        ("company,product\nInitech,Widget Pro\n", {("Initech", "provides", "Widget Pro")}),
        (
            "account,owner,city\nGlobex,Lena Fischer,Munich\n",
            {("Lena Fischer", "works_on", "Globex"), ("Globex", "located_in", "Munich")},
        ),
        ("service,owner\nbilling-api,Payments Team\n", {("Payments Team", "owns", "billing-api")}),
        (
            "id,title,assignee,reporter\n17,Fix login bug,Bob Stone,Ann Lee\n",
            {("Bob Stone", "works_on", "Fix login bug"), ("Ann Lee", "created", "Fix login bug")},
        ),
        ("first_name,last_name,employer\nAnn,Lee,Globex\n", {("Ann Lee", "works_for", "Globex")}),
        (
            "title,director,year,country\nAlien,Ridley Scott,1979,United Kingdom\n",
            {("Ridley Scott", "created", "Alien"), ("Alien", "originates_in", "United Kingdom")},
        ),
        ("company,director\nInitech,Tom Okafor\n", {("Tom Okafor", "head_of", "Initech")}),
        ("city,country\nOslo,Norway\n", {("Oslo", "located_in", "Norway")}),
        (
            "vendor,country,contact,services\nContoso Ltd.,Germany,Greta Lang,Cloud Hosting\n",
            {
                ("Contoso Ltd.", "located_in", "Germany"), ("Greta Lang", "works_for", "Contoso Ltd."),
                ("Contoso Ltd.", "provides", "Cloud Hosting"),
            },
        ),
        ("contact,phone,city\nGreta Lang,555,Berlin\n", {("Greta Lang", "located_in", "Berlin")}),
        ("buyer,item,supplier\nGlobex,Widget Pro,Contoso Ltd.\n", {("Globex", "uses", "Widget Pro")}),
        (
            "book,author,publisher\nDune,Frank Herbert,Chilton Books\n",
            {("Frank Herbert", "created", "Dune"), ("Chilton Books", "provides", "Dune")},
        ),
        (
            "application,owner,team,database\nBilling API,Ann Lee,Payments Team,PostgreSQL\n",
            {
                ("Ann Lee", "owns", "Billing API"), ("Payments Team", "works_on", "Billing API"),
                ("Billing API", "uses", "PostgreSQL"),
            },
        ),
        # A first column whose header tells nothing names the row where another one states something.
        ("event,venue,date\nPGConf,Prague Castle,2024-10-22\n", {("PGConf", "located_in", "Prague Castle")}),
        ("id,widget,maker\n7,Flange Kit,Contoso Ltd.\n", {("Contoso Ltd.", "provides", "Flange Kit")}),
        ("note,price\nCheap Thing,5\n", set()),
        ("status,owner\nOpen,Ann Lee\n", set()),
        ("Name;Firma;Ort\nAnna Schmidt;Siemens AG;München\n", {
            ("Anna Schmidt", "works_for", "Siemens AG"), ("Anna Schmidt", "located_in", "München"),
        }),
    ],
)  # fmt: skip
def test_what_a_header_says_depends_on_what_a_row_is(raw: str, expected: set[Triple]) -> None:
    _, stated = read(raw, "csv")
    assert set(stated) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("subject,predicate,object\nAnn Lee,works for,Globex\n", {("Ann Lee", "works_for", "Globex")}),
        ("source,target,type\nBilling API,PostgreSQL,depends_on\n",
         {("Billing API", "depends_on", "PostgreSQL")}),
        ("from,relation,to\nGlobex,founded by,Ann Lee\n", {("Ann Lee", "created", "Globex")}),
        ("from,relation,to\nBerlin,arrives before,Oslo\n", set()),
        ("from,to,sent\nAnn Lee,Bob Stone,2024-01-01\n", set()),
    ],
)  # fmt: skip
def test_a_row_may_be_a_relation(raw: str, expected: set[Triple]) -> None:
    """A list of edges, as graphs are exported: the row is no thing, its verb is read as anybody's."""
    _, stated = read(raw, "csv")
    assert set(stated) == expected


def test_a_name_goes_before_a_title_but_for_an_identifier() -> None:
    job = parse_document(b'{"name": "Ann Lee", "title": "Head of Sales"}', "json")
    file = parse_document(b'{"name": "petstore.json", "title": "Petstore"}', "json")
    assert [job.text.split("\n")[0], file.text.split("\n")[0]] == ["Ann Lee", "Petstore"]


def test_a_header_over_names_of_other_rows_relates_them() -> None:
    _, stated = read("name,mentor\nAnn Lee,Bob Stone\nBob Stone,\nEva Berg,Nobody\n", "csv")
    assert set(stated) == {("Ann Lee", "related_to", "Bob Stone")}


def test_an_open_vocabulary_keeps_the_header_as_a_relation() -> None:
    vocabulary = Vocabulary(
        DEFAULT_VOCABULARY.node_types, DEFAULT_VOCABULARY.relation_types, open_relations=True
    )
    _, stated = read("name,buddy\nAnn Lee,Bob Stone\nBob Stone,Ann Lee\n", "csv", vocabulary)
    assert set(stated) == {("Ann Lee", "buddy", "Bob Stone"), ("Bob Stone", "buddy", "Ann Lee")}


def test_nested_objects_are_read_by_path() -> None:
    record = {
        "name": "Kestrel Freight",
        "address": {"street": "12 Harbour Street", "city": "Oslo"},
        "founders": ["Ann Lee", "Eva Berg"],
        "employees": [{"name": "Bob Stone", "city": "Bergen"}],
    }
    _, stated = read(json.dumps(record), "json")
    assert set(stated) == {
        ("Kestrel Freight", "located_in", "Oslo"),
        ("Ann Lee", "created", "Kestrel Freight"),
        ("Eva Berg", "created", "Kestrel Freight"),
        ("Bob Stone", "works_for", "Kestrel Freight"),
        ("Bob Stone", "located_in", "Bergen"),
    }


def test_a_column_is_an_attribute_where_the_space_asks_for_it() -> None:
    vocabulary = Vocabulary(
        DEFAULT_VOCABULARY.node_types,
        DEFAULT_VOCABULARY.relation_types,
        attributes={"Person": {"salary": AttributeKind.NUMBER}},
    )
    found, _ = read("name,employer,salary\nAnn Lee,Acme,50000\n", "csv", vocabulary)
    [person] = [entity for entity in found if entity.name == "Ann Lee"]
    assert [(attribute.name, attribute.value) for attribute in person.attributes] == [("salary", 50000)]


@pytest.mark.parametrize(
    "raw",
    ["a,b\n1,2\n3,4\n", "date,price\n2024-01-01,5\n", "name,notes\nAnn Lee,She Likes Big Hats\n"],
)
def test_columns_that_say_nothing_of_a_name_make_no_claim(raw: str) -> None:
    found, stated = read(raw, "csv")
    assert stated == {}
    assert {entity.name for entity in found} <= {"Ann Lee"}


def test_prose_below_a_record_is_read_as_prose() -> None:
    record = {"name": "Ann Lee", "employer": "Acme", "text": "Bob Stone founded Globex Corporation in 1990."}
    _, stated = read(json.dumps(record), "json")
    assert set(stated) == {
        ("Ann Lee", "works_for", "Acme"), ("Bob Stone", "created", "Globex Corporation")
    }  # fmt: skip


def test_values_over_the_limits_are_left_out() -> None:
    found, stated = read(f"name,employer\nAnn Lee,{'Very Long ' * 40}\n", "csv")
    assert stated == {}
    assert [entity.name for entity in found] == ["Ann Lee"]


def states_of_table(text: str) -> set[tuple[str, str, str, str, str]]:
    """(name, relation, name, + or -, until) of the table in a text, grounded as an ingest grounds it."""
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DOCUMENT, "notes", text)
    extractor = RulesExtractor()
    found = keep_entities_named_in_chunk(
        chunk, extractor.extract_entities([chunk], DEFAULT_VOCABULARY)[0], DEFAULT_VOCABULARY
    )[0]
    relations = extractor.extract_relations([chunk], [tuple(found)], DEFAULT_VOCABULARY)[0]
    return {
        (
            found[relation.from_entity].name,
            relation.relation_type,
            found[relation.to_entity].name,
            "+" if relation.polarity.value == "asserted" else "-",
            relation.valid_to.at.date().isoformat() if relation.valid_to is not None else "",
        )
        for relation in keep_relations_stated_in_chunk(chunk, found, relations, DEFAULT_VOCABULARY)[0]
    }


def test_the_rows_of_a_table_in_a_text_are_read_by_column() -> None:
    text = "Of us:\n\nService | Maintainer | Depends on\nLamplighter | Theo Grant | Kafka\nLark |  | Redis"
    assert states_of_table(text) == {
        ("Theo Grant", "works_on", "Lamplighter", "+", ""),
        ("Lamplighter", "depends_on", "Kafka", "+", ""),
        ("Lark", "depends_on", "Redis", "+", ""),
    }
    raw = "| Service | Depends on |\n|:---|---|\n| Lark | Redis |\n| Wren |\n"
    assert states_of_table(raw) == {("Lark", "depends_on", "Redis", "+", "")}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("Employee | Company | Until\nAnn Lee | Orbis Labs | 2021-03-31", ("+", "2021-03-31")),
        ("Employee | Company | Left\nAnn Lee | Orbis Labs | May 2021", ("+", "2021-05-01")),
        ("Employee | Company | Left\nAnn Lee | Orbis Labs | yes", ("-", "")),
        ("Employee | Company | Left\nAnn Lee | Orbis Labs | no", ("+", "")),
        ("Employee | Company | Active\nAnn Lee | Orbis Labs | no", ("-", "")),
        ("Employee | Company | Status\nAnn Lee | Orbis Labs | retired", ("-", "")),
        ("Employee | Company | Status\nAnn Lee | Orbis Labs | no longer employed", ("-", "")),
        ("Employee | Company | Status\nAnn Lee | Orbis Labs | left in 2020", ("+", "2020-01-01")),
        ("Employee | Company | Status\nAnn Lee | Orbis Labs | on leave", ("+", "")),
        ("Employee | Company | Until\nAnn Lee | Orbis Labs | present", ("+", "")),
    ],
)
def test_a_column_says_until_when_its_row_holds(row: str, expected: tuple[str, str]) -> None:
    assert states_of_table(row) == {("Ann Lee", "works_for", "Orbis Labs", *expected)}


def test_a_row_that_is_only_planned_states_nothing_yet() -> None:
    table = "Customer | Product | Status\nHalden | Fluxo | {}"
    assert states_of_table(table.format("prospect")) == set()
    assert states_of_table(table.format("in negotiation")) == set()
    assert states_of_table(table.format("active")) == {("Halden", "uses", "Fluxo", "+", "")}


def test_who_made_something_has_made_it_whatever_became_of_it() -> None:
    table = "Product | Author | Vendor | Status\nFluxo | Ann Lee | Nordel | discontinued"
    assert states_of_table(table) == {
        ("Ann Lee", "created", "Fluxo", "+", ""),
        ("Nordel", "provides", "Fluxo", "-", ""),
    }


def test_a_closed_ticket_is_still_whose_it_was() -> None:
    assert states_of_table("Ticket | Assignee | Status\nLogin Fails | Ann Lee | closed") == {
        ("Ann Lee", "works_on", "Login Fails", "+", "")
    }


def test_a_header_may_name_the_other_end_of_yes_and_no() -> None:
    table = "Product | Integrates with Slack | Teams integration | Price\nHoopoe | yes | no | yes"
    assert states_of_table(table) == {
        ("Hoopoe", "integrates_with", "Slack", "+", ""),
        ("Hoopoe", "integrates_with", "Teams", "-", ""),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Name | Type | Default\nTimeout | Int | 30\nHost | String | none",
        "Ann Lee | Company | Orbis Labs",
        "| --- | --- |\n| --- | --- |",
        "|\n|\n||\n",
        "Supplier | Owner\nAcme Corporation | n/a\nTotal | 7",
    ],
)
def test_tables_that_relate_no_names_state_nothing(text: str) -> None:
    assert states_of_table(text) == set()


def test_an_end_too_far_from_the_name_is_not_passed_over() -> None:
    notes = ",".join(["word " * 80])
    _, stated = read(f"name,employer,notes,left\nAnn Lee,Orbis Labs,{notes},2020\n", "csv")
    assert stated == {}


@pytest.mark.parametrize(
    ("header", "confidence"),
    [("decision,owner", 0.6), ("task,owner,due_date", 0.9), ("decision,owned_by", 0.9)],
)
def test_a_header_of_several_meanings_is_a_guess_where_nothing_tells_what_the_row_is(
    header: str, confidence: float
) -> None:
    raw = f"{header}\nMove of the Linz depot,Ann Lee,May\n".encode()
    reading = read_by_rules(raw, "csv", vocabulary=WITHOUT_STATEMENTS)
    assert [relation.confidence for relations in reading.relations for relation in relations] == [confidence]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("name,company\nBen Oder,Kestrel Freight\n", ("works_for", 0.9)),
        ("name,company\nTuva Ask,Kestrel Freight\n", ("works_for", 0.6)),
        ("name,company\nAcme GmbH,Kestrel Freight\n", None),
        ("name,type,company\nFlux,Product,Kestrel Freight\n", ("provides", 0.9)),
        ("name,employer,team\nTuva Ask,Kestrel Freight,Wharf Crew\n", ("member_of", 0.9)),
        ("name,employer,team\nAcme GmbH,Kestrel Freight,Wharf Crew\n", ("part_of", 0.6)),
        ("name,manager\nBen Oder,Ann Lee\n", ("reports_to", 0.9)),
        ("office,country\nOslo,Norway\n", ("located_in", 0.9)),
        ("entry,country\nFlux,Norway\n", ("located_in", 0.6)),
        # Any organization may be a customer, whose owner is a salesperson.
        ("name,owner\nAcme GmbH,Ann Lee\n", ("owns", 0.6)),
        ("name,director\nBen Oder,Ann Lee\n", None),
    ],
)
def test_the_name_of_a_row_may_tell_which_meaning_of_a_header_holds(
    row: str, expected: tuple[str, float] | None
) -> None:
    reading = read_by_rules(row.encode(), "csv", vocabulary=WITHOUT_STATEMENTS)
    stated = [
        (relation.relation_type, relation.confidence)
        for relations in reading.relations
        for relation in relations
    ]
    assert stated[-1:] == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    "table",
    [
        "Decision,{0}\nMove of the Linz depot,Ann Lee\n",
        "entry,{0}\nFlux,Paul Stone\n",
        "Branch,{0},city\nRose Hill,Ann Lee,Oslo\n",
        "Branch,{0},city\nGrace Point,Eva Berg,Oslo\n",
        "Filiale,{0}\nIris Gate,Eva Berg\n",
    ],
)
@pytest.mark.parametrize("header", ["owner", "manager", "lead engineer", "verantwortlich", "caretaker"])
def test_what_a_header_does_not_state_of_a_row_of_unknown_kind_is_a_statement(
    table: str, header: str
) -> None:
    """A guess is no claim; a first name does not make a person of a branch."""
    reading = read_by_rules(table.format(header).encode(), "csv")
    stated = {
        (relation.relation_type, get_layer_of_relation(relation.relation_type, ()))
        for relations in reading.relations
        for relation in relations
    }
    assert stated - {("located_in", Layer.CLAIM)} == {(header.replace(" ", "_"), Layer.STATEMENT)}
    kinds = {entity.name: entity.node_type for found in reading.entities for entity in found}
    row_name = table.split("\n")[1].split(",", maxsplit=1)[0]
    assert kinds[row_name] != "Person"


@pytest.mark.parametrize("header", ["Designer", "sales engineer", "Mitarbeiter", "name"])
def test_the_noun_of_a_person_leaves_a_row_its_first_name(header: str) -> None:
    reading = read_by_rules(f"{header},city\nRose Hill,Oslo\n".encode(), "csv")
    assert {entity.node_type for found in reading.entities for entity in found} == {"Person", "Location"}


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("Abteilung,Vorgesetzter\nEinkauf,Eva Berg\n", "Organization"),
        ("Department,Supervisor\nPurchasing,Eva Berg\n", "Organization"),
        ("Country,Owner\nPanama,Eva Berg\n", "Location"),
    ],
)
def test_a_header_that_relates_things_names_the_row_if_no_other_does(table: str, kind: str) -> None:
    reading = read_by_rules(table.encode(), "csv")
    row_name = table.split("\n")[1].split(",", maxsplit=1)[0]
    kinds = {entity.name: entity.node_type for found in reading.entities for entity in found}
    assert kinds == {row_name: kind, "Eva Berg": "Person"}


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Customer", "Organization"),
        ("Engineer", "Person"),
        ("Field engineer", "Person"),
    ],
)
@pytest.mark.parametrize("value", ["Tuva Ask", "Tuva Ask, North plant", "Tuva Ask; second floor"])
def test_a_label_that_calls_its_value_something_makes_it_a_name(label: str, kind: str, value: str) -> None:
    text = f"Service report 48\n\n{label}: {value}\nDuration: 2 hours\n"
    reading = read_by_rules(text.encode(), "text", vocabulary=WITH_STATEMENTS)
    ((relation,),) = reading.relations
    ends = [reading.entities[0][position] for position in (relation.from_entity, relation.to_entity)]
    assert [entity.name for entity in ends] == ["Service report 48", "Tuva Ask"]
    assert (relation.relation_type, ends[1].node_type) == (label.lower().replace(" ", "_"), kind)
    phrases = [(said.name, said.value) for entity in reading.entities[0] for said in entity.attributes]
    assert ("Duration", "2 hours") in phrases


@pytest.mark.parametrize("label", ["Model", "Noise", "Reason"])
def test_another_label_makes_no_name_of_its_value(label: str) -> None:
    text = f"Service report 48\n\n{label}: Golf\nOwner: Ann Lee\n"
    reading = read_by_rules(text.encode(), "text", vocabulary=WITH_STATEMENTS)
    assert {entity.name for entity in reading.entities[0]} == {"Service report 48", "Ann Lee"}


@pytest.mark.parametrize("title", ["Harbour Portal", "PURCHASE ORDER NO. 17", "Incident 311"])
def test_a_contact_does_not_make_a_firm_of_a_row(title: str) -> None:
    block = "\nCity: Oslo\nContact: Eva Berg\n"
    reading = read_by_rules(f"{title}{block}".encode(), "text", vocabulary=WITH_STATEMENTS)
    stated = {relation.relation_type for relations in reading.relations for relation in relations}
    assert stated == {"located_in", "contact"}
    firm = read_by_rules(f"Acme GmbH{block}".encode(), "text", vocabulary=WITH_STATEMENTS)
    assert "works_for" in {relation.relation_type for relations in firm.relations for relation in relations}


@pytest.mark.parametrize("date", ["December 1, 2015", "14 October 2026", "2026-10-14"])
def test_a_date_above_fields_names_no_record(date: str) -> None:
    text = f"{date}\nCity: Oslo\nOwner: Eva Berg\n"
    assert not any(read_by_rules(text.encode(), "text", vocabulary=WITH_STATEMENTS).relations)


def test_the_first_column_of_a_relation_gives_way_to_a_column_of_names() -> None:
    reading = read_by_rules(b"Manager,Branch,City\nEva Berg,Rosefield,Oslo\n", "csv")
    assert not [relation for relations in reading.relations for relation in relations]


@pytest.mark.parametrize(
    ("cells", "phrases"),
    [
        ("Site | City | Opened\nRosefield | Oslo | 2014", [("Opened", "2014")]),
        ("Machine | Maker | Noise | Id\nFalter | Acme GmbH | 62 dB | 7", [("Noise", "62 dB")]),
        ("Site | City | Opened | Note\nRosefield | Oslo | n/a | -", []),
        ("Machine | Noise\nFalter | 62 dB", []),
    ],
)
def test_a_value_of_a_row_in_a_text_is_a_statement_about_the_row(
    cells: str, phrases: list[tuple[str, str]]
) -> None:
    def read_phrases(raw: str, form: str) -> list[tuple[str, str | float | bool]]:
        return [
            (said.name, said.value)
            for found in read_by_rules(raw.encode(), form, vocabulary=WITH_STATEMENTS).entities
            for entity in found
            for said in entity.attributes
        ]

    header, row = cells.split("\n")
    rule = "|".join("---" for _ in header.split("|"))
    assert read_phrases(f"| {header} |\n|{rule}|\n| {row} |\n", "markdown") == phrases
    # A file of records has its values as text and as the attributes that the space asks for.
    assert read_phrases(cells.replace(" | ", ","), "csv") == []


COMMANDS = [
    f"{verb} {thing}{end}"
    for verb in ("Sign", "Review", "Send", "Renew", "Ask for", "Replace")
    for thing in ("the contract", "the old licence", "a new offer")
    for end in ("", " with Larkspur Robotics", " by Friday")
]
NOUN_PHRASES = [
    f"{first} {noun}{end}"
    for first in ("Support", "Signed", "Order", "New", "Meeting", "Security")
    for noun in ("contract", "review", "portal")
    for end in ("", " with Larkspur Robotics", " of 2024")
]


@pytest.mark.parametrize("header", ["Action", "task", "title", "name"])
def test_a_clause_names_no_row(header: str) -> None:
    rows = "".join(f"{cell},Ann Lee\n" for cell in COMMANDS)
    reading = read_by_rules(f"{header},owner\n{rows}".encode(), "csv")
    entities = [entity for found in reading.entities for entity in found]
    assert {entity.name for entity in entities} == {"Ann Lee"}
    assert not any(reading.relations)
    assert [(said.subject, said.name, said.value) for entity in entities for said in entity.attributes] == [
        (cell, "owner", "Ann Lee") for cell in COMMANDS
    ]


PLACES_OF_TWO_WORDS = [
    f"{first} {second}" for first in ("Oak", "Harbour", "Old") for second in ("Meadow", "View", "Bridge")
]


@pytest.mark.parametrize("header", ["Branch", "depot", "Filiale", "Site"])
@pytest.mark.parametrize("people", ["manager", "boss", "supervisor"])
def test_what_stands_under_a_noun_of_its_own_reports_to_nobody(header: str, people: str) -> None:
    """The column says what a person has, and nothing says that these are persons."""
    rows = "".join(f"{cell},Paul Stone\n" for cell in PLACES_OF_TWO_WORDS)
    reading = read_by_rules(f"{header},{people}\n{rows}".encode(), "csv")
    entities = [entity for found in reading.entities for entity in found]
    kinds = {entity.name: entity.node_type for entity in entities}
    assert kinds.pop("Paul Stone") == "Person"
    assert "Person" not in kinds.values()
    # As written, as a statement.
    assert {relation.relation_type for found in reading.relations for relation in found} <= {people}


def test_who_stands_under_name_may_have_a_manager() -> None:
    assert set(read("name,manager\nBen Oder,Ann Lee\n", "csv")[1]) == {("Ben Oder", "reports_to", "Ann Lee")}


@pytest.mark.parametrize("header", ["Action", "task", "title", "name"])
def test_a_phrase_without_a_verb_names_its_row(header: str) -> None:
    rows = "".join(f"{cell},Ann Lee\n" for cell in NOUN_PHRASES)
    reading = read_by_rules(f"{header},owner\n{rows}".encode(), "csv")
    assert {entity.name for found in reading.entities for entity in found} == {*NOUN_PHRASES, "Ann Lee"}


@pytest.mark.parametrize(
    "row",
    [
        "id,title,assignee\n17,Fix the login page,Ann Lee\n",
        "book,author\nFind the lost child,Ann Lee\n",
        "title,genre,author\nFind the lost child,novel,Ann Lee\n",
    ],
)
def test_a_clause_names_a_ticket_with_a_number_and_a_work(row: str) -> None:
    _, stated = read(row, "csv")
    assert len(stated) == 1


def test_a_value_that_is_a_clause_names_nobody() -> None:
    found, stated = read("product,owner\nFluxo,ask Ann Lee about it\nHoopoe,Ann Lee\n", "csv")
    assert set(stated) == {("Ann Lee", "owns", "Hoopoe")}
    assert {entity.name for entity in found} == {"Fluxo", "Hoopoe", "Ann Lee"}


def test_the_first_column_names_a_row_where_only_a_place_could() -> None:
    _, stated = read("office,city\nOrbis Iberia,Lisbon\n", "csv")
    assert set(stated) == {("Orbis Iberia", "located_in", "Lisbon")}


FIELDS = [("Manufacturer", "Liebherr"), ("Location", "Ems Harbour"), ("Supplier", "Tolman Steel Inc.")]
OF_CRANE = {
    ("Liebherr", "provides", "Harbour Crane"),
    ("Harbour Crane", "located_in", "Ems Harbour"),
    ("Tolman Steel Inc.", "provides", "Harbour Crane"),
}


def stated_by(raw: str, form: str) -> set[Triple]:
    reading = read_by_rules(raw.encode(), form, "")
    return {
        (entities[edge.from_entity].name, edge.relation_type, entities[edge.to_entity].name)
        for entities, edges in zip(reading.entities, reading.relations, strict=True)
        for edge in edges
    }


@pytest.mark.parametrize("line", ["{0}: {1}", "- {0}: {1}", "1. {0}: {1}", "* **{0}:** {1}", "**{0}**: {1}"])
@pytest.mark.parametrize("title", ["Harbour Crane", "Harbour Crane: data sheet"])
def test_lines_of_fields_below_a_heading_describe_what_it_names(line: str, title: str) -> None:
    fields = "\n".join(line.format(*field) for field in FIELDS)
    assert stated_by(f"# {title}\n\n{fields}\n\nThe crane moves.\n", "markdown") == OF_CRANE


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Project status: Tarn rollout", "Project status: Tarn rollout"),
        ("Weekly report: no delays", "Weekly report: no delays"),
        ("Incident 12: no power", "Incident 12"),
        ("Tarn Bridge: no power", "Tarn Bridge"),
    ],
)
@pytest.mark.parametrize("mark", ["", "# "])
def test_only_a_name_before_the_colon_of_a_heading_names_the_fields_below(
    heading: str, name: str, mark: str
) -> None:
    """Issue 23: "Project status" names nothing. People whom only the prose names are values too."""
    text = f"{mark}{heading}\n\nSeverity: high\nSpeaker: Wanja Kamau\n\nWanja Kamau called the bank.\n"
    assert (name, "speaker", "Wanja Kamau") in stated_by(text, "markdown" if mark else "text")


@pytest.mark.parametrize("between", ["\n", "\n\n"])
@pytest.mark.parametrize("above", ["Harbour Crane\n", "Harbour Crane\n=============\n", "Harbour Crane\n\n"])
def test_fields_are_read_in_text_with_and_without_blank_lines(above: str, between: str) -> None:
    fields = between.join(f"{label} :\t{value}" for label, value in FIELDS)
    assert stated_by(above + fields, "text") == OF_CRANE


@pytest.mark.parametrize(
    ("whole", "pair"),
    [
        ("<dl>{}</dl>", "<dt>{}</dt><dd>{}</dd>"),
        ("<dl>{}</dl>", "<div><dt><b>{}:</b></dt><dd><p>{}</p></dd></div>"),
        ("<table>{}</table>", "<tr><th>{}</th><td>{}</td></tr>"),
        ("<table>{}</table>", "<tr><td>{}</td><td>{}</td></tr>"),
    ],
)
def test_fields_of_a_web_page_are_read(whole: str, pair: str) -> None:
    fields = whole.format("".join(pair.format(*field) for field in FIELDS))
    assert stated_by(f"<html><h1>Harbour Crane</h1>{fields}<p>It moves.</p></html>", "html") == OF_CRANE


def test_several_values_of_a_term_are_a_list() -> None:
    fields = "<dl><dt>Supplier</dt><dd>Tolman Steel Inc.</dd><dd>Zeiss</dd><dt>Weight</dt><dd>30 t</dd></dl>"
    stated = stated_by(f"<html><h1>Harbour Crane</h1>{fields}</html>", "html")
    assert stated == {
        ("Tolman Steel Inc.", "provides", "Harbour Crane"),
        ("Zeiss", "provides", "Harbour Crane"),
    }


@pytest.mark.parametrize(
    "rows",
    [
        # Rows below a header, a table without a heading of its own, keys that are none.
        [("Supplier", "Location"), ("Zeiss", "Jena"), ("Liebherr", "Bulle")],
        [("Country", "Capital"), ("France", "Paris"), ("Spain", "Madrid")],
        [("Spring", "Liebherr"), ("Autumn", "Zeiss"), ("Supplier", "Tolman")],
    ],
)
def test_other_tables_of_two_columns_do_not_describe_their_heading(rows: list[tuple[str, str]]) -> None:
    lines = "".join(f"<tr><td>{left}</td><td>{right}</td></tr>" for left, right in rows)
    stated = stated_by(f"<html><h1>Harbour Crane</h1><table>{lines}</table></html>", "html")
    assert not any("Harbour Crane" in (source, target) for source, _, target in stated)


def test_a_field_is_not_the_name_of_those_below_it() -> None:
    assert not stated_by("Customer: Brightwell Ltd\nDepends on: PostgreSQL\nOwner: Hilda Marsh\n", "text")
    stated = stated_by("# Falcon: billing\n\nCustomer: Brightwell Ltd\nDepends on: PostgreSQL\n", "markdown")
    assert ("Falcon", "depends_on", "PostgreSQL") in stated
    assert not any(source == "Brightwell Ltd" for source, _, _ in stated)
    wrapped = (
        "They met on the quay of the old\nharbour, which is the home of the\nSupplier: Tolman\nOwner: Zeiss"
    )
    assert not stated_by(wrapped, "text")


@pytest.mark.parametrize(
    "block",
    [
        "Ann: Did you meet the supplier?\nBob: No.\nAnn: Why not?",
        "Supplier: the firm that we all know.\nLocation: it is a long story.",
        "Supplier: Tolman Steel",
    ],
)
def test_lines_that_are_no_fields_describe_nothing(block: str) -> None:
    assert not stated_by(f"# Harbour Crane\n\n{block}\n", "markdown")
