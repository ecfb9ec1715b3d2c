"""Settings of a space as form fields, derived from their declaration in app/space_settings.py. Pure."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from app.errors import InvalidInput
from app.http.input_text import TypeName
from app.ingest.extractor_choice import is_choosable_model
from app.space_settings import EffectiveSettings, SpaceDefaults, SpaceOnly

NAME_PREFIXES_BY_GROUP = (
    ("Communities", ("communities", "community_")),
    ("Summaries", ("summaries", "summary_")),
    ("Memory and eviction", ("recall_", "eviction")),
    ("Facts in a question's score", ("fact_",)),
    (
        "Finding and answering",
        (
            "fan_out",
            "max_facts",
            "statement_weight",
            "context_tokens",
            "similar_anchors",
            "anchor_",
            "hybrid_",
            "answer_",
        ),
    ),
    ("Cost", ("budget_usd",)),
    ("Reading documents", ("",)),
)
"""Each group with the prefixes of its settings' names; a setting belongs to the first group that matches."""
NOTE_BY_SETTING = {
    "chunk_tokens": "Applies to documents added from now on; those that are there keep their passages.",
    "min_confidence": "Applies to documents added from now on.",
    "claim_check": "Applies to documents read from now on; a trial shows what it would refuse.",
    "extra_node_types": "Applies to documents added from now on.",
    "extra_relation_types": "Applies to documents added from now on.",
    "community_min_weight": "The next detection reads the whole graph.",
    "community_levels": "The next detection reads the whole graph.",
    "community_seed": "The next detection reads the whole graph.",
    "eviction": "Evicted chunks are deleted: look at a dry run (citegraph evict --dry-run) first.",
}
"""Consequences of a change, where they are not obvious."""
MAX_FIELD_CHARACTERS = 20_000
"""Characters of one field of the form."""
_TYPE_NAMES = TypeAdapter(list[TypeName])
_TEXT_BY_CONSTRAINT = {
    "ge": "{} or more",
    "gt": "more than {}",
    "le": "at most {}",
    "lt": "less than {}",
    "min_length": "{} values or more",
    "max_length": "at most {} values",
}
# Bounds this large only keep numbers small enough to be stored; the form does not show them.
_NO_UPPER_BOUND = 1_000_000
# Markup and references for readers of the source, which the form leaves out.
_SOURCE_REMARK_PATTERN = re.compile(r"\s*\(requirement [^)]*\)|`")
_TEXT_SETTINGS = (
    "extra_node_types",
    "extra_relation_types",
    "single_valued_relations",
    "single_source_relations",
)


class Kind(StrEnum):
    """The kind of input field of a setting."""

    SWITCH = "switch"
    WHOLE = "whole"
    NUMBER = "number"
    CHOICE = "choice"
    MODEL = "model"
    LINES = "lines"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class SettingField:
    """A setting with its default, its platform's and its own value, and its kind of input field.

    `platform_value` is the value that applies if the space has no own one; then `own_value` is None.
    """

    name: str
    description: str
    note: str
    kind: Kind
    default: Any
    platform_value: Any
    own_value: Any
    effective_value: Any
    bounds: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]

    @property
    def label(self) -> str:
        """Its name as shown on a page."""
        text = self.name.replace("_", " ").replace(" usd", ", US dollars").replace(" ttl ", " TTL ")
        text = text.replace("single valued", "single-valued")
        return text[:1].upper() + text[1:]

    @property
    def form_text(self) -> str:
        """The space's own value as text of the form field; empty if there is none."""
        if self.own_value is None:
            return ""
        if self.kind is Kind.SWITCH:
            return "true" if self.own_value else "false"
        if self.kind is Kind.LINES:
            return "\n".join(self.own_value)
        return (
            json.dumps(self.own_value, ensure_ascii=False) if self.kind is Kind.JSON else str(self.own_value)
        )


class SettingGroup(NamedTuple):
    """A group of settings under a title."""

    title: str
    fields: list[SettingField]


def describe_setting_error(message: str, groups: Sequence[SettingGroup]) -> str:
    """Return the error message about a value for a page, with the setting's label and a number's bounds."""
    name, _, problem = message.partition(": ")
    field = next((setting for group in groups for setting in group.fields if setting.name == name), None)
    if field is None:
        return message
    is_bounded = field.minimum is not None or field.maximum is not None
    return f"{field.label}: {field.bounds}." if is_bounded else f"{field.label}: {problem}"


def format_value(value: Any) -> str:
    """Return a value in words."""
    if value is None or value == [] or value == {}:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def list_setting_fields(
    platform: SpaceDefaults,
    own_settings: Mapping[str, Any],
    effective_settings: EffectiveSettings,
    reading_models: Sequence[str],
) -> list[SettingGroup]:
    """Return every setting by group, in the order of declaration.

    `reading_models` are those that a space may choose, the one that reads by default first.
    """
    fields_by_title: dict[str, list[SettingField]] = {
        title: [] for title, _ in reversed(NAME_PREFIXES_BY_GROUP)
    }
    for model in (SpaceOnly, SpaceDefaults):
        for name, field in model.model_fields.items():
            title = next(
                title for title, name_prefixes in NAME_PREFIXES_BY_GROUP if name.startswith(name_prefixes)
            )
            default = field.get_default(call_default_factory=True)
            platform_value = getattr(platform, name) if model is SpaceDefaults else default
            built_field = _build_field(
                name,
                field,
                default,
                platform_value,
                own_settings.get(name),
                getattr(effective_settings, name),
            )
            if built_field.kind is Kind.MODEL:
                built_field = _add_model_choices(built_field, reading_models)
            fields_by_title[title].append(built_field)
    return [SettingGroup(title, fields) for title, fields in fields_by_title.items()]


