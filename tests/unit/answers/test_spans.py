"""The short answer beside the sentences: a name, a date, a number, or none."""

import pytest

from app.answers.shapes import SpanKind
from app.answers.short_answers import find_short_answer


@pytest.mark.parametrize(
    ("question", "text", "kind", "expected"),
    [
        (
            "When did Carl Scheele discover oxygen?",
            "Carl Scheele discovered oxygen on 12 May 1773.",
            "date",
            "12 May 1773",
        ),
        (
            "¿Cuándo descubrió Scheele el oxígeno?",
            "Scheele descubrió el oxígeno el 12 de mayo de 1773.",
            "date",
            "12 de mayo de 1773",
        ),
        (
            "How old was Peyton Manning in the final?",
            "Peyton Manning was 39 years old in the final.",
            "number",
            "39",
        ),
        (
            "Who recovered the ball?",
            "Miller stripped the ball away from Newton, and it was recovered by Ward.",
            "name",
            "Ward",
        ),
        # The full stop of the sentence is no part of a name.
        ("Кто основал компанию Север?", "Компанию Север основал Иван Петров.", "name", "Иван Петров"),
        ("¿Quién fundó la empresa Norte?", "Clara Ruiz fundó la empresa Norte.", "name", "Clara Ruiz"),
        (
            "Who sold the north quay?",
            "The sale of the north quay by Carl Scheele failed.",
            "name",
            "Carl Scheele",
        ),
        # Not the one whose successor it is.
        (
            "Who checks the batteries?",
            "All batteries are checked by Lucy Crane's successor, Daniel Osei.",
            "name",
            "Daniel Osei",
        ),
        # The second verb is in the passive voice, too.
        (
            "Who distributes the Kite V3 in the UK?",
            "The Kite V3 is manufactured by Glenhart in Leipzig and distributed in the UK by Morley Heating.",
            "name",
            "Morley Heating",
        ),
        # Neither a prepositional phrase nor a name that describes a noun says who.
        ("Who won the Harbour Cup?", "The Harbour Cups in Oslo were won by Ida Falk.", "name", "Ida Falk"),
        # The years in brackets belong to the name before them.
        (
            "By whom was it published from 1986 to 1990?",
            "It was published by Gold Press (1962–1986), Arc Press (1986–1990) and Kite Press (1990–1993).",
            "name",
            "Arc Press",
        ),
        # A title is no part of another name.
        (
            "Who did Amara Osei succeed?",
            "Dr. Amara Osei succeeded Kwame Ampofo in May.",
            "name",
            "Kwame Ampofo",
        ),
    ],
)
def test_what_is_asked_is_told_in_short(question: str, text: str, kind: str, expected: str) -> None:
    span = find_short_answer(question, text, 2)
    assert span is not None
    assert (span.kind, span.text, span.sentence) == (SpanKind(kind), expected, 2)
    assert text[span.start : span.end] == expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # Another kind of answer, yes or no, nothing of the kind, and two that stand alike.
        ("What is oxygen used for?", "Oxygen is used by Carl Scheele in 1773."),
        ("Did Carl Scheele discover oxygen in 1773?", "Carl Scheele discovered oxygen in 1774."),
        ("When did Carl Scheele discover oxygen?", "Carl Scheele discovered oxygen."),
        ("When did Carl Scheele discover oxygen?", "Carl Scheele discovered oxygen between 1771 and 1772."),
        # Too little of what is asked, a name alone, a name where the act is not said, a date's number.
        ("When did Carl Scheele discover oxygen?", "The chemist Scheele moved to Köping in 1775."),
        ("Wann entdeckte Carl Scheele den Sauerstoff?", "Der Chemiker Scheele zog 1775 nach Köping."),
        ("Who is Carl Scheele?", "Carl Scheele and Torbern Bergman met in Uppsala."),
        ("Who founded Larkfield Robotics?", "Larkfield Robotics belongs to Ostrava Holding."),
        ("How many crews left the harbour?", "The crews left the harbour on 12 May 1773."),
        # Another act on the same thing.
        ("¿Quién fundó la empresa Norte?", "Clara Ruiz visitó la empresa Norte."),
        ("Who sold the north quay?", "The north quay was painted by Carl Scheele in 1773."),
        # The date of another's clause.
        ("When did Clara Novak move in?", "Femi Osei moved in on 1 August 2023; Clara Novak followed soon."),
    ],
)
def test_what_is_not_clear_is_not_told_in_short(question: str, text: str) -> None:
    assert find_short_answer(question, text, 0) is None
