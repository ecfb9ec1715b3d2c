"""What is told of posts, offices and families: who works where, who no longer does, what only sounds so."""

import pytest

from tests.unit.extraction.rules.test_rules_denials import claims

GONE = """
Maria Lopez used to work for Globex Ltd before joining Initech Ltd. | not Maria Lopez works_for Globex Ltd; Maria Lopez works_for Initech Ltd.
Maria Lopez, formerly of Globex Ltd, is now the CTO of Initech Ltd. | not Maria Lopez works_for Globex Ltd; Maria Lopez head_of Initech Ltd.
Maria Lopez, previously with Globex Ltd, has joined Initech Ltd. | not Maria Lopez works_for Globex Ltd; Maria Lopez works_for Initech Ltd.
After leaving Globex Ltd, Maria Lopez joined Initech Ltd in 2021. | not Maria Lopez works_for Globex Ltd [2021..]; Maria Lopez works_for Initech Ltd [2021..]
Helen Weber's last day at Orbis Ltd was 31 March 2023. | not Helen Weber works_for Orbis Ltd [2023-03-31..]
Helen Weber gave notice in March, and her last day at Orbis Ltd was 30 April 2023. | not Helen Weber works_for Orbis Ltd [2023-04-30..]
Helen Weber's contract with Orbis Ltd ended on 31 May 2024. | not Helen Weber works_for Orbis Ltd [2024-05-31..]
Helen Weber's contract with Orbis Ltd was not renewed. | not Helen Weber works_for Orbis Ltd
Orbis Ltd did not renew Helen Weber's contract. | not Helen Weber works_for Orbis Ltd
Helen Weber failed her probation at Orbis Ltd. | not Helen Weber works_for Orbis Ltd
Helen Weber did not pass her probation at Orbis Ltd. | not Helen Weber works_for Orbis Ltd
Following her resignation, Helen Weber is not with Orbis Ltd anymore. | not Helen Weber works_for Orbis Ltd
Helen Weber is no longer at Orbis Ltd. | not Helen Weber works_for Orbis Ltd
As of 1 May 2024, Priya Nair is no longer Head of Finance at Orbis Ltd; Tom Hale takes over. | not Priya Nair works_for Orbis Ltd [2024-05-01..]; Tom Hale works_for Orbis Ltd [2024-05-01..]
Priya Nair is no longer CEO of Orbis Ltd; Tom Hale takes over. | not Priya Nair head_of Orbis Ltd; Tom Hale head_of Orbis Ltd
Ann Reyes retires from Orbis Ltd on 31 May 2025. | not Ann Reyes works_for Orbis Ltd [2025-05-31..]
Ann Reyes will leave Orbis Ltd on 31 May 2025. | not Ann Reyes works_for Orbis Ltd [2025-05-31..]
Ann Reyes is stepping down as CEO of Orbis Ltd on 31 May 2025. | not Ann Reyes head_of Orbis Ltd [2025-05-31..]
Ann Reyes is leaving the firm; Ann Reyes' time at Orbis Ltd is over. | not Ann Reyes works_for Orbis Ltd
Ann Reyes gave notice and will be leaving Orbis Ltd on 30 June 2024. | not Ann Reyes works_for Orbis Ltd [2024-06-30..]
Ann Reyes was dismissed without notice by Orbis Ltd on 3 June 2022. | not Ann Reyes works_for Orbis Ltd [2022-06-03..]
Ann Reyes transferred from Orbis Ltd to Quantix Ltd in 2020. | not Ann Reyes works_for Orbis Ltd [2020..]; Ann Reyes works_for Quantix Ltd [2020..]
Ann Reyes' term as mayor of Leeds ended on 31 October 2022. | not Ann Reyes head_of Leeds [2022-10-31..]
Ann Reyes has been removed as director of Orbis Ltd. | not Ann Reyes head_of Orbis Ltd
Ann Reyes handed over to Tom Hale as CEO of Orbis Ltd in 2024. | not Ann Reyes head_of Orbis Ltd [2024..]; Tom Hale head_of Orbis Ltd [2024..]
Tom Hale took over from Ann Reyes as CEO of Orbis Ltd in 2021. | not Ann Reyes head_of Orbis Ltd [2021..]; Tom Hale head_of Orbis Ltd [2021..]
Ann Reyes was voted off the board of Orbis Trust. | not Ann Reyes member_of Orbis Trust
Ann Reyes resigned her membership of the Green Party in 2020. | not Ann Reyes member_of Green Party [2020..]
Ann Reyes and Orbis Ltd have parted ways. | not Ann Reyes works_for Orbis Ltd
The contract of Ann Reyes with Orbis Ltd has been terminated. | not Ann Reyes works_for Orbis Ltd
Orbis Ltd has let Ann Reyes go. | not Ann Reyes works_for Orbis Ltd
Kim Sato no longer reports to Leo Brandt but to Vera Klein. | not Kim Sato reports_to Leo Brandt; Kim Sato reports_to Vera Klein
Ann Reyes once worked for Orbis Ltd. | not Ann Reyes works_for Orbis Ltd
Helen Park was CEO of Orbis Ltd from 2010 to 2016. | Helen Park head_of Orbis Ltd [2010..2016]
"""  # noqa: E501

