"""The registry of file formats: one class in one file of `formats/` each.

Everything that lists formats asks here: the doors, `citegraph ingest --help`, docs/formats.md, the OpenAPI
document, and the file field of pages. `format_detection` tells which of them a file has.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from app.documents import formats
from app.documents.parsers.file_format import FileFormat, TextFormat


def load_formats_by_name() -> Mapping[str, FileFormat]:
    """Return every format of the folder `formats` by its name, in the order of names."""
    format_by_name: dict[str, FileFormat] = {}
    for module in pkgutil.iter_modules(formats.__path__):
        module_name = f"{formats.__name__}.{module.name}"
        for value in vars(importlib.import_module(module_name)).values():
            is_own = isinstance(value, type) and value.__module__ == module_name
            if is_own and issubclass(value, FileFormat):
                format_by_name[value.name] = value()
    return MappingProxyType(dict(sorted(format_by_name.items())))


FORMATS = load_formats_by_name()


def list_file_extensions() -> list[str]:
    """Return the extensions that are known, with their dots."""
    return sorted(f".{extension}" for format in FORMATS.values() for extension in format.extensions)


def list_format_labels() -> list[str]:
    """Return the names for people of the formats that files can have."""
    return [format.label for format in FORMATS.values() if format.extensions]


def render_formats_table() -> str:
    """Return a Markdown table of the formats: what their files are called and what is read of them."""
    lines = ["| format | files | what is read |", "| --- | --- | --- |"]
    for name, format in FORMATS.items():
        files = " ".join(f"`.{extension}`" for extension in format.extensions) or "by its content"
        lines.append(f"| {format.label} (`{name}`) | {files} | {format.description} |")
    return "\n".join(lines)


def is_text_format(format: str) -> bool:
    """Return whether files of the format are text that a person could read."""
    return isinstance(FORMATS[format], TextFormat)
