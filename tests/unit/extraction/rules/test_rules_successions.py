"""Who came in whose place: who holds the post now, who holds it no more, and who only stood in."""

import pytest

from tests.unit.extraction.rules.test_rules_denials import claims, rows

FOLLOWED = """
Ann Lee replaced Bob Ray as head of finance at Acme Labs in May 2023. | Ann Lee works_for Acme Labs [2023-05..]; not Bob Ray works_for Acme Labs [2023-05..]; Ann Lee replaces Bob Ray [2023-05..]
Ann Lee took over from Bob Ray as head of finance at Acme Labs in May 2023. | Ann Lee works_for Acme Labs [2023-05..]; not Bob Ray works_for Acme Labs [2023-05..]; Ann Lee replaces Bob Ray [2023-05..]
In May 2023, Ann Lee replaced Bob Ray at Acme Labs. | Ann Lee works_for Acme Labs [2023-05..]; not Bob Ray works_for Acme Labs [2023-05..]; Ann Lee replaces Bob Ray [2023-05..]
Bob Ray was replaced at Acme Labs by Ann Lee in 2019. | Ann Lee works_for Acme Labs [2019..]; not Bob Ray works_for Acme Labs [2019..]; Ann Lee replaces Bob Ray [2019..]
Bob Ray was replaced by Ann Lee at Acme Labs. | Ann Lee works_for Acme Labs; not Bob Ray works_for Acme Labs; Ann Lee replaces Bob Ray
At Acme Labs, Ann Lee replaced Bob Ray. | Ann Lee works_for Acme Labs; not Bob Ray works_for Acme Labs; Ann Lee replaces Bob Ray
Ann Lee has replaced Bob Ray as CFO of Acme Labs. | Ann Lee head_of Acme Labs; Ann Lee works_for Acme Labs; not Bob Ray head_of Acme Labs; Ann Lee replaces Bob Ray
Ann Lee succeeds Bob Ray as chief executive of Acme Labs. | Ann Lee head_of Acme Labs; Ann Lee works_for Acme Labs; not Bob Ray head_of Acme Labs; Ann Lee replaces Bob Ray
Ann Lee succeeded Bob Ray, who retired, as CEO of Acme Labs. | Ann Lee head_of Acme Labs; Ann Lee works_for Acme Labs; not Bob Ray head_of Acme Labs; Ann Lee replaces Bob Ray
Ann Lee, a lawyer, followed Bob Ray as CEO of Acme Labs. | Ann Lee head_of Acme Labs; Ann Lee works_for Acme Labs; not Bob Ray head_of Acme Labs; Ann Lee replaces Bob Ray
Ann Lee succeeded Bob Ray as CEO of Acme Labs in 2021 and left in 2023. | Ann Lee head_of Acme Labs [2021..]; Ann Lee works_for Acme Labs [2021..]; not Bob Ray head_of Acme Labs [2021..]; Ann Lee replaces Bob Ray [2021..]
Ann Lee will succeed Bob Ray as chief executive of Acme Labs on 1 May 2023. | Ann Lee head_of Acme Labs [2023-05-01..]; Ann Lee works_for Acme Labs [2023-05-01..]; not Bob Ray head_of Acme Labs [2023-05-01..]; Ann Lee replaces Bob Ray [2023-05-01..]
Bob Ray, the CEO of Acme Labs since 2010, was replaced by Ann Lee in 2021. | Ann Lee head_of Acme Labs [2021..]; Ann Lee works_for Acme Labs [2021..]; not Bob Ray head_of Acme Labs [2021..]; Ann Lee replaces Bob Ray [2021..]
Ann Lee took over as CTO of Acme Labs from Bob Ray in 2019. | Ann Lee head_of Acme Labs [2019..]; Ann Lee works_for Acme Labs [2019..]; not Bob Ray head_of Acme Labs [2019..]; Ann Lee replaces Bob Ray [2019..]
Ann Lee became CEO of Acme Labs after Bob Ray resigned. | Ann Lee head_of Acme Labs; Ann Lee works_for Acme Labs; not Bob Ray head_of Acme Labs; Ann Lee replaces Bob Ray
Replacing Bob Ray, Ann Lee became CEO of Acme Labs in 2004. | Ann Lee head_of Acme Labs [2004..]; Ann Lee works_for Acme Labs [2004..]; not Bob Ray head_of Acme Labs [2004..]; Ann Lee replaces Bob Ray [2004..]
Acme Labs replaced Bob Ray with Ann Lee as CFO. | Ann Lee head_of Acme Labs; Ann Lee works_for Acme Labs; not Bob Ray head_of Acme Labs; Ann Lee replaces Bob Ray
Acme Labs appointed Ann Lee to replace Bob Ray as chief executive. | Ann Lee head_of Acme Labs; Ann Lee works_for Acme Labs; not Bob Ray head_of Acme Labs; Ann Lee replaces Bob Ray
Acme Labs named Ann Lee as Bob Ray's successor. | Ann Lee works_for Acme Labs; Ann Lee replaces Bob Ray
Acme Labs has named Ann Lee as successor to Bob Ray as CFO. | Ann Lee head_of Acme Labs; Ann Lee works_for Acme Labs; Ann Lee replaces Bob Ray
Ann Lee was appointed to succeed Bob Ray as CFO of Acme Labs. | Ann Lee head_of Acme Labs; Ann Lee works_for Acme Labs; Ann Lee replaces Bob Ray
Leonie Vatter replaces Amadou Sarr as head of Kite Robotics. | not Amadou Sarr head_of Kite Robotics; Leonie Vatter head_of Kite Robotics; Leonie Vatter works_for Kite Robotics; Leonie Vatter replaces Amadou Sarr
Slack replaced HipChat at Acme Labs in 2019. | Slack replaces HipChat [2019..]; Acme Labs uses Slack [2019..]; not Acme Labs uses HipChat [2019..]
Ann Lee replaced Bob Ray at the Acme Labs conference. | Ann Lee replaces Bob Ray
Ann Lee succeeded her father Bob Lee as head of Acme Labs. | Bob Lee parent_of Ann Lee
"""  # noqa: E501


@pytest.mark.parametrize(("text", "expected"), rows(FOLLOWED))
def test_of_a_succession_the_post_goes_from_one_to_the_other(text: str, expected: str) -> None:
    assert claims(text) == set(expected.split("; "))


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee stood in for Bob Ray as CEO of Acme Labs in May 2023.",
        "Ann Lee replaced Globex Corporation as sponsor of Acme Labs.",
        "Ann Lee filled in for Bob Ray at Acme Labs.",
        "Ann Lee replaced Bob Ray as CEO of Acme Labs while he was on leave.",
        "Ann Lee replaced Bob Ray as CEO of Acme Labs during his illness.",
        "Ann Lee temporarily replaced Bob Ray as CEO of Acme Labs.",
        "Ann Lee will succeed Bob Ray as chief executive of Acme Labs.",
        "Ann Lee could succeed Bob Ray as CEO of Acme Labs in 2025.",
        "Ann Lee is to succeed Bob Ray as chief executive of Acme Labs.",
        "Did Ann Lee replace Bob Ray as CEO of Acme Labs?",
        "If Ann Lee replaced Bob Ray as CEO of Acme Labs, the shares would fall.",
        "Ann Lee denies that she replaced Bob Ray as CEO of Acme Labs.",
        "Nobody has yet succeeded Bob Ray as CEO of Acme Labs.",
    ],
)
def test_of_who_stands_in_or_may_follow_nobody_loses_or_gets_a_post(text: str) -> None:
    assert {claim for claim in claims(text) if " replaces " not in claim} == set()
