"""How names stand in texts of any script (review A5): tables of grammar, and what must hold for any name."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.graph.name_forms import (
    MAX_AFFIX_CHARACTERS,
    NameFinder,
    classify_script,
    list_possible_base_forms,
    may_written_form_be_of_name,
)
from app.graph.questions import list_word_runs_that_may_inflect_names, list_word_runs_that_may_name_nodes

# How the names of Unicode's characters begin.
NAMED = {
    "CJK UNIFIED IDEOGRAPH": "Han",
    "HIRAGANA LETTER": "Hiragana",
    "KATAKANA LETTER": "Katakana",
    "HANGUL SYLLABLE": "Hangul",
    "THAI CHARACTER": "Thai",
    "LAO LETTER": "Lao",
    "KHMER LETTER": "Khmer",
    "MYANMAR LETTER": "Myanmar",
    "ARABIC LETTER": "Arabic",
    "HEBREW LETTER": "Hebrew",
    "GREEK SMALL LETTER": "Greek",
    "ARMENIAN SMALL LETTER": "Armenian",
    "GEORGIAN LETTER": "Georgian",
    "DEVANAGARI LETTER": "Devanagari",
    "BENGALI LETTER": "Bengali",
    "TAMIL LETTER": "Tamil",
    "TELUGU LETTER": "Telugu",
    "KANNADA LETTER": "Kannada",
    "MALAYALAM LETTER": "Malayalam",
}
# Of scripts that are written with spaces, in both cases where there are two.
SPACED = "abzéßABZ" "абяАБЯ" "αβωΑΒ" "אבת" "ابت" "कखग" "আকখ" "가나다"  # fmt: skip


def surfaces(name: str, text: str, language: str | None = None) -> list[str]:
    return [
        text[start:end] for start, end in NameFinder(text, lambda: language).find_ranges_of_name(name, 200)
    ]


@pytest.mark.parametrize(
    ("name", "text", "surface"),
    [
        ("马云", "马云创立了阿里巴巴。", "马云"),
        ("阿里巴巴", "马云创立了阿里巴巴。", "阿里巴巴"),
        ("阿里巴巴", "由阿里\n巴巴创立", "阿里\n巴巴"),
        ("列夫·托尔斯泰", "作家列夫・托尔斯泰写了", "列夫・托尔斯泰"),
        ("Google日本", "彼はGoogle日本で働く", "Google日本"),
        ("阿里巴巴Group", "在阿里巴巴Group工作", "阿里巴巴Group"),
        ("Acme", "Ａｃｍｅ社で", "Ａｃｍｅ"),
        ("カタカナ", "ｶﾀｶﾅは", "ｶﾀｶﾅ"),
        ("ソニーガ", "ｿﾆｰｶﾞの", "ｿﾆｰｶﾞ"),
        ("5G", "在5G时代", "5G"),
        ("トヨタ", "トヨタは", "トヨタ"),
        ("つくば", "それはつくばにある", "つくば"),
        ("กรุงเทพ", "อยู่ในกรุงเทพมหานคร", "กรุงเทพ"),
        ("삼성전자", "삼성전자에서는", "삼성전자"),
        ("이재용", "이재용으로부터", "이재용"),
        ("Google", "Google은 좋다", "Google"),
        ("서울", "서울로 간다", "서울"),
        ("القاهرة", "وبالقاهرة", "القاهرة"),
        ("القاهرة", "سافر للقاهرة", "للقاهرة"),
        ("مصر", "ومصر", "مصر"),
        ("תל אביב", "גרים בתל אביב", "תל אביב"),
        ("રાજકોટ", "કાર્યાલય રાજકોટમાં છે", "રાજકોટમાં"),
        ("କଟକ", "ମୁଖ୍ୟାଳୟ କଟକରେ ଅଛି", "କଟକରେ"),
        ("ගාල්ල", "ඔහු ගාල්ලේ උපත", "ගාල්ලේ"),
        ("ಮೈಸೂರು", "ಎನರ್ಜಿ ಮೈಸೂರಿನಲ್ಲಿ", "ಮೈಸೂರಿನಲ್ಲಿ"),
        ("കൊല്ലം", "ആസ്ഥാനം കൊല്ലത്താണ്", "കൊല്ലത്താണ്"),
        ("ქუთაისი", "ოფისი ქუთაისშია", "ქუთაისშია"),
        ("Дніпровська мануфактура", "у Дніпровській мануфактурі", "Дніпровській мануфактурі"),
        ("Газпром", "руководит Газпромом", "Газпромом"),
        ("Москва", "в Москве", "Москве"),
        ("Нижний Новгород", "в Нижнем Новгороде", "Нижнем Новгороде"),
        ("Київ", "у Києві", "Києві"),
        ("Αθήνα", "της Αθήνας", "Αθήνας"),
        ("თბილისი", "თბილისში", "თბილისში"),
        ("Երևան", "Երևանում", "Երևանում"),
        ("दिल्ली", "दिल्ली में", "दिल्ली"),
        ("पुणे", "पुणेतील", "पुणेतील"),
        ("சென்னை", "சென்னையில்", "சென்னையில்"),
        ("Việt Nam", "ở Việt Nam", "Việt Nam"),
        ("Ankara", "Ankara'da", "Ankara"),
    ],
)
def test_a_name_stands_by_the_rules_of_its_script(name: str, text: str, surface: str) -> None:
    assert surfaces(name, text) == [surface]


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("Helsinki", "Helsingissä", "fi"),
        ("Nokia", "Nokiaa", "fi"),
        ("Lahti", "Lahdessa", "fi"),
        ("Turku", "Turussa", "fi"),
        ("Virtanen", "Virtaselle", "fi"),
        ("Tallinn", "Tallinnas", "et"),
        ("Róma", "Rómában", "hu"),
        ("Kraków", "Krakowie", "pl"),
        ("Łódź", "Łodzi", "pl"),
        ("Praha", "Praze", "cs"),
        ("Bratislava", "Bratislavy", "sk"),
        ("Zagreb", "Zagrebu", "hr"),
        ("Vilnius", "Vilniuje", "lt"),
        ("Rīga", "Rīgā", "lv"),
        ("România", "României", "ro"),
        ("Bakı", "Bakıda", "az"),
        ("Deutsche Bank", "Deutschen Bank", "de"),
        ("Anna Berg", "Anna Bergs", "de"),
        ("Volvo", "Volvos", "sv"),
    ],
)
def test_endings_of_latin_script_are_those_of_the_texts_language(name: str, text: str, language: str) -> None:
    assert surfaces(name, text, language) == [text]
    assert surfaces(name, text, "en") == []
    assert surfaces(name, text) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Art", "Artist"),
        ("Ann", "Annual"),
        ("Иван", "Иванов пришёл"),
        ("Мария", "Марина пришла"),
        ("Петр", "Петровский завод"),
        ("삼성", "삼성전자는"),
        ("삼성", "삼성는"),
        ("LG", "LG전자는"),
        ("アート", "アーティスト"),
        ("さくら", "さくらんぼ"),
        ("のり", "みのりは"),
        ("राम", "रामायण"),
        ("กร", "กรุงเทพ"),
        ("ทย", "ไทย"),
        ("1世纪", "21世纪"),
        ("Газ", "IT-Газпром"),
    ],
)
def test_a_name_is_not_found_within_another_word(name: str, text: str) -> None:
    assert surfaces(name, text) == []
    assert surfaces(name, text, "en") == []


@given(
    st.text(st.sampled_from(SPACED[:8]), min_size=1, max_size=8),
    st.text(st.sampled_from(SPACED[:8]), max_size=6),
    st.text(st.sampled_from(SPACED[:8]), max_size=6),
    st.sampled_from([None, "en", "fr", "es"]),
)
def test_a_latin_name_within_a_longer_word_is_never_found(
    name: str, before: str, behind: str, language: str | None
) -> None:
    if before or behind:
        assert surfaces(name, f"x, {before}{name}{behind}.", language) == [] or name in (before, behind)


LETTERS = SPACED + "马云阿里巴巴トヨタつくばกรุงเทพล้ำ삼성전자のはにLG7ı İ'-·ー"


@given(
    st.text(st.sampled_from(LETTERS), min_size=1, max_size=12),
    st.text(st.sampled_from(LETTERS + " 。\n\u0301"), max_size=60),
    st.sampled_from([None, "en", "fi", "ru", "pl", "tr"]),
)
def test_a_range_that_is_found_holds_the_name_or_a_form_of_it(
    name: str, text: str, language: str | None
) -> None:
    finder = NameFinder(text, lambda: language)
    for start, end in finder.find_ranges_of_name(name, 200):
        assert 0 <= start < end <= len(text)
        assert NameFinder(text[start:end], lambda: language).find_ranges_of_name(name, 1) == [
            (0, end - start)
        ]


NAMES = {
    "Hangul": (["삼성전자", "서울", "이재용", "카카오"], ["", "에서", "의", "에게는", "까지도"]),
    "Han": (["马云", "阿里巴巴", "東京都", "毛泽东"], ["", "的", "在北京", "2024年", "Group", "は", "。"]),
    "Katakana": (["トヨタ", "グーグル"], ["", "の", "自動車", "について", "2号"]),
    "Thai": (["กรุงเทพ", "สมชาย", "เชียงใหม่"], ["", "มหานคร", "เป็น", "ในไทย"]),
    "Cyrillic": (["Газпром", "Новгород", "Ростов"], ["", "а", "у", "ом", "е"]),
    "Arabic": (["القاهرة", "دبي", "أحمد"], [""]),
}
BEFORE = {"Hangul": [""], "Han": ["", "在", "由"], "Katakana": ["", "は", "元"], "Thai": ["", "ใน"]}
BEFORE |= {"Cyrillic": [""], "Arabic": ["", "و", "ب", "وب"]}


@given(st.data())
def test_every_name_is_found_with_whatever_grammar_puts_beside_it(data: st.DataObject) -> None:
    script = data.draw(st.sampled_from(sorted(NAMES)))
    names, endings = NAMES[script]
    name = data.draw(st.sampled_from(names))
    written = data.draw(st.sampled_from(BEFORE[script])) + name + data.draw(st.sampled_from(endings))
    [surface] = surfaces(name, f"… {written} !")
    assert surface.startswith(name)
    assert surface in written
    question = f"… {written} ?"
    mentions = [
        *list_word_runs_that_may_name_nodes(question),
        *list_word_runs_that_may_inflect_names(question),
    ]
    asked = {mention.surface for mention in mentions if mention.normalised_name == name.casefold()}
    assert surface in asked, "a question is read by the same rules"


def test_scripts_are_those_of_unicode() -> None:
    letters = filter(str.isalpha, map(chr, range(sys.maxunicode + 1)))
    wrong = {
        name
        for letter in letters
        for name in (unicodedata.name(letter, ""),)
        for begin, script in NAMED.items()
        if name.startswith(begin) and classify_script(letter) != script
    }
    assert wrong == set()


@pytest.mark.soak
def test_what_is_looked_at_beside_a_name_is_bounded() -> None:
    """A word of 100,000 letters costs as many steps and not their square."""
    text = "삼성" * 50_000 + " " + "газпром" * 20_000 + " " + "กรุง" * 20_000
    assert surfaces("삼성", text) == []
    assert len(surfaces("กรุง", text)) == 200
    assert len(list_possible_base_forms("газпром" * 20_000, None)) < 50
    assert MAX_AFFIX_CHARACTERS < 20


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("Nghaerdydd", "Caerdydd"),
        ("Ísafirði", "Ísafjörður"),
        ("साताऱ्यात", "सातारा"),
        ("Moravských mlýnech", "Moravské mlýny"),
        ("ᐃᖃᓗᖕᓂ", "ᐃᖃᓗᐃᑦ"),
        ("Praze", "Praha"),
    ],
)
def test_a_changed_stem_may_be_a_form(form: str, name: str) -> None:
    assert may_written_form_be_of_name(form, name)
    assert may_written_form_be_of_name(name, form)


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("Caerdydd", "Caerdydd"),
        ("Sony Music", "Sony"),
        ("Bronwick", "Quillfeather"),
        ("Gwen Parri", "Quillfeather Bronwick"),
        ("青禾数据", "青禾"),
        ("삼성전자", "삼성"),
        ("Unit 17", "Unit 71"),
        ("of", "on"),
        ("", ""),
    ],
)
def test_another_name_is_no_form(form: str, name: str) -> None:
    assert not may_written_form_be_of_name(form, name)
