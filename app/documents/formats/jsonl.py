"""JSON lines: each line is one indivisible section."""

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly
from app.documents.parsers.broken_parts import BrokenParts
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import JsonFormat
from app.documents.parsers.json_reader import load_json_numbers_as_text
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.records import add_titled_record, list_fields_of_json_value
from app.documents.shapes import ParsedDocument


class JsonLines(JsonFormat):
    """One JSON value per line."""

    name = "jsonl"
    label = "JSON lines"
    description = "A chunk for the object or other value on each line, as lines of `key: value`."
    extensions = ("jsonl", "ndjson")
    media_types = ("application/jsonl", "application/x-ndjson")
    is_record = True

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return one section for the value on each line; blank lines are skipped, damaged ones named."""
        assembly = Assembly()
        broken_lines = BrokenParts("line")
        record_count = 0
        for number, line in enumerate(decode_with_detected_encoding(file_bytes).split("\n"), start=1):
            if not line.strip():
                continue
            record_count += 1
            if record_count > limits.rows:
                raise parse_errors.build_too_many_rows_error(limits.rows)
            with broken_lines.tolerate_failure_of_part(f"line {number}"):
                value = load_json_numbers_as_text(line.strip(), first_line=number, max_values=limits.values)
                assembly.set_next_place(f"line {number}")
                add_titled_record(assembly, list_fields_of_json_value(value))
        broken_lines.raise_if_most_are_broken()
        broken_lines.note_failures_on_document(assembly)
        return assembly.build()
