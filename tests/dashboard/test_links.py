"""Every address that a template of a space leads or sends to is one that a route answers."""

import re
from pathlib import Path
from uuid import uuid4

import pytest
from fastapi.routing import APIRoute

from app.dashboard.app import ROUTERS
from app.dashboard.rendering import FOLDER

TEMPLATES = sorted((FOLDER / "templates").rglob("*.html"))
ADDRESS = re.compile(
    r'(?P<name>href|action|hx-get|hx-post)="\{\{ place\.path \}\}(?P<rest>(?:[^"{]|\{\{[^"{}]*\}\})*)"'
)


def answered(method: str, path: str) -> bool:
    routes = [each for router in ROUTERS for each in router.routes if isinstance(each, APIRoute)]
    return any(method in (each.methods or ()) and each.path_regex.match(path) for each in routes
               if "{path:path}" not in each.path)  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda each: each.relative_to(FOLDER).as_posix())
def test_every_address_is_answered(template: Path) -> None:
    dead = []
    for found in ADDRESS.finditer(template.read_text("utf-8")):
        # A value after a slash stands for an id; another is the rest of an address, which is tried without.
        path = re.sub(r"(?<=/)\{\{.*?\}\}", str(uuid4()), found["rest"])
        path = re.split(r"[?#]|\{\{", path)[0]
        # A form without a method asks, as a link does.
        methods = (
            ["POST"] if found["name"] == "hx-post" else ["GET", "POST"][: 1 + (found["name"] == "action")]
        )
        if not any(answered(each, f"/dashboard/spaces/{uuid4()}{path}") for each in methods):
            dead.append(found[0])
    assert dead == []
