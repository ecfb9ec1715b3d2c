"""What once was so and is so no more, told without a word of denial; and what may go on."""

import pytest

from tests.unit.extraction.rules.test_rules_denials import claims, rows

OVER = """
Nora Berg previously worked at Ericsson. | not Nora Berg works_for Ericsson
Nora Berg is an engineer. She previously worked at Ericsson. | not Nora Berg works_for Ericsson
Nora Berg has previously worked for Ericsson. | not Nora Berg works_for Ericsson
Nora Berg had worked at Ericsson. | not Nora Berg works_for Ericsson
Nora Berg used to work at Ericsson in 2012. | not Nora Berg works_for Ericsson
Nora Berg worked previously at Ericsson. | not Nora Berg works_for Ericsson
Nora Berg worked at Ericsson early in her career. | not Nora Berg works_for Ericsson
Nora Berg worked at Ericsson as an intern early in her career. | not Nora Berg works_for Ericsson
Nora Berg worked at Ericsson in the past. | not Nora Berg works_for Ericsson
Nora Berg worked at Ericsson before she joined Nokia in 2020. | not Nora Berg works_for Ericsson; Nora Berg works_for Nokia [2020..]
Nora Berg was the lead engineer at Ericsson at one time. | not Nora Berg works_for Ericsson
Previously, Nora Berg worked at Ericsson. | not Nora Berg works_for Ericsson
Previously Nora Berg worked at Ericsson, and since 2020 she has worked at Nokia. | not Nora Berg works_for Ericsson; Nora Berg works_for Nokia [2020..]
Earlier in her career, Nora Berg was CTO of Ericsson. | not Nora Berg head_of Ericsson
Before joining Nokia, Nora Berg worked at Ericsson. | not Nora Berg works_for Ericsson
Nora Berg was previously CEO of Ericsson. | not Nora Berg head_of Ericsson
Nora Berg, once head of Ericsson, now works for Nokia. | not Nora Berg head_of Ericsson; Nora Berg works_for Nokia
Nora Berg, who had previously been employed by Ericsson, leads Nokia. | not Nora Berg works_for Ericsson; Nora Berg head_of Nokia
Nora Berg was previously married to Bob Ray. | not Nora Berg married_to Bob Ray
Previously, Acme was based in Leeds. | not Acme located_in Leeds
Acme used Oracle before it moved to Postgres. | not Acme uses Oracle
"""  # noqa: E501

NOT_OVER = """
Nora Berg worked at Ericsson for ten years. | Nora Berg works_for Ericsson
Nora Berg had worked at Ericsson for ten years. | Nora Berg works_for Ericsson
Nora Berg had worked at Ericsson since 2010. | Nora Berg works_for Ericsson [2010..]
Nora Berg worked at Ericsson in the past year. | Nora Berg works_for Ericsson
Nora Berg worked at Ericsson until 2009. | Nora Berg works_for Ericsson [..2009]
Nora Berg previously served as CEO of Ericsson from 2010 to 2014. | Nora Berg head_of Ericsson [2010..2014]; Nora Berg works_for Ericsson [2010..2014]
Previously working at Ericsson, Nora Berg joined Nokia. | Nora Berg works_for Nokia
Nora Berg previously founded Ericsson. | Nora Berg created Ericsson
Previously, Acme acquired Zeta. | Acme owns Zeta
Nora Berg studied at Yale before joining Acme. | Nora Berg educated_at Yale
Bob Ray won the Nobel Prize early in his career. | Bob Ray received_award Nobel Prize
Nora Berg joined Ericsson early in her career. | Nora Berg works_for Ericsson
Nora Berg once worked with Bob Ray. | Nora Berg knows Bob Ray
"""  # noqa: E501

