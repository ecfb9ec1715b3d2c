"""Texts in six languages in which names change at their beginning, at their end or within.

Welsh, Icelandic, Yiddish, Mongolian, Uyghur and Inuktitut: written after the forms that a model lists were
read, and read once before they became a test.
"""

from tests.oracle.more_languages import firm_history

WELSH = firm_history(
    "cy",
    (("Gwen Parri", ()), ("Huw Bowen", ())),
    (("Gwawr Ynni", ()), ("Melinau Conwy", ("Felinau Conwy",))),
    (("Caerdydd", ("Nghaerdydd",)), ("Pwllheli", ("Mhwllheli",))),
    (
        ("Sefydlodd Gwen Parri gwmni Gwawr Ynni.", {}),
        ("Mae pencadlys Gwawr Ynni yng Nghaerdydd.", {}),
        ("Cafodd ei geni ym Mhwllheli.", {"source_words": "Cafodd ei geni"}),
        ("Yn 2018 prynodd Gwawr Ynni Felinau Conwy.", {"valid_from": ("2018", "Yn 2018")}),
        ("Nid yw Huw Bowen yn gweithio i Felinau Conwy mwyach.", {"denied_by": "mwyach"}),
    ),
)
ICELANDIC = firm_history(
    "is",
    (("Sigrún Jónsdóttir", ()), ("Páll Einarsson", ())),
    (("Dögun", ("Dögunar",)), ("Norðurmylla", ("Norðurmyllu",))),
    (("Ísafjörður", ("Ísafirði",)), ("Hafnarfjörður", ("Hafnarfirði",))),
    (
        ("Sigrún Jónsdóttir stofnaði fyrirtækið Dögun.", {}),
        ("Höfuðstöðvar Dögunar eru á Ísafirði.", {}),
        ("Hún fæddist í Hafnarfirði.", {"source_words": "Hún"}),
        ("Árið 2018 keypti Dögun Norðurmyllu.", {"valid_from": ("2018", "Árið 2018")}),
        ("Páll Einarsson vinnur ekki lengur hjá Norðurmyllu.", {"denied_by": "ekki lengur"}),
    ),
)
YIDDISH = firm_history(
    "yi",
    (("רבקה לעווין", ()), ("משה קאץ", ())),
    (("מאָרגנשטערן ענערגיע", ()), ("בוגער מילן", ())),
    (("ווילנע", ()), ("לובלין", ())),
    (
        ("רבקה לעווין האָט געגרינדעט מאָרגנשטערן ענערגיע.", {}),
        ("דער הויפּטביוראָ פֿון מאָרגנשטערן ענערגיע איז אין ווילנע.", {}),
        ("זי איז געבוירן געוואָרן אין לובלין.", {"source_words": "זי"}),
        ("אין 2018 האָט מאָרגנשטערן ענערגיע געקויפֿט בוגער מילן.", {"valid_from": ("2018", "אין 2018")}),
        ("משה קאץ אַרבעט מער נישט בײַ בוגער מילן.", {"denied_by": "מער נישט"}),
    ),
)
MONGOLIAN = firm_history(
    "mn",
    (("Болормаа Ганбат", ()), ("Батаа Дорж", ())),
    (("Үүр Эрчим", ("Үүр Эрчимийн",)), ("Сэлэнгэ Тээрэм", ("Сэлэнгэ Тээрмийг", "Сэлэнгэ Тээрэмд"))),
    (("Дархан", ("Дарханд",)), ("Эрдэнэт", ("Эрдэнэтэд",))),
    (
        ("Болормаа Ганбат Үүр Эрчим компанийг үүсгэн байгуулсан.", {}),
        ("Үүр Эрчимийн төв байр Дарханд байдаг.", {}),
        ("Тэр Эрдэнэтэд төрсөн.", {"source_words": "Тэр"}),
        ("2018 онд Үүр Эрчим Сэлэнгэ Тээрмийг худалдаж авсан.", {"valid_from": ("2018", "2018 онд")}),
        ("Батаа Дорж одоо Сэлэнгэ Тээрэмд ажиллахаа больсон.", {"denied_by": "больсон"}),
    ),
)
UYGHUR = firm_history(
    "ug",
    (("گۈلنار تۇرسۇن", ()), ("ئەكبەر ھاشىم", ())),
    (
        ("تاڭ ئېنېرگىيە", ("تاڭ ئېنېرگىيەنى", "تاڭ ئېنېرگىيەنىڭ")),
        ("تارىم زاۋۇت", ("تارىم زاۋۇتنى", "تارىم زاۋۇتتا")),
    ),
    (("قەشقەر", ("قەشقەردە",)), ("خوتەن", ("خوتەندە",))),
    (
        ("گۈلنار تۇرسۇن تاڭ ئېنېرگىيەنى قۇردى.", {}),
        ("تاڭ ئېنېرگىيەنىڭ باش شتابى قەشقەردە.", {}),
        ("ئۇ خوتەندە تۇغۇلغان.", {"source_words": "ئۇ"}),
        ("2018-يىلى تاڭ ئېنېرگىيە تارىم زاۋۇتنى سېتىۋالدى.", {"valid_from": ("2018", "2018-يىلى")}),
        ("ئەكبەر ھاشىم ھازىر تارىم زاۋۇتتا ئىشلىمەيدۇ.", {"denied_by": "ئىشلىمەيدۇ"}),
    ),
)
INUKTITUT = firm_history(
    "iu",
    (("ᓯᓗ ᐊᕐᓇᖅ", ()), ("ᐲᑕ ᓄᑲᖅ", ())),
    (("ᖃᐅᒻᒪᖅ", ("ᖃᐅᒻᒪᒥᒃ",)), ("ᓯᓚ ᐱᓕᕆᕝᕕᒃ", ("ᓯᓚ ᐱᓕᕆᕝᕕᖕᒥᒃ", "ᓯᓚ ᐱᓕᕆᕝᕕᖕᒥ"))),
    (("ᐃᖃᓗᐃᑦ", ("ᐃᖃᓗᖕᓃᑦᑐᖅ",)), ("ᐸᖕᓂᖅᑑᖅ", ("ᐸᖕᓂᖅᑑᒥ",))),
    (
        ("ᓯᓗ ᐊᕐᓇᖅ ᐱᒋᐊᖅᑎᑦᓚᐅᖅᐳᖅ ᖃᐅᒻᒪᒥᒃ.", {}),
        ("ᖃᐅᒻᒪᖅ ᐊᓪᓚᕝᕕᖓ ᐃᖃᓗᖕᓃᑦᑐᖅ.", {}),
        ("ᐃᓅᓚᐅᖅᐳᖅ ᐸᖕᓂᖅᑑᒥ.", {"source_words": "ᐃᓅᓚᐅᖅᐳᖅ"}),
        ("2018-ᒥ ᖃᐅᒻᒪᖅ ᓂᐅᕕᓚᐅᖅᐳᖅ ᓯᓚ ᐱᓕᕆᕝᕕᖕᒥᒃ.", {"valid_from": ("2018", "2018-ᒥ")}),
        ("ᐲᑕ ᓄᑲᖅ ᐱᓕᕆᔪᓐᓃᖅᑐᖅ ᓯᓚ ᐱᓕᕆᕝᕕᖕᒥ.", {"denied_by": "ᐱᓕᕆᔪᓐᓃᖅᑐᖅ"}),
    ),
)
TEXTS = (WELSH, ICELANDIC, YIDDISH, MONGOLIAN, UYGHUR, INUKTITUT)
