"""What holds no more is told as no answer: its sentence is not quoted, a model is told of it, a citation is
marked.
"""

from datetime import UTC, datetime
from typing import Any

import pytest

from app.answers.service import Answerer
from app.answers.shapes import AnswerScope, FinalAnswer, Mode, Question
from app.db.database import Database
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.shapes import Explanation
from app.ids import EdgeId
from app.llm.client import ModelClient
from app.llm.embedding.embedders import Embedders
from app.llm.testing import ModelDouble
from app.retrieval.service import Retriever
from app.settings import Settings
from tests.conftest import Home
from tests.support.communities import detect_now
from tests.support.contradictions import (
    LONDON,
    LONDON_2021,
    PARIS,
    PARIS_2019,
    REASON,
    edge_of,
    look,
    says,
    taker,
)

ASKED = "Where is Acme Corporation located?"
ENDED = "is no longer so since 2021-04-01: Acme Corporation is located in Paris."


@pytest.fixture
def moved(database: Database, settings: Settings, home: Home) -> Home:
    """A firm that was in Paris in 2019 and in London in 2021."""
    taker(database, settings, home)(PARIS_2019, LONDON_2021)
    return home


def answer(
    database: Database,
    home: Home,
    client: ModelClient | None = None,
    scope: AnswerScope = AnswerScope.LOCAL,
    question: str = ASKED,
) -> FinalAnswer:
    retriever = Retriever(database, Embedders(), Settings())
    *_, found = Answerer(database, retriever, client).ask(
        home.tenant_id, home.space_id, Question(question, scope=scope)
    )
    retriever.close()
    assert isinstance(found, FinalAnswer)
    return found


def test_without_a_model_only_what_holds_is_quoted(database: Database, moved: Home) -> None:
    found = answer(database, moved)
    assert found.answer == f"{LONDON} [{found.citations[0].number}]"
    assert not any("no longer so" in warning for warning in found.warnings)


def test_what_was_taken_back_is_quoted_again(database: Database, moved: Home) -> None:
    edge = edge_of(database, moved, PARIS)
    look(database, moved, lambda space: invalidation.undo_ending_decision(space, edge.id, actor="test"))
    assert {sentence.text for sentence in answer(database, moved).sentences} == {PARIS, LONDON}


def test_what_another_source_still_states_is_quoted(
    database: Database, settings: Settings, moved: Home
) -> None:
    again = says(f"It is so again. {PARIS}", address="again")
    taker(database, settings, moved)(again)
    assert PARIS in {sentence.text for sentence in answer(database, moved).sentences}


def test_a_model_is_told_and_what_it_cites_is_marked(
    database: Database, moved: Home, double: ModelDouble, client: ModelClient
) -> None:
    prompts: list[str] = []

    def reads(prompt: str) -> bool:
        prompts.append(prompt)
        return True

    double.when(reads, f"{PARIS[:-1]} [1][2].")
    found = answer(database, moved, client)
    assert found.mode is Mode.MODEL
    (number,) = [citation.number for citation in found.citations if citation.quote == PARIS]
    assert f"No longer so since 2021-04-01: Acme Corporation is located in Paris [{number}]" in prompts[0]
    assert f"What [{number}] says {ENDED}" in found.warnings


def test_the_twin_is_told_nothing_of_it(
    database: Database, settings: Settings, moved: Home, twin: Home
) -> None:
    taker(database, settings, twin)(PARIS_2019)
    assert answer(database, twin).answer.startswith(PARIS)


