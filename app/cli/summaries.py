"""Commands about summaries of nodes: list, show, refresh, and replay the decisions of their gate."""

from datetime import timedelta
from typing import Annotated, Any

import typer
from rich.text import Text

from app.cli.context import start_servers_and_connect_operator
from app.cli.explanation import show_heading
from app.cli.filtering import Words, filter_pages
from app.cli.graph import find_node
from app.cli.job_requests import Wait, request_job
from app.cli.options import AsJson, Limit, Space, Tenant, make_group
from app.cli.output import print_indented, print_line, show_json, show_table
from app.derived.summaries import scheduling
from app.derived.summaries import service as summaries
from app.derived.summaries.gate import GateCounters
from app.derived.summaries.gate_settings import GateSettings
from app.derived.summaries.history import ReplayResult
from app.number_words import format_percent, pluralise
from app.views.summaries import GateReportAnswer, WaitingSummaryAnswer

summary_app = make_group("summaries", "Summaries of nodes: list, show, refresh, and what their gate decides.")
_MINUTE_FORMAT = "%Y-%m-%d %H:%M"


@summary_app.command("list")
def list_summaries(
    space: Space, words: Words = None, limit: Limit = 30, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """List summaries, those of the most mentioned nodes first."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        matches = filter_pages(
            words,
            limit,
            lambda last_row, limit: summaries.list_summaries(
                session,
                after=None if last_row is None else (last_row.mention_count, last_row.node_id),
                limit=limit,
            ),
            lambda row: (row.canonical_name, row.node_type, row.summary.text, row.summary.written_by),
        )
    if as_json:
        show_json([WaitingSummaryAnswer.from_node_summary(node_summary) for node_summary in matches])
        return
    show_table(
        ["NODE", "TYPE", "SUMMARY", "BY", "WRITTEN", "REFRESHED#", "SKIPPED#"],
        (
            [
                node_summary.canonical_name,
                node_summary.node_type,
                node_summary.summary.text,
                node_summary.summary.written_by,
                f"{node_summary.at:{_MINUTE_FORMAT}}",
                node_summary.refreshed,
                node_summary.skipped,
            ]
            for node_summary in matches
        ),
        empty_message="No summaries yet: `citegraph summaries refresh` writes them.",
    )


@summary_app.command("show")
def show_summary(
    node: Annotated[str, typer.Argument(help="Name, alias or id of the node.")],
    space: Space,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show a node's summary, the edges that it cites and the gate's last decision."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        summary = summaries.get_summary(session, find_node(session, node).id)
    if as_json:
        show_json(WaitingSummaryAnswer.from_node_summary(summary))
        return
    show_heading(f"{summary.canonical_name} ({summary.node_type})")
    for citation in summary.summary.citations:
        print_indented(Text(summary.summary.text[citation.char_start : citation.char_end]), 2)
        print_indented(Text(" ".join(str(edge) for edge in citation.edge_ids), "dim"), 4)
    print_line()
    refreshed_times, skipped_times = pluralise(summary.refreshed, "time"), pluralise(summary.skipped, "time")
    print_line(
        f"Written by {summary.summary.written_by}, {summary.at:{_MINUTE_FORMAT}}; {refreshed_times} so far."
    )
    print_line(
        f"Checked {summary.checked_at:{_MINUTE_FORMAT}}: {summary.last_reason}; skipped {skipped_times}."
    )
    if summary.due_at is not None:
        print_line(f"New facts wait for the end of a burst, {summary.due_at:{_MINUTE_FORMAT}}.")


@summary_app.command("refresh")
def enqueue_gate_run_on_all_nodes(
    space: Space,
    wait: Wait = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Have a worker evaluate the gate for every node now; unchanged nodes cost nothing."""
    with start_servers_and_connect_operator(tenant) as operator:
        request_job(
            operator,
            space,
            scheduling.enqueue_or_hasten_gate_evaluation_of_all_nodes,
            wait=wait,
            as_json=as_json,
            describe_counts=lambda counts: (
                f"{pluralise(counts.get('refreshed', 0), 'summary', 'summaries')} written,"
                f" {counts.get('skipped', 0):,} skipped."
            ),
        )


@summary_app.command("gate")
def show_gate_report(space: Space, limit: Limit = 20, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Show the gate's decisions so far, by reason, and a sample of those that skipped a node."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        report = summaries.build_gate_report(session, max_skips=limit)
    if as_json:
        show_json(GateReportAnswer.model_validate(report))
        return
    show_table(
        ["REASON", "DECISION", "TIMES#", "LAST"],
        (
            [
                reason_count.reason,
                "refreshed" if reason_count.refreshed else "skipped",
                reason_count.decisions,
                f"{reason_count.last_at:{_MINUTE_FORMAT}}",
            ]
            for reason_count in report.counts
        ),
        empty_message="The gate has decided nothing yet.",
    )
    if report.counts:
        print_line(f"{format_percent(report.skipped_share)} of decisions left the summary as it was.")
    if report.skips:
        show_heading("SKIPPED, ONE IN FIFTY")
        show_table(
            ["NODE", "WHEN", "WHY", "DRIFT#", "NEW FACTS"],
            (
                [
                    skipped_node.canonical_name,
                    f"{skipped_node.at:{_MINUTE_FORMAT}}",
                    skipped_node.reason,
                    f"{skipped_node.drift:.5f}",
                    "; ".join(skipped_node.new_facts),
                ]
                for skipped_node in report.skips
            ),
        )


@summary_app.command("replay")
def replay_gate_decisions(
    space: Space,
    node: Annotated[str | None, typer.Option("--node", help="Only this node, by name, alias or id.")] = None,
    drift_threshold: Annotated[
        float | None, typer.Option(min=0, max=2, help="Drift threshold to try.")
    ] = None,
    burst_window: Annotated[
        float | None, typer.Option(min=0, help="Burst window to try, in seconds.")
    ] = None,
    burst_episodes: Annotated[
        int | None, typer.Option(min=2, help="Number of episodes that make a burst, to try.")
    ] = None,
    burst_cap: Annotated[int | None, typer.Option(min=1, help="Burst cap to try.")] = None,
    staleness_limit: Annotated[
        float | None, typer.Option(min=0, help="Staleness limit to try, in days.")
    ] = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Replay the gate's stored decisions with other settings, and compare the results."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_space(space) as session:
        gate_settings = scheduling.get_gate_settings_of_space(session)
        settings = GateSettings(
            gate_settings.drift_threshold if drift_threshold is None else drift_threshold,
            gate_settings.burst_window if burst_window is None else timedelta(seconds=burst_window),
            burst_episodes or gate_settings.burst_episodes,
            burst_cap or gate_settings.burst_cap,
            gate_settings.staleness_limit if staleness_limit is None else timedelta(days=staleness_limit),
        )
        node_id = None if node is None else find_node(session, node).id
        gate_replay = summaries.replay_gate(session, settings, node_id=node_id)
    if as_json:
        show_json(_dump_gate_replay(gate_replay))
        return
    rows = []
    for decision, stored_counts, replayed_counts in (
        ("refreshed", gate_replay.original_counters.refreshed, gate_replay.replayed_counters.refreshed),
        ("skipped", gate_replay.original_counters.skipped, gate_replay.replayed_counters.skipped),
    ):
        rows += [
            [reason.value, decision, stored_counts[reason], replayed_counts[reason]]
            for reason in sorted({*stored_counts, *replayed_counts})
        ]
    show_table(["REASON", "DECISION", "THEN#", "AGAIN#"], rows, empty_message="No history is stored yet.")
    if rows:
        print_line(
            f"{pluralise(gate_replay.node_count, 'node')};"
            f" {format_percent(gate_replay.original_counters.skipped_share)} skipped then,"
            f" {format_percent(gate_replay.replayed_counters.skipped_share)} now; they differ in "
            f"{pluralise(gate_replay.difference_counts.total(), 'decision')}."
        )


def _dump_gate_replay(gate_replay: ReplayResult) -> dict[str, Any]:
    def _dump_counters(counters: GateCounters) -> dict[str, Any]:
        return {
            "refreshed": {reason.value: count for reason, count in sorted(counters.refreshed.items())},
            "skipped": {reason.value: count for reason, count in sorted(counters.skipped.items())},
            "skipped_share": counters.skipped_share,
        }

    return {
        "nodes": gate_replay.node_count,
        "then": _dump_counters(gate_replay.original_counters),
        "now": _dump_counters(gate_replay.replayed_counters),
        "differing": [
            {"then": stored_reason.value, "now": replayed_reason.value, "decisions": count}
            for (stored_reason, replayed_reason), count in sorted(gate_replay.difference_counts.items())
        ],
    }
