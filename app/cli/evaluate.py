"""`citegraph eval`: measure retrieval and answers on questions with known passages or answers."""

import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from app.answers.evaluation import AnswerCounts, KnownQuestion, load_question_sets
from app.answers.shapes import ContextFound, FinalAnswer, Question
from app.cli.context import TERMINAL_ORIGIN, Operator, open_citegraph, start_servers
from app.cli.options import AsJson, make_group
from app.cli.output import print_line, print_note, show_json
from app.cli.processes.children import run_children
from app.cli.progress_bars import show_item_progress
from app.cli.setup import ensure_space, migrate_database
from app.cli.submitting import SubmissionReport, await_jobs, submit_batches
from app.cli.targets.database import DatabaseTarget
from app.documents import service as documents
from app.documents.shapes import Submission
from app.errors import ConfigurationError, InvalidInput
from app.ids import DocumentId, SpaceKey
from app.llm.embedding.local_models import HASHED, MINILM
from app.llm.servers import NO_MODEL
from app.retrieval.evaluation import RANK_LIMITS, compare_recalls, compute_recall_percentages
from app.retrieval.shapes import Query, Strategy
from app.runtime.data_folder import find_data_folder
from app.settings import Settings, read_settings
from app.space_settings import SpaceSettings
from app.tenancy.audit.origin import record_with_origin
from app.tenancy.spaces import service as spaces

EVALUATION_TENANT = "evaluation"
_PAGE_SIZE = 1_000


class Extraction(StrEnum):
    """Where the entities and triples of the graph come from."""

    PACK = "pack"
    OWN = "own"


eval_app = make_group("eval", "Measure quality on questions with known answers.")


