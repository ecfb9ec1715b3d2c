"""Files on their way to the service, and the forms that carry them."""

import json
import mimetypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citegraph_client.call import OMIT, Upload
from citegraph_client.errors import StreamBroken

File = str | Path | tuple[str, bytes]
"""A path, or a name with the bytes."""

_MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".jsonl": "application/x-ndjson",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


def uploads_of(files: Sequence[File]) -> tuple[Upload, ...]:
    """The files read whole, so that a request can be sent again as it was."""
    return tuple(_upload(file) for file in files)


def _upload(file: File) -> Upload:
    if isinstance(file, tuple):
        name, content = file
    else:
        path = Path(file)
        name, content = path.name, path.read_bytes()
    suffix = Path(name).suffix.lower()
    guessed = _MEDIA_TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return name, content, guessed


def form_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a form, without those omitted; what is no text is sent as JSON."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in fields.items()
        if value is not OMIT and value is not None
    }


def check_whole(path: Path) -> None:
    """Raise StreamBroken for a file of JSON Lines without the line that ends it."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 1_000))
        last = file.read().rstrip().rpartition(b"\n")[2]
    try:
        is_whole = json.loads(last).get("kind") == "end"
    except (ValueError, AttributeError):
        is_whole = False
    if not is_whole:
        raise StreamBroken("The export was cut off; ask for it again.")
