"""Twenty-two more histories with dates, in eleven languages, with what holds at the end.

Written with their ends before the first run, and played once before they became a test.
"""

from tests.oracle.further_histories import document, history, says
from tests.oracle.histories import History

HISTORIES: tuple[History, ...] = (
    history(
        "a head who left and was followed, in Hungarian",
        document(
            "Hajnal 1",
            "2018-03-01",
            says(
                "Kiss Eszter > head_of > Hajnal Kft.",
                "Kiss Eszter a Hajnal Kft. igazgatója.",
                role="director",
            ),
        ),
        document(
            "Hajnal 2",
            "2021-05-01",
            says(
                "Tóth Anna > head_of > Hajnal Kft.", "A Hajnal Kft. új igazgatója Tóth Anna.", role="director"
            ),
        ),
        holds=("Tóth Anna > head_of > Hajnal Kft.",),
        stale=("Kiss Eszter > head_of > Hajnal Kft.",),
    ),
    history(
        "a seat that moved, in Georgian",
        document(
            "Rioni 1",
            "2015-02-01",
            says("რიონი მილსი > headquartered_in > ქუთაისი", "რიონი მილსი მდებარეობს ქალაქ ქუთაისი."),
        ),
        document(
            "Rioni 2",
            "2020-09-01",
            says(
                "რიონი მილსი > headquartered_in > ბათუმი",
                "რიონი მილსი გადავიდა ქალაქ ბათუმი.",
                changed_by="გადავიდა",
            ),
        ),
        holds=("რიონი მილსი > headquartered_in > ბათუმი",),
        stale=("რიონი მილსი > headquartered_in > ქუთაისი",),
    ),
    history(
        "an owner by a purchase that names no seller, in Ukrainian",
        document(
            "Млин 1",
            "2014-01-01",
            says(
                "Світанок Енерго > owns > Північний млин", "Світанок Енерго володіє заводом Північний млин."
            ),
        ),
        document(
            "Млин 2",
            "2022-06-01",
            says(
                "Кобза Груп > owns > Північний млин",
                "Кобза Груп купила завод Північний млин.",
                changed_by="купила",
            ),
        ),
        holds=("Кобза Груп > owns > Північний млин",),
        stale=("Світанок Енерго > owns > Північний млин",),
    ),
    history(
        "a job denied in Urdu",
        document(
            "Raavi 1",
            "2017-01-01",
            says("احمد رضا > works_for > راوی ملز", "احمد رضا راوی ملز میں کام کرتے ہیں۔"),
        ),
        document(
            "Raavi 2",
            "2023-01-01",
            says(
                "احمد رضا > works_for > راوی ملز", "احمد رضا اب راوی ملز میں کام نہیں کرتے۔", denied_by="نہیں"
            ),
            says("سارہ ملک > works_for > راوی ملز", "سارہ ملک راوی ملز میں کام کرتی ہیں۔"),
        ),
        holds=("سارہ ملک > works_for > راوی ملز",),
        stale=("احمد رضا > works_for > راوی ملز",),
    ),
    history(
        "the older document arrives last",
        document(
            "Larkhill 2",
            "2022-01-01",
            says(
                "Owen Pryce > works_for > Larkhill Tools",
                "Owen Pryce is not with Larkhill Tools any more.",
                denied_by="not with Larkhill Tools any more",
            ),
            says("Maud Terrell > works_for > Larkhill Tools", "Maud Terrell works for Larkhill Tools."),
        ),
        document(
            "Larkhill 1",
            "2016-01-01",
            says("Owen Pryce > works_for > Larkhill Tools", "Owen Pryce works for Larkhill Tools."),
        ),
        holds=("Maud Terrell > works_for > Larkhill Tools",),
        stale=("Owen Pryce > works_for > Larkhill Tools",),
    ),
    history(
        "a plan that came to nothing",
        document(
            "Severn 1",
            "2019-01-01",
            says(
                "Severn Castings > headquartered_in > Ludlow",
                "Severn Castings has its head office in Ludlow.",
            ),
        ),
        document(
            "Severn 2",
            "2021-01-01",
            says(
                "Severn Castings > headquartered_in > Leominster",
                "Severn Castings means to move its head office to Leominster.",
                planned=True,
            ),
        ),
        holds=("Severn Castings > headquartered_in > Ludlow",),
        absent=("Severn Castings > headquartered_in > Leominster",),
    ),
    history(
        "hearsay ends nothing",
        document(
            "Teme 1",
            "2018-01-01",
            says("Ada Finch > works_for > Teme Paper", "Ada Finch works for Teme Paper."),
        ),
        document(
            "Teme 2",
            "2022-01-01",
            says(
                "Ada Finch > works_for > Clun Boards",
                "A neighbour claims that Ada Finch works for Clun Boards.",
                said_by="A neighbour",
            ),
        ),
        holds=("Ada Finch > works_for > Teme Paper",),
        absent=("Ada Finch > works_for > Clun Boards",),
    ),
    history(
        "a death, in Polish",
        document(
            "Wrona 1",
            "2010-01-01",
            says("Zofia Wrona > lives_in > Toruń", "Zofia Wrona mieszka w mieście Toruń."),
            says("Zofia Wrona > created > Świt Energia", "Zofia Wrona założyła firmę Świt Energia."),
        ),
        document(
            "Wrona 2",
            "2024-01-01",
            says("Zofia Wrona > exists > Zofia Wrona", "Zofia Wrona zmarła.", denied_by="zmarła"),
        ),
        holds=("Zofia Wrona > created > Świt Energia",),
        stale=("Zofia Wrona > lives_in > Toruń",),
    ),
    history(
        "a firm that closed, in Swahili",
        document(
            "Pangani 1",
            "2012-01-01",
            says(
                "Juma Mrisho > works_for > Kiwanda cha Pangani",
                "Juma Mrisho anafanya kazi katika Kiwanda cha Pangani.",
            ),
            says("Juma Mrisho > born_in > Tanga", "Juma Mrisho alizaliwa Tanga."),
        ),
        document(
            "Pangani 2",
            "2023-01-01",
            says(
                "Kiwanda cha Pangani > exists > Kiwanda cha Pangani",
                "Kiwanda cha Pangani kilifungwa.",
                denied_by="kilifungwa",
                of_group=True,
            ),
        ),
        holds=("Juma Mrisho > born_in > Tanga",),
        stale=("Juma Mrisho > works_for > Kiwanda cha Pangani",),
    ),
    history(
        "left and hired again",
        document(
            "Arrow 1",
            "2015-01-01",
            says("Ned Voss > works_for > Arrow Quay", "Ned Voss works for Arrow Quay."),
        ),
        document(
            "Arrow 2",
            "2018-01-01",
            says("Ned Voss > works_for > Arrow Quay", "Ned Voss quit Arrow Quay.", denied_by="quit"),
        ),
        document(
            "Arrow 3",
            "2021-01-01",
            says("Ned Voss > works_for > Arrow Quay", "Arrow Quay has Ned Voss on its staff again."),
        ),
        holds=("Ned Voss > works_for > Arrow Quay",),
    ),
    history(
        "a capital that is another",
        document(
            "Vara 1",
            "2001-01-01",
            says("Ostrel > capital_of > Varania", "Ostrel is the capital of Varania.", role="capital"),
        ),
        document(
            "Vara 2",
            "2019-01-01",
            says(
                "Linmar > capital_of > Varania",
                "Varania is governed from its capital Linmar.",
                role="capital",
            ),
        ),
        holds=("Linmar > capital_of > Varania",),
        stale=("Ostrel > capital_of > Varania",),
    ),
    history(
        "a correction, in Telugu",
        document(
            "Nila 1",
            "2019-01-01",
            says("నీలగిరి మిల్స్ > headquartered_in > నెల్లూరు", "నీలగిరి మిల్స్ కార్యాలయం నెల్లూరు నగరంలో ఉంది."),
        ),
        document(
            "Nila 2",
            "2020-01-01",
            says(
                "నీలగిరి మిల్స్ > headquartered_in > నెల్లూరు",
                "నీలగిరి మిల్స్ కార్యాలయం నెల్లూరు నగరంలో లేదు.",
                denied_by="లేదు",
            ),
            says("నీలగిరి మిల్స్ > headquartered_in > వరంగల్", "నీలగిరి మిల్స్ కార్యాలయం వరంగల్ నగరంలో ఉంది."),
        ),
        holds=("నీలగిరి మిల్స్ > headquartered_in > వరంగల్",),
        stale=("నీలగిరి మిల్స్ > headquartered_in > నెల్లూరు",),
    ),
    history(
        "another manager",
        document(
            "Onny 1",
            "2017-01-01",
            says("Iris Kemp > reports_to > Hal Dunn", "Hal Dunn is the manager of Iris Kemp.", role=None),
        ),
        document(
            "Onny 2",
            "2022-01-01",
            says(
                "Iris Kemp > reports_to > Rosa Vane",
                "Iris Kemp was put under Rosa Vane instead.",
                changed_by="instead",
            ),
        ),
        holds=("Iris Kemp > reports_to > Rosa Vane",),
        stale=("Iris Kemp > reports_to > Hal Dunn",),
    ),
    history(
        "a home that moved, in Burmese",
        document("Ma 1", "2013-01-01", says("ဒေါ်ခင်မာ > lives_in > ပုသိမ်", "ဒေါ်ခင်မာသည် ပုသိမ်တွင် နေထိုင်သည်။")),
        document(
            "Ma 2",
            "2020-01-01",
            says(
                "ဒေါ်ခင်မာ > lives_in > မန္တလေး",
                "ဒေါ်ခင်မာသည် မန္တလေးသို့ ပြောင်းရွှေ့ခဲ့သည်။",
                changed_by="ပြောင်းရွှေ့ခဲ့သည်",
            ),
        ),
        holds=("ဒေါ်ခင်မာ > lives_in > မန္တလေး",),
        stale=("ဒေါ်ခင်မာ > lives_in > ပုသိမ်",),
    ),
    history(
        "a stated end, in Lao",
        document(
            "Bun 1",
            "2023-01-01",
            says(
                "ບຸນມີ > works_for > ໂຮງງານນ້ຳງື່ມ",
                "ບຸນມີເຮັດວຽກຢູ່ໂຮງງານນ້ຳງື່ມຮອດປີ ໒໐໒໐.",
                valid_to=("2020", "ຮອດປີ ໒໐໒໐"),
            ),
            says("ສົມພອນ > works_for > ໂຮງງານນ້ຳງື່ມ", "ສົມພອນເຮັດວຽກຢູ່ໂຮງງານນ້ຳງື່ມ."),
        ),
        holds=("ສົມພອນ > works_for > ໂຮງງານນ້ຳງື່ມ",),
        stale=("ບຸນມີ > works_for > ໂຮງງານນ້ຳງື່ມ",),
    ),
    history(
        "a beginning still to come",
        document(
            "Lugg 1",
            "2024-01-01",
            says(
                "Bea Rowe > head_of > Lugg Mills",
                "From 2096 Bea Rowe heads Lugg Mills.",
                valid_from=("2096", "From 2096"),
                role="head",
            ),
            says("Kit Ames > head_of > Lugg Mills", "Until then Kit Ames heads Lugg Mills.", role="head"),
        ),
        holds=("Kit Ames > head_of > Lugg Mills",),
        absent=("Bea Rowe > head_of > Lugg Mills",),
    ),
    history(
        "a page replaced by its next version",
        document(
            "Corve",
            "2018-01-01",
            says("Jo Pitt > works_on > Corve Atlas", "Jo Pitt maintains the Corve Atlas."),
        ),
        document(
            "Corve",
            "2022-01-01",
            says("Mo Reed > works_on > Corve Atlas", "Mo Reed maintains the Corve Atlas."),
        ),
        holds=("Mo Reed > works_on > Corve Atlas",),
        stale=("Jo Pitt > works_on > Corve Atlas",),
    ),
    history(
        "two jobs at once",
        document(
            "Rea 1", "2018-01-01", says("Lil Hart > works_for > Rea Dairy", "Lil Hart works for Rea Dairy.")
        ),
        document(
            "Rea 2", "2021-01-01", says("Lil Hart > works_for > Clee Farm", "Lil Hart works for Clee Farm.")
        ),
        holds=("Lil Hart > works_for > Rea Dairy", "Lil Hart > works_for > Clee Farm"),
    ),
    history(
        "a marriage that ended, in Sinhala",
        document(
            "Nimal 1",
            "2011-01-01",
            says("නිමල් පෙරේරා > married_to > කුමාරි සිල්වා", "නිමල් පෙරේරා කුමාරි සිල්වා සමඟ විවාහ විය."),
        ),
        document(
            "Nimal 2",
            "2019-01-01",
            says(
                "නිමල් පෙරේරා > married_to > කුමාරි සිල්වා",
                "නිමල් පෙරේරා සහ කුමාරි සිල්වා දික්කසාද විය.",
                denied_by="දික්කසාද විය",
            ),
            says("නිමල් පෙරේරා > lives_in > මාතර", "නිමල් පෙරේරා මාතර පදිංචිව සිටී."),
        ),
        holds=("නිමල් පෙරේරා > lives_in > මාතර",),
        stale=("නිමල් පෙරේරා > married_to > කුමාරි සිල්වා",),
    ),
    history(
        "a seat that moved, in Chinese",
        document(
            "云岭 1", "2016-01-01", says("云岭机械 > headquartered_in > 赣州", "云岭机械总部设在赣州。")
        ),
        document(
            "云岭 2",
            "2022-01-01",
            says("云岭机械 > headquartered_in > 九江", "云岭机械总部迁往九江。", changed_by="迁往"),
        ),
        holds=("云岭机械 > headquartered_in > 九江",),
        stale=("云岭机械 > headquartered_in > 赣州",),
    ),
    history(
        "a library in use no longer",
        document(
            "Dore 1",
            "2019-01-01",
            says("Dore Ledger > uses > Quill", "Dore Ledger uses Quill.", of_group=True),
        ),
        document(
            "Dore 2",
            "2023-01-01",
            says(
                "Dore Ledger > uses > Quill", "Dore Ledger dropped Quill.", denied_by="dropped", of_group=True
            ),
            says("Dore Ledger > uses > Inkwell", "Dore Ledger uses Inkwell.", of_group=True),
        ),
        holds=("Dore Ledger > uses > Inkwell",),
        stale=("Dore Ledger > uses > Quill",),
    ),
    history(
        "a relative date, in Kannada",
        document(
            "Kaveri 1",
            "2020-01-01",
            says("ಸುರೇಶ್ ಭಟ್ > works_for > ಕಾವೇರಿ ಮಿಲ್ಸ್", "ಸುರೇಶ್ ಭಟ್ ಕಾವೇರಿ ಮಿಲ್ಸ್ ಸಂಸ್ಥೆಯಲ್ಲಿ ಕೆಲಸ ಮಾಡುತ್ತಾರೆ."),
        ),
        document(
            "Kaveri 2",
            "2024-05-01",
            says(
                "ಸುರೇಶ್ ಭಟ್ > works_for > ಕಾವೇರಿ ಮಿಲ್ಸ್",
                "ಕಳೆದ ವರ್ಷ ಸುರೇಶ್ ಭಟ್ ಕಾವೇರಿ ಮಿಲ್ಸ್ ತೊರೆದರು.",
                denied_by="ತೊರೆದರು",
                valid_from=("2023", "ಕಳೆದ ವರ್ಷ"),
            ),
            says("ಅನಿತಾ ಹೆಗ್ಡೆ > works_for > ಕಾವೇರಿ ಮಿಲ್ಸ್", "ಅನಿತಾ ಹೆಗ್ಡೆ ಕಾವೇರಿ ಮಿಲ್ಸ್ ಸಂಸ್ಥೆಯಲ್ಲಿ ಕೆಲಸ ಮಾಡುತ್ತಾರೆ."),
        ),
        holds=("ಅನಿತಾ ಹೆಗ್ಡೆ > works_for > ಕಾವೇರಿ ಮಿಲ್ಸ್",),
        stale=("ಸುರೇಶ್ ಭಟ್ > works_for > ಕಾವೇರಿ ಮಿಲ್ಸ್",),
    ),
)
