"""Requirement 16: a form that is refused is shown again with what was typed into it."""

import pytest

from app.dashboard.typed_forms import fill_refused_form, list_shown_texts

PAGE = """<!doctype html><title>é x</title>
<form method="post" action="/a"><input type="hidden" name="csrf" value="new">
<input name="q" required><input name="q"><input type="password" name="password">
<input type="checkbox" name="c" value="1" checked><input type="checkbox" name="c" value="2">
<select name="s"><option value="x" selected>X</option><option value="y">Y</option></select>
<textarea name="t" rows="2">old &amp; gone</textarea></form>
<form method="post" action="/b"><input name="q"></form>
<form method="get" action="/a"><input name="q"></form>
"""


def test_texts_come_into_the_controls_of_their_form() -> None:
    typed = [("csrf", "old"), ("q", '"1"'), ("q", "<2>"), ("c", "2"), ("s", "y"), ("t", "a\n</b>")]
    filled = fill_refused_form(PAGE, "/a", [*typed, ("password", "secret")])
    assert filled.split("\n")[1:] == [
        '<form method="post" action="/a"><input type="hidden" name="csrf" value="new">',
        '<input name="q" required value="&quot;1&quot;"><input name="q" value="&lt;2&gt;">'
        '<input type="password" name="password">',
        '<input type="checkbox" name="c" value="1"><input type="checkbox" name="c" value="2" checked>',
        '<select name="s"><option value="x">X</option><option value="y" selected>Y</option></select>',
        '<textarea name="t" rows="2">',
        "a",
        "&lt;/b&gt;</textarea></form>",
        *PAGE.split("\n")[-3:],
    ]


@pytest.mark.parametrize(("member", "expected"), [("7", "7"), ("8", "8"), ("9", None)])
def test_of_several_forms_it_is_the_one_that_was_sent(member: str, expected: str | None) -> None:
    forms = {
        number: f'<form method="post" action="/a"><input type="hidden" name="id" value="{number}">'
        '<input name="q"></form>'
        for number in ("7", "8")
    }
    filled = fill_refused_form("".join(forms.values()), "/a", [("id", member), ("q", "typed")])
    assert filled == "".join(
        form.replace('name="q"', 'name="q" value="typed"') if number == expected else form
        for number, form in forms.items()
    )


def test_an_error_page_repeats_no_secret() -> None:
    texts = [
        ("csrf", "x"),
        ("seen_version", "1"),
        ("new_password", "secret"),
        ("api_key", "secret"),
        ("name", "Ada"),
        ("days", ""),
    ]
    assert list_shown_texts(texts) == [("name", "Ada")]