THERE = """
Tom Hale is on parental leave from Orbis Ltd until 1 March 2025. | Tom Hale works_for Orbis Ltd
Tom Hale was seconded to Quantix Ltd from Orbis Ltd in 2020. | Tom Hale works_for Orbis Ltd
Tom Hale passed his probation at Orbis Ltd. | Tom Hale works_for Orbis Ltd
Tom Hale's contract with Orbis Ltd runs until 31 May 2024. | Tom Hale works_for Orbis Ltd [..2024-05-31]
Tom Hale was promoted to Head of Finance at Orbis Ltd. | Tom Hale works_for Orbis Ltd
Tom Hale is Head of Finance at Orbis Ltd. | Tom Hale works_for Orbis Ltd
Tom Hale, an accountant with Orbis Ltd, spoke. | Tom Hale works_for Orbis Ltd
Tom Hale has been with Orbis Ltd since 2015. | Tom Hale works_for Orbis Ltd [2015..]
Tom Hale is deputy head of Orbis School. | Tom Hale works_for Orbis School
Ann Reyes never worked for Globex Ltd. She did work for Orbis Ltd. | not Ann Reyes works_for Globex Ltd; Ann Reyes works_for Orbis Ltd
Tom Hale is back at Orbis Ltd as a buyer. | Tom Hale works_for Orbis Ltd
Tom Hale has withdrawn his resignation and stays with Orbis Ltd. | Tom Hale works_for Orbis Ltd
Tom Hale, our accountant, works part-time for Orbis Ltd. | Tom Hale works_for Orbis Ltd
Tom Hale started at Orbis Ltd on 1 May 2024 as a buyer. | Tom Hale works_for Orbis Ltd [2024-05-01..]
Tom Hale will join Orbis Ltd on 1 June 2024. | Tom Hale works_for Orbis Ltd [2024-06-01..]
Tom Hale joined the Green Party in 2012 and left it in 2016. | Tom Hale member_of Green Party [2012..]; not Tom Hale works_for Green Party [2016..]
Tom Hale and Bea Lorne are the joint chairs of Orbis Trust. | Bea Lorne head_of Orbis Trust; Tom Hale head_of Orbis Trust
Ida Quist was appointed secretary of the Vale Choir in 2019. | Ida Quist works_for Vale Choir [2019..]
Tom Hale sits on the board of Orbis Trust. | Tom Hale member_of Orbis Trust
Tom Hale remarried in 2015; his second wife is Ann Reyes. | Ann Reyes married_to Tom Hale
Tom Hale adopted Leo Hale in 2001. | Tom Hale parent_of Leo Hale [2001..]
FYI Tom Hale works for Orbis Ltd. | Tom Hale works_for Orbis Ltd
Tom and Eva Becker founded Brot & Co. | Tom Becker created Brot & Co.; Eva Becker created Brot & Co.
Tom, Ben and Eva Becker founded Brot & Co. | Ben Becker created Brot & Co.; Tom Becker created Brot & Co.
Mark Dunn succeeded Helen Park. | Mark Dunn replaces Helen Park
Helen Park (CEO 2010–2016) was succeeded by Mark Dunn. | Mark Dunn replaces Helen Park
"""  # noqa: E501

