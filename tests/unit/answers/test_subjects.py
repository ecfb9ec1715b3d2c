"""Requirement 10.3: no other thing's fact answers a question."""

from dataclasses import replace

import pytest

from app.answers.asked_names import AskedNames, has_pronoun_subject, list_asked_names
from app.answers.asked_roles import AskedRoles
from app.answers.context import build_context
from app.answers.refusal import explain_unmentioned_things
from app.answers.shapes import Question
from app.answers.written_by_quotes import answer_by_quotes
from app.graph.shapes import Anchor
from app.retrieval.shapes import Passage
from tests.support.retrieval import node, passage, retrieved

OXYGEN = passage("Oxygen was discovered by Carl Scheele in 1773. He called the gas fire air.", title="Oxygen")
LUTHER = passage("In 1521 Martin Luther wrote on monastic vows.", title="Reformation")
WALSH = passage("Raoul Walsh directed the film and married Miriam Cooper.", title="Jump for Glory")
COOPER = passage("Miriam Cooper was born in Baltimore.", title="Miriam Cooper")
WALSH_IN_SHORT = passage("Raoul Walsh directed the film and married Cooper.", title="Jump for Glory")
WALSH_OF_ANOTHER = passage("Raoul Walsh directed the film and married Coop.", title="Jump for Glory")
WREN = passage("Wren College was founded in 1902.", title="Colleges")
GRABAR = passage("In 1889 he was admitted to the university.", title="Igor Grabar")
SCHEELE_RU = passage("Кислород был открыт Карлом Шееле в 1773 году.", title="Кислород")


def may_answer(question: str, *passages: Passage) -> list[bool]:
    """Whether the first sentence of each passage may answer."""
    found = retrieved(*passages, question=question)
    sources = build_context(found).sources
    subjects = AskedNames(found, sources)
    return [
        subjects.may_sentence_be_about_all_names(source, source.text.split(". ")[0]) for source in sources
    ]


@pytest.mark.parametrize(
    ("question", "are_several"),
    [
        ("Who discovered Oxygen?", False),
        ("What is fire air?", False),
        ("Which is older, Wren College or Oxygen?", True),
        ("When did Carl Scheele visit Wren College?", True),
        # Who directed it is one step, and where that person was born is another.
        ("What is the birthplace of the person who directed Oxygen?", True),
        ("Who is the person who directed Oxygen?", False),
    ],
)
def test_two_names_or_one_that_describes_are_several(question: str, are_several: bool) -> None:
    assert AskedNames(retrieved(OXYGEN, question=question), ()).may_answer_take_two_sentences is are_several


@pytest.mark.parametrize(
    ("question", "passages", "expected"),
    [
        ("When did Carl Scheele discover oxygen?", (OXYGEN,), [True]),
        # The same fact, asked of somebody else that the space knows, and of somebody that it does not.
        ("When did Martin Luther discover oxygen?", (OXYGEN, LUTHER), [False, True]),
        ("When did Ngozi Adeyemi discover oxygen?", (OXYGEN,), [False]),
        ("Когда Карл Шееле открыл кислород?", (SCHEELE_RU,), [True]),
        ("Когда Мартин Лютер открыл кислород?", (SCHEELE_RU,), [False]),
        ("Wann entdeckte Carl Scheele den Sauerstoff?", (OXYGEN,), [True]),
        ("Wann entdeckte Martin Luther den Sauerstoff?", (OXYGEN,), [False]),
        # The second step: a sentence about what is named names what the other is about.
        ("Where was the wife of Raoul Walsh born?", (WALSH, COOPER), [True, True]),
        ("Where was the wife of Carl Scheele born?", (WALSH, COOPER, OXYGEN), [False, False, True]),
        ("Where was the wife of Raoul Walsh born?", (WALSH_IN_SHORT, COOPER), [True, True]),
        ("Where was the wife of Raoul Walsh born?", (WALSH_OF_ANOTHER, COOPER), [True, False]),
        # Two that are compared have a sentence each; one of which nothing is known is not compared.
        ("Which is older, Wren College or Oxygen?", (OXYGEN, WREN), [True, True]),
        ("Which is older, Wren College or Hull College?", (WREN,), [False]),
        (
            "Which came first, the founding of Wren College or the discovery of Oxygen?",
            (OXYGEN, WREN),
            [True] * 2,
        ),
        # What is in parentheses behind a name belongs to it; before a name it does not.
        ("Which is older, Wren College (School) or Oxygen (Gas)?", (OXYGEN, WREN), [True, True]),
        ("Where did (Carl Scheele) Wren College begin?", (WREN,), [False]),
        # A name that only describes something unnamed is spoken of by another step, with all of that step.
        (
            "Which year did Wren College hire the chemist who taught Carl Scheele?",
            (WREN, OXYGEN),
            [True, False],
        ),
        ("Which year did Wren College hire the chemist who taught Carl Scheele?", (WREN,), [False]),
        (
            "Which year did Wren College hire the chemist who taught Carl Scheele with Martin Luther?",
            (WREN, OXYGEN, LUTHER),
            [False, False, False],
        ),
        ("Which year did Wren College hire Carl Scheele?", (WREN, OXYGEN), [False, False]),
        # A number does not go on as a word may.
        ("Who rents Harbour Row 12?", (passage("Harbour Row 120 is rented by Ada Moss."),), [False]),
        ("Who rents Harbour Row 12?", (passage("Harbour Row 12 is rented by Ada Moss."),), [True]),
        # A title may be a shorter form of the name; what only describes names nothing.
        ("What did Igor Emmanuilovich Grabar study in 1889?", (GRABAR,), [True]),
        ("What did the Russian painter Igor Grabar study in 1889?", (GRABAR,), [True]),
        ("When was the gas called fire air?", (OXYGEN,), [True]),
    ],
)
def test_a_sentence_answers_where_its_document_speaks_of_what_is_named(
    question: str, passages: tuple[Passage, ...], expected: list[bool]
) -> None:
    assert may_answer(question, *passages) == expected


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ("Thomas Davis led the defense.", False),
        ("Thomas Davis played in Super Bowl XXXIII.", True),
    ],
)
def test_a_thing_of_another_passage_counts_where_that_speaks_of_both(beside: str, expected: bool) -> None:
    first = passage("John Elway won Super Bowl XXXIII at age 38.", title="Broncos")
    question = "How old was Thomas Davis when he won Super Bowl XXXIII?"

    assert may_answer(question, first, passage(beside, title="Broncos"))[0] is expected


