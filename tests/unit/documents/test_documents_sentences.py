"""Where sentences begin and end (requirement 2.2, docs/decisions/0002)."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.sentences import (
    find_header_of_table_around,
    find_start_after_list_mark,
    is_header_of_table,
    split_sentences,
)


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Ada Lovelace met Prof. Babbage.", "They talked."],
        ["E. F. Codd worked at I.B.M. in San Jose.", "He wrote a paper."],
        ["Acme Inc. bought Beta Ltd. in 1999.", "Then it closed."],
        ["It was bought by Acme Inc.", "The price is unknown."],
        ["PostgreSQL 9.6 grew by 3.5 percent.", "Version 10 followed."],
        ["The U.S. Government paid.", "Nobody asked."],
        ["Use a fruit, e.g. Apples or pears.", "Done."],
        ["See Fig. 3 and No. 5 in Vol. 2.", "It helps."],
        ["He said no.", "Then he left."],
        ["He waited...", "Then he left."],
        ["He waited... and left."],
        ["Was it so?", "Yes!", "Really?!", "Yes."],
        ['She said "It is done."', "He nodded."],
        ['"Why?" he asked.', "Nobody knew."],
        ["It worked (twice!).", "(It was late.)", "All slept."],
        ["“Quoted.”", "‘Also.’", "End"],
        ["It began in 1970.", "He wrote it."],
        ["これは文です。", "次の文！", "終わり？"],
        ["彼は「はい。」と言った。", "終わり。"],
        ["Visit example.com or run v1.2.3 now.", "Bye."],
        ["Edgar A. Poe wrote it.", "A. Camus did not."],
        ["David P. Reed met Anna V. Smith.", "They talked."],
        ["It came out in June 2024.", "pgvector is older.", "libSQL is not."],
        ["The U.S. economy and Acme Inc. shares rose approx. five percent, i.e. a lot."],
        ["He paid the Dept. of Health, the Calif. state and so on etc. in full."],
        ["Kestrel was bought by Foo Ltd.", "Bar Labs is a company in Oslo."],
        ["She left Acme Corp.", "Globex Corporation is her new employer."],
        ["It was sold to Acme Inc.", "Acme Inc. was founded in 1990."],
        ["Acme Inc. President John Smith resigned in 2001."],
        ["Kestrel Freight Ltd. Managing Director Ann Lee resigned."],
        ["He studied in the U.S.", "Ann Lee studied in the U.K."],
        ["He joined the U.S. Army and fought.", "The U.S. Supreme Court ruled."],
        ["He works for the F.B.I.", "Hoover led it."],
        ["The film starred Ann Lee and O.P. Heggie.", "It was made in 1990."],
        ["He lives in Washington, D.C.", "Ann Lee lives in New York."],
        ["The show starred Sammy Davis Jr.", "Dean Martin joined later."],
        ["They sell apples, pears, etc.", "Bob buys them."],
        ["It was part of System R.", "DB2 came later."],
        ["He was born c. 1450 (d. 1500) in Bonn.", "He died there."],
        ["See https://example.com/a.b?c=d for it.", "Node.js is a runtime."],
        ["Я пришёл.", "Он ушёл."],
        ["هل وصلت؟", "نعم."],
    ],
    ids=lambda sentences: sentences[0][:30],
)
def test_a_line_is_split_into_its_sentences(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize("piece", ["Foo Ltd. Bar Labs ", "U.S. Foo ", "A. B ", "Inc. The Of "])
def test_abbreviations_in_a_row_take_time_in_line_with_their_number(piece: str) -> None:
    def measure(times: int) -> float:
        began = time.process_time()
        split_sentences("He sold " + piece * times)
        return time.process_time() - began

    def seconds(times: int) -> float:
        # The least of three: a collection of garbage may fall into one of them.
        return min(measure(times) for _ in range(3))

    assert seconds(20_000) < 40 * max(seconds(2_000), 0.005)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A heading\n\nA sentence. Another.", ["A heading", "A sentence.", "Another."]),
        ("wrapped\nline. Next", ["wrapped\nline.", "Next"]),
        ("- one\n- two\n* three", ["- one", "- two", "* three"]),
        ("1. First item\n2. Second item", ["1. First item", "2. Second item"]),
        ("a | b\n1 | 2", ["a | b", "1 | 2"]),
        ("", []),
        (" \n\n\t ", []),
        (".", ["."]),
    ],
)
def test_blocks_end_sentences(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- one", "one"),
        ("•  one", "one"),
        ("12. one", "one"),
        ("b) one", "one"),
        ("-one", "-one"),
        ("2024. Then", "2024. Then"),
        ("A one", "A one"),
        ("- ", "- "),
    ],
)
def test_the_mark_of_a_list_item_is_none_of_its_words(text: str, words: str) -> None:
    assert text[find_start_after_list_mark(text, 0, len(text)) :] == words


@given(st.text(alphabet=st.sampled_from("aB1. !?\n\"')(。」-|\tDr"), max_size=200))
def test_ranges_are_exact_ordered_and_lose_nothing_but_white_space(text: str) -> None:
    """Requirement 2.2: character ranges are exact."""
    position = 0
    for start, end in split_sentences(text):
        assert position <= start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


@pytest.mark.parametrize("unit", ["!", "a. ", ". ", ".)", "\n \t", "(", "。", "Dr. ", "a | b\n"])
def test_time_stays_linear_on_hostile_text(unit: str) -> None:
    begin = time.process_time()
    split_sentences(unit * 100_000)
    assert time.process_time() - begin < 5


TABLE = "Prices\n| plan | price |\n| Basic | 9 |\n| Pro | 29 |\nAll prices in euros."


@pytest.mark.parametrize(
    ("words", "header"),
    [
        ("| Basic", "| plan | price |"),
        ("29 |", "| plan | price |"),
        ("| plan", ""),
        ("price |", ""),
        ("Prices", ""),
        ("All prices", ""),
    ],
)
def test_a_row_has_the_header_of_its_table_and_the_header_has_none(words: str, header: str) -> None:
    assert find_header_of_table_around(TABLE, TABLE.index(words)) == header


def test_a_header_heads_its_table_and_a_row_does_not() -> None:
    assert is_header_of_table(TABLE, TABLE.index("| plan"))
    assert not is_header_of_table(TABLE, TABLE.index("| Basic"))
    assert not is_header_of_table(TABLE, TABLE.index("| Pro"))


@pytest.mark.parametrize("mark", "։؝؞؟۔܀܁܂߹।॥།༎။።፧፨។៕᠃᠉")
def test_marks_that_only_end_sentences_end_them_in_their_script(mark: str) -> None:
    text = f"Ab{mark} Cd{mark} ef"
    assert [text[start:end] for start, end in split_sentences(text)] == [f"Ab{mark}", f"Cd{mark}", "ef"]


GERMAN = (
    "Das Fest der Gemeinde findet am {} statt, und der Rat bezahlt es aus der Kasse. Alle sind eingeladen."
)


@pytest.mark.parametrize("number", ["1", "9", "15", "31", "125", "II", "XIX"])
@pytest.mark.parametrize("noun", ["Juli", "Jahrhundert", "Weltkrieg", "Lauf des Vereins", "Juli 1990"])
def test_an_ordinal_belongs_to_the_noun_after_it(number: str, noun: str) -> None:
    text = GERMAN.format(f"{number}. {noun}")
    assert split(text) == [text.removesuffix(" Alle sind eingeladen."), "Alle sind eingeladen."]


@pytest.mark.parametrize("number", ["9", "15", "125", "XIX", "1990"])
@pytest.mark.parametrize("opener", ["Der", "Und", "Aus der Kasse", "Statt dessen"])
def test_a_number_ends_a_sentence_before_a_word_that_is_no_noun(number: str, opener: str) -> None:
    first_sentence = f"Der Lauf der Gemeinde endete für alle auf Platz {number}."
    text = f"{first_sentence} {opener} ging es weiter, und der Rat zahlte statt des Vereins aus seiner Kasse."
    assert split(text)[0] == first_sentence


@pytest.mark.parametrize(
    "text",
    [
        "Grad je osnovan 1990. godine, a škola je otvorena deset godina kasnije u istoj ulici.",
        "A szerződést a felek 2010. január 5-én írták alá, és azóta minden évben megújították.",
        "Uzņēmums dibināts 1990. gadā Rīgā, un tajā strādā vairāk nekā simts cilvēku.",
        "Schůze se koná 15. července v městské knihovně, kde bude také výstava fotografií.",
    ],
)
def test_an_ordinal_before_a_small_letter_ends_no_sentence(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize("opener", ["In 1990", "Juli", "June 1990", "Smith"])
def test_a_number_ends_a_sentence_where_ordinals_have_no_full_stop(opener: str) -> None:
    first_sentence = "She was then the captain of the team and he was only 15."
    assert split(f"{first_sentence} {opener} was the beginning of it.")[0] == first_sentence


@pytest.mark.parametrize("salutation", ["Dear Ann Lee,", "Hello Bob,", "Hi all,"])
def test_the_salutation_of_a_letter_is_no_part_of_its_first_sentence(salutation: str) -> None:
    text = f"{salutation}\nAcme has closed the mill. It is sold."
    assert split(text) == [salutation, "Acme has closed the mill.", "It is sold."]


def test_a_wrapped_line_that_ends_with_a_comma_is_no_salutation() -> None:
    sentence = "When the mill on the hill was closed,\nAcme left."
    assert split(sentence) == [sentence]


@pytest.mark.parametrize("end", ["Kentish Larder & Co.", "Kentish Larder Inc."])
def test_prose_below_a_numbered_heading_is_no_entry_of_a_list(end: str) -> None:
    text = f"2. Meals\nParents complained, again. Ann Lee visited the kitchen, and asked {end}"
    assert split(text) == [
        "2. Meals",
        "Parents complained, again.",
        f"Ann Lee visited the kitchen, and asked {end}",
    ]


@pytest.mark.parametrize(
    "text", ["1. Ask the owner of\nAcme Foods.", "2. Send the bill\nto Acme.", "3. Staff,\nRooms"]
)
def test_a_numbered_line_goes_on_if_it_is_unfinished(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    "sentence",
    [
        "He met Insp. Morse and Supt. Strange at the Hqtrs. of the police.",
        "Adm. Nimitz met Cdr. Layton on Pvt. Ryan's ship.",
        "The gala is in Sta. Monica near Brgy. San Jose.",
        "The Mfg. Assoc. of Ohio joined.",
        "Go to Bldg. 7 and Rm. 12 now.",
        "They live on Fjrd. Lane and own Stbl. Farm.",
        "She saw Ofcl. Haas at the Srvc. Desk of Oslo.",
        "A Wodn., or raft, lay near Wodn. Karlsen and his men.",
    ],
)
def test_a_stop_after_an_unlisted_abbreviation_ends_no_sentence(sentence: str) -> None:
    assert split(f"It began in winter. {sentence} Nobody spoke.") == [
        "It began in winter.",
        sentence,
        "Nobody spoke.",
    ]


@pytest.mark.parametrize("name", ["Rome", "Bonn", "Ann", "Renn", "Acme", "Oslo"])
@pytest.mark.parametrize(
    "following",
    [
        "Quiet streets welcomed him.",
        "Maria stayed.",
        "The winner left.",
        "Costs rose.",
        "Gen. Haas planned it.",
    ],
)
def test_a_stop_after_a_short_name_ends_the_sentence(name: str, following: str) -> None:
    assert split(f"He admired {name}. {following}") == [f"He admired {name}.", following]
    assert split(f"{name} grew. He admired {name}. {following}")[-1] == following


def test_entries_of_a_bibliography_are_not_joined() -> None:
    text = "Lee, A., Deception in War. San Jose, CA: Acme Press, 2001."
    assert split(text)[0] == "Lee, A., Deception in War."
