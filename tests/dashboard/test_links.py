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
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    return any(method in (route.methods or ()) and route.path_regex.match(path) for route in routes
               if "{path:path}" not in route.path)  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.relative_to(FOLDER).as_posix())
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
        if not any(answered(method, f"/dashboard/spaces/{uuid4()}{path}") for method in methods):
            dead.append(found[0])
    assert dead == []
