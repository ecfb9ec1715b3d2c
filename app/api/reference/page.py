"""GET /docs: the OpenAPI document as a page of Swagger UI, which `make assets` installs."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.staticfiles import StaticFiles
from starlette.responses import HTMLResponse

from app.http.security_headers import REFERENCE_HEADERS

REFERENCE_PATH = "/docs"
STATIC_FOLDER = Path(__file__).parent / "static"
SCRIPT_FILE = STATIC_FOLDER / "vendor" / "swagger-ui.js"

_PAGE_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Citegraph API</title>
<link rel="icon" href="data:,">
"""
_PAGE = f"""{_PAGE_HEAD}<link rel="stylesheet" href="{REFERENCE_PATH}/static/vendor/swagger-ui.css">
<link rel="stylesheet" href="{REFERENCE_PATH}/static/reference.css">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs scripts; the same is in <a href="/openapi.json">openapi.json</a>.</noscript>
<script src="{REFERENCE_PATH}/static/vendor/swagger-ui.js"></script>
<script src="{REFERENCE_PATH}/static/reference.js"></script>
</body>
</html>
"""
_PAGE_WITHOUT_SCRIPT = f"""{_PAGE_HEAD}</head>
<body>
<h1>Citegraph API</h1>
<p>The scripts of this page are not installed: run <code>make assets</code>. Until then there is
<a href="/openapi.json">openapi.json</a>.</p>
</body>
</html>
"""

router = APIRouter()


@router.get(REFERENCE_PATH, include_in_schema=False)
async def read_reference() -> HTMLResponse:
    """Return the page or, without its scripts, one that says how to install them."""
    return HTMLResponse(_PAGE if SCRIPT_FILE.exists() else _PAGE_WITHOUT_SCRIPT, headers=REFERENCE_HEADERS)


def build_static_files() -> StaticFiles:
    """Return the files that the page loads, to be mounted under `REFERENCE_PATH`/static."""
    return StaticFiles(directory=STATIC_FOLDER)
