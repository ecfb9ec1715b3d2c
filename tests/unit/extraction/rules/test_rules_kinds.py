"""What a sentence does with a name tells its kind: who sells a subsidiary is a firm."""

import pytest

from tests.unit.extraction.rules.test_rules_entities import read

KINDS = """
Ulf Sand took over from Nora Berg as chief executive. | Ulf Sand, Person
Ulf Sand succeeded Nora Berg as CEO of Acme. | Ulf Sand, Person; Acme, Organization
Leonie Vatter replaces Amadou Sarr as head of Kite Robotics. | Leonie Vatter, Person; Amadou Sarr, Person
Ulf Sand works for Acme. | Ulf Sand, Person; Acme, Organization
Ulf Sand and his wife Nora Berg live in Oslo. | Ulf Sand, Person
Acme's CEO is Ulf Sand. | Acme, Organization; Ulf Sand, Person
Acme sold its subsidiary Globex to Initech. | Acme, Organization; Globex, Organization; Initech, Organization
The contract between Acme and Initech ended in 2020. | Acme, Organization; Initech, Organization
Acme signed a contract with Initech. | Initech, Organization
Acme migrated from MySQL to PostgreSQL. | Acme, Organization; MySQL, Technology
Ostara Group migrated from Zendesk to Freshdesk. | Zendesk, Concept; Freshdesk, Concept
Ostara Group has switched from Jira to Linear. | Jira, Concept; Linear, Concept
The Goths migrated from Zembla to Ruritania. | Ruritania, Location
Acme employs Ann Lee. | Acme, Organization; Ann Lee, Person
Globex, a subsidiary of Initech, is based in Oslo. | Initech, Organization
Acme is headquartered in Oslo. | Acme, Organization
Acme announced its new product Falcon. | Acme, Organization; Falcon, Product
Falcon replaced Kestrel. | Falcon, Concept; Kestrel, Concept
Falcon uses RocksDB. | Falcon, Concept
The border between Norway and Sweden is long. | Norway, Location; Sweden, Location
Ann Lee sold Falcon to Bob Ray. | Ann Lee, Person; Bob Ray, Person
The clinic is led by Dr. Ilka Marsh. | Dr. Ilka Marsh, Person
Mrs Lake met Prof. Imre Forest. | Mrs Lake, Person; Prof. Imre Forest, Person
Mora Capital owns Vetline. | Mora Capital, Concept
Anna Berg works for Mora Capital. | Mora Capital, Organization
"""


@pytest.mark.parametrize("line", KINDS.strip().splitlines())
def test_what_is_told_of_a_name_says_what_it_is(line: str) -> None:
    text, expected = line.split(" | ")
    kinds = {entity.name: entity.node_type for entity in read(text)}
    for expected_entity in expected.split("; "):
        name, kind = expected_entity.split(", ")
        assert kinds.get(name) == kind, kinds
