"""Static files of pages, under an address with the version of all of them: cached until one of them changes.

Script modules import one another by relative addresses, so they all have the version of the first; versions
are never mixed.
"""

import gzip
import hashlib
import re
from functools import cache
from pathlib import Path

from fastapi.staticfiles import StaticFiles
from starlette.responses import FileResponse, Response
from starlette.types import Scope

from app.http.authentication import DASHBOARD_PATH

STATIC_FOLDER = Path(__file__).parent / "static"
VENDOR_FOLDER = STATIC_FOLDER / "vendor"

_VERSION_PATTERN = re.compile(r"v-[0-9a-f]{12}")
_COMPRESSED_SUFFIXES = {".js", ".css", ".svg"}
_IMPORT_PATTERN = re.compile(r'^import [^;]*? from "(\./[\w./-]+)";', re.MULTILINE)
CACHE_FOREVER = "public, max-age=31536000, immutable"
# For addresses of another version or without one: revalidated each time.
REVALIDATE_ALWAYS = "no-cache"


@cache
def compute_files_version() -> str:
    """Return the version of the files, equal in every process that has the same files."""
    digest = hashlib.sha256()
    for path in sorted(file for file in STATIC_FOLDER.rglob("*") if file.is_file()):
        digest.update(f"{path.relative_to(STATIC_FOLDER)}\n".encode() + path.read_bytes())
    return f"v-{digest.hexdigest()[:12]}"


def build_file_address(path: str) -> str:
    """Return the address of a static file."""
    return f"{DASHBOARD_PATH}/static/{compute_files_version()}/{path}"


@cache
def list_imported_modules(entry_path: str) -> tuple[str, ...]:
    """Return the script and all modules that it imports, so that browsers can preload them."""
    found_paths: dict[str, None] = {}
    pending_files = [entry_path]
    while pending_files:
        path = pending_files.pop(0)
        if path in found_paths:
            continue
        found_paths[path] = None
        text = (STATIC_FOLDER / path).read_text("utf-8")
        folder = (STATIC_FOLDER / path).parent
        pending_files += [
            str((folder / imported_path).resolve().relative_to(STATIC_FOLDER.resolve()))
            for imported_path in _IMPORT_PATTERN.findall(text)
        ]
    return tuple(found_paths)


@cache
def _compress_file(path: str, _changed: float) -> bytes:
    return gzip.compress(Path(path).read_bytes(), 9, mtime=0)


class VersionedFiles(StaticFiles):
    """Serves the files with or without a version in the address; texts are compressed once per process."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with the file, cached forever if its address has the current version."""
        first_segment, _, file_path = path.partition("/")
        answer = await super().get_response(
            file_path if _VERSION_PATTERN.fullmatch(first_segment) else path, scope
        )
        answer.headers["cache-control"] = (
            CACHE_FOREVER if first_segment == compute_files_version() else REVALIDATE_ALWAYS
        )
        answer.headers["vary"] = "accept-encoding"
        if not isinstance(answer, FileResponse) or Path(answer.path).suffix not in _COMPRESSED_SUFFIXES:
            return answer
        request_headers = dict(scope["headers"])
        if b"gzip" not in request_headers.get(b"accept-encoding", b"") or b"range" in request_headers:
            return answer
        compressed_body = _compress_file(str(answer.path), Path(answer.path).stat().st_mtime)
        cache_headers = {name: answer.headers[name] for name in ("cache-control", "vary", "last-modified")}
        headers = {**cache_headers, "content-encoding": "gzip", "etag": answer.headers["etag"]}
        return Response(compressed_body, media_type=answer.media_type, headers=headers)
