"""How answers to questions with known answers are counted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.answers.evaluation import AnswerCounts, KnownQuestion, contains_any_answer, load_question_sets
from app.answers.shapes import Context, ContextFormat, FinalAnswer, Mode, Sentence
from app.errors import InvalidInput

WHO = KnownQuestion("q", "Who wrote it?", ("Ada",))
_DATA = Path(__file__).parents[3] / "benchmarks" / "data"
NONE = KnownQuestion("u", "Who wrote it?", ())


def answered(*sentences: str) -> FinalAnswer:
    mode = Mode.EXTRACTIVE if sentences else Mode.NOTHING
    made = tuple(Sentence(place, text, (1,), True) for place, text in enumerate(sentences))
    return FinalAnswer("?", mode, made, (), (), Context((), "", ContextFormat.NARRATIVE), 1)


@pytest.mark.parametrize(
    ("text", "answer", "holds"),
    [
        ("It gave up 308 points.", "308", True),
        ("In 1308 it fell.", "308", False),
        ("By ADA, of course.", "Ada", True),
        ("By Adam.", "Ada", False),
        ("首都是北京。", "北京", True),
        ("Nothing.", "", False),
    ],
)
def test_an_answer_stands_in_whole_words_case_and_punctuation_aside(
    text: str, answer: str, holds: bool
) -> None:
    assert contains_any_answer(text, [answer]) is holds


def test_counts_tell_the_first_sentence_from_the_others_and_right_refusals_from_wrong_ones() -> None:
    counts = AnswerCounts()
    counts.add_answer_to_counts(WHO, answered("Ada did."), ["Ada did."])
    counts.add_answer_to_counts(WHO, answered("Bob read.", "He slept.", "Ada did."), ["Bob read."])
    counts.add_answer_to_counts(WHO, answered(), ["Ada did."])
    counts.add_answer_to_counts(WHO, answered(), ["Nobody."] * 5 + ["Ada did."])
    counts.add_answer_to_counts(replace(WHO, is_scored=False), answered(), ["Ada did."])
    counts.add_answer_to_counts(NONE, answered(), [])
    counts.add_answer_to_counts(NONE, answered("Ada did."), [])
    assert counts.compute_percentages() == {
        "answerable": 5,
        "unanswerable": 2,
        "scored": 4,
        "found_in_first_chunks": 50.0,
        "first_sentence": 25.0,
        "first_two_sentences": 25.0,
        "quotes": 50.0,
        "refused_rightly": 50.0,
        "refused_wrongly": 60.0,
        "refused_though_found": 50.0,
    }


def test_questions_of_documents_that_are_left_out_have_no_answer() -> None:
    documents = [
        {"id": "a", "title": "A", "text": "Ada.", "left_out": False},
        {"id": "b", "title": "B", "text": "Bob.", "left_out": True},
    ]
    questions = [
        {"id": "1", "document": "a", "question": "Who?", "answers": ["Ada"]},
        {"id": "2", "document": "b", "question": "Who?", "answers": ["Bob"]},
    ]
    pack = {"sets": [{"language": "en", "documents": documents, "questions": questions}]}
    (part,) = load_question_sets(pack, ())
    assert (part.name, [document["id"] for document in part.documents]) == ("en", ["a"])
    assert [question.answers for question in part.questions] == [("Ada",), ()]
    (alone,) = load_question_sets({"name": "all", "documents": documents[:1], "questions": questions[:1]}, ())
    assert (alone.name, alone.questions[0].answers) == ("all", ("Ada",))


def test_a_set_of_passages_is_asked_questions_of_the_next_one() -> None:
    def part(name: str, answer: str) -> dict[str, object]:
        passage = {"id": name, "title": name, "text": f"{answer} did."}
        question = {"id": f"q{name}", "question": "Who?", "gold": [name], "answer": answer}
        compared = {**question, "id": f"c{name}", "type": "comparison"}
        return {"name": name, "passages": [passage], "questions": [question, compared]}

    one, other = load_question_sets({"sets": [part("a", "Ada"), part("b", "Bob")]}, ())
    assert [question.answers for question in one.questions] == [("Ada",), ("Ada",), (), ()]
    assert [question.is_scored for question in other.questions[:2]] == [True, False]


@pytest.mark.parametrize("pack", [{}, {"sets": []}, {"sets": [{"name": "a"}]}, {"sets": 1}])
def test_what_is_no_pack_is_refused(pack: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        load_question_sets(pack, ())


def test_each_answer_of_the_small_spaces_is_in_their_documents() -> None:
    for name in ("small_spaces", "small_spaces_kept"):
        pack = json.loads((_DATA / f"{name}.json").read_text("utf-8"))
        for question_set in load_question_sets(pack, ()):
            text = "\n".join(document["text"] for document in question_set.documents).casefold()
            answers = [answer for question in question_set.questions for answer in question.answers]
            assert [answer for answer in answers if answer.casefold() not in text] == []
            assert any(not question.answers for question in question_set.questions)