DATE_OF_OTHER_CLAUSE = """
Nora Berg left the company in 2022 and now teaches at Uppsala University. | Nora Berg works_for Uppsala University
Nora Berg retired in 2019 and works for Nokia. | Nora Berg works_for Nokia
Nora Berg joined Nokia in 2019 and lives in Stockholm. | Nora Berg works_for Nokia [2019..]; Nora Berg lives_in Stockholm
Nora Berg joined Nokia in 2019 and founded Zeta Labs. | Nora Berg works_for Nokia [2019..]; Nora Berg created Zeta Labs [2019..]
Bob Ray succeeded Nora Berg, who had led the team since 2011. | Bob Ray replaces Nora Berg
Bob Ray succeeded Nora Berg in 2011. | Bob Ray replaces Nora Berg [2011..]
"""  # noqa: E501

FIRM_BEFORE = """
Nora Berg joined Ericsson in 2001 and left in 2009. | Nora Berg works_for Ericsson [2001..2009]; not Nora Berg works_for Ericsson [2009..]
Nora Berg joined Ericsson in 2001. She left in 2009. | Nora Berg works_for Ericsson [2001..2009]; not Nora Berg works_for Ericsson [2009..]
Nora Berg joined Ericsson in 2001. She worked there until 2009. | Nora Berg works_for Ericsson [2001..2009]
Nora Berg worked at Ericsson. She left the company in 2009. | Nora Berg works_for Ericsson; not Nora Berg works_for Ericsson [2009..]
Nora Berg worked at Ericsson. She left the company in 2009 and joined Nokia. | Nora Berg works_for Ericsson; not Nora Berg works_for Ericsson [2009..]; Nora Berg works_for Nokia [2009..]
Nora Berg worked at Ericsson. She was fired in 2015. | Nora Berg works_for Ericsson [..2015]; not Nora Berg works_for Ericsson [2015..]
Bob Ray is an engineer at Acme. He is no longer with the company. | not Bob Ray works_for Acme
Bob Stone has left the company. He worked for Acme. | not Bob Stone works_for Acme
Bob Ray joined Acme in 2001, and Ann Lee left in 2003. | Bob Ray works_for Acme [2001..]
Bob Ray works for Acme. Ann Lee left in 2003. | Bob Ray works_for Acme
Bob Ray works for Acme. He left the room. | Bob Ray works_for Acme
Bob Ray works for Acme. He has not left the company. | Bob Ray works_for Acme
Bob Ray works for Acme. If he left the company, it would suffer. | Bob Ray works_for Acme
"""  # noqa: E501


@pytest.mark.parametrize(("text", "expected"), rows(OVER + NOT_OVER + FIRM_BEFORE + DATE_OF_OTHER_CLAUSE))
def test_what_is_told_of_the_past_is_over_where_it_says_so(text: str, expected: str) -> None:
    assert claims(text) == set(expected.split("; "))


@pytest.mark.parametrize(
    "text",
    ["Did Nora Berg previously work at Ericsson?", "If Nora Berg previously worked at Ericsson, fine."],
)
def test_of_a_past_that_is_only_asked_about_nothing_is_read(text: str) -> None:
    assert claims(text) == set()


TAKEN_BACK = """
An earlier version of this article said that Bob Stone works for Acme. He works for Globex. | Bob Stone works_for Globex
An earlier version of this article incorrectly said that Bob Stone works for Acme. He works for Globex. | not Bob Stone works_for Acme; Bob Stone works_for Globex
We previously reported that Bob Stone works for Acme. He works for Globex. | Bob Stone works_for Globex
We wrongly reported that Bob Stone works for Acme. | not Bob Stone works_for Acme
Correction: an earlier version of this article gave Bob Stone's employer as Acme. He works for Globex. | Bob Stone works_for Globex
Erratum: In our issue of 5 May, we wrote that Bob Stone works for Acme. Bob Stone works for Globex. | Bob Stone works_for Globex
This article was corrected because an earlier version said Bob Stone works for Acme; he works for Globex. | Bob Stone works_for Globex
"Bob Stone works for Acme" should have read "Bob Stone works for Globex". | Bob Stone works_for Globex
Due to an error, an earlier version of this article said Ann Lee founded Zeta Labs. Bob Ray founded Zeta Labs. | Bob Ray created Zeta Labs
As we previously reported, Bob Stone works for Acme. | Bob Stone works_for Acme
An earlier version of Falcon was built by Acme Labs. | Acme Labs created Falcon
The report said that Bob Stone works for Acme. | Bob Stone works_for Acme
"""  # noqa: E501

