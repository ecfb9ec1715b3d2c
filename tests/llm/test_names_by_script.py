"""Review A5: a model that answers rightly gives text of any script its graph, and questions find it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from app.answers.ask import ask
from app.answers.shapes import FinalAnswer, Question
from app.db.database import Database
from app.graph import service as graph
from app.ingest.extractor_choice import Extractors
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.client import ModelClient
from app.llm.embedding.embedders import Embedders
from app.llm.prompts import entities, relations
from app.llm.prompts.fence import parse_fenced_passages
from app.llm.testing import ModelDouble
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import make_runner, picture, submit, text


@dataclass(frozen=True, slots=True)
class Reading:
    """A text, the one claim that a truthful model reads in it, and a question that names the first end."""

    text: str
    source: tuple[str, str]
    relation: str
    target: tuple[str, str]
    question: str
    anchor: str


READINGS = {
    "zh": Reading(
        "马云创立了阿里巴巴。",
        ("马云", "Person"),
        "created",
        ("阿里巴巴", "Organization"),
        "马云创立了什么?",
        "马云",
    ),
    "zh, mixed": Reading(
        "阿里巴巴Group收购了Google日本的一部分。",
        ("阿里巴巴Group", "Organization"),
        "acquired",
        ("Google日本", "Organization"),
        "阿里巴巴Group收购了谁？",
        "阿里巴巴Group",
    ),
    "ja": Reading(
        "トヨタ自動車は愛知県豊田市に本社を置いている。",
        ("トヨタ自動車", "Organization"),
        "located_in",
        ("愛知県豊田市", "Location"),
        "トヨタ自動車の本社はどこですか。",
        "トヨタ自動車",
    ),
    "ja, kana": Reading(
        "それはつくばのソニーが作った。",
        ("ソニー", "Organization"),
        "located_in",
        ("つくば", "Location"),
        "ソニーは何を作りましたか？",
        "ソニー",
    ),
    "th": Reading(
        "สำนักงานใหญ่ของปตทอยู่ในกรุงเทพมหานคร",
        ("ปตท", "Organization"),
        "located_in",
        ("กรุงเทพมหานคร", "Location"),
        "ปตทอยู่ที่ไหน",
        "ปตท",
    ),
    "ko": Reading(
        "삼성전자는 수원에 본사를 두고 있다.",
        ("삼성전자", "Organization"),
        "located_in",
        ("수원", "Location"),
        "삼성전자는 어디에 있나요?",
        "삼성전자",
    ),
    "ko, Latin": Reading(
        "이재용은 LG전자에서 Google로 옮겼다.",
        ("이재용", "Person"),
        "works_for",
        ("Google", "Organization"),
        "이재용이 일하는 곳은?",
        "이재용",
    ),
    "fi": Reading(
        "Nokian pääkonttori on Helsingissä.",
        ("Nokia", "Organization"),
        "located_in",
        ("Helsinki", "Location"),
        "Missä on Nokian pääkonttori?",
        "Nokia",
    ),
    "ru": Reading(
        "Миллер руководит Газпромом.",
        ("Миллер", "Person"),
        "works_for",
        ("Газпром", "Organization"),
        "Кто руководит Газпромом?",
        "Газпром",
    ),
    "ru, words": Reading(
        "Анна Петрова живёт в Нижнем Новгороде.",
        ("Анна Петрова", "Person"),
        "located_in",
        ("Нижний Новгород", "Location"),
        "Кто живёт в Нижнем Новгороде?",
        "Нижний Новгород",
    ),
    "uk": Reading(
        "Олена працює у Львові.",
        ("Олена", "Person"),
        "located_in",
        ("Львів", "Location"),
        "Хто працює у Львові?",
        "Львів",
    ),
    "pl": Reading(
        "Siedziba firmy Comarch mieści się w Krakowie.",
        ("Comarch", "Organization"),
        "located_in",
        ("Kraków", "Location"),
        "Jaka firma mieści się w Krakowie?",
        "Kraków",
    ),
    "ar": Reading(
        "يعمل أحمد في شركة بالقاهرة.",
        ("أحمد", "Person"),
        "located_in",
        ("القاهرة", "Location"),
        "من يعمل بالقاهرة؟",
        "القاهرة",
    ),
    "he": Reading(
        "דוד עובד בירושלים.",
        ("דוד", "Person"),
        "located_in",
        ("ירושלים", "Location"),
        "מי עובד בירושלים?",
        "ירושלים",
    ),
    "hi": Reading(
        "टाटा मोटर्स का मुख्यालय मुंबई में है।",
        ("टाटा मोटर्स", "Organization"),
        "located_in",
        ("मुंबई", "Location"),
        "टाटा मोटर्स कहाँ है?",
        "टाटा मोटर्स",
    ),
    "ta": Reading(
        "அசோக் லேலண்ட் சென்னையில் உள்ளது.",
        ("அசோக் லேலண்ட்", "Organization"),
        "located_in",
        ("சென்னை", "Location"),
        "சென்னையில் என்ன உள்ளது?",
        "சென்னை",
    ),
    "tr": Reading(
        "Arçelik'in merkezi İstanbul'da bulunuyor.",
        ("Arçelik", "Organization"),
        "located_in",
        ("İstanbul", "Location"),
        "Arçelik'in merkezi nerede bulunuyor?",
        "Arçelik",
    ),
    "de": Reading(
        "Anna Bergs Firma Kestrel gehört der Deutschen Bank.",
        ("Kestrel", "Organization"),
        "owned_by",
        ("Deutsche Bank", "Organization"),
        "Wem gehört Anna Bergs Firma Kestrel?",
        "Kestrel",
    ),
    "vi": Reading(
        "Vingroup đặt trụ sở tại Hà Nội.",
        ("Vingroup", "Organization"),
        "located_in",
        ("Hà Nội", "Location"),
        "Vingroup đặt trụ sở ở đâu?",
        "Vingroup",
    ),
    "el": Reading(
        "Η Μαρία εργάζεται στο κέντρο της Αθήνας.",
        ("Μαρία", "Person"),
        "located_in",
        ("Αθήνα", "Location"),
        "Ποιος εργάζεται στο κέντρο της Αθήνας;",
        "Αθήνα",
    ),
}


MENTIONS_BESIDE_THEIR_TEXT = """
SELECT m.surface_form FROM node_mention m
JOIN knowledge_chunk c ON (c.knowledge_space_id, c.id) = (m.knowledge_space_id, m.chunk_id)
WHERE m.knowledge_space_id = %s
  AND m.surface_form <> substr(c.text, m.char_start + 1, m.char_end - m.char_start)