@eval_app.command("retrieval")
def evaluate_retrieval(
    pack: Annotated[
        Path,
        typer.Argument(
            help=(
                "Sets of passages, questions and extractions: JSON, optionally gzipped; or a folder that"
                " holds one such file."
            )
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Where to write {question id: [passage ids]} of the first strategy.")
    ] = None,
    strategy: Annotated[
        list[Strategy] | None, typer.Option(help="Strategies to measure; all of them by default.")
    ] = None,
    embedding: Annotated[str, typer.Option(help="hashed, minilm or openai.")] = "hashed",
    extraction: Annotated[
        Extraction,
        typer.Option(help="The pack's own triples, or an ingest here by rules or the configured model."),
    ] = Extraction.PACK,
    only: Annotated[list[str] | None, typer.Option("--set", help="Only the sets with these names.")] = None,
    top_k: Annotated[int, typer.Option(help="Passages to retrieve for each question.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Load a pack through the importer, ask every question and print recall@2/@5/@10 per strategy."""
    question_sets = _read_question_sets(pack, only)
    strategies = strategy or list(Strategy)
    settings = read_settings().model_copy(
        update={"tenant": EVALUATION_TENANT, **get_embedding_settings(embedding)}
    )
    result_rows: list[dict[str, Any]] = []
    ranked_ids_by_question: dict[str, list[str]] = {}
    with connect_evaluation_operator(settings) as operator:
        for question_set in question_sets:
            space_key, skipped_counts = load_question_set_into_space(
                operator, question_set, embedding, extraction
            )
            if skipped_counts:
                reasons_text = ", ".join(f"{code} {count}" for code, count in sorted(skipped_counts.items()))
                print_note(
                    f"Some passages of {question_set['name']} could not be read completely: {reasons_text}."
                )
            gold_ids_by_question = {
                question["id"]: question["gold"] for question in question_set["questions"]
            }
            first_recalls: Any = None
            for index, tried_strategy in enumerate(strategies):
                ranked_ids_of_set, question_seconds = _rank_passages(
                    operator, space_key, question_set["questions"], tried_strategy, top_k
                )
                if index == 0:
                    ranked_ids_by_question |= ranked_ids_of_set
                recalls = compute_recall_percentages(ranked_ids_of_set, gold_ids_by_question)
                row = {
                    "set": question_set["name"],
                    "passages": len(question_set["passages"]),
                    "questions": len(gold_ids_by_question),
                    "strategy": tried_strategy.value,
                    "milliseconds_p50": round(1_000 * float(np.median(question_seconds)), 1),
                    "set_aside": skipped_counts,
                }
                for column, cutoff in enumerate(RANK_LIMITS):
                    row[f"recall@{cutoff}"] = round(float(recalls[:, column].mean()), 1)
                if first_recalls is not None:
                    comparison = compare_recalls(recalls[:, 1], first_recalls[:, 1])
                    row[f"{strategies[0].value}_ahead@5"] = [
                        round(comparison.mean, 1),
                        round(comparison.lower_bound, 1),
                        round(comparison.upper_bound, 1),
                    ]  # fmt: skip
                first_recalls = recalls if first_recalls is None else first_recalls
                result_rows.append(row)
                if not as_json:
                    _show_recall(row, strategies[0])
    if out is not None:
        out.write_text(json.dumps(ranked_ids_by_question), "utf-8")
    if as_json:
        show_json(result_rows)


@eval_app.command("answers")
def evaluate_answers(
    pack: Annotated[
        Path,
        typer.Argument(
            help="Sets of documents or passages with questions and their answers: JSON, optionally gzipped."
        ),
    ],
    embedding: Annotated[str, typer.Option(help="hashed, minilm or openai.")] = "hashed",
    only: Annotated[list[str] | None, typer.Option("--set", help="Only the sets with these names.")] = None,
    limit: Annotated[int | None, typer.Option(help="Maximum number of questions of each set.")] = None,
    show: Annotated[bool, typer.Option(help="Print each question that was answered wrongly.")] = False,
    as_json: AsJson = False,
) -> None:
    """Load a pack, ask every question without a model and print how many answers hold the known one."""
    try:
        question_sets = load_question_sets(read_json_or_gzipped_json(pack), only or ())
    except OSError as error:
        raise InvalidInput(f"{pack} cannot be read: {error.strerror}.", code="unreadable_pack") from None
    except (ValueError, EOFError):
        raise InvalidInput(f"{pack} is not JSON.", code="not_a_pack") from None
    settings = read_settings().model_copy(
        update={"tenant": EVALUATION_TENANT, "llm_model": NO_MODEL, **get_embedding_settings(embedding)}
    )
    result_rows = []
    with connect_evaluation_operator(settings) as operator:
        for question_set in question_sets:
            name = f"{pack.name.split('.')[0]}-{question_set.name}"
            space_key, _ = load_question_set_into_space(
                operator, {"name": name, "passages": question_set.documents}, embedding, Extraction.OWN
            )
            answer_counts = AnswerCounts()
            asked_questions = question_set.questions[:limit]
            for question in show_item_progress(asked_questions, "asked", len(asked_questions)):
                answered_event, chunks, seconds = _ask_and_measure(operator, space_key, question)
                answer_counts.milliseconds.append(1_000 * seconds)
                answer_counts.add_answer_to_counts(question, answered_event, chunks)
                if show:
                    _show_question_if_answered_wrongly(question, answered_event)
            row = {
                "set": name,
                "documents": len(question_set.documents),
                **answer_counts.compute_percentages(),
                "milliseconds_p50": round(float(np.median(answer_counts.milliseconds)), 1),
            }
            result_rows.append(row)
            if not as_json:
                show_answer_scores(row)
    if as_json:
        show_json(result_rows)


@contextmanager
def connect_evaluation_operator(settings: Settings) -> Iterator[Operator]:
    """Yield an operator of the tenant that packs are loaded into, on a migrated database."""
    with ExitStack() as stack:
        ready_settings = stack.enter_context(start_servers(settings))
        migrate_database(ready_settings)
        operator = Operator(stack.enter_context(open_citegraph(ready_settings)), EVALUATION_TENANT)
        stack.enter_context(record_with_origin(TERMINAL_ORIGIN))
        yield operator


class _MeasuredAnswer(NamedTuple):
    """An answer, the texts of the passages retrieved for it, and the seconds taken after retrieval."""

    answer: FinalAnswer
    passage_texts: list[str]
    seconds: float


def _ask_and_measure(operator: Operator, space_key: SpaceKey, question: KnownQuestion) -> _MeasuredAnswer:
    passage_texts: list[str] = []
    started_at = time.perf_counter()
    for event in operator.citegraph.answerer.ask(*space_key, Question(question.text)):
        if isinstance(event, ContextFound):
            passage_texts = [passage.text for passage in event.retrieval.passages]
            started_at = time.perf_counter()
    assert isinstance(event, FinalAnswer)
    return _MeasuredAnswer(event, passage_texts, time.perf_counter() - started_at)


def _show_question_if_answered_wrongly(question: KnownQuestion, answered_event: FinalAnswer) -> None:
    first_sentence = answered_event.sentences[0].text if answered_event.sentences else "(refused)"
    if question.answers:
        answer_counts = AnswerCounts()
        answer_counts.add_answer_to_counts(question, answered_event, ())
        if answer_counts.answered_by_first_sentence or not question.is_scored:
            return
    elif not answered_event.sentences:
        return
    print_line(f"- {question.text} | {' / '.join(question.answers) or '(none)'} | {first_sentence}")


def show_answer_scores(row: dict[str, Any]) -> None:
    print_line(
        f"{row['set']:<24} first {row['first_sentence']:5.1f}  two {row['first_two_sentences']:5.1f}  "
        f"quotes {row['quotes']:5.1f}  refused rightly {row['refused_rightly']:5.1f}  "
        f"wrongly {row['refused_wrongly']:5.1f}  though found {row['refused_though_found']:5.1f}  "
        f"found {row['found_in_first_chunks']:5.1f} of {row['scored']}  {row['milliseconds_p50']:.1f} ms"
    )


def _read_question_sets(pack: Path, set_names: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return the sets of the pack. Raises InvalidInput if the file is not a pack."""
    try:
        pack_content = _read_single_pack_of_folder(pack) if pack.is_dir() else read_json_or_gzipped_json(pack)
        question_sets = [
            candidate_set
            for candidate_set in pack_content["sets"]
            if not set_names or candidate_set["name"] in set_names
        ]
        for question_set in question_sets:
            if not (
                question_set["passages"]
                and question_set["questions"]
                and isinstance(question_set["name"], str)
            ):
                raise ValueError
            for question in question_set["questions"]:
                if not (question["id"] and question["question"] and question["gold"]):
                    raise ValueError
    except OSError as error:
        raise InvalidInput(f"{pack} cannot be read: {error.strerror}.", code="unreadable_pack") from None
    except (ValueError, KeyError, TypeError, EOFError):
        raise InvalidInput(
            f"{pack} is not a pack: it needs sets with a name, passages and questions.", code="not_a_pack"
        ) from None
    if not question_sets:
        raise InvalidInput(f"{pack} has no such set.", code="unknown_set")
    return question_sets


def read_json_or_gzipped_json(path: Path) -> Any:
    file_bytes = path.read_bytes()
    return json.loads(gzip.decompress(file_bytes) if file_bytes[:2] == b"\x1f\x8b" else file_bytes)


def _read_single_pack_of_folder(folder: Path) -> Any:
    """Return the content of the only pack in the folder. Raises InvalidInput unless there is exactly one."""
    packs_by_name = {}
    for path in sorted((*folder.glob("*.json"), *folder.glob("*.json.gz"))):
        with suppress(ValueError, EOFError, OSError):
            file_content = read_json_or_gzipped_json(path)
            if isinstance(file_content, dict) and "sets" in file_content:
                packs_by_name[path.name] = file_content
    if len(packs_by_name) != 1:
        pack_names = ", ".join(packs_by_name) or "none"
        raise InvalidInput(f"{folder} must hold exactly one pack; it holds: {pack_names}.", code="not_a_pack")
    return next(iter(packs_by_name.values()))


def get_embedding_settings(embedding_name: str) -> dict[str, Any]:
    """Return the settings for an embedding name. Raises ConfigurationError, InvalidInput."""
    if embedding_name == "openai":
        if read_settings().embedding_model is None:
            raise ConfigurationError("--embedding openai needs CITEGRAPH_EMBEDDING_MODEL.")
        return {}
    model_names = {"hashed": HASHED.name, "minilm": MINILM.name}
    if embedding_name not in model_names:
        raise InvalidInput("--embedding must be hashed, minilm or openai.", code="unknown_embedding")
    return {"embedding_model": model_names[embedding_name]}


class LoadedQuestionSet(NamedTuple):
    """The space of a question set, and the number of ingest errors by code."""

    space_key: SpaceKey
    error_counts: dict[str, int]


def load_question_set_into_space(
    operator: Operator, question_set: dict[str, Any], embedding: str, extraction_source: Extraction
) -> LoadedQuestionSet:
    """Load the set into a space of its own; return the space and the number of ingest errors by code.

    Loading an unchanged set again reads nothing.
    """
    uses_own_extraction = extraction_source is Extraction.OWN
    name = f"{question_set['name']}-{embedding}" + ("-own" if uses_own_extraction else "")
    space_key = ensure_space(operator, name, description="Loaded by `citegraph eval retrieval`.")
    # Reports and summaries are written when the graph comes to rest and would differ between runs.
    settings = SpaceSettings(open_relations=not uses_own_extraction, communities=False, summaries=False)
    with operator.citegraph.database.open_tenant(space_key[0]) as tenant:
        spaces.update_space_row(tenant, space_key[1], settings=settings, actor="cli")
    extraction = question_set.get("extraction", {})
    log_path = find_data_folder(operator.settings.home) / "logs" / "eval-worker.log"
    submission_report = SubmissionReport()
    with run_children(operator.settings, ("worker", log_path)) as (worker,):
        submissions = (
            (
                _build_text_submission(passage)
                if uses_own_extraction
                else _build_extraction_submission(
                    passage, extraction.get(passage["id"], {}), f"pack-{question_set['name']}"
                )
            )
            for passage in question_set["passages"]
        )
        target = DatabaseTarget(operator.citegraph, space_key, by_model=uses_own_extraction)
        submit_batches(target, submissions, submission_report)
        job_outcomes = await_jobs(target, submission_report, check=worker.require_running)
    if not job_outcomes.is_finished:
        raise ConfigurationError(
            f"Not every passage of {question_set['name']} could be read; see {log_path}."
        )
    return LoadedQuestionSet(space_key, dict(Counter(error["code"] for error in job_outcomes.set_aside)))


def _build_text_submission(passage: dict[str, Any]) -> Submission:
    text = passage["text"].encode()
    return Submission(text, passage.get("format", "text"), passage["title"], source_uri=passage["id"])


def _build_extraction_submission(
    passage: dict[str, Any], extraction: dict[str, Any], extractor: str
) -> Submission:
    """Return the passage with its entities and triples in the format of docs/importing.md."""
    chunk = {
        "text": f"{passage['title']}\n{passage['text']}",
        "entities": extraction.get("entities", []),
        "triples": extraction.get("triples", []),
    }
    document = {"title": passage["title"], "extractor": extractor, "chunks": [chunk]}
    return Submission(json.dumps(document).encode(), "extraction", "", source_uri=passage["id"])


class _RankedPassages(NamedTuple):
    """The passages of each question by rank, and how long each question took."""

    ranked_ids_by_question: dict[str, list[str]]
    seconds_by_question: list[float]


def _rank_passages(
    operator: Operator,
    space_key: SpaceKey,
    questions: Sequence[dict[str, Any]],
    strategy: Strategy,
    top_k: int,
) -> _RankedPassages:
    """Return the ranked passage ids by question id, and the seconds that each question took."""
    address_by_document = _map_addresses_of_documents(operator, space_key)
    passage_ids_by_question, question_seconds = {}, []
    for question in show_item_progress(questions, f"asked by {strategy}", len(questions)):
        started_at = time.perf_counter()
        query = Query(question["question"], strategy=strategy, top_k=top_k)
        ranking = operator.citegraph.retriever.retrieve_without_recording_recalls(*space_key, query)
        question_seconds.append(time.perf_counter() - started_at)
        passage_ids_by_question[question["id"]] = [
            address_by_document[passage.document_id] for passage in ranking.passages
        ]
    return _RankedPassages(passage_ids_by_question, question_seconds)


def _map_addresses_of_documents(operator: Operator, space_key: SpaceKey) -> dict[DocumentId, str]:
    address_by_document: dict[DocumentId, str] = {}
    last_id = None
    with operator.citegraph.database.open_space(*space_key) as space:
        while page := documents.list_documents(space, after=last_id, limit=_PAGE_SIZE):
            address_by_document |= {DocumentId(document.id): str(document.source_uri) for document in page}
            last_id = page[-1].id
    return address_by_document


def _show_recall(row: dict[str, Any], first_strategy: Strategy) -> None:
    recalls_text = "  ".join(f"R@{cutoff} {row[f'recall@{cutoff}']:5.1f}" for cutoff in RANK_LIMITS)
    line = f"{row['set']:<12}{row['strategy']:<16}{recalls_text}   {row['milliseconds_p50']:6.1f} ms"
    lead = row.get(f"{first_strategy.value}_ahead@5")
    if lead is not None:
        mean, lower_bound, upper_bound = lead
        line += f"   {first_strategy.value} ahead by {mean:+.1f} [{lower_bound:+.1f}, {upper_bound:+.1f}]"
    print_line(line)
