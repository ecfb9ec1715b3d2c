"""The language of a chunk decides whether rules read it (issue 11, B9)."""

import threading
import time

import pytest
from py3langid.langid import LanguageIdentifier

from app.documents import language
from app.documents.language import (
    UNDETERMINED_LANGUAGE,
    detect_language,
    detect_language_unless_read_by_rules,
    format_language_name,
)


@pytest.mark.parametrize(
    ("text", "of_document", "code"),
    [
        ("Bob Stone works for Acme.", None, None),
        ("Kestrel was founded in Oslo.", "de", "de"),
        ("Kestrel was founded in Oslo by Ann Lee and her brother.", "de", "en"),
        ("Die Firma wurde 1990 von Anna Müller in Hamburg gegründet.", "en", "de"),
        ("La société a été fondée en 1990 par Anne Dupont à Lyon.", None, "fr"),
        ("Het bedrijf is in 1990 opgericht door Jan de Vries in Amsterdam.", None, "nl"),
        ("Компания была основана в 1990 году в Москве Иваном Петровым.", None, "ru"),
        ("广州恒大主教练宣布辞职，前国脚郑智将接任。", None, "zh"),
        ("廣州恆大主教練宣佈辭職，前國腳鄭智將接任。", "en", "zh"),
        ("廣州恆大主教練宣佈辭職，前國腳鄭智將接任。", "ja", "ja"),
        ("ビッグ・モーラとリミテッド・シリーズ", None, "ja"),
        ("日本国憲法第九条", None, None),
        ("Player Salary Team James Cavaliers Horford Celtics Bosh Heat Howard Rockets", None, None),
    ],
)
def test_a_chunk_is_in_its_own_language_or_its_documents(
    text: str, of_document: str | None, code: str | None
) -> None:
    assert detect_language(text, of_document) == code


@pytest.mark.parametrize(
    ("text", "of_document", "unread"),
    [
        ("Bob Stone works for Acme.", None, None),
        ("Bob Stone works for Acme.", "en", None),
        ("Bob Stone arbeitet bei Acme.", "de", "de"),
        ("公司成立", None, UNDETERMINED_LANGUAGE),
        ("", None, None),
        ("12345 --- 678", None, None),
    ],
)
def test_rules_read_english_and_what_is_too_short_to_tell(
    text: str, of_document: str | None, unread: str | None
) -> None:
    assert detect_language_unless_read_by_rules(text, of_document) == unread


def test_languages_are_named_for_people() -> None:
    assert format_language_name("de") == "German"
    assert format_language_name(UNDETERMINED_LANGUAGE) == "another language"
    assert format_language_name("eo") == "the language eo"


def test_threads_that_ask_first_load_the_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty questions at once had a process load 100 MB for each of its threads."""
    real = LanguageIdentifier.from_model_file
    loads: list[str] = []

    def load(file: str, *, norm_probs: bool) -> LanguageIdentifier:
        loads.append(file)
        time.sleep(0.05)
        return real(file, norm_probs=norm_probs)

    monkeypatch.setattr(LanguageIdentifier, "from_model_file", load)
    language._load_identifier.cache_clear()
    threads = [threading.Thread(target=language.preload_language_model) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1