CLAUSES = """
Rita Moss, who was the CEO of Globex until 2016, now leads Initech. | Rita Moss head_of Globex [..2016]; Rita Moss works_for Globex [..2016]; Rita Moss head_of Initech
Rita Moss, who was the CEO of Globex, now leads Initech. | not Rita Moss head_of Globex; Rita Moss head_of Initech
Bob Stone, who worked for Acme until 2019, now works for Globex. | Bob Stone works_for Acme [..2019]; Bob Stone works_for Globex
Rita Moss is not the CEO of Globex but of Initech. | not Rita Moss head_of Globex; Rita Moss head_of Initech; Rita Moss works_for Initech
Rita Moss is not CEO of Globex but the CFO of Initech. | not Rita Moss head_of Globex; Rita Moss head_of Initech; Rita Moss works_for Initech
Rita Moss is the CEO of Initech, not of Globex. | not Rita Moss head_of Globex; Rita Moss head_of Initech; Rita Moss works_for Initech
The Falcon project is no longer led by Jane Doe; since June 2023 it is led by Omar Hassan. | not Jane Doe works_on Falcon; Omar Hassan works_on Falcon [2023-06..]
Bob Stone returned to Acme in 2022 after two years at Globex. | not Bob Stone works_for Globex [2022..]; Bob Stone works_for Acme [2022..]
Bob Stone left Acme to join Globex in 2020. | not Bob Stone works_for Acme [2020..]; Bob Stone works_for Globex [2020..]
Rita Moss, who was the CEO of Globex until 2016, is now the CEO of Initech. | Rita Moss head_of Globex [..2016]; Rita Moss works_for Globex [..2016]; Rita Moss head_of Initech; Rita Moss works_for Initech
Bob Stone went back to Acme as CFO. | Bob Stone works_for Acme
Bob Stone holds two posts: CTO of Acme and chairman of Globex. | Bob Stone head_of Acme; Bob Stone works_for Acme; Bob Stone head_of Globex
Ann Lee led Acme Ltd until Bob Ray replaced her. | not Ann Lee head_of Acme Ltd
Ann Lee's job as CFO of Acme was taken over by Bob Ray. | not Ann Lee head_of Acme; Bob Ray head_of Acme; Bob Ray works_for Acme; Bob Ray replaces Ann Lee
Ann Lee handed the leadership of Acme to Bob Ray in 2020. | not Ann Lee head_of Acme [2020..]; Bob Ray head_of Acme [2020..]
Acme and Globex merged in 2020 to form Zenith. | Acme part_of Zenith [2020..]; Globex part_of Zenith [2020..]
Acme switched suppliers from Zeta to Globex in 2020. | not Acme uses Zeta [2020..]; Acme uses Globex [2020..]
Acme moved its offices from Leeds to York in 2020. | not Acme located_in Leeds [2020..]; Acme located_in York [2020..]
"""  # noqa: E501


@pytest.mark.parametrize(("text", "expected"), rows(TAKEN_BACK + CLAUSES))
def test_what_is_taken_back_is_unsaid_and_a_sentence_is_read_on(text: str, expected: str) -> None:
    assert claims(text) == set(expected.split("; "))


@pytest.mark.parametrize(
    "text",
    [
        "An earlier version of this article incorrectly stated that Bob Stone, CEO of Acme, is 45.",
        "This article has been amended to remove the claim that Bob Stone works for Acme.",
        "Bob Stone works for Acme, an earlier version of this article said.",
        "The newspaper retracted its report that Acme acquired Zeta Labs.",
        "Bob Stone moved to Globex in 2022.",
        "Bob Stone returned to Leeds in 2022.",
    ],
)
def test_of_what_is_taken_back_or_may_be_a_journey_nothing_is_read(text: str) -> None:
    assert claims(text) == set()
