"""Score answers to questions with known answers, and load packs of such questions; pure.

A pack holds sets of documents with questions. A question has an answer in its set if it lists one and its
document is not marked `left_out`; the system should refuse every other question.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from app.answers.shapes import FinalAnswer, Mode
from app.domain.scoring.keywords import count_unspaced_characters
from app.errors import InvalidInput
from app.graph.names import normalise_name

UNANSWERABLE_QUESTIONS_ADDED = 5
"""Number of questions of the next set that are asked of a set without unanswerable questions."""
FIRST_CHUNK_COUNT = 5
"""Number of first chunks in which an answer counts as found."""
LEADING_SENTENCE_COUNT = 2


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A question with its answers. Without `answers` the set does not answer it, and a refusal is expected.

    `is_scored` is False if the answer is yes or no, or the result of a comparison, which no quote contains.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    is_scored: bool = True


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The documents of one space (`id`, `title`, `text`) and the questions to it."""

    name: str
    documents: tuple[Mapping[str, str], ...]
    questions: tuple[KnownQuestion, ...]


@dataclass(slots=True)
class AnswerCounts:
    """Counts of the questions of a set by outcome."""

    answerable: int = 0
    unanswerable: int = 0
    refused_rightly: int = 0
    refused_wrongly: int = 0
    scored_questions: int = 0
    found_in_first_chunks: int = 0
    answered_by_first_sentence: int = 0
    answered_by_first_two: int = 0
    answered_by_any_quote: int = 0
    refused_though_found: int = 0
    milliseconds: list[float] = field(default_factory=list)

    def add_answer_to_counts(
        self, question: KnownQuestion, final_answer: FinalAnswer, chunks: Iterable[str]
    ) -> None:
        """Count the answer; `chunks` are the texts that the answer was chosen from, best first."""
        is_refused = final_answer.mode is Mode.NOTHING
        if not question.answers:
            self.unanswerable += 1
            self.refused_rightly += is_refused
            return
        self.answerable += 1
        self.refused_wrongly += is_refused
        if not question.is_scored:
            return
        is_found = any(
            contains_any_answer(text, question.answers) for text in islice(chunks, FIRST_CHUNK_COUNT)
        )
        answer_flags = [
            contains_any_answer(sentence.text, question.answers) for sentence in final_answer.sentences
        ]
        self.scored_questions += 1
        self.found_in_first_chunks += is_found
        self.answered_by_first_sentence += any(answer_flags[:1])
        self.answered_by_first_two += any(answer_flags[:LEADING_SENTENCE_COUNT])
        self.answered_by_any_quote += any(answer_flags)
        self.refused_though_found += is_refused and is_found

    def compute_percentages(self) -> dict[str, float | int]:
        """Return each count as a percentage of the questions that it applies to."""
        return {
            "answerable": self.answerable,
            "unanswerable": self.unanswerable,
            "scored": self.scored_questions,
            "found_in_first_chunks": _compute_percent(self.found_in_first_chunks, self.scored_questions),
            "first_sentence": _compute_percent(self.answered_by_first_sentence, self.scored_questions),
            "first_two_sentences": _compute_percent(self.answered_by_first_two, self.scored_questions),
            "quotes": _compute_percent(self.answered_by_any_quote, self.scored_questions),
            "refused_rightly": _compute_percent(self.refused_rightly, self.unanswerable),
            "refused_wrongly": _compute_percent(self.refused_wrongly, self.answerable),
            "refused_though_found": _compute_percent(self.refused_though_found, self.found_in_first_chunks),
        }


def _compute_percent(count: int, total: int) -> float:
    return round(100 * count / total, 1) if total else 0.0


def contains_any_answer(text: str, answers: Collection[str]) -> bool:
    """Return whether the text contains one of the answers, ignoring case and punctuation.

    In scripts with spaces, only whole words match.
    """
    normalised_text = normalise_name(text)
    for answer in answers:
        normalised_answer = normalise_name(answer)
        if normalised_answer and count_unspaced_characters(normalised_answer):
            if normalised_answer.replace(" ", "") in normalised_text.replace(" ", ""):
                return True
        elif normalised_answer and f" {normalised_answer} " in f" {normalised_text} ":
            return True
    return False


def load_question_sets(question_pack: Mapping[str, Any], set_names: Collection[str]) -> list[QuestionSet]:
    """Return the sets of a pack, or those named in `set_names`. Raises InvalidInput if it is not a pack."""
    try:
        raw_sets = question_pack.get("sets") or [
            {**question_pack, "name": question_pack.get("name", "questions")}
        ]
        question_sets = [
            _build_passage_set(raw_sets, index) if "passages" in raw_set else _build_document_set(raw_set)
            for index, raw_set in enumerate(raw_sets)
        ]
    except (KeyError, TypeError, AttributeError):
        raise InvalidInput(
            "The file is no pack: it needs sets of documents and questions.", code="not_a_pack"
        ) from None
    question_sets = [known_set for known_set in question_sets if not set_names or known_set.name in set_names]
    if not question_sets or not all(
        known_set.documents and known_set.questions for known_set in question_sets
    ):
        raise InvalidInput("The pack has no such set, or one without questions.", code="unknown_set")
    return question_sets


def _build_document_set(raw_set: Mapping[str, Any]) -> QuestionSet:
    """Build a set of documents; questions about documents marked `left_out` should be refused."""
    documents = [document for document in raw_set["documents"] if not document.get("left_out")]
    ids = {document["id"] for document in documents}
    return QuestionSet(
        raw_set["language"] if "language" in raw_set else raw_set["name"],
        tuple(documents),
        tuple(
            KnownQuestion(
                question["id"],
                question["question"],
                tuple(question["answers"]) if question["document"] in ids else (),
            )
            for question in raw_set["questions"]
        ),
    )


def _build_passage_set(raw_sets: list[Mapping[str, Any]], index: int) -> QuestionSet:
    """Build a set of passages. Questions of the next set are added to be refused, if this set lacks their
    passages.
    """
    raw_set, next_raw_set = raw_sets[index], raw_sets[(index + 1) % len(raw_sets)]
    titles = {passage["title"] for passage in raw_set["passages"]}
    title_by_passage = {passage["id"]: passage["title"] for passage in next_raw_set["passages"]}
    questions_of_next_set = [
        question
        for question in next_raw_set["questions"]
        if titles.isdisjoint(title_by_passage.get(gold_id) for gold_id in question["gold"])
    ]
    texts = {passage["id"]: passage["text"] for passage in raw_set["passages"]}
    known_questions = [
        KnownQuestion(
            question["id"],
            question["question"],
            answers := (question["answer"], *question.get("answer_aliases", ())),
            is_scored="comparison" not in question.get("type", "")
            and any(
                contains_any_answer(texts[gold_id], answers)
                for gold_id in question["gold"]
                if gold_id in texts
            ),
        )
        for question in raw_set["questions"]
    ]
    unanswerable_questions = [
        KnownQuestion(f"{question['id']}-strange", question["question"], ())
        for question in questions_of_next_set[
            : UNANSWERABLE_QUESTIONS_ADDED if next_raw_set is not raw_set else 0
        ]
    ]
    return QuestionSet(
        raw_set["name"], tuple(raw_set["passages"]), (*known_questions, *unanswerable_questions)
    )
