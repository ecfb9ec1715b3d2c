"""Commands about golden questions: add them from a file, run them, compare runs, check a change."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from app.answers.golden import service as golden
from app.answers.golden.scoring import compare_runs
from app.cli.context import start_servers_and_connect_operator
from app.cli.filtering import Words, filter_rows
from app.cli.job_requests import Wait, request_job
from app.cli.options import AsJson, Limit, Space, Tenant, make_group, parse_id
from app.cli.output import format_one_line, print_line, print_note, show_json, show_pairs, show_table
from app.cli.space_settings import parse_assignments
from app.errors import InvalidInput
from app.ids import GoldenQuestionId, JobId
from app.number_words import pluralise
from app.views.golden import GoldenOutcomeAnswer, GoldenQuestionAnswer, GoldenRunAnswer, build_golden_report

golden_app = make_group(
    "golden", "Test a space's answers with its own questions, and check changes with them."
)
Assignments = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SETTING=VALUE]...", help="Settings to change in this run."),
]


@golden_app.command("add")
def add_questions(
    file: Annotated[
        Path,
        typer.Argument(
            help=(
                "JSON: a list of {question, answers, sources}, or one such object a line; a question without"
                " answers and sources must be refused."
            )
        ),
    ],
    space: Space,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Add golden questions from a file; an existing question gets the new expected result."""
    entries = _read_questions(file)
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        added_count, changed_count = golden.add_or_replace_questions(session, entries)
    if as_json:
        show_json({"added": added_count, "changed": changed_count})
    else:
        print_line(f"{pluralise(added_count, 'question')} added, {changed_count:,} changed.")


def _read_questions(file: Path) -> list[dict[str, Any]]:
    try:
        text = file.read_text("utf-8-sig").strip()
        # Split at line feeds only: JSON text may contain other Unicode line separators.
        lines = filter(str.strip, text.split("\n"))
        entries = json.loads(text) if text.startswith("[") else [json.loads(line) for line in lines]
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.", code="bad_golden_question") from None
    except (ValueError, RecursionError):
        raise InvalidInput(f"{file} is neither JSON nor JSON lines.", code="bad_golden_question") from None
    if not entries or not all(isinstance(entry, dict) for entry in entries):
        raise InvalidInput(f"{file} holds no questions.", code="bad_golden_question")
    return entries


