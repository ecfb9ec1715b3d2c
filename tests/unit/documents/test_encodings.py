"""The encoding of bytes that are not Unicode is guessed; a guess from few signs is named."""

import random

import pytest

from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsing import parse_document

# Article 1 of the Universal Declaration of Human Rights.
ARTICLES = {
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni "
    "obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "cs": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem "
    "a svědomím a mají spolu jednat v duchu bratrství.",
    "hu": "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel "
    "és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft "
    "und Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués "
    "de raison et de conscience et doivent agir les uns envers les autres dans un esprit de "
    "fraternité.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены "
    "разумом и совестью.",
    "uk": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені "
    "розумом і совістю.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler.",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון.",
    "ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا.",
    "lt": "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė.",
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。",
}
ENCODINGS = {
    "pl": ("iso8859-2", "cp1250", "cp852", "mac-latin2"),
    "cs": ("iso8859-2", "cp1250", "cp852"),
    "hu": ("iso8859-2", "cp1250", "cp852"),
    "de": ("cp1252", "iso8859-1", "cp850", "mac-roman"),
    "fr": ("cp1252", "iso8859-15", "cp850", "mac-roman"),
    "ru": ("cp1251", "koi8-r", "iso8859-5", "cp866", "mac-cyrillic"),
    "uk": ("cp1251", "koi8-u", "iso8859-5"),
    "el": ("cp1253", "iso8859-7", "cp737"),
    "tr": ("cp1254", "iso8859-9", "cp857"),
    "he": ("cp1255", "iso8859-8", "cp862"),
    "ar": ("cp1256", "iso8859-6"),
    "lt": ("cp1257", "iso8859-13"),
    "th": ("cp874", "iso8859-11"),
    "ja": ("shift-jis", "euc-jp", "iso2022-jp"),
    "ko": ("euc-kr", "johab"),
    "zh": ("gbk", "gb18030"),
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [(language, encoding) for language, encodings in ENCODINGS.items() for encoding in encodings],
)
def test_a_sentence_is_read_in_each_encoding_of_its_language(language: str, encoding: str) -> None:
    text = ARTICLES[language]
    assert decode_with_detected_encoding(text.encode(encoding)) == text


@pytest.mark.parametrize("language", [language for language in ARTICLES if language != "de"])
def test_utf_8_with_one_damaged_byte_stays_utf_8(language: str) -> None:
    raw = ARTICLES[language].encode()
    positions = [index for index, byte in enumerate(raw) if byte > 0x7F]
    for position in random.Random(language).sample(positions, 4):
        for damaged in (raw[:position] + raw[position + 1 :], raw[:position] + b"\xff" + raw[position:]):
            document = parse_document(damaged, "text")
            assert document.encoding == "utf-8"
            assert document.left_out[0].startswith("The text is UTF-8 but for")


@pytest.mark.parametrize(
    "raw",
    [b"Caf\xc3\xa9 in Z\xc3\xbcrich, gr\xffn", "Übergrößen, süß".encode()[:-1], b"\xc3\xa9t\xc3\xa9 \xe9"],
)
def test_a_short_utf_8_text_with_a_damaged_byte_stays_utf_8(raw: bytes) -> None:
    assert parse_document(raw, "text").encoding == "utf-8"


def test_words_of_two_scripts_are_not_believed() -> None:
    """Byte for byte, "à" in Windows-1252 is also a Cyrillic "а"."""
    text = "Tout individu a droit à la vie, à la liberté et à la sûreté de sa personne."
    for start in range(0, 40, 5):
        part = text[start : start + 35]
        letters = decode_with_detected_encoding(part.encode("cp1252"))
        assert not any("\u0400" <= letter <= "\u04ff" for letter in letters), letters


def test_one_letter_beyond_ascii_shows_no_utf_8() -> None:
    document = parse_document(b"Two caf\xe9s.", "text")
    assert (document.text, document.encoding) == ("Two cafés.", "cp1252")


def test_a_guess_from_few_signs_is_a_warning() -> None:
    unsure, sure = ("naïve".encode("cp1252"), ARTICLES["ru"].encode("koi8-r"))
    document = parse_document(unsure, "text")
    assert (document.text, document.encoding) == ("naïve", "cp1252")
    assert document.left_out == (
        "The encoding cp1252 is a guess from few signs: save the file as UTF-8 if its text is wrong.",
    )
    assert parse_document(sure, "text").left_out == ()


def test_escape_codes_of_terminals_are_not_an_encoding() -> None:
    assert parse_document(b"\x1b[31mred\x1b[0m and plain words (and more)", "text").encoding == "utf-8"
