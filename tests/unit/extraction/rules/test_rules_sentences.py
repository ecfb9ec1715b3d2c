"""Sentences that a page has glued together, and what it puts between them."""

import random
import textwrap

import pytest

from app.extraction.rules.sentences import read_sentences
from tests.unit.extraction.rules.test_rules_phrases import phrases

FIRST = (
    "Most mills profited from forced labor",
    "The clerks of Ostland were paid in silver",
    "They met at the old school",
)
SECOND = (
    "By 1938 the town had 300 mills",
    "German industrial wealth was seventeen times larger",
    "In May the bridge of Ostland was sold",
)


def sentences(text: str) -> list[str]:
    return [text[sentence.start : sentence.end] for sentence in read_sentences(text)]


@pytest.mark.parametrize("glue", [".", ".[12] ", ".[3][4] ", ".65 ", ".[12]", "!", ".” "])
@pytest.mark.parametrize("seed", range(4))
def test_sentences_that_a_page_glues_are_parted(glue: str, seed: int) -> None:
    draw = random.Random(seed)
    first, second = draw.choice(FIRST), draw.choice(SECOND)
    text = f"{first}{glue}{second}."
    assert [sentence.rstrip(".!”") for sentence in sentences(text)] == [first, second]
    assert all(sentence in text for sentence in sentences(text))


@pytest.mark.parametrize("tag", ["[AFP] ", "[12] ", "OSTLAND, July 25 (Reuters) -- ", "Ostland (AP) — "])
def test_a_tag_or_dateline_in_front_is_no_part_of_the_sentence(tag: str) -> None:
    assert sentences(f"{tag}The old bridge was closed.") == ["The old bridge was closed."]


@pytest.mark.parametrize(
    "text",
    [
        "We used asyncio.Queue for the workers of the mill.",
        "The class threading.Lock is slow on old machines.",
        "The page of example.Com was closed in May.",
        "Use Node.Js for the page of the mill.",
        "See vol.2 and no.5 of the papers that they kept.",
        "It costs 3.5 million and version 2.10.1 is out.",
        "U.S.Army troops landed in St.Lo in May of that year.",
        "[Marta] came to the school in May.",
        "The raid,[12] as planned[13], failed in May.",
        "The file report.Final was closed by the clerks.",
    ],
)
def test_what_has_a_stop_within_stays_whole(text: str) -> None:
    assert sentences(text) == [text]


def test_the_number_of_a_note_is_not_told() -> None:
    said = phrases("Marta Kowalik[12] opened a small bakery[3] in the old harbour.[4]")
    assert said == [("Marta Kowalik", "opened", "a small bakery in the old harbour")]


def test_a_line_of_capitals_is_a_heading_however_long_it_is() -> None:
    title = "Marta Kowalik and Tadeusz Wolny Dream Up Bakeries for Ostland's Voices Festival #1"
    assert sentences(f"{title}\nNew bakeries open in June.") == [title, "New bakeries open in June."]
    names = "Marta Kowalik, Tadeusz Wolny, Rosa Molina, Peter Burnett and Claire"
    assert len(sentences(f"{names}\nBesson opened it.")) == 1


CLAUSE = (
    "the board of Acme Corporation said that Ada Berg had never sold her share of Vega Robotics while the "
    "clerks of Ostland were paid in silver and Tadeusz Wolny met them at the old school near Lake Brenner"
)


@pytest.mark.parametrize("width", [40, 48, 56, 64, 72, 80])
@pytest.mark.parametrize("seed", range(6))
def test_where_a_paragraph_is_wrapped_changes_no_sentence(seed: int, width: int) -> None:
    draw = random.Random(seed)
    prose = " ".join(f"They wrote that {' '.join(draw.choices(CLAUSE.split(), k=30))}." for _ in range(3))
    wrapped = textwrap.fill(prose, width, break_on_hyphens=False)
    for indented in (wrapped, f"    {wrapped}", wrapped.replace("\n", " \n"), textwrap.indent(wrapped, "  ")):
        assert [" ".join(sentence.split()) for sentence in sentences(indented)] == sentences(prose)


def test_lines_that_have_room_are_headings_also_above_wrapped_prose() -> None:
    prose = textwrap.fill("Marta Kowalik opened a small bakery in the old harbour of Ostland. " * 4, 48)
    assert sentences(f"Our History\n{prose}")[0] == "Our History"
    menu = ["About Us", "Products", "Vega Robotics International", "Careers", "Contact Sales"]
    assert sentences("\n".join(menu)) == menu


@pytest.mark.parametrize(
    "lines",
    [
        ["About Us", "Products", "Contact Us", "Careers"],
        ["Ada Berg", "Bob Stone", "Carl Voss", "Dora Lind", "Acme Group"],
        ["Norwegian Sea Institute", "Swedish Coast Museum", "Finnish Lake Archive", "Danish Belt Society"],
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
    ],
)
def test_lines_of_like_lengths_are_no_wrapped_prose(lines: list[str]) -> None:
    assert sentences("\n".join(lines)) == lines


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "Ostland withdrew from the League.3 The incident was the first step.",
            "Ostland withdrew from the League.",
        ),
        (
            "The mill was sold to Zeta Holdings.12 In May it was closed.",
            "The mill was sold to Zeta Holdings.",
        ),
        ("The clerk said so on Tuesday.Zenn is the head of the mill.", "The clerk said so on Tuesday."),
        ("The bridge was closed on Friday.Workers had left it.", "The bridge was closed on Friday."),
    ],
)
def test_a_sentence_may_end_with_a_capital_before_a_note_or_with_a_weekday(text: str, first: str) -> None:
    assert sentences(text)[0] == first


@pytest.mark.parametrize(
    "text",
    [
        "We moved to System.Text because the library was slower than that one.",
        "The mill used Ostra.3 Ostra was slow for this.",
        "She saw Apolla.11 on the moon in 1969.",
        "The firm moved to Books.Com last year and was sold in May.",
    ],
)
def test_a_name_with_a_stop_inside_ends_no_sentence(text: str) -> None:
    assert sentences(text) == [text]
