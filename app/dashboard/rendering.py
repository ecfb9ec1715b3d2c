"""Rendering of HTML: the Jinja environment and its filters."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.dashboard import files
from app.dashboard.navigation import OPERATOR_PAGES, SPACE_PAGES, TENANT_PAGES
from app.domain.document_names import choose_document_name
from app.graph.narrative import format_relation_in_sentence, format_validity
from app.number_words import (
    format_dollars,
    format_duration,
    format_number,
    format_percent,
    format_size,
    pluralise,
)

FOLDER = Path(__file__).parent

# The icon of each state of a job or a document.
ICON_BY_STATE = {
    "queued": "clock",
    "running": "loader",
    "processing": "loader",
    "done": "circle-check",
    "ready": "circle-check",
    "failed": "circle-x",
    "cancelled": "circle-slash",
}
LABEL_BY_JOB_KIND = {
    "ingest.documents": "Ingest documents",
    "claims.begin": "Begin or end claims whose day has come",
    "communities.detect": "Detect communities",
    "summaries.refresh": "Refresh summaries",
    "memory.evict": "Evict passages",
    "spaces.delete": "Delete a space",
    "embedding.change": "Change the embedding model",
    "embedding.clear": "Clear old vectors",
    "extraction.reread": "Read documents again",
    "chunks.reread": "Read chunks again whose names no longer belong together",
    "extraction.try": "Try another reading",
    "golden.ask": "Ask golden questions",
}
_TIME_UNITS = ((31_557_600, "year"), (2_629_800, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))


def render_icon(name: str, label: str = "") -> Markup:
    """Return an icon of the sprite; with a label for screen readers, else hidden from them."""
    icon_name = ICON_BY_STATE.get(name, name)
    role = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    return Markup('<svg class="icon" {}><use href="{}#{}"></use></svg>').format(
        role, files.build_file_address("vendor/icons.svg"), icon_name
    )


def format_time_ago(moment: datetime | None, now: datetime | None = None) -> Markup:
    """Return the time since a moment in words, with the exact moment on hover; a dash for None."""
    if moment is None:
        return Markup('<span class="faint">–</span>')
    seconds = ((now or datetime.now(UTC)) - moment).total_seconds()
    time_text = "just now"
    for unit_seconds, unit in _TIME_UNITS:
        if abs(seconds) >= unit_seconds:
            unit_count = int(abs(seconds) // unit_seconds)
            plural_suffix = "" if unit_count == 1 else "s"
            time_text = (
                f"{unit_count} {unit}{plural_suffix} ago"
                if seconds > 0
                else f"in {unit_count} {unit}{plural_suffix}"
            )
            break
    exact_time = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        moment.isoformat(), exact_time, time_text
    )


def format_money(amount: float | None) -> str:
    """Return US dollars, with more decimal places for small amounts."""
    return "–" if amount is None else f"${format_dollars(amount)}"


def format_code(text: str) -> str:
    """Return a code as words: bad_request becomes bad request."""
    return text.replace("_", " ")


def format_job_kind(kind: str) -> str:
    """Return the kind of a job as a phrase: communities.detect becomes Detect communities."""
    return LABEL_BY_JOB_KIND.get(kind) or format_code(kind).replace(".", ", ").capitalize()


def _create_environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = {
        "ago": format_time_ago,
        "document_name": choose_document_name,
        "number": format_number,
        "counted": pluralise,
        "percent": format_percent,
        "size": format_size,
        "duration": format_duration,
        "money": format_money,
        "words": format_code,
        "said": format_relation_in_sentence,
        "validity": format_validity,
        "job_kind": format_job_kind,
    }
    environment.filters.update(filters)
    environment.globals.update(
        icon=render_icon,
        static=files.build_file_address,
        modules=files.list_imported_modules,
        navigation=SPACE_PAGES,
        of_a_tenant=TENANT_PAGES,
        of_the_operator=OPERATOR_PAGES,
    )
    return environment


_templates = _create_environment()


def render(template: str, **values: Any) -> str:
    """Return the page or fragment. Every value is escaped; a missing value raises UndefinedError."""
    return _templates.get_template(template).render(**values)
