"""Commands about model servers: test the configured one, and replay recorded calls."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.cli import replaying
from app.cli.options import AsJson, make_group
from app.cli.output import print_line, show_json, show_table
from app.extraction.llm.control_claims import ask_control_claims_and_describe_result
from app.llm.conversations import Recording
from app.llm.model_check import describe_price, try_configured_model_servers
from app.number_words import format_dollars
from app.settings import read_settings

model_app = make_group("model", "Test the configured model server, and replay recorded calls.")


@model_app.callback()
def group_model_commands() -> None:
    """Test the configured model server, and replay recorded calls."""


@model_app.command("check")
def try_models_and_show_results(as_json: AsJson = False) -> None:
    """Test chat, JSON schema, the check of claims and vectors; show what works, how fast and for how much."""
    settings = read_settings()
    model_check = try_configured_model_servers(
        settings, {"claim check": ask_control_claims_and_describe_result}
    )
    if as_json:
        show_json(
            [{**asdict(attempt), "price": describe_price(settings, attempt.model)} for attempt in model_check]
        )
    else:
        show_table(
            ["TRIED", "MODEL", "WORKS", "SECONDS#", "TOKENS#", "DOLLARS#", ""],
            (
                [
                    attempt.what,
                    attempt.model,
                    attempt.works,
                    f"{attempt.seconds:.2f}",
                    attempt.prompt_tokens + attempt.completion_tokens,
                    "?" if attempt.cost_usd is None else format_dollars(float(attempt.cost_usd)),
                    attempt.detail,
                ]
                for attempt in model_check
            ),
        )
        for model in dict.fromkeys(attempt.model for attempt in model_check):
            print_line(f"{model}: {describe_price(settings, model)}.")
        if settings.embedding_model is None:
            print_line("No embedding model is set: vectors are hashed locally, which costs nothing.")
    if not all(attempt.works for attempt in model_check):
        raise typer.Exit(1)


@model_app.command(
    "replay", context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True}
)
def replay_recording(
    folder: Annotated[Path, typer.Argument(help="Folder that CITEGRAPH_LLM_RECORD filled.")],
    command: Annotated[
        list[str] | None,
        typer.Argument(help="citegraph command to run, with its arguments; without one, list the recording."),
    ] = None,
    home: Annotated[
        Path | None,
        typer.Option(help="Folder of the replay's own data; by default FOLDER-replay."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a command with recorded model calls and its own data, without calling a model server.

    A request that was not recorded fails with the code request_not_recorded.
    """
    recording = Recording(folder)
    if command:
        raise typer.Exit(
            replaying.run_command_on_recording(recording, command, home or replaying.get_replay_home(folder))
        )
    rows = replaying.count_recorded_requests_by_outcome(recording)
    if as_json:
        show_json(rows)
    else:
        show_table(
            ["PATH", "MODEL", "STATUS#", "ENDED BY", "REQUESTS#"],
            ([row["path"], row["model"], row["status"], row["error"], row["requests"]] for row in rows),
        )
