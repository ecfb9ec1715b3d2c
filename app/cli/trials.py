"""Commands about trials: begin one, compare it with the graph, promote or drop it."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from app.answers.golden import promotion as promotions
from app.cli.context import ACTOR, start_servers_and_connect_operator
from app.cli.filtering import Words, filter_rows
from app.cli.job_requests import Wait, request_job
from app.cli.options import AsJson, Limit, Space, Tenant, make_group, parse_id
from app.cli.output import format_one_line, print_line, print_note, show_json, show_pairs, show_table
from app.cli.space_settings import parse_assignments
from app.ids import JobId
from app.ingest.trials import service as trials
from app.limits import TRIAL_CHUNKS
from app.number_words import pluralise
from app.views.trials import TrialAnswer, TrialClaimAnswer, build_trial_report

trial_app = make_group(
    "trials", "Read a sample with another model or settings, without changing the graph; promote or drop it."
)
TrialArgument = Annotated[str, typer.Argument(help="Its id, as `citegraph trials list` shows it.")]
_MAX_LISTED_CLAIMS = 10


@trial_app.command("begin")
def begin_trial(
    space: Space,
    assignments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SETTING=VALUE]...", help="Settings to change in the trial."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="One of CITEGRAPH_LLM_MODELS, or rules; by default the space's own.")
    ] = None,
    chunks: Annotated[int, typer.Option(min=1, max=TRIAL_CHUNKS.maximum, help="Chunks in the sample.")] = 50,
    wait: Wait = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Have a worker read a sample of chunks with another model or settings, without changing the graph."""
    setting_changes = parse_assignments(assignments or [])
    with start_servers_and_connect_operator(tenant) as operator:
        request_job(
            operator,
            space,
            lambda session: trials.queue_extraction_trial(
                session, operator.settings, model=model, changes=setting_changes, chunk_count=chunks
            ),
            wait=wait,
            as_json=as_json,
            describe_counts=lambda counts: (
                f"{pluralise(counts.get('chunks', 0), 'chunk')}, {counts.get('same', 0):,} claims the same,"
                f" {counts.get('added', 0):,} added, {counts.get('lost', 0):,} lost,"
                f" {counts.get('retyped', 0):,} retyped. `citegraph trials list` has its id."
            ),
        )


@trial_app.command("list")
def list_trials(
    space: Space, words: Words = None, limit: Limit = 50, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """List the trials of the space, newest first."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        all_trials = trials.list_trials(session)
    matches = filter_rows(
        words,
        limit,
        all_trials,
        lambda trial: (trial.state, trial.model or "", _format_settings(trial.settings), trial.id),
    )
    rows = [TrialAnswer.model_validate(trial) for trial in matches]
    if as_json:
        show_json(rows)
        return
    show_table(
        ["STATE", "MODEL", "SETTINGS", "ADDED#", "LOST#", "RETYPED#", "COST", "ID"],
        (
            [
                row.state,
                row.model or "the space's own",
                _format_settings(row.settings),
                *(row.counts.get(name, "") for name in ("added", "lost", "retyped")),
                f"${row.cost_usd:.4f}",
                row.id,
            ]
            for row in rows
        ),
        empty_message="No trials.",
    )


@trial_app.command("show")
def show_trial(trial: TrialArgument, space: Space, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Compare a trial with the graph of the same chunks."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        report = build_trial_report(trials.build_trial_report(session, JobId(parse_id(trial, "trial"))))
    if as_json:
        show_json(report)
        return
    trial_answer = report.trial
    show_pairs(
        [
            ("state", trial_answer.state),
            ("model", trial_answer.model or "the space's own"),
            ("settings", _format_settings(trial_answer.settings)),
            ("chunks", report.chunks),
            ("not read", ", ".join(f"{count} {code}" for code, count in report.failures.items()) or 0),
            ("read before by", ", ".join(f"{name} ({count})" for name, count in report.read_by.items())),
            ("seconds", f"{report.seconds:.2f} ({report.seconds_per_chunk:.3f} a chunk)"),
            (
                "tokens",
                f"{trial_answer.prompt_tokens:,} read, {trial_answer.completion_tokens:,} written",
            ),
            ("cost", f"${trial_answer.cost_usd:.4f} (${report.cost_usd_per_chunk:.6f} a chunk)"),
        ]
    )
    print_line()
    columns = ["relation_type", "in_graph", "in_trial", "same", "added", "lost", "retyped"]
    show_table(
        ["RELATION", "GRAPH#", "TRIAL#", "SAME#", "ADDED#", "LOST#", "RETYPED#"],
        ([getattr(row, name) for name in columns] for row in report.by_relation),
        empty_message="No claims on either side.",
    )
    for heading, claims, count in (
        ("Added", report.added_claims, report.added),
        ("Lost", report.lost_claims, report.lost),
    ):
        _show_first_claims(heading, [_format_claim(claim) for claim in claims], count)
    _show_first_claims(
        "Retyped",
        [
            _format_claim(retyped_claim.graph_claim, with_quote=False)
            + "  ->  "
            + _format_claim(retyped_claim.trial_claim)
            for retyped_claim in report.retyped_claims
        ],
        report.retyped,
    )


@trial_app.command("promote")
def promote_trial(
    trial: TrialArgument,
    space: Space,
    reread: Annotated[
        bool,
        typer.Option(
            "--reread/--no-reread",
            help="Start a job that reads documents again if another model or prompt read them.",
        ),
    ] = True,
    force: Annotated[
        bool, typer.Option("--force", help="Skip the gate of the golden questions (golden_gate).")
    ] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Set the trial's model and settings for the space, and start a job that reads its documents again.

    With golden_gate, the job undoes this if a golden question is answered worse.
    """
    with start_servers_and_connect_operator(tenant) as operator:
        promotion = promotions.promote_trial(
            operator.citegraph.database,
            *operator.find_space(space),
            JobId(parse_id(trial, "trial")),
            settings=operator.settings,
            actor=ACTOR,
            reread=reread,
            is_forced=force,
        )
    if as_json:
        show_json({"settings": promotion.settings, "job_id": promotion.job_id, "gated": promotion.is_gated})
        return
    if promotion.is_gated:
        print_line(
            f"The space will read with {_format_settings(promotion.settings)} once the golden questions are"
            " answered no worse from the documents that they need."
        )
    else:
        print_line(f"The space now reads with {_format_settings(promotion.settings)}.")
    if promotion.job_id is not None:
        print_line(f"Job {promotion.job_id} reads the documents again.")


@trial_app.command("drop")
def drop_trial(trial: TrialArgument, space: Space, tenant: Tenant = None) -> None:
    """Remove a trial and its results; a running one is cancelled."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        trials.delete_trial(session, JobId(parse_id(trial, "trial")))
    print_line("Dropped.")


def _format_settings(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in changes.items()) or "as they are"


def _format_claim(claim: TrialClaimAnswer, *, with_quote: bool = True) -> str:
    negation = "not " if claim.polarity == "denied" else ""
    sentence = f"{claim.from_name} {negation}{claim.relation_type} {claim.to_name}"
    return f"{sentence}: “{format_one_line(claim.quote)}”" if with_quote else sentence


def _show_first_claims(heading: str, lines: list[str], count: int) -> None:
    if not lines:
        return
    print_line()
    print_line(f"{heading}:")
    for line in lines[:_MAX_LISTED_CLAIMS]:
        print_line(f"  {line}")
    if count > _MAX_LISTED_CLAIMS:
        print_note(f"  and {count - _MAX_LISTED_CLAIMS:,} more: --json lists up to 200.")
