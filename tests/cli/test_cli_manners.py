"""What holds for every command of `citegraph`, found by walking over all of them."""

import ast
import inspect
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from rich.console import Console
from typer.main import get_command

from app.cli import output, progress_bars
from app.cli.filtering import filter_pages
from app.cli.lazy import LazyCommand
from app.cli.main import app
from app.cli.submitting import _describe_progress
from app.ids import create_id
from app.number_words import format_dollars, format_duration, format_size
from tests.cli.conftest import Call, read_json
from tests.conftest import Home
from tests.support.sampling import sampled

ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# What every list takes besides what it leaves out.
COMMON = {"space", "tenant", "limit", "as_json"}


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, with its words."""
    whole = command.load_command() if isinstance(command, LazyCommand) else command
    below = getattr(whole, "commands", None)
    if not below:
        yield path, whole
        return
    for name, inner in below.items():
        yield from leaves(inner, (*path, name))


COMMANDS = dict(leaves(get_command(app)))
LISTS = {path: command for path, command in COMMANDS.items() if (command.help or "").startswith("List ")}


def calls_in(command: Any) -> set[str]:
    """The names of the functions that the command's own function calls."""
    callback = inspect.unwrap(command.callback)
    tree = ast.parse(inspect.getsource(callback))
    return {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def test_all_commands_are_seen() -> None:
    assert len(COMMANDS) > 70
    assert {("space", "list"), ("nodes", "merges"), ("webhook", "deliveries"), ("conflicts",)} <= set(LISTS)


@pytest.mark.parametrize("path", LISTS, ids=" ".join)
def test_every_list_has_filters_a_limit_and_json(path: tuple[str, ...]) -> None:
    parameters = {parameter.name for parameter in LISTS[path].params if not parameter.required}
    assert {"limit", "as_json"} <= parameters
    assert parameters - COMMON


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_what_shows_a_table_shows_json_too(path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    if calls_in(command) & {"show_table", "show_pairs"}:
        assert "as_json" in {parameter.name for parameter in command.params}


# Those that need nothing but a space: each is called with words of which no row has any.
PLAIN = [
    path
    for path, command in LISTS.items()
    if not {parameter.name for parameter in command.params if parameter.required} - {"space"}
]


@pytest.mark.parametrize("path", sampled([pytest.param(path, id=" ".join(path)) for path in PLAIN], every=6))
def test_every_list_is_filtered_and_bounded(
    citegraph: Call, filled: tuple[Home, Home], path: tuple[str, ...]
) -> None:
    names = {parameter.name for parameter in LISTS[path].params}
    space = ["--space", "library"] if "space" in names else []
    whole = read_json(citegraph(*path, *space, "--json"))
    one = read_json(citegraph(*path, *space, "--json", "--limit", "1"))
    assert len(one) <= 1 <= max(1, len(whole))
    if "words" in names:
        assert read_json(citegraph(*path, "zzz no such thing", *space, "--json")) == []


def test_words_are_looked_for_in_every_row(citegraph: Call, filled: tuple[Home, Home]) -> None:
    for name in ("blue whale", "Blue finch", "grey whale"):
        citegraph("space", "create", name)
    found = read_json(citegraph("space", "list", "BLUE", "--limit", "1", "--json"))
    assert [row["name"] for row in found] == ["blue whale"]
    found = read_json(citegraph("space", "list", "whale grey", "--json"))
    assert [row["name"] for row in found] == ["grey whale"]


def test_a_search_goes_on_over_pages_and_ends() -> None:
    rows = list(range(30_000))

    def page(last: int | None, most: int) -> list[int]:
        first = 0 if last is None else last + 1
        return rows[first : first + most]

    assert filter_pages("19999", 5, page, lambda row: (row,)) == [19_999]
    assert filter_pages("25000", 5, page, lambda row: (row,)) == []
    assert filter_pages(None, 3, page, lambda row: (row,)) == [0, 1, 2]


class TestIds:
    IDS = (str(create_id()), str(create_id()))

    @pytest.fixture(
        params=[(width, terminal) for width in (20, 40, 60, 80, 200) for terminal in (True, False)]
    )
    def screen(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
        """What is printed to a terminal, or a pipe, of that width."""
        width, terminal = request.param
        text = io.StringIO()
        monkeypatch.setattr(
            output,
            "create_console",
            lambda: Console(
                file=text, width=width, force_terminal=terminal, no_color=True, highlight=False, markup=False
            ),
        )
        return text

    def test_they_are_whole_in_tables_of_any_width(self, screen: io.StringIO) -> None:
        words = "Charles Babbage founded Difference Engine Works in London"
        output.show_table(
            ["NAME", "WHY", "COUNT#", "FROM", "ID"],
            [[words, words, 12, self.IDS[0], self.IDS[1]], ["a", "", 1, "", self.IDS[0]]],
        )
        assert ID.findall(screen.getvalue()) == [self.IDS[0], self.IDS[1], self.IDS[0]]
        assert "Charles" in screen.getvalue()

    def test_they_are_whole_in_pairs(self, screen: io.StringIO) -> None:
        output.show_pairs([("failure_reason", "words " * 30), ("id", self.IDS[0])])
        assert ID.findall(screen.getvalue()) == [self.IDS[0]]


@pytest.mark.parametrize("path", sampled([pytest.param(path, id=" ".join(path)) for path in PLAIN], every=6))
def test_ids_of_lists_are_whole_in_a_pipe(
    citegraph: Call, filled: tuple[Home, Home], path: tuple[str, ...]
) -> None:
    space = ["--space", "library"] if "space" in {parameter.name for parameter in LISTS[path].params} else []
    shown = citegraph(*path, *space)
    assert shown.exit_code == 0, shown.stderr
    known = set(ID.findall(str(read_json(citegraph(*path, *space, "--json")))))
    # An id that is broken leaves its first eight characters on a line of their own.
    for beginning in (identifier[:18] for identifier in known):
        assert shown.stdout.count(beginning) == sum(
            found.startswith(beginning) for found in ID.findall(shown.stdout)
        )


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (0, "0.00"),
        (1, "1.00"),
        (1234.567, "1,234.57"),
        (0.5, "0.5000"),
        (0.01234, "0.0123"),
        (0.0000125, "0.0000125"),
        (0.00000004, "0.0000000400"),
        (-0.002, "-0.00200"),
    ],
)
def test_money_has_enough_digits(amount: float, said: str) -> None:
    assert format_dollars(amount) == said


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (None, "–"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_960, "1.0 MB"),
        (999_999_999, "1.0 GB"),
        (999_999_999_999, "1.0 TB"),
    ],
)
def test_bytes_take_the_next_unit_where_they_are_rounded_up_to_it(count: int | None, said: str) -> None:
    assert format_size(count) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "–"),
        (0.85, "850 ms"),
        (0.9996, "1 s"),
        (59.4, "59 s"),
        (59.7, "1 min 0 s"),
        (200, "3 min 20 s"),
        (3599.9, "1 h 0 min"),
        (7500, "2 h 5 min"),
    ],
)
def test_seconds_take_the_next_unit_where_they_are_rounded_up_to_it(seconds: float | None, said: str) -> None:
    assert format_duration(seconds) == said


