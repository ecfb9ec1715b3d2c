"""JSON: each record is one indivisible section."""

from app.documents.parsers import parse_errors
from app.documents.parsers.assembly import Assembly
from app.documents.parsers.decoding import decode_with_detected_encoding
from app.documents.parsers.file_format import JsonFormat
from app.documents.parsers.json_reader import load_json_values
from app.documents.parsers.limits import ParseLimits
from app.documents.parsers.records import add_titled_record, list_fields_of_json_value
from app.documents.shapes import ParsedDocument


class Json(JsonFormat):
    """A JSON value, or an array of values."""

    name = "json"
    label = "JSON"
    description = (
        "A chunk for each object of the file, or for each item of its array, as lines of `key: value`."
    )
    extensions = ("json", "geojson", "jsonld")
    media_types = ("application/json",)
    is_record = True

    def parse(self, file_bytes: bytes, limits: ParseLimits) -> ParsedDocument:
        """Return one section for each value of the file, or for each item of its array."""
        values = load_json_values(decode_with_detected_encoding(file_bytes), max_values=limits.values)
        records = values[0] if len(values) == 1 and isinstance(values[0], list) else values
        if len(records) > limits.rows:
            raise parse_errors.build_too_many_rows_error(limits.rows)
        assembly = Assembly()
        for number, record in enumerate(records, start=1):
            if len(records) > 1:
                assembly.set_next_place(f"item {number}")
            add_titled_record(assembly, list_fields_of_json_value(record))
        return assembly.build()
