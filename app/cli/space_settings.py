"""What a space sets for itself, from the command line: `space set` shows it and changes it."""

import json
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from app.cli.context import ACTOR, operator
from app.cli.options import AsJson, Tenant
from app.cli.output import say, show_json, show_table
from app.cli.spaces import Name
from app.errors import InvalidInput
from app.memory import scheduling as memory
from app.spaces import service as spaces
from app.spaces.shapes import SpaceSettings


def set_settings(
    name: Name,
    assignments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SETTING=VALUE]...",
            help="Values as JSON, or plain text; nothing after the = means the default again.",
        ),
    ] = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Change settings of a space; without any, show them all with what they do."""
    with operator(tenant) as me:
        where = me.space_id(name)
        database = me.citegraph.database
        with database.open_space(*where) as session:
            own = spaces.settings_of(session)
        if assignments:
            own = changed(own, assignments)
            with database.open_tenant(where[0]) as session_of_tenant:
                spaces.update_space(session_of_tenant, where[1], actor=ACTOR, settings=own)
            with database.open_space(*where) as session:
                memory.note_growth(session, me.citegraph.settings)
    if as_json:
        show_json(own.model_dump(mode="json"))
    elif assignments:
        say(f"Set: {json.dumps(own.model_dump(mode='json', exclude_defaults=True), ensure_ascii=False)}")
    else:
        values = own.model_dump(mode="json")
        show_table(
            ["SETTING", "VALUE", "WHAT IT DOES"],
            (
                [each, _shown(values[each]), field.description]
                for each, field in SpaceSettings.model_fields.items()
            ),
        )


def changed(own: SpaceSettings, assignments: list[str]) -> SpaceSettings:
    """The settings after `name=value` assignments, checked as a whole. Raises InvalidInput."""
    values = own.model_dump(mode="json", exclude_defaults=True)
    for each in assignments:
        key, assigned, written = each.partition("=")
        if not assigned or key not in SpaceSettings.model_fields:
            known = ", ".join(SpaceSettings.model_fields)
            raise InvalidInput(f"{each} is no assignment to a setting of a space. There are: {known}.")
        if written:
            values[key] = _read(written)
        else:
            values.pop(key, None)
    try:
        return SpaceSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"{place}: {first['msg']}." if place else f"{first['msg']}.") from error


def _read(written: str) -> Any:
    try:
        return json.loads(written)
    except ValueError:
        return written


def _shown(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)
