"""Words beside two names that make their clause say something else (issue 23, item 4)."""

import pytest

from tests.unit.extraction.rules.test_rules_relations import triples

RELATED = """
Ann Lee moved to Oslo. | Ann Lee, lives_in, Oslo
Ann Lee moved back to Oslo after the war. | Ann Lee, lives_in, Oslo
Ann Lee moved with her two children to Oslo. | Ann Lee, lives_in, Oslo
Ann Lee died in one of two hospitals in Oslo. | Ann Lee, died_in, Oslo
Ann Lee was born in a village south of Lund, Sweden. | Ann Lee, born_in, Lund
Zeta Corp hired Ann Lee to run its office. | Ann Lee, works_for, Zeta Corp
Zeta Corp bought Borg Ltd to enter Norway. | Zeta Corp, owns, Borg Ltd
Bob Ray succeeded Nora Berg, who had led the team since 2011. | Bob Ray, replaces, Nora Berg
Ann Lee reports to Bob Ray. | Ann Lee, reports_to, Bob Ray
Ann Lee reports to Bob Ray, who leads the team. | Ann Lee, reports_to, Bob Ray
Ann Lee wrote The Long Way, which was praised. | Ann Lee, created, The Long Way
Ann Lee, director of the Institute of Physics, resigned. | Ann Lee, head_of, Institute of Physics
In Oslo, Ann Lee founded Kern AG. | Ann Lee, created, Kern AG
Unlike Zeta Corp, Borg Ltd was founded by Ann Lee. | Ann Lee, created, Borg Ltd
From Oslo, Ann Lee moved to Bergen. | Ann Lee, lives_in, Bergen
The plan to build a plant in Lund, Sweden, was dropped. | Lund, within, Sweden
Zeta Corp, Oslo, makes pumps. | Zeta Corp, located_in, Oslo
Zeta Corp, Borg Ltd and Kern AG are based in Oslo. | Borg Ltd, located_in, Oslo
Ms.Ann Lee of Zeta Corp spoke in Oslo, Norway. | Oslo, within, Norway
The police in Lund, the largest town in Skåne, closed the road. | Lund, located_in, Skåne
Zeta's president, Ann Lee, resigned. | Ann Lee, head_of, Zeta
Bob Ray also created Fossil, the version control system that holds the sources. | Bob Ray, created, Fossil
Bob Ray wrote the library hnswlib, a small implementation in C++. | Bob Ray, created, hnswlib
Citus depends on PostgreSQL, but it changes none of its source. | Citus, depends_on, PostgreSQL
Zeta Corp co-founder Ann Lee spoke. | Ann Lee, created, Zeta Corp
Zeta's retired director Ann Lee spoke. | Ann Lee, head_of, Zeta
Peter Ray regrets his failure to save his uncle Ben Ray. | Ben Ray, relative_of, Peter Ray
Dvorakgrid 1199 was founded by Ann Lee. | Ann Lee, created, Dvorakgrid 1199
Dvorakgrid 9999 was founded by Ann Lee. | Ann Lee, created, Dvorakgrid 9999
Fabrik 1923 is based in Prague. | Fabrik 1923, located_in, Prague
Dvorakgrid 999 was founded by Ann Lee. | Ann Lee, created, Dvorakgrid 999
Ann Lee and Bob Ray, the latter of whom founded Acme, live in Oslo. | Bob Ray, created, Acme
Iger and Bob Ray, chairman of Zeta Corp, met in Oslo. | Bob Ray, head_of, Zeta Corp
The deputy chairman of the Zeta Party, Ann Lee, spoke. | Ann Lee, works_for, Zeta Party
Zeta Corp's director Ann Lee spoke. | Ann Lee, head_of, Zeta Corp
He works in Austin, Texas in winter. | Austin, within, Texas
Ann Lee acted in Avengers: Endgame (2019). | Ann Lee, acted_in, Avengers: Endgame
Ann Lee acted in Frozen: The Musical (2018). | Ann Lee, acted_in, Frozen: The Musical
Karl Stone had two children with Eva Reed: Max Reed and Tom Reed. | Eva Reed, parent_of, Max Reed
Norway's Zeta Bank was closed. | Zeta Bank, located_in, Norway
The city of Lund, Sweden, has a port. | Lund, within, Sweden
The University of Lund, Sweden, is old. | University of Lund, located_in, Sweden
Ann Lee attended the Marlow school. | Ann Lee, educated_at, Marlow
Zeta CEO Ann Lee spoke. | Ann Lee, head_of, Zeta
Ann Lee (Zeta Corp) acted in Tides. | Ann Lee, acted_in, Tides
British painter Ann Lee at home | Ann Lee, citizen_of, United Kingdom
Ann Lee, commander of the 23rd Infantry Division, spoke. | Ann Lee, head_of, 23rd Infantry Division
Interviews With Scott Lang And Zeta Corp CEO Ann Lee | Ann Lee, head_of, Zeta Corp
"""

