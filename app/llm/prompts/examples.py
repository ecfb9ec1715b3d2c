"""One worked example for each pass and language: a sentence about a fictional person, and its answer.

It shows what the rules leave open in a language: a name without its article and case ending, the words that
end a claim, and a date relative to the document's.
"""

import json
from collections.abc import Collection, Mapping
from typing import NamedTuple

from app.domain.relation_types import WORKS_FOR

ENGLISH = "en"
_DATE, _LAST_YEAR = "2023-05-02", "2022"


class _Example(NamedTuple):
    """A sentence that says that a person left a firm last year, and its parts."""

    sentence: str
    person: str
    firm: str
    denied_by: str
    dated_by: str


_EXAMPLES: Mapping[str, _Example] = {
    "en": _Example(
        "Mara Vell left the Orin Docks last year.", "Mara Vell", "Orin Docks", "left", "last year"
    ),
    "de": _Example(
        "Mara Vell hat die Orinwerft letztes Jahr verlassen.",
        *("Mara Vell", "Orinwerft", "verlassen", "letztes Jahr"),
    ),
    "fr": _Example(
        "Mara Vell a quitté les Docks d'Orin l'an dernier.",
        *("Mara Vell", "Docks d'Orin", "a quitté", "l'an dernier"),
    ),
    "es": _Example(
        "Mara Vell dejó los Muelles Orín el año pasado.",
        *("Mara Vell", "Muelles Orín", "dejó", "el año pasado"),
    ),
    "pt": _Example(
        "Mara Vell deixou as Docas Orim no ano passado.",
        *("Mara Vell", "Docas Orim", "deixou", "no ano passado"),
    ),
    "it": _Example(
        "Mara Vell ha lasciato i Cantieri Orin l'anno scorso.",
        *("Mara Vell", "Cantieri Orin", "ha lasciato", "l'anno scorso"),
    ),
    "nl": _Example(
        "Mara Vell verliet de Orinwerf vorig jaar.", *("Mara Vell", "Orinwerf", "verliet", "vorig jaar")
    ),
    "tr": _Example(
        "Mara Vell geçen yıl Orin Tersanesi'nden ayrıldı.",
        *("Mara Vell", "Orin Tersanesi", "ayrıldı", "geçen yıl"),
    ),
    "ru": _Example(
        "Марк Велл ушёл из «Орин-Верфи» в прошлом году.",
        *("Марк Велл", "Орин-Верфь", "ушёл", "в прошлом году"),
    ),
    "ar": _Example(
        "غادرت مارا فيل أحواض أورين العام الماضي.", *("مارا فيل", "أحواض أورين", "غادرت", "العام الماضي")
    ),
    "hi": _Example("मारा वेल ने पिछले साल ओरिन डॉक छोड़ दिया।", *("मारा वेल", "ओरिन डॉक", "छोड़ दिया", "पिछले साल")),
    "th": _Example("มารา เวลล์ ลาออกจาก อู่โอริน เมื่อปีที่แล้ว", *("มารา เวลล์", "อู่โอริน", "ลาออก", "เมื่อปีที่แล้ว")),
    "zh": _Example("韦玛拉去年离开了奥林船坞。", *("韦玛拉", "奥林船坞", "离开了", "去年")),
    "ja": _Example("辺見真良は昨年オリン造船を退社した。", *("辺見真良", "オリン造船", "退社した", "昨年")),
    "ko": _Example("변마라는 작년에 오린조선을 퇴사했다.", *("변마라", "오린조선", "퇴사했다", "작년")),
}


def get_entity_examples(node_types: Collection[str]) -> dict[str, str]:
    """Return the examples of pass 1 by language; none if the space has no persons or organizations."""
    if not {"Person", "Organization"} <= set(node_types):
        return {}
    return {
        language: _format_example(
            example.sentence,
            {
                "entities": [
                    {"name": name, "type": node_type, "aliases": [], "sense": ""}
                    for name, node_type in ((example.person, "Person"), (example.firm, "Organization"))
                ],
                "ended": False,
            },
        )
        for language, example in _EXAMPLES.items()
    }


def get_relation_examples(relation_types: Collection[str]) -> dict[str, str]:
    """Return the examples of pass 2 by language; none if the space has no relation for employment."""
    if WORKS_FOR.name not in relation_types:
        return {}
    return {
        language: _format_example(
            example.sentence,
            {
                "relations": [
                    {
                        "quote": example.sentence,
                        "from": example.person,
                        "to": example.firm,
                        "relation": WORKS_FOR.name,
                        "polarity": "denied",
                        "denied_by": example.denied_by,
                        "dated_by": example.dated_by,
                        "valid_from": _LAST_YEAR,
                        "confidence": 0.9,
                    }
                ]
            },
            f" of {_DATE}, without empty fields",
        )
        for language, example in _EXAMPLES.items()
    }


def _format_example(sentence: str, answer: Mapping[str, object], topic: str = "") -> str:
    return f"Example{topic}: {sentence}\n{json.dumps(answer, ensure_ascii=False, separators=(',', ':'))}"