UNTOLD = """
It is not true that Ann Reyes has left Orbis Ltd.
It isn't true that Ann Reyes left Orbis Ltd in 2020; she is in Rome.
It is false that Ann Reyes never worked for Orbis Ltd.
Reports that Ann Reyes has left Orbis Ltd are unfounded.
There is no truth in the story that Ann Reyes has left Orbis Ltd.
Contrary to what the paper wrote, that Ann Reyes left Orbis Ltd, all is well.
It is not the case that Ann Reyes was dismissed from Orbis Ltd.
Neither Ann Reyes nor Tom Hale has left Orbis Ltd.
Ann Reyes never stopped working for Orbis Ltd.
Ann Reyes will leave Orbis Ltd at the end of May.
Ann Reyes is leaving Orbis Ltd in summer.
Ann Reyes' contract with Orbis Ltd ends in May.
Ann Reyes is stepping down as CEO of Orbis Ltd.
Ann Reyes told Tom Hale that her last day at Orbis Ltd was Friday.
Ann Reyes started at Yale University in 2019.
Ann Reyes went from Leeds to York in 2020.
Ann Reyes stays at Hotel Astor.
Ann Reyes is a guest at Orbis Hotel.
Ann Reyes' dismissal from Orbis Ltd was overturned in 2020.
Ann Reyes threatened to leave Orbis Ltd on 3 May 2024.
Ann Reyes is a friend with Orbis Ltd.
Ann Reyes is a student with Orbis Ltd.
"""


def _rows(table: str) -> list[tuple[str, str]]:
    return [
        (left.strip(), right.strip())
        for left, _, right in (row.partition("|") for row in table.split("\n") if row)
    ]


def _without_stops(found: set[str]) -> set[str]:
    """The claims without the stop that a sentence leaves behind "Ltd"."""
    return {claim.replace("Ltd.", "Ltd").replace("Co.", "Co") for claim in found}


@pytest.mark.parametrize(("text", "expected"), _rows(GONE + THERE))
def test_what_is_told_of_a_post(text: str, expected: str) -> None:
    found = _without_stops(claims(text))
    assert _without_stops(set(expected.split("; "))) <= found
    assert not {claim.removeprefix("not ") for claim in found if claim.startswith("not ")} & found


@pytest.mark.parametrize("text", [row for row in UNTOLD.split("\n") if row])
def test_what_is_refuted_or_still_to_come_is_no_claim(text: str) -> None:
    assert claims(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's not true that Ann Reyes works for Orbis Ltd.", "not Ann Reyes works_for Orbis Ltd"),
        ("Reports that Orbis Ltd owns Zeta Labs are false.", "not Orbis Ltd owns Zeta Labs"),
        ("Contrary to reports, Ann Reyes works for Orbis Ltd.", "Ann Reyes works_for Orbis Ltd"),
        ("Contrary to reports, Orbis Ltd did not acquire Zeta Labs.", "not Orbis Ltd owns Zeta Labs"),
        (
            "It is not true that Ann Reyes left Orbis Ltd, but Tom Hale works for Zeta Labs.",
            "Tom Hale works_for Zeta Labs",
        ),
    ],
)
def test_what_is_refuted_is_denied_and_no_more_than_that(text: str, expected: str) -> None:
    assert _without_stops(claims(text)) == {expected}


@pytest.mark.parametrize("name", ["Victoria Park", "Stanley Park", "Clark Lake"])
def test_a_park_is_a_park(name: str) -> None:
    assert claims(f"{name} is a park in Leeds.") == {f"{name} located_in Leeds"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pontoon depends on libmaren.", "Pontoon depends_on libmaren"),
        ("Pontoon does not depend on libmaren any more.", "not Pontoon depends_on libmaren"),
        ("Gannet 4 integrates with Thunderbird.", "Gannet 4 integrates_with Thunderbird"),
        ("Gannet 4 cannot be integrated with Outlook.", "not Gannet 4 integrates_with Outlook"),
        ("Orbis Ltd is no longer using Falcon.", "not Orbis Ltd uses Falcon"),
        ("Orbis Ltd is currently using Falcon.", "Orbis Ltd uses Falcon"),
        ("Pavo is maintained by Cygnet Labs.", "Cygnet Labs works_on Pavo"),
    ],
)
def test_software_and_its_makers(text: str, expected: str) -> None:
    assert _without_stops(claims(text)) == {expected}


def test_an_ordinary_word_that_begins_like_a_library_is_no_name() -> None:
    assert claims("Pontoon depends on liberal funding and libraries.") == set()
