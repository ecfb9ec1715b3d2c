"""Forms that were refused: the page that answers shows again what the visitor typed. Pure.

The answer is a page with the same form, whose template knows nothing of this: the typed values are put into
the controls of the form by their names. Passwords are not repeated.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from typing import NamedTuple

TypedTexts = Sequence[tuple[str, str]]
"""Names and texts of a form's fields, in the order in which they were sent."""

_MARKS = frozenset({"csrf", "seen_version"})
"""Hidden fields of each form, whose values change from page to page."""
_UNTYPED_INPUTS = frozenset({"hidden", "submit", "button", "reset", "image", "file", "password"})
_SECRET_NAME = re.compile("password|api_key|token|secret")
_CHOSEN_INPUTS = frozenset({"checkbox", "radio"})


def fill_refused_form(page: str, path: str, typed_texts: TypedTexts) -> str:
    """Return the page with the texts in the form that was sent to `path`; unchanged if it has no such form.

    Of several forms that are sent there, it is the one whose hidden fields and most names were sent.
    """
    reader = _FormReader(page)
    reader.feed(page)
    reader.close()
    sent_texts = set(typed_texts)
    forms = [
        form
        for form in reader.forms
        if (form.action or path) == path and all(pair in sent_texts for pair in form.hidden_texts)
    ]
    if not forms:
        return page
    sent_names = {name for name, _ in typed_texts}
    form = max(forms, key=lambda form: len(form.names & sent_names))
    return _replace_parts(page, form.list_filled_parts(typed_texts))


class TypedText(NamedTuple):
    """The name of a form's field, and the text typed into it."""

    name: str
    text: str


def list_shown_texts(typed_texts: TypedTexts) -> list[TypedText]:
    """Return the texts that an error page repeats: all but secrets and what the form itself added."""
    return [
        TypedText(name, text)
        for name, text in typed_texts
        if text and name not in _MARKS and not _SECRET_NAME.search(name)
    ]


@dataclass(frozen=True)
class _Part:
    """A piece of the page from `start` to `end`."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True)
class _Control:
    """A start tag of a control, and of a text area its content; `select_name` names an option's list."""

    tag: str
    attributes: Mapping[str, str | None]
    part: _Part
    select_name: str = ""


@dataclass
class _Form:
    action: str
    controls: list[_Control] = field(default_factory=list)

    @property
    def hidden_texts(self) -> list[tuple[str, str]]:
        """The names and values of its hidden fields, except for those that change from page to page."""
        return [
            (control.attributes.get("name") or "", control.attributes.get("value") or "")
            for control in self.controls
            if control.attributes.get("type") == "hidden" and control.attributes.get("name") not in _MARKS
        ]

    @property
    def names(self) -> set[str]:
        """The names of its fields."""
        return {control.select_name or control.attributes.get("name") or "" for control in self.controls}

    def list_filled_parts(self, typed_texts: TypedTexts) -> list[_Part]:
        """Return the parts of the page that change when these texts are in its controls."""
        remaining_texts: dict[str, list[str]] = {}
        for name, text in typed_texts:
            remaining_texts.setdefault(name, []).append(text)
        chosen_texts = set(typed_texts)
        parts = []
        for control in self.controls:
            name = control.select_name or control.attributes.get("name") or ""
            input_type = control.attributes.get("type") or "text"
            value = control.attributes.get("value") or ""
            if control.tag == "option":
                parts.append(_set_boolean_attribute(control, "selected", (name, value) in chosen_texts))
            elif control.tag == "input" and input_type in _CHOSEN_INPUTS:
                parts.append(
                    _set_boolean_attribute(control, "checked", (name, value or "on") in chosen_texts)
                )
            elif control.tag == "input" and input_type in _UNTYPED_INPUTS:
                continue
            elif remaining_texts.get(name):
                text = remaining_texts[name].pop(0)
                parts.append(_write_text(control, text))
        return parts


class _FormReader(HTMLParser):
    """Finds the forms of a page that change something, and their controls."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms: list[_Form] = []
        self._form: _Form | None = None
        self._select_name = ""
        self._text_area: _Control | None = None
        self._line_starts = [0]
        for line in page.split("\n"):
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a form or one of its controls."""
        attributes = dict(attrs)
        if tag == "form":
            self._form = _Form(attributes.get("action") or "")
            if (attributes.get("method") or "").lower() == "post":
                self.forms.append(self._form)
        elif tag == "select":
            self._select_name = attributes.get("name") or ""
        elif tag in ("input", "option", "textarea") and self._form is not None:
            start = self._find_offset()
            part = _Part(start, start + len(self.get_starttag_text() or ""))
            control = _Control(tag, attributes, part, self._select_name if tag == "option" else "")
            if tag == "textarea":
                self._text_area = control
            else:
                self._form.controls.append(control)

    def handle_endtag(self, tag: str) -> None:
        """End a form, a list or a text area, whose content is known then."""
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select_name = ""
        elif tag == "textarea" and self._text_area is not None and self._form is not None:
            content = _Part(self._text_area.part.end, self._find_offset())
            self._form.controls.append(_Control("textarea", self._text_area.attributes, content))
            self._text_area = None

    def _find_offset(self) -> int:
        line, column = self.getpos()
        return self._line_starts[line - 1] + column


def _set_boolean_attribute(control: _Control, attribute: str, is_set: bool) -> _Part:
    """Return the start tag with or without an attribute that has no value."""
    attributes = {name: value for name, value in control.attributes.items() if name != attribute}
    return _write_tag(control, attributes | ({attribute: None} if is_set else {}))


def _write_text(control: _Control, text: str) -> _Part:
    if control.tag == "textarea":
        # A browser drops the first line break of a text area.
        return _Part(control.part.start, control.part.end, f"\n{escape(text)}")
    return _write_tag(control, {**control.attributes, "value": text})


def _write_tag(control: _Control, attributes: Mapping[str, str | None]) -> _Part:
    written_attributes = "".join(
        f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in attributes.items()
    )
    return _Part(control.part.start, control.part.end, f"<{control.tag}{written_attributes}>")


def _replace_parts(page: str, parts: Sequence[_Part]) -> str:
    pieces, end = [], 0
    for part in sorted(parts, key=lambda part: part.start):
        pieces += [page[end : part.start], part.text]
        end = part.end
    return "".join([*pieces, page[end:]])
