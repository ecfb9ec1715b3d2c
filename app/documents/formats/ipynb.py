"""Jupyter notebooks: prose, code and its output, cell by cell."""

from typing import Any

from app.documents.formats.html import extract_visible_text
from app.documents.formats.markdown import add_text_of_markdown
from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import TextFormat
from app.documents.parsers.json_reader import load_json_numbers_as_text
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import ParsedDocument

_MAX_OUTPUT_LENGTH = 2_000
_MAX_PAGE_LENGTH = 200_000
# Before version 4 pictures were fields next to the text.
_OLD_PICTURE_FIELDS = ("png", "jpeg", "svg")


class Ipynb(TextFormat):
    """A Jupyter notebook."""

    name = "ipynb"
    label = "notebook (IPYNB)"
    description = (
        "Prose as Markdown, code as it is, the text and errors that it printed; citations name the cell."
    )
    extensions = ("ipynb",)
    media_types = ("application/x-ipynb+json",)
    libraries = ("chardet", "markdown_it", "markdown_it.rules_block.table")

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return the cells in order."""
        notebook = load_json_numbers_as_text(
            decode_with_detected_encoding(file_bytes), max_values=limits.values
        )
        cells = _find_cells(notebook)
        if not isinstance(cells, list):
            raise parse_errors.build_damaged_document_error("The notebook has no list of cells", "correct it")
        assembly = Assembly()
        for number, cell in enumerate(cells, start=1):
            if not isinstance(cell, dict):
                raise parse_errors.build_damaged_document_error(
                    f"Cell {number} of the notebook is not an object", "correct it"
                )
            assembly.set_next_place(f"cell {number}")
            source = _join_lines(cell.get("source")) or _join_lines(cell.get("input"))
            if cell.get("cell_type") == "markdown":
                add_text_of_markdown(assembly, source)
            elif cell.get("cell_type") == "heading":
                level = cell.get("level")
                assembly.add_heading(int(str(level)) if str(level) in tuple("123456") else 1, source)
            else:
                assembly.add_block(source)
                _add_outputs_of_cell(assembly, cell.get("outputs"), number)
        return assembly.build(title=assembly.first_heading)


def _find_cells(notebook: Any) -> Any:
    """Return the cells; before version 4 they are in worksheets, and code is in `input`."""
    if not isinstance(notebook, dict):
        return None
    worksheets = notebook.get("worksheets")
    if "cells" in notebook or not isinstance(worksheets, list):
        return notebook.get("cells")
    cell_lists = [worksheet.get("cells") for worksheet in worksheets if isinstance(worksheet, dict)]
    return [cell for cells in cell_lists if isinstance(cells, list) for cell in cells]


def _add_outputs_of_cell(assembly: Assembly, outputs: Any, cell_number: int) -> None:
    for output in outputs if isinstance(outputs, list) else []:
        if not isinstance(output, dict):
            continue
        data = output.get("data")
        display_data = data if isinstance(data, dict) else {}
        text = _join_lines(output.get("text")) or _join_lines(display_data.get("text/plain"))
        if output.get("output_type") == "error":
            text = f"{_join_lines(output.get('ename'))}: {_join_lines(output.get('evalue'))}"
        elif not text:
            text = extract_visible_text(
                _join_lines(display_data.get("text/html") or output.get("html"))[:_MAX_PAGE_LENGTH]
            )
        assembly.add_block(text[:_MAX_OUTPUT_LENGTH])
        if len(text) > _MAX_OUTPUT_LENGTH:
            assembly.note_omission(
                f"What cell {cell_number} printed after {_MAX_OUTPUT_LENGTH:,} characters."
            )
        if any(
            str(media_type).startswith("image/") for media_type in display_data
        ) or not output.keys().isdisjoint(_OLD_PICTURE_FIELDS):
            assembly.note_omission(f"Of the picture that cell {cell_number} shows no text is read.")


def _join_lines(value: Any) -> str:
    """Return a text that may be a list of lines."""
    lines = value if isinstance(value, list) else [value]
    return remove_characters_refused_in_texts("".join(line for line in lines if isinstance(line, str)))
