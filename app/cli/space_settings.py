"""The command `space set`: show and change the settings of a space."""

import json
from typing import Annotated, Any

import typer

from app.answers.golden import service as golden
from app.cli.context import ACTOR, start_servers_and_connect_operator
from app.cli.options import AsJson, SpaceName, Tenant
from app.cli.output import print_line, show_json, show_table
from app.cli.seen_versions import IfMatch, parse_expected_version
from app.errors import InvalidInput
from app.llm.servers import list_extractors_that_spaces_may_choose
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces


def set_settings(
    name: SpaceName,
    assignments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SETTING=VALUE]...",
            help="Values as JSON or plain text; nothing after the = restores the default.",
        ),
    ] = None,
    if_match: IfMatch = None,
    force: Annotated[
        bool, typer.Option("--force", help="Skip the gate of the golden questions (golden_gate).")
    ] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Change settings of a space; without assignments, show all settings with their descriptions."""
    with start_servers_and_connect_operator(tenant) as operator:
        space_key = operator.find_space(name)
        database = operator.citegraph.database
        if assignments:
            golden.update_space_if_gate_passes(
                database,
                *space_key,
                actor=ACTOR,
                reading_models=list_extractors_that_spaces_may_choose(operator.citegraph.settings),
                setting_changes=parse_assignments(assignments),
                expected_versions=parse_expected_version(if_match),
                is_forced=force,
            )
        with database.open_space(*space_key) as session:
            settings = spaces.get_space_settings(session)
    if as_json:
        show_json(settings.model_dump(mode="json"))
    elif assignments:
        print_line(
            f"Set: {json.dumps(settings.model_dump(mode='json', exclude_defaults=True), ensure_ascii=False)}"
        )
    else:
        values = settings.model_dump(mode="json")
        show_table(
            ["SETTING", "VALUE", "WHAT IT DOES"],
            (
                [setting_name, _format_value(values[setting_name]), field.description]
                for setting_name, field in SpaceSettings.model_fields.items()
            ),
        )


def parse_assignments(assignments: list[str]) -> dict[str, Any]:
    """Parse `name=value` assignments; an empty value is None. Raises InvalidInput for unknown settings."""
    setting_values: dict[str, Any] = {}
    for assignment in assignments:
        key, equals_sign, value_text = assignment.partition("=")
        if not equals_sign or key not in SpaceSettings.model_fields:
            setting_names = ", ".join(SpaceSettings.model_fields)
            raise InvalidInput(
                f"{assignment} does not assign a space setting. The settings are: {setting_names}."
            )
        setting_values[key] = _parse_value(value_text) if value_text else None
    return setting_values


def _parse_value(value_text: str) -> Any:
    try:
        return json.loads(value_text)
    except ValueError:
        return value_text


def _format_value(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)
