"""Claims of predicates ("is a painter who"), of second nouns, and over dates and owners between two names."""

import uuid

import pytest

from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId


def stated(text: str, title: str = "") -> set[tuple[str, str, str]]:
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), title, text)
    extractor = RulesExtractor()
    found = extractor.extract_entities([chunk], DEFAULT_VOCABULARY)[0]
    relations = extractor.extract_relations([chunk], [found], DEFAULT_VOCABULARY)[0]
    return {(found[e.from_entity].name, e.relation_type, found[e.to_entity].name) for e in relations}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Lee is a journalist who founded Acme Corporation.", ("Ann Lee", "created", "Acme Corporation")),
        ("Ann Lee (born 1955) is a French journalist who was born in Oslo.", ("Ann Lee", "born_in", "Oslo")),
        ("Ann Lee is a former footballer who played with St Kilda.", ("Ann Lee", "works_for", "St Kilda")),
        (
            "Ann Lee worked from 1929 to 1930 for Acme Corporation.",
            ("Ann Lee", "works_for", "Acme Corporation"),
        ),
        (
            "Ann Lee has competed three times at the Summer Paralympics.",
            ("Ann Lee", "took_part_in", "Summer Paralympics"),
        ),
        (
            '"The Orange Peel" is the tenth episode of the third season and the 41st episode of Comedy '
            'Central\'s animated series "North Hill".',
            ("The Orange Peel", "part_of", "North Hill"),
        ),
        (
            "The Brooklyn Dodgers played in the National Football League from 1930 to 1943.",
            ("Brooklyn Dodgers", "member_of", "National Football League"),
        ),
        (
            "Formula One Arcade is a game developed by Studio 33 and published by Acme Corporation.",
            ("Studio 33", "created", "Formula One Arcade"),
        ),
        (
            "Hon. Ann Lee is the first Ugandan woman to hold the position.",
            ("Ann Lee", "citizen_of", "Uganda"),
        ),
        ("Taubenklippe is a hill in the Harz mountains.", ("Taubenklippe", "located_in", "Harz")),
        (
            "Jacksonville, also known as Jax, is the county seat of Duval County.",
            ("Jacksonville", "located_in", "Duval County"),
        ),
        ("Ann Lee is the host of Morning Mirror.", ("Ann Lee", "works_on", "Morning Mirror")),
    ],
)
def test_a_claim_is_read(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in stated(text)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            "Ann Lee is a professor at a university that acquired Acme Corporation.",
            ("Ann Lee", "owns", "Acme Corporation"),
        ),
        ('Ann Lee appeared in an episode of "North Hill".', ("Ann Lee", "part_of", "North Hill")),
        (
            "In honour of Ann Lee is a bank which acquired Acme Corporation.",
            ("Ann Lee", "owns", "Acme Corporation"),
        ),
    ],
)
def test_what_is_said_of_another_is_not(text: str, wrong: tuple[str, str, str]) -> None:
    assert wrong not in stated(text)


@pytest.mark.parametrize(
    ("text", "expected", "wrong"),
    [
        (
            "Signed: Dr. Petra Vogel, CEO of Northwind GmbH; Jonas Berg, COO of Halden Logistics.",
            ("Jonas Berg", "head_of", "Halden Logistics"),
            ("Dr. Petra Vogel", "head_of", "Halden Logistics"),
        ),
        (
            "Petra Vogel, CEO of Northwind, met Jonas Berg, CTO of Halden Logistics.",
            ("Jonas Berg", "head_of", "Halden Logistics"),
            ("Petra Vogel", "head_of", "Halden Logistics"),
        ),
        (
            "Acme hired Bob Stone as head of research in 2020.",
            ("Bob Stone", "works_for", "Acme"),
            ("Bob Stone", "head_of", "Acme"),
        ),
    ],
)
def test_an_office_is_of_the_name_before_it_and_of_what_it_leads(
    text: str, expected: tuple[str, str, str], wrong: tuple[str, str, str]
) -> None:
    found = stated(text)
    assert expected in found
    assert wrong not in found


@pytest.mark.parametrize("text", ["Halden pays Northwind EUR 21,000 per month.", "Fees were USD 5 million."])
def test_an_amount_of_money_is_no_name(text: str) -> None:
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    [found] = RulesExtractor().extract_entities([chunk], DEFAULT_VOCABULARY)
    assert not any(digit in statement.name for statement in found for digit in "0123456789")