class TestOnlyTheEndedClaimAnswers:
    """Requirement 15.1: an ending is told in answers. 10.3: without a model, by a quote with its citation."""

    MILL = (
        "Larkfield Mill is a paper mill near Torrin. Oskar Brandt owns Larkfield Mill. It employs 140 people."
    )
    OWNER = "Oskar Brandt owns Larkfield Mill."
    TALK = "Larkfield Mill supplies paper to the Torrin Gazette. The Gazette is printed on Thursdays."

    @pytest.fixture
    def ownerless(self, database: Database, settings: Settings, home: Home) -> Home:
        """A mill whose only claim about an owner was ended by a person."""
        taker(database, settings, home)(says(self.MILL), says(self.TALK))
        owns = edge_of(database, home, self.OWNER)

        def end(space: Any) -> None:
            invalidation.end_claim_by_person(
                space, owns.id, reason=REASON, actor="test", ended_at=datetime(2024, 5, 1, tzinfo=UTC)
            )

        look(database, home, end)
        return home

    @pytest.mark.parametrize(
        "question",
        [
            "Who owns Larkfield Mill?",
            "Who is the owner of Larkfield Mill?",
            "Does Oskar Brandt own Larkfield Mill?",
            "What does Oskar Brandt own?",
        ],
    )
    def test_it_is_told_with_its_end_and_nothing_else(
        self, database: Database, ownerless: Home, question: str
    ) -> None:
        found = answer(database, ownerless, question=question)
        assert [sentence.text for sentence in found.sentences] == [
            f"No longer, since 2024-05-01, as a person decided: {self.OWNER}"
        ]
        assert [citation.quote for citation in found.citations] == [self.OWNER]
        assert found.answer_span is None

    @pytest.mark.parametrize(
        "question",
        [
            "Who owns Larkfield Mill?",
            "Who acquired Larkfield Mill?",
            "Is Larkfield Mill owned by Oskar Brandt?",
            "Does Oskar Brandt own Larkfield Mill?",
        ],
    )
    def test_it_is_told_although_other_passages_are_nearer_to_the_question(
        self, database: Database, settings: Settings, ownerless: Home, question: str
    ) -> None:
        others = (
            f"Larkfield Mill and Oskar Brandt were in the news of day {day}. Does anybody own the news? "
            f"Larkfield Mill bought paper number {day}, and it owns a boat."
            for day in range(1, 16)
        )
        taker(database, settings, ownerless)(
            *(says(other, address=f"day-{n}") for n, other in enumerate(others))
        )
        found = answer(database, ownerless, question=question)
        assert found.sentences[0].text == f"No longer, since 2024-05-01, as a person decided: {self.OWNER}"

    def test_it_is_told_by_an_explanation_until_the_decision_is_undone(
        self, database: Database, ownerless: Home
    ) -> None:
        def explain(space: Any) -> Explanation:
            return graph.explain_and_record_recall(space, from_="Oskar Brandt", to="Larkfield Mill")

        (denial,) = look(database, ownerless, explain).denials
        assert (denial.since, denial.is_ended_by_person, denial.contested) == ("2024-05-01", True, False)
        assert denial.edge.quote == self.OWNER
        look(
            database,
            ownerless,
            lambda space: invalidation.undo_ending_decision(space, denial.edge.id, actor="test"),
        )
        assert look(database, ownerless, explain).denials == ()

    def test_what_is_asked_of_something_else_is_answered_as_before(
        self, database: Database, ownerless: Home
    ) -> None:
        found = answer(database, ownerless, question="How many people does Larkfield Mill employ?")
        assert "140 people" in found.sentences[0].text

    @pytest.mark.parametrize(
        "question",
        ["Who was the owner of Larkfield Mill before?", "Who was the previous owner of Larkfield Mill?"],
    )
    def test_a_question_about_the_past_is_answered_by_the_sentence(
        self, database: Database, ownerless: Home, question: str
    ) -> None:
        found = answer(database, ownerless, question=question)
        assert found.sentences[0].text == self.OWNER
        assert any("no longer so since 2024-05-01" in warning for warning in found.warnings)

    def test_what_a_text_ended_names_no_person(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        taker(database, settings, home)(says("Mona Vale was CEO of Gorse Rail until 2019. It runs trains."))
        found = answer(database, home, question="Who is the CEO of Gorse Rail?")
        assert found.sentences[0].text.startswith("No longer, since 20")
        assert "Mona Vale" in found.sentences[0].text
        assert "person" not in found.sentences[0].text

    def test_the_sentence_is_quoted_for_its_other_claim(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        both = "Ashton-Tate owned dBASE, and Wayne Ratliff created dBASE."
        taker(database, settings, home)(says(both))
        with database.open_space(home.tenant_id, home.space_id) as space:
            (edge_id,) = space.connection.execute(
                "SELECT id FROM graph_edge WHERE relation_type = 'owns'"
            ).fetchone() or (None,)
            invalidation.end_claim_by_person(space, EdgeId(edge_id), reason=REASON, actor="test")
        found = answer(database, home, question="Who created dBASE?")
        assert [sentence.text for sentence in found.sentences] == [both]
        assert any("Ashton-Tate owns dBASE" in warning for warning in found.warnings)


def test_a_report_that_is_older_than_the_end_of_a_claim_does_not_tell_it(
    database: Database, settings: Settings, home: Home
) -> None:
    taker(database, settings, home)(PARIS_2019, says("Acme Corporation uses PostgreSQL."))
    detect_now(database, settings, home)
    edge = edge_of(database, home, PARIS)

    def end(space: Any) -> None:
        invalidation.end_claim_by_person(space, edge.id, reason=REASON, actor="test")

    assert "Paris" in " ".join(
        citation.quote for citation in answer(database, home, scope=AnswerScope.GLOBAL).citations
    )
    look(database, home, end)
    found = answer(database, home, scope=AnswerScope.GLOBAL)
    assert found.citations
    assert "Paris" not in " ".join(citation.quote for citation in found.citations)


@pytest.mark.parametrize(
    ("sentence", "opening"),
    [
        ("Mona Vale had worked at Gorse Rail before she joined Torrin Mills.", "Not so now"),
        ("Mona Vale does not work for Gorse Rail.", "Not so"),
        ("Mona Vale never worked for Gorse Rail.", "Not so"),
        ("Mona Vale left Gorse Rail in 2021.", "Not so, since 2021"),
    ],
)
def test_a_claim_of_the_past_is_not_called_untrue(
    database: Database, settings: Settings, home: Home, sentence: str, opening: str
) -> None:
    taker(database, settings, home)(says(sentence))

    def explain(space: Any) -> Explanation:
        return graph.explain_and_record_recall(space, from_="Mona Vale", to="Gorse Rail")

    assert [denial.opening for denial in look(database, home, explain).denials] == [opening]


LEADS = "Mona Vale, who led Gorse Rail until 2019, leads Torrin Mills."
WORKS = "Mona Vale, who worked for Gorse Rail until 2019, works for Torrin Mills."


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (
            "Acme Corporation, located in Paris until 2020, is located in London.",
            "Where is Acme Corporation located?",
        ),
        (
            "Acme Corporation was located in Paris until 2020 and is now located in London.",
            "Where is Acme Corporation located?",
        ),
        (LEADS, "What does Mona Vale lead?"),
        (WORKS, "Who does Mona Vale work for?"),
        (WORKS, "Who works for Torrin Mills?"),
        ("Kestrel, which used MySQL until 2020, uses PostgreSQL.", "What does Kestrel use?"),
    ],
)
def test_a_sentence_that_also_states_what_holds_is_not_told_as_ended(
    database: Database, settings: Settings, home: Home, sentence: str, question: str
) -> None:
    taker(database, settings, home)(says(sentence, "2021-03-01"))
    found = answer(database, home, question=question)
    assert [said.text for said in found.sentences] == [sentence]
    assert any("no longer so since" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (WORKS, "Who works for Gorse Rail?"),
        (WORKS, "Does Mona Vale work for Gorse Rail?"),
        ("Kestrel, which used MySQL until 2020, uses PostgreSQL.", "Does Kestrel use MySQL?"),
    ],
)
def test_a_sentence_that_also_states_what_holds_tells_an_end_that_is_asked_about(
    database: Database, settings: Settings, home: Home, sentence: str, question: str
) -> None:
    taker(database, settings, home)(says(sentence, "2021-03-01"))
    (said,) = answer(database, home, question=question).sentences
    assert said.text.startswith("No longer, since 20")


