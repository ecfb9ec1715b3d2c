"""Histories of changes: moves, mergers, dismissals, corrections, plans, copies and documents out of order.

Written, with what holds at the end, before the pipeline was changed for any of them. `LOOKED_AT` were read
while it was; `KEPT_BACK` were played once, after it.
"""

from tests.oracle.further_histories import document, history, says
from tests.oracle.gold import GoldEntity, GoldText
from tests.oracle.histories import GROUP

LOOKED_AT = (
    history(
        "a seat that moved, the old one not named",
        document(
            "Tarn 1",
            "2014-02-01",
            says("Tarn Foods > headquartered_in > Keld", "Tarn Foods is headquartered in Keld."),
        ),
        document(
            "Tarn 2",
            "2021-06-01",
            says(
                "Tarn Foods > headquartered_in > Amble",
                "Tarn Foods has moved its headquarters to Amble.",
                changed_by="has moved",
            ),
        ),
        holds=("Tarn Foods > headquartered_in > Amble",),
        stale=("Tarn Foods > headquartered_in > Keld",),
    ),
    history(
        "dismissed and reinstated",
        document(
            "Wick 1",
            "2016-01-01",
            says("Nora Pell > head_of > Wick Harbour", "Nora Pell is director of Wick Harbour.", role=""),
            says("Gil Moss > works_for > Wick Harbour", "Gil Moss works for Wick Harbour."),
        ),
        document(
            "Wick 2",
            "2018-05-01",
            says(
                "Nora Pell > head_of > Wick Harbour",
                "Wick Harbour dismissed Nora Pell as director.",
                denied_by="dismissed",
                role="",
            ),
            says(
                "Gil Moss > works_for > Wick Harbour",
                "Wick Harbour also fired Gil Moss.",
                denied_by="fired",
            ),
        ),
        document(
            "Wick 3",
            "2019-03-01",
            says(
                "Nora Pell > head_of > Wick Harbour",
                "Nora Pell is once again director of Wick Harbour.",
                role="",
            ),
        ),
        holds=("Nora Pell > head_of > Wick Harbour",),
        stale=("Gil Moss > works_for > Wick Harbour",),
    ),
    history(
        "moved house, the old one not named, in German",
        document(
            "Falk 1", "2012-01-01", says("Jonas Falk > lives_in > Ahlbeck", "Jonas Falk wohnt in Ahlbeck.")
        ),
        document(
            "Falk 2",
            "2019-02-01",
            says(
                "Jonas Falk > lives_in > Tondern",
                "Jonas Falk ist 2018 nach Tondern gezogen.",
                changed_by="gezogen",
                valid_from=("2018", "2018"),
            ),
        ),
        holds=("Jonas Falk > lives_in > Tondern",),
        stale=("Jonas Falk > lives_in > Ahlbeck",),
    ),
    history(
        "a bank that was absorbed, in French",
        document(
            "Vercors 1",
            "2010-01-01",
            says(
                "Claire Astier > head_of > Banque du Vercors",
                "Claire Astier dirige la Banque du Vercors.",
                role="",
            ),
        ),
        document(
            "Vercors 2",
            "2017-09-01",
            says(
                "Banque du Vercors > exists > Banque du Vercors",
                "Le 1er juillet 2017 la Banque du Vercors a été absorbée par le Crédit Isère.",
                denied_by="absorbée",
                valid_from=("2017-07-01", "1er juillet 2017"),
                of_group=True,
            ),
            says(
                "Crédit Isère > replaces > Banque du Vercors",
                "Le 1er juillet 2017 la Banque du Vercors a été absorbée par le Crédit Isère.",
                of_group=True,
            ),
        ),
        holds=("Crédit Isère > replaces > Banque du Vercors",),
        stale=("Claire Astier > head_of > Banque du Vercors",),
    ),
    history(
        "a president for the time being, in Spanish",
        document(
            "Duero 1",
            "2019-03-01",
            says(
                "Marta Luján > head_of > Aceros Duero",
                "Marta Luján es presidenta interina de Aceros Duero.",
                role="president",
            ),
        ),
        document(
            "Duero 2",
            "2019-10-01",
            says(
                "Pablo Ruiz > head_of > Aceros Duero",
                "Pablo Ruiz asumió la presidencia de Aceros Duero en septiembre de 2019.",
                role="president",
                valid_from=("2019-09", "septiembre de 2019"),
            ),
        ),
        holds=("Pablo Ruiz > head_of > Aceros Duero",),
        stale=("Marta Luján > head_of > Aceros Duero",),
    ),
    history(
        "a correction of a founder, in Chinese",
        document("启明一", "2020-05-01", says("周立安 > created > 启明仪器", "启明仪器由周立安创办。")),
        document(
            "启明二",
            "2020-05-03",
            says(
                "周立安 > created > 启明仪器",
                "更正：启明仪器并非由周立安创办，而是由周丽安创办。",
                denied_by="并非",
            ),
            says("周丽安 > created > 启明仪器", "更正：启明仪器并非由周立安创办，而是由周丽安创办。"),
        ),
        holds=("周丽安 > created > 启明仪器",),
        stale=("周立安 > created > 启明仪器",),
    ),
    history(
        "a move that was planned and called off, in Japanese",
        document(
            "青葉一",
            "2018-01-01",
            says("青葉精機 > headquartered_in > 長浜市", "青葉精機は長浜市に本社を置く。"),
        ),
        document(
            "青葉二",
            "2019-01-01",
            says(
                "青葉精機 > headquartered_in > 高槻市",
                "青葉精機は2020年に本社を高槻市へ移す予定だ。",
                planned=True,
                changed_by="移す",
                valid_from=("2020", "2020年"),
            ),
        ),
        document("青葉三", "2021-01-01", says("", "青葉精機は本社を移す計画を中止した。")),
        holds=("青葉精機 > headquartered_in > 長浜市",),
        absent=("青葉精機 > headquartered_in > 高槻市",),
    ),
    history(
        "the news of an end arrives before what it ends",
        document(
            "Selby 3",
            "2022-01-01",
            says(
                "Ivo Tarrant > works_for > Selby Glass",
                "Ivo Tarrant left Selby Glass in May 2020.",
                denied_by="left",
                valid_from=("2020-05", "May 2020"),
            ),
        ),
        document(
            "Selby 1",
            "2012-01-01",
            says("Ivo Tarrant > works_for > Selby Glass", "Ivo Tarrant works for Selby Glass."),
        ),
        document(
            "Selby 2",
            "2021-01-01",
            says("Mae Orr > works_for > Selby Glass", "Mae Orr works for Selby Glass."),
        ),
        holds=("Mae Orr > works_for > Selby Glass",),
        stale=("Ivo Tarrant > works_for > Selby Glass",),
    ),
    history(
        "a copy of what is over arrives last, in Russian",
        document(
            "Вега 1",
            "2015-01-01",
            says("Анна Крылова > head_of > Вегапром", "Анна Крылова возглавляет Вегапром.", role=""),
        ),
        document(
            "Вега 2",
            "2018-04-01",
            says(
                "Анна Крылова > head_of > Вегапром",
                "В марте 2018 года Анна Крылова покинула Вегапром.",
                denied_by="покинула",
                valid_from=("2018-03", "В марте 2018 года"),
                role="",
            ),
        ),
        document(
            "Вега: копия",
            "2015-01-01",
            says("Анна Крылова > head_of > Вегапром", "Анна Крылова возглавляет Вегапром.", role=""),
        ),
        stale=("Анна Крылова > head_of > Вегапром",),
    ),
    history(
        "a firm renamed, and its next head, in Turkish",
        document(
            "Marmara 1",
            "2015-01-01",
            says(
                "Selin Aksoy > head_of > Marmara Çelik",
                "Selin Aksoy, Marmara Çelik genel müdürüdür.",
                role="CEO",
            ),
        ),
        GoldText(
            "Marmara 2",
            "Marmara Çelik 2018 yılında adını Boğaz Çelik olarak değiştirdi.",
            (GoldEntity("Marmara Çelik", GROUP, ("Boğaz Çelik",)),),
            (),
            "2018-06-01",
        ),
        document(
            "Marmara 3",
            "2020-01-01",
            says(
                "Kemal Uslu > head_of > Boğaz Çelik", "Kemal Uslu, Boğaz Çelik genel müdürüdür.", role="CEO"
            ),
        ),
        holds=("Kemal Uslu > head_of > Marmara Çelik",),
        stale=("Selin Aksoy > head_of > Marmara Çelik",),
    ),
    history(
        "a rumour of an end, and its denial, in Korean",
        document(
            "대명 1",
            "2017-01-01",
            says("한서연 > head_of > 대명전자", "한서연은 대명전자의 대표이사이다.", role="CEO"),
        ),
        document("대명 2", "2019-02-01", says("", "가나일보에 따르면 한서연은 곧 회사를 떠난다.")),
        document(
            "대명 3",
            "2019-02-03",
            says("한서연 > head_of > 대명전자", "한서연은 여전히 대명전자의 대표이사이다.", role="CEO"),
        ),
        holds=("한서연 > head_of > 대명전자",),
    ),
    history(
        "another owner, the seller not named, in Portuguese",
        document(
            "Sado 1",
            "2013-01-01",
            says("Grupo Viana > owns > Têxtil Sado", "O Grupo Viana é dono da Têxtil Sado."),
        ),
        document(
            "Sado 2",
            "2020-08-01",
            says(
                "Companhia Douro > owns > Têxtil Sado",
                "A Companhia Douro comprou a Têxtil Sado em 2020.",
                changed_by="comprou",
                valid_from=("2020", "em 2020"),
            ),
        ),
        holds=("Companhia Douro > owns > Têxtil Sado",),
        stale=("Grupo Viana > owns > Têxtil Sado",),
    ),
)
KEPT_BACK = (
    history(
        "premises that moved, the old ones not named",
        document(
            "Lowick 1",
            "2011-01-01",
            says("Lowick Archive > located_in > Settle", "Lowick Archive is located in Settle."),
        ),
        document(
            "Lowick 2",
            "2018-08-01",
            says(
                "Lowick Archive > located_in > Malton",
                "In June 2018 Lowick Archive relocated to Malton.",
                changed_by="relocated",
                valid_from=("2018-06", "In June 2018"),
            ),
        ),
        holds=("Lowick Archive > located_in > Malton",),
        stale=("Lowick Archive > located_in > Settle",),
    ),
    history(
        "a second seat beside the first",
        document(
            "Orrin 1",
            "2015-01-01",
            says("Orrin Systems > headquartered_in > Thirsk", "Orrin Systems is headquartered in Thirsk."),
        ),
        document(
            "Orrin 2",
            "2020-09-01",
            says(
                "Orrin Systems > headquartered_in > Selkirk",
                "In 2020 Orrin Systems opened a second headquarters in Selkirk.",
                valid_from=("2020", "In 2020"),
            ),
        ),
        holds=(
            "Orrin Systems > headquartered_in > Thirsk",
            "Orrin Systems > headquartered_in > Selkirk",
        ),
    ),
    history(
        "back in an old post, in Italian",
        document(
            "Montalba 1",
            "2010-01-01",
            says("Luca Ferri > head_of > Montalba", "Luca Ferri è sindaco di Montalba.", role="mayor"),
        ),
        document(
            "Montalba 2",
            "2014-07-01",
            says(
                "Sara Conti > head_of > Montalba",
                "Nel 2014 Sara Conti è stata eletta sindaca di Montalba.",
                role="mayor",
                valid_from=("2014", "Nel 2014"),
            ),
        ),
        document(
            "Montalba 3",
            "2019-07-01",
            says(
                "Luca Ferri > head_of > Montalba",
                "Nel 2019 Luca Ferri è stato rieletto sindaco di Montalba.",
                role="mayor",
                valid_from=("2019", "Nel 2019"),
            ),
        ),
        holds=("Luca Ferri > head_of > Montalba",),
        stale=("Sara Conti > head_of > Montalba",),
    ),
    history(
        "two firms that became one, in Dutch",
        document(
            "Lier 1",
            "2009-01-01",
            says("Joris Maas > works_for > Drukkerij Lier", "Joris Maas werkt voor Drukkerij Lier."),
        ),
        document(
            "Lier 2",
            "2016-01-01",
            says(
                "Drukkerij Lier > exists > Drukkerij Lier",
                "Drukkerij Lier en Drukkerij Mol fuseerden in 2015 tot Kempendruk.",
                denied_by="fuseerden",
                valid_from=("2015", "in 2015"),
                of_group=True,
            ),
            says(
                "Drukkerij Mol > exists > Drukkerij Mol",
                "Drukkerij Lier en Drukkerij Mol fuseerden in 2015 tot Kempendruk.",
                denied_by="fuseerden",
                valid_from=("2015", "in 2015"),
                of_group=True,
            ),
            says(
                "Kempendruk > replaces > Drukkerij Lier",
                "Drukkerij Lier en Drukkerij Mol fuseerden in 2015 tot Kempendruk.",
                of_group=True,
            ),
        ),
        document(
            "Lier 3",
            "2018-01-01",
            says("Joris Maas > works_for > Kempendruk", "Joris Maas werkt voor Kempendruk."),
        ),
        holds=("Joris Maas > works_for > Kempendruk", "Kempendruk > replaces > Drukkerij Lier"),
        stale=("Joris Maas > works_for > Drukkerij Lier",),
    ),
    history(
        "a departure that was planned and did not come, in Polish",
        document(
            "Warta 1",
            "2017-01-01",
            says("Ewa Lis > head_of > Metalwarta", "Ewa Lis kieruje firmą Metalwarta.", role=""),
        ),
        document(
            "Warta 2",
            "2018-01-01",
            says(
                "Ewa Lis > head_of > Metalwarta",
                "Ewa Lis ma w 2019 roku odejść z firmy Metalwarta.",
                planned=True,
                role="",
            ),
        ),
        document(
            "Warta 3",
            "2020-01-01",
            says("Ewa Lis > head_of > Metalwarta", "Ewa Lis nadal kieruje firmą Metalwarta.", role=""),
        ),
        holds=("Ewa Lis > head_of > Metalwarta",),
    ),
    history(
        "a correction of a birthplace, in Hindi",
        document("मीरा 1", "2021-01-01", says("मीरा सेन > born_in > कटनी", "मीरा सेन का जन्म कटनी में हुआ था।")),
        document(
            "मीरा 2",
            "2021-01-09",
            says(
                "मीरा सेन > born_in > कटनी",
                "भूल सुधार: मीरा सेन का जन्म कटनी में नहीं, रीवा में हुआ था।",
                denied_by="नहीं",
            ),
            says("मीरा सेन > born_in > रीवा", "भूल सुधार: मीरा सेन का जन्म कटनी में नहीं, रीवा में हुआ था।"),
        ),
        holds=("मीरा सेन > born_in > रीवा",),
        stale=("मीरा सेन > born_in > कटनी",),
    ),
    history(
        "an acting head and the one who is appointed, in Hebrew",
        document(
            "גלים 1",
            "2020-01-01",
            says(
                "נועה ברק > head_of > גלים תעשיות",
                "נועה ברק ממלאת את מקום המנהל הכללי של גלים תעשיות.",
                role="CEO",
            ),
        ),
        document(
            "גלים 2",
            "2020-09-01",
            says("אורי שחם > head_of > גלים תעשיות", "אורי שחם מונה למנהל הכללי של גלים תעשיות.", role="CEO"),
        ),
        holds=("אורי שחם > head_of > גלים תעשיות",),
        stale=("נועה ברק > head_of > גלים תעשיות",),
    ),
    history(
        "sold, the seller not named, in Swedish",
        document(
            "Sund 1", "2012-01-01", says("Holmgruppen > owns > Sundsbruk", "Holmgruppen äger Sundsbruk.")
        ),
        document(
            "Sund 2",
            "2019-12-01",
            says(
                "Vikfonden > owns > Sundsbruk",
                "Sundsbruk såldes till Vikfonden i oktober.",
                changed_by="såldes",
                valid_from=("2019-10", "i oktober"),
            ),
        ),
        holds=("Vikfonden > owns > Sundsbruk",),
        stale=("Holmgruppen > owns > Sundsbruk",),
    ),
    history(
        "the old seat is handed in after the new one, in Chinese",
        document(
            "远山二",
            "2021-01-01",
            says(
                "远山集团 > headquartered_in > 临川市",
                "2020年，远山集团将总部迁至临川市。",
                changed_by="迁至",
                valid_from=("2020", "2020年"),
            ),
        ),
        document(
            "远山一", "2010-01-01", says("远山集团 > headquartered_in > 丰城市", "远山集团总部设在丰城市。")
        ),
        holds=("远山集团 > headquartered_in > 临川市",),
        stale=("远山集团 > headquartered_in > 丰城市",),
    ),
    history(
        "a denial in two copies, of which one is replaced, in Vietnamese",
        document(
            "Khoa 1",
            "2016-01-01",
            says("Trần Minh Khoa > works_for > Sao Biển", "Trần Minh Khoa làm việc cho Sao Biển."),
        ),
        document(
            "Khoa 2",
            "2019-01-01",
            says(
                "Trần Minh Khoa > works_for > Sao Biển",
                "Trần Minh Khoa không còn làm việc cho Sao Biển.",
                denied_by="không còn",
            ),
        ),
        document(
            "Khoa 2, bản sao",
            "2019-01-01",
            says(
                "Trần Minh Khoa > works_for > Sao Biển",
                "Trần Minh Khoa không còn làm việc cho Sao Biển.",
                denied_by="không còn",
            ),
        ),
        document("Khoa 2", "2019-03-01", says("", "Cửa hàng mở cửa cả ngày chủ nhật.")),
        stale=("Trần Minh Khoa > works_for > Sao Biển",),
    ),
    history(
        "dismissed in a month of another calendar, in Persian",
        document(
            "موج 1",
            "2018-01-01",
            says("آرش مرادی > head_of > پارس موج", "آرش مرادی مدیر عامل پارس موج است.", role="CEO"),
        ),
        document(
            "موج 2",
            "2021-06-01",
            says(
                "آرش مرادی > head_of > پارس موج",
                "پارس موج آرش مرادی را در اسفند ۱۳۹۹ برکنار کرد.",
                denied_by="برکنار کرد",
                valid_from=("2021-02", "اسفند ۱۳۹۹"),
                role="CEO",
            ),
        ),
        stale=("آرش مرادی > head_of > پارس موج",),
    ),
    history(
        "a rumour of a sale, and its denial",
        document(
            "Cobb 1", "2019-01-01", says("Hale Group > owns > Cobb Mills", "Hale Group owns Cobb Mills.")
        ),
        document(
            "Cobb 2",
            "2020-03-01",
            says(
                "Moor Trust > owns > Cobb Mills",
                "The Fell Post claims that Moor Trust has bought Cobb Mills.",
                said_by="The Fell Post",
                changed_by="has bought",
            ),
        ),
        document(
            "Cobb 3",
            "2020-04-01",
            says(
                "Moor Trust > owns > Cobb Mills",
                "Moor Trust has not bought Cobb Mills.",
                denied_by="has not bought",
            ),
            says("Hale Group > owns > Cobb Mills", "Hale Group still owns Cobb Mills."),
        ),
        holds=("Hale Group > owns > Cobb Mills",),
        absent=("Moor Trust > owns > Cobb Mills",),
    ),
)
