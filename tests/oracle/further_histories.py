"""Further histories of dated documents, of kinds that `histories` has none of.

The odd ones were looked at while the pipeline was mended, the even ones were kept back until then. `role` is
what pass 2 answers of heads and capitals.
"""

from dataclasses import replace
from typing import Any

from tests.oracle.gold import GoldEntity, GoldRelation, GoldText
from tests.oracle.histories import GROUP, PERSON, PLACE, History, Triple

_SOURCES = {
    "located_in": GROUP,
    "headquartered_in": GROUP,
    "within": PLACE,
    "capital_of": PLACE,
    "owns": GROUP,
}
_TARGETS = {
    "born_in": PLACE,
    "lives_in": PLACE,
    "located_in": PLACE,
    "headquartered_in": PLACE,
    "within": PLACE,
    "capital_of": PLACE,
    "citizen_of": PLACE,
    "married_to": PERSON,
}
Stated = tuple[str, str, dict[str, Any]]


def says(claim: str, sentence: str, **fields: Any) -> Stated:
    return claim, sentence, fields


def triple(claim: str) -> Triple:
    source, relation, target = claim.split(" > ")
    return source, relation, target


def document(title: str, date: str | None, *stated: Stated, text: str = "") -> GoldText:
    """A document of sentences, each stated once and with its claim "A > relation > B"; "" states none."""
    sentences = list(dict.fromkeys(sentence for _, sentence, _ in stated))
    entities: dict[str, GoldEntity] = {}
    relations = []
    for claim, sentence, fields in stated:
        if not claim:
            continue
        source, relation, target = triple(claim)
        kind = GROUP if fields.pop("of_group", False) else PERSON
        entities.setdefault(source, GoldEntity(source, _SOURCES.get(relation, kind)))
        entities.setdefault(target, GoldEntity(target, _TARGETS.get(relation, GROUP)))
        if entities[source].name == target:
            entities[source] = replace(entities[source], type=kind)
        positions = list(entities)
        relations.append(
            GoldRelation(positions.index(source), relation, positions.index(target), (sentence,), **fields)
        )
    return GoldText(title, text or " ".join(sentences), tuple(entities.values()), tuple(relations), date)


def history(
    name: str,
    *documents: GoldText,
    holds: tuple[str, ...] = (),
    stale: tuple[str, ...] = (),
    absent: tuple[str, ...] = (),
) -> History:
    return History(
        name,
        documents,
        holds=tuple(map(triple, holds)),
        stale=tuple(map(triple, stale)),
        absent=tuple(map(triple, absent)),
    )


_FILLING = " ".join(f"The weather on day {number} was dry and the road stayed open." for number in range(60))