UNRELATED = """
Ann Lee to the head of Zeta, 5 May. | Ann Lee, head_of, Zeta
Ann Lee from the director of Acme Corp., 1999. | Ann Lee, head_of, Acme Corp.
Ann Lee for the chairman of Acme Corp., 2001. | Ann Lee, head_of, Acme Corp.
Otto Renn against the mayor of Oslo. | Otto Renn, head_of, Oslo
Otto Renn with the president of France, 1960. | Otto Renn, head_of, France
They met in the Corsican capital of Ajaccio. | Corsican, capital_of, Ajaccio
Ann Lee moved closer to Oslo. | Ann Lee, lives_in, Oslo
Ann Lee moved to 20 km south of Oslo. | Ann Lee, lives_in, Oslo
Bob Ray, who lives 20 km from Oslo, won. | Bob Ray, lives_in, Oslo
Ann Lee moved to about 90 km to the south of Oslo. | Ann Lee, lives_in, Oslo
Ann Lee moved southwards to affect Oslo. | Ann Lee, lives_in, Oslo
Zeta Corp moved closer to its allies, Norway and Denmark. | Zeta Corp, located_in, Norway
Zeta Corp moved closer to its allies, Norway and Denmark. | Zeta Corp, located_in, Denmark
Ann Lee reported to Bob Ray that the pumps were broken. | Ann Lee, reports_to, Bob Ray
Ann Lee reported to Bob Ray that his pumps had been sold in Oslo. | Ann Lee, reports_to, Bob Ray
Chancellor Berg wrote Premier Holm war was near. | Chancellor Berg, created, Premier Holm
Acme made Zeta Corp a leader of the market. | Acme, created, Zeta Corp
The proposal to make Norway a permanent member of the Security Council was rejected. | Norway, member_of, Security Council
The measures need approval by the Zeta Council and President Ann Lee. | Ann Lee, head_of, Zeta Council
The Arab League, Turkey, the Islamic Conference, and other nations should demand peace. | Arab League, located_in, Turkey
Ann Lee was the leader of the Oslo emigrants. | Ann Lee, head_of, Oslo
That year, Bob Ray met with the ambassador of Georgia in Washington, D.C. | Georgia, within, Washington
Back at New Lund, Pagon informs Gravik that Fury is on Earth. | New Lund, within, Pagon
Bob Ray had been appointed Chief of Staff to the Commander in Chief of the Swedish Army. | Bob Ray, head_of, Swedish Army
in the USSR were incorporated into the 1 st Czechoslovak | USSR, part_of, Czechoslovak
Unlike British India, the jewel in the crown of the French empire was a part of France. | British India, part_of, France
“Tides” director Ann Lee spoke of the films. | Ann Lee, head_of, Tides
John Hurt's 'Jackie' director Ann Lee spoke. | Ann Lee, head_of, Jackie
Zeta Corp hailed director Ann Lee. | Ann Lee, head_of, Zeta Corp
May 1999 was founded by Ann Lee. | Ann Lee, created, May 1999
I worked as a Senior News Reporter and SEO TV reporter at Zeta Online for years. | SEO TV, works_for, Zeta Online
Bob Ray received instruction from the Sufi teacher Ashgar. | Ashgar, knows, Sufi
He sent the focal point of WGH, Ms.Ann Lee, Republic of Korea as the liaison. | WGH, within, Ms.Ann Lee
Ann Lee and Bob Ray, the latter of whom founded Acme, live in Oslo. | Ann Lee, created, Acme
Ann Lee, the brother of whom founded Zeta Corp, spoke. | Ann Lee, created, Zeta Corp
“Oh, my gosh, I am a part of Zeta Corp.” | Oh, part_of, Zeta Corp
Ann Lee last acted in Avengers: Endgame. | Ann Lee, acted_in, Avengers
Ann Lee acted in Frozen: The Musical. | Ann Lee, acted_in, Frozen
Ann Lee directed Tides: The Return. | Ann Lee, created, Tides
The southernmost republic of the Yugoslav Federation, Macedonia, declared independence. | Yugoslav Federation, located_in, Macedonia
The eastern region of the Kalmar Union, Finland, was poor. | Kalmar Union, located_in, Finland
Ann Lee attended the Zarafshan mosque. | Ann Lee, educated_at, Zarafshan
Ann Lee attended the Marlow village. | Ann Lee, educated_at, Marlow
A mother stood near a poster of Ann Lee, founder of modern Turkey, in the western Turkish city of Manisa. | Turkey, located_in, Manisa
He went from Morocco to Moroccans, Tunisia to Tunisians. | Moroccans, within, Tunisia
Yelena Berg (Ann Lee) from Zeta Corp met Bob Ray. | Yelena Berg, works_for, Zeta Corp
Eva Berg (Ann Lee) acted in Tides. | Eva Berg, acted_in, Tides
The new American crescent Joseph Massad | Joseph Massad, citizen_of, United States
Hamas and the old American crescent Bob Ray | Bob Ray, citizen_of, United States
Norway's Zeta Corp centre was closed. | Zeta Corp, located_in, Norway
Asia's new Zeta Corp hub grows in Oslo. | Zeta Corp, located_in, Asia
Iger and Bob Ray, chairman of Zeta Corp, met in Oslo. | Iger, head_of, Zeta Corp
Ann Lee, Bob Ray and Eva Berg, head of Zeta Corp, spoke. | Bob Ray, head_of, Zeta Corp
The vice governor of Tibet, Ann Lee, told the reporters. | Ann Lee, head_of, Tibet
A rare tornado struck Italy's Venice region and caused Flood Ida. | Venice, causes, Flood Ida
The third movie was X-Men, which director Ann Lee was making. | Ann Lee, head_of, X-Men
They spoke with The Irishman director Ann Lee in Oslo. | Ann Lee, head_of, The Irishman
The dams are Angat in Bulacan, La Mesa in Quezon City and others. | Bulacan, within, La Mesa
"""  # noqa: E501


def _split_lines(lines: str) -> list[tuple[str, tuple[str, ...]]]:
    pairs = (line.split(" | ") for line in lines.strip().splitlines())
    return [(text, tuple(claim.split(", "))) for text, claim in pairs]


@pytest.mark.parametrize(("text", "claim"), _split_lines(RELATED))
def test_words_that_change_nothing_leave_the_claim(text: str, claim: tuple[str, ...]) -> None:
    assert claim in triples(text)


@pytest.mark.parametrize(("text", "claim"), _split_lines(UNRELATED))
def test_words_that_say_something_else_end_the_claim(text: str, claim: tuple[str, ...]) -> None:
    assert claim not in triples(text)
