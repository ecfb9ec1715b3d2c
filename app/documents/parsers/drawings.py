"""Drawings in office documents: the text of charts and diagrams, and alternative texts of pictures."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from app.documents.parsers.assembly import Assembly, remove_characters_refused_in_texts
from app.documents.parsers.table_lines import format_row

_CHART_NAMESPACE = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DRAWING_NAMESPACE = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM_NAMESPACE = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_RELATION_NAMESPACE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_PICTURE_TAG = "{http://schemas.openxmlformats.org/drawingml/2006/picture}pic"
_SHEET_PICTURE_TAG = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}pic"
_SLIDE_PICTURE_TAG = "{http://schemas.openxmlformats.org/presentationml/2006/main}pic"
_OLD_PICTURE_TAG = "{urn:schemas-microsoft-com:vml}imagedata"
_OBJECT_TAG = "{urn:schemas-microsoft-com:office:office}OLEObject"
_SLIDE_OBJECT_TAG = "{http://schemas.openxmlformats.org/presentationml/2006/main}oleObj"
_NOUN_BY_TAG = {
    _PICTURE_TAG: "picture",
    _SLIDE_PICTURE_TAG: "picture",
    _SHEET_PICTURE_TAG: "picture",
    _OLD_PICTURE_TAG: "picture",
    _OBJECT_TAG: "embedded object",
    _SLIDE_OBJECT_TAG: "embedded object",
}
_COMPATIBILITY_NAMESPACE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_ALTERNATIVES_TAG = f"{_COMPATIBILITY_NAMESPACE}AlternateContent"
MATH_NAMESPACE = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
FORMULA_TAG = f"{MATH_NAMESPACE}oMath"
MAX_FORMULA_DEPTH = 100
MATHML_MARKS = {"msup": "^", "msub": "_", "mfrac": "/"}
# Elements with the alternative text of a drawing: in Word, on slides and sheets, and in old drawings.
_DESCRIBED_TAGS = (
    "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr",
    "{http://schemas.openxmlformats.org/presentationml/2006/main}cNvPr",
    "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}cNvPr",
    "{urn:schemas-microsoft-com:vml}shape",
)
_DESCRIPTION_ATTRIBUTES = ("descr", "alt", "title")
# Automatic descriptions: file names and addresses.
_FILE_NAME = re.compile(r"\S+\.\w{2,5}|\w+://\S+|[A-Za-z]:\\.*")
# More than a person could see; a hostile file may declare a billion.
_MAX_POINTS = 2_000


def iter_drawn_texts(element: Any, package_part: Any, parse_xml: Callable[[bytes], Any]) -> Iterator[str]:
    """Yield the texts of charts and diagrams below the element, which is in this part of the package."""
    for chart in element.iter(f"{_CHART_NAMESPACE}chart"):
        if (
            root := _parse_related(package_part, chart.get(f"{_RELATION_NAMESPACE}id"), parse_xml)
        ) is not None:
            yield "\n".join(iter_chart_lines(root))
    for diagram in element.iter(f"{_DIAGRAM_NAMESPACE}relIds"):
        if (
            root := _parse_related(package_part, diagram.get(f"{_RELATION_NAMESPACE}dm"), parse_xml)
        ) is not None:
            yield "\n".join(_iter_diagram_lines(root))


def iter_descriptions(element: Any) -> Iterator[str]:
    """Yield the alternative texts of the drawings below the element."""
    for drawing in element.iter():
        if drawing.tag in _DESCRIBED_TAGS:
            written_text = next(
                (drawing.get(name) for name in _DESCRIPTION_ATTRIBUTES if drawing.get(name)), None
            )
            if description := extract_alternative_text(written_text):
                yield description


def extract_alternative_text(raw_description: str | None) -> str:
    """Return an alternative text on one line; "" if there is none or it is only a file name."""
    description = " ".join(remove_characters_refused_in_texts(raw_description or "").split())
    return "" if _FILE_NAME.fullmatch(description) else description


def keep_newest_alternatives(root: Any) -> None:
    """Keep only the first, newest version of content stored in alternative versions."""
    for parent in list(root.iter()):
        if any(child.tag == _ALTERNATIVES_TAG for child in parent):
            parent[:] = [newest_child for child in parent for newest_child in _iter_newest(child)]


def _iter_newest(element: Any) -> Iterator[Any]:
    if element.tag != _ALTERNATIVES_TAG:
        yield element
    elif len(element):
        for child in element[0]:
            yield from _iter_newest(child)


def format_formula(element: Any, depth: int = 0) -> str:
    """Return the formula on one line: "a/b", "x^2". Parts nested more than 100 levels deep have no marks."""
    if depth > MAX_FORMULA_DEPTH:
        return "".join(element.itertext())
    operator_by_tag = {"f": "/", "sSup": "^", "sSub": "_"}
    tag = element.tag.removeprefix(MATH_NAMESPACE) if isinstance(element.tag, str) else ""
    if tag == "t":
        return element.text or ""
    inner_texts = [format_formula(child, depth + 1) for child in element]
    return operator_by_tag.get(tag, "").join(text for text in inner_texts if text)


def format_mathml(element: Any, depth: int = 0) -> str:
    """Return a MathML formula on one line, without annotations."""
    if depth > MAX_FORMULA_DEPTH:
        return "".join(element.itertext())
    tag = str(element.tag).rpartition("}")[2]
    if tag.startswith("annotation"):
        return ""
    inner_texts = [
        " ".join((element.text or "").split()),
        *(format_mathml(child, depth + 1) for child in element),
    ]
    return MATHML_MARKS.get(tag, "").join(text for text in inner_texts if text)


def iter_chart_lines(root: Any) -> Iterator[str]:
    """Yield the chart's title, the names of its series, and a line for each category, from cached values."""
    title = root.find(f".//{_CHART_NAMESPACE}title")
    if title is not None and (words := get_shape_text(title)):
        yield words
    series = list(root.iter(f"{_CHART_NAMESPACE}ser"))
    series_names = [_get_first_value(one_series.find(f"{_CHART_NAMESPACE}tx")) for one_series in series]
    category_by_index: dict[str, str] = {}
    values_of_series: list[dict[str, str]] = []
    for one_series in series:
        # The points of a scatter chart have coordinates instead of categories.
        for tag in ("cat", "xVal"):
            category_by_index |= _map_cached_values_by_index(one_series.find(f"{_CHART_NAMESPACE}{tag}"))
        value_by_index: dict[str, str] = {}
        for tag in ("val", "yVal"):
            value_by_index |= _map_cached_values_by_index(one_series.find(f"{_CHART_NAMESPACE}{tag}"))
        values_of_series.append(value_by_index)
    if any(series_names):
        yield format_row(["", *series_names] if category_by_index else series_names, has_columns=True)
    point_indexes = dict.fromkeys(
        index for value_by_index in [category_by_index, *values_of_series] for index in value_by_index
    )
    for index in list(point_indexes)[:_MAX_POINTS]:
        cells = [
            category_by_index.get(index, ""),
            *(value_by_index.get(index, "") for value_by_index in values_of_series),
        ]
        yield format_row(cells, has_columns=True)