def test_a_misspelt_name_is_the_one_as_which_it_was_read() -> None:
    question = "When did Karl Sheele discover oxygen?"
    assert may_answer(question, OXYGEN) == [False]
    found = replace(
        retrieved(OXYGEN, question=question), anchors=(Anchor(node("Carl Scheele"), "Karl Sheele"),)
    )
    (source,) = build_context(found).sources
    assert AskedNames(found, [source]).may_sentence_be_about_all_names(source, source.text)


def test_a_name_that_the_space_knows_as_one_is_one_thing() -> None:
    question = "Who wrote Bastien und Bastienne?"
    found = retrieved(OXYGEN, question=question)
    name = "Bastien und Bastienne"

    assert [thing.surface for thing in list_asked_names(found)] == ["Bastien", "Bastienne"]
    found = replace(found, anchors=(Anchor(node(name), name),))
    assert [thing.surface for thing in list_asked_names(found)] == [name]


def test_a_possessive_ends_a_name_that_leads_to_another_document() -> None:
    opera = passage("Kestrel Opera was written by Amadeus.", title="Kestrel Opera")
    music = passage("Films use Amadeus's Serenade to convey refinement.", title="Music")

    assert may_answer("What piece by the composer of Kestrel Opera do films use?", opera, music)[1]


def test_it_says_of_what_nothing_speaks() -> None:
    question = "When did Ngozi Adeyemi and Carl Scheele discover oxygen?"
    found = retrieved(OXYGEN, question=question)
    context = build_context(found)
    assert not answer_by_quotes(Question(question), found, context)
    assert explain_unmentioned_things(found, context.sources) == (
        "Nothing that was found speaks of “Ngozi Adeyemi”, so the question is not answered."
    )


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("He is the CEO of Globex Group.", True),
        ("In 1990 she founded Globex.", True),
        ("Elle dirige la société depuis 1990.", True),
        # The pronoun of another clause is not what the sentence is about.
        ("Kestrel, who is the CEO of Globex, retired.", False),
        ("When he retired, Mara Quint became the CEO.", False),
        ("The company that he founded is Globex.", False),
    ],
)
def test_the_subject_of_a_sentence_is_that_of_its_main_clause(sentence: str, expected: bool) -> None:
    assert has_pronoun_subject(sentence) is expected


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("When did Martin Luther discover oxygen?", "Carl Scheele discovered oxygen in 1773.", True),
        ("When did Carl Scheele discover oxygen?", "Carl Scheele discovered oxygen in 1773.", False),
        ("When was Kestrel acquired?", "Merlin was acquired by Kestrel in 1990.", True),
        ("By whom was Merlin acquired?", "Merlin was acquired by Kestrel in 1990.", False),
        ("What did Merlin acquire?", "Kestrel acquired Merlin in 1990.", True),
        ("When did the Globex company open?", "The Initech company opened in 1990.", True),
        ("Quand Martin Luther a-t-il découvert l'oxygène ?", "Carl Scheele a découvert l'oxygène.", True),
        ("When did Globex open the mine?", "Globex's rival Initech opened the mine in 1999.", True),
        ("When did Globex acquire it?", "It was acquired by Globex's rival Initech.", True),
        # The noun that is asked for is the answer.
        ("¿Qué medalla recibió Lucía Barrientos?", "En 2021 recibió la medalla Félix Rodríguez.", False),
        # It may be the one that is asked about.
        ("When did Initech open the mine?", "Globex's rival Initech opened the mine in 1999.", False),
        ("When did Scheele discover oxygen?", "The chemist discovered oxygen in 1773.", False),
        ("When did Elizabeth Windsor open the bridge?", "The Queen opened the bridge in 1981.", False),
        ("When did the BBC open it?", "British Broadcasting Corporation opened it in 1990.", False),
        ("Where do Ada and Bo live?", "Bo Quint and Ada Brand live in Leeds.", False),
    ],
)
def test_a_sentence_with_another_name_in_the_asked_role_is_about_another(
    question: str, sentence: str, expected: bool
) -> None:
    things = list_asked_names(retrieved(passage(sentence), question=question))

    assert AskedRoles(question, things).flag_sentences_about_others([sentence]) == [expected]


def test_a_fact_of_another_in_the_passage_about_a_thing_does_not_answer() -> None:
    text = "Rosa Lind and Carl Berg painted in Hull. Rosa Lind built a studio in 1921. Carl Berg taught."
    question = Question("When did Carl Berg build a studio?")
    found = retrieved(passage(text, title="Painters of Hull"), question=question.text)

    sentences = answer_by_quotes(question, found, build_context(found))

    assert not any("1921" in sentence.text for sentence in sentences)
