"""Findings that are being mended: what they break is left out until they are. Empty is right.

A check, or an act whose undoing leaves something.
"""

from tests.invariants import checks
from tests.invariants.checks import Check

KNOWN_FAILURES: dict[Check | str, str] = {
    "a merge and its undoing": "found here: the winner keeps the last_seen_at of the loser",
    "a split and its undoing": "found here: the same",
    "the doctor while workers run": "review B3",
    checks.edges_have_both_nodes: "review B2",
    checks.no_node_is_counted_that_is_not_listed: "review B2: a node without a name is hidden and counted",
    checks.pages_of_the_dashboard_agree: "review B2: the same",
    checks.what_is_listed_answers: "review B2",
    checks.export_comes_back: "review B2",
    checks.views_of_edges_agree: "review B5",
}
