"""What a denial, a date and a place after a comma are about (issue 23, records 190)."""

import pytest

from tests.unit.extraction.rules.test_rules_denials import claims, rows

PLACES_IN_ROWS = """
We met in Fresno, Palo Alto, San Jose. |
The tour goes to Leeds, Ghent, Porto. |
He lives in Paris, Lagos, Quito for most of the year. |
The Opera House, City Hall and the park are near. |
She flew to Miami, Denver, Phoenix that year. |
The war spared Burma, India, and Australia. |
The farm is in Fresno, California. | Fresno within California
He was held in Suwayr, Kut Province. | Suwayr within Kut Province
She was born in Tampere, Pirkanmaa, Finland. | Tampere within Pirkanmaa; Pirkanmaa within Finland; Tampere within Finland
The camp near Dabanche, Altay region, China, was closed. | Altay within China
His ranch is in Crawford, Texas, his parents' house in Belfast, Maine. | Crawford within Texas; Belfast within Maine
The Ohio city of Dayton is old. | Dayton within Ohio
The northern New South Wales city of Grafton was flooded. | Grafton within New South Wales
In the Badakhshan Region district of Vandj the school was closed. |
The Arakan region of Myanmar is poor. | Arakan within Myanmar; Arakan located_in Myanmar
The Punjab province of Pakistan is poor. | Punjab located_in Pakistan
The Saxony state of Germany is old. |
The Ontario city of Ottawa is old. | Ottawa within Ontario
Kalmar is a city of Sweden. | Kalmar located_in Sweden
"""  # noqa: E501

DENIALS_OF_OTHERS = """
I am Tom Reed, son of the former president of Norway Karl Reed. | Karl Reed parent_of Tom Reed; not Karl Reed head_of Norway
Eva Berg, sister of the former mayor Lars Berg, sings. | Eva Berg sibling_of Lars Berg
Bob Ray is not the son of Karl Ray. | not Karl Ray parent_of Bob Ray
Bob Ray is no longer married to Ann Lee. | not Bob Ray married_to Ann Lee
Bob Ray stopped working for Acme Labs. | not Bob Ray works_for Acme Labs
Ann Lee never worked for Acme Labs. | not Ann Lee works_for Acme Labs
Bob Ray had a meeting with Ann Lee, who is no longer head of Zeta Bank. |
Bob Ray sent a letter to Ann Lee, who left Zeta Bank in 2012. |
Bob Ray founded Acme Labs with Ann Lee, who had left Zeta Bank. | Bob Ray created Acme Labs
Bob Ray, who left Zeta Bank in 2012, met Ann Lee. | not Bob Ray works_for Zeta Bank [2012..]; Bob Ray knows Ann Lee
Bob Ray joined Acme Labs, which Zeta Bank owns. | Bob Ray works_for Acme Labs; Zeta Bank owns Acme Labs
The former CEO of Acme Labs, Ann Lee, sings. | not Ann Lee head_of Acme Labs
"""  # noqa: E501

DATES_OF_OTHERS = """
Founded in 1902, the club became famous with the film Tides starring Ann Lee. | Ann Lee acted_in Tides
In 1836, Tom Reed's son Karl Reed went to Oslo. | Tom Reed parent_of Karl Reed
In 1990 Ann Lee's brother Bob Lee moved to Oslo. | Bob Lee sibling_of Ann Lee; Bob Lee lives_in Oslo [1990..]
Tom Hale adopted Leo Hale in 2001. | Tom Hale parent_of Leo Hale [2001..]
In 2005 Ann Lee founded Acme Labs. | Ann Lee created Acme Labs [2005..]
Since 1991 Acme Labs has been owned by Zeta Bank. | Zeta Bank owns Acme Labs [1991..]
From 2010 until 2019 Bob Ray worked for Acme Labs. | Bob Ray works_for Acme Labs [2010..2019]
"""


LEADERS = """
Ann Lee leads Acme Labs. | Ann Lee head_of Acme Labs
Acme Labs is led by Ann Lee. | Ann Lee head_of Acme Labs
Ann Lee led Acme Labs from 2010 to 2014. | Ann Lee head_of Acme Labs [2010..2014]
Ann Lee, who chairs the Orion Committee, sings. | Ann Lee head_of Orion Committee
Linus Torvalds leads Linux. | Linus Torvalds works_on Linux
Ann Lee led the Falcon project. | Ann Lee works_on Falcon
Ann Lee leads the War Dogs. | Ann Lee head_of War Dogs
The Thunderbolts are led by Ann Lee. | Ann Lee head_of Thunderbolts
Mona Vale led Gorse Rail. | Mona Vale head_of Gorse Rail
"""


@pytest.mark.parametrize(("text", "expected"), rows(LEADERS))
def test_who_leads_what_is_told_by_its_kind(text: str, expected: str) -> None:
    assert claims(text) == set(filter(None, expected.split("; ")))


@pytest.mark.parametrize(("text", "expected"), rows(PLACES_IN_ROWS))
def test_a_place_after_a_comma_contains_the_one_before_if_it_is_a_region(text: str, expected: str) -> None:
    assert claims(text) == set(filter(None, expected.split("; ")))


@pytest.mark.parametrize(("text", "expected"), rows(DENIALS_OF_OTHERS))
def test_a_denial_is_about_what_it_depends_on(text: str, expected: str) -> None:
    assert claims(text) == set(filter(None, expected.split("; ")))


@pytest.mark.parametrize(("text", "expected"), rows(DATES_OF_OTHERS))
def test_a_date_is_about_the_clause_that_it_is_in(text: str, expected: str) -> None:
    assert claims(text) == set(filter(None, expected.split("; ")))