def test_long_waits_say_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar on a terminal: how many of how many, the rate and the time that is left."""
    text = io.StringIO()
    monkeypatch.setattr(text, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", text)
    monkeypatch.setattr(
        progress_bars,
        "create_console",
        lambda **_: Console(file=text, width=120, force_terminal=True, no_color=True),
    )
    assert list(progress_bars.show_item_progress(range(50), "files compared", 50)) == list(range(50))
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.getvalue())
    assert re.search(r"files compared .* 50/50 [\d,.]+ a second 0:00:\d\d left 0:00:00", shown), shown
    assert b"".join(progress_bars.show_write_progress([b"ab"] * 4, "written", lambda: 4)) == b"abababab"
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.getvalue())
    assert re.search(r"written .* 100% 8 bytes, [\d.,]+ \w+ a second 0:00:\d\d left 0:00:00", shown), shown


def test_work_that_reads_no_documents_says_its_rate_too() -> None:
    job = {
        "counts": {"chunks": 30, "nodes": 4},
        "state": "running",
        "stage": "vectors",
        "progress": 50,
        "cost_usd": 0,
    }
    assert _describe_progress([job], 0, 2.0) == {
        "completed": 50,
        "description": "vectors",
        "documents": "30 chunks, 15.0 a second",
    }