def record_count_of_unread_pictures(assembly: Assembly, *roots: Any) -> None:
    """Record how many pictures and embedded objects below these elements were not read."""
    tags = (element.tag for root in roots for element in root.iter())
    count_by_noun = Counter(_NOUN_BY_TAG[tag] for tag in tags if tag in _NOUN_BY_TAG)
    for noun, count in count_by_noun.items():
        assembly.note_unread_objects(noun, count)


def _parse_related(package_part: Any, relation_id: str | None, parse_xml: Callable[[bytes], Any]) -> Any:
    """Return the root of the part that this relation refers to, or None."""
    relation = package_part.rels.get(relation_id) if relation_id else None
    return None if relation is None or relation.is_external else parse_xml(relation.target_part.blob)


def _iter_diagram_lines(root: Any) -> Iterator[str]:
    for point in root.iter(f"{_DIAGRAM_NAMESPACE}pt"):
        if words := get_shape_text(point):
            yield words


def get_shape_text(element: Any) -> str:
    """Return the text of a shape on one line."""
    return " ".join(
        remove_characters_refused_in_texts(
            " ".join("".join(text.text or "" for text in paragraph.iter(f"{DRAWING_NAMESPACE}t")).split())
        )
        for paragraph in element.iter(f"{DRAWING_NAMESPACE}p")
    ).strip()


def _get_first_value(element: Any) -> str:
    value_by_index = _map_cached_values_by_index(element)
    return next(iter(value_by_index.values()), "")


def _map_cached_values_by_index(element: Any) -> dict[str, str]:
    """Return the cached values by index."""
    if element is None:
        return {}
    return {
        point.get("idx", ""): remove_characters_refused_in_texts(
            " ".join((point.findtext(f"{_CHART_NAMESPACE}v") or "").split())
        )
        for point in list(element.iter(f"{_CHART_NAMESPACE}pt"))[:_MAX_POINTS]
    }
