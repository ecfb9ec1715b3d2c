"""Parts of longer names: nothing is claimed of "International Brotherhood" for the one "of Magicians"."""

import pytest

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