def _build_field(
    name: str, field: FieldInfo, default: Any, platform_value: Any, own_value: Any, effective_value: Any
) -> SettingField:
    kind, choices = _get_kind_and_choices(field.annotation)
    limits = _get_declared_constraints(field)
    return SettingField(
        name=name,
        description=_SOURCE_REMARK_PATTERN.sub("", field.description or ""),
        note=NOTE_BY_SETTING.get(name, ""),
        kind=kind,
        default=default,
        platform_value=platform_value,
        own_value=own_value,
        effective_value=effective_value,
        bounds=_describe_bounds(limits),
        minimum=next((float(limits[limit]) for limit in ("ge", "gt") if limit in limits), None),
        maximum=next((float(limits[limit]) for limit in ("le", "lt") if limit in limits), None),
        choices=choices,
    )


def _add_model_choices(field: SettingField, reading_models: Sequence[str]) -> SettingField:
    """Return the field with the models to choose from; its own value stays one, so that it is shown."""
    models = [model for model in reading_models if is_choosable_model(field.name, model)]
    choices = tuple(dict.fromkeys([*models, *([field.own_value] if field.own_value else [])]))
    return replace(field, choices=choices)


def _get_declared_constraints(field: FieldInfo) -> dict[str, Any]:
    """Return the bounds that the field declares, by name."""
    declared_bounds = (
        (name, getattr(constraint, name, None))
        for constraint in field.metadata
        for name in _TEXT_BY_CONSTRAINT
    )
    return {name: bound for name, bound in declared_bounds if bound is not None}


def _describe_bounds(limits: Mapping[str, Any]) -> str:
    """Return the bounds in words: "0 to 1", "4 values", "more than 0, at most 36,500"."""
    bound_texts = {
        name: _format_bound(bound)
        for name, bound in limits.items()
        if not (name in ("le", "lt") and bound >= _NO_UPPER_BOUND)
    }
    for lower_name, upper_name, unit in (("ge", "le", ""), ("min_length", "max_length", " values")):
        if lower_name in bound_texts and upper_name in bound_texts:
            lower_bound, upper_bound = bound_texts.pop(lower_name), bound_texts.pop(upper_name)
            return (lower_bound if lower_bound == upper_bound else f"{lower_bound} to {upper_bound}") + unit
    return ", ".join(_TEXT_BY_CONSTRAINT[name].format(bound) for name, bound in bound_texts.items())


class _KindAndChoices(NamedTuple):
    """The kind of a form's field, and what it offers."""

    kind: Kind
    choices: tuple[str, ...]


def _get_kind_and_choices(annotation: Any) -> _KindAndChoices:
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(inner_type for inner_type in get_args(annotation) if inner_type is not type(None))
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return _KindAndChoices(Kind.CHOICE, tuple(choice.value for choice in annotation))
    # All settings of text name a model (MODEL_SETTINGS).
    kind_by_type = {bool: Kind.SWITCH, int: Kind.WHOLE, float: Kind.NUMBER, str: Kind.MODEL}
    if annotation in kind_by_type:
        return _KindAndChoices(kind_by_type[annotation], ())
    return _KindAndChoices(Kind.LINES if annotation == list[str] else Kind.JSON, ())


def _format_bound(bound: Any) -> str:
    return f"{bound:,.0f}" if float(bound).is_integer() else str(bound)


def parse_setting_changes(groups: Sequence[SettingGroup], form_texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that the form changes, with None for one that is reset.

    Raises InvalidInput for text that cannot be parsed; bounds are checked later, by the declaration.
    """
    setting_changes = {}
    for group in groups:
        for field in group.fields:
            if (
                field.name in form_texts
                and (text := form_texts[field.name].replace("\r\n", "\n").strip()) != field.form_text
            ):
                setting_changes[field.name] = _parse_setting(field, text)
    return setting_changes


def _parse_setting(field: SettingField, text: str) -> Any:
    if len(text) > MAX_FIELD_CHARACTERS:
        raise InvalidInput(f"{field.name}: that is too long.")
    if not text:
        return None
    try:
        match field.kind:
            case Kind.SWITCH:
                return {"true": True, "false": False}[text]
            case Kind.WHOLE:
                return int(text)
            case Kind.NUMBER:
                return float(text)
            case Kind.CHOICE | Kind.MODEL:
                return text
            case Kind.LINES:
                lines = [line.strip() for line in text.split("\n") if line.strip()]
                return _TYPE_NAMES.validate_python(lines) if field.name in _TEXT_SETTINGS else lines
            case Kind.JSON:
                return json.loads(text)
    except (KeyError, ValueError, ValidationError, RecursionError):
        expected_words = {Kind.WHOLE: "a whole number", Kind.NUMBER: "a number", Kind.JSON: "JSON"}
        raise InvalidInput(
            f"{field.name}: {expected_words.get(field.kind, 'another value')} is expected."
        ) from None
