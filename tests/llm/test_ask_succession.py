"""Who held something before or after somebody is answered by the claims' times, else not by that somebody."""

import pytest

from app.answers.question_tense import asks_of_the_past
from app.answers.shapes import Mode
from app.db.database import Database
from app.documents.shapes import Submission
from app.settings import Settings
from tests.conftest import Home
from tests.llm.test_ask_ended import answer
from tests.support.contradictions import says, taker

MONA_UNTIL = says("Mona Vale was CEO of Gorse Rail until 2021.")
MONA = says("Mona Vale is CEO of Gorse Rail.", "2019-01-01")
MIRA = says("Mira Sand is CEO of Gorse Rail.", "2021-01-01")
MIRA_SINCE = says("Mira Sand has been CEO of Gorse Rail since 2021.")
SUCCEEDED = says("Mira Sand succeeded Mona Vale as CEO of Gorse Rail in 2021.")
LEFT = says("Mira Sand became CEO of Gorse Rail in 2021 after Mona Vale left the firm.")
KESTREL = (says("Kestrel 3 replaced Kestrel 2 in 2019."),)
OWNERS = (
    says("Ada Rook owned Larkfield Mill until 1990."),
    says("Ines Vidal owned Larkfield Mill until 2001."),
    says("Tom Reed owns Larkfield Mill since 2001.", "2002-01-01"),
)


@pytest.mark.parametrize(
    ("submissions", "question", "holder"),
    [
        *(
            (submissions, question, "Mona Vale")
            for submissions in ((MONA_UNTIL, MIRA_SINCE), (MONA, MIRA), (SUCCEEDED,), (LEFT,))
            for question in (
                "Who was the CEO before Mira Sand?",
                "Who was CEO of Gorse Rail before Mira Sand?",
            )
        ),
        ((MONA_UNTIL, MIRA_SINCE), "Who preceded Mira Sand as CEO of Gorse Rail?", "Mona Vale"),
        ((MONA_UNTIL, MIRA_SINCE), "Who was Mira Sand's predecessor?", "Mona Vale"),
        ((MONA, MIRA), "Who was the CEO after Mona Vale?", "Mira Sand"),
        ((MONA, MIRA), "Who succeeded Mona Vale?", "Mira Sand"),
        ((SUCCEEDED,), "Who was CEO after Mona Vale?", "Mira Sand"),
        (OWNERS, "Who owned Larkfield Mill before Tom Reed?", "Ines Vidal"),
        (OWNERS, "Who owned Larkfield Mill before Ines Vidal?", "Ada Rook"),
        (OWNERS, "Who owned Larkfield Mill after Ada Rook?", "Ines Vidal"),
        (
            (says("Kestrel 3 replaced Kestrel 2 in 2019."),),
            "Which version came before Kestrel 3?",
            "Kestrel 2",
        ),
    ],
)
def test_the_nearest_holder_before_or_after_somebody_is_named(
    database: Database,
    settings: Settings,
    home: Home,
    submissions: tuple[Submission, ...],
    question: str,
    holder: str,
) -> None:
    taker(database, settings, home)(*submissions)
    found = answer(database, home, question=question)
    assert holder in found.sentences[0].text
    assert found.answer_span is not None
    assert found.answer_span.text == holder


@pytest.mark.parametrize(
    ("submissions", "question"),
    [
        ((MIRA,), "Who was the CEO before Mira Sand?"),
        ((MIRA_SINCE,), "Who was CEO of Gorse Rail before Mira Sand?"),
        ((MONA, MIRA), "Who was CEO of Gorse Rail before Mona Vale?"),
        (OWNERS, "Who owned Larkfield Mill before Ada Rook?"),
        (OWNERS, "Who owned Larkfield Mill after Tom Reed?"),
    ],
)
def test_where_no_claim_tells_it_somebody_is_not_named_as_the_own_predecessor(
    database: Database,
    settings: Settings,
    home: Home,
    submissions: tuple[Submission, ...],
    question: str,
) -> None:
    taker(database, settings, home)(*submissions)
    found = answer(database, home, question=question)
    assert found.mode is Mode.NOTHING


ACQUIRED = ("Zorbex acquired Plimco in 2015.", "Zorbex no longer owns Plimco.")
SOLD = ("Zorbex acquired Plimco in 2015 and sold it in 2019.",)
BOUGHT = ("Ines Vidal bought Larkfield Mill in 1990.", "Ines Vidal no longer owns Larkfield Mill.")
LEFT_ACME = ("Bob Stone works for Acme.", "Bob Stone left Acme in 2019.")


@pytest.mark.parametrize(
    ("sentences", "question", "span"),
    [
        (ACQUIRED, "Who acquired Plimco?", "Zorbex"),
        (SOLD, "Who bought Plimco?", "Zorbex"),
        (SOLD, "When did Zorbex acquire Plimco?", "2015"),
        (BOUGHT, "Who bought Larkfield Mill?", "Ines Vidal"),
        (LEFT_ACME, "Who left Acme?", "Bob Stone"),
        (LEFT_ACME, "When did Bob Stone leave Acme?", "2019"),
        (LEFT_ACME, "Who worked for Acme?", "Bob Stone"),
    ],
)
def test_what_was_done_is_told_though_it_has_ended(
    database: Database, settings: Settings, home: Home, sentences: tuple[str, ...], question: str, span: str
) -> None:
    taker(database, settings, home)(
        *(says(sentence, f"{2017 + index}-01-01") for index, sentence in enumerate(sentences))
    )
    found = answer(database, home, question=question)
    assert not found.sentences[0].text.startswith(("No longer", "Not so"))
    assert found.answer_span is not None
    assert found.answer_span.text == span
    assert any("no longer so since" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("question", "is_past"),
    [
        ("Who acquired Plimco?", True),
        ("Which company bought Plimco?", True),
        ("Who left Tarnwick?", True),
        ("Whose company built Zeta?", True),
        ("Who took over Larkfield Mill?", True),
        ("Who leads Gorse Rail?", False),
        ("Where is Acme based?", False),
        ("Who is married to Ann?", False),
        ("Which database does Kestrel use?", False),
        ("Wer leitet Gorse Rail?", False),
    ],
)
def test_a_past_tense_asks_of_the_past(question: str, is_past: bool) -> None:
    assert asks_of_the_past(question) is is_past