"""


class TruthfulAnswerer(RulesAnswerer):
    """Reads in each passage of READINGS the claim that it states."""

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        """Both passes by READINGS; all else as the rules answer."""
        system = messages[0]["content"]
        passages = [passage for message in messages for passage in parse_fenced_passages(message["content"])]
        if '"relations"' in system:
            return _numbered([self._stated(*relations.parse_names_and_text(passage)) for passage in passages])
        if '"entities"' in system:
            return _numbered([self._named(entities.parse_title_and_text(passage)[1]) for passage in passages])
        return super().answer(messages)

    def _named(self, body: str) -> dict[str, Any]:
        ends = [
            end
            for reading in READINGS.values()
            if reading.text == body
            for end in (reading.source, reading.target)
        ]
        return {"entities": [{"name": name, "type": kind, "aliases": [], "sense": ""} for name, kind in ends]}

    def _stated(self, names: Sequence[str], body: str) -> dict[str, Any]:
        return {
            "relations": [
                {
                    "from": reading.source[0],
                    "to": reading.target[0],
                    "relation": reading.relation,
                    "confidence": 0.9,
                    "quote": body,
                }
                for reading in READINGS.values()
                if reading.text == body and {reading.source[0], reading.target[0]} <= set(names)
            ]
        }


def _numbered(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"passages": [{"id": number, **entry} for number, entry in enumerate(entries, 1)]}


@pytest.fixture
def extractors(database: Database) -> Iterator[Extractors]:
    with ModelDouble(TruthfulAnswerer()) as double:
        client = ModelClient(api_key="unused", base_url=double.base_url, model="double", attempts=1)
        made = Extractors(database, client)
        yield made
        made.close()


def test_a_text_of_any_script_gives_its_graph_and_its_question_finds_it(
    database: Database, settings: Settings, home: Home, extractors: Extractors
) -> None:
    """Each language is a document of one job; what one of them lacks is named with its language."""
    submit(database, home, *(text(reading.text, title=language) for language, reading in READINGS.items()))
    make_runner(database, settings, extractors=extractors).drain()
    names = {row[0] for row in picture(database, home)["nodes"]}
    missing = {
        (language, name)
        for language, reading in READINGS.items()
        for name, _ in (reading.source, reading.target)
        if name not in names
    }
    assert missing == set()
    with database.open_space(home.tenant_id, home.space_id) as space:
        for language, question in READINGS.items():
            told = graph.explain_and_record_recall(space, question=question.question)
            assert question.anchor in {anchor.node.canonical_name for anchor in told.anchors}, language
            quotes = {edge.evidence.quote for edge in told.edges if edge.evidence is not None}
            assert question.text in quotes, language
        wrong = space.connection.execute(MENTIONS_BESIDE_THEIR_TEXT, [home.space_id]).fetchall()
    assert wrong == []
    retriever = Retriever(database, Embedders(), settings)
    for language, reading in READINGS.items():
        found = retriever.retrieve_and_record_recalls(home.tenant_id, home.space_id, Query(reading.question))
        *_, answered = ask(
            database,
            home.tenant_id,
            home.space_id,
            Question(reading.question),
            retrieve=lambda found=found: found,  # type: ignore[misc]
            client=None,
        )
        assert isinstance(answered, FinalAnswer)
        assert reading.text in {citation.quote for citation in answered.citations}, language
