"""What the program extracts and says is what the files of `expected` hold, as `make goldens` writes them."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import URL
from typer.testing import CliRunner

from app.cli.main import app
from app.documents.examples import SPACE_NAME, read_example_documents
from app.settings import Settings
from app.wiring import Citegraph, build_citegraph
from tests.cli.test_cli_manners import COMMANDS
from tests.conftest import Home, make_home
from tests.goldens import outputs
from tests.goldens.comparison import EXPECTED, differences
from tests.goldens.masking import masked
from tests.support.communities import detect_now
from tests.support.ingest import ingest_now
from tests.support.pooler import as_app

pytestmark = [
    pytest.mark.slow,
    pytest.mark.one_machine("the files hold the plans and tables of one server"),
    # Of equal facts the older is shown, and rows are made in the order of a plan.
    pytest.mark.new_database("pages that deleted rows leave change plans, and with them the order of ids"),
]

# No server listens there: nobody is woken, and no test needs somebody.
NO_BROKER = "redis://127.0.0.1:1/0"


def confirm(actual: outputs.Outputs, *names: str) -> None:
    """Compare with the files of these names or below these folders; `make goldens` writes them instead."""
    if os.environ.get("CITEGRAPH_WRITE_GOLDENS"):
        for name in names:
            shutil.rmtree(EXPECTED / name, ignore_errors=True)
        for name, text in actual.items():
            (EXPECTED / name).parent.mkdir(parents=True, exist_ok=True)
            (EXPECTED / name).write_text(text, "utf-8")
    found = differences(actual, EXPECTED, names)
    assert found == "", f"{found}\n`make goldens` writes the files anew; git diff shows what changed."


@dataclass(frozen=True)
class Demo:
    """An installation whose space holds what the demo's holds."""

    citegraph: Citegraph
    home: Home
    rows: outputs.Outputs

    def call(self, *words: str) -> str:
        """Run `citegraph` with these words as the operator; what it printed, of a failure what it said."""
        environment = {
            "CITEGRAPH_DATABASE_URL": self.citegraph.settings.database_url,
            "CITEGRAPH_REDIS_URL": NO_BROKER,
            "CITEGRAPH_HOME": str(self.citegraph.settings.home),
            "CITEGRAPH_TENANT": "demo",
        }
        result = CliRunner(env=environment).invoke(app, words)
        assert isinstance(result.exception, SystemExit | None), result.exception
        return result.stdout if result.exit_code == 0 else f"exit code {result.exit_code}: {result.stderr}"


@pytest.fixture(scope="module")
def demo(module_url: URL, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """The example corpus, read by rules in this process, with its communities."""
    settings = Settings(
        database_url=as_app(module_url).render_as_string(hide_password=False),
        redis_url=NO_BROKER,
        home=tmp_path_factory.mktemp("home"),
        pool_size=2,
        # What an answer used gives a fact weight in the next: not while these run.
        recall_seconds=3_600,
    )
    citegraph = build_citegraph(settings)
    home = make_home(citegraph.database, "demo", SPACE_NAME)
    documents = read_example_documents(max_bytes=outputs.MOST_BYTES)
    ingest_now(citegraph.database, settings, home, documents)
    detect_now(citegraph.database, settings, home)
    rows = outputs.row_counts(module_url)
    small = make_home(citegraph.database, "small", "one-document")
    ingest_now(citegraph.database, settings, small, documents[:1])
    yield Demo(citegraph, home, rows)
    citegraph.close()


def test_what_rules_extract() -> None:
    confirm(outputs.extraction(), "extraction")


def test_the_openapi_document() -> None:
    confirm(outputs.openapi(), "openapi.txt")


def test_answers_to_the_questions_of_the_demo(demo: Demo) -> None:
    confirm(outputs.answers(demo.citegraph, demo.home.tenant_id, demo.home.space_id), "answers")


def test_rows_of_each_table(demo: Demo) -> None:
    confirm(demo.rows, "rows.txt")


def test_commands(demo: Demo) -> None:
    confirm(outputs.commands(demo.call), "commands")


def test_exports(demo: Demo) -> None:
    confirm(outputs.exports(demo.call), "exports")


def test_a_file_is_kept_of_every_command_that_prints_json() -> None:
    printing = {
        " ".join(path)
        for path, command in COMMANDS.items()
        if any(parameter.name == "as_json" for parameter in command.params)
    }
    called = {path.stem for path in (EXPECTED / "commands").iterdir()}
    assert {name.replace(" ", "-") for name in printing - outputs.LEFT_OUT.keys()} == called
    assert outputs.LEFT_OUT.keys() <= printing


@pytest.mark.parametrize(
    ("actual", "shown"),
    [
        ({"a/one.txt": "1 fact A --uses--> B\n", "two.txt": "x\n"}, ""),
        ({"a/one.txt": "1 fact A --owns--> B\n", "two.txt": "x\n"}, "+1 fact A --owns--> B"),
        ({"two.txt": "x\n"}, "-1 fact A --uses--> B"),
        ({"a/one.txt": "1 fact A --uses--> B\n", "two.txt": "x\n", "a/new.txt": "y\n"}, "+y"),
    ],
)
def test_what_has_changed_appeared_or_gone_is_shown(
    actual: outputs.Outputs, shown: str, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.txt").write_text("1 fact A --uses--> B\n")
    (tmp_path / "two.txt").write_text("x\n")
    (tmp_path / "other.txt").write_text("of another test\n")
    diff = differences(actual, tmp_path, ("a", "two.txt"))
    assert (shown in diff.splitlines()) if shown else diff == ""


def test_ids_times_and_secrets_are_masked_and_dates_of_texts_are_not() -> None:
    text = (
        '{"id": "01a21eed-f3cd-75f8-ab17-b888d1ef6ec7", "at": "2026-11-27T21:34:12.5Z", "score": 0.123456,'
        ' "valid_from": "2019-05-01", "version": "16.3.1"}'
    )
    assert masked(text) == (
        '{"id": "<id>", "at": "<time>", "score": 0.123, "valid_from": "2019-05-01", "version": "16.3.1"}'
    )
