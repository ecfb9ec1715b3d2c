"""The command `evict`: show what a space's eviction policy would remove, or have it removed."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from app.cli.context import start_servers_and_connect_operator
from app.cli.job_requests import Wait, request_job
from app.cli.options import AsJson, Space, Tenant
from app.cli.output import format_one_line, print_line, print_note, show_json, show_table
from app.derived.eviction import policies, scheduling
from app.derived.eviction.shapes import EvictableChunk, Plan
from app.number_words import pluralise
from app.space_settings import Eviction

_DAY_FORMAT = "%Y-%m-%d"


def evict(
    space: Space,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be removed, with value and reason.")
    ] = False,
    including_last_evidence: Annotated[
        bool | None,
        typer.Option(
            "--including-last-evidence/--sparing-last-evidence",
            help="Whether the last evidence of an edge may be removed; by default the space's setting.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="Maximum number of chunks to list.")] = 100,
    wait: Wait = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Have a worker remove the chunks that the space's policy no longer keeps."""
    with start_servers_and_connect_operator(tenant) as operator:
        if dry_run:
            with operator.open_space(space) as session:
                plan = policies.list_evictable_chunks(
                    session, including_last_evidence=including_last_evidence, limit=limit
                )
            _show_eviction_plan(plan, as_json=as_json)
            return
        request_job(
            operator,
            space,
            lambda session: scheduling.enqueue_eviction_or_run_waiting_now(
                session, including_last_evidence=including_last_evidence
            ),
            wait=wait,
            as_json=as_json,
            describe_counts=lambda counts: (
                f"{pluralise(counts.get('evicted', 0), 'chunk')} removed, with"
                f" {pluralise(counts.get('documents', 0), 'document')};"
                f" {counts.get('protected', 0):,} spared as the last evidence of an edge."
            ),
        )


def _show_eviction_plan(plan: Plan, *, as_json: bool) -> None:
    if as_json:
        show_json(
            {
                "eviction": plan.policy.eviction.value,
                "including_last_evidence": plan.policy.including_last_evidence,
                "chunks": plan.chunks,
                "evictable": plan.evictable,
                "protected": plan.protected,
                "truncated": [policies.TRUNCATION_NOTE] if plan.more else [],
                "items": [_dump_chunk(chunk) for chunk in plan.listed],
            }
        )
        return
    if plan.policy.eviction is Eviction.NONE:
        print_line("This space has no eviction policy: it keeps everything.")
        return
    show_table(
        ["#", "VALUE#", "REASON", "RECALLS#", "LAST", "MADE", "DOCUMENT", "CHUNK"],
        (
            [
                chunk.place,
                f"{chunk.value:.3f}",
                chunk.reason.value,
                chunk.recall_count,
                f"{chunk.last_recalled_at:{_DAY_FORMAT}}" if chunk.last_recalled_at else "never",
                f"{chunk.created_at:{_DAY_FORMAT}}",
                f"{format_one_line(chunk.document_title)} [{chunk.ordinal}]",
                chunk.chunk_id,
            ]
            for chunk in plan.listed
        ),
        empty_message="Nothing would be removed.",
    )
    print_note(
        f"{plan.evictable:,} of {pluralise(plan.chunks, 'chunk')} would be removed by"
        f" {plan.policy.eviction.value}; {len(plan.listed):,} are listed. {plan.protected:,} more are"
        " spared as the last evidence of an edge."
    )
    if plan.more:
        print_note(policies.TRUNCATION_NOTE)


def _dump_chunk(chunk: EvictableChunk) -> dict[str, Any]:
    return {**asdict(chunk), "value": round(chunk.value, 6)}
