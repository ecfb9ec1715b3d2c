"""Who says that something changed (services) and what follows (wiring): doors say neither."""

import ast

from tests.architecture.test_import_direction import DOORS
from tests.architecture.tree import Source, calls, planted, program

# Marked on the session by the service that makes the change or gives the answer.
MARKS = {".mark_change", ".record_recall_after_commit"}
# What follows: jobs and records that are named where the parts of a process are put together.
SCHEDULING = {".schedule_detection_or_delete_notes", ".schedule_refresh_or_merge_notes", ".schedule_eviction"}
FOLLOWING = SCHEDULING | {
    ".notify_webhooks_of_conflicts",
    ".record_service_result",
    ".record_returned_results",
}
# Rules that leave the following to their caller: doors call the ones that do not.
HALVES = {
    ".update_space_row": ("app/cli/evaluate.py",),
    ".retrieve_without_recording_recalls": ("app/cli/evaluate.py",),
}
# The parts of a process whose own methods have these names.
OWNERS = {"retriever", "spaces"}
SCHEDULERS = {"communities", "summaries", "eviction"}


def faults(source: Source) -> list[str]:
    found = []
    for line, name, call in calls(source):
        where = f"{source.place}:{line} calls {name}"
        if source.domain in DOORS:
            if name in MARKS | FOLLOWING:
                found.append(f"{where}: the service does that")
            if name in HALVES and _owner(call) in OWNERS and source.place not in HALVES[name]:
                found.append(f"{where}: nothing follows from that")
        elif name in SCHEDULING and _owner(call) in SCHEDULERS and source.place != "app/wiring.py":
            found.append(f"{where}: mark the change instead")
    return found


def _owner(call: ast.Call) -> str:
    """The last name before the method: recorder of parts.recorder.record_service_result(…)."""
    value = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(value, ast.Attribute):
        return value.attr
    return value.id if isinstance(value, ast.Name) else ""


def test_doors_neither_mark_changes_nor_follow_them() -> None:
    """Ten doors had to remember what follows from a change, and nine what to record."""
    assert [fault for source in program() for fault in faults(source)] == []


def test_every_mark_is_made_by_a_service_or_a_job() -> None:
    """A repository may be called halfway through a change; the rules say when it is made."""
    marking = {source.path.stem for source in program() for _, name, _ in calls(source) if name in MARKS} - {
        "session"
    }
    assert marking == {"document_removal", "service", "job", "merges", "splits", "values", "rereading"}


def test_a_door_that_does_is_found() -> None:
    for body in (
        "space.mark_change(Change.GRAPH)",
        "parts.recorder.record_service_result(tenant, space, found)",
        "communities.schedule_detection_or_delete_notes(space, settings)",
        "spaces.update_space_row(tenant, space_id, actor='me')",
        "me.citegraph.retriever.retrieve_without_recording_recalls(tenant, space, query)",
    ):
        assert faults(planted(body, "app/api/planted.py")), body
    assert faults(planted("eviction.schedule_eviction(space, settings)", "app/ingest/job.py"))
    assert not faults(planted("space.mark_change(Change.GRAPH)", "app/ingest/service.py"))
