"""Requirement 15.4: chunks are found by the words of any script, old rows as well as new ones."""

from collections.abc import Callable

import pytest
from sqlalchemy import text as sql

from app.db.database import Database
from app.retrieval import repository
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, text

TEXTS = {
    "zh-graph": "知识图谱把实体和关系存放在数据库中。系统会从文档中抽取三元组。",
    "zh-weather": "今天上海的天气很好，适合出门散步。公园里有很多人。",
    "zh-bank": "银行系统每天处理大量交易，数据存放在磁带上。",
    "ja-castle": "大阪城は豊臣秀吉によって建てられた。現在は公園になっている。",
    "ja-tea": "京都では抹茶がとても有名で、多くの茶室がある。",
    "ko-river": "한강은 서울을 가로질러 흐르는 강이다. 많은 다리가 있다.",
    "ko-food": "김치는 배추로 만드는 한국의 전통 음식이다.",
    "fr-theatre": "Le théâtre de Besançon fut dessiné par Claude-Nicolas Ledoux.",
    "de-bridge": "Die Brücke über die Weiße Elster wurde in Großenhain gegossen.",
    "ar-library": "تأسست مكتبة الإسكندرية في القرن الثالث قبل الميلاد.",
    "ar-market": "يبيع التجار التوابل في أسواق دمشق القديمة.",
    "en-plain": "The lighthouse keeper kept a diary about storms.",
    "en-marks": "“Foundling Bell” is a buoy—Trinity’s oldest…",
}
ASKED = [
    ("图谱", "zh-graph"),
    ("天气", "zh-weather"),
    ("银行如何处理交易？", "zh-bank"),
    ("数据库", "zh-graph"),
    ("豊臣秀吉は何を建てた？", "ja-castle"),
    ("抹茶", "ja-tea"),
    ("서울의 한강", "ko-river"),
    ("배추", "ko-food"),
    ("Besancon theatre", "fr-theatre"),
    ("THÉÂTRE", "fr-theatre"),
    ("Bruecke", None),
    ("Brucke Weisse Elster", "de-bridge"),
    ("grossenhain", "de-bridge"),
    ("مكتبة الاسكندريه", "ar-library"),
    ("أسواق", "ar-market"),
    ("diary storms", "en-plain"),
    ("Foundling Bell", "en-marks"),
    ("Which buoy is Trinity's?", "en-marks"),
]


@pytest.fixture
def words(database: Database, settings: Settings, home: Home) -> Callable[[str], list[str]]:
    """The titles of the chunks that share words with a question, best first."""
    ingest_now(database, settings, home, [text(body, title=title) for title, body in TEXTS.items()])

    def search(question: str) -> list[str]:
        with database.open_space(home.tenant_id, home.space_id) as space:
            found = list(repository.find_chunks_by_words(space, question, None, limit=5))
            stored = repository.fetch_passages(space, found).result()
        return [stored[chunk].document_title for chunk in found]

    return search


def test_words_of_any_script_find_their_chunk(words: Callable[[str], list[str]]) -> None:
    found = {asked: words(asked)[:1] for asked, _ in ASKED}
    assert found == {asked: [title] if title else [] for asked, title in ASKED}


@pytest.mark.parametrize(
    ("written", "searched"),
    [
        ("Plain, old-fashioned text of 1999 - with 'quotes'.", None),
        ("Acme’s “Blue Bridge”—the best…", "Acme's  Blue Bridge  the best "),
        ("в «Северный мост».", "в  Северныи мост ."),
        ("Ben‑Ami Lu\u00adcas", "Ben-Ami Lucas"),
        ("نور للطاقة؟", "نور للطاقه "),
        ("数据库系统", "数据 据库 库系 系统"),
        ("用PostgreSQL数据库", "用 PostgreSQL 数据 据库"),
        ("猫", "猫"),
        ("ＡＢＣ café Straße Øre", "ABC cafe Strasse Ore"),
        ("한강은 서울", "한강 강은   서울"),
        ("الكِتاب والمدرسة", "كتاب مدرسه"),
    ],
)
def test_the_text_that_is_searched(database: Database, written: str, searched: str | None) -> None:
    with database.engine.connect() as connection:
        found = connection.execute(sql("SELECT search_text(:text)"), {"text": written}).scalar_one()
    assert found == (written if searched is None else searched)
