"""No code of a failure but those of app/error_codes.py, and each of them is used (docs/errors.md)."""

import ast
import re
from collections.abc import Iterable, Iterator

from app.api.problems import CODE_AND_DETAIL_BY_STATUS
from app.error_codes import ERROR_CODES, get_status_of_code
from app.http.input_text import INPUT_ERROR_CODES
from tests.architecture.tree import PROJECT, Source, program

REGISTRY = "app/error_codes.py"
# Functions that take a code by its place: which argument it is.
BY_PLACE = {"Failure": 0, "Fault": 1, "ImportRefused": 1, "_record_refused_file": 1}
# Returns codes with their sentences.
EXPLAINS = "app/ingest/contained_reading.py"
# Codes of the servers of models stand there.
OF_OTHERS = "docs/model-double.md"
# What a document says of an answer: 409 `name_taken`, or without quotes in the words of a route; no call.
DOCUMENTED = re.compile(r"\b(4\d\d|50[0-4])((?:[ ,]+(?:and )?`?[a-z]+(?:_[a-z]+)+\b(?!\()`?)+)")


def named_in(source: Source) -> Iterator[str]:
    """Every code that the file gives a failure by name."""
    for node in source.nodes:
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            values = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
            values += node.args[BY_PLACE[name] : BY_PLACE[name] + 1] if name in BY_PLACE else []
            yield from list_word_ranges_of_text(values)
            if name == "check_range":
                yield from (f"{word}_out_of_range" for word in list_word_ranges_of_text(node.args[:1]))
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and source.place == EXPLAINS:
            yield from list_word_ranges_of_text(node.value.elts[:1])
        elif isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "code":
                    yield from list_word_ranges_of_text([statement.value])


def list_word_ranges_of_text(values: Iterable[ast.expr]) -> Iterator[str]:
    """Those of the values that are written out, without the empty one."""
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
            yield value.value


def test_a_code_stands_once() -> None:
    codes = [entry.code for entry in ERROR_CODES]
    assert sorted(set(codes)) == sorted(codes)


def test_no_failure_has_a_code_that_is_not_registered() -> None:
    codes = {entry.code for entry in ERROR_CODES}
    wrong = [
        f"{source.place}: {code}" for source in program() for code in named_in(source) if code not in codes
    ]
    assert wrong == []
    assert codes >= INPUT_ERROR_CODES
    assert codes >= {code for code, _ in CODE_AND_DETAIL_BY_STATUS.values()}
    assert all(get_status_of_code(code) == status for status, (code, _) in CODE_AND_DETAIL_BY_STATUS.items())


def test_every_registered_code_is_used() -> None:
    written = {
        node.value
        for source in program()
        if source.place != REGISTRY
        for node in source.nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    written |= {code for source in program() for code in named_in(source)}
    assert [entry.code for entry in ERROR_CODES if entry.code not in written] == []


def test_documents_name_codes_with_their_status() -> None:
    """In docs/ and in what routes and settings say of themselves."""
    texts = {
        path.relative_to(PROJECT).as_posix(): path.read_text("utf-8") for path in PROJECT.glob("docs/*.md")
    }
    texts |= {source.place: source.text for source in program() if source.place != REGISTRY}
    statuses = {entry.code: entry.status for entry in ERROR_CODES}
    wrong = [
        f"{place}: {status} {code}"
        for place, text in texts.items()
        if place != OF_OTHERS
        for status, codes in DOCUMENTED.findall(text)
        for code in re.findall(r"[a-z]+(?:_[a-z]+)+", codes)
        if statuses.get(code) != int(status)
    ]
    assert wrong == []
