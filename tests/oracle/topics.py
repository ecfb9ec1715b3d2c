"""Texts on things that have no proper name: a kind of pump, a policy, a disease, in several scripts.

Each names something else by a common noun besides, which it is not about (`faulty.COMMON_NOUNS`).
"""

from tests.oracle.gold import GoldEntity, GoldRelation, GoldText

PERSON, GROUP, PLACE, CONCEPT = "Person", "Organization", "Location", "Concept"


def _topic(
    title: str,
    language: str,
    topic: tuple[str, str],
    claim: tuple[str, str, str, str],
    *sentences: str,
    forms: tuple[str, ...] = (),
) -> GoldText:
    """A text whose first sentence states the claim (source, relation, target, type of what is no topic)."""
    name, kind = topic
    source, relation, target, other_kind = claim
    entities = tuple(
        GoldEntity(end, kind if end == name else other_kind, (), forms if end == name else ())
        for end in (source, target)
    )
    return GoldText(
        title,
        " ".join(sentences),
        entities,
        (GoldRelation(0, relation, 1, (sentences[0],)),),
        language=language,
    )


TOPICS = (
    _topic(
        "Centrifugal pumps",
        "en",
        ("centrifugal pump", "Technology"),
        ("Denis Papin", "created", "centrifugal pump", PERSON),
        "Denis Papin built the first centrifugal pump in Kassel.",
        "An engineer checks its seals every month.",
    ),
    _topic(
        "Minutes of the parish council",
        "en",
        ("parish council", GROUP),
        ("parish council", "owns", "Mill Lane Hall", PLACE),
        "The parish council bought Mill Lane Hall.",
        "The city council was told of it.",
    ),
    _topic(
        "Parental leave",
        "en",
        ("parental leave", CONCEPT),
        ("Norrland Works", "provides", "parental leave", GROUP),
        "Norrland Works grants parental leave of thirty weeks.",
        "Its patients and guests are told in time.",
    ),
    _topic(
        "Kreiselpumpe",
        "de",
        ("Kreiselpumpe", "Technology"),
        ("Halbach Werke", "provides", "Kreiselpumpe", GROUP),
        "Die Halbach Werke liefern die Kreiselpumpe mit zwei Rädern.",
    ),
    _topic(
        "Le conseil municipal",
        "fr",
        ("conseil municipal", GROUP),
        ("conseil municipal", "located_in", "Brivelle", PLACE),
        "Le conseil municipal siège à Brivelle.",
    ),
    _topic(
        "Сахарный диабет",
        "ru",
        ("сахарный диабет", CONCEPT),
        ("Пол Лангерганс", "works_on", "сахарный диабет", PERSON),
        "Пол Лангерганс изучал сахарный диабет в Берлине.",
        "Решение врача и совет семьи тоже важны.",
    ),
    _topic(
        "Σακχαρώδης διαβήτης",
        "el",
        ("σακχαρώδης διαβήτης", CONCEPT),
        ("σακχαρώδης διαβήτης", "part_of", "Πρόγραμμα Υγεία", CONCEPT),
        "Ο σακχαρώδης διαβήτης ανήκει στο Πρόγραμμα Υγεία.",
        "Το διάβασαν οι κάτοικοι της Πάτρας.",
    ),
    _topic(
        "离心泵",
        "zh",
        ("离心泵", "Technology"),
        ("远山机械", "provides", "离心泵", GROUP),
        "远山机械生产离心泵。",
    ),
    _topic(
        "育児休業",
        "ja",
        ("育児休業", CONCEPT),
        ("北斗電機", "provides", "育児休業", GROUP),
        "北斗電機は育児休業を二年まで認めている。",
    ),
    _topic(
        "육아휴직",
        "ko",
        ("육아휴직", CONCEPT),
        ("한빛전자", "provides", "육아휴직", GROUP),
        "한빛전자는 육아휴직을 2년까지 준다.",
    ),
    _topic(
        "مضخة الطرد المركزي",
        "ar",
        ("مضخة الطرد المركزي", "Technology"),
        ("شركة النخيل", "provides", "مضخة الطرد المركزي", GROUP),
        "تنتج شركة النخيل مضخة الطرد المركزي.",
    ),
    _topic(
        "मधुमेह",
        "hi",
        ("मधुमेह", CONCEPT),
        ("आशा अस्पताल", "works_on", "मधुमेह", GROUP),
        "आशा अस्पताल मधुमेह पर काम करता है।",
    ),
    _topic(
        "โรคเบาหวาน",
        "th",
        ("โรคเบาหวาน", CONCEPT),
        ("โรงพยาบาลดาวเหนือ", "works_on", "โรคเบาหวาน", GROUP),
        "โรงพยาบาลดาวเหนือวิจัยโรคเบาหวาน",
    ),
)
