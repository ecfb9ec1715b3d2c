"""The example documents of the project, for `citegraph demo` and, on request, the dashboard."""

from pathlib import Path

from app.documents.format_detection import detect_format_or_refuse, has_known_extension
from app.documents.shapes import Submission
from app.shipped_files import PROJECT

EXAMPLES_FOLDER = PROJECT / "examples"
"""The folder is missing in a container image, so no examples are offered there."""
SPACE_NAME = "relational-databases"
SPACE_DESCRIPTION = "The example documents: who made the databases of today, and what they rest on."
_CORPUS_FOLDER_NAME = "corpus"


def count_example_documents() -> int:
    """Return the number of example documents."""
    return len(_list_example_files())


def read_example_documents(*, max_bytes: int) -> list[Submission]:
    """Return the example documents, with the addresses that the command line gives them."""
    submissions = []
    for path in _list_example_files():
        file_bytes = path.read_bytes()
        format = detect_format_or_refuse(path.name, None, file_bytes, max_bytes=max_bytes)
        submissions.append(
            Submission(file_bytes, format, "", source_uri=f"file:{_CORPUS_FOLDER_NAME}/{path.name}")
        )
    return submissions


def _list_example_files() -> list[Path]:
    folder = EXAMPLES_FOLDER / _CORPUS_FOLDER_NAME
    return (
        sorted(path for path in folder.glob("*") if has_known_extension(path.name)) if folder.is_dir() else []
    )
