"""Names of before, pen names and short names: which texts make one thing of two names, and which do not."""

import uuid

import pytest

from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundEntity
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId

# text | the name of today | its other name
RENAMED = """
Zenith Systems (formerly Acme Foods) is based in Oslo. | Zenith Systems | Acme Foods
Acme Foods renamed itself Zenith Systems in 2021. | Zenith Systems | Acme Foods
Acme Foods is now known as Zenith. | Zenith | Acme Foods
Zenith Systems, once known as Acme Foods, is based in Oslo. | Zenith Systems | Acme Foods
Zenith Systems used to be called Acme Foods. | Zenith Systems | Acme Foods
Zenith Ltd, trading as Acme, is based in Oslo. | Zenith Ltd | Acme
Zenith Industrial Systems (d/b/a Acme Foods) is based in Oslo. | Zenith Industrial Systems | Acme Foods
Zenith Industrial Systems trades as Acme Foods. | Zenith Industrial Systems | Acme Foods
Maria Lopez, a.k.a. Mimi Star, was born in Oslo. | Maria Lopez | Mimi Star
Mimi Star (born Maria Gomez; 5 May 1980) is a singer. | Mimi Star | Maria Gomez
Mimi Star, born Maria Gomez, is a singer. | Mimi Star | Maria Gomez
Mimi Star was born Maria Gomez in Oslo. | Mimi Star | Maria Gomez
Eva Dale (née Eva Stone) is a singer. | Eva Dale | Eva Stone
Acme Foods rebranded as Zenith Systems in 2021. | Zenith Systems | Acme Foods
Acme Foods took the name Zenith Systems in 2021. | Zenith Systems | Acme Foods
Acme Foods changed its legal name to Zenith Systems in 2021. | Zenith Systems | Acme Foods
The company changed its name from Acme Foods to Zenith Systems in 2021. | Zenith Systems | Acme Foods
Acme Foods renamed its product Falcon to Kestrel. | Kestrel | Falcon
American Computing Machines ("ACM") is based in Oslo. | American Computing Machines | ACM
Zenith Systems ("Zenith") is based in Oslo. Zenith uses PostgreSQL. | Zenith Systems | Zenith
Zenith Systems (Zen for short) is based in Oslo. | Zenith Systems | Zen
Acme Foods, now Zenith Systems, was founded by Ann Lee. | Zenith Systems | Acme Foods
Karl Weber wrote under the pen name Bob Stone. | Karl Weber | Bob Stone
Bob Stone is the pen name of Karl Weber. | Karl Weber | Bob Stone
The old name of Zenith Systems was Acme Foods. | Zenith Systems | Acme Foods
Mumbai (formerly Bombay) is a city in India. | Mumbai | Bombay
Acme Foods was founded in 1990. It was renamed Zenith Systems in 2021. | Zenith Systems | Acme Foods
Ann Lee founded Acme Foods. In 2021 the company changed its name to Zenith Systems. | Zenith Systems | Acme Foods
Zenith Systems is based in Oslo. Its former name was Acme Foods. | Zenith Systems | Acme Foods
Maria Lopez is a singer. She changed her name to Mimi Star in 2010. | Mimi Star | Maria Lopez
"""  # noqa: E501

APART = """
Kestrel Labs (formerly owned by Acme Foods) is based in Oslo. | Kestrel Labs | Acme Foods
Kestrel Labs, formerly a division of Acme Foods, is based in Oslo. | Kestrel Labs | Acme Foods
Karl Weber, formerly CEO of Acme Foods, lives in Oslo. | Karl Weber | Acme Foods
Berlin (formerly the capital of Prussia) is a city. | Berlin | Prussia
Kestrel Labs, now part of Acme Foods, is based in Oslo. | Kestrel Labs | Acme Foods
Acme Foods renamed Kestrel Labs in 2020. | Acme Foods | Kestrel Labs
Acme Foods renamed Falcon to Kestrel in 2020. | Acme Foods | Kestrel
Acme Foods may change its name to Zenith Systems. | Acme Foods | Zenith Systems
Acme Foods was not renamed Zenith Systems. | Acme Foods | Zenith Systems
Was Acme Foods renamed Zenith Systems? | Acme Foods | Zenith Systems
It is rumoured that Acme Foods was renamed Zenith Systems. | Acme Foods | Zenith Systems
Acme Foods is based in Oslo. It may be renamed Zenith Systems. | Acme Foods | Zenith Systems
Acme Foods bought Kestrel Labs in 1990. It was renamed Zenith Systems in 2021. | Kestrel Labs | Zenith Systems
Acme Foods built a database. It was called Falcon Server. | Acme Foods | Falcon Server
The team used MySQL, now PostgreSQL, for reports. | MySQL | PostgreSQL
Acme Foods moved from Oslo to Stockholm. | Oslo | Stockholm
Ann Lee, born in Oslo, is a baker. | Ann Lee | Oslo
Tom Fox met Ann Lee ("Mia") in Oslo. | Ann Lee | Mia
"""


def _names(text: str) -> dict[str, set[str]]:
    """Each thing of the text by its name, with its other names, without the stops of their sentences."""
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    found = RulesExtractor().extract_entities([chunk], DEFAULT_VOCABULARY)[0]
    return {entity.name.rstrip("."): {name.rstrip(".") for name in entity.aliases} for entity in found}


@pytest.mark.parametrize("line", RENAMED.strip().splitlines())
def test_a_new_name_is_of_the_same_thing(line: str) -> None:
    text, name, other = line.split(" | ")
    assert other in _names(text).get(name, set()), _names(text)


@pytest.mark.parametrize("line", APART.strip().splitlines())
def test_what_only_sounds_like_a_new_name_leaves_two_things(line: str) -> None:
    text, one, other = line.split(" | ")
    names = _names(text)
    assert {one, other} <= names.keys()


def _entities(text: str) -> tuple[FoundEntity, ...]:
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    return RulesExtractor().extract_entities([chunk], DEFAULT_VOCABULARY)[0]


def test_a_maiden_name_alone_is_anybodys_outside_the_text() -> None:
    text = "Eva Dale, née Stone, is a singer. Stone lives in Oslo."
    eva = _entities(text)[0]
    assert (eva.name, eva.aliases, eva.short_names) == ("Eva Dale", (), ("Stone",))


@pytest.mark.parametrize("label", ["Supplier", "Lessor", "Service Provider"])
@pytest.mark.parametrize("bracket", ['("the {label}")', '(the "{label}")', "(hereinafter “the {label}”)"])
@pytest.mark.parametrize("address", ["", ", 4 High Street, York", ", a company registered in Norway"])
def test_a_label_that_a_bracket_defines_is_the_party_before_it(
    label: str, bracket: str, address: str
) -> None:
    """Issue 23: "the Supplier" of a contract is no node of its own."""
    text = (
        f"This contract is made between Tarn Foods AS{address} {bracket.format(label=label)} and Ostland Oil"
        f" GmbH, Bergen. The {label} appoints Marta Kowalik."
    )
    party = next(entity for entity in _entities(text) if entity.name == "Tarn Foods AS")
    assert label in party.short_names
    assert label not in _names(text)


def test_a_place_is_not_what_a_label_means() -> None:
    text = 'The fair is held in York ("the Organiser"). The Organiser appoints Marta Kowalik.'
    assert {"York", "Organiser"} <= _names(text).keys()
