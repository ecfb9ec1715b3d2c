"""Renders the table of docs/limits.md: each limit with its number, scope, setting and refusal."""

from app.error_codes import BY_CODE
from app.limits import FIXED_LIMITS, SETTING_LIMITS, Limit, Scope
from app.settings import Settings


def render_limits_table() -> str:
    """Return every limit as a row of a Markdown table; for a limit set by a setting, its default."""
    rows = [
        f"| {limit.quantity} | {_format_number(limit)} | {limit.scope.value}"
        f" | {_format_setting(limit)} | {_format_refusal_cell(limit)} |"
        for limit in (*FIXED_LIMITS.values(), *SETTING_LIMITS)
    ]
    head = ["| limit | number | scope | setting | beyond it |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *rows])


def _format_number(limit: Limit) -> str:
    if not limit.setting:
        return f"{limit.maximum:,}"
    field = Settings.model_fields.get(limit.setting)
    return "unset" if field is None or field.default is None else f"{field.default:,}"


def _format_setting(limit: Limit) -> str:
    if not limit.setting:
        return ""
    space_settings = [f"`{limit.setting}`"] if limit.scope is Scope.SPACE else []
    platform_settings = (
        [f"`CITEGRAPH_{limit.setting.upper()}`"] if limit.setting in Settings.model_fields else []
    )
    return ", ".join([*space_settings, *platform_settings])


def _format_refusal_cell(limit: Limit) -> str:
    """Return what happens beyond the limit: the status and code of the error, or words."""
    code, separator, words = limit.refusal.partition(";")
    if code not in BY_CODE:
        return limit.refusal
    status = BY_CODE[code].status
    return f"{f'{status} ' if status else ''}`{code}`{separator}{words}"
