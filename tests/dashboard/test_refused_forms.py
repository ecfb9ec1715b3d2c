"""Requirement 16: what was typed into any form of any page stands there again if the form is refused.

Pages are found by their links and forms on them, so that a new one is tried without a line here.
"""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.dashboard.typed_forms import TypedTexts, fill_refused_form
from tests.dashboard.conftest import Browser
from tests.support.dashboard_pages import find_pages

WITHOUT_TEXT = {"hidden", "submit", "button", "file", "password", "checkbox", "radio"}


def forms_of(page: str) -> list[LexborNode]:
    """The forms that change something and have something to type or choose."""
    forms = LexborHTMLParser(page).css("form[method=post]")
    return [form for form in forms if form.css("input:not([type=hidden]), select, textarea")]


def sent(form: LexborNode, *, typed: bool) -> list[tuple[str, str]]:
    """What a browser sends of the form; where it is `typed`, every control was changed first."""
    texts = []
    for number, control in enumerate(form.css("input, select, textarea")):
        attributes = control.attributes
        name, kind = attributes.get("name") or "", attributes.get("type") or "text"
        if control.tag == "select":
            options = control.css("option[value]")
            chosen = [option for option in options if "selected" in option.attributes]
            chosen = options[-1:] if typed else chosen or options[:1]
            texts += [(name, option.attributes.get("value") or "") for option in chosen]
        elif kind in ("checkbox", "radio"):
            is_checked = ("checked" in attributes) != (typed and kind == "checkbox")
            texts += [(name, attributes.get("value") or "on")] if is_checked else []
        elif control.tag == "textarea":
            texts.append((name, f'a "{number}"\n<b>' if typed else control.text().removeprefix("\n")))
        elif kind == "hidden" or kind not in WITHOUT_TEXT:
            is_typed = typed and kind != "hidden"
            texts.append((name, f'"{number}" <i>' if is_typed else attributes.get("value") or ""))
    return texts


def test_every_form_of_every_page_keeps_what_was_typed(admin: Browser) -> None:
    tried: dict[str, TypedTexts] = {}

    def fetch(path: str) -> tuple[int, str, str]:
        answer = admin.http.get(path, follow_redirects=True)
        return answer.status_code, answer.headers.get("content-type", ""), answer.text

    for path in find_pages(fetch).values():
        page = fetch(path)[2]
        for number, form in enumerate(forms_of(page)):
            action = form.attributes.get("action") or path
            typed = sent(form, typed=True)
            filled = forms_of(fill_refused_form(page, action, typed))[number]
            assert sent(filled, typed=False) == typed, action
            tried[action.rpartition("/")[2]] = typed
    assert {"keys", "webhooks", "invite", "settings", "name", "spaces", "questions"} <= tried.keys()
    assert any("<i>" in text for texts in tried.values() for _, text in texts)
