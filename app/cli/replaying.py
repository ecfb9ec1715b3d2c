"""`citegraph model replay`: run a command with recorded model calls, in an installation of its own."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson

from app.cli.context import TERMINAL_ORIGIN, Operator, open_citegraph, start_servers
from app.cli.processes.children import build_environment_of_child, run_children
from app.cli.setup import ensure_tenant, migrate_database
from app.llm.conversations import Recording
from app.runtime.data_folder import find_data_folder
from app.settings import Settings, read_settings
from app.tenancy.audit.origin import record_with_origin

_COMMANDS_WITHOUT_WORKER = frozenset(
    {
        *("up", "serve", "worker", "mcp", "demo", "migrate"),
        *("ask", "retrieve", "explain", "export", "space", "usage", "audit"),
    }
)
"""Commands that start a worker themselves, or queue nothing."""
# Environment variables that could lead to servers or data outside the replay.
_OMITTED_VARIABLES = (
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "CITEGRAPH_OPENAI_API_KEY", "CITEGRAPH_OPENAI_BASE_URL"),
    *("CITEGRAPH_EMBEDDING_API_KEY", "CITEGRAPH_EMBEDDING_BASE_URL", "CITEGRAPH_LLM_RECORD"),
    *("CITEGRAPH_DATABASE_URL", "CITEGRAPH_MIGRATION_DATABASE_URL", "CITEGRAPH_CLUSTER_URL"),
    *("CITEGRAPH_REDIS_URL", "CITEGRAPH_REPLICA_URLS"),
)


def get_replay_home(folder: Path) -> Path:
    """Return the folder beside the recording in which the replay's servers keep their data."""
    folder = folder.resolve()
    return folder.with_name(f"{folder.name}-replay")


def count_recorded_requests_by_outcome(recording: Recording) -> list[dict[str, Any]]:
    """Return the recorded requests counted by path, model, status and error, in order of first use."""
    request_counts = Counter(
        (exchange.path, str(exchange.request.get("model")), exchange.status, exchange.error)
        for exchange in recording.iter_exchanges()
    )
    return [
        {"path": path, "model": model, "status": status, "error": error, "requests": request_count}
        for (path, model, status, error), request_count in request_counts.items()
    ]


def build_replay_environment(recording: Recording, replay_folder: Path) -> dict[str, str]:
    """Return the environment of a replay: the recorded settings and a data folder of its own."""
    recorded_settings = {
        f"CITEGRAPH_{name.upper()}": value if isinstance(value, str) else orjson.dumps(value).decode()
        for name, value in recording.load_settings().items()
    }
    overridden_variables = {
        "CITEGRAPH_LLM_REPLAY": str(recording.folder.resolve()),
        "CITEGRAPH_HOME": str(replay_folder),
    }
    inherited_variables = {**os.environ}
    return {
        **{name: value for name, value in inherited_variables.items() if name not in _OMITTED_VARIABLES},
        **recorded_settings,
        **overridden_variables,
    }


def run_command_on_recording(recording: Recording, command: Sequence[str], replay_folder: Path) -> int:
    """Run `citegraph COMMAND` on the recording and return its exit code.

    A worker runs meanwhile if the command does not start one itself.
    """
    replay_folder = replay_folder.resolve()
    replay_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    environment = build_replay_environment(recording, replay_folder)
    with ExitStack() as stack:
        ready_settings = stack.enter_context(
            start_servers(_use_embedded_servers(read_settings(), replay_folder))
        )
        migrate_database(ready_settings)
        with open_citegraph(ready_settings) as citegraph, record_with_origin(TERMINAL_ORIGIN):
            ensure_tenant(Operator(citegraph, ready_settings.tenant))
        if command[0] not in _COMMANDS_WITHOUT_WORKER:
            log_path = find_data_folder(replay_folder) / "logs" / "replay-worker.log"
            stack.enter_context(run_children(ready_settings, ("worker", log_path), environment=environment))
        program_call = [sys.executable, "-P", "-m", "app.cli.main", *command]
        return subprocess.run(
            program_call, env={**environment, **build_environment_of_child(ready_settings)}, check=False
        ).returncode


def _use_embedded_servers(settings: Settings, replay_folder: Path) -> Settings:
    """Return the settings with embedded servers in that folder, whatever servers are set."""
    server_settings = {
        "database_url": None,
        "migration_database_url": None,
        "redis_url": None,
        "replica_urls": "",
    }
    return settings.model_copy(
        update={**server_settings, "llm_record": None, "embedding_model": None, "home": replay_folder}
    )