HISTORIES = (
    history(
        "1 an associate beside the dean",
        document(
            "Aster 1",
            "2018-01-01",
            says("Ada Rohn > head_of > Aster School", "Ada Rohn is dean of Aster School.", role="dean"),
        ),
        document(
            "Aster 2",
            "2020-01-01",
            says("Ben Tull > head_of > Aster School", "Ben Tull is associate dean of Aster School.", role=""),
        ),
        holds=("Ada Rohn > head_of > Aster School", "Ben Tull > head_of > Aster School"),
    ),
    history(
        "2 a head of marketing beside the head, in German",
        document(
            "Birke 1",
            "2018-01-01",
            says(
                "Uta Kern > head_of > Birkenwerk",
                "Uta Kern ist Vorstandsvorsitzende von Birkenwerk.",
                role="CEO",
            ),
        ),
        document(
            "Birke 2",
            "2020-01-01",
            says(
                "Jens Ohl > head_of > Birkenwerk",
                "Jens Ohl ist Marketingvorstand von Birkenwerk.",
                role="CMO",
            ),
        ),
        holds=("Uta Kern > head_of > Birkenwerk", "Jens Ohl > head_of > Birkenwerk"),
    ),
    history(
        "3 another head, of another gender, in Spanish",
        document(
            "Cedro 1",
            "2017-05-01",
            says(
                "Elena Prado > head_of > Cedro Viajes",
                "Elena Prado es la directora general de Cedro Viajes.",
                role="CEO",
            ),
        ),
        document(
            "Cedro 2",
            "2021-05-01",
            says(
                "Hugo Salas > head_of > Cedro Viajes",
                "Hugo Salas es el director general de Cedro Viajes.",
                role="CEO",
            ),
        ),
        holds=("Hugo Salas > head_of > Cedro Viajes",),
        stale=("Elena Prado > head_of > Cedro Viajes",),
    ),
    history(
        "4 two offices, in Korean",
        document(
            "Dahlia 1",
            "2017-05-01",
            says("김도윤 > head_of > 달리아전자", "김도윤은 달리아전자의 대표이사이다.", role="CEO"),
        ),
        document(
            "Dahlia 2",
            "2021-05-01",
            says("박서연 > head_of > 달리아전자", "박서연은 달리아전자의 최고재무책임자이다.", role="CFO"),
        ),
        holds=("김도윤 > head_of > 달리아전자", "박서연 > head_of > 달리아전자"),
    ),
    history(
        "5 another birthplace",
        document("Erle 1", "2011-01-01", says("Mia Erle > born_in > Tarn", "Mia Erle was born in Tarn.")),
        document("Erle 2", "2015-01-01", says("Mia Erle > born_in > Volda", "Mia Erle was born in Volda.")),
        holds=("Mia Erle > born_in > Volda",),
        stale=("Mia Erle > born_in > Tarn",),
    ),
    history(
        "6 born in a quarter of a city, in French, which is said last",
        document("Fabre 1", "2011-01-01", says("Luc Fabre > born_in > Lorvec", "Luc Fabre est né à Lorvec.")),
        document(
            "Fabre 2", "2015-01-01", says("Luc Fabre > born_in > Brenne", "Luc Fabre est né dans la Brenne.")
        ),
        document(
            "Fabre 3", "2016-01-01", says("Lorvec > within > Brenne", "Lorvec est une commune de la Brenne.")
        ),
        holds=("Luc Fabre > born_in > Lorvec", "Luc Fabre > born_in > Brenne"),
    ),
    history(
        "7 a death that stands alone",
        document(
            "Gale 1", "2015-01-01", says("Odo Gale > works_for > Gale Mill", "Odo Gale works for Gale Mill.")
        ),
        document(
            "Gale 2",
            "2019-06-01",
            says(
                "Odo Gale > exists > Odo Gale",
                "Odo Gale died on 3 May 2019.",
                denied_by="died",
                valid_from=("2019-05-03", "3 May 2019"),
            ),
        ),
        stale=("Odo Gale > works_for > Gale Mill",),
    ),
    history(
        "8 a firm dissolved that stands alone, in Japanese",
        document(
            "萩 1", "2015-01-01", says("森田明 > works_for > 萩製作所", "森田明は萩製作所に勤務している。")
        ),
        document(
            "萩 2",
            "2020-06-01",
            says(
                "萩製作所 > exists > 萩製作所",
                "萩製作所は2020年に解散した。",
                of_group=True,
                denied_by="解散した",
                valid_from=("2020", "2020年"),
            ),
        ),
        stale=("森田明 > works_for > 萩製作所",),
    ),
    history(
        "9 a successor who is still to come, in a page of its own",
        document(
            "Hazel 1",
            "2020-01-01",
            says("Nell Orr > head_of > Hazel Trust", "Nell Orr is director of Hazel Trust.", role="director"),
        ),
        document(
            "Hazel 2",
            "2024-01-01",
            says(
                "Sam Irk > head_of > Hazel Trust",
                "From 2095 Sam Irk is director of Hazel Trust.",
                role="director",
                valid_from=("2095", "From 2095"),
            ),
        ),
        holds=("Nell Orr > head_of > Hazel Trust",),
        absent=("Sam Irk > head_of > Hazel Trust",),
    ),
    history(
        "10 a term that is still to come, in Chinese",
        document(
            "茉莉 1",
            "2024-01-01",
            says(
                "林岚 > works_for > 茉莉剧院",
                "林岚将于2093年至2096年在茉莉剧院任职。",
                valid_from=("2093", "2093年"),
                valid_to=("2096", "2096年"),
            ),
        ),
        absent=("林岚 > works_for > 茉莉剧院",),
    ),
    history(
        "11 by an imperial era",
        document("泉 1", "2019-01-01", says("大野健 > works_for > 泉交通", "大野健は泉交通に勤務している。")),
        document(
            "泉 2",
            "2024-01-01",
            says(
                "大野健 > works_for > 泉交通",
                "大野健は令和4年に泉交通を退職した。",
                denied_by="退職した",
                valid_from=("2022", "令和4年"),
            ),
        ),
        stale=("大野健 > works_for > 泉交通",),
    ),
    history(
        "12 by a Buddhist year and Thai digits",
        document("จามจุรี 1", "2018-01-01", says("สุดา > works_for > จามจุรีการช่าง", "สุดา ทำงานที่ จามจุรีการช่าง")),
        document(
            "จามจุรี 2",
            "2023-01-01",
            says(
                "สุดา > works_for > จามจุรีการช่าง",
                "สุดา ลาออกจาก จามจุรีการช่าง ใน พ.ศ. ๒๕๖๔",
                denied_by="ลาออก",
                valid_from=("2021", "พ.ศ. ๒๕๖๔"),
            ),
        ),
        stale=("สุดา > works_for > จามจุรีการช่าง",),
    ),
    history(
        "13 counted in years from the page",
        document(
            "Ivy 1",
            "2010-01-01",
            says("Cal Ray > member_of > Ivy Choir", "Cal Ray is a member of Ivy Choir."),
        ),
        document(
            "Ivy 2",
            "2023-03-01",
            says(
                "Cal Ray > member_of > Ivy Choir",
                "Cal Ray left Ivy Choir five years ago.",
                denied_by="left",
                valid_from=("2018", "five years ago"),
            ),
        ),
        stale=("Cal Ray > member_of > Ivy Choir",),
    ),
    history(
        "14 yesterday, in Portuguese",
        document(
            "Jaspe 1",
            "2021-01-01",
            says("Rui Leal > works_for > Jaspe Têxtil", "Rui Leal trabalha para a Jaspe Têxtil."),
        ),
        document(
            "Jaspe 2",
            "2022-02-02",
            says(
                "Rui Leal > works_for > Jaspe Têxtil",
                "Ontem Rui Leal deixou a Jaspe Têxtil.",
                denied_by="deixou",
                valid_from=("2022-02-01", "Ontem"),
            ),
        ),
        stale=("Rui Leal > works_for > Jaspe Têxtil",),
    ),
    history(
        "15 head, another, and the first again",
        document(
            "Kale 1",
            "2010-01-01",
            says("Ida Moss > head_of > Kale Farm", "Ida Moss heads Kale Farm.", role="head"),
        ),
        document(
            "Kale 2",
            "2014-01-01",
            says("Abe Finn > head_of > Kale Farm", "Abe Finn heads Kale Farm.", role="head"),
        ),
        document(
            "Kale 3",
            "2019-01-01",
            says(
                "Ida Moss > head_of > Kale Farm",
                "Since 2019 Ida Moss heads Kale Farm again.",
                role="head",
                valid_from=("2019", "Since 2019"),
            ),
        ),
        holds=("Ida Moss > head_of > Kale Farm",),
        stale=("Abe Finn > head_of > Kale Farm",),
    ),
    history(
        "16 three heads handed in the wrong way round, in Russian",
        document(
            "Липа 3",
            "2022-01-01",
            says("Пётр Зуев > head_of > Липа", "Пётр Зуев возглавляет компанию «Липа».", role="head"),
        ),
        document(
            "Липа 2",
            "2016-01-01",
            says("Анна Рябова > head_of > Липа", "Анна Рябова возглавляет компанию «Липа».", role="head"),
        ),
        document(
            "Липа 1",
            "2011-01-01",
            says("Олег Кан > head_of > Липа", "Олег Кан возглавляет компанию «Липа».", role="head"),
        ),
        holds=("Пётр Зуев > head_of > Липа",),
        stale=("Анна Рябова > head_of > Липа", "Олег Кан > head_of > Липа"),
    ),
    history(
        "17 before and after in one page",
        document(
            "Lotus",
            "2024-01-01",
            says(
                "Kim Dahl > head_of > Lotus Bank",
                "Kim Dahl was governor of Lotus Bank until 2018.",
                role="governor",
                valid_to=("2018", "until 2018"),
            ),
            says(
                "Lea Toft > head_of > Lotus Bank",
                "Lea Toft has been governor of Lotus Bank since 2018.",
                role="governor",
                valid_from=("2018", "since 2018"),
            ),
        ),
        holds=("Lea Toft > head_of > Lotus Bank",),
        stale=("Kim Dahl > head_of > Lotus Bank",),
    ),
    history(
        "18 two pages without a date, each with a year",
        document(
            "Maple b",
            None,
            says(
                "Gus Lind > head_of > Maple Rail",
                "In 2021 Gus Lind became director of Maple Rail.",
                role="director",
                valid_from=("2021", "In 2021"),
            ),
        ),
        document(
            "Maple a",
            None,
            says(
                "Eve Holm > head_of > Maple Rail",
                "In 2012 Eve Holm became director of Maple Rail.",
                role="director",
                valid_from=("2012", "In 2012"),
            ),
        ),
        holds=("Gus Lind > head_of > Maple Rail",),
        stale=("Eve Holm > head_of > Maple Rail",),
    ),
    history(
        "19 a rumour that is denied, and what was rumoured is not so",
        document(
            "Nettle 1",
            "2019-01-01",
            says("Jo Bray > works_for > Nettle Press", "Jo Bray works for Nettle Press."),
        ),
        document(
            "Nettle 2",
            "2020-01-01",
            says(
                "Jo Bray > works_for > Nettle Press",
                "Contrary to rumours Jo Bray still works for Nettle Press.",
            ),
        ),
        holds=("Jo Bray > works_for > Nettle Press",),
    ),
    history(
        "20 married, divorced and married again",
        document(
            "Oleander 1",
            "2011-01-01",
            says(
                "Ann Vey > married_to > Max Orb",
                "Ann Vey married Max Orb in 2010.",
                valid_from=("2010", "in 2010"),
            ),
        ),
        document(
            "Oleander 2",
            "2016-01-01",
            says(
                "Ann Vey > married_to > Max Orb",
                "Ann Vey and Max Orb divorced in 2015.",
                denied_by="divorced",
                valid_from=("2015", "in 2015"),
            ),
        ),
        document(
            "Oleander 3",
            "2021-01-01",
            says(
                "Max Orb > married_to > Ann Vey",
                "In 2020 Max Orb married Ann Vey again.",
                valid_from=("2020", "In 2020"),
            ),
        ),
        holds=("Max Orb > married_to > Ann Vey",),
    ),
    history(
        "21 a nationality given up for another",
        document(
            "Privet 1",
            "2011-01-01",
            says("Kai Noor > citizen_of > Estland", "Kai Noor is a citizen of Estland."),
        ),
        document(
            "Privet 2",
            "2021-01-01",
            says(
                "Kai Noor > citizen_of > Estland",
                "Kai Noor gave up the nationality of Estland for that of Norland.",
                denied_by="gave up",
            ),
            says(
                "Kai Noor > citizen_of > Norland",
                "Kai Noor gave up the nationality of Estland for that of Norland.",
            ),
        ),
        holds=("Kai Noor > citizen_of > Norland",),
        stale=("Kai Noor > citizen_of > Estland",),
    ),
    history(
        "22 a seat that moved, in Italian",
        document(
            "Quercia 1",
            "2011-01-01",
            says("Quercia Moda > headquartered_in > Torrana", "Quercia Moda ha sede a Torrana."),
        ),
        document(
            "Quercia 2",
            "2022-05-05",
            says(
                "Quercia Moda > headquartered_in > Torrana",
                "Dal 2022 Quercia Moda non ha più sede a Torrana ma a Milvano.",
                denied_by="non ha più",
                valid_from=("2022", "Dal 2022"),
            ),
            says(
                "Quercia Moda > headquartered_in > Milvano",
                "Dal 2022 Quercia Moda non ha più sede a Torrana ma a Milvano.",
                valid_from=("2022", "Dal 2022"),
            ),
        ),
        holds=("Quercia Moda > headquartered_in > Milvano",),
        stale=("Quercia Moda > headquartered_in > Torrana",),
    ),
    history(
        "23 planned, then done",
        document(
            "Rowan 1",
            "2020-01-01",
            says("Rowan Oil > owns > Tansy Gas", "Rowan Oil intends to buy Tansy Gas.", planned=True),
        ),
        document(
            "Rowan 2",
            "2021-01-01",
            says(
                "Rowan Oil > owns > Tansy Gas",
                "Rowan Oil bought Tansy Gas in 2021.",
                valid_from=("2021", "in 2021"),
            ),
        ),
        holds=("Rowan Oil > owns > Tansy Gas",),
    ),
    history(
        "24 planned for a year that has passed",
        document(
            "Sorrel",
            "2019-01-01",
            says(
                "Pia Wolt > head_of > Sorrel Lines",
                "Pia Wolt is to take over as head of Sorrel Lines in 2021.",
                role="head",
                planned=True,
                valid_from=("2021", "in 2021"),
            ),
        ),
        absent=("Pia Wolt > head_of > Sorrel Lines",),
    ),
    history(
        "25 a stay between two years, in Dutch",
        document(
            "Tulp",
            "2020-01-01",
            says(
                "Bas Vink > lives_in > Oudekerk",
                "Bas Vink woonde van 2003 tot 2009 in Oudekerk.",
                valid_from=("2003", "van 2003"),
                valid_to=("2009", "tot 2009"),
            ),
        ),
        stale=("Bas Vink > lives_in > Oudekerk",),
    ),
    history(
        "26 one of two employers left, in Turkish",
        document(
            "Umut 1",
            "2018-01-01",
            says("Ece Tan > works_for > Umut Vakfı", "Ece Tan, Umut Vakfı için çalışıyor."),
            says("Ece Tan > works_for > Deniz Basın", "Ece Tan, Deniz Basın için de çalışıyor."),
        ),
        document(
            "Umut 2",
            "2021-01-01",
            says(
                "Ece Tan > works_for > Deniz Basın",
                "Ece Tan, Deniz Basın'dan 2020'de ayrıldı.",
                denied_by="ayrıldı",
                valid_from=("2020", "2020'de"),
            ),
        ),
        holds=("Ece Tan > works_for > Umut Vakfı",),
        stale=("Ece Tan > works_for > Deniz Basın",),
    ),
    history(
        "27 a later page that tells of before",
        document(
            "Vetch 1",
            "2020-01-01",
            says("Ned Cole > head_of > Vetch Wool", "Ned Cole heads Vetch Wool.", role="head"),
        ),
        document(
            "Vetch 2",
            "2023-01-01",
            says(
                "Amy Lott > head_of > Vetch Wool",
                "Amy Lott headed Vetch Wool from 1999 to 2008.",
                role="head",
                valid_from=("1999", "from 1999"),
                valid_to=("2008", "to 2008"),
            ),
        ),
        holds=("Ned Cole > head_of > Vetch Wool",),
        stale=("Amy Lott > head_of > Vetch Wool",),
    ),
    history(
        "28 a capital moved, in Arabic",
        document(
            "Wadi 1", "2010-01-01", says("مرسان > capital_of > قندور", "مرسان عاصمة قندور.", role="capital")
        ),
        document(
            "Wadi 2", "2020-01-01", says("تلوان > capital_of > قندور", "تلوان عاصمة قندور.", role="capital")
        ),
        holds=("تلوان > capital_of > قندور",),
        stale=("مرسان > capital_of > قندور",),
    ),
    history(
        "29 two who lead at once, in Swedish",
        document(
            "Xenon 1",
            "2016-02-03",
            says(
                "Nils Ek > head_of > Xenonfonden", "Nils Ek är en av två ordförande i Xenonfonden.", role=""
            ),
        ),
        document(
            "Xenon 2",
            "2020-02-03",
            says(
                "Siv Ahl > head_of > Xenonfonden", "Siv Ahl är en av två ordförande i Xenonfonden.", role=""
            ),
        ),
        holds=("Nils Ek > head_of > Xenonfonden", "Siv Ahl > head_of > Xenonfonden"),
    ),
    history(
        "30 a death in the middle of a long page of other things",
        document(
            "Yarrow 1",
            "2015-01-01",
            says("Liv Stam > member_of > Yarrow Club", "Liv Stam is a member of Yarrow Club."),
        ),
        document(
            "Yarrow 2",
            "2021-06-01",
            says(
                "Liv Stam > exists > Liv Stam",
                "Liv Stam passed away last year.",
                denied_by="passed away",
                valid_from=("2020", "last year"),
            ),
            text=f"{_FILLING}\n\nLiv Stam passed away last year.\n\n{_FILLING}",
        ),
        stale=("Liv Stam > member_of > Yarrow Club",),
    ),
    history(
        "31 acting head, then head, in Polish",
        document(
            "Aronia 1",
            "2019-03-01",
            says(
                "Ewa Lis > head_of > Aronia Bank",
                "Ewa Lis pełni obowiązki prezesa Aronia Bank.",
                role="CEO",
            ),
        ),
        document(
            "Aronia 2",
            "2019-09-01",
            says("Jan Dąb > head_of > Aronia Bank", "Jan Dąb został prezesem Aronia Bank.", role="CEO"),
        ),
        holds=("Jan Dąb > head_of > Aronia Bank",),
        stale=("Ewa Lis > head_of > Aronia Bank",),
    ),
    history(
        "32 dismissed, and put back by a court",
        document(
            "Bryony 1",
            "2018-01-01",
            says("Kit Moss > works_for > Bryony Lines", "Kit Moss works for Bryony Lines."),
        ),
        document(
            "Bryony 2",
            "2019-01-01",
            says(
                "Kit Moss > works_for > Bryony Lines",
                "Bryony Lines dismissed Kit Moss.",
                denied_by="dismissed",
            ),
        ),
        document(
            "Bryony 3",
            "2020-01-01",
            says(
                "Kit Moss > works_for > Bryony Lines",
                "A court put Kit Moss back to work at Bryony Lines.",
            ),
        ),
        holds=("Kit Moss > works_for > Bryony Lines",),
    ),
    history(
        "33 no longer head, still a member",
        document(
            "Clover 1",
            "2017-01-01",
            says("Ines Pohl > head_of > Clover Union", "Ines Pohl chairs Clover Union.", role="chair"),
            says("Ines Pohl > member_of > Clover Union", "Ines Pohl sits on its board at Clover Union."),
        ),
        document(
            "Clover 2",
            "2021-01-01",
            says(
                "Ines Pohl > head_of > Clover Union",
                "Ines Pohl gave up the chair of Clover Union and stays on its board.",
                denied_by="gave up",
                role="chair",
            ),
            says(
                "Ines Pohl > member_of > Clover Union",
                "Ines Pohl gave up the chair of Clover Union and stays on its board.",
            ),
        ),
        holds=("Ines Pohl > member_of > Clover Union",),
        stale=("Ines Pohl > head_of > Clover Union",),
    ),
    history(
        "34 a departure that is only planned, in German",
        document(
            "Distel 1",
            "2022-02-01",
            says("Rolf Brand > works_for > Distelhof", "Rolf Brand arbeitet für Distelhof."),
        ),
        document(
            "Distel 2",
            "2023-02-01",
            says(
                "Rolf Brand > works_for > Distelhof",
                "Rolf Brand will Distelhof nächstes Jahr verlassen.",
                planned=True,
            ),
        ),
        holds=("Rolf Brand > works_for > Distelhof",),
    ),
    history(
        "35 a seat that moved away and back, in Chinese",
        document(
            "榆树一", "2012-01-01", says("榆树集团 > headquartered_in > 青州市", "榆树集团总部设在青州市。")
        ),
        document(
            "榆树二", "2016-01-01", says("榆树集团 > headquartered_in > 白河市", "榆树集团总部迁至白河市。")
        ),
        document(
            "榆树三",
            "2020-01-01",
            says("榆树集团 > headquartered_in > 青州市", "榆树集团总部从白河市迁回青州市。"),
            says(
                "榆树集团 > headquartered_in > 白河市",
                "榆树集团总部从白河市迁回青州市。",
                denied_by="迁回",
            ),
        ),
        holds=("榆树集团 > headquartered_in > 青州市",),
        stale=("榆树集团 > headquartered_in > 白河市",),
    ),
    history(
        "36 an end told of a time before what was said, in French",
        document(
            "Fougère 1",
            "2018-05-01",
            says("Luc Morin > works_for > Fougère SA", "Luc Morin travaille pour Fougère SA."),
        ),
        document(
            "Fougère 2",
            "2021-05-01",
            says(
                "Luc Morin > works_for > Fougère SA",
                "Luc Morin avait quitté Fougère SA en 2009.",
                denied_by="avait quitté",
                valid_from=("2009", "en 2009"),
            ),
        ),
        holds=("Luc Morin > works_for > Fougère SA",),
    ),
    history(
        "37 two owners at once, of whom one sells, in Portuguese",
        document(
            "Genista 1",
            "2015-01-01",
            says("Casa Alva > owns > Genista Têxtil", "A Casa Alva e a Casa Brito detêm a Genista Têxtil."),
            says("Casa Brito > owns > Genista Têxtil", "A Casa Alva e a Casa Brito detêm a Genista Têxtil."),
        ),
        document(
            "Genista 2",
            "2019-01-01",
            says(
                "Casa Brito > owns > Genista Têxtil",
                "A Casa Brito vendeu a sua parte da Genista Têxtil.",
                denied_by="vendeu",
            ),
        ),
        holds=("Casa Alva > owns > Genista Têxtil",),
        stale=("Casa Brito > owns > Genista Têxtil",),
    ),
    history(
        "38 a widow who marries again, in Vietnamese",
        document(
            "Hoa 1",
            "2010-01-01",
            says("Lê Thị Sen > married_to > Phạm Văn Lúa", "Lê Thị Sen là vợ của Phạm Văn Lúa."),
        ),
        document(
            "Hoa 2",
            "2016-01-01",
            says(
                "Phạm Văn Lúa > exists > Phạm Văn Lúa",
                "Phạm Văn Lúa qua đời năm 2015.",
                denied_by="qua đời",
                valid_from=("2015", "năm 2015"),
            ),
        ),
        document(
            "Hoa 3",
            "2020-01-01",
            says("Lê Thị Sen > married_to > Đỗ Văn Trúc", "Lê Thị Sen kết hôn với Đỗ Văn Trúc."),
        ),
        holds=("Lê Thị Sen > married_to > Đỗ Văn Trúc",),
        stale=("Lê Thị Sen > married_to > Phạm Văn Lúa",),
    ),
    history(
        "39 a sentence that a new version leaves out, in Ukrainian",
        document(
            "Ільм",
            "2021-01-01",
            says("Олег Гай > works_for > Ільмбуд", "Олег Гай працює в Ільмбуд."),
            says("Ірина Рось > works_for > Ільмбуд", "Ірина Рось працює в Ільмбуд."),
        ),
        document(
            "Ільм",
            "2022-01-01",
            says("Ірина Рось > works_for > Ільмбуд", "Ірина Рось працює в Ільмбуд."),
        ),
        holds=("Ірина Рось > works_for > Ільмбуд",),
        stale=("Олег Гай > works_for > Ільмбуд",),
    ),
    history(
        "40 a denial without a date of what a page says with one",
        document(
            "Juniper 1",
            "2016-01-01",
            says("Una Grey > lives_in > Port Ellery", "Una Grey lives in Port Ellery."),
        ),
        document(
            "Juniper 2",
            None,
            says(
                "Una Grey > lives_in > Port Ellery",
                "Una Grey no longer lives in Port Ellery.",
                denied_by="no longer",
            ),
        ),
        # It may be older than what it denies: both stand, as contested (record 14).
        holds=("Una Grey > lives_in > Port Ellery",),
    ),
    history(
        "41 a claim that a rumour says is over",
        document(
            "Kelp 1", "2018-01-01", says("Tim Rook > owns > Kelp Ferries", "Tim Rook owns Kelp Ferries.")
        ),
        document(
            "Kelp 2",
            "2021-01-01",
            says(
                "Wes Pike > owns > Kelp Ferries",
                "The Quay Post claims that Wes Pike owns Kelp Ferries.",
                said_by="The Quay Post",
            ),
        ),
        holds=("Tim Rook > owns > Kelp Ferries",),
        absent=("Wes Pike > owns > Kelp Ferries",),
    ),
    history(
        "42 a firm wound up whose people and premises end with it, in Japanese",
        document(
            "楓一",
            "2014-01-01",
            says("森田優 > works_for > 楓印刷", "森田優は楓印刷に勤めている。"),
            says("楓印刷 > headquartered_in > 藤野市", "楓印刷は藤野市に本社を置く。"),
        ),
        document(
            "楓二",
            "2019-01-01",
            says(
                "楓印刷 > exists > 楓印刷",
                "楓印刷は昨年解散した。",
                denied_by="解散した",
                valid_from=("2018", "昨年"),
                of_group=True,
            ),
        ),
        stale=("森田優 > works_for > 楓印刷", "楓印刷 > headquartered_in > 藤野市"),
    ),
)
