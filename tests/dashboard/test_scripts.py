"""Scripts read of a form only what none of its fields can hide.

A field hides the property of its form that has its name: of a form with a field named "action", `form.action`
is that field (review F1). So scripts ask a form by the few members that are listed here, and no field has one
of their names.
"""

import re
from pathlib import Path

import pytest

from app.dashboard.files import STATIC_FOLDER
from app.dashboard.rendering import FOLDER

SCRIPTS = sorted((STATIC_FOLDER / "js").rglob("*.js"))
TEMPLATES = sorted((FOLDER / "templates").rglob("*.html"))
# Methods and properties of a form that scripts may use.
MEMBERS = {
    "addEventListener",
    "closest",
    "dataset",
    "getAttribute",
    "hasAttribute",
    "isConnected",
    "querySelector",
    "querySelectorAll",
    "replaceWith",
    "requestSubmit",
    "setAttribute",
}
DECLARED = re.compile(
    r"@param \{HTMLFormElement[^}]*\} (\w+)|(?:const|let) (\w+) = /\*\* @type \{HTMLFormElement"
)
# Expressions that yield forms, and the name that each is given.
YIELDS = re.compile(r'\.closest\("form|querySelector(?:All)?\("form|document\.forms|\.form\b(?! ===)')
CONTROL = re.compile(r"<(?:input|select|textarea|button|fieldset|output|object)\b[^>]*>")
CALLED = re.compile(r'\b(?:name|id)="([^"]*)"')


def members_read(script: str) -> set[str]:
    """The members that a script reads of what it declares as forms, and of all that it calls `form`."""
    names = {name for pair in DECLARED.findall(script) for name in pair if name} | {"form"}
    code = re.sub(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", " ", script, flags=re.S)
    return {member for name in names for member in re.findall(rf"(?<![\w.]){name}\??\.(\w+)", code)}


def unnamed_forms(script: str) -> list[str]:
    """The lines that take a form without calling it by a name by which it is known as one."""
    lines = [line for line in script.splitlines() if YIELDS.search(line)]
    return [line for line in lines if not re.search(r"\bform\b(?!\")", line)]


def field_names(template: str) -> set[str]:
    """The names and ids of the controls of a template, as far as they are written there."""
    return {name for control in CONTROL.findall(template) for name in CALLED.findall(control)}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(STATIC_FOLDER).as_posix())
def test_a_script_reads_of_a_form_only_members_that_no_field_hides(script: Path) -> None:
    text = script.read_text("utf-8")
    assert members_read(text) <= MEMBERS
    assert unnamed_forms(text) == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_no_field_is_named_as_a_member_that_scripts_use(template: Path) -> None:
    assert field_names(template.read_text("utf-8")) & MEMBERS == set()


@pytest.mark.parametrize(
    "script",
    [
        "/** @param {HTMLFormElement} sent */ const send = (sent) => fetch(sent.action)",
        "const form = document.querySelector('[data-version]'); fetch(form?.action)",
        "for (const form of document.forms) form.submit()",
    ],
)
def test_the_check_finds_what_a_field_may_hide(script: str) -> None:
    assert not members_read(script) <= MEMBERS


def test_the_check_finds_a_form_under_another_name() -> None:
    assert unnamed_forms('const box = input.closest("form");')
