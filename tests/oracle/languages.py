"""Small texts in several scripts, with all that a perfect reader finds in each.

Every language has a claim in plain words, one whose sentence calls an end by a pronoun or leaves it out, a
denial, an end with its date, names as grammar inflects them where it does, and dates as people there write
them.
"""

from typing import Any

from tests.oracle.gold import GoldEntity, GoldRelation, GoldText

PERSON, GROUP, PLACE = "Person", "Organization", "Location"


def _text(
    title: str,
    language: str,
    text: str,
    entities: dict[str, Any],
    relations: list[tuple[Any, ...]],
    date: str | None = None,
) -> GoldText:
    """The gold of a text: entities as name → type or (type, other names, forms), relations by names."""
    made = [
        GoldEntity(name, *((kind,) if isinstance(kind, str) else kind)) for name, kind in entities.items()
    ]
    places = {entity.name: place for place, entity in enumerate(made)}
    stated = []
    for source, relation, target, quote, *more in relations:
        assert quote in text, (title, quote)
        stated.append(
            GoldRelation(places[source], relation, places[target], (quote,), **(more[0] if more else {}))
        )
    return GoldText(title, text, tuple(made), tuple(stated), date, language)


CHINESE = _text(
    "远山科技",
    "zh",
    "陈立华创立了远山科技。远山科技总部位于杭州。她曾就读于浙江大学。"
    "二〇一九年，远山科技收购了蓝湖软件。自２０２１年起，王敏不再担任蓝湖软件的总裁。"
    "去年，刘洋加入了远山科技。远山科技从未拥有过青松集团。",
    {
        "陈立华": PERSON,
        "远山科技": GROUP,
        "杭州": PLACE,
        "浙江大学": GROUP,
        "蓝湖软件": GROUP,
        "王敏": PERSON,
        "刘洋": PERSON,
        "青松集团": GROUP,
    },
    [
        ("陈立华", "created", "远山科技", "陈立华创立了远山科技。"),
        ("远山科技", "headquartered_in", "杭州", "远山科技总部位于杭州。"),
        ("陈立华", "educated_at", "浙江大学", "她曾就读于浙江大学。", {"source_words": "她"}),
        (
            "远山科技",
            "owns",
            "蓝湖软件",
            "二〇一九年，远山科技收购了蓝湖软件。",
            {"valid_from": ("2019", "二〇一九年")},
        ),
        (
            "王敏",
            "head_of",
            "蓝湖软件",
            "自２０２１年起，王敏不再担任蓝湖软件的总裁。",
            {"denied_by": "不再担任", "valid_from": ("2021", "自２０２１年起")},
        ),
        ("刘洋", "works_for", "远山科技", "去年，刘洋加入了远山科技。", {"valid_from": ("2023", "去年")}),
        ("远山科技", "owns", "青松集团", "远山科技从未拥有过青松集团。", {"denied_by": "从未"}),
    ],
    date="2024-05-06",
)
JAPANESE = _text(
    "北斗電機",
    "ja",
    "北斗電機は札幌市に本社を置いている。佐藤健一が北斗電機を創業した。小樽市で生まれた。"
    "令和元年、北斗電機はミナトソフトを買収した。2022年3月に山田花子は北斗電機を退職した。"
    "北斗電機はカモメ製作所を所有していない。",
    {
        "北斗電機": GROUP,
        "札幌市": PLACE,
        "佐藤健一": PERSON,
        "小樽市": PLACE,
        "ミナトソフト": GROUP,
        "山田花子": PERSON,
        "カモメ製作所": GROUP,
    },
    [
        ("北斗電機", "headquartered_in", "札幌市", "北斗電機は札幌市に本社を置いている。"),
        ("佐藤健一", "created", "北斗電機", "佐藤健一が北斗電機を創業した。"),
        (
            "佐藤健一",
            "born_in",
            "小樽市",
            "佐藤健一が北斗電機を創業した。小樽市で生まれた。",
        ),
        (
            "北斗電機",
            "owns",
            "ミナトソフト",
            "令和元年、北斗電機はミナトソフトを買収した。",
            {"valid_from": ("2019", "令和元年")},
        ),
        (
            "山田花子",
            "works_for",
            "北斗電機",
            "2022年3月に山田花子は北斗電機を退職した。",
            {"denied_by": "退職した", "valid_from": ("2022-03", "2022年3月")},
        ),
        (
            "北斗電機",
            "owns",
            "カモメ製作所",
            "北斗電機はカモメ製作所を所有していない。",
            {"denied_by": "所有していない"},
        ),
    ],
)
KOREAN = _text(
    "한빛전자",
    "ko",
    "한빛전자는 대전에 본사를 두고 있다. 김도현이 한빛전자를 설립했다. 그는 부산에서 태어났다. "
    "2018년에 한빛전자는 가온소프트를 인수했다. 박서연은 2020년부터 더 이상 가온소프트의 대표가 아니다.",
    {
        "한빛전자": GROUP,
        "대전": PLACE,
        "김도현": PERSON,
        "부산": PLACE,
        "가온소프트": GROUP,
        "박서연": PERSON,
    },
    [
        ("한빛전자", "headquartered_in", "대전", "한빛전자는 대전에 본사를 두고 있다."),
        ("김도현", "created", "한빛전자", "김도현이 한빛전자를 설립했다."),
        ("김도현", "born_in", "부산", "그는 부산에서 태어났다.", {"source_words": "그는"}),
        (
            "한빛전자",
            "owns",
            "가온소프트",
            "2018년에 한빛전자는 가온소프트를 인수했다.",
            {"valid_from": ("2018", "2018년에")},
        ),
        (
            "박서연",
            "head_of",
            "가온소프트",
            "박서연은 2020년부터 더 이상 가온소프트의 대표가 아니다.",
            {"denied_by": "더 이상", "valid_from": ("2020", "2020년부터")},
        ),
    ],
)
THAI = _text(
    "บริษัทดาวเหนือ",
    "th",
    "บริษัทดาวเหนือมีสำนักงานใหญ่อยู่ในเชียงใหม่ สมชายก่อตั้งบริษัทดาวเหนือ เขาเกิดที่ลำปาง "
    "บริษัทดาวเหนือซื้อกิจการบริษัทคลื่นทองเมื่อ พ.ศ. 2562 มาลีไม่ได้ทำงานที่บริษัทคลื่นทองอีกต่อไปตั้งแต่ปี ๒๕๖๕",
    {
        "บริษัทดาวเหนือ": GROUP,
        "เชียงใหม่": PLACE,
        "สมชาย": PERSON,
        "ลำปาง": PLACE,
        "บริษัทคลื่นทอง": GROUP,
        "มาลี": PERSON,
    },
    [
        ("บริษัทดาวเหนือ", "headquartered_in", "เชียงใหม่", "บริษัทดาวเหนือมีสำนักงานใหญ่อยู่ในเชียงใหม่"),
        ("สมชาย", "created", "บริษัทดาวเหนือ", "สมชายก่อตั้งบริษัทดาวเหนือ"),
        ("สมชาย", "born_in", "ลำปาง", "เขาเกิดที่ลำปาง", {"source_words": "เขา"}),
        (
            "บริษัทดาวเหนือ",
            "owns",
            "บริษัทคลื่นทอง",
            "บริษัทดาวเหนือซื้อกิจการบริษัทคลื่นทองเมื่อ พ.ศ. 2562",
            {"valid_from": ("2019", "พ.ศ. 2562")},
        ),
        (
            "มาลี",
            "works_for",
            "บริษัทคลื่นทอง",
            "มาลีไม่ได้ทำงานที่บริษัทคลื่นทองอีกต่อไปตั้งแต่ปี ๒๕๖๕",
            {"denied_by": "ไม่ได้ทำงาน", "valid_from": ("2022", "ตั้งแต่ปี ๒๕๖๕")},
        ),
    ],
)
FINNISH = _text(
    "Revontuli Oy",
    "fi",
    "Aino Mäkinen perusti Revontuli Oy:n Helsingissä. Hän syntyi Turussa. "
    "Vuonna 2017 Revontuli Oy osti Koivusoftin. "
    "Matti Laine ei enää johda Koivusoftia. Viime vuonna Liisa Niemi siirtyi Revontuli Oy:n palvelukseen.",
    {
        "Aino Mäkinen": PERSON,
        "Revontuli Oy": GROUP,
        "Helsinki": (PLACE, (), ("Helsingissä",)),
        "Turku": (PLACE, (), ("Turussa",)),
        "Koivusoft": (GROUP, (), ("Koivusoftin", "Koivusoftia")),
        "Matti Laine": PERSON,
        "Liisa Niemi": PERSON,
    },
    [
        ("Aino Mäkinen", "created", "Revontuli Oy", "Aino Mäkinen perusti Revontuli Oy:n Helsingissä."),
        ("Revontuli Oy", "located_in", "Helsinki", "Aino Mäkinen perusti Revontuli Oy:n Helsingissä."),
        ("Aino Mäkinen", "born_in", "Turku", "Hän syntyi Turussa.", {"source_words": "Hän"}),
        (
            "Revontuli Oy",
            "owns",
            "Koivusoft",
            "Vuonna 2017 Revontuli Oy osti Koivusoftin.",
            {"valid_from": ("2017", "Vuonna 2017")},
        ),
        (
            "Matti Laine",
            "head_of",
            "Koivusoft",
            "Matti Laine ei enää johda Koivusoftia.",
            {"denied_by": "ei enää"},
        ),
        (
            "Liisa Niemi",
            "works_for",
            "Revontuli Oy",
            "Viime vuonna Liisa Niemi siirtyi Revontuli Oy:n palvelukseen.",
            {"valid_from": ("2022", "Viime vuonna")},
        ),
    ],
    date="2023-02-01",
)
RUSSIAN = _text(
    "Завод «Северсталькомплект»",
    "ru",
    "Анна Соколова основала компанию Полярис в Нижнем Новгороде. Она родилась в Казани. "
    "В 2016 году Полярис приобрёл Вектормаш. С мая 2020 года Игорь Лебедев больше не руководит Вектормашем. "
    "Полярис никогда не владел Гранитом.",
    {
        "Анна Соколова": PERSON,
        "Полярис": GROUP,
        "Нижний Новгород": (PLACE, (), ("Нижнем Новгороде",)),
        "Казань": (PLACE, (), ("Казани",)),
        "Вектормаш": GROUP,
        "Игорь Лебедев": PERSON,
        "Гранит": (GROUP, (), ("Гранитом",)),
    },
    [
        (
            "Анна Соколова",
            "created",
            "Полярис",
            "Анна Соколова основала компанию Полярис в Нижнем Новгороде.",
        ),
        (
            "Полярис",
            "located_in",
            "Нижний Новгород",
            "Анна Соколова основала компанию Полярис в Нижнем Новгороде.",
        ),
        ("Анна Соколова", "born_in", "Казань", "Она родилась в Казани.", {"source_words": "Она"}),
        (
            "Полярис",
            "owns",
            "Вектормаш",
            "В 2016 году Полярис приобрёл Вектормаш.",
            {"valid_from": ("2016", "В 2016 году")},
        ),
        (
            "Игорь Лебедев",
            "head_of",
            "Вектормаш",
            "С мая 2020 года Игорь Лебедев больше не руководит Вектормашем.",
            {"denied_by": "больше не", "valid_from": ("2020-05", "С мая 2020 года")},
        ),
        ("Полярис", "owns", "Гранит", "Полярис никогда не владел Гранитом.", {"denied_by": "никогда не"}),
    ],
)
GERMAN = _text(
    "Nordlicht Energie",
    "de",
    "Jonas Brandt gründete die Nordlicht Energie GmbH in Kiel. Er wurde in Rostock geboren. "
    "Seit 2015 gehört die Windpark Föhr KG der Nordlicht Energie GmbH. "
    "Petra Vogel leitete die Windpark Föhr KG bis 2019. "
    "Die Nordlicht Energie GmbH trennte sich im Juni 2021 von der Solarwerk Husum GmbH.",
    {
        "Jonas Brandt": PERSON,
        "Nordlicht Energie GmbH": GROUP,
        "Kiel": PLACE,
        "Rostock": PLACE,
        "Windpark Föhr KG": GROUP,
        "Petra Vogel": PERSON,
        "Solarwerk Husum GmbH": GROUP,
    },
    [
        (
            "Jonas Brandt",
            "created",
            "Nordlicht Energie GmbH",
            "Jonas Brandt gründete die Nordlicht Energie GmbH in Kiel.",
        ),
        (
            "Nordlicht Energie GmbH",
            "located_in",
            "Kiel",
            "Jonas Brandt gründete die Nordlicht Energie GmbH in Kiel.",
        ),
        ("Jonas Brandt", "born_in", "Rostock", "Er wurde in Rostock geboren.", {"source_words": "Er"}),
        (
            "Nordlicht Energie GmbH",
            "owns",
            "Windpark Föhr KG",
            "Seit 2015 gehört die Windpark Föhr KG der Nordlicht Energie GmbH.",
            {"valid_from": ("2015", "Seit 2015")},
        ),
        (
            "Petra Vogel",
            "head_of",
            "Windpark Föhr KG",
            "Petra Vogel leitete die Windpark Föhr KG bis 2019.",
            {"valid_to": ("2019", "bis 2019")},
        ),
        (
            "Nordlicht Energie GmbH",
            "owns",
            "Solarwerk Husum GmbH",
            "Die Nordlicht Energie GmbH trennte sich im Juni 2021 von der Solarwerk Husum GmbH.",
            {"denied_by": "trennte sich", "valid_from": ("2021-06", "im Juni 2021")},
        ),
    ],
)
ARABIC = _text(
    "شركة الواحة",
    "ar",
    "أسس سامر الخطيب شركة الواحة في عمّان. وُلد في إربد. في عام ٢٠١٨ اشترت شركة الواحة شركة النخيل. "
    "لم تعد ليلى حداد تعمل في شركة النخيل منذ عام ٢٠٢١.",
    {
        "سامر الخطيب": PERSON,
        "شركة الواحة": GROUP,
        "عمّان": PLACE,
        "إربد": PLACE,
        "شركة النخيل": GROUP,
        "ليلى حداد": PERSON,
    },
    [
        ("سامر الخطيب", "created", "شركة الواحة", "أسس سامر الخطيب شركة الواحة في عمّان."),
        ("شركة الواحة", "located_in", "عمّان", "أسس سامر الخطيب شركة الواحة في عمّان."),
        ("سامر الخطيب", "born_in", "إربد", "وُلد في إربد.", {"source_words": "وُلد"}),
        (
            "شركة الواحة",
            "owns",
            "شركة النخيل",
            "في عام ٢٠١٨ اشترت شركة الواحة شركة النخيل.",
            {"valid_from": ("2018", "في عام ٢٠١٨")},
        ),
        (
            "ليلى حداد",
            "works_for",
            "شركة النخيل",
            "لم تعد ليلى حداد تعمل في شركة النخيل منذ عام ٢٠٢١.",
            {"denied_by": "لم تعد", "valid_from": ("2021", "منذ عام ٢٠٢١")},
        ),
    ],
)
ENGLISH = _text(
    "Harbour Works",
    "en",
    "Iris Falk founded Harbour Works in Bristol. She studied at Cardiff University. "
    "The council suspended Harbour Works' membership of the Trade Guild on 4 March 2022. "
    "In 2020 the appeal court rescinded Harbour Works' ownership of Quay Nine. "
    "Last month Omar Reed took over as head of Harbour Works. He lives in Bath.",
    {
        "Iris Falk": PERSON,
        "Harbour Works": GROUP,
        "Bristol": PLACE,
        "Cardiff University": GROUP,
        "Trade Guild": GROUP,
        "Quay Nine": PLACE,
        "Omar Reed": PERSON,
        "Bath": PLACE,
    },
    [
        ("Iris Falk", "created", "Harbour Works", "Iris Falk founded Harbour Works in Bristol."),
        ("Harbour Works", "located_in", "Bristol", "Iris Falk founded Harbour Works in Bristol."),
        (
            "Iris Falk",
            "educated_at",
            "Cardiff University",
            "She studied at Cardiff University.",
            {"source_words": "She"},
        ),
        (
            "Harbour Works",
            "member_of",
            "Trade Guild",
            "The council suspended Harbour Works' membership of the Trade Guild on 4 March 2022.",
            {"denied_by": "suspended", "valid_from": ("2022-03-04", "on 4 March 2022")},
        ),
        (
            "Harbour Works",
            "owns",
            "Quay Nine",
            "In 2020 the appeal court rescinded Harbour Works' ownership of Quay Nine.",
            {"denied_by": "rescinded", "valid_from": ("2020", "In 2020")},
        ),
        (
            "Omar Reed",
            "head_of",
            "Harbour Works",
            "Last month Omar Reed took over as head of Harbour Works.",
            {"valid_from": ("2024-02", "Last month")},
        ),
        ("Omar Reed", "lives_in", "Bath", "He lives in Bath.", {"source_words": "He"}),
    ],
    date="2024-03-10",
)

TEXTS = (CHINESE, JAPANESE, KOREAN, THAI, FINNISH, RUSSIAN, GERMAN, ARABIC, ENGLISH)
