"""Parts of longer names: nothing is claimed of "International Brotherhood" for the one "of Magicians"."""

import pytest

from tests.unit.extraction.rules.test_rules_entities import names
from tests.unit.extraction.rules.test_rules_relations import triples

CUT = """
Ann Lee is president of the International League of Jugglers. | International League
Ann Lee is director of the Nora Berg Center on Freedom. | Nora Berg Center
Ann Lee, head of the Centre for Study of Iodine Disorders, spoke in Oslo. | Centre for Study
Ann Lee works for the Friends Network for Those Betrayed by Lawyers. | Friends Network
Ann Lee works for the Centre for Peace and Cooperation in Asia. | Centre for Peace and Cooperation
Ann Lee works for the School of Culture and Theology in Lund. | School of Culture
Ann Lee spoke at the Congress of Arts and Sciences in Lund. | Congress of Arts
Bob Ray maintains the Door on Asia blog. | Door
Bob Ray wrote Cooks of the Marble Age and sold it. | Cooks
Bob Ray used the Stones of Ravendar. | Stones
Bob Ray created Life's Smaller Dramas in 1920. | Smaller Dramas
Bob Ray chaired the first International Meeting on Garden Research in Geneva. | Garden Research
Bob Ray is a member of the Word of Truth Church in Oslo. | Truth Church
Bob Ray spoke before the Committee on the Interior Assembly in Oslo. | Interior Assembly
Nothing Under the Moon is an album by Bob Ray. | Moon
The U.S. Air and Rocket Center in Oslo was closed. | Rocket Center
Norway's Alder and Birch Islands are located in Europe. | Birch Islands
"""
WHOLE = """
Ann Lee founded the Harbour Museum for Bob Ray. | Ann Lee, created, Harbour Museum
Ann Lee founded the Harbour Museum after World War II. | Ann Lee, created, Harbour Museum
Ann Lee founded Kern AG on Monday. | Ann Lee, created, Kern AG
Ann Lee founded Kern AG after World War II. | Ann Lee, created, Kern AG
Ann Lee founded Kern AG for Bob Ray. | Ann Lee, created, Kern AG
Ann Lee of Kern AG lives in Oslo. | Ann Lee, lives_in, Oslo
Ann Lee works for the University of Lund and the Nora Institute. | Ann Lee, works_for, University of Lund
Ann Lee, Vice President of Kern AG, spoke. | Ann Lee, works_for, Kern AG
Ann Lee is one of the Members of the National Assembly. | Ann Lee, member_of, National Assembly
Ann Lee won the Berg Prize for Physics. | Ann Lee, received_award, Berg Prize
Ann Lee founded Kern AG and President Bob Ray praised her. | Ann Lee, created, Kern AG
Ann Lee founded the Harbour Museum in Oslo. | Ann Lee, created, Harbour Museum
On Monday, Ann Lee, director of Zeta Corp, spoke about Kern AG. | Ann Lee, head_of, Zeta Corp
"""


@pytest.mark.parametrize("line", CUT.strip().split("\n"))
def test_nothing_is_claimed_of_a_part_of_a_name(line: str) -> None:
    text, part = line.split(" | ")
    assert not [triple for triple in triples(text) if part in (triple[0], triple[2])]


@pytest.mark.parametrize("line", WHOLE.strip().split("\n"))
def test_a_preposition_or_word_beside_a_whole_name_leaves_its_claims(line: str) -> None:
    text, triple = line.split(" | ")
    assert tuple(triple.split(", ")) in triples(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Madam Chair, I thank Ann Lee of Kern AG.", "Madam Chair"),
        ("My Chief Engineer just left Oslo for Lund.", "Chief Engineer"),
        ("Ann Lee, your State Senator, was in Oslo with our General Manager.", "State Senator"),
        ("A former New York Senator moved to Oslo.", "New York Senator"),
        ("“It is good,” said Odin C. Smith, Lead Outside Director of the Kern Board.", "Lead Outside"),
        ("Photo 2 of 10 Members of the Alder Club met in Oslo.", "Photo 2"),
        ("Bob Ray met the White House Chief of Staff, Tom Hale, in Oslo.", "Staff"),
        ("The film was made by Ann Lee & Bob Ray in Oslo.", "Ann Lee & Bob Ray"),
        ("We met the writer Aner Shalov Tuesday, June 19, in Oslo.", "Aner Shalov Tuesday"),
    ],
)
def test_an_office_an_address_or_a_counter_is_no_name(text: str, part: str) -> None:
    assert part not in names(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("They met UCRF Chairman Robert P. George in Oslo.", "Robert P. George"),
        ("Zeta Corp is owned by Oslo-based Kern Corporation.", "Kern Corporation"),
        ("Kern AG supports Role-based Access Control in Oslo.", "Role-based Access Control"),
        ("Marks & Brown is based in London.", "Marks & Brown"),
        ("Robert Koch & Sons is based in Berlin.", "Robert Koch & Sons"),
        ("The committee System R. Oslo came later.", "System R"),
    ],
)
def test_a_name_is_read_whole(text: str, name: str) -> None:
    assert name in names(text)


@pytest.mark.parametrize(
    "headline",
    [
        "Kern CEO Comments on Lee/Zeta Lawsuit",
        "Zeta Corp Owned By Ann Lee Loses Money",
        "Former Kern Chairman Remarks on Zeta Strike",
        "Why Ann Lee Founded Kern AG Last Summer",
        "Exclusive Interview With Kern AG Director Ann Lee About Zeta",
    ],
)
def test_a_headline_states_no_claim(headline: str) -> None:
    assert not triples(headline)


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Ann Lee, CEO of Kern AG", ("Ann Lee", "works_for", "Kern AG")),
        ("Lovely Books on Harbour Street in Lund, Sweden", ("Lund", "within", "Sweden")),
        ("Kern AG was founded by Ann Lee in Oslo", ("Ann Lee", "created", "Kern AG")),
    ],
)
def test_a_line_that_is_no_headline_states_its_claims(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in triples(text)