OTHER_SENTENCES = [
    (
        "Tom Reed works for Acme Corporation as a buyer.",
        "Tom Reed, an employee of Acme Corporation, works for Acme Corporation.",
        "Tom Reed no longer works for Acme Corporation.",
        "Who works for Acme Corporation?",
    ),
    (
        "Ines Vidal owns Larkfield Mill.",
        "Ines Vidal owns Larkfield Mill since 1990.",
        "Ines Vidal no longer owns Larkfield Mill.",
        "Who owns Larkfield Mill?",
    ),
    (
        PARIS,
        "Acme Corporation is located in Paris, near the river.",
        "Acme Corporation is no longer located in Paris.",
        ASKED,
    ),
    (
        "Kestrel uses MySQL.",
        "In production, Kestrel uses MySQL with replicas.",
        "Kestrel no longer uses MySQL.",
        "What does Kestrel use?",
    ),
    (
        "Dana Holt leads Orion.",
        "Dana Holt leads Orion from Bergen.",
        "Dana Holt no longer leads Orion.",
        "Who leads Orion?",
    ),
]


@pytest.mark.parametrize(("quote", "other_sentence", "ending", "question"), OTHER_SENTENCES)
def test_no_other_sentence_of_the_passage_tells_the_ended_claim_as_true(
    database: Database,
    settings: Settings,
    home: Home,
    quote: str,
    other_sentence: str,
    ending: str,
    question: str,
) -> None:
    taker(database, settings, home)(
        says(f"{quote} It rained. {other_sentence}", "2019-03-01"), says(ending, "2020-03-01")
    )
    found = answer(database, home, question=question)
    texts = [said.text for said in found.sentences]
    assert other_sentence not in texts
    assert ending in texts[0]
    # The first time it held.
    assert answer(database, home, question=question.replace("?", " in 2019?")).sentences


