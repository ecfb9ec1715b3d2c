"""Commands about erasures that are repeated after a restore (requirement 22.3)."""

import os
import sys
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import ACTOR, Operator, start_servers_and_connect_operator
from app.cli.options import TIME_FORMATS, AsJson, Yes, convert_to_utc, make_group
from app.cli.output import print_error, print_note, show_json, show_table
from app.cli.progress_bars import show_item_progress
from app.errors import InvalidInput
from app.number_words import pluralise
from app.transfer.erasures import service as erasing
from app.transfer.erasures.json_lines import format_erasures_as_json_lines, parse_erasures_from_json_lines
from app.transfer.erasures.shapes import Erasure, Outcome, RepeatedErasure

_OVERLAP = timedelta(hours=1)
"""How far an addition to a file looks back: an entry is visible only when its transaction has ended."""

erasure_app = make_group(
    "erasures", "List what was erased, for a file outside the database; erase it again after a restore."
)
ListFile = Annotated[Path, typer.Argument(help="The list, as `citegraph erasures export` writes it.")]


@erasure_app.command("export")
def export_erasures(
    since: Annotated[
        datetime | None,
        typer.Option(formats=TIME_FORMATS, help="Only erasures from then on, in UTC unless it has a zone."),
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(formats=TIME_FORMATS, help="Only erasures before then.")
    ] = None,
    append: Annotated[
        Path | None,
        typer.Option("--append", help="Add what is missing to this file, instead of writing to stdout."),
    ] = None,
) -> None:
    """Write what was erased in all tenants: ids, times and options, no content. One JSON object a line.

    Without --since: all that the audit log has; with --append, from the file's last erasure on.
    """
    if append is not None and (since is not None or until is not None):
        raise typer.BadParameter("--append finds its time in the file: give it without --since and --until.")
    with start_servers_and_connect_operator() as operator:
        if append is None:
            text = format_erasures_as_json_lines(
                _read_log(operator, convert_to_utc(since), convert_to_utc(until))
            )
            sys.stdout.write(text)
        else:
            _add_missing_erasures_to_file(operator, append)


def _read_log(operator: Operator, since: datetime | None, until: datetime | None = None) -> list[Erasure]:
    """Return the erasures of this time. Raises InvalidInput if the log does not reach back that far."""
    with operator.open_platform() as platform:
        log = erasing.read_erasure_log(
            platform, since=since, until=until, audit_days=operator.settings.audit_days
        )
    if log.log_begin is not None:
        begin = f"{log.log_begin:%Y-%m-%dT%H:%M:%S%z}"
        if since is not None and since < log.log_begin:
            raise InvalidInput(
                f"The audit log begins at {begin}: earlier entries were removed (CITEGRAPH_AUDIT_DAYS), and a"
                " list from the time asked for would not be complete."
            )
        if since is None:
            print_note(f"The audit log begins at {begin}: earlier erasures are not in the list.")
    return log.erasures


def _add_missing_erasures_to_file(operator: Operator, file: Path) -> None:
    """Add the erasures that the file lacks; it is replaced as a whole, so that a kill leaves the old one."""
    text = file.read_text("utf-8") if file.exists() else ""
    listed = _parse_list(file, text)
    newest = max((erasure.erased_at for erasure in listed), default=None)
    listed_ids = {erasure.entry_id for erasure in listed}
    new_erasures = [
        erasure
        for erasure in _read_log(operator, None if newest is None else newest - _OVERLAP)
        if erasure.entry_id not in listed_ids
    ]
    separator = "" if not text or text.endswith("\n") else "\n"
    next_file = file.with_name(f"{file.name}.new")
    with next_file.open("w", encoding="utf-8") as output:
        output.write(text + separator + format_erasures_as_json_lines(new_erasures))
        output.flush()
        os.fsync(output.fileno())
    next_file.replace(file)
    print_note(
        f"{file}: {len(new_erasures):,} added, {pluralise(len(listed) + len(new_erasures), 'erasure')}."
    )


def _parse_list(file: Path, text: str) -> list[Erasure]:
    try:
        return parse_erasures_from_json_lines(text)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error.message}") from None


@erasure_app.command("apply")
def apply_erasures(
    file: ListFile,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print what would be erased; nothing is changed.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase again, in a restored database, all that a list names and that is there.

    Each erasure is complete by itself: if interrupted, the same command continues. Exits with 1 if something
    was refused, or if the database knows no tenant of the list.
    """
    try:
        text = file.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8.") from None
    erasures = _parse_list(file, text)
    if not dry_run and not yes:
        typer.confirm(
            f"Erase {pluralise(len(erasures), 'listed object')} wherever they are still there?",
            abort=True,
            err=True,
        )
    with start_servers_and_connect_operator() as operator:
        outcomes = list(
            show_item_progress(
                erasing.repeat_erasures(
                    operator.citegraph.database, erasures, actor=ACTOR, is_dry_run=dry_run
                ),
                "erasures repeated",
                len(erasures),
            )
        )
    if as_json:
        show_json(outcomes)
    else:
        _show_outcomes(outcomes, is_dry_run=dry_run)
    if not _report_problems(outcomes):
        raise typer.Exit(1)


def _show_outcomes(outcomes: list[RepeatedErasure], *, is_dry_run: bool) -> None:
    headings = {outcome: outcome.replace("_", " ").upper() for outcome in Outcome}
    if is_dry_run:
        headings[Outcome.ERASED] = "TO ERASE"
    counts = Counter((repeated.erasure.kind, repeated.outcome) for repeated in outcomes)
    kinds = dict.fromkeys(repeated.erasure.kind for repeated in outcomes)
    show_table(
        ["KIND", *(f"{heading}#" for heading in headings.values())],
        ([kind.replace("_", " "), *(counts[kind, outcome] for outcome in Outcome)] for kind in kinds),
        empty_message="The list is empty.",
    )


def _report_problems(outcomes: list[RepeatedErasure]) -> bool:
    """Print on stderr what the operator has to do; return whether the list was repeated as a whole."""
    counts = Counter(repeated.outcome for repeated in outcomes)
    if counts[Outcome.BEING_REMOVED]:
        print_note(
            f"A worker removes the rows of {counts[Outcome.BEING_REMOVED]:,}: nobody can find them any more."
            " The same command shows when they are gone."
        )
    if counts[Outcome.SUBMITTED_AGAIN]:
        print_note(
            f"Kept: {pluralise(counts[Outcome.SUBMITTED_AGAIN], 'document')} that somebody submitted again"
            " after the erasure; the erased text is gone."
        )
    for repeated in outcomes:
        if repeated.outcome is Outcome.REFUSED:
            erasure = repeated.erasure
            print_error(f"Not erased: {erasure.kind} {', '.join(map(str, erasure.ids))}: {repeated.reason}")
    if outcomes and counts[Outcome.UNKNOWN_TENANT] == len(outcomes):
        print_error(
            "This database has none of the list's tenants: either the list belongs to another database, or"
            " all of them were created after the dump."
        )
        return False
    return not counts[Outcome.REFUSED]