@golden_app.command("list")
def list_questions(
    space: Space, words: Words = None, limit: Limit = 100, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """List the golden questions of a space, oldest first."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        questions = golden.list_questions(session)
    matches = filter_rows(
        words, limit, questions, lambda question: (question.question, *question.answers, *question.sources)
    )
    rows = [GoldenQuestionAnswer.model_validate(question) for question in matches]
    if as_json:
        show_json(rows)
        return
    show_table(
        ["QUESTION", "ANSWERS", "SOURCES", "ID"],
        (
            [
                format_one_line(row.question),
                "(to be refused)" if row.expects_refusal else format_one_line(" / ".join(row.answers)),
                format_one_line(" / ".join(row.sources)),
                row.id,
            ]
            for row in rows
        ),
        empty_message="No golden questions.",
    )


@golden_app.command("remove")
def remove_question(
    question: Annotated[str, typer.Argument(help="Its id, as `citegraph golden list` shows it.")],
    space: Space,
    tenant: Tenant = None,
) -> None:
    """Remove a golden question and its outcomes in all runs."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        golden.remove_question(session, GoldenQuestionId(parse_id(question, "golden question")))
    print_line("Removed.")


@golden_app.command("run")
def begin_run(
    space: Space,
    assignments: Assignments = None,
    wait: Wait = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Let a worker ask all golden questions, with the space's settings or changed ones."""
    setting_changes = parse_assignments(assignments or [])
    with start_servers_and_connect_operator(tenant) as operator:
        request_job(
            operator,
            space,
            lambda session: golden.queue_golden_run(session, setting_changes),
            wait=wait,
            as_json=as_json,
            describe_counts=lambda counts: (
                f"{counts.get('passed', 0):,} of {pluralise(counts.get('questions', 0), 'question')} passed."
                " `citegraph golden runs` has its id."
            ),
        )


@golden_app.command("runs")
def list_runs(
    space: Space, words: Words = None, limit: Limit = 100, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """List the runs of a space's golden questions with their results, newest first."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        runs = golden.list_newest_golden_runs(session)
    matches = filter_rows(
        words, limit, runs, lambda golden_run: (golden_run.state, golden_run.settings, golden_run.id)
    )
    rows = [GoldenRunAnswer.model_validate(golden_run) for golden_run in matches]
    if as_json:
        show_json(rows)
        return
    show_table(
        ["BEGUN", "STATE", "SETTINGS", "QUESTIONS#", "PASSED#", "REFUSED#", "FAILED#", "ID"],
        (
            [
                f"{row.created_at:%Y-%m-%d %H:%M}",
                row.state,
                json.dumps(row.settings) if row.settings else "the space's own",
                *(row.counts.get(name, "") for name in ("questions", "passed", "refused", "failed")),
                row.id,
            ]
            for row in rows
        ),
        empty_message="No runs.",
    )


@golden_app.command("show")
def show_run(
    run_id: Annotated[
        str, typer.Argument(metavar="RUN", help="Its id, as `citegraph golden runs` shows it.")
    ],
    space: Space,
    against: Annotated[
        str | None, typer.Option(help="Run to compare with; by default the previous one.")
    ] = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show a run question by question, and which answers are better or worse than in another run."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        against_id = None if against is None else JobId(parse_id(against, "golden run"))
        run_report = golden.build_run_report(session, JobId(parse_id(run_id, "golden run")), against_id)
    report_answer = build_golden_report(run_report)
    if as_json:
        show_json(report_answer)
        return
    show_pairs(
        [
            ("state", run_report.golden_run.state),
            ("passed", f"{report_answer.passed:,} of {report_answer.questions:,}"),
            ("compared with", report_answer.against.id if report_answer.against else "nothing"),
            ("worse, better", f"{report_answer.worse:,}, {report_answer.better:,}"),
            ("seconds", f"{report_answer.seconds:.1f}"),
            ("cost", f"${report_answer.cost_usd:.4f}"),
        ]
    )
    print_line()
    show_table(
        ["PASSED", "REPLY", "MISSED", "CHANGE", "QUESTION"],
        (
            [
                "yes" if outcome.passed else "no",
                outcome.reply,
                _list_missing_parts(outcome),
                "" if outcome.change == "same" else outcome.change,
                format_one_line(outcome.question),
            ]
            for outcome in report_answer.outcomes
        ),
        empty_message="Nothing has been asked yet.",
    )


def _list_missing_parts(outcome: GoldenOutcomeAnswer) -> str:
    """Return which parts of the expected result are missing: the answer, the source."""
    met_by_part = {"answer": outcome.answer_matched, "source": outcome.source_cited}
    return ", ".join(name for name, is_met in met_by_part.items() if is_met is False)


@golden_app.command("check")
def compare_golden_answers_in_this_process(
    space: Space,
    assignments: Assignments = None,
    force: Annotated[bool, typer.Option("--force", help="Exit with 0 in any case.")] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Ask all golden questions in this process, with its settings (another model, another version), and
    compare with the newest finished run; exits with 1 if an answer is worse, or if it is not passed and the
    question was not asked in that run.
    """
    setting_changes = parse_assignments(assignments or [])
    with start_servers_and_connect_operator(tenant) as operator:
        space_key = operator.find_space(space)
        database = operator.citegraph.database
        with database.open_space(*space_key) as session:
            questions = golden.list_questions(session)
            tried_settings = golden.resolve_effective_values_of_changes(session, setting_changes)
            outcomes_before = golden.list_outcomes_of_newest_finished_run(session)
        outcomes = list(
            operator.citegraph.golden_asker.ask_questions_with_changed_settings(
                *space_key, questions, tried_settings
            )
        )
    comparison = compare_runs(outcomes_before, outcomes)
    worse_questions, better_questions = (
        [question.question for question in questions if question.id in set(question_ids)]
        for question_ids in (comparison.worse_question_ids, comparison.better_question_ids)
    )
    compared_ids = {outcome.question_id for outcome in outcomes_before}
    failed_ids = {outcome.question_id for outcome in outcomes if not outcome.passed} - compared_ids
    failed_questions = [question.question for question in questions if question.id in failed_ids]
    passed_count = sum(outcome.passed for outcome in outcomes)
    if as_json:
        show_json(
            {
                "questions": len(outcomes),
                "passed": passed_count,
                "worse": worse_questions,
                "better": better_questions,
                "failed_without_comparison": failed_questions,
            }
        )
    else:
        print_line(f"{passed_count:,} of {pluralise(len(outcomes), 'question')} passed.")
        if not outcomes_before:
            print_note("There is no run to compare with: `citegraph golden run` stores one.")
        for heading, listed_questions in (
            ("Worse", worse_questions),
            ("Not passed, and not asked before", failed_questions),
            ("Better", better_questions),
        ):
            for question in listed_questions:
                print_line(f"{heading}: {format_one_line(question)}")
    if (worse_questions or failed_questions) and not force:
        raise typer.Exit(1)