@pytest.mark.parametrize(("quote", "other_sentence", "ending", "question"), OTHER_SENTENCES)
def test_the_facts_tell_an_ended_claim_once_with_all_its_sources(
    database: Database,
    settings: Settings,
    home: Home,
    quote: str,
    other_sentence: str,
    ending: str,
    question: str,
) -> None:
    taker(database, settings, home)(
        says(f"{quote} {other_sentence}", "2019-03-01"),
        says(f"It was a wet year. {quote}", "2019-05-01"),
        says(ending, "2020-03-01"),
    )
    context = answer(database, home, question=question).context
    ends = [line for line in context.facts.splitlines() if line.startswith("No longer")]
    assert len(ends) == 1
    for source in context.sources:
        if quote in source.text:
            assert f"[{source.number}]" in ends[0]


def test_a_sentence_that_also_states_something_else_is_quoted_for_that(
    database: Database, settings: Settings, home: Home
) -> None:
    other = "Kestrel, which uses MySQL, was created by Pia Lund."
    taker(database, settings, home)(
        says(f"Kestrel uses MySQL. {other}", "2019-03-01"),
        says("Kestrel no longer uses MySQL.", "2020-03-01"),
    )
    assert answer(database, home, question="Who created Kestrel?").sentences[0].text == other


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Neither Ann Poll nor Ben Croft works for Zephyr Inc.", "Who works for Zephyr Inc?"),
        ("Neither Ann Poll nor Ben Croft works for Zephyr Inc.", "Does Ann Poll work for Zephyr Inc?"),
        ("Tobias Renn was CEO of Falkor AG from 2010 to 2015.", "Is Tobias Renn CEO of Falkor AG?"),
        ("Neither Ann Poll nor Ben Croft owns Zephyr Inc.", "Who owns Zephyr Inc?"),
        ("Kestrel uses neither MySQL nor Redis.", "What does Kestrel use?"),
    ],
)
def test_a_sentence_that_denies_several_claims_is_told_once(
    database: Database, settings: Settings, home: Home, text: str, question: str
) -> None:
    taker(database, settings, home)(says(text))
    found = answer(database, home, question=question)
    texts = [said.text for said in found.sentences]
    assert texts
    assert len(texts) == len(set(texts))


MOVED, MOVED_HEADQUARTERS = (
    "Bright Foods has moved from Leeds to York.",
    "Bright Foods moved its headquarters to York.",
)


@pytest.mark.parametrize(
    ("verb", "moved"),
    [
        ("is based in", MOVED),
        ("is located in", MOVED),
        ("is headquartered in", MOVED),
        ("is headquartered in", MOVED_HEADQUARTERS),
    ],
)
@pytest.mark.parametrize("participle", ["based", "located", "headquartered"])
def test_where_something_is_after_a_move_is_told_first(
    database: Database, settings: Settings, home: Home, verb: str, moved: str, participle: str
) -> None:
    taker(database, settings, home)(
        says(f"Bright Foods {verb} Leeds.", "2018-01-01"), says(moved, "2021-01-01")
    )
    found = answer(database, home, question=f"Where is Bright Foods {participle}?")
    assert found.sentences[0].text == moved
