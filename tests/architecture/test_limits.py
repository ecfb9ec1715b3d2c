"""Every bound that a caller meets stands in app/limits.py, where the program reads it (docs/limits.md)."""

import ast
import re

from app.error_codes import ERROR_CODES
from app.limits import FIXED_LIMITS, SETTING_LIMITS, Scope
from app.settings import Settings
from app.space_settings import SpaceSettings
from tests.architecture.tree import program

REGISTRY = "app/limits.py"
LIMITING = re.compile(
    r"(max|min|tenant|key|keyless|worker_memory|parse|chunk|document)_|llm_parallel|job_slice"
    r"|(head|transfer|idle|read|answer|pool|statement|lock)_timeout"
)
# One of quality.
NO_LIMITS = {"min_confidence"}
BOUND = re.compile(r"_?(MAX|MOST|LONGEST|LARGEST)(_|$)")
# Bounds of what the doors themselves do, which nobody who calls meets: each with why.
INNER = {
    "app/api/cursors.py": "a cursor is what a list gave out, not what somebody writes",
    "app/api/protocol/preconditions.py": "tags that are compared, of a header that is bounded",
    "app/api/protocol/server.py": "the buffer of the parser, above the limits of headers",
    "app/api/problems.py": "the size of an answer about a failure",
    "app/http/authentication.py": "what the process remembers",
    "app/http/keyless_rates.py": "what the process remembers",
    "app/http/replica_reads.py": "what the process remembers",
    "app/mcp/server.py": "the size of an answer about a failure",
}


def test_every_setting_that_limits_is_registered_once() -> None:
    settings = [limit.setting for limit in SETTING_LIMITS]
    limiting = {name for name in Settings.model_fields if LIMITING.match(name)} - NO_LIMITS
    assert sorted(set(settings)) == sorted(settings)
    assert limiting - set(settings) == set()
    assert set(settings) <= Settings.model_fields.keys() | SpaceSettings.model_fields.keys()
    of_spaces = {limit.setting for limit in SETTING_LIMITS if limit.scope is Scope.SPACE}
    assert of_spaces == set(settings) & SpaceSettings.model_fields.keys()


def test_a_limit_is_a_number_or_a_setting_and_says_what_happens_past_it() -> None:
    codes = {entry.code for entry in ERROR_CODES}
    for limit in (*FIXED_LIMITS.values(), *SETTING_LIMITS):
        assert (limit.maximum > 0) is (limit.setting == ""), limit
        assert (limit.scope is Scope.FIXED) is (limit.setting == ""), limit
        code = limit.refusal.partition(";")[0]
        assert code in codes or " " in code, limit
        assert codes.issuperset(re.findall(r"`(\w+_\w+)`", limit.refusal)), limit


def test_the_program_reads_every_fixed_limit() -> None:
    read = {
        node.id
        for source in program()
        if source.place != REGISTRY
        for node in source.nodes
        if isinstance(node, ast.Name)
    }
    assert FIXED_LIMITS.keys() - read == set()


def test_no_door_has_a_limit_of_its_own() -> None:
    """What a caller meets is looked up in one place."""
    wrong = [
        f"{source.place}: {target.id}"
        for source in program()
        if source.place.startswith(("app/api/", "app/http/", "app/mcp/")) and source.place not in INNER
        for node in source.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and BOUND.match(target.id)
    ]
    assert wrong == []
